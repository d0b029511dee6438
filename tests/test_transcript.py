"""A transcript: which calls a conversation holds, their answers, and what they showed."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from meeting_slot import parse_world
from meeting_slot.instants import parse_day
from meeting_slot.observations import Kind, Observation
from meeting_slot.tool_calls import answer_call, past_budget
from meeting_slot.transcript import Call, calls_in, observed, text_of, turns_in
from tests.world_objects import attendee_object, json_values, world_object

OFFICE = parse_world(
    world_object(
        attendee_object("Ava", "America/New_York", busy={"2024-03-11": "09:00-12:00"}),
        attendee_object("Ben", "UTC"),
    )
)
ZONE = Observation(Kind.ZONE, "Ava")
HOURS = Observation(Kind.HOURS, "Ava")
BUSY = Observation(Kind.BUSY, "Ava", parse_day("2024-03-11"))

untimed = settings(deadline=None, derandomize=True, max_examples=300)


def calling(*calls: tuple[str, str], content: object = None) -> dict[str, Any]:
    """Return a reply of the model that makes calls, each of an id and a name."""
    made = [{"id": id_, "name": name, "arguments": "{}"} for id_, name in calls]
    return {"role": "assistant", "content": content, "tool_calls": made}


def told(id_: str, content: object) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": content}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def names_and_results(messages: Sequence[Any]) -> list[tuple[str, str | None]]:
    return [(call.tool, call.result) for call in calls_in(messages)]


# Calls and their answers


def test_calls_stand_in_order_each_with_the_answer_of_its_id() -> None:
    messages = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "find it"},
        calling(("1", "a"), ("2", "b")),
        told("2", "B"),
        told("1", "A"),
        calling(("3", "c")),
        told("3", "C"),
        said("done"),
    ]
    assert names_and_results(messages) == [("a", "A"), ("b", "B"), ("c", "C")]


def test_a_call_keeps_its_arguments_as_they_were_written() -> None:
    call = {"id": "1", "name": "get_busy", "arguments": ' {"name" :"Ava"'}
    assert calls_in([{"role": "assistant", "tool_calls": [call]}]) == [
        Call("get_busy", ' {"name" :"Ava"', None)
    ]


def test_an_id_that_repeats_within_a_reply_is_answered_in_order() -> None:
    messages = [calling(("1", "a"), ("1", "b"), ("1", "c")), told("1", "A"), told("1", "B")]
    assert names_and_results(messages) == [("a", "A"), ("b", "B"), ("c", None)]


def test_an_id_that_repeats_in_a_later_reply_is_answered_after_it() -> None:
    messages = [
        calling(("1", "a")),
        told("1", "A"),
        calling(("1", "b")),
        told("1", "B"),
        calling(("1", "c")),
    ]
    assert names_and_results(messages) == [("a", "A"), ("b", "B"), ("c", None)]


def test_an_answer_after_the_next_reply_is_not_this_call_s() -> None:
    messages = [calling(("1", "a")), said("hm"), told("1", "A")]
    assert names_and_results(messages) == [("a", None)]


def test_an_answer_before_the_call_is_not_its_own() -> None:
    assert names_and_results([told("1", "A"), calling(("1", "a"))]) == [("a", None)]


def test_an_answer_to_no_call_is_passed_over() -> None:
    messages = [calling(("1", "a")), told("9", "X"), told("1", "A"), told("1", "again")]
    assert names_and_results(messages) == [("a", "A")]


def test_messages_of_others_may_stand_before_the_answer() -> None:
    messages = [calling(("1", "a")), {"role": "user", "content": "wait"}, told("1", "A")]
    assert names_and_results(messages) == [("a", "A")]


def test_only_the_model_calls() -> None:
    call = {"id": "1", "name": "a", "arguments": "{}"}
    for role in ("user", "tool", "system", None):
        assert calls_in([{"role": role, "tool_calls": [call]}, told("1", "A")]) == []


@pytest.mark.parametrize("none", [None, [], "", {}, 7, "ab"])
def test_a_reply_whose_calls_are_no_list_makes_none(none: object) -> None:
    assert calls_in([{"role": "assistant", "tool_calls": none}, told("1", "A")]) == []


def test_a_call_of_another_shape_counts_as_absent_and_its_parts_as_empty() -> None:
    calls: list[Any] = [
        None,
        7,
        "a",
        " ",
        "{",
        '["a"]',
        [],
        {},
        {"id": ["1"], "name": 7, "arguments": {"name": "Ava"}},
    ]
    empty = Call("", "", None)
    assert calls_in([{"role": "assistant", "tool_calls": calls}]) == [empty, empty]


def test_turns_are_the_model_s_replies_with_calls_or_without() -> None:
    messages = [{"role": "user"}, calling(("1", "a")), told("1", "A"), said(""), said("end")]
    assert turns_in(messages) == 3
    assert turns_in([]) == 0


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a", "a"),
        ("", ""),
        (None, ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "image"}, None, 7, "x", {"text": 7}, {"text": "a"}], "a"),
        ({"text": "a"}, ""),
        (b"a", ""),
        (7, ""),
    ],
)
def test_content_is_a_string_typed_parts_or_nothing(content: object, text: str) -> None:
    assert text_of(content) == text
    assert names_and_results([calling(("1", "a")), told("1", content)]) == [("a", text)]


def test_a_saved_run_of_version_0_has_each_call_as_json_text() -> None:
    calls = [{"id": "1", "name": "a", "arguments": '{"b": 1}'}, {"id": "2", "name": "c"}]
    saved = {"role": "assistant", "content": "", "tool_calls": [json.dumps(c) for c in calls]}
    answers = [told("2", "C"), told("1", "A")]
    objects = [{"role": "assistant", "tool_calls": calls}, *answers]
    assert calls_in([saved, *answers]) == calls_in(objects)
    assert names_and_results([saved, *answers]) == [("a", "A"), ("c", "C")]


_ids = st.sampled_from(["1", "2"]) | json_values
_calls = st.fixed_dictionaries(
    {}, optional={"id": _ids, "name": json_values, "arguments": json_values}
)
_messages = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["assistant", "assistant", "tool", "user"]) | json_values,
        "content": json_values,
        "tool_calls": st.lists(_calls | _calls.map(json.dumps) | json_values, max_size=3)
        | json_values,
        "tool_call_id": _ids,
    },
)


@untimed
@given(st.lists(_messages | json_values, max_size=6))
@example([None])
@example([{"role": ["assistant"]}, {"role": "tool", "tool_call_id": []}])
@example([{"role": "assistant", "tool_calls": [{"id": {}}]}, {"role": "tool", "content": [[]]}])
def test_messages_of_any_shape_are_read(messages: list[Any]) -> None:
    calls = calls_in(messages)
    for call in calls:
        assert isinstance(call.tool, str)
        assert isinstance(call.arguments, str)
        assert call.result is None or isinstance(call.result, str)
        assert isinstance(hash(call.meaning), int)
    assert observed(OFFICE, calls) == set()
    assert 0 <= turns_in(messages) <= len(messages)


# Which calls are errors, and which ask the same


@pytest.mark.parametrize(
    ("result", "failed"),
    [
        ("error: there is no tool", True),
        ("Error executing tool get_busy: timeout", True),
        ("ERROR", True),
        (past_budget(3), True),
        ("", False),
        (None, False),
        ("[]", False),
        ("America/New_York", False),
        ('["error"]', False),
    ],
)
def test_an_answer_that_begins_with_error_is_one(result: str | None, failed: bool) -> None:
    assert Call("get_busy", "{}", result).failed is failed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("get_busy", '{"name": "A", "date": "B"}'), ("get_busy", '{"date":"B","name":"A"}\n')),
        (("list_attendees", ""), ("list_attendees", "{}")),
        (("get_busy", "{}"), ("mcp__slot__get_busy", "{}")),
        (("get_timezone", '{"name": "Zo\\u00eb"}'), ("get_timezone", '{"name": "Zoë"}')),
        (("what", "not JSON"), ("what", "not JSON")),
    ],
)
def test_two_calls_ask_the_same(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert Call(*one, "x").meaning == Call(*other, None).meaning


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("get_timezone", '{"name": "A"}'), ("get_working_hours", '{"name": "A"}')),
        (("get_timezone", '{"name": "A"}'), ("get_timezone", '{"name": "B"}')),
        (("what", "not JSON"), ("what", "not  JSON")),
        (("a b", "c"), ("a", "b c")),
        (("list_attendees", "[]"), ("list_attendees", "{}")),
    ],
)
def test_two_calls_ask_for_different_things(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert Call(*one, "x").meaning != Call(*other, "x").meaning


@pytest.mark.parametrize("depth", [10, 900, 985, 990, 1000, 100_000])
def test_arguments_of_any_depth_have_a_meaning(depth: int) -> None:
    text = '{"name": ' + '[{"a":' * depth + "1" + "}]" * depth + "}"
    assert Call("get_timezone", text, None).meaning[0] == "get_timezone"


# What was observed


def call(tool: str, result: str | None = None, **arguments: str) -> Call:
    """Return a call with the tool's own answer, unless another is given."""
    answer = answer_call(OFFICE, tool, arguments) if result is None else result
    return Call(tool, json.dumps(arguments), answer)


@pytest.mark.parametrize(
    ("made", "seen"),
    [
        (call("get_timezone", name="Ava"), {ZONE}),
        (call("get_working_hours", name="Ava"), {HOURS}),
        (call("get_busy", name="Ava", date="2024-03-11"), {BUSY}),
        (call("get_timezone", name=" AVA"), {ZONE}),
        (call("list_attendees"), set()),
        (call("get_timezone", name="Bob"), set()),
        (call("get_busy", name="Ava", date="11 March"), set()),
        (call("get_busy", name="Ava"), set()),
        (call("get_timezone", name="Ava", date="2024-03-11"), set()),
        (call("find_slot", name="Ava"), set()),
    ],
)
def test_a_call_shows_what_it_asks_for(made: Call, seen: set[Observation]) -> None:
    assert observed(OFFICE, [made]) == seen


def test_a_date_without_blocks_is_observed_by_its_empty_list() -> None:
    made = call("get_busy", name="Ava", date="2024-03-12")
    assert made.result == "[]"
    assert observed(OFFICE, [made]) == {Observation(Kind.BUSY, "Ava", parse_day("2024-03-12"))}


@pytest.mark.parametrize(
    "result",
    [
        "",
        "[]",
        '[{"start": "09:00", "end": "12:',
        '[{"start": "09:00", "end": "12:30"}]',
        past_budget(1),
        'error: timeout after [{"start": "09:00", "end": "12:00"}]',
    ],
)
def test_an_answer_without_the_tool_s_whole_text_shows_nothing(result: str) -> None:
    assert observed(OFFICE, [call("get_busy", result, name="Ava", date="2024-03-11")]) == set()


def test_a_call_without_an_answer_shows_nothing() -> None:
    assert observed(OFFICE, [Call("get_timezone", '{"name": "Ava"}', None)]) == set()


def test_a_harness_may_write_around_the_tool_s_text() -> None:
    around = "result:\nAmerica/New_York\n(12 ms)"
    assert observed(OFFICE, [call("get_timezone", around, name="Ava")]) == {ZONE}


def test_a_tool_server_s_name_may_stand_before_the_tool_s() -> None:
    made = Call("mcp__slot__get_timezone", '{"name": "Ava"}', "America/New_York")
    assert observed(OFFICE, [made]) == {ZONE}


def test_what_several_calls_show_is_put_together_and_errors_do_no_harm() -> None:
    calls = [
        call("get_timezone", name="Ava"),
        call("get_timezone", name="ava"),
        call("get_busy", past_budget(2), name="Ava", date="2024-03-11"),
        call("get_working_hours", name="Ava"),
    ]
    assert observed(OFFICE, calls) == {ZONE, HOURS}
    assert observed(OFFICE, []) == set()
