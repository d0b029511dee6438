"""Casts and windows chosen so that a wish can come true, not drawn until it does.

The answer is chosen first; then everybody gets hours in which it lies, the usual ones where the
local time allows, an early, late or night shift where it does not. With a wish about an offset
change, the change comes before the answer.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from .. import zones
from ..instants import MINUTES_A_DAY, first_day_of, instant_text
from ..parsing import FIRST_DAY, LAST_DAY
from ..sweep import free, valid_stretches
from ..world import Attendee, Request, WorkingHours, World
from .views import GRID
from .wishes import Dst, Target, WishError, dst_of, kinds_of

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


class Casting(NamedTuple):
    """A cast without calendars, its request, and the starts that may become the answer, by chance.

    With empty calendars each of these starts is valid. For a wish of NONE there are none.
    """

    cast: tuple[Attendee, ...]
    request: Request
    answers: tuple[int, ...]


def draw(target: Target, rng: random.Random) -> Casting:
    """Draw a cast and a window in which the target can come true.

    Raises:
        WishError: no zone has the change of offset that is wished for.
    """
    duration = target.duration_minutes or rng.choice(_DURATIONS)
    change = None
    if target.dst is None:
        pivot = _pivot(target, rng)
    else:
        zone, change = _change(target, target.dst, duration, rng)
        pivot = _pivot_at(target, target.dst, change, duration, rng)
    window = _window(target, pivot, change, rng)
    request = Request(duration, *window)
    if target.cast is not None:
        cast = tuple(_without_calendar(attendee) for attendee in target.cast)
    else:
        zones_wished = [zone] if change is not None else []
        cast = _cast(target, zones_wished, (pivot, pivot + duration), rng)
    return Casting(cast, request, _answers(target, World(request, cast), rng))


def _answers(target: Target, world: World, rng: random.Random) -> tuple[int, ...]:
    stretches = valid_stretches(world)
    if target.answer == "NONE":
        return ()
    if target.answer is not None:
        return tuple(target.answer for start, end in stretches if start <= target.answer < end)
    on_grid = [s for first, end in stretches for s in range(-(-first // GRID) * GRID, end, GRID)]
    # A wished change may leave less than a grid step of room.
    between = [s for first, end in stretches for s in range(first, min(end, first + GRID))]
    answers = []
    for starts in (on_grid, between):
        wished = [s for s in starts if target.dst is None or target.dst in dst_of(world, s)]
        rng.shuffle(wished)
        answers += wished
    return tuple(answers)


def _pivot(target: Target, rng: random.Random) -> int:
    """Return an instant at which all shall be at work: the answer, or one drawn in the window."""
    if isinstance(target.answer, int):
        return target.answer
    if target.window_start is not None:
        first, days = target.window_start, target.window_days or 1
    else:
        first = first_day_of(target.years[0])
        days = first_day_of(target.years[1] + 1) - first
    return (first + rng.randrange(days)) * MINUTES_A_DAY + rng.randrange(0, MINUTES_A_DAY, GRID)


def _change(
    target: Target, dst: Dst, duration: int, rng: random.Random
) -> tuple[str, zones.Change]:
    """Draw a zone and a change of its offset of the wished kind.

    Raises:
        WishError: there is none.
    """
    names = sorted({a.timezone for a in target.cast} if target.cast else set(target.zones))
    forward = dst is not Dst.FALL_REPEATED
    for name, start, end in _searched(target, names, duration, rng):
        found = [
            change
            for change in zones.changes(name, start, end)
            if (change.after > change.before) is forward
            and (
                not isinstance(target.answer, int)
                or dst in kinds_of(change, target.answer, target.answer + duration)
            )
        ]
        if found:
            return name, rng.choice(found)
    direction = "forward" if forward else "back"
    span = f"in {target.years[0]} to {target.years[1]}"
    if isinstance(target.answer, int):
        span = f"where {instant_text(target.answer)} would be {dst.value}"
    elif target.window_start is not None:
        span = "in the window"
    shown = names[0] if len(names) == 1 else f"none of {len(names)} zones"
    verb = "does not move" if len(names) == 1 else "moves"
    raise WishError(f"{shown} {verb} its clock {direction} {span}")


def _searched(
    target: Target, names: list[str], duration: int, rng: random.Random
) -> Iterator[tuple[str, int, int]]:
    """Yield zones with the UTC minutes `[start, end)` in which a change may lie, by chance."""
    if isinstance(target.answer, int):
        spans = [(target.answer - MINUTES_A_DAY, target.answer + duration + MINUTES_A_DAY)]
    elif target.window_start is not None:
        start = target.window_start * MINUTES_A_DAY
        spans = [(start, start + (target.window_days or 1) * MINUTES_A_DAY)]
    else:
        years = range(target.years[0], target.years[1] + 1)
        spans = [
            (first_day_of(year) * MINUTES_A_DAY, first_day_of(year + 1) * MINUTES_A_DAY)
            for year in years
        ]
    pairs = [(name, *span) for name in names for span in spans]
    rng.shuffle(pairs)
    yield from pairs


def _pivot_at(
    target: Target, dst: Dst, change: zones.Change, duration: int, rng: random.Random
) -> int:
    """Return a start that is of the wished kind with respect to the change."""
    if isinstance(target.answer, int):
        return target.answer
    size = abs(change.after - change.before)
    match dst:
        case Dst.SPRING_AFTER:
            first, end = change.at, change.at + MINUTES_A_DAY
        case Dst.SPRING_ACROSS:
            first, end = change.at - duration + 1, change.at
        case Dst.FALL_REPEATED:
            first, end = change.at - size - duration + 1, change.at + size
    starts = range(-(-first // GRID) * GRID, end, GRID) or range(first, end)
    if dst is Dst.SPRING_AFTER and rng.random() < 0.8:
        by_day = [s for s in starts if 8 * 60 <= (s + change.after) % MINUTES_A_DAY <= 17 * 60]
        return rng.choice(by_day)
    return rng.choice(starts)


def _window(
    target: Target, pivot: int, change: zones.Change | None, rng: random.Random
) -> tuple[int, int]:
    """Return the window's first day and its days; it holds the pivot, the change before it too."""
    if target.window_start is not None:
        return target.window_start, target.window_days or 1
    fewest = min(3, target.stretches) if change is None else 2
    days = target.window_days or rng.randint(fewest, _LONGEST_WINDOW)
    day = pivot // MINUTES_A_DAY
    latest = day if change is None else min(day, change.at // MINUTES_A_DAY)
    earliest = day - days + 1
    first = rng.randint(earliest, max(earliest, latest))
    return min(max(first, FIRST_DAY), LAST_DAY - days + 1), days


def _cast(
    target: Target, wished: Sequence[str], meeting: tuple[int, int], rng: random.Random
) -> tuple[Attendee, ...]:
    """Draw people who are all at work during a meeting, `[start, end)` in UTC minutes."""
    size = target.attendees or rng.choice(_SIZES)
    names = rng.sample(NAMES, min(size, len(NAMES)))
    names += [f"{NAMES[i % len(NAMES)]} {i // len(NAMES) + 1}" for i in range(len(names), size)]
    cast = []
    for i, name in enumerate(names):
        drawn = wished[i : i + 1] or [rng.choice(target.zones) for _ in range(_ZONES_TRIED)]
        candidates = [_at_work(name, zone, meeting, rng) for zone in dict.fromkeys(drawn)]
        # The least unusual shift of the zones drawn: most people work by day.
        cast.append(min(candidates, key=lambda candidate: candidate[0])[1])
    rng.shuffle(cast)
    return tuple(cast)


def _at_work(
    name: str, zone: str, meeting: tuple[int, int], rng: random.Random
) -> tuple[int, Attendee]:
    """Return a person of a zone whose hours hold the meeting, and how unusual the hours are."""
    tiers = [(h, w) for h in range(len(_HOURS)) for w in range(len(_WEEKDAYS))]
    for hours_tier, weekdays_tier in sorted(tiers, key=lambda tier: (sum(tier), tier)):
        for hours in rng.sample(_HOURS[hours_tier], len(_HOURS[hours_tier])):
            for weekdays in rng.sample(_WEEKDAYS[weekdays_tier], len(_WEEKDAYS[weekdays_tier])):
                person = Attendee(name, zone, WorkingHours(*hours, weekdays), {})
                if free(person, *meeting) == [meeting]:
                    return hours_tier + weekdays_tier, person
    raise AssertionError("someone on call around the clock is at work at any time")


def _without_calendar(attendee: Attendee) -> Attendee:
    return Attendee(attendee.name, attendee.timezone, attendee.working_hours, {})
