"""The only door to time-zone data: IANA zones as spans of constant offset.

Data come from the `tzdata` package alone, never from the operating system, whose release differs
from machine to machine; `zoneinfo` interprets them. An offset with seconds is floored to the
minute, so that the local reading of a UTC minute is floored.
"""

import io
import itertools
import os
from datetime import datetime, timedelta
from functools import cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import tzdata

from .errors import UnknownZone, quoted
from .instants import MINUTES_A_DAY

_NO_PLACES = frozenset({"Factory", "localtime", "posixrules"})
_MINUTE = timedelta(minutes=1)
_PROBE: Final = 5 * MINUTES_A_DAY
_CHAPTER: Final = 73 * _PROBE  # some year; a zone's changes are found a chapter at a time


class Span(NamedTuple):
    """A stretch of UTC minutes `[start, end)` with one offset, in minutes east of UTC."""

    start: int
    end: int
    offset: int


class Change(NamedTuple):
    """A change of offset: `after` holds from the UTC minute `at` on, `before` until then."""

    at: int
    before: int
    after: int


def iana_release() -> str:
    """Return the release of the zone data, as in `2026f`."""
    return str(tzdata.IANA_VERSION)


def _data(path: str) -> bytes:
    """Return a file of the `tzdata` package, as `pkgutil.get_data`, which takes long to import."""
    folder = os.path.dirname(tzdata.__file__)
    content: bytes = tzdata.__loader__.get_data(os.path.join(folder, *path.split("/")))
    return content


@cache
def names() -> frozenset[str]:
    """Return every zone name that a world may use, aliases such as `US/Eastern` included."""
    return frozenset(_data("zones").decode().split()) - _NO_PLACES


def check_name(name: str) -> None:
    """Refuse a name that is not an IANA zone.

    Raises:
        UnknownZone: with the nearest names, where there are any.
    """
    if name not in names():
        raise UnknownZone(f"unknown time zone {quoted(name, ascii_only=True)}{_hint(name)}")


def spans(name: str, start: int, end: int) -> list[Span]:
    """Return the spans of constant offset that make up the UTC minutes `[start, end)`.

    Raises:
        UnknownZone: there is no such zone.
    """
    found: list[Span] = []
    for chapter in range(start // _CHAPTER, (end - 1) // _CHAPTER + 1):
        for span_start, span_end, offset in _spans_of_chapter(name, chapter):
            if span_end <= start:
                continue
            if span_start <= start and end <= span_end:  # most windows see no change
                return [Span(start, end, offset)]
            if span_start >= end:
                break
            if found and found[-1].offset == offset:
                found[-1] = Span(found[-1].start, min(span_end, end), offset)
            else:
                found.append(Span(max(span_start, start), min(span_end, end), offset))
    return found


def changes(name: str, start: int, end: int) -> list[Change]:
    """Return the offset changes whose first minute lies in `[start, end)`."""
    around = spans(name, start - 1, end)
    return [
        Change(after.start, before.offset, after.offset)
        for before, after in itertools.pairwise(around)
    ]


def offset_at(name: str, instant: int) -> int:
    """Return the offset at a UTC minute, in minutes east of UTC."""
    return spans(name, instant, instant + 1)[0].offset


@cache
def _zone(name: str) -> ZoneInfo:
    check_name(name)
    return ZoneInfo.from_file(io.BytesIO(_data(f"zoneinfo/{name}")), key=name)


@cache
def _spans_of_chapter(name: str, chapter: int) -> tuple[Span, ...]:
    """Return the spans of one chapter of a zone: probe every few days, bisect where it changed.

    One change between two probes at most: no two changes of any zone since 1970 are closer than
    six days.
    """
    zone = _zone(name)
    epoch = datetime(1970, 1, 1, tzinfo=zone)

    def offset_of(instant: int) -> timedelta:
        offset = zone.fromutc(epoch + timedelta(0, 60 * instant)).utcoffset()
        assert offset is not None  # zoneinfo returns None for time of day alone
        return offset

    start = chapter * _CHAPTER
    end = start + _CHAPTER
    found: list[Span] = []
    span_start, offset = start, offset_of(start)
    for probe in range(start + _PROBE, end + 1, _PROBE):
        if (next_offset := offset_of(probe)) == offset:
            continue
        before, after = probe - _PROBE, probe
        while after - before > 1:
            middle = (before + after) // 2
            if offset_of(middle) == offset:
                before = middle
            else:
                after = middle
        if after < end:
            found.append(Span(span_start, after, offset // _MINUTE))
            span_start, offset = after, next_offset
    found.append(Span(span_start, end, offset // _MINUTE))
    return tuple(found)


def _hint(name: str) -> str:
    """Return ` (did you mean …?)` for a misspelt name, otherwise what is expected."""
    import difflib

    by_folded = {known.casefold(): known for known in sorted(names())}
    folded = name[:64].casefold().replace(" ", "_")
    by_place = {known.rsplit("/", 1)[-1]: known for known in by_folded}
    close = difflib.get_close_matches(folded, by_folded, n=2, cutoff=0.75)
    close += [by_place[p] for p in difflib.get_close_matches(folded, by_place, n=2, cutoff=0.8)]
    if not close:
        return ": expected an IANA name such as Europe/Berlin"
    suggestions = list(dict.fromkeys(by_folded[match] for match in close))
    return f" (did you mean {' or '.join(suggestions[:2])}?)"
