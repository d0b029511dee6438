"""`meeting-slot demo`: the whole story in under a minute, on worlds it has just made."""

from collections.abc import Iterable, Sequence

import click

from meeting_slot.world import World

from .printing import print_line


@click.command("demo")
def command() -> None:
    """Solve, make and verify worlds, and run two scripted models."""
    from meeting_slot.cpsat.wishes import Dst, Starts, Target
    from meeting_slot.curated import curated_worlds
    from meeting_slot.instants import instant_text
    from meeting_slot.splits import generate
    from meeting_slot.sweep import earliest_start

    curated = curated_worlds()
    _print_table(f"{len(curated)} curated worlds, solved by the UTC sweep-line", curated)
    by_id = {world.id: world for world in curated}
    weekend = by_id["weekend_skip_dst"]
    _print_verdict(weekend, "2024-03-11T13:00:00Z", "both are back on Monday, after the shift")
    _print_verdict(weekend, "2024-03-11T14:00:00Z", "New York's winter offset, kept on")
    _print_verdict(weekend, "2024-03-10T13:00:00Z", "the day of the shift, a Sunday")
    _print_verdict(by_id["three_person_busy"], "2024-06-10T13:00:00Z", "the third calendar unread")
    _print_verdict(by_id["sydney_ny_none"], "none", "no hour of the day suits both")

    def made(dst: Dst) -> World:
        target = Target(dst=dst, starts=Starts.EXACTLY_ONE, attendees=3, window_days=5)
        return next(generate(target, 1, "demo"))

    worlds = [made(dst) for dst in Dst]
    worlds += generate(Target(answer="NONE", attendees=4, window_days=5), 1, "demo")
    print_line("")
    _print_table("4 worlds made just now by CP-SAT, each with one valid start or none", worlds)
    for world, dst in zip(worlds, Dst, strict=False):
        answer = earliest_start(world)
        assert answer is not None
        _print_verdict(
            world, instant_text(answer), f"{dst.value}, found by the sweep and by CP-SAT"
        )
        _print_verdict(world, instant_text(answer - 60), "the same an hour early")
    print_line("")
    _print_evaluation(worlds)


def _print_table(title: str, worlds: Iterable[World]) -> None:
    from rich.console import Console
    from rich.table import Table

    from meeting_slot.cpsat.earliest import agreed_earliest_start
    from meeting_slot.instants import answer_text

    table = Table(title=title)
    for heading in ("world", "people", "days", "minutes", "answer (sweep = CP-SAT)"):
        table.add_column(heading)
    for world in worlds:
        table.add_row(
            world.id[:24],
            str(len(world.attendees)),
            str(world.request.window_days),
            str(world.request.duration_minutes),
            answer_text(agreed_earliest_start(world)),
        )
    console = Console()
    with console.capture() as capture:  # so that click meets a reader that has gone, not rich
        console.print(table)
    click.echo(capture.get(), nl=False)


def _print_evaluation(worlds: Sequence[World]) -> None:
    from meeting_slot.environment.runs import Settings, evaluate

    from .results_table import print_results, watched

    names = ("gold", "naive")
    results = list(watched(evaluate(names, Settings(worlds=worlds)), names))
    print_results(results, "the same 4 worlds through vf-eval, with scripted models")


def _print_verdict(world: World, proposed: str, story: str) -> None:
    from meeting_slot.verdict import verify

    print_line(f"{world.id[:24]}: {story}")
    for line in verify(world, proposed).lines():
        print_line(f"  {line}")
