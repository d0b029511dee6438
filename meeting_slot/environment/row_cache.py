"""Generated rows, kept on disk: made once, when first asked for, by whichever worker comes first.

Each kind of rows has a file of its own, a JSONL that only grows; its name stands for every version
that a row depends on. A worker that needs the next row and does not find it takes the file's lock,
looks again, and only then makes the row.
"""

import hashlib
import itertools
import json
import logging
import os
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock

from ..cpsat.synthesis import GENERATOR
from ..errors import FileError, MeetingSlotError, printable
from ..measures import Band
from ..parsing import parse_world
from ..policies import PANEL_VERSION
from ..splits import Side, rows
from ..world import World, content_hash
from ..zones import iana_release

logger = logging.getLogger(__name__)


def generated_rows(
    side: Side, seed: str, *, band: Band | None = None, hardness: int | None = None
) -> Iterator[World]:
    """Yield the rows of `splits.rows`, in order and without end.

    The cache is the folder `MEETING_SLOT_CACHE`, by default `meeting-slot` in the user's cache
    folder. Where it cannot be written, a warning is logged and rows are made each time.

    Raises:
        FileError: a file of the cache is damaged.
        WishError: a row cannot be made.
        OutOfWork: the solver reached its limit too often.
    """

    def made(row: int) -> World:
        return next(rows(side, seed, 1, band=band, hardness=hardness, first=row))

    kind = [side, seed, band.value if band else None, hardness]
    versions = [GENERATOR, PANEL_VERSION, version("ortools"), iana_release()]
    key = hashlib.sha256(json.dumps([kind, versions]).encode()).hexdigest()
    row = 0
    try:
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        shelf = _Shelf(folder / f"{side}-{key[:32]}.jsonl", made)
        while True:
            world = shelf.next_world()
            row += 1
            yield world
    except (OSError, NotImplementedError) as error:  # the latter: no locks on this file system
        logger.warning("generated worlds are not kept: %s", printable(str(error)))
    yield from map(made, itertools.count(row))


def _folder() -> Path:
    """Return where the files are; OSError where the user has no home folder to hold it."""
    chosen = os.environ.get("MEETING_SLOT_CACHE")
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return Path(chosen or f"{caches}/meeting-slot").expanduser()
    except RuntimeError as error:
        raise OSError(f"{error} Set MEETING_SLOT_CACHE to a folder.") from None


class _Shelf:
    """One file of rows, read from its start, and added to at its end."""

    def __init__(self, path: Path, made: Callable[[int], World]) -> None:
        self._path = path
        self._made = made
        self._row = 0
        self._offset = 0

    def next_world(self) -> World:
        """Return the next row; OSError where the file cannot be read or written."""
        world = self._kept()
        if world is None:
            with FileLock(f"{self._path}.lock"):  # a new one: it must not outlive a fork
                world = self._kept() or self._added()
        return world

    def _kept(self) -> World | None:
        """Return the next row if its line is there and whole."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                line = file.readline()
        except FileNotFoundError:
            return None
        if not line.endswith(b"\n"):
            return None
        try:
            world = parse_world(json.loads(line))
            intact = world.id == content_hash(world)
        except (ValueError, RecursionError, MeetingSlotError):
            intact = False
        if not intact:
            shown = printable(str(self._path))
            raise FileError(f"{shown}: line {self._row + 1} is damaged; delete this cache file")
        self._row += 1
        self._offset += len(line)
        return world

    def _added(self) -> World:
        """Make the next row and write its line, over what an interruption may have left."""
        world = self._made(self._row)
        line = f"{world.to_line()}\n".encode()
        with self._path.open("ab") as file:
            if file.tell() < self._offset:
                raise OSError(f"{self._path}: was cut or deleted by another program")
            file.truncate(self._offset)
            file.write(line)
        self._row += 1
        self._offset += len(line)
        return world
