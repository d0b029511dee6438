"""The environment: one agent on one world, in this process unless another harness is asked for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import verifiers.v1 as vf
from pydantic import model_validator
from verifiers.v1.mcp import SharedToolServer

from .harness import MeetingSlotHarness
from .pairing import check_pairing
from .taskset import MeetingSlotConfig, MeetingSlotTaskset


class MeetingSlotEnvConfig(vf.SingleAgentEnvConfig):
    """The agent's runtime is this machine: the default harness runs nothing in it."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The agent. Its `max_turns` and the taskset's are one: set either."""

    @model_validator(mode="after")
    def _one_budget_of_turns(self) -> "MeetingSlotEnvConfig":
        """Give the agent and the prompt the same budget."""
        taskset, asked = self.taskset, self.agent.max_turns
        if not isinstance(taskset, MeetingSlotConfig) or asked == taskset.max_turns:
            return self
        if asked is None:
            self.agent = self.agent.model_copy(update={"max_turns": taskset.max_turns})
        elif "max_turns" in taskset.model_fields_set:
            raise ValueError(
                f"agent.max_turns is {asked} and taskset.max_turns {taskset.max_turns}: set one"
            )
        else:
            self.taskset = taskset.model_copy(update={"max_turns": asked})
        return self


class MeetingSlotEnv(vf.SingleAgentEnv, vf.Env[MeetingSlotEnvConfig]):
    """One agent, one world, one trace; the tool server only for a harness that needs it."""

    def __init__(self, config: MeetingSlotEnvConfig) -> None:
        super().__init__(config)
        taskset = self.taskset
        if isinstance(taskset, MeetingSlotTaskset):
            allow = taskset.config.task.allow_code_on_host
            for name, agent in self._agent_specs.items():
                check_pairing(self._harnesses[name], agent.runtime, allow)

    @asynccontextmanager
    async def shared_tools(self) -> AsyncIterator[dict[str, SharedToolServer]]:
        """Serve the tools to harnesses that are programs of their own."""
        if all(isinstance(harness, MeetingSlotHarness) for harness in self._harnesses.values()):
            yield {}
            return
        async with super().shared_tools() as shared:
            yield shared
