"""Traits: what a cast and its window must have for the wished policies to fail.

A policy that fails only across a shift needs a window across one; a policy that fails on days off
needs a day off before the answer. A wish for some hardness has each trait with that probability.
"""

import random
from typing import Final, NamedTuple

from ..policies import CORE, ENTAILED, Policy
from .wishes import Target

_READING: Final = ("ignore-time-zones", "ignore-dst", "sunday-first")


class Traits(NamedTuple):
    """What to look for when a cast is drawn; None leaves it to chance.

    Attributes:
        shift: a change of someone's offset in the window, before the answer: forward or back.
        day_off: a day off before the answer.
        date_line: someone's local date at the answer is not the UTC date.
        first_has_other_date: and that is the first attendee.
        on_half_hour: the answer is on the hour or half hour, or off it.
        on_first_day: the answer is on the window's first day, or later.
        day_end: someone's hours end at 24:00, and the meeting reaches it.
        second_pass: the answer lies in, or soon after, the second pass of a repeated hour.
        earliest_at_work: the answer is the first start at which all are at work.
        at_work_for: policies that shall be right, and so must have all at work at the answer.
        fewest: the least number of attendees.
    """

    shift: str | None = None
    day_off: bool | None = None
    date_line: bool | None = None
    first_has_other_date: bool = False
    on_half_hour: bool | None = None
    on_first_day: bool | None = None
    day_end: bool = False
    second_pass: bool = False
    earliest_at_work: bool = False
    at_work_for: tuple[Policy, ...] = ()
    fewest: int = 1


def traits_of(target: Target, rng: random.Random) -> Traits:
    """Return the traits that the wish asks for, chance deciding where it leaves room."""
    if target.hardness is None and not target.wrong:
        return Traits()
    wrong = target.wrong
    share = None if target.hardness is None else target.hardness / len(CORE)

    def fails(name: str) -> bool | None:
        """Return whether the policy shall fail; None: it may."""
        if name in wrong or name in ENTAILED.get(target.isolate or "", ()):
            return True
        if target.isolate is not None:
            return False
        if share is None:
            return None
        return rng.random() < share if 0 < share < 1 else share == 1

    on_half_hour, on_first_day = fails("half-hour-grid"), fails("first-day-only")
    shift = None
    if fails("offset-frozen"):
        # Back in the year, the smallest offset of the year is the true one after the change.
        shift = "back" if target.isolate == "offset-frozen" else rng.choice(("forward", "back"))
    skipped = [
        int(name.removeprefix("skip-attendee-")) for name in wrong if "skip-attendee" in name
    ]
    fewest = max(
        [
            1,
            2 * bool(fails("first-attendee-only") or fails("skip-last-attendee")),
            2 * target.needs_all,
            3 * ("first-two-attendees" in wrong),
            3 * (target.isolate in ("first-attendee-only", "skip-last-attendee")),
            *(max(2, place) for place in skipped),
        ]
    )
    return Traits(
        shift=shift,
        day_off=fails("ignore-weekdays"),
        date_line=fails("busy-by-utc-date") or "window-in-local-dates" in wrong,
        first_has_other_date="window-in-local-dates" in wrong,
        on_half_hour=None if on_half_hour is None else not on_half_hour,
        on_first_day=None if on_first_day is None or target.isolate else not on_first_day,
        day_end="day-ends-2359" in wrong,
        second_pass=bool(wrong & {"second-pass-unseen", "second-pass-not-busy"}),
        earliest_at_work=fails("ignore-busy") is False,
        at_work_for=tuple(p for p in CORE if p.name in _READING and fails(p.name) is False),
        fewest=fewest,
    )
