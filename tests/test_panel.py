"""The panel's measures: hardness, load, load-bearing attendees, and whose answer an answer is.

Right values come from `tests.pointwise_policies` and the oracle, or are derived by hand.
"""

import json
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from meeting_slot import parse_world
from meeting_slot.measures import (
    Band,
    Load,
    Size,
    band_of,
    defeated,
    hardness,
    is_load_bearing,
    load,
    matching,
    panel,
    panel_meta,
)
from meeting_slot.policies import BASELINES, INVERSE, policy_named
from meeting_slot.reading import Reader
from meeting_slot.sweep import earliest_start
from tests import oracle
from tests import pointwise_policies as pointwise
from tests.oracle import World
from tests.strategies import worlds, worlds_drawn
from tests.test_policies import (
    EVERY_DAY,
    WHOLE_DAY,
    meeting,
    person,
    text,
    trapped_worlds,
)


def typed(world: World) -> Any:
    return parse_world(dict(world))


def wrong_by_design(world: World) -> list[str]:
    """Return the core and special policies that answer wrong, pointwise."""
    names = [*pointwise.CORE_NAMES, *pointwise.special_names(len(world["attendees"]))]
    gold = oracle.answer_minute(world)
    return [name for name in names if pointwise.answer(name, world) != gold]


def hard_world(days: int) -> World:
    """Return a world with a way into every trap; `days` is 5 for NONE or 6 for an answer.

    The first works 09:00-17:00 in New York, which goes from UTC-5 to UTC-4 on Sunday 10 March. The
    second, at UTC, is free for half an hour a day, always another; the third, in Tokyo, whenever
    that is but for the first hour of Friday the 8th, 15:00Z-16:00Z on Thursday. Half an hour from

    - Thursday 10:00Z on: 05:00 in New York, but 10:00 for who takes it for UTC;
    - Thursday 15:00Z on: the third is busy, by Friday's calendar and not by Thursday's, unless the
      third, or everyone but the first, or every block, is left out;
    - Saturday 15:00Z on: the first is off, unless every day counts;
    - Sunday 15:00Z on: the first is off, unless weekday 0 is Sunday;
    - Monday 21:00Z on: 17:00 in New York, but 16:00 at UTC-5, the offset of the window's start and
      the year's smallest;
    - Tuesday 14:15Z on: all three are free. That is the answer, where the window reaches so far.
    """
    free = {7: ["10:00", "15:00"], 9: ["15:00"], 10: ["15:00"], 11: ["21:00"], 12: ["14:15"]}
    busy = {}
    for day in range(7, 14):
        edges = ["00:00"]
        for start in free.get(day, []):
            edges += [start, f"{start[:3]}{int(start[3:]) + 30}"]
        edges.append("24:00")
        blocks = zip(edges[::2], edges[1::2], strict=True)
        busy[f"2024-03-{day:02}"] = " ".join("-".join(block) for block in blocks)
    return meeting(
        person(zone="America/New_York"),
        person(WHOLE_DAY, weekdays=EVERY_DAY, busy=busy),
        person(WHOLE_DAY, "Asia/Tokyo", EVERY_DAY, busy={"2024-03-08": "00:00-01:00"}),
        start="2024-03-07",
        days=days,
    )


# Hardness.


@worlds_drawn(short=80, long=3_000)
@given(trapped_worlds())
def test_hardness_is_the_number_of_core_policies_that_answer_wrong(world: World) -> None:
    wrong = wrong_by_design(world)
    core = [name for name in wrong if name in pointwise.CORE_NAMES]
    event(f"{len(core)}/12")
    assert hardness(typed(world)) == len(core)
    assert defeated(typed(world)) == wrong
    rest = {policy.name for policy in (*BASELINES, *INVERSE)}
    assert [name for name in panel(typed(world)).wrong if name not in rest] == wrong


def test_hardness_is_zero_where_nothing_can_be_missed() -> None:
    """One at UTC is free on a Monday at 09:00, and was busy the evening before."""
    world = meeting(person(busy={"2024-03-10": "18:00-20:00"}))
    assert hardness(typed(world)) == 0
    assert defeated(typed(world)) == []


def test_hardness_is_twelve_where_every_core_policy_fails() -> None:
    """The answer is on Tuesday at 14:15Z; nine policies find a start before, as the world says.

    Three find none: Tuesday is not the first day, 14:15 is off the half hours, and a block ends
    then; a later start leaves less than half an hour.
    """
    world = hard_world(days=6)
    assert oracle.answer(world) == "2024-03-12T14:15:00Z"
    assert hardness(typed(world)) == 12
    found = {name: text(at) for name, at in panel(typed(world)).answers.items()}
    assert {name: found[name] for name in pointwise.CORE_NAMES} == {
        "ignore-time-zones": "2024-03-07T10:00Z",
        "ignore-dst": "2024-03-11T21:00Z",
        "offset-frozen": "2024-03-11T21:00Z",
        "ignore-weekdays": "2024-03-09T15:00Z",
        "sunday-first": "2024-03-10T15:00Z",
        "busy-by-utc-date": "2024-03-07T15:00Z",
        "ignore-busy": "2024-03-07T14:00Z",
        "busy-end-inclusive": "NONE",
        "half-hour-grid": "NONE",
        "first-attendee-only": "2024-03-07T14:00Z",
        "skip-last-attendee": "2024-03-07T15:00Z",
        "first-day-only": "NONE",
    }


def test_a_none_world_reaches_nine() -> None:
    """Without Tuesday the three that only forbid answer NONE, which is right; the others do not."""
    world = hard_world(days=5)
    assert oracle.answer(world) == "NONE"
    assert hardness(typed(world)) == 9
    right = {"busy-end-inclusive", "half-hour-grid", "first-day-only"}
    assert right.isdisjoint(defeated(typed(world)))


@worlds_drawn(short=80, long=3_000)
@given(trapped_worlds())
def test_a_none_world_has_no_more_than_nine(world: World) -> None:
    """Everybody works on one weekday alone, the fourth after the window's first."""
    first = oracle.window(world).start
    for attendee in world["attendees"]:
        day, _ = oracle.local_reading(attendee["timezone"], first)
        attendee["working_hours"]["weekdays"] = [(day.weekday() + 4) % 7]
    if oracle.answer_minute(world) is None:
        event("NONE")
        right = {"busy-end-inclusive", "half-hour-grid", "first-day-only"}
        assert right.isdisjoint(defeated(typed(world)))
        assert hardness(typed(world)) <= 9


@pytest.mark.parametrize(
    ("failed", "band"),
    [
        (0, Band.EASY),
        (4, Band.EASY),
        (5, Band.MEDIUM),
        (8, Band.MEDIUM),
        (9, Band.HARD),
        (12, Band.HARD),
    ],
)
def test_a_band_is_easy_to_four_and_medium_to_eight(failed: int, band: Band) -> None:
    assert band_of(failed) is band


def test_the_bands_and_sizes_are_named_as_they_are_written() -> None:
    assert [band.value for band in Band] == ["easy", "medium", "hard"]
    assert [size.value for size in Size] == ["S", "M", "L"]


# Load.


def calls_by_design(world: World) -> int:
    """Return 1 + 2n + every attendee's distinct local dates from the window's start to the end."""
    dates = sum(len(pointwise.local_dates(attendee, world)) for attendee in world["attendees"])
    return 1 + 2 * len(world["attendees"]) + dates


@worlds_drawn(short=150, long=5_000)
@given(worlds(most_days=5))
def test_load_counts_the_list_two_calls_an_attendee_and_every_local_date(world: World) -> None:
    found = load(typed(world))
    assert found.calls == calls_by_design(world) == len(pointwise.calls_in_order(world))


@pytest.mark.parametrize(
    ("duration", "days", "calls"),
    [
        (1, 1, 4),  # list, zone, hours, and 11 March
        (2, 1, 5),  # a meeting from 23:59 on touches 12 March
        (1440, 1, 5),  # until 23:58 on the 12th
        (1, 7, 10),  # Saturday and Sunday are read, though they are off
    ],
)
def test_load_counts_the_dates_that_a_meeting_may_touch(
    duration: int, days: int, calls: int
) -> None:
    assert load(typed(meeting(person(), days=days, duration=duration))).calls == calls


@pytest.mark.parametrize(
    ("zone", "start", "calls"),
    [
        ("Asia/Tokyo", "2024-03-11", 5),  # from 09:00 to 09:00: 11 and 12 March
        ("Pacific/Apia", "2011-12-30", 5),  # from 14:00 on the 29th to 14:00 on the 31st
        ("Pacific/Apia", "2011-12-29", 5),  # from 14:00 on the 28th to 14:00 on the 29th
        ("Antarctica/Vostok", "1994-01-31", 4),  # from 07:00 to 24:00, the last seven hours twice
    ],
)
def test_load_counts_local_dates_that_occur_and_each_once(
    zone: str, start: str, calls: int
) -> None:
    assert load(typed(meeting(person(zone=zone), start=start, duration=1))).calls == calls


@pytest.mark.parametrize(
    ("days", "calls", "size"),
    [
        (12, 15, Size.S),
        (13, 16, Size.M),
        (32, 35, Size.M),
        (33, 36, Size.L),
    ],
)
def test_load_is_small_up_to_15_calls_and_middling_up_to_35(
    days: int, calls: int, size: Size
) -> None:
    """The list, one zone, one set of hours and, with a duration of one minute, one date a day."""
    found = load(typed(meeting(person(), days=days, duration=1)))
    assert found == Load(calls)
    assert found.size is size


# Load-bearing attendees.


def is_load_bearing_by_design(world: World) -> bool:
    """Remove each attendee in turn and solve what is left, minute by minute."""
    gold = oracle.answer_minute(world)
    places = range(1, len(world["attendees"]) + 1)
    return all(oracle.answer_minute(pointwise.without(world, place)) != gold for place in places)


def blocked_by(*hours: tuple[int, ...], people: int, zone: str = "UTC") -> World:
    """Return a world of so many people whose n-th hour of Monday the 11th some of them block.

    Each hour names those, by their places from 1. All work on Mondays alone, from midnight until
    the end of the last hour named.
    """
    cast = []
    for place in range(1, people + 1):
        blocks = [f"{i:02}:00-{i + 1:02}:00" for i, busy in enumerate(hours) if place in busy]
        whole_day = f"00:00-{len(hours):02}:00"
        busy = {"2024-03-11": " ".join(blocks)}
        cast.append(person(whole_day, zone, weekdays=(0,), busy=busy))
    return meeting(*cast, start="2024-03-10", days=3)


@st.composite
def crowded_worlds(draw: st.DrawFn) -> World:
    """Draw a world of 2 to 4 people, each of whom alone blocks an hour; two or none may another.

    In most of these worlds everybody is load-bearing; not where an hour that nobody blocks comes
    before somebody's only one.
    """
    people = draw(st.sampled_from([2, 3, 4]))
    alone = [(place,) for place in range(1, people + 1)]
    others = draw(st.lists(st.sampled_from([(1, people), (), (2,)]), max_size=3))
    hours = draw(st.permutations([*alone, *others]))
    zone = draw(st.sampled_from(["UTC", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"]))
    return blocked_by(*hours, people=people, zone=zone)


@worlds_drawn(short=80, long=4_000)
@given(worlds(most_days=3))
def test_everybody_is_load_bearing_where_removing_any_one_changes_the_answer(world: World) -> None:
    alone = len(world["attendees"]) == 1
    expected = not alone and is_load_bearing_by_design(world)
    event(f"load-bearing: {expected}")
    assert is_load_bearing(typed(world)) == expected


@worlds_drawn(short=60, long=4_000)
@given(crowded_worlds())
def test_load_bearing_entails_that_policies_fail_which_leave_somebody_out(world: World) -> None:
    expected = is_load_bearing_by_design(world)
    event(f"load-bearing: {expected}")
    assert is_load_bearing(typed(world)) == expected
    if expected:
        people = len(world["attendees"])
        entailed = {f"skip-attendee-{place}" for place in range(1, people + 1)}
        entailed |= {"skip-last-attendee", "first-attendee-only"}
        if people >= 3:
            entailed.add("first-two-attendees")
        assert entailed <= set(defeated(typed(world)))


def test_all_are_load_bearing_who_each_alone_block_an_hour_before_the_answer() -> None:
    """The first blocks 00:00, the second 01:00, the third 02:00, and nobody 03:00."""
    world = blocked_by((1,), (2,), (3,), (), people=3)
    assert oracle.answer(world) == "2024-03-11T03:00:00Z"
    assert is_load_bearing(typed(world))


def test_all_are_load_bearing_who_each_alone_block_an_hour_of_a_none_world() -> None:
    """As before, but nobody works after 03:00: without any one of them there would be a start."""
    world = blocked_by((1,), (2,), (3,), people=3)
    assert oracle.answer(world) == "NONE"
    assert is_load_bearing(typed(world))


@pytest.mark.parametrize(
    "hours",
    [
        ((1, 3), (2,), (1, 3), ()),  # without the first the third still blocks 00:00 and 02:00
        ((1,), (2,), (), (3,)),  # the third blocks an hour after the answer
        ((1,), (2,), ()),  # the third blocks nothing
    ],
)
def test_not_all_are_load_bearing_where_one_alone_blocks_nothing_before_the_answer(
    hours: tuple[tuple[int, ...], ...],
) -> None:
    assert not is_load_bearing(typed(blocked_by(*hours, people=3)))


@pytest.mark.parametrize("start", ["2024-03-11", "2024-03-09"])  # with an answer, and NONE
def test_a_single_attendee_is_never_load_bearing(start: str) -> None:
    assert not is_load_bearing(typed(meeting(person(), start=start)))


# What is written of a world.


def test_the_meta_names_the_panel_the_failures_and_the_load() -> None:
    """Of three at UTC, the second is busy until 10:00 and the third until 11:00, on Monday.

    The first alone is free at 09:00, the first two are at 10:00. Skipping the third finds 10:00.
    After the list and three zones with hours three calls are left: the first date of each.
    """
    world = meeting(
        person(),
        person(busy={"2024-03-11": "09:00-10:00"}),
        person(busy={"2024-03-11": "09:00-11:00"}),
    )
    wrong = [
        "ignore-busy",
        "busy-end-inclusive",
        "first-attendee-only",
        "skip-last-attendee",
        "first-two-attendees",
        "skip-attendee-3",
    ]
    meta = panel_meta(typed(world))
    assert meta == {
        "panel": "core v1",
        "core_failed": 4,
        "defeated": wrong,
        "load": {"calls": 13, "size": "S"},
    }
    assert json.loads(json.dumps(meta)) == meta


@worlds_drawn(short=40, long=2_000)
@given(trapped_worlds())
def test_the_meta_counts_the_core_among_the_defeated(world: World) -> None:
    meta = panel_meta(typed(world))
    wrong = wrong_by_design(world)
    calls = calls_by_design(world)
    assert meta == {
        "panel": "core v1",
        "core_failed": sum(name in pointwise.CORE_NAMES for name in wrong),
        "defeated": wrong,
        "load": {"calls": calls, "size": "S" if calls <= 15 else "M" if calls <= 35 else "L"},
    }


# Whose answer it is.


@worlds_drawn(short=40, long=2_000)
@given(trapped_worlds())
def test_matching_names_exactly_the_policies_that_give_an_answer(world: World) -> None:
    by_design = {
        name: pointwise.answer(name, world) for name in pointwise.names(len(world["attendees"]))
    }
    asked = {*by_design.values(), None, oracle.window(world).start, oracle.window(world).stop + 7}
    for answer in asked:
        found = [policy.name for policy in matching(typed(world), answer)]
        assert found == [name for name, at in by_design.items() if at == answer]


def test_matching_names_all_who_take_the_shift_for_nothing() -> None:
    """Monday's 09:00 in New York is 13:00Z; at Friday's offset, the year's smallest, 14:00Z.

    Nobody else is an hour late: Friday is full and the weekend off.
    """
    world = meeting(
        person(zone="America/New_York", busy={"2024-03-08": "09:00-17:00"}),
        start="2024-03-08",
        days=4,
    )
    monday = oracle.window(world).start + 3 * oracle.MINUTES_A_DAY
    found = [policy.name for policy in matching(typed(world), monday + 14 * 60)]
    assert found == ["ignore-dst", "offset-frozen"]
    assert matching(typed(world), monday + 15 * 60) == []


def test_the_panel_gives_what_a_reader_gives_of_each_policy() -> None:
    world = typed(hard_world(days=6))
    found = panel(world)
    assert list(found.answers) == pointwise.names(attendees=3)
    assert found.answers == {
        name: Reader(world).answer(policy_named(name)) for name in found.answers
    }
    assert found.gold == earliest_start(world)
    assert [name in found.wrong for name in found.answers] == [
        answer != found.gold for answer in found.answers.values()
    ]
