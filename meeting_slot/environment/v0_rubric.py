"""The rubric of the v0 environment: three weighted terms, and every metric with weight 0.

A score follows from the row's world and the conversation, prompt and completion, alone. Rollout
state says only what ended the rollout, which is a metric and no part of the reward.
"""

import asyncio
import importlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache, lru_cache
from typing import Any, Final

from ..curated import curated_worlds
from ..errors import MeetingSlotError
from ..grading import EXACT_WEIGHT, FORMAT_WEIGHT, PARTIAL_WEIGHT
from ..parsing import parse_world
from ..scoring import rollout_grade, rollout_metrics
from ..world import World

vf: Any = importlib.import_module("verifiers")  # its v0 names have no types, and none in 0.4

WEIGHTS: Final = {"exact": EXACT_WEIGHT, "format": FORMAT_WEIGHT, "partial": PARTIAL_WEIGHT}
_LIMITS: Final = ("max_turns_reached", "max_total_completion_tokens_reached", "timeout_reached")
_METRICS: Final = "meeting_slot_metrics"
"""Where a rollout's metrics stand in its state while it is scored, and only then."""


class MeetingSlotRubric(vf.Rubric):  # type: ignore[misc]
    """`exact`, `format` and `partial`, and the metrics of `scoring.rollout_metrics`."""

    def __init__(self, *, require_proof: bool = False) -> None:
        super().__init__()
        for name, weight in WEIGHTS.items():
            self.add_reward_func(_term(name, require_proof), weight)
        for name in _metric_names():
            self.add_metric(_metric(name))

    async def score_rollout(self, state: Any) -> None:
        """Score one rollout; its metrics are computed once."""
        async with _measured([state]):
            await super().score_rollout(state)

    async def score_group(self, states: list[Any]) -> None:
        """Score the rollouts of one example; the metrics of each are computed once."""
        async with _measured(states):
            await super().score_group(states)


def world_in(info: object) -> World:
    """Return the world that a row's `info` holds.

    Raises:
        MeetingSlotError: it holds none.
    """
    text = info.get("world") if isinstance(info, Mapping) else None
    if not isinstance(text, str):
        raise MeetingSlotError("the row's info holds no world")
    return _parsed(text)


def conversation(prompt: object, completion: object) -> list[dict[str, Any]]:
    """Return prompt and completion as the messages that `transcript` describes.

    Either may be missing, as where a rollout broke off before its first reply.
    """
    return [
        dict(message) if isinstance(message, Mapping) else message.model_dump(exclude_none=True)
        for part in (prompt, completion)
        if isinstance(part, list)
        for message in part
    ]


def truncated(state: Mapping[str, Any], said: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a limit ended a rollout: turns, tokens, context, time, or a reply's length.

    A final reply on the last turn that was allowed is ended by no limit.
    """
    if state.get("prompt_too_long"):
        return True
    steps = state.get("trajectory") or []
    if steps and steps[-1].get("is_truncated"):
        return True
    is_final = bool(said) and said[-1].get("role") == "assistant" and not said[-1].get("tool_calls")
    return state.get("stop_condition") in _LIMITS and not is_final


@lru_cache(maxsize=256)
def _parsed(text: str) -> World:
    try:
        return parse_world(json.loads(text))
    except ValueError as error:
        raise MeetingSlotError("the world in the row's info is no JSON") from error


def _term(name: str, require_proof: bool) -> Callable[..., Awaitable[float]]:
    """Return the reward function of one term of the grade.

    It works in a thread: a large world takes seconds to read and to score, and others play on.
    """

    def score(prompt: Any, completion: Any, info: Any) -> float:
        try:
            world = world_in(info)
        except MeetingSlotError:
            return 0.0  # an error of the row since its set-up
        said = conversation(prompt, completion)
        value: float = getattr(rollout_grade(world, said, require_proof=require_proof), name)
        return value

    async def term(prompt: Any, completion: Any, info: Any) -> float:
        return await asyncio.to_thread(score, prompt, completion, info)

    term.__name__ = name
    return term


def _metric(name: str) -> Callable[..., float]:
    """Return the function of one metric, which was computed together with the others."""

    def metric(state: Any) -> float:
        value: float = state[_METRICS][name]
        return value

    metric.__name__ = name
    return metric


@asynccontextmanager
async def _measured(states: Sequence[Any]) -> AsyncIterator[None]:
    """Keep the metrics of each rollout in its state until it is scored."""
    for state in states:
        state[_METRICS] = await asyncio.to_thread(_metrics, state)
    try:
        yield
    finally:
        for state in states:
            del state[_METRICS]


def _metrics(state: Mapping[str, Any]) -> dict[str, float]:
    try:
        world = world_in(state.get("info"))
    except MeetingSlotError:
        return dict.fromkeys(_metric_names(), 0.0)
    said = conversation(state.get("prompt"), state.get("completion"))
    return rollout_metrics(world, said, truncated=truncated(state, said))


@cache
def _metric_names() -> tuple[str, ...]:
    return tuple(rollout_metrics(next(iter(curated_worlds())), ()))
