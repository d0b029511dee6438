"""Synthesis: what is wished for is what the pointwise oracle finds, or one line says why not."""

import datetime
import hashlib
import itertools
import json
import os
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from ortools.sat.python import cp_model

from meeting_slot import MeetingSlotError, WorkingHours, iana_release, parse_answer, parse_world
from meeting_slot.cpsat import casting
from meeting_slot.cpsat.calendars import LONGEST, MOST_BLOCKS, SHORTEST
from meeting_slot.cpsat.casting import Casting
from meeting_slot.cpsat.cells import GRID
from meeting_slot.cpsat.model import Calendar, CalendarModel
from meeting_slot.cpsat.solver import OutOfWork
from meeting_slot.cpsat.synthesis import MOST_CASTS, synthesize
from meeting_slot.cpsat.wishes import Dst, Starts, Target, WishError, dst_of
from meeting_slot.instants import parse_day
from meeting_slot.splits import generate, row_seed
from meeting_slot.world import Attendee, World
from tests import oracle
from tests.conftest import Command
from tests.strategies import AWKWARD_ZONES, offset_changes, zone_names
from tests.world_objects import attendee_object, world_object

DAY = oracle.MINUTES_A_DAY
LONG = os.environ.get("MEETING_SLOT_LONG") == "1"
EVERY_DAY = (0, 1, 2, 3, 4, 5, 6)
ONE = Starts.EXACTLY_ONE
SEEDS = ("0", "1", "2")


def minute(text: str) -> int:
    """Return the UTC minute of an instant."""
    found = parse_answer(text)
    assert found is not None
    return found.minute


def people(*attendees: dict[str, Any]) -> tuple[Attendee, ...]:
    """Return a cast to be given."""
    return parse_world(world_object(*attendees)).attendees


# What the oracle says of a world


def offset(zone: str, u: int) -> int:
    """Return how far the zone's clock is ahead at UTC minute `u`, in minutes."""
    day, local = oracle.local_reading(zone, u)
    return (day - datetime.date(1970, 1, 1)).days * DAY + local - u


def kinds(world: oracle.World, start: int) -> set[Dst]:
    """Return of which kinds a start is, from the local readings of the cast, minute by minute."""
    found = set()
    end = start + world["request"]["duration_minutes"]
    for zone in {attendee["timezone"] for attendee in world["attendees"]}:
        around = range(start - DAY, end + DAY)
        readings = [oracle.local_reading(zone, u) for u in around]
        offsets = [
            (day - datetime.date(1970, 1, 1)).days * DAY + local - u
            for u, (day, local) in zip(around, readings, strict=True)
        ]
        pairs = zip(around[1:], itertools.pairwise(offsets), strict=True)
        rises = [u for u, (before, after) in pairs if after > before]
        if any(0 <= start - rise < DAY for rise in rises):
            found.add(Dst.SPRING_AFTER)
        if any(start < rise < end for rise in rises):
            found.add(Dst.SPRING_ACROSS)
        times_read = Counter(readings)
        if any(times_read[reading] > 1 for reading in readings[start - around[0] : -DAY]):
            found.add(Dst.FALL_REPEATED)
    return found


def stretches(starts: Sequence[int]) -> int:
    """Return how many runs of consecutive minutes there are."""
    return sum(after - before > 1 for before, after in itertools.pairwise(starts)) + bool(starts)


def assert_is_as_wished(world: World, target: Target) -> None:
    """Assert that the oracle finds the wished answer, uniqueness and kind, and the wish is kept."""
    row = cast(oracle.World, world.to_json())
    valid = oracle.valid_starts(row)
    answer = "NONE" if not valid else oracle.instant_text(valid[0])
    assert world.recorded == answer
    if target.answer is None:
        assert valid
        assert target.years[0] <= int(answer[:4]) <= target.years[1]
    else:
        assert (valid[0] if valid else "NONE") == target.answer
    if target.starts is ONE:
        assert len(valid) == 1
    if target.answer != "NONE":
        assert stretches(valid) >= target.stretches
    if target.dst is not None:
        assert target.dst in kinds(row, valid[0])
    assert_cast_and_request_are_as_wished(world, target)
    # What is written can be read, and is canonical.
    line = world.to_line()
    assert parse_world(json.loads(line)).to_line() == line


def assert_cast_and_request_are_as_wished(world: World, target: Target) -> None:
    request = world.request
    assert target.duration_minutes in (None, request.duration_minutes)
    assert target.window_start in (None, request.window_start)
    assert target.window_days in (None, request.window_days)
    if target.cast is None:
        assert target.attendees in (None, len(world.attendees))
        assert {attendee.timezone for attendee in world.attendees} <= set(target.zones)
    else:
        given = [(a.name, a.timezone, a.working_hours) for a in target.cast]
        assert [(a.name, a.timezone, a.working_hours) for a in world.attendees] == given


@settings(max_examples=20_000 if LONG else 1_000, derandomize=not LONG, deadline=None)
@given(
    st.sampled_from([zone for zone in AWKWARD_ZONES if offset_changes(zone)]),
    st.integers(0, 10_000),
    st.sampled_from([0, DAY, -DAY]) | st.integers(-2 * DAY, 2 * DAY),
    st.integers(-180, 180),
    st.sampled_from([1, 2, 15, 60, DAY]) | st.integers(1, 300),
)
def test_the_kinds_of_a_start_are_what_the_clocks_read(
    zone: str, number: int, days: int, minutes: int, duration: int
) -> None:
    changes = offset_changes(zone)
    start = max(DAY, changes[number % len(changes)] + days + minutes)
    day, _ = oracle.local_reading("UTC", start)
    row = world_object(
        attendee_object("Ava", zone),
        attendee_object("Bo", "UTC"),
        window_start=day.isoformat(),
        duration_minutes=duration,
    )
    right = kinds(cast(oracle.World, row), start)
    event(", ".join(sorted(kind.value for kind in right)))
    assert dst_of(parse_world(row), start) == right


ODD_MINUTE = minute("2024-03-11T13:07:00Z")
ODD_HOURS = people(
    attendee_object("Ava", "America/New_York", "09:07-17:43"),
    attendee_object("Farid", "Europe/London", "08:13-18:59", (0, 1, 2, 3, 4, 5)),
)
ODD_NIGHTS = people(
    attendee_object("Ava", "America/New_York", "00:07-23:41", EVERY_DAY),
    attendee_object("Farid", "Europe/London", "00:03-24:00", EVERY_DAY),
    attendee_object("Gita", "Asia/Kathmandu", "00:00-23:58", EVERY_DAY),
)
MARCH = parse_day("2024-03-08")
NOVEMBER = parse_day("2024-11-01")

WISHES = {
    "some start": Target(),
    "exactly one start": Target(starts=ONE),
    "none": Target(answer="NONE"),
    "three stretches": Target(stretches=3),
    **{
        f"{dst.value}, {starts.value}": Target(dst=dst, starts=starts)
        for dst in Dst
        for starts in Starts
    },
    **{
        f"13:07 for {duration} min, {starts.value}": Target(
            answer=ODD_MINUTE, duration_minutes=duration, starts=starts
        )
        for duration in (37, 7, 1, 61, 1440)
        for starts in Starts
    },
    "odd hours, some start": Target(cast=ODD_HOURS),
    "odd hours, exactly one start": Target(cast=ODD_HOURS, starts=ONE),
    "odd hours, 13:07": Target(cast=ODD_HOURS, answer=ODD_MINUTE, duration_minutes=37, starts=ONE),
    "odd hours, first minute": Target(
        # 09:07 in New York at UTC-4; nobody is at work a minute earlier
        cast=ODD_HOURS,
        answer=ODD_MINUTE,
        starts=ONE,
    ),
    "odd hours, none": Target(cast=ODD_HOURS, answer="NONE"),
    "odd hours, two stretches": Target(cast=ODD_HOURS, stretches=2, window_days=5),
    **{
        f"odd nights, {dst.value}": Target(cast=ODD_NIGHTS, dst=dst, starts=ONE, duration_minutes=7)
        for dst in Dst
    },
    **{
        f"a meeting of {duration} min across a change": Target(
            dst=Dst.SPRING_ACROSS, duration_minutes=duration, starts=ONE
        )
        for duration in (2, 15)
    },
    **{
        f"a meeting of {duration} min at an edge of a repeated hour, all in one zone": Target(
            # inside the hour the other pass would be valid too
            dst=Dst.FALL_REPEATED,
            duration_minutes=duration,
            starts=ONE,
            zones=("America/New_York",),
            attendees=2,
        )
        for duration in (2, 15)
    },
    "given window": Target(window_start=MARCH, window_days=4, starts=ONE),
    "given window of a day, none": Target(window_start=MARCH, window_days=1, answer="NONE"),
    "given window, spring-after": Target(
        window_start=MARCH, window_days=4, dst=Dst.SPRING_AFTER, starts=ONE
    ),
    "given window, spring-across": Target(
        window_start=MARCH, window_days=4, dst=Dst.SPRING_ACROSS, starts=ONE
    ),
    "given window, fall-repeated": Target(
        window_start=NOVEMBER, window_days=4, dst=Dst.FALL_REPEATED, starts=ONE
    ),
    "given window, spring-after the day before it": Target(
        # New York's shift is on the 10th at 07:00Z
        window_start=MARCH + 3,
        window_days=1,
        dst=Dst.SPRING_AFTER,
        zones=("America/New_York",),
        starts=ONE,
    ),
    "given window, spring-across after its end": Target(
        window_start=MARCH + 1,
        window_days=1,
        duration_minutes=600,
        dst=Dst.SPRING_ACROSS,
        zones=("America/New_York",),
        starts=ONE,
    ),
    "given first day and start": Target(window_start=MARCH, answer=ODD_MINUTE, starts=ONE),
    "given window and start": Target(
        window_start=MARCH, window_days=4, answer=ODD_MINUTE, starts=ONE
    ),
    "1 attendee": Target(attendees=1, starts=ONE, window_days=3),
    "1 attendee, none": Target(attendees=1, answer="NONE", window_days=3),
    "8 attendees": Target(attendees=8, starts=ONE, window_days=7),
    "8 attendees, 14 days": Target(attendees=8, window_days=14, starts=ONE),
    "14 days, none": Target(window_days=14, answer="NONE"),
    "1 day of 24 hours": Target(window_days=1, duration_minutes=1440, starts=ONE),
    "first minute of all": Target(answer=0, years=(1970, 1970), starts=ONE),
    "last minute of all": Target(
        answer=minute("2100-12-31T23:59:00Z"), years=(2100, 2100), starts=ONE, duration_minutes=1440
    ),
    "offset with seconds": Target(
        zones=("Africa/Monrovia",), years=(1971, 1971), starts=ONE, attendees=2
    ),
    "across the offset with seconds": Target(
        zones=("Africa/Monrovia",), years=(1972, 1972), dst=Dst.SPRING_ACROSS, starts=ONE
    ),
    "across the day that Samoa skipped": Target(
        zones=("Pacific/Apia",),
        years=(2011, 2011),
        dst=Dst.SPRING_ACROSS,
        starts=ONE,
        window_days=4,
    ),
}


@pytest.mark.parametrize("wish", WISHES)
def test_the_oracle_confirms_the_wished_answer_uniqueness_and_kind(wish: str) -> None:
    for seed in SEEDS:
        assert_is_as_wished(synthesize(WISHES[wish], seed), WISHES[wish])


@pytest.mark.parametrize("dst", Dst, ids=lambda dst: str(dst.value))
def test_the_command_line_makes_100_worlds_of_each_kind(command: Command, dst: Dst) -> None:
    run = command(
        *("gen", "--count", "100", "--starts", "exactly-one", "--dst", dst.value, "--seed", "1")
    )
    assert (run.status, run.err) == (0, "")
    worlds = [parse_world(json.loads(line)) for line in run.out.splitlines()]
    assert len({world.id for world in worlds}) == 100
    for world in worlds:
        assert_is_as_wished(world, Target(starts=ONE, dst=dst))


# Every zone that moves its clock


FIRST_YEAR, LAST_YEAR = 2019, 2025


class Moves(NamedTuple):
    """Whether a zone moves its clock forward, and back, from 2019 to 2025."""

    forward: bool
    back: bool


def moves(zone: str) -> Moves:
    """Probe a zone's offset once a day."""
    first, last = (
        minute(f"{FIRST_YEAR}-01-01T00:00:00Z"),
        minute(f"{LAST_YEAR + 1}-01-01T00:00:00Z"),
    )
    offsets = [offset(zone, u) for u in range(first, last + 1, DAY)]
    steps = {after - before for before, after in itertools.pairwise(offsets)}
    return Moves(max(steps) > 0, min(steps) < 0)


def test_every_zone_that_moves_its_clock_has_a_world_of_each_kind() -> None:
    found = {zone: moves(zone) for zone in zone_names()}
    by_moves = Counter(found.values())
    if iana_release() == "2026f":
        assert by_moves[Moves(True, True)] == 221
        assert by_moves[Moves(False, True)] == 10
        assert by_moves[Moves(True, False)] == 0
    assert by_moves[Moves(True, True)] > 100  # also under a release that is not known here
    for zone, (forward, back) in found.items():
        wished = [Dst.SPRING_AFTER, Dst.SPRING_ACROSS] * forward + [Dst.FALL_REPEATED] * back
        for dst in wished:
            target = Target(dst=dst, starts=ONE, zones=(zone,), attendees=2, window_days=2)
            assert_is_as_wished(synthesize(target, zone), target)
        if not forward:
            with pytest.raises(WishError, match="does not move its clock forward in 2019 to 2025"):
                synthesize(Target(dst=Dst.SPRING_AFTER, zones=(zone,)))


# Chance


MIXED = ("some start", "exactly one start", "none", "three stretches", "odd nights, fall-repeated")
MIXED_WISHES = [*MIXED, *(f"{dst.value}, exactly-one" for dst in Dst), "8 attendees"]

LINES = """
from meeting_slot.splits import generate
from tests.test_synthesis import MIXED_WISHES, WISHES
for wish in MIXED_WISHES:
    for world in generate(WISHES[wish], 2, "same"):
        print(world.to_line())
"""


def test_the_same_seed_gives_the_same_bytes_in_every_process() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", LINES],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            cwd=Path(__file__).parents[1],
            capture_output=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    here = [w.to_line() for wish in MIXED_WISHES for w in generate(WISHES[wish], 2, "same")]
    assert runs[0].decode().splitlines() == here
    assert runs[1] == runs[0]


def test_a_row_does_not_depend_on_the_count() -> None:
    three, five = (list(generate(Target(starts=ONE), count, "s")) for count in (3, 5))
    assert five[:3] == three
    assert len({world.id for world in five}) == 5


def test_a_row_can_be_made_from_its_seed_alone() -> None:
    rows = list(generate(Target(), 3, "s"))
    assert synthesize(Target(), row_seed(Target(), "s", 2)) == rows[2]
    assert [(world.meta or {})["seed"] for world in rows] == [
        row_seed(Target(), "s", row) for row in range(3)
    ]


def test_each_of_seed_split_row_and_target_changes_the_row_seed() -> None:
    seeds = {
        row_seed(Target(), "s", 0),
        row_seed(Target(), "t", 0),
        row_seed(Target(), "s", 1),
        row_seed(Target(), "s", 0, "train"),
        *(row_seed(target, "s", 0) for target in WISHES.values() if target != Target()),
    }
    assert len(seeds) == 4 + len(WISHES) - 1
    assert all(len(bytes.fromhex(seed)) == hashlib.sha256().digest_size for seed in seeds)


def test_different_seeds_give_different_worlds_of_the_same_cast_answer_and_window() -> None:
    target = Target(
        cast=ODD_HOURS, answer=ODD_MINUTE, window_start=MARCH, window_days=5, duration_minutes=30
    )
    worlds = [synthesize(target, str(seed)) for seed in range(10)]
    assert len({world.id for world in worlds}) == 10
    assert {world.recorded for world in worlds} == {"2024-03-11T13:07:00Z"}
    distances = [distance(*pair) for pair in itertools.combinations(worlds, 2)]
    assert min(distances) > 0.2
    assert sum(distances) / len(distances) > 0.5


def busy_minutes(world: World) -> set[tuple[str, int]]:
    """Return each attendee's name with each busy local minute, counted from 1970."""
    return {
        (attendee.name, day * DAY + local)
        for attendee in world.attendees
        for day, blocks in attendee.busy.items()
        for start, end in blocks
        for local in range(start, end)
    }


def distance(world: World, other: World) -> float:
    """Return the Jaccard distance of the busy minutes of two worlds: 0 the same, 1 none shared."""
    ours, theirs = busy_minutes(world), busy_minutes(other)
    return 1 - len(ours & theirs) / len(ours | theirs)


def test_meta_says_where_a_world_comes_from() -> None:
    target = Target(answer=ODD_MINUTE, duration_minutes=37, starts=ONE, zones=("UTC", "Asia/Tokyo"))
    world = synthesize(target, "a seed")
    meta = world.meta or {}
    assert set(meta) >= {"generator", "iana", "ortools", "seed", "target"}
    assert meta["iana"] == iana_release()
    assert meta["seed"] == "a seed"
    assert (
        meta["target"].items()
        >= {
            "answer": "2024-03-11T13:07:00Z",
            "duration_minutes": 37,
            "starts": "exactly-one",
            "zones": ["UTC", "Asia/Tokyo"],
            "years": [2019, 2025],
        }.items()
    )


# The confirmation


@pytest.mark.parametrize("wish", ["exactly one start", "none", "fall-repeated, exactly-one"])
def test_a_calendar_that_the_sweep_does_not_confirm_never_leaves(
    monkeypatch: pytest.MonkeyPatch, wish: str
) -> None:
    synthesize(WISHES[wish])

    def lying(_: CalendarModel, sampled: list[bool], *__: object) -> Calendar:
        """Say that every cell may stay free."""
        return Calendar([False] * len(sampled), frozenset())

    monkeypatch.setattr(CalendarModel, "solve", lying)
    with pytest.raises(AssertionError, match=r"^the answer is not (NONE|2\d{3}-.*Z); valid from"):
        synthesize(WISHES[wish])


def drawn_casts(monkeypatch: pytest.MonkeyPatch) -> list[Casting]:
    """Return a list to which every cast that is drawn is added."""
    drawn: list[Casting] = []
    draw = casting.draw

    def recording(*arguments: Any) -> Casting:
        drawn.append(draw(*arguments))
        return drawn[-1]

    monkeypatch.setattr(casting, "draw", recording)
    return drawn


def test_a_start_of_another_kind_never_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = drawn_casts(monkeypatch)
    synthesize(Target(answer=minute("2024-06-10T13:00:00Z")))
    # The same cast again, as if its start were of the wished kind.
    monkeypatch.setattr(casting, "draw", lambda *_: drawn[-1])
    with pytest.raises(AssertionError, match=r"^2024-06-10T13:00:00Z is not spring-after"):
        synthesize(Target(dst=Dst.SPRING_AFTER))


# Wishes that cannot come true


IMPOSSIBLE = {
    "none and exactly one": (
        "--answer none --starts exactly-one",
        ["NONE", "exactly-one", "exclude each other"],
    ),
    "none and a kind": ("--answer none --dst spring-after", ["NONE", "spring-after"]),
    "none and stretches": (
        "--answer none --stretches 3",
        ["3 valid stretches", "NONE", "exclude each other"],
    ),
    "exactly one and stretches": (
        "--starts exactly-one --stretches 2",
        ["2 valid stretches", "exactly-one", "exclude each other"],
    ),
    "one minute across a change": (
        "--dst spring-across --duration 1",
        ["1 minute", "spring-across"],
    ),
    "a zone that never moves its clock": (
        "--dst spring-after --zones Asia/Tokyo",
        ["Asia/Tokyo does not move its clock forward in 2019 to 2025"],
    ),
    "zones that never move their clocks": (
        "--dst fall-repeated --zones 'Asia/Tokyo, UTC'",
        ["none of 2 zones moves its clock back in 2019 to 2025"],
    ),
    "a year without a change": (
        "--dst spring-across --zones Europe/Berlin --years 1975",
        ["Europe/Berlin does not move its clock forward", "1975"],
    ),
    "a zone that has moved back only": (
        "--dst spring-after --zones Asia/Pyongyang --years 2015-2017",
        ["Asia/Pyongyang does not move its clock forward in 2015 to 2017"],
    ),
    "a start that no zone makes that kind": (
        "--dst spring-after --answer 2024-06-10T13:00:00Z",
        ["zones moves its clock forward where 2024-06-10T13:00:00Z would be spring-after"],
    ),
    "a start that its zone does not make that kind": (
        "--dst fall-repeated --answer 2024-11-03T07:00:00Z --zones America/New_York",
        ["America/New_York", "back", "2024-11-03T07:00:00Z would be fall-repeated"],
    ),
    "exactly one of two passes": (
        "--dst fall-repeated --answer 2024-11-03T05:15:00Z --starts exactly-one "
        "--zones America/New_York --duration 30",
        ["2024-11-03T06:15:00Z is valid whenever"],
    ),
    "an answer that is no instant": ("--answer Monday", ['"Monday"', "neither an instant"]),
    "an answer on no real date": (
        "--answer 2024-02-30T13:00:00Z",
        ["2024-02-30T13:00:00Z", "neither an instant"],
    ),
    "an answer on no whole minute": (
        "--answer 2024-03-11T13:07:30Z",
        ["2024-03-11T13:07:30Z", "whole minute"],
    ),
    "an answer outside the years": (
        "--answer 2018-12-31T23:59:00Z",
        ["2018-12-31T23:59:00Z is not in the years 2019 to 2025"],
    ),
    "an answer before all years": (
        "--answer 0001-01-01T00:00:00+23:59",
        ["neither an instant"],
    ),
    "an answer after all years": (
        "--answer 9999-12-31T23:59:00-23:59",
        ["neither an instant"],
    ),
    "an unknown zone": (
        "--zones Europe/Berlin,Europe/Lodnon",
        ['unknown time zone "Europe/Lodnon"', "did you mean Europe/London"],
    ),
    "no zone": ("--zones ' '", ["time zone"]),
    "years that are none": ("--years soon", ['"soon"', "2019-2025"]),
    "years the wrong way round": ("--years 2025-2019", ["2025 to 2019", "1970 to 2100"]),
    "years too early": ("--years 1969", ["1969", "1970 to 2100"]),
    "years too late": ("--years 2100-2101", ["2101", "1970 to 2100"]),
    "no attendee": ("--attendees 0", ["attendees", "0", "1 to 1000"]),
    "too many attendees": ("--attendees 1001", ["attendees", "1001", "1 to 1000"]),
    "no day": ("--days 0", ["days", "0", "1 to 366"]),
    "too many days": ("--days 367", ["days", "367", "1 to 366"]),
    "no minute": ("--duration 0", ["duration", "0", "1 to 1440"]),
    "too many minutes": ("--duration 1441", ["duration", "1441", "1 to 1440"]),
    "a negative number": ("--duration -5", ["duration", "-5", "1 to 1440"]),
    "no stretch": ("--stretches 0", ["stretches", "0"]),
    "more stretches than there is room for": (
        "--stretches 3 --days 1 --duration 1440",
        ["room", "valid stretches"],
    ),
    "no world": ("--count 0", ["--count", "0"]),
    "a number that is none": ("--days seven", ["--days", "seven"]),
    "a kind that there is not": ("--dst winter", ["--dst", "winter"]),
}


@pytest.mark.parametrize("wish", IMPOSSIBLE)
def test_a_wish_that_cannot_come_true_ends_with_status_2_and_says_why(
    command: Command, wish: str
) -> None:
    arguments, words = IMPOSSIBLE[wish]
    run = command("gen", *shlex.split(arguments))
    assert (run.status, run.out) == (2, "")
    for word in words:
        assert word in run.error_line()


NO_COMMON_HOURS = people(
    attendee_object("Ava", "Asia/Tokyo"), attendee_object("Bo", "Asia/Dubai", "13:00-17:00")
)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (Target(cast=NO_COMMON_HOURS), "at no wished start is everybody at work"),
        (Target(cast=NO_COMMON_HOURS, starts=ONE), "at no wished start is everybody at work"),
        (Target(cast=NO_COMMON_HOURS, dst=Dst.SPRING_AFTER), "none of 2 zones moves its clock"),
        (
            Target(cast=ODD_HOURS, answer=ODD_MINUTE - 1),
            "at no wished start is everybody at work",
        ),
        (Target(cast=()), "attendee"),
        (Target(cast=ODD_HOURS, attendees=3), "3 attendees and a cast of 2"),
        (Target(zones=()), "no zone is allowed"),
        (
            Target(window_start=MARCH, window_days=3, answer=ODD_MINUTE),
            "2024-03-11T13:07:00Z is outside a window of 3 days from 2024-03-08",
        ),
        (
            Target(window_start=MARCH, window_days=2, dst=Dst.SPRING_AFTER),
            "moves its clock forward in the window",
        ),
        (
            Target(window_start=parse_day("2100-12-31"), window_days=2),
            "2100-12-31 to 2101-01-01 is not within 1970-01-01 to 2100-12-31",
        ),
        (
            Target(window_start=parse_day("1969-12-31"), window_days=2),
            "1969-12-31 to 1970-01-01 is not within 1970-01-01 to 2100-12-31",
        ),
    ],
)
def test_a_target_that_cannot_come_true_is_refused(target: Target, message: str) -> None:
    with pytest.raises(MeetingSlotError) as refused:
        synthesize(target)
    assert message in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


HOURS = WorkingHours(540, 1020, (0, 1, 2, 3, 4))


@pytest.mark.parametrize(
    "given",
    [
        (Attendee("Ava", "UTC", HOURS, {}), Attendee("AVA", "UTC", HOURS, {})),
        (Attendee(" ", "UTC", HOURS, {}),),
        (Attendee("Ava", "Europe/Lodnon", HOURS, {}),),
        (Attendee("Ava", "UTC", WorkingHours(1020, 540, (0,)), {}),),
        (Attendee("Ava", "UTC", WorkingHours(540, 1020, (4, 3, 2, 1, 0)), {}),),
        (Attendee("Ava", "UTC", WorkingHours(540, 1020, ()), {}),),
        tuple(Attendee(f"Person {i}", "UTC", HOURS, {}) for i in range(1001)),
    ],
    ids=["names", "blank name", "zone", "hours", "weekdays' order", "no weekday", "too many"],
)
def test_a_cast_that_no_world_file_may_hold_is_refused(given: tuple[Attendee, ...]) -> None:
    with pytest.raises(MeetingSlotError) as refused:
        synthesize(Target(cast=given))
    assert "casts" not in str(refused.value), "it is no matter of chance"


def test_none_needs_no_common_hours() -> None:
    target = Target(cast=NO_COMMON_HOURS, answer="NONE")
    assert_is_as_wished(synthesize(target), target)


def test_the_calendars_of_a_given_cast_are_replaced() -> None:
    full = attendee_object("Ava", busy={"2024-03-11": "09:00-17:00", "2030-01-01": "09:00-10:00"})
    target = Target(
        cast=people(full), window_start=parse_day("2024-03-11"), window_days=1, starts=ONE
    )
    world = synthesize(target)
    assert_is_as_wished(world, target)
    assert parse_day("2030-01-01") not in world.attendees[0].busy


def test_a_wish_is_given_up_after_a_number_of_casts_that_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = drawn_casts(monkeypatch)
    with pytest.raises(WishError, match=f"no such world in {MOST_CASTS} casts"):
        synthesize(Target(cast=NO_COMMON_HOURS))
    assert len(drawn) == MOST_CASTS


def test_reaching_the_work_limit_is_an_error_that_names_it(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cp_model.CpSolver, "solve", lambda *_: cp_model.UNKNOWN)
    with pytest.raises(OutOfWork, match="undecided after 5 deterministic seconds"):
        synthesize(Target(starts=ONE))
    run = command("gen", "--starts", "exactly-one")
    assert (run.status, run.out) == (2, "")
    assert "undecided after 5 deterministic seconds" in run.error_line()


def test_an_answer_that_is_left_open_lies_in_the_years() -> None:
    # Windows of 100 days around a start in 2020: many begin in 2019 or end in 2021.
    target = Target(years=(2020, 2020), window_days=100, attendees=1)
    worlds = [synthesize(target, str(seed)) for seed in range(40)]
    assert any(world.request.window_start < parse_day("2020-01-01") for world in worlds)
    assert {world.recorded[:4] for world in worlds if world.recorded} == {"2020"}


# Realism


class WorkingDate(NamedTuple):
    """A working date of one attendee: hours and blocks in local minutes, the world it is of."""

    world: World
    hours: range
    blocks: Sequence[tuple[int, int]]

    @property
    def fill(self) -> float:
        """Return the busy share of the hours."""
        busy = {local for start, end in self.blocks for local in range(start, end)}
        return len(busy.intersection(self.hours)) / len(self.hours)


def days_read(world: World, attendee: Attendee) -> Iterator[int]:
    """Yield the local dates that the attendee's clock reads while a meeting may run."""
    first, last = world.request.start, world.request.last_end - 1
    local = (u + offset(attendee.timezone, u) for u in (first, last))
    first_day, last_day = (reading // DAY for reading in local)
    yield from range(first_day, last_day + 1)


def working_dates(world: World) -> Iterator[WorkingDate]:
    """Yield the working dates of all attendees, those without blocks included."""
    for attendee in world.attendees:
        hours = attendee.working_hours
        for day in days_read(world, attendee):
            weekday = (datetime.date(1970, 1, 1) + datetime.timedelta(days=day)).weekday()
            if weekday in hours.weekdays:
                yield WorkingDate(world, range(hours.start, hours.end), attendee.busy.get(day, ()))


def blocks_of(world: World) -> Iterator[tuple[Attendee, int, tuple[int, int]]]:
    """Yield every block with its attendee and its local date."""
    for attendee in world.attendees:
        for day, blocks in attendee.busy.items():
            for block in blocks:
                yield attendee, day, block


REALISTIC = (
    *("some start", "exactly one start", "none", "three stretches", "8 attendees"),
    *("spring-after, any", "spring-across, exactly-one", "fall-repeated, exactly-one"),
    *("odd hours, exactly one start", "given window", "1 attendee"),
)


def realistic_worlds(of_each: int) -> list[World]:
    """Return worlds of a mix of targets."""
    return [w for wish in REALISTIC for w in generate(WISHES[wish], of_each, "realism")]


def test_calendars_look_like_calendars() -> None:
    worlds = realistic_worlds(10)
    blocks = [block for world in worlds for block in blocks_of(world)]
    assert {SHORTEST, LONGEST} >= {15, 180}
    for _, _, (start, end) in blocks:
        assert SHORTEST <= end - start <= LONGEST
        assert 0 <= start < end <= DAY
    for world in worlds:
        for attendee in world.attendees:
            assert max(map(len, attendee.busy.values()), default=0) <= MOST_BLOCKS
            assert set(attendee.busy) <= set(days_read(world, attendee))
    for date in itertools.chain.from_iterable(map(working_dates, worlds)):
        # One person's short meeting has a single start only where all else is busy.
        if len(date.world.attendees) > 1 or date.world.request.duration_minutes > GRID:
            assert date.fill < 1
    off_hours = [
        (start, end)
        for attendee, _, (start, end) in blocks
        if end <= attendee.working_hours.start or attendee.working_hours.end <= start
    ]
    days_off = [
        day
        for attendee, day, _ in blocks
        if (datetime.date(1970, 1, 1) + datetime.timedelta(days=day)).weekday()
        not in attendee.working_hours.weekdays
    ]
    assert off_hours
    assert days_off
