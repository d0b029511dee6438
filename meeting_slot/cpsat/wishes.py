"""What a world is wished to be, checked as far as it can be before any cast is drawn."""

import enum
import re
from typing import Any, Final, Literal

import msgspec

from .. import zones
from ..errors import MeetingSlotError, quoted
from ..instants import MINUTES_A_DAY, day_text, first_day_of, instant_text, parse_answer, year_of
from ..panel import Size
from ..parsing import (
    FIRST_DAY,
    LAST_DAY,
    MAX_ATTENDEES,
    MAX_DURATION,
    MAX_WINDOW_DAYS,
    parse_attendees,
)
from ..policies import CORE, Minutes, Policy, SecondPass, StartRule, policy_named
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


def check(target: Target) -> None:
    """Refuse a target that contradicts itself.

    Raises:
        WishError: naming what conflicts.
    """
    _check_types(target)
    _check_ranges(target)
    none = target.answer == "NONE"
    exactly_one = target.starts is Starts.EXACTLY_ONE
    if none and target.dst is not None:
        raise WishError(f"an answer of NONE has no start that could be {target.dst.value}")
    if none and exactly_one:
        raise WishError("an answer of NONE and exactly-one start exclude each other")
    if target.stretches > 1 and (none or exactly_one):
        other = "an answer of NONE" if none else "exactly-one start"
        raise WishError(f"{target.stretches} valid stretches and {other} exclude each other")
    if target.dst is Dst.SPRING_ACROSS and target.duration_minutes == 1:
        raise WishError("a meeting of 1 minute cannot span a change of offset (spring-across)")
    _check_policies(target)
    if isinstance(target.answer, int):
        _check_answer(target, target.answer)
    if target.window_start is not None:
        _check_window(target, target.window_start)


def _check_types(target: Target) -> None:
    """Refuse values that are not what the fields are declared to be, as Python lets one give."""
    fields = msgspec.structs.asdict(target)
    for name, kind in (("starts", Starts), ("dst", Dst), ("load", Size)):
        value = fields[name]
        if not isinstance(value, kind) and (value is not None or name == "starts"):
            raise WishError(f"{name} is {quoted(value)}; expected one of {kind.__name__}")
        fields[name] = value and value.value
    try:
        msgspec.convert(fields, Target, strict=True)
    except msgspec.ValidationError as error:
        raise WishError(f"the target is not as declared: {error}") from None


def _check_ranges(target: Target) -> None:
    for what, value, highest in (
        ("attendees", target.attendees, MAX_ATTENDEES),
        ("window_days", target.window_days, MAX_WINDOW_DAYS),
        ("duration_minutes", target.duration_minutes, MAX_DURATION),
        ("stretches", target.stretches, MAX_WINDOW_DAYS * MINUTES_A_DAY),
        ("near_misses", target.near_misses or None, MAX_WINDOW_DAYS * MINUTES_A_DAY),
    ):
        if value is not None and not 1 <= value <= highest:
            raise WishError(f"{what} is {value}; expected 1 to {highest}")
    if not target.zones:
        raise WishError("no zone is allowed; expected at least one")
    for name in target.zones:
        zones.check_name(name)
    if target.cast is not None:
        if not target.cast:
            raise WishError("the cast is empty; expected at least one attendee")
        # A cast from Python has passed no reader yet.
        if parse_attendees([attendee.to_json() for attendee in target.cast]) != target.cast:
            raise WishError("the cast is not canonical: weekdays, dates and blocks sorted")
    if target.cast is not None and target.attendees not in (None, len(target.cast)):
        raise WishError(f"{target.attendees} attendees and a cast of {len(target.cast)} conflict")
    first, last = target.years
    if not year_of(FIRST_DAY) <= first <= last <= year_of(LAST_DAY):
        raise WishError(
            f"the years {first} to {last} are no span within "
            f"{year_of(FIRST_DAY)} to {year_of(LAST_DAY)}"
        )


def _check_policies(target: Target) -> None:
    size = len(target.cast) if target.cast is not None else target.attendees
    none = target.answer == "NONE"
    if target.hardness is not None:
        most = len(CORE)
        if none:
            most = sum(can_find_too_much(policy) for policy in CORE)
        if size == 1:
            most -= sum(policy.first_attendees == 1 or policy.skipped == -1 for policy in CORE)
        if not 0 <= target.hardness <= most:
            why = " with an answer of NONE" if none else " with one attendee" if size == 1 else ""
            raise WishError(f"hardness is {target.hardness}/12; expected 0 to {most}/12{why}")
        core = sorted(target.wrong & {policy.name for policy in CORE})
        if len(core) > target.hardness:
            raise WishError(
                f"hardness {target.hardness}/12 and {len(core)} core policies to defeat conflict"
            )
        if target.needs_all and target.hardness < LEAST_OF_LOAD_BEARING:
            raise WishError(
                "load-bearing attendees entail that first-attendee-only and skip-last-attendee "
                f"fail; hardness is {target.hardness}/12"
            )
    second_day = "first-day-only" in target.wrong or target.hardness == len(CORE)
    if target.window_days == 1 and second_day:
        raise WishError("first-day-only cannot fail in a window of 1 day")
    if target.isolate is not None and (target.hardness is not None or target.defeat):
        raise WishError("isolate and a hardness, or other policies to defeat, exclude each other")
    if size == 1 and target.needs_all:
        raise WishError("a single attendee cannot be load-bearing: nobody would be left")
    if target.needs_all and target.isolate is not None:
        raise WishError("isolate and load-bearing attendees exclude each other")
    for name in sorted(target.wrong):
        policy = policy_named(name)
        if policy.group in ("gold", "baseline", "inverse"):
            raise WishError(f"{name} cannot be defeated: it is no core or special policy")
        if none and not can_find_too_much(policy):
            raise WishError(f"{name} only forbids starts: it cannot fail where the answer is NONE")
        if size is not None and not _looks_at_less(policy, size):
            raise WishError(f"{name} cannot fail with {size} attendees: it looks at all of them")


def can_find_too_much(policy: Policy) -> bool:
    """Return whether a policy can find a start where there is none; others only forbid starts."""
    return not (
        policy.inclusive_end
        or policy.start_rule is StartRule.FIRST_DAY
        or policy.minutes is Minutes.ON_HALF_HOUR
        or policy.second_pass is SecondPass.NEVER_FREE
        or policy.hours_end < MINUTES_A_DAY
    )


def _looks_at_less(policy: Policy, size: int) -> bool:
    """Return whether a policy about attention leaves out one of so many; true for the others."""
    if policy.first_attendees is not None:
        return size > policy.first_attendees
    if policy.skipped is not None:
        return 1 < size >= policy.skipped
    return True


def _check_answer(target: Target, answer: int) -> None:
    first, end = (first_day_of(target.years[0]), first_day_of(target.years[1] + 1))
    if not FIRST_DAY <= answer // MINUTES_A_DAY <= LAST_DAY:
        raise WishError(f"the answer, the UTC minute {answer}, is not in 1970 to 2100")
    if not first <= answer // MINUTES_A_DAY < end:
        raise WishError(
            f"the answer {instant_text(answer)} is not in the years "
            f"{target.years[0]} to {target.years[1]}"
        )
    if target.window_start is not None and target.window_days is not None:
        days = answer // MINUTES_A_DAY - target.window_start
        if not 0 <= days < target.window_days:
            raise WishError(
                f"the answer {instant_text(answer)} is outside the window of {target.window_days} "
                f"days from {day_text(target.window_start)}"
            )


def _check_window(target: Target, window_start: int) -> None:
    last = window_start + (target.window_days or 1) - 1
    if window_start < FIRST_DAY or last > LAST_DAY:
        raise WishError(
            f"the window {_date(window_start)} to {_date(last)} is not within "
            f"{day_text(FIRST_DAY)} to {day_text(LAST_DAY)}"
        )
    if last < first_day_of(target.years[0]) or window_start >= first_day_of(target.years[1] + 1):
        raise WishError(
            f"the window {day_text(window_start)} to {day_text(last)} is not in the years "
            f"{target.years[0]} to {target.years[1]}"
        )


def _date(day: int) -> str:
    """Return a date, or the number of one that no calendar here can write."""
    try:
        return day_text(day)
    except (ValueError, OverflowError):
        return f"day {day}"


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
