"""`meeting-slot export`: a split as a table for `datasets`."""

from collections.abc import Iterator

import click

from .printing import print_line, warn_of_record
from .progress import tracked


@click.command("export")
@click.argument("split")
@click.option(
    "--out",
    required=True,
    metavar="FILE",
    help="The table; its name ends in .parquet or .jsonl.gz.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE.  [default: refuse]")
def command(split: str, out: str, force: bool) -> None:
    """Write a split as a table for the library datasets.

    FILE is Parquet or compressed JSONL; load_dataset("parquet",
    data_files=FILE), or "json", reads it. Columns: id; world, the JSON text
    of a world file, without answer and meta; answer; hardness, in twelfths;
    band; load_calls; load_size; attendees; days. Everything is computed:
    a recorded answer that differs is named in a warning. In JSONL an answer
    has a fraction of a second, .000Z, or it would be read as a timestamp.
    """
    from meeting_slot.exporting import export
    from meeting_slot.named import worlds_of
    from meeting_slot.world import World

    def worlds() -> Iterator[World]:
        for world in tracked(worlds_of(split), "worlds"):
            warn_of_record(world)
            yield world

    count = export(worlds(), out, force=force)
    print_line(f"{out}: {count} world{'' if count == 1 else 's'}", err=True)
