"""Near misses: the places before the answer that look like it to somebody who is careless.

Two kinds count. *Too short*: a maximal stretch of common free time that the meeting exceeds by at
most `SHORT_BY` minutes. *One missing*: a maximal stretch, at least as long as the meeting, in which
all attendees but one are free. A stretch is cut to the minutes that a meeting may touch, and its
first minute lies in the window, before the answer; in a world without an answer, anywhere in the
window. Since no meeting fits there, the one attendee is never free for all of it.
"""

import itertools
from typing import Final

import msgspec

from .intervals import Interval, intersection
from .sweep import free
from .world import World

SHORT_BY: Final = 15
"""By how many minutes a stretch may be too short and still be a near miss."""


class NearMisses(msgspec.Struct, frozen=True):
    """The near misses of a world, as stretches `[start, end)` of UTC minutes, sorted.

    Attributes:
        too_short: those of common free time; none that lies in one of the others, which is the
            same place.
        one_missing: those in which all but one attendee are free; never for a single attendee.
    """

    too_short: tuple[Interval, ...]
    one_missing: tuple[Interval, ...]

    @property
    def count(self) -> int:
        """How many there are of both kinds."""
        return len(self.too_short) + len(self.one_missing)


def near_misses(world: World) -> NearMisses:
    """Return the near misses before the answer, in time linear in the attendees."""
    duration = world.request.duration_minutes
    others, common = _common_free_without_each(world)
    answer = next((start for start, end in common if end - start >= duration), None)
    last = world.request.end if answer is None else answer
    missing = sorted(
        (start, end)
        for stretches in others
        for start, end in stretches
        if start < last and end - start >= duration
    )
    short = [
        (start, end)
        for start, end in common
        if start < last
        and end - start >= duration - SHORT_BY
        and not any(first <= start and end <= after for first, after in missing)
    ]
    return NearMisses(tuple(short), tuple(missing))


def _common_free_without_each(world: World) -> tuple[list[list[Interval]], list[Interval]]:
    """Return the common free time of all but each attendee (none for a single one), and of all."""
    everything = [(world.request.start, world.request.last_end)]
    times = [free(attendee, *everything[0]) for attendee in world.attendees]
    before = list(itertools.accumulate(times, intersection, initial=everything))
    after = list(itertools.accumulate(reversed(times), intersection, initial=everything))
    others = [
        intersection(before[place], after[len(times) - 1 - place]) for place in range(len(times))
    ]
    return others if len(times) > 1 else [], before[-1]
