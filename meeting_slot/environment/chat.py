"""A model's reply on the wire: one chat completion, as one JSON object or as streamed chunks.

Shapes are those of the OpenAI API, version 1. Token counts are rough: four characters are one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

_CHARACTERS_A_TOKEN: Final = 4
_CREATED: Final = 0
"""When every completion says it was made, in Unix seconds: the same question, the same bytes."""


class ToolCall(msgspec.Struct, frozen=True):
    """One tool call of a reply; arguments are JSON text, or whatever a model may write."""

    id: str
    name: str
    arguments: str


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a model says next.

    Attributes:
        content: the text.
        tool_calls: the calls, in order.
        reasoning: sent as `reasoning_content`.
        finish: the finish reason; None for `tool_calls` where there are some, else `stop`.
        cut: whether the connection is dropped half-way through the reply.
    """

    content: str | None = None
    tool_calls: Sequence[ToolCall] = ()
    reasoning: str | None = None
    finish: str | None = None
    cut: bool = False

    @property
    def finish_reason(self) -> str:
        """The finish reason as it is sent."""
        return self.finish or ("tool_calls" if self.tool_calls else "stop")

    def message(self) -> dict[str, Any]:
        """Return the assistant message."""
        message: dict[str, Any] = {"role": "assistant", "content": self.content}
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        if self.tool_calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in self.tool_calls
            ]
        return message


class Refusal(Exception):
    """An answer of a model's server that is an error.

    Attributes:
        status: the HTTP status.
        code: the error's code, such as `model_not_found` or `context_length_exceeded`.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code

    def to_json(self) -> dict[str, Any]:
        """Return the body of the response."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        return {"error": {"message": str(self), "type": kind, "param": None, "code": self.code}}


def completion(body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    """Return the reply to a request as one `chat.completion` object."""
    choice = {
        "index": 0,
        "message": reply.message(),
        "logprobs": None,
        "finish_reason": reply.finish_reason,
    }
    return {
        **_heading(body, "chat.completion"),
        "choices": [choice],
        "usage": _usage(body, reply),
    }


def chunks(body: Mapping[str, Any], reply: Reply) -> Iterator[dict[str, Any]]:
    """Yield the reply to a request as `chat.completion.chunk` objects.

    The usage comes last, in a chunk of its own, where `stream_options.include_usage` asks for it.
    """
    heading = _heading(body, "chat.completion.chunk")
    deltas = [{"role": "assistant"}, *_deltas(reply.message())]
    for delta, finish in [*((delta, None) for delta in deltas), ({}, reply.finish_reason)]:
        yield {**heading, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**heading, "choices": [], "usage": _usage(body, reply)}


def _deltas(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each text, then each call in two parts, as models do: its name, then arguments."""
    for name in ("reasoning_content", "content"):
        if message.get(name):
            yield {name: message[name]}
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        opening = {**call, "index": index, "function": {"name": function["name"], "arguments": ""}}
        yield {"tool_calls": [opening]}
        rest = {"index": index, "function": {"arguments": function["arguments"]}}
        yield {"tool_calls": [rest]}


def _heading(body: Mapping[str, Any], kind: str) -> dict[str, Any]:
    model = body.get("model")
    return {"id": "chatcmpl-scripted", "object": kind, "created": _CREATED, "model": model}


def _usage(body: Mapping[str, Any], reply: Reply) -> dict[str, int]:
    prompt, said = _tokens(body.get("messages")), _tokens(reply.message())
    return {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said}


def _tokens(value: object) -> int:
    return -(-len(json.dumps(value, ensure_ascii=False)) // _CHARACTERS_A_TOKEN)
