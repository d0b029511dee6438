"""A proof as an argument that can be followed: which starts fail for whom, then who is free.

The starts before the answer are cut into as few stretches as the observations allow. A meeting that
starts in a stretch touches minutes at which one person is not free, for one reason.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import msgspec

from . import zones
from .errors import MeetingSlotError
from .instants import MINUTES_A_DAY, answer_text, weekday_of
from .intervals import Interval, union
from .observations import (
    Kind,
    Observation,
    busy_times,
    fewest_stretches,
    off_work,
    proved,
    refuted_starts,
    starts_touching,
    universe,
)
from .tools import local_days
from .world import Attendee, Block, Request, World

_A_DATE = 2 * MINUTES_A_DAY  # longer than any local date lasts, a repeated one included


class Unproved(MeetingSlotError):
    """Observations that do not prove the answer that they are said to prove."""


class LocalTime(NamedTuple):
    """What somebody's clock shows.

    Attributes:
        day: the local date, in days since 1970-01-01.
        minute: the minute of day; 1440 only where it ends something.
        offset: in minutes east of UTC.
    """

    day: int
    minute: int
    offset: int


class OffWork(msgspec.Struct, frozen=True, tag="off work"):
    """Time outside somebody's hours or on days off.

    Attributes:
        since: when it begins; None where it has lasted since before the window.
        until: the first minute after it; None where it outlasts every meeting of the window.
        gaps: whether there is work in between, always for less than the meeting.
        days_off: the local dates in it that are days off.
        early_or_late: whether any of it is on a working day, before or after the hours.
    """

    since: LocalTime | None
    until: LocalTime | None
    gaps: bool
    days_off: tuple[int, ...]
    early_or_late: bool


class Busy(msgspec.Struct, frozen=True, tag="busy"):
    """Busy blocks of one local date.

    Attributes:
        day: the local date, in days since 1970-01-01.
        blocks: the blocks in local minutes of the day, in the order in which they are met.
        offsets: the offsets under which they are met, in minutes east of UTC, in that order.
        gaps: whether there is time in between, always less than the meeting.
    """

    day: int
    blocks: tuple[Block, ...]
    offsets: tuple[int, ...]
    gaps: bool


Why: TypeAlias = OffWork | Busy


class Refuted(msgspec.Struct, frozen=True):
    """A stretch of starts `[start, end)`, in UTC minutes, at each of which one attendee fails.

    Attributes:
        start: the first of them.
        end: the UTC minute after the last.
        attendee: who is not free.
        why: when and why not.
    """

    start: int
    end: int
    attendee: Attendee
    why: Why


class Confirmed(msgspec.Struct, frozen=True):
    """That one attendee is free for the whole of the meeting that is the answer.

    Attributes:
        attendee: who.
        start: what the clock shows when the meeting starts.
        end: what it shows when the meeting ends, at the offset of the meeting's last minute.
        dates: how many local dates the meeting touches.
        before: the nearest block before the meeting and its date; None: none on those dates.
        after: the nearest block after it and its date; None: none on those dates.
    """

    attendee: Attendee
    start: LocalTime
    end: LocalTime
    dates: int
    before: tuple[int, Block] | None
    after: tuple[int, Block] | None


class Argument(msgspec.Struct, frozen=True):
    """Why an answer is the answer.

    Attributes:
        request: the meeting asked for.
        answer: a start as a UTC minute, or None for NONE.
        refuted: every earlier start, or for NONE every start; the stretches touch, in order.
        confirmed: one for each attendee, in the world's order; empty for NONE.
    """

    request: Request
    answer: int | None
    refuted: tuple[Refuted, ...]
    confirmed: tuple[Confirmed, ...]


def argument(world: World, observations: Iterable[Observation], answer: int | None) -> Argument:
    """Return the argument that a proof makes; nothing but what was observed is used.

    Args:
        world: the world.
        observations: what was observed.
        answer: a start as a UTC minute, or None for NONE.

    Raises:
        Unproved: the observations do not prove the answer.
    """
    seen = set(observations)
    if not proved(world, seen, answer):
        raise Unproved(f"{world.id}: this does not prove that the answer is {answer_text(answer)}")
    request = world.request
    by_name = {attendee.name: attendee for attendee in world.attendees}
    refuted = {
        observation: refuted_starts(world, observation)
        for observation in universe(world)
        if observation in seen and Observation(Kind.ZONE, observation.attendee) in seen
    }
    stretches = fewest_stretches(refuted, request.start, request.end if answer is None else answer)
    assert stretches is not None  # or it would not have been proved
    return Argument(
        request,
        answer,
        refuted=tuple(
            _refuted(request, by_name[observation.attendee], observation, stretch)
            for stretch, observation in stretches
        ),
        confirmed=()
        if answer is None
        else tuple(
            _confirmed(attendee, answer, answer + request.duration_minutes)
            for attendee in world.attendees
        ),
    )


def _refuted(
    request: Request, attendee: Attendee, observation: Observation, stretch: Interval
) -> Refuted:
    why = (
        _off_work(request, attendee, stretch)
        if observation.day is None
        else _busy(request, attendee, observation.day, stretch)
    )
    return Refuted(*stretch, attendee, why)


def _off_work(request: Request, attendee: Attendee, stretch: Interval) -> OffWork:
    away = off_work(attendee, request.start, request.last_end)
    met = fewest_stretches({time: [starts_touching(request, time)] for time in away}, *stretch)
    assert met is not None  # these minutes are what the stretch was made from
    times = [time for _, time in met]
    zone, weekdays = attendee.timezone, attendee.working_hours.weekdays
    start, end = times[0][0], times[-1][1]
    dates = {day for time in times for day in local_days(zone, *time)}
    days_off = tuple(sorted(day for day in dates if weekday_of(day) not in weekdays))
    return OffWork(
        since=None if start == request.start else local_time(zone, start),
        until=None if end == request.last_end else local_time(zone, end),
        gaps=len(times) > 1,
        days_off=days_off,
        early_or_late=len(days_off) < len(dates),
    )


def _busy(request: Request, attendee: Attendee, day: int, stretch: Interval) -> Busy:
    times = busy_times(attendee, day, request.start, request.last_end)
    met = fewest_stretches({each: [starts_touching(request, each[0])] for each in times}, *stretch)
    assert met is not None  # as above
    return Busy(
        day,
        blocks=tuple(dict.fromkeys(block for _, (_, block) in met)),
        offsets=tuple(
            dict.fromkeys(zones.offset_at(attendee.timezone, time[0]) for _, (time, _) in met)
        ),
        gaps=len(union(time for _, (time, _) in met)) > 1,
    )


def _confirmed(attendee: Attendee, start: int, end: int) -> Confirmed:
    zone = attendee.timezone
    dates = local_days(zone, start, end)
    around = [
        (time, (day, block))
        for day in dates
        for time, block in busy_times(attendee, day, start - _A_DATE, end + _A_DATE)
    ]
    before = [(time[1], dated) for time, dated in around if time[1] <= start]
    after = [(time[0], dated) for time, dated in around if time[0] >= end]
    last_day, last_minute, offset = local_time(zone, end - 1)
    return Confirmed(
        attendee,
        start=local_time(zone, start),
        end=LocalTime(last_day, last_minute + 1, offset),
        dates=len(dates),
        before=max(before)[1] if before else None,
        after=min(after)[1] if after else None,
    )


def local_time(zone: str, instant: int) -> LocalTime:
    """Return what clocks in a zone show at a UTC minute."""
    offset = zones.offset_at(zone, instant)
    return LocalTime(*divmod(instant + offset, MINUTES_A_DAY), offset)
