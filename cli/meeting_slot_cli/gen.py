"""`meeting-slot gen`: worlds made to a wish."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from .printing import print_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from meeting_slot.cpsat.wishes import Target
    from meeting_slot.world import World


@click.command("gen")
@click.option("--count", type=click.IntRange(1), default=1, show_default=True, help="Worlds.")
@click.option("--seed", default="42", show_default=True, help="Any text; same text, same bytes.")
@click.option("--answer", metavar="START|none", help="The wanted answer.")
@click.option(
    "--starts",
    type=click.Choice(["exactly-one", "any"]),
    help="How many starts are valid.  [default: any]",
)
@click.option(
    "--stretches", type=int, metavar="K", help="So many separate valid stretches, at least."
)
@click.option(
    "--dst",
    type=click.Choice(["spring-after", "spring-across", "fall-repeated"]),
    help="The answer is up to 24 h after a forward shift, across one, or in a repeated hour.",
)
@click.option(
    "--target-hardness",
    type=float,
    metavar="H",
    help="Share of the 12 core policies that answer wrong, 0 to 1.",
)
@click.option("--defeat", multiple=True, metavar="POLICY", help="It answers wrong.  [repeatable]")
@click.option("--isolate", metavar="POLICY", help="It is the only core policy that answers wrong.")
@click.option(
    "--load-bearing",
    type=click.Choice(["all", "any"]),
    help="Removing anyone changes the answer.  [default: all from hardness 0.5 on]",
)
@click.option("--load", type=click.Choice(["S", "M", "L"]), help="Calls to read all: 15, 35, more.")
@click.option("--decoys", type=int, metavar="K", help="Near misses before the answer.")
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
def command(count: int, seed: str, out: str, force: bool, **wishes: Any) -> None:
    """Make worlds with a wanted answer and hardness.

    CP-SAT chooses the busy calendars, the sweep-line confirms every world.
    Without a wish about answer, starts or policies, the worlds are the default
    mix: 40 % easy, 35 % medium, 25 % hard, and NONE in every tenth.
    """
    from meeting_slot.mixes import EVAL_NONE, default_mix, one_wish
    from meeting_slot.splits import generate
    from meeting_slot.writing import write_split

    mixed = all(wishes[name] in (None, ()) for name in _WISHES)
    mix = default_mix(EVAL_NONE) if mixed else one_wish
    worlds = _shown(generate(_target(**wishes), count, seed, mix=mix), count)
    if out == "-":
        for world in worlds:
            print_line(world.to_line())
    else:
        write_split(worlds, out, force=force)


# Options that leave no room for the default mix.
_WISHES = (
    *("answer", "starts", "stretches", "dst"),
    *("target_hardness", "defeat", "isolate", "load_bearing", "load", "decoys"),
)


def _target(
    *,
    answer: str | None,
    starts: str | None,
    stretches: int | None,
    dst: str | None,
    target_hardness: float | None,
    defeat: tuple[str, ...],
    isolate: str | None,
    load_bearing: str | None,
    load: str | None,
    decoys: int | None,
    attendees: int | None,
    days: int | None,
    duration: int | None,
    zones: str,
    years: str,
) -> Target:
    from meeting_slot.cpsat import wish_texts, wishes
    from meeting_slot.panel import Size

    return wishes.Target(
        answer=None if answer is None else wish_texts.answer_wish(answer),
        starts=wishes.Starts(starts or "any"),
        stretches=1 if stretches is None else stretches,
        dst=None if dst is None else wishes.Dst(dst),
        attendees=attendees,
        window_days=days,
        duration_minutes=duration,
        zones=wish_texts.zones_wish(zones),
        years=wish_texts.years_wish(years),
        hardness=None if target_hardness is None else wish_texts.hardness_wish(target_hardness),
        defeat=defeat,
        isolate=isolate,
        load_bearing=None if load_bearing is None else load_bearing == "all",
        load=None if load is None else Size(load),
        near_misses=0 if decoys is None else decoys,
    )


def _shown(worlds: Iterable[World], count: int) -> Iterator[World]:
    """Show a progress bar on a terminal."""
    if not sys.stderr.isatty():
        return iter(worlds)
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    def tracked() -> Iterator[World]:
        columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True)) as progress:
            yield from progress.track(worlds, total=count, description="worlds")

    return tracked()
