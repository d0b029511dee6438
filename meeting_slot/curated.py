"""The 15 curated worlds: small, each answer derived by hand, in a fixed order."""

from functools import cache
from importlib import resources

from .files import worlds_in
from .world import World


@cache
def curated_worlds() -> tuple[World, ...]:
    """Return the 15 curated worlds; `meta["difficulty"]` is easy, medium or hard."""
    with resources.files("meeting_slot").joinpath("data/curated.jsonl").open("rb") as file:
        return tuple(worlds_in(file, "curated.jsonl"))
