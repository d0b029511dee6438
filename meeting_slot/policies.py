"""Policies: imperfect solvers, each the gold view with one named misconception.

At a UTC minute u the gold view of an attendee has the offset o(u), the local reading u + o(u), and
from it date, weekday and time of day. A policy changes only what its fields say; two can be merged
into one that makes both mistakes. `reading` carries them out.
"""

import difflib
import enum
import re
from functools import cache
from typing import Any, Final

import msgspec

from .errors import MeetingSlotError, quoted
from .instants import MINUTES_A_DAY

PANEL_VERSION: Final = "core v1"
SHORT: Final = 15
"""The longest busy stretch that `short-busy-missed` overlooks, in minutes."""


class Offsets(enum.Enum):
    """The offset that o(u) is."""

    TRUE = enum.auto()
    ZERO = enum.auto()
    SMALLEST_OF_YEAR = enum.auto()
    AT_WINDOW_START = enum.auto()


class Weekdays(enum.Enum):
    """Which weekdays count."""

    LISTED = enum.auto()
    EVERY = enum.auto()
    SUNDAY_FIRST = enum.auto()


class SecondPass(enum.Enum):
    """How minutes are read whose local date and time already occurred at an earlier minute."""

    ALIKE = enum.auto()
    NEVER_FREE = enum.auto()
    NOT_BUSY = enum.auto()


class Minutes(enum.Enum):
    """At which minutes of the UTC hour starts are looked at."""

    ANY = enum.auto()
    ON_HALF_HOUR = enum.auto()
    OFF_HALF_HOUR = enum.auto()


class StartRule(enum.Enum):
    """In which part of the window, or what is taken for it, starts are looked at."""

    IN_WINDOW = enum.auto()
    FIRST_DAY = enum.auto()
    FIRST_ATTENDEES_DATES = enum.auto()
    FROM_FIRST_CHANGE = enum.auto()
    NOT_FIRST_DAY = enum.auto()
    LAST_QUARTER = enum.auto()


class Choice(enum.Enum):
    """What is answered, given the starts that look valid."""

    EARLIEST = enum.auto()
    LAST = enum.auto()
    NONE = enum.auto()
    EARLIEST_OR_WINDOW_START = enum.auto()


class Policy(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """One way to answer.

    Attributes:
        name: as it is asked for.
        group: clock, calendar, interval, attention, special, baseline or inverse.
        misconception: completes "the answer of someone who …".
        offsets: which offset from UTC is read.
        weekdays: which weekdays count.
        first_attendees: how many are looked at, from the first; None for all.
        skipped: the place of one who is not, from 1; -1 for the last; nobody if alone.
        calls: how many tool calls are made; what is not read counts as absent or free.
        ignores_blocks: nobody is ever busy.
        blocks_by_utc_date: blocks are looked up under the UTC date of a minute.
        second_pass: how the second pass of a repeated hour is read.
        start_rule: in which part of the window starts are looked at.
        minutes: at which minutes of the UTC hour they are.
        choice: what is answered, given the starts that look valid.
        hours_end: the latest end of working hours that is understood, in minutes of day.
        inclusive_end: a block `[s, e)` is read as `[s, e + 1 minute)` on its date.
        misses_short: a non-free stretch of at most `SHORT` minutes between two minutes of common
            free time, in which only blocks stand in the way, counts as free.
    """

    name: str
    group: str
    misconception: str
    offsets: Offsets = Offsets.TRUE
    weekdays: Weekdays = Weekdays.LISTED
    ignores_blocks: bool = False
    blocks_by_utc_date: bool = False
    second_pass: SecondPass = SecondPass.ALIKE
    start_rule: StartRule = StartRule.IN_WINDOW
    minutes: Minutes = Minutes.ANY
    choice: Choice = Choice.EARLIEST
    first_attendees: int | None = None
    skipped: int | None = None
    calls: int | None = None
    hours_end: int = MINUTES_A_DAY
    inclusive_end: bool = False
    misses_short: bool = False


GOLD: Final = Policy(name="gold", group="gold", misconception="makes no mistake")

CORE: Final = (
    Policy(
        name="ignore-time-zones",
        group="clock",
        misconception="reads everybody's local times as UTC",
        offsets=Offsets.ZERO,
    ),
    Policy(
        name="ignore-dst",
        group="clock",
        misconception="keeps each zone's smallest UTC offset of the year, as if no clock moved",
        offsets=Offsets.SMALLEST_OF_YEAR,
    ),
    Policy(
        name="offset-frozen",
        group="clock",
        misconception="keeps the UTC offsets of the window's start across every shift",
        offsets=Offsets.AT_WINDOW_START,
    ),
    Policy(
        name="ignore-weekdays",
        group="calendar",
        misconception="takes every day for a working day",
        weekdays=Weekdays.EVERY,
    ),
    Policy(
        name="sunday-first",
        group="calendar",
        misconception="reads weekday 0 as Sunday",
        weekdays=Weekdays.SUNDAY_FIRST,
    ),
    Policy(
        name="busy-by-utc-date",
        group="calendar",
        misconception="looks busy blocks up under the UTC date",
        blocks_by_utc_date=True,
    ),
    Policy(
        name="ignore-busy",
        group="interval",
        misconception="does not look at busy blocks",
        ignores_blocks=True,
    ),
    Policy(
        name="busy-end-inclusive",
        group="interval",
        misconception="takes the minute at which a block ends for busy",
        inclusive_end=True,
    ),
    Policy(
        name="half-hour-grid",
        group="interval",
        misconception="tries starts on the hour and the half hour only",
        minutes=Minutes.ON_HALF_HOUR,
    ),
    Policy(
        name="first-attendee-only",
        group="attention",
        misconception="looks at the first attendee only",
        first_attendees=1,
    ),
    Policy(
        name="skip-last-attendee",
        group="attention",
        misconception="leaves the last attendee out",
        skipped=-1,
    ),
    Policy(
        name="first-day-only",
        group="attention",
        misconception="tries the window's first day only",
        start_rule=StartRule.FIRST_DAY,
    ),
)
"""The twelve whose failures are counted as hardness."""

_SPECIAL: Final = (
    Policy(
        name="second-pass-unseen",
        group="special",
        misconception="overlooks that an hour is repeated, and never meets in its second pass",
        second_pass=SecondPass.NEVER_FREE,
    ),
    Policy(
        name="second-pass-not-busy",
        group="special",
        misconception="applies busy blocks to the first pass of a repeated hour only",
        second_pass=SecondPass.NOT_BUSY,
    ),
    Policy(
        name="day-ends-2359",
        group="special",
        misconception="reads working hours until 24:00 as until 23:59",
        hours_end=MINUTES_A_DAY - 1,
    ),
    Policy(
        name="short-busy-missed",
        group="special",
        misconception=f"overlooks a busy stretch of {SHORT} minutes or less",
        misses_short=True,
    ),
    Policy(
        name="window-in-local-dates",
        group="special",
        misconception="reads the window's dates in the first attendee's zone",
        start_rule=StartRule.FIRST_ATTENDEES_DATES,
    ),
    Policy(
        name="first-two-attendees",
        group="special",
        misconception="looks at the first two attendees only",
        first_attendees=2,
    ),
)
_CALLS: Final = (10, 20, 40)

BASELINES: Final = (
    Policy(
        name="naive",
        group="baseline",
        misconception="reads local times as UTC, and the end of a block as busy",
        offsets=Offsets.ZERO,
        inclusive_end=True,
    ),
    Policy(
        name="always-none",
        group="baseline",
        misconception="answers NONE without a look",
        choice=Choice.NONE,
    ),
    Policy(
        name="last-valid-start",
        group="baseline",
        misconception="gives the last valid start instead of the first",
        choice=Choice.LAST,
    ),
)
INVERSE: Final = (
    Policy(
        name="after-first-shift",
        group="inverse",
        misconception="expects the answer after the window's first change of offset",
        start_rule=StartRule.FROM_FIRST_CHANGE,
    ),
    Policy(
        name="not-first-day",
        group="inverse",
        misconception="expects the answer not to be on the first day",
        start_rule=StartRule.NOT_FIRST_DAY,
    ),
    Policy(
        name="off-half-hour",
        group="inverse",
        misconception="expects the answer off the hour and the half hour",
        minutes=Minutes.OFF_HALF_HOUR,
    ),
    Policy(
        name="last-quarter-of-window",
        group="inverse",
        misconception="expects the answer in the window's last quarter",
        start_rule=StartRule.LAST_QUARTER,
    ),
    Policy(
        name="never-none",
        group="inverse",
        misconception="never answers NONE",
        choice=Choice.EARLIEST_OR_WINDOW_START,
    ),
)


_ENTAILED: Final = {
    # It finds an earlier start without some; the first alone then has one no later.
    "skip-last-attendee": ("first-attendee-only",),
    "first-two-attendees": ("first-attendee-only",),
    # What is valid with some blocks overlooked is valid with all of them overlooked.
    "short-busy-missed": ("ignore-busy",),
    "second-pass-not-busy": ("ignore-busy",),
}


def entailed(name: str) -> tuple[str, ...]:
    """Return the core policies that answer wrong on every world on which the named one does.

    `ignore-weekdays`, where there is an answer, entails one of a set: that `first-day-only` or
    `sunday-first` fails.
    """
    if re.fullmatch("skip-attendee-([2-9]|[1-9][0-9]+)", name):
        return _ENTAILED["skip-last-attendee"]
    return _ENTAILED.get(name, ())


def skip_attendee(place: int) -> Policy:
    """Return the special policy that leaves out the attendee at a place, from 1."""
    return Policy(
        name=f"skip-attendee-{place}",
        group="special",
        misconception=f"leaves attendee {place} out",
        skipped=place,
    )


def at_most_calls(calls: int) -> Policy:
    """Return the special policy that stops reading after some tool calls."""
    return Policy(
        name=f"at-most-{calls}-calls",
        group="special",
        misconception=f"stops reading after {calls} tool calls and takes the rest for free",
        calls=calls,
    )


def specials(attendees: int) -> tuple[Policy, ...]:
    """Return the special policies for a world of so many attendees."""
    skips = tuple(skip_attendee(place) for place in range(1, attendees + 1))
    return _SPECIAL + skips + tuple(at_most_calls(calls) for calls in _CALLS)


@cache
def policy_named(name: str) -> Policy:
    """Return a policy by its name, `skip-attendee-K` and `at-most-N-calls` included.

    Raises:
        MeetingSlotError: there is none of that name.
    """
    known = {p.name: p for p in (GOLD, *CORE, *specials(0), *BASELINES, *INVERSE)}
    if name in known:
        return known[name]
    for prefix, suffix, made in (
        ("skip-attendee-", "", skip_attendee),
        ("at-most-", "-calls", at_most_calls),
    ):
        number = name.removeprefix(prefix).removesuffix(suffix)
        if re.fullmatch("[1-9][0-9]{0,5}", number) and made(int(number)).name == name:
            return made(int(number))
    close = difflib.get_close_matches(name, known, n=2, cutoff=0.7)
    meant = (
        f"did you mean {' or '.join(close)}?"
        if close
        else f"known are {', '.join(known)}, skip-attendee-K, at-most-N-calls"
    )
    raise MeetingSlotError(f"unknown policy {quoted(name)}; {meant}")


def can_find_too_much(policy: Policy) -> bool:
    """Return whether a policy can find a start where there is none; others only forbid starts."""
    return not (
        policy.inclusive_end
        or policy.start_rule is StartRule.FIRST_DAY
        or policy.minutes is Minutes.ON_HALF_HOUR
        or policy.second_pass is SecondPass.NEVER_FREE
        or policy.hours_end < MINUTES_A_DAY
    )


def merged(left: Policy, right: Policy) -> Policy:
    """Return the policy that makes the mistakes of both; where both change one field, right's."""
    changes = {
        field: getattr(right, field)
        for field in Policy.__struct_fields__
        if getattr(right, field) != getattr(GOLD, field)
    }
    both: dict[str, Any] = {
        "name": f"{left.name}+{right.name}",
        "group": f"{left.group}+{right.group}",
        "misconception": f"{left.misconception}, and {right.misconception}",
    }
    return msgspec.structs.replace(left, **{**changes, **both})
