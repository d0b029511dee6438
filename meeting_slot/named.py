"""The named splits: frozen worlds that ship with the package, whose bytes never change.

A name stands for its bytes: a better split gets a new name. The manifest holds each split's sum.
"""

import os
from collections.abc import Iterator
from functools import cache
from typing import IO, cast

import msgspec

from .errors import FileError, printable, quoted
from .files import Row, read_rows, rows_in, the_one_world, worlds_of_rows
from .world import World


class Manifest(msgspec.Struct, frozen=True):
    """What is known of a named split.

    Attributes:
        name: the split's name.
        count: its worlds.
        sha256: of the JSONL, 64 hex digits.
        generator: the version of the synthesis that made it.
        ortools: the version of OR-Tools that made it.
        iana: the release of the zone data that it was made under.
        canary: a string that is nowhere else; where a model can complete it, it has seen the file.
    """

    name: str
    count: int
    sha256: str
    generator: str
    ortools: str
    iana: str
    canary: str


@cache
def manifests() -> dict[str, Manifest]:
    """Return the named splits by name."""
    from importlib import resources

    text = resources.files("meeting_slot").joinpath("data/splits.json").read_bytes()
    return {one.name: one for one in msgspec.json.decode(text, type=list[Manifest])}


def named_split(name: str) -> Iterator[World]:
    """Yield the worlds of a named split, in order.

    Raises:
        FileError: there is none of that name.
    """
    return worlds_of_rows(_named_rows(name))


def worlds_of(path: str) -> Iterator[World]:
    """Yield the worlds of a file, or of the named split where no file has that name.

    Raises:
        FileError: as `files.read_worlds`.
    """
    return worlds_of_rows(rows_of(path))


def picked_world(path: str, world_id: str | None) -> World:
    """Return the world of a file or named split that has an id; without one, the only world.

    Raises:
        FileError: as `worlds_of`, no world has the id, or none was given and there are several.
    """
    worlds = worlds_of(path)
    if world_id is None:
        return the_one_world(worlds, path, "; --id picks one")
    for world in worlds:
        if world.id == world_id:
            return world
    raise FileError(f"{printable(path)}: no world has the id {quoted(world_id, limit=128)}")


def rows_of(path: str) -> Iterator[Row]:
    """Yield the texts of the worlds that `worlds_of` yields.

    Raises:
        FileError: as `files.read_rows`.
    """
    return _named_rows(path) if is_name(path) else read_rows(path)


def is_name(path: str) -> bool:
    """Return whether a path is the name of a named split, and no file has that name."""
    return path != "-" and not os.path.exists(path) and path in manifests()


def _named_rows(name: str) -> Iterator[Row]:
    if name not in manifests():
        raise FileError(f"no split is named {name}; known are {', '.join(manifests())}")
    import gzip
    from importlib import resources

    path = resources.files("meeting_slot").joinpath(f"data/{name}.jsonl.gz")
    with path.open("rb") as packed, gzip.GzipFile(fileobj=packed) as file:
        yield from rows_in(cast("IO[bytes]", file), name)
