"""The four tools through which a model sees a world; each returns text, never raises.

Also `solve_from_tools`, which finds the answer through nothing but that text.
"""

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

from . import zones
from .errors import printable, quoted
from .instants import MINUTES_A_DAY, WEEKDAY_NAMES, answer_text, day_text, parse_day
from .parsing import folded_name, parse_attendees
from .sweep import attendees_of, earliest_start, request_of
from .world import Attendee, World, blocks_json, hours_json

_MOST_NAMES_SHOWN = 20
_LONGEST_NAME_READ = 1024


def list_attendees(world: World) -> str:
    """Return a JSON list of the attendees' names."""
    return _json([attendee.name for attendee in world.attendees])


def get_timezone(world: World, name: str) -> str:
    """Return an attendee's IANA time zone, as plain text.

    The name may differ in letter case; one that nobody has gets a line that begins `error:`.
    """
    found = _attendee(world, name)
    return found if isinstance(found, str) else found.timezone


def get_working_hours(world: World, name: str) -> str:
    """Return an attendee's local working hours.

    A JSON object: start and end as HH:MM (half-open), weekdays as numbers (0 is Monday) and
    weekday_names. A name that nobody has gets a line that begins `error:`.
    """
    found = _attendee(world, name)
    if isinstance(found, str):
        return found
    hours = hours_json(found.working_hours)
    return _json(hours | {"weekday_names": [WEEKDAY_NAMES[day] for day in hours["weekdays"]]})


def get_busy(world: World, name: str, date: str) -> str:
    """Return an attendee's busy blocks on one local date, YYYY-MM-DD.

    A JSON list of objects with start and end as HH:MM, half-open, in the attendee's local time. A
    name that nobody has, or a date that does not exist, gets a line that begins `error:`.
    """
    found = _attendee(world, name)
    if isinstance(found, str):
        return found
    try:
        day = parse_day(date if isinstance(date, str) else "")
    except ValueError:
        return f"error: the date must be a real one written YYYY-MM-DD, got {quoted(date)}"
    return _json(blocks_json(found.busy.get(day, ())))


def solve_from_tools(
    world: World | Mapping[str, Any],
    duration_minutes: int,
    window_start: str | date,
    window_days: int,
) -> str:
    """Return the answer, reading the world through the text of the four tools alone.

    Arguments, result and errors are those of `sweep.gold_earliest`.
    """
    request = request_of(duration_minutes, window_start, window_days)
    hidden = World(request, attendees_of(world))
    rows = []
    for name in json.loads(list_attendees(hidden)):
        zone = get_timezone(hidden, name)
        hours = json.loads(get_working_hours(hidden, name))
        del hours["weekday_names"]
        busy = {
            day_text(day): json.loads(get_busy(hidden, name, day_text(day)))
            for day in local_days(zone, request.start, request.last_end)
        }
        rows.append({"name": name, "timezone": zone, "working_hours": hours, "busy": busy})
    return answer_text(earliest_start(World(request, parse_attendees(rows))))


def local_days(zone: str, start: int, end: int) -> list[int]:
    """Return the distinct local dates, sorted, that occur in the UTC minutes `[start, end)`."""
    days: set[int] = set()
    for span in zones.spans(zone, start, end):
        first = (span.start + span.offset) // MINUTES_A_DAY
        last = (span.end - 1 + span.offset) // MINUTES_A_DAY
        days.update(range(first, last + 1))
    return sorted(days)


def attendee_named(world: World, name: object) -> Attendee | None:
    """Return the attendee that a tool's argument means: letter case, spaces around it forgiven."""
    if isinstance(name, str) and len(name.strip()) <= _LONGEST_NAME_READ:
        wanted = folded_name(name.strip())
        for attendee in world.attendees:
            if folded_name(attendee.name) == wanted:
                return attendee
    return None


def _attendee(world: World, name: str) -> Attendee | str:
    """Return the attendee that a name means, or an error that says which names there are."""
    if (found := attendee_named(world, name)) is not None:
        return found
    known = ", ".join(printable(attendee.name) for attendee in world.attendees[:_MOST_NAMES_SHOWN])
    if (more := len(world.attendees) - _MOST_NAMES_SHOWN) > 0:
        known += f" and {more} more (list_attendees has all)"
    return f"error: there is no attendee {quoted(name)}; the attendees are {known}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
