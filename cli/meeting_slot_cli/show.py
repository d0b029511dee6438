"""`meeting-slot show`: a timeline of a world, in the terminal, as SVG or as a page."""

from typing import TYPE_CHECKING

import click

from .printing import id_option, warn_of_record

if TYPE_CHECKING:
    from meeting_slot.pictures.timeline import Timeline


@click.command("show")
@click.argument("world_file", metavar="WORLD")
@click.argument("answer", required=False)
@id_option
@click.option(
    "--around",
    metavar="INSTANT",
    help="Show only the hours around an instant, or around the answer: ANSWER.",
)
@click.option(
    "--attendee",
    "names",
    multiple=True,
    metavar="NAME",
    help="Show this attendee only; may be given several times.",
)
@click.option("--width", type=click.IntRange(60, 1000), help="Columns; else the terminal's.")
@click.option("--svg", metavar="FILE", help="Write the picture, over an old one.")
@click.option("--html", metavar="FILE", help="Write a page, over an old one.")
@click.pass_context
def command(
    ctx: click.Context,
    world_file: str,
    answer: str | None,
    world_id: str | None,
    around: str | None,
    names: tuple[str, ...],
    width: int | None,
    svg: str | None,
    html: str | None,
) -> None:
    """Draw who is free when, and why not, with the answer.

    Each attendee has a row: free, busy, outside hours and days off in UTC,
    local midnights, changes of offset, and what the clock shows at both ends.
    ANSWER, a proposed one, is marked as well, with the reason if it is wrong;
    the exit status is then 1. With --svg or --html nothing is printed.
    """
    from meeting_slot.named import picked_world
    from meeting_slot.pictures.timeline import instant_around, timeline

    world = picked_world(world_file, world_id)
    centre = None if around is None else instant_around(world, around)
    found = timeline(world, answer, around=centre, names=names)
    if svg is not None or html is not None:
        from meeting_slot.pictures.saving import save
    if svg is not None:
        from meeting_slot.pictures.chart import chart_svg

        save(chart_svg(found), svg)
    if html is not None:
        from meeting_slot.pictures.world_page import world_page

        save(world_page(world, answer, around=centre, names=names), html)
    if svg is None and html is None:
        _print(found, width)
    warn_of_record(world)
    if found.verdict is not None and not found.verdict.correct:
        ctx.exit(1)


def _print(found: "Timeline", width: int | None) -> None:
    """Print a timeline to standard output, plain where it is no terminal."""
    from rich.console import Console

    from meeting_slot.pictures.terminal import print_timeline

    console = Console(markup=False, highlight=False, emoji=False, width=width)
    with console.capture() as captured:
        print_timeline(found, console)
    for line in captured.get().splitlines():
        click.echo(line, color=True)  # rich has left colour out where it does not belong
