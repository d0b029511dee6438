"""The figures of one run: rates, fits, passes, conduct, misconceptions, and the worst rollouts.

`RunReport.to_json` is what `report --json` prints: its keys are the attributes below. Shares run
from 0 to 1, rates are over the rollouts that are no errors, and an estimate is a mean with its
cluster-robust standard error and 95 % interval (`clustered.Estimate`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median
from typing import Any, Final

import msgspec

from ..measures import Band, Size
from ..policies import PANEL_VERSION
from ..zones import iana_release
from .as_json import as_json
from .clustered import Estimate, mean_of, share_of
from .fits import Fit, Trial, fits
from .misconceptions import Misconceptions, misconceptions
from .passes import Passes, passes
from .played import Ending, Rollout, Run
from .worst import Worst, worst

TERMS: Final[dict[str, tuple[Callable[[Rollout], float], float | None]]] = {
    "exact": (lambda r: r.grade.exact, 1.0),
    "partial": (lambda r: r.grade.partial, 0.5),
    "format": (lambda r: r.grade.format, 1.0),
    "reward": (lambda r: r.grade.reward, None),
}
"""Each term of the score, and the one value beside 0 that it takes, if it takes only one."""
STEP: Final = 5
"""Calls of load that are counted together."""
QUARTERS: Final = 4
"""Parts of a floor of calls that rollouts are counted by."""
_ERRORS_SHOWN: Final = 5


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the grid of hardness and load.

    Attributes:
        band: of the hardness; None for all.
        size: of the load; None for all.
        worlds: played there.
        rollouts: scored there.
        exact: the share of right answers; None without rollouts, as the others.
        partial: the mean partial score.
        format: the share of answers in the right form.
    """

    band: Band | None
    size: Size | None
    worlds: int
    rollouts: int
    exact: Estimate | None
    partial: Estimate | None
    format: Estimate | None


class Spread(msgspec.Struct, frozen=True):
    """Mean, median, least and most of a count, over the rollouts that have it."""

    rollouts: int
    mean: float
    median: float
    least: float
    most: float


class RunReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a run shows.

    Attributes:
        run: its file.
        model: the name of the model that played most of it, as it was recorded.
        models: rollouts by the name of the model.
        panel: the version of the panel.
        iana: the release of the zone data that the answers were computed with.
        worlds: played worlds.
        rollouts: all there are, errors too.
        scored: those that are no errors: every rate is one of these.
        torn: whether the file's last line is incomplete, and left out.
        require_proof: whether an answer that is not proved scores 0.
        rewards_differ: rollouts whose recorded reward is another than the one computed here.
        prompts: rollouts by the hash of their system prompt.
        endings: rollouts by how they ended.
        causes: by what is wrong with a start that is not valid; one may have several.
        errors: the most frequent errors, with their numbers.
        terms: exact, partial, format and reward.
        grid: each band and size, the whole first.
        by_hardness: the share of right answers at each hardness, in twelfths.
        by_load: the share of right answers by load, `STEP` calls together, by the first of them.
        fits: exact answers on hardness, on load, and on both.
        passes: pass@k and pass^k, where some world has two rollouts or more.
        conduct: calls, calls as a multiple of the floor, evidence and so on, with shares as means.
        call_ratios: rollouts by calls as a multiple of the floor, rounded down to quarters.
        misconceptions: what the wrong answers show.
        worst: the worst rollouts.
    """

    run: str
    model: str
    models: Mapping[str, int]
    panel: str
    iana: str
    worlds: int
    rollouts: int
    scored: int
    torn: bool
    require_proof: bool
    rewards_differ: int
    prompts: Mapping[str, int]
    endings: Mapping[Ending, int]
    causes: Mapping[str, int]
    errors: Mapping[str, int]
    terms: Mapping[str, Estimate | None]
    grid: tuple[Cell, ...]
    by_hardness: Mapping[int, Estimate]
    by_load: Mapping[int, Estimate]
    fits: tuple[Fit, ...]
    passes: tuple[Passes, ...]
    conduct: Mapping[str, Spread]
    call_ratios: Mapping[float, int]
    misconceptions: Misconceptions
    worst: tuple[Worst, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON object; of the worst rollouts, without the conversations."""
        row = {
            **msgspec.structs.asdict(self),
            "endings": {ending.name.lower(): count for ending, count in self.endings.items()},
            "worst": [one.to_json() for one in self.worst],
        }
        found: dict[str, Any] = as_json(row)
        return found


def run_report(run: Run, worst_shown: int = 5) -> RunReport:
    """Return the figures of a run.

    Args:
        run: the run.
        worst_shown: how many of the worst rollouts are read again.

    Raises:
        FileError: the run's file has changed.
    """
    scored = run.scored
    errors = Counter(r.error for r in run.rollouts if r.error is not None)
    return RunReport(
        run=run.file.shown,
        model=run.model,
        models=run.models,
        panel=PANEL_VERSION,
        iana=iana_release(),
        worlds=len(run.worlds),
        rollouts=len(run.rollouts),
        scored=len(scored),
        torn=run.file.torn,
        require_proof=run.require_proof,
        rewards_differ=sum(rollout.differs for rollout in run.rollouts),
        prompts=run.prompts,
        endings={e: sum(r.ending is e for r in run.rollouts) for e in Ending},
        causes=Counter(cause for rollout in scored for cause in rollout.causes),
        errors=dict(errors.most_common(_ERRORS_SHOWN)),
        terms={term: _term(term, scored) for term in TERMS},
        grid=_grid(run, scored),
        by_hardness=_exact_by(scored, lambda rollout: run.worlds[rollout.world].core_failed),
        by_load=_exact_by(scored, lambda r: run.worlds[r.world].load.calls // STEP * STEP),
        fits=tuple(fits([_trial(run, rollout) for rollout in scored])),
        passes=tuple(passes(_counts(scored))),
        conduct=_conduct(scored),
        call_ratios=_call_ratios(scored),
        misconceptions=misconceptions(run),
        worst=tuple(worst(run, worst_shown)),
    )


def _term(term: str, rollouts: Iterable[Rollout]) -> Estimate | None:
    value, most = TERMS[term]
    values = ((rollout.world, value(rollout)) for rollout in rollouts)
    return mean_of(values) if most is None else share_of(values, most)


def _grid(run: Run, scored: Sequence[Rollout]) -> tuple[Cell, ...]:
    return tuple(_cell(run, scored, band, size) for band in (None, *Band) for size in (None, *Size))


def _cell(run: Run, scored: Sequence[Rollout], band: Band | None, size: Size | None) -> Cell:
    worlds = {
        place
        for place, world in enumerate(run.worlds)
        if band in (None, world.band) and size in (None, world.load.size)
    }
    here = [rollout for rollout in scored if rollout.world in worlds]
    return Cell(
        band=band,
        size=size,
        worlds=len(worlds),
        rollouts=len(here),
        exact=_term("exact", here),
        partial=_term("partial", here),
        format=_term("format", here),
    )


def _exact_by(scored: Iterable[Rollout], key: Callable[[Rollout], int]) -> dict[int, Estimate]:
    groups: dict[int, list[Rollout]] = {}
    for rollout in scored:
        groups.setdefault(key(rollout), []).append(rollout)
    shares = {value: _term("exact", groups[value]) for value in sorted(groups)}
    return {value: share for value, share in shares.items() if share is not None}


def _trial(run: Run, rollout: Rollout) -> Trial:
    world = run.worlds[rollout.world]
    return Trial(rollout.world, world.core_failed, world.load.calls, rollout.grade.exact == 1.0)


def _counts(scored: Iterable[Rollout]) -> list[tuple[int, int]]:
    """Return of each world how many rollouts there are, and how many are right."""
    there: Counter[int] = Counter()
    right: Counter[int] = Counter()
    for rollout in scored:
        there[rollout.world] += 1
        right[rollout.world] += rollout.grade.exact == 1.0
    return [(count, right[world]) for world, count in there.items()]


def _conduct(scored: Sequence[Rollout]) -> dict[str, Spread]:
    """Return the spread of each measure of conduct, and of tokens and seconds where recorded."""
    values: dict[str, list[float]] = {}
    for rollout in scored:
        recorded = {
            "input_tokens": rollout.input_tokens,
            "output_tokens": rollout.output_tokens,
            "seconds": rollout.seconds,
        }
        for name, value in {**rollout.conduct, **recorded}.items():
            if value is not None:
                values.setdefault(name, []).append(value)
    return {
        name: Spread(len(found), fmean(found), median(found), min(found), max(found))
        for name, found in values.items()
    }


def _call_ratios(scored: Iterable[Rollout]) -> dict[float, int]:
    """Return how many rollouts made how many calls, as a multiple of the floor, in quarters."""
    quarters = Counter(
        int(rollout.conduct["calls_per_floor"] * QUARTERS + 1e-9) for rollout in scored
    )
    return {quarter / QUARTERS: quarters[quarter] for quarter in sorted(quarters)}
