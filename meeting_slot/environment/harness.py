"""The default harness: the chat loop in this process, the tools as plain calls.

It starts no program and no tool server, so a rollout costs no more than its model calls, and the
model can reach nothing of the machine. Every model call goes through the framework's interception,
whose record is the trace.
"""

import asyncio
import ssl
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx
import verifiers.v1 as vf
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.harnesses.utils.compaction import is_context_overflow

from ..tool_calls import SCHEMAS, answer_call, past_budget
from ..world import World
from .data import MeetingSlotData, world_in
from .refusals import asks_for_too_many_tokens

CONTEXT_OVERFLOW = "context_overflow"
"""The stop condition of a rollout whose conversation no longer fits the model."""

_TOOLS = [{"type": "function", "function": schema} for schema in SCHEMAS]


class MeetingSlotHarnessConfig(vf.HarnessConfig):
    """The knobs of the in-process harness."""

    max_retries: int = 2
    """How often a failed model call is tried again (5xx, 429, timeouts, lost connections)."""


class MeetingSlotHarness(vf.Harness[MeetingSlotHarnessConfig]):
    """A chat loop over the four tools, until a reply calls none."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_MCP = True  # it needs no tool server, and does not mind one
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    def __init__(self, config: MeetingSlotHarnessConfig) -> None:
        if config.disabled_tools:
            raise ValueError("the meeting-slot harness cannot do without its tools: disabled_tools")
        super().__init__(config)

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace[Any, Any, Any],
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Run the conversation to its end.

        Raises:
            ProviderError: a model call failed, after retries.
            InterceptionError: the framework's own server could not be reached.
        """
        if not isinstance(data, MeetingSlotData):
            raise TypeError(
                f"the meeting-slot harness has tools for meeting-slot tasks only, got "
                f"{type(data).__name__}"
            )
        world = await asyncio.to_thread(world_in, data.world)  # a large one takes seconds to read
        tools = _Tools(world, data.max_tool_calls)
        messages = self._opening(data)
        try:
            async with self._client(endpoint, secret) as client:
                while calls := _calls_of(await _reply(client, ctx.model, messages)):
                    messages += [_result(call, tools.answer(call)) for call in calls]
        except APIStatusError as error:
            is_overflow = is_context_overflow(error)
            if trace.num_turns == 0 and asks_for_too_many_tokens(str(error)):
                is_overflow = False  # the settings are wrong, not the conversation too long
            if trace.stop_condition is None and is_overflow:
                trace.stop(CONTEXT_OVERFLOW)
            if trace.stop_condition is None:
                raise vf.ProviderError(str(error), status_code=error.status_code) from error
        except APIConnectionError as error:
            raise vf.InterceptionError(f"no answer from {endpoint}: {error}") from error
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")

    def _opening(self, data: vf.TaskData) -> list[dict[str, Any]]:
        system, prompt = self.resolve_prompt(data)
        opening: list[vf.Message] = [] if system is None else [vf.SystemMessage(content=system)]
        if isinstance(prompt, str):
            opening.append(vf.UserMessage(content=prompt))
        else:
            opening.extend(prompt or ())
        return [message_to_wire(message) for message in opening]

    def _client(self, endpoint: str, secret: str) -> AsyncOpenAI:
        # A model may think for long: the rollout's own timeout bounds it, not the connection's.
        return AsyncOpenAI(
            base_url=endpoint,
            api_key=secret,
            max_retries=self.config.max_retries,
            timeout=httpx.Timeout(None, connect=30.0),
            http_client=DefaultAsyncHttpxClient(
                verify=_tls(),
                # No proxy is asked about this machine: it would see the rollout's secret.
                trust_env=urlsplit(endpoint).hostname not in ("127.0.0.1", "localhost", "::1"),
            ),
        )


class _Tools:
    """The tools of one rollout, with its budget of calls."""

    def __init__(self, world: World, max_calls: int) -> None:
        self._world = world
        self._max_calls = max_calls
        self._calls = 0

    def answer(self, call: dict[str, Any]) -> str:
        self._calls += 1
        if self._calls > self._max_calls:
            return past_budget(self._max_calls)
        kind = call.get("type") or "function"  # "custom" has another shape, and no tool here
        made = call.get(kind) or {}
        return answer_call(self._world, made.get("name") or "", made.get("arguments") or "")


async def _reply(client: AsyncOpenAI, model: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Add the model's next message to the conversation, unchanged, and return it.

    Reasoning fields stay, or the next request would be another conversation to the framework; only
    fields that are null are left out, which some providers refuse.
    """
    # The SDK's typed method would walk through the whole conversation again, every turn.
    body = {"model": model, "messages": messages, "tools": _TOOLS}
    response = await client.post("/chat/completions", cast_to=httpx.Response, body=body)
    message = response.json()["choices"][0]["message"]
    kept = {key: value for key, value in message.items() if value is not None or key == "content"}
    messages.append(kept)
    return kept


def _calls_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    return message.get("tool_calls") or []


def _result(call: dict[str, Any], text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call["id"], "content": text}


@cache
def _tls() -> ssl.SSLContext:
    """Return one TLS context for all rollouts: building it costs more than a rollout."""
    return ssl.create_default_context()
