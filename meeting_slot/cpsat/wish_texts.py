"""Wishes as they are written on a command line."""

import re
from typing import Literal

from .. import zones
from ..errors import quoted
from ..instants import parse_answer
from ..policies import CORE
from .wishes import COMMON_ZONES, WishError


def answer_wish(text: str) -> int | Literal["NONE"]:
    """Read a wished answer as it is written.

    Raises:
        UnreadableAnswer: it is neither an instant nor NONE.
        WishError: it is not on a whole minute.
    """
    answer = parse_answer(text)
    if answer is None:
        return "NONE"
    if not answer.whole:
        raise WishError(f"the answer {quoted(text)} is not on a whole minute")
    return answer.minute


def hardness_wish(share: float) -> int:
    """Return the hardness, in twelfths, nearest to a share from 0 to 1.

    Raises:
        WishError: it is not from 0 to 1.
    """
    if not 0 <= share <= 1:
        raise WishError(f"the hardness {share:g} is not from 0 to 1")
    return round(share * len(CORE))


def zones_wish(text: str) -> tuple[str, ...]:
    """Read `all`, `common` or IANA names separated by commas.

    Raises:
        UnknownZone: a name is none.
    """
    if text == "common":
        return COMMON_ZONES
    if text == "all":
        return tuple(sorted(zones.names()))
    listed = tuple(name.strip() for name in text.split(","))
    for name in listed:
        zones.check_name(name)
    return listed


def years_wish(text: str) -> tuple[int, int]:
    """Read a year, or the first and the last as in `2019-2025`.

    Raises:
        WishError: it is neither.
    """
    match = re.fullmatch(r"(\d{4})(?:-(\d{4}))?", text, re.ASCII)
    if match is None:
        raise WishError(f"the years {quoted(text)} are neither a year nor two, as in 2019-2025")
    return int(match[1]), int(match[2] or match[1])
