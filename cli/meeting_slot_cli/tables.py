"""Tables of figures: no frame, numbers to the right, plain where it is no terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich import box
from rich.console import Console
from rich.table import Column, Table


@contextmanager
def plain_console() -> Iterator[Console]:
    """Give a console whose lines are printed to standard output when the block ends."""
    console = Console(markup=False, highlight=False, emoji=False)
    with console.capture() as captured:
        yield console
    for line in captured.get().splitlines():
        click.echo(line.rstrip(), color=True)  # rich has left colour out where it does not belong


def plain_table(*columns: str | Column) -> Table:
    """Return an empty table; a text is the heading of a column that is wrapped where it must."""
    return Table(
        *(Column(c, overflow="fold") if isinstance(c, str) else c for c in columns),
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 0, 0, 1),
    )


def right(*headings: str) -> list[Column]:
    """Return columns of numbers."""
    return [Column(heading, justify="right", no_wrap=True) for heading in headings]
