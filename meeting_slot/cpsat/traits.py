"""Traits: what a cast and its window must have for the wished policies to fail.

A policy that fails only across a shift needs a window across one; a policy that fails on days off
needs a day off before the answer. A wish for some hardness has each trait with that probability.
"""

import random
from typing import NamedTuple

from ..policies import CORE, ENTAILED
from .wishes import Target


class Traits(NamedTuple):
    """What to look for when a cast is drawn; None leaves it to chance.

    Attributes:
        right: the core policies that shall answer right, as far as they were chosen.
        shift: a change of someone's offset in the window, before the answer: forward or back.
        day_off: a day off before the answer.
        date_line: someone's local date at the answer is not the UTC date.
        first_has_other_date: and that is the first attendee.
        on_half_hour: the answer is on the hour or half hour, or off it.
        on_first_day: the answer is on the window's first day, or later.
        day_end: someone's hours end at 24:00, and the meeting reaches it.
        second_pass: the answer lies in, or soon after, the second pass of a repeated hour.
        earliest_at_work: the answer is the first start at which all are at work, or a later one.
        fewest: the least number of attendees.
    """

    right: frozenset[str] = frozenset()
    shift: str | None = None
    day_off: bool = False
    date_line: bool = False
    first_has_other_date: bool = False
    on_half_hour: bool | None = None
    on_first_day: bool | None = None
    day_end: bool = False
    second_pass: bool = False
    earliest_at_work: bool | None = None
    fewest: int = 1


def traits_of(target: Target, rng: random.Random) -> Traits:
    """Return the traits that the wish asks for; which core policies fail is chance where it may."""
    if target.hardness is None and not target.wrong:
        return Traits()
    wrong, right = _chosen(target, rng)

    def wished(name: str) -> bool | None:
        """Return whether a policy shall be right; None: it may be either."""
        return True if name in right else False if name in wrong else None

    shift = None
    if "offset-frozen" in wrong:
        # Late in the year, the smallest offset of the year is the true one after the change.
        shift = "back" if target.isolate == "offset-frozen" else rng.choice(("forward", "back"))
    skipped = [int(name.rpartition("-")[2]) for name in wrong if name.startswith("skip-attendee-")]
    return Traits(
        right=right,
        shift=shift,
        day_off="ignore-weekdays" in wrong,
        date_line=not wrong.isdisjoint(("busy-by-utc-date", "window-in-local-dates")),
        first_has_other_date="window-in-local-dates" in wrong,
        on_half_hour=wished("half-hour-grid"),
        on_first_day=None if target.isolate else wished("first-day-only"),
        day_end="day-ends-2359" in wrong,
        second_pass=not wrong.isdisjoint(("second-pass-unseen", "second-pass-not-busy")),
        earliest_at_work=wished("ignore-busy"),
        fewest=max(
            2 if target.needs_all or wrong & {"first-attendee-only", "skip-last-attendee"} else 1,
            3 if "first-two-attendees" in wrong else 1,
            3 if target.isolate in ("first-attendee-only", "skip-last-attendee") else 1,
            *(max(2, place) for place in skipped),
            1,
        ),
    )


def _chosen(target: Target, rng: random.Random) -> tuple[frozenset[str], frozenset[str]]:
    """Return the policies that shall answer wrong, and the core ones that shall answer right."""
    core = [policy.name for policy in CORE]
    if target.isolate is not None:
        wrong = {target.isolate, *ENTAILED.get(target.isolate, ())}
        return frozenset(wrong), frozenset(core) - wrong - {"first-day-only"}
    if target.hardness is None:
        return target.wrong, frozenset()
    failing = target.wrong.union(rng.sample(core, target.hardness))
    return failing, frozenset(core) - failing
