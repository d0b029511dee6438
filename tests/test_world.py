"""The typed world: its canonical form, its two hashes, its instants, and that it is frozen."""

import copy
import hashlib
import io
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meeting_slot import Request, World, content_hash, parse_world, shape
from meeting_slot.files import worlds_in
from tests.world_objects import (
    attendee_object,
    json_values,
    reordered,
    texts,
    world_object,
    world_objects,
)

untimed = settings(deadline=None, derandomize=True, max_examples=200)

SAMPLE = world_object(
    attendee_object(
        "Zoë",
        "America/New_York",
        "09:00-24:00",
        (4, 0, 2),
        {"2024-03-12": "12:00-13:00 09:00-10:00 09:00-09:30", "2024-03-11": "22:00-24:00"},
    ),
    attendee_object("Ava", "Europe/London"),
    window_start="2024-03-08",
    window_days=4,
)

SAMPLE_CONTENT = (
    '{"request":{"duration_minutes":30,"window_start":"2024-03-08","window_days":4},"attendees":['
    '{"name":"Zoë","timezone":"America/New_York",'
    '"working_hours":{"start":"09:00","end":"24:00","weekdays":[0,2,4]},'
    '"busy":{"2024-03-11":[{"start":"22:00","end":"24:00"}],'
    '"2024-03-12":[{"start":"09:00","end":"09:30"},{"start":"09:00","end":"10:00"},'
    '{"start":"12:00","end":"13:00"}]}},'
    '{"name":"Ava","timezone":"Europe/London",'
    '"working_hours":{"start":"09:00","end":"17:00","weekdays":[0,1,2,3,4]},"busy":{}}]}'
)
SAMPLE_HASH = hashlib.sha256(SAMPLE_CONTENT.encode()).hexdigest()


def read(line: str) -> World:
    """Read a world from its bytes, as from a file."""
    (world,) = worlds_in(io.BytesIO(line.encode()), "worlds.jsonl")
    return world


def sample(**others: Any) -> dict[str, Any]:
    return copy.deepcopy(SAMPLE) | others


# The canonical form


def test_the_canonical_line_by_hand() -> None:
    assert parse_world(sample()).to_line() == f'{{"id":"{SAMPLE_HASH}",{SAMPLE_CONTENT[1:]}'


def test_the_canonical_line_ends_with_answer_and_meta_as_they_were_given() -> None:
    world = parse_world(sample(meta={"z": 1, "a": [2.50, None]}, answer="`none`", id="my own"))
    others = '"answer":"`none`","meta":{"z":1,"a":[2.5,null]}'
    assert world.to_line() == f'{{"id":"my own",{SAMPLE_CONTENT[1:-1]},{others}}}'


def test_a_missing_busy_calendar_is_an_empty_one() -> None:
    without = sample()
    del without["attendees"][1]["busy"]
    assert parse_world(without) == parse_world(sample())


@untimed
@given(world_objects(), st.randoms(use_true_random=False))
def test_a_canonical_line_read_and_written_again_has_the_same_bytes(
    drawn: dict[str, Any], order: random.Random
) -> None:
    line = read(json.dumps(reordered(drawn, order))).to_line()
    assert read(line).to_line() == line
    assert "\n" not in line


@untimed
@given(world_objects())
def test_the_canonical_form_sorts_weekdays_dates_and_blocks_and_keeps_the_attendees_order(
    drawn: dict[str, Any],
) -> None:
    written = parse_world(drawn).to_json()
    assert [each["name"] for each in written["attendees"]] == [
        each["name"] for each in drawn["attendees"]
    ]
    for canonical, given_one in zip(written["attendees"], drawn["attendees"], strict=True):
        hours, given_hours = canonical["working_hours"], given_one["working_hours"]
        assert hours == given_hours | {"weekdays": sorted(given_hours["weekdays"])}
        given_busy = given_one.get("busy", {})
        assert list(canonical["busy"]) == sorted(given_busy)
        for day, blocks in canonical["busy"].items():
            assert blocks == sorted(
                given_busy[day], key=lambda block: (block["start"], block["end"])
            )
    assert written["request"] == drawn["request"]


@untimed
@given(world_objects(), st.randoms(use_true_random=False))
def test_key_order_and_block_order_change_nothing_but_the_order_of_meta(
    drawn: dict[str, Any], order: random.Random
) -> None:
    drawn.pop("meta", None)
    shuffled = parse_world(reordered(drawn, order))
    assert shuffled == parse_world(drawn)
    assert shuffled.to_line() == parse_world(drawn).to_line()


@untimed
@given(st.dictionaries(texts, json_values))
def test_meta_survives_writing_and_reading(meta: dict[str, Any]) -> None:
    world = read(json.dumps(sample(meta=meta)))
    again = read(world.to_line())
    assert world.meta == again.meta == meta
    assert json.dumps(again.meta) == json.dumps(meta)


def test_what_a_file_does_not_say_stays_unsaid() -> None:
    world = parse_world(sample())
    assert (world.own_id, world.recorded, world.meta) == (None, None, None)
    assert list(world.to_json()) == ["id", "request", "attendees"]


@pytest.mark.parametrize(
    "answer", ["NONE", "none", "2024-03-11T13:00:00+00:00", "2024-03-11 13:00"]
)
def test_a_recorded_answer_is_kept_as_it_was_written(answer: str) -> None:
    world = parse_world(sample(answer=answer))
    assert world.recorded == answer
    assert world.to_json()["answer"] == answer


# The id


def test_the_id_is_the_content_hash_by_default() -> None:
    world = parse_world(sample())
    assert world.id == content_hash(world) == SAMPLE_HASH


@pytest.mark.parametrize("own", ["w", "weekend skip", "ÜŁ東京", "x" * 128, "0" * 64])
def test_an_own_id_is_kept(own: str) -> None:
    world = parse_world(sample(id=own))
    assert world.id == own
    assert read(world.to_line()).id == own


def test_the_default_id_once_written_stays_the_id() -> None:
    world = parse_world(sample())
    assert read(world.to_line()).id == world.id


# The content hash and the shape


@pytest.mark.parametrize(
    "others",
    [
        {"id": "another"},
        {"answer": "NONE"},
        {"meta": {"iana": "2025b"}},
        {"id": "another", "answer": "2024-03-11T13:00:00Z", "meta": {}},
    ],
)
def test_the_content_hash_leaves_id_answer_and_meta_aside(others: dict[str, Any]) -> None:
    world = parse_world(sample(**others))
    assert content_hash(world) == SAMPLE_HASH
    assert shape(world) == shape(parse_world(sample()))


Change = tuple[tuple[str | int, ...], Any]
"""Where in the sample, as a path of keys, and the value put there."""

ZOE, AVA = SAMPLE["attendees"]
SUBSTANCE: dict[str, Change] = {
    "duration": (("request", "duration_minutes"), 31),
    "window start": (("request", "window_start"), "2024-03-09"),
    "window days": (("request", "window_days"), 5),
    "zone": (("attendees", 0, "timezone"), "America/Toronto"),
    "alias of the zone": (("attendees", 0, "timezone"), "US/Eastern"),
    "hours start": (("attendees", 0, "working_hours", "start"), "09:01"),
    "hours end": (("attendees", 0, "working_hours", "end"), "23:59"),
    "one weekday less": (("attendees", 0, "working_hours", "weekdays"), [0, 2]),
    "another weekday": (("attendees", 0, "working_hours", "weekdays"), [0, 2, 5]),
    "block start": (("attendees", 0, "busy", "2024-03-11", 0, "start"), "22:01"),
    "block end": (("attendees", 0, "busy", "2024-03-11", 0, "end"), "23:59"),
    "no block": (("attendees", 0, "busy", "2024-03-11"), []),
    "a block more": (
        ("attendees", 1, "busy"),
        {"2024-03-11": [{"start": "09:00", "end": "09:00"}]},
    ),
    "another date": (
        ("attendees", 0, "busy"),
        {"2024-03-10": ZOE["busy"]["2024-03-11"], "2024-03-12": ZOE["busy"]["2024-03-12"]},
    ),
    "a date without blocks": (("attendees", 1, "busy"), {"2024-03-11": []}),
    "one attendee less": (("attendees",), [ZOE]),
    "one attendee more": (("attendees",), [ZOE, AVA, AVA | {"name": "Ben"}]),
    "hours swapped": (
        ("attendees",),
        [
            ZOE | {"working_hours": AVA["working_hours"]},
            AVA | {"working_hours": ZOE["working_hours"]},
        ],
    ),
}
APPEARANCE: dict[str, Change] = {
    "name": (("attendees", 0, "name"), "Zoe"),
    "composition of a name": (("attendees", 0, "name"), "Zoe\u0308"),
    "names swapped": (("attendees",), [ZOE | {"name": "Ava"}, AVA | {"name": "Zoë"}]),
    "attendee order": (("attendees",), [AVA, ZOE]),
}
EVERYTHING = SUBSTANCE | APPEARANCE


def changed(change: Change) -> World:
    (*parents, last), value = change
    world = sample()
    place: Any = world
    for key in parents:
        place = place[key]
    place[last] = value
    return parse_world(world)


@pytest.mark.parametrize("change", EVERYTHING.values(), ids=EVERYTHING)
def test_the_content_hash_changes_with_everything_else(change: Change) -> None:
    assert content_hash(changed(change)) != SAMPLE_HASH


@pytest.mark.parametrize("change", APPEARANCE.values(), ids=APPEARANCE)
def test_the_shape_leaves_names_and_attendee_order_aside(change: Change) -> None:
    assert shape(changed(change)) == shape(parse_world(sample()))


@pytest.mark.parametrize("change", SUBSTANCE.values(), ids=SUBSTANCE)
def test_the_shape_leaves_nothing_else_aside(change: Change) -> None:
    assert shape(changed(change)) != shape(parse_world(sample()))


@untimed
@given(world_objects(), st.randoms(use_true_random=False))
def test_the_shape_is_the_same_for_other_names_in_another_order(
    drawn: dict[str, Any], order: random.Random
) -> None:
    disguised = copy.deepcopy(drawn)
    order.shuffle(disguised["attendees"])
    for number, attendee in enumerate(disguised["attendees"]):
        attendee["name"] = f"Person {number}"
    assert shape(parse_world(reordered(disguised, order))) == shape(parse_world(drawn))


def test_both_hashes_are_64_hexadecimal_digits_and_differ() -> None:
    world = parse_world(sample())
    for digits in (content_hash(world), shape(world)):
        assert len(digits) == 64
        assert set(digits) <= set("0123456789abcdef")
    assert content_hash(world) != shape(world)


# The request


def test_the_window_runs_from_00_00z_of_its_first_date_for_so_many_utc_days() -> None:
    # 2024-03-08 is day 54 * 365 + 13 leap days + 31 + 29 + 7 = 19790
    request = Request(duration_minutes=30, window_start=19790, window_days=4)
    assert request.start == 19790 * 1440
    assert request.end == 19794 * 1440
    assert parse_world(sample()).request == request


@pytest.mark.parametrize(("duration", "after"), [(1, 0), (30, 29), (1440, 1439)])
def test_the_last_meeting_may_run_past_the_window_s_end(duration: int, after: int) -> None:
    request = Request(duration_minutes=duration, window_start=0, window_days=1)
    assert request.last_end == 1440 + after


# Frozen


@pytest.mark.parametrize(
    ("part", "field"),
    [
        (lambda world: world, "request"),
        (lambda world: world, "own_id"),
        (lambda world: world, "recorded"),
        (lambda world: world.request, "duration_minutes"),
        (lambda world: world.attendees[0], "name"),
        (lambda world: world.attendees[0].working_hours, "end"),
    ],
)
def test_a_world_and_its_parts_cannot_be_assigned_to(
    part: Callable[[World], object], field: str
) -> None:
    frozen = part(parse_world(sample()))
    before = getattr(frozen, field)
    with pytest.raises(AttributeError):
        setattr(frozen, field, before)
    assert getattr(frozen, field) == before


def test_attendees_weekdays_and_blocks_are_tuples() -> None:
    world = parse_world(sample())
    assert type(world.attendees) is tuple
    assert type(world.attendees[0].working_hours.weekdays) is tuple
    assert all(type(blocks) is tuple for blocks in world.attendees[0].busy.values())
