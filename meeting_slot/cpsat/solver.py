"""One way to run CP-SAT: on one worker, by deterministic time, with a status of our own."""

import enum
from typing import Final

from ortools.sat.python import cp_model

from ..errors import MeetingSlotError

WORK_LIMIT: Final = 5.0
"""The most work a solve may take, in CP-SAT's deterministic seconds (near those of a clock)."""


class Status(enum.Enum):
    """What a solve found out."""

    SOLVED = "solved"
    NOT_PROVEN_BEST = "not proven best"
    INFEASIBLE = "infeasible"


class OutOfWork(MeetingSlotError):
    """A solve reached its limit with neither a solution nor a proof that there is none."""


def solve(
    model: cp_model.CpModel,
    seed: int = 0,
    *,
    relaxed: bool = False,
    work_limit: float | None = None,
) -> tuple[Status, cp_model.CpSolver]:
    """Solve a model; the solver holds the values unless the status is `INFEASIBLE`.

    One worker and a deterministic limit make the solution repeatable. The status is
    `NOT_PROVEN_BEST` where the limit came before the proof that no solution is better.

    Args:
        model: the model.
        seed: of the solver's own choices.
        relaxed: presolve, probe, and use the linear relaxation. All cost more than they save on a
            calendar's clauses, which are small; the relaxation of a cover is nearly integral.
        work_limit: in deterministic seconds; None for `WORK_LIMIT`.

    Raises:
        OutOfWork: the model is too hard for the limit.
    """
    limit = WORK_LIMIT if work_limit is None else work_limit
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers = 1
    parameters.random_seed = seed
    parameters.cp_model_presolve = relaxed
    parameters.cp_model_probing_level = 2 if relaxed else 0
    parameters.linearization_level = 2 if relaxed else 0
    parameters.symmetry_level = 0
    parameters.catch_sigint_signal = False  # or an interrupt would end the solve, undecided
    parameters.max_deterministic_time = limit
    status = solver.solve(model)
    if status == cp_model.OPTIMAL:
        return Status.SOLVED, solver
    if status == cp_model.FEASIBLE:
        return Status.NOT_PROVEN_BEST, solver
    if status == cp_model.INFEASIBLE:
        return Status.INFEASIBLE, solver
    if status == cp_model.MODEL_INVALID:
        raise AssertionError(f"CP-SAT refuses the model: {model.validate()}")
    raise OutOfWork(f"CP-SAT ended undecided after {limit:g} deterministic seconds")
