"""Observations: what each refutes, what a start needs, and when a set of them proves an answer.

Judged minute by minute: a proof holds if the answer is right in every world that looks the same,
and of these two decide. In the *most free* one, whatever was not observed is free; in the *most
busy* one, whatever was not observed is busy.
"""

import itertools
from collections.abc import Iterable
from datetime import date

import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from meeting_slot import (
    curated_worlds,
    earliest_start,
    get_busy,
    get_timezone,
    get_working_hours,
    parse_world,
    valid_stretches,
)
from meeting_slot.instants import day_text, parse_answer, parse_day
from meeting_slot.measures import policies_for
from meeting_slot.observations import (
    Kind,
    Observation,
    fewest_stretches,
    needed,
    of_call,
    proved,
    refuted_starts,
    universe,
)
from meeting_slot.policies import GOLD, Policy, policy_named
from meeting_slot.reading import Reader, unread_days
from meeting_slot.reading import seen as places_seen
from meeting_slot.world import World
from tests import oracle
from tests.conftest import AVA_AND_FARID
from tests.strategies import EVERY_DAY, worlds
from tests.world_objects import attendee_object, json_values, world_object

ALL_WEEK = tuple(EVERY_DAY)

examples = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
small_worlds = worlds(most_attendees=3, most_days=2)


def minute(text: str) -> int:
    proposed = parse_answer(text)
    assert proposed is not None
    return proposed.minute


def zone(name: str) -> Observation:
    return Observation(Kind.ZONE, name)


def hours(name: str) -> Observation:
    return Observation(Kind.HOURS, name)


def busy(name: str, day: str) -> Observation:
    return Observation(Kind.BUSY, name, parse_day(day))


def everything(name: str, *days: str) -> list[Observation]:
    return [zone(name), hours(name), *(busy(name, day) for day in days)]


def world_of(row: oracle.World) -> World:
    return parse_world(dict(row))


# The definition, minute by minute


def most_free(row: oracle.World, seen: set[Observation]) -> oracle.World:
    """Return the world with whatever was not observed free; who has no known zone is no hurdle."""
    attendees: list[oracle.Attendee] = []
    for attendee in row["attendees"]:
        name = attendee["name"]
        if zone(name) not in seen:
            continue
        kept = attendee.copy()
        if hours(name) not in seen:
            kept["working_hours"] = {"start": "00:00", "end": "24:00", "weekdays": EVERY_DAY}
        kept["busy"] = {
            day: blocks
            for day, blocks in attendee.get("busy", {}).items()
            if busy(name, day) in seen
        }
        attendees.append(kept)
    return {"request": row["request"], "attendees": attendees}


def is_confirmed(row: oracle.World, seen: set[Observation], start: int) -> bool:
    """Tell whether a start is valid with whatever was not observed busy."""
    meeting = range(start, start + row["request"]["duration_minutes"])
    for attendee in row["attendees"]:
        name = attendee["name"]
        if zone(name) not in seen or hours(name) not in seen:
            return False
        days = {oracle.local_reading(attendee["timezone"], u)[0] for u in meeting}
        if not all(busy(name, day.isoformat()) in seen for day in days):
            return False
    return oracle.is_valid(row, start)


def is_proof(row: oracle.World, seen: set[Observation], answer: int | None) -> bool:
    if answer is not None and not is_confirmed(row, seen, answer):
        return False
    still_open = oracle.valid_starts(most_free(row, seen))
    return not still_open if answer is None else still_open[:1] == [answer]


@st.composite
def some_seen(draw: st.DrawFn, world: World) -> set[Observation]:
    """Draw observations of a world: all but a few, those of some attendees, or any."""
    all_there_are = universe(world)
    how = draw(st.sampled_from(["all but a few", "of some", "needed and some", "any"]))
    if how == "all but a few":
        return set(all_there_are) - draw(st.sets(st.sampled_from(all_there_are), max_size=2))
    if how == "of some":
        names = draw(st.sets(st.sampled_from([attendee.name for attendee in world.attendees])))
        return {observation for observation in all_there_are if observation.attendee in names}
    seen = draw(st.sets(st.sampled_from(all_there_are)))
    answer = earliest_start(world)
    if how == "needed and some" and answer is not None:
        seen |= set(needed(world, answer))
    return seen


@examples
@given(small_worlds, st.data())
def test_proved_is_what_holds_in_every_world_that_looks_the_same(
    row: oracle.World, data: st.DataObject
) -> None:
    world = world_of(row)
    seen = data.draw(some_seen(world), label="seen")
    gold = earliest_start(world)
    expected = is_proof(row, seen, gold)
    event(f"{'NONE' if gold is None else 'a start'}, {'proved' if expected else 'not proved'}")
    assert proved(world, seen, gold) == expected
    later = [start for first, end in valid_stretches(world) for start in (first, end - 1)]
    for wrong in {None, world.request.start, world.request.end, *later} - {gold}:
        assert not is_proof(row, seen, wrong)
        assert not proved(world, seen, wrong)


@examples
@given(worlds())
def test_all_observations_prove_the_gold_answer_and_no_other(row: oracle.World) -> None:
    world = world_of(row)
    gold = earliest_start(world)
    assert proved(world, universe(world), gold)
    others = {None, world.request.start - 1, world.request.end}
    others |= {start for first, end in valid_stretches(world) for start in (first, end - 1)}
    if gold is not None:
        others |= {gold - 1, gold + 1}
    for wrong in others - {gold}:
        assert not proved(world, universe(world), wrong)


@examples
@given(worlds())
def test_a_guess_is_never_proved(row: oracle.World) -> None:
    world = world_of(row)
    for answer in (earliest_start(world), None, world.request.start, world.request.end - 1):
        assert not proved(world, [], answer)


@examples
@given(worlds(), st.data())
def test_without_a_thing_that_confirms_it_a_start_is_not_proved(
    row: oracle.World, data: st.DataObject
) -> None:
    world = world_of(row)
    gold = earliest_start(world)
    if gold is None:
        return
    skipped = data.draw(st.sampled_from(needed(world, gold)))
    assert not proved(world, set(universe(world)) - {skipped}, gold)


@examples
@given(worlds())
def test_without_a_zone_hours_and_blocks_prove_nothing(row: oracle.World) -> None:
    world = world_of(row)
    zoneless = [observation for observation in universe(world) if observation.kind != Kind.ZONE]
    assert not proved(world, zoneless, earliest_start(world))


@examples
@given(small_worlds, st.data())
def test_more_observations_never_break_a_proof(row: oracle.World, data: st.DataObject) -> None:
    world = world_of(row)
    seen = data.draw(some_seen(world))
    more = data.draw(st.sets(st.sampled_from(universe(world))))
    gold = earliest_start(world)
    assert proved(world, seen | more, gold) or not proved(world, seen, gold)


def transcript(policy: Policy, world: World) -> set[Observation]:
    """Return what a policy observes that reads all it looks at."""
    read: set[Observation] = set()
    for place in places_seen(policy, world):
        name = world.attendees[place].name
        unread = (unread_days(policy, world) or [frozenset()] * 1000)[place]
        read |= {
            observation
            for observation in universe(world)
            if observation.attendee == name
            and (observation.day is None or not policy.ignores_blocks)
            and observation.day not in unread
        }
    return read


@examples
@given(worlds())
def test_a_transcript_proves_no_wrong_answer_and_none_that_skipped_what_it_needs(
    row: oracle.World,
) -> None:
    world = world_of(row)
    gold = earliest_start(world)
    assert proved(world, transcript(GOLD, world), gold)
    for policy in policies_for(world):
        read = transcript(policy, world)
        answer = Reader(world).answer(policy)
        event(f"{policy.name}: {'proved' if proved(world, read, answer) else 'not proved'}")
        if answer != gold or (answer is not None and not read.issuperset(needed(world, answer))):
            assert not proved(world, read, answer), policy.name
        elif len(read) == len(universe(world)):
            assert proved(world, read, answer), policy.name


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(small_worlds)
def test_a_transcript_that_skipped_something_proves_by_the_definition(row: oracle.World) -> None:
    world = world_of(row)
    for name in ("first-attendee-only", "skip-last-attendee", "ignore-busy", "at-most-10-calls"):
        policy = policy_named(name)
        read, answer = transcript(policy, world), Reader(world).answer(policy)
        assert proved(world, read, answer) == is_proof(row, read, answer)


def test_strange_and_repeated_observations_do_no_harm() -> None:
    world = parse_world(AVA_AND_FARID)
    gold = minute("2024-03-11T13:00:00Z")
    strange = [
        *everything("Nobody", "2024-03-08"),
        busy("Ava", "2024-03-01"),
        busy("ava", "2024-03-08"),
        Observation(Kind.HOURS, "Ava", parse_day("2024-03-08")),
        Observation(Kind.BUSY, "Ava"),
    ]
    proof = [*everything("Ava", "2024-03-08", "2024-03-11"), *everything("Farid", "2024-03-11")]
    assert proved(world, proof, gold)
    assert proved(world, [*strange, *proof, *proof], gold)
    proof.remove(busy("Ava", "2024-03-08"))
    assert not proved(world, [*strange, *proof, *proof], gold)


# By hand


def test_a_booked_friday_has_to_be_read_of_one_attendee_only() -> None:
    # Friday 14:00-16:30Z are the starts that both sets of hours allow before Monday 13:00Z.
    world = parse_world(AVA_AND_FARID)
    gold = minute("2024-03-11T13:00:00Z")
    monday = [*everything("Ava", "2024-03-11"), *everything("Farid", "2024-03-11")]
    assert not proved(world, monday, gold)
    assert proved(world, [*monday, busy("Ava", "2024-03-08")], gold)
    assert proved(world, [*monday, busy("Farid", "2024-03-08")], gold)


def test_none_is_proved_by_two_sets_of_hours_that_never_meet() -> None:
    (world,) = (world for world in curated_worlds() if world.id == "no_overlap_ny_kolkata")
    assert proved(world, [zone("Ava"), hours("Ava"), zone("Diya"), hours("Diya")], None)
    assert not proved(world, [zone("Ava"), hours("Ava"), hours("Diya")], None)
    assert not proved(world, everything("Ava", "2024-03-10", "2024-03-11"), None)


def test_an_empty_calendar_confirms_and_refutes_nothing() -> None:
    world = parse_world(world_object(attendee_object("Ann")))
    gold = minute("2024-03-11T09:00:00Z")
    assert not proved(world, [zone("Ann"), hours("Ann")], gold)
    assert proved(world, everything("Ann", "2024-03-11"), gold)


def test_blocks_on_days_off_and_outside_the_hours_refute_by_themselves() -> None:
    night = attendee_object("Ann", busy={"2024-03-09": "00:00-24:00", "2024-03-10": "00:00-24:00"})
    world = parse_world(world_object(night, window_start="2024-03-09", window_days=2))
    blocks = [busy("Ann", "2024-03-09"), busy("Ann", "2024-03-10")]
    assert proved(world, [zone("Ann"), *blocks], None)
    assert proved(world, [zone("Ann"), hours("Ann")], None)
    assert not proved(world, blocks, None)


def test_the_answer_needs_every_date_the_meeting_touches() -> None:
    world = parse_world(
        world_object(
            attendee_object(
                "Ann", "Asia/Tokyo", "00:00-24:00", ALL_WEEK, {"2024-03-11": "09:00-23:30"}
            )
        )
    )  # 00:00Z is 09:00 in Tokyo; 14:30Z is 23:30, which half an hour fits
    gold = minute("2024-03-11T14:30:00Z")
    assert needed(world, gold) == everything("Ann", "2024-03-11")
    assert needed(world, gold + 1) == everything("Ann", "2024-03-11", "2024-03-12")
    assert proved(world, everything("Ann", "2024-03-11"), gold)


def test_a_block_in_a_repeated_hour_refutes_in_both_passes() -> None:
    world = parse_world(
        world_object(
            attendee_object("Ava", "America/New_York", busy={"2024-11-03": "01:15-01:45"}),
            window_start="2024-11-03",
        )
    )
    # 01:15 is 05:15Z on summer time, and 06:15Z after it.
    assert refuted_starts(world, busy("Ava", "2024-11-03")) == [
        (minute("2024-11-03T04:46:00Z"), minute("2024-11-03T05:45:00Z")),
        (minute("2024-11-03T05:46:00Z"), minute("2024-11-03T06:45:00Z")),
    ]


def test_a_block_in_a_skipped_hour_refutes_nothing() -> None:
    world = parse_world(
        world_object(
            attendee_object("Ava", "America/New_York", busy={"2024-03-10": "02:00-03:00"}),
            window_start="2024-03-10",
        )
    )
    assert refuted_starts(world, busy("Ava", "2024-03-10")) == []


def test_hours_shorter_than_the_meeting_refute_every_start() -> None:
    world = parse_world(world_object(attendee_object("Ann", hours="09:00-09:29")))
    assert refuted_starts(world, hours("Ann")) == [(world.request.start, world.request.end)]
    assert proved(world, [zone("Ann"), hours("Ann")], None)


# The universe, and what each observation refutes


def test_the_universe_is_by_attendee_zone_hours_and_the_dates_a_meeting_may_touch() -> None:
    # The window is Friday 00:00Z to Monday 24:00Z, and 29 minutes more for the last meeting: from
    # Thursday 19:00 to Monday 20:28 in New York, from Friday to Tuesday 00:28 in London.
    assert universe(parse_world(AVA_AND_FARID)) == [
        *everything("Ava", *(f"2024-03-{day:02}" for day in (7, 8, 9, 10, 11))),
        *everything("Farid", *(f"2024-03-{day:02}" for day in (8, 9, 10, 11, 12))),
    ]


def test_a_local_date_that_never_occurred_is_not_in_the_universe() -> None:
    samoa = attendee_object("Sina", "Pacific/Apia")
    world = parse_world(world_object(samoa, window_start="2011-12-29", window_days=3))
    days = [day_text(o.day) for o in universe(world) if o.day is not None]
    assert days == ["2011-12-28", "2011-12-29", "2011-12-31", "2012-01-01"]


@examples
@given(small_worlds)
def test_each_observation_refutes_the_starts_whose_meeting_touches_what_it_shows(
    row: oracle.World,
) -> None:
    world = world_of(row)
    duration = row["request"]["duration_minutes"]
    starts = oracle.window(row)
    touched = range(starts.start, starts.stop + duration - 1)
    for attendee in row["attendees"]:
        calendar = attendee.get("busy", {})
        without_calendar = attendee.copy()
        without_calendar["busy"] = {}
        readings = [oracle.local_reading(attendee["timezone"], u) for u in touched]
        at_work = [oracle.is_free(without_calendar, u) for u in touched]
        expected = {zone(attendee["name"]): [True] * len(touched), hours(attendee["name"]): at_work}
        for day in sorted({day for day, _ in readings}):
            blocks = [
                (oracle.minute_of_day(block["start"]), oracle.minute_of_day(block["end"]))
                for block in calendar.get(day.isoformat(), [])
            ]
            expected[busy(attendee["name"], day.isoformat())] = [
                not (reading[0] == day and any(s <= reading[1] < e for s, e in blocks))
                for reading in readings
            ]
        assert list(expected) == [o for o in universe(world) if o.attendee == attendee["name"]]
        for observation, allowed in expected.items():
            taken = list(itertools.accumulate((not free for free in allowed), initial=0))
            refuted = {s for i, s in enumerate(starts) if taken[i + duration] > taken[i]}
            intervals = refuted_starts(world, observation)
            assert {s for start, end in intervals for s in range(start, end)} == refuted
            assert all(start < end for start, end in intervals)
            assert all(a[1] < b[0] for a, b in itertools.pairwise(intervals))


@examples
@given(small_worlds, st.data())
def test_a_start_needs_zone_hours_and_the_dates_its_minutes_read(
    row: oracle.World, data: st.DataObject
) -> None:
    starts = oracle.window(row)
    start = data.draw(st.sampled_from(starts))
    meeting = range(start, start + row["request"]["duration_minutes"])
    expected = []
    for attendee in row["attendees"]:
        days: set[date] = {oracle.local_reading(attendee["timezone"], u)[0] for u in meeting}
        expected += everything(attendee["name"], *(day.isoformat() for day in sorted(days)))
    world = world_of(row)
    assert needed(world, start) == expected
    assert set(expected) <= set(universe(world))


# Tool calls


def test_an_observation_is_the_call_whose_arguments_it_gives() -> None:
    world = parse_world(AVA_AND_FARID)
    for observation in universe(world):
        found = of_call(world, observation.kind.value, observation.arguments())
        assert found == observation
    assert busy("Ava", "2024-03-08").arguments() == {"name": "Ava", "date": "2024-03-08"}
    assert hours("Ava").arguments() == zone("Ava").arguments() == {"name": "Ava"}


def test_a_call_shows_what_the_tool_shows_for_it() -> None:
    world = parse_world(AVA_AND_FARID)
    tools = {Kind.ZONE.value: get_timezone, Kind.HOURS.value: get_working_hours}
    for name in ("Ava", " ava ", "AVA", "farid\n", "Eve", "", 7, None, ["Ava"]):
        for tool, function in tools.items():
            shown = of_call(world, tool, {"name": name})
            said = function(world, name)  # type: ignore[arg-type]
            assert (shown is None) == said.startswith("error: ")
            if shown is not None:
                assert said == function(world, shown.attendee)


@given(json_values | st.sampled_from(["2024-03-08", "2024-02-30", "20240308", " 2024-03-08"]))
@example(["2024-03-08"] * 10)
def test_a_busy_call_shows_something_exactly_where_the_tool_gives_no_error(day: object) -> None:
    world = parse_world(AVA_AND_FARID)
    shown = of_call(world, "get_busy", {"name": "ava", "date": day})
    if not isinstance(day, str):
        assert shown is None
    else:
        assert (shown is None) == get_busy(world, "ava", day).startswith("error: ")
        assert shown is None or shown == busy("Ava", day)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("list_attendees", {}),
        ("list_attendees", {"name": "Ava"}),
        ("get_calendar", {"name": "Ava"}),
        ("get_busy", {"name": "Ava"}),
        ("get_timezone", {"attendee": "Ava"}),
    ],
)
def test_other_calls_show_nothing(tool: str, arguments: dict[str, str]) -> None:
    assert of_call(parse_world(AVA_AND_FARID), tool, arguments) is None


# Cutting into stretches


intervals = st.lists(
    st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(lambda pair: pair[0] < pair[1]),
    max_size=4,
)


def fewest(refuted: Iterable[list[tuple[int, int]]], start: int, end: int) -> int | None:
    """Return the least number of intervals that cover `[start, end)`, by trying all."""
    pieces = [interval for several in refuted for interval in several]
    for count in range(len(pieces) + 1):
        for chosen in itertools.combinations(pieces, count):
            if set(range(start, end)) <= {m for a, b in chosen for m in range(a, b)}:
                return count
    return None


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abc"), intervals), st.integers(0, 20), st.integers(0, 20))
@example({"a": [(0, 5)], "b": [(0, 5)]}, 0, 5)
@example({"a": [(0, 5), (6, 9)]}, 0, 9)
def test_stretches_touch_are_refuted_and_as_few_as_can_be(
    refuted: dict[str, list[tuple[int, int]]], start: int, end: int
) -> None:
    stretches = fewest_stretches(refuted, start, end)
    if stretches is None:
        assert fewest(refuted.values(), start, end) is None
        return
    assert len(stretches) == fewest(refuted.values(), start, end)
    bounds = [start, *(stretch[1] for stretch, _ in stretches)]
    assert bounds[:-1] == [stretch[0] for stretch, _ in stretches]
    assert bounds[-1] == max(start, end)
    for (first, last), by in stretches:
        assert any(a <= first and last <= b for a, b in refuted[by])
        best = max(b for several in refuted.values() for a, b in several if a <= first)
        reaching = [
            name
            for name, several in refuted.items()
            if any(a <= first and b == best for a, b in several)
        ]
        assert by == reaching[0]
