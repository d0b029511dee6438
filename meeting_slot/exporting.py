"""Exports: a split as a table that `datasets` reads, Parquet or compressed JSONL.

The column `world` is the JSON text of a world file without `answer` and `meta`: a model may be
shown it, and `meta` tells what answer was wished for. The other columns are computed from it.
"""

import contextlib
import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import IO, Any, Final

import msgspec

from .errors import MeetingSlotError, quoted
from .instants import answer_text
from .measures import band_of, hardness, load
from .sweep import earliest_start
from .world import World
from .writing import new_file

COLUMNS: Final = {
    "id": str,
    "world": str,
    "answer": str,
    "hardness": int,
    "band": str,
    "load_calls": int,
    "load_size": str,
    "attendees": int,
    "days": int,
}
"""The columns in order; hardness in twelfths, attendees and days counted."""

MOST_ROWS: Final = 1000
MOST_TEXT: Final = 16 * 2**20
"""What a row group holds at most, in rows and in characters of worlds; one world may be more."""

_AS_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}([T ]|$)")

_Rows = Callable[[dict[str, Any]], None]


class UnknownFormat(MeetingSlotError):
    """A file name whose ending names no format."""


def export(worlds: Iterable[World], path: str, *, force: bool = False) -> int:
    """Write worlds as a table, `.parquet` or `.jsonl.gz` by the file's name; return how many.

    The worlds are held a row group at a time. An unfinished file is not kept.

    Raises:
        UnknownFormat: the name has another ending.
        FileError: the file exists and `force` is not set, or it cannot be written.
        MeetingSlotError: an id cannot be written to JSONL, where it would be read as a date.
    """
    writer = _writer_for(path)
    count = 0
    with (
        new_file(path, force=force, keep=False) as part,
        open(part.fileno(), "wb", closefd=False) as file,
        writer(file) as write,
    ):
        for world in worlds:
            write(row_of(world))
            count += 1
    return count


def row_of(world: World) -> dict[str, Any]:
    """Return a world's row, by column."""
    failed, work = hardness(world), load(world)
    bare = msgspec.structs.replace(world, recorded=None, meta=None)
    return {
        "id": world.id,
        "world": bare.to_line(),
        "answer": answer_text(earliest_start(world)),
        "hardness": failed,
        "band": band_of(failed).value,
        "load_calls": work.calls,
        "load_size": work.size.value,
        "attendees": len(world.attendees),
        "days": world.request.window_days,
    }


def _writer_for(path: str) -> Callable[[IO[bytes]], AbstractContextManager[_Rows]]:
    for ending, writer in _WRITERS.items():
        if path.endswith(ending):
            return writer
    raise UnknownFormat(f"{quoted(path)}: expected a name that ends in {' or '.join(_WRITERS)}")


@contextlib.contextmanager
def _jsonl(file: IO[bytes]) -> Iterator[_Rows]:
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:

        def write(row: dict[str, Any]) -> None:
            if _AS_DATE.match(row["id"]):
                raise MeetingSlotError(
                    f"the id {quoted(row['id'])} would be read as a date from JSONL; use .parquet"
                )
            # Arrow's JSON reader takes ...:00Z for a timestamp, unless the first rows have a NONE;
            # with a fraction of the second it is text everywhere, and the same instant.
            answer = row["answer"].replace("Z", ".000Z")
            text = json.dumps({**row, "answer": answer}, ensure_ascii=False)
            packed.write(f"{text}\n".encode())

        yield write


@contextlib.contextmanager
def _parquet(file: IO[bytes]) -> Iterator[_Rows]:
    import pyarrow
    from pyarrow import parquet

    types = {str: pyarrow.string(), int: pyarrow.int64()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
    group: list[dict[str, Any]] = []
    size = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:

        def flush() -> None:
            nonlocal size
            writer.write_table(pyarrow.Table.from_pylist(group, schema=schema))
            group.clear()
            size = 0

        def write(row: dict[str, Any]) -> None:
            nonlocal size
            group.append(row)
            size += len(row["world"])
            if len(group) >= MOST_ROWS or size >= MOST_TEXT:
                flush()

        yield write
        if group:
            flush()


_WRITERS: Final = {".parquet": _parquet, ".jsonl.gz": _jsonl}
