"""The file of a run of `vf-eval`, read in a stream, and the settings that lie beside it.

Version 1 of `verifiers` writes `traces.jsonl`, one episode a line, and its settings to
`configs/resolved/eval.json`; version 0 writes `results.jsonl`, one rollout a line, and
`metadata.json`.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from ..errors import FileError, printable, shortened

FILES: Final = ("traces.jsonl", "results.jsonl")
MAX_BYTES: Final = 2**28
"""The longest line that is read: of a model with log-probabilities, one takes some megabytes."""
_SETTINGS: Final = ("configs/resolved/eval.json", "metadata.json")


class Line(msgspec.Struct, frozen=True):
    """One line of a run's file.

    Attributes:
        number: from 1.
        offset: in bytes from the file's start, to read it again.
        value: the JSON object.
    """

    number: int
    offset: int
    value: dict[str, Any]


class RunFile:
    """The file of one run.

    Attributes:
        path: of the file.
        shown: the path as it is printed.
        torn: whether the last line that was read is incomplete: it is left out.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shown = printable(str(path))
        self.torn = False

    def lines(self) -> Iterator[Line]:
        """Yield the lines that are not empty, one at a time.

        A last line without an end that is no JSON is one that is still being written: it is left
        out, and `torn` says so.

        Raises:
            FileError: the file cannot be read, or a line is no JSON object.
        """
        self.torn = False
        with self._open() as file:
            offset = number = 0
            while text := self._read(file.readline, number + 1):
                number += 1
                if text.strip():
                    value = _object(text)
                    if value is None and not text.endswith(b"\n"):
                        self.torn = True
                        return
                    if value is None:
                        raise self.error(number, f"expected a JSON object, got {_start(text)}")
                    yield Line(number, offset, value)
                offset += len(text)

    def line_at(self, line: Line) -> Line:
        """Read a line again whose value was not kept.

        Raises:
            FileError: the file has changed.
        """
        with self._open() as file:
            file.seek(line.offset)
            value = _object(self._read(file.readline, line.number))
        if value is None:
            raise self.error(line.number, "the file has changed since it was read")
        return Line(line.number, line.offset, value)

    def error(self, number: int, problem: str) -> FileError:
        """Return the error of one line."""
        return FileError(f"{self.shown}:{number}: no output of vf-eval: {problem}")

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that lie beside the file; empty where there are none to be read."""
        for name in _SETTINGS:
            try:
                found = _object(self.path.parent.joinpath(name).read_bytes())
            except OSError:
                continue
            if found is not None:
                return found
        return {}

    def _open(self) -> IO[bytes]:
        try:
            return self.path.open("rb")
        except OSError as error:
            raise FileError(f"{self.shown}: {error.strerror or error}") from None

    def _read(self, readline: Any, number: int) -> bytes:
        try:
            text: bytes = readline(MAX_BYTES + 1)
        except OSError as error:
            raise FileError(f"{self.shown}: {error.strerror or error}") from None
        if len(text) > MAX_BYTES:
            raise self.error(number, f"a line longer than {MAX_BYTES // 2**20} MiB")
        return text


def run_file(path: str | Path) -> RunFile:
    """Return the run that a path names: its file, or a folder somewhere below which it lies.

    Raises:
        FileError: there is none, or a folder holds several runs.
    """
    given = Path(path)
    shown = printable(str(path))
    if given.is_dir():
        files = sorted(file for name in FILES for file in given.rglob(name))
        if len(files) != 1:
            each = "; give each run's folder" if files else ""
            raise FileError(f"{shown}: expected one run of vf-eval, found {len(files)}{each}")
        return RunFile(files[0])
    if not given.exists():
        raise FileError(f"{shown}: there is no such file or folder")
    if not given.is_file():
        raise FileError(f"{shown}: expected a file or a folder; a run is read more than once")
    return RunFile(given)


def _object(text: bytes) -> dict[str, Any] | None:
    """Return the JSON object that a line holds, or None where it holds none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _start(text: bytes) -> str:
    return shortened(text.decode(errors="replace").strip(), 40)
