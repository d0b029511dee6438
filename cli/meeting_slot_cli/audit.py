"""`meeting-slot audit`: what splits hold, how hard they are, how far shortcuts get on them."""

import sys
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import click

from meeting_slot.files import Row, UniqueIds, world_of_row
from meeting_slot.jobs import Workers

from .printing import jobs_option, print_json, print_line, wrong_record

if TYPE_CHECKING:
    from meeting_slot.features import Features


@click.command("audit")
@click.argument("splits", nargs=-1, required=True, metavar="SPLIT...")
@jobs_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a split.")
@click.option("--html", metavar="FILE", help="Write the audit as a page, over an old one.")
def command(splits: tuple[str, ...], jobs: int, as_json: bool, html: str | None) -> None:
    """Measure splits: hardness, load, shortcuts, guesses, leaks.

    Every policy of the panel and some guesses that read nothing are scored on
    the worlds. A world that occurs twice, in a split or in two, is found even
    if names and the order of attendees differ. Recorded answers are not
    trusted: one that differs is named in a warning.
    """
    from meeting_slot.audit import audit_features

    with Workers(partial(_measured, with_line=html is not None), jobs) as workers:
        found = audit_features((split, _read(split, workers)) for split in splits)
    if html is not None:
        from meeting_slot.pictures.audit_page import audit_page
        from meeting_slot.writing import write_text

        write_text(audit_page(found), html)
    if as_json:
        for split in found.splits:
            print_json(split.to_json())
        return
    from .audit_tables import print_audit

    print_audit(found)


class _Measured(NamedTuple):
    """A world's id and features, and the warning of a wrong recorded answer."""

    world_id: str
    features: "Features"
    warning: str | None


def _measured(row: Row, with_line: bool) -> _Measured:
    from meeting_slot.features import features

    world = world_of_row(row)
    found = features(world, with_line=with_line)
    return _Measured(found.id, found, wrong_record(world, found.answer))


def _read(split: str, workers: Workers[_Measured]) -> "Iterator[Features]":
    """Yield the features of a split's worlds; show how many on a terminal."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from meeting_slot.errors import printable
    from meeting_slot.named import rows_of

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
        ids = UniqueIds()
        for row, measured in workers.each(rows_of(split)):
            ids.add(measured.world_id, row)
            if measured.warning is not None:
                print_line(measured.warning, err=True)
            yield measured.features
            progress.advance(task)
