"""A part of a timeline as rows of characters, a character for some minutes.

On either side of an attendee's bar stands what the clock shows there, above the bar where local
dates begin and where the offset changes.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len
from rich.text import Text

from ..argument import LocalTime
from ..errors import shortened
from ..explanation import hours_text
from ..instants import MINUTES_A_DAY, answer_text, day_text, offset_text, time_text
from .captions import name_text, weekday_text
from .cells import Shade, cells, covered
from .folding import flowed, folded
from .timeline import MOST_ROWS, Row, State, Timeline

_SIDE: Final = 10  # columns on either side of a bar
_LENGTHS: Final = (
    *(minutes for minutes in range(1, 61) if 60 % minutes == 0),
    *(minutes for minutes in range(61, MINUTES_A_DAY + 1) if MINUTES_A_DAY % minutes == 0),
    *(days * MINUTES_A_DAY for days in (2, 3, 5, 7, 10)),
)
_MONTHS: Final = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"
_HOURLY: Final = 8  # columns that an hour's label takes, the gap to the next included


class Signs(NamedTuple):
    """The characters of a picture: of each shade; of what is partly free, from a little to much."""

    shades: dict[Shade, str]
    partly: str
    valid: str
    midnight: str
    change: str
    answer: str
    proposed: str


UNICODE: Final = Signs(
    {
        Shade.FREE: "█",
        Shade.PARTLY_FREE: "▂▄▆",
        Shade.BUSY: "▒",
        Shade.OUTSIDE_HOURS: "·",
        Shade.DAY_OFF: "─",
    },
    partly="▂▄▆",
    valid="━",
    midnight="╷",
    change="◆",
    answer="▲",
    proposed="△",
)
ASCII: Final = Signs(
    {
        Shade.FREE: "#",
        Shade.PARTLY_FREE: "+",
        Shade.BUSY: "x",
        Shade.OUTSIDE_HOURS: ".",
        Shade.DAY_OFF: "-",
    },
    partly="+",
    valid="=",
    midnight="|",
    change="*",
    answer="^",
    proposed="?",
)

_STYLES: Final = {
    Shade.FREE: "green",
    Shade.PARTLY_FREE: "green",
    Shade.BUSY: "red",
    Shade.OUTSIDE_HOURS: "bright_black",
    Shade.DAY_OFF: "bright_black",
}
_ANSWER, _PROPOSED, _CHANGE, _NAME = "bold cyan", "bold yellow", "magenta", "bold"

_Mark = tuple[int, str, Sequence[str]]
"""A UTC minute, the sign of what is there, and its label in ever shorter forms."""


def legend(signs: Signs, width: int) -> Iterator[Text]:
    """Yield what the signs mean, in lines of at most `width` columns."""
    parts = [(sign, shade.value, _STYLES[shade]) for shade, sign in signs.shades.items()]
    parts += [
        (signs.valid, "valid start", "green"),
        (signs.midnight, "local midnight", ""),
        (signs.change, "offset change", _CHANGE),
    ]
    texts = [Text.assemble((sign, style), f" {what}") for sign, what, style in parts]
    yield from flowed(texts, width)


class Columns:
    """The part `[start, end)` of a timeline, in UTC minutes.

    Attributes:
        length: how many minutes a column stands for: as few as the width has room for.
    """

    def __init__(self, timeline: Timeline, start: int, end: int, width: int, signs: Signs) -> None:
        self._timeline = timeline
        self._start = start
        self._end = end
        self._width = width
        self._signs = signs
        room = width - 2 * _SIDE
        fitting = (n for n in _LENGTHS if -(-end // n) - start // n <= room)
        self.length = next(fitting, _LENGTHS[-1])
        self._part = (start, end, self.length)
        self._first = start // self.length  # the number of the first column
        self._columns = -(-end // self.length) - self._first

    @property
    def unit(self) -> str:
        """What a column stands for, in words."""
        units = ((MINUTES_A_DAY, "day"), (60, "hour"), (1, "minute"))
        minutes, name = next(unit for unit in units if self.length % unit[0] == 0)
        number = self.length // minutes
        return f"{number} {name}s" if number > 1 else f"one {name}"

    def lines(self) -> Iterator[Text]:
        """Yield the rows, below a scale of UTC."""
        yield self._framed("UTC", self._ruler(self._ticks()))
        for row in self._timeline.rows[:MOST_ROWS]:
            yield from self._row(row)
        yield from self._everyone()

    def _row(self, row: Row) -> Iterator[Text]:
        yield Text()
        heading = [
            Text(name_text(row), style=_NAME),
            Text(row.timezone),
            Text(hours_text(row.hours)),
        ]
        if cell_len(heading[0].plain) > self._width:
            yield from folded(heading.pop(0).plain, self._width, style=_NAME)
        yield from flowed(heading, self._width)
        first, last = row.local(self._start), row.local_end(self._end)
        marks: list[_Mark] = [
            (new.at, self._signs.midnight, self._labels(new.day))
            for new in row.new_dates
            if self._is_marked(new.day)
        ]
        marks += [
            (change.at, self._signs.change, [offset_text(change.after)]) for change in row.changes
        ]
        yield self._framed(_clock(first), self._ruler(marks), _clock(last))
        free = [(s.start, s.end) for s in row.stretches if s.state is State.FREE]
        bar = Text()
        for cell, share in zip(
            cells(row.stretches, *self._part), covered(free, *self._part), strict=True
        ):
            bar.append(self._sign(cell.shade, share), _STYLES[cell.shade])
        yield self._framed(offset_text(first.offset), bar, offset_text(last.offset))

    def _everyone(self) -> Iterator[Text]:
        timeline, signs = self._timeline, self._signs
        common, starts = Text(style=_STYLES[Shade.FREE]), Text(style=_STYLES[Shade.FREE])
        for share in covered(timeline.common, *self._part):
            shade = Shade.FREE if share == 1 else Shade.PARTLY_FREE
            common.append(self._sign(shade, share) if share else " ")
        for share in covered(timeline.valid, *self._part):
            starts.append(signs.valid if share else " ")
        yield Text()
        yield self._framed("everyone", common)
        yield self._framed("starts", starts)
        yield self._answer(timeline.answer, "answer", signs.answer, _ANSWER)
        verdict = timeline.verdict
        if verdict is not None and not verdict.correct:
            label = f"proposed {shortened(verdict.proposed.strip(), 40)}"
            yield self._answer(timeline.proposed, "proposed", signs.proposed, _PROPOSED, label)

    def _sign(self, shade: Shade, share: float) -> str:
        """Return the character of a column that is free for a share of its time."""
        partly = self._signs.partly
        if shade is Shade.PARTLY_FREE:
            return partly[int(share * len(partly))]
        return self._signs.shades[shade]

    def _answer(
        self, instant: int | None, what: str, sign: str, style: str, label: str = ""
    ) -> Text:
        """Return the line below the bars that points at an answer, or names it."""
        label = label or f"{what} {answer_text(instant)}"
        if instant is None:
            return Text.assemble(" " * _SIDE, (label, style))
        if not self._start <= instant < self._end:
            where = "before" if instant < self._start else "after"
            return Text.assemble(" " * _SIDE, (f"{label}, {where} this", style))
        column = _SIDE + instant // self.length - self._first
        if column + 2 + cell_len(label) <= self._width:
            return Text.assemble(" " * column, (f"{sign} {label}", style))
        return Text.assemble(" " * (column - 1 - cell_len(label)), (f"{label} {sign}", style))

    def _framed(self, left: str, middle: Text, right: str = "") -> Text:
        """Return a line of a picture: what stands left of a bar, the bar, what stands right."""
        middle.pad_right(self._columns - middle.cell_len)
        line = Text.assemble(f"{left:{_SIDE - 1}} ", middle, f" {right}")
        line.rstrip()
        return line

    def _ruler(self, marks: Iterable[_Mark]) -> Text:
        """Return signs at their columns, each followed by the longest of its labels that fits."""
        placed: dict[int, _Mark] = {}
        for mark in sorted(marks, key=lambda mark: (mark[1] == self._signs.change, mark[0])):
            if self._start <= mark[0] < self._end:
                placed[mark[0] // self.length - self._first] = mark  # a change, where there is one
        ends = [*sorted(placed)[1:], self._columns]
        line = Text()
        for column, following in zip(sorted(placed), ends, strict=False):
            _, sign, labels = placed[column]
            room = following - column - 1
            line.pad_right(column - line.cell_len)
            line.append(sign, _CHANGE if sign == self._signs.change else "")
            line.append(next((label for label in labels if len(label) <= room), ""))
        return line

    def _ticks(self) -> Iterator[_Mark]:
        """Yield the instants that the scale names: UTC days, or as many hours as there is room."""
        least = _HOURLY * self.length
        step = next((n for n in (60, 120, 180, 360, 720) if n >= least), MINUTES_A_DAY)
        for instant in range(-(-self._start // step) * step, self._end, step):
            day, minute = divmod(instant, MINUTES_A_DAY)
            if self._is_marked(day):
                labels = self._labels(day) if minute == 0 else [time_text(minute)]
                yield instant, self._signs.midnight, labels

    def _is_marked(self, day: int) -> bool:
        """Return whether there is room for a day: where it has one column, only months have."""
        return self.length < MINUTES_A_DAY or day_text(day).endswith("-01")

    def _labels(self, day: int) -> list[str]:
        date = day_text(day)
        if self.length < MINUTES_A_DAY:
            return [f"{weekday_text(day)} {date[5:]}", date[5:], date[8:]]
        return [date[:7], _MONTHS[4 * int(date[5:7]) - 4 :][:3]]


def _clock(local: LocalTime) -> str:
    return f"{weekday_text(local.day)} {time_text(local.minute)}"
