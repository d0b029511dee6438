"""Chance, drawn no more often than it is asked for."""

import random
from collections.abc import Iterator, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


def in_any_order(items: Sequence[_Item], rng: random.Random) -> Iterator[_Item]:
    """Yield the items in an order that chance decides, as far as they are asked for."""
    left = list(items)
    while left:
        at = rng.randrange(len(left))
        left[at], left[-1] = left[-1], left[at]
        yield left.pop()
