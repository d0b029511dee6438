"""The worst rollouts of a run: wrong where it was easy, and what was said there."""

import heapq
from typing import Any

import msgspec

from ..errors import UnreadableAnswer, shortened
from ..grading import grade
from ..instants import answer_text
from ..parsing import parse_world
from ..transcript import Messages
from ..verdict import verdict_on
from ..world import World
from .misconceptions import attribution
from .played import WRONG, Ending, Rollout, Run, record_of


class Worst(msgspec.Struct, frozen=True, kw_only=True):
    """One rollout that went wrong, read again from its file.

    Attributes:
        line: its line in the run's file.
        id: the id of its world.
        core_failed: the world's hardness, in twelfths.
        calls: tool calls that were made.
        floor: the calls of the smallest proof.
        ending: how it ended.
        given: the answer that was given, in one printable line; "" where there is none.
        right: the right answer.
        reasons: why the given answer is wrong, in words.
        core: the core policies that give it; those of one class joined by " = ".
        others: the other policies that give it, likewise.
        proposed: the given answer, where it is an instant or NONE; None where it is neither.
        world: the world.
        messages: the conversation.
    """

    line: int
    id: str
    core_failed: int
    calls: int
    floor: int
    ending: Ending
    given: str
    right: str
    reasons: tuple[str, ...]
    core: tuple[str, ...]
    others: tuple[str, ...]
    proposed: str | None
    world: World
    messages: Messages

    def to_json(self) -> dict[str, Any]:
        """Return it without the world and the conversation, which stand in the run's file."""
        left_out = ("ending", "proposed", "world", "messages")
        found = {k: v for k, v in msgspec.structs.asdict(self).items() if k not in left_out}
        return {**found, "ending": self.ending.name.lower()}


def worst(run: Run, count: int) -> list[Worst]:
    """Return the worst rollouts: those not right, on the easiest worlds first.

    Of worlds of the same hardness those with the smaller load come first, then the rollouts that
    made the most calls beyond the floor.

    Raises:
        FileError: the run's file has changed.
    """
    candidates = (r for r in run.scored if r.ending not in (Ending.EXACT, Ending.UNPROVEN))
    return [_read_again(run, one) for one in heapq.nsmallest(count, candidates, _rank(run))]


def _rank(run: Run) -> Any:
    def rank(rollout: Rollout) -> tuple[float, ...]:
        world = run.worlds[rollout.world]
        wasted = rollout.conduct["tool_calls"] - world.floor
        return world.core_failed, world.load.calls, -wasted, rollout.line.number

    return rank


def _read_again(run: Run, rollout: Rollout) -> Worst:
    record = record_of(run.file, run.file.line_at(rollout.line))
    known = run.worlds[rollout.world]
    assert record.world is not None
    world = parse_world(msgspec.json.decode(record.world))
    given = grade(world, record.messages).answer
    found = attribution(known, rollout.answer) if rollout.ending in WRONG else None
    return Worst(
        line=rollout.line.number,
        id=known.id,
        core_failed=known.core_failed,
        calls=round(rollout.conduct["tool_calls"]),
        floor=known.floor,
        ending=rollout.ending,
        given="" if given is None else shortened(given),
        right=answer_text(known.answer),
        reasons=_reasons(world, given, known.answer, rollout.ending),
        core=tuple(map(" = ".join, found.core)) if found else (),
        others=tuple(map(" = ".join, found.others)) if found else (),
        proposed=given if rollout.ending in (*WRONG, Ending.INSIDE_MINUTE) else None,
        world=world,
        messages=record.messages,
    )


def _reasons(world: World, given: str | None, right: int | None, ending: Ending) -> tuple[str, ...]:
    if given is not None:
        try:
            lines = verdict_on(world, given, right).lines()
        except UnreadableAnswer as error:
            return (str(error),)
        return tuple(line.strip() for line in lines[1:-1])  # without the two answers
    return (ending.value,)
