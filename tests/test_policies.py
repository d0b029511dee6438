"""The policies: each against its pointwise version, and each on worlds derived by hand.

A hand-derived test's docstring says why the wrong answer is what someone with the misconception
gives. 2024-03-11 is a Monday; where no zone is named it is UTC, where no hours are named they are
09:00-17:00 from Monday to Friday. `MEETING_SLOT_LONG=1` draws 20,000 worlds, new ones each time.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from meeting_slot import parse_world
from meeting_slot.cpsat.synthesis import synthesize
from meeting_slot.cpsat.wishes import Dst, Starts, Target
from meeting_slot.errors import MeetingSlotError
from meeting_slot.measures import panel, policies_for
from meeting_slot.policies import (
    CORE,
    GOLD,
    Policy,
    at_most_calls,
    merged,
    policy_named,
    skip_attendee,
    specials,
)
from meeting_slot.reading import Reader
from meeting_slot.sweep import earliest_start
from tests import oracle
from tests import pointwise_policies as pointwise
from tests.conftest import unprintable
from tests.oracle import MINUTES_A_DAY, Attendee, World
from tests.strategies import AWKWARD_ZONES, LONG, clock_text, offset_changes, worlds, worlds_drawn
from tests.world_objects import WORKDAYS, attendee_object, world_object

EVERY_DAY = (0, 1, 2, 3, 4, 5, 6)
WHOLE_DAY = "00:00-24:00"

PAIRS = [
    ("ignore-time-zones", "sunday-first"),
    ("offset-frozen", "busy-by-utc-date"),
    ("busy-end-inclusive", "ignore-dst"),
    ("half-hour-grid", "ignore-time-zones"),
    ("first-day-only", "offset-frozen"),
    ("ignore-weekdays", "busy-end-inclusive"),
    ("busy-by-utc-date", "busy-end-inclusive"),
    ("busy-by-utc-date", "ignore-busy"),
    ("ignore-busy", "busy-by-utc-date"),
    ("ignore-weekdays", "skip-last-attendee"),
    ("first-attendee-only", "ignore-busy"),
    ("half-hour-grid", "first-day-only"),
    ("first-day-only", "half-hour-grid"),
]
"""Pairs of core policies of two groups: each two groups, and those that change the same thing."""


def text(minute: int | None) -> str:
    """Return an answer as "YYYY-MM-DDTHH:MMZ" or "NONE"."""
    return "NONE" if minute is None else oracle.instant_text(minute).replace(":00Z", "Z")


# Random worlds.


def _minutes_to(low: int, high: int) -> st.SearchStrategy[int]:
    return st.sampled_from(range(low, high + 1))


@cache
def clocks_set_back(zone: str) -> list[int]:
    """Return UTC minutes from 1970 to 2100 at which a zone's clocks have just been set back."""
    return [u for u in offset_changes(zone) if _offset(zone, u) < _offset(zone, u - 1)]


def _offset(zone: str, u: int) -> int:
    day, minute = oracle.local_reading(zone, u)
    return (day - date(1970, 1, 1)).days * MINUTES_A_DAY + minute - u


def _add_block(attendee: Attendee, day: date, start: int, end: int) -> None:
    block = oracle.Block(start=clock_text(start), end=clock_text(min(end, MINUTES_A_DAY)))
    attendee.setdefault("busy", {}).setdefault(day.isoformat(), []).append(block)


def _add_trap(attendee: Attendee, trap: str, day: date, minute: int, length: int) -> None:
    """Add one thing that is easy to get wrong; `minute` and `length` are local minutes."""
    hours_start = oracle.minute_of_day(attendee["working_hours"]["start"])
    match trap:
        case "hours to 24:00":
            attendee["working_hours"]["end"] = "24:00"
        case "an empty block":
            _add_block(attendee, day, minute, minute)
        case "a block to 24:00":
            _add_block(attendee, day, MINUTES_A_DAY - length, MINUTES_A_DAY)
        case "a block until the hours":
            _add_block(attendee, day, max(0, hours_start - length), hours_start)
        case "a short block":
            _add_block(attendee, day, minute, minute + length)


TRAPS = (
    "none",
    "hours to 24:00",
    "an empty block",
    "a block to 24:00",
    "a block until the hours",
    "a short block",
)


@st.composite
def trapped_worlds(draw: st.DrawFn) -> World:
    """Draw a world of `tests.strategies` with more traps, many of them at the gold answer."""
    world = draw(worlds(most_days=4))
    if draw(_minutes_to(0, 9)) == 7:
        _repeat_an_hour(draw, world)
    for attendee in world["attendees"]:
        trap = draw(st.sampled_from(TRAPS))
        length = draw(_minutes_to(1, 20) | _minutes_to(1, 90))
        window = oracle.window(world)
        at = pointwise.answer("gold", world)
        if trap == "none" or at is None or draw(st.booleans()):
            at = window.start + draw(_minutes_to(0, len(window) - 1))
        day, minute = oracle.local_reading(attendee["timezone"], at)
        shift = draw(_minutes_to(0, world["request"]["duration_minutes"]))
        _add_trap(attendee, trap, day, min(minute + shift, MINUTES_A_DAY - 1), length)
    return world


def _repeat_an_hour(draw: st.DrawFn, world: World) -> None:
    """Move the window to the day on which the first attendee's clocks are set back.

    The first attendee is busy until some minute near the repeated time, and the others are free.
    """
    zone = draw(st.sampled_from([zone for zone in AWKWARD_ZONES if clocks_set_back(zone)]))
    change = draw(st.sampled_from(clocks_set_back(zone)))
    request, first = world["request"], world["attendees"][0]
    request["window_start"] = (
        date(1970, 1, 1) + timedelta(days=(change - draw(_minutes_to(0, 240))) // MINUTES_A_DAY)
    ).isoformat()
    request["duration_minutes"] = draw(_minutes_to(1, 45))
    first["timezone"], first["busy"] = zone, {}
    for attendee in world["attendees"]:
        attendee["working_hours"] = {"start": "00:00", "end": "24:00", "weekdays": [*EVERY_DAY]}
    day, minute = oracle.local_reading(zone, change)
    until = min(minute + draw(_minutes_to(0, 90)), MINUTES_A_DAY)
    _add_block(first, day - timedelta(days=1), 0, MINUTES_A_DAY)
    _add_block(first, day, 0, until)
    if minute >= 2 * 60:  # and free again before the repeated time, for the first pass
        first["busy"][day.isoformat()] = []
        _add_block(first, day, 0, minute - draw(_minutes_to(0, 60)))
        _add_block(first, day, minute, until)


def wrong_as_pointwise(world: World) -> list[str]:
    """Return the policies that answer wrong, each having answered as its pointwise version."""
    gold = oracle.answer_minute(world)
    assert pointwise.answer("gold", world) == gold
    right = {
        name: pointwise.answer(name, world) for name in pointwise.names(len(world["attendees"]))
    }
    found = panel(parse_world(dict(world)))
    assert {name: text(at) for name, at in found.answers.items()} == {
        name: text(at) for name, at in right.items()
    }
    return [name for name, at in right.items() if at != gold]


@worlds_drawn(short=500, long=20_000)
@given(trapped_worlds())
def test_every_policy_answers_as_its_pointwise_version(world: World) -> None:
    for name in wrong_as_pointwise(world):
        event(f"{name} is wrong")


def day_number(day: str) -> int:
    return (date.fromisoformat(day) - date(1970, 1, 1)).days


SYNTHESIZED = {
    "any": Target(),
    "NONE": Target(answer="NONE"),
    "one valid start": Target(starts=Starts.EXACTLY_ONE),
    "after a spring shift": Target(dst=Dst.SPRING_AFTER),
    "across a spring shift": Target(dst=Dst.SPRING_ACROSS),
    "in a repeated hour": Target(dst=Dst.FALL_REPEATED),
    "one attendee": Target(attendees=1),
    "six attendees": Target(attendees=6, window_days=2),
    "an odd duration": Target(duration_minutes=37, window_days=3),
    "a skipped day": Target(
        zones=("Pacific/Apia", "Pacific/Fakaofo", "Pacific/Auckland"),
        years=(2011, 2012),
        window_start=day_number("2011-12-28"),
        window_days=4,
    ),
}


@pytest.mark.parametrize("target", SYNTHESIZED.values(), ids=SYNTHESIZED)
def test_every_policy_answers_as_its_pointwise_version_on_synthesized_worlds(
    target: Target,
) -> None:
    for seed in range(80 if LONG else 8):
        world = cast(World, synthesize(target, str(seed)).to_json())
        assert wrong_as_pointwise(world)  # always-none, at least, or never-none


@worlds_drawn(short=60, long=5_000)
@given(trapped_worlds())
def test_a_merged_pair_of_core_policies_makes_both_mistakes(world: World) -> None:
    reader = Reader(parse_world(dict(world)))
    found = {
        pair: text(reader.answer(merged(*(policy_named(name) for name in pair)))) for pair in PAIRS
    }
    assert found == {pair: text(pointwise.answer_of_both(*pair, world)) for pair in PAIRS}


@worlds_drawn(short=100, long=5_000)
@given(trapped_worlds())
def test_policies_that_overlook_some_blocks_fail_only_where_ignore_busy_does(world: World) -> None:
    reader = Reader(parse_world(dict(world)))
    gold = reader.answer(GOLD)
    for name in "short-busy-missed", "second-pass-not-busy":
        if reader.answer(policy_named(name)) != gold:
            assert reader.answer(policy_named("ignore-busy")) != gold, name


# Worlds derived by hand.


def person(
    hours: str = "09:00-17:00",
    zone: str = "UTC",
    weekdays: tuple[int, ...] = WORKDAYS,
    busy: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Return an attendee to be named; a date's blocks are "HH:MM-HH:MM" with spaces between."""
    return attendee_object("", zone, hours, weekdays, busy)


def meeting(
    *people: dict[str, Any], start: str = "2024-03-11", days: int = 1, duration: int = 30
) -> World:
    """Return a world of people, who are called Person 1, Person 2 and so on."""
    named = [member | {"name": f"Person {i}"} for i, member in enumerate(people, start=1)]
    return cast(
        World,
        world_object(*named, window_start=start, window_days=days, duration_minutes=duration),
    )


def answers(policy: Policy, world: World) -> tuple[str, str]:
    """Return a policy's answer and the gold one; the oracle has to agree on the gold."""
    typed = parse_world(dict(world))
    gold = earliest_start(typed)
    assert gold == oracle.answer_minute(world)
    return text(Reader(typed).answer(policy)), text(gold)


def assert_wrong(name: str, world: World, answer: str, gold: str) -> None:
    """Assert that a policy gives the answer where another one is right, pointwise too."""
    assert answer != gold
    assert answers(policy_named(name), world) == (answer, gold)
    assert text(pointwise.answer(name, world)) == answer


def assert_right(name: str, world: World, gold: str) -> None:
    """Assert that a policy gives the gold answer, pointwise too."""
    assert answers(policy_named(name), world) == (gold, gold)
    assert text(pointwise.answer(name, world)) == gold


def test_ignore_time_zones_is_wrong_in_tokyo() -> None:
    """09:00 in Tokyo is 00:00Z; read as UTC it is 09:00Z."""
    world = meeting(person(zone="Asia/Tokyo"))
    assert_wrong("ignore-time-zones", world, "2024-03-11T09:00Z", gold="2024-03-11T00:00Z")


def test_ignore_time_zones_is_right_in_lisbon_in_winter() -> None:
    """Lisbon is at UTC+0 until 31 March."""
    world = meeting(person(zone="Europe/Lisbon"))
    assert_right("ignore-time-zones", world, gold="2024-03-11T09:00Z")


@pytest.mark.parametrize(
    ("zone", "answer", "gold"),
    [
        ("America/New_York", "14:00", "13:00"),
        ("Africa/Casablanca", "09:00", "08:00"),  # UTC+0 in Ramadan alone, UTC+1 in all else
        ("Europe/Dublin", "09:00", "08:00"),  # where winter is the exception in the zone data
    ],
)
def test_ignore_dst_is_wrong_in_summer(zone: str, answer: str, gold: str) -> None:
    """On 1 July 09:00 is read an hour late, with the smaller offset of the year's two."""
    world = meeting(person(zone=zone), start="2024-07-01")
    assert_wrong("ignore-dst", world, f"2024-07-01T{answer}Z", gold=f"2024-07-01T{gold}Z")


def test_ignore_dst_is_wrong_at_an_offset_used_before_the_date_line_moved() -> None:
    """Apia was at UTC-11 in 2011 until its 30 December was skipped, and at UTC+14 on the 31st.

    At 2011-12-31T00:00Z its clocks show 14:00, the hours' end; at UTC-11 they would show 13:00 of
    the 30th. The next 09:00 is that of 1 January, nineteen hours later.
    """
    world = meeting(
        person("09:00-14:00", "Pacific/Apia", weekdays=EVERY_DAY), start="2011-12-31", days=2
    )
    assert_wrong("ignore-dst", world, "2011-12-31T00:00Z", gold="2011-12-31T19:00Z")


def test_ignore_dst_is_wrong_about_the_year_in_which_the_window_starts() -> None:
    """Caracas was at UTC-4:30 from 2007-12-09 on: UTC-4 is not its smallest offset in 2007.

    But in 2006 it was at UTC-4 throughout, and in 2016 it went back to it on 1 May: on 2 May 2016
    09:00 is 13:00Z, and 13:30Z at the smallest offset of 2016.
    """
    world = meeting(person(zone="America/Caracas"), start="2016-05-02")
    assert_wrong("ignore-dst", world, "2016-05-02T13:30Z", gold="2016-05-02T13:00Z")
    assert_right(
        "ignore-dst",
        meeting(person(zone="America/Caracas"), start="2006-12-29", days=4),
        gold="2006-12-29T13:00Z",
    )


def test_ignore_dst_is_right_in_winter() -> None:
    """New York is at its smallest offset, UTC-5, in January."""
    world = meeting(person(zone="America/New_York"), start="2024-01-08")
    assert_right("ignore-dst", world, gold="2024-01-08T14:00Z")


def test_offset_frozen_is_wrong_after_a_shift_inside_the_window() -> None:
    """New York goes from UTC-5 to UTC-4 on Sunday the 10th: Monday's 09:00 is 13:00Z, not 14:00Z.

    Friday is full, and the weekend off.
    """
    world = meeting(
        person(zone="America/New_York", busy={"2024-03-08": "09:00-17:00"}),
        start="2024-03-08",
        days=4,
    )
    assert_wrong("offset-frozen", world, "2024-03-11T14:00Z", gold="2024-03-11T13:00Z")


def test_offset_frozen_is_right_before_a_shift_inside_the_window() -> None:
    """Friday's 09:00 in New York is 14:00Z at the offset of the window's start, which holds."""
    world = meeting(person(zone="America/New_York"), start="2024-03-08", days=4)
    assert_right("offset-frozen", world, gold="2024-03-08T14:00Z")


def test_ignore_weekdays_is_wrong_on_a_saturday() -> None:
    """The window starts on Saturday the 9th; the next workday is Monday the 11th."""
    world = meeting(person(), start="2024-03-09", days=3)
    assert_wrong("ignore-weekdays", world, "2024-03-09T09:00Z", gold="2024-03-11T09:00Z")


def test_ignore_weekdays_is_right_on_a_workday() -> None:
    """The first day is a Monday, on which everybody works."""
    assert_right("ignore-weekdays", meeting(person(), days=3), gold="2024-03-11T09:00Z")


def test_sunday_first_is_wrong_on_a_sunday() -> None:
    """Numbers 0 to 4 read from Sunday on are Sunday to Thursday; Sunday is the 10th."""
    world = meeting(person(), start="2024-03-10", days=2)
    assert_wrong("sunday-first", world, "2024-03-10T09:00Z", gold="2024-03-11T09:00Z")


def test_sunday_first_is_wrong_on_a_friday() -> None:
    """Numbers 0 to 4 read from Sunday on leave Friday out, here the only day."""
    world = meeting(person(), start="2024-03-15")
    assert_wrong("sunday-first", world, "NONE", gold="2024-03-15T09:00Z")


def test_sunday_first_is_right_from_monday_to_thursday() -> None:
    """Monday is number 0 of the listed ones, and number 1 of those that are read."""
    assert_right("sunday-first", meeting(person()), gold="2024-03-11T09:00Z")


def test_busy_by_utc_date_is_wrong_where_the_dates_differ() -> None:
    """Los Angeles is at UTC-7: at 2024-03-12T00:00Z its clocks show Monday, 17:00.

    Monday's block lasts until 18:00, 01:00Z; under Tuesday's date, that of UTC, there is none.
    """
    world = meeting(
        person("16:00-20:00", "America/Los_Angeles", busy={"2024-03-11": "16:00-18:00"}),
        start="2024-03-12",
    )
    assert_wrong("busy-by-utc-date", world, "2024-03-12T00:00Z", gold="2024-03-12T01:00Z")


def test_busy_by_utc_date_is_wrong_about_blocks_of_the_utc_date() -> None:
    """The same evening, free; but 16:00-18:00 is blocked on Tuesday, which is the UTC date."""
    world = meeting(
        person("16:00-20:00", "America/Los_Angeles", busy={"2024-03-12": "16:00-18:00"}),
        start="2024-03-12",
    )
    assert_wrong("busy-by-utc-date", world, "2024-03-12T01:00Z", gold="2024-03-12T00:00Z")


def test_busy_by_utc_date_is_right_where_the_dates_agree() -> None:
    """09:00-16:00 in Los Angeles is 16:00Z-23:00Z, of the same date; 09:00-10:00 is blocked."""
    world = meeting(
        person("09:00-16:00", "America/Los_Angeles", busy={"2024-03-12": "09:00-10:00"}),
        start="2024-03-12",
    )
    assert_right("busy-by-utc-date", world, gold="2024-03-12T17:00Z")


def test_ignore_busy_is_wrong_in_a_block() -> None:
    """The first hour is blocked."""
    world = meeting(person(busy={"2024-03-11": "09:00-10:00"}))
    assert_wrong("ignore-busy", world, "2024-03-11T09:00Z", gold="2024-03-11T10:00Z")


def test_ignore_busy_is_right_before_a_block() -> None:
    """Noon is blocked, three hours after the answer."""
    world = meeting(person(busy={"2024-03-11": "12:00-13:00"}))
    assert_right("ignore-busy", world, gold="2024-03-11T09:00Z")


@pytest.mark.parametrize(
    ("blocks", "answer", "gold"),
    [
        ("09:00-10:00", "10:01", "10:00"),
        ("08:00-09:00", "09:01", "09:00"),  # outside the hours, up to their start
        ("09:00-09:00", "09:01", "09:00"),  # [09:00, 09:00) is read as [09:00, 09:01)
        ("09:29-09:29", "09:30", "09:00"),
    ],
)
def test_busy_end_inclusive_is_wrong_where_a_block_ends(
    blocks: str, answer: str, gold: str
) -> None:
    """The minute at which a block ends is taken for busy."""
    world = meeting(person(busy={"2024-03-11": blocks}))
    assert_wrong("busy-end-inclusive", world, f"2024-03-11T{answer}Z", gold=f"2024-03-11T{gold}Z")


@pytest.mark.parametrize("blocks", ["00:00-24:00", "23:59-24:00"])
def test_busy_end_inclusive_is_right_after_a_block_that_ends_with_its_date(blocks: str) -> None:
    """Sunday's block ends at 24:00; one minute more would be Monday's, on which it is not."""
    world = meeting(person(WHOLE_DAY, busy={"2024-03-10": blocks}))
    assert_right("busy-end-inclusive", world, gold="2024-03-11T00:00Z")


def test_half_hour_grid_is_wrong_at_a_quarter_past() -> None:
    """A block lasts until 09:15; the grid's next start is 09:30."""
    world = meeting(person(busy={"2024-03-11": "09:00-09:15"}))
    assert_wrong("half-hour-grid", world, "2024-03-11T09:30Z", gold="2024-03-11T09:15Z")


def test_half_hour_grid_is_wrong_about_an_hour_of_a_clock_at_a_quarter() -> None:
    """09:00 in Kathmandu, at UTC+5:45, is 03:15Z: the grid is one of UTC minutes."""
    world = meeting(person(zone="Asia/Kathmandu"))
    assert_wrong("half-hour-grid", world, "2024-03-11T03:30Z", gold="2024-03-11T03:15Z")


def test_half_hour_grid_is_right_on_a_half_hour() -> None:
    """09:00 in Kolkata, at UTC+5:30, is 03:30Z."""
    world = meeting(person(zone="Asia/Kolkata"))
    assert_right("half-hour-grid", world, gold="2024-03-11T03:30Z")


def test_first_attendee_only_is_wrong_where_the_second_is_busy() -> None:
    """The second is busy until 11:00, the first free from 09:00 on."""
    world = meeting(person(), person(busy={"2024-03-11": "09:00-11:00"}))
    assert_wrong("first-attendee-only", world, "2024-03-11T09:00Z", gold="2024-03-11T11:00Z")


def test_first_attendee_only_is_right_where_the_first_is_the_last_to_be_free() -> None:
    """The first is busy until 11:00, when the second has long been free."""
    world = meeting(person(busy={"2024-03-11": "09:00-11:00"}), person())
    assert_right("first-attendee-only", world, gold="2024-03-11T11:00Z")


def test_skip_last_attendee_is_wrong_where_the_last_is_busy() -> None:
    """The third is busy until 11:00, the others until 10:00."""
    until_ten, until_eleven = (person(busy={"2024-03-11": f"09:00-{end}:00"}) for end in (10, 11))
    world = meeting(until_ten, until_ten, until_eleven)
    assert_wrong("skip-last-attendee", world, "2024-03-11T10:00Z", gold="2024-03-11T11:00Z")


def test_skip_last_attendee_is_right_about_one_alone() -> None:
    """With one attendee, busy until 10:00, nobody is left out."""
    world = meeting(person(busy={"2024-03-11": "09:00-10:00"}))
    assert_right("skip-last-attendee", world, gold="2024-03-11T10:00Z")


def test_first_day_only_is_wrong_where_the_first_day_is_full() -> None:
    """Monday is full; on Tuesday one would be free at 09:00."""
    world = meeting(person(busy={"2024-03-11": "09:00-17:00"}), days=2)
    assert_wrong("first-day-only", world, "NONE", gold="2024-03-12T09:00Z")


def test_first_day_only_is_right_about_a_meeting_that_passes_its_end() -> None:
    """Only starts have to be on the first day: 23:45 to 00:15 is fine for one who is free then."""
    world = meeting(person(WHOLE_DAY, busy={"2024-03-11": "00:00-23:45"}), days=2)
    assert_right("first-day-only", world, gold="2024-03-11T23:45Z")


AVA_BEFORE_THREE = ("01:00-03:00", "America/New_York", EVERY_DAY)
"""In New York the hour from 01:00 comes twice on 2024-11-03, from 05:00Z and from 06:00Z on."""


def test_second_pass_unseen_is_wrong_where_the_second_pass_is_the_answer() -> None:
    """The other works from 06:00Z on, when 01:00 comes again; 02:00 is only at 07:00Z."""
    world = meeting(
        person(*AVA_BEFORE_THREE), person("06:00-12:00", weekdays=EVERY_DAY), start="2024-11-03"
    )
    assert_wrong("second-pass-unseen", world, "2024-11-03T07:00Z", gold="2024-11-03T06:00Z")


def test_second_pass_unseen_is_wrong_throughout_seven_repeated_hours() -> None:
    """Vostok went from UTC+7 to UTC+0 at 1994-01-31T17:00Z: 17:00-24:00 came twice on that date.

    First from 10:00Z on, then from 17:00Z on, when the other works; 24:00 ends the window.
    """
    world = meeting(
        person("18:00-24:00", "Antarctica/Vostok"), person("17:00-24:00"), start="1994-01-31"
    )
    assert_wrong("second-pass-unseen", world, "NONE", gold="1994-01-31T18:00Z")


def test_second_pass_unseen_is_right_in_the_first_pass() -> None:
    """Alone she can meet when 01:00 first comes."""
    world = meeting(person(*AVA_BEFORE_THREE), start="2024-11-03")
    assert_right("second-pass-unseen", world, gold="2024-11-03T05:00Z")


def test_second_pass_not_busy_is_wrong_where_the_whole_hour_is_blocked() -> None:
    """The block from 01:00 to 02:00 holds twice, until 07:00Z; the second time it is not seen."""
    world = meeting(
        person(*AVA_BEFORE_THREE, busy={"2024-11-03": "01:00-02:00"}), start="2024-11-03"
    )
    assert_wrong("second-pass-not-busy", world, "2024-11-03T06:00Z", gold="2024-11-03T07:00Z")


def test_second_pass_not_busy_is_right_where_the_first_pass_has_room() -> None:
    """The block ends at 01:30, so that 01:30-02:00 is free when it first comes."""
    world = meeting(
        person(*AVA_BEFORE_THREE, busy={"2024-11-03": "01:00-01:30"}), start="2024-11-03"
    )
    assert_right("second-pass-not-busy", world, gold="2024-11-03T05:30Z")


def test_day_ends_2359_is_wrong_about_the_last_minute() -> None:
    """23:30-24:00 is half an hour; 23:30-23:59 is not."""
    world = meeting(person("23:30-24:00"))
    assert_wrong("day-ends-2359", world, "NONE", gold="2024-03-11T23:30Z")


def test_day_ends_2359_is_wrong_about_a_meeting_across_midnight() -> None:
    """Monday is full until 23:50 and Tuesday from 00:20 on: 23:50 to 00:20 needs 23:59."""
    busy = {"2024-03-11": "00:00-23:50", "2024-03-12": "00:20-24:00"}
    world = meeting(person(WHOLE_DAY, busy=busy))
    assert_wrong("day-ends-2359", world, "NONE", gold="2024-03-11T23:50Z")


def test_day_ends_2359_is_right_before_the_last_minute() -> None:
    """29 minutes fit into 23:30-23:59."""
    world = meeting(person("23:30-24:00"), duration=29)
    assert_right("day-ends-2359", world, gold="2024-03-11T23:30Z")


def test_short_busy_missed_is_wrong_about_a_quarter_of_an_hour() -> None:
    """09:15-09:30 is blocked; overlooked, 09:00 to 09:30 looks free."""
    world = meeting(person(busy={"2024-03-11": "09:15-09:30"}))
    assert_wrong("short-busy-missed", world, "2024-03-11T09:00Z", gold="2024-03-11T09:30Z")


def test_short_busy_missed_is_wrong_about_several_short_stretches() -> None:
    """Neither 09:10-09:15 nor 09:20-09:25 is seen; half an hour is free from 09:25 on."""
    world = meeting(person(busy={"2024-03-11": "09:10-09:15 09:20-09:25"}))
    assert_wrong("short-busy-missed", world, "2024-03-11T09:00Z", gold="2024-03-11T09:25Z")


def test_short_busy_missed_is_wrong_about_a_stretch_at_the_window_s_start() -> None:
    """Sunday's last minute is one of free time, though before the window; 00:00-00:10 is blocked.

    So the stretch of ten minutes lies between two minutes of common free time.
    """
    world = meeting(person(WHOLE_DAY, weekdays=EVERY_DAY, busy={"2024-03-11": "00:00-00:10"}))
    assert_wrong("short-busy-missed", world, "2024-03-11T00:00Z", gold="2024-03-11T00:10Z")


def test_short_busy_missed_is_wrong_about_a_stretch_at_the_last_meeting_s_end() -> None:
    """Half an hour from 23:59 on lasts until 00:29, of which 00:25-00:35 is blocked.

    The minute after the stretch is one of free time, though no meeting can touch it.
    """
    busy = {"2024-03-11": "00:00-23:59", "2024-03-12": "00:25-00:35"}
    world = meeting(person(WHOLE_DAY, busy=busy))
    assert_wrong("short-busy-missed", world, "2024-03-11T23:59Z", gold="NONE")


@pytest.mark.parametrize(
    ("blocks", "gold"),
    [
        ("09:15-09:31", "09:31"),  # sixteen minutes
        ("09:00-09:15", "09:15"),  # not between two minutes of free time: the hours start at 09:00
        ("09:15-09:25 09:25-09:35", "09:35"),  # one stretch of twenty
    ],
)
def test_short_busy_missed_is_right_about_other_stretches(blocks: str, gold: str) -> None:
    """A stretch that is too long, or at the edge of the hours, is seen."""
    world = meeting(person(busy={"2024-03-11": blocks}))
    assert_right("short-busy-missed", world, gold=f"2024-03-11T{gold}Z")


def test_short_busy_missed_is_right_about_two_people_who_are_busy_in_turn() -> None:
    """09:15-09:25 and 09:25-09:35 are one stretch of twenty minutes of common time."""
    world = meeting(
        person(busy={"2024-03-11": "09:15-09:25"}), person(busy={"2024-03-11": "09:25-09:35"})
    )
    assert_right("short-busy-missed", world, gold="2024-03-11T09:35Z")


def test_short_busy_missed_is_right_where_hours_stand_in_the_way() -> None:
    """Monday is full until 23:45; 00:00-00:10 on Tuesday is outside the hours, not a block."""
    world = meeting(person("00:10-24:00", busy={"2024-03-11": "00:10-23:45"}), days=2)
    assert_right("short-busy-missed", world, gold="2024-03-12T00:10Z")


def test_short_busy_missed_is_right_where_hours_stand_in_the_way_for_one_minute() -> None:
    """Monday is full until 23:45 and from 23:50 on; 00:00-00:01 on Tuesday is outside the hours.

    Eleven minutes are not free, and in the last of them no block stands in the way.
    """
    world = meeting(person("00:01-24:00", busy={"2024-03-11": "00:00-23:45 23:50-24:00"}), days=2)
    assert_right("short-busy-missed", world, gold="2024-03-12T00:01Z")


@pytest.mark.parametrize(
    ("zone", "answer"),
    [("Asia/Tokyo", "2024-03-10T15:00Z"), ("America/Los_Angeles", "2024-03-11T07:00Z")],
)
def test_window_in_local_dates_is_wrong_away_from_utc(zone: str, answer: str) -> None:
    """Monday the 11th begins at 15:00Z on Sunday in Tokyo, at 07:00Z in Los Angeles."""
    world = meeting(person(WHOLE_DAY, zone, EVERY_DAY))
    assert_wrong("window-in-local-dates", world, answer, gold="2024-03-11T00:00Z")


def test_window_in_local_dates_is_wrong_after_the_window() -> None:
    """In Los Angeles Monday lasts until 07:00Z on Tuesday; 17:00-18:00 is from 00:00Z on."""
    world = meeting(person("17:00-18:00", "America/Los_Angeles", WORKDAYS))
    assert_wrong("window-in-local-dates", world, "2024-03-12T00:00Z", gold="NONE")


def test_window_in_local_dates_is_wrong_about_a_day_that_was_skipped() -> None:
    """30 December 2011 never came in Apia, so that no start has that date there.

    At 2011-12-30T00:00Z its clocks showed 14:00 of the 29th.
    """
    world = meeting(person(WHOLE_DAY, "Pacific/Apia", EVERY_DAY), start="2011-12-30")
    assert_wrong("window-in-local-dates", world, "NONE", gold="2011-12-30T00:00Z")


def test_window_in_local_dates_is_right_in_the_middle_of_the_day() -> None:
    """09:00 in New York is 13:00Z, of the same date; the second attendee's dates do not matter."""
    world = meeting(
        person(zone="America/New_York"), person(WHOLE_DAY, "Pacific/Kiritimati", EVERY_DAY)
    )
    assert_right("window-in-local-dates", world, gold="2024-03-11T13:00Z")


def test_first_two_attendees_is_wrong_where_the_third_is_busy() -> None:
    """The third is busy until 11:00."""
    world = meeting(person(), person(), person(busy={"2024-03-11": "09:00-11:00"}))
    assert_wrong("first-two-attendees", world, "2024-03-11T09:00Z", gold="2024-03-11T11:00Z")


def test_first_two_attendees_is_right_about_two() -> None:
    """There is no third."""
    world = meeting(person(), person(busy={"2024-03-11": "09:00-11:00"}))
    assert_right("first-two-attendees", world, gold="2024-03-11T11:00Z")


@pytest.mark.parametrize("place", [1, 2, 3])
def test_skip_attendee_k_is_wrong_where_that_one_is_busy(place: int) -> None:
    """One of three is busy until 11:00; without that one 09:00 is free."""
    people = [person() for _ in range(3)]
    people[place - 1] = person(busy={"2024-03-11": "09:00-11:00"})
    world = meeting(*people)
    for skipped in 1, 2, 3:
        name = f"skip-attendee-{skipped}"
        if skipped == place:
            assert_wrong(name, world, "2024-03-11T09:00Z", gold="2024-03-11T11:00Z")
        else:
            assert_right(name, world, gold="2024-03-11T11:00Z")


@pytest.mark.parametrize("people", [1, 3])
def test_skip_attendee_k_is_right_about_nobody(people: int) -> None:
    """Place 4 is nobody's, and one alone is not skipped; all are busy until 11:00."""
    world = meeting(*(person(busy={"2024-03-11": "09:00-11:00"}) for _ in range(people)))
    for place in [1, 2, 4] if people == 1 else [4, 5, 1000]:
        assert_right(f"skip-attendee-{place}", world, gold="2024-03-11T11:00Z")


def busy_until(last: date) -> dict[str, str]:
    """Return a calendar from 2024-03-11 on that is full until `last`, then blocked until 10:00."""
    days = [date(2024, 3, 11) + timedelta(days=i) for i in range((last - date(2024, 3, 11)).days)]
    return {day.isoformat(): "09:00-17:00" for day in days} | {last.isoformat(): "09:00-10:00"}


@pytest.mark.parametrize("calls", [10, 20, 40])
def test_at_most_n_calls_is_wrong_on_the_first_date_that_it_does_not_read(calls: int) -> None:
    """The list, one zone and one set of hours leave calls for N - 3 dates, from 11 March on.

    All before the next date is full, and on it the first hour: Monday 18 March, Thursday 28 March
    and Wednesday 17 April for 10, 20 and 40. Unread, it looks free at 09:00.
    """
    unread = date(2024, 3, 11) + timedelta(days=calls - 3)
    assert unread in (date(2024, 3, 18), date(2024, 3, 28), date(2024, 4, 17))
    world = meeting(person(busy=busy_until(unread)), days=calls - 2)
    assert_wrong(f"at-most-{calls}-calls", world, f"{unread}T09:00Z", gold=f"{unread}T10:00Z")


@pytest.mark.parametrize("calls", [10, 20, 40])
def test_at_most_n_calls_is_right_on_the_last_date_that_it_reads(calls: int) -> None:
    """The date before: Friday 15 March (Sunday the 17th is off), 27 March and 16 April."""
    read = {10: date(2024, 3, 15), 20: date(2024, 3, 27), 40: date(2024, 4, 16)}[calls]
    world = meeting(person(busy=busy_until(read)), days=calls - 2)
    assert_right(f"at-most-{calls}-calls", world, gold=f"{read}T10:00Z")


def test_at_most_n_calls_is_wrong_about_an_attendee_whose_hours_it_does_not_read() -> None:
    """The list and four zones with hours are nine calls; the tenth is for the fifth's zone alone.

    The fifth, who works from 10:00 on, is dropped, and no date is read.
    """
    world = meeting(*(person() for _ in range(4)), person("10:00-17:00"))
    assert_wrong("at-most-10-calls", world, "2024-03-11T09:00Z", gold="2024-03-11T10:00Z")


def test_at_most_n_calls_is_wrong_after_the_one_date_that_it_reads() -> None:
    """After nine calls the tenth is for the first date of the first attendee.

    So the first's block until 10:00 is seen, the second's from there until 11:00 is not.
    """
    busy = [{"2024-03-11": "09:00-10:00"}, {"2024-03-11": "10:00-11:00"}, {}, {}]
    world = meeting(*(person(busy=theirs) for theirs in busy))
    assert_wrong("at-most-10-calls", world, "2024-03-11T10:00Z", gold="2024-03-11T11:00Z")


def test_at_most_n_calls_is_wrong_about_a_later_date_of_the_first_attendee() -> None:
    """Dates come before attendees: five calls for two, then Monday, Tuesday and half of Wednesday.

    Both are full on Monday and Tuesday. Of Wednesday the first's block until 10:00 is read, the
    tenth call; the second's until 11:00 is not. Three full dates of one and none of another would
    give Monday 09:00.
    """
    full = {"2024-03-11": "09:00-17:00", "2024-03-12": "09:00-17:00"}
    world = meeting(
        person(busy=full | {"2024-03-13": "09:00-10:00"}),
        person(busy=full | {"2024-03-13": "09:00-11:00"}),
        days=4,
    )
    assert_wrong("at-most-10-calls", world, "2024-03-13T10:00Z", gold="2024-03-13T11:00Z")


def test_at_most_n_calls_is_right_not_to_ask_for_a_date_that_never_came() -> None:
    """In Apia 30 December 2011 never came: at UTC-10 the window starts at 14:00 on the 27th.

    The list, zone and hours leave seven calls: for 27, 28, 29, 31, 1, 2 and 3. The block of the
    3rd, a Tuesday, is read, whose 10:00 at UTC+14 is 20:00Z on the 2nd.
    """
    world = meeting(
        person("09:00-14:00", "Pacific/Apia", weekdays=(1,), busy={"2012-01-03": "09:00-10:00"}),
        start="2011-12-28",
        days=7,
    )
    assert_right("at-most-10-calls", world, gold="2012-01-02T20:00Z")


def test_naive_is_wrong_by_both_of_its_mistakes() -> None:
    """A block until 10:00 in Tokyo ends at 01:00Z; read as UTC, and the end as busy, at 10:01Z."""
    world = meeting(person(zone="Asia/Tokyo", busy={"2024-03-11": "09:00-10:00"}))
    assert_wrong("naive", world, "2024-03-11T10:01Z", gold="2024-03-11T01:00Z")


def test_naive_is_right_about_free_people_at_utc() -> None:
    """Neither mistake has anything to go wrong with."""
    assert_right("naive", meeting(person()), gold="2024-03-11T09:00Z")


def test_always_none_is_wrong_where_there_is_a_start() -> None:
    """09:00 is free."""
    assert_wrong("always-none", meeting(person()), "NONE", gold="2024-03-11T09:00Z")


def test_always_none_is_right_on_a_saturday() -> None:
    """Nobody works on the 9th."""
    assert_right("always-none", meeting(person(), start="2024-03-09"), gold="NONE")


def test_last_valid_start_is_wrong_where_there_are_two() -> None:
    """Half an hour before 17:00 is the last."""
    assert_wrong(
        "last-valid-start", meeting(person()), "2024-03-11T16:30Z", gold="2024-03-11T09:00Z"
    )


@pytest.mark.parametrize(
    ("start", "gold"), [("2024-03-11", "2024-03-11T09:00Z"), ("2024-03-09", "NONE")]
)
def test_last_valid_start_is_right_where_there_is_one_or_none(start: str, gold: str) -> None:
    """Half an hour fits once into 09:00-09:30; on Saturday the 9th it does not at all."""
    assert_right("last-valid-start", meeting(person("09:00-09:30"), start=start), gold=gold)


NEW_YORK_ALL_DAY = (WHOLE_DAY, "America/New_York", EVERY_DAY)
"""Goes from UTC-5 to UTC-4 at 2024-03-10T07:00Z."""


def test_after_first_shift_is_wrong_where_the_answer_comes_before_the_shift() -> None:
    """One at UTC is free on Friday, and after the shift of the other on Monday."""
    world = meeting(person(), person(*NEW_YORK_ALL_DAY), start="2024-03-08", days=4)
    assert_wrong("after-first-shift", world, "2024-03-11T09:00Z", gold="2024-03-08T09:00Z")


def test_after_first_shift_is_wrong_from_the_very_minute_of_the_shift() -> None:
    """Alone, and always free: the first start at or after the shift is the shift."""
    world = meeting(person(*NEW_YORK_ALL_DAY), start="2024-03-10")
    assert_wrong("after-first-shift", world, "2024-03-10T07:00Z", gold="2024-03-10T00:00Z")


def test_after_first_shift_is_wrong_from_the_first_of_two_shifts_on() -> None:
    """New York shifts on 10 March and London on the 31st, here the first attendee."""
    world = meeting(
        person(WHOLE_DAY, "Europe/London", EVERY_DAY),
        person(*NEW_YORK_ALL_DAY),
        start="2024-03-09",
        days=23,
    )
    assert_wrong("after-first-shift", world, "2024-03-10T07:00Z", gold="2024-03-09T00:00Z")


@pytest.mark.parametrize(
    ("start", "days"),
    [("2024-03-11", 1), ("2024-03-08", 2)],  # the day after the shift; until the day before it
)
def test_after_first_shift_is_right_where_the_window_has_no_shift(start: str, days: int) -> None:
    """Without a shift inside the window there is nothing to wait for."""
    world = meeting(person(*NEW_YORK_ALL_DAY), start=start, days=days)
    assert_right("after-first-shift", world, gold=f"{start}T00:00Z")


def test_after_first_shift_is_right_where_the_shift_is_the_window_s_first_minute() -> None:
    """Gaza goes to UTC+3 at 2023-04-29T00:00Z, a minute of the window, and back in October."""
    world = meeting(person(WHOLE_DAY, "Asia/Gaza", EVERY_DAY), start="2023-04-29", days=200)
    assert_right("after-first-shift", world, gold="2023-04-29T00:00Z")


def test_not_first_day_is_wrong_about_the_first_day() -> None:
    """Monday is free, and Tuesday too."""
    world = meeting(person(), days=2)
    assert_wrong("not-first-day", world, "2024-03-12T09:00Z", gold="2024-03-11T09:00Z")


def test_not_first_day_is_wrong_about_a_window_of_one_day() -> None:
    """There is no other day."""
    assert_wrong("not-first-day", meeting(person()), "NONE", gold="2024-03-11T09:00Z")


def test_not_first_day_is_right_where_the_first_day_is_full() -> None:
    """Monday is full."""
    world = meeting(person(busy={"2024-03-11": "09:00-17:00"}), days=2)
    assert_right("not-first-day", world, gold="2024-03-12T09:00Z")


def test_off_half_hour_is_wrong_on_the_hour() -> None:
    """The first start off the grid after 09:00 is 09:01."""
    world = meeting(person())
    assert_wrong("off-half-hour", world, "2024-03-11T09:01Z", gold="2024-03-11T09:00Z")


def test_off_half_hour_is_wrong_where_the_only_start_is_on_the_half_hour() -> None:
    """Half an hour fits once into 09:30-10:00."""
    world = meeting(person("09:30-10:00"))
    assert_wrong("off-half-hour", world, "NONE", gold="2024-03-11T09:30Z")


def test_off_half_hour_is_right_at_a_quarter_past() -> None:
    """09:00 in Kathmandu, at UTC+5:45, is 03:15Z."""
    world = meeting(person(zone="Asia/Kathmandu"))
    assert_right("off-half-hour", world, gold="2024-03-11T03:15Z")


@pytest.mark.parametrize(("days", "answer"), [(4, "2024-03-14T00:00Z"), (1, "2024-03-11T18:00Z")])
def test_last_quarter_of_window_is_wrong_before_it(days: int, answer: str) -> None:
    """The last quarter of four days is the fourth, that of one day is from 18:00 on."""
    world = meeting(person(WHOLE_DAY), days=days)
    assert_wrong("last-quarter-of-window", world, answer, gold="2024-03-11T00:00Z")


def test_last_quarter_of_window_is_right_in_it() -> None:
    """Of Monday to Thursday, one works on Thursday alone."""
    world = meeting(person(weekdays=(3,)), days=4)
    assert_right("last-quarter-of-window", world, gold="2024-03-14T09:00Z")


def test_never_none_is_wrong_on_a_saturday() -> None:
    """There is no answer on the 9th; the window's first minute is given."""
    world = meeting(person(), start="2024-03-09")
    assert_wrong("never-none", world, "2024-03-09T00:00Z", gold="NONE")


def test_never_none_is_right_where_there_is_a_start() -> None:
    """It is the gold then."""
    assert_right("never-none", meeting(person()), gold="2024-03-11T09:00Z")


@pytest.mark.parametrize("verdict", ["wrong", "right"])
def test_every_policy_has_a_world_derived_by_hand(verdict: str) -> None:
    families = {"skip-attendee-1": "skip-attendee-k"} | {
        f"at-most-{calls}-calls": "at-most-n-calls" for calls in pointwise.CALLS
    }
    for name in pointwise.names(attendees=1):
        stem = f"test_{families.get(name, name).replace('-', '_')}_is_{verdict}_"
        assert any(test.startswith(stem) for test in globals()), stem


# Pairs.


def assert_both(left: str, right: str, world: World, answer: str) -> None:
    """Assert the answer of someone who makes both mistakes, whichever is named first."""
    for pair in (left, right), (right, left):
        both = merged(*(policy_named(name) for name in pair))
        assert (both.name, answers(both, world)[0]) == ("+".join(pair), answer)
    assert text(pointwise.answer_of_both(left, right, world)) == answer


def test_a_pair_reads_tokyo_as_utc_and_overlooks_its_blocks() -> None:
    """The block from 09:00 to 10:00 in Tokyo is 00:00Z-01:00Z, so the answer is 01:00Z.

    As UTC 10:00Z would be given, without blocks 00:00Z; with both 09:00Z.
    """
    world = meeting(person(zone="Asia/Tokyo", busy={"2024-03-11": "09:00-10:00"}))
    assert_wrong("ignore-time-zones", world, "2024-03-11T10:00Z", gold="2024-03-11T01:00Z")
    assert_wrong("ignore-busy", world, "2024-03-11T00:00Z", gold="2024-03-11T01:00Z")
    assert_both("ignore-time-zones", "ignore-busy", world, "2024-03-11T09:00Z")


def test_a_pair_takes_saturday_for_a_working_day_and_leaves_the_last_out() -> None:
    """The last is busy until 11:00 on Saturday the 9th and on Monday the 11th; the first is free.

    One mistake alone gives Saturday at 11:00, the other Monday at 09:00; both, Saturday at 09:00.
    """
    busy = {"2024-03-09": "09:00-11:00", "2024-03-11": "09:00-11:00"}
    world = meeting(person(), person(busy=busy), start="2024-03-09", days=3)
    assert_wrong("ignore-weekdays", world, "2024-03-09T11:00Z", gold="2024-03-11T11:00Z")
    assert_wrong("skip-last-attendee", world, "2024-03-11T09:00Z", gold="2024-03-11T11:00Z")
    assert_both("ignore-weekdays", "skip-last-attendee", world, "2024-03-09T09:00Z")


def test_a_pair_tries_half_hours_and_the_first_day_only() -> None:
    """On Monday only 16:31 leaves 29 minutes, on Tuesday 09:00 does.

    Half hours alone give Tuesday at 09:00, the first day alone is right; with both there is none.
    """
    world = meeting(person(busy={"2024-03-11": "09:00-16:31"}), days=2, duration=29)
    assert_wrong("half-hour-grid", world, "2024-03-12T09:00Z", gold="2024-03-11T16:31Z")
    assert_right("first-day-only", world, gold="2024-03-11T16:31Z")
    assert_both("half-hour-grid", "first-day-only", world, "NONE")


def test_a_pair_looks_up_by_utc_date_the_blocks_that_it_does_not_look_at() -> None:
    """Who does not look at blocks finds none under any date: it is `ignore-busy` alone.

    Monday evening in Los Angeles, from 2024-03-12T00:00Z on, and Tuesday's are blocked.
    """
    busy = {"2024-03-11": "16:00-18:00", "2024-03-12": "16:00-19:00"}
    world = meeting(person("16:00-20:00", "America/Los_Angeles", busy=busy), start="2024-03-12")
    assert_wrong("busy-by-utc-date", world, "2024-03-12T02:00Z", gold="2024-03-12T01:00Z")
    assert_wrong("ignore-busy", world, "2024-03-12T00:00Z", gold="2024-03-12T01:00Z")
    assert_both("busy-by-utc-date", "ignore-busy", world, "2024-03-12T00:00Z")


# Names.


def every_policy() -> Iterator[Policy]:
    yield GOLD
    yield from policies_for(parse_world(dict(meeting(*(person() for _ in range(6))))))


def test_the_core_has_twelve_policies_in_four_groups_of_three() -> None:
    groups: dict[str, list[str]] = {}
    for policy in CORE:
        groups.setdefault(policy.group, []).append(policy.name)
    assert groups == {group: list(policies) for group, policies in pointwise.CORE.items()}


@pytest.mark.parametrize("attendees", [1, 2, 6])
def test_the_special_policies_follow_the_number_of_attendees(attendees: int) -> None:
    names = [policy.name for policy in specials(attendees)]
    assert names == pointwise.special_names(attendees)
    assert {policy.group for policy in specials(attendees)} == {"special"}


def test_the_panel_names_every_policy_once_core_ones_first() -> None:
    names = [policy.name for policy in every_policy()]
    assert names == ["gold", *pointwise.names(attendees=6)]
    assert len(set(names)) == len(names)


def test_every_policy_is_found_by_its_name() -> None:
    for policy in every_policy():
        assert policy_named(policy.name) == policy


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("skip-attendee-7", skip_attendee(7)),
        ("skip-attendee-1000", skip_attendee(1000)),
        ("at-most-15-calls", at_most_calls(15)),
        ("at-most-1-calls", at_most_calls(1)),
    ],
)
def test_a_number_may_be_any_from_one_on(name: str, made: Policy) -> None:
    assert made.name == name
    assert policy_named(name) == made


def test_at_most_15_calls_makes_fifteen_calls() -> None:
    """Seven attendees are fifteen calls without a date: nobody's block until 10:00 is read.

    An eighth, who works from 11:00 on, would be the sixteenth and seventeenth.
    """
    world = meeting(
        *(person(busy={"2024-03-11": "09:00-10:00"}) for _ in range(7)), person("11:00-17:00")
    )
    assert_wrong("at-most-15-calls", world, "2024-03-11T09:00Z", gold="2024-03-11T11:00Z")


@pytest.mark.parametrize("calls", [1, 2])
def test_who_reads_nobody_s_hours_gives_the_window_s_first_minute(calls: int) -> None:
    """Everybody is dropped, so that nobody stands in the way."""
    world = meeting(person())
    assert_wrong(f"at-most-{calls}-calls", world, "2024-03-11T00:00Z", gold="2024-03-11T09:00Z")


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "hard",
        "ignore_dst",
        "Ignore-DST",
        "ignore-dst ",
        "ignore-dst\n",
        "ignore-dst+ignore-busy",
        "skip-attendee",
        "skip-attendee-",
        "skip-attendee-k",
        "skip-attendee-0",
        "skip-attendee-01",
        "skip-attendee--1",
        "skip-attendee-+1",
        "skip-attendee-1.0",
        "skip-attendee-1_0",
        "skip-attendee- 1",
        "skip-attendee-1\n",
        "skip-attendee-\u0663",
        "skip-attendee-1\u0660",
        "skip-attendee-\u00b2",
        "skip-attendee-1-calls",
        "skip-attendee-" + "9" * 5000,
        "at-most--calls",
        "at-most-calls",
        "at-most-N-calls",
        "at-most-0-calls",
        "at-most-010-calls",
        "at-most--5-calls",
        "at-most-10",
        "at-most-10-calls-calls",
        "at-most-at-most-10-calls",
        "at-most-\u0661\u0660-calls",
        "at-most-" + "9" * 5000 + "-calls",
        "7",
        "\x1b[31mgold",
        "\u202egold",
        "gold\ud800",
    ],
)
def test_an_unknown_name_is_refused_in_one_line(name: str) -> None:
    with pytest.raises(MeetingSlotError, match="unknown policy") as refused:
        policy_named(name)
    message = str(refused.value)
    assert "\n" not in message
    assert not unprintable(message)
    names = (*pointwise.names(attendees=0), "skip-attendee-K")
    assert "did you mean " in message or all(known in message for known in names)
    assert len(message) < 2000


@pytest.mark.parametrize(
    ("name", "meant"),
    [("ignore_dst", "ignore-dst"), ("golden", "gold"), ("at-most-10", "at-most-10-calls")],
)
def test_the_nearest_name_is_offered(name: str, meant: str) -> None:
    with pytest.raises(MeetingSlotError, match=rf"did you mean {meant}( or [\w-]+)?\?$"):
        policy_named(name)


# Misconceptions.


def test_a_misconception_ends_the_answer_of_someone_who() -> None:
    for policy in every_policy():
        said = policy.misconception
        assert re.fullmatch(r"(never|[a-z]+s) [^\n]*[^.\s]", said), said


def test_no_two_policies_have_the_same_misconception() -> None:
    said = [policy.misconception for policy in every_policy()]
    assert sorted(set(said)) == sorted(said)


def test_a_numbered_policy_says_its_number() -> None:
    for made, number in (skip_attendee, 7), (at_most_calls, 15):
        policy_of: Callable[[int], Policy] = made
        assert str(number) in policy_of(number).misconception
