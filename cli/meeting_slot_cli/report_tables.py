"""The tables of a report, in 80 columns."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.console import Console, RenderableType
from rich.table import Table

from meeting_slot.errors import printable
from meeting_slot.panel import Band, Size
from meeting_slot.policies import CORE
from meeting_slot.report.clustered import Estimate
from meeting_slot.report.comparison import Comparison
from meeting_slot.report.misconceptions import Misconceptions, PolicyMatches
from meeting_slot.report.run_report import Cell, RunReport
from meeting_slot.report.texts import (
    fit_text,
    hints,
    title,
)
from meeting_slot.report.worst import Worst

from .tables import plain_console, plain_table, right

_NOTHING: Final = "-"
_CONDUCT: Final = {
    "tool_calls": "tool calls",
    "repeated_calls": "  asked before",
    "tool_errors": "  answered with an error",
    "calls_per_floor": "calls / floor",
    "turns": "turns",
    "evidence": "evidence read",
    "proved": "answer proved",
    "exact_unproven": "right, but not proved",
    "input_tokens": "tokens sent",
    "output_tokens": "tokens generated",
    "seconds": "seconds",
}
_SHARES: Final = ("evidence", "proved", "exact_unproven")


def print_reports(reports: Sequence[RunReport], comparisons: Sequence[Comparison]) -> None:
    """Print the tables of each run, and then the comparisons."""
    with plain_console() as console:
        for report in reports:
            console.print(title(report), style="bold")
            for hint in hints(report):
                console.print(hint)
            for heading, parts in _sections(report):
                _print_section(console, heading, parts)
            console.print()
        for comparison in comparisons:
            _print_section(console, "Difference between two runs", _comparison(comparison))


def _print_section(console: Console, heading: str, parts: Sequence[RenderableType]) -> None:
    console.print(f"\n{heading}", style="bold")
    for part in parts:
        console.print(part)


def _sections(report: RunReport) -> Iterator[tuple[str, list[RenderableType]]]:
    yield "How rollouts ended", [_endings(report)]
    yield "Score, with 95 % intervals clustered by world", [_terms(report.terms)]
    yield (
        "By hardness and load (S up to 15 calls, M up to 35, L above)",
        [_grid(report.grid)],
    )
    yield "Exact answers, fitted (logit)", [f" {fit_text(fit)}" for fit in report.fits]
    if report.passes:
        yield "Several rollouts a world, in %, with standard errors", [_passes(report)]
    yield "What the model did", [_conduct(report)]
    yield (
        f"Misconceptions behind {report.misconceptions.wrong} wrong answers",
        _misconceptions(report.misconceptions),
    )
    if report.worst:
        yield "Worst rollouts: wrong on the easiest worlds", [_worst(report.worst)]


def _endings(report: RunReport) -> Table:
    table = plain_table(*right("rollouts", "share"), "ended with")
    for ending, count in report.endings.items():
        if count:
            table.add_row(str(count), _percent(count / report.rollouts), ending.value)
    for cause, count in report.causes.items():
        table.add_row("", "", f"  {count} not valid: {cause}")
    for error, count in report.errors.items():
        table.add_row("", "", f"  {count} x {printable(error)}")
    return table


def _terms(terms: Mapping[str, Estimate | None]) -> Table:
    table = plain_table("", *right("mean", "95 % interval", "SE", "rollouts", "worlds"))
    for term, found in terms.items():
        if found is None:
            table.add_row(term, *[_NOTHING] * 5)
            continue
        scale = 1 if term in ("reward", "partial") else 100
        table.add_row(
            f"{term} in %" if scale == 100 else term,
            _number(found.mean, scale),
            _interval(found, scale),
            _NOTHING if found.error is None else _number(found.error, scale),
            str(found.values),
            str(found.clusters),
        )
    return table


def _grid(grid: Sequence[Cell]) -> Table:
    cells = {(cell.band, cell.size): cell for cell in grid}
    table = plain_table("", "hardness", *right("all", *(size.value for size in Size)))
    for measure in ("exact in %", "95 % interval", "partial", "format in %", "rollouts"):
        for band in (None, *Band):
            shown = [_cell_text(measure, cells[band, size]) for size in (None, *Size)]
            heading = measure if band is None else ""
            table.add_row(heading, "all" if band is None else band.value, *shown)
        table.add_section()
    return table


def _cell_text(measure: str, cell: Cell) -> str:
    if measure == "rollouts":
        return str(cell.rollouts)
    found = {"partial": cell.partial, "format in %": cell.format}.get(measure, cell.exact)
    if found is None:
        return _NOTHING
    if measure == "95 % interval":
        return _interval(found, 100)
    return _number(found.mean, 1 if measure == "partial" else 100)


def _passes(report: RunReport) -> Table:
    table = plain_table(*right("k", "pass@k", "SE", "pass^k", "SE", "worlds"))
    for one in report.passes:
        cells = [
            _NOTHING if x is None else _number(x, 100)
            for found in (one.at, one.all)
            for x in (found.mean, found.error)
        ]
        table.add_row(str(one.k), *cells, str(one.at.values))
    table.caption = "pass@k = 1 - C(n-c,k) / C(n,k); pass^k = C(c,k) / C(n,k)"
    table.caption_justify = "left"
    return table


def _conduct(report: RunReport) -> Table:
    table = plain_table("a rollout", *right("mean", "median", "least", "most"))
    for measure, name in _CONDUCT.items():
        if (found := report.conduct.get(measure)) is None:
            continue
        if measure in _SHARES:
            table.add_row(f"{name}, in %", _number(found.mean, 100), "", "", "")
            continue
        shown = (found.mean, found.median, found.least, found.most)
        table.add_row(name, *(_count(value) for value in shown))
    return table


def _misconceptions(found: Misconceptions) -> list[RenderableType]:
    if not found.wrong:
        return [" no answer is wrong"]
    core = {policy.name for policy in CORE}
    table = plain_table("policy", *right("matched", "of", "alone", "share", "by chance"))
    for one in sorted(found.policies, key=lambda one: (one.policy not in core, -one.share)):
        if one.policy in core:
            _add_matches(table, one)
    table.add_section()
    for one in sorted(found.policies, key=lambda one: -one.share):
        if one.policy not in core and one.share > 0:
            _add_matches(table, one)
    return [
        table,
        f" {found.core} are a core policy's ({found.core_alone} of one alone), {found.others} "
        f"another policy's only,",
        f" {found.unexplained} are nobody's ({found.near_misses} of them in a near miss)",
        " share: ties divided; below the line, of the answers that are no core policy's",
        " by chance: matches if the wrong answers were dealt to the other worlds",
    ]


def _add_matches(table: Table, one: PolicyMatches) -> None:
    chance = _NOTHING if one.by_chance is None else f"{one.by_chance:.1f}"
    counts = (str(one.matched), str(one.wrong), str(one.alone), f"{one.share:.1f}")
    table.add_row(one.policy, *counts, chance)


def _worst(worst: Sequence[Worst]) -> Table:
    table = Table.grid(padding=(0, 2))
    for one in worst:
        table.add_row(f" line {one.line}", f"{printable(one.id)}, hardness {one.core_failed}/12")
        given = one.given or "no answer"
        table.add_row("", f"gave {given}, right is {one.right}")
        for reason in one.reasons:
            table.add_row("", printable(reason))
        if named := [*one.core, *one.others]:
            table.add_row("", f"as: {', '.join(named)}")
        table.add_row("", f"{one.calls} calls; the smallest proof takes {one.floor}")
    return table


def _comparison(found: Comparison) -> list[RenderableType]:
    table = plain_table(
        "", *right("first", "second", "difference", "95 % interval", "could be told")
    )
    for one in found.differences:
        scale = 100 if one.measure in ("exact", "format") else 1
        table.add_row(
            f"{one.measure} in %" if scale == 100 else one.measure,
            _number(one.first, scale),
            _number(one.second, scale),
            f"{one.difference.mean * scale:+.{1 if scale == 100 else 3}f}",
            _interval(one.difference, scale),
            _NOTHING if one.smallest_told is None else _number(one.smallest_told, scale),
        )
    lines: list[RenderableType] = [
        f" first:  {found.first}",
        f" second: {found.second}",
        f" paired on {found.worlds} worlds, each counted once",
    ]
    if found.left_out:
        lines.append(f" {found.left_out} worlds are not scored in both runs, and left out")
    if not found.same_prompts:
        lines.append(" the system prompts differ")
    return [*lines, table, " could be told: (1.96 + 0.84) x SE, at 5 % and a power of 80 %"]


def _interval(found: Estimate, scale: int) -> str:
    if found.low is None or found.high is None:
        return _NOTHING
    return f"{_number(found.low, scale)} to {_number(found.high, scale)}"


def _number(value: float, scale: int) -> str:
    return f"{value * scale:.{1 if scale == 100 else 3}f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}"
