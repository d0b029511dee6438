"""Spans of constant offset against `zoneinfo`, and against the raw zone files, read here.

The raw reading: explicit transitions of the files' 64-bit block, then the rule of their last line.
"""

import re
import struct
import sys
from bisect import bisect_right
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
import tzdata
from hypothesis import given, settings
from hypothesis import strategies as st

from meeting_slot import UnknownZone, zones
from tests.conftest import process
from tests.oracle import zone_named

MINUTES_A_DAY = 1440
FIRST_YEAR, LAST_YEAR = 1970, 2100
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAMES = sorted(zones.names())


def minute(text: str) -> int:
    """Return the UTC minute of an ISO instant without an offset."""
    return (datetime.fromisoformat(text).replace(tzinfo=UTC) - EPOCH) // timedelta(minutes=1)


FIRST, END = minute("1970-01-01T00:00"), minute("2101-01-01T00:00")


# The raw zone files


class Changes(NamedTuple):
    """A zone's offset before its first change, and the UTC second and new offset of each change.

    Offsets are in seconds east of UTC; there is an entry only where the offset differs.
    """

    before: int
    changes: list[tuple[int, int]]

    def offset_minutes(self, instant: int) -> int:
        """Return the offset at a UTC minute, floored to minutes."""
        seconds = [second for second, _ in self.changes]
        found = bisect_right(seconds, instant * 60)
        return (self.changes[found - 1][1] if found else self.before) // 60


def raw_files() -> dict[bytes, list[str]]:
    """Return the zone files of the `tzdata` package with the names of each; aliases share one."""
    files: dict[bytes, list[str]] = {}
    root = resources.files("tzdata.zoneinfo")
    for name in NAMES:
        files.setdefault(root.joinpath(*name.split("/")).read_bytes(), []).append(name)
    return files


def explicit_transitions(file: bytes) -> tuple[int, list[tuple[int, int]], str]:
    """Return a TZif file's first offset, its transitions and its last line (see RFC 8536)."""

    def counts(at: int) -> tuple[int, ...]:
        assert file[at : at + 4] == b"TZif"
        assert file[at + 4 : at + 5] >= b"2"
        return struct.unpack(">6I", file[at + 20 : at + 44])

    is_ut, is_standard, leap, times, types, characters = counts(0)
    at = 44 + times * 5 + types * 6 + characters + leap * 8 + is_standard + is_ut
    is_ut, is_standard, leap, times, types, characters = counts(at)
    at += 44
    seconds = struct.unpack(f">{times}q", file[at : at + 8 * times])
    at += 8 * times
    indices = file[at : at + times]
    at += times
    offsets = [struct.unpack(">i", file[at + 6 * i : at + 6 * i + 4])[0] for i in range(types)]
    at += 6 * types + characters + leap * 12 + is_standard + is_ut
    transitions = [(second, offsets[i]) for second, i in zip(seconds, indices, strict=True)]
    return offsets[0], transitions, file[at:].decode("ascii").strip()


RULE = re.compile(
    r"(?:<[^>]+>|[A-Z]+)(?P<standard>[-+]?[\d:]+)(?:<[^>]+>|[A-Z]+)(?P<summer>[-+]?[\d:]+)?"
    r",M(\d+)\.(\d)\.(\d)(?:/([-+]?[\d:]+))?,M(\d+)\.(\d)\.(\d)(?:/([-+]?[\d:]+))?"
)


def seconds_of(text: str) -> int:
    """Return `[-]h[:mm[:ss]]` in seconds."""
    parts = [*map(int, text.lstrip("+-").split(":")), 0, 0]
    return (parts[0] * 3600 + parts[1] * 60 + parts[2]) * (-1 if text[0] == "-" else 1)


def nth_weekday(year: int, month: int, week: int, weekday: int) -> date:
    """Return POSIX's Mm.w.d: weekday 0 is Sunday, week 5 the last."""
    first = date(year, month, 1)
    day = first + timedelta((weekday - first.isoweekday()) % 7 + 7 * (week - 1))
    return day if day.month == month else day - timedelta(7)


def rule_transitions(line: str, year: int) -> list[tuple[int, int]]:
    """Return the transitions that a POSIX rule makes in a year, none if it has no daylight time."""
    if "," not in line:
        return []
    rule = RULE.fullmatch(line)
    assert rule is not None, line
    standard = -seconds_of(rule["standard"])
    summer = -seconds_of(rule["summer"]) if rule["summer"] else standard + 3600
    found = []
    for group, before, after in (3, standard, summer), (7, summer, standard):
        month, week, weekday, at = rule.group(group, group + 1, group + 2, group + 3)
        day = nth_weekday(year, int(month), int(week), int(weekday))
        local = (day - date(1970, 1, 1)).days * 86_400 + seconds_of(at or "2")
        found.append((local - before, after))
    return sorted(found)


def raw_changes(file: bytes) -> Changes:
    """Return every change of offset that a zone file tells, up to the end of 2100."""
    before, transitions, line = explicit_transitions(file)
    last = transitions[-1][0] if transitions else -(2**62)
    for year in range(FIRST_YEAR - 3, LAST_YEAR + 2):
        transitions += [(at, after) for at, after in rule_transitions(line, year) if at > last]
    changes = []
    offset = before
    for second, after in transitions:
        if after != offset:
            changes.append((second, after))
            offset = after
    return Changes(before, changes)


@cache
def changes_by_name() -> dict[str, Changes]:
    """Return the raw changes of every zone."""
    return {
        name: changes
        for file, names in raw_files().items()
        for changes in [raw_changes(file)]
        for name in names
    }


@cache
def one_name_a_file() -> list[str]:
    """Return one name of every zone file: aliases have the same content."""
    return [names[0] for names in raw_files().values()]


def first_minute(second: int) -> int:
    """Return the first whole UTC minute at or after a UTC second."""
    return -(-second // 60)


def raw_minute_changes(name: str, start: int, end: int) -> list[zones.Change]:
    """Return the changes whose first minute lies in `[start, end)`, from the raw files."""
    raw = changes_by_name()[name]
    before = [raw.before, *[after for _, after in raw.changes]]
    found = [
        zones.Change(first_minute(second), before // 60, after // 60)
        for before, (second, after) in zip(before, raw.changes, strict=False)
    ]
    return [c for c in found if start <= c.at < end and c.before != c.after]


def year_bounds(year: int) -> tuple[int, int]:
    """Return the UTC minutes `[start, end)` of a year."""
    return minute(f"{year}-01-01T00:00"), minute(f"{year + 1}-01-01T00:00")


def test_raw_reading_of_the_rules_has_known_changes() -> None:
    new_york = raw_minute_changes("America/New_York", *year_bounds(2024))
    assert new_york == [
        zones.Change(minute("2024-03-10T07:00"), -300, -240),
        zones.Change(minute("2024-11-03T06:00"), -240, -300),
    ]
    # The last Sunday of October 2099 is the 25th; Lord Howe moves by half an hour in April.
    assert raw_minute_changes("Europe/Berlin", *year_bounds(2099))[1].at == minute(
        "2099-10-25T01:00"
    )
    assert raw_minute_changes("Australia/Lord_Howe", *year_bounds(2024))[0] == zones.Change(
        minute("2024-04-06T15:00"), 660, 630
    )


# Names


def test_names_are_the_list_of_the_tzdata_package_without_what_is_no_place() -> None:
    listed = resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    assert zones.names() == set(listed) - {"Factory", "localtime", "posixrules"}
    assert {"US/Eastern", "UTC", "Europe/Berlin", "Asia/Calcutta"} <= zones.names()


def test_release_is_that_of_the_tzdata_package() -> None:
    assert zones.iana_release() == tzdata.IANA_VERSION
    assert re.fullmatch(r"20\d\d[a-z]", zones.iana_release())


@pytest.mark.parametrize(
    "name", ["Factory", "localtime", "../etc/passwd", "Europe", "", "europe/berlin"]
)
def test_unknown_zone_is_refused_wherever_offsets_are_asked_for(name: str) -> None:
    for ask in (
        lambda: zones.check_name(name),
        lambda: zones.spans(name, 0, 1),
        lambda: zones.changes(name, 0, 1),
        lambda: zones.offset_at(name, 0),
    ):
        with pytest.raises(UnknownZone):
            ask()


def test_zone_data_come_from_the_package_and_not_from_the_search_path(tmp_path: Path) -> None:
    tokyo = resources.files("tzdata.zoneinfo").joinpath("Asia", "Tokyo").read_bytes()
    (tmp_path / "Europe").mkdir()
    (tmp_path / "Europe" / "Berlin").write_bytes(tokyo)
    code = (
        "import zoneinfo, meeting_slot.zones as z; "
        "print(z.offset_at('Europe/Berlin', 0), zoneinfo.TZPATH, "
        "zoneinfo.ZoneInfo('Europe/Berlin').utcoffset(__import__('datetime').datetime(2024, 1, 1)))"
    )
    run = process(
        command_line=(sys.executable, "-c", code),
        env={"PYTHONTZPATH": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
    )
    assert run.err == ""
    assert run.out.split() == ["60", f"('{tmp_path}',)", "9:00:00"]


# Spans and changes


def test_every_change_of_every_zone_from_1970_to_2100_is_that_of_its_file() -> None:
    for name in one_name_a_file():
        assert zones.changes(name, FIRST, END) == raw_minute_changes(name, FIRST, END), name


def test_no_two_changes_of_a_zone_are_closer_than_six_days() -> None:
    """On this `zones` relies when it probes every five days."""
    gaps = {
        name: min(
            (
                later - earlier
                for (earlier, _), (later, _) in pairwise(changes_by_name()[name].changes)
                if later >= FIRST * 60
            ),
            default=END * 60,
        )
        for name in NAMES
    }
    assert min(gaps.values()) >= 6 * 86_400
    assert gaps["Africa/Casablanca"] < 60 * 86_400  # a Ramadan: the figures are not empty


def test_an_alias_has_the_spans_of_its_target() -> None:
    start, end = year_bounds(2024)
    for alias, target in ("US/Eastern", "America/New_York"), ("Asia/Calcutta", "Asia/Kolkata"):
        assert zones.spans(alias, start, end) == zones.spans(target, start, end)


PROBES_A_ZONE = 40


def test_offset_at_a_random_minute_of_every_zone_is_that_of_zoneinfo() -> None:
    random = Random(1)
    for name in NAMES:
        years = [random.randint(FIRST_YEAR, LAST_YEAR) for _ in range(2)]
        for probe in range(PROBES_A_ZONE):
            at = random.randrange(*year_bounds(years[probe % 2]))
            offset = datetime.fromtimestamp(at * 60, zone_named(name)).utcoffset()
            assert offset is not None
            assert zones.offset_at(name, at) == offset // timedelta(minutes=1), (name, at)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    st.sampled_from(NAMES),
    st.integers(FIRST, END - 1),
    st.integers(1, 400 * MINUTES_A_DAY) | st.integers(1, 2),
)
def test_spans_make_up_the_minutes_asked_for_and_neighbours_differ(
    name: str, start: int, length: int
) -> None:
    end = start + length
    spans = zones.spans(name, start, end)
    assert (spans[0].start, spans[-1].end) == (start, end)
    for left, right in pairwise(spans):
        assert left.end == right.start
        assert left.offset != right.offset
    raw = changes_by_name()[name]
    for span in spans:
        assert span.start < span.end
        for at in (span.start, (span.start + span.end) // 2, span.end - 1):
            assert raw.offset_minutes(at) == span.offset


STEP = 15
PROBED = [
    ("Africa/Cairo", 2010),
    ("Africa/Casablanca", 2012),
    ("Africa/Casablanca", 2030),
    ("Africa/Monrovia", 1972),
    ("America/Caracas", 2007),
    ("America/Godthab", 2023),
    ("America/Goose_Bay", 1988),
    ("America/Havana", 2024),
    ("America/New_York", 1974),
    ("America/St_Johns", 2006),
    ("Antarctica/Casey", 2010),
    ("Antarctica/Casey", 2020),
    ("Antarctica/Troll", 2024),
    ("Asia/Gaza", 2011),
    ("Asia/Gaza", 2037),
    ("Asia/Kathmandu", 1986),
    ("Asia/Pyongyang", 2018),
    ("Asia/Tehran", 1979),
    ("Atlantic/Azores", 1992),
    ("Australia/Lord_Howe", 2024),
    ("Europe/Dublin", 1971),
    ("Europe/Lisbon", 1996),
    ("Europe/Volgograd", 2018),
    ("Pacific/Apia", 2011),
    ("Pacific/Kiritimati", 1994),
    ("Pacific/Kwajalein", 1993),
]


def probed_zone_years() -> list[tuple[str, int]]:
    """Return awkward years of awkward zones, then random ones of all, 1970 to 2037."""
    random = Random(3)
    return PROBED + [(name, random.randint(1970, 2037)) for name in random.sample(NAMES, 50)]


@pytest.mark.parametrize(("name", "year"), probed_zone_years())
def test_changes_are_what_probing_each_quarter_hour_finds(name: str, year: int) -> None:
    zone, (start, end) = zone_named(name), year_bounds(year)
    probes = range(start, end + 1, STEP)
    offsets = [datetime.fromtimestamp(u * 60, zone).utcoffset() for u in probes]
    found = [
        (u, before, after)
        for u, before, after in zip(probes, offsets, offsets[1:], strict=False)
        if before != after
    ]
    changes = zones.changes(name, start + 1, end + 1)
    assert [(c.at - 1) // STEP * STEP for c in changes] == [u for u, _, _ in found]
    for change, (_, before, after) in zip(changes, found, strict=True):
        assert before is not None
        assert after is not None
        minute_long = timedelta(minutes=1)
        assert (change.before, change.after) == (before // minute_long, after // minute_long)


# By hand


def test_offset_with_seconds_is_floored_to_the_minute() -> None:
    """Monrovia was at -0:44:30 until 1972-01-07T00:44:30Z, then at UTC."""
    at = minute("1972-01-07T00:44")
    assert zones.spans("Africa/Monrovia", at - 10, at + 10) == [
        zones.Span(at - 10, at + 1, -45),  # 00:44:00Z reads 23:59:30, which is 23:59
        zones.Span(at + 1, at + 10, 0),
    ]
    assert zones.offset_at("Africa/Monrovia", at) == -45
    assert zones.offset_at("Africa/Monrovia", at + 1) == 0


def test_change_belongs_to_the_minute_from_which_the_new_offset_holds() -> None:
    at = minute("2024-03-10T07:00")
    change = zones.Change(at, -300, -240)
    assert zones.changes("America/New_York", at, at + 1) == [change]
    assert zones.changes("America/New_York", at - 1, at) == []
    assert zones.changes("America/New_York", at + 1, at + 2) == []


def test_skipped_local_day_is_one_change_of_24_hours() -> None:
    start, end = minute("2011-12-29T00:00"), minute("2012-01-02T00:00")
    assert zones.spans("Pacific/Apia", start, end) == [
        zones.Span(start, minute("2011-12-30T10:00"), -600),
        zones.Span(minute("2011-12-30T10:00"), end, 840),
    ]


def test_span_goes_on_over_the_end_of_a_year() -> None:
    start, end = minute("2023-12-01T00:00"), minute("2025-02-01T00:00")
    assert zones.spans("Asia/Tokyo", start, end) == [zones.Span(start, end, 540)]


def test_change_on_the_last_day_of_a_year_is_found_from_either_side() -> None:
    """Kiritimati skipped 1994-12-31: from -10:00 to +14:00 at 10:00Z."""
    at = minute("1994-12-31T10:00")
    assert zones.changes("Pacific/Kiritimati", at, at + 30 * MINUTES_A_DAY) == [
        zones.Change(at, -600, 840)
    ]
    assert zones.spans("Pacific/Kiritimati", at - 1, minute("1995-06-01T00:00")) == [
        zones.Span(at - 1, at, -600),
        zones.Span(at, minute("1995-06-01T00:00"), 840),
    ]
