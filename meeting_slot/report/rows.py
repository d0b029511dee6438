"""The tables of a report as text, the same on the terminal and on the page."""

from collections.abc import Sequence
from typing import Final

import msgspec

from ..measures import Band, Size
from ..policies import CORE
from .clustered import Estimate
from .comparison import Comparison
from .misconceptions import Misconceptions
from .played import Ending
from .run_report import Cell, RunReport
from .texts import named, title

NOTHING: Final = "-"
"""What is shown where there is nothing to count."""
_IN_PERCENT: Final = ("exact", "format")
_CONDUCT: Final = {
    "tool_calls": "tool calls",
    "repeated_calls": "· asked before",
    "tool_errors": "· answered with an error",
    "calls_per_floor": "calls / floor",
    "turns": "turns",
    "evidence": "evidence read, in %",
    "proved": "answer proved, in %",
    "exact_unproven": "right, but not proved, in %",
    "truncated": "cut short at a limit, in %",
    "input_tokens": "tokens sent",
    "output_tokens": "tokens generated",
    "seconds": "seconds",
}
"""What is shown of a rollout's conduct. Sent tokens are those of all calls together."""


class Rows(msgspec.Struct, frozen=True):
    """A table.

    Attributes:
        header: the names of the columns.
        rows: the cells.
        words: the columns, from 0, that hold words; the others hold numbers.
        breaks: the rows, from 0, after which there is a rule.
    """

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    words: tuple[int, ...] = (0,)
    breaks: tuple[int, ...] = ()


def overview(reports: Sequence[RunReport]) -> Rows:
    """Return a row a run."""
    rows = []
    for report in reports:
        exact = report.terms["exact"]
        calls = report.conduct.get("calls_per_floor")
        rows.append(
            (
                title(report),
                _mean(exact, "exact"),
                NOTHING if exact is None else interval(exact, "exact"),
                _mean(report.terms["format"], "format"),
                NOTHING if calls is None else f"{calls.mean:.2f}",
                str(report.scored),
                str(report.rollouts - report.scored),
            )
        )
    header = ("run", "exact %", "95 %", "format %", "x floor", "scored", "errors")
    return Rows(header, rows)


def ending_rows(report: RunReport) -> Rows:
    """Return how rollouts ended, what is wrong with starts, and the errors."""
    rows = []
    for ending, count in report.endings.items():
        if not count:
            continue
        rows.append((str(count), _percent(count / report.rollouts), ending.value))
        within = {Ending.NOT_VALID: report.causes, Ending.ERROR: report.errors}.get(ending, {})
        for what, times in sorted(within.items(), key=lambda each: -each[1]):
            rows.append(("", "", f"· {times} x {what}"))
    return Rows(("rollouts", "share", "ended with"), rows, words=(2,))


def term_rows(report: RunReport) -> Rows:
    """Return each term of the score with its interval."""
    rows = []
    for term, found in report.terms.items():
        if found is None:
            rows.append((_label(term), *[NOTHING] * 5))
            continue
        error = NOTHING if found.error is None else number(found.error, term)
        counts = (str(found.values), str(found.clusters))
        shown = (number(found.mean, term), interval(found, term), error)
        rows.append((_label(term), *shown, *counts))
    return Rows(("", "mean", "95 % interval", "SE", "rollouts", "worlds"), rows)


def grid_rows(grid: Sequence[Cell]) -> Rows:
    """Return the grid of hardness and load: exact with its interval, partial, format, counts."""
    cells = {(cell.band, cell.size): cell for cell in grid}
    measures = ("exact, in %", "95 % interval", "partial", "format, in %", "rollouts", "worlds")
    bands = (None, *Band)
    rows = [
        (
            "" if band else measure,
            band.value if band else "all",
            *(_cell_text(measure, cells[band, size]) for size in (None, *Size)),
        )
        for measure in measures
        for band in bands
    ]
    breaks = tuple(range(len(bands) - 1, len(rows) - 1, len(bands)))
    header = ("", "hardness", "all", *(size.value for size in Size))
    return Rows(header, rows, words=(0, 1), breaks=breaks)


def pass_rows(report: RunReport) -> Rows:
    """Return pass@k and pass^k in %, with standard errors."""
    rows = []
    for one in report.passes:
        cells = [
            NOTHING if x is None else number(x, "exact")
            for found in (one.at, one.all)
            for x in (found.mean, found.error)
        ]
        rows.append((str(one.k), *cells, str(one.at.values)))
    return Rows(("k", "pass@k", "SE", "pass^k", "SE", "worlds"), rows, words=())


def conduct_rows(report: RunReport) -> Rows:
    """Return what the model did: mean, median, least and most; of shares the mean."""
    rows: list[tuple[str, ...]] = []
    for measure, shown in _CONDUCT.items():
        if (found := report.conduct.get(measure)) is None:
            continue
        if shown.endswith("in %"):
            rows.append((shown, f"{100 * found.mean:.1f}", "", "", ""))
            continue
        values = (found.mean, found.median, found.least, found.most)
        rows.append((shown, *map(_count, values)))
    return Rows(("a rollout", "mean", "median", "least", "most"), rows)


def match_rows(found: Misconceptions) -> Rows:
    """Return which policies give the wrong answers: the core, and below it who else does."""
    core = {policy.name for policy in CORE}
    shown = sorted(
        (one for one in found.policies if one.policy in core or one.share > 0),
        key=lambda one: (one.policy not in core, -one.share),
    )
    rows = [
        (
            one.policy,
            str(one.matched),
            str(one.wrong),
            str(one.alone),
            f"{one.share:.1f}",
            NOTHING if one.by_chance is None else f"{one.by_chance:.1f}",
        )
        for one in shown
    ]
    breaks = (len(core) - 1,) if len(rows) > len(core) else ()
    header = ("policy", "matched", "of", "alone", "share", "by chance")
    return Rows(header, rows, breaks=breaks)


def comparison_rows(found: Comparison) -> Rows:
    """Return the difference of each measure."""
    rows = [
        (
            _label(one.measure),
            number(one.first, one.measure),
            number(one.second, one.measure),
            number(one.difference.mean, one.measure, sign=True),
            interval(one.difference, one.measure),
            NOTHING if one.smallest_told is None else number(one.smallest_told, one.measure),
        )
        for one in found.differences
    ]
    header = ("", "first", "second", "difference", "95 % interval", "least told")
    return Rows(header, rows)


def compared(found: Comparison) -> str:
    """Return the title of a comparison."""
    first, second = map(named, found.models)
    return f"{second} against {first}"


def interval(found: Estimate, measure: str) -> str:
    """Return an estimate's interval as text, in % where the measure is."""
    if found.low is None or found.high is None:
        return NOTHING
    return f"[{number(found.low, measure)}, {number(found.high, measure)}]"


def number(value: float, measure: str, *, sign: bool = False) -> str:
    """Return a value of a measure as text: a share of right or well-formed answers in %."""
    text = f"{100 * value:+.1f}" if measure in _IN_PERCENT else f"{value:+.3f}"
    return text if sign else text.removeprefix("+")


def _label(measure: str) -> str:
    shown = _CONDUCT.get(measure, measure)
    return f"{shown}, in %" if measure in _IN_PERCENT else shown


def _mean(found: Estimate | None, measure: str) -> str:
    return NOTHING if found is None else number(found.mean, measure)


def _cell_text(measure: str, cell: Cell) -> str:
    match measure:
        case "rollouts":
            return str(cell.rollouts)
        case "worlds":
            return str(cell.worlds)
        case "partial":
            return _mean(cell.partial, "partial")
        case "format, in %":
            return _mean(cell.format, "format")
        case "exact, in %":
            return _mean(cell.exact, "exact")
    return NOTHING if cell.exact is None else interval(cell.exact, "exact")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}"
