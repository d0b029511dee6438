"""One way to run CP-SAT: on one worker, by deterministic time, with a status of our own."""

import enum
from typing import Final

from ortools.sat.python import cp_model

from ..errors import MeetingSlotError

WORK_LIMIT: Final = 20.0
"""The most work a solve may take, in CP-SAT's deterministic seconds (near those of a clock)."""


class Status(enum.Enum):
    """What a solve found out."""

    SOLVED = "solved"
    INFEASIBLE = "infeasible"


class OutOfWork(MeetingSlotError):
    """A solve reached `WORK_LIMIT` with neither a solution nor a proof that there is none."""


def solve(model: cp_model.CpModel, seed: int = 0) -> tuple[Status, cp_model.CpSolver]:
    """Solve a model; the solver holds the values where the status is `SOLVED`.

    Presolve and the linear relaxation cost more than they save on clauses this small; one worker
    and a deterministic limit make the solution repeatable.

    Raises:
        OutOfWork: the model is too hard for the limit.
    """
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers = 1
    parameters.random_seed = seed
    parameters.cp_model_presolve = False
    parameters.linearization_level = 0
    parameters.symmetry_level = 0
    parameters.max_deterministic_time = WORK_LIMIT
    status = solver.solve(model)
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return Status.SOLVED, solver
    if status == cp_model.INFEASIBLE:
        return Status.INFEASIBLE, solver
    if status == cp_model.MODEL_INVALID:
        raise AssertionError(f"CP-SAT refuses the model: {model.validate()}")
    raise OutOfWork(f"CP-SAT ended undecided after {WORK_LIMIT:g} deterministic seconds")
