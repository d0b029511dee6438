"""The pointwise oracle: the definition of a free minute, minute by minute, and nothing else.

A second implementation of the gold, kept apart from the package: it reads plain world objects (the
JSON form), opens zone data itself and has no interval arithmetic. Instants are integer UTC minutes
since 1970-01-01T00:00Z; local minutes are minutes of the local day, 0..1439.
"""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple, NotRequired, TypedDict
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MINUTES_A_DAY = 1440

Cause = Literal["day off", "outside hours", "busy"]


class Block(TypedDict):
    """A busy block of one local date, half-open, as "HH:MM" texts."""

    start: str
    end: str


class WorkingHours(TypedDict):
    """Local working hours, half-open, as "HH:MM" texts; weekdays are 0 (Monday) to 6 (Sunday)."""

    start: str
    end: str
    weekdays: list[int]


class Attendee(TypedDict):
    """One attendee; `busy` maps local dates ("YYYY-MM-DD") to blocks."""

    name: str
    timezone: str
    working_hours: WorkingHours
    busy: NotRequired[dict[str, list[Block]]]


class Request(TypedDict):
    """Duration in minutes; window from `window_start` 00:00Z, `window_days` UTC days long."""

    duration_minutes: int
    window_start: str
    window_days: int


class World(TypedDict):
    """A meeting world as its JSON object."""

    request: Request
    attendees: list[Attendee]


@cache
def zone_named(name: str) -> ZoneInfo:
    """Return the zone from the `tzdata` package, never from the operating system."""
    path = resources.files("tzdata.zoneinfo").joinpath(*name.split("/"))
    with path.open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def local_reading(zone: str, u: int) -> tuple[date, int]:
    """Return the local date and minute of day that the wall clock shows at UTC minute `u`.

    A clock that stands between two minutes (an offset with seconds) shows the earlier one.
    """
    clock = datetime.fromtimestamp(60 * u, zone_named(zone))
    return clock.date(), clock.hour * 60 + clock.minute


def minute_of_day(text: str) -> int:
    """Return the local minutes that "HH:MM" stands for: 0..1440, as 24:00 is allowed."""
    return int(text[:2]) * 60 + int(text[3:])


class _Rules(NamedTuple):
    """An attendee's rules, with the texts read once; all times are local minutes of the day."""

    weekdays: frozenset[int]
    start: int
    end: int
    busy: dict[date, list[tuple[int, int]]]


def _rules(attendee: Attendee) -> _Rules:
    hours = attendee["working_hours"]
    return _Rules(
        frozenset(hours["weekdays"]),
        minute_of_day(hours["start"]),
        minute_of_day(hours["end"]),
        {
            date.fromisoformat(day): [
                (minute_of_day(block["start"]), minute_of_day(block["end"])) for block in blocks
            ]
            for day, blocks in attendee.get("busy", {}).items()
        },
    )


def _cause(rules: _Rules, day: date, minute: int) -> Cause | None:
    if day.weekday() not in rules.weekdays:
        return "day off"
    if not rules.start <= minute < rules.end:
        return "outside hours"
    if any(start <= minute < end for start, end in rules.busy.get(day, ())):
        return "busy"
    return None


def cause(attendee: Attendee, u: int) -> Cause | None:
    """Return why the attendee is not free at UTC minute `u`, the first of three causes, or None."""
    return _cause(_rules(attendee), *local_reading(attendee["timezone"], u))


def is_free(attendee: Attendee, u: int) -> bool:
    """Tell whether the attendee is free at UTC minute `u`."""
    return cause(attendee, u) is None


def window(world: World) -> range:
    """Return every UTC minute of the window: the starts that are asked about."""
    request = world["request"]
    midnight = datetime.fromisoformat(request["window_start"]).replace(tzinfo=UTC)
    first = (midnight - EPOCH) // timedelta(minutes=1)
    return range(first, first + request["window_days"] * MINUTES_A_DAY)


def _cause_at(attendee: Attendee) -> Callable[[int], Cause | None]:
    """Return `cause` of one attendee as a function of the UTC minute, for many minutes."""
    rules, zone = _rules(attendee), attendee["timezone"]
    return lambda u: _cause(rules, *local_reading(zone, u))


def _all_free(attendees: Iterable[Attendee], minutes: range) -> bytes:
    """Return one byte a UTC minute: 1 where every attendee is free, 0 elsewhere."""
    free = bytearray(b"\x01" * len(minutes))
    for attendee in attendees:
        cause_at = _cause_at(attendee)
        for i, u in enumerate(minutes):
            if free[i] and cause_at(u) is not None:
                free[i] = 0
    return bytes(free)


def is_valid(world: World, s: int) -> bool:
    """Tell whether `s` (a UTC minute) is in the window and all are free for the whole meeting."""
    meeting = range(s, s + world["request"]["duration_minutes"])
    return s in window(world) and all(_all_free(world["attendees"], meeting))


def valid_starts(world: World) -> list[int]:
    """Return every valid start, as UTC minutes in ascending order."""
    starts, duration = window(world), world["request"]["duration_minutes"]
    free = _all_free(world["attendees"], range(starts.start, starts.stop + duration - 1))
    meeting = b"\x01" * duration
    return [s for i, s in enumerate(starts) if free.startswith(meeting, i)]


def answer_minute(world: World) -> int | None:
    """Return the smallest valid start as a UTC minute, or None where there is no valid start."""
    starts, duration = window(world), world["request"]["duration_minutes"]
    causes = [_cause_at(attendee) for attendee in world["attendees"]]
    free_in_a_row = 0
    for u in range(starts.start, starts.stop + duration - 1):
        free_in_a_row = free_in_a_row + 1 if all(at(u) is None for at in causes) else 0
        if free_in_a_row == duration:
            return u + 1 - duration
    return None


def instant_text(s: int) -> str:
    """Return a UTC minute as "YYYY-MM-DDTHH:MM:00Z"."""
    return (EPOCH + timedelta(minutes=s)).strftime("%Y-%m-%dT%H:%M:00Z")


def answer(world: World) -> str:
    """Return the smallest valid start as "YYYY-MM-DDTHH:MM:00Z", or "NONE"."""
    s = answer_minute(world)
    return "NONE" if s is None else instant_text(s)
