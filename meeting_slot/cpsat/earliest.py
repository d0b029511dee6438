"""The earliest start as a CP-SAT model, independent of the sweep's intersection.

One integer variable, the start, confined once for each attendee to the starts from which that
attendee stays free for the whole meeting. The solver does the intersecting and the minimizing.
"""

from ortools.sat.python import cp_model

from .. import sweep
from ..errors import MeetingSlotError
from ..instants import answer_text
from ..world import World
from .solver import OutOfWork, Status, solve


def earliest_start(world: World) -> int | None:
    """Return the smallest valid start as a UTC minute, or None where CP-SAT proves there is none.

    Raises:
        OutOfWork: the solver reached its limit without a proof.
    """
    request = world.request
    model = cp_model.CpModel()
    start = model.new_int_var(request.start, request.end - 1, "start")
    for attendee in world.attendees:
        starts = [
            [free_start, free_end - request.duration_minutes]
            for free_start, free_end in sweep.free(attendee, request.start, request.last_end)
            if free_end - free_start >= request.duration_minutes
        ]
        model.add_linear_expression_in_domain(start, cp_model.Domain.from_intervals(starts))
    model.minimize(start)
    status, solver = solve(model)
    if status is Status.NOT_PROVEN_BEST:
        raise OutOfWork("CP-SAT found a start, but reached its limit before proving it earliest")
    return solver.value(start) if status is Status.SOLVED else None


class Disagreement(MeetingSlotError):
    """The sweep and CP-SAT give different answers for one world: a fault of this package."""


def agreed_earliest_start(world: World) -> int | None:
    """Return the answer that the sweep and CP-SAT find, each by itself.

    Raises:
        Disagreement: they differ.
        OutOfWork: the solver reached its limit without a proof.
    """
    by_sweep, by_cpsat = sweep.earliest_start(world), earliest_start(world)
    if by_sweep != by_cpsat:
        raise Disagreement(
            f"{world.id}: the sweep finds {answer_text(by_sweep)}, CP-SAT {answer_text(by_cpsat)}"
        )
    return by_sweep
