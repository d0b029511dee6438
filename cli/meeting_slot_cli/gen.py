"""`meeting-slot gen`: worlds made to a wish."""

import sys
from collections.abc import Iterable, Iterator

import click

from .printing import print_line


@click.command("gen")
@click.option("--count", type=click.IntRange(1), default=1, show_default=True, help="Worlds.")
@click.option("--seed", default="42", show_default=True, help="Any text; same text, same bytes.")
@click.option("--answer", metavar="START|none", help="The wanted answer.")
@click.option(
    "--starts",
    type=click.Choice(["exactly-one", "any"]),
    default="any",
    show_default=True,
    help="How many starts are valid.",
)
@click.option("--stretches", type=int, default=1, help="At least so many separate valid stretches.")
@click.option(
    "--dst",
    type=click.Choice(["spring-after", "spring-across", "fall-repeated"]),
    help="The answer is up to 24 h after a forward shift, across one, or in a repeated hour.",
)
@click.option("--attendees", type=int, help="People.  [default: 2 to 5]")
@click.option("--days", type=int, help="Days of the window.  [default: up to 14]")
@click.option("--duration", type=int, help="Minutes of the meeting.  [default: 15 to 90]")
@click.option(
    "--zones",
    default="common",
    show_default=True,
    metavar="all|common|LIST",
    help="IANA names, separated by commas.",
)
@click.option("--years", default="2019-2025", show_default=True, help="A year, or first-last.")
@click.option("--out", default="-", metavar="FILE", help="JSONL.  [default: standard output]")
@click.option("--force", is_flag=True, help="Overwrite FILE.")
def command(
    count: int,
    seed: str,
    answer: str | None,
    starts: str,
    stretches: int,
    dst: str | None,
    attendees: int | None,
    days: int | None,
    duration: int | None,
    zones: str,
    years: str,
    out: str,
    force: bool,
) -> None:
    """Make worlds with a wanted answer.

    CP-SAT chooses the busy calendars, the sweep-line confirms every world.
    """
    from meeting_slot.cpsat.wishes import Dst, Starts, Target, answer_wish, years_wish, zones_wish
    from meeting_slot.splits import generate, write_split
    from meeting_slot.world import World

    target = Target(
        answer=None if answer is None else answer_wish(answer),
        starts=Starts(starts),
        stretches=stretches,
        dst=None if dst is None else Dst(dst),
        attendees=attendees,
        window_days=days,
        duration_minutes=duration,
        zones=zones_wish(zones),
        years=years_wish(years),
    )

    def shown(worlds: Iterable[World]) -> Iterator[World]:
        """Show a progress bar on a terminal."""
        from rich.console import Console
        from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

        console = Console(stderr=True)
        columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, disable=not sys.stderr.isatty()) as progress:
            yield from progress.track(worlds, total=count, description="worlds")

    worlds = shown(generate(target, count, seed))
    if out == "-":
        for world in worlds:
            print_line(world.to_line())
    else:
        write_split(worlds, out, force=force)
