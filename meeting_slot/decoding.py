"""From bytes to a `World` in one go where nothing is amiss: the common case, made fast.

Here nothing is refused. What is not certainly valid is left to `parsing`, which says what is wrong
if anything is; nothing is taken here that is refused there, or that it would read differently.
"""

from functools import lru_cache
from typing import Any, Final

import msgspec

from . import zones
from .errors import MeetingSlotError
from .instants import MINUTES_A_DAY, TIMES_OF_DAY, parse_day
from .parsing import (
    MAX_ATTENDEES,
    folded_name,
    name_problem,
    parse_id,
    parse_recorded,
    parse_request,
)
from .world import Attendee, Block, WorkingHours, World

_STARTS: Final = {text: minute for text, minute in TIMES_OF_DAY.items() if minute < MINUTES_A_DAY}
"""Every time of day at which hours or a block may start."""


class _Days(dict[str, int]):
    """The days that some 65,000 dates name."""

    def __missing__(self, text: str) -> int:
        if len(self) >= 1 << 16:
            self.clear()
        self[text] = day = parse_day(text)
        return day


_days: Final = _Days()


class _Span(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    start: str
    end: str


class _Hours(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    start: str
    end: str
    weekdays: tuple[int, ...]


class _Attendee(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    timezone: str
    working_hours: _Hours
    busy: dict[str, tuple[_Span, ...]] | msgspec.UnsetType = msgspec.UNSET


class _Request(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    duration_minutes: int
    window_start: str
    window_days: int


class _World(msgspec.Struct, forbid_unknown_fields=True):
    request: _Request
    attendees: tuple[_Attendee, ...]
    id: str | msgspec.UnsetType = msgspec.UNSET
    answer: str | msgspec.UnsetType = msgspec.UNSET
    meta: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


_NESTED: Final = 100
"""Lists and objects that are not too deep, whichever holds which; `files` reads some 200 levels."""

_decoder: Final = msgspec.json.Decoder(_World)
_encoder: Final = msgspec.json.Encoder()


def certain_world(text: bytes) -> World | None:
    """Return the world that a JSON text is, or None where it is not certain that it is one."""
    if b"\\" in text:
        return None
    try:
        row = _decoder.decode(text)
        # Of a key that is given twice only the last value is left, and no other text holds a colon
        # that is not there when what is left is written again: strings have no escapes in them.
        if _encoder.encode(row).count(b":") != text.count(b":"):
            return None
        if row.meta is not msgspec.UNSET and _may_be_deep(row.meta):
            return None
        return _world(row)
    except (msgspec.DecodeError, MeetingSlotError, LookupError, ValueError, RecursionError):
        return None


def _may_be_deep(meta: dict[str, Any]) -> bool:
    """Return whether `meta` may be nested deeper than is read."""
    text = _encoder.encode(meta)
    return text.count(b"[") + text.count(b"{") > _NESTED


def _world(row: _World) -> World:
    """Return the world of a decoded row.

    Raises:
        MeetingSlotError, LookupError, ValueError: it breaks the format.
    """
    request = row.request
    attendees = tuple(map(_attendee, row.attendees))
    if not 1 <= len(attendees) <= MAX_ATTENDEES:
        raise ValueError("attendees")
    if len({_checked_name(attendee.name) for attendee in attendees}) != len(attendees):
        raise ValueError("name")
    return World(
        request=parse_request(request.duration_minutes, request.window_start, request.window_days),
        attendees=attendees,
        own_id=None if row.id is msgspec.UNSET else parse_id(row.id),
        recorded=None if row.answer is msgspec.UNSET else parse_recorded(row.answer),
        meta=None if row.meta is msgspec.UNSET else row.meta,
    )


def _attendee(row: _Attendee) -> Attendee:
    if row.timezone not in zones.names():
        raise LookupError(row.timezone)
    hours = row.working_hours
    busy: dict[int, tuple[Block, ...]] = {}
    if row.busy is not msgspec.UNSET:
        for text, spans in row.busy.items():
            blocks = [
                (start, end)
                for span in spans
                if (start := _STARTS[span.start]) <= (end := TIMES_OF_DAY[span.end])
            ]
            if len(blocks) < len(spans):
                raise ValueError("block")
            blocks.sort()
            busy[_days[text]] = tuple(blocks)
        if (days := sorted(busy)) != list(busy):
            busy = {day: busy[day] for day in days}
    return Attendee(
        name=row.name,
        timezone=row.timezone,
        working_hours=_working_hours(hours.start, hours.end, hours.weekdays),
        busy=busy,
    )


@lru_cache(maxsize=1 << 12)
def _checked_name(name: str) -> str:
    """Return the form under which two names count as the same."""
    if name_problem(name):
        raise ValueError(name)
    return folded_name(name)


@lru_cache(maxsize=1 << 12)
def _working_hours(start: str, end: str, weekdays: tuple[int, ...]) -> WorkingHours:
    hours = WorkingHours(_STARTS[start], TIMES_OF_DAY[end], tuple(sorted(weekdays)))
    listed = set(weekdays)
    if hours.start >= hours.end or not listed or len(listed) < len(weekdays) or listed - _WEEK:
        raise ValueError("working_hours")
    return hours


_WEEK: Final = frozenset(range(7))
