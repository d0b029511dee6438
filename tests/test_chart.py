"""The chart: its bars are the timeline, its texts UTC or local, its bytes the same everywhere."""

import itertools
import os
import re
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given

from meeting_slot import MeetingSlotError, curated_worlds, parse_world
from meeting_slot.instants import instant_text
from meeting_slot.pictures.axis import PLOT_WIDTH, Mark
from meeting_slot.pictures.chart import chart_notes, chart_spec, chart_svg
from meeting_slot.pictures.marks import (
    COMMON,
    EVERYONE,
    MOST_BARS,
    VALID,
    Marks,
    marks,
)
from meeting_slot.pictures.timeline import MOST_ROWS, Timeline, timeline
from meeting_slot.world import World
from tests import oracle
from tests.conftest import a_world
from tests.strategies import worlds, worlds_drawn
from tests.world_objects import attendee_object, world_object

ALL_WEEK = (0, 1, 2, 3, 4, 5, 6)
WRONG = "2024-03-11T14:00:00Z"
HOSTILE = ("<script>alert(1)</script>", "דנה", "محمد", "N" * 64, "👩‍👩‍👧", 'a & "b" \'`${1}`')


def hostile_world() -> World:
    cast = [attendee_object(name, "Europe/London") for name in HOSTILE]
    return parse_world(world_object(*cast))


def minutes(bar: Mark) -> tuple[int, int]:
    """Return a bar's UTC minutes."""
    assert bar["start"] % 60_000 == bar["end"] % 60_000 == 0
    return bar["start"] // 60_000, bar["end"] // 60_000


def bars_of(found: Marks, row: str, *kinds: str) -> list[Mark]:
    return [bar for bar in found.bars if bar["row"] == row and (not kinds or bar["kind"] in kinds)]


def check_labels_are_apart(found: Marks, drawn: Timeline) -> None:
    """Hold that no label of a row reaches into the next, and all stand on the axis."""
    scale = PLOT_WIDTH / (drawn.end - drawn.start)
    for of_rows, width in ((found.dates, 52), (found.changes, 108)):
        for row in found.rows:
            ends = 0.0
            for mark in of_rows:
                if mark["row"] != row or not mark["label"]:
                    continue
                x = (mark["at"] / 60_000 - drawn.start) * scale
                left = x if mark["after"] else x - width
                assert ends <= left + 1e-6
                ends = left + width
            assert ends <= PLOT_WIDTH + 1e-6


@given(worlds(most_days=6))
@worlds_drawn(40, 600)
def test_bars_are_the_stretches_of_the_timeline(row: oracle.World) -> None:
    drawn = timeline(parse_world(row))
    found = marks(drawn)
    for number, line in enumerate(drawn.rows):
        shown = [(*minutes(bar), bar["kind"]) for bar in bars_of(found, str(number))]
        assert shown == [(s.start, s.end, s.state.value) for s in line.stretches]
    assert [minutes(bar) for bar in bars_of(found, EVERYONE, COMMON)] == list(drawn.common)
    assert [minutes(bar) for bar in bars_of(found, EVERYONE, VALID)] == list(drawn.valid)
    assert {mark["utc"] for mark in found.changes} == {
        instant_text(change.at) for line in drawn.rows for change in line.changes
    }
    check_labels_are_apart(found, drawn)


def test_texts_are_utc_and_local_time() -> None:
    """Ava's Friday is full, 09:00-17:00 at UTC-5; her Monday, at UTC-4, is free."""
    found = marks(timeline(parse_world(a_world()), WRONG))
    busy, free = bars_of(found, "0", "busy", "free")
    assert (busy["who"], busy["utc"], busy["local"]) == (
        "Ava",
        "Fri 2024-03-08 14:00-22:00 UTC",
        "Fri 2024-03-08 09:00-17:00 UTC-05:00",
    )
    assert (free["utc"], free["local"]) == (
        "Mon 2024-03-11 13:00-21:00 UTC",
        "Mon 2024-03-11 09:00-17:00 UTC-04:00",
    )
    (change,) = found.changes
    assert change["local"] == ("UTC-05:00 -> UTC-04:00 at 2024-03-10 07:00Z, 02:00 -> 03:00")
    assert change["label"] == "UTC-05:00 -> -04:00"
    ava, farid = found.labels
    assert (ava["first"], ava["last"], ava["last_offset"]) == (
        "Thu 2024-03-07 19:00 UTC-05:00",
        "Mon 2024-03-11 20:00",
        "UTC-04:00",
    )
    assert (farid["first"], farid["last"]) == (
        "Fri 2024-03-08 00:00 UTC+00:00",
        "Mon 2024-03-11 24:00",
    )
    assert [(mark["row"], mark["label"]) for mark in found.verdicts] == [
        ("answer", "2024-03-11T13:00:00Z"),
        ("proposed", f"{WRONG}, wrong"),
    ]


def test_a_date_that_was_skipped_has_no_label() -> None:
    world = world_object(
        attendee_object("Sina", "Pacific/Apia"), window_start="2011-12-29", window_days=3
    )
    found = marks(timeline(parse_world(world)))
    assert [mark["label"] for mark in found.dates] == ["Thu 12-29", "Sat 12-31", "Sun 01-01"]
    assert found.changes[0]["local"] == (
        "UTC-10:00 -> UTC+14:00 at 2011-12-30 10:00Z, 2011-12-29 24:00 -> 2011-12-31 00:00"
    )


def test_of_dates_that_begin_within_the_hour_one_is_labelled() -> None:
    """St John's went back over midnight: 7 November 2010 began at 02:30Z and again at 03:30Z."""
    liam = attendee_object("Liam", "America/St_Johns")
    drawn = timeline(parse_world(world_object(liam, window_start="2010-11-06", window_days=4)))
    found = marks(drawn)
    labels = [mark["label"] for mark in found.dates]
    assert labels == ["Sat 11-06", "Sun 11-07", "", "", "Mon 11-08", "Tue 11-09"]
    check_labels_are_apart(found, drawn)


@pytest.mark.parametrize(
    ("proposed", "label"),
    [
        ("NONE", "NONE, wrong"),
        ("1999-01-01T00:00Z", "1999-01-01T00:00Z, wrong, before what is drawn"),
        ("2050-01-01T00:00Z", "2050-01-01T00:00Z, wrong, after what is drawn"),
    ],
)
def test_a_proposed_answer_that_has_no_place_is_named(proposed: str, label: str) -> None:
    found = marks(timeline(parse_world(a_world()), proposed))
    assert found.verdicts[-1]["label"] == label
    assert [meeting["kind"] for meeting in found.meetings] == ["answer"]


def test_a_right_answer_is_marked_once() -> None:
    found = marks(timeline(parse_world(a_world()), "2024-03-11T13:00:00Z"))
    assert found.rows == ["0", "1", "everyone", "answer"]


def large_world(attendees: int, days: int) -> World:
    """Return a world of calendars that are busy twice a day."""
    dates = (f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29))
    busy = dict.fromkeys(dates, "10:07-11:00 13:00-14:45")
    zones = ("America/New_York", "Europe/London", "Asia/Tokyo", "Africa/Casablanca")
    cast = [
        attendee_object(f"P{i}", zone, "08:00-22:00", ALL_WEEK, busy)
        for i, zone in zip(range(attendees), itertools.cycle(zones), strict=False)
    ]
    return parse_world(world_object(*cast, window_start="2024-01-01", window_days=days))


@pytest.mark.parametrize(("attendees", "days"), [(1, 366), (30, 14), (8, 366), (60, 30), (40, 366)])
def test_the_marks_are_few_whatever_the_world(attendees: int, days: int) -> None:
    drawn = timeline(large_world(attendees, days))
    found = marks(drawn)
    rows = min(attendees, MOST_ROWS)
    of_attendees = [bar for bar in found.bars if bar["row"] != EVERYONE]
    assert {bar["row"] for bar in of_attendees} == {str(number) for number in range(rows)}
    assert len(of_attendees) <= MOST_BARS
    assert len(found.bars) <= MOST_BARS + 2 * 400
    assert len(found.dates) <= rows * 110
    check_labels_are_apart(found, drawn)
    stretches = sum(len(row.stretches) for row in drawn.rows[:rows])
    coarse = any("Drawn in steps of" in note for note in found.notes)
    assert coarse is (stretches > MOST_BARS)
    many = max(len(drawn.common), len(drawn.valid)) > 400
    assert any("Everyone's row is in steps" in note for note in found.notes) is many
    assert any("The first 40 of 60" in note for note in found.notes) is (attendees == 60)
    for row in map(str, range(rows)):
        of_row = [minutes(bar) for bar in bars_of(found, row)]
        assert (of_row[0][0], of_row[-1][1]) == (drawn.start, drawn.end)
        assert [start for start, _ in of_row[1:]] == [end for _, end in of_row[:-1]]


def test_what_is_merged_is_never_shown_as_free_unless_it_is() -> None:
    drawn = timeline(large_world(8, 366))
    found = marks(drawn)
    for number, row in enumerate(drawn.rows):
        free = [(s.start, s.end) for s in row.stretches if s.state.value == "free"]
        for bar in bars_of(found, str(number)):
            start, end = minutes(bar)
            minutes_free = sum(max(0, min(end, b) - max(start, a)) for a, b in free)
            if bar["kind"] == "free":
                assert minutes_free == end - start
            else:
                assert (minutes_free > 0) is (bar["kind"] == "partly free")


SVG = """
import sys
from meeting_slot import curated_worlds
from meeting_slot.pictures.chart import chart_svg
from meeting_slot.pictures.timeline import timeline
world = next(one for one in curated_worlds() if one.id == "weekend_skip_dst")
sys.stdout.write(chart_svg(timeline(world, "NONE")))
"""


def test_svg_is_the_same_in_every_zone_and_under_every_hash_seed() -> None:
    drawn = {
        subprocess.run(
            [sys.executable, "-c", SVG],
            env=os.environ | {"TZ": zone, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for zone, seed in (("UTC", "1"), ("Pacific/Marquesas", "2"), ("Asia/Kathmandu", "3"))
    }
    assert len(drawn) == 1


def svg_texts(svg: str) -> list[str]:
    """Return all texts of a picture."""
    texts = (one for one in ElementTree.fromstring(svg).iter() if one.tag.endswith("}text"))
    return ["".join(text.itertext()) for text in texts]


@pytest.mark.parametrize("world", curated_worlds()[::3], ids=lambda world: world.id)
def test_svg_says_the_answer_and_names_everybody(world: World) -> None:
    drawn = timeline(world)
    texts = svg_texts(chart_svg(drawn))
    assert f"answer: {instant_text(drawn.answer) if drawn.answer is not None else 'NONE'}" in texts
    assert {row.name for row in drawn.rows} <= set(texts)
    assert {row.timezone for row in drawn.rows} <= set(texts)
    assert not {"undefined", "null", "NaN"} & set(texts)


def test_svg_shows_hostile_names_as_text() -> None:
    svg = chart_svg(timeline(hostile_world()))
    assert "<script" not in svg
    texts = svg_texts(svg)
    assert {name for name in HOSTILE if len(name) < 30} <= set(texts)
    assert any(re.fullmatch("N{5,63}…", text) for text in texts)  # what is too long is cut


def test_the_title_says_why_a_proposed_answer_is_wrong() -> None:
    drawn = timeline(parse_world(a_world()), WRONG)
    title = chart_spec(drawn, titled=True)["title"]
    assert title["text"] == "30 minutes for 2 attendees, to start on 2024-03-08 to 2024-03-11 UTC"
    assert [line.strip() for line in title["subtitle"]] == [
        f"wrong: {WRONG}",
        "everyone is free then, but there is an earlier start",
        "the right answer is 2024-03-11T13:00:00Z",
    ]
    assert "title" not in chart_spec(drawn)
    assert chart_notes(drawn) == []


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = timeline(parse_world(a_world()))
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MeetingSlotError, match=r"altair.*meeting-slot\[report\]"):
        chart_spec(drawn)


def test_no_instant_is_left_to_the_library_to_write() -> None:
    """A temporal tooltip would be in the time of the machine; so are texts for screen readers."""
    spec = chart_spec(timeline(parse_world(a_world()), WRONG))
    assert spec["config"]["aria"] is False
    for layer in spec["layer"]:
        encoding: dict[str, Any] = layer["encoding"]
        shown = [*encoding.get("tooltip", []), *([encoding["text"]] if "text" in encoding else [])]
        assert all(channel["type"] == "nominal" for channel in shown)
