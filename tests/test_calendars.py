"""Calendars that look like calendars: what `blocks_of` may add, and what it must not touch."""

import random
from collections.abc import Sequence

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from meeting_slot.cpsat.calendars import (
    LONGEST,
    MOST_BLOCKS,
    SHORTEST,
    blocks_of,
    sampled_calendar,
)
from meeting_slot.cpsat.cells import Cells
from meeting_slot.instants import parse_day
from meeting_slot.world import Attendee, Block, WorkingHours

MONDAY = parse_day("2024-03-11")
MINUTES_A_DAY = 1440
EVERY_DAY = (0, 1, 2, 3, 4, 5, 6)

calendars_drawn = settings(max_examples=400, derandomize=True, deadline=None)
seeds = st.integers(0, 2**32)


def one_person(hours: tuple[int, int], cuts: Sequence[int] = ()) -> Cells:
    """Return the cells of somebody in UTC, cut at minutes of Monday."""
    person = Attendee("Ava", "UTC", WorkingHours(*hours, EVERY_DAY), {})
    return Cells([person], [MONDAY * MINUTES_A_DAY + cut for cut in cuts])


def assert_looks_like_a_calendar(blocks: Sequence[Block]) -> None:
    """Assert what holds of every date of every calendar."""
    assert len(blocks) <= MOST_BLOCKS
    assert list(blocks) == sorted(blocks)
    for start, end in blocks:
        assert SHORTEST <= end - start <= LONGEST
        assert 0 <= start < end <= MINUTES_A_DAY


@st.composite
def hours_drawn(draw: st.DrawFn) -> tuple[int, int]:
    """Draw hours of 15 minutes or more, on odd minutes as often as not."""
    step = draw(st.sampled_from([1, 15]))
    start = draw(st.integers(0, (MINUTES_A_DAY - 15) // step)) * step
    return start, draw(st.integers(start + 15, MINUTES_A_DAY))


minutes_of_day = st.integers(0, MINUTES_A_DAY - 1)


@calendars_drawn
@given(
    hours_drawn(),
    st.lists(minutes_of_day, max_size=4),
    st.lists(st.tuples(minutes_of_day, st.integers(1, 240)), max_size=4),
    st.sampled_from([0.05, 0.3, 0.6, 0.95, 1.0]),
    seeds,
)
@example((540, 1020), [], [], 1.0, 0)
@example((547, 1063), [601, 638], [(601, 37)], 1.0, 0)
@example((0, 1440), [3, 1439], [(4, 1)], 1.0, 0)
def test_blocks_cover_what_is_busy_and_leave_what_has_to_stay_free(
    hours: tuple[int, int],
    cuts: list[int],
    meetings: list[tuple[int, int]],
    fullness: float,
    seed: int,
) -> None:
    rng = random.Random(seed)
    cells = one_person(hours, [*cuts, *(start for start, _ in meetings)])
    indices = cells.of_day(0, MONDAY)
    kept_free = {
        i
        for i in indices
        for start, length in meetings
        if start < cells.all[i].end and cells.all[i].start < start + length
    }
    busy = [i not in kept_free and rng.random() < fullness for i in range(len(cells.all))]
    blocks = blocks_of(cells, 0, MONDAY, busy, kept_free, rng)
    event("no calendar" if blocks is None else "a calendar")
    if blocks is None:
        assert kept_free, "with nothing to keep free there is always room for a block"
        return
    assert_looks_like_a_calendar(blocks)
    taken = {minute for start, end in blocks for minute in range(start, end)}
    for i in indices:
        cell = range(cells.all[i].start, cells.all[i].end)
        if busy[i]:
            assert taken.issuperset(cell)
        if i in kept_free:
            assert taken.isdisjoint(cell)


@calendars_drawn
@given(st.integers(0, 95), st.integers(1, 96), seeds)
def test_one_meeting_on_the_grid_never_keeps_a_full_date_from_having_blocks(
    first: int, cells_kept: int, seed: int
) -> None:
    cells = one_person((0, MINUTES_A_DAY))
    indices = cells.of_day(0, MONDAY)
    kept_free = set(indices[first : first + cells_kept])
    busy = [i not in kept_free for i in range(len(cells.all))]
    blocks = blocks_of(cells, 0, MONDAY, busy, kept_free, random.Random(seed))
    assert blocks is not None
    assert_looks_like_a_calendar(blocks)


def test_a_busy_cell_between_two_that_stay_free_has_no_room_for_a_block() -> None:
    cells = one_person((540, 1020), [605, 612])  # 09:00 to 17:00, cut at 10:05 and 10:12
    by_start = {cells.all[i].start: i for i in cells.of_day(0, MONDAY)}
    busy = [False] * len(cells.all)
    busy[by_start[605]] = True
    beside = {by_start[600], by_start[612]}
    assert blocks_of(cells, 0, MONDAY, busy, beside, random.Random(0)) is None
    blocks = blocks_of(cells, 0, MONDAY, busy, {by_start[600]}, random.Random(0))
    assert blocks is not None
    assert any(start == 605 and end >= 620 for start, end in blocks)


def test_a_short_busy_stretch_at_the_start_of_the_hours_grows_out_of_them() -> None:
    cells = one_person((547, 1063))  # 09:07 to 17:43
    first, second = list(cells.of_day(0, MONDAY))[:2]
    assert (cells.all[first].start, cells.all[first].end) == (547, 555)
    busy = [i == first for i in range(len(cells.all))]
    blocks = blocks_of(cells, 0, MONDAY, busy, {second}, random.Random(0))
    assert blocks is not None
    # It ends where the free cell begins, so it began before 09:07.
    assert any(end == 555 and start <= 540 for start, end in blocks)


def test_more_busy_stretches_than_blocks_are_joined_where_nothing_has_to_stay_free() -> None:
    cells = one_person((0, MINUTES_A_DAY))
    indices = list(cells.of_day(0, MONDAY))
    busy = [i % 4 == 0 for i in range(len(cells.all))]
    blocks = blocks_of(cells, 0, MONDAY, busy, set(), random.Random(0))
    assert blocks is not None
    assert_looks_like_a_calendar(blocks)
    free_between = {i for i in indices if i % 4 == 2}
    assert blocks_of(cells, 0, MONDAY, busy, free_between, random.Random(0)) is None


def test_a_date_with_nothing_busy_holds_red_herrings_alone() -> None:
    cells = one_person((540, 1020))
    busy = [False] * (len(cells.of_day(0, MONDAY)))
    drawn = [blocks_of(cells, 0, MONDAY, busy, set(), random.Random(i)) for i in range(100)]
    blocks = [block for of_date in drawn for block in of_date or ()]
    assert None not in drawn
    assert {end <= 540 for _, end in blocks} == {True, False}
    assert all(end <= 540 or start >= 1020 for start, end in blocks)
    assert () in drawn


@pytest.mark.parametrize("hours", [(0, 1440), (0, 480), (960, 1440), (7, 1433)])
def test_red_herrings_stay_inside_the_date(hours: tuple[int, int]) -> None:
    cells = one_person(hours)
    busy = [False] * len(cells.of_day(0, MONDAY))
    for seed in range(200):
        blocks = blocks_of(cells, 0, MONDAY, busy, set(), random.Random(seed))
        assert blocks is not None
        assert_looks_like_a_calendar(blocks)


def test_a_day_off_holds_what_was_sampled_and_no_other_red_herring() -> None:
    person = Attendee("Ava", "UTC", WorkingHours(540, 1020, (1, 2, 3, 4)), {})
    cells = Cells([person], [])
    indices = cells.of_day(0, MONDAY)
    nothing = [False] * len(cells.all)
    morning = [540 <= cells.all[i].start < 600 for i in indices]
    for seed in range(100):
        assert blocks_of(cells, 0, MONDAY, nothing, set(), random.Random(seed)) == ()
        blocks = blocks_of(cells, 0, MONDAY, morning, set(), random.Random(seed))
        assert blocks is not None
        assert_looks_like_a_calendar(blocks)
        assert {m for start, end in blocks for m in range(start, end)} == set(range(540, 600))


def cast_of_two() -> Cells:
    """Return fresh cells of two people from Friday to Sunday; the second works on Sunday alone."""
    cast = [
        Attendee("Ava", "America/New_York", WorkingHours(540, 1020, (0, 1, 2, 3, 4)), {}),
        Attendee("Bo", "Asia/Kathmandu", WorkingHours(547, 1063, (6,)), {}),
    ]
    cells = Cells(cast, [])
    for day in range(MONDAY - 3, MONDAY):
        for place in range(2):
            cells.of_day(place, day)
    return cells


@calendars_drawn
@given(seeds)
def test_a_sampled_calendar_depends_on_the_chance_it_is_given_alone(seed: int) -> None:
    sampled = sampled_calendar(cast_of_two(), random.Random(seed))
    assert sampled == sampled_calendar(cast_of_two(), random.Random(seed))
    assert len(sampled) == len(cast_of_two().all)


def test_sampled_calendars_vary_and_leave_days_off_nearly_empty() -> None:
    working: list[float] = []
    off: list[float] = []
    for seed in range(100):
        cells = cast_of_two()
        sampled = sampled_calendar(cells, random.Random(seed))
        for day in range(MONDAY - 3, MONDAY):
            for place in range(2):
                states = [sampled[i] for i in cells.of_day(place, day)]
                is_friday, is_sunday = day == MONDAY - 3, day == MONDAY - 1
                works = is_friday if place == 0 else is_sunday
                (working if works else off).append(sum(states) / len(states))
    assert min(working) == 0.0
    assert 0.2 < sum(working) / len(working) < 0.4
    assert 0.5 < max(working) < 1.0
    assert sum(off) / len(off) < 0.1
    assert max(off) > 0.0
