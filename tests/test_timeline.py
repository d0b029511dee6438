"""The timeline's data: minute by minute what the oracle says, and what the sweep says."""

import itertools
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meeting_slot import curated_worlds, parse_world
from meeting_slot.errors import UnreadableAnswer
from meeting_slot.instants import instant_text, parse_answer, parse_day
from meeting_slot.pictures.timeline import NewDate, NotDrawable, State, Timeline, timeline
from meeting_slot.reasons import NotEarliest, NotWholeMinute, OutsideWindow
from meeting_slot.sweep import earliest_start, free, valid_stretches
from meeting_slot.world import World
from meeting_slot.zones import Change
from tests import oracle
from tests.conftest import ANSWER, a_world
from tests.strategies import worlds, worlds_drawn
from tests.world_objects import attendee_object, world_object

ALL_WEEK = (0, 1, 2, 3, 4, 5, 6)
EPOCH = date(1970, 1, 1)


def minute(text: str) -> int:
    """Return the UTC minute of an instant."""
    instant = parse_answer(text)
    assert instant is not None
    return instant.minute


def of(*attendees: dict[str, Any], **request: Any) -> World:
    """Return the world of some attendees."""
    return parse_world(world_object(*attendees, **request))


def states(drawn: Timeline, place: int = 0) -> list[tuple[str, str, str]]:
    """Return the stretches of a row, their times in UTC as `MM-DD HH:MM`."""
    return [
        (instant_text(start)[5:16], instant_text(end)[5:16], state.value)
        for start, end, state in drawn.rows[place].stretches
    ]


def check_against_the_oracle(row: oracle.World, drawn: Timeline) -> None:
    """Hold what is drawn against the oracle at every minute."""
    minutes = range(drawn.start, drawn.end)
    common = set(minutes)
    by_name = {one.name: one for one in drawn.rows}
    for attendee in row["attendees"]:
        causes = [oracle.cause(attendee, u) for u in minutes]
        common -= {u for u, cause in zip(minutes, causes, strict=True) if cause is not None}
        if attendee["name"] not in by_name:
            continue
        line = by_name[attendee["name"]]
        shown = [s.state for s in line.stretches for _ in range(s.start, s.end)]
        assert shown == [State(cause or "free") for cause in causes]
        assert [s.start for s in line.stretches[1:]] == [s.end for s in line.stretches[:-1]]
        assert all(a.state is not b.state for a, b in itertools.pairwise(line.stretches))
        clock = [oracle.local_reading(line.timezone, u) for u in minutes]
        days = [(day - EPOCH).days for day, _ in clock]
        assert [line.local(u)[:2] for u in minutes] == [
            (day, reading) for day, (_, reading) in zip(days, clock, strict=True)
        ]
        assert line.new_dates == tuple(
            NewDate(u, after)
            for u, (before, after) in zip(minutes[1:], itertools.pairwise(days), strict=True)
            if before != after
        )
        off = {day for day, cause in zip(days, causes, strict=True) if cause == "day off"}
        assert line.days_off == tuple(sorted(off))
    assert [u for start, end in drawn.common for u in range(start, end)] == sorted(common)


@given(worlds(most_attendees=3, most_days=3))
@worlds_drawn(60, 1500)
def test_every_minute_drawn_is_what_the_oracle_says(row: oracle.World) -> None:
    world = parse_world(row)
    drawn = timeline(world)
    check_against_the_oracle(row, drawn)
    starts = [u for first, end in drawn.valid for u in range(first, end)]
    assert starts == oracle.valid_starts(row)
    assert drawn.answer == oracle.answer_minute(row)


@given(worlds(most_attendees=2, most_days=4), st.data())
@worlds_drawn(40, 1000)
def test_a_part_of_the_window_and_of_the_cast_is_cut_out_of_the_same_picture(
    row: oracle.World, data: st.DataObject
) -> None:
    world = parse_world(row)
    around = data.draw(st.sampled_from(oracle.window(row)))
    name = row["attendees"][-1]["name"]
    drawn = timeline(world, around=around, hours=data.draw(st.integers(1, 24)), names=[name])
    assert [line.name for line in drawn.rows] == [name]
    assert drawn.start <= around < drawn.end
    check_against_the_oracle(row, drawn)


@given(worlds())
@worlds_drawn(80, 2000)
def test_what_is_free_and_valid_is_what_the_sweep_says(row: oracle.World) -> None:
    world = parse_world(row)
    drawn = timeline(world)
    for line, attendee in zip(drawn.rows, world.attendees, strict=True):
        shown = [(s.start, s.end) for s in line.stretches if s.state is State.FREE]
        assert shown == free(attendee, drawn.start, drawn.end)
    assert list(drawn.valid) == valid_stretches(world)
    assert drawn.answer == earliest_start(world)
    assert drawn.start == world.request.start
    meeting_end = (drawn.answer or 0) + world.request.duration_minutes
    assert drawn.end == max(world.request.end, meeting_end)


@pytest.mark.parametrize("world", curated_worlds(), ids=lambda world: world.id)
def test_every_minute_of_the_curated_worlds_is_what_the_oracle_says(world: World) -> None:
    check_against_the_oracle(oracle_world(world), timeline(world))


def oracle_world(world: World) -> oracle.World:
    """Return a world as the oracle reads it."""
    row: Any = world.to_json()
    return {"request": row["request"], "attendees": row["attendees"]}


def test_a_shift_is_drawn_where_it_happens() -> None:
    """New York springs forward on 2024-03-10 at 07:00Z, so Monday's 09:00 is 13:00Z."""
    drawn = timeline(parse_world(a_world()))
    ava, farid = drawn.rows
    assert ava.changes == (Change(minute("2024-03-10T07:00:00Z"), -300, -240),)
    assert farid.changes == ()
    assert states(drawn) == [
        ("03-08T00:00", "03-08T14:00", "outside hours"),
        ("03-08T14:00", "03-08T22:00", "busy"),
        ("03-08T22:00", "03-09T05:00", "outside hours"),
        ("03-09T05:00", "03-11T04:00", "day off"),
        ("03-11T04:00", "03-11T13:00", "outside hours"),
        ("03-11T13:00", "03-11T21:00", "free"),
        ("03-11T21:00", "03-12T00:00", "outside hours"),
    ]
    assert [instant_text(at) for at, _ in ava.new_dates] == [
        "2024-03-08T05:00:00Z",
        "2024-03-09T05:00:00Z",
        "2024-03-10T05:00:00Z",
        "2024-03-11T04:00:00Z",
    ]
    assert instant_text(drawn.answer or 0) == ANSWER


def test_a_repeated_hour_is_drawn_twice() -> None:
    """New York falls back on 2024-11-03 at 06:00Z: 01:15-01:45 is 05:15Z and 06:15Z."""
    world = of(
        attendee_object(
            "Ava",
            "America/New_York",
            "01:00-03:00",
            ALL_WEEK,
            {
                "2024-11-03": "01:15-01:45",
            },
        ),
        window_start="2024-11-03",
    )
    busy = [each for each in states(timeline(world)) if each[2] == "busy"]
    assert busy == [
        ("11-03T05:15", "11-03T05:45", "busy"),
        ("11-03T06:15", "11-03T06:45", "busy"),
    ]


def test_a_skipped_date_never_begins() -> None:
    """Apia skipped 2011-12-30: at 10:00Z on the 30th, Thursday the 29th became Saturday."""
    world = of(
        attendee_object("Sina", "Pacific/Apia", weekdays=(4,)),
        window_start="2011-12-29",
        window_days=3,
    )
    (sina,) = timeline(world).rows
    change = minute("2011-12-30T10:00:00Z")
    assert sina.changes == (Change(change, -600, 840),)
    assert [(at, oracle.instant_text(1440 * day)[:10]) for at, day in sina.new_dates] == [
        (minute("2011-12-29T10:00:00Z"), "2011-12-29"),
        (change, "2011-12-31"),
        (minute("2011-12-31T10:00:00Z"), "2012-01-01"),
    ]
    assert parse_day("2011-12-30") not in sina.days_off
    assert {s.state for s in sina.stretches} == {State.DAY_OFF}  # its only Friday never came
    assert sina.local(change - 1) == (parse_day("2011-12-29"), 1439, -600)
    assert sina.local_end(change) == (parse_day("2011-12-29"), 1440, -600)
    assert sina.local(change) == (parse_day("2011-12-31"), 0, 840)


def test_a_date_begins_twice_where_clocks_go_back_over_midnight() -> None:
    """St John's went back on 2010-11-07 at 00:01, 02:31Z, from UTC-2:30 to UTC-3:30."""
    world = of(attendee_object("Liam", "America/St_Johns"), window_start="2010-11-07")
    (liam,) = timeline(world).rows
    assert [
        (instant_text(at)[11:16], oracle.instant_text(1440 * day)[8:10])
        for at, day in liam.new_dates
    ] == [
        ("02:30", "07"),
        ("02:31", "06"),
        ("03:30", "07"),
    ]


def test_a_meeting_past_the_end_of_the_window_is_drawn_whole() -> None:
    world = of(
        attendee_object("Ava", "UTC", "23:30-24:00", ALL_WEEK),
        attendee_object("Ben", "Asia/Tokyo", "08:30-24:00", ALL_WEEK),
        duration_minutes=20,
    )
    assert timeline(world).end == minute("2024-03-12T00:00:00Z")
    world = of(
        attendee_object(
            "Ava",
            "Asia/Tokyo",
            "08:30-24:00",
            ALL_WEEK,
            {
                "2024-03-11": "00:00-24:00",
                "2024-03-12": "08:30-08:50",
            },
        ),
        duration_minutes=30,
    )
    drawn = timeline(world)
    assert (drawn.answer, drawn.end) == (
        minute("2024-03-11T23:50:00Z"),
        minute("2024-03-12T00:20:00Z"),
    )


@pytest.mark.parametrize(
    ("proposed", "drawn_from", "drawn_to", "kind"),
    [
        ("2024-03-12T13:00:00Z", "2024-03-08T00:00:00Z", "2024-03-12T13:30:00Z", OutsideWindow),
        ("2024-03-07T22:00:00Z", "2024-03-07T22:00:00Z", "2024-03-12T00:00:00Z", OutsideWindow),
        ("1999-01-01T00:00:00Z", "2024-03-08T00:00:00Z", "2024-03-12T00:00:00Z", OutsideWindow),
        ("2024-03-11T13:30:00Z", "2024-03-08T00:00:00Z", "2024-03-12T00:00:00Z", NotEarliest),
        ("2024-03-11T13:00:30Z", "2024-03-08T00:00:00Z", "2024-03-12T00:00:00Z", NotWholeMinute),
    ],
)
def test_a_proposed_answer_is_judged_and_drawn_where_it_is_near(
    proposed: str, drawn_from: str, drawn_to: str, kind: type
) -> None:
    drawn = timeline(parse_world(a_world()), proposed)
    assert drawn.verdict is not None
    assert isinstance(drawn.verdict.reason, kind)
    assert (drawn.start, drawn.end) == (minute(drawn_from), minute(drawn_to))
    assert drawn.proposed == minute(proposed)
    assert drawn.is_drawn(drawn.proposed) is (proposed[:4] != "1999")


def test_none_is_a_proposal_without_an_instant() -> None:
    drawn = timeline(parse_world(a_world()), "none")
    assert drawn.proposed is None
    assert drawn.verdict is not None
    assert not drawn.verdict.correct


def test_the_common_free_time_and_the_answer_are_those_of_everybody() -> None:
    """Farid alone is free from 09:00Z; both are from 13:00Z to 17:00Z."""
    drawn = timeline(parse_world(a_world()), names=[" fariD "])
    assert [row.name for row in drawn.rows] == ["Farid"]
    assert drawn.attendees == 2
    assert drawn.common == ((minute(ANSWER), minute("2024-03-11T17:00:00Z")),)
    assert drawn.valid == ((minute(ANSWER), minute("2024-03-11T16:31:00Z")),)


def test_attendees_are_drawn_in_the_order_of_the_world() -> None:
    assert [row.name for row in timeline(parse_world(a_world()), names=["Farid", "Ava"]).rows] == [
        "Ava",
        "Farid",
    ]


def test_what_cannot_be_drawn_is_said() -> None:
    world = parse_world(a_world())
    with pytest.raises(NotDrawable, match=r'no attendee "Zoe"; the attendees are Ava, Farid$'):
        timeline(world, names=["Zoe"])
    with pytest.raises(NotDrawable, match=r"^2024-03-12T00:00:00Z cannot be looked at: .* outside"):
        timeline(world, around=minute("2024-03-12T00:00:00Z"))
    with pytest.raises(UnreadableAnswer):
        timeline(world, "soon")
