"""`meeting-slot verify`: is a proposed answer right, and if not, why?"""

import json
import os
from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

import click

from meeting_slot.errors import MeetingSlotError, quoted, shortened
from meeting_slot.files import Row, UniqueIds, read_answers, world_of_row
from meeting_slot.jobs import Workers
from meeting_slot.named import picked_world, rows_of
from meeting_slot.sweep import earliest_start
from meeting_slot.verdict import StaleRecord, Verdict, verdict_on, verdict_on_record
from meeting_slot.world import World

from .printing import id_option, jobs_option, print_line


@click.command("verify")
@click.argument("worlds")
@click.argument("answer", required=False)
@click.option(
    "--answers",
    "answers_file",
    metavar="FILE",
    help='JSONL of {"id", "answer"}, a row for each world.',
)
@id_option
@jobs_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a world.")
@click.pass_context
def command(
    ctx: click.Context,
    worlds: str,
    answer: str | None,
    answers_file: str | None,
    world_id: str | None,
    jobs: int,
    as_json: bool,
) -> None:
    """Check proposed answers, and say why a wrong one is wrong.

    ANSWER is for one world: an instant such as 2024-03-11T13:00:00Z (any
    offset; without one it is UTC), or NONE. Without ANSWER and --answers, each
    world's recorded answer is checked; then wrong ones are printed, and a
    count.

    If WORLDS.manifest.json stands beside it, the file has to be as it was
    written; otherwise nothing is checked, and the exit status is 2.
    """
    if answer is not None and answers_file is not None:
        raise click.UsageError("ANSWER and --answers exclude each other")
    if world_id is not None and answer is None:
        raise click.UsageError("--id picks the world of an ANSWER, and there is none")
    if worlds == answers_file == "-":
        raise click.UsageError("WORLDS and --answers cannot both be standard input")
    if worlds != "-" and os.path.lexists(f"{os.path.realpath(worlds)}.manifest.json"):
        from meeting_slot.manifest import check_unchanged  # as long to load as to verify a world

        check_unchanged(worlds)
    total = _Total()
    if answer is not None:
        total.add(_checked(picked_world(worlds, world_id), answer, as_json))
        ctx.exit(total.status)
    if answers_file is not None:
        answers = read_answers(answers_file)
        work = partial(_check_proposal, answers=answers, file=answers_file, as_json=as_json)
    else:
        answers = {}
        work = partial(_check_record, file=worlds, as_json=as_json)
    ids = UniqueIds()
    with Workers(work, jobs) as workers:
        for row, checked in workers.each(rows_of(worlds)):
            ids.add(checked.world_id, row)
            total.add(checked)
    if unknown := [world_id for world_id in answers if world_id not in ids]:
        raise MeetingSlotError(
            f"{answers_file}: no world has the id {quoted(unknown[0], limit=128)}"
            + (f", nor {len(unknown) - 1} more ids" if len(unknown) > 1 else "")
        )
    if not as_json:
        print_line(f"{total.correct} of {total.checked} correct")
    ctx.exit(total.status)


class _Checked(NamedTuple):
    """What is to be said of one world.

    Attributes:
        world_id: its id.
        correct: whether the answer is right; None where it is stale, and does not count.
        lines: the verdict.
        said: what is wrong with the recorded answer, if that is not the verdict's subject.
        status: the exit status that it calls for.
    """

    world_id: str
    correct: bool | None
    lines: tuple[str, ...] = ()
    said: str | None = None
    status: int = 0


class _Total:
    """Prints what is said of each world, and keeps the counts and the exit status."""

    def __init__(self) -> None:
        self.status = 0
        self.checked = 0
        self.correct = 0

    def add(self, checked: _Checked) -> None:
        self.checked += checked.correct is not None
        self.correct += bool(checked.correct)
        self.status = max(self.status, checked.status)
        for line in checked.lines:
            print_line(line)
        if checked.said is not None:
            print_line(checked.said, err=True)


def _check_proposal(row: Row, answers: Mapping[str, str], file: str, as_json: bool) -> _Checked:
    """Check a row's world against the proposal of its id."""
    world = world_of_row(row)
    world_id = world.id
    if world_id not in answers:
        raise MeetingSlotError(f"{file}: no row for world {quoted(world_id, limit=128)}")
    return _checked(world, answers[world_id], as_json, only_wrong=True)


def _check_record(row: Row, file: str, as_json: bool) -> _Checked:
    """Check the answer that a row's world records."""
    world = world_of_row(row)
    if world.recorded is None:
        raise MeetingSlotError(
            f"{file}: world {quoted(world.id, limit=128)} has no recorded answer to check, "
            "and none was given"
        )
    try:
        verdict = verdict_on_record(world, earliest_start(world))
    except StaleRecord as stale:
        return _Checked(world.id, None, said=_error(stale), status=2)
    assert verdict is not None
    lines = tuple(_lines(world, verdict, as_json, only_wrong=True))
    return _Checked(world.id, verdict.correct, lines, status=0 if verdict.correct else 1)


def _checked(world: World, proposed: str, as_json: bool, only_wrong: bool = False) -> _Checked:
    """Check a proposal; a recorded answer that is wrong is told as well."""
    earliest = earliest_start(world)
    said, status = None, 0
    try:
        recorded = verdict_on_record(world, earliest)
        if recorded is not None and not recorded.correct and proposed != recorded.proposed:
            text = shortened(recorded.proposed.strip())
            said, status = f"warning: {world.id}: the recorded answer {text} is wrong", 1
    except StaleRecord as stale:
        said, status = _error(stale), 2
    verdict = verdict_on(world, proposed, earliest)
    lines = tuple(_lines(world, verdict, as_json, only_wrong))
    status = max(status, 0 if verdict.correct else 1)
    return _Checked(world.id, verdict.correct, lines, said, status)


def _error(stale: StaleRecord) -> str:
    return f"meeting-slot: error: {stale}"


def _lines(world: World, verdict: Verdict, as_json: bool, only_wrong: bool) -> Iterator[str]:
    """Yield the lines of a verdict: none for a right one of many."""
    policies = []
    if not verdict.correct:
        from meeting_slot.measures import diagnosis  # a right answer needs none

        policies = diagnosis(world, verdict)
    if as_json:
        names = [policy.name for policy in policies]
        row = {"id": world.id, **verdict.to_json(), "policies": names}
        yield json.dumps(row, ensure_ascii=False)
    elif not verdict.correct or not only_wrong:
        first, *others = verdict.lines()
        yield f"{first} {world.id}"
        yield from others
        if policies:
            yield "  it is the answer of someone who"
        for policy in policies:
            yield from _wrapped(f"{policy.misconception} ({policy.name})")


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(
        text,
        80,
        initial_indent="    - ",
        subsequent_indent="      ",
        break_on_hyphens=False,
    )
