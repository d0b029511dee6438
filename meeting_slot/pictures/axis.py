"""Moments along the time axis of a chart, and which of their labels have room.

Places are milliseconds since 1970, as the chart's library wants them. A label that would overlap
the one before is left empty; its mark stays.
"""

import itertools
from collections.abc import Iterator
from typing import Any, Final

from ..instants import MINUTES_A_DAY, answer_text, day_text, time_text
from .captions import change_text, name_text, short_change_text, weekday_text
from .timeline import Row, Timeline

PLOT_WIDTH: Final = 740
"""Of the time axis, in pixels."""

MINUTE: Final = 60_000
"""A minute on the axis."""

Mark = dict[str, Any]
"""One mark: its place and its texts, by the names of the chart's fields."""

_WEEK: Final = 7 * MINUTES_A_DAY
_A_MONDAY: Final = 4 * MINUTES_A_DAY  # 1970-01-05
_DATE_WIDTH, _TICK_WIDTH, _CHANGE_WIDTH = 52, 64, 108  # pixels that a label takes
_LEAST_DAY: Final = 7  # pixels; where days are narrower, only months are marked


def milliseconds(timeline: Timeline) -> tuple[int, int]:
    """Return the first and the last instant of the axis."""
    return MINUTE * timeline.start, MINUTE * timeline.end


def pixels(timeline: Timeline, instant: int) -> float:
    """Return how far along the axis an instant stands, in pixels."""
    return PLOT_WIDTH * (instant - timeline.start) / (timeline.end - timeline.start)


def tick_labels(timeline: Timeline) -> Iterator[tuple[int, str]]:
    """Yield round UTC minutes, far enough apart for their labels, and these labels."""
    least = (timeline.end - timeline.start) * _TICK_WIDTH / PLOT_WIDTH
    for step in (15, 30, 60, 120, 180, 360, 720, 1440, 2 * 1440, _WEEK):
        if step >= least:
            break
    else:
        step = MINUTES_A_DAY
    monthly = step < least
    origin = _A_MONDAY if step == _WEEK else 0
    for at in range(-(-(timeline.start - origin) // step) * step + origin, timeline.end + 1, step):
        day, minute = divmod(at, MINUTES_A_DAY)
        date = day_text(day)
        if monthly and date.endswith("-01"):
            yield at, date[:7]
        elif not monthly:
            yield at, time_text(minute) if minute else f"{weekday_text(day)} {date[5:]}"


def date_marks(timeline: Timeline, key: str, row: Row) -> Iterator[Mark]:
    """Yield where an attendee's local dates begin; months only, where days are too narrow."""
    width = PLOT_WIDTH * MINUTES_A_DAY / (timeline.end - timeline.start)
    monthly = width < _LEAST_DAY
    every = 1 if monthly else -(-_DATE_WIDTH // width)
    free_from = 0.0
    for at, day in row.new_dates:
        text = day_text(day)
        if monthly and not text.endswith("-01"):
            continue
        x = pixels(timeline, at)
        label = ""
        if day % every == 0 and free_from <= x <= PLOT_WIDTH - _DATE_WIDTH:
            label = text[:7] if monthly else f"{weekday_text(day)} {text[5:]}"
            free_from = x + _DATE_WIDTH
        yield {
            "row": key,
            "at": MINUTE * at,
            "label": label,
            "after": True,
            "who": name_text(row),
            "utc": answer_text(at),
            "local": f"{weekday_text(day)} {text} begins",
        }


def change_marks(timeline: Timeline, key: str, row: Row) -> Iterator[Mark]:
    """Yield where an attendee's offset changes; a label stands after its mark if there is room."""
    places = [*(pixels(timeline, change.at) for change in row.changes), PLOT_WIDTH]
    free_from = 0.0
    for change, (x, following) in zip(row.changes, itertools.pairwise(places), strict=True):
        after = x + _CHANGE_WIDTH <= following or x - _CHANGE_WIDTH < free_from
        left = x if after else x - _CHANGE_WIDTH
        fits = free_from <= left and left + _CHANGE_WIDTH <= PLOT_WIDTH
        if fits:
            free_from = left + _CHANGE_WIDTH
        yield {
            "row": key,
            "at": MINUTE * change.at,
            "label": short_change_text(change) if fits else "",
            "after": after,
            "who": name_text(row),
            "utc": answer_text(change.at),
            "local": change_text(change),
        }
