"""Hypothesis strategies for meeting worlds, as JSON objects, in favour of what goes wrong.

About half of the windows lie within three days of an offset change of one of the cast. Hours and
busy blocks gather around one instant (the change itself in half of those worlds, else a local
midnight, the window's end or any other), so that most worlds have an answer, but few at once.
"""

import os
from bisect import bisect_left
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib import resources
from typing import NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tests import oracle
from tests.oracle import Attendee, Block, World

LONG = os.environ.get("MEETING_SLOT_LONG") == "1"


def worlds_drawn(short: int, long: int) -> settings:
    """Return settings for so many worlds in a short and in a long run."""
    return settings(
        max_examples=long if LONG else short,
        derandomize=not LONG,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


FIRST_DAY = date(1970, 1, 1)
LAST_DAY = date(2100, 12, 31)
DAY = oracle.MINUTES_A_DAY
PROBE_MINUTES = 7 * DAY

AWKWARD_ZONES = (
    "Africa/Cairo",
    "Africa/Casablanca",
    "Africa/El_Aaiun",
    "Africa/Monrovia",
    "America/Caracas",
    "America/Godthab",
    "America/Havana",
    "America/New_York",
    "America/Scoresbysund",
    "America/St_Johns",
    "Antarctica/Casey",
    "Antarctica/Troll",
    "Antarctica/Vostok",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Pyongyang",
    "Asia/Tehran",
    "Asia/Tokyo",
    "Australia/Adelaide",
    "Australia/Lord_Howe",
    "Etc/GMT+12",
    "Europe/Dublin",
    "Europe/London",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Fakaofo",
    "Pacific/Kiritimati",
    "Pacific/Kwajalein",
    "Pacific/Norfolk",
)


@cache
def zone_names() -> list[str]:
    """Return every zone of the `tzdata` package but Factory, which is no place's time."""
    listed = resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    return sorted(set(listed) - {"Factory"})


@cache
def offset_changes(zone: str) -> list[int]:
    """Return UTC minutes from 1970 to 2100 at which the zone's offset has just changed, ascending.

    Found by probing once a week: two changes in one week that cancel out stay unseen.
    """

    def offset(u: int) -> timedelta | None:
        return datetime.fromtimestamp(60 * u, UTC).astimezone(oracle.zone_named(zone)).utcoffset()

    probes = range(0, (LAST_DAY - FIRST_DAY).days * DAY, PROBE_MINUTES)
    offsets = [offset(u) for u in probes]
    return [
        u + 1 + bisect_left(range(u + 1, u + PROBE_MINUTES), True, key=lambda v: offset(v) == after)
        for u, before, after in zip(probes, offsets, offsets[1:], strict=False)
        if before != after
    ]


def clock_text(minute: int) -> str:
    """Return local minutes of the day, 0..1440, as "HH:MM"."""
    return f"{minute // 60:02}:{minute % 60:02}"


class _BlockPlan(NamedTuple):
    """A busy block before its world is known: where it starts depends on `place`.

    A touching block begins where the one before it ends, on the same date.
    """

    place: str
    day: int
    shift: int
    length: int


class _HoursPlan(NamedTuple):
    """Working hours before their world is known: minutes before and after the gathering instant."""

    place: str
    before: int
    after: int


EVERY_DAY = [0, 1, 2, 3, 4, 5, 6]
WHOLE_DAY = _HoursPlan("whole day", 0, 1)


class _AttendeePlan(NamedTuple):
    """An attendee before the window is known; `leave` is in tenths of the window."""

    zone: str
    hours: _HoursPlan
    weekdays: list[int]
    blocks: list[_BlockPlan]
    leave: int


def _evenly(low: int, high: int) -> st.SearchStrategy[int]:
    """Return integers from low to high, both included, without the leaning of `st.integers`."""
    return st.sampled_from(range(low, high + 1))


_zones = st.sampled_from(AWKWARD_ZONES) | st.sampled_from(zone_names())
_durations = (
    _evenly(15, 120)
    | st.sampled_from([15, 30, 45, 60, 90, 120])
    | _evenly(15, 120)
    | _evenly(1, 60)
    | _evenly(60, 240)
    | _evenly(1, DAY)
)
_weekdays = (
    st.just(EVERY_DAY)
    | st.sampled_from([[0, 1, 2, 3, 4], [6, 0, 1, 2, 3, 4], [5, 4, 3, 2, 1, 0]])
    | st.just(EVERY_DAY)
    | st.lists(_evenly(0, 6), min_size=1, unique=True)
    | st.permutations(EVERY_DAY)
)
_hours = st.builds(
    _HoursPlan,
    st.sampled_from([*["around"] * 12, *["whole day"] * 5, "anywhere"]),
    _evenly(0, 60) | _evenly(60, 240) | _evenly(0, 600),
    _evenly(1, 120) | _evenly(60, 900) | _evenly(60, 900) | _evenly(60, 900),
)
_blocks = st.builds(
    _BlockPlan,
    st.sampled_from(["around", "hours start", "anywhere", "touching"]),
    _evenly(0, 15),
    _evenly(-180, 180),
    _evenly(0, 240),
)
_attendees = st.builds(
    _AttendeePlan,
    _zones,
    _hours,
    _weekdays,
    st.lists(_blocks, max_size=12),
    st.sampled_from([*[0] * 20, 2, 4, 6, 9]),
)


def _working_hours(plan: _HoursPlan, gathering: int) -> tuple[int, int]:
    """Return local hours [start, end) in minutes of the day; `gathering` is one of its minutes."""
    if plan.place == "whole day":
        return 0, DAY
    if plan.place == "anywhere":
        start = plan.before * 1439 // 600
        return start, min(DAY, start + 1 + plan.after)
    start, end = gathering - plan.before, gathering + plan.after
    passes_midnight = start < 0 or end > DAY
    return (0, DAY) if passes_midnight and plan.after % 3 else (max(0, start), min(DAY, end))


def _busy(
    plan: _AttendeePlan, first_day: date, days: int, gathering: int, hours_start: int
) -> dict[str, list[Block]]:
    """Return the busy blocks, in the order drawn, on dates from two days before the window on."""
    busy: dict[str, list[Block]] = {}
    for day_of_leave in range(days * plan.leave // 10):
        day = first_day + timedelta(days=day_of_leave)
        busy[day.isoformat()] = [{"start": "00:00", "end": "24:00"}]
    day, touch = first_day, 0
    for block in plan.blocks:
        if block.place != "touching":
            day = first_day + timedelta(days=block.day % (days + 4) - 2)
        start = {
            "around": gathering + block.shift,
            "hours start": hours_start + min(0, block.shift),
            "anywhere": (block.shift + 180) * 4,
            "touching": touch,
        }[block.place]
        start = min(max(0, start), DAY - 1)
        touch = min(DAY, start + block.length)
        busy.setdefault(day.isoformat(), []).append(
            {"start": clock_text(start), "end": clock_text(touch)}
        )
    return busy


def _attendee(
    name: str, plan: _AttendeePlan, first_day: date, days: int, gathering: int
) -> Attendee:
    """Return the attendee of a plan; `gathering` is the UTC minute around which people are free."""
    _, minute = oracle.local_reading(plan.zone, gathering)
    start, end = _working_hours(plan.hours, minute)
    return {
        "name": name,
        "timezone": plan.zone,
        "working_hours": {
            "start": clock_text(start),
            "end": clock_text(end),
            "weekdays": plan.weekdays,
        },
        "busy": _busy(plan, first_day, days, minute, start),
    }


@st.composite
def worlds(
    draw: st.DrawFn, most_attendees: int = 6, least_days: int = 1, most_days: int = 10
) -> World:
    """Draw a world of 1 to `most_attendees` attendees and `least_days` to `most_days` days.

    The whole window lies in 1970-01-01..2100-12-31.
    """
    plans = [draw(_attendees) for _ in range(draw(_evenly(1, most_attendees)))]
    days = draw(_evenly(least_days, most_days))
    duration = draw(_durations)
    if draw(_evenly(0, 9)) == 7 or duration > 200:
        plans = [plan._replace(hours=WHOLE_DAY) for plan in plans]
    last_start = (LAST_DAY - FIRST_DAY).days - days + 1

    changes = next((found for plan in plans if (found := offset_changes(plan.zone))), [])
    if changes and draw(_evenly(0, 9)) < 6:
        change = changes[draw(_evenly(0, len(changes) - 1))]
        days_before = draw(st.sampled_from([0, 1, 2, 3, 0, 1, 2, -1, -2, -3]))
        first = change // DAY - min(days_before, days - 1)
        gathering = change + draw(st.just(0) | _evenly(-900, 900))
    else:
        first = draw(_evenly(0, last_start))
        gathering = first * DAY + draw(_evenly(0, DAY - 1))
    first = min(max(0, first), last_start)

    where = draw(
        st.sampled_from([*["anywhere"] * 3, "midnight", "one day", "one day", "window end"])
    )
    if where == "midnight":
        gathering -= oracle.local_reading(plans[0].zone, gathering)[1]
        plans[0] = plans[0]._replace(hours=WHOLE_DAY)
    if where == "window end":
        gathering = (first + days) * DAY
    if where in ("one day", "window end"):
        weekday = oracle.local_reading(plans[0].zone, gathering)[0].weekday()
        before, after = plans[0].hours.before % duration, plans[0].hours.after + duration
        hours = _HoursPlan("around", before, after)
        plans = [
            plans[0]._replace(hours=hours, weekdays=[weekday], leave=0),
            *(plan._replace(hours=WHOLE_DAY, weekdays=EVERY_DAY, leave=0) for plan in plans[1:]),
        ]

    first_day = FIRST_DAY + timedelta(days=first)
    return {
        "request": {
            "duration_minutes": duration,
            "window_start": first_day.isoformat(),
            "window_days": days,
        },
        "attendees": [
            _attendee(f"Person {i}", plan, first_day, days, gathering)
            for i, plan in enumerate(plans, start=1)
        ],
    }


def year_long_worlds() -> st.SearchStrategy[World]:
    """Return worlds of one or two attendees and the longest window, which are slow to check."""
    return worlds(most_attendees=2, least_days=300, most_days=366)
