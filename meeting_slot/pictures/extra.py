"""The optional extra `report`, and the message where it is missing."""

import contextlib
from collections.abc import Iterator

from ..errors import MeetingSlotError


@contextlib.contextmanager
def needs_extra() -> Iterator[None]:
    """Name the extra where an import of the block fails.

    Raises:
        MeetingSlotError: a library of the extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MeetingSlotError(
            f"{error.name} is missing: pip install 'meeting-slot[report]'"
        ) from None
