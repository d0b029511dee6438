"""The environment: one agent on one world, in this process unless another harness is asked for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import verifiers.v1 as vf
from pydantic import model_validator
from verifiers.v1.mcp import SharedToolServer

from .config import MeetingSlotConfig
from .harness import MeetingSlotHarness
from .pairing import check_pairing


class MeetingSlotEnvConfig(vf.SingleAgentEnvConfig):
    """The agent's runtime is this machine: the default harness runs nothing in it."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The agent. Its `max_turns` and the taskset's are one: set either."""

    @model_validator(mode="after")
    def _checked(self) -> "MeetingSlotEnvConfig":
        """Give the agent and the prompt one budget of turns, and refuse a harness without tools."""
        if isinstance(self.taskset, MeetingSlotConfig):
            self._agree_on_turns(self.taskset)
            check_pairing(
                vf.load_harness(self.agent_harnesses()["agent"]),
                self.agent.runtime,
                self.taskset.task.allow_code_on_host,
            )
        return self

    def _agree_on_turns(self, taskset: MeetingSlotConfig) -> None:
        asked = self.agent.max_turns
        if asked is None:
            self.agent = self.agent.model_copy(update={"max_turns": taskset.max_turns})
        elif "max_turns" not in taskset.model_fields_set:
            self.taskset = taskset.model_copy(update={"max_turns": asked})
        elif asked != taskset.max_turns:
            raise ValueError(
                f"agent.max_turns is {asked} and taskset.max_turns {taskset.max_turns}: set one"
            )


class MeetingSlotEnv(vf.SingleAgentEnv, vf.Env[MeetingSlotEnvConfig]):
    """One agent, one world, one trace; the tool server only for a harness that needs it."""

    @asynccontextmanager
    async def shared_tools(self) -> AsyncIterator[dict[str, SharedToolServer]]:
        """Serve the tools to harnesses that are programs of their own."""
        if all(isinstance(harness, MeetingSlotHarness) for harness in self._harnesses.values()):
            yield {}
            return
        async with super().shared_tools() as shared:
            yield shared
