"""The curated worlds: what ships, and each answer derived by hand.

A derivation is arithmetic on hours since the window's 00:00Z: a local time minus the offset from
UTC on that date. Nobody works at weekends.
"""

import itertools
import json
import re
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from meeting_slot import (
    answer_text,
    curated_worlds,
    earliest_start,
    gold_earliest,
    parse_world,
    solve_from_tools,
    verify,
)
from meeting_slot.world import World

CASES = Path(__file__).parent / "cases" / "edge_cases.jsonl"

Hours = tuple[float, float]
"""A stretch `[start, end)`, in hours since the window's 00:00Z."""


def utc(local: Hours, offset: float, day: int = 0) -> Hours:
    """Return local hours of the window's day number `day` (0 is its first) in UTC."""
    return 24 * day + local[0] - offset, 24 * day + local[1] - offset


class Derivation(NamedTuple):
    """Why a world's answer is what it is: where each attendee is free, and the first start."""

    world: str
    words: str
    meeting: float
    free: list[list[Hours]]
    start: float | None
    answer: str


NINE_TO_FIVE = (9, 17)

DERIVATIONS = (
    Derivation(
        "same_tz_empty_busy",
        "Monday 11 March 2024: New York has been on summer time, UTC-4, since Sunday. 09:00-17:00 "
        "there is 13:00-21:00Z for both.",
        meeting=0.5,
        free=[[utc(NINE_TO_FIVE, -4)], [utc(NINE_TO_FIVE, -4)]],
        start=13,
        answer="2024-03-11T13:00:00Z",
    ),
    Derivation(
        "overlapping_busy",
        "New York, UTC-4. Ava is free 12:00-17:00, that is 16:00-21:00Z; Ben 09:00-11:00 and "
        "14:00-17:00, that is 13:00-15:00Z and 18:00-21:00Z. Both first at 18:00Z.",
        meeting=1,
        free=[[utc((12, 17), -4)], [utc((9, 11), -4), utc((14, 17), -4)]],
        start=18,
        answer="2024-03-11T18:00:00Z",
    ),
    Derivation(
        "no_overlap_ny_kolkata",
        "New York, UTC-4: 13:00-21:00Z. Kolkata, UTC+5:30: 03:30-11:30Z on Monday and again on "
        "Tuesday, after the window. They never meet.",
        meeting=0.5,
        free=[[utc(NINE_TO_FIVE, -4)], [utc(NINE_TO_FIVE, 5.5), utc(NINE_TO_FIVE, 5.5, day=1)]],
        start=None,
        answer="NONE",
    ),
    Derivation(
        "weekend_skip_dst",
        "Friday 8 March is booked, then comes a weekend in which New York goes from UTC-5 to "
        "UTC-4. Monday, day 3: New York 13:00-21:00Z, London (UTC+0 until 31 March) 09:00-17:00Z.",
        meeting=0.5,
        free=[[utc(NINE_TO_FIVE, -4, day=3)], [utc(NINE_TO_FIVE, 0, day=3)]],
        start=3 * 24 + 13,
        answer="2024-03-11T13:00:00Z",
    ),
    Derivation(
        "dst_us_spring_monday",
        "Monday 11 March: New York is on UTC-4 already, 13:00-21:00Z; London still on UTC+0, "
        "09:00-17:00Z.",
        meeting=0.5,
        free=[[utc(NINE_TO_FIVE, -4)], [utc(NINE_TO_FIVE, 0)]],
        start=13,
        answer="2024-03-11T13:00:00Z",
    ),
    Derivation(
        "inclusive_busy_utc",
        "Local time is UTC. Both are busy from 09:00 until 11:00, which is itself free.",
        meeting=0.5,
        free=[[utc((11, 17), 0)], [utc((11, 17), 0)]],
        start=11,
        answer="2024-03-11T11:00:00Z",
    ),
    Derivation(
        "gap_30min",
        "Both are free 11:00-11:30 and 16:00-17:00 UTC; half an hour fits the first exactly.",
        meeting=0.5,
        free=[[utc((11, 11.5), 0), utc((16, 17), 0)], [utc((11, 11.5), 0), utc((16, 17), 0)]],
        start=11,
        answer="2024-03-11T11:00:00Z",
    ),
    Derivation(
        "gap_60min",
        "Both are free 11:00-11:30 and 16:00-17:00 UTC; an hour fits the second exactly.",
        meeting=1,
        free=[[utc((11, 11.5), 0), utc((16, 17), 0)], [utc((11, 11.5), 0), utc((16, 17), 0)]],
        start=16,
        answer="2024-03-11T16:00:00Z",
    ),
    Derivation(
        "four_person_summer",
        "Monday 10 June, all on summer time: New York UTC-4 13:00-21:00Z, London UTC+1 "
        "08:00-16:00Z, Berlin UTC+2 07:00-15:00Z, UTC 09:00-17:00Z. Shared: 13:00-15:00Z.",
        meeting=0.5,
        free=[
            [utc(NINE_TO_FIVE, -4)],
            [utc(NINE_TO_FIVE, 1)],
            [utc(NINE_TO_FIVE, 2)],
            [utc(NINE_TO_FIVE, 0)],
        ],
        start=13,
        answer="2024-06-10T13:00:00Z",
    ),
    Derivation(
        "sydney_ny_none",
        "10 June is winter in Sydney, UTC+10: its Monday is 23:00Z on Sunday to 07:00Z, its "
        "Tuesday from 23:00Z on Monday on. New York, UTC-4: 13:00-21:00Z. They never meet.",
        meeting=0.5,
        free=[[utc(NINE_TO_FIVE, 10), utc(NINE_TO_FIVE, 10, day=1)], [utc(NINE_TO_FIVE, -4)]],
        start=None,
        answer="NONE",
    ),
    Derivation(
        "shanghai_tokyo",
        "09:00-18:00 in Shanghai, UTC+8, is 01:00-10:00Z; in Tokyo, UTC+9, 00:00-09:00Z. Neither "
        "has summer time.",
        meeting=0.5,
        free=[[utc((9, 18), 8)], [utc((9, 18), 9)]],
        start=1,
        answer="2024-03-11T01:00:00Z",
    ),
    Derivation(
        "last_friday_slot",
        "Friday 8 March, two days before New York's shift: UTC-5, 14:00-22:00Z. London, UTC+0, is "
        "free 16:30-17:00Z, which half an hour fits exactly. On Monday, day 3, they could meet "
        "too: New York 13:00-21:00Z, London 09:00-17:00Z.",
        meeting=0.5,
        free=[
            [utc(NINE_TO_FIVE, -5), utc(NINE_TO_FIVE, -4, day=3)],
            [utc((16.5, 17), 0), utc(NINE_TO_FIVE, 0, day=3)],
        ],
        start=16.5,
        answer="2024-03-08T16:30:00Z",
    ),
    Derivation(
        "dst_eu_monday",
        "Friday 29 March is booked; on Sunday both go over to summer time. Monday 1 April, day 3: "
        "London UTC+1 08:00-16:00Z, Berlin UTC+2 07:00-15:00Z.",
        meeting=0.5,
        free=[[utc(NINE_TO_FIVE, 1, day=3)], [utc(NINE_TO_FIVE, 2, day=3)]],
        start=3 * 24 + 8,
        answer="2024-04-01T08:00:00Z",
    ),
    Derivation(
        "three_person_busy",
        "Monday 10 June: New York UTC-4 13:00-21:00Z, London UTC+1 08:00-16:00Z, Jules in UTC is "
        "busy until 14:00Z and works until 17:00Z. Shared: 14:00-16:00Z.",
        meeting=0.5,
        free=[[utc(NINE_TO_FIVE, -4)], [utc(NINE_TO_FIVE, 1)], [utc((14, 17), 0)]],
        start=14,
        answer="2024-06-10T14:00:00Z",
    ),
    Derivation(
        "no_slot_fully_booked",
        "One Monday, and both are busy for the whole of their working hours.",
        meeting=0.5,
        free=[[], []],
        start=None,
        answer="NONE",
    ),
)

by_world = pytest.mark.parametrize("derivation", DERIVATIONS, ids=lambda each: each.world)


def case_rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def curated(world_id: str) -> World:
    return next(world for world in curated_worlds() if world.id == world_id)


@by_world
def test_the_first_shared_stretch_that_is_long_enough_begins_at_the_derived_hour(
    derivation: Derivation,
) -> None:
    long_enough = [
        max(start for start, _ in stretches)
        for stretches in itertools.product(*derivation.free)
        if max(start for start, _ in stretches) + derivation.meeting
        <= min(end for _, end in stretches)
    ]
    assert min(long_enough, default=None) == derivation.start
    if derivation.start is not None:
        first_day = curated(derivation.world).to_json()["request"]["window_start"]
        start = datetime.fromisoformat(first_day) + timedelta(hours=derivation.start)
        assert start.strftime("%Y-%m-%dT%H:%M:%SZ") == derivation.answer


@by_world
def test_a_derivation_is_for_the_meeting_and_the_cast_of_its_world(derivation: Derivation) -> None:
    world = curated(derivation.world)
    assert 60 * derivation.meeting == world.request.duration_minutes
    assert len(derivation.free) == len(world.attendees)
    assert derivation.start is None or derivation.start < 24 * world.request.window_days


@by_world
def test_the_package_finds_the_derived_answer(derivation: Derivation) -> None:
    world = curated(derivation.world)
    request = world.to_json()["request"]
    assert answer_text(earliest_start(world)) == derivation.answer
    assert gold_earliest(world, **request) == derivation.answer
    assert solve_from_tools(world, **request) == derivation.answer
    assert verify(world, derivation.answer).correct
    assert world.recorded == derivation.answer


def test_there_is_a_derivation_for_each_of_the_15_worlds() -> None:
    assert [derivation.world for derivation in DERIVATIONS] == [
        world.id for world in curated_worlds()
    ]
    assert len(DERIVATIONS) == 15


def test_the_worlds_ship_in_the_order_of_the_cases_with_their_ids_labels_and_answers() -> None:
    assert [
        (world.id, (world.meta or {})["difficulty"], world.recorded) for world in curated_worlds()
    ] == [(row["id"], row["difficulty"], row["answer"]) for row in case_rows()]


def test_the_labels_are_easy_medium_and_hard() -> None:
    labels = [(world.meta or {})["difficulty"] for world in curated_worlds()]
    assert {label: labels.count(label) for label in labels} == {"easy": 2, "medium": 5, "hard": 8}


@pytest.mark.parametrize("row", case_rows(), ids=lambda row: row["id"])
def test_each_world_ships_as_it_was_handed(row: dict[str, Any]) -> None:
    shipped = curated(row["id"]).to_json()
    added = {"answer": row["answer"], "meta": shipped["meta"]}
    assert shipped == row["world"] | added


def test_each_world_records_the_iana_release_it_was_written_under() -> None:
    for world in curated_worlds():
        assert re.fullmatch(r"20\d\d[a-z]", (world.meta or {})["iana"]), world.id


def test_the_shipped_file_is_in_canonical_form() -> None:
    shipped = resources.files("meeting_slot").joinpath("data/curated.jsonl").read_bytes()
    lines = [parse_world(json.loads(line)).to_line() + "\n" for line in shipped.splitlines()]
    assert "".join(lines).encode() == shipped
