"""How success falls with hardness and load: logistic fits, or why there is none.

`logit P(exact) = intercept + Σ slope · measure`: a binomial GLM with the logit link (McCullagh and
Nelder, "Generalized Linear Models", 1989), standard errors cluster-robust by world (Liang and
Zeger, "Longitudinal data analysis using generalized linear models", Biometrika 73, 1986).
"""

import importlib.util
import math
import warnings
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from .clustered import Z

HARDNESS: Final = "hardness"
LOAD: Final = "load"
MEASURES: Final = ((HARDNESS,), (LOAD,), (HARDNESS, LOAD))
"""What exact answers are fitted on: each alone, and both."""
FEWEST_WORLDS: Final = 10
"""Fewer worlds than these a measure: standard errors by world would be guesses."""
NEEDS_EXTRA: Final = "the fit needs the extra: pip install 'meeting-slot[report]'"


class Trial(msgspec.Struct, frozen=True):
    """One rollout: its world, its measures, and whether it was right.

    Attributes:
        world: any number that its rollouts have in common.
        hardness: the core policies that fail on it, 0 to 12.
        load: the calls it takes to read everything.
        exact: whether the answer is right.
    """

    world: int
    hardness: int
    load: int
    exact: bool


class Slope(msgspec.Struct, frozen=True):
    """How the log-odds of success change with a measure, the others being fixed.

    Attributes:
        measure: hardness, a twelfth; or load, a call.
        slope: the change of the log-odds for one more.
        error: its cluster-robust standard error.
        low: the 95 % interval's lower end, `slope - 1.96 · error`.
        high: its upper end.
    """

    measure: str
    slope: float
    error: float
    low: float
    high: float

    def odds(self, by: int = 1) -> float:
        """Return what the odds of success are multiplied by where there are `by` more."""
        return math.exp(self.slope * by)


class Fit(msgspec.Struct, frozen=True):
    """One fit.

    Attributes:
        measures: what exact answers were fitted on.
        intercept: the log-odds where all measures are 0; None where there is no fit.
        slopes: one for each measure; none where there is no fit.
        problem: why there is no fit; "" where there is one.
    """

    measures: tuple[str, ...]
    intercept: float | None
    slopes: tuple[Slope, ...]
    problem: str

    def chance(self, *values: float) -> float | None:
        """Return the fitted share of right answers at a value of each measure."""
        if self.intercept is None:
            return None
        odds = self.intercept + sum(
            one.slope * value for one, value in zip(self.slopes, values, strict=True)
        )
        return 1 / (1 + math.exp(-max(min(odds, 700.0), -700.0)))


def fits(trials: Sequence[Trial]) -> list[Fit]:
    """Return the fit on each of `MEASURES`, or why there is none."""
    return [_fit(trials, measures) for measures in MEASURES]


def _fit(trials: Sequence[Trial], measures: tuple[str, ...]) -> Fit:
    problem = _problem(trials, measures)
    if problem:
        return Fit(measures, None, (), problem)
    import numpy as np

    design = np.array([[1.0, *(getattr(t, m) for m in measures)] for t in trials])
    exact = np.array([float(trial.exact) for trial in trials])
    if _is_separated(design, exact):
        return Fit(measures, None, (), "these separate right from wrong: the slope is infinite")
    found = _fitted(design, exact, [trial.world for trial in trials])
    if found is None:
        return Fit(measures, None, (), "the fit does not converge")
    (intercept, *slopes), (_, *errors) = found
    return Fit(
        measures,
        intercept,
        tuple(
            Slope(measure, slope, error, slope - Z * error, slope + Z * error)
            for measure, slope, error in zip(measures, slopes, errors, strict=True)
        ),
        "",
    )


def _problem(trials: Sequence[Trial], measures: tuple[str, ...]) -> str:
    """Return why a fit is not tried, or "" where nothing speaks against it."""
    worlds = {trial.world: trial for trial in trials}
    right = sum(trial.exact for trial in trials)
    fewest = FEWEST_WORLDS * len(measures)
    if len(worlds) < fewest:
        return f"{len(worlds)} worlds, and it takes {fewest}"
    if right in (0, len(trials)):
        return f"all answers are {'right' if right else 'wrong'}"
    for measure in measures:
        if len({getattr(trial, measure) for trial in worlds.values()}) == 1:
            return f"all worlds have the same {measure}"
    if importlib.util.find_spec("statsmodels") is None:
        return NEEDS_EXTRA
    return ""


def _is_separated(design: Any, exact: Any) -> bool:
    """Return whether some plane has all right answers on one side, or on it, and not all on it.

    Then the likelihood has no maximum (Albert and Anderson, "On the existence of maximum likelihood
    estimates in logistic regression models", Biometrika 71, 1984). Found by Konis's linear program:
    the most that `Σ s·x·b` can be over `b` in `[-1, 1]` with each `s·x·b >= 0`, s being 1 for right
    and -1 for wrong, is above 0.
    """
    import numpy as np
    from scipy.optimize import linprog

    scaled = design / np.abs(design).max(axis=0)
    signed = np.unique(scaled * np.where(exact == 1.0, 1.0, -1.0)[:, None], axis=0)
    bounds = [(-1, 1)] * signed.shape[1]
    found = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(signed)), bounds=bounds)
    return bool(found.status == 0 and -found.fun > 1e-6)


def _fitted(
    design: Any, exact: Any, worlds: Sequence[int]
) -> tuple[list[float], list[float]] | None:
    """Return coefficients and their standard errors, or None where the fit does not converge."""
    import numpy as np
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = GLM(exact, design, family=Binomial()).fit(
            cov_type="cluster", cov_kwds={"groups": np.array(worlds)}
        )
    coefficients, errors = [float(x) for x in found.params], [float(x) for x in found.bse]
    usable = all(map(math.isfinite, (*coefficients, *errors))) and all(x > 0 for x in errors)
    return (coefficients, errors) if found.converged and usable else None
