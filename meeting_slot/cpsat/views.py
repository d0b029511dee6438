"""Views: what must be free for a start, as arrays from UTC steps to cells.

A *cell* is a stretch of one attendee's hours on one local date, the unit that is busy or free as a
whole. A *step* is a stretch of UTC minutes in which no view changes cell. A view maps, for each
attendee it looks at, each step to a cell; the gold view does so by the pointwise rule, and any
other way to read a calendar is one more view over the same cells. A repeated hour needs nothing
special: its cells appear at two places of the array.

Steps need not be equally long: the grid is refined where a wanted start and its end fall, so that
starts on any minute and meetings of any length are exact without a finer grid elsewhere.
"""

import bisect
import itertools
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from .. import zones
from ..instants import MINUTES_A_DAY, weekday_of
from ..world import Attendee, Request

NEVER: Final = -1
"""In a view's array: never free in this step."""
ALWAYS: Final = -2
"""In a view's array: free in this step, whatever the calendar says."""

GRID: Final = 15
"""The usual length of a cell, in minutes, aligned to local midnight."""


class Cell(NamedTuple):
    """A stretch `[start, end)` in local minutes of one attendee's local date."""

    attendee: int
    day: int
    start: int
    end: int


class Segment(NamedTuple):
    """UTC minutes `[start, end)` that a view maps to one cell, or to `ALWAYS`."""

    start: int
    end: int
    cell: int


class Cells:
    """The cells of a cast: each attendee's hours on each date, cut on the grid and where asked.

    Args:
        cast: the attendees; their calendars are not looked at.
        cuts: UTC minutes at whose local readings the cells are cut as well.
        grid: the usual length of a cell, in minutes.
    """

    def __init__(self, cast: Sequence[Attendee], cuts: Iterable[int], grid: int = GRID) -> None:
        self.cast = cast
        self.all: list[Cell] = []
        self._grid = grid
        self._first: dict[tuple[int, int], int] = {}
        self._bounds: dict[tuple[int, int], list[int]] = {}
        self._cuts: dict[tuple[int, int], set[int]] = {}
        for cut in cuts:
            for i, attendee in enumerate(cast):
                local = cut + zones.offset_at(attendee.timezone, cut)
                # A cut that ends a meeting may fall before or after a change of offset.
                before = cut + zones.offset_at(attendee.timezone, cut - 1)
                for reading in {local, before}:
                    day, minute = divmod(reading, MINUTES_A_DAY)
                    self._cuts.setdefault((i, day), set()).add(minute)

    def of_day(self, attendee: int, day: int) -> range:
        """Return the cells of an attendee's local date, in order, days off included."""
        key = (attendee, day)
        if key not in self._first:
            hours = self.cast[attendee].working_hours
            bounds = {hours.start, hours.end}
            bounds.update(range(-(-hours.start // self._grid) * self._grid, hours.end, self._grid))
            bounds.update(c for c in self._cuts.get(key, ()) if hours.start < c < hours.end)
            self._first[key] = len(self.all)
            self._bounds[key] = sorted(bounds)
            self.all.extend(
                Cell(attendee, day, start, end)
                for start, end in itertools.pairwise(self._bounds[key])
            )
        first = self._first[key]
        return range(first, first + len(self._bounds[key]) - 1)


def gold_segments(cells: Cells, attendee: int, start: int, end: int) -> list[Segment]:
    """Return the gold view of an attendee over the UTC minutes `[start, end)`, in UTC order."""
    person = cells.cast[attendee]
    segments: list[Segment] = []
    for span in zones.spans(person.timezone, start, end):
        local_start, local_end = span.start + span.offset, span.end + span.offset
        for day in range(local_start // MINUTES_A_DAY, (local_end - 1) // MINUTES_A_DAY + 1):
            if weekday_of(day) not in person.working_hours.weekdays:
                continue
            midnight = day * MINUTES_A_DAY
            for index in cells.of_day(attendee, day):
                cell = cells.all[index]
                first = max(midnight + cell.start, local_start)
                last = min(midnight + cell.end, local_end)
                if first < last:
                    segments.append(Segment(first - span.offset, last - span.offset, index))
    return segments


class View:
    """One way to read the calendars of a cast, over the UTC minutes that a meeting may touch.

    Attributes:
        steps: the UTC minutes at which a step begins, and the last one's end.
        arrays: for each attendee looked at, the cell of each step, or `NEVER` or `ALWAYS`.
        starts: the starts worth a look, sorted. A start between two of them needs every cell
            free that the one before it needs, and every cell that the one after it needs.
    """

    def __init__(
        self, request: Request, steps: list[int], segments: Sequence[Sequence[Segment]]
    ) -> None:
        self.steps = steps
        self.duration = request.duration_minutes
        self.arrays = [_array(steps, of_attendee) for of_attendee in segments]
        critical = {*steps, *(step - self.duration for step in steps), request.end - 1}
        self.starts = sorted(t for t in critical if request.start <= t < request.end)
        self._needs = [_need(column) for column in zip(*self.arrays, strict=True)]

    def requirement(self, start: int) -> frozenset[int] | None:
        """Return the cells that must be free for a start to be valid; None: it never is."""
        first = bisect.bisect_right(self.steps, start) - 1
        last = bisect.bisect_left(self.steps, start + self.duration)
        needed: list[int] = []
        for need in self._needs[first:last]:
            if need is None:
                return None
            needed.extend(need)
        return frozenset(needed)


def gold_view(cells: Cells, request: Request) -> View:
    """Return the view of the pointwise rule."""
    segments = [
        gold_segments(cells, i, request.start, request.last_end) for i in range(len(cells.cast))
    ]
    return View(request, steps_of(request.start, request.last_end, segments), segments)


def steps_of(start: int, end: int, segments: Iterable[Sequence[Segment]]) -> list[int]:
    """Return the steps of `[start, end)`: every UTC minute at which some segment starts or ends."""
    bounds = {start, end}
    for of_attendee in segments:
        for segment in of_attendee:
            bounds.add(segment.start)
            bounds.add(segment.end)
    return sorted(bounds)


def _array(steps: list[int], segments: Sequence[Segment]) -> list[int]:
    array = [NEVER] * (len(steps) - 1)
    step = 0
    for segment in segments:
        step = bisect.bisect_left(steps, segment.start, lo=step)
        while steps[step] < segment.end:
            array[step] = segment.cell
            step += 1
    return array


def _need(column: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the cells that one step needs free, or None where somebody never is."""
    if NEVER in column:
        return None
    return tuple(cell for cell in column if cell != ALWAYS)
