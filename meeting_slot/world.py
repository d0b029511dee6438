"""The typed world: people with zones, hours and busy calendars, and the request they shall meet.

Everything is an integer inside (see `instants`); text is made in `to_json` alone. A `World` made by
`parsing` is canonical: weekdays, dates and blocks are sorted, attendees keep their order.
"""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from .instants import MINUTES_A_DAY, day_text, time_text

Block = tuple[int, int]
"""A busy block, `[start, end)` in local minutes of its day; start = end blocks nothing."""


class Request(msgspec.Struct, frozen=True):
    """What is asked: a meeting of `duration_minutes` that starts inside the window.

    Attributes:
        duration_minutes: 1 to 1440.
        window_start: the first day whose 00:00Z may be a start, in days since 1970-01-01.
        window_days: 1 to 366.
    """

    duration_minutes: int
    window_start: int
    window_days: int

    @property
    def start(self) -> int:
        """The first UTC minute that may be a start."""
        return self.window_start * MINUTES_A_DAY

    @property
    def end(self) -> int:
        """The UTC minute after the last that may be a start."""
        return (self.window_start + self.window_days) * MINUTES_A_DAY

    @property
    def last_end(self) -> int:
        """The UTC minute after the last that a meeting may touch; it may pass the window's end."""
        return self.end + self.duration_minutes - 1


class WorkingHours(msgspec.Struct, frozen=True):
    """Local working hours `[start, end)`, in minutes of the day, on the weekdays listed.

    Attributes:
        start: 0 to 1439.
        end: later than start, at most 1440 (24:00).
        weekdays: 0 for Monday to 6 for Sunday, sorted, at least one.
    """

    start: int
    end: int
    weekdays: tuple[int, ...]


class Attendee(msgspec.Struct, frozen=True):
    """One person.

    Attributes:
        name: unique within the world.
        timezone: an IANA name.
        working_hours: local hours and weekdays.
        busy: the sorted blocks of each local date, a day since 1970-01-01.
    """

    name: str
    timezone: str
    working_hours: WorkingHours
    busy: Mapping[int, tuple[Block, ...]]

    def to_json(self) -> dict[str, Any]:
        """Return the attendee as a world file has it."""
        return {
            "name": self.name,
            "timezone": self.timezone,
            "working_hours": hours_json(self.working_hours),
            "busy": {day_text(day): blocks_json(blocks) for day, blocks in self.busy.items()},
        }


class World(msgspec.Struct, frozen=True):
    """A request and its attendees; `recorded` and `meta` are what a file says of it, not trusted.

    Attributes:
        request: the meeting asked for.
        attendees: 1 to 1000.
        own_id: the id that a file gave, if any.
        recorded: the answer that a file recorded, as it is written there.
        meta: provenance, any JSON object.
    """

    request: Request
    attendees: tuple[Attendee, ...]
    own_id: str | None = None
    recorded: str | None = None
    meta: dict[str, Any] | None = None

    @property
    def id(self) -> str:
        """The id that the file gave, otherwise the content hash."""
        return self.own_id or content_hash(self)

    def to_json(self) -> dict[str, Any]:
        """Return the world as the JSON object of a world file, in canonical order."""
        row: dict[str, Any] = {"id": self.id, **_content(self)}
        if self.recorded is not None:
            row["answer"] = self.recorded
        if self.meta is not None:
            row["meta"] = self.meta
        return row

    def _repr_html_(self) -> str:
        """Return the world as a notebook shows it: its timeline, or a table without the extra."""
        from .pictures.notebook import world_html  # the one import that goes up

        return world_html(self)

    def to_line(self) -> str:
        """Return the canonical line of a split, without the line's end."""
        return _compact(self.to_json())


def content_hash(world: World) -> str:
    """Return 64 hex digits over the world without id, answer and meta."""
    return _sha256(_compact(_content(world)))


def shape(world: World) -> str:
    """Return 64 hex digits that names and attendee order do not change: it finds duplicates."""
    content = _content(world)
    attendees = content["attendees"]
    for attendee in attendees:
        del attendee["name"]
    return _sha256(_compact([content["request"], sorted(map(_compact, attendees))]))


def hours_json(hours: WorkingHours) -> dict[str, Any]:
    """Return working hours as a world file has them."""
    return {
        "start": time_text(hours.start),
        "end": time_text(hours.end),
        "weekdays": list(hours.weekdays),
    }


def blocks_json(blocks: tuple[Block, ...]) -> list[dict[str, str]]:
    """Return one date's blocks as a world file has them."""
    return [{"start": time_text(start), "end": time_text(end)} for start, end in blocks]


def _content(world: World) -> dict[str, Any]:
    request = world.request
    return {
        "request": {
            "duration_minutes": request.duration_minutes,
            "window_start": day_text(request.window_start),
            "window_days": request.window_days,
        },
        "attendees": [attendee.to_json() for attendee in world.attendees],
    }


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _sha256(text: str) -> str:
    import hashlib  # loads OpenSSL, which a world with an id of its own does not need

    return hashlib.sha256(text.encode()).hexdigest()
