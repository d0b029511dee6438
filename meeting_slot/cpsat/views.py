"""Views: which cells must be free for a start, as a policy reads them.

The gold is one view, by the pointwise rule; each policy has another, by its own reading of the same
cells. When people are at work in its eyes decides, before any cell is looked at, which starts it
could ever find. A repeated hour needs nothing special: the same cells are read at two UTC places.
"""

import bisect
import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from ..instants import MINUTES_A_DAY
from ..policies import GOLD, Policy, Weekdays
from ..reading import Reader, Stretch, seen
from ..world import Attendee, Request, World
from .cells import Cells


class Views:
    """The views of one cast in one window; what two of them read alike is read once.

    Args:
        cells: the cells of the cast.
        request: the request.
        reader: a reader of the cast without calendars, where there is one already.
    """

    def __init__(self, cells: Cells, request: Request, reader: Reader | None = None) -> None:
        self.cells = cells
        self.reader = reader or Reader(World(request, without_calendars(cells)))
        self._timetables: dict[tuple[object, ...], _Timetable] = {}
        self._requirements: dict[tuple[_Timetable, ...], dict[int, frozenset[int]]] = {}
        self._views: dict[Policy, View] = {}

    def of(self, policy: Policy = GOLD) -> "View":
        """Return a policy's view."""
        if policy not in self._views:
            self._views[policy] = View(self, policy)
        return self._views[policy]

    def timetables(self, policy: Policy) -> "tuple[_Timetable, ...]":
        """Return which cells a policy reads of each attendee whom it looks at."""
        # What it reads on a date does not hang on which weekdays it takes for working days.
        every_day = msgspec.structs.replace(policy, weekdays=Weekdays.EVERY)
        places = seen(policy, self.reader.world)
        return tuple(self._timetable(every_day, place) for place in places)

    def requirements(self, timetables: "tuple[_Timetable, ...]") -> dict[int, frozenset[int]]:
        """Return the cells that starts need, as far as they are known; for all who read alike."""
        return self._requirements.setdefault(timetables, {})

    def _timetable(self, policy: Policy, place: int) -> "_Timetable":
        stretches = self.reader.stretches(policy, place)
        unread = self.reader.unread_days(policy, place)
        key = (place, id(stretches), unread, policy.inclusive_end)
        if key not in self._timetables:
            read = [s._replace(blocks_day=None) if s.blocks_day in unread else s for s in stretches]
            self._timetables[key] = _Timetable(self.cells, place, read, policy.inclusive_end)
        return self._timetables[key]


class View:
    """One way to read the calendars of a cast.

    Attributes:
        policy: whose view it is.
        duration: the meeting's minutes.
    """

    def __init__(self, views: Views, policy: Policy) -> None:
        self.policy = policy
        self.duration = views.reader.world.request.duration_minutes
        self._possible = views.reader.seeming_starts(policy)
        self._begins = [start for start, _ in self._possible]
        self._at_work = views.reader.common_free(policy)
        self._views = views

    @cached_property
    def _timetables(self) -> "tuple[_Timetable, ...]":
        return self._views.timetables(self.policy)

    @cached_property
    def _requirements(self) -> dict[int, frozenset[int]]:
        return self._views.requirements(self._timetables)

    @cached_property
    def starts(self) -> list[int]:
        """The possible starts worth a look, sorted.

        A possible start between two of them needs every cell free that the one before it needs, and
        every cell that the one after it needs.
        """
        starts: list[int] = []
        for first, end in self._possible:
            critical = {first, end - 1}
            if end - first > 2:
                for bound in self._bounds(first, end - 1 + self.duration):
                    critical.update((bound, bound - self.duration))
            starts += sorted(start for start in critical if first <= start < end)
        return starts

    def always_possible(self, first: int, last: int) -> bool:
        """Return whether the policy could find every start from the first to the last."""
        return any(start <= first and last < end for start, end in self._possible)

    def requirement(self, start: int) -> frozenset[int] | None:
        """Return the cells that must be free for the policy to find a start valid.

        None: it never does, whatever the calendars say.
        """
        at = bisect.bisect_right(self._begins, start) - 1
        if at < 0 or start >= self._possible[at][1]:
            return None
        if start not in self._requirements:
            self._requirements[start] = self._cells(start, start + self.duration)
        return self._requirements[start]

    def reads_like(self, other: "View") -> bool:
        """Return whether both policies plainly coincide: they read the same of the same people."""
        return self._possible == other._possible and self._timetables == other._timetables

    def coincides(self, other: "View") -> bool:
        """Return whether both policies answer alike in this cast, whatever the calendars say."""
        return self.reads_like(other) or (
            self._possible == other._possible
            and all(
                self.requirement(start) == other.requirement(start)
                for start in (*self.starts, *other.starts)
            )
        )

    def has_starts_before(self, answer: int | None) -> bool:
        """Return whether a start before an answer is possible; any start for None."""
        return bool(self._possible) and (answer is None or self._possible[0][0] < answer)

    def starts_before(self, answer: int | None) -> list[int]:
        """Return the starts worth a look that come before an answer; all of them for None."""
        if answer is None:
            return self.starts
        return self.starts[: bisect.bisect_left(self.starts, answer)]

    def requirement_but_last_step(self, start: int) -> frozenset[int]:
        """Return the cells that must be free for all of a meeting but its last step.

        A *step* is a stretch of UTC minutes in which everybody's cells stay the same.
        """
        end = start + self.duration
        return self._cells(start, max(self._bounds(start, end), default=start))

    def short_gaps(
        self, start: int, longest: int
    ) -> Iterator[tuple[frozenset[int], frozenset[int]]]:
        """Yield the steps of a meeting that could be a short gap between two free steps.

        Yields:
            the cells of the meeting's steps and of those next to the gap, and the gap's own.
        """
        end = start + self.duration
        bounds = {start - longest - 1, end + longest + 1}
        bounds |= self._bounds(start - longest - 1, end + longest + 1)
        for first, after in itertools.pairwise(sorted(bounds)):
            if after <= start or end <= first or after - first > longest:
                continue
            around = (min(start, first - 1), max(end, after + 1))
            if any(s <= around[0] and around[1] <= e for s, e in self._at_work):
                own = self._cells(first, after)
                if own:
                    yield self._cells(*around), own

    def _cells(self, start: int, end: int) -> frozenset[int]:
        """Return the cells that are read in UTC minutes `[start, end)`."""
        return frozenset().union(*[one.cells_in(start, end) for one in self._timetables])

    def _bounds(self, start: int, end: int) -> set[int]:
        """Return the UTC minutes inside `(start, end)` at which somebody's cells change."""
        bounds: set[int] = set()
        for timetable in self._timetables:
            bounds.update(timetable.bounds_in(start, end))
        return bounds


class _Timetable:
    """Which cells one attendee's clock reads, in the eyes of a policy.

    Three lists hold, for each cell that is read, in UTC order, from which minute on, until when,
    and which it is. To whoever takes ends for busy, a cell reaches a minute into the next one.
    """

    def __init__(
        self, cells: Cells, place: int, stretches: Sequence[Stretch], inclusive_end: bool
    ) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._cells: list[int] = []
        more = 1 if inclusive_end else 0
        for start, end, offset, day in stretches:
            if day is None:
                continue
            midnight = (start + offset) // MINUTES_A_DAY * MINUTES_A_DAY - offset
            bounds = cells.bounds(place, day)
            eve = cells.before_hours(place, day) if inclusive_end else None
            if eve is not None and start == midnight + bounds[0]:
                self._begins.append(start)
                self._ends.append(start + 1)
                self._cells.append(eve)
            read = cells.between(place, day, start - midnight - more, end - midnight)
            low = read.start - cells.of_day(place, day).start
            high = low + len(read)
            self._begins.append(start)
            self._begins += [midnight + bound for bound in bounds[low + 1 : high]]
            self._ends += [midnight + bound + more for bound in bounds[low + 1 : high]]
            self._ends.append(end)
            self._cells += read

    def cells_in(self, start: int, end: int) -> list[int]:
        """Return the cells read in UTC minutes `[start, end)`."""
        return self._cells[
            bisect.bisect_right(self._ends, start) : bisect.bisect_left(self._begins, end)
        ]

    def bounds_in(self, start: int, end: int) -> list[int]:
        """Return the UTC minutes inside `(start, end)` at which the cells read change."""
        begins, ends = self._begins, self._ends
        return [
            *begins[bisect.bisect_right(begins, start) : bisect.bisect_left(begins, end)],
            *ends[bisect.bisect_right(ends, start) : bisect.bisect_left(ends, end)],
        ]


def without_calendars(cells: Cells) -> tuple[Attendee, ...]:
    """Return the cast with nobody ever busy."""
    return tuple(msgspec.structs.replace(attendee, busy={}) for attendee in cells.cast)
