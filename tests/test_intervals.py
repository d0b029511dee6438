"""Interval arithmetic against sets of integers."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meeting_slot.intervals import Interval, difference, intersection, union

bounds = st.integers(-20, 20)
any_intervals = st.lists(st.tuples(bounds, bounds), max_size=8)
"""In any order, overlapping or touching, empty or the wrong way round."""

disjoint = st.lists(bounds, unique=True, max_size=12).map(
    lambda drawn: list(zip(sorted(drawn)[::2], sorted(drawn)[1::2], strict=False))
)
"""Sorted, disjoint and not touching: what the functions return, and take."""

untimed = settings(deadline=None, derandomize=True, max_examples=300)


def integers(intervals: list[Interval]) -> set[int]:
    return {number for start, end in intervals for number in range(start, end)}


def assert_sorted_disjoint_and_not_touching(intervals: list[Interval]) -> None:
    assert all(start < end for start, end in intervals)
    assert all(left[1] < right[0] for left, right in itertools.pairwise(intervals)), intervals


@untimed
@given(any_intervals)
def test_union_holds_the_integers_of_all_intervals(intervals: list[Interval]) -> None:
    found = union(intervals)
    assert integers(found) == integers(intervals)
    assert_sorted_disjoint_and_not_touching(found)


@untimed
@given(disjoint, disjoint)
def test_intersection_holds_the_integers_of_both_lists(
    left: list[Interval], right: list[Interval]
) -> None:
    found = intersection(left, right)
    assert integers(found) == integers(left) & integers(right)
    assert_sorted_disjoint_and_not_touching(found)


@untimed
@given(st.tuples(bounds, bounds).filter(lambda ends: ends[0] <= ends[1]), disjoint)
def test_difference_holds_the_integers_of_the_whole_that_are_in_no_hole(
    whole: Interval, holes: list[Interval]
) -> None:
    found = difference(whole, holes)
    assert integers(found) == integers([whole]) - integers(holes)
    assert_sorted_disjoint_and_not_touching(found)


@pytest.mark.parametrize(
    ("intervals", "right"),
    [
        ([], []),
        ([(3, 3)], []),
        ([(5, 7), (1, 5)], [(1, 7)]),
        ([(1, 9), (2, 3), (4, 5)], [(1, 9)]),
        ([(1, 3), (2, 6), (8, 9), (8, 9)], [(1, 6), (8, 9)]),
        ([(1, 2), (2, 2), (3, 4)], [(1, 2), (3, 4)]),
    ],
    ids=["none", "empty", "touching, unsorted", "nested", "overlapping, repeated", "apart"],
)
def test_union_by_hand(intervals: list[Interval], right: list[Interval]) -> None:
    assert union(intervals) == right


def test_half_open_neighbours_share_nothing() -> None:
    assert intersection([(0, 5)], [(5, 9)]) == []
    assert difference((0, 5), [(5, 9)]) == [(0, 5)]


def test_a_hole_in_the_middle_leaves_both_sides() -> None:
    assert difference((0, 10), [(-5, 1), (4, 6), (9, 20)]) == [(1, 4), (6, 9)]
