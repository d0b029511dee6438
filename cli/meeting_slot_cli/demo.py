"""`meeting-slot demo`: the whole story in under a minute."""

import click

from .printing import print_line


@click.command("demo")
def command() -> None:
    """Solve the curated worlds, and verify right and wrong answers on them."""
    from rich.console import Console
    from rich.table import Table

    from meeting_slot.curated import curated_worlds
    from meeting_slot.instants import answer_text
    from meeting_slot.sweep import earliest_start
    from meeting_slot.verdict import verify

    worlds = curated_worlds()
    table = Table(title=f"{len(worlds)} curated worlds, solved by the UTC sweep-line")
    for heading in ("world", "attendees", "days", "earliest start (UTC)", "as recorded"):
        table.add_column(heading)
    for world in worlds:
        answer = answer_text(earliest_start(world))
        table.add_row(
            world.id,
            str(len(world.attendees)),
            str(world.request.window_days),
            answer,
            "yes" if answer == world.recorded else f"no: {world.recorded}",
        )
    Console().print(table)

    by_id = {world.id: world for world in worlds}
    for world_id, proposed, story in (
        ("weekend_skip_dst", "2024-03-11T13:00:00Z", "both are back on Monday, after the shift"),
        ("weekend_skip_dst", "2024-03-11T14:00:00Z", "New York's winter offset, kept on"),
        ("weekend_skip_dst", "2024-03-10T13:00:00Z", "the day of the shift, a Sunday"),
        ("three_person_busy", "2024-06-10T13:00:00Z", "only the first two calendars read"),
        ("sydney_ny_none", "none", "no hour of the day suits both"),
    ):
        print_line(f"\n{world_id}, {proposed}: {story}".lstrip())
        for line in verify(by_id[world_id], proposed).lines():
            print_line(f"  {line}")
