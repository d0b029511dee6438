"""Changes of offset for a wish: which zone, when, and which starts are of the wished kind."""

import random
from typing import NamedTuple

from .. import zones
from ..instants import MINUTES_A_DAY, first_day_of, instant_text
from ..intervals import Interval
from .chance import in_any_order
from .wishes import Dst, Target, WishError


class FoundShift(NamedTuple):
    """A change of a zone's offset, and starts that are of the wished kind with respect to it."""

    zone: str
    change: zones.Change
    starts: range


def draw_shift(target: Target, dst: Dst, duration: int, rng: random.Random) -> FoundShift:
    """Draw a zone, a change of its offset, and the starts of the wished kind that are possible.

    Raises:
        WishError: no zone has such a change.
    """
    names = sorted({a.timezone for a in target.cast} if target.cast else set(target.zones))
    window = possible_starts(target)
    pairs = [(name, span) for name in names for span in _parts(window)]
    forward = dst is not Dst.FALL_REPEATED
    for name, (first, end) in in_any_order(pairs, rng):
        # A start is of its kind for at most a day after the change, or a meeting before it.
        around = zones.changes(name, first - MINUTES_A_DAY, end + duration + MINUTES_A_DAY)
        found = []
        for change in around:
            if (change.after > change.before) is forward:
                of_kind = starts_of(dst, change, duration)
                starts = range(max(of_kind.start, window[0]), min(of_kind.stop, window[1]))
                if starts:
                    found.append(FoundShift(name, change, starts))
        if found:
            return rng.choice(found)
    raise WishError(_missing(target, dst, names))


def possible_starts(target: Target) -> Interval:
    """Return the UTC minutes `[first, end)` in which the answer may lie, the wish alone known."""
    first = first_day_of(target.years[0]) * MINUTES_A_DAY
    end = first_day_of(target.years[1] + 1) * MINUTES_A_DAY
    if isinstance(target.answer, int):
        return target.answer, target.answer + 1
    if target.window_start is not None and target.window_days is not None:
        first = max(first, target.window_start * MINUTES_A_DAY)
        end = min(end, (target.window_start + target.window_days) * MINUTES_A_DAY)
    return first, end


def starts_of(dst: Dst, change: zones.Change, duration: int) -> range:
    """Return the starts of a kind with respect to a change, as `wishes.kinds_of` has it."""
    size = abs(change.after - change.before)
    match dst:
        case Dst.SPRING_AFTER:
            return range(change.at, change.at + MINUTES_A_DAY)
        case Dst.SPRING_ACROSS:
            return range(change.at - duration + 1, change.at)
        case Dst.FALL_REPEATED:
            return range(change.at - size - duration + 1, change.at + size)


def is_within_repeated(change: zones.Change, start: int, end: int) -> bool:
    """Return whether a meeting lies wholly in the minutes whose readings occur twice."""
    size = change.before - change.after
    return change.at - size <= start and end <= change.at + size


def _parts(window: Interval) -> list[Interval]:
    """Return the window in pieces of at most a year, so that not all zones are read at once."""
    first, end = window
    year = 366 * MINUTES_A_DAY
    return [(at, min(at + year, end)) for at in range(first, end, year)]


def _missing(target: Target, dst: Dst, names: list[str]) -> str:
    direction = "back" if dst is Dst.FALL_REPEATED else "forward"
    where = f"in {target.years[0]} to {target.years[1]}"
    if isinstance(target.answer, int):
        where = f"where {instant_text(target.answer)} would be {dst.value}"
    elif target.window_start is not None:
        where = "in the window"
    if len(names) == 1:
        return f"{names[0]} does not move its clock {direction} {where}"
    return f"none of {len(names)} zones moves its clock {direction} {where}"
