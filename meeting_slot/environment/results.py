"""What policies scored in runs of `vf-eval`: each rollout's recorded scores, and their means."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import msgspec

from ..errors import MeetingSlotError
from ..report.recorded import Recorded, recorded
from ..report.run_file import run_file

TERMS: Final = ("exact", "format", "partial")
MEASURES: Final = ("tool_calls", "turns", "truncated", "calls_per_floor", "evidence", "proved")


class Rollout(msgspec.Struct, frozen=True):
    """One rollout.

    Attributes:
        reward: the weighted sum of the terms.
        scores: the terms and the metrics by name.
        error: what went wrong, the first of it; None for a rollout that was scored.
    """

    reward: float
    scores: Mapping[str, float]
    error: str | None


class PolicyResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a policy did: means over its rollouts.

    Attributes:
        policy: its name.
        reward: 1.0 exact + 0.2 format + 0.2 partial, or 0 where a proof is required and missing.
        exact: the share of right answers.
        format: the share of replies that end in an answer.
        partial: 0.5 for each valid start that is not the earliest.
        rollouts: how many there are.
        errors: rollouts that were not scored: 0, a run with one is no result.
        calls: tool calls.
        turns: replies.
        truncated: the share of rollouts that a limit ended, of turns for example.
        calls_per_floor: calls as a multiple of an oracle's.
        evidence: the share of the smallest proof's observations that was read.
        proved: the share of answers that what was read proves.
    """

    policy: str
    reward: float
    exact: float
    format: float
    partial: float
    rollouts: int
    errors: int
    calls: float
    turns: float
    truncated: float
    calls_per_floor: float
    evidence: float
    proved: float

    def to_json(self) -> dict[str, Any]:
        """Return the result as `eval --json` prints it, means rounded to six decimals."""
        row = msgspec.structs.asdict(self)
        return {key: round(x, 6) if isinstance(x, float) else x for key, x in row.items()}


def policy_result(policy: str, rollouts: Sequence[Rollout], expected: int) -> PolicyResult:
    """Return the means over a policy's rollouts.

    Raises:
        MeetingSlotError: a rollout ended with an error or without a score, or not all are there.
    """
    errors = [rollout.error for rollout in rollouts if rollout.error is not None]
    if errors:
        raise MeetingSlotError(
            f"{policy}: {len(errors)} of {expected} rollouts failed, the first with: {errors[0]}"
        )
    if len(rollouts) != expected:
        raise MeetingSlotError(f"{policy}: expected {expected} rollouts, got {len(rollouts)}")
    mean = {
        name: fmean(rollout.scores[name] for rollout in rollouts) for name in (*TERMS, *MEASURES)
    }
    return PolicyResult(
        policy=policy,
        reward=fmean(rollout.reward for rollout in rollouts),
        rollouts=len(rollouts),
        errors=0,
        calls=mean.pop("tool_calls"),
        **mean,
    )


def rollouts_in(folder: Path) -> list[Rollout]:
    """Return the rollouts of the one run that was written somewhere below a folder.

    Raises:
        MeetingSlotError: there is no run, or more than one, or it cannot be read.
    """
    file = run_file(folder)
    found = []
    for line in file.lines():
        try:
            found.append(_rollout(recorded(line.value)))
        except ValueError as error:
            raise file.error(line.number, str(error)) from None
    return found


def _rollout(record: Recorded) -> Rollout:
    """Return the scores of a rollout; without all of them, it failed."""
    if record.error is not None:
        return _failed(record.error)
    missing = [name for name in (*TERMS, *MEASURES) if name not in record.scores]
    if missing or record.reward is None:
        return _failed(f"no score {(*missing, 'reward')[0]}")
    return Rollout(reward=record.reward, scores=record.scores, error=None)


def _failed(error: str) -> Rollout:
    return Rollout(reward=0.0, scores={}, error=error)
