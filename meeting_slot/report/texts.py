"""What a report says in words, the same on the terminal and on the page."""

import math
from collections.abc import Iterator
from typing import Final

from ..errors import printable
from ..policies import CORE
from .comparison import Comparison
from .fits import Fit
from .misconceptions import Misconceptions
from .run_report import RunReport
from .worst import Worst

PASSES: Final = "pass@k = 1 - C(n-c, k) / C(n, k), pass^k = C(c, k) / C(n, k): n rollouts, c right"
TOLD: Final = "least told: (1.96 + 0.84) x SE, at 5 % and a power of 80 %"
MATCHES: Final = (
    "matched: wrong answers that the policy gives, of those where it is wrong too",
    "alone: those that no other one explains; views that coincide count as one",
    "share: wrong answers put down to it, ties divided",
    "by chance: what would match if wrong answers were dealt to other worlds",
)
_STEPS: Final = {"hardness": (1, "per twelfth of hardness"), "load": (10, "per ten calls of load")}


def title(report: RunReport) -> str:
    """Return a run's title: the model that played."""
    return named(report.model)


def named(model: str) -> str:
    """Return a model's name as it is shown."""
    return model or "a model without a name"


def hints(report: RunReport) -> Iterator[str]:
    """Yield what has to be known to read a run's figures, in a line each."""
    yield (
        f"{_counted(report.rollouts, 'rollout')} of {_counted(report.worlds, 'world')}, "
        f"panel {report.panel}, IANA {report.iana}"
    )
    if failed := report.rollouts - report.scored:
        yield f"{_counted(failed, 'rollout')} ended with an error, and no rate counts them"
    if report.require_proof:
        yield "an answer that is not proved scores 0 (require_proof)"
    if report.rewards_differ:
        yield (
            f"of {_counted(report.rewards_differ, 'rollout')} the recorded reward differs from "
            "the one computed here"
        )
    if len(report.models) > 1:
        yield f"{len(report.models)} models in one run: {', '.join(report.models)}"
    if len(report.prompts) > 1:
        yield f"{len(report.prompts)} different system prompts in one run"
    if report.torn:
        yield "the last line is incomplete and left out: the run goes on, or broke off"


def fit_text(fit: Fit) -> str:
    """Return a fit in one line: what the odds of success are multiplied by, and how sure that is.

    An interval without 1 tells a slope from none.
    """
    on = " and ".join(fit.measures)
    if fit.problem:
        return f"on {on}: no fit: {fit.problem}"
    parts = []
    for one in fit.slopes:
        by, step = _STEPS[one.measure]
        low, high = math.exp(one.low * by), math.exp(one.high * by)
        parts.append(f"x {one.odds(by):.2f} [{low:.2f}, {high:.2f}] {step}")
    return f"on {on}: odds {', '.join(parts)}"


def explained(found: Misconceptions) -> list[str]:
    """Return how many wrong answers are whose, in a line each."""
    if not found.wrong:
        return ["no answer is wrong"]
    lines = [
        f"{found.core} of {found.wrong} are a core policy's, {found.core_alone} of them of one "
        "alone"
    ]
    if found.others:
        lines.append(f"{found.others} are no core policy's, but another one's")
    if found.unexplained:
        lines.append(
            f"{found.unexplained} are nobody's; {found.near_misses} of them start in a near miss"
        )
    return lines


def worst_lines(one: Worst) -> list[str]:
    """Return what is said of a rollout that went wrong, in a line each."""
    calls = f"{one.calls} calls; the smallest proof takes {one.floor}"
    lines = [
        f"hardness {one.core_failed}/{len(CORE)}, {calls}",
        f"gave {one.given or 'no answer'}, right is {one.right}",
        *one.reasons,
    ]
    if one.core or one.others:
        lines.append(f"as {', '.join((*one.core, *one.others))}")
    return [printable(line) for line in lines]


def comparison_lines(found: Comparison) -> list[str]:
    """Return what has to be known of a comparison, in a line each."""
    first, second = map(named, found.models)
    lines = [
        f"first: {first}, second: {second}",
        f"paired on {_counted(found.worlds, 'world')}, each counted once",
    ]
    if found.left_out:
        lines.append(f"{_counted(found.left_out, 'world')} not scored in both runs, left out")
    if not found.same_prompts:
        lines.append("the system prompts differ")
    return lines


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
