"""Features: what the audit counts of one world, as one small row.

Everything is computed from the world alone; nothing that its file says of it is used.
"""

import bisect
import enum
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from . import zones
from .grading import VALID_BUT_LATER, Grade
from .instants import MINUTES_A_DAY, weekday_of
from .measures import Band, Load, band_of, load, panel
from .near_misses import near_misses
from .policies import CORE, skip_attendee
from .sweep import valid_stretches
from .world import World, shape

if TYPE_CHECKING:
    from .cpsat.certificate import Certificate

TURNS: Final = 40
"""The turns that a rollout has, by default; the answer takes the last one."""


class Outcome(enum.Enum):
    """What a readable answer is worth."""

    EXACT = "exact"
    LATER = "valid, but not the earliest"
    WRONG = "wrong"

    @property
    def reward(self) -> float:
        """The reward of a rollout that gives such an answer in a well-formed block."""
        return Grade(
            exact=1.0 if self is Outcome.EXACT else 0.0,
            format=1.0,
            partial=VALID_BUT_LATER if self is Outcome.LATER else 0.0,
        ).reward


class Shift(msgspec.Struct, frozen=True):
    """A change of offset: `minutes` east of UTC more than before, from the UTC minute `at` on."""

    timezone: str
    at: int
    minutes: int


class Features(msgspec.Struct, frozen=True, kw_only=True):
    """One world as the audit counts it. Instants are UTC minutes since 1970-01-01T00:00Z.

    Attributes:
        id: the world's id.
        shape: the hash that names and attendee order do not change.
        answer: the earliest valid start; None for NONE.
        valid_bounds: first and last + 1 of each stretch of valid starts, one stretch after the
            other, sorted.
        core_failed: the hardness, in twelfths.
        load: the calls it takes to read everything.
        outcomes: of each policy of the panel, by name.
        load_bearing: whether removing any one attendee changes the answer; never for a single one.
        near_misses: how many there are before the answer, see `near_misses`.
        floor: the calls it takes somebody who knows the answer to prove it.
        floor_proven: whether it is proven that fewer will not do.
        duration_minutes: the meeting's length.
        window_start: the window's first day, in days since 1970-01-01.
        window_days: the window's length.
        names: the attendees' names, in the world's order.
        timezones: the attendees' distinct zones, in the order they appear.
        shifts: the changes of offset of those zones inside the window.
        line: the world's canonical line, where it is asked for.
    """

    id: str
    shape: str
    answer: int | None
    valid_bounds: tuple[int, ...]
    core_failed: int
    load: Load
    outcomes: dict[str, Outcome]
    load_bearing: bool
    near_misses: int
    floor: int
    floor_proven: bool
    duration_minutes: int
    window_start: int
    window_days: int
    names: tuple[str, ...]
    timezones: tuple[str, ...]
    shifts: tuple[Shift, ...]
    line: str = ""

    @property
    def band(self) -> Band:
        """The third of the hardness scale."""
        return band_of(self.core_failed)

    @property
    def hardness(self) -> float:
        """The share of the core policies that answer wrong, 0 to 1."""
        return self.core_failed / len(CORE)

    @property
    def stretches(self) -> int:
        """How many separate stretches of valid starts there are."""
        return len(self.valid_bounds) // 2

    @property
    def minute_of_hour(self) -> int | None:
        """The answer's UTC minute of the hour."""
        return None if self.answer is None else self.answer % 60

    @property
    def minute_of_day(self) -> int | None:
        """The answer's UTC minute of the day."""
        return None if self.answer is None else self.answer % MINUTES_A_DAY

    @property
    def weekday(self) -> int | None:
        """The answer's weekday in UTC, 0 for Monday."""
        return None if self.answer is None else weekday_of(self.answer // MINUTES_A_DAY)

    @property
    def day_offset(self) -> int | None:
        """The UTC days from the window's first to the answer's."""
        return None if self.answer is None else self.answer // MINUTES_A_DAY - self.window_start

    @property
    def position(self) -> float | None:
        """Where in the window the answer is: 0 for its first minute, below 1 for its last."""
        if self.answer is None:
            return None
        start = self.window_start * MINUTES_A_DAY
        return (self.answer - start) / (self.window_days * MINUTES_A_DAY)

    @property
    def readable_one_call_a_turn(self) -> bool:
        """Whether everything can be read, and the answer given, at one call a turn."""
        return self.load.calls + 1 <= TURNS


def features(world: World, *, with_line: bool = False) -> Features:
    """Return what the audit counts of a world, with the world itself if a picture is wanted."""
    request = world.request
    proof = _certificate(world)
    bounds = tuple(itertools.chain.from_iterable(valid_stretches(world)))
    outcomes = {name: outcome(given, bounds) for name, given in panel(world).answers.items()}
    timezones = tuple(dict.fromkeys(attendee.timezone for attendee in world.attendees))
    everybody = range(1, len(world.attendees) + 1)
    return Features(
        id=world.id,
        shape=shape(world),
        answer=bounds[0] if bounds else None,
        valid_bounds=bounds,
        core_failed=sum(outcomes[policy.name] is not Outcome.EXACT for policy in CORE),
        load=load(world),
        outcomes=outcomes,
        load_bearing=all(
            outcomes[skip_attendee(place).name] is not Outcome.EXACT for place in everybody
        ),
        near_misses=near_misses(world).count,
        floor=proof.floor,
        floor_proven=proof.proven_minimal,
        duration_minutes=request.duration_minutes,
        window_start=request.window_start,
        window_days=request.window_days,
        names=tuple(attendee.name for attendee in world.attendees),
        timezones=timezones,
        shifts=tuple(
            Shift(timezone, change.at, change.after - change.before)
            for timezone in timezones
            for change in zones.changes(timezone, request.start, request.end)
        ),
        line=world.to_line() if with_line else "",
    )


def _certificate(world: World) -> "Certificate":
    from .cpsat.certificate import certificate  # loads the solver, which takes its time

    return certificate(world)


def outcome(given: int | None, valid_bounds: Sequence[int]) -> Outcome:
    """Return what an answer is worth, given the bounds of the valid starts as `Features` has them.

    Args:
        given: a UTC minute, or None for NONE.
        valid_bounds: first and last + 1 of each stretch, sorted.
    """
    if given == (valid_bounds[0] if valid_bounds else None):
        return Outcome.EXACT
    if given is not None and bisect.bisect_right(valid_bounds, given) % 2 == 1:
        return Outcome.LATER
    return Outcome.WRONG
