"""The fast reading of a world: what it takes is what the strict reading takes, read alike."""

import copy
import json
import random
from typing import Any

import jiter
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from meeting_slot import FileError, WorldError, content_hash, parse_world
from meeting_slot.decoding import certain_world
from meeting_slot.files import Row, world_of_row
from meeting_slot.named import rows_of
from meeting_slot.world import World
from tests.conftest import ANSWER, a_world
from tests.strategies import worlds as timed_worlds
from tests.world_objects import reordered, world_objects

LINE = json.dumps(a_world(id="w", answer=ANSWER, meta={"iana": "2026a", "a": [1, 2.5]}))
COMPACT = json.dumps(json.loads(LINE), separators=(",", ":"))


def strict(text: bytes) -> World | None:
    """Return what the strict reading makes of a text; None where it refuses it."""
    try:
        value = jiter.from_json(text, allow_inf_nan=False, catch_duplicate_keys=True)
        return parse_world(value)
    except (ValueError, WorldError):
        return None


def assert_read_alike(text: bytes) -> World | None:
    """Assert that the fast reading, if it takes a text, reads what the strict one does."""
    found = certain_world(text)
    if found is not None:
        expected = strict(text)
        assert expected is not None, text
        assert found == expected
        assert repr(found.meta) == repr(expected.meta)  # 1 and 1.0 and True are equal
        assert [list(a.busy) for a in found.attendees] == [list(a.busy) for a in expected.attendees]
        assert content_hash(found) == content_hash(expected)
        assert type(found.request.duration_minutes) is int
    return found


@pytest.mark.parametrize("text", [LINE, COMPACT, json.dumps(json.loads(LINE), indent=1)])
def test_a_plain_world_is_taken(text: str) -> None:
    assert assert_read_alike(text.encode()) is not None
    assert assert_read_alike(f"  {text}\n".encode()) is not None


@pytest.mark.parametrize("split", ["core-v1", "hard-v1", "isolate-v1"])
def test_every_shipped_world_is_taken(split: str) -> None:
    for row in rows_of(split):
        assert assert_read_alike(row.text) is not None, row.line


@settings(max_examples=400, derandomize=True, deadline=None)
@given(world_objects(), st.booleans(), st.booleans(), st.randoms(use_true_random=False))
def test_worlds_of_every_form_are_read_alike(
    world: dict[str, Any], ascii_only: bool, compact: bool, order: random.Random
) -> None:
    separators = (",", ":") if compact else None
    text = json.dumps(reordered(world, order), ensure_ascii=ascii_only, separators=separators)
    found = assert_read_alike(text.encode())
    assert strict(text.encode()) is not None
    event("taken" if found else "left")
    assert found is not None or "\\" in text


@settings(max_examples=200, derandomize=True, deadline=None)
@given(timed_worlds())
def test_worlds_of_the_agreement_are_taken(world: Any) -> None:
    assert assert_read_alike(json.dumps(world).encode()) is not None


HOSTILE: list[Any] = [
    *(
        None,
        True,
        False,
        -1,
        0,
        7,
        1e999,
        1.0,
        30.0,
        1441,
        367,
        10**30,
        "",
        " ",
        "a\n",
        "\u202e",
    ),
    *("24:00", "9:00", "09:60", "00:00", "2024-02-30", "20240308", "1969-12-31", "2101-01-01"),
    *("Mars/Phobos", "europe/berlin", "Factory", "soon", "none", "NONE", "Ava", "ava", [], {}),
    *([0, 0], [7], [-1], [1.0], [True], [None], ["1"], {"start": "10:00"}, "x" * 129),
    *([{"start": "10:00", "end": "09:00"}], [{"start": "24:00", "end": "24:00"}], "2024-03-08"),
    *([{"start": "10:00", "end": "10:00"}], [{"start": "10:00", "end": "11:00", "x": 1}]),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value in a JSON value."""
    found = [path] if path else []
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            found += places(item, (*path, key))
    return found


BASE = json.loads(LINE)
PLACES = places(BASE)


def edited(path: tuple[Any, ...], how: str, value: Any) -> bytes:
    """Return the sample world with one edit at a place."""
    world = copy.deepcopy(BASE)
    parent = world
    for key in path[:-1]:
        parent = parent[key]
    if how == "set":
        parent[path[-1]] = value
    elif how == "remove":
        del parent[path[-1]]
    elif isinstance(parent, list):
        parent.append(value)
    elif how == "add":
        parent[str(value)] = copy.deepcopy(parent[path[-1]])
    else:
        parent[str(value)] = parent.pop(path[-1])
    return json.dumps(world, ensure_ascii=False).replace("Infinity", "1e999").encode()


@pytest.mark.parametrize("how", ["set", "remove", "add", "rename"])
@pytest.mark.parametrize("path", PLACES, ids=str)
def test_a_world_with_something_amiss_is_left_or_read_alike(
    path: tuple[Any, ...], how: str
) -> None:
    for value in HOSTILE:
        assert_read_alike(edited(path, how, value))


def test_an_escaped_colon_makes_up_for_no_key_that_is_repeated() -> None:
    text = COMPACT.replace('"name":"Ava"', '"name":"A\\u003a","name":"A\\u003a"')
    assert text != COMPACT
    assert strict(text.encode()) is None
    assert certain_world(text.encode()) is None


@settings(max_examples=3000, derandomize=True, deadline=None)
@given(
    st.sampled_from([LINE.encode(), COMPACT.encode()]),
    st.lists(
        st.tuples(
            st.integers(0, len(LINE)),
            st.integers(0, 6),
            st.binary(max_size=3)
            | st.sampled_from([b'"', b"\\", b'"id":"w",', b'"meta":{},', b"{", b"}", b"[", b"1e5"]),
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_damaged_bytes_are_left_or_read_alike(
    text: bytes, edits: list[tuple[int, int, bytes]]
) -> None:
    for at, removed, inserted in edits:
        text = text[:at] + inserted + text[at + removed :]
    event("taken" if assert_read_alike(text) else "left")


def members(value: Any) -> list[str]:
    """Return each key with its value, as compact JSON text, of every object in a JSON value."""
    if isinstance(value, list):
        return [text for item in value for text in members(item)]
    if not isinstance(value, dict):
        return []
    found = [f'"{key}":{json.dumps(item, separators=(",", ":"))}' for key, item in value.items()]
    return found + [text for item in value.values() for text in members(item)]


@pytest.mark.parametrize("member", dict.fromkeys(members(BASE)))
def test_a_key_given_twice_is_left(member: str) -> None:
    assert member in COMPACT
    key = member.partition(":")[0]
    for other in member, f'{key}:"a:b"', f"{key}:null", f"{key}:{{}}", f"{key}:1":
        for twice in f"{other},{member}", f"{member},{other}":
            text = COMPACT.replace(member, twice, 1).encode()
            assert strict(text) is None
            assert certain_world(text) is None


@pytest.mark.parametrize("absent", ["id", "answer", "meta"])
def test_a_member_that_is_absent_makes_up_for_none_that_is_repeated(absent: str) -> None:
    world = {key: value for key, value in BASE.items() if key != absent}
    text = json.dumps(world)
    assert '"duration_minutes": 30' in text
    twice = text.replace('"duration_minutes": 30', '"duration_minutes": 30, "duration_minutes": 30')
    assert certain_world(text.encode()) is not None
    assert certain_world(twice.encode()) is None
    assert certain_world(text.replace("{", f'{{"{absent}": null, ', 1).encode()) is None


@pytest.mark.parametrize("depth", [1, 50, 98, 99, 150, 190, 197, 198, 199, 200, 201, 250, 5000])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize(
    "place", ['{"meta": {"meta": %s}, ', '{"meta": {"b": {}, "b:": %s, "meta": 1}, ']
)
def test_nesting_is_as_deep_as_the_strict_reading_allows(
    depth: int, opening: str, place: str
) -> None:
    closing = "]" if opening == "[" else "}"
    inner = opening * depth + "1" + closing * depth
    rest = json.dumps({key: value for key, value in BASE.items() if key != "meta"})
    text = (place % inner + rest[1:]).encode()
    found = assert_read_alike(text)
    assert found is not None or depth > 80


@pytest.mark.parametrize(
    "number", ["1e999", "-1e999", "1.0", "-0", "-0.0", "1e5", "9" * 400, "0.1", "5e-324", "1e-400"]
)
def test_numbers_of_meta_are_read_alike(number: str) -> None:
    text = COMPACT.replace("2.5", number).encode()
    assert number.encode() in text
    found = assert_read_alike(text)
    assert (found is None) == (strict(text) is None)


@pytest.mark.parametrize("number", ["30.0", "3e1", "30.5", "true", '"30"', "null", "030", "-30"])
def test_a_number_of_another_kind_is_left(number: str) -> None:
    text = COMPACT.replace('"duration_minutes":30', f'"duration_minutes":{number}').encode()
    assert certain_world(text) is None


def test_what_is_left_is_refused_by_the_strict_reading_with_its_words() -> None:
    text = COMPACT.replace("09:00", "9:00", 1).encode()
    with pytest.raises(FileError) as refused:
        world_of_row(Row("split.jsonl", 3, text))
    assert str(refused.value) == (
        "split.jsonl:3: attendees[0].working_hours.start: "
        'expected a time HH:MM from 00:00 to 23:59, got "9:00"'
    )
