"""A timeline at a coarser resolution: cells of equal length, and what is to be seen in each.

A cell that is free for a part of its time only is never shown as free, and never as not free.
"""

import enum
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..intervals import Interval
from .timeline import State, Stretch


class Shade(enum.Enum):
    """What a cell shows."""

    FREE = "free"
    PARTLY_FREE = "partly free"
    BUSY = "busy"
    OUTSIDE_HOURS = "outside hours"
    DAY_OFF = "day off"


class Cell(NamedTuple):
    """UTC minutes `[start, end)` that are shown alike."""

    start: int
    end: int
    shade: Shade


def cells(stretches: Sequence[Stretch], start: int, end: int, length: int) -> Iterator[Cell]:
    """Yield the cells of a row that touch `[start, end)`, cut to it.

    A cell without a free minute shows the state that it is in for the longest, of two that last
    equally long the first in the order of `State`.

    Args:
        stretches: states that make up `[start, end)` or more.
        start: the first UTC minute shown.
        end: the UTC minute after the last.
        length: of a cell, in minutes; cells begin at multiples of it.
    """
    place = 0
    for first, last in _edges(start, end, length):
        minutes = dict.fromkeys(State, 0)
        while place < len(stretches):
            stretch = stretches[place]
            minutes[stretch.state] += max(0, min(last, stretch.end) - max(first, stretch.start))
            if stretch.end > last:
                break
            place += 1
        yield Cell(first, last, _shade(minutes, last - first))


def covered(intervals: Sequence[Interval], start: int, end: int, length: int) -> Iterator[float]:
    """Yield which share of each of these cells a sorted disjoint list covers, 0.0 to 1.0."""
    place = 0
    for first, last in _edges(start, end, length):
        minutes = 0
        while place < len(intervals):
            low, high = intervals[place]
            minutes += max(0, min(last, high) - max(first, low))
            if high > last:
                break
            place += 1
        yield minutes / (last - first)


def merged(row: Iterable[Cell]) -> list[Cell]:
    """Return adjacent cells of one shade as one."""
    runs = (list(run) for _, run in itertools.groupby(row, key=lambda cell: cell.shade))
    return [Cell(run[0].start, run[-1].end, run[0].shade) for run in runs]


def _edges(start: int, end: int, length: int) -> Iterator[Interval]:
    for number in range(start // length, -(-end // length)):
        yield max(start, number * length), min(end, (number + 1) * length)


def _shade(minutes: dict[State, int], whole: int) -> Shade:
    if minutes[State.FREE]:
        return Shade.FREE if minutes[State.FREE] == whole else Shade.PARTLY_FREE
    longest = max(minutes, key=lambda state: minutes[state])
    return Shade(longest.value)
