"""The one exception family, and the safe quoting of text that came from outside."""

import json
import re
from typing import Final

_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # control characters: a raw newline could forge an answer line
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls reorder what is read
    "\u2028\u2029\ud800-\udfff]"  # line separators and unpaired surrogates
)


class MeetingSlotError(Exception):
    """Input or a wish that this package cannot use; the message is one printable line."""


class WorldError(MeetingSlotError):
    """A value of a world, or of a row of answers, that breaks the format.

    Attributes:
        path: where it stands, as in `attendees[1].busy["2024-03-08"][0].end`; empty at the top.
        problem: the value and what was expected.
    """

    def __init__(self, path: str, problem: str) -> None:
        if len(path) > 160:
            path = path[:100] + "…" + path[-40:]
        super().__init__(f"{path}: {problem}" if path else problem)
        self.path = path
        self.problem = problem


class FileError(MeetingSlotError):
    """A file that cannot be read or written, or whose content is not usable."""


class UnknownZone(MeetingSlotError):
    """A time-zone name that is not in the IANA list of the `tzdata` package."""


class WorkerLost(MeetingSlotError):
    """A process that made rows has ended, or none could be started."""


class UnreadableAnswer(MeetingSlotError):
    """A proposed answer that is neither an instant nor NONE."""


def printable(text: str) -> str:
    r"""Return `text` on one line, control and bidirectional characters as `\uXXXX`."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def shortened(text: str, limit: int = 60) -> str:
    """Return `text` on one printable line, cut after `limit` characters."""
    line = printable(text[: limit + 1])
    return line if len(line) <= limit else line[:limit] + "…"


def quoted(value: object, *, ascii_only: bool = False, limit: int = 60) -> str:
    """Return a JSON value as it would be written, on one line and cut after `limit` characters."""
    if isinstance(value, str):
        text = json.dumps(value[: limit + 1], ensure_ascii=ascii_only)
    elif isinstance(value, dict):
        text = "an object"
    elif isinstance(value, list):
        text = "a list"
    elif isinstance(value, int) and value.bit_length() > 4 * limit:
        text = f"a number of {value.bit_length()} bits"  # str() of it costs quadratic time
    elif value is None or isinstance(value, int | float):
        text = json.dumps(value)
    else:  # no JSON value: an argument from Python
        text = repr(value)
    return shortened(text, limit)
