"""What a report says in words, the same on the terminal and on the page."""

import math
from collections.abc import Iterator
from typing import Final

from ..errors import printable
from .fits import HARDNESS, Fit
from .run_report import RunReport

_STEPS: Final = {"hardness": (1, "a twelfth more hardness"), "load": (10, "ten more calls of load")}


def title(report: RunReport) -> str:
    """Return a run's title: the model that played."""
    return printable(report.model) or "a model without a name"


def hints(report: RunReport) -> Iterator[str]:
    """Yield what has to be known to read a run's figures, in a line each."""
    yield report.run
    yield (
        f"{_counted(report.rollouts, 'rollout')} of {_counted(report.worlds, 'world')}, "
        f"panel {report.panel}, IANA {report.iana}"
    )
    if report.scored < report.rollouts:
        failed = report.rollouts - report.scored
        yield f"{_counted(failed, 'rollout')} ended with an error and count in no rate"
    if report.require_proof:
        yield "an answer that is not proved scores 0 (require_proof)"
    if report.rewards_differ:
        differ = _counted(report.rewards_differ, "recorded reward")
        yield f"{differ} differ from what is computed here: other settings, rules or zone data"
    if len(report.prompts) > 1:
        yield f"{len(report.prompts)} different system prompts in one run"
    if report.torn:
        yield "the last line is incomplete and left out: the run is still being written, or broke"


def fit_text(fit: Fit) -> str:
    """Return a fit in one line: what the odds of success are multiplied by, and how sure that is.

    An interval without 1 tells a slope from none.
    """
    on = " and ".join(fit.measures)
    if fit.problem:
        return f"on {on}: no fit, {fit.problem}"
    parts = []
    for one in fit.slopes:
        by, step = _STEPS[one.measure]
        low, high = math.exp(one.low * by), math.exp(one.high * by)
        parts.append(f"x {one.odds(by):.2f} [{low:.2f}, {high:.2f}] for {step}")
    return f"on {on}: odds {'; '.join(parts)}"


def fitted_at(fit: Fit, hardness: int, load: int) -> float | None:
    """Return a fit's share of right answers at a hardness in twelfths and a load in calls."""
    values = (hardness if measure == HARDNESS else load for measure in fit.measures)
    return fit.chance(*values)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
