"""An OpenAI-compatible server on 127.0.0.1 whose model is a function: for scripted policies.

It answers `POST /v1/chat/completions`, streamed and not, and `GET /v1/models`. The function is
given the request's body and returns a `Reply`, or raises a `Refusal`; it runs in the server's one
thread, so it should take milliseconds.
"""

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Final

from aiohttp import web

from ..errors import MeetingSlotError
from .chat import Refusal, Reply, chunks, completion
from .scripted import MODELS, reply_to

HOST: Final = "127.0.0.1"
LARGEST_REQUEST: Final = 64 * 2**20
"""The largest request body, in bytes."""
_SECONDS_TO_FINISH: Final = 1.0
"""How long a reply that is being sent may take when the server stops."""

Model = Callable[[Mapping[str, Any]], Reply]


class Endpoint:
    """A model behind an HTTP server.

    Attributes:
        reply: what the model says next, given the body of a chat-completions request.
        models: the names that `/v1/models` lists.
    """

    def __init__(self, reply: Model = reply_to, models: Sequence[str] = MODELS) -> None:
        self.reply = reply
        self.models = tuple(models)

    @contextlib.contextmanager
    def in_thread(self, port: int = 0) -> Iterator[str]:
        """Serve from a thread of this process; yield the base URL, which ends in `/v1`.

        Args:
            port: 0 for one that is free.

        Raises:
            MeetingSlotError: the port cannot be had.
        """
        started: Future[tuple[str, Callable[[], object]]] = Future()

        async def until_stopped() -> None:
            stop = asyncio.Event()
            loop = asyncio.get_running_loop()
            try:
                async with self._serving(port) as base_url:
                    started.set_result((base_url, partial(loop.call_soon_threadsafe, stop.set)))
                    await stop.wait()
            except MeetingSlotError as error:
                started.set_exception(error)

        thread = threading.Thread(
            target=lambda: asyncio.run(until_stopped()), name="meeting-slot endpoint"
        )
        thread.start()
        try:
            base_url, stop = started.result()
            try:
                yield base_url
            finally:
                stop()
        finally:
            thread.join()

    def serve(self, port: int = 0, *, ready: Callable[[str], None]) -> None:
        """Serve in the foreground until KeyboardInterrupt, which is not passed on.

        Args:
            port: 0 for one that is free.
            ready: is called with the base URL once requests are answered.

        Raises:
            MeetingSlotError: the port cannot be had.
        """

        async def until_interrupted() -> None:
            async with self._serving(port) as base_url:
                ready(base_url)
                await asyncio.Event().wait()

        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(until_interrupted())

    @contextlib.asynccontextmanager
    async def _serving(self, port: int) -> AsyncIterator[str]:
        app = web.Application(client_max_size=LARGEST_REQUEST)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._list_models)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_SECONDS_TO_FINISH)
        await runner.setup()
        try:
            site = web.TCPSite(runner, HOST, port)
            try:
                await site.start()
            except OSError as error:
                reason = os.strerror(error.errno) if error.errno else error
                raise MeetingSlotError(f"cannot serve on {HOST}:{port}: {reason}") from None
            yield f"http://{HOST}:{runner.addresses[0][1]}/v1"
        finally:
            await runner.cleanup()

    async def _list_models(self, _: web.Request) -> web.Response:
        models = [
            {"id": name, "object": "model", "created": 0, "owned_by": "meeting-slot"}
            for name in self.models
        ]
        return web.json_response({"object": "list", "data": models})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        try:
            body = await _body(request)
            reply = self.reply(body)
        except Refusal as refusal:
            return web.json_response(refusal.to_json(), status=refusal.status)
        if body.get("stream"):
            return await _streamed(request, body, reply)
        return await _whole(request, body, reply)


async def _body(request: web.Request) -> Mapping[str, Any]:
    try:
        body = json.loads(await request.read())
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict) or not _are_objects(body.get("messages")):
        raise Refusal(400, "invalid_request", "expected a JSON object with a list of messages")
    for key, is_right in (("tools", _are_objects), ("stream_options", _is_object)):
        if body.get(key) is not None and not is_right(body[key]):
            raise Refusal(400, "invalid_request", f"{key} is not what the OpenAI API takes")
    return body


def _are_objects(value: object) -> bool:
    return isinstance(value, list) and all(_is_object(one) for one in value)


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


async def _whole(request: web.Request, body: Mapping[str, Any], reply: Reply) -> web.StreamResponse:
    text = json.dumps(completion(body, reply)).encode()
    if not reply.cut:
        return web.Response(body=text, content_type="application/json")
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = len(text)
    await response.prepare(request)
    await response.write(text[: len(text) // 2])
    return _dropped(request, response)


async def _streamed(
    request: web.Request, body: Mapping[str, Any], reply: Reply
) -> web.StreamResponse:
    """Send server-sent events, one a chunk, and the mark that ends them."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    events = [json.dumps(chunk) for chunk in chunks(body, reply)]
    for event in events[: len(events) // 2] if reply.cut else [*events, "[DONE]"]:
        await response.write(f"data: {event}\n\n".encode())
    if reply.cut:
        return _dropped(request, response)
    await response.write_eof()
    return response


def _dropped(request: web.Request, response: web.StreamResponse) -> web.StreamResponse:
    if request.transport is not None:
        request.transport.abort()
    return response
