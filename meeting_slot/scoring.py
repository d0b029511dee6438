"""The score of one rollout: the grade, and the metrics beside it.

Everything follows from the world and one conversation; no rollout state is read. The answer is
computed here, and stands nowhere else.
"""

import json
from functools import cache, lru_cache
from typing import Final

import msgspec

from .cpsat.certificate import Certificate, certificate
from .errors import UnreadableAnswer
from .grading import Grade, grade
from .instants import parse_answer
from .measures import matching
from .observations import Observation, proved
from .parsing import parse_world
from .policies import BASELINES, CORE, INVERSE, specials
from .transcript import Messages, calls_in, observed, turns_in
from .world import World

SKIP_ONE: Final = "skip-one-attendee"
"""Stands for `skip-attendee-K` of all K, so that every world has the same metrics."""


class _NoStart(msgspec.Struct, frozen=True):
    """What an answer means that is neither NONE nor an instant on a whole minute."""


_NO_START: Final = _NoStart()


def rollout_grade(world: World, messages: Messages, *, require_proof: bool = False) -> Grade:
    """Return the grade of a conversation.

    Args:
        world: the world.
        messages: one conversation, as in `transcript`.
        require_proof: whether an answer that the tool results do not prove scores 0 on all terms.
    """
    given = grade(world, messages)
    if require_proof and not _is_proved(world, observed(world, calls_in(messages)), given):
        return Grade(answer=given.answer)
    return given


def rollout_metrics(
    world: World, messages: Messages, *, truncated: bool = False, branches: int = 1
) -> dict[str, float]:
    """Return the metrics of a conversation, the same names for every world.

    Those of `conduct_metrics`, and which policies give the same wrong answer. Arguments as there.
    """
    conduct = conduct_metrics(world, messages, truncated=truncated, branches=branches)
    return {**conduct, **_diagnosis(world, grade(world, messages))}


def conduct_metrics(
    world: World, messages: Messages, *, truncated: bool = False, branches: int = 1
) -> dict[str, float]:
    """Return what the model did in a conversation, and whether that proves its answer.

    Args:
        world: the world.
        messages: one conversation, as in `transcript`; it may be empty, or broken off.
        truncated: whether a limit of turns, tokens or context ended it.
        branches: how many conversations the rollout fell into; 1 where nothing was rewritten.
    """
    calls = calls_in(messages)
    distinct = len({call.meaning for call in calls})
    seen = observed(world, calls)
    proof = _certificate(world.to_line())
    given = grade(world, messages)
    is_proved = _is_proved(world, seen, given)
    read = sum(observation in seen for observation in proof.observations)
    return {
        "tool_calls": float(len(calls)),
        "distinct_calls": float(distinct),
        "repeated_calls": float(len(calls) - distinct),
        "tool_errors": float(sum(call.failed for call in calls)),
        "turns": float(turns_in(messages)),
        "truncated": float(truncated),
        "branches": float(branches),
        "calls_per_floor": len(calls) / proof.floor,
        "evidence": read / proof.size,
        "proved": float(is_proved),
        "exact_unproven": float(given.exact == 1.0 and not is_proved),
    }


@cache
def policy_metrics() -> dict[str, str]:
    """Return the metric of each policy by the policy's name, `skip-attendee-K` as one for all K."""
    named = (*CORE, *specials(0), *BASELINES, *INVERSE)
    return {name: f"policy_{_word(name)}" for name in (*(p.name for p in named), SKIP_ONE)}


@cache
def group_metrics() -> dict[str, str]:
    """Return the metric of each group of core policies by the group's name."""
    return {policy.group: f"group_{policy.group}" for policy in CORE}


@lru_cache(maxsize=256)
def _certificate(line: str) -> Certificate:
    """Return a world's certificate, made once for all rollouts of the world."""
    return certificate(parse_world(json.loads(line)))


def _diagnosis(world: World, given: Grade) -> dict[str, float]:
    """Return which policies, and which groups of core ones, give the same wrong answer."""
    found = dict.fromkeys((*policy_metrics().values(), *group_metrics().values()), 0.0)
    answer = _answer(given)
    if given.exact == 1.0 or isinstance(answer, _NoStart):
        return found
    core = {policy.name for policy in CORE}
    for policy in matching(world, answer):
        name = SKIP_ONE if policy.name.startswith("skip-attendee-") else policy.name
        found[policy_metrics()[name]] = 1.0
        if policy.name in core:
            found[group_metrics()[policy.group]] = 1.0
    return found


def _is_proved(world: World, seen: set[Observation], given: Grade) -> bool:
    answer = _answer(given)
    if isinstance(answer, _NoStart):
        return False
    return proved(world, seen, answer)


def _answer(given: Grade) -> int | _NoStart | None:
    """Return the start that was given as a UTC minute, None for NONE, or that it is none."""
    if given.answer is None:
        return _NO_START
    try:
        proposed = parse_answer(given.answer)
    except UnreadableAnswer:
        return _NO_START
    if proposed is None:
        return None
    return proposed.minute if proposed.whole else _NO_START


def _word(name: str) -> str:
    return name.replace("-", "_")
