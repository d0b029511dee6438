"""Mixes: what kinds of worlds a split holds, drawn row by row."""

import random
from collections.abc import Callable
from typing import Final

import msgspec

from .cpsat.wishes import Target
from .measures import Band, Size
from .policies import CORE, can_find_too_much

EVAL_NONE: Final = 0.10
TRAIN_NONE: Final = 0.05
_BANDS: Final = {Band.EASY: 0.40, Band.MEDIUM: 0.35, Band.HARD: 0.25}
_HARDNESS: Final = {Band.EASY: range(5), Band.MEDIUM: range(5, 9), Band.HARD: range(9, 13)}
_MANY_STRETCHES: Final = 0.9
"""The share of worlds with an answer that have three or more separate valid stretches."""
_MOST_HARDNESS_OF_NONE: Final = sum(map(can_find_too_much, CORE))

Mix = Callable[[Target, random.Random], Target]
"""What makes of a base wish the wish of one row, drawing from the row's own chance."""


def default_mix(none_share: float, band: Band | None = None) -> Mix:
    """Return the mix of the shipped splits: easy 40 %, medium 35 %, hard 25 %; load S or M.

    Args:
        none_share: the share of worlds whose answer is NONE.
        band: only worlds of this band.
    """

    def wish(base: Target, rng: random.Random) -> Target:
        (drawn,) = rng.choices(list(_BANDS), list(_BANDS.values()))
        none = rng.random() < none_share
        hardness = rng.choice(_HARDNESS[band or drawn])
        stretches = 3 if rng.random() < _MANY_STRETCHES else 1
        if none:
            return msgspec.structs.replace(
                base, answer="NONE", hardness=min(hardness, _MOST_HARDNESS_OF_NONE)
            )
        return msgspec.structs.replace(base, hardness=hardness, stretches=stretches)

    return wish


def hard_mix(base: Target, rng: random.Random) -> Target:
    """Return a wish at hardness 1.0: every core shortcut fails, every attendee is load-bearing."""
    return msgspec.structs.replace(
        base,
        hardness=len(CORE),
        load=rng.choices([Size.S, Size.M], [0.2, 0.8])[0],
        stretches=3 if rng.random() < 0.5 else 1,
    )


def same_wish_again(base: Target, rng: random.Random) -> Target:
    """Return the base wish, as `one_wish`, for wishes worth as many trials as a mix has."""
    return one_wish(base, rng)


def one_wish(base: Target, rng: random.Random) -> Target:
    """Return the base wish: all rows alike."""
    del rng
    return base


MIXES: Final[dict[str, Mix]] = {"one wish": one_wish, "default": default_mix(EVAL_NONE)}
"""The mixes that a plan can name."""
