"""Means over rollouts that come in clusters, one a world, and how sure they are.

Several rollouts of one world resemble each other, so they tell less than as many of different
worlds. Standard errors are cluster-robust, with the worlds as clusters (Miller, "Adding Error Bars
to Evals", 2024, arXiv:2411.00640; the factor for few clusters as in Cameron and Miller, "A
Practitioner's Guide to Cluster-Robust Inference", Journal of Human Resources 50, 2015).
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

Z: Final = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""
Z_POWER: Final = 0.8416212335729143
"""The normal quantile of a power of 80 %."""
FEW: Final = 30
"""Fewer clusters than these: the standard error is too unsure itself for a normal interval."""
RARE: Final = 10
"""Fewer values of one kind than these: their number is far from normally distributed."""

Values: TypeAlias = Iterable[tuple[Hashable, float]]
"""Values, each with its cluster."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A mean and how sure it is.

    Attributes:
        mean: of all values.
        values: how many there are.
        clusters: how many worlds they come from.
        error: the cluster-robust standard error; None for a single cluster.
        low: the 95 % interval's lower end; None where there is no interval.
        high: its upper end.
        method: how the interval was found: `normal`, `wilson`, or `none`.
    """

    mean: float
    values: int
    clusters: int
    error: float | None
    low: float | None
    high: float | None
    method: str


def mean_of(values: Values) -> Estimate | None:
    """Return the mean of any values with a normal interval, `mean ± 1.96 · SE`; None of no values.

    With N values in G clusters, e the residuals `value - mean`:
    `SE² = G / (G - 1) · Σ_clusters (Σ e)² / N²`. No interval where SE is 0 or unknown: then all
    clusters agree, which says nothing of how sure the mean is.
    """
    return _estimate(_by_cluster(values))


def share_of(values: Values, most: float = 1.0) -> Estimate | None:
    """Return the mean of values that are 0 or `most`, with an interval that stays in `[0, most]`.

    With the share p that is `most`, and the design effect `deff = SE² / (p (1 - p) / N)`, the
    effective sample size is `n = N / deff`, kept between the numbers of clusters and of values; the
    number of clusters, as the worst case, where all values are equal. The interval is normal, as in
    `mean_of`, where there are `FEW` clusters or more and both n p and n (1 - p) are at least
    `RARE`. Elsewhere it is Wilson's for n values ("Probable Inference", Journal of the American
    Statistical Association 22, 1927; with n as Korn and Graubard, "Confidence Intervals for
    Proportions with Small Expected Number of Positive Counts", Survey Methodology 24, 1998).
    """
    groups = _by_cluster(values)
    found = _estimate(groups)
    if found is None:
        return None
    share = found.mean / most
    n = _effective(share, found, most)
    if found.clusters >= FEW and min(n * share, n * (1 - share)) >= RARE:
        return found
    low, high = wilson(share, n)
    return msgspec.structs.replace(found, low=low * most, high=high * most, method="wilson")


def wilson(share: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share of n values; n need not be whole."""
    centre = share + Z**2 / (2 * n)
    half = Z * math.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
    scale = 1 + Z**2 / n
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)


def smallest_told(error: float) -> float:
    """Return the smallest true difference that is told from none in 80 % of all runs.

    `(1.96 + 0.84) · SE`, for a two-sided test at 5 % and a power of 80 % (Miller 2024, section 5).
    """
    return (Z + Z_POWER) * error


def _by_cluster(values: Values) -> Mapping[Hashable, Sequence[float]]:
    groups: dict[Hashable, list[float]] = {}
    for cluster, value in values:
        groups.setdefault(cluster, []).append(value)
    return groups


def _estimate(groups: Mapping[Hashable, Sequence[float]]) -> Estimate | None:
    count = sum(map(len, groups.values()))
    if not count:
        return None
    mean = math.fsum(value for group in groups.values() for value in group) / count
    error = None
    if len(groups) > 1:
        squares = math.fsum(
            math.fsum(value - mean for value in group) ** 2 for group in groups.values()
        )
        error = math.sqrt(len(groups) / (len(groups) - 1) * squares) / count
        error = 0.0 if error < 1e-12 else error  # what rounding leaves of equal values
    return Estimate(
        mean=mean,
        values=count,
        clusters=len(groups),
        error=error,
        low=mean - Z * error if error else None,
        high=mean + Z * error if error else None,
        method="normal" if error else "none",
    )


def _effective(share: float, found: Estimate, most: float) -> float:
    """Return the effective sample size of a share."""
    if not 0 < share < 1 or not found.error:
        return found.clusters
    effect = (found.error / most) ** 2 / (share * (1 - share) / found.values)
    return min(max(found.values / effect, found.clusters), found.values)
