"""What several commands ask for and print alike."""

import json
import sys
from typing import Any, Final

import click

from meeting_slot.errors import printable, shortened
from meeting_slot.world import World

jobs_option: Final = click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes to use; they change nothing but the time.",
)
"""The option of every command that works through many worlds."""

id_option: Final = click.option(
    "--id", "world_id", metavar="ID", help="Pick this world of a file of several."
)
"""The option of every command that is about one world."""


def print_line(text: str, *, err: bool = False) -> None:
    """Print one line; control characters, which a world's text may hold, are shown escaped."""
    # The streams as they are now: a progress bar may have put itself in front of one.
    stream = sys.stderr if err else sys.stdout
    stream.write(f"{printable(text)}\n")
    stream.flush()  # somebody may be waiting for it


def print_json(row: dict[str, Any]) -> None:
    """Print one JSON object on a line of its own."""
    print_line(json.dumps(row, ensure_ascii=False))


def wrong_record(world: World, earliest: int | None) -> str | None:
    """Return a warning where the answer that a world's file records is wrong, or stale.

    Args:
        world: the world.
        earliest: its answer, a UTC minute or None for NONE.
    """
    from meeting_slot.verdict import StaleRecord, verdict_on_record

    try:
        recorded = verdict_on_record(world, earliest)
    except StaleRecord as stale:
        return f"warning: {stale}"
    if recorded is None or recorded.correct:
        return None
    return (
        f"warning: {world.id}: the recorded answer {shortened(recorded.proposed.strip())} "
        f"is wrong, it is {recorded.answer}"
    )


def warn_of_record(world: World) -> None:
    """Warn in one line where the answer that a world's file records is wrong, or stale."""
    from meeting_slot.sweep import earliest_start

    if (warning := wrong_record(world, earliest_start(world))) is not None:
        print_line(warning, err=True)
