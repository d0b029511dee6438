"""The progress bar of long work: on a terminal, none in a pipe."""

import sys
from collections.abc import Generator, Iterable
from typing import TypeVar

_Item = TypeVar("_Item")


def tracked(
    items: Iterable[_Item], description: str, total: int | None = None, done: int = 0
) -> Generator[_Item, None, None]:
    """Yield items, and show on a terminal how many, how fast, and the time left.

    Args:
        items: what is still to be done.
        description: what they are.
        total: how many there are with those that were done before, if that is known.
        done: how many were done before.
    """
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:.1f}/s")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(description, total=total, completed=done)
        for item in items:
            yield item
            progress.advance(task)
