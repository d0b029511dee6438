"""Wishes that contradict themselves, refused before any cast is drawn."""

import msgspec

from .. import zones
from ..errors import quoted
from ..instants import MINUTES_A_DAY, day_text, first_day_of, instant_text, year_of
from ..measures import Size
from ..parsing import (
    FIRST_DAY,
    LAST_DAY,
    MAX_ATTENDEES,
    MAX_DURATION,
    MAX_WINDOW_DAYS,
    parse_attendees,
)
from ..policies import CORE, Policy, can_find_too_much, policy_named
from .wishes import LEAST_OF_LOAD_BEARING, Dst, Starts, Target, WishError


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
    if target.window_start is not None:
        days = answer // MINUTES_A_DAY - target.window_start
        most = target.window_days or MAX_WINDOW_DAYS
        if not 0 <= days < most:
            raise WishError(
                f"the answer {instant_text(answer)} is outside a window of {most} days "
                f"from {_date(target.window_start)}"
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
