"""What the audit counts of one world, by hand and against the pointwise oracle."""

import itertools
from typing import Any, cast

import msgspec
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from meeting_slot import World, earliest_start, grade_reply, parse_answer, parse_world
from meeting_slot.features import Outcome, Shift, features, outcome
from meeting_slot.instants import answer_text
from meeting_slot.measures import Band, Load, Size, panel
from meeting_slot.near_misses import SHORT_BY, near_misses
from meeting_slot.policies import CORE
from tests import oracle
from tests.conftest import ANSWER, a_world
from tests.strategies import clock_text, worlds, worlds_drawn
from tests.world_objects import attendee_object, world_object


def minute(text: str) -> int:
    """Return the UTC minute of an instant."""
    instant = parse_answer(text)
    assert instant is not None
    return instant.minute


def one_day(*busy: str, hours: str = "09:00-17:00", duration: int = 30) -> World:
    """Return a world of 2024-03-11 in UTC, with an attendee for each text of busy blocks."""
    attendees = [
        attendee_object(f"P{i}", hours=hours, busy={"2024-03-11": blocks})
        for i, blocks in enumerate(busy)
    ]
    return parse_world(world_object(*attendees, duration_minutes=duration))


def at(time: str) -> int:
    """Return the UTC minute of a time of 2024-03-11."""
    return minute(f"2024-03-11T{time}:00Z")


@st.composite
def _full_mornings(draw: st.DrawFn) -> str:
    """Draw the blocks of somebody who is busy most of the time from 09:00 to noon."""
    blocks, at = [], 540 + draw(st.sampled_from([0, 0, 10, 25]))
    while at < 720 and draw(st.integers(0, 6)):
        end = at + draw(st.sampled_from([5, 20, 40, 60]))
        blocks.append(f"{clock_text(at)}-{clock_text(end)}")
        at = end + draw(st.sampled_from([5, 15, 25, 35, 50]))
    return " ".join(blocks)


@st.composite
def full_mornings(draw: st.DrawFn, most: int = 4) -> World:
    """Draw a world of one day on which everybody works from 09:00 to noon and is often busy."""
    busy = draw(st.lists(_full_mornings(), min_size=1, max_size=most))
    duration = draw(st.sampled_from([10, 20, 30, 45]))
    return one_day(*busy, hours="09:00-12:00", duration=duration)


# The sample world: Friday is full, the weekend off, New York shifts on Sunday


def test_the_answer_and_where_it_lies() -> None:
    found = features(parse_world(a_world(id="w")))
    assert (found.id, found.answer) == ("w", minute(ANSWER))
    assert (found.minute_of_hour, found.minute_of_day) == (0, 13 * 60)
    assert (found.weekday, found.day_offset) == (0, 3)  # Monday, after Friday
    assert found.position == (3 * 1440 + 13 * 60) / (4 * 1440)
    # common hours on Monday are 13:00 to 17:00
    assert found.valid_bounds == (minute(ANSWER), minute("2024-03-11T16:31:00Z"))
    assert found.stretches == 1


def test_what_is_asked_of_whom() -> None:
    found = features(parse_world(a_world()))
    assert (found.duration_minutes, found.window_days) == (30, 4)
    assert found.window_start * 1440 == minute("2024-03-08T00:00:00Z")
    assert found.names == ("Ava", "Farid")
    assert found.timezones == ("America/New_York", "Europe/London")
    shift = minute("2024-03-10T07:00:00Z")
    assert found.shifts == (Shift("America/New_York", shift, 60),)


def test_a_zone_of_two_attendees_counts_once_and_so_do_its_shifts() -> None:
    both = [attendee_object(name, "Europe/London") for name in ("Ava", "Farid")]
    found = features(parse_world(world_object(*both, window_start="2024-10-26", window_days=2)))
    assert found.timezones == ("Europe/London",)
    assert found.shifts == (Shift("Europe/London", minute("2024-10-27T01:00:00Z"), -60),)


def test_hardness_load_and_outcomes_of_the_sample_world() -> None:
    found = features(parse_world(a_world()))
    core = {policy.name: found.outcomes[policy.name] for policy in CORE}
    exact = {name for name, outcome in core.items() if outcome is Outcome.EXACT}
    assert exact == {
        "busy-by-utc-date",
        "busy-end-inclusive",
        "half-hour-grid",
        "first-attendee-only",
        "skip-last-attendee",
    }
    later = {name for name, outcome in core.items() if outcome is Outcome.LATER}
    assert later == {"ignore-dst", "offset-frozen"}  # at 14:00, an hour late
    assert (found.core_failed, found.hardness, found.band) == (7, 7 / 12, Band.MEDIUM)
    # the list, two calls for each, five dates for each: London's last is the 12th, at 00:29
    assert (found.load.calls, found.load.size) == (1 + 4 + 10, Size.S)


def test_the_floor_is_the_list_and_the_smallest_proof() -> None:
    # zone and hours of both, Monday of both, and Friday of either
    found = features(parse_world(a_world()))
    assert (found.floor, found.floor_proven) == (1 + 4 + 2 + 1, True)


def test_the_others_of_the_panel_have_an_outcome_too() -> None:
    outcomes = features(parse_world(a_world())).outcomes
    assert outcomes["last-valid-start"] is Outcome.LATER
    assert outcomes["always-none"] is Outcome.WRONG
    assert outcomes["never-none"] is Outcome.EXACT
    assert outcomes["skip-attendee-1"] is Outcome.WRONG  # Farid alone can at 09:00
    assert "skip-attendee-3" not in outcomes


def test_nothing_of_an_answer_where_there_is_none() -> None:
    found = features(one_day("09:00-17:00"))
    facts = (found.answer, found.minute_of_hour, found.minute_of_day, found.weekday)
    assert facts == (None, None, None, None)
    assert (found.day_offset, found.position, found.stretches) == (None, None, 0)
    assert found.outcomes["always-none"] is Outcome.EXACT
    assert found.outcomes["never-none"] is Outcome.WRONG


def test_a_recorded_answer_is_not_used() -> None:
    wrong = parse_world(a_world(id="w", answer="NONE", meta={"core_failed": 12}))
    assert features(wrong) == features(parse_world(a_world(id="w")))


@pytest.mark.parametrize(("calls", "readable"), [(39, True), (40, False)])
def test_the_answer_takes_the_last_of_forty_turns(calls: int, readable: bool) -> None:
    found = msgspec.structs.replace(features(one_day("")), load=Load(calls))
    assert found.readable_one_call_a_turn is readable


def test_load_bearing_is_everybody_or_nobody() -> None:
    assert features(one_day("09:00-10:00 11:00-17:00", "10:00-10:30")).load_bearing
    assert not features(one_day("09:00-10:00", "09:00-09:30")).load_bearing
    assert not features(one_day("09:00-10:00")).load_bearing  # nobody would be left


# What an answer is worth


@pytest.mark.parametrize(
    ("time", "worth"),
    [
        ("09:59", Outcome.WRONG),
        ("10:00", Outcome.EXACT),
        ("10:01", Outcome.LATER),
        ("10:30", Outcome.LATER),
        ("10:31", Outcome.WRONG),
        ("12:59", Outcome.WRONG),
        ("13:00", Outcome.LATER),
        ("13:30", Outcome.LATER),
        ("13:31", Outcome.WRONG),
    ],
)
def test_an_answer_is_exact_or_valid_but_later_or_wrong(time: str, worth: Outcome) -> None:
    bounds = features(one_day("09:00-10:00 11:00-13:00 14:00-17:00")).valid_bounds
    assert outcome(at(time), bounds) is worth


def test_none_is_worth_something_only_where_it_is_right() -> None:
    assert outcome(None, ()) is Outcome.EXACT
    assert outcome(0, ()) is Outcome.WRONG
    assert outcome(None, (5, 6)) is Outcome.WRONG


@worlds_drawn(short=100, long=3_000)
@given(worlds(most_days=5))
def test_every_outcome_is_what_grading_makes_of_the_policys_answer(drawn: Any) -> None:
    world = parse_world(drawn)
    outcomes = features(world).outcomes
    for name, answer in panel(world).answers.items():
        grade = grade_reply(world, f"<answer>{answer_text(answer)}</answer>")
        assert outcomes[name].reward == pytest.approx(grade.reward, abs=0), name
        assert (outcomes[name] is Outcome.EXACT) == (grade.exact == 1.0), name


@worlds_drawn(short=200, long=3_000)
@given(full_mornings(most=2))
def test_load_bearing_is_what_removing_each_attendee_shows(world: World) -> None:
    whole = cast(oracle.World, world.to_json())
    one_less = [
        [other for other in whole["attendees"] if other != one]
        for one in whole["attendees"]
        if len(whole["attendees"]) > 1
    ]
    answers = [
        oracle.answer({"request": whole["request"], "attendees": others}) for others in one_less
    ]
    expected = bool(answers) and oracle.answer(whole) not in answers
    event(f"load-bearing: {expected}")
    assert features(world).load_bearing is expected


# Near misses


@pytest.mark.parametrize(
    ("blocks", "short"),
    [
        ("09:29-17:00", 29),
        ("09:15-17:00", 15),
        ("09:14-17:00", None),  # too short by 16 minutes
        ("09:00-17:00", None),
    ],
)
def test_too_short_by_at_most_fifteen_minutes(blocks: str, short: int | None) -> None:
    assert SHORT_BY == 15
    found = near_misses(one_day(blocks))
    expected = () if short is None else ((at("09:00"), at("09:00") + short),)
    assert (found.too_short, found.one_missing) == (expected, ())


def test_any_stretch_is_too_short_by_little_for_a_short_meeting() -> None:
    found = near_misses(one_day("09:01-09:30 09:45-17:00", duration=15))
    assert found.too_short == ((at("09:00"), at("09:01")),)
    assert earliest_start(one_day("09:01-09:30 09:45-17:00", duration=15)) == at("09:30")


def test_nothing_after_the_answer_is_a_near_miss() -> None:
    assert near_misses(one_day("09:30-10:00 10:20-17:00", "")).count == 0
    assert near_misses(one_day("09:20-10:00", "12:00-13:00")).count == 1


def test_free_for_all_but_one_for_the_length_of_a_meeting() -> None:
    # until 11:00 only the second is missing, until 12:00 both, until 14:00 only the first
    found = near_misses(one_day("11:00-14:00", "09:00-12:00"))
    assert found.one_missing == ((at("09:00"), at("11:00")), (at("12:00"), at("17:00")))
    assert (found.too_short, found.count) == ((), 2)


def test_all_but_one_for_less_than_a_meeting_is_no_near_miss() -> None:
    assert near_misses(one_day("09:29-14:00", "09:00-14:00")).count == 0
    assert near_misses(one_day("09:30-14:00", "09:00-14:00")).count == 1


def test_all_but_two_is_no_near_miss() -> None:
    assert near_misses(one_day("", "09:00-12:00", "09:00-12:00")).count == 0


def test_a_place_that_is_a_near_miss_in_both_ways_counts_once() -> None:
    # 09:00 to 09:20 both are free, 09:00 to 12:00 the first is
    found = near_misses(one_day("12:00-14:00", "09:20-14:00"))
    assert found.too_short == ()
    assert found.one_missing == ((at("09:00"), at("12:00")),)


def test_without_an_answer_near_misses_lie_anywhere_in_the_window() -> None:
    found = near_misses(one_day("09:20-16:40"))
    assert found.too_short == ((at("09:00"), at("09:20")), (at("16:40"), at("17:00")))
    # what starts after the window's end is none: the meeting may end there, not start
    late = near_misses(one_day("00:00-23:50", hours="00:00-24:00", duration=60))
    assert late.count == 0


def near_misses_by_definition(world: oracle.World) -> tuple[int, int]:
    """Return how many there are of each kind, minute by minute."""
    duration = world["request"]["duration_minutes"]
    window = oracle.window(world)
    answer = oracle.answer_minute(world)
    starts = window if answer is None else range(window.start, answer)
    minutes = range(window.start, window.stop + duration - 1)
    free = [{u for u in minutes if oracle.is_free(one, u)} for one in world["attendees"]]

    def missing(start: int) -> list[int]:
        meeting = set(range(start, start + duration))
        return [i for i, minutes_free in enumerate(free) if not meeting <= minutes_free]

    one_missing: list[range] = []
    for who, group in itertools.groupby(starts, key=missing):
        run = list(group)
        if len(who) == 1 and len(free) > 1:
            one_missing.append(range(run[0], run[-1] + duration))
    too_short = 0
    for all_free, group in itertools.groupby(minutes, key=set.intersection(*free).__contains__):
        run = list(group)
        if all_free and run[0] in starts and duration - 15 <= len(run) < duration:
            too_short += not any(run[0] in place and run[-1] in place for place in one_missing)
    return too_short, len(one_missing)


@worlds_drawn(short=150, long=3_000)
@given(full_mornings())
def test_near_misses_are_those_of_the_definition(world: World) -> None:
    too_short, one_missing = near_misses_by_definition(cast(oracle.World, world.to_json()))
    event(f"too short: {bool(too_short)}, one missing: {bool(one_missing)}")
    found = near_misses(world)
    assert (len(found.too_short), len(found.one_missing)) == (too_short, one_missing)


@worlds_drawn(short=30, long=1_000)
@given(worlds(most_attendees=3, most_days=3))
def test_near_misses_in_awkward_zones_too(drawn: oracle.World) -> None:
    too_short, one_missing = near_misses_by_definition(drawn)
    found = near_misses(parse_world(drawn))
    assert (len(found.too_short), len(found.one_missing)) == (too_short, one_missing)
    assert features(parse_world(drawn)).near_misses == too_short + one_missing
