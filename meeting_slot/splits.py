"""Splits: rows generated from a seed, each independent of the others.

No shape is shared between any rows of an eval split and any of a train split, whatever the seeds:
the last bit of the shape hash is 0 in the one and 1 in the other.
"""

import hashlib
import json
import random
from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from .cpsat.solver import OutOfWork
from .cpsat.synthesis import GENERATOR, synthesize
from .cpsat.wishes import Target, WishError
from .measures import Band
from .mixes import EVAL_NONE, TRAIN_NONE, Mix, default_mix, hard_mix, one_wish, same_wish_again
from .world import World

Side = Literal["eval", "train"]
PARITY: Final[dict[Side, int]] = {"eval": 0, "train": 1}

MOST_WISHES: Final = 8
"""How many wishes of a mix are tried for one row."""

# Policies of which a world was found that no other core policy fails, but for the entailed ones.
ISOLATED: Final = (
    "ignore-time-zones",
    "ignore-dst",
    "offset-frozen",
    "ignore-weekdays",
    "sunday-first",
    "busy-by-utc-date",
    "ignore-busy",
    "busy-end-inclusive",
    "half-hour-grid",
    "first-attendee-only",
    "skip-last-attendee",
    "first-day-only",
    "second-pass-unseen",
    "second-pass-not-busy",
    "day-ends-2359",
    "short-busy-missed",
    "window-in-local-dates",
    "first-two-attendees",
    "skip-attendee-1",
    "skip-attendee-2",
)
"""The policies that can be isolated, in the order of `isolate-v1`."""


def generate(
    target: Target,
    count: int,
    seed: str,
    split: str = "gen",
    mix: Mix = one_wish,
    *,
    first: int = 0,
) -> Iterator[World]:
    """Yield `count` worlds, in order, from row `first` on.

    Row i depends on a hash over generator version, split name, seed, i and target, and on nothing
    else: neither on the rows before it nor on the process.

    Args:
        target: the wish, or what all rows of the mix have in common.
        count: how many rows.
        seed: any text.
        split: the name of the split.
        mix: makes each row's own wish.
        first: the number of the first row.

    Raises:
        WishError: the wish cannot come true.
        OutOfWork: the solver reached its limit too often.
    """
    for row in range(first, first + count):
        yield _row(target, row_seed(target, seed, row, split), mix)


def row_seed(target: Target, seed: str, row: int, split: str = "gen") -> str:
    """Return the seed of one row, 64 hex digits."""
    key = json.dumps([GENERATOR, split, seed, row, target.to_json()], sort_keys=True)
    return hashlib.sha256(key.encode()).hexdigest()


def rows(
    side: Side,
    seed: str,
    count: int,
    *,
    band: Band | None = None,
    hardness: int | None = None,
    first: int = 0,
) -> Iterator[World]:
    """Yield the rows of an eval or a train split of any seed.

    Args:
        side: `eval` or `train`; they share no shape.
        seed: any text.
        count: how many.
        band: only worlds of this band.
        hardness: in twelfths; only worlds of it, and not together with a band.
        first: the number of the first row.

    Raises:
        ValueError: both a band and a hardness are given.
    """
    if band is not None and hardness is not None:
        raise ValueError("a band and a hardness exclude each other")
    base = Target(shape_parity=PARITY[side], hardness=hardness)
    mix = default_mix(EVAL_NONE if side == "eval" else TRAIN_NONE, band)
    name = side if band is None else f"{side} {band.value}"
    wish = one_wish if hardness is not None else mix
    yield from generate(base, count, seed, name, wish, first=first)


def frozen_rows(name: str) -> Iterator[World]:
    """Yield the rows of a named split as they are made now, for the makers of its next version.

    The splits of version 1 were made by "synthesis 1", as their manifests say: they can be checked,
    and not made again.

    Raises:
        KeyError: no such split is made here.
    """
    target = Target(shape_parity=PARITY["eval"])
    match name:
        case "core-v1":
            yield from generate(target, 300, "core-v1", name, default_mix(EVAL_NONE))
        case "hard-v1":
            yield from generate(target, 300, "hard-v1", name, hard_mix)
        case "isolate-v1":
            for policy in ISOLATED:
                isolating = msgspec.structs.replace(target, isolate=policy)
                yield from generate(isolating, 20, "isolate-v1", name, same_wish_again)
        case "train-v1":
            target = Target(shape_parity=PARITY["train"])
            yield from generate(target, 5000, "train-v1", name, default_mix(TRAIN_NONE))
        case _:
            raise KeyError(name)


def _row(target: Target, seed: str, mix: Mix) -> World:
    rng = random.Random(seed)
    last = MOST_WISHES - 1
    for trial in range(MOST_WISHES):
        wish = mix(target, rng)
        try:
            return synthesize(wish, seed if trial == 0 else f"{seed} {trial}")
        except (WishError, OutOfWork):
            if trial == last or mix is one_wish:
                raise
    raise AssertionError("the last trial returns or raises")
