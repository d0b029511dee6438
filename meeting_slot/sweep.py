"""The gold: a sweep over UTC intervals, the authority on every answer.

A UTC minute is free for an attendee iff its local reading falls on a listed weekday, inside the
working hours and inside no busy block of that local date. So each attendee's local free intervals
are mapped to UTC one span of constant offset after the other: a repeated hour lies in two spans and
is mapped twice, a skipped one lies in none. What all share is scanned for the first stretch that is
long enough.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from . import zones
from .errors import WorldError
from .instants import MINUTES_A_DAY, answer_text, weekday_of
from .intervals import Interval, difference, intersection, union
from .parsing import parse_attendees, parse_request
from .world import Attendee, Request, World


def earliest_start(world: World) -> int | None:
    """Return the smallest valid start as a UTC minute, or None where there is none."""
    stretches = valid_stretches(world)
    return stretches[0][0] if stretches else None


def valid_stretches(world: World) -> list[Interval]:
    """Return every valid start, as maximal stretches `[first, last + 1)` of UTC minutes."""
    duration = world.request.duration_minutes
    return [
        (start, end - duration + 1) for start, end in common_free(world) if end - start >= duration
    ]


def common_free(world: World) -> list[Interval]:
    """Return the UTC minutes a meeting may touch at which every attendee is free."""
    start, end = world.request.start, world.request.last_end
    common = [(start, end)]
    for attendee in world.attendees:
        common = intersection(common, free(attendee, start, end))
        if not common:
            break
    return common


def free(attendee: Attendee, start: int, end: int) -> list[Interval]:
    """Return the UTC minutes of `[start, end)` at which an attendee is free."""
    hours = attendee.working_hours
    found: list[Interval] = []
    for span_start, span_end, offset in zones.spans(attendee.timezone, start, end):
        local_start, local_end = span_start + offset, span_end + offset
        for day in range(local_start // MINUTES_A_DAY, (local_end - 1) // MINUTES_A_DAY + 1):
            if weekday_of(day) not in hours.weekdays:
                continue
            midnight = day * MINUTES_A_DAY
            for free_start, free_end in difference(
                (hours.start, hours.end), union(attendee.busy.get(day, ()))
            ):
                utc_start = max(midnight + free_start, local_start) - offset
                utc_end = min(midnight + free_end, local_end) - offset
                if utc_start >= utc_end:
                    continue
                if found and found[-1][1] == utc_start:  # across midnight, or a change of offset
                    found[-1] = (found[-1][0], utc_end)
                else:
                    found.append((utc_start, utc_end))
    return found


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
