"""Written runs: a plan's rows in a file with its manifest, whatever interrupts the run meanwhile.

Beside `FILE.part`, the finished rows, stands `FILE.part.json`: what they are made from. A run that
is resumed reads both, refuses rows that are not its own, and makes the others.
"""

import contextlib
import json
import os
from collections.abc import Generator
from io import FileIO
from typing import NamedTuple

from .engines import Engine
from .errors import FileError, MeetingSlotError, WorkerLost, printable
from .files import MAX_BYTES
from .instants import answer_text
from .manifest import Manifest, Origin, Tally, check_unchanged, path_of, read_origin, text_of
from .measures import panel_meta
from .parsing import parse_world
from .shards import Plan, versions
from .splits import row_seed
from .sweep import earliest_start
from .world import content_hash
from .writing import new_file, part_of, write_text, write_whole


class Written(NamedTuple):
    """A finished file: its manifest, and how many of its rows were there before this run."""

    manifest: Manifest
    found: int


def write_plan(
    plan: Plan, path: str, engine: Engine, *, force: bool = False, resume: bool = False
) -> Written:
    """Write a plan's rows as JSONL, and the manifest beside it.

    An interruption leaves an old file whole, and the finished rows in `PATH.part`.

    Args:
        plan: the rows.
        path: where the file shall be.
        engine: makes the rows.
        force: an old file is overwritten.
        resume: what an interrupted run of the same plan has left is completed; a file that is
            complete stays as it is.

    Raises:
        FileError: the file exists and `force` is not set, it cannot be written, or what is to be
            resumed was made from another plan, under other versions, or was changed.
        WishError: a row cannot be made.
        OutOfWork: the solver reached its limit too often.
        WorkerLost: a process that made rows has ended.
        KeyboardInterrupt: with a message that says what is kept.
    """
    final, note = os.path.realpath(path), _note_of(path)
    origin = Origin(plan.to_json(), versions())
    if resume and (manifest := _complete(plan, origin, path, force)) is not None:
        return Written(_with_manifest(manifest, path), manifest.count)
    tally = Tally()
    found = 0
    noted = False
    try:
        with new_file(path, force=force, resume=resume) as file:
            if os.fstat(file.fileno()).st_size > 0:
                _refuse_other(origin, path)
                file.truncate(_read_rows(plan, file, tally, part_of(path)))
                file.seek(0, os.SEEK_END)
                found = tally.count
            else:
                write_text(text_of(origin), note)
            noted = True
            with contextlib.closing(_lines(engine, plan, tally.count)) as lines:
                for line in lines:
                    row = f"{line}\n".encode()
                    write_whole(file, row)
                    tally.add(row)
            if force or not os.path.exists(final):
                _remove(path_of(final))  # it would not be that of the new file
    except BaseException as error:
        if not os.path.exists(part_of(path)):
            if noted:
                _remove(note)
        elif noted and tally.count and isinstance(error, WorkerLost | FileError):
            raise type(error)(f"{error}; {_kept(tally, path)}") from None
        elif noted and tally.count and isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt(_kept(tally, path)) from None
        raise
    return Written(_with_manifest(tally.manifest(origin), path), found)


def _lines(engine: Engine, plan: Plan, made: int) -> Generator[str, None, None]:
    left = plan.rows[made:]
    if left:
        yield from engine(plan, left)


def _complete(plan: Plan, origin: Origin, path: str, force: bool) -> Manifest | None:
    """Return the manifest of a file that is the finished one of this plan.

    A run that was interrupted after it gave the file its name may have left `FILE.part`, which is
    the same file then, and no manifest.
    """
    final, part = os.path.realpath(path), part_of(path)
    if not os.path.isfile(final):
        return None
    if os.path.exists(part):
        if not os.path.samefile(part, final):
            return None
        _remove(part)
    recorded = read_origin(path_of(final)) or read_origin(_note_of(path))
    if recorded is None:
        return None
    if (difference := recorded.difference(origin)) is not None:
        if force:
            return None
        raise FileError(f"{printable(path)}: exists, and {difference}; --force overwrites it")
    if (manifest := check_unchanged(path)) is not None:
        return manifest
    tally = Tally()
    with FileIO(final, "r") as file:
        end = _read_rows(plan, file, tally, final)
        whole = tally.count == len(plan.rows) and end == os.fstat(file.fileno()).st_size
    return tally.manifest(origin) if whole else None


def _refuse_other(origin: Origin, path: str) -> None:
    """Refuse an unfinished file that was made from something else."""
    note, shown = _note_of(path), printable(part_of(path))
    recorded = read_origin(note)
    if recorded is None:
        raise FileError(
            f"{shown}: cannot be resumed: {printable(note)}, which says what it was made from, "
            "is missing"
        )
    if (difference := recorded.difference(origin)) is not None:
        raise FileError(f"{shown}: was made from something else: {difference}")


def _read_rows(plan: Plan, file: FileIO, tally: Tally, path: str) -> int:
    """Count the rows that a file holds, and return the bytes they take; a torn last line is left.

    Raises:
        FileError: a line is not the row of the plan that belongs there.
    """
    rows = iter(plan.rows)
    size = 0
    with open(file.fileno(), "rb", closefd=False) as lines:
        while (line := lines.readline(MAX_BYTES)).endswith(b"\n"):
            row = next(rows, None)
            if row is None or not _is_row(plan, row, line) or not tally.add(line):
                raise FileError(
                    f"{printable(path)}:{tally.count + 1}: is not the row that this run writes "
                    "there; it cannot be resumed"
                )
            size += len(line)
    return size


def _is_row(plan: Plan, row: int, line: bytes) -> bool:
    """Return whether a line is whole and that of a row: world, answer, seed and measures are."""
    try:
        world = parse_world(json.loads(line))
        meta = world.meta or {}
        seed = meta.get("seed")
        return (
            world.to_line().encode() + b"\n" == line
            and world.own_id == content_hash(world)
            and world.recorded == answer_text(earliest_start(world))
            and isinstance(seed, str)
            and seed.startswith(row_seed(plan.target, plan.seed, row, plan.split))
            and panel_meta(world).items() <= meta.items()
        )
    except (ValueError, RecursionError, MeetingSlotError):
        return False


def _kept(tally: Tally, path: str) -> str:
    return (
        f"{tally.count} finished worlds are in {printable(path)}.part, --resume goes on with them"
    )


def _with_manifest(manifest: Manifest, path: str) -> Manifest:
    """Write the manifest, and remove the note that it replaces."""
    write_text(text_of(manifest), path_of(os.path.realpath(path)))
    _remove(_note_of(path))
    return manifest


def _note_of(path: str) -> str:
    return f"{part_of(path)}.json"


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
