"""The earliest start by CP-SAT: it agrees with the sweep and the oracle, or says so loudly.

`MEETING_SLOT_LONG=1` draws 20,000 worlds, new ones each time; without it 2,000, always the same.
"""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from ortools.sat.python import cp_model

from meeting_slot import curated_worlds, parse_world, read_worlds, sweep
from meeting_slot.cpsat import earliest, solver
from meeting_slot.cpsat.solver import OutOfWork, Status
from meeting_slot.instants import answer_text
from meeting_slot.world import World
from tests import oracle
from tests.conftest import ANSWER, SECONDS, Command, a_world, write
from tests.strategies import worlds
from tests.world_objects import attendee_object, world_object

LONG = os.environ.get("MEETING_SLOT_LONG") == "1"
EVERY_DAY = (0, 1, 2, 3, 4, 5, 6)


@settings(
    max_examples=20_000 if LONG else 2_000,
    derandomize=not LONG,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(worlds())
def test_sweep_and_cp_sat_find_the_pointwise_answer(world: oracle.World) -> None:
    right = oracle.answer_minute(world)
    event("NONE" if right is None else "a start")
    typed = parse_world(dict(world))
    assert sweep.earliest_start(typed) == right
    assert earliest.earliest_start(typed) == right


def test_cp_sat_finds_the_answers_derived_by_hand() -> None:
    found = {world.id: answer_text(earliest.earliest_start(world)) for world in curated_worlds()}
    assert found == {world.id: world.recorded for world in curated_worlds()}
    assert "NONE" in found.values()


@pytest.mark.parametrize(
    ("duration", "hours", "answer"),
    [
        (30, "00:00-24:00", "2024-03-11T00:00:00Z"),  # the window's first minute
        (30, "23:30-24:00", "2024-03-11T23:30:00Z"),
        (1, "23:59-24:00", "2024-03-11T23:59:00Z"),  # the window's last minute
        (1440, "00:00-24:00", "2024-03-11T00:00:00Z"),
        (481, "09:00-17:00", "NONE"),
        (480, "09:00-17:00", "2024-03-11T09:00:00Z"),
    ],
)
def test_the_start_lies_in_the_window_and_the_whole_meeting_in_the_free_time(
    duration: int, hours: str, answer: str
) -> None:
    person = attendee_object("Ava", "UTC", hours, EVERY_DAY)
    world = parse_world(world_object(person, duration_minutes=duration))
    assert answer_text(earliest.earliest_start(world)) == answer


def test_the_end_may_pass_the_end_of_the_window() -> None:
    busy = {"2024-03-11": "00:00-23:59"}
    person = attendee_object("Ava", "UTC", "00:00-24:00", EVERY_DAY, busy)
    world = parse_world(world_object(person, duration_minutes=60))
    assert answer_text(earliest.earliest_start(world)) == "2024-03-11T23:59:00Z"


@pytest.mark.parametrize(
    "cast",
    [
        # never long enough; never at work in the window; never at the same time
        [attendee_object("Ava", hours="09:00-09:29")],
        [attendee_object("Ava"), attendee_object("Bo", weekdays=(6,))],
        [attendee_object("Ava", hours="09:00-12:00"), attendee_object("Bo", hours="12:00-17:00")],
        # each long enough, what they share a minute too short
        [attendee_object("Ava", hours="09:00-09:30"), attendee_object("Bo", hours="09:01-10:00")],
    ],
)
def test_none_is_what_cp_sat_proves_infeasible(
    cast: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    statuses = spied_statuses(monkeypatch)
    assert earliest.earliest_start(parse_world(world_object(*cast))) is None
    assert statuses == [Status.INFEASIBLE]


def test_an_answer_is_what_cp_sat_proves_smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    statuses = spied_statuses(monkeypatch)
    assert answer_text(earliest.earliest_start(parse_world(a_world()))) == ANSWER
    assert statuses == [Status.SOLVED]


def test_a_start_that_is_not_proven_earliest_is_no_answer(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve = cp_model.CpSolver.solve

    def stopped_early(self: cp_model.CpSolver, model: cp_model.CpModel) -> int:
        assert solve(self, model) == cp_model.OPTIMAL
        return int(cp_model.FEASIBLE)

    monkeypatch.setattr(cp_model.CpSolver, "solve", stopped_early)
    with pytest.raises(OutOfWork):
        earliest.earliest_start(parse_world(a_world()))
    run = command("solve", write(tmp_path / "world.json", a_world()), "--solver", "both")
    assert (run.status, run.out) == (2, "")
    assert run.error_line()


def spied_statuses(monkeypatch: pytest.MonkeyPatch) -> list[Status]:
    """Return a list to which each solve of `earliest` adds its status; each has to minimize."""
    statuses: list[Status] = []

    def spying(model: cp_model.CpModel) -> tuple[Status, cp_model.CpSolver]:
        assert model.has_objective()
        found = solver.solve(model)
        statuses.append(found[0])
        return found

    monkeypatch.setattr(earliest, "solve", spying)
    return statuses


@pytest.fixture
def split(tmp_path: Path) -> Path:
    """Return a split of the curated worlds, which are easy to hard, with and without an answer."""
    return write(tmp_path / "split.jsonl", *(world.to_json() for world in curated_worlds()))


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_each_solver_prints_the_same(command: Command, split: Path, form: list[str]) -> None:
    runs = {
        name: command("solve", split, "--solver", name, *form)
        for name in ("sweep", "cp-sat", "both")
    }
    assert runs["sweep"] == command("solve", split, *form)
    assert runs["cp-sat"] == runs["sweep"]
    assert runs["both"] == runs["sweep"]
    assert runs["both"].status == 0
    assert len(runs["both"].out.splitlines()) == 15


def test_solver_cp_sat_prints_what_cp_sat_finds(
    command: Command, split: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earliest, "earliest_start", lambda world: 0)
    run = command("solve", split, "--solver", "cp-sat", "--json")
    assert {json.loads(line)["answer"] for line in run.out.splitlines()} == {"1970-01-01T00:00:00Z"}


@pytest.mark.parametrize("module", [sweep, earliest], ids=["sweep", "cp-sat"])
@pytest.mark.parametrize("wrong", ["2024-03-11T13:01:00Z", "NONE"])
@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_solver_both_fails_loudly_where_the_two_differ(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    wrong: str,
    form: list[str],
) -> None:
    path = write(tmp_path / "world.json", a_world(id="ours"))
    (world,) = read_worlds(str(path))
    right = sweep.earliest_start(world)
    assert right is not None
    minute = None if wrong == "NONE" else right + 1

    def differing(_: World) -> int | None:
        return minute

    monkeypatch.setattr(module, "earliest_start", differing)
    run = command("solve", path, "--solver", "both", *form)
    by_sweep, by_cp_sat = (wrong, ANSWER) if module is sweep else (ANSWER, wrong)
    assert (run.status, run.out) == (2, "")
    assert f"ours: the sweep finds {by_sweep}, CP-SAT {by_cp_sat}" in run.error_line()


def test_where_the_two_differ_the_worlds_before_are_printed(
    command: Command, split: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [world.id for world in curated_worlds()]
    answer = {world.id: world.recorded for world in curated_worlds()}
    honest = earliest.earliest_start

    def wrong_on_the_fourth(world: World) -> int | None:
        return 0 if world.id == ids[3] else honest(world)

    monkeypatch.setattr(earliest, "earliest_start", wrong_on_the_fourth)
    run = command("solve", split, "--solver", "both")
    assert run.status == 2
    assert run.out.splitlines() == [f"{answer[name]} {name}" for name in ids[:3]]
    assert ids[3] in run.error_line()


def undecided(*_: object) -> int:
    """Stand in for `CpSolver.solve` where it reaches its limit."""
    return int(cp_model.UNKNOWN)


def test_reaching_the_work_limit_is_an_error_and_never_none(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cp_model.CpSolver, "solve", undecided)
    with pytest.raises(OutOfWork, match="undecided after 5 deterministic seconds"):
        earliest.earliest_start(parse_world(a_world()))
    path = write(tmp_path / "world.json", a_world())
    for name in ("cp-sat", "both"):
        run = command("solve", path, "--solver", name)
        assert (run.status, run.out) == (2, "")
        assert "undecided after 5 deterministic seconds" in run.error_line()
    assert command("solve", path).status == 0  # the sweep needs no solver


def pigeons() -> cp_model.CpModel:
    """Return a model of eleven pigeons in ten holes: infeasible, and no short proof of it."""
    model = cp_model.CpModel()
    here = [[model.new_bool_var("") for _ in range(10)] for _ in range(11)]
    for pigeon in here:
        model.add_bool_or(pigeon)
    for hole in zip(*here, strict=True):
        for one, other in itertools.combinations(hole, 2):
            model.add_bool_or([~one, ~other])
    return model


def test_a_solve_that_may_do_little_work_ends_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "WORK_LIMIT", 0.01)
    with pytest.raises(OutOfWork, match=r"undecided after 0\.01 deterministic seconds"):
        solver.solve(pigeons())


INTERRUPTED = """
import os, signal, threading
from meeting_slot.cpsat import solver
from tests.test_cpsat_earliest import pigeons
solver.WORK_LIMIT = 3.0
model = pigeons()
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    solver.solve(model)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_during_a_solve_is_not_taken_for_a_limit() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.stdout.split() == [b"interrupted"], ended.stderr.decode()


def test_a_model_that_cp_sat_refuses_is_a_fault_of_the_package() -> None:
    model = cp_model.CpModel()
    far = model.new_int_var(0, 2**62, "far")
    model.add(4 * far <= 3)
    with pytest.raises(AssertionError, match="CP-SAT refuses the model"):
        solver.solve(model)
