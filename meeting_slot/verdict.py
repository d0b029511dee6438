"""The verdict on a proposed answer: right or wrong, why, and what is right."""

from typing import Any

import msgspec

from . import zones
from .errors import MeetingSlotError, shortened
from .html_table import html_table
from .instants import answer_text, parse_answer
from .reasons import NotWholeMinute, Reason, reason_against, reason_json, sentences
from .sweep import earliest_start
from .world import World


class StaleRecord(MeetingSlotError):
    """A recorded answer that another release of the zone data made wrong."""


class Verdict(msgspec.Struct, frozen=True):
    """What a proposed answer is worth.

    Attributes:
        proposed: the answer as it was proposed.
        answer: the right one, `YYYY-MM-DDTHH:MM:00Z` or `NONE`.
        reason: why the proposed one is wrong; None where it is right.
    """

    proposed: str
    answer: str
    reason: Reason | None

    @property
    def correct(self) -> bool:
        """Whether the proposed answer is the right one."""
        return self.reason is None

    def lines(self) -> list[str]:
        """Return the verdict in words, the first line alone saying right or wrong."""
        if self.reason is None:
            return [f"correct: {self.answer}"]
        facts = [*sentences(self.reason), f"the right answer is {self.answer}"]
        return [f"wrong: {shortened(self.proposed.strip())}", *(f"  {fact}" for fact in facts)]

    def _repr_html_(self) -> str:
        """Return the verdict as a notebook shows it: its lines, in a table."""
        first, *facts = self.lines()
        return html_table([first], [[fact.strip()] for fact in facts])

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as a JSON object."""
        return {
            "proposed": self.proposed,
            "correct": self.correct,
            "answer": self.answer,
            "reason": None if self.reason is None else reason_json(self.reason),
        }


def verify(world: World, proposed: str) -> Verdict:
    """Return the verdict on an answer: an instant in any notation of `parse_answer`, or NONE.

    Raises:
        UnreadableAnswer: the text is neither.
    """
    return verdict_on(world, proposed, earliest_start(world))


def verdict_on(world: World, proposed: str, earliest: int | None) -> Verdict:
    """Return the verdict on an answer, as `verify` does, where the right one is known."""
    instant = parse_answer(proposed)
    reason: Reason | None
    if instant is not None and not instant.whole:
        reason = NotWholeMinute(instant.minute)
    else:
        reason = reason_against(world, None if instant is None else instant.minute, earliest)
    return Verdict(proposed, answer_text(earliest), reason)


def verdict_on_record(world: World, earliest: int | None) -> Verdict | None:
    """Return the verdict on the answer that a world's file records, or None where it records none.

    Args:
        world: the world.
        earliest: the right answer, a UTC minute or None for NONE.

    Raises:
        StaleRecord: it is wrong, and was written under another IANA release.
    """
    if world.recorded is None:
        return None
    verdict = verdict_on(world, world.recorded, earliest)
    release = (world.meta or {}).get("iana")
    if not isinstance(release, str):  # not trusted; none recorded counts as the same
        release = zones.iana_release()
    if not verdict.correct and release != zones.iana_release():
        raise StaleRecord(
            f"{world.id}: the recorded answer {shortened(world.recorded.strip())} "
            f"was written under IANA release {shortened(str(release), 20)}; "
            f"under {zones.iana_release()} it is {verdict.answer}"
        )
    return verdict


def verify_recorded(world: World) -> Verdict | None:
    """Return the verdict on the recorded answer, as `verdict_on_record` does.

    Raises:
        StaleRecord: it is wrong, and was written under another IANA release.
    """
    return verdict_on_record(world, earliest_start(world))
