"""Why a proposed start is not the answer: the first rule it breaks, with the facts to check it."""

import enum
from collections.abc import Iterator

import msgspec

from . import zones
from .instants import (
    MINUTES_A_DAY,
    WEEKDAY_NAMES,
    day_text,
    instant_text,
    offset_text,
    time_text,
    weekday_of,
)
from .sweep import earliest_start, free
from .world import Attendee, Block, World

_MOST_CONFLICTS_SHOWN = 10


class Cause(enum.Enum):
    """Which part of the pointwise rule a minute breaks; the first in this order is named."""

    DAY_OFF = "day off"
    OUTSIDE_HOURS = "outside hours"
    BUSY = "busy"


class OutsideWindow(msgspec.Struct, frozen=True, tag="outside window"):
    """The start is not in `[window_start, window_end)`; all three in UTC minutes."""

    start: int
    window_start: int
    window_end: int


class Conflict(msgspec.Struct, frozen=True):
    """One attendee who is not free for the whole meeting, at the first minute that is not free.

    Attributes:
        attendee: the name.
        timezone: the attendee's zone.
        at: the UTC minute.
        day: the local date then, in days since 1970-01-01.
        minute: the local minute of day then.
        offset: the offset then, in minutes east of UTC.
        cause: the part of the rule that is broken.
        block: the busy block that is hit, in local minutes of `day`; None for the other causes.
        hours: the working hours, in local minutes of day.
        weekdays: the listed weekdays, 0 for Monday.
    """

    attendee: str
    timezone: str
    at: int
    day: int
    minute: int
    offset: int
    cause: Cause
    block: Block | None
    hours: tuple[int, int]
    weekdays: tuple[int, ...]


class Conflicts(msgspec.Struct, frozen=True, tag="conflicts"):
    """Somebody is not free: one conflict for each such attendee, in the world's order."""

    start: int
    conflicts: tuple[Conflict, ...]


class NotEarliest(msgspec.Struct, frozen=True, tag="not earliest"):
    """The start is valid, but `earliest` comes before it; both in UTC minutes."""

    start: int
    earliest: int


class StartExists(msgspec.Struct, frozen=True, tag="start exists"):
    """NONE was proposed, but `earliest`, a UTC minute, is a valid start."""

    earliest: int


class NotWholeMinute(msgspec.Struct, frozen=True, tag="not a whole minute"):
    """The proposed instant lies inside this UTC minute; starts are whole minutes."""

    minute: int


Reason = OutsideWindow | Conflicts | NotEarliest | StartExists | NotWholeMinute


def why_not(world: World, start: int | None) -> Reason | None:
    """Return why a start is not the answer, or None where it is.

    Args:
        world: the world.
        start: the proposed start as a UTC minute; None proposes NONE.
    """
    return reason_against(world, start, earliest_start(world))


def reason_against(world: World, start: int | None, earliest: int | None) -> Reason | None:
    """Return why a start is not the answer, as `why_not` does, where the answer is known."""
    if start == earliest:
        return None
    if start is None:
        assert earliest is not None  # it differs
        return StartExists(earliest)
    request = world.request
    if not request.start <= start < request.end:
        return OutsideWindow(start, request.start, request.end)
    end = start + request.duration_minutes
    if conflicts := tuple(_conflicts(world, start, end)):
        return Conflicts(start, conflicts)
    assert earliest is not None
    assert earliest < start  # the start has just been found valid
    return NotEarliest(start, earliest)


def _conflicts(world: World, start: int, end: int) -> Iterator[Conflict]:
    for attendee in world.attendees:
        intervals = free(attendee, start, end)
        if intervals == [(start, end)]:
            continue
        starts_free = intervals and intervals[0][0] == start
        yield _conflict(attendee, intervals[0][1] if starts_free else start)


def _conflict(attendee: Attendee, at: int) -> Conflict:
    """Return the conflict at a UTC minute that is not free for the attendee."""
    hours = attendee.working_hours
    offset = zones.offset_at(attendee.timezone, at)
    day, minute = divmod(at + offset, MINUTES_A_DAY)
    block = None
    if weekday_of(day) not in hours.weekdays:
        cause = Cause.DAY_OFF
    elif not hours.start <= minute < hours.end:
        cause = Cause.OUTSIDE_HOURS
    else:
        cause = Cause.BUSY
        block = next(b for b in attendee.busy[day] if b[0] <= minute < b[1])
    return Conflict(
        attendee=attendee.name,
        timezone=attendee.timezone,
        at=at,
        day=day,
        minute=minute,
        offset=offset,
        cause=cause,
        block=block,
        hours=(hours.start, hours.end),
        weekdays=hours.weekdays,
    )


def sentences(reason: Reason) -> list[str]:
    """Return a reason in words: a line a fact, those that explain the one before indented."""
    match reason:
        case OutsideWindow(_, window_start, window_end):
            return [
                f"the start lies outside the window, which runs from {instant_text(window_start)}",
                f"    to before {instant_text(window_end)}",
            ]
        case Conflicts(_, conflicts):
            lines = [line for c in conflicts[:_MOST_CONFLICTS_SHOWN] for line in _words(c)]
            if (more := len(conflicts) - _MOST_CONFLICTS_SHOWN) > 0:
                lines.append(f"and {more} more attendee{' is' if more == 1 else 's are'} not free")
            return lines
        case NotEarliest():
            return ["everyone is free then, but there is an earlier start"]
        case StartExists():
            return ["there is a valid start"]
        case NotWholeMinute(minute):
            return [f"a start is a whole minute; this one lies inside {instant_text(minute)}"]


def _words(conflict: Conflict) -> list[str]:
    weekday = WEEKDAY_NAMES[weekday_of(conflict.day)][:3]
    hours = _span_text(conflict.hours)
    match conflict.cause:
        case Cause.DAY_OFF:
            listed = " ".join(WEEKDAY_NAMES[day][:3] for day in conflict.weekdays)
            what = f"has {weekday} {day_text(conflict.day)} off (works {listed})"
        case Cause.OUTSIDE_HOURS:
            what = f"works {hours}, not at {time_text(conflict.minute)}"
        case Cause.BUSY:
            assert conflict.block is not None
            what = f"is busy {_span_text(conflict.block)} on {weekday} {day_text(conflict.day)}"
    return [
        f"{conflict.attendee} {what}",
        f"    at {weekday} {day_text(conflict.day)} {time_text(conflict.minute)} in "
        f"{conflict.timezone}, {offset_text(conflict.offset)}",
        f"    which is {instant_text(conflict.at)}",
    ]


def _span_text(span: tuple[int, int]) -> str:
    return f"{time_text(span[0])}-{time_text(span[1])}"


def reason_json(reason: Reason) -> dict[str, object]:
    """Return a reason as a JSON object: instants and local times as text."""
    match reason:
        case OutsideWindow(start, window_start, window_end):
            facts: dict[str, object] = {
                "start": instant_text(start),
                "window_start": instant_text(window_start),
                "window_end": instant_text(window_end),
            }
        case Conflicts(start, conflicts):
            facts = {
                "start": instant_text(start),
                "conflicts": [_conflict_json(conflict) for conflict in conflicts],
            }
        case NotEarliest(start, earliest):
            facts = {"start": instant_text(start), "earliest": instant_text(earliest)}
        case StartExists(earliest):
            facts = {"earliest": instant_text(earliest)}
        case NotWholeMinute(minute):
            facts = {"minute": instant_text(minute)}
    return {"kind": reason.__struct_config__.tag, **facts}


def _conflict_json(conflict: Conflict) -> dict[str, object]:
    return {
        "attendee": conflict.attendee,
        "timezone": conflict.timezone,
        "at": instant_text(conflict.at),
        "local": f"{day_text(conflict.day)}T{time_text(conflict.minute)}",
        "offset_minutes": conflict.offset,
        "cause": conflict.cause.value,
        "block": None if conflict.block is None else [time_text(m) for m in conflict.block],
        "hours": [time_text(m) for m in conflict.hours],
        "weekdays": list(conflict.weekdays),
    }
