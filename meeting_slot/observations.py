"""Observations: what one tool result shows of a world, and whether some of them prove an answer.

An observation *refutes* a start if it alone shows a minute of the meeting that is not free. A set
*proves* an answer if it refutes every earlier start and shows that the answer itself is free.
Whatever was not observed counts as free for refuting and as busy for confirming, so a proof holds
whatever the rest of the calendars says. Hours and blocks are local times: without the zone they
prove nothing. That somebody takes part, which `list_attendees` says, is taken as known.
"""

import enum
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec

from . import zones
from .instants import MINUTES_A_DAY, day_text, parse_day
from .intervals import Interval, difference, union
from .sweep import free
from .tools import attendee_named, local_days
from .world import Attendee, Block, Request, World

Refuter = TypeVar("Refuter")


class Kind(enum.Enum):
    """Which of an attendee's data is observed; the value is the tool that shows it."""

    ZONE = "get_timezone"
    HOURS = "get_working_hours"
    BUSY = "get_busy"


class Observation(msgspec.Struct, frozen=True):
    """One tool result: what it is about, not what it says, which the world knows.

    Attributes:
        kind: the zone, the working hours, or the busy blocks of one local date.
        attendee: the name, as the world spells it.
        day: the local date of `Kind.BUSY`, in days since 1970-01-01; None for the other kinds.
    """

    kind: Kind
    attendee: str
    day: int | None = None

    def arguments(self) -> dict[str, str]:
        """Return the arguments of the tool call that shows it."""
        if self.day is None:
            return {"name": self.attendee}
        return {"name": self.attendee, "date": day_text(self.day)}


def of_call(world: World, tool: str, arguments: Mapping[str, Any]) -> Observation | None:
    """Return what a tool call shows, or None where it shows nothing that proves anything.

    Args:
        world: the world that the call is about.
        tool: the tool's name; `list_attendees`, or no tool's name, shows nothing here.
        arguments: `name` and, for `get_busy`, `date`, read as the tools read them.
    """
    attendee = attendee_named(world, arguments.get("name"))
    if attendee is None:
        return None
    match tool:
        case Kind.ZONE.value | Kind.HOURS.value:
            return Observation(Kind(tool), attendee.name)
        case Kind.BUSY.value:
            date = arguments.get("date")
            try:
                day = parse_day(date if isinstance(date, str) else "")
            except ValueError:
                return None
            return Observation(Kind.BUSY, attendee.name, day)
    return None


def universe(world: World) -> list[Observation]:
    """Return every observation that can matter, in the canonical order.

    For each attendee in the world's order: the zone, the hours, and the busy blocks of each local
    date, in order, that occurs in the UTC minutes a meeting may touch.
    """
    request = world.request
    return [
        observation
        for attendee in world.attendees
        for observation in _about(attendee, request.start, request.last_end)
    ]


def needed(world: World, start: int) -> list[Observation]:
    """Return what shows that everybody is free for a meeting from `start`, in canonical order.

    The zone and the hours of each attendee, and the blocks of each local date the meeting touches.

    Args:
        world: the world.
        start: a UTC minute.
    """
    end = start + world.request.duration_minutes
    return [
        observation for attendee in world.attendees for observation in _about(attendee, start, end)
    ]


def refuted_starts(world: World, observation: Observation) -> list[Interval]:
    """Return the starts in the window that an observation refutes, the zone being known.

    Sorted disjoint intervals of UTC minutes. A zone refutes nothing by itself, nor does an
    observation that the world does not have.
    """
    for attendee in world.attendees:
        if attendee.name == observation.attendee:
            return _refuted(attendee, observation, world.request)
    return []


def refutations(world: World) -> dict[Observation, list[Interval]]:
    """Return `refuted_starts` of every observation of the universe, in canonical order."""
    request = world.request
    return {
        observation: _refuted(attendee, observation, request)
        for attendee in world.attendees
        for observation in _about(attendee, request.start, request.last_end)
    }


def fewest_stretches(
    refuted: Mapping[Refuter, Iterable[Interval]], start: int, end: int
) -> list[tuple[Interval, Refuter]] | None:
    """Cut the starts `[start, end)` into as few stretches as can be, each with one refuter.

    At each stretch's first start the refuter is taken that reaches furthest from there, of several
    the first in the order given.

    Args:
        refuted: the starts that each refuter refutes.
        start: a UTC minute.
        end: a UTC minute.

    Returns:
        The stretches in order, which touch each other; None where a start has no refuter.
    """
    waiting = sorted(
        (interval, order)
        for order, intervals in enumerate(refuted.values())
        for interval in intervals
    )
    refuters = list(refuted)
    stretches: list[tuple[Interval, Refuter]] = []
    at, reach, furthest, following = start, start, -1, 0
    while at < end:
        while following < len(waiting) and waiting[following][0][0] <= at:
            (_, interval_end), order = waiting[following]
            if interval_end > reach or (interval_end == reach and order < furthest):
                reach, furthest = interval_end, order
            following += 1
        if reach == at:
            return None
        stretches.append(((at, min(reach, end)), refuters[furthest]))
        at = reach
    return stretches


def proved(world: World, observations: Iterable[Observation], answer: int | None) -> bool:
    """Return whether these tool results prove this answer.

    Args:
        world: the world; of what it holds, only what was observed is looked at.
        observations: in any order; repeated ones and such as the world does not have do no harm.
        answer: a start as a UTC minute, or None for NONE.
    """
    request = world.request
    seen = set(observations)
    if answer is None:
        end = request.end
    elif request.start <= answer < request.end and seen.issuperset(needed(world, answer)):
        end = answer + 1
    else:
        return False
    refuted = union(
        interval
        for attendee in world.attendees
        if Observation(Kind.ZONE, attendee.name) in seen
        for observation in _about(attendee, request.start, request.last_end)
        if observation in seen
        for interval in _refuted(attendee, observation, request)
    )
    left = difference((request.start, end), refuted)
    return not left if answer is None else left == [(answer, answer + 1)]


def starts_touching(request: Request, minutes: Interval) -> Interval:
    """Return the starts in the window whose meeting touches a minute of an interval, all in UTC."""
    start, end = minutes
    return max(start - request.duration_minutes + 1, request.start), min(end, request.end)


def off_work(attendee: Attendee, start: int, end: int) -> list[Interval]:
    """Return the UTC minutes of `[start, end)` outside an attendee's hours or on days off."""
    return difference((start, end), free(msgspec.structs.replace(attendee, busy={}), start, end))


def busy_times(attendee: Attendee, day: int, start: int, end: int) -> list[tuple[Interval, Block]]:
    """Return when a local date's blocks occur within the UTC minutes `[start, end)`, each apart.

    Every minute that reads as a time in the block counts, in the hours or not: a block in a
    repeated hour occurs twice, one in a skipped hour never. In UTC order, where the blocks may
    still overlap.
    """
    found: list[tuple[Interval, Block]] = []
    midnight = day * MINUTES_A_DAY
    blocks = attendee.busy.get(day, ())
    for span_start, span_end, offset in zones.spans(attendee.timezone, start, end):
        for block in blocks:
            first = max(midnight + block[0] - offset, span_start)
            last = min(midnight + block[1] - offset, span_end)
            if first < last:
                found.append(((first, last), block))
    return found


def _about(attendee: Attendee, start: int, end: int) -> list[Observation]:
    """Return the observations of one attendee that bear on the UTC minutes `[start, end)`."""
    name = attendee.name
    return [
        Observation(Kind.ZONE, name),
        Observation(Kind.HOURS, name),
        *(Observation(Kind.BUSY, name, day) for day in local_days(attendee.timezone, start, end)),
    ]


def _refuted(attendee: Attendee, observation: Observation, request: Request) -> list[Interval]:
    """Return the starts whose meeting touches a minute that the observation shows is not free."""
    if observation.kind is Kind.HOURS:
        taken = off_work(attendee, request.start, request.last_end)
    elif observation.kind is Kind.BUSY and observation.day is not None:
        times = busy_times(attendee, observation.day, request.start, request.last_end)
        taken = [interval for interval, _ in times]
    else:
        return []
    return union(starts_touching(request, interval) for interval in taken)
