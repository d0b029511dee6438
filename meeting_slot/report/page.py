"""The report as a page: figures of each run, comparisons, and the worst rollouts as they talked."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from ..measures import Band, Size
from ..pictures.chart import CHART_WIDTH, chart_notes, chart_spec
from ..pictures.page import Block, Figure, Folded, Paragraph, Section, Table, Verbatim, page_html
from ..pictures.plots import Cell as Square
from ..pictures.plots import columns, heat
from ..pictures.timeline import timeline
from ..world import World
from .charts import differences_figure, fit_figure, matches_figure
from .comparison import Comparison
from .rows import (
    NOTHING,
    Rows,
    compared,
    comparison_rows,
    conduct_rows,
    ending_rows,
    grid_rows,
    interval,
    match_rows,
    number,
    overview,
    pass_rows,
    term_rows,
)
from .run_report import QUARTERS, STEP, Cell, RunReport
from .texts import (
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
from .transcript_text import transcript_text
from .worst import Worst

_MOST_QUARTERS: Final = 40
"""Ten times the floor of calls, in quarters: what is above shares the last column."""


def report_page(reports: Sequence[RunReport], comparisons: Sequence[Comparison]) -> str:
    """Return the page of some runs, a whole HTML document.

    Raises:
        MeetingSlotError: the extra `report` is not installed.
    """
    names = [title(report) for report in reports]
    sections = []
    if len(reports) > 1:
        sections.append(Section("Side by side", _side_by_side(reports, comparisons)))
    for name, report in zip(names, reports, strict=True):
        for heading, blocks in _sections(report):
            shown = f"{name}: {heading}" if len(reports) > 1 else heading
            sections.append(Section(shown, blocks))
    return page_html(
        f"Report of {', '.join(names)}",
        sections,
        lead="Every rollout is scored anew from its world and its conversation. Hardness counts "
        "the core policies, shortcuts with one misconception each, that answer wrong on a world; "
        "load counts the tool calls that read everything.",
    )


def _side_by_side(reports: Sequence[RunReport], comparisons: Sequence[Comparison]) -> list[Block]:
    blocks: list[Block] = [_table(overview(reports), "Exact answers with 95 % intervals.")]
    if comparisons:
        blocks.append(differences_figure([compared(one) for one in comparisons], comparisons))
    for one in comparisons:
        about = "; ".join((*comparison_lines(one), TOLD))
        blocks += [Paragraph(f"{compared(one)}: {about}."), _table(comparison_rows(one), "")]
    return blocks


def _sections(report: RunReport) -> Iterator[tuple[str, list[Block]]]:
    yield "Summary", _summary(report)
    if not report.scored:
        return
    yield "Success by hardness and load", _success(report)
    yield "Misconceptions behind wrong answers", _misconceptions(report)
    yield "What the model did", _conduct(report)
    if report.worst:
        yield "Worst rollouts, on the easiest worlds first", [_worst(one) for one in report.worst]


def _summary(report: RunReport) -> list[Block]:
    blocks: list[Block] = [
        Paragraph(f"{report.run}: {'; '.join(hints(report))}."),
        _table(ending_rows(report), "How rollouts ended; no rate counts those with an error."),
        _table(term_rows(report), "The score, with 95 % intervals clustered by world."),
    ]
    if report.passes:
        caption = f"Several rollouts a world, in %, with standard errors. {PASSES}."
        blocks.append(_table(pass_rows(report), caption))
    return blocks


def _success(report: RunReport) -> list[Block]:
    on_hardness, on_load, _ = report.fits
    return [
        _grid(report.grid),
        Folded(
            "Intervals, partial answers, format and counts",
            [_table(grid_rows(report.grid), "By band of hardness and size of load.")],
        ),
        fit_figure(
            {float(failed): share for failed, share in report.by_hardness.items()},
            on_hardness,
            of="hardness: core policies that fail on the world",
            caption=f"Logistic fit {fit_text(on_hardness)}. Bars are 95 % intervals.",
        ),
        fit_figure(
            {first + (STEP - 1) / 2: share for first, share in report.by_load.items()},
            on_load,
            of="load: calls to read everything",
            caption=f"Logistic fit {fit_text(on_load)}. {STEP} numbers of calls share a point.",
        ),
        Paragraph(f"Logistic fit {fit_text(report.fits[-1])}."),
    ]


def _grid(grid: Sequence[Cell]) -> Figure:
    cells: dict[str, dict[str, Square]] = {"all": {}, **{band.value: {} for band in Band}}
    for cell in grid:
        row = cell.band.value if cell.band else "all"
        cells[row][cell.size.value if cell.size else "all"] = _square(cell)
    sizes = ("all", *(size.value for size in Size))
    return heat(
        {row: {size: line[size] for size in sizes} for row, line in cells.items()},
        rows="hardness",
        across="load",
        caption="Exact answers in %, with the number of rollouts. Hardness: easy up to 4 of 12, "
        "medium up to 8, hard above. Load: S up to 15 calls, M up to 35, L above.",
    )


def _square(cell: Cell) -> Square:
    if cell.exact is None:
        return Square(None, NOTHING, "no rollouts")
    return Square(
        cell.exact.mean,
        f"{number(cell.exact.mean, 'exact')} ({cell.rollouts})",
        f"exact {interval(cell.exact, 'exact')} %, {cell.rollouts} rollouts of {cell.worlds} "
        "worlds",
    )


def _misconceptions(report: RunReport) -> list[Block]:
    found = report.misconceptions
    lines: list[Block] = [Paragraph(f"{'; '.join(explained(found))}.")]
    if not found.wrong:
        return lines
    by_name = {one.policy: one for one in found.policies}
    table = match_rows(found)
    shown = [by_name[row[0]] for row in table.rows]
    caption = (
        "Wrong answers that each policy gives; the mark is how many it would match by chance. "
        "First the core, then whoever explains what no core policy does."
    )
    legend = Paragraph(f"{'; '.join(MATCHES)}.")
    return [*lines, matches_figure(shown, caption), _table(table, ""), legend]


def _conduct(report: RunReport) -> list[Block]:
    quarters: Counter[int] = Counter()
    for ratio, rollouts in report.call_ratios.items():
        quarters[min(round(ratio * QUARTERS), _MOST_QUARTERS)] += rollouts
    shown = range(min(quarters, default=0), max(quarters, default=-1) + 1)
    return [
        columns(
            {f"{quarter / QUARTERS:g}": quarters[quarter] for quarter in shown},
            of="tool calls / floor, from",
            count="rollouts",
            caption="Tool calls as a multiple of the floor, the fewest that prove the answer for "
            "somebody who knows it; in steps of a quarter, ten times the floor and more together.",
        ),
        _table(conduct_rows(report), "Tokens sent are those of all calls to the model together."),
    ]


def _worst(one: Worst) -> Folded:
    first, *others = worst_lines(one)
    return Folded(
        f"{one.id}: {first}",
        [
            Verbatim("\n".join((f"line {one.line} of the run's file", *others))),
            _timeline(one.world, one.proposed),
            Folded("Transcript", [Verbatim(transcript_text(one.messages))]),
        ],
    )


def _timeline(world: World, proposed: str | None) -> Figure:
    """Return a world's timeline; a proposed answer is marked."""
    found = timeline(world, proposed)
    told = ("Who is free when: hover for UTC and local time.", *chart_notes(found))
    return Figure(chart_spec(found), " ".join(told), CHART_WIDTH)


def _table(rows: Rows, caption: str) -> Table:
    return Table(rows.header, rows.rows, caption)
