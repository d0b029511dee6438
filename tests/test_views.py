"""The gold view against the pointwise oracle: which cells a start needs free.

A cell stands for a stretch of local time. So what a start needs is derived here minute by minute,
from the local readings of the oracle alone.
"""

import itertools
import os
from collections.abc import Iterable

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from meeting_slot import parse_answer, parse_world
from meeting_slot.cpsat.cells import GRID, Cells
from meeting_slot.cpsat.views import View, Views
from meeting_slot.instants import day_text, parse_day, time_text
from meeting_slot.tools import local_days
from meeting_slot.world import Attendee, World
from tests import oracle
from tests.strategies import worlds
from tests.world_objects import attendee_object, world_object

LONG = os.environ.get("MEETING_SLOT_LONG") == "1"
EVERY_DAY = (0, 1, 2, 3, 4, 5, 6)
ON_CALL = "00:00-24:00"

views_drawn = settings(
    max_examples=5_000 if LONG else 300,
    derandomize=not LONG,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def minute(text: str) -> int:
    """Return the UTC minute of an instant."""
    found = parse_answer(text)
    assert found is not None
    return found.minute


def without_calendars(world: oracle.World) -> oracle.World:
    """Return the world with nobody busy."""
    cast: list[oracle.Attendee] = [{**attendee, "busy": {}} for attendee in world["attendees"]]
    return {"request": world["request"], "attendees": cast}


def cell_of_reading(cells: Cells) -> dict[tuple[int, str, int], int]:
    """Return the cell of each attendee's place, local date and local minute."""
    return {
        (cell.attendee, day_text(cell.day), local): index
        for index, cell in enumerate(cells.all)
        for local in range(cell.start, cell.end)
    }


def needed(
    world: oracle.World, by_reading: dict[tuple[int, str, int], int], start: int
) -> frozenset[int] | None:
    """Return the cells that somebody's clock reads during the meeting, None where one is off."""
    found: set[int] = set()
    for place, attendee in enumerate(world["attendees"]):
        for u in range(start, start + world["request"]["duration_minutes"]):
            if not oracle.is_free(attendee, u):
                return None
            day, local = oracle.local_reading(attendee["timezone"], u)
            found.add(by_reading[place, day.isoformat(), local])
    return frozenset(found)


@views_drawn
@given(worlds(most_attendees=4, most_days=5), st.data())
def test_a_start_needs_the_cells_that_are_read_in_it_and_is_never_valid_off_work(
    drawn: oracle.World, data: st.DataObject
) -> None:
    world = without_calendars(drawn)
    typed = parse_world(dict(world))
    window = oracle.window(world)
    # As synthesis asks for: some starts, and where a meeting from there ends.
    kept = data.draw(st.lists(st.sampled_from(window), max_size=3))
    cells = Cells(
        typed.attendees, [u for s in kept for u in (s, s + typed.request.duration_minutes)]
    )
    view = Views(cells, typed.request).of()
    for place, attendee in enumerate(typed.attendees):
        for day in local_days(
            attendee.timezone, typed.request.start, typed.request.last_end + 1440
        ):
            cells.of_day(place, day)
    by_reading = cell_of_reading(cells)

    critical = data.draw(st.lists(st.sampled_from(view.starts or window), min_size=4, max_size=4))
    interior = data.draw(st.lists(st.sampled_from(window), min_size=3, max_size=3))
    for start in {*kept, *critical, *interior, window[0], window[-1]}:
        right = needed(world, by_reading, start)
        event("never valid" if right is None else "needs cells")
        assert view.requirement(start) == right, oracle.instant_text(start)


def assert_needs_what_its_neighbours_need(view: View, start: int) -> None:
    """Assert the claim of `View` about a start between two of `view.starts`."""
    required = view.requirement(start)
    if required is not None:
        before = max(t for t in view.starts if t < start)
        after = min(t for t in view.starts if t > start)
        for neighbour in (view.requirement(before), view.requirement(after)):
            assert neighbour is not None
            assert neighbour <= required


@views_drawn
@given(worlds(most_attendees=4, most_days=5), st.data())
def test_a_start_between_two_worth_a_look_needs_what_both_need(
    drawn: oracle.World, data: st.DataObject
) -> None:
    typed = parse_world(dict(drawn))
    window = oracle.window(drawn)
    cuts = data.draw(st.lists(st.sampled_from(window), max_size=3))
    view = Views(Cells(typed.attendees, cuts), typed.request).of()
    assert set(view.starts) <= set(window)
    assert view.starts == sorted(set(view.starts))
    assert None not in map(view.requirement, view.starts), "none is listed that is never valid"
    between = set(window) - set(view.starts)
    event("every start is worth a look" if not between else "there are starts between")
    if between:
        for start in data.draw(st.lists(st.sampled_from(sorted(between)), min_size=8, max_size=8)):
            assert_needs_what_its_neighbours_need(view, start)


@views_drawn
@given(worlds(most_attendees=3, most_days=3), st.data())
def test_cells_tile_the_hours_and_are_cut_on_the_grid_and_where_asked(
    drawn: oracle.World, data: st.DataObject
) -> None:
    typed = parse_world(dict(drawn))
    cuts = data.draw(st.lists(st.sampled_from(oracle.window(drawn)), max_size=4))
    cells = Cells(typed.attendees, cuts)
    view = Views(cells, typed.request).of()
    assert view.duration == typed.request.duration_minutes
    readings: dict[tuple[int, str], set[int]] = {}
    for place, attendee in enumerate(drawn["attendees"]):
        for u in cuts:
            # A meeting that ends at the cut has its last minute before it.
            for at, minutes_after in ((u, 0), (u - 1, 1)):
                date, local = oracle.local_reading(attendee["timezone"], at)
                readings.setdefault((place, date.isoformat()), set()).add(local + minutes_after)

    def place_and_day(index: int) -> tuple[int, int]:
        return cells.all[index].attendee, cells.all[index].day

    indices = sorted(range(len(cells.all)), key=lambda i: cells.all[i])
    for (place, day), of_day in itertools.groupby(indices, key=place_and_day):
        hours = typed.attendees[place].working_hours
        stretches = [(cells.all[i].start, cells.all[i].end) for i in of_day]
        bounds = [hours.start, *(end for _, end in stretches)]
        assert stretches == list(itertools.pairwise(bounds))
        assert bounds[-1] == hours.end
        asked = readings.get((place, day_text(day)), set())
        inside = {m for m in range(hours.start + 1, hours.end) if m % GRID == 0 or m in asked}
        assert set(bounds) == inside | {hours.start, hours.end}


# Derived by hand


def on_call(*timezones: str) -> tuple[Attendee, ...]:
    """Return people who are at work around the clock."""
    cast = [
        attendee_object(f"Person {i}", timezone, ON_CALL, EVERY_DAY)
        for i, timezone in enumerate(timezones)
    ]
    return parse_world(world_object(*cast)).attendees


def needs(
    cast: tuple[Attendee, ...],
    start: str,
    duration: int,
    cuts: Iterable[str] = (),
) -> set[str] | None:
    """Return the cells that a start needs, as `0 2024-03-11 09:00-09:15` (place, date, time)."""
    world = a_window(cast, start, duration)
    cells = Cells(cast, map(minute, cuts))
    required = Views(cells, world.request).of().requirement(minute(start))
    if required is None:
        return None
    return {
        f"{cell.attendee} {day_text(cell.day)} {time_text(cell.start)}-{time_text(cell.end)}"
        for cell in (cells.all[index] for index in required)
    }


def a_window(cast: tuple[Attendee, ...], start: str, duration: int) -> World:
    """Return a world of three days with the start's date in the middle."""
    first_day = day_text(parse_day(start[:10]) - 1)
    drawn = world_object(
        attendee_object("Ava"), window_start=first_day, window_days=3, duration_minutes=duration
    )
    return World(parse_world(drawn).request, cast)


@pytest.mark.parametrize(
    ("zone", "start", "duration", "cells"),
    [
        ("UTC", "2024-03-11T09:00:00Z", 30, {"2024-03-11 09:00-09:15", "2024-03-11 09:15-09:30"}),
        # one minute into a cell needs the whole of it
        ("UTC", "2024-03-11T09:14:00Z", 2, {"2024-03-11 09:00-09:15", "2024-03-11 09:15-09:30"}),
        ("UTC", "2024-03-11T09:00:00Z", 15, {"2024-03-11 09:00-09:15"}),
        # across a local midnight
        ("UTC", "2024-03-11T23:50:00Z", 15, {"2024-03-11 23:45-24:00", "2024-03-12 00:00-00:15"}),
        # UTC+5:45, UTC+5:30, UTC-9:30, and UTC+12:45 (+13:45 in summer)
        ("Asia/Kathmandu", "2024-03-11T00:00:00Z", 15, {"2024-03-11 05:45-06:00"}),
        ("Asia/Kolkata", "2024-03-11T18:30:00Z", 15, {"2024-03-12 00:00-00:15"}),
        ("Pacific/Marquesas", "2024-03-11T09:15:00Z", 15, {"2024-03-10 23:45-24:00"}),
        ("Pacific/Chatham", "2024-07-01T11:15:00Z", 15, {"2024-07-02 00:00-00:15"}),
        ("Pacific/Chatham", "2024-01-01T10:15:00Z", 15, {"2024-01-02 00:00-00:15"}),
        # New York skips 02:00 to 03:00 at 07:00Z
        (
            "America/New_York",
            "2024-03-10T06:45:00Z",
            30,
            {"2024-03-10 01:45-02:00", "2024-03-10 03:00-03:15"},
        ),
        # Lord Howe skips half an hour, from 02:00 to 02:30, at 15:30Z
        (
            "Australia/Lord_Howe",
            "2024-10-05T15:15:00Z",
            30,
            {"2024-10-06 01:45-02:00", "2024-10-06 02:30-02:45"},
        ),
        # Troll skips 01:00 to 03:00 at 01:00Z
        (
            "Antarctica/Troll",
            "2024-03-31T00:45:00Z",
            30,
            {"2024-03-31 00:45-01:00", "2024-03-31 03:00-03:15"},
        ),
        # Samoa skips the whole 30 December 2011 at 10:00Z
        (
            "Pacific/Apia",
            "2011-12-30T09:45:00Z",
            30,
            {"2011-12-29 23:45-24:00", "2011-12-31 00:00-00:15"},
        ),
        # Beirut skips midnight to 01:00 at 22:00Z: the date's first minute reads 01:00
        (
            "Asia/Beirut",
            "2024-03-30T21:45:00Z",
            30,
            {"2024-03-30 23:45-24:00", "2024-03-31 01:00-01:15"},
        ),
        # St John's at 03:31Z: 00:01 becomes 01:01, so one minute of the new date precedes the gap
        (
            "America/St_Johns",
            "2007-03-11T03:25:00Z",
            15,
            {"2007-03-10 23:45-24:00", "2007-03-11 00:00-00:15", "2007-03-11 01:00-01:15"},
        ),
        # and at 02:31Z: 00:01 becomes 23:01 of the date before
        (
            "America/St_Johns",
            "2007-11-04T02:25:00Z",
            15,
            {"2007-11-03 23:45-24:00", "2007-11-04 00:00-00:15", "2007-11-03 23:00-23:15"},
        ),
        # Monrovia was 44 min 30 s behind: at 00:44Z the clock reads 23:59 (and a half)
        ("Africa/Monrovia", "1971-06-01T00:44:00Z", 1, {"1971-05-31 23:45-24:00"}),
        ("Africa/Monrovia", "1971-06-01T00:45:00Z", 1, {"1971-06-01 00:00-00:15"}),
        # until 7 January 1972, 00:44:30Z: 00:00 to 00:44 are never read
        (
            "Africa/Monrovia",
            "1972-01-07T00:40:00Z",
            10,
            {"1972-01-06 23:45-24:00", "1972-01-07 00:45-01:00"},
        ),
    ],
)
def test_needed_cells_derived_by_hand(
    zone: str, start: str, duration: int, cells: set[str]
) -> None:
    assert needs(on_call(zone), start, duration) == {f"0 {cell}" for cell in cells}


@pytest.mark.parametrize(
    ("zone", "first_pass", "second_pass"),
    [
        ("America/New_York", "2024-11-03T05:10:00Z", "2024-11-03T06:10:00Z"),
        ("Australia/Lord_Howe", "2024-04-06T14:35:00Z", "2024-04-06T15:05:00Z"),
        ("Antarctica/Troll", "2024-10-26T23:30:00Z", "2024-10-27T01:30:00Z"),
        ("Europe/Dublin", "2024-10-27T00:20:00Z", "2024-10-27T01:20:00Z"),
        ("America/St_Johns", "2007-11-04T02:00:00Z", "2007-11-04T03:00:00Z"),
    ],
)
def test_both_passes_of_a_repeated_hour_need_the_same_cells(
    zone: str, first_pass: str, second_pass: str
) -> None:
    cast = on_call(zone)
    assert needs(cast, first_pass, 20) == needs(cast, second_pass, 20)


def test_a_cell_that_is_read_twice_in_a_meeting_is_needed_once() -> None:
    # From 01:00 in summer time to 02:00 in winter time: two hours, one hour of cells.
    cells = needs(on_call("America/New_York"), "2024-11-03T05:00:00Z", 120)
    assert cells == {f"0 2024-11-03 01:{span}" for span in ("00-01:15", "15-01:30", "30-01:45")} | {
        "0 2024-11-03 01:45-02:00"
    }


def test_a_cut_on_an_odd_minute_makes_the_meeting_exact() -> None:
    cuts = ["2024-03-11T13:07:00Z", "2024-03-11T13:44:00Z"]
    exact = {
        "0 2024-03-11 13:07-13:15",
        "0 2024-03-11 13:15-13:30",
        "0 2024-03-11 13:30-13:44",
        "1 2024-03-11 18:52-19:00",  # UTC+5:45
        "1 2024-03-11 19:00-19:15",
        "1 2024-03-11 19:15-19:29",
    }
    cast = on_call("UTC", "Asia/Kathmandu")
    assert needs(cast, "2024-03-11T13:07:00Z", 37, cuts) == exact
    assert needs(cast, "2024-03-11T13:08:00Z", 37, cuts) == exact | {
        "0 2024-03-11 13:44-13:45",
        "1 2024-03-11 19:29-19:30",
    }


def test_a_cut_at_a_change_of_offset_cuts_before_and_after_it() -> None:
    # Monrovia's minute 00:45Z reads 00:45; a meeting that ends then ends at 24:00 the day before.
    cuts = ["1972-01-07T00:41:00Z", "1972-01-07T00:45:00Z"]
    cast = on_call("Africa/Monrovia")
    assert needs(cast, "1972-01-07T00:41:00Z", 4, cuts) == {"0 1972-01-06 23:56-24:00"}
    # St John's at 03:31Z: the meeting ends at 00:01, and 01:01 follows
    cuts = ["2007-03-11T03:25:00Z", "2007-03-11T03:31:00Z"]
    assert needs(on_call("America/St_Johns"), "2007-03-11T03:25:00Z", 6, cuts) == {
        "0 2007-03-10 23:55-24:00",
        "0 2007-03-11 00:00-00:01",
    }
    # New York: 06:57Z reads 01:57, the meeting's end 07:05Z reads 03:05
    cuts = ["2024-03-10T06:57:00Z", "2024-03-10T07:05:00Z"]
    assert needs(on_call("America/New_York"), "2024-03-10T06:57:00Z", 8, cuts) == {
        "0 2024-03-10 01:57-02:00",
        "0 2024-03-10 03:00-03:05",
    }


@pytest.mark.parametrize(
    ("start", "never"),
    [
        ("2024-03-11T09:06:00Z", True),
        ("2024-03-11T09:07:00Z", False),
        ("2024-03-11T17:28:00Z", False),
        ("2024-03-11T17:29:00Z", True),  # would end at 17:44
        ("2024-03-09T12:00:00Z", True),  # a Saturday
    ],
)
def test_a_start_off_somebodys_hours_is_never_valid(start: str, never: bool) -> None:
    odd = attendee_object("Odd", "UTC", "09:07-17:43")
    cast = parse_world(world_object(odd, attendee_object("Even", "UTC", ON_CALL))).attendees
    assert (needs(cast, start, 15) is None) is never


def test_hours_on_odd_minutes_bound_the_cells() -> None:
    odd = attendee_object("Odd", "UTC", "09:07-17:43")
    cast = parse_world(world_object(odd)).attendees
    assert needs(cast, "2024-03-11T09:07:00Z", 8) == {"0 2024-03-11 09:07-09:15"}
    assert needs(cast, "2024-03-11T17:42:00Z", 1) == {"0 2024-03-11 17:30-17:43"}


def test_the_cast_s_own_calendars_are_not_looked_at() -> None:
    full = attendee_object("Full", "UTC", ON_CALL, busy={"2024-03-11": "00:00-24:00"})
    cast = parse_world(world_object(full)).attendees
    assert needs(cast, "2024-03-11T12:00:00Z", 15) == {"0 2024-03-11 12:00-12:15"}
