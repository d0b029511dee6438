"""The four tools as a tool server, for harnesses that run a program of their own.

One server serves every rollout of a run. A call brings the state of its own rollout along, over a
channel that the harness cannot use; the world is in it.
"""

import verifiers.v1 as vf

from ..tool_calls import DESCRIPTIONS, answer_call, past_budget
from .data import world_in


class RolloutState(vf.State):
    """What a tool call needs of its rollout; it is written to no trace."""

    world: str = ""
    """The world's canonical line, without answer and meta."""
    calls: int = 0
    """Calls so far."""
    max_tool_calls: int = 0
    """After so many, a call is answered by an error."""


class MeetingSlotToolset(vf.Toolset[vf.SharedToolsetConfig, RolloutState]):
    """The tool server. The tools' texts are those that the in-process harness gives."""

    TOOL_PREFIX = None

    @vf.tool
    def list_attendees(self) -> str:
        return self._answered("list_attendees")

    @vf.tool
    def get_timezone(self, name: str) -> str:
        return self._answered("get_timezone", name=name)

    @vf.tool
    def get_working_hours(self, name: str) -> str:
        return self._answered("get_working_hours", name=name)

    @vf.tool
    def get_busy(self, name: str, date: str) -> str:
        return self._answered("get_busy", name=name, date=date)

    def _answered(self, tool: str, **arguments: str) -> str:
        state = self.state
        state.calls += 1
        if state.calls > state.max_tool_calls:
            return past_budget(state.max_tool_calls)
        return answer_call(world_in(state.world), tool, arguments)


for _name, _description in DESCRIPTIONS.items():
    getattr(MeetingSlotToolset, _name).__doc__ = _description


if __name__ == "__main__":
    MeetingSlotToolset.run()
