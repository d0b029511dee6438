"""Files written safely: whole lines to `FILE.part`, renamed at the end."""

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from io import FileIO

from .errors import FileError, printable
from .world import World

if sys.platform != "win32":
    import fcntl


def write_split(worlds: Iterable[World], path: str, *, force: bool = False) -> None:
    """Write worlds as JSONL, each line whole before the next world is made.

    An interruption leaves an old file whole, and the finished lines in `PATH.part`.

    Raises:
        FileError: the file exists and `force` is not set, or it cannot be written.
    """
    with _new_file(path, force) as file:
        for world in worlds:
            _write_whole(file, f"{world.to_line()}\n".encode())


def _write_whole(file: FileIO, line: bytes) -> None:
    """Write a line, or nothing of it."""
    start = file.tell()
    try:
        while line:
            line = line[file.write(line) :]
    except OSError:
        file.truncate(start)
        raise


@contextlib.contextmanager
def _new_file(path: str, force: bool) -> Iterator[FileIO]:
    final = os.path.realpath(path)  # a symbolic link stays one
    part = f"{final}.part"
    shown = printable(path)
    mode = None
    try:
        mode = os.stat(final).st_mode
        if not stat.S_ISREG(mode):
            raise FileError(f"{shown}: exists and is not a regular file")
        if not force:
            raise FileError(f"{shown}: exists; --force overwrites it")
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _unwritable(shown, error) from None
    try:
        file = _opened_part(part, shown, force)
    except OSError as error:
        raise _unwritable(shown, error) from None
    try:
        with file:
            try:
                yield file
                os.fsync(file.fileno())
                _publish(part, final, mode, shown)
            finally:
                if file.tell() == 0:  # nothing was finished, nothing is lost
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(part)
    except OSError as error:
        raise _unwritable(shown, error) from None


def _opened_part(part: str, shown: str, force: bool) -> FileIO:
    """Open `FILE.part` anew, for this run alone."""
    if force:
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(os.lstat(part).st_mode):
                os.unlink(part)  # not opened: it may be a fifo, or a link to somewhere else
    try:
        file = FileIO(part, "r+" if force and os.path.exists(part) else "x")
    except FileExistsError:
        raise FileError(
            f"{shown}.part: left by an interrupted run, or another run is writing it; "
            "remove it, or use --force once that run has ended"
        ) from None
    if not _locked(file):
        file.close()
        raise FileError(f"{shown}.part: another run is writing it")
    file.truncate(0)
    return file


def _locked(file: FileIO) -> bool:
    """Lock a file for as long as it is open; return whether nobody else has it."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _publish(part: str, final: str, mode: int | None, shown: str) -> None:
    """Give the finished file its name, and the rights of the file that it replaces."""
    if mode is not None:
        os.chmod(part, stat.S_IMODE(mode))
        os.replace(part, final)
        return
    try:
        os.link(part, final)  # a rename would overwrite what has appeared meanwhile
    except FileExistsError:
        raise FileError(
            f"{shown}: appeared during the run; the worlds are in {shown}.part"
        ) from None
    os.unlink(part)


def _unwritable(shown: str, error: OSError) -> FileError:
    return FileError(f"{shown}: cannot be written: {error.strerror or error}")
