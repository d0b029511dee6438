"""What `vf-eval` wrote of a run: each rollout's scores, of both lines of `verifiers`, and means.

Version 1 writes `traces.jsonl`, one episode a line; version 0 writes `results.jsonl`, one rollout.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import msgspec

from ..errors import MeetingSlotError, printable, shortened

TERMS: Final = ("exact", "format", "partial")
MEASURES: Final = ("tool_calls", "turns", "truncated", "calls_per_floor", "evidence", "proved")
_LONGEST_ERROR: Final = 300


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
    files = sorted([*folder.rglob("traces.jsonl"), *folder.rglob("results.jsonl")])
    if len(files) != 1:
        shown = printable(str(folder))
        raise MeetingSlotError(f"{shown}: expected one run of vf-eval, found {len(files)}")
    read = _episode if files[0].name == "traces.jsonl" else _row
    try:
        return [read(row) for row in _rows(files[0])]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        shown = printable(str(files[0]))
        raise MeetingSlotError(f"{shown}: no output of vf-eval: {shortened(repr(error))}") from None


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def _episode(row: Mapping[str, Any]) -> Rollout:
    """Return the rollout of a v1 episode, which holds one trace."""
    trace: Mapping[str, Any] = next(iter(row.get("traces") or ()), {})
    errors = [*(trace.get("errors") or ()), *(row.get("errors") or ())]
    if errors:
        return _failed(f"{errors[0].get('type')}: {errors[0].get('message')}")
    if not row.get("ok") or not trace.get("ok"):
        return _failed(f"not completed, stopped by {trace.get('stop_condition')}")
    rewards, metrics = trace.get("rewards") or {}, trace.get("metrics") or {}
    missing = [name for name in TERMS if rewards.get(name) is None]
    missing += [name for name in MEASURES if metrics.get(name) is None]
    if missing:
        return _failed(f"no score {missing[0]}")
    return Rollout(
        reward=sum(one["score"] * one["weight"] for one in rewards.values()),
        scores={**metrics, **{name: rewards[name]["score"] for name in TERMS}},
        error=None,
    )


def _row(row: Mapping[str, Any]) -> Rollout:
    """Return the rollout of a v0 row, which has terms and metrics under `metrics`."""
    if error := row.get("error"):
        return _failed(error.get("error_chain_repr") if isinstance(error, dict) else str(error))
    metrics = row["metrics"]
    missing = [name for name in (*TERMS, *MEASURES) if metrics.get(name) is None]
    if missing:
        return _failed(f"no score {missing[0]}")
    return Rollout(reward=row["reward"], scores=metrics, error=None)


def _failed(error: object) -> Rollout:
    return Rollout(reward=0.0, scores={}, error=shortened(str(error), _LONGEST_ERROR))
