"""Plans: which rows a run makes, and everything that their bytes depend on.

Shard K/N of a split of `count` rows is its rows K, K + N, K + 2N, ...; rows and shards are counted
from 0. A plan can be sent to another process or machine, and is the same there.
"""

import re
from importlib.metadata import version
from typing import Any

import msgspec

from .cpsat.synthesis import GENERATOR
from .cpsat.wishes import Target
from .errors import MeetingSlotError, quoted
from .mixes import MIXES
from .policies import PANEL_VERSION
from .splits import generate
from .world import World
from .zones import iana_release


class NoSuchShard(MeetingSlotError):
    """A shard that is none, or that holds no row; says which there are."""


class Shard(msgspec.Struct, frozen=True):
    """Every `of`-th row from row `number` on, where 0 <= number < of."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


WHOLE = Shard(0, 1)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The rows to be made, as `splits.generate` makes them.

    Attributes:
        target: the wish, or what all rows of the mix have in common.
        count: how many rows the whole split has, all shards taken together.
        seed: any text.
        split: the split's name.
        mix: a name of `mixes.MIXES`.
        shard: which of the rows are made.
    """

    target: Target
    count: int
    seed: str
    split: str = "gen"
    mix: str = "one wish"
    shard: Shard = WHOLE

    @property
    def rows(self) -> range:
        """The numbers of the rows that are made."""
        return range(self.shard.number, self.count, self.shard.of)

    def world(self, row: int) -> World:
        """Make one row.

        Raises:
            WishError: the wish cannot come true.
            OutOfWork: the solver reached its limit too often.
        """
        mix = MIXES[self.mix]
        return next(generate(self.target, 1, self.seed, self.split, mix, first=row))

    def to_json(self) -> dict[str, Any]:
        """Return the plan as a manifest records it."""
        return {
            "split": self.split,
            "seed": self.seed,
            "count": self.count,
            "shard": str(self.shard),
            "mix": self.mix,
            "target": self.target.to_json(),
        }


def parse_shard(text: str, count: int) -> Shard:
    """Read a shard `K/N` of so many rows.

    Raises:
        NoSuchShard: it is none, or holds none of the rows.
    """
    match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text, re.ASCII)
    if match is None:
        raise NoSuchShard(f"shard {quoted(text)}: expected K/N, as in 0/4, the first of four")
    shard = Shard(int(match[1]), int(match[2]))
    if shard.of == 0:
        raise NoSuchShard(f"shard {shard}: a split has at least one shard, 0/1")
    if shard.number >= shard.of:
        last = f" to {shard.of - 1}/{shard.of}" if shard.of > 1 else " alone"
        raise NoSuchShard(f"shard {shard}: expected 0/{shard.of}{last}")
    if shard.number >= count:
        raise NoSuchShard(
            f"shard {shard}: none of {count} rows is in it; take {count} shards or fewer"
        )
    return shard


def versions() -> dict[str, str]:
    """Return the versions that a row may depend on, by name."""
    from . import __version__

    return {
        "meeting-slot": __version__,
        "generator": GENERATOR,
        "panel": PANEL_VERSION,
        "ortools": version("ortools"),
        "iana": iana_release(),
    }
