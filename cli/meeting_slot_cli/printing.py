"""What several commands print alike."""

import json
from typing import Any

import click

from meeting_slot.errors import printable


def print_line(text: str, *, err: bool = False) -> None:
    """Print one line; control characters, which a world's text may hold, are shown escaped."""
    click.echo(printable(text), err=err)


def print_json(row: dict[str, Any]) -> None:
    """Print one JSON object on a line of its own."""
    click.echo(printable(json.dumps(row, ensure_ascii=False)))
