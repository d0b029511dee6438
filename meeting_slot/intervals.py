"""Half-open integer intervals `(start, end)`: lists of them, sorted, disjoint and not touching."""

from collections.abc import Iterable

Interval = tuple[int, int]


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the union of intervals in any order; empty ones add nothing."""
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def intersection(left: list[Interval], right: list[Interval]) -> list[Interval]:
    """Return what two sorted disjoint lists share, in one pass over both."""
    shared: list[Interval] = []
    i = j = 0
    while i < len(left) and j < len(right):
        start = max(left[i][0], right[j][0])
        end = min(left[i][1], right[j][1])
        if start < end:
            shared.append((start, end))
        if left[i][1] < right[j][1]:
            i += 1
        else:
            j += 1
    return shared


def difference(whole: Interval, holes: list[Interval]) -> list[Interval]:
    """Return what a sorted disjoint list leaves of one interval."""
    left: list[Interval] = []
    at, end = whole
    for hole_start, hole_end in holes:
        if hole_start >= end:
            break
        if hole_start > at:
            left.append((at, hole_start))
        at = max(at, hole_end)
    if at < end:
        left.append((at, end))
    return left
