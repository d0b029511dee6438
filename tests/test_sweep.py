"""The sweep's work on hostile calendars, and what it finds in calendars that are not sorted."""

import heapq
from collections.abc import Iterator

import pytest

from meeting_slot import Attendee, Request, WorkingHours, World, earliest_start, valid_stretches
from meeting_slot.instants import MINUTES_A_DAY
from meeting_slot.sweep import free
from meeting_slot.world import Block

DAYS = 4
EVERY_DAY = tuple(range(7))


def somebody(
    name: object, *blocks: Block, hours: tuple[int, int] = (0, MINUTES_A_DAY), days: int = DAYS
) -> Attendee:
    """Return an attendee in UTC with the same blocks on each day."""
    every_day = WorkingHours(*hours, EVERY_DAY)
    return Attendee(str(name), "UTC", every_day, dict.fromkeys(range(days + 2), blocks))


def world(duration: int, *attendees: Attendee, days: int = DAYS) -> World:
    return World(Request(duration, 0, days), attendees)


def minutes(first: int, step: int) -> Iterator[Block]:
    """Return blocks of one minute."""
    return ((minute, minute + 1) for minute in range(first, MINUTES_A_DAY, step))


HOSTILE = {
    "each objects to the next minute in turn": world(
        1, *(somebody(i, *minutes(i, 40)) for i in range(40))
    ),
    "two object by turns, the others never": world(
        1, somebody("a", *minutes(0, 2)), *map(somebody, range(38)), somebody("z", *minutes(1, 2))
    ),
    "gaps of a minute, too short": world(2, *(somebody(i, *minutes(0, 2)) for i in range(40))),
    "hours begin a minute later each": world(
        1, *(somebody(i, hours=(i * 36, i * 36 + 600)) for i in range(20))
    ),
    "one objects to a whole day": world(
        MINUTES_A_DAY, *map(somebody, range(39)), somebody("z", (700, 701))
    ),
}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_each_free_stretch_is_stepped_over_once(
    hostile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = HOSTILE[hostile]
    request = subject.request
    assert valid_stretches(subject) == []
    stretches = sum(
        len(free(attendee, request.start, request.last_end)) for attendee in subject.attendees
    )
    midnights = len(subject.attendees) * (DAYS + 2)  # a stretch is in a piece a day
    steps = 0
    replace = heapq.heapreplace

    def counted(lasts: list[tuple[int, int]], item: tuple[int, int]) -> tuple[int, int]:
        nonlocal steps
        steps += 1
        return replace(lasts, item)

    monkeypatch.setattr(heapq, "heapreplace", counted)
    assert earliest_start(subject) is None
    assert steps <= stretches + midnights


def test_blocks_in_any_order_are_swept_alike() -> None:
    blocks = [(0, 600), (540, 560), (600, 600), (610, 620), (615, 700), (700, 1440)]
    for given in blocks, blocks[::-1]:
        assert free(somebody("a", *given, days=1), 0, MINUTES_A_DAY) == [(600, 610)]
    assert valid_stretches(world(10, somebody("a", *blocks[::-1], days=1), days=1)) == [(600, 601)]


def test_free_time_of_no_minutes_is_none() -> None:
    assert free(somebody("a"), 100, 100) == []
