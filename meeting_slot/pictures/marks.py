"""What stands where in the chart of a timeline: bars, ticks and texts, and how many there may be.

Every text is made here, in UTC or in the attendee's time: a chart library would write instants in
the time of the machine that draws. Places along the time axis are milliseconds since 1970, as the
library wants them; labels that would overlap are left out, what they name stays.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from ..argument import LocalTime
from ..errors import shortened
from ..instants import (
    MINUTES_A_DAY,
    answer_text,
    day_text,
    offset_text,
    time_text,
)
from ..intervals import Interval, intersection
from .captions import (
    change_text,
    local_stretch_text,
    name_text,
    rows_note,
    short_change_text,
    utc_text,
    valid_text,
    weekday_text,
)
from .cells import Cell, Shade, cells, covered, merged
from .timeline import MOST_ROWS, Row, Timeline

PLOT_WIDTH: Final = 740
"""Of the time axis, in pixels."""

MOST_BARS: Final = 1_500
"""How many bars are drawn of the attendees' time; where there are more, they are merged."""

COMMON: Final = "everyone free"
VALID: Final = "valid start"
EVERYONE: Final = "everyone"
ANSWER: Final = "answer"
PROPOSED: Final = "proposed"

_MOST_OF_EVERYBODY: Final = 400
_LENGTHS: Final = (5, 15, 30, 60, 120, 240, 480, 720, 1440, 2880, 5760, 11520)
_MINUTE: Final = 60_000
_WEEK: Final = 7 * MINUTES_A_DAY
_A_MONDAY: Final = 4 * MINUTES_A_DAY  # 1970-01-05
_DATE_WIDTH, _TICK_WIDTH, _CHANGE_WIDTH = 52, 64, 108  # pixels that a label takes
_LEAST_DAY: Final = 7  # pixels; where days are narrower, only months are marked

Mark = dict[str, Any]
"""One mark: its place and its texts, by the names of the chart's fields."""


class Marks(msgspec.Struct, frozen=True):
    """Everything that a chart shows.

    Attributes:
        rows: the keys of the rows, from the top.
        labels: who an attendee's row is about, and what the clock shows at both ends.
        titles: the names of the other rows.
        bars: what attendees and everyone are when; `kind` tells their colour.
        dates: where local dates begin; `label` is empty where there is no room for one.
        changes: where offsets change.
        meetings: the answer and the proposed one, where they are instants in the drawn range.
        verdicts: the texts of the rows `answer` and `proposed`.
        ticks: the labels of the axis, by their instants.
        notes: what is not drawn, or not exactly.
    """

    rows: list[str]
    labels: list[Mark]
    titles: list[Mark]
    bars: list[Mark]
    dates: list[Mark]
    changes: list[Mark]
    meetings: list[Mark]
    verdicts: list[Mark]
    ticks: dict[int, str]
    notes: list[str]


def marks(timeline: Timeline) -> Marks:
    """Return what a chart of a timeline shows."""
    drawn = timeline.rows[:MOST_ROWS]
    keys = [str(number) for number in range(len(drawn))]
    bars, length = _bars(timeline, drawn)
    meetings, verdicts = _meetings(timeline)
    below = [EVERYONE, *(verdict["row"] for verdict in verdicts)]
    keyed = list(zip(keys, drawn, strict=True))
    return Marks(
        rows=[*keys, *below],
        labels=[_label(timeline, key, row) for key, row in keyed],
        titles=[{"row": row, "name": row} for row in below],
        bars=[*bars, *_common(timeline, length), *_valid(timeline, length)],
        dates=[mark for key, row in keyed for mark in _dates(timeline, key, row)],
        changes=[mark for key, row in keyed for mark in _changes(timeline, key, row)],
        meetings=meetings,
        verdicts=verdicts,
        ticks={_MINUTE * at: text for at, text in _ticks(timeline)},
        notes=_notes(timeline, length),
    )


def milliseconds(timeline: Timeline) -> tuple[int, int]:
    """Return the first and the last instant of the axis."""
    return _MINUTE * timeline.start, _MINUTE * timeline.end


def _notes(timeline: Timeline, length: int) -> list[str]:
    notes = rows_note(timeline)
    if length > 1:
        step = f"{length // 60} hours" if length > 60 else f"{length} minutes"
        notes.append(f"Drawn in steps of {step}; a step that is free in part is shown as such.")
    return notes


def _x(timeline: Timeline, instant: int) -> float:
    """Return how far along the axis an instant stands, in pixels."""
    return PLOT_WIDTH * (instant - timeline.start) / (timeline.end - timeline.start)


def _label(timeline: Timeline, key: str, row: Row) -> Mark:
    first, last = row.local(timeline.start), row.local_end(timeline.end)
    offset = offset_text(last.offset)
    return {
        "row": key,
        "name": name_text(row),
        "who": name_text(row),
        "zone": row.timezone,
        "first": f"{_clock(first)} {offset_text(first.offset)}",
        "last": _clock(last),
        "last_offset": offset,
        "last_offset_zone": f"{offset} {row.timezone}",
    }


def _clock(local: LocalTime) -> str:
    return f"{weekday_text(local.day)} {day_text(local.day)} {time_text(local.minute)}"


def _bars(timeline: Timeline, rows: Sequence[Row]) -> tuple[list[Mark], int]:
    """Return the bars of the attendees, and the length of the cells that they are made of."""
    length = 1
    drawn = [[Cell(s.start, s.end, Shade(s.state.value)) for s in row.stretches] for row in rows]
    for length_tried in _LENGTHS:
        if sum(map(len, drawn)) <= MOST_BARS:
            break
        length = length_tried
        drawn = [merged(cells(row.stretches, timeline.start, timeline.end, length)) for row in rows]
    return [
        _bar(str(number), cell.start, cell.end, cell.shade.value, row)
        for number, (row, found) in enumerate(zip(rows, drawn, strict=True))
        for cell in found
    ], length


def _bar(key: str, start: int, end: int, kind: str, row: Row | None = None) -> Mark:
    return {
        "row": key,
        "start": _MINUTE * start,
        "end": _MINUTE * end,
        "kind": kind,
        "who": EVERYONE if row is None else name_text(row),
        "utc": utc_text(start, end),
        "local": "" if row is None else local_stretch_text(row, start, end),
    }


def _common(timeline: Timeline, length: int) -> Iterator[Mark]:
    if len(timeline.common) <= _MOST_OF_EVERYBODY:
        for start, end in timeline.common:
            yield _bar(EVERYONE, start, end, COMMON)
        return
    for (start, end), share in _shares(timeline, timeline.common, length):
        yield _bar(EVERYONE, start, end, COMMON if share == 1 else Shade.PARTLY_FREE.value)


def _valid(timeline: Timeline, length: int) -> Iterator[Mark]:
    drawn = intersection(list(timeline.valid), [(timeline.start, timeline.end)])
    if len(drawn) <= _MOST_OF_EVERYBODY:
        for start, end in drawn:
            yield _bar(EVERYONE, start, end, VALID) | {"utc": valid_text((start, end))}
        return
    for (start, end), _ in _shares(timeline, drawn, length):
        yield _bar(EVERYONE, start, end, VALID) | {"utc": f"some of {utc_text(start, end)}"}


def _shares(
    timeline: Timeline, intervals: Sequence[Interval], length: int
) -> Iterator[tuple[Interval, float]]:
    """Yield the cells that intervals touch, as many as the axis has room for, and their shares."""
    least = (timeline.end - timeline.start) / _MOST_OF_EVERYBODY
    length = max(length, next(each for each in (*_LENGTHS, 2**20) if each >= least))
    for number, share in enumerate(covered(intervals, timeline.start, timeline.end, length)):
        first = (timeline.start // length + number) * length
        if share:
            yield (max(first, timeline.start), min(first + length, timeline.end)), share


def _dates(timeline: Timeline, key: str, row: Row) -> Iterator[Mark]:
    width = PLOT_WIDTH * MINUTES_A_DAY / (timeline.end - timeline.start)
    monthly = width < _LEAST_DAY
    every = 1 if monthly else -(-_DATE_WIDTH // width)
    free_from = 0.0
    for at, day in row.new_dates:
        text = day_text(day)
        if monthly and not text.endswith("-01"):
            continue
        x = _x(timeline, at)
        label = ""
        if day % every == 0 and free_from <= x <= PLOT_WIDTH - _DATE_WIDTH:
            label = text[:7] if monthly else f"{weekday_text(day)} {text[5:]}"
            free_from = x + _DATE_WIDTH
        yield {
            "row": key,
            "at": _MINUTE * at,
            "label": label,
            "after": True,
            "who": name_text(row),
            "utc": answer_text(at),
            "local": f"{weekday_text(day)} {text} begins",
        }


def _changes(timeline: Timeline, key: str, row: Row) -> Iterator[Mark]:
    places = [*(_x(timeline, change.at) for change in row.changes), PLOT_WIDTH]
    free_from = 0.0
    for change, (x, following) in zip(row.changes, itertools.pairwise(places), strict=True):
        after = x + _CHANGE_WIDTH <= following or x - _CHANGE_WIDTH < free_from
        left = x if after else x - _CHANGE_WIDTH
        fits = free_from <= left and left + _CHANGE_WIDTH <= PLOT_WIDTH
        if fits:
            free_from = left + _CHANGE_WIDTH
        yield {
            "row": key,
            "at": _MINUTE * change.at,
            "label": short_change_text(change) if fits else "",
            "after": after,
            "who": name_text(row),
            "utc": answer_text(change.at),
            "local": change_text(change),
        }


def _meetings(timeline: Timeline) -> tuple[list[Mark], list[Mark]]:
    """Return the meetings to mark, and the texts of the rows below."""
    found = [(ANSWER, timeline.answer, answer_text(timeline.answer))]
    verdict = timeline.verdict
    if verdict is not None and not verdict.correct:
        text = shortened(verdict.proposed.strip())
        found.append((PROPOSED, timeline.proposed, f"{text}, wrong"))
    drawn = [start for _, start, _ in found if start is not None and timeline.is_drawn(start)]
    meetings: list[Mark] = []
    verdicts: list[Mark] = []
    for row, start, label in found:
        place, after = timeline.start, True
        if start is not None and start in drawn:
            place = start
            end = min(start + timeline.duration, timeline.end)
            meetings.append({"kind": row, "start": _MINUTE * start, "end": _MINUTE * end})
            after = _x(timeline, start) <= PLOT_WIDTH / 2
        elif start is not None:
            after = start < timeline.start
            place = timeline.start if after else timeline.end
            label += ", before what is drawn" if after else ", after what is drawn"
        verdicts.append(
            {"row": row, "kind": row, "at": _MINUTE * place, "after": after, "label": label}
        )
    return meetings, verdicts


def _ticks(timeline: Timeline) -> Iterator[tuple[int, str]]:
    """Yield the instants that the axis names: round ones, far enough apart for their labels."""
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
