"""What policies scored as models, as a table; and a sign of life while they run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from meeting_slot.errors import printable

from .printing import print_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from meeting_slot.environment.results import PolicyResult


def print_results(results: Sequence[PolicyResult], title: str) -> None:
    """Print one row a policy, and below the table whose rollouts were cut short."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(printable(title)))
    table.add_column("policy")
    for heading in ("reward", "exact", "format", "partial", "calls", "turns"):
        table.add_column(heading, justify="right")
    for result in results:
        scores = (result.reward, result.exact, result.format, result.partial)
        means = (f"{result.calls:.1f}", f"{result.turns:.1f}")
        table.add_row(result.policy, *(f"{score:.3f}" for score in scores), *means)
    console = Console()
    with console.capture() as capture:  # so that click meets a reader that has gone, not rich
        console.print(table)
    click.echo(capture.get(), nl=False)
    for result in results:
        if cut := round(result.truncated * result.rollouts):
            ended = f"{cut} of {result.rollouts} rollouts ended at a limit, as of turns"
            print_line(f"{result.policy}: {ended}")


def watched(results: Iterable[PolicyResult], names: Sequence[str]) -> Iterator[PolicyResult]:
    """Yield results as they come; on a terminal, show which policy is running."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("vf-eval {task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, disable=not sys.stderr.isatty(), transient=True
    ) as progress:
        task = progress.add_task(names[0], total=len(names))
        for done, result in enumerate(results, 1):
            yield result
            progress.update(task, advance=1, description=names[min(done, len(names) - 1)])
