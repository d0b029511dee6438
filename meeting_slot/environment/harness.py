"""The default harness: the chat loop in this process, the tools as plain calls.

It starts no program and no tool server, so a rollout costs no more than its model calls, and the
model can reach nothing of the machine. Every model call goes through the framework's interception,
whose record is the trace.
"""

import json
import ssl
import traceback
from functools import cache
from typing import Any

import httpx
import verifiers.v1 as vf
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient
from verifiers.v1.dialects.chat import message_to_wire
from verifiers.v1.errors import MODEL_TRANSPORT_ERROR_EXIT_CODE
from verifiers.v1.harnesses.utils.compaction import is_context_overflow

from ..parsing import parse_world
from ..world import World
from .data import MeetingSlotData
from .tool_calls import SCHEMAS, answer_call, past_budget

CONTEXT_OVERFLOW = "context_overflow"
"""The stop condition of a rollout whose conversation no longer fits the model."""

_TOOLS = [{"type": "function", "function": schema} for schema in SCHEMAS]
_SUCCESS = vf.ProgramResult(exit_code=0, stdout="", stderr="")


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
        """Run the conversation to its end; a failed model call is a failed program."""
        if not isinstance(data, MeetingSlotData):
            raise TypeError(
                f"the meeting-slot harness has tools for meeting-slot tasks only, got "
                f"{type(data).__name__}"
            )
        tools = _Tools(parse_world(json.loads(data.world)), data.max_tool_calls)
        messages = self._opening(data)
        try:
            async with self._client(endpoint, secret) as client:
                while calls := _calls_of(await _reply(client, ctx.model, messages)):
                    messages += [_result(call, tools.answer(call)) for call in calls]
        except APIStatusError as error:
            if trace.stop_condition is None and is_context_overflow(error):
                trace.stop(CONTEXT_OVERFLOW)
            if trace.stop_condition is None:
                return _failure(1)
        except APIConnectionError:
            return _failure(MODEL_TRANSPORT_ERROR_EXIT_CODE)
        return _SUCCESS

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
            http_client=DefaultAsyncHttpxClient(verify=_tls()),
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
        function = call.get("function") or {}
        return answer_call(self._world, function.get("name") or "", function.get("arguments") or "")


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


def _failure(exit_code: int) -> vf.ProgramResult:
    return vf.ProgramResult(exit_code=exit_code, stdout="", stderr=traceback.format_exc())


@cache
def _tls() -> ssl.SSLContext:
    """Return one TLS context for all rollouts: building it costs more than a rollout."""
    return ssl.create_default_context()
