"""Certificates: they prove, nothing can be left out, nothing smaller proves, always the same."""

import itertools
import os
import random
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from ortools.sat.python import cp_model

from meeting_slot import curated_worlds, earliest_start, parse_world
from meeting_slot.argument import Busy, Unproved, argument
from meeting_slot.cpsat import certificate as module
from meeting_slot.cpsat import earliest
from meeting_slot.cpsat.certificate import Certificate, certificate
from meeting_slot.cpsat.solver import OutOfWork, Status, solve
from meeting_slot.cpsat.synthesis import synthesize
from meeting_slot.cpsat.wishes import Target
from meeting_slot.observations import Kind, Observation, needed, proved, universe
from meeting_slot.world import World
from tests import oracle
from tests.strategies import worlds
from tests.world_objects import attendee_object, world_object

ALL_WEEK = (0, 1, 2, 3, 4, 5, 6)
SMALL_WORLDS = 200
LARGEST_UNIVERSE = 12

examples = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def smallest_proof(world: World) -> int:
    """Return the size of a smallest proof, by trying every set, smallest first."""
    answer = earliest_start(world)
    for size in itertools.count():
        for observations in itertools.combinations(universe(world), size):
            if proved(world, observations, answer):
                return size
    raise AssertionError


def parts_to_spare(world: World, found: Certificate) -> list[Observation]:
    """Return each part without which the others still prove the answer."""
    parts = set(found.observations)
    return [each for each in parts if proved(world, parts - {each}, found.answer)]


def crowded_world(seed: int, people: int, days: int, blocks: int) -> World:
    """Return a world whose people work day and night, and whose calendars are full of blocks."""
    rng = random.Random(seed)

    def calendar() -> dict[str, str]:
        found = {}
        for day in range(1, days + 3):
            starts = [rng.randrange(0, 1440, 15) for _ in range(blocks)]
            spans = [(start, min(1440, start + rng.choice((45, 90, 180)))) for start in starts]
            found[f"2024-06-{day:02}"] = " ".join(
                f"{a // 60:02}:{a % 60:02}-{b // 60:02}:{b % 60:02}" for a, b in spans
            )
        return found

    zones = ("UTC", "Asia/Kolkata", "America/New_York", "Asia/Tokyo")
    cast = [
        attendee_object(f"P{i}", rng.choice(zones), "00:00-24:00", ALL_WEEK, calendar())
        for i in range(people)
    ]
    return parse_world(
        world_object(*cast, window_start="2024-06-02", window_days=days, duration_minutes=60)
    )


def small_world(seed: int) -> World:
    """Return a world with few observations, in which hours and blocks compete to refute."""
    rng = random.Random(seed)
    people = rng.randint(1, 3)
    night = rng.random() < 0.5  # everybody works day and night

    def times(least: int, most: int) -> str:
        start = rng.randrange(0, 1440 - least, 30)
        end = min(1440, start + rng.randrange(least, most, 30))
        return f"{start // 60:02}:{start % 60:02}-{end // 60:02}:{end % 60:02}"

    def person(name: str) -> dict[str, Any]:
        count = rng.choice((1, 3, 6))
        days = ("2024-03-09", "2024-03-10", "2024-03-11", "2024-03-12")
        return attendee_object(
            name,
            rng.choice(("UTC", "UTC", "America/New_York", "Asia/Kolkata")),
            "00:00-24:00" if night else times(600, 1200),
            ALL_WEEK if rng.random() < 0.7 else (0, 6),
            {day: " ".join(times(60, 480) for _ in range(count)) for day in days},
        )

    cast = [person(name) for name in ("Ann", "Bob", "Cem")[:people]]
    days = 2 if people < 3 and rng.random() < 0.5 else 1
    duration = rng.choice((30, 60, 120, 240))
    return parse_world(
        world_object(*cast, window_start="2024-03-10", window_days=days, duration_minutes=duration)
    )


def test_no_smaller_set_proves_the_answer_of_200_small_worlds() -> None:
    kinds: Counter[str] = Counter()
    checked = 0
    for seed in itertools.count():
        if checked == SMALL_WORLDS:
            break
        world = small_world(seed)
        if len(universe(world)) > LARGEST_UNIVERSE:
            continue
        checked += 1
        found = certificate(world)
        assert found.proven_minimal
        assert found.size == smallest_proof(world), world.to_line()
        kinds["NONE" if found.answer is None else "a start"] += 1
        if found.answer is None:
            kinds["without somebody"] += len({o.attendee for o in found.observations}) < len(
                world.attendees
            )
            kinds["without hours"] += all(o.kind != Kind.HOURS for o in found.observations)
        else:
            kinds["more than confirms it"] += found.size > len(needed(world, found.answer))
        kinds["less than all"] += found.size < len(universe(world))
    assert min(kinds.values()) >= 10, kinds


@examples
@given(worlds(most_attendees=3, most_days=2))
def test_no_smaller_set_proves_the_answer_of_awkward_worlds(row: oracle.World) -> None:
    world = parse_world(dict(row))
    assume(len(universe(world)) <= LARGEST_UNIVERSE)
    found = certificate(world)
    event("NONE" if found.answer is None else "a start")
    assert found.proven_minimal
    assert found.size == smallest_proof(world)


@examples
@given(worlds())
def test_a_certificate_proves_the_answer_and_no_part_can_be_left_out(row: oracle.World) -> None:
    world = parse_world(dict(row))
    found = certificate(world)
    assert found.answer == oracle.answer_minute(row)
    assert proved(world, found.observations, found.answer)
    assert not parts_to_spare(world, found)
    in_order = [each for each in universe(world) if each in found.observations]
    assert list(found.observations) == in_order
    assert (found.size, found.floor) == (len(in_order), 1 + len(in_order))


@pytest.mark.parametrize(("people", "days"), [(4, 5), (8, 14)])
@pytest.mark.parametrize("answer", [None, "NONE"])
def test_a_certificate_of_a_made_world_proves_and_has_nothing_to_spare(
    people: int, days: int, answer: Any
) -> None:
    for seed in range(3):
        target = Target(answer=answer, attendees=people, window_days=days)
        world = synthesize(target, f"certificate {seed}")
        found = certificate(world)
        assert found.proven_minimal
        assert proved(world, found.observations, found.answer)
        assert not parts_to_spare(world, found)
        assert found.size < len(universe(world))


def test_floors_of_the_curated_worlds() -> None:
    # The list; zone, hours and the answer's date of each; for the weekend ones, Friday of one. For
    # NONE: two people's hours that never meet; one whose whole working day is booked.
    assert {world.id: certificate(world).floor for world in curated_worlds()} == {
        "same_tz_empty_busy": 7,
        "overlapping_busy": 7,
        "no_overlap_ny_kolkata": 5,
        "weekend_skip_dst": 8,
        "dst_us_spring_monday": 7,
        "inclusive_busy_utc": 7,
        "gap_30min": 7,
        "gap_60min": 7,
        "four_person_summer": 13,
        "sydney_ny_none": 5,
        "shanghai_tokyo": 7,
        "last_friday_slot": 7,
        "dst_eu_monday": 8,
        "three_person_busy": 10,
        "no_slot_fully_booked": 4,
    }


def test_of_several_as_small_the_one_with_the_earliest_observations_is_taken() -> None:
    full = {"2024-03-11": "00:00-24:00"}
    cast = [attendee_object(name, "UTC", "00:00-24:00", ALL_WEEK, full) for name in "CAB"]
    found = certificate(parse_world(world_object(*cast)))
    assert {each.attendee for each in found.observations} == {"C"}
    assert [each.kind for each in found.observations] == [Kind.ZONE, Kind.BUSY]


# When the search is cut short


def assert_still_a_proof(world: World, found: Certificate) -> None:
    assert not found.proven_minimal
    assert proved(world, found.observations, found.answer)
    assert not parts_to_spare(world, found)


@pytest.mark.parametrize("work_limit", [0.0, 0.03])
def test_at_the_work_limit_the_best_found_is_a_proof_with_nothing_to_spare(
    work_limit: float,
) -> None:
    world = crowded_world(1, people=16, days=5, blocks=4)
    assert_still_a_proof(world, certificate(world, work_limit))
    assert certificate(world, work_limit) == certificate(world, work_limit)


def test_a_world_with_too_many_sets_of_refuters_gets_a_proof_with_nothing_to_spare(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = crowded_world(1, people=16, days=5, blocks=4)
    minimal = certificate(world)
    assert minimal.proven_minimal
    monkeypatch.setattr(module, "MOST_REFUTERS", 1000)
    found = certificate(world)
    assert_still_a_proof(world, found)
    assert found.size >= minimal.size


@pytest.mark.parametrize("outcome", ["all of them", "the best", "none"])
def test_of_what_the_solver_found_and_what_reaches_furthest_the_smaller_is_taken(
    outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = crowded_world(1, people=16, days=5, blocks=4)
    best = set(certificate(world).observations)

    def solver(observations: list[Observation], *_: object) -> tuple[Status, set[Observation]]:
        if outcome == "none":
            raise OutOfWork("cut short")
        chosen = {each for each in observations if outcome == "all of them" or each in best}
        return Status.NOT_PROVEN_BEST, chosen

    monkeypatch.setattr(module, "_minimum_hitting_set", solver)
    found = certificate(world)
    assert_still_a_proof(world, found)
    if outcome == "the best":
        assert set(found.observations) == best


@examples
@given(worlds())
def test_without_any_search_a_certificate_has_nothing_to_spare(row: oracle.World) -> None:
    world = parse_world(dict(row))
    most, module.MOST_REFUTERS = module.MOST_REFUTERS, -1  # type: ignore[misc]
    try:
        found = certificate(world)
    finally:
        module.MOST_REFUTERS = most  # type: ignore[misc]
    assert proved(world, found.observations, found.answer)
    assert not parts_to_spare(world, found)
    assert found.size >= certificate(world).size


def a_cover(sets: int) -> cp_model.CpModel:
    """Return a model whose best solution is hard to prove: a smallest cover of random triples."""
    rng = random.Random(1)
    model = cp_model.CpModel()
    literals = [model.new_bool_var("") for _ in range(60)]
    for _ in range(sets):
        model.add_bool_or(rng.sample(literals, 3))
    model.minimize(sum(literals))
    return model


@pytest.mark.parametrize("relaxed", [False, True])
def test_a_solution_that_is_not_proven_best_is_told_from_one_that_is(relaxed: bool) -> None:
    assert solve(a_cover(20), relaxed=relaxed)[0] is Status.SOLVED
    status, solver = solve(a_cover(150), relaxed=relaxed, work_limit=0.05)
    assert status is Status.NOT_PROVEN_BEST
    assert 20 <= solver.objective_value <= 60


def test_a_start_that_is_not_proven_earliest_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_short(*_: object) -> int:
        return int(cp_model.FEASIBLE)

    monkeypatch.setattr(cp_model.CpSolver, "solve", cut_short)
    with pytest.raises(OutOfWork, match="before proving it earliest"):
        earliest.earliest_start(curated_worlds()[0])


def test_a_certificate_is_the_same_under_every_hash_seed() -> None:
    code = (
        "from meeting_slot import curated_worlds\n"
        "from meeting_slot.cpsat.certificate import certificate\n"
        "from meeting_slot.cpsat.synthesis import synthesize\n"
        "from meeting_slot.cpsat.wishes import Target\n"
        "made = [synthesize(Target(answer=answer), 'hash') for answer in (None, 'NONE')]\n"
        "for world in [*curated_worlds(), *made]: print(certificate(world))\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(printed) == 1
    assert len(printed.pop().splitlines()) == 17


# The argument that a certificate makes


def test_an_argument_uses_nothing_but_what_was_observed() -> None:
    world = crowded_world(1, people=16, days=5, blocks=4)
    found = certificate(world)
    used = {
        Observation(Kind.BUSY, refuted.attendee.name, refuted.why.day)
        if isinstance(refuted.why, Busy)
        else Observation(Kind.HOURS, refuted.attendee.name)
        for refuted in argument(world, found.observations, found.answer).refuted
    }
    assert found.answer is None
    assert used == {each for each in found.observations if each.kind is not Kind.ZONE}


@examples
@given(worlds())
def test_an_argument_cuts_all_earlier_starts_into_stretches_that_fail_as_it_says(
    row: oracle.World,
) -> None:
    world = parse_world(dict(row))
    found = certificate(world)
    made = argument(world, found.observations, found.answer)
    duration = world.request.duration_minutes
    bounds = [world.request.start, *(refuted.end for refuted in made.refuted)]
    assert bounds[:-1] == [refuted.start for refuted in made.refuted]
    assert bounds[-1] == (world.request.end if found.answer is None else found.answer)
    people = {attendee["name"]: attendee for attendee in row["attendees"]}
    for refuted in made.refuted:
        person = people[refuted.attendee.name]
        for start in {refuted.start, (refuted.start + refuted.end) // 2, refuted.end - 1}:
            meeting = range(start, start + duration)
            assert not all(oracle.is_free(person, u) for u in meeting)
    neighbours = itertools.pairwise(made.refuted)
    assert not any(a.attendee == b.attendee and a.why == b.why for a, b in neighbours)
    assert len(made.confirmed) == (0 if found.answer is None else len(people))


def test_an_argument_is_refused_to_observations_that_prove_nothing() -> None:
    world = curated_worlds()[0]
    found = certificate(world)
    for observations, answer in (
        (found.observations[1:], found.answer),
        (found.observations, None),
        ((), found.answer),
    ):
        with pytest.raises(Unproved, match="same_tz_empty_busy: this does not prove that"):
            argument(world, observations, answer)
