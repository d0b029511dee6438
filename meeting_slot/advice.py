"""Advice: what to answer without a look at the world, such as "day 3 at 13:00 UTC".

A world's window makes an instant of it. Of each world as little is kept as it takes to see which
advice is right there, and what any other earns.
"""

import enum
import sys
from array import array
from collections.abc import Mapping
from typing import Final, NamedTuple

from .features import Features
from .instants import (
    MINUTES_A_DAY,
    NONE,
    WEEKDAY_NAMES,
    instant_text,
    time_text,
    weekday_of,
)

FOLDS: Final = 10
_WEEK: Final = 7


class How(enum.IntEnum):
    """What an advice names; of equally good ones the first is taken."""

    NONE = 0
    DAY_OF_WINDOW = 1
    WEEKDAY = 2
    INSTANT = 3


class Advice(NamedTuple):
    """What to answer.

    Attributes:
        how: what the numbers mean.
        day: DAY_OF_WINDOW: days from the window's first. WEEKDAY: 7 x whole weeks from the
            window's start, plus 0 for Monday to 6 for Sunday. Otherwise 0.
        minute: the UTC minute of the day; INSTANT: the UTC minute since 1970.
    """

    how: How
    day: int = 0
    minute: int = 0

    def answer(self, window_start: int) -> int | None:
        """Return the answer for a window from that day on: a UTC minute, or None for NONE."""
        if self.how is How.NONE:
            return None
        if self.how is How.INSTANT:
            return self.minute
        days = self.day
        if self.how is How.WEEKDAY:
            week, weekday = divmod(self.day, _WEEK)
            days = week * _WEEK + (weekday - weekday_of(window_start)) % _WEEK
        return (window_start + days) * MINUTES_A_DAY + self.minute

    def text(self) -> str:
        """Return the advice in words."""
        if self.how is How.NONE:
            return NONE
        if self.how is How.INSTANT:
            return instant_text(self.minute)
        at = f"{time_text(self.minute)} UTC"
        if self.how is How.WEEKDAY:
            week, weekday = divmod(self.day, _WEEK)
            return f"{WEEKDAY_NAMES[weekday]} of week {week + 1}, {at}"
        return f"day {self.day + 1}, {at}"


class Row(NamedTuple):
    """What is kept of a world until all are read.

    Attributes:
        fold: 0 to `FOLDS` - 1.
        answer: a UTC minute, or None for NONE.
        valid_bounds: the valid starts, as `Features` has them.
        duration_minutes: part of the prompt, as are the next two.
        window_start: in days since 1970-01-01.
        window_days: how many.
        names: the attendees', in order.
    """

    fold: int
    answer: int | None
    valid_bounds: "array[int]"
    duration_minutes: int
    window_start: int
    window_days: int
    names: tuple[str, ...]

    def right_advice(self) -> list[Advice]:
        """Return every advice that gives the right answer."""
        if self.answer is None:
            return [Advice(How.NONE)]
        day, minute = divmod(self.answer, MINUTES_A_DAY)
        days = day - self.window_start
        return [
            Advice(How.DAY_OF_WINDOW, days, minute),
            Advice(How.WEEKDAY, days // _WEEK * _WEEK + weekday_of(day), minute),
            Advice(How.INSTANT, 0, self.answer),
        ]


def row_of(features: Features) -> Row:
    """Return what the guesses need of a world."""
    return Row(
        fold=int(features.shape[24:32], 16) % FOLDS,  # the ends may have told splits apart
        answer=features.answer,
        valid_bounds=array("i", features.valid_bounds),
        duration_minutes=features.duration_minutes,
        window_start=features.window_start,
        window_days=features.window_days,
        names=tuple(map(sys.intern, features.names)),
    )


def most_frequent(right: Mapping[Advice, int]) -> Advice:
    """Return the advice that is right most often; of equals, the least in `How` and its numbers."""
    return min(right, key=lambda advice: (-right[advice], advice))
