"""The statistics of a report: clustered means, pass@k, logistic fits."""

import importlib.util
import itertools
import math
import random
from collections.abc import Sequence
from statistics import stdev

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from meeting_slot.report import fits as fits_module
from meeting_slot.report.clustered import FEW, Estimate, Z, mean_of, share_of, smallest_told, wilson
from meeting_slot.report.fits import FEWEST_WORLDS, NEEDS_EXTRA, Trial, fits
from meeting_slot.report.passes import pass_all, pass_at, passes

untimed = settings(deadline=None, derandomize=True, max_examples=200)

groups = st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=4), min_size=1)


def clustered(values: Sequence[Sequence[float]]) -> list[tuple[int, float]]:
    return [(place, value) for place, group in enumerate(values) for value in group]


def known(found: Estimate | None) -> Estimate:
    assert found is not None
    return found


# Means and their errors


def test_the_error_of_two_worlds_that_agree_within_is_that_of_two_values() -> None:
    # Residual sums +1 and -1: SE² = 2 / 1 * (1 + 1) / 4² = 0.25.
    found = known(mean_of(clustered([[1, 1], [0, 0]])))
    assert (found.mean, found.error, found.clusters, found.values) == (0.5, 0.5, 2, 4)
    assert (found.low, found.high) == (0.5 - Z * 0.5, 0.5 + Z * 0.5)


def test_the_error_of_single_rollouts_is_the_usual_one() -> None:
    values = [0.2, 0.3, 1.2, 0.2, 1.2]
    found = known(mean_of(enumerate(values)))
    assert found.error == pytest.approx(stdev(values) / math.sqrt(5))


@untimed
@given(groups.filter(lambda values: len(values) > 1))
def test_the_error_is_that_of_a_regression_on_a_constant_clustered_by_world(
    values: list[list[float]],
) -> None:
    pairs = clustered(values)
    fitted = sm.OLS([value for _, value in pairs], np.ones(len(pairs))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array([place for place, _ in pairs])}
    )
    assert known(mean_of(pairs)).error == pytest.approx(float(fitted.bse[0]), abs=1e-9)


@untimed
@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=2), st.integers(2, 5))
def test_repeating_every_rollout_makes_no_mean_surer(values: list[float], times: int) -> None:
    once, often = (known(share_of(clustered([[v] * n for v in values]))) for n in (1, times))
    assert often.error == pytest.approx(known(once).error, abs=1e-9)
    assert (often.low, often.high) == pytest.approx((once.low, once.high), abs=0.02)


@untimed
@given(groups, st.sampled_from([0.5, 1.0]))
def test_an_interval_of_a_share_holds_it_and_stays_in_bounds(
    values: list[list[float]], most: float
) -> None:
    found = known(share_of([(p, v * most) for p, v in clustered(values)], most))
    assert found.low is not None
    assert found.high is not None
    assert -1e-9 <= found.low <= found.mean + 1e-9
    assert found.mean - 1e-9 <= found.high <= most + 1e-9
    assert found.high - found.low > 0.01


def test_where_all_agree_the_interval_is_that_of_as_many_values_as_worlds() -> None:
    found = known(share_of(clustered([[1, 1, 1]] * 10)))
    # Wilson for 10 of 10: from 1 / (1 + z² / 10) to 1.
    assert (found.error, found.method) == (0.0, "wilson")
    assert (found.low, found.high) == pytest.approx((1 / (1 + Z**2 / 10), 1))
    alone = known(share_of(clustered([[1, 0]])))
    assert (alone.error, alone.low, alone.high) == (None, *wilson(0.5, 1))


def test_many_worlds_with_many_of_both_have_a_normal_interval() -> None:
    found = known(share_of(clustered([[1], [0]] * (FEW // 2))))
    assert found.method == "normal"
    assert found.error == pytest.approx(math.sqrt(0.25 / (FEW - 1)))
    assert known(share_of(clustered([[1]] * 9 + [[0]] * 50))).method == "wilson"  # 9 < RARE
    assert known(share_of(clustered([[1], [0]] * (FEW // 2 - 1)))).method == "wilson"
    # As many rollouts, but the worlds agree within: the effective size is below 20 + 20.
    assert known(share_of(clustered([[1, 1], [0, 0]] * 9))).method == "wilson"


def test_wilson_is_the_published_interval() -> None:
    # 1 of 10: Newcombe, "Two-sided confidence intervals for the single proportion", 1998.
    assert wilson(0.1, 10) == pytest.approx((0.0179, 0.4042), abs=1e-4)


def test_of_no_values_there_is_no_mean_and_of_equal_ones_no_interval() -> None:
    assert mean_of([]) is None
    assert share_of([]) is None
    found = known(mean_of(clustered([[1.2], [1.2]])))
    assert (found.mean, found.error, found.low, found.method) == (1.2, 0.0, None, "none")


def test_the_smallest_difference_told_is_that_of_a_power_of_80_percent() -> None:
    assert smallest_told(1.0) == pytest.approx(1.96 + 0.84, abs=0.002)
    rng = random.Random(7)
    shifted = [rng.gauss(smallest_told(1.0), 1.0) for _ in range(20_000)]
    assert sum(abs(value) > Z for value in shifted) / len(shifted) == pytest.approx(0.8, abs=0.01)


# Several rollouts a world


@untimed
@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))), st.data())
def test_pass_at_and_pass_all_are_shares_of_all_draws(
    counts: tuple[int, int], data: st.DataObject
) -> None:
    n, c = counts
    k = data.draw(st.integers(1, n))
    draws = list(itertools.combinations([True] * c + [False] * (n - c), k))
    assert pass_at(n, c, k) == pytest.approx(sum(map(any, draws)) / len(draws))
    assert pass_all(n, c, k) == pytest.approx(sum(map(all, draws)) / len(draws))


def test_passes_are_means_over_the_worlds_with_k_rollouts_for_powers_of_two_and_all() -> None:
    found = passes([(5, 3), (5, 0)])
    assert [one.k for one in found] == [1, 2, 4, 5]
    assert [one.at.mean for one in found] == pytest.approx([0.3, 0.45, 0.5, 0.5])
    assert [one.all.mean for one in found] == pytest.approx([0.3, 0.15, 0, 0])
    assert found[0].at.error == pytest.approx(0.3)
    one, two = passes([(2, 1), (1, 0)])
    assert (one.k, one.at.mean, one.at.values) == (1, 0.25, 2)
    assert (two.k, two.at.mean, two.all.mean, two.at.values) == (2, 1, 0, 1)
    assert passes([(1, 1), (1, 0)]) == passes([]) == []


# Fits


def trials(*counts: tuple[int, int, int, int]) -> list[Trial]:
    """Return trials in worlds of their own: hardness, load, how many are right, how many not."""
    outcomes = [
        (hardness, load, exact)
        for hardness, load, right, wrong in counts
        for exact in [True] * right + [False] * wrong
    ]
    return [Trial(world, *one) for world, one in enumerate(outcomes)]


def test_a_fit_on_two_values_goes_through_both_shares() -> None:
    on_hardness, on_load, on_both = fits(trials((0, 20, 80, 20), (6, 20, 20, 80)))
    # logit 0.8 = ln 4, logit 0.2 = -ln 4: the slope is -2 ln 4 / 6.
    (slope,) = on_hardness.slopes
    assert on_hardness.intercept == pytest.approx(math.log(4), abs=1e-4)
    assert slope.slope == pytest.approx(-2 * math.log(4) / 6, abs=1e-4)
    assert (on_hardness.chance(0), on_hardness.chance(6)) == pytest.approx((0.8, 0.2), abs=1e-4)
    assert slope.odds(6) == pytest.approx(1 / 16, abs=1e-4)
    # Each logit has the variance 1 / (n p q) = 1/16, the slope 2/16 / 6².
    assert slope.error == pytest.approx(math.sqrt(2 / 16) / 6, rel=0.01)
    assert slope.high - slope.slope == pytest.approx(Z * slope.error)
    assert slope.slope - slope.low == pytest.approx(Z * slope.error)
    assert on_load.problem == on_both.problem == "all worlds have the same load"


def test_repeating_every_rollout_makes_no_slope_surer() -> None:
    once = trials((0, 10, 8, 4), (4, 20, 7, 5), (8, 15, 4, 8), (12, 30, 2, 10))
    for single, double in zip(fits(once), fits(once * 2), strict=True):
        for one, other in zip(single.slopes, double.slopes, strict=True):
            assert other.slope == pytest.approx(one.slope, abs=1e-6)
            assert other.error == pytest.approx(one.error, rel=0.02)


def test_a_fit_on_both_tells_hardness_from_load() -> None:
    rng = random.Random(3)
    found = []
    for world in range(2_000):
        hardness, load = rng.randrange(13), rng.randrange(9, 60)
        odds = 2 - 0.4 * hardness
        found.append(Trial(world, hardness, load, rng.random() < 1 / (1 + math.exp(-odds))))
    hardness_slope, load_slope = fits(found)[-1].slopes
    assert hardness_slope.low < -0.4 < hardness_slope.high
    assert load_slope.low < 0 < load_slope.high


SEPARATE = "these separate right from wrong: the slope is infinite"


@pytest.mark.parametrize(
    ("counts", "problems"),
    [
        # too few worlds for any
        ([(0, 10, 5, 4)], ["9 worlds, and it takes 10"] * 2 + ["9 worlds, and it takes 20"]),
        ([(0, 10, 10, 0), (5, 20, 15, 0)], ["all answers are right"] * 3),
        ([(0, 10, 0, 10), (5, 20, 0, 15)], ["all answers are wrong"] * 3),
        ([(3, 10, 9, 9), (3, 20, 9, 9)], ["all worlds have the same hardness", ""]),
        # all right up to hardness 4, all wrong from 5 on
        ([(4, 10, 9, 0), (5, 10, 0, 9), (4, 20, 9, 0), (5, 20, 0, 9)], [SEPARATE, "", SEPARATE]),
        # the same, but both at 4: the likelihood still has no maximum
        ([(0, 10, 9, 0), (4, 20, 9, 9), (9, 15, 0, 9)], [SEPARATE]),
        ([(0, 10, 9, 1), (4, 20, 9, 9), (9, 15, 0, 9)], [""]),
        # neither alone separates, together they do: right exactly where load > 2 * hardness
        (
            [(1, 1, 0, 9), (1, 5, 9, 0), (4, 5, 0, 9), (4, 10, 9, 0), (9, 10, 0, 9)],
            ["", "", SEPARATE],
        ),
    ],
)
def test_what_stands_against_a_fit_is_said_and_nothing_warns(
    counts: list[tuple[int, int, int, int]], problems: list[str]
) -> None:
    found = [fit.problem for fit in fits(trials(*counts))]
    assert found[: len(problems)] == problems


@untimed
@given(
    st.lists(
        st.builds(Trial, st.integers(0, 30), st.integers(0, 12), st.integers(9, 40), st.booleans()),
        max_size=60,
    )
)
def test_any_trials_have_fits_or_problems(found: list[Trial]) -> None:
    for fit in fits(found):
        assert bool(fit.problem) == (fit.intercept is None)
        assert all(math.isfinite(one.error) and one.error > 0 for one in fit.slopes)


def test_without_the_extra_the_fit_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    found = fits(trials((0, 10, 20, 9), (6, 20, 9, 20)))
    assert [fit.problem for fit in found] == [NEEDS_EXTRA] * len(fits_module.MEASURES)
    assert "pip install 'meeting-slot[report]'" in NEEDS_EXTRA
    assert FEWEST_WORLDS == 10
