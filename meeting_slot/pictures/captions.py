"""The words of a timeline: the same in a terminal, in a chart and on a page."""

from ..argument import LocalTime
from ..errors import printable
from ..explanation import local_text
from ..instants import (
    MINUTES_A_DAY,
    WEEKDAY_NAMES,
    answer_text,
    day_text,
    offset_text,
    time_text,
    weekday_of,
)
from ..intervals import Interval
from ..zones import Change
from .timeline import MOST_ROWS, Row, Timeline


def request_text(timeline: Timeline) -> str:
    """Return what is asked for."""
    first, end = timeline.window
    days = (end - first) // MINUTES_A_DAY
    last = day_text(end // MINUTES_A_DAY - 1)
    window = f"{day_text(first // MINUTES_A_DAY)} to {last}" if days > 1 else last
    people = f"{timeline.attendees} attendee{'s' if timeline.attendees > 1 else ''}"
    return f"{timeline.duration} minutes for {people}, to start on {window} UTC"


def rows_note(timeline: Timeline) -> list[str]:
    """Return a sentence where not all attendees are drawn, or nothing."""
    if len(timeline.rows) > MOST_ROWS:
        return [f"The first {MOST_ROWS} of {len(timeline.rows)} attendees are drawn."]
    if len(timeline.rows) < timeline.attendees:
        return [f"{len(timeline.rows)} of {timeline.attendees} attendees are drawn."]
    return []


def verdict_lines(timeline: Timeline) -> list[str]:
    """Return the answer, and what a proposed one is worth."""
    if timeline.verdict is None:
        return [f"answer: {answer_text(timeline.answer)}"]
    return timeline.verdict.lines()


def weekday_text(day: int) -> str:
    """Return a day's weekday as in `Fri`."""
    return WEEKDAY_NAMES[weekday_of(day)][:3]


def utc_text(start: int, end: int) -> str:
    """Return UTC minutes `[start, end)` as in `Fri 2024-03-08 09:00-17:00 UTC`."""
    day, minute = divmod(start, MINUTES_A_DAY)
    last_day, last_minute = divmod(end - 1, MINUTES_A_DAY)
    text = local_text(LocalTime(day, minute, 0), LocalTime(last_day, last_minute + 1, 0))
    return text.removesuffix("+00:00")


def local_stretch_text(row: Row, start: int, end: int) -> str:
    """Return what the attendee's clock shows from one UTC minute to another."""
    return local_text(row.local(start), row.local_end(end))


def change_text(change: Change) -> str:
    """Return a change of offset: from what to what, when, and what clocks show."""
    before = LocalTime(*divmod(change.at - 1 + change.before, MINUTES_A_DAY), change.before)
    after = LocalTime(*divmod(change.at + change.after, MINUTES_A_DAY), change.after)
    day, minute = divmod(change.at, MINUTES_A_DAY)
    shown = f"{time_text(before.minute + 1)} -> {time_text(after.minute)}"
    if before.day != after.day:
        last, first = day_text(before.day), day_text(after.day)
        shown = f"{last} {time_text(before.minute + 1)} -> {first} {time_text(after.minute)}"
    return (
        f"{offset_text(change.before)} -> {offset_text(change.after)} "
        f"at {day_text(day)} {time_text(minute)}Z, {shown}"
    )


def short_change_text(change: Change) -> str:
    """Return a change of offset as in `UTC-05:00 -> -04:00`."""
    return f"{offset_text(change.before)} -> {offset_text(change.after)[3:]}"


def valid_text(stretch: Interval) -> str:
    """Return valid starts `[first, last + 1)`, the last one included."""
    first, end = stretch
    if end == first + 1:
        return answer_text(first)
    return f"{answer_text(first)} to {answer_text(end - 1)}"


def days_off_text(row: Row, most: int = 8) -> str:
    """Return the days off in the drawn range."""
    shown = [f"{weekday_text(day)} {day_text(day)}" for day in row.days_off[:most]]
    if (more := len(row.days_off) - most) > 0:
        shown.append(f"{more} more")
    return ", ".join(shown) or "none"


def name_text(row: Row) -> str:
    """Return the attendee's name, on one line."""
    return printable(row.name)
