"""The audit: what a split holds, how hard it is, and how far shortcuts get on it.

Worlds come in a stream; of each only counts are kept, its shape, and what the blind guesses need.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from .advice import Row, row_of
from .blind import Guess, guesses
from .features import Features, features
from .measures import Band, Size
from .policies import BASELINES, CORE, INVERSE, PANEL_VERSION, specials
from .rates import BandRates, BandTally
from .world import World
from .zones import iana_release

AFTER_FIRST_SHIFT: Final = "after-first-shift"
HARDEST: Final = 10
"""How many of the hardest worlds are named."""

HISTOGRAMS: Final[dict[str, Callable[[Features], int | None]]] = {
    "hardness": lambda world: world.core_failed,
    "load": lambda world: world.load.calls,
    "floor": lambda world: world.floor,
    "stretches": lambda world: world.stretches,
    "near_misses": lambda world: world.near_misses,
    "minute_of_hour": lambda world: world.minute_of_hour,
    "weekday": lambda world: world.weekday,
    "position": lambda world: None if world.position is None else int(world.position * 10),
    "attendees": lambda world: len(world.names),
    "window_days": lambda world: world.window_days,
    "duration_minutes": lambda world: world.duration_minutes,
}
"""What is counted by value: hardness in twelfths; load in calls; the floor in calls; separate
stretches of valid starts; near misses; of the answer, where there is one, the UTC minute of the
hour, the UTC weekday (0 for Monday) and the tenth of the window it is in (0 to 9); attendees; days
of the window; minutes of the meeting."""


class PolicyRates(msgspec.Struct, frozen=True):
    """What a policy earns; `skip-attendee-K` on the worlds that have an attendee K.

    Attributes:
        name: of the policy.
        group: clock, calendar, interval or attention (the core); special, baseline, inverse.
        rates: over all worlds, and by band of hardness.
        with_shift: over the worlds in whose window an offset changes; for `after-first-shift`.
    """

    name: str
    group: str
    rates: BandRates
    with_shift: BandRates | None


class Shifts(msgspec.Struct, frozen=True):
    """The changes of offset inside the windows.

    Attributes:
        worlds: in how many worlds there is one.
        forward: in how many a clock is set forward.
        back: in how many a clock is set back.
        covered: how many different ones each zone shows, of the zones that show any.
    """

    worlds: int
    forward: int
    back: int
    covered: dict[str, int]


class Hard(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of the hardest worlds: its hardness in twelfths, and its load in calls.

    `line` is the world itself, as a canonical line, where the audit was asked to keep it.
    """

    id: str
    core_failed: int
    calls: int
    line: str = ""


class Leak(msgspec.Struct, frozen=True):
    """How many worlds of a split have a shape that another split has too."""

    split: str
    worlds: int


class SplitAudit(msgspec.Struct, frozen=True, kw_only=True):
    """The audit of one split; whole numbers count worlds.

    Attributes:
        split: its name.
        iana: the release of the zone data that the answers were computed with.
        panel: the version of the panel.
        worlds: how many there are.
        none: how many have no valid start.
        load_bearing: in how many removing any one attendee changes the answer.
        unreadable: how many one call a turn cannot read within 40 turns, the answer included.
        floors_unproven: how many have a floor that is not proven to be the smallest.
        duplicates: how many have a shape that an earlier one of the split has.
        leaks: for each other split that shares a shape.
        bands: by band of hardness, and in each by size of the load.
        histograms: by value, see `HISTOGRAMS`; values that do not occur are left out.
        zones: in which each zone occurs.
        shifts: the changes of offset inside the windows.
        policies: what each policy of the panel earns, core ones first.
        guesses: what each blind guess earns.
        hardest: the hardest worlds, of equally hard ones those with the larger load first.
    """

    split: str
    iana: str
    panel: str
    worlds: int
    none: int
    load_bearing: int
    unreadable: int
    floors_unproven: int
    duplicates: int
    leaks: tuple[Leak, ...]
    bands: dict[Band, dict[Size, int]]
    histograms: dict[str, dict[int, int]]
    zones: dict[str, int]
    shifts: Shifts
    policies: tuple[PolicyRates, ...]
    guesses: tuple[Guess, ...]
    hardest: tuple[Hard, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the audit as a JSON object; a histogram's values are its keys, as text."""
        bare = [msgspec.structs.replace(hard, line="") for hard in self.hardest]
        found = msgspec.to_builtins(
            msgspec.structs.replace(self, hardest=tuple(bare)), str_keys=True
        )
        assert isinstance(found, dict)
        return found


class Audit(msgspec.Struct, frozen=True):
    """The audits of several splits, in their order."""

    splits: tuple[SplitAudit, ...]


def audit(splits: Iterable[tuple[str, Iterable[World]]]) -> Audit:
    """Return the audit of some splits, each a name and its worlds, which are read once.

    The same worlds give the same audit. About two kilobytes are kept of each world.

    Raises:
        MeetingSlotError: what reading the worlds raises.
    """
    return audit_features((name, map(features, worlds)) for name, worlds in splits)


def audit_features(splits: Iterable[tuple[str, Iterable[Features]]]) -> Audit:
    """Return the audit of some splits whose worlds' features are computed elsewhere."""
    counts = []
    for name, worlds in splits:
        count = _Count(name)
        for world in worlds:
            count.add(world)
        counts.append(count)
    return Audit(tuple(count.result(counts) for count in counts))


class _Count:
    """What is counted of one split while its worlds go by."""

    def __init__(self, split: str) -> None:
        self._split = split
        self._none = self._load_bearing = self._unreadable = self._floors_unproven = 0
        self._shapes: Counter[bytes] = Counter()
        self._bands = {band: dict.fromkeys(Size, 0) for band in Band}
        self._histograms: dict[str, Counter[int]] = {name: Counter() for name in HISTOGRAMS}
        self._zones: Counter[str] = Counter()
        self._with_shift = self._forward = self._back = 0
        self._shifts: set[tuple[str, int]] = set()
        self._policies: dict[str, BandTally] = {}
        self._with_shift_only = BandTally()
        self._rows: list[Row] = []
        self._hardest: list[Hard] = []

    def add(self, world: Features) -> None:
        self._none += world.answer is None
        self._load_bearing += world.load_bearing
        self._unreadable += not world.readable_one_call_a_turn
        self._floors_unproven += not world.floor_proven
        self._shapes[bytes.fromhex(world.shape)] += 1
        self._bands[world.band][world.load.size] += 1
        for name, value_of in HISTOGRAMS.items():
            if (value := value_of(world)) is not None:
                self._histograms[name][value] += 1
        self._zones.update(world.timezones)
        self._with_shift += bool(world.shifts)
        self._forward += any(shift.minutes > 0 for shift in world.shifts)
        self._back += any(shift.minutes < 0 for shift in world.shifts)
        self._shifts.update((shift.timezone, shift.at) for shift in world.shifts)
        for name, outcome in world.outcomes.items():
            self._policies.setdefault(name, BandTally()).add(world.band, outcome)
        if world.shifts:
            self._with_shift_only.add(world.band, world.outcomes[AFTER_FIRST_SHIFT])
        self._rows.append(row_of(world))
        self._hardest = heapq.nlargest(
            HARDEST,
            [*self._hardest, Hard(world.id, world.core_failed, world.load.calls, world.line)],
            key=lambda hard: (hard.core_failed, hard.calls),
        )

    def result(self, all_counts: Iterable["_Count"]) -> SplitAudit:
        """Return the audit; the other counts are those of the splits it is read with."""
        shared = {other: self._shared_with(other) for other in all_counts if other is not self}
        return SplitAudit(
            split=self._split,
            iana=iana_release(),
            panel=PANEL_VERSION,
            worlds=len(self._rows),
            none=self._none,
            load_bearing=self._load_bearing,
            unreadable=self._unreadable,
            floors_unproven=self._floors_unproven,
            duplicates=len(self._rows) - len(self._shapes),
            leaks=tuple(Leak(other._split, worlds) for other, worlds in shared.items() if worlds),
            bands=self._bands,
            histograms={
                name: dict(sorted(counter.items())) for name, counter in self._histograms.items()
            },
            zones=dict(sorted(self._zones.items())),
            shifts=Shifts(
                self._with_shift,
                self._forward,
                self._back,
                dict(sorted(Counter(timezone for timezone, _ in self._shifts).items())),
            ),
            policies=self._policy_rates(),
            guesses=guesses(self._rows),
            hardest=tuple(self._hardest),
        )

    def _policy_rates(self) -> tuple[PolicyRates, ...]:
        most_attendees = max(self._histograms["attendees"], default=0)
        panel = (*CORE, *specials(most_attendees), *BASELINES, *INVERSE)
        with_shift = {AFTER_FIRST_SHIFT: self._with_shift_only.rates()}
        return tuple(
            PolicyRates(policy.name, policy.group, tally.rates(), with_shift.get(policy.name))
            for policy in panel
            if (tally := self._policies.get(policy.name)) is not None
        )

    def _shared_with(self, other: "_Count") -> int:
        return sum(worlds for shape, worlds in self._shapes.items() if shape in other._shapes)
