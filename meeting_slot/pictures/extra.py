"""The optional extra `report`, and the message where it is missing."""

import contextlib
from collections.abc import Iterator
from typing import Final

from ..errors import MeetingSlotError

NEEDED: Final = ("altair", "jinja2", "vl_convert")
"""What pictures and pages are made with."""


@contextlib.contextmanager
def needs_extra() -> Iterator[None]:
    """Name the extra where an import of the block fails.

    Raises:
        MeetingSlotError: a library of the extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise missing(error.name or "a library") from None


def missing(name: str) -> MeetingSlotError:
    """Return what is said where a library of the extra is not installed."""
    return MeetingSlotError(f"{name} is missing: pip install 'meeting-slot[report]'")
