"""`meeting-slot verify`: is a proposed answer right, and if not, why?"""

from collections.abc import Callable, Iterable

import click

from meeting_slot.errors import MeetingSlotError, quoted
from meeting_slot.files import read_answers, read_world, read_worlds
from meeting_slot.verdict import StaleRecord, Verdict, verify, verify_recorded
from meeting_slot.world import World

from .printing import print_json, print_line


@click.command("verify")
@click.argument("worlds")
@click.argument("answer", required=False)
@click.option(
    "--answers",
    "answers_file",
    metavar="FILE",
    help='JSONL of {"id", "answer"}, a row for each world.',
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a world.")
@click.pass_context
def command(
    ctx: click.Context, worlds: str, answer: str | None, answers_file: str | None, as_json: bool
) -> None:
    """Check proposed answers, and say why a wrong one is wrong.

    ANSWER is for a file of one world: an instant such as
    2024-03-11T13:00:00Z (any offset; without one it is UTC), or NONE. Without
    ANSWER and --answers, each world's recorded answer is checked; then wrong
    ones are printed, and a count.
    """
    if answer is not None and answers_file is not None:
        raise click.UsageError("ANSWER and --answers exclude each other")
    if worlds == answers_file == "-":
        raise click.UsageError("WORLDS and --answers cannot both be standard input")
    report = _Report(as_json, only_wrong=answer is None)
    if answer is not None:
        report.check([read_world(worlds)], lambda _: answer)
    elif answers_file is not None:
        answers = read_answers(answers_file)
        report.check(read_worlds(worlds), lambda world: _row_for(world, answers))
        if answers:
            raise MeetingSlotError(
                f"{answers_file}: no world has the id {quoted(next(iter(answers)), limit=128)}"
                + (f", nor {len(answers) - 1} more ids" if len(answers) > 1 else "")
            )
    else:
        report.check(read_worlds(worlds), _recorded)
    report.close()
    ctx.exit(report.status)


def _row_for(world: World, answers: dict[str, str]) -> str:
    """Take a world's row out of the answers, so that those left over are known at the end."""
    try:
        return answers.pop(world.id)
    except KeyError:
        raise MeetingSlotError(f"{world.id}: no row in --answers") from None


def _recorded(world: World) -> str:
    if world.recorded is None:
        raise MeetingSlotError(f"{world.id}: no recorded answer to check, and none was given")
    return world.recorded


class _Report:
    """Prints verdicts, and keeps the count and the exit status."""

    def __init__(self, as_json: bool, only_wrong: bool) -> None:
        self.status = 0
        self._as_json = as_json
        self._only_wrong = only_wrong
        self._checked = 0
        self._correct = 0

    def check(self, worlds: Iterable[World], proposal: Callable[[World], str]) -> None:
        for world in worlds:
            proposed = proposal(world)
            try:
                recorded = verify_recorded(world)
            except StaleRecord as stale:
                print_line(f"meeting-slot: error: {stale}", err=True)
                self.status = 2
                if proposed == world.recorded:
                    continue
                recorded = None
            self._add(world, verify(world, proposed))
            if recorded is not None and not recorded.correct and proposed != recorded.proposed:
                print_line(
                    f"warning: {world.id}: the recorded answer {recorded.proposed} is wrong",
                    err=True,
                )
                self.status = max(self.status, 1)

    def _add(self, world: World, verdict: Verdict) -> None:
        self._checked += 1
        self._correct += verdict.correct
        if not verdict.correct:
            self.status = max(self.status, 1)
        if self._as_json:
            print_json({"id": world.id, **verdict.to_json()})
        elif not verdict.correct or not self._only_wrong:
            first, *others = verdict.lines()
            print_line(f"{first} {world.id}")
            for line in others:
                print_line(line)

    def close(self) -> None:
        if self._only_wrong and not self._as_json:
            print_line(f"{self._correct} of {self._checked} correct")
