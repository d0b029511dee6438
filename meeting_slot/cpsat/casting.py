"""Casts and windows chosen so that a wish can come true, not drawn until it does.

The answer is chosen first; then everybody gets hours in which it lies, the usual ones where the
local time allows, an early, late or night shift where it does not. With a wish about an offset
change, the change comes before the answer.
"""

import random
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from .. import zones
from ..instants import MINUTES_A_DAY, weekday_of
from ..intervals import Interval
from ..measures import Load, Size
from ..parsing import FIRST_DAY, LAST_DAY, MAX_WINDOW_DAYS
from ..policies import CORE, GOLD, Offsets, Policy, policy_named
from ..reading import Reader, offsets_read, weekday_read
from ..world import Attendee, Request, WorkingHours, World
from .answers import Answers, likely_answers
from .cells import GRID
from .shifts import draw_shift, possible_starts
from .traits import Chosen, Shift, Traits, traits_of
from .views import Views
from .wishes import Dst, Target, WishError

NAMES: Final = (
    *("Ada", "Aiko", "Ama", "Amir", "Ana", "Anouk", "Arjun", "Asha", "Ava", "Aya", "Bea", "Ben"),
    *("Bo", "Caleb", "Carla", "Chen", "Chidi", "Clara", "Cleo", "Dana", "Dara", "Devi", "Diego"),
    *("Dina", "Ebo", "Edith", "Eli", "Elif", "Emil", "Esra", "Eva", "Farid", "Fay", "Femi", "Finn"),
    *("Freya", "Gael", "Gita", "Goran", "Grace", "Hana", "Hector", "Hugo", "Ida", "Imani", "Ines"),
    *("Ira", "Isla", "Ivan", "Jada", "Jin", "Joao", "Jonas", "Jules", "Kai", "Kamal", "Kofi"),
    *("Lara", "Lea", "Leo", "Lin", "Luca", "Lucia", "Mads", "Maja", "Malik", "Mara", "Mei", "Mia"),
    *("Milan", "Mina", "Mona", "Musa", "Nadia", "Naomi", "Nia", "Nils", "Noa", "Nora", "Olga"),
    *("Omar", "Oscar", "Otto", "Pablo", "Paz", "Petra", "Pia", "Priya", "Quinn", "Rafa", "Rana"),
    *("Ravi", "Rosa", "Ruth", "Sami", "Sara", "Selma", "Sven", "Tala", "Tariq", "Tess", "Theo"),
    *("Tomas", "Uma", "Vera", "Viktor", "Wanda", "Wei", "Xena", "Yara", "Yuki", "Yusuf", "Zara"),
    "Zoe",
)
"""First names from many places; which one goes with which zone is chance."""

_DURATIONS: Final = (15, 25, 30, 30, 30, 45, 45, 60, 60, 60, 90)
_SIZES: Final = (2, 2, 3, 3, 3, 4, 4, 5)


def _hours(*spans: str) -> tuple[tuple[int, int], ...]:
    return tuple(
        (int(span[:2]) * 60 + int(span[3:5]), int(span[6:8]) * 60 + int(span[9:])) for span in spans
    )


# From the most to the least usual; the first tier that holds the answer is used.
_HOURS: Final = (
    _hours(
        "09:00-17:00", "08:00-16:00", "08:30-17:30", "09:00-18:00", "10:00-18:00", "09:30-17:30"
    ),
    _hours("07:00-15:00", "11:00-19:00", "12:00-20:00", "06:30-14:30", "10:00-19:30"),
    _hours("05:00-13:00", "13:00-21:00", "14:00-22:00", "06:00-18:00", "08:00-21:00"),
    _hours("00:00-08:00", "16:00-24:00", "18:00-24:00", "00:00-06:00", "04:00-12:00"),
    _hours("00:00-24:00"),
)
_WEEKDAYS: Final = (
    ((0, 1, 2, 3, 4), (0, 1, 2, 3, 4), (0, 1, 2, 3, 4), (0, 1, 2, 3), (0, 1, 3, 4), (1, 2, 3, 4)),
    ((0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 6), (1, 2, 3, 4, 5), (2, 3, 4, 5, 6), (0, 1, 4, 5, 6)),
    ((0, 1, 2, 3, 4, 5, 6),),
)


_LONGEST_WINDOW: Final = 14
_ZONES_TRIED: Final = 3
_ZONES_TRIED_FOR_A_TRAIT: Final = 12
_SHAPES_TRIED: Final = 50
_IGNORE_DST: Final = policy_named("ignore-dst")
_ZONE_OFFSETS: Final = (Offsets.SMALLEST_OF_YEAR, Offsets.AT_WINDOW_START)


class Casting(NamedTuple):
    """A cast without calendars, its request, and the starts that may become the answer.

    With empty calendars each of these starts is valid; the likeliest to fit the wish come first.
    For a wish of NONE there are none.

    Attributes:
        cast: the people.
        request: the request.
        answers: the starts.
        reader: of the cast, nobody ever busy.
        views: those made of it so far, by the cuts of their cells.
    """

    cast: tuple[Attendee, ...]
    request: Request
    answers: Answers
    reader: Reader
    views: dict[frozenset[tuple[int, int, int]], Views]


def draw(target: Target, chosen: Chosen, rng: random.Random) -> Casting:
    """Draw a cast and a window in which the target can come true, with these policies wrong.

    Raises:
        WishError: no zone has the change of offset that is wished for.
    """
    if target.window_start is not None and target.window_days is None:
        target = msgspec.structs.replace(target, window_days=_days_from(target, rng))
    traits = traits_of(target, chosen, rng)
    duration = target.duration_minutes or rng.choice(_DURATIONS)
    pivot = _pivot(target, traits, duration, rng)
    size, window = _shape(target, traits, pivot, rng)
    request = Request(duration, *window)
    if target.cast is not None:
        cast = tuple(_without_calendar(attendee) for attendee in target.cast)
    else:
        cast = _cast(target, traits, size, pivot, request, rng)
    reader = Reader(World(request, cast))
    answers = likely_answers(target, traits, pivot.change, reader, rng)
    return Casting(cast, request, answers, reader, {})


def _days_from(target: Target, rng: random.Random) -> int:
    """Return the days of a window whose first day is given; they reach a given answer."""
    first = target.window_start or 0
    least = 1
    if isinstance(target.answer, int):
        least = target.answer // MINUTES_A_DAY - first + 1
    most = min(max(least, _LONGEST_WINDOW), MAX_WINDOW_DAYS, LAST_DAY - first + 1)
    return rng.randint(least, most)


class _Pivot(NamedTuple):
    """A UTC minute at which everybody shall be at work, and the change of offset it is about."""

    start: int
    zone: str | None = None
    change: zones.Change | None = None


def _pivot(target: Target, traits: Traits, duration: int, rng: random.Random) -> _Pivot:
    if target.dst is not None:
        zone, change, starts = draw_shift(target, target.dst, duration, rng)
        return _Pivot(_of_kind(target.dst, change, starts, rng), zone, change)
    if isinstance(target.answer, int):
        return _Pivot(target.answer)
    if traits.second_pass or traits.shift is not None:
        forward = traits.shift is Shift.FORWARD_BEFORE or (
            # Before a forward change, the offset is the smallest of the year.
            traits.shift is Shift.AFTER
            and ("ignore-dst" in traits.chosen.right or rng.random() < 0.5)
        )
        kind = Dst.SPRING_AFTER if forward and not traits.second_pass else Dst.FALL_REPEATED
        try:
            zone, change, _ = draw_shift(target, kind, duration, rng)
        except WishError:
            if target.wrong:  # without a change, what is wished cannot come true
                raise
            return _plain_pivot(target, traits, duration, rng)
        if traits.second_pass:
            late = change.at + change.before - change.after
            return _Pivot(_on_grid(rng.randrange(change.at, late + 2 * 60)), zone, change)
        if traits.shift is Shift.AFTER:
            day = change.at // MINUTES_A_DAY - rng.randint(0, 4)
            return _Pivot(day * MINUTES_A_DAY + _time_of_day(traits, rng), zone, change)
        if target.window_days == 1:
            day = change.at // MINUTES_A_DAY
            after = range(_on_grid(change.at) + GRID, (day + 1) * MINUTES_A_DAY, GRID)
            return _Pivot(rng.choice(after) if after else change.at, zone, change)
        # The first day at work after it, where the answer is to be the first start at work.
        day = change.at // MINUTES_A_DAY + (1 if traits.earliest_at_work else rng.randint(1, 4))
        return _Pivot(day * MINUTES_A_DAY + _time_of_day(traits, rng), zone, change)
    return _plain_pivot(target, traits, duration, rng)


def _plain_pivot(target: Target, traits: Traits, duration: int, rng: random.Random) -> _Pivot:
    """Return a pivot that no change of offset has a part in."""
    first, end = possible_starts(target)
    day = rng.randrange(first // MINUTES_A_DAY, end // MINUTES_A_DAY)
    start = day * MINUTES_A_DAY + _time_of_day(traits, rng)
    if traits.day_end and target.cast is None:
        zone = rng.choice(target.zones)
        reading = (start + zones.offset_at(zone, start)) % MINUTES_A_DAY
        return _Pivot(start - reading + MINUTES_A_DAY - duration, zone)
    return _Pivot(start)


def _of_kind(dst: Dst, change: zones.Change, starts: range, rng: random.Random) -> int:
    """Return one of the starts of a kind: on the grid, and by day, where that is possible."""
    on_grid = range(-(-starts.start // GRID) * GRID, starts.stop, GRID) or starts
    by_day = [s for s in on_grid if 8 * 60 <= (s + change.after) % MINUTES_A_DAY <= 17 * 60]
    if dst is Dst.SPRING_AFTER and by_day and rng.random() < 0.8:
        return rng.choice(by_day)
    return rng.choice(on_grid)


def _time_of_day(traits: Traits, rng: random.Random) -> int:
    """Return a UTC minute of day; near the date line's noon where somebody shall be beyond it."""
    if traits.date_line:
        return _on_grid(rng.randrange(20 * 60, 29 * 60)) % MINUTES_A_DAY
    return _on_grid(rng.randrange(MINUTES_A_DAY))


def _on_grid(minute: int) -> int:
    return minute - minute % GRID


def _shape(
    target: Target, traits: Traits, pivot: _Pivot, rng: random.Random
) -> tuple[int, tuple[int, int]]:
    """Return how many people to draw, and the window: its first day and its days."""
    wanted = target.load
    for _ in range(_SHAPES_TRIED):
        size = max(rng.choice(_SIZES), traits.fewest)
        size = len(target.cast) if target.cast else target.attendees or size
        window = _window(target, traits, pivot, rng)
        # Outside UTC, a window of d days touches d + 1 local dates.
        load = Load(1 + 2 * size + size * (window[1] + 1))
        if wanted is None and target.hardness is not None and load.size is Size.L:
            continue
        if wanted is None or load.size is wanted:
            break
    return size, window


def _window(target: Target, traits: Traits, pivot: _Pivot, rng: random.Random) -> tuple[int, int]:
    """Return the window's first day and its days; it holds the pivot, what comes before it too."""
    if target.window_start is not None:
        return target.window_start, target.window_days or 1
    day = pivot.start // MINUTES_A_DAY
    fewest_before = 0 if traits.on_first_day is not False else 1
    fewest_after = 0
    if pivot.change is not None:
        fewest_before = max(fewest_before, day - pivot.change.at // MINUTES_A_DAY)
        fewest_after = max(0, pivot.change.at // MINUTES_A_DAY - day)
    if traits.day_off:
        # Sunday is in the window, and by chance Saturday.
        fewest_before = max(fewest_before, weekday_of(day) + rng.randint(1, 2))
    fewest_days = max(fewest_before + 1 + fewest_after, min(4, target.stretches))
    longest = _LONGEST_WINDOW if target.load is not Size.L else 2 * _LONGEST_WINDOW
    days = target.window_days or rng.randint(fewest_days, max(fewest_days, longest))
    if traits.on_first_day or traits.earliest_at_work:
        before = min(fewest_before, days - 1)
    else:
        most_before = max(0, days - 1 - fewest_after)
        before = rng.randint(min(fewest_before, most_before), most_before)
    return min(max(day - before, FIRST_DAY), LAST_DAY - days + 1), days


def _cast(
    target: Target,
    traits: Traits,
    size: int,
    pivot: _Pivot,
    request: Request,
    rng: random.Random,
) -> tuple[Attendee, ...]:
    """Draw people who are all at work during a meeting at the pivot."""
    meeting = (pivot.start, pivot.start + request.duration_minutes)
    names = rng.sample(NAMES, min(size, len(NAMES)))
    names += [f"{NAMES[i % len(NAMES)]} {i // len(NAMES) + 1}" for i in range(len(names), size)]
    tried = _ZONES_TRIED_FOR_A_TRAIT if traits.chosen.right else _ZONES_TRIED
    eyes = _eyes(traits)
    cast: list[Attendee] = []
    for i, name in enumerate(names):
        if i == 0 and pivot.zone is not None:
            drawn = [pivot.zone]
        else:
            drawn = [rng.choice(target.zones) for _ in range(tried)]
            if traits.date_line and i == len(names) - 1:
                more = [rng.choice(target.zones) for _ in range(_ZONES_TRIED_FOR_A_TRAIT)]
                drawn = [z for z in more if _has_other_date(z, pivot.start)] or drawn
            if traits.summer and i == 0:
                more = [rng.choice(target.zones) for _ in range(_ZONES_TRIED_FOR_A_TRAIT)]
                drawn = [z for z in more if _misread(z, pivot.start, request, _IGNORE_DST)] or drawn
        candidates = [
            (
                _misread_clocks(zone, pivot.start, request, traits),
                *_at_work(name, zone, _readings(zone, meeting, request, eyes), traits, rng),
            )
            for zone in dict.fromkeys(drawn)
        ]
        # The least unusual shift of the zones drawn: most people work by day.
        cast.append(min(candidates, key=lambda candidate: candidate[:2])[2])
    rng.shuffle(cast)
    if traits.first_has_other_date:
        cast.sort(key=lambda person: not _has_other_date(person.timezone, pivot.start))
    return tuple(cast)


def _misread_clocks(zone: str, instant: int, request: Request, traits: Traits) -> int:
    """Return how many clock policies that shall be right have another offset than the zone."""
    return sum(
        _misread(zone, instant, request, policy)
        for policy in CORE
        if policy.name in traits.chosen.right and policy.offsets in _ZONE_OFFSETS
    )


def _misread(zone: str, instant: int, request: Request, policy: Policy) -> bool:
    """Return whether a policy has another offset than the zone at a UTC minute."""
    (span,) = offsets_read(policy, zone, request, instant, instant + 1)
    return span.offset != zones.offset_at(zone, instant)


def _has_other_date(zone: str, instant: int) -> bool:
    local = instant + zones.offset_at(zone, instant)
    return local // MINUTES_A_DAY != instant // MINUTES_A_DAY


class _Reading(NamedTuple):
    """What somebody's clock reads in a part of a meeting.

    Attributes:
        weekday: by which it is looked up whether this is a working day; None: every day is.
        start: a minute of day.
        end: a minute of day, at most 24:00.
    """

    weekday: int | None
    start: int
    end: int


def _eyes(traits: Traits) -> list[Policy]:
    """Return the gold and the policies that shall be right, of those that read clocks alike one."""
    right = [policy for policy in CORE if policy.name in traits.chosen.right]
    return list({(p.offsets.value, p.weekdays.value): p for p in (*right, GOLD)}.values())


def _readings(
    zone: str, meeting: Interval, request: Request, eyes: Sequence[Policy]
) -> set[_Reading]:
    """Return what a zone's clock reads during a meeting, in the eyes of these policies."""
    readings = set()
    for policy in eyes:
        for start, end, offset in offsets_read(policy, zone, request, *meeting):
            local_start, local_end = start + offset, end + offset
            for day in range(local_start // MINUTES_A_DAY, (local_end - 1) // MINUTES_A_DAY + 1):
                midnight = day * MINUTES_A_DAY
                first = max(local_start - midnight, 0)
                last = min(local_end - midnight, MINUTES_A_DAY)
                readings.add(_Reading(weekday_read(policy, day), first, last))
    return readings


def _at_work(
    name: str, zone: str, readings: set[_Reading], traits: Traits, rng: random.Random
) -> tuple[int, Attendee]:
    """Return a person of a zone whose hours hold what is read, and how unusual the hours are."""
    earliest = min(reading.start for reading in readings)
    latest = max(reading.end for reading in readings)
    days = {reading.weekday for reading in readings if reading.weekday is not None}
    # Hours that begin off the half hour, where the first start of a day has to be there.
    aside = GRID if traits.on_half_hour is False and traits.earliest_at_work else 0
    hours_by_tier = [
        [
            (start + aside, min(end + aside, MINUTES_A_DAY))
            for start, end in of_tier
            if start + aside <= earliest and latest <= min(end + aside, MINUTES_A_DAY)
        ]
        for of_tier in _HOURS
    ]
    weekdays_by_tier = [[w for w in of_tier if days.issubset(w)] for of_tier in _WEEKDAYS]
    tiers = [
        (h + w, h, w)
        for h, hours in enumerate(hours_by_tier)
        for w, weekdays in enumerate(weekdays_by_tier)
        if hours and weekdays
    ]
    if not tiers:
        always = WorkingHours(0, MINUTES_A_DAY, tuple(range(7)))
        return len(_HOURS) + len(_WEEKDAYS), Attendee(name, zone, always, {})
    unusual, h, w = min(tiers)
    start, end = rng.choice(hours_by_tier[h])
    drawn = WorkingHours(start, end, rng.choice(weekdays_by_tier[w]))
    return unusual, Attendee(name, zone, drawn, {})


def _without_calendar(attendee: Attendee) -> Attendee:
    return Attendee(attendee.name, attendee.timezone, attendee.working_hours, {})
