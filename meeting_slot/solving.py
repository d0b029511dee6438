"""The answer of a world as it is written, by the sweep-line, by CP-SAT, or by both."""

import enum

from .instants import answer_text
from .sweep import earliest_start
from .world import World


class Solver(enum.Enum):
    """What finds the answer."""

    SWEEP = "sweep"
    CP_SAT = "cp-sat"
    BOTH = "both"


def solve(world: World, solver: Solver = Solver.SWEEP) -> str:
    """Return the answer of a world, `YYYY-MM-DDTHH:MM:00Z` or `NONE`.

    It is the text of `sweep.earliest_start`. What a file recorded as the answer is not looked at.

    Args:
        world: the world.
        solver: the sweep-line, which is the authority; CP-SAT, which finds the answer
            independently; or both, which must agree.

    Raises:
        OutOfWork: CP-SAT reached its limit without a proof.
        Disagreement: the two differ, a fault of this package.
    """
    if solver is Solver.SWEEP:
        return answer_text(earliest_start(world))
    from .cpsat import earliest  # loads OR-Tools

    found = earliest.earliest_start if solver is Solver.CP_SAT else earliest.agreed_earliest_start
    return answer_text(found(world))
