"""A timeline in characters: the overview of it, then the hours around the answers more closely.

What colour says, a character says as well. A column stands for several minutes: one in which
somebody is free for a part of them only has a sign of its own.
"""

from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.text import Text

from ..errors import printable
from .captions import change_text, request_text, rows_note, valid_text, verdict_lines
from .columns import ASCII, UNICODE, Columns, Signs, legend
from .folding import folded
from .timeline import Timeline

LEAST_WIDTH: Final = 60
"""In columns; a narrower terminal wraps."""

_CLOSE_HOURS: Final = 7  # before and after an answer, in the closer picture
_MOST_LISTED: Final = 12


def print_timeline(timeline: Timeline, console: Console) -> None:
    """Print a timeline; no line is wider than the console, or than 60 columns if that is less."""
    signs = ASCII if console.options.ascii_only else UNICODE
    for line in timeline_lines(timeline, console.width, signs):
        console.print(line, soft_wrap=True)


def timeline_lines(timeline: Timeline, width: int, signs: Signs = UNICODE) -> Iterator[Text]:
    """Yield a timeline in lines of at most `width` columns, or of 60 where that is less."""
    width = max(LEAST_WIDTH, width)
    yield from folded(printable(timeline.world_id), width, style="bold")
    for line in (request_text(timeline), *verdict_lines(timeline), *rows_note(timeline)):
        yield from folded(printable(line), width)
    overview = Columns(timeline, timeline.start, timeline.end, width, signs)
    yield Text()
    yield from legend(signs, width)
    yield Text()
    yield Text(f"Overview, a column is {overview.unit}", style="bold")
    yield from overview.lines()
    for start, end, title in _close(timeline):
        closer = Columns(timeline, start, end, width, signs)
        if closer.length < overview.length:
            yield Text()
            yield Text(f"{title}, a column is {closer.unit}", style="bold")
            yield from closer.lines()
    yield from _changes(timeline, width)
    yield from _valid(timeline, width)


def _close(timeline: Timeline) -> Iterator[tuple[int, int, str]]:
    """Yield what is shown more closely, and its title: the hours around each answer."""
    shown: list[tuple[int, int]] = []
    wrong = timeline.verdict is not None and not timeline.verdict.correct
    instants = [(timeline.answer, "answer"), (timeline.proposed if wrong else None, "proposed one")]
    for instant, what in instants:
        if instant is None or not timeline.is_drawn(instant):
            continue
        if any(start <= instant < end for start, end in shown):
            continue  # both are seen in one picture
        start = max(timeline.start, (instant // 60 - _CLOSE_HOURS) * 60)
        end = min(timeline.end, (-(-(instant + timeline.duration) // 60) + _CLOSE_HOURS) * 60)
        shown.append((start, end))
        yield start, end, f"The hours around the {what}"


def _changes(timeline: Timeline, width: int) -> Iterator[Text]:
    """Yield the changes of offset, a zone once."""
    zones = {row.timezone: row.changes for row in timeline.rows if row.changes}
    if not zones:
        return
    yield Text()
    yield Text("Offset changes", style="bold")
    for zone, changes in list(zones.items())[:_MOST_LISTED]:
        for change in changes:
            yield from folded(f"  {zone}: {change_text(change)}", width)
    if (more := len(zones) - _MOST_LISTED) > 0:
        yield Text(f"  and in {more} more zones")


def _valid(timeline: Timeline, width: int) -> Iterator[Text]:
    if not timeline.valid:
        return
    yield Text()
    yield Text("Valid starts", style="bold")
    for stretch in timeline.valid[:_MOST_LISTED]:
        yield from folded(f"  {valid_text(stretch)}", width)
    if (more := len(timeline.valid) - _MOST_LISTED) > 0:
        yield Text(f"  and {more} more stretches")
