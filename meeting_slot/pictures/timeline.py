"""The timeline of a world: who is free when, and why not, as data that is ready to be drawn.

All instants are UTC minutes since 1970-01-01T00:00Z, all stretches half-open. What is free comes
from the sweep, and so does everything else: whoever is free without busy blocks is at work, and
whoever is free without blocks and hours has a working day.
"""

import bisect
import enum
import itertools
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from .. import zones
from ..argument import LocalTime
from ..errors import MeetingSlotError, printable, quoted
from ..instants import MINUTES_A_DAY, instant_text, parse_answer, weekday_of
from ..intervals import Interval, difference, intersection
from ..sweep import earliest_start, free, valid_stretches
from ..tools import attendee_named, local_days
from ..verdict import Verdict, verdict_on
from ..world import Attendee, WorkingHours, World

HOURS_AROUND: Final = 18
"""How much is drawn before and after an instant that a timeline is about."""

MOST_ROWS: Final = 40
"""How many attendees a picture draws; a timeline has them all."""


class NotDrawable(MeetingSlotError):
    """A wish about the picture that the world cannot fulfil."""


class State(enum.Enum):
    """What an attendee is at a UTC minute; the names of three are those of `reasons.Cause`."""

    FREE = "free"
    BUSY = "busy"
    OUTSIDE_HOURS = "outside hours"
    DAY_OFF = "day off"


class Stretch(NamedTuple):
    """UTC minutes `[start, end)` in one state; the stretches next to it have another."""

    start: int
    end: int
    state: State


class NewDate(NamedTuple):
    """That the local date `day`, in days since 1970-01-01, begins at the UTC minute `at`.

    Mostly at a local midnight. Where clocks jump over midnight, the first reading of the date is
    later; where they go back over it, a date begins twice.
    """

    at: int
    day: int


class Row(msgspec.Struct, frozen=True):
    """One attendee's line of a timeline.

    Attributes:
        name: the attendee's name.
        timezone: the attendee's zone.
        hours: local working hours and weekdays.
        stretches: what the attendee is when; they make up the drawn range.
        offsets: the zone's spans of constant offset; they make up the drawn range, too.
        changes: the changes of offset in the drawn range, one at its first minute included.
        new_dates: where in the drawn range a local date begins, its first minute left aside.
        days_off: the local dates in the drawn range on which the attendee does not work.
    """

    name: str
    timezone: str
    hours: WorkingHours
    stretches: tuple[Stretch, ...]
    offsets: tuple[zones.Span, ...]
    changes: tuple[zones.Change, ...]
    new_dates: tuple[NewDate, ...]
    days_off: tuple[int, ...]

    def local(self, instant: int) -> LocalTime:
        """Return what the attendee's clock shows at a UTC minute of the drawn range."""
        offset = self._offset(instant)
        return LocalTime(*divmod(instant + offset, MINUTES_A_DAY), offset)

    def local_end(self, instant: int) -> LocalTime:
        """Return what the clock shows at the end of the minute before; midnight is 24:00."""
        day, minute, offset = self.local(instant - 1)
        return LocalTime(day, minute + 1, offset)

    def _offset(self, instant: int) -> int:
        place = bisect.bisect_right(self.offsets, instant, key=lambda span: span.start)
        return self.offsets[max(0, place - 1)].offset


class Timeline(msgspec.Struct, frozen=True):
    """What the picture of a world shows.

    Attributes:
        world_id: the world's id.
        duration: the meeting's length in minutes.
        window: the UTC minutes that may be starts.
        start: the first UTC minute drawn.
        end: the UTC minute after the last drawn.
        rows: the attendees drawn, in the world's order.
        attendees: how many there are, drawn or not.
        common: when in the drawn range all of them are free, drawn or not.
        valid: all valid starts of the window, drawn or not, as stretches `[first, last + 1)`.
        answer: the right answer; None for NONE.
        proposed: the UTC minute that was proposed; None for NONE, or where nothing was.
        verdict: what the proposed answer is worth; None where nothing was proposed.
    """

    world_id: str
    duration: int
    window: Interval
    start: int
    end: int
    rows: tuple[Row, ...]
    attendees: int
    common: tuple[Interval, ...]
    valid: tuple[Interval, ...]
    answer: int | None
    proposed: int | None = None
    verdict: Verdict | None = None

    def is_drawn(self, instant: int | None) -> bool:
        """Return whether a UTC minute lies in the drawn range."""
        return instant is not None and self.start <= instant < self.end


def timeline(
    world: World,
    proposed: str | None = None,
    *,
    around: int | None = None,
    hours: int = HOURS_AROUND,
    names: Sequence[str] = (),
) -> Timeline:
    """Return the timeline of a world.

    The window is drawn, and beyond it what the meeting of the answer or of a proposed one needs; a
    proposed meeting that is more than a day away from the window is not drawn.

    Args:
        world: the world.
        proposed: a proposed answer, in any notation of `instants.parse_answer`.
        around: a UTC minute; only the hours before and after it are drawn.
        hours: how many on either side.
        names: the attendees that are drawn, letter case aside; all where it is empty.

    Raises:
        UnreadableAnswer: the proposed answer is no instant and not NONE.
        NotDrawable: a name is nobody's, or `around` lies outside of what would be drawn.
    """
    drawn = _drawn_attendees(world, names)
    valid = valid_stretches(world)
    answer = valid[0][0] if valid else None
    verdict = None if proposed is None else verdict_on(world, proposed, answer)
    instant = None if proposed is None else parse_answer(proposed)
    minute = None if instant is None else instant.minute
    start, end = _range(world, answer, minute)
    if around is not None:
        if not start <= around < end:
            raise NotDrawable(
                f"{instant_text(around)} cannot be looked at: it lies outside of "
                f"{instant_text(start)} to {instant_text(end)}"
            )
        start = max(start, around - 60 * hours)
        end = min(end, around + world.request.duration_minutes + 60 * hours)
    return Timeline(
        world_id=world.id,
        duration=world.request.duration_minutes,
        window=(world.request.start, world.request.end),
        start=start,
        end=end,
        rows=tuple(_row(attendee, start, end) for attendee in drawn),
        attendees=len(world.attendees),
        common=tuple(_common(world, start, end)),
        valid=tuple(valid),
        answer=answer,
        proposed=minute,
        verdict=verdict,
    )


def instant_around(world: World, text: str) -> int:
    """Return the UTC minute that a text names: an instant, or `ANSWER` for the right answer.

    Raises:
        UnreadableAnswer: it is neither.
        NotDrawable: there is no such instant: the answer is NONE, or the text is.
    """
    if text.strip().upper() == "ANSWER":
        answer = earliest_start(world)
        if answer is None:
            raise NotDrawable("there is nothing to look at around the answer: it is NONE")
        return answer
    instant = parse_answer(text)
    if instant is None:
        raise NotDrawable("NONE is no instant to look at")
    return instant.minute


def _drawn_attendees(world: World, names: Sequence[str]) -> list[Attendee]:
    if not names:
        return list(world.attendees)
    wanted = []
    for name in names:
        attendee = attendee_named(world, name)
        if attendee is None:
            known = ", ".join(printable(one.name) for one in world.attendees[:10])
            more = len(world.attendees) - 10
            and_more = f" and {more} more" if more > 0 else ""
            raise NotDrawable(
                f"there is no attendee {quoted(name)}; the attendees are {known}{and_more}"
            )
        wanted.append(attendee.name)
    return [attendee for attendee in world.attendees if attendee.name in wanted]


def _range(world: World, answer: int | None, proposed: int | None) -> Interval:
    """Return what is drawn of a world where nothing restricts it."""
    request = world.request
    start, end = request.start, request.end
    for meeting in (answer, proposed):
        if meeting is not None and abs(meeting - min(max(meeting, start), end)) <= MINUTES_A_DAY:
            start = min(start, meeting)
            end = max(end, meeting + request.duration_minutes)
    return start, end


def _common(world: World, start: int, end: int) -> list[Interval]:
    """Return when in `[start, end)` everybody is free."""
    common: list[Interval] = [(start, end)]
    for attendee in world.attendees:
        if not common:
            break
        common = intersection(common, free(attendee, start, end))
    return common


def _row(attendee: Attendee, start: int, end: int) -> Row:
    offsets = tuple(zones.spans(attendee.timezone, start, end))
    days = local_days(attendee.timezone, start, end)
    weekdays = attendee.working_hours.weekdays
    return Row(
        name=attendee.name,
        timezone=attendee.timezone,
        hours=attendee.working_hours,
        stretches=_stretches(attendee, start, end),
        offsets=offsets,
        changes=tuple(zones.changes(attendee.timezone, start, end)),
        new_dates=tuple(_new_dates(offsets)),
        days_off=tuple(day for day in days if weekday_of(day) not in weekdays),
    )


def _stretches(attendee: Attendee, start: int, end: int) -> tuple[Stretch, ...]:
    """Return an attendee's states; they make up `[start, end)`."""
    unbooked = msgspec.structs.replace(attendee, busy={})
    round_the_clock = msgspec.structs.replace(
        unbooked, working_hours=WorkingHours(0, MINUTES_A_DAY, attendee.working_hours.weekdays)
    )
    is_free, at_work, working_day = (
        free(each, start, end) for each in (attendee, unbooked, round_the_clock)
    )
    whole = (start, end)
    found = {
        State.FREE: is_free,
        State.BUSY: intersection(at_work, difference(whole, is_free)),
        State.OUTSIDE_HOURS: intersection(working_day, difference(whole, at_work)),
        State.DAY_OFF: difference(whole, working_day),
    }
    return tuple(sorted(Stretch(*each, state) for state, all_ in found.items() for each in all_))


def _new_dates(offsets: Sequence[zones.Span]) -> list[NewDate]:
    """Return where a local date begins after the first minute of a row of offset spans."""
    found: list[NewDate] = []
    for span in offsets:
        first = (span.start + span.offset) // MINUTES_A_DAY
        last = (span.end - 1 + span.offset) // MINUTES_A_DAY
        found.append(NewDate(span.start, first))
        found += [
            NewDate(day * MINUTES_A_DAY - span.offset, day) for day in range(first + 1, last + 1)
        ]
    return [after for before, after in itertools.pairwise(found) if before.day != after.day]
