"""The taskset: worlds as multi-turn tasks, graded exactly.

A rollout: the model gets the rules and a request, reads attendees' zones, hours and busy blocks
through four tools, and ends with an answer. `reward = 1.0 * exact + 0.2 * format + 0.2 * partial`.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf
from verifiers.v1.harnesses.utils.compaction import CONTEXT_OVERFLOW_MARKERS

from ..cpsat.earliest import agreed_earliest_start
from ..grading import EXACT_WEIGHT, FORMAT_WEIGHT, PARTIAL_WEIGHT, Grade
from ..instants import answer_text
from ..prompt import prompt_hash
from ..scoring import rollout_grade, rollout_metrics
from ..world import World
from .config import MeetingSlotConfig, MeetingSlotTaskConfig
from .data import MeetingSlotData, data_of, world_in
from .pairing import check_pairing
from .served import counted, served_worlds
from .toolset import MeetingSlotToolset, RolloutState


class MeetingSlotTask(vf.Task[MeetingSlotData, RolloutState, MeetingSlotTaskConfig]):
    """One world. Scoring reads its data and the last conversation of a trace, nothing else."""

    @property
    def key(self) -> str:
        """The world's id."""
        return self.data.id or self.hash

    @property
    def world(self) -> World:
        """The world, without its answer."""
        return world_in(self.data.world)

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Put the world where the tool server finds it, and record which prompt was used.

        Raises:
            ValueError: the agent has no tools, could read the world from this machine, or has
                another budget of turns than its prompt says.
        """
        agent = None if trace.agent is None else trace.agent.config
        if agent is not None and agent.harness is not None:
            harness = vf.load_harness(agent.harness)
            check_pairing(harness, agent.runtime, self._settings.allow_code_on_host)
            if agent.max_turns not in (None, self.data.max_turns):
                raise ValueError(
                    f"max_turns of the agent is {agent.max_turns}, but its prompt says "
                    f"{self.data.max_turns}: set env.taskset.max_turns"
                )
        state = trace.state
        assert isinstance(state, RolloutState)
        state.world = self.data.world
        state.max_tool_calls = self.data.max_tool_calls
        trace.info["prompt_hash"] = prompt_hash(self.data.system_prompt)

    @vf.stop
    async def max_turns(self, trace: vf.Trace) -> bool:
        """End the rollout at its budget under every harness, by the framework's own name for it."""
        return trace.num_turns >= self.data.max_turns

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Tell an outage from a model that took too long.

        Raises:
            ProviderError: time ran out while model calls failed.
        """
        error = trace.calls[-1].error if trace.calls else None
        if trace.is_timeout and error is not None:
            raise vf.ProviderError(error.message, status_code=error.status_code or 502)

    @vf.reward(weight=EXACT_WEIGHT)
    async def exact(self, trace: vf.Trace) -> float:
        """1 for the right answer."""
        return (await self._grade(trace)).exact

    @vf.reward(weight=FORMAT_WEIGHT)
    async def format(self, trace: vf.Trace) -> float:
        """1 for an answer block that is not empty, whatever it says."""
        return (await self._grade(trace)).format

    @vf.reward(weight=PARTIAL_WEIGHT)
    async def partial(self, trace: vf.Trace) -> float:
        """0.5 for a valid start that is not the earliest."""
        return (await self._grade(trace)).partial

    @vf.metric
    async def conversation(self, trace: vf.Trace) -> dict[str, float]:
        """What the model did: calls, proof, and the misconceptions that its answer fits."""
        return await asyncio.to_thread(self._metrics, trace)

    async def validate(self, runtime: vf.Runtime) -> bool | None:
        """Return whether sweep and CP-SAT agree, and the right answer alone scores in full."""
        return await asyncio.to_thread(self._is_valid)

    @property
    def _settings(self) -> MeetingSlotTaskConfig:
        assert isinstance(self.config, MeetingSlotTaskConfig)
        return self.config

    # A large world takes seconds to read and to score: in a thread, so that others play on.

    async def _grade(self, trace: vf.Trace) -> Grade:
        return await asyncio.to_thread(self._grade_of, trace)

    def _grade_of(self, trace: vf.Trace) -> Grade:
        require_proof = self._settings.require_proof
        return rollout_grade(self.world, _messages(trace), require_proof=require_proof)

    def _metrics(self, trace: vf.Trace) -> dict[str, float]:
        return rollout_metrics(
            self.world,
            _messages(trace),
            truncated=trace.is_truncated or trace.is_timeout or _overflowed(trace),
            branches=max(trace.num_branches, 1),
        )

    def _is_valid(self) -> bool:
        world = self.world
        answer = answer_text(agreed_earliest_start(world))
        right = [{"role": "assistant", "content": f"<answer>{answer}</answer>"}]
        calling = [{**right[0], "tool_calls": [{"id": "1", "name": "get_busy", "arguments": ""}]}]
        return rollout_grade(world, right).exact == 1.0 and rollout_grade(world, calling) == Grade()


class MeetingSlotTaskset(vf.Taskset[MeetingSlotTask, MeetingSlotConfig]):  # type: ignore[type-var]
    """The worlds that the config asks for, in their order; generated ones when they are needed."""

    def load(self) -> Iterator[MeetingSlotTask]:
        """Yield the tasks; two with the same key are refused."""
        config = self.config
        for world in counted(served_worlds(config.serving()), config.max_turns):
            data = data_of(world, config.max_turns, config.max_tool_calls)
            yield MeetingSlotTask(data, config.task)

    @classmethod
    def toolsets(cls, config: MeetingSlotConfig) -> list[Any]:
        """Return the tool server; the package's own environment starts it only where needed."""
        return [MeetingSlotToolset(vf.SharedToolsetConfig())]


def _messages(trace: vf.Trace) -> list[dict[str, Any]]:
    """Return the conversation of the trace's last branch."""
    return [message.model_dump(exclude_none=True) for message in trace.messages]


def _overflowed(trace: vf.Trace) -> bool:
    """Return whether the last model call was refused because the conversation was too long."""
    error = trace.calls[-1].error if trace.calls else None
    return (
        error is not None
        and error.status_code in (400, 413)
        and any(marker in error.message.casefold() for marker in CONTEXT_OVERFLOW_MARKERS)
    )
