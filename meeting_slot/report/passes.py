"""pass@k and pass^k: what several rollouts of a world show."""

import math
from collections.abc import Iterable, Sequence

import msgspec

from .clustered import Estimate, mean_of


class Passes(msgspec.Struct, frozen=True):
    """Both measures for one k.

    Attributes:
        k: how many rollouts are drawn.
        at: the mean of pass@k over the worlds with k rollouts or more: one of k is right.
        all: the mean of pass^k over the same worlds: all of k are right.
    """

    k: int
    at: Estimate
    all: Estimate


def pass_at(n: int, c: int, k: int) -> float:
    """Return the chance that of k rollouts, drawn from n of which c are right, one is right.

    `1 - C(n - c, k) / C(n, k)`, unbiased (Chen and others, "Evaluating Large Language Models
    Trained on Code", 2021, arXiv:2107.03374).
    """
    return 1 - math.comb(n - c, k) / math.comb(n, k)


def pass_all(n: int, c: int, k: int) -> float:
    """Return the chance that of k rollouts, drawn from n of which c are right, all are right.

    `C(c, k) / C(n, k)`, unbiased (Yao and others, "τ-bench: A Benchmark for Tool-Agent-User
    Interaction in Real-World Domains", 2024, arXiv:2406.12045).
    """
    return math.comb(c, k) / math.comb(n, k)


def passes(worlds: Iterable[tuple[int, int]]) -> list[Passes]:
    """Return both measures for k = 1, 2, 4, … and the most rollouts that a world has.

    Args:
        worlds: of each world, how many rollouts there are, 1 or more, and how many are right.

    Returns:
        One for each k, over the worlds with k rollouts or more: an error takes a rollout from its
        world. None where no world has two.
    """
    counts = list(worlds)
    most = max((n for n, _ in counts), default=0)
    if most < 2:
        return []
    return [_passes([one for one in counts if one[0] >= k], k) for k in (*_powers(most), most)]


def _powers(below: int) -> list[int]:
    return [2**i for i in range(below.bit_length()) if 2**i < below]


def _passes(counts: Sequence[tuple[int, int]], k: int) -> Passes:
    at = mean_of((i, pass_at(n, c, k)) for i, (n, c) in enumerate(counts))
    every = mean_of((i, pass_all(n, c, k)) for i, (n, c) in enumerate(counts))
    assert at is not None
    assert every is not None
    return Passes(k, at, every)
