"""Cells: the units of a calendar that are busy or free as a whole.

A cell is a stretch of one attendee's hours on one local date. The grid is refined where a wanted
start and its end fall, so that starts on any minute and meetings of any length are exact without a
finer grid elsewhere. Cells are numbered; those of one date are numbered in order.
"""

import bisect
import itertools
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from .. import zones
from ..instants import MINUTES_A_DAY
from ..world import Attendee

GRID: Final = 15
"""The usual length of a cell, in minutes, aligned to local midnight."""


class Cell(NamedTuple):
    """A stretch `[start, end)` in local minutes of one attendee's local date."""

    attendee: int
    day: int
    start: int
    end: int


class _Date(NamedTuple):
    """The cells of one attendee's hours on one local date.

    Attributes:
        first: the number of the first of them.
        bounds: the local minutes at which they begin, and the last one's end.
    """

    first: int
    bounds: list[int]


class Cells:
    """The cells of a cast: each attendee's hours on each date, cut on the grid and where asked.

    Args:
        cast: the attendees; their calendars are not looked at.
        cuts: UTC minutes at whose local readings the cells are cut as well.
        grid: the usual length of a cell, in minutes.
    """

    def __init__(self, cast: Sequence[Attendee], cuts: Iterable[int], grid: int = GRID) -> None:
        self.cast = cast
        self.count = 0
        self._grid = grid
        self._dates: dict[tuple[int, int], _Date] = {}
        self._eves: dict[tuple[int, int], int] = {}
        self._firsts: list[tuple[int, int, int]] = []  # the first cell of each date, in order
        self._uncut = [self._on_grid(attendee) for attendee in cast]
        self._cuts: dict[tuple[int, int], set[int]] = {}
        for cut in cuts:
            for i, attendee in enumerate(cast):
                # The end of a meeting may read differently just before a change of offset.
                for span in zones.spans(attendee.timezone, cut - 1, cut + 1):
                    day, minute = divmod(cut + span.offset, MINUTES_A_DAY)
                    hours = attendee.working_hours
                    if hours.start < minute < hours.end and minute % grid:
                        self._cuts.setdefault((i, day), set()).add(minute)

    @property
    def cuts(self) -> frozenset[tuple[int, int, int]]:
        """The cuts off the grid: an attendee's place, a local date, a local minute.

        Cells of the same cast with the same cuts are the same.
        """
        return frozenset((*key, cut) for key, cuts in self._cuts.items() for cut in cuts)

    @property
    def all(self) -> list[Cell]:
        """Every cell, by its number; the list is made anew."""
        cells = []
        for place, day, first in self._firsts:
            if self._eves.get((place, day)) == first:
                start = self.cast[place].working_hours.start
                cells.append(Cell(place, day, start - self._grid, start))
            else:
                bounds = self._dates[place, day].bounds
                cells += [Cell(place, day, *pair) for pair in itertools.pairwise(bounds)]
        return cells

    def of_day(self, attendee: int, day: int) -> range:
        """Return the cells of an attendee's hours on a local date, in order, days off included."""
        first, bounds = self._date(attendee, day)
        return range(first, first + len(bounds) - 1)

    def bounds(self, attendee: int, day: int) -> list[int]:
        """Return the local minutes at which the cells of `of_day` begin, and the last one's end."""
        return self._date(attendee, day).bounds

    def between(self, attendee: int, day: int, start: int, end: int) -> range:
        """Return the cells of `of_day` that local minutes `[start, end)` of the date touch."""
        first, bounds = self._date(attendee, day)
        return range(
            first + max(0, bisect.bisect_right(bounds, start) - 1),
            first + min(bisect.bisect_left(bounds, end), len(bounds) - 1),
        )

    def before_hours(self, attendee: int, day: int) -> int | None:
        """Return the cell that ends where the hours begin; None where the day begins with them.

        Nobody is free in it, but a block that ends with it matters to who takes ends for busy.
        """
        if self.cast[attendee].working_hours.start < self._grid:
            return None
        if (attendee, day) not in self._eves:
            self._eves[attendee, day] = self.count
            self._firsts.append((attendee, day, self.count))
            self.count += 1
        return self._eves[attendee, day]

    def days(self, attendee: int) -> list[int]:
        """Return the local dates of an attendee that have cells, sorted."""
        return sorted({day for place, day in (*self._dates, *self._eves) if place == attendee})

    def stretches_on(self, attendee: int, day: int) -> list[tuple[int, int, int]]:
        """Return the cells of a local date as `(cell, start, end)`, the one before the hours first.

        Only dates that have been asked for have any.
        """
        found = []
        eve = self._eves.get((attendee, day))
        if eve is not None:
            start = self.cast[attendee].working_hours.start
            found.append((eve, start - self._grid, start))
        if (attendee, day) in self._dates:
            first, bounds = self._dates[attendee, day]
            numbers = range(first, first + len(bounds) - 1)
            found += zip(numbers, bounds, bounds[1:], strict=False)
        return found

    def attendee_of(self, cell: int) -> int:
        """Return the place of the attendee whose cell it is."""
        at = bisect.bisect_right(self._firsts, cell, key=lambda first: first[2]) - 1
        return self._firsts[at][0]

    def _date(self, attendee: int, day: int) -> _Date:
        date = self._dates.get((attendee, day))
        if date is None:
            bounds = self._uncut[attendee]
            cuts = self._cuts.get((attendee, day))
            if cuts:
                bounds = sorted({*bounds, *cuts})
            date = self._dates[attendee, day] = _Date(self.count, bounds)
            self._firsts.append((attendee, day, self.count))
            self.count += len(bounds) - 1
        return date

    def _on_grid(self, attendee: Attendee) -> list[int]:
        hours, grid = attendee.working_hours, self._grid
        return [hours.start, *range(hours.start // grid * grid + grid, hours.end, grid), hours.end]
