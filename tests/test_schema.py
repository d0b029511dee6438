"""The published JSON Schema: valid, never stricter than the reader, and strict where it can be."""

import copy
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from meeting_slot import FileError, WorldError, curated_worlds, parse_world
from meeting_slot.files import worlds_in
from meeting_slot.schema import world_schema
from tests.world_objects import attendee_object, json_values, world_object, world_objects

CASES = Path(__file__).parent / "cases"
SCHEMA = Draft202012Validator(world_schema())
SCHEMA_WITH_FORMATS = Draft202012Validator(
    world_schema(), format_checker=Draft202012Validator.FORMAT_CHECKER
)
"""A validator may take `format` as a rule or, as is the default, as a remark."""

LEFT_TO_THE_READER = {
    "duplicate-busy-date": "an object that was parsed holds each key once",
    "duration-exponent": "3e1 and 30 are the same integer in JSON Schema",
    "duplicate-names-nfc-nfd": "members of two attendees are not compared",
    "window-start-bad-day": "patterns do not know how long a month is; a format is a remark",
    "window-crosses-2100": "a start and a number of days are not added up",
    "hours-reversed": "two members are not compared",
}


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


def refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def parsed(row: dict[str, Any]) -> Iterator[Any]:
    """Yield the value of a handed input, if it is text and that text is JSON."""
    try:
        yield json.loads(row["raw"], parse_constant=refuse)
    except (KeyError, ValueError):
        return


BAD = {row["id"]: value for row in rows("bad_inputs.jsonl") for value in parsed(row)}
ACCEPTED = {row["id"] for row in rows("bad_inputs.jsonl") if row["expect"]["accept"]}
REFUSED = {case: value for case, value in BAD.items() if case not in ACCEPTED}
WORLDS = {
    row["id"]: row["world"] for row in rows("edge_cases.jsonl") + rows("bug_reports.jsonl")
} | {f"shipped {world.id}": world.to_json() for world in curated_worlds()}


def test_the_schema_is_a_valid_one_of_2020_12() -> None:
    schema = world_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_the_schema_accepts_the_curated_worlds_and_those_of_the_bug_reports(
    world: dict[str, Any],
) -> None:
    SCHEMA_WITH_FORMATS.validate(world)


@pytest.mark.parametrize("case", sorted(ACCEPTED & BAD.keys()))
def test_the_schema_accepts_the_handed_inputs_that_are_odd_but_fine(case: str) -> None:
    SCHEMA_WITH_FORMATS.validate(BAD[case])


@pytest.mark.parametrize("case", sorted(REFUSED.keys() - LEFT_TO_THE_READER.keys()))
def test_the_schema_rejects_the_handed_bad_inputs_that_a_schema_can_reject(case: str) -> None:
    assert not SCHEMA.is_valid(REFUSED[case])


@pytest.mark.parametrize("case", LEFT_TO_THE_READER)
def test_what_is_left_to_the_reader_the_schema_lets_pass(case: str) -> None:
    assert SCHEMA.is_valid(REFUSED[case])


@pytest.mark.parametrize("case", LEFT_TO_THE_READER)
def test_what_is_left_to_the_reader_is_refused_by_it(case: str) -> None:
    (text,) = (row["raw"] for row in rows("bad_inputs.jsonl") if row["id"] == case)
    with pytest.raises(FileError):
        list(worlds_in(io.BytesIO(text.encode()), case))


def test_the_format_of_a_date_tells_a_validator_that_minds_it_of_30_february() -> None:
    assert not SCHEMA_WITH_FORMATS.is_valid(REFUSED["window-start-bad-day"])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("id",), ""),
        (("id",), "x" * 129),
        (("id",), 7),
        (("answer",), None),
        (("meta",), []),
        (("extra",), 1),
        (("request", "extra"), 1),
        (("request", "duration_minutes"), 1441),
        (("request", "duration_minutes"), "30"),
        (("request", "window_days"), 367),
        (("request", "window_start"), "1969-12-31"),
        (("request", "window_start"), "2101-01-01"),
        (("attendees", 0, "extra"), 1),
        (("attendees", 0, "name"), ""),
        (("attendees", 0, "name"), " \t"),
        (("attendees", 0, "name"), "A\u007fva"),
        (("attendees", 0, "name"), "A\u202eva"),
        (("attendees", 0, "name"), "A" * 65),
        (("attendees", 0, "timezone"), "Factory"),
        (("attendees", 0, "timezone"), "europe/london"),
        (("attendees", 0, "working_hours", "start"), "24:00"),
        (("attendees", 0, "working_hours", "end"), "24:01"),
        (("attendees", 0, "working_hours", "weekdays"), []),
        (("attendees", 0, "working_hours", "weekdays"), [True]),
        (("attendees", 0, "busy", "2024-03-11", 0, "start"), "24:00"),
        (("attendees", 0, "busy", "2024-03-11", 0, "note"), "lunch"),
        (("attendees", 0, "busy", "2024-3-11"), []),
        (("attendees", 0, "busy", "2024-13-11"), []),
        (("attendees", 0, "busy", "2024-03-11"), None),
    ],
)
def test_the_schema_rejects_what_breaks_a_bound(path: tuple[str | int, ...], value: Any) -> None:
    world: Any = world_object(attendee_object("Ava", busy={"2024-03-11": "09:00-10:00"}))
    SCHEMA.validate(world)
    place = world
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert not SCHEMA.is_valid(world)


@settings(deadline=None, derandomize=True, max_examples=100)
@given(world_objects())
def test_the_schema_accepts_every_form_a_world_may_take(world: dict[str, Any]) -> None:
    parse_world(world)
    SCHEMA_WITH_FORMATS.validate(world)
    SCHEMA_WITH_FORMATS.validate(parse_world(world).to_json())


ODD_VALUES = st.one_of(
    st.integers(-1, 1441),
    st.sampled_from([30.0, True, None, "", " ", "x", [], {}, [0], [6, 0], [1, 1]]),
    st.sampled_from(
        ["00:00", "23:59", "24:00", "24:01", "9:00", "09:00:00", "-1:00", "\u0661\u0662:00"]
    ),
    st.sampled_from(
        ["1970-01-01", "2100-12-31", "2101-01-01", "2024-02-30", "20240311", "0001-01-01"]
    ),
    st.sampled_from(["UTC", "utc", "Factory", "EST5EDT", "Etc/GMT+12", "posixrules"]),
    st.sampled_from(
        ["A" * 64, "A" * 65, "\U0001f600" * 64, "\ufeffAva", "A\u200dva", "A\u2028va", "a\tb"]
    ),
    json_values,
)


def places(value: Any) -> Iterator[tuple[Any, str | int]]:
    """Yield every place of a JSON value that can be put to: a container and a key of it."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


@st.composite
def worlds_with_an_odd_value(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a world in which one value is replaced or left out, or to which one is added."""
    world: dict[str, Any] = copy.deepcopy(draw(world_objects()))
    container, key = draw(st.sampled_from(list(places(world))))
    if isinstance(container, dict) and draw(st.integers(0, 4)) == 0:
        container[draw(st.sampled_from(["busy", "id", "meta", "0001-01-01"]) | st.text())] = draw(
            ODD_VALUES
        )
    elif draw(st.integers(0, 4)) == 0:
        del container[key]
    else:
        container[key] = draw(ODD_VALUES)
    return world


@settings(deadline=None, derandomize=True, max_examples=600)
@given(worlds_with_an_odd_value())
def test_the_schema_accepts_whatever_the_reader_accepts(world: dict[str, Any]) -> None:
    try:
        parse_world(world)
    except WorldError:
        event("refused by the reader")
        return
    event("accepted by the reader")
    SCHEMA_WITH_FORMATS.validate(world)
