"""A tool call as a model makes it: the tool's own text, or one short line that says error."""

import json
from collections import UserDict
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from meeting_slot import (
    get_busy,
    get_timezone,
    get_working_hours,
    list_attendees,
    parse_world,
)
from meeting_slot.tool_calls import (
    DESCRIPTIONS,
    SCHEMAS,
    TOOL_NAMES,
    answer_call,
    arguments_in,
    past_budget,
    tool_named,
)
from tests.conftest import unprintable
from tests.world_objects import attendee_object, json_values, world_object

OFFICE = parse_world(
    world_object(
        attendee_object("Ava", "America/New_York", busy={"2024-03-11": "09:00-12:00 15:00-24:00"}),
        attendee_object("Zoë", "Pacific/Apia", "00:00-24:00"),
    )
)
AVA_S_BLOCKS = '[{"start": "09:00", "end": "12:00"}, {"start": "15:00", "end": "24:00"}]'
LONGEST_ERROR = 400
untimed = settings(deadline=None, derandomize=True, max_examples=200)


def assert_one_short_line_that_says_error(text: str) -> None:
    assert text.startswith("error: ")
    assert text.splitlines() == [text]
    assert not unprintable(text)
    assert len(text) < LONGEST_ERROR


# The tools as they are offered


def test_there_are_these_four_tools() -> None:
    assert TOOL_NAMES == ("list_attendees", "get_timezone", "get_working_hours", "get_busy")
    assert [schema["name"] for schema in SCHEMAS] == list(TOOL_NAMES) == list(DESCRIPTIONS)


@pytest.mark.parametrize(
    ("tool", "parameters"),
    [
        ("list_attendees", []),
        ("get_timezone", ["name"]),
        ("get_working_hours", ["name"]),
        ("get_busy", ["name", "date"]),
    ],
)
def test_a_schema_takes_just_its_parameters_each_a_string(tool: str, parameters: list[str]) -> None:
    (offered,) = (schema for schema in SCHEMAS if schema["name"] == tool)
    assert offered["description"] == DESCRIPTIONS[tool]
    schema = offered["parameters"]
    Draft202012Validator.check_schema(schema)
    valid = Draft202012Validator(schema).is_valid
    right: dict[str, Any] = dict.fromkeys(parameters, "x")
    assert valid(right)
    assert not valid(right | {"more": "x"})
    for parameter in parameters:
        assert not valid({key: value for key, value in right.items() if key != parameter})
        assert not valid(right | {parameter: 7})
        assert schema["properties"][parameter]["description"]


# Right calls


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("list_attendees", {}, '["Ava", "Zoë"]'),
        ("get_timezone", {"name": "Ava"}, "America/New_York"),
        ("get_timezone", {"name": " zoë "}, "Pacific/Apia"),
        ("get_working_hours", {"name": "Zoë"}, get_working_hours(OFFICE, "Zoë")),
        ("get_busy", {"name": "Ava", "date": "2024-03-11"}, AVA_S_BLOCKS),
        ("get_busy", {"date": "2024-03-12", "name": "Ava"}, "[]"),
    ],
)
def test_a_right_call_gives_the_tool_s_text(
    tool: str, arguments: dict[str, str], text: str
) -> None:
    assert answer_call(OFFICE, tool, json.dumps(arguments)) == text
    assert answer_call(OFFICE, tool, f"\n{json.dumps(arguments, indent=2)} ") == text
    assert answer_call(OFFICE, tool, arguments) == text
    assert answer_call(OFFICE, tool, UserDict(arguments)) == text


@pytest.mark.parametrize("nothing", ["", " \n", "{}", " { } "])
def test_no_text_is_no_arguments(nothing: str) -> None:
    assert answer_call(OFFICE, "list_attendees", nothing) == list_attendees(OFFICE)
    assert arguments_in(nothing) == {}
    needs = "error: get_timezone needs the argument name"
    assert answer_call(OFFICE, "get_timezone", nothing) == needs


# Wrong calls


@pytest.mark.parametrize(
    ("tool", "arguments", "line"),
    [
        ("get_busy", "{}", "error: get_busy needs the argument name"),
        ("get_busy", '{"name": "Ava"}', "error: get_busy needs the argument date"),
        ("get_busy", '{"date": "2024-03-11"}', "error: get_busy needs the argument name"),
        ("get_working_hours", "{}", "error: get_working_hours needs the argument name"),
        (
            "list_attendees",
            '{"b": 1, "a": 2}',
            'error: list_attendees takes no arguments, got also "b"',
        ),
        (
            "get_timezone",
            '{"Name": "Ava", "name": "Ava"}',
            'error: get_timezone takes name, got also "Name"',
        ),
        (
            "get_busy",
            '{"name": "Ava", "date": "2024-03-11", "days": 2}',
            'error: get_busy takes name and date, got also "days"',
        ),
        (
            "get_timezone",
            '["Ava"]',
            'error: the arguments of get_timezone must be a JSON object, got "[\\"Ava\\"]"',
        ),
        (
            "get_timezone",
            "Ava",
            'error: the arguments of get_timezone must be a JSON object, got "Ava"',
        ),
        (
            "get_timezone",
            '{"name": 7}',
            "error: there is no attendee 7; the attendees are Ava, Zoë",
        ),
        (
            "get_timezone",
            '{"name": null}',
            "error: there is no attendee null; the attendees are Ava, Zoë",
        ),
        (
            "get_busy",
            '{"name": "Ava", "date": 20240311}',
            "error: the date must be a real one written YYYY-MM-DD, got 20240311",
        ),
        (
            "find_slot",
            "{}",
            'error: there is no tool "find_slot"; the tools are list_attendees, get_timezone, '
            "get_working_hours, get_busy",
        ),
    ],
)
def test_a_wrong_call_says_what_is_wrong(tool: str, arguments: str, line: str) -> None:
    assert answer_call(OFFICE, tool, arguments) == line
    assert_one_short_line_that_says_error(line)


@pytest.mark.parametrize("tool", ["", "GET_BUSY", "get_busy ", "x_get_busy", "a" * 10_000, "\x00"])
def test_only_the_exact_name_of_a_tool_calls_it(tool: str) -> None:
    answer = answer_call(OFFICE, tool, '{"name": "Ava", "date": "2024-03-11"}')
    assert answer.startswith("error: there is no tool ")
    assert_one_short_line_that_says_error(answer)


@pytest.mark.parametrize("tool", [None, 7, ["get_busy"], {"name": "get_busy"}])
def test_a_name_that_is_no_text_is_no_tool(tool: Any) -> None:
    answer = answer_call(OFFICE, tool, "{}")
    assert answer.startswith("error: there is no tool ")
    assert_one_short_line_that_says_error(answer)


HOSTILE = [
    "a" * 10_000,
    "\u202egnp.exe\u2066",
    "a\nerror: none\r\n\u2028\u2029\x85\x1b[2J",
    "\ud800",
    "\x00",
    "\\u0000" * 1000,
    '"' * 1000,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_anywhere_is_answered_by_one_printable_line(text: str) -> None:
    named = {"name": "Ava", "date": "2024-03-11"}
    calls: list[tuple[str, str | dict[str, str]]] = [
        (text, named),
        ("get_timezone", text),
        ("get_timezone", {"name": text}),
        ("get_busy", named | {"date": text}),
        ("get_busy", named | {text: "x"}),
    ]
    for tool, arguments in calls:
        assert_one_short_line_that_says_error(answer_call(OFFICE, tool, arguments))
        as_json = arguments if isinstance(arguments, str) else json.dumps(arguments)
        assert_one_short_line_that_says_error(answer_call(OFFICE, tool, as_json))


@pytest.mark.parametrize("depth", [10, 900, 990, 1000, 100_000])
def test_json_of_any_depth_is_answered(depth: int) -> None:
    deep = "[" * depth + "]" * depth
    assert_one_short_line_that_says_error(answer_call(OFFICE, "get_timezone", deep))
    named = '{"name": ' + deep + "}"
    assert_one_short_line_that_says_error(answer_call(OFFICE, "get_timezone", named))


@pytest.mark.parametrize("given", [None, 7, [], ["Ava"], True])
def test_arguments_that_are_neither_text_nor_an_object_are_refused(given: Any) -> None:
    assert arguments_in(given) is None
    assert_one_short_line_that_says_error(answer_call(OFFICE, "list_attendees", given))


_texts = st.text(max_size=200) | st.sampled_from([*HOSTILE, "Ava", "2024-03-11", "name", "date"])
_objects = st.dictionaries(st.sampled_from(["name", "date"]) | _texts, _texts | json_values)
_arguments = (
    _objects
    | _objects.map(json.dumps)
    | json_values.map(json.dumps)
    | _texts
    | st.sampled_from(["NaN", "1e999", "9" * 5000, '{"name": 1e999}', "\ufeff{}"])
)
_answers = {
    *('["Ava", "Zoë"]', "America/New_York", "Pacific/Apia", AVA_S_BLOCKS, "[]"),
    *(get_working_hours(OFFICE, name) for name in ("Ava", "Zoë")),
}


@untimed
@given(st.sampled_from(TOOL_NAMES) | _texts, _arguments)
@example("list_attendees", "{" * 100_000)
@example("get_busy", '{"name": "Ava", "name": "Zoë", "date": "2024-03-11"}')
def test_any_call_is_answered_by_the_tool_or_by_one_line(
    tool: str, arguments: str | Mapping[str, Any]
) -> None:
    answer = answer_call(OFFICE, tool, arguments)
    if answer not in _answers:
        assert_one_short_line_that_says_error(answer)


def test_the_error_about_an_unknown_attendee_stays_short_however_many_there_are() -> None:
    crowd = parse_world(world_object(*(attendee_object(f"{i:064}") for i in range(1000))))
    answer = answer_call(crowd, "get_timezone", '{"name": "Ava"}')
    assert answer.startswith("error: ")
    assert answer.endswith("and 980 more (list_attendees has all)")
    assert len(answer) < 2000


def test_every_tool_is_answered_as_its_function_answers() -> None:
    for name in ("Ava", "Zoë", "Bob"):
        assert answer_call(OFFICE, "get_timezone", {"name": name}) == get_timezone(OFFICE, name)
        hours = answer_call(OFFICE, "get_working_hours", {"name": name})
        assert hours == get_working_hours(OFFICE, name)
        for day in ("2024-03-11", "2024-03-12", "11 March"):
            busy = answer_call(OFFICE, "get_busy", {"name": name, "date": day})
            assert busy == get_busy(OFFICE, name, day)


# Which tool a transcript's call means


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        *((tool, tool) for tool in TOOL_NAMES),
        ("mcp__meeting_slot__get_busy", "get_busy"),
        ("meeting_slot_get_timezone", "get_timezone"),
        ("server.get_working_hours", "get_working_hours"),
        ("", None),
        ("forget_busy", None),
        ("get_busy_", None),
        ("Get_Busy", None),
        ("_", None),
    ],
)
def test_a_server_s_name_may_stand_before_a_tool_s(name: str, tool: str | None) -> None:
    assert tool_named(name) == tool


def test_a_call_past_the_budget_is_told_to_answer() -> None:
    line = past_budget(400)
    assert line == "error: all 400 tool calls of this conversation are used up; answer now"
    assert_one_short_line_that_says_error(line)
