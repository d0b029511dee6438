"""How long a certificate takes, how often it is proven minimal, and how long `proved` takes.

    python bench/certificate.py

Prints the median and the largest CPU milliseconds over made worlds, with an answer and without. The
full calendar is what `proved` is given: nothing takes it longer.
"""

import statistics
import time
from collections.abc import Callable
from typing import Literal, TypeVar

from meeting_slot.cpsat.certificate import certificate
from meeting_slot.cpsat.synthesis import synthesize
from meeting_slot.cpsat.wishes import Target
from meeting_slot.observations import proved, universe

WORLDS = 100

Found = TypeVar("Found")


def timed(call: Callable[[], Found]) -> tuple[Found, float]:
    """Return what a call gives, and the CPU milliseconds it took."""
    begin = time.process_time()
    found = call()
    return found, 1000 * (time.process_time() - begin)


def row(attendees: int, days: int, answer: Literal["NONE"] | None) -> str:
    """Return a row of the table."""
    target = Target(answer=answer, attendees=attendees, window_days=days)
    certified, judged, proven, floors = [], [], 0, []
    for i in range(WORLDS):
        world = synthesize(target, f"bench {i}")
        found, milliseconds = timed(lambda world=world: certificate(world))
        certified.append(milliseconds)
        proven += found.proven_minimal
        floors.append(found.floor)
        full = universe(world)
        right, milliseconds = timed(
            lambda world=world, full=full, answer=found.answer: proved(world, full, answer)
        )
        assert right
        judged.append(milliseconds)
    return (
        f"{attendees} x {days:<3} | {answer or 'start':<6} | {statistics.median(floors):5.1f} "
        f"| {statistics.median(certified):6.2f} ({max(certified):6.2f}) | {proven}/{WORLDS} "
        f"| {statistics.median(judged):5.2f} ({max(judged):5.2f})"
    )


def main() -> None:
    """Print a table."""
    print("people x days | answer | floor | certificate ms (max) | proven | proved() ms (max)")
    for attendees, days in ((4, 5), (8, 14)):
        for answer in (None, "NONE"):
            print(row(attendees, days, answer))


if __name__ == "__main__":
    main()
