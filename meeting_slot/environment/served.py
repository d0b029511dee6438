"""Which worlds an environment serves, in which order: curated, named, generated, or a file's."""

import itertools
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, get_args

import msgspec

from ..cpsat.wish_texts import hardness_wish
from ..curated import curated_worlds
from ..errors import MeetingSlotError, quoted
from ..measures import Band, band_of, load
from ..named import manifests, named_split, worlds_of
from ..splits import PARITY, Side
from ..world import World
from .row_cache import generated_rows

Difficulty = Literal["mixed", "easy", "medium", "hard"]

DEFAULT_SEED: Final = "42"
_FROZEN: Final[dict[Side, str]] = {"eval": "core-v1", "train": "train-v1"}


class Serving(msgspec.Struct, frozen=True, kw_only=True):
    """What an environment is asked to serve; v1 fields and v0 arguments have these names.

    Attributes:
        split: `eval`, `train`, or the name of a shipped split, which is served whole.
        worlds: paths of world files and splits, served whole instead.
        num_train_examples: rows of `train`.
        num_eval_examples: rows of `eval`, the curated 15 included and first.
        seed: of the generated rows; `eval` and `train` share no world, whatever the seeds.
        difficulty: only generated rows of this band; None and `mixed` are the default mix.
        target_hardness: only generated rows of this hardness, from 0 to 1; not with a difficulty.
    """

    split: str = "eval"
    worlds: Sequence[str] = ()
    num_train_examples: int = 500
    num_eval_examples: int = 100
    seed: str = DEFAULT_SEED
    difficulty: Difficulty | None = None
    target_hardness: float | None = None

    def __post_init__(self) -> None:
        """Raise MeetingSlotError where no world could be served by these settings."""
        splits = (*PARITY, *manifests())
        if self.split not in splits:
            raise _unknown("split", self.split, splits)
        for name in ("num_train_examples", "num_eval_examples"):
            if type(count := getattr(self, name)) is not int or count < 1:
                raise MeetingSlotError(f"{name}: expected 1 or more, got {quoted(count)}")
        if not isinstance(self.seed, str):
            raise MeetingSlotError(f"seed: expected a string, got {quoted(self.seed)}")
        if isinstance(self.worlds, str):
            raise MeetingSlotError(f"worlds: expected a list, got {quoted(self.worlds)}")
        if self.difficulty not in (None, *get_args(Difficulty)):
            raise _unknown("difficulty", self.difficulty, get_args(Difficulty))
        if self.target_hardness is not None:
            if self.difficulty is not None:
                raise MeetingSlotError("difficulty and target_hardness exclude each other")
            if type(self.target_hardness) not in (int, float):
                shown = quoted(self.target_hardness)
                raise MeetingSlotError(f"target_hardness: expected a number, got {shown}")
            hardness_wish(self.target_hardness)
        if self.worlds and self.split != "eval":
            raise MeetingSlotError(f"worlds and split {self.split} exclude each other")
        if self.worlds or self.split in manifests():
            self._check_served_whole()

    def _check_served_whole(self) -> None:
        what = "worlds" if self.worlds else f"split {self.split}"
        for name in ("difficulty", "target_hardness"):
            if getattr(self, name) is not None:
                raise MeetingSlotError(f"{name} is for train and eval; {what} is served whole")

    @property
    def band(self) -> Band | None:
        """The band that generated rows must have, if one was asked for."""
        return None if self.difficulty in (None, "mixed") else Band(self.difficulty)


def served_worlds(serving: Serving) -> Iterator[World]:
    """Yield the worlds, lazily: a row is generated when it is asked for.

    Raises:
        MeetingSlotError: two worlds have the same id.
        FileError: a file of `worlds`, or of the cache of generated rows, cannot be used.
        WishError: a row cannot be generated.
        OutOfWork: the solver reached its limit too often.
    """
    ids: set[str] = set()
    for world in _worlds(serving):
        if world.id in ids:
            raise MeetingSlotError(f"the id {quoted(world.id, limit=128)} is served twice")
        ids.add(world.id)
        yield world


def counted(worlds: Iterable[World], max_turns: int) -> Iterator[World]:
    """Yield the worlds; at the end, warn of those that one call a turn cannot read in so many."""
    count = long = 0
    try:
        for world in worlds:
            count += 1
            long += is_unreadable_in(world, max_turns)
            yield world
    finally:  # reached as well where the reader has enough
        if long:
            # No logger: verifiers drops what is logged while it loads.
            warnings.warn(
                f"{long} of {count} worlds cannot be read with one call a turn within {max_turns} "
                "turns",
                stacklevel=2,
            )


def is_unreadable_in(world: World, max_turns: int) -> bool:
    """Return whether one call a turn cannot read a world and answer within so many turns."""
    return load(world).calls + 1 > max_turns


def _worlds(serving: Serving) -> Iterator[World]:
    if serving.worlds:
        for path in serving.worlds:
            yield from worlds_of(path)
    elif serving.split in manifests():
        yield from named_split(serving.split)
    elif serving.split == "train":
        yield from itertools.islice(_generated(serving, "train"), serving.num_train_examples)
    else:
        rows = itertools.chain(curated_worlds(), _generated(serving, "eval"))
        yield from itertools.islice(rows, serving.num_eval_examples)


def _generated(serving: Serving, side: Side) -> Iterator[World]:
    """Yield the rows of a side without end: the shipped ones first, where they are what is asked.

    Shipped rows are those of the default seed without a wished hardness.
    """
    if serving.seed == DEFAULT_SEED and serving.target_hardness is None:
        for world in named_split(_FROZEN[side]):
            if serving.band is None or _band(world) is serving.band:
                yield world
    hardness = None if serving.target_hardness is None else hardness_wish(serving.target_hardness)
    yield from generated_rows(side, serving.seed, band=serving.band, hardness=hardness)


def _band(world: World) -> Band:
    """Return the band that a shipped world was measured to have; its meta is our own."""
    assert world.meta is not None
    return band_of(world.meta["core_failed"])


def _unknown(name: str, given: object, known: Sequence[str]) -> MeetingSlotError:
    return MeetingSlotError(f"{name}: expected one of {', '.join(known)}, got {quoted(given)}")
