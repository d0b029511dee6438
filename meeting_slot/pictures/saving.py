"""Pictures and pages as files: they go over old ones, and over nothing else."""

import importlib.util
import os
import stat
from typing import Final

from ..errors import FileError, printable
from ..writing import write_text
from .extra import NEEDED, missing

_BEGINNINGS: Final = (b"<!DOCTYPE html>", b"<svg ")


def save(text: str, path: str) -> None:
    """Write a picture or a page.

    Raises:
        FileError: as `check_place`, or it cannot be written.
    """
    check_place(path)
    write_text(text, path)


def check_place(path: str) -> None:
    """Find out before the work whether a picture or a page can be made and written after it.

    Raises:
        MeetingSlotError: the extra `report` is not installed.
        FileError: there is no such folder, or what is there is neither a picture nor a page.
    """
    for name in NEEDED:
        if importlib.util.find_spec(name) is None:
            raise missing(name)
    shown = printable(path)
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            raise FileError(f"{shown}: cannot be written: Is a directory")
        if not stat.S_ISREG(mode):
            raise FileError(f"{shown}: exists and is not a regular file")
        with open(path, "rb") as file:
            if not file.read(max(map(len, _BEGINNINGS))).startswith(_BEGINNINGS):
                raise FileError(f"{shown}: exists and is no picture or page: it would be lost")
    except FileNotFoundError:
        if not os.path.isdir(os.path.dirname(path) or os.curdir):
            raise FileError(f"{shown}: cannot be written: No such file or directory") from None
    except OSError as error:
        raise FileError(f"{shown}: cannot be written: {error.strerror or error}") from None
