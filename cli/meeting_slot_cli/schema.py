"""`meeting-slot schema`: the format of a world file, for other programs."""

import json

import click


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of a world file."""
    from meeting_slot.schema import world_schema

    click.echo(json.dumps(world_schema(), indent=2, ensure_ascii=False))
