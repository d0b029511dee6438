"""Scripted policies: through the tools alone, each gives exactly its policy's answer."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meeting_slot.curated import curated_worlds
from meeting_slot.environment.chat import Refusal, Reply
from meeting_slot.environment.scripted import MODELS, ONE_CALL, reply_to
from meeting_slot.grading import answer_in
from meeting_slot.instants import answer_text
from meeting_slot.measures import load
from meeting_slot.named import named_split
from meeting_slot.parsing import parse_world
from meeting_slot.policies import policy_named
from meeting_slot.prompt import system_prompt, user_prompt
from meeting_slot.reading import Reader
from meeting_slot.tool_calls import SCHEMAS, TOOL_NAMES, answer_call, past_budget
from meeting_slot.world import World

from .conftest import ANSWER, a_world
from .strategies import worlds

TOOLS = [{"type": "function", "function": schema} for schema in SCHEMAS]
NAMES = (*MODELS, "skip-attendee-1", "skip-attendee-2", *(f"at-most-{n}-calls" for n in (1, 2, 7)))


class Conversation(NamedTuple):
    """A whole conversation: every message, and each reply in order."""

    messages: list[dict[str, Any]]
    replies: list[Reply]

    @property
    def calls(self) -> list[tuple[str, str]]:
        return [(call.name, call.arguments) for one in self.replies for call in one.tool_calls]

    @property
    def said(self) -> str:
        return self.replies[-1].content or ""

    @property
    def answer(self) -> str | None:
        return answer_in(self.said)


def opening(world: World) -> list[dict[str, Any]]:
    return [
        {"role": "system", "content": system_prompt(40, 400)},
        {"role": "user", "content": user_prompt(world.request)},
    ]


def held(
    world: World,
    model: str,
    *,
    tools: Sequence[Mapping[str, Any]] = TOOLS,
    instead: Mapping[str, str] | None = None,
) -> Conversation:
    """Hold a conversation to its end; `instead` has what some tools answer instead."""
    conversation = Conversation(opening(world), [])
    while True:
        reply = reply_to({"model": model, "messages": conversation.messages, "tools": tools})
        conversation.replies.append(reply)
        conversation.messages.append(json.loads(json.dumps(reply.message())))
        if not reply.tool_calls:
            return conversation
        assert len(conversation.replies) <= 1000
        for call in reply.tool_calls:
            tool = call.name.removeprefix("meetings_")
            text = (instead or {}).get(tool) or answer_call(world, tool, call.arguments)
            conversation.messages.append({"role": "tool", "tool_call_id": call.id, "content": text})


def expected(world: World, policy: str) -> str:
    return answer_text(Reader(world).answer(policy_named(policy)))


@cache
def core_worlds() -> tuple[World, ...]:
    """Return some of core-v1, and its first two worlds without a valid start."""
    first = tuple(islice(named_split("core-v1"), 12))
    without = (world for world in named_split("core-v1") if expected(world, "gold") == "NONE")
    return first + tuple(islice(without, 2))


SAMPLE = parse_world(a_world())


@pytest.mark.parametrize("policy", NAMES)
def test_each_policy_gives_its_answer(policy: str) -> None:
    for world in (*curated_worlds(), *core_worlds()):
        assert held(world, policy).answer == expected(world, policy), world.id


@pytest.mark.parametrize("policy", NAMES)
def test_each_policy_gives_its_answer_with_one_call_a_turn(policy: str) -> None:
    for world in (*curated_worlds(), *core_worlds()):
        conversation = held(world, policy + ONE_CALL)
        assert conversation.answer == expected(world, policy), world.id
        assert all(len(reply.tool_calls) == 1 for reply in conversation.replies[:-1])


@given(row=worlds(), policy=st.sampled_from(NAMES))
def test_each_policy_gives_its_answer_on_any_world(row: dict[str, Any], policy: str) -> None:
    world = parse_world(row)
    assert held(world, policy).answer == expected(world, policy)


def test_a_known_answer_is_found() -> None:
    assert held(SAMPLE, "gold").said == f"<answer>{ANSWER}</answer>"


def in_los_angeles(hours: tuple[str, str], **busy: tuple[str, str]) -> World:
    """Return a world of one attendee, at UTC-7; the window is 5 June 2024, a meeting an hour."""
    start, end = hours
    row = {
        "name": "Ava",
        "timezone": "America/Los_Angeles",
        "working_hours": {"start": start, "end": end, "weekdays": [0, 1, 2, 3, 4, 5, 6]},
        "busy": {
            f"2024-06-{day[1:]}": [{"start": first, "end": last}]
            for day, (first, last) in busy.items()
        },
    }
    request = {"duration_minutes": 60, "window_start": "2024-06-05", "window_days": 1}
    return parse_world({"request": request, "attendees": [row]})


@pytest.mark.parametrize(
    ("policy", "world", "answer"),
    [
        # 16:30 on the 5th is 23:30Z; half of it has the UTC date of the 6th, and meets its block
        (
            "gold",
            in_los_angeles(("16:30", "17:30"), d06=("17:00", "18:00")),
            "2024-06-05T23:30:00Z",
        ),
        ("busy-by-utc-date", in_los_angeles(("16:30", "17:30"), d06=("17:00", "18:00")), "NONE"),
        # a local 5th that ends at 07:00Z leaves room for 23:30, where the 6th is free
        (
            "window-in-local-dates",
            in_los_angeles(("00:00", "24:00"), d05=("00:00", "23:30")),
            "2024-06-06T06:30:00Z",
        ),
        (
            "window-in-local-dates",
            in_los_angeles(("00:00", "24:00"), d05=("00:00", "23:30"), d06=("00:00", "24:00")),
            "NONE",
        ),
    ],
)
def test_dates_that_only_a_misconception_looks_up_are_read(
    policy: str, world: World, answer: str
) -> None:
    assert held(world, policy).answer == answer


@pytest.mark.parametrize("suffix", ["", ONE_CALL])
def test_gold_reads_everything_once(suffix: str) -> None:
    for world in (*curated_worlds(), *core_worlds()):
        conversation = held(world, f"gold{suffix}")
        assert len(conversation.calls) == len(set(conversation.calls)) == load(world).calls
        turns = load(world).calls + 1 if suffix else 4
        assert len(conversation.replies) == turns


@pytest.mark.parametrize("suffix", ["", ONE_CALL])
@pytest.mark.parametrize("most", [1, 2, 3, 4, 6, 10, 20])
def test_a_policy_of_few_calls_makes_no_more(most: int, suffix: str) -> None:
    for world in core_worlds():
        conversation = held(world, f"at-most-{most}-calls{suffix}")
        assert len(conversation.calls) == min(most, load(world).calls)


def test_who_answers_none_without_a_look_calls_nothing() -> None:
    conversation = held(SAMPLE, "always-none")
    assert conversation.calls == []
    assert conversation.said == "<answer>NONE</answer>"


def test_one_call_a_turn_goes_by_attendee_then_by_date() -> None:
    busy = [
        ("get_busy", f'{{"name": "{name}", "date": "2024-03-{day:02}"}}')
        for day in range(7, 13)
        for name in ("Ava", "Farid")
        # Ava is west of UTC, so that her first day is the 7th; both end on the 12th, by 29 minutes
        if not (name == "Farid" and day == 7) and not (name == "Ava" and day == 12)
    ]
    assert held(SAMPLE, f"gold{ONE_CALL}").calls == [
        ("list_attendees", "{}"),
        ("get_timezone", '{"name": "Ava"}'),
        ("get_working_hours", '{"name": "Ava"}'),
        ("get_timezone", '{"name": "Farid"}'),
        ("get_working_hours", '{"name": "Farid"}'),
        *busy,
    ]


@pytest.mark.parametrize("suffix", ["", ONE_CALL])
def test_no_two_calls_of_a_conversation_have_the_same_id(suffix: str) -> None:
    replies = held(core_worlds()[0], f"gold{suffix}").replies
    ids = [call.id for reply in replies for call in reply.tool_calls]
    assert len(ids) == len(set(ids)) > 10


def test_tools_are_called_by_the_names_that_are_offered() -> None:
    tools = [
        {"type": "function", "function": {**schema, "name": f"meetings_{schema['name']}"}}
        for schema in SCHEMAS
    ]
    conversation = held(SAMPLE, "gold", tools=tools)
    assert {name for name, _ in conversation.calls} == {f"meetings_{name}" for name in TOOL_NAMES}
    assert conversation.answer == ANSWER


@pytest.mark.parametrize("name", ['Åsa "Ö" \\ 周', "e\u0301ric", "x" * 64])
def test_any_name_is_asked_for(name: str) -> None:
    row = a_world()
    row["attendees"][0]["name"] = name
    assert held(parse_world(row), "gold").answer == ANSWER


@pytest.mark.parametrize("suffix", ["", ONE_CALL])
@pytest.mark.parametrize(
    ("instead", "reason"),
    [
        ({"get_busy": past_budget(5)}, "error: all 5 tool calls"),
        ({"get_timezone": "Error executing tool get_timezone"}, "Error executing tool"),
        ({"get_timezone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"get_working_hours": "nine to five"}, "no JSON"),
        ({"get_working_hours": "[]"}, "attendees[0].working_hours"),
        ({"get_busy": "free"}, "no JSON"),
        ({"get_busy": "null"}, "attendees[0].busy"),
        ({"list_attendees": '{"Ava": 1}'}, "no list of names"),
        ({"list_attendees": "[1]"}, "no list of names"),
        ({"list_attendees": '["Ava", "Ava"]'}, "the same name"),
    ],
)
def test_where_a_tool_fails_no_answer_is_given_and_the_reason_is_said(
    instead: dict[str, str], reason: str, suffix: str
) -> None:
    conversation = held(SAMPLE, f"gold{suffix}", instead=instead)
    assert conversation.answer is None
    assert reason in conversation.said


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([], "the prompt names no"),
        ([{"role": "user", "content": "When?"}], "the prompt names no"),
        ([{"role": "user", "content": None}], "the prompt names no"),
    ],
)
def test_without_a_request_no_answer_is_given(messages: list[Any], reason: str) -> None:
    reply = reply_to({"model": "gold", "messages": messages, "tools": TOOLS})
    assert not reply.tool_calls
    assert reason in (reply.content or "")


def test_without_tools_no_answer_is_given() -> None:
    conversation = held(SAMPLE, "gold", tools=[])
    assert conversation.answer is None
    assert "there is no tool list_attendees" in conversation.said


def test_a_call_that_was_never_answered_ends_it() -> None:
    messages = held(SAMPLE, "gold").messages[:3]
    reply = reply_to({"model": "gold", "messages": messages, "tools": TOOLS})
    assert "was answered with nothing" in (reply.content or "")


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(Refusal, match='unknown policy "golden"') as refused:
        reply_to({"model": "golden", "messages": opening(SAMPLE), "tools": TOOLS})
    assert refused.value.status == 404


def test_content_may_come_in_parts() -> None:
    messages = opening(SAMPLE)
    messages[1]["content"] = [{"type": "text", "text": messages[1]["content"]}]
    reply = reply_to({"model": "gold", "messages": messages, "tools": TOOLS})
    assert [call.name for call in reply.tool_calls] == ["list_attendees"]
