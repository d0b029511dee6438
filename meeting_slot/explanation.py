"""An argument in words, at most 80 columns wide, and as JSON.

In words, a stretch of starts ends *before* the UTC time named; local times carry their date and
their offset from UTC, so that each line can be checked by itself.
"""

import json
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, Final

from .argument import Argument, Busy, Confirmed, LocalTime, OffWork, Refuted, Why
from .instants import (
    MINUTES_A_DAY,
    WEEKDAY_NAMES,
    answer_text,
    day_text,
    instant_text,
    offset_text,
    time_text,
    weekday_of,
)
from .observations import Kind, Observation
from .world import Attendee, Block, WorkingHours, World

WIDTH: Final = 80
_WIDEST_CALL: Final = 44  # a longer one stands on a line of its own, not pushing all the results


def call_lines(world: World, observations: Iterable[Observation]) -> list[str]:
    """Return each observation as the tool call that it is, and what it shows."""
    by_name = {attendee.name: attendee for attendee in world.attendees}
    calls = [(_call(each), _result(by_name[each.attendee], each)) for each in observations]
    column = max((len(call) for call, _ in calls if len(call) <= _WIDEST_CALL), default=0) + 4
    lines: list[str] = []
    for call, result in calls:
        if len(call) > _WIDEST_CALL:
            lines += [f"  {call}", *_wrapped(" " * column, result, column)]
        else:
            lines += _wrapped(f"  {call}".ljust(column), result, column)
    return lines


def call_json(observation: Observation) -> dict[str, Any]:
    """Return an observation as a tool call: the tool's name and its arguments."""
    return {"tool": observation.kind.value, "arguments": observation.arguments()}


def argument_lines(argument: Argument) -> list[str]:
    """Return an argument in words."""
    lines: list[str] = []
    if argument.refuted:
        which = "start" if argument.answer is None else "earlier start"
        meeting = f"a meeting of {argument.request.duration_minutes} minutes"
        lines.append(f"No {which} works: {meeting} would touch the time named:")
    for refuted in argument.refuted:
        lines.append(f"  {_stretch(refuted.start, refuted.end)}")
        lines += _wrapped("    ", f"{refuted.attendee.name} {_why(refuted.why)}", 6)
    if argument.answer is None:
        return [*lines, "No start is left in the window: the answer is NONE."]
    first = "first start left" if argument.refuted else "window's first start"
    lines.append(f"{answer_text(argument.answer)} is the {first}, and everybody is free:")
    for confirmed in argument.confirmed:
        times = local_text(confirmed.start, confirmed.end)
        lines += _wrapped("  ", f"{confirmed.attendee.name}: {times}", 4)
        hours = hours_text(confirmed.attendee.working_hours)
        lines += _wrapped("    ", f"works {hours}, {_around(confirmed)}", 6)
    return lines


def argument_json(argument: Argument) -> dict[str, Any]:
    """Return an argument as a JSON object.

    Stretches, blocks and hours are half-open; a local time carries its offset from UTC.
    """
    return {
        "refuted": [_refuted_json(refuted) for refuted in argument.refuted],
        "confirmed": [_confirmed_json(confirmed) for confirmed in argument.confirmed],
    }


def _call(observation: Observation) -> str:
    arguments = (json.dumps(each, ensure_ascii=False) for each in observation.arguments().values())
    return f"{observation.kind.value}({', '.join(arguments)})"


def _result(attendee: Attendee, observation: Observation) -> str:
    if observation.kind is Kind.ZONE:
        return attendee.timezone
    if observation.kind is Kind.HOURS:
        return hours_text(attendee.working_hours)
    assert observation.day is not None
    return _blocks(attendee.busy.get(observation.day, ())) or "no block"


def _stretch(start: int, end: int) -> str:
    day, minute = divmod(start, MINUTES_A_DAY)
    last_day, last_minute = divmod(end - 1, MINUTES_A_DAY)
    until = f"before {time_text(last_minute + 1)}Z"
    if last_day != day:
        until = f"before {date_text(last_day)} {time_text(last_minute + 1)}Z"
    return f"{date_text(day)} {time_text(minute)}Z to {until}"


def _why(why: Why) -> str:
    notes = []
    match why:
        case OffWork(since, until, gaps, days_off):
            what = "is off work "
            if since and until:
                what += local_text(since, until)
            elif until:
                what += f"until {local_text(until)}"
            else:
                what += f"from {local_text(since)} on" if since else "throughout"
            if days_off:
                notes.append(f"{', '.join(dict.fromkeys(map(_weekday, days_off)))} off")
        case Busy(day, blocks, offsets, gaps):
            under = ", then ".join(map(offset_text, offsets))
            what = f"is busy {date_text(day)} {_blocks(blocks)} {under}"
    if gaps:
        notes.append("gaps too short")
    return f"{what} ({'; '.join(notes)})" if notes else what


def _around(confirmed: Confirmed) -> str:
    """Return between which blocks the meeting lies."""
    before, after = confirmed.before, confirmed.after

    def block(dated: tuple[int, Block]) -> str:
        day = "" if dated[0] == confirmed.start.day else f"{_weekday(dated[0])} "
        return day + _blocks([dated[1]])

    if before and before == after:
        return f"between the two passes of the block {block(before)}"
    if before and after:
        return f"between the blocks {block(before)} and {block(after)}"
    if before:
        return f"after the last block, {block(before)}"
    if after:
        return f"before the first block, {block(after)}"
    return "no block that day" if confirmed.dates == 1 else "no block on these dates"


def local_text(start: LocalTime, end: LocalTime | None = None) -> str:
    """Return one local time, or two; what both share is written once."""
    text = f"{date_text(start.day)} {time_text(start.minute)}"
    if end is None:
        return f"{text} {offset_text(start.offset)}"
    until = f"{time_text(end.minute)} {offset_text(end.offset)}"
    if start.day != end.day:
        until = f"{date_text(end.day)} {until}"
    if start.offset != end.offset:
        return f"{text} {offset_text(start.offset)} to {until}"
    return f"{text}-{until}" if start.day == end.day else f"{text} to {until}"


def hours_text(hours: WorkingHours) -> str:
    """Return working hours as in `09:00-17:00 Mon-Fri`."""
    return f"{_blocks([(hours.start, hours.end)])} {_weekdays(hours.weekdays)}"


def _weekdays(weekdays: Sequence[int]) -> str:
    """Return sorted weekdays; three or more in a row as a range."""
    if len(weekdays) == 7:
        return "every day"
    names = [WEEKDAY_NAMES[day][:3] for day in weekdays]
    if len(weekdays) > 2 and weekdays[-1] - weekdays[0] == len(weekdays) - 1:
        return f"{names[0]}-{names[-1]}"
    return " ".join(names)


def _blocks(blocks: Iterable[Block]) -> str:
    return ", ".join(f"{time_text(start)}-{time_text(end)}" for start, end in blocks)


def _weekday(day: int) -> str:
    return WEEKDAY_NAMES[weekday_of(day)][:3]


def date_text(day: int) -> str:
    """Return a day since 1970-01-01 as in `Fri 2024-03-08`."""
    return f"{_weekday(day)} {day_text(day)}"


def _wrapped(start: str, text: str, indent: int) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=start,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _refuted_json(refuted: Refuted) -> dict[str, Any]:
    return {
        "from": instant_text(refuted.start),
        "to": instant_text(refuted.end),
        "attendee": refuted.attendee.name,
        "timezone": refuted.attendee.timezone,
        **_why_json(refuted.why),
    }


def _why_json(why: Why) -> dict[str, Any]:
    match why:
        case OffWork(since, until, gaps, days_off, early_or_late):
            return {
                "cause": "outside hours" if early_or_late else "day off",
                "since": since and _local_json(since),
                "until": until and _local_json(until),
                "gaps": gaps,
                "days_off": [day_text(day) for day in days_off],
            }
        case Busy(day, blocks, offsets, gaps):
            return {
                "cause": "busy",
                "date": day_text(day),
                "blocks": [_block_json(block) for block in blocks],
                "offset_minutes": list(offsets),
                "gaps": gaps,
            }


def _confirmed_json(confirmed: Confirmed) -> dict[str, Any]:
    attendee = confirmed.attendee
    hours = attendee.working_hours
    return {
        "attendee": attendee.name,
        "timezone": attendee.timezone,
        "from": _local_json(confirmed.start),
        "to": _local_json(confirmed.end),
        "hours": _block_json((hours.start, hours.end)),
        "weekdays": list(hours.weekdays),
        "block_before": _dated_json(confirmed.before),
        "block_after": _dated_json(confirmed.after),
    }


def _dated_json(dated: tuple[int, Block] | None) -> dict[str, Any] | None:
    return dated and {"date": day_text(dated[0]), "block": _block_json(dated[1])}


def _local_json(local: LocalTime) -> str:
    return f"{day_text(local.day)}T{time_text(local.minute)}{offset_text(local.offset)[3:]}"


def _block_json(block: Block) -> list[str]:
    return [time_text(minute) for minute in block]
