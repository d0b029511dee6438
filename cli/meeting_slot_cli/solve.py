"""`meeting-slot solve`: the answer of each world."""

import json
from functools import partial
from typing import NamedTuple

import click

from meeting_slot import sweep
from meeting_slot.files import Row, UniqueIds, world_of_row
from meeting_slot.jobs import Workers
from meeting_slot.named import rows_of
from meeting_slot.solving import Solver, solve

from .printing import jobs_option, print_line, wrong_record


@click.command("solve")
@click.argument("worlds", nargs=-1, required=True, metavar="WORLDS...")
@click.option(
    "--solver",
    type=click.Choice([one.value for one in Solver]),
    default=Solver.SWEEP.value,
    show_default=True,
    help="The sweep-line, the CP-SAT model, or both, which must agree.",
)
@jobs_option
@click.option("--json", "as_json", is_flag=True, help='Print {"id", "answer"} objects.')
def command(worlds: tuple[str, ...], solver: str, jobs: int, as_json: bool) -> None:
    """Print each world's answer, then its id.

    The answer is the earliest valid start in UTC, or NONE. A recorded answer
    is not trusted: one that differs is named in a warning.
    """
    with Workers(partial(_solved, solver=solver, as_json=as_json), jobs) as workers:
        for path in worlds:
            ids = UniqueIds()
            for row, solved in workers.each(rows_of(path)):
                ids.add(solved.world_id, row)
                print_line(solved.line)
                if solved.warning is not None:
                    print_line(solved.warning, err=True)


class _Solved(NamedTuple):
    """A world's id, the line of its answer, and the warning of a wrong recorded one."""

    world_id: str
    line: str
    warning: str | None


def _solved(row: Row, solver: str, as_json: bool) -> _Solved:
    world = world_of_row(row)
    world_id = world.id
    answer = solve(world, Solver(solver))
    line = (
        json.dumps({"id": world_id, "answer": answer}, ensure_ascii=False)
        if as_json
        else f"{answer} {world_id}"
    )
    warning = None
    if world.recorded is not None and world.recorded != answer:
        warning = wrong_record(world, sweep.earliest_start(world))
    return _Solved(world_id, line, warning)
