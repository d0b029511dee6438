"""A chat-completions endpoint on 127.0.0.1 whose replies are written by scripts."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from aiohttp import web

from meeting_slot import answer_text, earliest_start
from meeting_slot.environment.prompt import request_in
from meeting_slot.instants import day_text
from meeting_slot.parsing import parse_attendees
from meeting_slot.tools import local_days
from meeting_slot.world import World

Body = Mapping[str, Any]
Ask = tuple[str, str]
"""A tool call: the tool's name and its arguments as text."""


class Reply(NamedTuple):
    """What the endpoint sends: one message, or an error where the status is not 200."""

    content: str | None = None
    calls: Sequence[Ask] = ()
    finish_reason: str = "stop"
    reasoning: str | None = None
    status: int = 200
    error: Mapping[str, Any] = {}

    def to_json(self) -> dict[str, Any]:
        if self.status != 200:
            return {"error": dict(self.error)}
        message: dict[str, Any] = {"role": "assistant", "content": self.content}
        if self.calls:
            message["tool_calls"] = [
                {"id": f"call-{i}", "type": "function", "function": {"name": n, "arguments": a}}
                for i, (n, a) in enumerate(self.calls)
            ]
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        reason = "tool_calls" if self.calls and self.finish_reason == "stop" else self.finish_reason
        return {
            "id": "chat",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "finish_reason": reason, "message": message}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }


Script = Callable[[Body], Reply]


class Endpoint:
    """The address, the script of each model, and the bodies of all requests so far."""

    def __init__(self) -> None:
        self.url = ""
        self.scripts: dict[str, Script] = {}
        self.bodies: list[Body] = []

    async def answer(self, request: web.Request) -> web.Response:
        body = json.loads(await request.text())
        self.bodies.append(body)
        reply = self.scripts[body["model"]](body)
        return web.json_response(reply.to_json(), status=reply.status)


@contextmanager
def serving() -> Iterator[Endpoint]:
    """Serve an endpoint from a thread of its own, on a free port."""
    endpoint = Endpoint()
    is_up = threading.Event()
    loop = asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        app = web.Application(client_max_size=1 << 28)
        app.router.add_post("/v1/chat/completions", endpoint.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        endpoint.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        is_up.set()
        await done.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert is_up.wait(30)
        yield endpoint
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(30)
        loop.close()


def turns(body: Body) -> int:
    """Return how many replies the model has given already."""
    return sum(message["role"] == "assistant" for message in body["messages"])


def results(body: Body) -> list[tuple[str, dict[str, Any], str]]:
    """Return every call that was answered: the tool, its arguments, the text of the answer."""
    found = []
    for place, message in enumerate(body["messages"]):
        for i, call in enumerate(message.get("tool_calls") or ()):
            answer = body["messages"][place + 1 + i]
            assert answer["tool_call_id"] == call["id"]
            asked = call["function"]
            found.append((asked["name"], json.loads(asked["arguments"]), answer["content"]))
    return found


def gold(body: Body) -> Reply:
    """Read everything in three turns, and give the answer of the sweep-line in a fourth."""
    read = results(body)
    request = request_in(body["messages"][1]["content"])
    names = [name for tool, _, text in read[:1] for name in json.loads(text)]
    zones = {asked["name"]: text for tool, asked, text in read if tool == "get_timezone"}
    match turns(body):
        case 0:
            return Reply(calls=[("list_attendees", "{}")], reasoning="Who takes part?")
        case 1:
            tools = ("get_timezone", "get_working_hours")
            return Reply(calls=[(tool, json.dumps({"name": n})) for n in names for tool in tools])
        case 2:
            return Reply(
                calls=[
                    ("get_busy", json.dumps({"name": name, "date": day_text(day)}))
                    for name in names
                    for day in local_days(zones[name], request.start, request.last_end)
                ]
            )
    rows = {name: {"name": name, "timezone": zones[name], "busy": {}} for name in names}
    for tool, asked, text in read:
        if tool == "get_working_hours":
            hours = json.loads(text)
            del hours["weekday_names"]
            rows[asked["name"]]["working_hours"] = hours
        elif tool == "get_busy":
            rows[asked["name"]]["busy"][asked["date"]] = json.loads(text)
    world = World(request, parse_attendees(list(rows.values())))
    return Reply(f"<answer>{answer_text(earliest_start(world))}</answer>")
