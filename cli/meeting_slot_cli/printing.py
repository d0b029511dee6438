"""What several commands print alike."""

import json
import sys
from typing import Any

import click

from meeting_slot.errors import printable, shortened
from meeting_slot.world import World


def print_line(text: str, *, err: bool = False) -> None:
    """Print one line; control characters, which a world's text may hold, are shown escaped."""
    # sys.stderr as it is now: a progress bar may have put itself in front of it.
    click.echo(printable(text), file=sys.stderr if err else None)


def print_json(row: dict[str, Any]) -> None:
    """Print one JSON object on a line of its own."""
    click.echo(printable(json.dumps(row, ensure_ascii=False)))


def warn_of_wrong_record(world: World) -> None:
    """Print a warning, on one line, where the answer that a world's file records is wrong."""
    from meeting_slot.verdict import StaleRecord, verify_recorded

    try:
        verdict = verify_recorded(world)
    except StaleRecord as stale:
        print_line(f"warning: {stale}", err=True)
        return
    if verdict is not None and not verdict.correct:
        print_line(
            f"warning: {world.id}: the recorded answer {shortened(verdict.proposed.strip())} "
            f"is wrong, it is {verdict.answer}",
            err=True,
        )
