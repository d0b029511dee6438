"""How long CP-SAT takes to find the earliest start, in two formulations, against the sweep.

    python bench/cpsat_earliest.py

Prints the median CPU milliseconds a world (model building included) over worlds with exactly one
start, and the ratio to the sweep on the same worlds in the same run.
"""

import statistics
import time
from collections.abc import Callable

from ortools.sat.python import cp_model

from meeting_slot import sweep
from meeting_slot.cpsat import earliest
from meeting_slot.cpsat.solver import Status, solve
from meeting_slot.cpsat.synthesis import synthesize
from meeting_slot.cpsat.wishes import Starts, Target
from meeting_slot.intervals import difference
from meeting_slot.world import World

WORLDS = 100


def by_no_overlap(world: World) -> int | None:
    """Return the earliest start with the times that are not free as intervals, per attendee."""
    request = world.request
    model = cp_model.CpModel()
    start = model.new_int_var(request.start, request.end - 1, "start")
    meeting = model.new_fixed_size_interval_var(start, request.duration_minutes, "meeting")
    for attendee in world.attendees:
        span = (request.start, request.last_end)
        taken = [
            model.new_fixed_size_interval_var(first, end - first, "")
            for first, end in difference(span, sweep.free(attendee, *span))
        ]
        model.add_no_overlap([meeting, *taken])
    model.minimize(start)
    status, solver = solve(model)
    return solver.value(start) if status is Status.SOLVED else None


def median_milliseconds(solve_one: Callable[[World], int | None], worlds: list[World]) -> float:
    """Return the median CPU time of one call."""
    times = []
    for world in worlds:
        begin = time.process_time()
        solve_one(world)
        times.append(1000 * (time.process_time() - begin))
    return statistics.median(times)


def main() -> None:
    """Print a table."""
    print("attendees x days | sweep ms | domains ms (ratio) | no-overlap ms (ratio)")
    for attendees, days in ((4, 5), (8, 14)):
        target = Target(starts=Starts.EXACTLY_ONE, attendees=attendees, window_days=days)
        worlds = [synthesize(target, f"bench {i}") for i in range(WORLDS)]
        for world in worlds:
            assert sweep.earliest_start(world) == by_no_overlap(world)
            assert sweep.earliest_start(world) == earliest.earliest_start(world)
        base = median_milliseconds(sweep.earliest_start, worlds)
        domains = median_milliseconds(earliest.earliest_start, worlds)
        no_overlap = median_milliseconds(by_no_overlap, worlds)
        print(
            f"{attendees} x {days:<12} | {base:8.3f} | {domains:8.3f} ({domains / base:5.1f}) "
            f"    | {no_overlap:8.3f} ({no_overlap / base:5.1f})"
        )


if __name__ == "__main__":
    main()
