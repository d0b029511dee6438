"""Two runs side by side, paired by world.

What both runs share, above all how hard each world is, cancels out of the differences per world.
With d the difference of the means on a world, over G common worlds: the mean of d, and
`SE = sd(d) / √G` (the paired clustered error of Miller 2024, section 4, each world counted once).
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Final

import msgspec

from ..errors import MeetingSlotError
from .as_json import as_json
from .clustered import Estimate, mean_of, smallest_told
from .played import Rollout, Run

MEASURES: Final[dict[str, Callable[[Rollout], float]]] = {
    "exact": lambda r: r.grade.exact,
    "partial": lambda r: r.grade.partial,
    "format": lambda r: r.grade.format,
    "reward": lambda r: r.grade.reward,
    "calls_per_floor": lambda r: r.conduct["calls_per_floor"],
}
"""What is compared."""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """How a measure differs between two runs.

    Attributes:
        measure: one of `MEASURES`.
        first: the mean over worlds of the first run.
        second: that of the second.
        difference: the mean of second - first over the common worlds, each counted once.
        smallest_told: the smallest true difference that runs like these would tell from none in
            80 % of all cases, at 5 %: `(1.96 + 0.84) · SE`; None where SE is 0 or unknown.
    """

    measure: str
    first: float
    second: float
    difference: Estimate
    smallest_told: float | None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A run against the first one.

    Attributes:
        first: the file of the first run.
        second: the file of the other.
        models: the models that played them, as they were recorded.
        worlds: common worlds on which both have a rollout that is no error.
        left_out: worlds that only one of the runs has, or has scored.
        same_prompts: whether all rollouts of both had the same system prompt.
        differences: of each measure.
    """

    first: str
    second: str
    models: tuple[str, str]
    worlds: int
    left_out: int
    same_prompts: bool
    differences: tuple[Difference, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a JSON object."""
        found: dict[str, Any] = as_json(self)
        return found


def compare(runs: Sequence[Run], *, force: bool = False) -> list[Comparison]:
    """Return each run but the first against the first.

    Args:
        runs: the runs; of a single one there is nothing to compare.
        force: whether runs on different worlds, or with different prompts, are compared all the
            same, on the worlds that both have.

    Raises:
        MeetingSlotError: two runs have different worlds or prompts, or no scored world in common.
    """
    if not force:
        for first, second in pairwise(runs):
            _check(first, second)
    return [_comparison(runs[0], other) for other in runs[1:]]


def _check(first: Run, second: Run) -> None:
    names = f"{first.file.shown} and {second.file.shown}"
    there, here = ({world.content for world in run.worlds} for run in (first, second))
    if there != here:
        raise MeetingSlotError(
            f"{names} were played on different worlds ({len(there)} and {len(here)}, "
            f"{len(there & here)} in common); --force compares the common ones"
        )
    if first.prompts.keys() != second.prompts.keys():
        raise MeetingSlotError(
            f"{names} were played with different system prompts; --force compares them all the same"
        )


def _comparison(first: Run, second: Run) -> Comparison:
    left, right = _by_world(first), _by_world(second)
    common = [content for content in left if content in right]
    if not common:
        raise MeetingSlotError(
            f"{first.file.shown} and {second.file.shown} have no scored world in common"
        )
    return Comparison(
        first=first.file.shown,
        second=second.file.shown,
        models=(first.model, second.model),
        worlds=len(common),
        left_out=len({w.content for run in (first, second) for w in run.worlds}) - len(common),
        same_prompts=len({*first.prompts, *second.prompts}) == 1,
        differences=tuple(
            _difference(measure, [(left[content], right[content]) for content in common])
            for measure in MEASURES
        ),
    )


def _by_world(run: Run) -> dict[str, list[Rollout]]:
    found: dict[str, list[Rollout]] = {}
    for rollout in run.scored:
        found.setdefault(run.worlds[rollout.world].content, []).append(rollout)
    return found


def _difference(
    measure: str, pairs: Iterable[tuple[Sequence[Rollout], Sequence[Rollout]]]
) -> Difference:
    means = [(_mean(measure, left), _mean(measure, right)) for left, right in pairs]
    first, second = (sum(column) / len(means) for column in zip(*means, strict=True))
    found = mean_of((place, right - left) for place, (left, right) in enumerate(means))
    assert found is not None
    return Difference(
        measure=measure,
        first=first,
        second=second,
        difference=found,
        smallest_told=smallest_told(found.error) if found.error else None,
    )


def _mean(measure: str, rollouts: Sequence[Rollout]) -> float:
    return sum(map(MEASURES[measure], rollouts)) / len(rollouts)
