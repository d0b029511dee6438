"""`meeting-slot report`: what runs of any model show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .printing import print_json
from .progress import tracked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from meeting_slot.report.run_file import Line


@click.command("report")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--html", metavar="FILE", help="Write the report as a page, over an old one.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object a run and one of comparisons."
)
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    metavar="N",
    help="Show so many of the worst rollouts.",
)
@click.option("--force", is_flag=True, help="Compare runs on other worlds or with other prompts.")
def command(
    runs: tuple[str, ...], html: str | None, as_json: bool, worst: int, force: bool
) -> None:
    """Show what runs of vf-eval on meeting-slot say of a model.

    RUN is traces.jsonl or results.jsonl, or the folder of one run. Every
    rollout is scored anew. Several runs are compared with the first, paired
    by world.
    """
    from meeting_slot.report.comparison import compare
    from meeting_slot.report.played import read_run
    from meeting_slot.report.run_file import run_file
    from meeting_slot.report.run_report import run_report

    if html is not None:
        from meeting_slot.pictures.saving import check_place, save
        from meeting_slot.report.page import report_page

        check_place(html)

    def watch(lines: Iterable[Line]) -> Iterator[Line]:
        return tracked(lines, "rollouts")

    files = [run_file(run) for run in runs]
    played = [read_run(file, watch) for file in files]
    comparisons = compare(played, force=force)
    reports = [run_report(run, worst) for run in played]
    if html is not None:
        save(report_page(reports, comparisons), html)
    if as_json:
        for report in reports:
            print_json(report.to_json())
        if comparisons:
            print_json({"comparisons": [comparison.to_json() for comparison in comparisons]})
        return

    from .report_tables import print_reports

    print_reports(reports, comparisons)
