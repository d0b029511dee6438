"""World objects for tests: made in few words, or drawn in every form that a world file may take."""

import random
import unicodedata
from collections.abc import Mapping
from datetime import date, timedelta
from importlib import resources
from typing import Any

from hypothesis import strategies as st

WORKDAYS = (0, 1, 2, 3, 4)
BIDIRECTIONAL_CONTROLS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
FIRST_DAY = date(1970, 1, 1)
LAST_DAY = date(2100, 12, 31)


def attendee_object(
    name: str,
    timezone: str = "UTC",
    hours: str = "09:00-17:00",
    weekdays: tuple[int, ...] = WORKDAYS,
    busy: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return an attendee; hours are `09:00-17:00`, a date's blocks are such texts with spaces."""
    start, end = hours.split("-")
    return {
        "name": name,
        "timezone": timezone,
        "working_hours": {"start": start, "end": end, "weekdays": list(weekdays)},
        "busy": {
            day: [dict(zip(("start", "end"), block.split("-"), strict=True)) for block in blocks]
            for day, blocks in ((day, text.split()) for day, text in (busy or {}).items())
        },
    }


def world_object(
    *attendees: dict[str, Any],
    window_start: str = "2024-03-11",
    window_days: int = 1,
    duration_minutes: int = 30,
    **others: Any,
) -> dict[str, Any]:
    """Return a world; `others` are its id, answer and meta."""
    request = {
        "duration_minutes": duration_minutes,
        "window_start": window_start,
        "window_days": window_days,
    }
    return {"request": request, "attendees": list(attendees), **others}


def reordered(world: dict[str, Any], order: random.Random) -> dict[str, Any]:
    """Return a world with the keys of its objects, and each date's blocks, in another order."""

    def keys_reordered(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: keys_reordered(value[key]) for key in order.sample(list(value), len(value))
            }
        return [keys_reordered(item) for item in value] if isinstance(value, list) else value

    shuffled: dict[str, Any] = keys_reordered(world)
    for attendee in shuffled["attendees"]:
        for blocks in attendee.get("busy", {}).values():
            order.shuffle(blocks)
    return shuffled


def folded(name: str) -> str:
    """Return what two names share that count as the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


_minutes = st.integers(0, 1439)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # text last: an example shrinks towards the first
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
names = (
    st.text(
        st.characters(exclude_categories=("Cc", "Cs"), exclude_characters=BIDIRECTIONAL_CONTROLS),
        min_size=1,
        max_size=64,
    )
    .map(str.strip)
    .filter(bool)
)
zones = st.sampled_from(
    sorted(
        set(resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())
        - {"Factory"}
    )
)
_ids = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=128)
_answers = st.sampled_from(["NONE", "none", "2024-03-11T13:00:00Z", "`2024-03-11 15:00+02:00`"])
_dates = st.dates().map(date.isoformat)


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


@st.composite
def _spans(draw: st.DrawFn, least: int) -> dict[str, str]:
    """Draw two times of a day, the second later by `least` minutes or more."""
    start = draw(_minutes)
    return {"start": _clock(start), "end": _clock(draw(st.integers(start + least, 1440)))}


@st.composite
def _attendees(draw: st.DrawFn, name: str) -> dict[str, Any]:
    weekdays = draw(st.lists(st.integers(0, 6), min_size=1, unique=True))
    found = {
        "name": name,
        "timezone": draw(zones),
        "working_hours": {**draw(_spans(1)), "weekdays": weekdays},
    }
    if draw(st.booleans()):
        blocks = st.lists(_spans(0), max_size=3)
        found["busy"] = draw(st.dictionaries(_dates, blocks, max_size=3))
    return found


@st.composite
def world_objects(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the object of a world file: optional keys or not, lists in any order."""
    days = draw(st.integers(1, 366))
    first_day = draw(st.dates(FIRST_DAY, LAST_DAY - timedelta(days=days - 1)))
    cast = draw(st.lists(names, min_size=1, max_size=3, unique_by=folded))
    drawn = world_object(
        *(draw(_attendees(name)) for name in cast),
        window_start=first_day.isoformat(),
        window_days=days,
        duration_minutes=draw(st.integers(1, 1440)),
    )
    optional = {"id": _ids, "answer": _answers, "meta": st.dictionaries(texts, json_values)}
    for key, values in optional.items():
        if draw(st.booleans()):
            drawn[key] = draw(values)
    return drawn
