"""`meeting-slot audit`: what splits hold, how hard they are, how far shortcuts get on them."""

import sys
from collections.abc import Iterator

import click

from meeting_slot.world import World

from .printing import print_json, warn_of_record


@click.command("audit")
@click.argument("splits", nargs=-1, required=True, metavar="SPLIT...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a split.")
def command(splits: tuple[str, ...], as_json: bool) -> None:
    """Measure splits: hardness, load, shortcuts, guesses, leaks.

    Every policy of the panel and some guesses that read nothing are scored on
    the worlds. A world that occurs twice, in a split or in two, is found even
    if names and the order of attendees differ. Recorded answers are not
    trusted: one that differs is named in a warning.
    """
    from meeting_slot.audit import audit

    found = audit((split, _read(split)) for split in splits)
    if as_json:
        for split in found.splits:
            print_json(split.to_json())
        return
    from .audit_tables import print_audit

    print_audit(found)


def _read(split: str) -> Iterator[World]:
    """Yield a split's worlds; show how many on a terminal."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from meeting_slot.errors import printable
    from meeting_slot.named import worlds_of

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed} worlds"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, disable=not sys.stderr.isatty(), transient=True
    ) as progress:
        task = progress.add_task(escape(printable(split)), total=None)
        for world in worlds_of(split):
            warn_of_record(world)
            yield world
            progress.advance(task)
