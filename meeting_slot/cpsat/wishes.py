"""What a world is wished to be: the target, and the kinds of starts near a change of offset."""

import enum
from typing import Any, Final, Literal

import msgspec

from .. import zones
from ..errors import MeetingSlotError
from ..instants import MINUTES_A_DAY, day_text, instant_text
from ..measures import Size
from ..world import Attendee, World

COMMON_ZONES: Final = (
    "Africa/Accra",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Africa/Johannesburg",
    "Africa/Lagos",
    "Africa/Nairobi",
    "Africa/Tunis",
    "America/Anchorage",
    "America/Argentina/Buenos_Aires",
    "America/Asuncion",
    "America/Bogota",
    "America/Caracas",
    "America/Chicago",
    "America/Costa_Rica",
    "America/Denver",
    "America/Guatemala",
    "America/Halifax",
    "America/Havana",
    "America/La_Paz",
    "America/Lima",
    "America/Los_Angeles",
    "America/Mexico_City",
    "America/Montevideo",
    "America/New_York",
    "America/Panama",
    "America/Phoenix",
    "America/Puerto_Rico",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/St_Johns",
    "America/Tijuana",
    "America/Toronto",
    "America/Vancouver",
    "America/Winnipeg",
    "Asia/Amman",
    "Asia/Baghdad",
    "Asia/Bangkok",
    "Asia/Beirut",
    "Asia/Colombo",
    "Asia/Dhaka",
    "Asia/Dubai",
    "Asia/Ho_Chi_Minh",
    "Asia/Hong_Kong",
    "Asia/Jakarta",
    "Asia/Jerusalem",
    "Asia/Karachi",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Kuala_Lumpur",
    "Asia/Manila",
    "Asia/Riyadh",
    "Asia/Seoul",
    "Asia/Shanghai",
    "Asia/Singapore",
    "Asia/Taipei",
    "Asia/Tashkent",
    "Asia/Tbilisi",
    "Asia/Tehran",
    "Asia/Tokyo",
    "Asia/Yerevan",
    "Atlantic/Azores",
    "Atlantic/Reykjavik",
    "Australia/Adelaide",
    "Australia/Brisbane",
    "Australia/Darwin",
    "Australia/Melbourne",
    "Australia/Perth",
    "Australia/Sydney",
    "Europe/Amsterdam",
    "Europe/Athens",
    "Europe/Berlin",
    "Europe/Bucharest",
    "Europe/Dublin",
    "Europe/Helsinki",
    "Europe/Istanbul",
    "Europe/Kyiv",
    "Europe/Lisbon",
    "Europe/London",
    "Europe/Madrid",
    "Europe/Moscow",
    "Europe/Paris",
    "Europe/Rome",
    "Europe/Stockholm",
    "Europe/Warsaw",
    "Europe/Zurich",
    "Pacific/Auckland",
    "Pacific/Chatham",
    "Pacific/Fiji",
    "Pacific/Honolulu",
    "UTC",
)
"""Zones in which people do schedule meetings; the default of `Target.zones`."""

LOAD_BEARING_FROM: Final = 6
"""From this hardness on, every attendee is load-bearing unless the wish says otherwise."""

LEAST_OF_LOAD_BEARING: Final = 2

DEFAULT_YEARS: Final = (2019, 2025)
"""A model can only know rules that were public before it was trained."""


class WishError(MeetingSlotError):
    """A wish that cannot come true, or was not within the named limits; says what conflicts."""


class Starts(enum.Enum):
    """How many starts are valid."""

    EXACTLY_ONE = "exactly-one"
    ANY = "any"


class Dst(enum.Enum):
    """Where the answer lies with respect to an offset change of one of the cast."""

    SPRING_AFTER = "spring-after"
    SPRING_ACROSS = "spring-across"
    FALL_REPEATED = "fall-repeated"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A wished world. What is None is chosen for the wish.

    Attributes:
        answer: a start as a UTC minute, "NONE", or None for some start.
        starts: exactly one valid start in the window, at one-minute resolution, or any number.
        stretches: the least number of separate valid stretches, the answer's included.
        dst: the answer lies within 24 hours after a spring-forward change of one of the cast, in
            that person's hours; or spans one; or touches an hour that is repeated there.
        cast: the people, whose own calendars are replaced; otherwise a cast is drawn.
        attendees: how many to draw.
        window_start: the first day of the window, in days since 1970-01-01.
        window_days: 1 to 366.
        duration_minutes: 1 to 1440.
        zones: the IANA names to draw from.
        years: the first and the last calendar year in which the answer, or the window, may lie.
        hardness: how many of the twelve core policies answer wrong.
        defeat: core or special policies that answer wrong.
        isolate: a core or special policy that answers wrong while every other core policy is right,
            `first-day-only` and the entailed ones left aside.
        load_bearing: removing any one attendee changes the answer. None: from hardness 6 on.
        load: the size of the load.
        near_misses: the least number of near misses before the answer.
        shape_parity: the last bit of the shape hash, which keeps eval and train apart.
    """

    answer: int | Literal["NONE"] | None = None
    starts: Starts = Starts.ANY
    stretches: int = 1
    dst: Dst | None = None
    cast: tuple[Attendee, ...] | None = None
    attendees: int | None = None
    window_start: int | None = None
    window_days: int | None = None
    duration_minutes: int | None = None
    zones: tuple[str, ...] = COMMON_ZONES
    years: tuple[int, int] = DEFAULT_YEARS
    hardness: int | None = None
    defeat: tuple[str, ...] = ()
    isolate: str | None = None
    load_bearing: bool | None = None
    load: Size | None = None
    near_misses: int = 0
    shape_parity: int | None = None

    @property
    def wrong(self) -> frozenset[str]:
        """The policies that have to answer wrong, by name."""
        return frozenset((*self.defeat, *([] if self.isolate is None else [self.isolate])))

    @property
    def needs_all(self) -> bool:
        """Whether removing any one attendee has to change the answer."""
        if self.load_bearing is None:
            alone = len(self.cast) if self.cast is not None else self.attendees
            if alone == 1:
                return False
            return self.hardness is not None and self.hardness >= LOAD_BEARING_FROM
        return self.load_bearing

    def to_json(self) -> dict[str, Any]:
        """Return the wish as a JSON object, what is left open left out."""
        wish: dict[str, Any] = {
            "answer": instant_text(self.answer) if isinstance(self.answer, int) else self.answer,
            "starts": self.starts.value,
            "stretches": self.stretches,
            "dst": self.dst and self.dst.value,
            "cast": self.cast and [attendee.to_json() for attendee in self.cast],
            "attendees": self.attendees,
            "window_start": None if self.window_start is None else day_text(self.window_start),
            "window_days": self.window_days,
            "duration_minutes": self.duration_minutes,
            "zones": _zones_json(self.zones),
            "years": list(self.years),
            "hardness": self.hardness,
            "defeat": list(self.defeat) or None,
            "isolate": self.isolate,
            "load_bearing": self.load_bearing,
            "load": self.load and self.load.value,
            "near_misses": self.near_misses or None,
            "shape_parity": self.shape_parity,
        }
        return {name: value for name, value in wish.items() if value is not None}


def _zones_json(allowed: tuple[str, ...]) -> str | list[str]:
    if allowed == COMMON_ZONES:
        return "common"
    return "all" if set(allowed) == zones.names() else list(allowed)


def dst_of(world: World, start: int) -> set[Dst]:
    """Return which kinds a valid start is of, from zone data and the world alone."""
    end = start + world.request.duration_minutes
    kinds: set[Dst] = set()
    for name in {attendee.timezone for attendee in world.attendees}:
        # No offset moves by more than a day, so what matters is not farther away.
        for change in zones.changes(name, start - MINUTES_A_DAY, end + MINUTES_A_DAY):
            kinds |= kinds_of(change, start, end)
    return kinds


def kinds_of(change: zones.Change, start: int, end: int) -> set[Dst]:
    """Return which kinds a meeting `[start, end)` is of with respect to one change of offset."""
    kinds = set()
    size = change.after - change.before
    if size > 0 and change.at <= start < change.at + MINUTES_A_DAY:
        kinds.add(Dst.SPRING_AFTER)
    if size > 0 and start < change.at < end:
        kinds.add(Dst.SPRING_ACROSS)
    # Going back by `-size` minutes, as many before the change and after it read the same.
    if size < 0 and start < change.at - size and change.at + size < end:
        kinds.add(Dst.FALL_REPEATED)
    return kinds
