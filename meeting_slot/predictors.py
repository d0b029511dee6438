"""Predictors: advice learned from a part of what stands in the prompt, cross-validated.

Worlds are dealt into folds by their shape, so that a duplicate never trains for its twin, and each
fold is guessed from the others. A *clue* is one thing that worlds may share, such as the window's
weekday or the name of an attendee; what was right in the training worlds that share it is the
advice it gives.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final

from . import zones
from .advice import Advice, How, Row, most_frequent
from .instants import MINUTES_A_DAY, first_day_of, weekday_of, year_of

_SHIFTING: Final = ("America/New_York", "Europe/London")
"""The zones whose shifts a prompt's dates bring to mind."""

Clue = Callable[[Row], Iterable[Hashable]]
"""A part of what a predictor may see of a world: one value of it, or several."""


def _week_of_year(row: Row) -> int:
    return (row.window_start - first_day_of(year_of(row.window_start))) // 7


def _shift_days(row: Row) -> tuple[int, ...]:
    start, end = row.window_start, row.window_start + row.window_days
    return tuple(
        change.at // MINUTES_A_DAY - start
        for timezone in _SHIFTING
        for change in zones.changes(timezone, start * MINUTES_A_DAY, end * MINUTES_A_DAY)
    )


PROMPT_CLUES: Final[tuple[Clue, ...]] = (
    lambda row: [None],
    lambda row: [row.duration_minutes],
    lambda row: [row.window_days],
    lambda row: [weekday_of(row.window_start)],
    lambda row: [_week_of_year(row)],
    lambda row: [_shift_days(row)],
    lambda row: [(row.duration_minutes, row.window_days)],
    lambda row: [(weekday_of(row.window_start), row.window_days)],
    lambda row: [(weekday_of(row.window_start), row.duration_minutes, row.window_days)],
    lambda row: [row.window_start],
    lambda row: [(row.window_start, row.window_days)],
    lambda row: [(row.window_start, row.duration_minutes, row.window_days)],
)
"""Nothing; duration; days; weekday, week of the year; days of the well-known shifts; several."""

NAME_CLUES: Final[tuple[Clue, ...]] = (
    lambda row: [None],
    lambda row: [len(row.names)],
    lambda row: row.names,
    lambda row: [row.names[0]],
    lambda row: [row.names[-1]],
    lambda row: [tuple(sorted(row.names))],
    lambda row: [row.names],
)
"""Nothing; how many there are; each one; the first; the last; all; all in their order."""


def predictions(rows: Sequence[Row], clues: Iterable[Clue]) -> list[Advice]:
    """Return for each world the advice that its best clue gives in the other folds.

    A clue is trusted by `(k - 1) / (n + 1)`, where its most frequent advice was right in k of n
    training worlds: one coincidence counts nothing, a rare clue has to be nearly always right to
    be preferred to a frequent one, and where no clue is worth anything the answer is what is
    right most often. Of equals, the clue that comes first is taken; without any training world,
    `NONE`.
    """
    best = [(-1.0, Advice(How.NONE))] * len(rows)
    for clue in clues:
        sharing: defaultdict[Hashable, list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            for value in clue(row):
                sharing[value].append(place)
        for places in sharing.values():
            learned = _learned([rows[place] for place in places])
            for place in places:
                best[place] = max(best[place], learned[rows[place].fold], key=lambda pair: pair[0])
    return [advice for _, advice in best]


def _learned(rows: Sequence[Row]) -> dict[int, tuple[float, Advice]]:
    """Return for each fold the trust in what worlds that share a clue say in the other folds."""
    right = Counter(advice for row in rows for advice in row.right_advice())
    folds: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        folds[row.fold].append(row)
    learned = {}
    for fold, own in folds.items():
        others = right - Counter(advice for row in own for advice in row.right_advice())
        if others:
            advice = most_frequent(others)
            learned[fold] = (others[advice] - 1) / (len(rows) - len(own) + 1), advice
        else:
            learned[fold] = -1.0, Advice(How.NONE)
    return learned
