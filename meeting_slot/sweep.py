"""The gold: a sweep over UTC, the authority on every answer.

A UTC minute is free for an attendee iff its local reading falls on a listed weekday, inside the
working hours and inside no busy block of that local date. So each attendee's local free intervals
are mapped to UTC one span of constant offset after the other: a repeated hour lies in two spans and
is mapped twice, a skipped one lies in none.

What is swept is a start. Whoever's free stretch ends too soon for it walks on to the next stretch
that is long enough, and pushes the start along; when nobody has to, the start is valid. A local day
is looked at when the start reaches it, and not at all when the start has passed it. Every step
takes somebody on, so the time is at worst in proportion to all free stretches together (times the
logarithm of the number of attendees), whatever the calendars.
"""

import contextlib
import heapq
from collections.abc import Generator, Iterator, Mapping
from datetime import date
from typing import Any

from . import zones
from .errors import WorldError
from .instants import MINUTES_A_DAY, answer_text, weekday_of
from .intervals import Interval, union
from .parsing import parse_attendees, parse_request
from .world import Attendee, Request, World


def earliest_start(world: World) -> int | None:
    """Return the smallest valid start as a UTC minute since 1970-01-01, or None for none.

    It is the gold: the first minute of the window from which on everybody is free, by the pointwise
    rule, for the whole meeting. The meeting may end after the window.
    """
    return next((first for first, _ in _sweep(world)), None)


def valid_stretches(world: World) -> list[Interval]:
    """Return every valid start, as maximal stretches `[first, last + 1)` of UTC minutes."""
    return union((first, last + 1) for first, last in _sweep(world))


def free(attendee: Attendee, start: int, end: int) -> list[Interval]:
    """Return the UTC minutes of `[start, end)` at which an attendee is free."""
    walk = _walk(attendee, start, end, duration=1)
    found: list[Interval] = []
    with contextlib.suppress(StopIteration):
        first, last = next(walk)
        while True:
            found.append((first, last + 1))
            first, last = walk.send(last + 1)
    return union(found)


def _sweep(world: World) -> Iterator[Interval]:
    """Yield all valid starts, in order, as the first and the last of a stretch; these may touch."""
    request = world.request
    start, end, duration = request.start, request.last_end, request.duration_minutes
    walks = []
    lasts = []  # each attendee's last possible start in the stretch reached, and the place
    with contextlib.suppress(StopIteration):  # somebody has no more free time
        for place, attendee in enumerate(world.attendees):
            walk = _walk(attendee, start, end, duration)
            first, last = next(walk)
            start = max(start, first)
            walks.append(walk)
            lasts.append((last, place))
        heapq.heapify(lasts)
        while True:
            last, place = lasts[0]
            if start <= last:
                yield start, last
                start = last + 1
            first, last = walks[place].send(start)
            if start < first:
                start = first
            heapq.heapreplace(lasts, (last, place))


def _walk(
    attendee: Attendee, start: int, end: int, duration: int
) -> Generator[Interval, int, None]:
    """Walk through the free stretches of `[start, end)` that a meeting fits into.

    Yields the first and the last start in the stretch that was reached: the first such stretch in
    which a meeting can start at `start` or later. The UTC minute that is sent is the next such
    `start`. A stretch may turn out longer when it is asked again: it goes on in the next piece.
    """
    hours, busy = attendee.working_hours, attendee.busy
    first = stretch_end = start
    for span_start, span_end, offset in zones.spans(attendee.timezone, start, end):
        day = (span_start + offset) // MINUTES_A_DAY
        while (midnight := day * MINUTES_A_DAY - offset) < span_end:
            if weekday_of(day) in hours.weekdays:
                free_from = max(hours.start, span_start - midnight)
                closed = (min(hours.end, span_end - midnight), MINUTES_A_DAY)
                for block_start, block_end in sorted([*busy.get(day, ()), closed]):
                    if free_from < block_start:
                        if stretch_end < midnight + free_from:
                            first = midnight + free_from
                        stretch_end = midnight + block_start
                        last = stretch_end - duration
                        if start <= last and first <= last:
                            start = yield first, last
                    if free_from < block_end:
                        free_from = block_end
            day += 1
            if midnight + MINUTES_A_DAY < start:
                day = max(day, (start + offset) // MINUTES_A_DAY)


def gold_earliest(
    world: World | Mapping[str, Any],
    duration_minutes: int,
    window_start: str | date,
    window_days: int,
) -> str:
    """Return the answer for a cast and a request.

    Args:
        world: a world, whose own request is left aside, or `{"attendees": [...]}` as in a file.
        duration_minutes: 1 to 1440.
        window_start: the UTC date, YYYY-MM-DD, whose 00:00Z is the first start allowed.
        window_days: how many UTC dates may hold the start, 1 to 366.

    Returns:
        `YYYY-MM-DDTHH:MM:00Z`, or `NONE`.

    Raises:
        WorldError: a value breaks the world format.
    """
    request = request_of(duration_minutes, window_start, window_days)
    return answer_text(earliest_start(World(request, attendees_of(world))))


def request_of(duration_minutes: int, window_start: str | date, window_days: int) -> Request:
    """Return a checked request; a date may be given as such."""
    first_day = window_start.isoformat() if isinstance(window_start, date) else window_start
    return parse_request(duration_minutes, first_day, window_days)


def attendees_of(world: World | Mapping[str, Any]) -> tuple[Attendee, ...]:
    """Return the attendees of a typed world, or the checked ones of `{"attendees": [...]}`."""
    if isinstance(world, World):
        return world.attendees
    if "attendees" not in world:
        raise WorldError("attendees", "required, but missing")
    return parse_attendees(world["attendees"])
