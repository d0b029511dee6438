"""A transcript: the tool calls of one conversation, and what was read through them.

Messages are objects as both lines of `verifiers` dump them: `role` and `content`, an assistant's
`tool_calls` with `id`, `name` and `arguments` (JSON text), and a tool's `tool_call_id`. A saved run
of version 0 has each tool call as the JSON text of such an object. Whatever is of another shape
counts as absent.
"""

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from .observations import Observation, of_call
from .tool_calls import answer_call, arguments_in, tool_named
from .world import World

Messages = Sequence[Mapping[str, Any]]


class Call(msgspec.Struct, frozen=True):
    """One tool call.

    Attributes:
        tool: the name that was called.
        arguments: JSON text, as the model wrote it.
        result: the text of the answer; None where the conversation ended before it.
    """

    tool: str
    arguments: str
    result: str | None

    @property
    def failed(self) -> bool:
        """Whether the answer is an error, of this package or of a tool server."""
        return self.result is not None and self.result[:5].lower() == "error"

    @property
    def meaning(self) -> tuple[str, str]:
        """What two calls have in common that ask the same."""
        given = arguments_in(self.arguments)
        asked = self.arguments if given is None else json.dumps(given, sort_keys=True)
        return tool_named(self.tool) or self.tool, asked


def calls_in(messages: Messages) -> list[Call]:
    """Return the tool calls of a conversation, in order, each with its answer."""
    return list(_calls(messages))


def turns_in(messages: Messages) -> int:
    """Return how many replies the model gave."""
    return sum(_is_from("assistant", message) for message in messages)


def observed(world: World, calls: Sequence[Call]) -> set[Observation]:
    """Return what the calls showed of a world: those whose answer holds the tool's whole text."""
    return {
        observation
        for call in calls
        if call.result is not None and not call.failed
        for observation in [_observation(world, call, call.result)]
        if observation is not None
    }


def _calls(messages: Messages) -> Iterator[Call]:
    """Yield each call with the answer that follows before the next reply; ids may repeat."""
    for reply, answers in _replies(messages):
        results: dict[str, deque[str]] = {}
        for answer in answers:
            waiting = results.setdefault(_string(answer.get("tool_call_id")), deque())
            waiting.append(text_of(answer.get("content")))
        for call in _asked(reply.get("tool_calls")):
            waiting = results.get(_string(call.get("id")), deque())
            yield Call(
                _string(call.get("name")),
                _string(call.get("arguments")),
                waiting.popleft() if waiting else None,
            )


def _asked(calls: object) -> Iterator[Mapping[str, Any]]:
    """Yield the tool calls of a reply as objects."""
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        return
    for call in calls:
        found = arguments_in(call) if isinstance(call, str) and call.strip() else call
        if isinstance(found, Mapping):
            yield found


def _replies(
    messages: Messages,
) -> Iterator[tuple[Mapping[str, Any], list[Mapping[str, Any]]]]:
    """Yield each reply of the model with the tools' messages between it and the next one."""
    reply: Mapping[str, Any] = {}
    answers: list[Mapping[str, Any]] = []
    for message in messages:
        if _is_from("assistant", message):
            yield reply, answers
            reply, answers = message, []
        elif _is_from("tool", message):
            answers.append(message)
    yield reply, answers


def _is_from(role: str, message: object) -> bool:
    return isinstance(message, Mapping) and message.get("role") == role


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _observation(world: World, call: Call, result: str) -> Observation | None:
    tool = tool_named(call.tool)
    given = arguments_in(call.arguments)
    if tool is None or given is None:
        return None
    found = of_call(world, tool, given)
    if found is None or answer_call(world, tool, found.arguments()) not in result:
        return None
    return found


def text_of(content: object) -> str:
    """Return the text of a message's content, which is a string, typed parts or nothing."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        parts = (part.get("text") for part in content if isinstance(part, Mapping))
        return "\n".join(part for part in parts if isinstance(part, str))
    return ""
