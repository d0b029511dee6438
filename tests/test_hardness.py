"""Synthesis against policies: every target is met, and an impossible wish says what conflicts."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from meeting_slot.cpsat.synthesis import synthesize
from meeting_slot.cpsat.wishes import Target, WishError
from meeting_slot.instants import parse_day
from meeting_slot.measures import Size, hardness, is_load_bearing, load
from meeting_slot.near_misses import near_misses
from meeting_slot.parsing import LAST_DAY
from meeting_slot.policies import CORE, policy_named, specials
from meeting_slot.sweep import earliest_start
from tests import oracle
from tests.conftest import Command
from tests.pointwise_policies import answer as pointwise

SPECIAL = [policy.name for policy in specials(3)]


@pytest.mark.parametrize("wanted", range(len(CORE) + 1))
def test_a_target_is_met_to_the_twelfth(wanted: int) -> None:
    for seed in "ab":
        world = synthesize(Target(hardness=wanted), seed)
        assert hardness(world) == wanted
        assert world.meta is not None
        assert world.meta["core_failed"] == wanted
        assert is_load_bearing(world) or wanted < 6
        assert oracle.answer(world.to_json()) == world.recorded  # type: ignore[arg-type]


def test_the_hardest_worlds_beat_every_core_policy_minute_by_minute() -> None:
    world = synthesize(Target(hardness=12, window_days=4), "pointwise")
    row = world.to_json()
    for policy in CORE:
        assert pointwise(policy.name, row) != earliest_start(world), policy.name  # type: ignore[arg-type]


@pytest.mark.parametrize("wanted", [1, 5, 9])
def test_a_hardness_of_a_world_without_an_answer(wanted: int) -> None:
    world = synthesize(Target(hardness=wanted, answer="NONE"), "n")
    assert (hardness(world), earliest_start(world)) == (wanted, None)


@pytest.mark.parametrize("name", [policy.name for policy in CORE] + SPECIAL)
def test_a_policy_to_defeat_answers_wrong(name: str) -> None:
    world = synthesize(Target(defeat=(name,)), "d")
    from meeting_slot.reading import Reader

    assert Reader(world).answer(policy_named(name)) != earliest_start(world)
    assert world.meta is not None
    assert name in world.meta["defeated"]


def test_the_most_calls_defeated_mean_a_large_load() -> None:
    assert load(synthesize(Target(defeat=("at-most-40-calls",)), "d")).size is Size.L


@pytest.mark.parametrize("size", Size)
def test_a_load_is_met(size: Size) -> None:
    for seed in "ab":
        assert load(synthesize(Target(load=size), seed)).size is size


@pytest.mark.parametrize("wanted", [1, 4, 8])
def test_as_many_near_misses_come_before_the_answer(wanted: int) -> None:
    world = synthesize(Target(near_misses=wanted), "m")
    assert near_misses(world).count >= wanted


def test_everybody_is_load_bearing_where_it_is_wished() -> None:
    assert is_load_bearing(synthesize(Target(load_bearing=True, attendees=4), "l"))


def test_the_same_seed_gives_the_same_bytes_whatever_the_hash_seed() -> None:
    program = (
        "from meeting_slot.cpsat.synthesis import synthesize\n"
        "from meeting_slot.cpsat.wishes import Target\n"
        "for target in (Target(hardness=5), Target(hardness=12), Target(isolate='ignore-busy'),\n"
        "               Target(defeat=('short-busy-missed', 'day-ends-2359')),\n"
        "               Target(near_misses=4, hardness=7, answer='NONE')):\n"
        "    print(synthesize(target, 'h').to_line())\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            cwd=Path(__file__).parents[1],
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs.pop().count(b"\n") == 5


IMPOSSIBLE = {
    "none above its ceiling": ("--answer none --target-hardness 1", "hardness is 12/12"),
    "a policy that only forbids": ("--answer none --defeat half-hour-grid", "only forbids starts"),
    "one attendee at full hardness": ("--attendees 1 --target-hardness 1", "expected 0 to 10/12"),
    "one attendee, load-bearing": ("--attendees 1 --load-bearing all", "nobody would be left"),
    "nobody left out": ("--attendees 2 --defeat first-two-attendees", "cannot fail with 2"),
    "no such attendee": ("--attendees 2 --defeat skip-attendee-3", "cannot fail with 2"),
    "a baseline": ("--defeat naive", "naive cannot be defeated"),
    "an unknown policy": ("--defeat nosuch", 'unknown policy "nosuch"'),
    "isolated and hard": ("--isolate ignore-busy --target-hardness 0.5", "exclude each other"),
    "isolated and bearing": ("--isolate ignore-busy --load-bearing all", "exclude each other"),
    "above one": ("--target-hardness 1.5", "1.5 is not from 0 to 1"),
    "no number": ("--target-hardness nan", "nan is not from 0 to 1"),
    "more near misses than room": ("--decoys 500 --days 1", "near misses"),
    "more to defeat than fail": (
        "--target-hardness 0 --defeat half-hour-grid",
        "hardness 0/12 and 1 core policies to defeat conflict",
    ),
    "bearing, but easy": ("--target-hardness 0.1 --load-bearing all", "first-attendee-only and"),
    "one day is the first": ("--target-hardness 1 --days 1", "first-day-only cannot fail"),
    "a load too small": ("--load S --attendees 8 --days 9", "the load is L"),
    "no offset changes": (
        "--defeat offset-frozen --zones Asia/Tokyo",
        "Asia/Tokyo does not move its clock",
    ),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_an_impossible_wish_ends_with_status_2_and_names_what_conflicts(
    case: str, command: Command
) -> None:
    arguments, said = IMPOSSIBLE[case]
    run = command("gen", *arguments.split())
    assert (run.status, run.out) == (2, "")
    assert said in run.error_line()


def test_a_target_may_be_given_to_the_nearest_twelfth(command: Command) -> None:
    run = command("gen", "--target-hardness", "0.7", "--count", "2")
    assert [json.loads(line)["meta"]["core_failed"] for line in run.out.splitlines()] == [8, 8]


def test_a_single_wish_from_python_is_checked_as_well() -> None:
    with pytest.raises(WishError, match="hardness is 13/12"):
        synthesize(Target(hardness=13))


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
@pytest.mark.parametrize("wanted", [0, 4, 6])
def test_a_hardness_is_met_where_no_clock_ever_moves(zone: str, wanted: int) -> None:
    for seed in "abc":
        assert hardness(synthesize(Target(hardness=wanted, zones=(zone,)), seed)) == wanted


def test_a_shift_on_the_only_day_of_a_window_defeats_frozen_offsets() -> None:
    for seed in "abc":
        world = synthesize(Target(defeat=("offset-frozen",), window_days=1), seed)
        assert pointwise("offset-frozen", world.to_json()) != earliest_start(world)  # type: ignore[arg-type]


WRONG_TYPES: dict[str, dict[str, Any]] = {
    "answer": {"answer": "none"},
    "an answer that is a float": {"answer": 28401120.5},
    "starts": {"starts": "exactly-one"},
    "dst": {"dst": "spring-after"},
    "load": {"load": "S"},
    "hardness": {"hardness": 6.0},
    "attendees": {"attendees": True},
    "years": {"years": (2019,)},
    "defeat": {"defeat": "ignore-busy"},
    "isolate": {"isolate": 3},
}


@pytest.mark.parametrize("case", WRONG_TYPES)
def test_a_value_of_a_wrong_type_is_refused_and_never_dropped(case: str) -> None:
    with pytest.raises(WishError, match=r"not as declared|expected one of"):
        synthesize(Target(**WRONG_TYPES[case]))


def test_a_window_without_days_ends_with_the_calendar_and_reaches_the_answer() -> None:
    at_the_end = Target(window_start=LAST_DAY, years=(2100, 2100))
    assert synthesize(at_the_end, "z").request.window_days == 1
    answer = parse_day("2024-03-11") * 1440 + 13 * 60
    reaching = synthesize(Target(answer=answer, window_start=answer // 1440 - 30), "z")
    assert earliest_start(reaching) == answer
    assert reaching.request.window_days == 31


@pytest.mark.parametrize("days_before", [-1, 366])
def test_an_answer_that_no_window_from_the_first_day_reaches_is_named(days_before: int) -> None:
    answer = parse_day("2024-03-11") * 1440 + 13 * 60
    with pytest.raises(WishError, match=r"2024-03-11T13:00:00Z is outside a window of 366 days"):
        synthesize(Target(answer=answer, window_start=answer // 1440 - days_before), "z")
