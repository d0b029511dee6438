"""The tables of a report, in 80 columns."""

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Column, Table

from meeting_slot.report.comparison import Comparison
from meeting_slot.report.rows import (
    Rows,
    compared,
    comparison_rows,
    conduct_rows,
    ending_rows,
    grid_rows,
    match_rows,
    overview,
    pass_rows,
    term_rows,
)
from meeting_slot.report.run_report import RunReport
from meeting_slot.report.texts import (
    MATCHES,
    PASSES,
    TOLD,
    comparison_lines,
    explained,
    fit_text,
    hints,
    title,
    worst_lines,
)
from meeting_slot.report.worst import Worst

from .tables import plain_console, plain_table, right


def print_reports(reports: Sequence[RunReport], comparisons: Sequence[Comparison]) -> None:
    """Print the tables of each run, and then how they compare."""
    with plain_console() as console:
        for report in reports:
            console.print(title(report), style="bold")
            console.print(report.run, soft_wrap=True)
            for hint in hints(report):
                console.print(hint)
            for heading, parts in _sections(report):
                _print_section(console, heading, parts)
            console.print()
        if len(reports) > 1:
            _print_section(console, "Side by side", [_table(overview(reports))])
        for one in comparisons:
            heading = f"Difference: {compared(one)}"
            parts = [*_lines(comparison_lines(one)), _table(comparison_rows(one)), *_lines([TOLD])]
            _print_section(console, heading, parts)


def _print_section(console: Console, heading: str, parts: Sequence[RenderableType]) -> None:
    console.print(f"\n{heading}", style="bold")
    for part in parts:
        console.print(part)


def _sections(report: RunReport) -> Iterator[tuple[str, list[RenderableType]]]:
    found = report.misconceptions
    yield "How rollouts ended", [_table(ending_rows(report))]
    yield "Score, with 95 % intervals clustered by world", [_table(term_rows(report))]
    yield (
        "By hardness and load (S up to 15 calls, M up to 35, L above)",
        [_table(grid_rows(report.grid))],
    )
    yield "Exact answers, logistic fits by world", _lines(map(fit_text, report.fits))
    if report.passes:
        yield (
            "Several rollouts a world, in %, with standard errors",
            [_table(pass_rows(report)), *_lines([PASSES])],
        )
    yield "What the model did", [_table(conduct_rows(report))]
    matches = [_table(match_rows(found)), *_lines(MATCHES)] if found.wrong else []
    yield "Misconceptions behind wrong answers", [*_lines(explained(found)), *matches]
    if report.worst:
        yield "Worst rollouts, on the easiest worlds first", [_worst(report.worst)]


def _table(found: Rows) -> Table:
    table = plain_table(
        *(
            Column(heading, overflow="fold") if place in found.words else right(heading)[0]
            for place, heading in enumerate(found.header)
        )
    )
    for place, row in enumerate(found.rows):
        table.add_row(*row, end_section=place in found.breaks)
    return table


def _lines(texts: Iterable[str]) -> list[RenderableType]:
    """Return lines that are set in from the edge, where they are wrapped, too."""
    return [Padding(text, (0, 0, 0, 1)) for text in texts]


def _worst(worst: Sequence[Worst]) -> Table:
    table = Table.grid(padding=(0, 1))
    for one in worst:
        table.add_row(f" line {one.line}", one.id)
        for line in worst_lines(one):
            table.add_row("", line)
    return table
