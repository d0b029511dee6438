"""From a decoded JSON value to a `World`: each rule of the format once, strictly, with its path.

Nothing is guessed and nothing dropped: an unknown key, a wrong type or a value out of range is a
`WorldError` that holds the path, the value and what was expected.
"""

import math
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from . import zones
from .errors import UnknownZone, UnreadableAnswer, WorldError, quoted
from .instants import MINUTES_A_DAY, TIMES_OF_DAY, day_text, parse_answer, parse_day
from .world import Attendee, Block, Request, WorkingHours, World

MAX_ATTENDEES: Final = 1000
MAX_DURATION: Final = MINUTES_A_DAY
MAX_WINDOW_DAYS: Final = 366
MAX_NAME: Final = 64
MAX_ID: Final = 128
FIRST_DAY: Final = parse_day("1970-01-01")
LAST_DAY: Final = parse_day("2100-12-31")

_BIDI_CONTROLS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def parse_world(value: object) -> World:
    """Read the JSON object of a world file, as `json.loads` gives it.

    Raises:
        WorldError: at the first value that breaks the format.
    """
    if isinstance(value, list):
        raise WorldError("", "expected a world object, got a list (a split has one world a line)")
    row = _object(
        value,
        "",
        required=("request", "attendees"),
        optional=("id", "answer", "meta"),
        what="a world object",
    )
    return World(
        request=_request(row["request"]),
        attendees=parse_attendees(row["attendees"]),
        own_id=parse_id(row["id"]) if "id" in row else None,
        recorded=parse_recorded(row["answer"]) if "answer" in row else None,
        meta=parse_meta(row["meta"]) if "meta" in row else None,
    )


def parse_attendees(value: object) -> tuple[Attendee, ...]:
    """Read a world's `attendees`.

    Raises:
        WorldError: at the first value that breaks the format.
    """
    items = _list(value, "attendees")
    if not 1 <= len(items) <= MAX_ATTENDEES:
        raise WorldError("attendees", f"expected 1 to {MAX_ATTENDEES} attendees, got {len(items)}")
    attendees = tuple(_attendee(item, f"attendees[{i}]") for i, item in enumerate(items))
    seen: dict[str, int] = {}
    for i, attendee in enumerate(attendees):
        first = seen.setdefault(folded_name(attendee.name), i)
        if first != i:
            raise WorldError(
                f"attendees[{i}].name",
                f"{quoted(attendee.name)} is the same name as attendees[{first}].name "
                "(compared after NFC and case folding)",
            )
    return attendees


def parse_request(duration_minutes: object, window_start: object, window_days: object) -> Request:
    """Read a request's three values, `window_start` being YYYY-MM-DD.

    Raises:
        WorldError: at the first value that breaks the format.
    """
    duration = _integer(duration_minutes, "request.duration_minutes", 1, MAX_DURATION)
    first_day = _day(window_start, "request.window_start")
    if not FIRST_DAY <= first_day <= LAST_DAY:
        raise WorldError(
            "request.window_start",
            f"expected a date from {day_text(FIRST_DAY)} to {day_text(LAST_DAY)}, "
            f"got {quoted(window_start)}",
        )
    days = _integer(window_days, "request.window_days", 1, MAX_WINDOW_DAYS)
    if first_day + days - 1 > LAST_DAY:
        raise WorldError(
            "request.window_days",
            f"the window ends on {day_text(first_day + days - 1)}, after {day_text(LAST_DAY)}",
        )
    return Request(duration, first_day, days)


def parse_proposal(value: object) -> tuple[str, str]:
    """Read the JSON object of a row of proposed answers; return the world's id and the answer.

    Raises:
        WorldError: it is none.
    """
    row = _object(value, "", required=("id", "answer"))
    return parse_id(row["id"]), parse_recorded(row["answer"])


def folded_name(name: str) -> str:
    """Return the form under which two names count as the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def parse_id(value: object) -> str:
    """Read a world's `id`.

    Raises:
        WorldError: it is none.
    """
    text = _string(value, "id")
    if not 1 <= len(text) <= MAX_ID or not text.isprintable() or text.isspace():
        raise WorldError(
            "id", f"expected 1 to {MAX_ID} printable characters, not blank, got {quoted(text)}"
        )
    return text


def _request(value: object) -> Request:
    row = _object(value, "request", required=("duration_minutes", "window_start", "window_days"))
    return parse_request(row["duration_minutes"], row["window_start"], row["window_days"])


def _attendee(value: object, path: str) -> Attendee:
    row = _object(value, path, required=("name", "timezone", "working_hours"), optional=("busy",))
    return Attendee(
        name=_name(row["name"], f"{path}.name"),
        timezone=_timezone(row["timezone"], f"{path}.timezone"),
        working_hours=_working_hours(row["working_hours"], f"{path}.working_hours"),
        busy=_busy(row["busy"], f"{path}.busy") if "busy" in row else {},
    )


def _name(value: object, path: str) -> str:
    name = _string(value, path)
    if problem := name_problem(name):
        raise WorldError(path, f"{problem}, got {quoted(name)}")
    return name


@lru_cache(maxsize=1 << 12)
def name_problem(name: str) -> str | None:
    """Return what is wrong with an attendee's name, or None."""
    if not name.strip():
        return "a name must not be blank"
    if len(name) > MAX_NAME:
        return f"a name has at most {MAX_NAME} characters, not {len(name)}"
    for character in name:
        if unicodedata.category(character) in ("Cc", "Cs") or character in _BIDI_CONTROLS:
            return f"a name must not hold the control character U+{ord(character):04X}"
    if name != name.strip():
        return "a name must not start or end with white space"
    return None


def _timezone(value: object, path: str) -> str:
    name = _string(value, path)
    try:
        zones.check_name(name)
    except UnknownZone as error:
        raise WorldError(path, str(error)) from None
    return name


def _working_hours(value: object, path: str) -> WorkingHours:
    row = _object(value, path, required=("start", "end", "weekdays"))
    start = _time_of_day(row["start"], f"{path}.start", latest=MINUTES_A_DAY - 1)
    end = _time_of_day(row["end"], f"{path}.end", latest=MINUTES_A_DAY)
    if start >= end:
        raise WorldError(
            path,
            f"expected start before end (hours do not wrap past midnight), "
            f"got {row['start']} to {row['end']}",
        )
    weekdays_path = f"{path}.weekdays"
    items = _list(row["weekdays"], weekdays_path)
    if not items:
        raise WorldError(weekdays_path, "expected at least one weekday, got none")
    weekdays: list[int] = []
    for i, item in enumerate(items):
        weekday = _integer(item, f"{weekdays_path}[{i}]", 0, 6, " (0 is Monday, 6 is Sunday)")
        if weekday in weekdays:
            raise WorldError(f"{weekdays_path}[{i}]", f"weekday {weekday} is listed twice")
        weekdays.append(weekday)
    return WorkingHours(start, end, tuple(sorted(weekdays)))


def _busy(value: object, path: str) -> dict[int, tuple[Block, ...]]:
    if not isinstance(value, dict):
        raise WorldError(path, f"expected an object keyed by local date, got {quoted(value)}")
    busy = {}
    for key, items in value.items():
        try:
            day = parse_day(key if isinstance(key, str) else "")
        except ValueError:
            raise WorldError(
                f"{path}[{quoted(key)}]", "the key is not a real date YYYY-MM-DD"
            ) from None
        busy[day] = _blocks(items, f'{path}["{key}"]')
    return dict(sorted(busy.items()))


def _blocks(value: object, path: str) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for i, item in enumerate(_list(value, path)):
        try:  # the common case at the price of two look-ups; whatever is amiss is found below
            start, end = TIMES_OF_DAY[item["start"]], TIMES_OF_DAY[item["end"]]
            usable = len(item) == 2 and start <= end and start < MINUTES_A_DAY
        except (KeyError, TypeError):
            usable = False
        if not usable:
            start, end = _block(item, f"{path}[{i}]")
        blocks.append((start, end))
    return tuple(sorted(blocks))


def _block(value: object, path: str) -> Block:
    row = _object(value, path, required=("start", "end"))
    start = _time_of_day(row["start"], f"{path}.start", latest=MINUTES_A_DAY - 1)
    end = _time_of_day(row["end"], f"{path}.end", latest=MINUTES_A_DAY)
    if start > end:
        raise WorldError(
            path,
            f"expected start not after end (a block does not wrap past midnight), "
            f"got {row['start']} to {row['end']}",
        )
    return start, end


def parse_recorded(value: object) -> str:
    """Read an `answer`, and return it as it is written.

    Raises:
        WorldError: it is neither an instant nor NONE.
    """
    text = _string(value, "answer")
    try:
        parse_answer(text)
    except UnreadableAnswer as error:
        raise WorldError("answer", str(error)) from None
    return text


def parse_meta(value: object) -> dict[str, Any]:
    """Read a world's `meta`.

    Raises:
        WorldError: it is no object, or holds a number that no float can hold.
    """
    if not isinstance(value, dict):
        raise WorldError("meta", f"expected an object, got {quoted(value)}")
    if not _is_finite(value):
        raise WorldError(_path_of_infinity(value, "meta") or "meta", "number out of range")
    return value


def _is_finite(value: object) -> bool:
    """Return whether no number in a value is one such as 1e999, which no float can hold."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return all(map(_is_finite, value)) if isinstance(value, list) else True


def _path_of_infinity(value: object, path: str) -> str | None:
    if isinstance(value, dict):
        items = [(f"{path}.{quoted(key)[1:-1]}", item) for key, item in value.items()]
    elif isinstance(value, list):
        items = [(f"{path}[{i}]", item) for i, item in enumerate(value)]
    else:
        return None if _is_finite(value) else path
    return next(filter(None, (_path_of_infinity(item, inner) for inner, item in items)), None)


def _object(
    value: object,
    path: str,
    *,
    required: tuple[str, ...],
    optional: tuple[str, ...] = (),
    what: str = "an object",
) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise WorldError(path, f"expected {what}, got {quoted(value)}")
    known = required + optional
    for key in value:
        if key not in known:
            import difflib

            close = difflib.get_close_matches(quoted(key)[1:-1], known, n=1)
            hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}"
            raise WorldError(path, f"unknown key {quoted(key)} ({hint})")
    for key in required:
        if key not in value:
            raise WorldError(f"{path}.{key}".lstrip("."), "required, but missing")
    return value


def _list(value: object, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise WorldError(path, f"expected a list, got {quoted(value)}")
    return value


def _string(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise WorldError(path, f"expected a string, got {quoted(value)}")
    return value


def _integer(value: object, path: str, lowest: int, highest: int, unit: str = "") -> int:
    # bool is a subclass of int; 30.0 and 3e1 are floats
    if type(value) is not int or not lowest <= value <= highest:
        raise WorldError(
            path, f"expected a whole number from {lowest} to {highest}{unit}, got {quoted(value)}"
        )
    return value


def _day(value: object, path: str) -> int:
    try:
        return parse_day(_string(value, path))
    except ValueError:
        raise WorldError(path, f"expected a real date YYYY-MM-DD, got {quoted(value)}") from None


def _time_of_day(value: object, path: str, *, latest: int) -> int:
    minute = TIMES_OF_DAY.get(_string(value, path))
    if minute is None or minute > latest:
        span = "00:00 to 24:00" if latest == MINUTES_A_DAY else "00:00 to 23:59"
        raise WorldError(path, f"expected a time HH:MM from {span}, got {quoted(value)}")
    return minute
