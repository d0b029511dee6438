"""Models for these tests: scripts, each of which is given a request and says what comes next."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from meeting_slot.environment import chat
from meeting_slot.environment.endpoint import Endpoint as ChatEndpoint
from meeting_slot.environment.scripted import reply_to

Body = Mapping[str, Any]
Ask = tuple[str, str]
"""A tool call: the tool's name and its arguments as text."""


class Reply(NamedTuple):
    """What is sent: one message, or an error where the status is not 200."""

    content: str | None = None
    calls: Sequence[Ask] = ()
    finish_reason: str | None = None
    status: int = 200
    error: Mapping[str, Any] = {}

    def to_chat(self) -> chat.Reply:
        if self.status != 200:
            code, message = self.error.get("code", "error"), self.error["message"]
            raise chat.Refusal(self.status, code, message)
        calls = [chat.ToolCall(f"call-{i}", *ask) for i, ask in enumerate(self.calls)]
        return chat.Reply(content=self.content, tool_calls=calls, finish=self.finish_reason)


Script = Callable[[Body], Reply | chat.Reply]


class Endpoint:
    """The address, the script of each model, and the bodies of all requests so far."""

    def __init__(self) -> None:
        self.url = ""
        self.scripts: dict[str, Script] = {}
        self.bodies: list[Body] = []

    def answer(self, body: Body) -> chat.Reply:
        self.bodies.append(body)
        reply = self.scripts[body["model"]](body)
        return reply.to_chat() if isinstance(reply, Reply) else reply


@contextmanager
def serving() -> Iterator[Endpoint]:
    """Serve an endpoint from a thread of its own, on a free port."""
    endpoint = Endpoint()
    with ChatEndpoint(endpoint.answer).in_thread() as url:
        endpoint.url = url
        yield endpoint


def turns(body: Body) -> int:
    """Return how many replies the model has given already."""
    return sum(message["role"] == "assistant" for message in body["messages"])


def gold(body: Body) -> chat.Reply:
    """Read everything and answer right, with a thought before the first calls."""
    reply = reply_to({**body, "model": "gold"})
    return reply if turns(body) else msgspec.structs.replace(reply, reasoning="Who takes part?")
