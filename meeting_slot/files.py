"""World files, splits and files of answers: bytes to checked values, streamed line by line.

A file is one JSON document or JSONL; it is JSONL when its first line alone is a complete object and
more lines follow. Every error names the file and, in a JSONL, the line.
"""

import io
import itertools
import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any, Final, NamedTuple

import jiter

from .decoding import certain_world
from .errors import FileError, MeetingSlotError, WorldError, printable, quoted
from .parsing import parse_proposal, parse_world
from .world import World

MAX_BYTES: Final = 64 * 2**20
"""The longest document, or line of a JSONL, that is read."""

_BUFFER: Final = 2**18
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_POSITION: Final = re.compile(r" at line (\d+) column (\d+)$")


class Row(NamedTuple):
    """The text of one JSON value and where it stands.

    Attributes:
        file: its file, as it is shown.
        line: its line in a JSONL, from 1; 0 where the file is one document.
        text: the text.
        skipped: how many bytes of its file or line come before the text.
    """

    file: str
    line: int
    text: bytes
    skipped: int = 0

    @property
    def place(self) -> str:
        """Where it stands, as in `split.jsonl:3`."""
        return _place(self.file, self.line)


class UniqueIds:
    """The ids seen so far in one file."""

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}

    def __contains__(self, world_id: str) -> bool:
        return world_id in self._lines

    def add(self, world_id: str, row: Row) -> None:
        """Take in the id of a row.

        Raises:
            FileError: it was used before.
        """
        line = self._lines.setdefault(world_id, row.line)
        if line != row.line:
            raise FileError(
                f"{row.place}: id: {quoted(world_id, limit=128)} was used before, "
                f"in {_place(row.file, line)}"
            )


def read_worlds(path: str) -> Iterator[World]:
    """Yield the worlds of a world file or split, in order and one at a time.

    Args:
        path: a regular file, a pipe that has a writer, or `-` for standard input.

    Raises:
        FileError: the file cannot be read, a world is not usable, or two have the same id.
    """
    return worlds_of_rows(read_rows(path))


def read_rows(path: str) -> Iterator[Row]:
    """Yield the texts of the worlds of a world file or split, as `read_worlds` reads them.

    Raises:
        FileError: the file cannot be read.
    """
    with _opened(path) as file:
        yield from rows_in(file, _shown(path))


def worlds_in(file: IO[bytes], shown: str) -> Iterator[World]:
    """Yield the worlds of an open file as `read_worlds` does; errors name it as `shown`."""
    return worlds_of_rows(rows_in(file, shown))


def worlds_of_rows(rows: Iterable[Row]) -> Iterator[World]:
    """Yield the worlds of the rows of one file.

    Raises:
        FileError: a world is not usable, or two have the same id.
    """
    ids = UniqueIds()
    for row in rows:
        world = world_of_row(row)
        ids.add(world.id, row)
        yield world


def world_of_row(row: Row) -> World:
    """Return the world of a row.

    Raises:
        FileError: it is not usable.
    """
    world = certain_world(row.text)
    if world is not None:
        return world
    with _placed(row):
        return parse_world(_decode(row))


def read_world(path: str) -> World:
    """Return the one world of a file.

    Raises:
        FileError: as `read_worlds`, or the file holds several worlds.
    """
    return the_one_world(read_worlds(path), path)


def the_one_world(worlds: Iterator[World], path: str, advice: str = "") -> World:
    """Return the only world of those that were read from a path.

    Raises:
        FileError: there are several; `advice` says what to do then.
    """
    found = list(itertools.islice(worlds, 2))
    if len(found) != 1:
        raise FileError(f"{_shown(path)}: expected one world, got several{advice}")
    return found[0]


def read_answers(path: str) -> dict[str, str]:
    """Return the proposed answers of a JSONL of `{"id": …, "answer": …}`, by world id.

    Raises:
        FileError: the file cannot be read, a row is not usable, an answer is no instant and not
            NONE, or an id is repeated.
    """
    answers: dict[str, str] = {}
    ids = UniqueIds()
    for row in read_rows(path):
        with _placed(row):
            world_id, answer = parse_proposal(_decode(row))
        ids.add(world_id, row)
        answers[world_id] = answer
    return answers


def _place(file: str, line: int) -> str:
    return f"{file}:{line}" if line else file


@contextmanager
def _placed(row: Row) -> Iterator[None]:
    """Put a row's place before the message of whatever is wrong in it."""
    try:
        yield
    except MeetingSlotError as error:
        raise FileError(f"{row.place}: {error}") from None


def rows_in(file: IO[bytes], shown: str) -> Iterator[Row]:
    """Yield the rows of an open file, which errors name as `shown`.

    Raises:
        FileError: the file cannot be read, or is empty.
    """
    lines = _filled_lines(file, shown)
    number, first, skipped = next(lines, (0, b"", 0))
    if not first:
        raise FileError(f"{shown}: the file is empty")
    if not _is_complete_object(first):
        rest = file.read(MAX_BYTES + 1 - len(first))
        if len(first) + len(rest) > MAX_BYTES:
            raise _too_long(shown)
        # The blank lines that were left out count for the position of an error.
        yield Row(shown, 0, b"\n" * (number - 1) + first + rest, skipped - (number - 1))
        return
    second = next(lines, None)
    if second is None:
        yield Row(shown, 0, first, skipped)
        return
    for line_number, line, _ in itertools.chain([(number, first, 0), second], lines):
        yield Row(shown, line_number, line.rstrip(b"\r\n"))


def _filled_lines(file: IO[bytes], shown: str) -> Iterator[tuple[int, bytes, int]]:
    """Yield the lines that are not blank: number from 1, content, bytes before it."""
    before = 0
    filled = 0
    for number in itertools.count(1):
        line = file.readline(MAX_BYTES + 1)
        if len(line) > MAX_BYTES:
            raise _too_long(f"{shown}:{number}" if filled else shown)
        if not line:
            return
        length = len(line)
        if number == 1:
            line = line.removeprefix(_BYTE_ORDER_MARK)
            before = length - len(line)
            length = len(line)
        if line.strip():
            filled += 1
            yield number, line, before
        before += length


def _too_long(shown: str) -> FileError:
    return FileError(f"{shown}: a world, or a line, is longer than {MAX_BYTES >> 20} MiB")


def _is_complete_object(line: bytes) -> bool:
    try:
        return isinstance(jiter.from_json(line), dict)
    except ValueError:
        return False


def _decode(row: Row) -> object:
    """Decode strict JSON: no repeated key, no NaN, no unpaired surrogate, bounded nesting."""
    try:
        return jiter.from_json(row.text, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as error:
        raise _syntax_error(row, str(error)) from None


def _syntax_error(row: Row, problem: str) -> WorldError:
    try:
        row.text.decode()
    except UnicodeDecodeError as error:
        return WorldError("", f"not UTF-8 text, at byte {row.skipped + error.start}")
    if problem.startswith("Detected duplicate key"):
        try:
            return _RepeatedKey.find(row.text)
        except (ValueError, RecursionError):  # something after the key is amiss as well
            position = _POSITION.search(problem)
            assert position is not None
            return WorldError(
                "", f"a key is given twice, at line {position[1]}, column {position[2]}"
            )
    position = _POSITION.search(problem)
    if position is None:
        return WorldError("", f"not valid JSON: {printable(problem)}")
    what = problem[: position.start()].replace("EOF while parsing", "it ends inside")
    return WorldError("", f"not valid JSON at line {position[1]}, column {position[2]}: {what}")


class _RepeatedKey(dict[str, Any]):
    """An object in which a key is repeated, found again by the slower standard parser."""

    key: str

    @classmethod
    def find(cls, text: bytes) -> WorldError:
        def marked(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            members = cls(pairs)
            seen: set[str] = set()
            for key, _ in pairs:
                if key in seen:
                    members.key = key
                    return members
                seen.add(key)
            return dict(pairs)

        path = cls._path(json.loads(text, object_pairs_hook=marked), "")
        return WorldError(path or "", "the key is given twice")

    @classmethod
    def _path(cls, value: object, path: str) -> str | None:
        if isinstance(value, cls):
            return cls._member(path, value.key)
        items: Iterator[tuple[str, object]]
        if isinstance(value, dict):
            items = ((cls._member(path, key), item) for key, item in value.items())
        elif isinstance(value, list):
            items = ((f"{path}[{i}]", item) for i, item in enumerate(value))
        else:
            return None
        return next(filter(None, (cls._path(item, inner) for inner, item in items)), None)

    @staticmethod
    def _member(path: str, key: str) -> str:
        if not key.isidentifier():
            return f"{path}[{quoted(key)}]"
        return f"{path}.{quoted(key)[1:-1]}" if path else quoted(key)[1:-1]


def _shown(path: str) -> str:
    return "standard input" if path == "-" else printable(path)


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    if path == "-":
        if sys.stdin is None:
            raise FileError(f"{_shown(path)}: cannot be read: it is closed")
        try:
            yield sys.stdin.buffer
        except OSError as error:
            raise _unreadable(path, error) from None
        return
    try:
        # Without O_NONBLOCK, opening a fifo would wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        os.close(descriptor)
        raise FileError(f"{_shown(path)}: is a directory; expected a file or a pipe")
    with os.fdopen(descriptor, "rb", buffering=0) as raw:
        head = b""
        if stat.S_ISFIFO(mode):
            try:
                head = os.read(descriptor, io.DEFAULT_BUFFER_SIZE)
            except BlockingIOError:
                pass  # a writer that has not written yet
            else:
                if not head:
                    raise FileError(f"{_shown(path)}: nothing to read: the pipe has no writer")
            os.set_blocking(descriptor, True)
        elif not stat.S_ISREG(mode):
            raise FileError(f"{_shown(path)}: is a device; expected a file or a pipe")
        try:
            yield io.BufferedReader(_Resumed(head, raw), _BUFFER)
        except OSError as error:
            raise _unreadable(path, error) from None


class _Resumed(io.RawIOBase):
    """A raw stream whose first bytes were already read."""

    def __init__(self, head: bytes, raw: io.RawIOBase) -> None:
        self._head = head
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if not self._head:
            return self._raw.readinto(buffer)
        count = min(len(buffer), len(self._head))
        buffer[:count] = self._head[:count]
        self._head = self._head[count:]
        return count


def _unreadable(path: str, error: OSError | ValueError) -> FileError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return FileError(f"{_shown(path)}: cannot be read: {reason}")
