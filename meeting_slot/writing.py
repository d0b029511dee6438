"""Files written safely: whole lines to `FILE.part`, renamed at the end."""

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from typing import IO

from .errors import FileError, printable
from .world import World


def write_split(worlds: Iterable[World], path: str, *, force: bool = False) -> None:
    """Write worlds as JSONL, each line whole before the next world is made.

    An interruption leaves an old file whole, and the finished lines in `PATH.part`.

    Raises:
        FileError: the file exists and `force` is not set, or it cannot be written.
    """
    with _new_file(path, force) as file:
        for world in worlds:
            file.write(f"{world.to_line()}\n".encode())
            file.flush()


@contextlib.contextmanager
def _new_file(path: str, force: bool) -> Iterator[IO[bytes]]:
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
        if force:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(part)  # not opened: it may be a fifo, or a link to somewhere else
        file = open(part, "xb")  # noqa: SIM115
    except FileExistsError:
        raise FileError(
            f"{shown}.part: left by an interrupted run, or another run is writing it; "
            "remove it, or use --force"
        ) from None
    except OSError as error:
        raise _unwritable(shown, error) from None
    try:
        with file:
            yield file
            os.fsync(file.fileno())
        if force:
            if mode is not None:
                os.chmod(part, stat.S_IMODE(mode))
            os.replace(part, final)
        else:
            os.link(part, final)  # where a rename would overwrite what appeared meanwhile
            os.unlink(part)
    except OSError as error:
        raise _unwritable(shown, error) from None
    finally:
        # Nothing was finished, nothing is lost.
        with contextlib.suppress(FileNotFoundError):
            if os.path.getsize(part) == 0:
                os.unlink(part)


def _unwritable(shown: str, error: OSError) -> FileError:
    return FileError(f"{shown}: cannot be written: {error.strerror or error}")
