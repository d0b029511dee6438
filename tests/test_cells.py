"""Cells: a coarser picture hides minutes, but never says free of what is not."""

from hypothesis import given
from hypothesis import strategies as st

from meeting_slot.pictures.cells import Cell, Shade, cells, covered, merged
from meeting_slot.pictures.timeline import State, Stretch

MINUTES = st.lists(st.sampled_from(State), min_size=1, max_size=60)


def stretches(states: list[State], start: int) -> list[Stretch]:
    """Return minutes of states as stretches, the first of them at `start`."""
    return [Stretch(start + i, start + i + 1, state) for i, state in enumerate(states)]


@given(MINUTES, st.integers(-50, 50), st.integers(1, 25))
def test_a_cell_shows_free_only_if_every_minute_is(
    states: list[State], start: int, length: int
) -> None:
    end = start + len(states)
    found = list(cells(stretches(states, start), start, end, length))
    assert [cell.start for cell in found[1:]] == [cell.end for cell in found[:-1]]
    assert (found[0].start, found[-1].end) == (start, end)
    for cell in found:
        assert cell.start // length == (cell.end - 1) // length
        inside = states[cell.start - start : cell.end - start]
        free = inside.count(State.FREE)
        if free:
            assert cell.shade is (Shade.FREE if free == len(inside) else Shade.PARTLY_FREE)
        else:
            assert inside.count(State(cell.shade.value)) == max(map(inside.count, State))


@given(MINUTES, st.integers(-50, 50), st.integers(1, 25))
def test_covered_is_the_share_of_each_cell(states: list[State], start: int, length: int) -> None:
    end = start + len(states)
    free = [(s.start, s.end) for s in stretches(states, start) if s.state is State.FREE]
    shares = list(covered(free, start, end, length))
    found = list(cells(stretches(states, start), start, end, length))
    for cell, share in zip(found, shares, strict=True):
        inside = states[cell.start - start : cell.end - start]
        assert share == inside.count(State.FREE) / len(inside)


def test_merged_joins_neighbours_of_one_shade() -> None:
    row = [Cell(0, 5, Shade.FREE), Cell(5, 10, Shade.FREE), Cell(10, 15, Shade.BUSY)]
    assert merged(row) == [Cell(0, 10, Shade.FREE), Cell(10, 15, Shade.BUSY)]
