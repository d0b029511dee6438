"""The JSON Schema of a world file, from the same limits that the reader keeps.

It says what a schema can say; names that look alike, the order of times and the end of the window
are left to the reader.
"""

from typing import Any

from . import zones
from .instants import NONE, day_text
from .parsing import (
    FIRST_DAY,
    LAST_DAY,
    MAX_ATTENDEES,
    MAX_DURATION,
    MAX_ID,
    MAX_NAME,
    MAX_WINDOW_DAYS,
)

_WINDOW_DATE = r"^(19[7-9][0-9]|20[0-9]{2}|2100)-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
_CONTROL = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_SPACE = r" \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_NAME = f"^[^{_CONTROL}{_SPACE}]([^{_CONTROL}]*[^{_CONTROL}{_SPACE}])?$"
_DATE = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
_TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
_TIME_OR_MIDNIGHT = r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$"


def world_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of one world."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "meeting-slot world",
        "description": "People with time zones, local hours and busy calendars. The answer is the "
        "earliest UTC start at which all are free for the whole meeting.",
        **_object(
            required={"request": _request(), "attendees": _attendees()},
            optional={
                "id": _string("Default: the content hash.", minLength=1, maxLength=MAX_ID),
                "answer": _string(
                    f"An instant such as 2024-03-11T13:00:00Z, or {NONE}. Not trusted."
                ),
                "meta": {"type": "object", "description": "Provenance; not trusted."},
            },
        ),
    }


def _request() -> dict[str, Any]:
    return _object(
        required={
            "duration_minutes": {"type": "integer", "minimum": 1, "maximum": MAX_DURATION},
            "window_start": _string(
                f"The first UTC date of the window, {day_text(FIRST_DAY)} to {day_text(LAST_DAY)}.",
                pattern=_WINDOW_DATE,
                format="date",
            ),
            "window_days": {"type": "integer", "minimum": 1, "maximum": MAX_WINDOW_DAYS},
        }
    )


def _attendees() -> dict[str, Any]:
    block = _object(
        required={
            "start": _string("Local HH:MM, included.", pattern=_TIME),
            "end": _string("Local HH:MM, not included.", pattern=_TIME_OR_MIDNIGHT),
        }
    )
    weekdays = {
        "type": "array",
        "description": "0 is Monday, 6 is Sunday.",
        "items": {"type": "integer", "minimum": 0, "maximum": 6},
        "minItems": 1,
        "uniqueItems": True,
    }
    hours = _object(required={**block["properties"], "weekdays": weekdays})
    busy = {
        "type": "object",
        "description": "Blocks by local date.",
        "propertyNames": {"pattern": _DATE},
        "additionalProperties": {"type": "array", "items": block},
    }
    attendee = _object(
        required={
            "name": _string("Unique in the world.", maxLength=MAX_NAME, pattern=_NAME),
            "timezone": {"enum": sorted(zones.names()), "description": "IANA name."},
            "working_hours": hours,
        },
        optional={"busy": busy},
    )
    return {"type": "array", "minItems": 1, "maxItems": MAX_ATTENDEES, "items": attendee}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _string(description: str, **limits: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **limits}
