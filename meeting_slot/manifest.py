"""Manifests: what was written, beside it, as `FILE.manifest.json`.

A manifest tells whether its file is still the one that was written, from which arguments and under
which versions it was made, and what it holds.
"""

import hashlib
import json
import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, TypeVar

import msgspec

from .errors import FileError, printable, shortened
from .measures import Band, Size, band_of
from .policies import CORE

MOST_BYTES: Final = 2**20
"""The longest manifest that is read."""

_Record = TypeVar("_Record")


class Origin(msgspec.Struct, frozen=True):
    """What the bytes of a split follow from.

    Attributes:
        made: split, seed, count of all shards, shard, mix and target, see `shards.Plan`.
        versions: of the package, its generator and panel, OR-Tools and the zone data.
    """

    made: dict[str, Any]
    versions: dict[str, str]

    def difference(self, other: "Origin") -> str | None:
        """Return the first thing that differs, in words; None where nothing does."""
        for what, here, there in (
            ("", self.made, other.made),
            ("", self.made.get("target", {}), other.made.get("target", {})),
            ("version of ", self.versions, other.versions),
        ):
            for name in sorted({*here, *there} - {"target"}):
                if here.get(name) != there.get(name):
                    values = (shortened(json.dumps(side.get(name))) for side in (here, there))
                    return "the {}{} is {}, not {}".format(what, name, *values)
        return None


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a written split.

    Attributes:
        count: its worlds.
        sha256: of its bytes, 64 hex digits.
        made: as in `Origin`.
        versions: as in `Origin`.
        hardness: how many worlds have each hardness, in twelfths.
        band: how many are in each band.
        load: how many have each size of load.
        answers: how many have a start, and how many NONE.
        attendees: how many have so many attendees.
        days: how many have a window of so many days.
    """

    count: int
    sha256: str
    made: dict[str, Any]
    versions: dict[str, str]
    hardness: dict[str, int]
    band: dict[str, int]
    load: dict[str, int]
    answers: dict[str, int]
    attendees: dict[str, int]
    days: dict[str, int]

    @property
    def origin(self) -> Origin:
        """What the bytes follow from."""
        return Origin(self.made, self.versions)


class _Load(msgspec.Struct):
    size: Size


class _Meta(msgspec.Struct):
    core_failed: Annotated[int, msgspec.Meta(ge=0, le=len(CORE))]
    load: _Load


class _Asked(msgspec.Struct):
    window_days: int


class _Counted(msgspec.Struct):
    request: _Asked
    attendees: list[msgspec.Raw]
    answer: str
    meta: _Meta


class Tally:
    """Counts the lines of a split that is being written, in constant memory."""

    def __init__(self) -> None:
        self.count = 0
        self._hash = hashlib.sha256()
        self._hardness: Counter[int] = Counter()
        self._load: Counter[Size] = Counter()
        self._attendees: Counter[int] = Counter()
        self._days: Counter[int] = Counter()
        self._none = 0
        self._decoder = msgspec.json.Decoder(_Counted)

    def add(self, line: bytes) -> bool:
        """Count a generated world's line, its end included; return whether it is one."""
        try:
            row = self._decoder.decode(line)
        except msgspec.MsgspecError:
            return False
        self._hash.update(line)
        self.count += 1
        self._hardness[row.meta.core_failed] += 1
        self._load[row.meta.load.size] += 1
        self._attendees[len(row.attendees)] += 1
        self._days[row.request.window_days] += 1
        self._none += row.answer == "NONE"
        return True

    def manifest(self, origin: Origin) -> Manifest:
        """Return the manifest of what was counted."""
        bands: Counter[Band] = Counter()
        for failed, count in self._hardness.items():
            bands[band_of(failed)] += count
        return Manifest(
            count=self.count,
            sha256=self._hash.hexdigest(),
            made=origin.made,
            versions=origin.versions,
            hardness=_sorted(self._hardness),
            band={band.value: bands[band] for band in Band},
            load={size.value: self._load[size] for size in Size},
            answers={"start": self.count - self._none, "NONE": self._none},
            attendees=_sorted(self._attendees),
            days=_sorted(self._days),
        )


def path_of(path: str) -> str:
    """Return where the manifest of a file stands."""
    return f"{path}.manifest.json"


def text_of(record: Origin | Manifest) -> str:
    """Return a record as its file has it."""
    return json.dumps(msgspec.to_builtins(record), indent=1) + "\n"


def read_origin(path: str) -> Origin | None:
    """Return what a manifest, or the note beside an unfinished file, says; None without it.

    Raises:
        FileError: it cannot be read, or is no such record.
    """
    record = _read(path)
    return None if record is None else _converted(record, Origin, path)


def check_unchanged(path: str) -> Manifest | None:
    """Return the manifest beside a file; None where there is none, or no file to be checked.

    Raises:
        FileError: the file is not the one that its manifest describes, or the manifest is none.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None  # a pipe can be read only once
    except (OSError, ValueError):
        return None
    for place in map(path_of, (path, os.path.realpath(path))):
        record = _read(place)
        if record is not None:
            return _checked(path, _converted(record, Manifest, place), place)
    return None


def _checked(path: str, manifest: Manifest, manifest_path: str) -> Manifest:
    shown = printable(path)
    count, digest = _measured(path)
    if (count, digest) == (manifest.count, manifest.sha256):
        return manifest
    found = f"its sha256 is {digest[:16]}…, not {printable(manifest.sha256)[:16]}…"
    if count != manifest.count:
        found = f"it has {count} lines, not {manifest.count}"
    raise FileError(
        f"{shown}: is not as it was written: {found}; remove {printable(manifest_path)} if the "
        "change was meant"
    )


def _measured(path: str) -> tuple[int, str]:
    """Return a file's lines and its sha256."""
    digest = hashlib.sha256()
    count = 0
    try:
        with open(path, "rb") as file:
            for chunk in _chunks(file.fileno()):
                digest.update(chunk)
                count += chunk.count(b"\n")
    except OSError as error:
        raise FileError(f"{printable(path)}: cannot be read: {error.strerror}") from None
    return count, digest.hexdigest()


def _chunks(descriptor: int) -> Iterator[bytes]:
    while chunk := os.read(descriptor, 2**20):
        yield chunk


def _read(path: str) -> object:
    """Return the JSON of a file, None without it."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise FileError(f"{printable(path)}: is no manifest, as it is no regular file")
        with open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"{printable(path)}: cannot be read: {error.strerror}") from None
    try:
        if len(text) <= MOST_BYTES:
            return json.loads(text) or {}
    except (ValueError, RecursionError):
        pass
    raise FileError(f"{printable(path)}: is no manifest; remove it if it is not one of yours")


def _converted(record: object, kind: type[_Record], path: str) -> _Record:
    try:
        return msgspec.convert(record, kind)
    except ValueError as error:  # of msgspec, or a surrogate that is no text
        raise FileError(f"{printable(path)}: is no manifest: {printable(str(error))}") from None


def _sorted(counts: Mapping[int, int]) -> dict[str, int]:
    return {str(value): counts[value] for value in sorted(counts)}
