"""The prompt: all rules and the budget, the same for every world, and then one world's request."""

import hashlib
import re
from typing import Final

from .errors import MeetingSlotError
from .instants import day_text
from .parsing import parse_request
from .world import Request

_RULES: Final = """\
You find meeting times. Each attendee has an IANA time zone, local working hours and a local busy \
calendar, which you can read only through the tools. Find the earliest UTC start at which everyone \
is free for the whole meeting, or that there is none.

Rules:
1. Instants are whole UTC minutes. Every interval is half-open: [start, end) includes its start \
and excludes its end.
2. A UTC minute is free for an attendee if and only if its local wall-clock reading, by the IANA \
rules of the attendee's time zone, falls on one of the listed weekdays (0 = Monday ... 6 = \
Sunday), inside the working hours [start, end), and inside no busy block [start, end) of that \
local date.
3. Working hours and busy blocks are local times of day; 24:00 is the end of a day, and neither \
wraps past midnight. Blocks may overlap, touch or repeat each other, and may lie outside the \
working hours, on days off or on dates that never occur. A block whose start is its end blocks \
nothing. A date without blocks is free within the hours.
4. When clocks go back, some local readings occur twice: both passes are treated alike, so a block \
or an hour applies in both. When clocks go forward, the skipped local readings never occur; where \
a zone skips a whole local date, that date never occurs. If an offset has seconds, the local \
reading is floored to the minute.
5. A start is valid if and only if it lies in the search window, from window_start 00:00 UTC up \
to, not including, window_days times 24 hours later, and every minute of [start, start + duration) \
is free for every attendee. The meeting may end after the window does, and may cross a local \
midnight if both sides of it are free, each by its own local date.
6. The answer is the smallest valid start. Any whole minute can be it, not only the hour and the \
half hour. If no start is valid, the answer is NONE.

Tools:
- list_attendees(): the names of all attendees.
- get_timezone(name): an attendee's IANA time zone.
- get_working_hours(name): an attendee's local working hours and weekdays.
- get_busy(name, date): an attendee's busy blocks on one local date, YYYY-MM-DD.
"""
_BUDGET: Final = """
You have at most {turns} turns: each of your replies is one, the final one included. Several tool \
calls in one reply are welcome; at most {calls} calls are answered altogether.
"""
_FORMAT: Final = """
End with a reply that calls no tool and gives your answer, in UTC, in this form:
<answer>YYYY-MM-DDTHH:MM:00Z</answer>
or, if no start is valid:
<answer>NONE</answer>
"""
_REQUEST: Final = """\
Find the earliest UTC start for a meeting of all attendees.

duration_minutes: {duration}
window_start: {day}
window_days: {days}

So the start lies from {day} 00:00 UTC up to, not including, {end} 00:00 UTC.
"""
_REQUEST_READ: Final = re.compile(
    r"duration_minutes: (\d{1,9})\s+window_start: (\d{4}-\d\d-\d\d)\s+window_days: (\d{1,9})(?!\d)",
    re.ASCII,
)


def system_prompt(max_turns: int, max_tool_calls: int) -> str:
    """Return the rules, the tools and the budget; it says nothing of any world."""
    return _RULES + _BUDGET.format(turns=max_turns, calls=max_tool_calls) + _FORMAT


def user_prompt(request: Request) -> str:
    """Return the question: how long the meeting is and where its start may lie."""
    return _REQUEST.format(
        duration=request.duration_minutes,
        day=day_text(request.window_start),
        days=request.window_days,
        end=day_text(request.window_start + request.window_days),
    )


def request_in(prompt: str) -> Request:
    """Return the request that a `user_prompt` asks for.

    Raises:
        MeetingSlotError: the text is no such prompt.
    """
    found = _REQUEST_READ.search(prompt)
    if found is None:
        raise MeetingSlotError("the prompt names no duration_minutes, window_start, window_days")
    return parse_request(int(found[1]), found[2], int(found[3]))


def prompt_hash(system: str | None) -> str:
    """Return the SHA-256 of a system prompt, 64 hex digits: runs with different ones differ."""
    return hashlib.sha256((system or "").encode(errors="surrogatepass")).hexdigest()
