"""The policies once more, minute by minute: DESIGN's table, read word for word.

A second implementation, kept apart from the package: plain world objects, zone data opened by
`tests.oracle`, one byte a UTC minute and no interval arithmetic. Instants are UTC minutes since
1970-01-01T00:00Z. A *wall minute* is what a wall clock shows, date and time, as minutes since
1970-01-01T00:00 on that clock; an offset with seconds shows the earlier minute.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from tests import oracle
from tests.oracle import MINUTES_A_DAY, Attendee, Block, Request, World

MOST_APART = 26 * 60
"""No zone's offset is above +14:00 or below -12:00: no two clocks are further apart, in minutes."""

LONGEST_MISSED = 15
EVERY_WEEKDAY = [0, 1, 2, 3, 4, 5, 6]


# Clocks: which wall minute a policy takes each UTC minute to be.

Clock = Callable[[str, Request, range], Sequence[int]]


@lru_cache(maxsize=256)
def _wall_minutes_of_day(zone: str, utc_day: int) -> list[int]:
    """Return the wall minutes of a UTC day, counted from 1970-01-01."""
    first, named = utc_day * MINUTES_A_DAY, oracle.zone_named(zone)
    clocks = (datetime.fromtimestamp(60 * (first + i), named) for i in range(MINUTES_A_DAY))
    epoch = date(1970, 1, 1).toordinal()
    return [((clock.toordinal() - epoch) * 24 + clock.hour) * 60 + clock.minute for clock in clocks]


def wall_minutes(zone: str, minutes: range) -> list[int]:
    """Return the wall minute of a zone at each of some UTC minutes."""
    first_day = minutes.start // MINUTES_A_DAY
    walls: list[int] = []
    for day in range(first_day, (minutes.stop - 1) // MINUTES_A_DAY + 1):
        walls += _wall_minutes_of_day(zone, day)
    before = minutes.start - first_day * MINUTES_A_DAY
    return walls[before : before + len(minutes)]


def _offset_seconds(zone: str, moment: datetime) -> int:
    offset = moment.astimezone(oracle.zone_named(zone)).utcoffset()
    assert offset is not None
    return offset // timedelta(seconds=1)


def _shown_at(offset_seconds: int, minutes: range) -> list[int]:
    return [(60 * u + offset_seconds) // 60 for u in minutes]


@cache
def smallest_offset(zone: str, year: int) -> int:
    """Return the smallest UTC offset that a zone uses in a UTC calendar year, in seconds.

    Looked up every six hours and in the last minute: no zone keeps an offset for less than that.
    """
    first, end = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    probes = [first + timedelta(hours=6 * i) for i in range((end - first).days * 4)]
    return min(_offset_seconds(zone, probe) for probe in [*probes, end - timedelta(minutes=1)])


def _true_clock(zone: str, request: Request, minutes: range) -> Sequence[int]:
    return wall_minutes(zone, minutes)


def _utc_clock(zone: str, request: Request, minutes: range) -> Sequence[int]:
    return minutes


def _clock_of_the_year(zone: str, request: Request, minutes: range) -> Sequence[int]:
    year = int(request["window_start"][:4])
    return _shown_at(smallest_offset(zone, year), minutes)


def _clock_of_window_start(zone: str, request: Request, minutes: range) -> Sequence[int]:
    start = datetime.fromisoformat(request["window_start"]).replace(tzinfo=UTC)
    return _shown_at(_offset_seconds(zone, start), minutes)


# Worlds: what a policy takes the world to be.

Belief = Callable[[World], World]


def _as_it_is(world: World) -> World:
    return world


def without(world: World, place: int) -> World:
    """Return the world without the attendee at a place, from 1."""
    others = [a for i, a in enumerate(world["attendees"], start=1) if i != place]
    return {"request": world["request"], "attendees": others}


def _each(change: Callable[[Attendee], Attendee]) -> Belief:
    return lambda world: {
        "request": world["request"],
        "attendees": [change(attendee) for attendee in world["attendees"]],
    }


def _first(count: int) -> Belief:
    return lambda world: {"request": world["request"], "attendees": world["attendees"][:count]}


def _skipping(place: int) -> Belief:
    """Believe that the attendee at a place, from 1, does not exist; a single one does."""
    return lambda world: world if len(world["attendees"]) == 1 else without(world, place)


def _without_last(world: World) -> World:
    return _skipping(len(world["attendees"]))(world)


def _with_weekdays(attendee: Attendee, weekdays: list[int]) -> Attendee:
    hours = attendee["working_hours"]
    return {
        **attendee,
        "working_hours": {"start": hours["start"], "end": hours["end"], "weekdays": weekdays},
    }


def _with_blocks(attendee: Attendee, change: Callable[[Block], Block | None]) -> Attendee:
    busy = {
        day: [changed for block in blocks if (changed := change(block)) is not None]
        for day, blocks in attendee.get("busy", {}).items()
    }
    return {**attendee, "busy": busy}


def _with_every_weekday(attendee: Attendee) -> Attendee:
    return _with_weekdays(attendee, EVERY_WEEKDAY)


def _with_sunday_first(attendee: Attendee) -> Attendee:
    """Number 0 is read as Sunday, which is 6; number 1 as Monday, which is 0; and so on."""
    return _with_weekdays(attendee, [(n - 1) % 7 for n in attendee["working_hours"]["weekdays"]])


def _without_blocks(attendee: Attendee) -> Attendee:
    return _with_blocks(attendee, lambda block: None)


def _with_end_inclusive(attendee: Attendee) -> Attendee:
    """A block lasts one minute more, on its date: one that ends at 24:00 gains nothing."""

    def longer(block: Block) -> Block:
        end = min(oracle.minute_of_day(block["end"]) + 1, MINUTES_A_DAY)
        return {"start": block["start"], "end": f"{end // 60:02}:{end % 60:02}"}

    return _with_blocks(attendee, longer)


def _with_days_ending_2359(attendee: Attendee) -> Attendee:
    hours = attendee["working_hours"]
    end = "23:59" if hours["end"] == "24:00" else hours["end"]
    return {
        **attendee,
        "working_hours": {"start": hours["start"], "end": end, "weekdays": hours["weekdays"]},
    }


def local_dates(attendee: Attendee, world: World) -> set[str]:
    """Return the local dates that occur from the window's start to the last meeting's last minute.

    That is in [window start, window end + duration - 1 minute), days off included.
    """
    window = oracle.window(world)
    last = window.stop + world["request"]["duration_minutes"] - 1
    walls = wall_minutes(attendee["timezone"], range(window.start, last))
    days = {wall // MINUTES_A_DAY for wall in walls}
    return {(date(1970, 1, 1) + timedelta(days=day)).isoformat() for day in days}


def calls_in_order(world: World) -> list[tuple[str, int, str]]:
    """Return every call that reads the world: what, the attendee's place from 0, the local date.

    The list; then zone and hours of each attendee; then busy by date, then attendee.
    """
    cast = world["attendees"]
    of_each = [(what, i, "") for i in range(len(cast)) for what in ("zone", "hours")]
    dates = [(day, i) for i, attendee in enumerate(cast) for day in local_dates(attendee, world)]
    return [("list", 0, ""), *of_each, *(("busy", i, day) for day, i in sorted(dates))]


def _after_calls(count: int) -> Belief:
    """Believe what so many calls show; unread zone or hours: no attendee; unread date: free."""

    def known(world: World) -> World:
        read = set(calls_in_order(world)[:count])
        cast: list[Attendee] = []
        for i, attendee in enumerate(world["attendees"]):
            if {("zone", i, ""), ("hours", i, "")} <= read:
                busy = attendee.get("busy", {})
                seen = {day: blocks for day, blocks in busy.items() if ("busy", i, day) in read}
                cast.append({**attendee, "busy": seen})
        return {"request": world["request"], "attendees": cast}

    return known


# Starts: which a policy asks about, ascending.

Starts = Callable[[World], Sequence[int]]


def _on_half_hours(world: World) -> Sequence[int]:
    return [s for s in oracle.window(world) if s % 60 in (0, 30)]


def _off_half_hours(world: World) -> Sequence[int]:
    return [s for s in oracle.window(world) if s % 60 not in (0, 30)]


def _on_first_day(world: World) -> Sequence[int]:
    window = oracle.window(world)
    return [s for s in window if s // MINUTES_A_DAY == window.start // MINUTES_A_DAY]


def _after_first_day(world: World) -> Sequence[int]:
    window = oracle.window(world)
    return [s for s in window if s // MINUTES_A_DAY != window.start // MINUTES_A_DAY]


def _in_last_quarter(world: World) -> Sequence[int]:
    window = oracle.window(world)
    return [s for s in window if 4 * (s - window.start) >= 3 * len(window)]


def _from_first_shift(world: World) -> Sequence[int]:
    """Return the starts from the first minute in the window whose offset is not the last minute's.

    Without such a minute every start is asked about.
    """
    window = oracle.window(world)
    around = range(window.start - 1, window.stop)
    walls = [wall_minutes(attendee["timezone"], around) for attendee in world["attendees"]]
    shifts = (
        u
        for i, u in enumerate(window, start=1)
        if any(wall[i] - wall[i - 1] != 1 for wall in walls)
    )
    return range(next(shifts, window.start), window.stop)


def _on_local_dates(world: World) -> Sequence[int]:
    window = oracle.window(world)
    dates = range(window.start // MINUTES_A_DAY, window.stop // MINUTES_A_DAY)
    near = range(window.start - MOST_APART, window.stop + MOST_APART)
    walls = wall_minutes(world["attendees"][0]["timezone"], near)
    return [s for s, wall in zip(near, walls, strict=True) if wall // MINUTES_A_DAY in dates]


# Choice: which valid start a policy answers with.

Choice = Callable[[World, Iterator[int]], int | None]


def _earliest(world: World, valid: Iterator[int]) -> int | None:
    return next(valid, None)


def _latest(world: World, valid: Iterator[int]) -> int | None:
    return max(valid, default=None)


def _none(world: World, valid: Iterator[int]) -> int | None:
    return None


def _earliest_or_window_start(world: World, valid: Iterator[int]) -> int | None:
    return next(valid, oracle.window(world).start)


class Mistake(NamedTuple):
    """What a policy does; where nothing is said, it does what the gold does."""

    belief: Belief = _as_it_is
    clock: Clock = _true_clock
    block_date: Literal["local", "UTC"] = "local"
    second_pass: Literal["like the first", "never free", "without blocks"] = "like the first"
    misses_short: bool = False
    starts: Starts = oracle.window
    choice: Choice = _earliest


GOLD = Mistake()

CORE: dict[str, dict[str, Mistake]] = {
    "clock": {
        "ignore-time-zones": Mistake(clock=_utc_clock),
        "ignore-dst": Mistake(clock=_clock_of_the_year),
        "offset-frozen": Mistake(clock=_clock_of_window_start),
    },
    "calendar": {
        "ignore-weekdays": Mistake(belief=_each(_with_every_weekday)),
        "sunday-first": Mistake(belief=_each(_with_sunday_first)),
        "busy-by-utc-date": Mistake(block_date="UTC"),
    },
    "interval": {
        "ignore-busy": Mistake(belief=_each(_without_blocks)),
        "busy-end-inclusive": Mistake(belief=_each(_with_end_inclusive)),
        "half-hour-grid": Mistake(starts=_on_half_hours),
    },
    "attention": {
        "first-attendee-only": Mistake(belief=_first(1)),
        "skip-last-attendee": Mistake(belief=_without_last),
        "first-day-only": Mistake(starts=_on_first_day),
    },
}
"""The core policies by group, in DESIGN's order."""

SPECIAL = {
    "second-pass-unseen": Mistake(second_pass="never free"),
    "second-pass-not-busy": Mistake(second_pass="without blocks"),
    "day-ends-2359": Mistake(belief=_each(_with_days_ending_2359)),
    "short-busy-missed": Mistake(misses_short=True),
    "window-in-local-dates": Mistake(starts=_on_local_dates),
    "first-two-attendees": Mistake(belief=_first(2)),
}
"""The special policies, but for `skip-attendee-k` and `at-most-N-calls`, which hold a number."""

CALLS = (10, 20, 40)

BASELINES = {
    "naive": Mistake(clock=_utc_clock, belief=_each(_with_end_inclusive)),
    "always-none": Mistake(choice=_none),
    "last-valid-start": Mistake(choice=_latest),
}

INVERSE = {
    "after-first-shift": Mistake(starts=_from_first_shift),
    "not-first-day": Mistake(starts=_after_first_day),
    "off-half-hour": Mistake(starts=_off_half_hours),
    "last-quarter-of-window": Mistake(starts=_in_last_quarter),
    "never-none": Mistake(choice=_earliest_or_window_start),
}

CORE_NAMES = [name for group in CORE.values() for name in group]


def special_names(attendees: int) -> list[str]:
    """Return the names of the special policies for so many attendees."""
    skips = [f"skip-attendee-{place}" for place in range(1, attendees + 1)]
    return [*SPECIAL, *skips, *(f"at-most-{count}-calls" for count in CALLS)]


def names(attendees: int) -> list[str]:
    """Return the name of every policy that says something about so many attendees."""
    return [*CORE_NAMES, *special_names(attendees), *BASELINES, *INVERSE]


def mistake_named(name: str) -> Mistake:
    """Return a policy by its name."""
    if name.startswith("skip-attendee-"):
        return Mistake(belief=_skipping(int(name.removeprefix("skip-attendee-"))))
    if name.startswith("at-most-"):
        return Mistake(
            belief=_after_calls(int(name.removeprefix("at-most-").removesuffix("-calls")))
        )
    core = {known: mistake for group in CORE.values() for known, mistake in group.items()}
    return (core | SPECIAL | BASELINES | INVERSE)[name]


def _both(left: Mistake, right: Mistake) -> Mistake:
    """Return two core policies of different groups, both applied."""

    def belief(world: World) -> World:
        return right.belief(left.belief(world))

    def starts(world: World) -> Sequence[int]:
        return sorted(set(left.starts(world)) & set(right.starts(world)))

    clock = right.clock if left.clock is GOLD.clock else left.clock
    block_date = right.block_date if left.block_date == GOLD.block_date else left.block_date
    return Mistake(belief=belief, clock=clock, block_date=block_date, starts=starts)


@cache
def _inside(start: str, end: str) -> bytes:
    """Return a byte a minute of the day: 1 inside the hours."""
    first, stop = oracle.minute_of_day(start), oracle.minute_of_day(end)
    return bytes(first <= minute < stop for minute in range(MINUTES_A_DAY))


def _at_work(attendee: Attendee, day: int) -> bytes:
    """Return a byte a minute of a date: 1 inside the hours of a listed weekday."""
    hours = attendee["working_hours"]
    if (date(1970, 1, 1) + timedelta(days=day)).weekday() not in hours["weekdays"]:
        return bytes(MINUTES_A_DAY)
    return _inside(hours["start"], hours["end"])


def _unblocked(attendee: Attendee, day: int) -> bytes:
    """Return a byte a minute of a date: 1 inside no busy block."""
    unblocked = bytearray(b"\x01" * MINUTES_A_DAY)
    text = (date(1970, 1, 1) + timedelta(days=day)).isoformat()
    for block in attendee.get("busy", {}).get(text, ()):
        for minute in range(*(oracle.minute_of_day(block[edge]) for edge in ("start", "end"))):
            unblocked[minute] = 0
    return bytes(unblocked)


def _is_second_pass(walls: Sequence[int], walls_before: Sequence[int]) -> bytes:
    """Return a byte a wall minute: 1 where it has occurred before."""
    seen = set(walls_before)
    found = bytearray()
    for wall in walls:
        found.append(wall in seen)
        seen.add(wall)
    return bytes(found)


def _both_of(left: bytes, right: bytes) -> bytes:
    """Return 1 where both are 1, byte by byte."""
    return (int.from_bytes(left) & int.from_bytes(right)).to_bytes(len(left))


def _either_of(left: bytes, right: bytes) -> bytes:
    """Return 1 where one or both are 1, byte by byte."""
    return (int.from_bytes(left) | int.from_bytes(right)).to_bytes(len(left))


@lru_cache(maxsize=256)
def _free_of(attendee_text: str, request_text: str, mistake: Mistake, minutes: range) -> bytes:
    """Return a byte a UTC minute: 1 where the policy takes the attendee to be free.

    Attendee and request are JSON texts, so that what two policies read alike is read once.
    """
    attendee: Attendee = json.loads(attendee_text)
    zone, request = attendee["timezone"], json.loads(request_text)
    walls = mistake.clock(zone, request, minutes)
    first_day = min(min(walls), minutes.start) // MINUTES_A_DAY
    days = range(first_day, max(max(walls), minutes.stop) // MINUTES_A_DAY + 1)
    first = first_day * MINUTES_A_DAY
    at_work = b"".join([_at_work(attendee, day) for day in days])
    unblocked = b"".join([_unblocked(attendee, day) for day in days])
    shown = looked_up = [wall - first for wall in walls]
    if mistake.block_date == "UTC":
        looked_up = [
            u - u % MINUTES_A_DAY + wall % MINUTES_A_DAY - first
            for u, wall in zip(minutes, walls, strict=True)
        ]
    works = bytes(map(at_work.__getitem__, shown))
    clear = bytes(map(unblocked.__getitem__, looked_up))
    if mistake.second_pass != "like the first":
        before = mistake.clock(zone, request, range(minutes.start - MOST_APART, minutes.start))
        repeats = _is_second_pass(walls, before)
        if mistake.second_pass == "without blocks":
            clear = _either_of(clear, repeats)
        else:
            works = bytes(work and not repeat for work, repeat in zip(works, repeats, strict=True))
    return _both_of(works, clear)


def _all_free(cast: list[Attendee], request: Request, mistake: Mistake, minutes: range) -> bytes:
    """Return a byte a UTC minute: 1 where the policy takes everyone of a cast to be free."""
    view = Mistake(
        clock=mistake.clock, block_date=mistake.block_date, second_pass=mistake.second_pass
    )
    free = b"\x01" * len(minutes)
    for attendee in cast:
        theirs = _free_of(json.dumps(attendee), json.dumps(request), view, minutes)
        free = _both_of(free, theirs)
    return free


def _with_short_stretches(free: bytes, but_for_blocks: bytes) -> bytes:
    """Return the free minutes, and the short stretches between two of them that blocks alone make.

    A stretch counts if it is at most 15 minutes long and everyone is at work throughout.
    """
    filled = bytearray(free)
    last_free = None
    for i, is_free in enumerate(free):
        if not is_free:
            continue
        if last_free is not None and i - last_free - 1 <= LONGEST_MISSED:
            stretch = range(last_free + 1, i)
            if all(but_for_blocks[j] for j in stretch):
                for j in stretch:
                    filled[j] = 1
        last_free = i
    return bytes(filled)


def valid_starts(world: World, mistake: Mistake) -> Iterator[int]:
    """Yield every start that a policy takes to be valid, ascending."""
    starts, duration = mistake.starts(world), world["request"]["duration_minutes"]
    if not starts:
        return
    window, cast = oracle.window(world), mistake.belief(world)["attendees"]
    beyond = LONGEST_MISSED + 1 if mistake.misses_short else 0
    first, last = min(starts[0], window.start), max(starts[-1] + 1, window.stop)
    minutes = range(first - beyond, last + duration + beyond)
    free = _all_free(cast, world["request"], mistake, minutes)
    if mistake.misses_short:
        unblocked = [_without_blocks(attendee) for attendee in cast]
        but_for_blocks = _all_free(unblocked, world["request"], mistake, minutes)
        free = _with_short_stretches(free, but_for_blocks)
    meeting = b"\x01" * duration
    yield from (s for s in starts if free.startswith(meeting, s - minutes.start))


def _answer(mistake: Mistake, world: World) -> int | None:
    return mistake.choice(world, valid_starts(world, mistake))


def answer(name: str, world: World) -> int | None:
    """Return a policy's answer as a UTC minute, or None for NONE; `gold` is a name too."""
    return _answer(GOLD if name == "gold" else mistake_named(name), world)


def answer_of_both(left: str, right: str, world: World) -> int | None:
    """Return the answer of someone who makes the mistakes of two core policies."""
    return _answer(_both(mistake_named(left), mistake_named(right)), world)
