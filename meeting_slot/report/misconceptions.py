"""Which misconception each wrong answer shows: the policies of the panel that give it.

Policies whose views of a world coincide (`Reader.view`) give the same answer there by definition,
and count as one *class*; the classes that give an answer share it evenly, and so do the policies of
a class. The core is asked first. Only what no core policy explains is shared out among the others
(special, baseline, inverse), which so show what lies beyond the core.

*By chance*: where wrong answers fall is not even (many are NONE, or early on the first day), so a
policy matches some of them without being the cause. The run's wrong answers are dealt to the other
worlds, as minutes from the window's start, NONE as NONE. For each wrong answer in a world w, a
policy P that is wrong there matches, on average, the share of the wrong answers in worlds other
than w that say what P says in w; the sum over all wrong answers is the number expected by chance.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from ..policies import BASELINES, CORE, INVERSE, specials
from ..scoring import SKIP_ONE
from .played import WRONG, Rollout, Run
from .played_world import PlayedWorld, WrongAnswer

_Offset: TypeAlias = int | None
"""An answer in minutes from the window's start; None for NONE."""


class Attribution(msgspec.Struct, frozen=True):
    """Who gives one wrong answer.

    Attributes:
        core: the classes of core policies that give it, each the names in it.
        others: the classes of the panel's other policies that give it.
    """

    core: tuple[tuple[str, ...], ...]
    others: tuple[tuple[str, ...], ...]

    @property
    def explains(self) -> tuple[tuple[str, ...], ...]:
        """The classes among which the answer is shared: the core's, or else the others'."""
        return self.core or self.others

    @property
    def names(self) -> list[str]:
        """Everyone who gives the answer, core policies first."""
        return [name for group in (*self.core, *self.others) for name in group]


class PolicyMatches(msgspec.Struct, frozen=True, kw_only=True):
    """How often a policy gives a run's wrong answers.

    Attributes:
        policy: its name.
        group: clock, calendar, interval or attention (the core); special, baseline, inverse.
        wrong: wrong answers in worlds on which the policy is wrong too: the most it can match.
        matched: wrong answers that it gives.
        alone: those of them that no policy outside its class explains.
        share: wrong answers that are put down to it, ties shared.
        by_chance: how many it would match by chance; None where all are in one world.
    """

    policy: str
    group: str
    wrong: int
    matched: int
    alone: int
    share: float
    by_chance: float | None


class Misconceptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a run's wrong answers show; an answer without an instant or NONE is not among them.

    Attributes:
        wrong: wrong answers.
        core: those that a core policy gives.
        core_alone: those of them that one class of core policies gives alone.
        others: those that no core policy gives, but another policy.
        unexplained: those that no policy gives.
        near_misses: those of them that start in a near miss before the answer.
        policies: each policy of the panel, core ones first.
    """

    wrong: int
    core: int
    core_alone: int
    others: int
    unexplained: int
    near_misses: int
    policies: tuple[PolicyMatches, ...]


def attribution(world: PlayedWorld, answer: int | None) -> Attribution:
    """Return who gives a wrong answer, a UTC minute or None for NONE, to a world."""
    given = [one for one in world.wrong if one.answer == answer]
    return Attribution(
        _classes(one for one in given if one.core), _classes(one for one in given if not one.core)
    )


def misconceptions(run: Run) -> Misconceptions:
    """Return what the wrong answers of a run show."""
    wrong = [rollout for rollout in run.rollouts if rollout.ending in WRONG]
    matched: Counter[str] = Counter()
    alone: Counter[str] = Counter()
    shares: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for rollout in wrong:
        found = attribution(run.worlds[rollout.world], rollout.answer)
        matched.update(set(found.names))
        classes = found.explains
        for group in classes:
            for name in set(group):
                shares[name] += 1 / len(classes) / len(set(group))  # type: ignore[assignment]
                alone[name] += len(classes) == 1
        counts["core"] += bool(found.core)
        counts["core_alone"] += len(found.core) == 1
        counts["others"] += not found.core and bool(found.others)
        counts["unexplained"] += not classes
        counts["near_misses"] += not classes and rollout.near_miss
    chances = _by_chance(run.worlds, wrong)
    possible = _possible(run.worlds, wrong)
    return Misconceptions(
        wrong=len(wrong),
        core=counts["core"],
        core_alone=counts["core_alone"],
        others=counts["others"],
        unexplained=counts["unexplained"],
        near_misses=counts["near_misses"],
        policies=tuple(
            PolicyMatches(
                policy=name,
                group=group,
                wrong=possible[name],
                matched=matched[name],
                alone=alone[name],
                share=shares[name],
                by_chance=None if chances is None else chances.get(name, 0.0),
            )
            for name, group in _panel().items()
        ),
    )


def _classes(given: Iterable[WrongAnswer]) -> tuple[tuple[str, ...], ...]:
    """Return the names of those that gave an answer, put together by their views."""
    found: dict[int, dict[str, None]] = {}
    for one in given:
        found.setdefault(one.view, {})[one.policy] = None
    return tuple(dict.fromkeys(tuple(names) for names in found.values()))


def _possible(worlds: Sequence[PlayedWorld], wrong: Sequence[Rollout]) -> Counter[str]:
    """Return for each policy how many wrong answers are in worlds on which it is wrong too."""
    found: Counter[str] = Counter()
    for place, count in Counter(rollout.world for rollout in wrong).items():
        for name in {one.policy for one in worlds[place].wrong}:
            found[name] += count
    return found


def _by_chance(
    worlds: Sequence[PlayedWorld], wrong: Sequence[Rollout]
) -> Mapping[str, float] | None:
    """Return how many of the wrong answers each policy would match by chance."""
    within: dict[int, Counter[_Offset]] = {}
    for rollout in wrong:
        offset = worlds[rollout.world].offset(rollout.answer)
        within.setdefault(rollout.world, Counter())[offset] += 1
    overall: Counter[_Offset] = Counter()
    for offsets in within.values():
        overall.update(offsets)
    if len(within) < 2:
        return None
    found: dict[str, float] = {}
    for place, here in within.items():
        elsewhere = overall.total() - here.total()
        says = {(one.policy, worlds[place].offset(one.answer)) for one in worlds[place].wrong}
        for policy, offset in says:
            share = (overall[offset] - here[offset]) / elsewhere
            found[policy] = found.get(policy, 0.0) + here.total() * share
    return found


def _panel() -> dict[str, str]:
    """Return the group of each policy by its name, `SKIP_ONE` for all that leave one out."""
    named = {policy.name: policy.group for policy in (*CORE, *specials(0))}
    return {**named, SKIP_ONE: "special", **{p.name: p.group for p in (*BASELINES, *INVERSE)}}
