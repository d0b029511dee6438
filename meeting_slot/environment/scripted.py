"""Policies as models: given a conversation so far, what a policy says next.

A policy reads the world through the tools, as any model must: the list, each attendee's zone and
hours, each local date that its answer depends on; then it answers. All it knows stands in the
messages, so a conversation may be served by anybody, at any time.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from ..errors import MeetingSlotError, quoted, shortened
from ..instants import answer_text, day_text
from ..parsing import parse_attendees
from ..policies import BASELINES, CORE, GOLD, INVERSE, Choice, Policy, policy_named, specials
from ..prompt import request_in
from ..reading import Reader, at_work
from ..tool_calls import TOOL_NAMES, arguments_in, tool_named
from ..tools import local_days
from ..transcript import calls_in, text_of
from ..world import Attendee, Request, World
from .chat import Refusal, Reply, ToolCall

ONE_CALL: Final = ":one-call"
"""At the end of a model's name: it makes one tool call a reply."""

MODELS: Final = tuple(policy.name for policy in (GOLD, *CORE, *specials(0), *BASELINES, *INVERSE))
"""The models by name; `skip-attendee-K` and `at-most-N-calls` of any number are there as well."""


class _Question(msgspec.Struct, frozen=True):
    """One tool call to make, or one that was made."""

    tool: str
    name: str | None = None
    date: str | None = None

    def arguments(self) -> str:
        """Return the arguments as JSON text."""
        given = {"name": self.name, "date": self.date}
        written = {key: text for key, text in given.items() if text is not None}
        return json.dumps(written, ensure_ascii=False)


_LIST: Final = _Question("list_attendees")
_ARGUMENTS: Final = ("name", "date")

_Read = Mapping[_Question, str]
"""The text that answered each call."""


def reply_to(body: Mapping[str, Any], *, one_call_a_turn: bool = False) -> Reply:
    """Return what the model of a chat-completions request says next.

    Args:
        body: the request: `model`, a policy's name with or without `:one-call`; `messages`;
            `tools`, under whose names the four tools are called.
        one_call_a_turn: whether every model makes one tool call a reply.

    Raises:
        Refusal: no policy has that name; the status is 404.
    """
    name = str(body.get("model") or "")
    try:
        policy = policy_named(name.removesuffix(ONE_CALL))
    except MeetingSlotError as error:
        raise Refusal(404, "model_not_found", str(error)) from None
    functions = [tool.get("function") for tool in body.get("tools") or ()]
    names = [str(one.get("name")) for one in functions if isinstance(one, dict)]
    return next_reply(
        policy,
        body.get("messages") or (),
        offered=names,
        one_call_a_turn=one_call_a_turn or name.endswith(ONE_CALL),
    )


def next_reply(
    policy: Policy,
    messages: Sequence[Mapping[str, Any]],
    *,
    offered: Sequence[str] = TOOL_NAMES,
    one_call_a_turn: bool = False,
) -> Reply:
    """Return what a policy says next: tool calls, or its answer.

    Where it cannot read the world (no request in the prompt, a tool that is not there or answers
    with an error), it says so and gives no answer.

    Args:
        policy: whose answer it is going to be.
        messages: the conversation so far, as the OpenAI API has it.
        offered: the names of the tools; they may stand behind a tool server's name.
        one_call_a_turn: whether to make one tool call a reply, not all that do not depend on each
            other.
    """
    if policy.choice is Choice.NONE:
        return _final(None)
    try:
        request = _request(messages)
        read, made = _results(messages)
        missing = _missing(policy, request, read)
        if missing:
            return _asking(missing[:1] if one_call_a_turn else missing, made, offered)
        return _final(_answer(policy, request, read))
    except MeetingSlotError as error:
        return Reply(content=f"I cannot give an answer: {error}")


def _request(messages: Sequence[Mapping[str, Any]]) -> Request:
    asked = [text_of(one.get("content")) for one in messages if one.get("role") == "user"]
    return request_in("\n".join(asked))


def _results(messages: Sequence[Mapping[str, Any]]) -> tuple[dict[_Question, str], int]:
    """Return what was read, and how many calls were made.

    Raises:
        MeetingSlotError: a tool answered with an error, or not at all.
    """
    calls = calls_in([_flat(message) for message in messages])
    read: dict[_Question, str] = {}
    for call in calls:
        if call.result is None or call.failed:
            said = "nothing" if call.result is None else shortened(call.result, 200)
            raise MeetingSlotError(f"{call.tool} {call.arguments} was answered with {said}")
        given = arguments_in(call.arguments) or {}
        question = _Question(
            tool_named(call.tool) or call.tool,
            *(text if isinstance(text := given.get(key), str) else None for key in _ARGUMENTS),
        )
        read[question] = call.result
    return read, len(calls)


def _flat(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message of the OpenAI API with its tool calls as `transcript` has them."""
    made = message.get("tool_calls")
    calls = [
        {"id": call.get("id"), **function}
        for call in (made if isinstance(made, list) else ())
        if isinstance(call, dict) and isinstance(function := call.get("function"), dict)
    ]
    return {**message, "tool_calls": calls}


def _missing(policy: Policy, request: Request, read: _Read) -> list[_Question]:
    """Return the calls to make now: those of the first stage that has some unanswered."""
    left = policy.calls
    stages = _stages(policy, request, read)
    while left != 0 and (stage := next(stages, None)) is not None:
        stage = stage[:left]
        if missing := [question for question in stage if question not in read]:
            return missing
        left = None if left is None else left - len(stage)
    return []


def _stages(policy: Policy, request: Request, read: _Read) -> Iterator[list[_Question]]:
    """Yield the calls in their order, in stages: each asks for what the earlier ones showed."""
    yield [_LIST]
    yield [
        _Question(tool, name)
        for name in _names(read)
        for tool in ("get_timezone", "get_working_hours")
    ]
    dates = [
        (day, place, attendee.name)
        for place, attendee in enumerate(_attendees(read))
        for day in _days(policy, attendee, request)
    ]
    yield [_Question("get_busy", name, day_text(day)) for day, _, name in sorted(dates)]


def _days(policy: Policy, attendee: Attendee, request: Request) -> set[int]:
    """Return the local dates that a meeting may touch, and any more that the policy looks up."""
    looked_up = {stretch.blocks_day for stretch in at_work(policy, attendee, request)}
    days = {day for day in looked_up if day is not None}
    return days | set(local_days(attendee.timezone, request.start, request.last_end))


def _answer(policy: Policy, request: Request, read: _Read) -> int | None:
    """Return the answer on what was read: who was not read is not there, a date unread is free."""
    return Reader(World(request, _attendees(read))).answer(policy)


def _names(read: _Read) -> list[str]:
    names = _json(read, _LIST)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise MeetingSlotError(f"list_attendees gave no list of names but {quoted(names)}")
    return names


def _attendees(read: _Read) -> tuple[Attendee, ...]:
    """Return the attendees as far as they were read: those whose zone and hours were."""
    busy: dict[str | None, dict[str | None, Any]] = {}
    for question in read:
        if question.tool == "get_busy":
            busy.setdefault(question.name, {})[question.date] = _json(read, question)
    rows = []
    for name in _names(read):
        zone = _Question("get_timezone", name)
        hours = _Question("get_working_hours", name)
        if zone not in read or hours not in read:
            continue
        worked = _json(read, hours)
        if isinstance(worked, dict):
            worked.pop("weekday_names", None)
        rows.append(
            {
                "name": name,
                "timezone": read[zone],
                "working_hours": worked,
                "busy": busy.get(name, {}),
            }
        )
    return parse_attendees(rows) if rows else ()


def _json(read: _Read, question: _Question) -> Any:
    try:
        return json.loads(read[question])
    except ValueError:
        given = quoted(read[question])
        raise MeetingSlotError(f"{question.tool} gave no JSON but {given}") from None


def _asking(questions: Sequence[_Question], made: int, offered: Sequence[str]) -> Reply:
    """Return a reply that asks; ids go on from the calls already made."""
    names = {tool_named(name): name for name in offered}
    for question in questions:
        if question.tool not in names:
            raise MeetingSlotError(f"there is no tool {question.tool}")
    calls = [
        ToolCall(f"call-{number}", names[question.tool], question.arguments())
        for number, question in enumerate(questions, made + 1)
    ]
    return Reply(tool_calls=calls)


def _final(answer: int | None) -> Reply:
    return Reply(content=f"<answer>{answer_text(answer)}</answer>")
