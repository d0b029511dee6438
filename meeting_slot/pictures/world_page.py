"""A world as a page: its timeline, the verdict in words, who attends, and the valid starts."""

from collections.abc import Iterator, Sequence
from typing import Final

from ..argument import LocalTime
from ..errors import printable, shortened
from ..explanation import date_text, hours_text
from ..instants import MINUTES_A_DAY, answer_text, offset_text, time_text
from ..world import World
from .captions import change_text, days_off_text, name_text, request_text, verdict_lines
from .chart import CHART_WIDTH, chart_notes, chart_spec
from .page import Figure, Paragraph, Section, Table, Verbatim, page_html
from .timeline import Timeline, timeline

_LONG: Final = 3 * MINUTES_A_DAY  # a longer timeline is shown once more around the answers
_MOST_LISTED: Final = 50


def world_page(
    world: World,
    proposed: str | None = None,
    *,
    around: int | None = None,
    names: Sequence[str] = (),
) -> str:
    """Return the page of a world, a whole HTML document; the arguments are those of `timeline`.

    Raises:
        MeetingSlotError: as `timeline`, or the extra `report` is not installed.
    """
    found = timeline(world, proposed, around=around, names=names)
    figures = [_figure(found, "Who is free when: hover for UTC and local time.")]
    for instant, what in _closer(found):
        part = timeline(world, proposed, around=instant, names=names)
        figures.append(_figure(part, f"The hours around the {what}."))
    sections = [
        Section("Verdict" if proposed is not None else "Answer", [Verbatim(_verdict(found))]),
        Section("Timeline", figures),
        Section("Attendees", [_attendees(found)]),
        Section("Offset changes", [_changes(found)]),
        Section("Valid starts", [_starts(found)]),
    ]
    title = f"World {shortened(found.world_id, 128)}"
    return page_html(title, sections, lead=f"{request_text(found)}.")


def _verdict(found: Timeline) -> str:
    return "\n".join(map(printable, verdict_lines(found)))


def _closer(found: Timeline) -> Iterator[tuple[int, str]]:
    """Yield around what a long timeline is shown more closely: answers that are in it."""
    if found.end - found.start <= _LONG:
        return
    if found.answer is not None and found.is_drawn(found.answer):
        yield found.answer, "answer"
    if found.verdict is not None and not found.verdict.correct and found.proposed is not None:
        near = found.answer is not None and abs(found.proposed - found.answer) < MINUTES_A_DAY / 2
        if found.is_drawn(found.proposed) and not near:
            yield found.proposed, "proposed answer"


def _figure(found: Timeline, caption: str) -> Figure:
    return Figure(chart_spec(found), " ".join([caption, *chart_notes(found)]), CHART_WIDTH)


def _attendees(found: Timeline) -> Table:
    header = ("attendee", "zone", "hours", "at the start", "at the end", "days off")
    return Table(
        header,
        [
            (
                name_text(row),
                row.timezone,
                hours_text(row.hours).replace(" ", "\n", 1),
                _clock(row.local(found.start)),
                _clock(row.local_end(found.end)),
                days_off_text(row),
            )
            for row in found.rows
        ],
        "What clocks show at both ends of the timeline, and the days off in between.",
    )


def _clock(local: LocalTime) -> str:
    return f"{date_text(local.day)}\n{time_text(local.minute)} {offset_text(local.offset)}"


def _changes(found: Timeline) -> Table | Paragraph:
    zones = {row.timezone: row.changes for row in found.rows}
    rows = [(zone, change_text(change)) for zone, changes in zones.items() for change in changes]
    if not rows:
        return Paragraph("No clock changes in what is drawn.")
    caption = "When, from what to what, and what clocks show."
    if (more := len(rows) - _MOST_LISTED) > 0:
        caption += f" {more} more are not listed."
    return Table(("zone", "change"), rows[:_MOST_LISTED], caption)


def _starts(found: Timeline) -> Table:
    count = sum(end - first for first, end in found.valid)
    stretches = len(found.valid)
    caption = f"{count} valid starts in {stretches} stretch{'' if stretches == 1 else 'es'}"
    if stretches > _MOST_LISTED:
        caption += f", of which the first {_MOST_LISTED} are listed"
    rows = [
        (answer_text(first), answer_text(end - 1), str(end - first))
        for first, end in found.valid[:_MOST_LISTED]
    ]
    return Table(("first", "last", "starts"), rows, f"{caption}.")
