"""How a policy reads a world: whom it looks at, when they seem free, what it answers.

Each attendee's time at work is a list of stretches, each with one offset, one local date and one
date for the blocks; what the blocks leave of them is free. The solver's views are made of the same
stretches.
"""

import functools
import itertools
from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

import msgspec

from . import zones
from .instants import MINUTES_A_DAY, first_day_of, weekday_of, year_of
from .intervals import Interval, difference, intersection, union
from .policies import (
    SHORT,
    Choice,
    Minutes,
    Offsets,
    Policy,
    SecondPass,
    StartRule,
    Weekdays,
)
from .tools import local_days
from .world import Attendee, Block, Request, World

HALF_HOUR: Final = 30
"""The grid of `Minutes.ON_HALF_HOUR`, in UTC minutes."""


class Stretch(NamedTuple):
    """UTC minutes `[start, end)` that seem to be at work: one local date, one offset.

    Attributes:
        start: UTC minute.
        end: UTC minute.
        offset: minutes east of UTC, as the policy has it.
        blocks_day: the date whose blocks apply to the local times of day; None: no blocks do.
    """

    start: int
    end: int
    offset: int
    blocks_day: int | None


class Reader:
    """A world as policies read it; what two policies read alike is read once.

    Args:
        world: the world.
        empty: a reader of the same request and people with other calendars, or none. What it has
            found out about their hours is true here as well, and is shared.
    """

    def __init__(self, world: World, empty: "Reader | None" = None) -> None:
        self.world = world
        self._hours: _Hours = _Hours(world) if empty is None else empty._hours
        self._starts: dict[Policy, list[Interval]] = {}
        self._answers: dict[Policy, int | None] = {}
        self._free: dict[tuple[object, ...], list[Interval]] = {}
        self._common: dict[tuple[object, ...], list[Interval]] = {}
        self._from_both_ends: dict[
            tuple[object, ...], tuple[list[list[Interval]], list[list[Interval]]]
        ] = {}
        self._free_numbers: dict[int, int] = {}
        self._distinct_free: dict[tuple[int, tuple[Interval, ...]], int] = {}

    def answer(self, policy: Policy) -> int | None:
        """Return a policy's answer: a UTC minute, or None for NONE."""
        if policy not in self._answers:
            self._answers[policy] = self._answer(policy)
        return self._answers[policy]

    def _answer(self, policy: Policy) -> int | None:
        if policy.choice is Choice.NONE:
            return None
        starts = self.seeming_starts(policy)
        if not starts:
            fallback = policy.choice is Choice.EARLIEST_OR_WINDOW_START
            return self.world.request.start if fallback else None
        return starts[-1][1] - 1 if policy.choice is Choice.LAST else starts[0][0]

    def seeming_starts(self, policy: Policy) -> list[Interval]:
        """Return the starts that seem valid to a policy, as stretches of UTC minutes.

        For a policy that looks at some minutes of the hour only, each stretch is one start.
        """
        if policy not in self._starts:
            self._starts[policy] = self._seeming_starts(policy)
        return self._starts[policy]

    def _seeming_starts(self, policy: Policy) -> list[Interval]:
        duration = self.world.request.duration_minutes
        common = self.common_free(policy)
        if policy.misses_short:
            common = self._without_short_gaps(policy, common)
        starts = [(start, end - duration + 1) for start, end in common if end - start >= duration]
        starts = intersection(starts, allowed_starts(policy, self.world))
        if policy.minutes is Minutes.ON_HALF_HOUR:
            return [
                (minute, minute + 1)
                for start, end in starts
                for minute in range(-(-start // HALF_HOUR) * HALF_HOUR, end, HALF_HOUR)
            ]
        if policy.minutes is Minutes.OFF_HALF_HOUR:
            return [
                (minute, minute + 1)
                for start, end in starts
                for minute in range(start, end)
                if minute % HALF_HOUR != 0
            ]
        return starts

    def stretches(self, policy: Policy, place: int) -> Sequence[Stretch]:
        """Return when the attendee at a place, from 0, seems to be at work, in UTC order."""
        return self._hours.stretches(policy, place)

    def unread_days(self, policy: Policy, place: int) -> frozenset[int]:
        """Return the local dates of an attendee whose blocks a policy has no calls left to read."""
        return self._hours.unread_days(policy, place)

    def view(self, policy: Policy) -> Hashable:
        """Return what decides a policy's answer: who is looked at, when free, for which starts.

        Two policies with the same view of a world give the same answer by definition.
        """
        places = seen(policy, self.world)
        return (
            tuple((place, self._free_number(policy, place)) for place in places),
            tuple(allowed_starts(policy, self.world)),
            policy.minutes,
            policy.choice,
            policy.misses_short,
        )

    def common_free(self, policy: Policy) -> list[Interval]:
        """Return the UTC minutes at which all whom a policy looks at seem free."""
        places = seen(policy, self.world)
        everything = [reach(policy, self.world.request)]
        left_out = len(self.world.attendees) - len(places)
        if policy.skipped is None or left_out != 1 or policy.calls is not None:
            key = (*places, policy.calls, *_key(policy))
            if key not in self._common:
                times = (self._free_of(policy, place) for place in places)
                self._common[key] = functools.reduce(intersection, times, everything)
            return self._common[key]
        # Many policies leave out one each: what the others share is put together from both ends.
        key = _key(policy)
        if key not in self._from_both_ends:
            all_times = [self._free_of(policy, i) for i in range(len(self.world.attendees))]
            self._from_both_ends[key] = (
                list(itertools.accumulate(all_times, intersection, initial=everything)),
                list(itertools.accumulate(all_times[::-1], intersection, initial=everything)),
            )
        before, after = self._from_both_ends[key]
        missing = next((i for i, place in enumerate(places) if place != i), len(places))
        return intersection(before[missing], after[len(places) - missing])

    def _free_of(self, policy: Policy, place: int) -> list[Interval]:
        stretches = self.stretches(policy, place)
        unread = self.unread_days(policy, place)
        key = (place, id(stretches), unread, policy.inclusive_end)
        if key not in self._free:
            self._free[key] = _free(policy, self.world.attendees[place], stretches, unread)
        return self._free[key]

    def _free_number(self, policy: Policy, place: int) -> int:
        """Return a number that the same free time of the same attendee has, whoever reads it."""
        found = self._free_of(policy, place)
        if id(found) not in self._free_numbers:  # kept in _free, so no other list has its id
            key = (place, tuple(found))
            number = self._distinct_free.setdefault(key, len(self._distinct_free))
            self._free_numbers[id(found)] = number
        return self._free_numbers[id(found)]

    def _without_short_gaps(self, policy: Policy, common: list[Interval]) -> list[Interval]:
        """Close the gaps of up to `SHORT` minutes in which only blocks stand in the way."""
        blind = msgspec.structs.replace(policy, ignores_blocks=True)
        at_work_all = self.common_free(blind)
        closed: list[Interval] = []
        for start, end in common:
            if closed and start - closed[-1][1] <= SHORT:
                gap = (closed[-1][1], start)
                if intersection([gap], at_work_all) == [gap]:
                    closed[-1] = (closed[-1][0], end)
                    continue
            closed.append((start, end))
        return closed


class _Hours:
    """When the people of a cast seem to be at work: what is the same whatever their calendars."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._stretches: dict[tuple[object, ...], tuple[Stretch, ...]] = {}
        self._alike: dict[tuple[int, tuple[Stretch, ...]], tuple[Stretch, ...]] = {}
        self._unread: dict[Policy, list[frozenset[int]]] = {}

    def stretches(self, policy: Policy, place: int) -> tuple[Stretch, ...]:
        """Return an attendee's stretches; where two policies read alike, the same object."""
        key = (place, *_key(policy))
        if key not in self._stretches:
            found = tuple(at_work(policy, self._world.attendees[place], self._world.request))
            self._stretches[key] = self._alike.setdefault((place, found), found)
        return self._stretches[key]

    def unread_days(self, policy: Policy, place: int) -> frozenset[int]:
        """Return the local dates whose blocks a policy has no calls left to read."""
        if policy.calls is None:
            return frozenset()
        if policy not in self._unread:
            self._unread[policy] = unread_days(policy, self._world) or []
        return self._unread[policy][place]


@functools.lru_cache(maxsize=256)
def _key(policy: Policy) -> tuple[object, ...]:
    """Return what of a policy decides when a single attendee seems free."""
    return (
        policy.misses_short,
        policy.start_rule is StartRule.FIRST_ATTENDEES_DATES,
        policy.offsets.value,
        policy.weekdays.value,
        policy.ignores_blocks,
        policy.blocks_by_utc_date,
        policy.second_pass.value,
        policy.hours_end,
        policy.inclusive_end,
    )


def reach(policy: Policy, request: Request) -> Interval:
    """Return the UTC minutes that a policy looks at: a meeting may touch them, in its eyes."""
    if policy.misses_short:
        # Free time does not end with the window; a gap across its edge is as short as any.
        return request.start - SHORT - 1, request.last_end + SHORT + 1
    if policy.start_rule is StartRule.FIRST_ATTENDEES_DATES:
        return request.start - MINUTES_A_DAY, request.last_end + MINUTES_A_DAY
    return request.start, request.last_end


def allowed_starts(policy: Policy, world: World) -> list[Interval]:
    """Return the UTC minutes that a policy takes for the window."""
    start, end = world.request.start, world.request.end
    match policy.start_rule:
        case StartRule.FIRST_DAY:
            return [(start, start + MINUTES_A_DAY)]
        case StartRule.NOT_FIRST_DAY:
            return [(start + MINUTES_A_DAY, end)] if end > start + MINUTES_A_DAY else []
        case StartRule.LAST_QUARTER:
            return [(end - (end - start) // 4, end)]
        case StartRule.FROM_FIRST_CHANGE:
            return [(_first_change(world), end)]
        case StartRule.FIRST_ATTENDEES_DATES:
            zone = world.attendees[0].timezone
            return union(
                (max(span.start, start - span.offset), min(span.end, end - span.offset))
                for span in zones.spans(zone, start - MINUTES_A_DAY, end + MINUTES_A_DAY)
            )
    return [(start, end)]


def seen(policy: Policy, world: World) -> list[int]:
    """Return the places, from 0, of the attendees that a policy looks at."""
    places = list(range(len(world.attendees)))[: policy.first_attendees]
    if policy.calls is not None:
        # The list is one call; each attendee's zone and hours are the two that follow.
        places = places[: (policy.calls - 1) // 2]
    if policy.skipped is not None and len(places) > 1:
        skipped = len(places) - 1 if policy.skipped == -1 else policy.skipped - 1
        places = [place for place in places if place != skipped]
    return places


def unread_days(policy: Policy, world: World) -> list[frozenset[int]] | None:
    """Return for each attendee the local dates whose blocks a policy has no calls left to read.

    None: it reads as many as it likes.
    """
    if policy.calls is None:
        return None
    request = world.request
    dates = [
        (day, place)
        for place in seen(policy, world)
        for day in local_days(world.attendees[place].timezone, request.start, request.last_end)
    ]
    left = max(0, policy.calls - 1 - 2 * len(world.attendees))
    unread = sorted(dates)[left:]
    return [
        frozenset(day for day, other in unread if other == place)
        for place in range(len(world.attendees))
    ]


def at_work(policy: Policy, attendee: Attendee, request: Request) -> list[Stretch]:
    """Return when an attendee seems to be at work, in UTC order."""
    hours = attendee.working_hours
    hours_end = min(hours.end, policy.hours_end)
    stretches: list[Stretch] = []
    for start, end, offset, counts in _pieces(policy, attendee, request):
        local_start, local_end = start + offset, end + offset
        for day in range(local_start // MINUTES_A_DAY, (local_end - 1) // MINUTES_A_DAY + 1):
            weekday = weekday_read(policy, day)
            if weekday is not None and weekday not in hours.weekdays:
                continue
            midnight = day * MINUTES_A_DAY
            first = max(midnight + hours.start, local_start) - offset
            last = min(midnight + hours_end, local_end) - offset
            if first >= last:
                continue
            blocks_day: int | None = day
            if not counts or policy.ignores_blocks:
                blocks_day = None
            elif policy.blocks_by_utc_date:
                blocks_day = start // MINUTES_A_DAY
            stretches.append(Stretch(first, last, offset, blocks_day))
    return stretches


def _pieces(
    policy: Policy, attendee: Attendee, request: Request
) -> list[tuple[int, int, int, bool]]:
    """Return UTC minutes `[start, end)` with one offset each, and whether blocks count there."""
    start, end = reach(policy, request)
    zone = attendee.timezone
    spans = offsets_read(policy, zone, request, start, end)
    pieces = [(span.start, span.end, span.offset, True) for span in spans]
    if policy.second_pass is not SecondPass.ALIKE:
        repeated = second_passes(zone, start, end)
        kept = [
            (first, last, offset, True)
            for span_start, span_end, offset, _ in pieces
            for first, last in difference((span_start, span_end), repeated)
        ]
        if policy.second_pass is SecondPass.NOT_BUSY:
            kept += [
                (first, last, offset, False)
                for span_start, span_end, offset, _ in pieces
                for first, last in intersection([(span_start, span_end)], repeated)
            ]
        pieces = sorted(kept)
    if policy.blocks_by_utc_date:
        pieces = [
            (max(first, day * MINUTES_A_DAY), min(last, (day + 1) * MINUTES_A_DAY), offset, counts)
            for first, last, offset, counts in pieces
            for day in range(first // MINUTES_A_DAY, (last - 1) // MINUTES_A_DAY + 1)
        ]
    return pieces


def offsets_read(
    policy: Policy, zone: str, request: Request, start: int, end: int
) -> list[zones.Span]:
    """Return the offsets that a zone has in UTC minutes `[start, end)`, in a policy's eyes."""
    match policy.offsets:
        case Offsets.TRUE:
            return zones.spans(zone, start, end)
        case Offsets.ZERO:
            offset = 0
        case Offsets.AT_WINDOW_START:
            offset = zones.offset_at(zone, request.start)
        case Offsets.SMALLEST_OF_YEAR:
            year = year_of(request.window_start)
            first, last = first_day_of(year), first_day_of(year + 1)
            of_year = zones.spans(zone, first * MINUTES_A_DAY, last * MINUTES_A_DAY)
            offset = min(span.offset for span in of_year)
    return [zones.Span(start, end, offset)]


def second_passes(zone: str, start: int, end: int) -> list[Interval]:
    """Return the UTC minutes whose local date and time already occurred at an earlier minute.

    After a change that sets the clock back, these are as many minutes as it was set back by: no
    two changes of a zone since 1970 are closer to each other than that.
    """
    changes = zones.changes(zone, start - MINUTES_A_DAY, end)
    passes = ((c.at, c.at + c.before - c.after) for c in changes if c.after < c.before)
    return intersection(union(passes), [(start, end)])


def weekday_read(policy: Policy, day: int) -> int | None:
    """Return the number that a policy looks a date's weekday up by; None: it doesn't."""
    if policy.weekdays is Weekdays.EVERY:
        return None
    if policy.weekdays is Weekdays.SUNDAY_FIRST:
        return (weekday_of(day) + 1) % 7
    return weekday_of(day)


def _free(
    policy: Policy,
    attendee: Attendee,
    stretches: Sequence[Stretch],
    unread: frozenset[int],
) -> list[Interval]:
    found: list[Interval] = []
    more = 1 if policy.inclusive_end else 0
    for start, end, offset, blocks_day in stretches:
        blocks: Sequence[Block] = ()
        if blocks_day is not None and blocks_day not in unread:
            blocks = attendee.busy.get(blocks_day, ())
        if blocks:
            midnight = (start + offset) // MINUTES_A_DAY * MINUTES_A_DAY - offset
            holes = [(midnight + first, midnight + last + more) for first, last in blocks]
            found += difference((start, end), union(holes))
        else:
            found.append((start, end))
    return union(found)


def _first_change(world: World) -> int:
    """Return the first offset change of anyone inside the window, or else the window's start."""
    start, end = world.request.start, world.request.end
    changes = [
        change.at
        for zone in {attendee.timezone for attendee in world.attendees}
        for change in zones.changes(zone, start, end)
    ]
    return min(changes, default=start)
