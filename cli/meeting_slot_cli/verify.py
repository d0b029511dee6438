"""`meeting-slot verify`: is a proposed answer right, and if not, why?"""

import textwrap
from collections.abc import Callable, Iterable

import click

from meeting_slot.errors import MeetingSlotError, quoted, shortened
from meeting_slot.files import read_answers, the_one_world
from meeting_slot.manifest import check_unchanged
from meeting_slot.named import is_name, worlds_of
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

    If WORLDS.manifest.json stands beside it, the file has to be as it was
    written; otherwise nothing is checked, and the exit status is 2.
    """
    if answer is not None and answers_file is not None:
        raise click.UsageError("ANSWER and --answers exclude each other")
    if worlds == answers_file == "-":
        raise click.UsageError("WORLDS and --answers cannot both be standard input")
    if worlds != "-" and not is_name(worlds):
        check_unchanged(worlds)
    report = _Report(as_json, only_wrong=answer is None)
    if answer is not None:
        report.check([the_one_world(worlds_of(worlds), worlds)], lambda _: answer)
    elif answers_file is not None:
        answers = read_answers(answers_file)

        def row_of(world: World) -> str:
            """Take a world's row out of the answers, so that those left over are known."""
            if world.id not in answers:
                raise MeetingSlotError(
                    f"{answers_file}: no row for world {quoted(world.id, limit=128)}"
                )
            return answers.pop(world.id)

        report.check(worlds_of(worlds), row_of)
        if answers:
            raise MeetingSlotError(
                f"{answers_file}: no world has the id {quoted(next(iter(answers)), limit=128)}"
                + (f", nor {len(answers) - 1} more ids" if len(answers) > 1 else "")
            )
    else:
        report.check_recorded(worlds_of(worlds), worlds)
    report.close()
    ctx.exit(report.status)


class _Report:
    """Prints verdicts, and keeps the count and the exit status."""

    def __init__(self, as_json: bool, only_wrong: bool) -> None:
        self.status = 0
        self._as_json = as_json
        self._only_wrong = only_wrong
        self._checked = 0
        self._correct = 0

    def check(self, worlds: Iterable[World], proposal: Callable[[World], str]) -> None:
        """Check a proposal for each world; a recorded answer that is wrong is told as well."""
        for world in worlds:
            proposed = proposal(world)
            recorded = self._recorded(world)
            self._add(world, verify(world, proposed))
            if recorded is not None and not recorded.correct and proposed != recorded.proposed:
                self.status = max(self.status, 1)
                print_line(
                    f"warning: {world.id}: the recorded answer "
                    f"{shortened(recorded.proposed.strip())} is wrong",
                    err=True,
                )

    def check_recorded(self, worlds: Iterable[World], path: str) -> None:
        """Check the answer that each world's file records."""
        for world in worlds:
            if world.recorded is None:
                raise MeetingSlotError(
                    f"{path}: world {quoted(world.id, limit=128)} has no recorded answer to check, "
                    "and none was given"
                )
            if (recorded := self._recorded(world)) is not None:
                self._add(world, recorded)

    def close(self) -> None:
        """Print the count, where only wrong answers were printed."""
        if self._only_wrong and not self._as_json:
            print_line(f"{self._correct} of {self._checked} correct")

    def _recorded(self, world: World) -> Verdict | None:
        try:
            return verify_recorded(world)
        except StaleRecord as stale:
            print_line(f"meeting-slot: error: {stale}", err=True)
            self.status = 2
            return None

    def _add(self, world: World, verdict: Verdict) -> None:
        self._checked += 1
        self._correct += verdict.correct
        policies = []
        if not verdict.correct:
            from meeting_slot.panel import diagnosis  # a right answer needs none

            self.status = max(self.status, 1)
            policies = diagnosis(world, verdict)
        if self._as_json:
            names = [policy.name for policy in policies]
            print_json({"id": world.id, **verdict.to_json(), "policies": names})
        elif not verdict.correct or not self._only_wrong:
            first, *others = verdict.lines()
            print_line(f"{first} {world.id}")
            for line in others:
                print_line(line)
            if policies:
                print_line("  it is the answer of someone who")
            for policy in policies:
                text = f"{policy.misconception} ({policy.name})"
                for line in textwrap.wrap(
                    text,
                    80,
                    initial_indent="    - ",
                    subsequent_indent="      ",
                    break_on_hyphens=False,
                ):
                    print_line(line)
