"""Calendars that look like calendars: sampled before the solve, written as blocks after it.

A busy block lasts 15 to 180 minutes, a date holds a bounded number of them, and blocks outside the
hours, on days off and on top of others are red herrings. What is done after the solve only adds
busy time outside the cells that have to stay free, so it cannot make another start valid.
"""

import itertools
import random
from collections.abc import Sequence, Set
from typing import Final

from ..instants import MINUTES_A_DAY, weekday_of
from ..intervals import Interval, difference, intersection, union
from ..world import Block, WorkingHours
from .cells import GRID, Cells

SHORTEST: Final = 15
LONGEST: Final = 180
MOST_BLOCKS: Final = 10
"""The most blocks of one attendee on one date, red herrings included."""
MOST_BUSY: Final = 0.8
"""The busy share of a date's hours that is passed only where the wish leaves no choice."""

_LENGTHS: Final = (15, 30, 30, 30, 45, 60, 60, 60, 75, 90, 120)
_COMMUTE: Final = 3 * 60  # how far outside the hours a red herring may lie, in minutes


def sampled_calendar(cells: Cells, rng: random.Random) -> list[bool]:
    """Return for each cell whether a plausible calendar has it busy; days off are nearly empty."""
    busy = [False] * cells.count
    for attendee, person in enumerate(cells.cast):
        fullness = rng.uniform(0.1, 0.55)  # how full this person's dates tend to be
        hours = person.working_hours
        for day in cells.days(attendee):
            working = weekday_of(day) in hours.weekdays
            share = rng.gauss(fullness, 0.15) if working else rng.gauss(0.0, 0.1)
            wanted = max(0.0, share) * (hours.end - hours.start)
            while wanted > 0:
                length = rng.choice(_LENGTHS)
                wanted -= length
                start = rng.randrange(hours.start, hours.end)
                start -= start % GRID
                for cell in cells.between(attendee, day, start, start + length):
                    busy[cell] = True
    return busy


def blocks_of(
    cells: Cells,
    attendee: int,
    day: int,
    busy: Sequence[bool],
    kept_free: Set[int],
    rng: random.Random,
) -> tuple[Block, ...] | None:
    """Return a date's blocks, or None where they cannot be made to look like a calendar.

    Args:
        cells: the cells of the cast.
        attendee: the attendee's place in the cast.
        day: the local date.
        busy: for each cell, whether it has to be busy.
        kept_free: the cells that have to stay free.
        rng: the source of chance.
    """
    hours = cells.cast[attendee].working_hours
    stretches = cells.stretches_on(attendee, day)
    taken = union([(start, end) for cell, start, end in stretches if cell in kept_free])
    runs = union([(start, end) for cell, start, end in stretches if busy[cell]])
    runs = _lengthened(runs, taken, hours, rng)
    while _fewest(runs) > MOST_BLOCKS:
        gap = _narrowest_gap(runs, taken)
        if gap is None:
            return None
        runs[gap : gap + 2] = [(runs[gap][0], runs[gap + 1][1])]
    if any(end - start < SHORTEST for start, end in runs):
        return None
    blocks: list[Block] = []
    room = MOST_BLOCKS - _fewest(runs)
    for run in runs:
        pieces = _fewest([run])
        if room and run[1] - run[0] >= 4 * SHORTEST and rng.random() < 0.4:
            pieces, room = pieces + 1, room - 1
        blocks += _split(run, pieces, rng)
    herrings = _herrings(hours, runs, rng) if weekday_of(day) in hours.weekdays else []
    blocks += [one for one in herrings if not intersection([one], taken)][:room]
    return tuple(sorted(blocks))


def _lengthened(
    runs: list[Interval], taken: list[Interval], hours: WorkingHours, rng: random.Random
) -> list[Interval]:
    """Lengthen runs that are too short for a block, and by chance some that are short for one."""
    room = MOST_BUSY * (hours.end - hours.start) - sum(end - start for start, end in runs)
    lengthened: list[Interval] = []
    for start, end in runs:
        wanted = SHORTEST
        if end - start < 2 * SHORTEST and rng.random() < 0.6:
            wanted = rng.choice((30, 30, 45, 60))
        if wanted > SHORTEST and wanted - (end - start) > room:
            wanted = SHORTEST
        if wanted > end - start:
            room -= wanted - (end - start)
            # The free stretch around the run, in which it may grow; across the hours' ends too.
            low, high = next(
                gap for gap in difference((0, MINUTES_A_DAY), taken) if gap[0] <= start < gap[1]
            )
            end = min(high, start + wanted)
            start = max(low, end - wanted)
        lengthened.append((start, end))
    return union(lengthened)


def _fewest(runs: list[Interval]) -> int:
    """Return the least number of blocks that cover the runs."""
    return sum(-(-(end - start) // LONGEST) for start, end in runs)


def _narrowest_gap(runs: list[Interval], taken: list[Interval]) -> int | None:
    """Return which gap between runs is the narrowest that nothing has to keep free."""
    gaps = [
        (right[0] - left[1], i)
        for i, (left, right) in enumerate(itertools.pairwise(runs))
        if not any(start < right[0] and left[1] < end for start, end in taken)
    ]
    return min(gaps)[1] if gaps else None


def _split(run: Interval, pieces: int, rng: random.Random) -> list[Block]:
    """Cut a run into touching blocks, on quarters of an hour where that is possible."""
    start, end = run
    blocks = []
    for left in range(pieces - 1, 0, -1):
        shortest = max(SHORTEST, end - start - LONGEST * left)
        longest = min(LONGEST, end - start - SHORTEST * left)
        cut = start + rng.randint(shortest, longest)
        if cut - cut % GRID >= start + shortest:
            cut -= cut % GRID
        blocks.append((start, cut))
        start = cut
    return [*blocks, (start, end)]


def _herrings(hours: WorkingHours, runs: list[Interval], rng: random.Random) -> list[Block]:
    """Return blocks that change nothing: before or after the hours, or on top of other blocks."""
    blocks: list[Block] = []
    before, after = rng.choice(_LENGTHS), rng.choice(_LENGTHS)
    if rng.random() < 0.25 and hours.start >= before:
        start = rng.randrange(max(0, hours.start - _COMMUTE), hours.start - before + 1)
        start -= start % GRID
        blocks.append((start, start + before))
    first = -(-hours.end // GRID) * GRID
    last = min(MINUTES_A_DAY, hours.end + _COMMUTE) - after
    if rng.random() < 0.25 and first <= last:
        start = rng.randrange(first, last + 1, GRID)
        blocks.append((start, start + after))
    doubled = [run for run in runs if run[1] - run[0] >= 2 * SHORTEST]
    if doubled and rng.random() < 0.15:
        run_start, run_end = rng.choice(doubled)
        blocks.append((run_start, run_start + min(30, run_end - run_start)))
    return blocks
