"""Views: what must be free for a start, as arrays from UTC steps to cells.

A *cell* is a stretch of one attendee's hours on one local date, the unit that is busy or free as a
whole. A *step* is a stretch of UTC minutes in which a view maps everybody to the same cells. A view
maps, for each attendee it looks at, each step to a cell: the gold by the pointwise rule, a policy
by its own reading of the same cells. A repeated hour needs nothing special: its cells appear at two
places of the array.

Steps need not be equally long: the grid is refined where a wanted start and its end fall, so that
starts on any minute and meetings of any length are exact without a finer grid elsewhere.
"""

import bisect
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from .. import zones
from ..instants import MINUTES_A_DAY
from ..policies import GOLD, Minutes, Policy
from ..reading import (
    HALF_HOUR,
    Stretch,
    allowed_starts,
    at_work,
    may_start,
    reach,
    seen,
    unread_days,
)
from ..world import Attendee, Request, World

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
        self._of_day: dict[tuple[int, int], range] = {}
        self._eves: dict[tuple[int, int], int] = {}
        self._pairs: list[tuple[int, int]] = []
        self._cuts: dict[tuple[int, int], set[int]] = {}
        for cut in cuts:
            for i, attendee in enumerate(cast):
                # The end of a meeting may read differently just before a change of offset.
                for offset in {
                    zones.offset_at(attendee.timezone, cut),
                    zones.offset_at(attendee.timezone, cut - 1),
                }:
                    day, minute = divmod(cut + offset, MINUTES_A_DAY)
                    self._cuts.setdefault((i, day), set()).add(minute)

    def of_day(self, attendee: int, day: int) -> range:
        """Return the cells of an attendee's hours on a local date, in order, days off included."""
        key = (attendee, day)
        if key not in self._of_day:
            hours = self.cast[attendee].working_hours
            bounds = {hours.start, hours.end}
            bounds.update(range(-(-hours.start // self._grid) * self._grid, hours.end, self._grid))
            bounds.update(c for c in self._cuts.get(key, ()) if hours.start < c < hours.end)
            first = len(self.all)
            self.all.extend(
                Cell(attendee, day, start, end) for start, end in itertools.pairwise(sorted(bounds))
            )
            self._of_day[key] = range(first, len(self.all))
        return self._of_day[key]

    def before_hours(self, attendee: int, day: int) -> int | None:
        """Return the cell that ends where the hours begin; None where the day begins with them.

        Nobody is free in it, but a block that ends with it matters to who takes ends for busy.
        """
        start = self.cast[attendee].working_hours.start
        if start < self._grid:
            return None
        if (attendee, day) not in self._eves:
            self._eves[attendee, day] = len(self.all)
            self.all.append(Cell(attendee, day, start - self._grid, start))
        return self._eves[attendee, day]

    def days(self, attendee: int) -> list[int]:
        """Return the local dates of an attendee that have cells, sorted."""
        return sorted({day for place, day in (*self._of_day, *self._eves) if place == attendee})

    def on(self, attendee: int, day: int) -> list[int]:
        """Return all cells of an attendee's local date, the one before the hours first."""
        before = self._eves.get((attendee, day))
        return [*([] if before is None else [before]), *self._of_day.get((attendee, day), ())]

    def both(self, cell: int, other: int) -> int:
        """Return what an array holds where two cells must be free."""
        self._pairs.append((cell, other))
        return ALWAYS - len(self._pairs)

    def named(self, entry: int) -> tuple[int, ...]:
        """Return the cells that an array's entry stands for."""
        if entry >= 0:
            return (entry,)
        return () if entry == ALWAYS else self._pairs[ALWAYS - entry - 1]


class Segment(NamedTuple):
    """UTC minutes `[start, end)` that a view maps to one entry of its array."""

    start: int
    end: int
    entry: int


class View:
    """One way to read the calendars of a cast, over the UTC minutes that a meeting may touch.

    Attributes:
        policy: whose view it is.
        duration: the meeting's minutes.
        steps: the UTC minutes at which a step begins, and the last one's end.
        arrays: for each attendee looked at, the entry of each step: a cell, `NEVER`, `ALWAYS`, or
            what `Cells.both` made of two cells.
        starts: the starts worth a look, sorted. A start between two of them needs every cell
            free that the one before it needs, and every cell that the one after it needs.
    """

    def __init__(self, cells: Cells, request: Request, policy: Policy = GOLD) -> None:
        cast = World(request, tuple(cells.cast))
        self.policy = policy
        self.duration = request.duration_minutes
        self._allowed = allowed_starts(policy, cast)
        segments = [_segments(cells, cast, policy, place) for place in seen(policy, cast)]
        bounds = {bound for of_one in segments for s in of_one for bound in (s.start, s.end)}
        self.steps = sorted(bounds.union(reach(policy, request)))
        self.arrays = [_array(self.steps, of_one) for of_one in segments]
        self.starts = self._critical_starts()
        self._needs = _needs(cells, self.arrays, len(self.steps) - 1)
        self._requirements: dict[int, frozenset[int] | None] = {}

    def may_answer(self, start: int) -> bool:
        """Return whether the policy looks at this start at all."""
        return any(first <= start < end for first, end in self._allowed) and may_start(
            self.policy, start
        )

    def requirement(self, start: int) -> frozenset[int] | None:
        """Return the cells that must be free for a start to be valid; None: it never is."""
        if start not in self._requirements:
            first, last = self._steps_of(start)
            self._requirements[start] = _united(self._needs[first:last])
        return self._requirements[start]

    def coincides(self, other: "View") -> bool:
        """Return whether both policies answer alike in this cast, whatever the calendars say."""
        starts = sorted({*self.starts, *other.starts})
        return all(self._requirement_or_none(s) == other._requirement_or_none(s) for s in starts)

    def _requirement_or_none(self, start: int) -> frozenset[int] | None:
        return self.requirement(start) if self.may_answer(start) else None

    def starts_before(self, answer: int | None) -> list[int]:
        """Return the starts worth a look that come before an answer; all of them for None."""
        return [start for start in self.starts if answer is None or start < answer]

    def requirement_but_last_step(self, start: int) -> frozenset[int]:
        """Return the cells that must be free for all of a meeting but its last step."""
        first, last = self._steps_of(start)
        return _united(self._needs[first : last - 1]) or frozenset()

    def short_gaps(
        self, start: int, longest: int
    ) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
        """Yield the steps of a meeting that could be a short gap between two free steps.

        Yields:
            the cells of the meeting's steps and of those next to the gap, and the gap's own.
        """
        first, last = self._steps_of(start)
        for gap in range(max(first, 1), min(last, len(self._needs) - 1)):
            around = _united(self._needs[min(first, gap - 1) : max(last, gap + 2)])
            own = _united(self._needs[gap : gap + 1])
            if around and own and self.steps[gap + 1] - self.steps[gap] <= longest:
                yield around, own

    def _steps_of(self, start: int) -> tuple[int, int]:
        """Return the places `[first, last)` of the steps that a meeting touches."""
        return (
            bisect.bisect_right(self.steps, start) - 1,
            bisect.bisect_left(self.steps, start + self.duration),
        )

    def _critical_starts(self) -> list[int]:
        if self.policy.minutes is Minutes.ON_HALF_HOUR:
            return [
                start
                for first, end in self._allowed
                for start in range(-(-first // HALF_HOUR) * HALF_HOUR, end, HALF_HOUR)
            ]
        critical = {*self.steps, *(step - self.duration for step in self.steps)}
        for first, end in self._allowed:
            critical.update((first, end - 1))
        return sorted(filter(self.may_answer, critical))


def _segments(cells: Cells, cast: World, policy: Policy, place: int) -> list[Segment]:
    unread = unread_days(policy, cast, place) or frozenset()
    segments: list[Segment] = []
    for stretch in at_work(policy, cast.attendees[place], cast.request):
        if stretch.blocks_day is None or stretch.blocks_day in unread:
            segments.append(Segment(stretch.start, stretch.end, ALWAYS))
        else:
            segments += _cell_segments(cells, place, stretch, stretch.blocks_day, policy)
    return segments


def _cell_segments(
    cells: Cells, place: int, stretch: Stretch, day: int, policy: Policy
) -> list[Segment]:
    midnight = (stretch.start + stretch.offset) // MINUTES_A_DAY * MINUTES_A_DAY - stretch.offset
    segments: list[Segment] = []
    before = cells.before_hours(place, day) if policy.inclusive_end else None
    for index in cells.of_day(place, day):
        cell = cells.all[index]
        start = max(midnight + cell.start, stretch.start)
        end = min(midnight + cell.end, stretch.end)
        if start < end:
            if before is not None and start == midnight + cell.start:
                # Its first minute is the one at which a block in the cell before ends.
                segments.append(Segment(start, start + 1, cells.both(before, index)))
                start += 1
            if start < end:
                segments.append(Segment(start, end, index))
        if policy.inclusive_end:
            before = index
    return segments


def _array(steps: list[int], segments: Sequence[Segment]) -> list[int]:
    array = [NEVER] * (len(steps) - 1)
    step = 0
    for segment in segments:
        step = bisect.bisect_left(steps, segment.start, lo=step)
        while steps[step] < segment.end:
            array[step] = segment.entry
            step += 1
    return array


def _united(needs: Iterable[tuple[int, ...] | None]) -> frozenset[int] | None:
    cells: set[int] = set()
    for need in needs:
        if need is None:
            return None
        cells.update(need)
    return frozenset(cells)


def _needs(cells: Cells, arrays: list[list[int]], steps: int) -> list[tuple[int, ...] | None]:
    """Return the cells that each step needs free, or None where somebody never is."""
    needs: list[tuple[int, ...] | None] = []
    for step in range(steps):
        column = [array[step] for array in arrays]
        if NEVER in column:
            needs.append(None)
        else:
            needs.append(tuple(cell for entry in column for cell in cells.named(entry)))
    return needs
