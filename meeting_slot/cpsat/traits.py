"""Traits: what a cast and its window must have for the wished policies to fail.

A policy that fails only across a shift needs a window across one; a policy that fails on days off
needs a day off before the answer. A wish for some hardness has each trait with that probability.
"""

import enum
import random
from typing import Final, NamedTuple

from ..policies import CORE, can_find_too_much, entailed
from .wishes import Target


class Shift(enum.Enum):
    """Where a change of someone's offset lies in the window."""

    FORWARD_BEFORE = "forward, before the answer"
    BACK_BEFORE = "back, before the answer"
    AFTER = "either, after the answer"


# With these weights each core policy fails in about as many worlds of the default mix, and a change
# in the window is no sign that the answer comes after it.
_WEIGHTS: Final = {
    "ignore-busy": 3.0,
    "busy-end-inclusive": 3.0,
    "offset-frozen": 1.3,
    "busy-by-utc-date": 1.8,
    "sunday-first": 1.6,
    "half-hour-grid": 1.5,
    "ignore-dst": 1.2,
    "ignore-weekdays": 1.2,
}
# A policy that can hardly fail without others: before a day off or a shift there is a first day.
_ALONG: Final = {
    "skip-last-attendee": ("first-attendee-only",),
    "ignore-weekdays": ("first-day-only",),
    "offset-frozen": ("first-day-only",),
}
_CHANGE_AFTER: Final = 0.22
"""The share of worlds with a change after the answer, of those that no change shall decide."""


class Chosen(NamedTuple):
    """Names of policies.

    Attributes:
        wrong: core and special ones that shall answer wrong.
        right: core ones that shall answer right.
    """

    wrong: frozenset[str] = frozenset()
    right: frozenset[str] = frozenset()


class Traits(NamedTuple):
    """What to look for when a cast is drawn; None leaves it to chance.

    Attributes:
        chosen: the policies that shall answer wrong, and right.
        shift: a change of someone's offset in the window.
        day_off: a day off before the answer.
        summer: someone's offset is not the smallest of the year.
        date_line: someone's local date at the answer is not the UTC date.
        first_has_other_date: and that is the first attendee.
        on_half_hour: the answer is on the hour or half hour, or off it.
        on_first_day: the answer is on the window's first day, or later.
        day_end: someone's hours end at 24:00, and the meeting reaches it.
        second_pass: the answer lies in, or soon after, the second pass of a repeated hour.
        earliest_at_work: the answer is the first start at which all are at work, or a later one.
        fewest: the least number of attendees.
    """

    chosen: Chosen = Chosen()
    shift: Shift | None = None
    day_off: bool = False
    summer: bool = False
    date_line: bool = False
    first_has_other_date: bool = False
    on_half_hour: bool | None = None
    on_first_day: bool | None = None
    day_end: bool = False
    second_pass: bool = False
    earliest_at_work: bool | None = None
    fewest: int = 1


def traits_of(target: Target, chosen: Chosen, rng: random.Random) -> Traits:
    """Return the traits that the wish and the choice of policies ask for."""
    if target.hardness is None and not target.wrong:
        return Traits()
    wrong, right = chosen

    def wished(name: str) -> bool | None:
        """Return whether a policy shall be right; None: it may be either."""
        return True if name in right else False if name in wrong else None

    shift = None
    if "offset-frozen" in wrong:
        # Late in the year, the smallest offset of the year is the true one after the change.
        either = (Shift.FORWARD_BEFORE, Shift.BACK_BEFORE)
        shift = Shift.BACK_BEFORE if "ignore-dst" in right else rng.choice(either)
    elif target.hardness is not None and rng.random() < _CHANGE_AFTER:
        shift = Shift.AFTER
    skipped = [int(name.rpartition("-")[2]) for name in wrong if name.startswith("skip-attendee-")]
    return Traits(
        chosen=chosen,
        shift=shift,
        day_off="ignore-weekdays" in wrong,
        summer="ignore-dst" in wrong and shift is None,
        date_line=not wrong.isdisjoint(("busy-by-utc-date", "window-in-local-dates")),
        first_has_other_date="window-in-local-dates" in wrong,
        on_half_hour=wished("half-hour-grid"),
        on_first_day=wished("first-day-only"),
        day_end="day-ends-2359" in wrong,
        second_pass=not wrong.isdisjoint(("second-pass-unseen", "second-pass-not-busy")),
        earliest_at_work=wished("ignore-busy"),
        fewest=max(
            2 if target.needs_all or wrong & {"first-attendee-only", "skip-last-attendee"} else 1,
            3 if "first-two-attendees" in wrong else 1,
            3 if "first-attendee-only" in wrong and "skip-last-attendee" in right else 1,
            3 if target.isolate == "skip-last-attendee" else 1,
            *(max(2, place) for place in skipped),
            1,
        ),
    )


def choose(target: Target, rng: random.Random) -> Chosen:
    """Return which policies shall answer wrong and right; chance decides where the wish may."""
    core = [policy.name for policy in CORE]
    if target.isolate is not None:
        wrong = {target.isolate, *entailed(target.isolate)}
        return Chosen(frozenset(wrong), frozenset(core) - wrong - {"first-day-only"})
    if target.hardness is None:
        return Chosen(target.wrong)
    able = [p.name for p in CORE if target.answer != "NONE" or can_find_too_much(p)]
    # The largest of such draws are a weighted sample without replacement.
    drawn = sorted(able, key=lambda name: rng.random() ** (1 / _WEIGHTS.get(name, 1.0)))
    failing: set[str] = set()
    if target.needs_all:
        # Who overlooks blocks could be right only where each person is off at another common hour.
        counting = ("first-attendee-only", "skip-last-attendee", "ignore-busy")
        failing = set(counting[: target.hardness]) & set(able)
    for name in reversed(drawn):
        more = failing | {name, *_ALONG.get(name, ())}
        if len(more & set(able)) <= target.hardness:
            failing |= more & set(able)
    for name in reversed(drawn):
        if len(failing) < target.hardness:
            failing.add(name)
    return Chosen(target.wrong.union(failing), frozenset(core) - failing - target.wrong)
