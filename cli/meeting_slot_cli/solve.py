"""`meeting-slot solve`: the answer of each world."""

from collections.abc import Callable

import click

from meeting_slot.world import World

from .printing import print_json, print_line, warn_of_record


@click.command("solve")
@click.argument("worlds", nargs=-1, required=True, metavar="WORLDS...")
@click.option(
    "--solver",
    type=click.Choice(["sweep", "cp-sat", "both"]),
    default="sweep",
    show_default=True,
    help="The sweep-line, the CP-SAT model, or both, which must agree.",
)
@click.option("--json", "as_json", is_flag=True, help='Print {"id", "answer"} objects.')
def command(worlds: tuple[str, ...], solver: str, as_json: bool) -> None:
    """Print each world's answer, then its id.

    The answer is the earliest valid start in UTC, or NONE. A recorded answer
    is not trusted: one that differs is named in a warning.
    """
    from meeting_slot.instants import answer_text
    from meeting_slot.named import worlds_of

    earliest_start = _solver(solver)
    for path in worlds:
        for world in worlds_of(path):
            answer = answer_text(earliest_start(world))
            if as_json:
                print_json({"id": world.id, "answer": answer})
            else:
                print_line(f"{answer} {world.id}")
            warn_of_record(world)


def _solver(name: str) -> Callable[[World], int | None]:
    from meeting_slot import sweep

    if name == "sweep":
        return sweep.earliest_start
    from meeting_slot.cpsat import earliest

    return earliest.earliest_start if name == "cp-sat" else earliest.agreed_earliest_start
