"""Dates, times of day and instants: text at the edges, integers inside.

A *day* is a count of days since 1970-01-01, a *minute of day* runs from 0 to 1440 (24:00), an
*instant* is a count of UTC minutes since 1970-01-01T00:00Z.
"""

import re
from datetime import date
from functools import lru_cache
from typing import Final, NamedTuple

from .errors import UnreadableAnswer, quoted

MINUTES_A_DAY: Final = 1440
NONE: Final = "NONE"
"""The answer of a world without a valid start."""

WEEKDAY_NAMES: Final = (
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
)
_EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()
_FIRST_INSTANT: Final = (date.min.toordinal() - _EPOCH_ORDINAL) * MINUTES_A_DAY
_END_OF_INSTANTS: Final = (date.max.toordinal() + 1 - _EPOCH_ORDINAL) * MINUTES_A_DAY
_EPOCH_WEEKDAY: Final = 3  # 1970-01-01 was a Thursday
_INSTANT: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?"
    r" ?(?:([Zz]|UTC)|([+-])([01]\d|2[0-3]):?([0-5]\d)?)?",
    re.ASCII,
)

TIMES_OF_DAY: Final = {
    f"{minute // 60:02}:{minute % 60:02}": minute for minute in range(MINUTES_A_DAY + 1)
}
"""Every time of day as it is written, "00:00" to "24:00", with its minute of day."""


@lru_cache(maxsize=1 << 16)
def parse_day(text: str) -> int:
    """Return the day that `text` names, counted from 1970-01-01.

    Raises:
        ValueError: it is not a real date written YYYY-MM-DD in ASCII digits.
    """
    # date.fromisoformat alone also takes 20250602 and 2025-W23-1.
    if len(text) != 10 or text[4] != "-" or text[7] != "-" or not text.isascii():
        raise ValueError(text)
    return date.fromisoformat(text).toordinal() - _EPOCH_ORDINAL


@lru_cache(maxsize=1 << 16)
def day_text(day: int) -> str:
    """Return a day, counted from 1970-01-01, as YYYY-MM-DD."""
    return date.fromordinal(day + _EPOCH_ORDINAL).isoformat()


def year_of(day: int) -> int:
    """Return the calendar year of a day."""
    return date.fromordinal(day + _EPOCH_ORDINAL).year


def first_day_of(year: int) -> int:
    """Return the day of a year's 1 January."""
    return date(year, 1, 1).toordinal() - _EPOCH_ORDINAL


def weekday_of(day: int) -> int:
    """Return a day's weekday, 0 for Monday to 6 for Sunday."""
    return (day + _EPOCH_WEEKDAY) % 7


def time_text(minute_of_day: int) -> str:
    """Return a minute of day, 0 to 1440, as HH:MM."""
    return f"{minute_of_day // 60:02}:{minute_of_day % 60:02}"


def instant_text(instant: int) -> str:
    """Return an instant, a UTC minute since 1970-01-01, as YYYY-MM-DDTHH:MM:00Z."""
    day, minute_of_day = divmod(instant, MINUTES_A_DAY)
    return f"{day_text(day)}T{time_text(minute_of_day)}:00Z"


def answer_text(start: int | None) -> str:
    """Return an answer, a UTC minute since 1970 or None, as it is written: an instant or `NONE`."""
    return NONE if start is None else instant_text(start)


def offset_text(offset: int) -> str:
    """Return an offset in minutes east of UTC as `UTC+05:45`."""
    return f"UTC{'-' if offset < 0 else '+'}{time_text(abs(offset))}"


class ProposedInstant(NamedTuple):
    """An instant as somebody proposed it: the UTC minute, and the nanoseconds past its start."""

    minute: int
    nanosecond: int

    @property
    def whole(self) -> bool:
        """Whether it is the start of its minute."""
        return self.nanosecond == 0


def parse_answer(text: str) -> ProposedInstant | None:
    """Read a proposed answer: its UTC minute and what is past it, or None for `NONE`.

    Backticks and white space around it are dropped, `NONE` is read in any case. An instant may
    carry any UTC offset, and is read as UTC where it carries none; seconds and a fraction may be
    given.

    Raises:
        UnreadableAnswer: the text is neither.
    """
    stripped = text.strip().strip("`").strip()
    if stripped.upper() == NONE:
        return None
    match = _INSTANT.fullmatch(stripped)
    if match is None:
        raise _unreadable(text)
    day, hour, minute, second, fraction, _, sign, offset_hour, offset_minute = match.groups()
    try:
        instant = parse_day(day) * MINUTES_A_DAY + int(hour) * 60 + int(minute)
    except ValueError:
        raise _unreadable(text) from None
    if sign:
        offset = int(offset_hour) * 60 + int(offset_minute or 0)
        instant -= -offset if sign == "-" else offset
    if not _FIRST_INSTANT <= instant < _END_OF_INSTANTS:  # its UTC date cannot be written
        raise _unreadable(text)
    return ProposedInstant(instant, int(second or 0) * 10**9 + int((fraction or "").ljust(9, "0")))


def _unreadable(text: str) -> UnreadableAnswer:
    return UnreadableAnswer(
        f"answer {quoted(text)} is neither an instant such as 2024-03-11T13:00:00Z nor {NONE}"
    )
