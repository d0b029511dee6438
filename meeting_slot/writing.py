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
    with new_file(path, force=force) as file:
        for world in worlds:
            write_whole(file, f"{world.to_line()}\n".encode())


def write_text(text: str, path: str) -> None:
    """Write a small file at once, over an old one: readers see the old text or the new one.

    Raises:
        FileError: it cannot be written.
    """
    part = f"{path}.part"
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)  # what stands there may be a link to somebody's file
        with open(part, "x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise _unwritable(printable(path), error) from None


def write_whole(file: FileIO, line: bytes) -> None:
    """Write a line, or nothing of it."""
    start = file.tell()
    try:
        while line:
            line = line[file.write(line) :]
    except OSError:
        file.truncate(start)
        raise


@contextlib.contextmanager
def new_file(
    path: str, *, force: bool = False, resume: bool = False, keep: bool = True
) -> Iterator[FileIO]:
    """Give the file `PATH.part`, for this run alone, which becomes `PATH` when the block ends well.

    Args:
        path: where the file shall be; a symbolic link stays one.
        force: an old file is overwritten, an unfinished one begun anew.
        resume: an unfinished file is given as it stands, to be read and written.
        keep: an unfinished file stays when the block fails, unless it is empty.

    Raises:
        FileError: the file exists and `force` is not set, or it cannot be written.
    """
    final = os.path.realpath(path)
    part = part_of(path)
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
        file = _opened_part(part, shown, force, resume)
    except OSError as error:
        raise _unwritable(shown, error) from None
    finished = False
    try:
        with file:
            try:
                yield file
                finished = True
                os.fsync(file.fileno())
                _publish(part, final, mode, shown)
            finally:
                # Nothing was finished, nothing is lost.
                if not (finished or keep) or os.fstat(file.fileno()).st_size == 0:
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(part)
    except OSError as error:
        raise _unwritable(shown, error) from None


def part_of(path: str) -> str:
    """Return where the finished lines of an unfinished file stand."""
    return f"{os.path.realpath(path)}.part"


def _opened_part(part: str, shown: str, force: bool, resume: bool) -> FileIO:
    """Open `FILE.part` for this run alone: anew, or as it stands where the run is resumed."""
    if force or resume:
        with contextlib.suppress(FileNotFoundError):
            found = os.lstat(part)
            if not stat.S_ISREG(found.st_mode) and resume:
                raise FileError(f"{shown}.part: is not a regular file")
            if not resume and (not stat.S_ISREG(found.st_mode) or found.st_nlink > 1):
                os.unlink(part)  # not opened: it may be a fifo, or the same file as another
    try:
        file = FileIO(part, "r+" if (force or resume) and os.path.exists(part) else "x+")
    except FileExistsError:
        raise FileError(
            f"{shown}.part: left by an interrupted run, or another run is writing it; "
            "--resume continues it, --force begins anew once that run has ended"
        ) from None
    if not _locked(file) or not _still_there(file, part):
        file.close()
        raise FileError(f"{shown}.part: another run is writing it")
    if not resume:
        file.truncate(0)
    return file


def _still_there(file: FileIO, part: str) -> bool:
    """Return whether the run that wrote a file has not given it its name meanwhile."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.lstat(part))
    except FileNotFoundError:
        return False


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
