"""The endpoint: an OpenAI client meets the same model streamed and not, also a broken one."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

import httpx
import openai
import pytest

from meeting_slot.environment.chat import Refusal, Reply, ToolCall
from meeting_slot.environment.endpoint import Endpoint
from meeting_slot.environment.scripted import MODELS, ONE_CALL, reply_to
from meeting_slot.errors import MeetingSlotError
from meeting_slot.instants import answer_text
from meeting_slot.named import named_split
from meeting_slot.parsing import parse_world
from meeting_slot.prompt import user_prompt
from meeting_slot.sweep import earliest_start
from meeting_slot.tool_calls import SCHEMAS, answer_call
from meeting_slot.world import World

from .conftest import a_world

TOOLS: list[Any] = [{"type": "function", "function": schema} for schema in SCHEMAS]
SAMPLE = parse_world(a_world())
HELLO: list[Any] = [{"role": "user", "content": "Hello"}]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with Endpoint().in_thread() as url:
        yield url


def client(base_url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=base_url, api_key="none", max_retries=0)


def opening(world: World) -> list[Any]:
    return [{"role": "user", "content": user_prompt(world.request)}]


def whole(base_url: str, model: str, messages: list[Any]) -> tuple[dict[str, Any], str, Any]:
    """Return the message, the finish reason and the usage of a reply that is not streamed."""
    with client(base_url) as api:
        reply = api.chat.completions.create(model=model, messages=messages, tools=TOOLS)
    message = reply.choices[0].message.model_dump(exclude_none=True)
    return message, reply.choices[0].finish_reason, reply.usage


def streamed(base_url: str, model: str, messages: list[Any]) -> tuple[dict[str, Any], str, Any]:
    """Return the same, put together from a stream."""
    message: dict[str, Any] = {}
    calls: dict[int, dict[str, Any]] = {}
    finish, usage = "", None
    with (
        client(base_url) as api,
        api.chat.completions.create(
            model=model,
            messages=messages,
            tools=TOOLS,
            stream=True,
            stream_options={"include_usage": True},
        ) as stream,
    ):
        for chunk in stream:
            usage = chunk.usage or usage
            for choice in chunk.choices:
                finish = choice.finish_reason or finish
                delta = choice.delta.model_dump(exclude_none=True)
                for part in delta.pop("tool_calls", ()):
                    call = calls.setdefault(part.pop("index"), {"function": {"arguments": ""}})
                    function = part.pop("function")
                    call.update(part)
                    call["function"]["arguments"] += function.pop("arguments", "")
                    call["function"].update(function)
                for name, text in delta.items():
                    message[name] = text if name == "role" else message.get(name, "") + text
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return message, finish, usage


@pytest.mark.parametrize("model", ["gold", f"naive{ONE_CALL}"])
def test_a_stream_carries_the_same_message(base_url: str, model: str) -> None:
    messages = opening(SAMPLE)
    finish = "tool_calls"
    while finish == "tool_calls":
        message, finish, usage = whole(base_url, model, messages)
        assert streamed(base_url, model, messages) == (message, finish, usage)
        assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens > 0
        messages.append(message)
        for call in message.get("tool_calls", ()):
            function = call["function"]
            text = answer_call(SAMPLE, function["name"], function["arguments"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    assert finish == "stop"
    assert message["content"].startswith("<answer>2024-03-11T")


def test_a_stream_has_usage_only_if_asked(base_url: str) -> None:
    with (
        client(base_url) as api,
        api.chat.completions.create(model="gold", messages=HELLO, stream=True) as stream,
    ):
        assert [chunk.usage for chunk in stream if chunk.usage is not None] == []


def test_every_policy_is_listed(base_url: str) -> None:
    with client(base_url) as api:
        assert tuple(model.id for model in api.models.list()) == MODELS


@pytest.mark.parametrize("stream", [False, True])
def test_an_unknown_model_is_not_found(base_url: str, stream: bool) -> None:
    with (
        client(base_url) as api,
        pytest.raises(openai.NotFoundError, match="unknown policy") as refused,
    ):
        api.chat.completions.create(model="golden", messages=HELLO, stream=stream)
    assert refused.value.code == "model_not_found"


@pytest.mark.parametrize("body", [[], {"model": "gold"}, {"model": "gold", "messages": "Hello"}])
def test_a_body_that_is_no_request_is_refused(base_url: str, body: object) -> None:
    with client(base_url) as api, pytest.raises(openai.BadRequestError, match="list of messages"):
        api.post("/chat/completions", cast_to=object, body=body)


def test_64_conversations_at_once_are_kept_apart() -> None:
    worlds = list(islice(named_split("core-v1"), 64))

    async def held(api: openai.AsyncOpenAI, world: World) -> str | None:
        messages = opening(world)
        while True:
            completion = await api.chat.completions.create(
                model="gold", messages=messages, tools=TOOLS
            )
            message = completion.choices[0].message.model_dump(exclude_none=True)
            messages.append(message)
            if "tool_calls" not in message:
                return completion.choices[0].message.content
            for call in message["tool_calls"]:
                function = call["function"]
                text = answer_call(world, function["name"], function["arguments"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})

    async def all_held(base_url: str) -> list[str | None]:
        async with openai.AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as api:
            return await asyncio.gather(*(held(api, world) for world in worlds))

    with Endpoint().in_thread() as base_url:
        said = asyncio.run(all_held(base_url))
    right = [f"<answer>{answer_text(earliest_start(world))}</answer>" for world in worlds]
    assert said == right


def test_nothing_is_left_of_an_endpoint() -> None:
    before = threading.active_count()
    with Endpoint().in_thread() as base_url, client(base_url) as api:
        assert threading.active_count() == before + 1
        api.models.list()  # its connection is still open when the endpoint stops
        port = int(base_url.removesuffix("/v1").rpartition(":")[2])
        assert base_url == f"http://127.0.0.1:{port}/v1"
    assert threading.active_count() == before
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_an_endpoint_stops_where_its_user_fails() -> None:
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), Endpoint().in_thread():
        raise ZeroDivisionError
    assert threading.active_count() == before


def test_a_port_that_is_taken_is_named() -> None:
    before = threading.active_count()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(MeetingSlotError, match=f"cannot serve on 127.0.0.1:{port}: Address"),
            Endpoint().in_thread(port),
        ):
            pass
    assert threading.active_count() == before


# models that misbehave


def saying(reply: Reply) -> Endpoint:
    return Endpoint(lambda body: reply, models=("broken",))


def many(count: int) -> Reply:
    return Reply(
        content="at once",
        tool_calls=[ToolCall(f"id-{i}", "list_attendees", "{}") for i in range(count)],
    )


@pytest.mark.parametrize("ask", [whole, streamed])
@pytest.mark.parametrize(
    "reply",
    [
        Reply(tool_calls=[ToolCall("1", "get_busy", '{"name": ')]),
        Reply(content="<answer>NONE</answer>", tool_calls=[ToolCall("1", "no_such_tool", "[]")]),
        Reply(content="cut", finish="length"),
        Reply(content="Ava \u2028 \U0001f4c5", reasoning="they may\nmeet"),
        many(1000),
    ],
)
def test_any_reply_can_be_sent(ask: Callable[..., Any], reply: Reply) -> None:
    with saying(reply).in_thread() as base_url:
        message, finish, _ = ask(base_url, "broken", HELLO)
    sent = {name: value for name, value in reply.message().items() if value is not None}
    assert message == sent
    assert finish == reply.finish_reason


@pytest.mark.parametrize("ask", [whole, streamed])
def test_an_empty_reply_can_be_sent(ask: Callable[..., Any]) -> None:
    with saying(Reply()).in_thread() as base_url:
        message, finish, _ = ask(base_url, "broken", HELLO)
    assert (message, finish) == ({"role": "assistant"}, "stop")


@pytest.mark.parametrize("ask", [whole, streamed])
def test_a_connection_can_be_dropped_half_way(ask: Callable[..., Any]) -> None:
    reply = Reply(content="x" * 1000, cut=True)
    with (
        saying(reply).in_thread() as base_url,
        pytest.raises((openai.APIConnectionError, httpx.TransportError)),
    ):
        ask(base_url, "broken", HELLO)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (Refusal(500, "internal_error", "out of luck"), openai.InternalServerError),
        (Refusal(429, "rate_limit_exceeded", "slow down"), openai.RateLimitError),
        (Refusal(400, "context_length_exceeded", "too long"), openai.BadRequestError),
    ],
)
def test_an_error_can_be_sent(
    refusal: Refusal, error: type[openai.APIStatusError], stream: bool
) -> None:
    def failing(body: Mapping[str, Any]) -> Reply:
        raise refusal

    with (
        Endpoint(failing).in_thread() as base_url,
        client(base_url) as api,
        pytest.raises(error, match=str(refusal)) as seen,
    ):
        api.chat.completions.create(model="any", messages=HELLO, stream=stream)
    assert seen.value.code == refusal.code


def test_a_model_is_told_the_whole_request() -> None:
    seen: list[Any] = []

    def listening(body: Mapping[str, Any]) -> Reply:
        seen.append(json.loads(json.dumps(body)))
        return Reply(content="")

    with Endpoint(listening).in_thread() as base_url:
        whole(base_url, "any", HELLO)
    assert seen == [{"model": "any", "messages": HELLO, "tools": TOOLS}]


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [1]},
        {"messages": [None]},
        {"messages": [], "tools": [1]},
        {"messages": [], "tools": "abc"},
        {"messages": [], "stream_options": "x", "stream": True},
    ],
)
def test_a_request_of_another_shape_is_refused(body: dict[str, Any]) -> None:
    with Endpoint().in_thread() as base_url:
        answer = httpx.post(f"{base_url}/chat/completions", json={"model": "gold", **body})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_request"


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "tool_calls": [None]},
        {"role": "assistant", "tool_calls": "x"},
        {"role": "assistant", "tool_calls": [{"function": "x"}]},
    ],
)
def test_messages_that_say_nothing_are_passed_over(message: dict[str, Any]) -> None:
    reply = reply_to({"model": "gold", "messages": [message], "tools": [{"function": None}]})
    assert "I cannot give an answer" in str(reply.content)
