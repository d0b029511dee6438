"""A task's data: what is written to traces, and what a task is made of again from them."""

import json
from functools import lru_cache

import msgspec
import verifiers.v1 as vf

from ..parsing import parse_world
from ..prompt import system_prompt, user_prompt
from ..world import World


class MeetingSlotData(vf.TaskData):
    """One world and the budget of its rollouts. The answer is nowhere in it."""

    world: str
    """The world's canonical line, without answer and meta."""
    max_turns: int
    """The model's replies, the final one included; the prompt says so."""
    max_tool_calls: int
    """Tool calls of one rollout that are answered; the prompt says so."""


@lru_cache(maxsize=64)
def world_in(line: str) -> World:
    """Return the world of a canonical line; it is read once for the hooks of its rollouts."""
    return parse_world(json.loads(line))


def data_of(world: World, max_turns: int, max_tool_calls: int) -> MeetingSlotData:
    """Return the data of a world's task."""
    bare = msgspec.structs.replace(world, recorded=None, meta=None)
    return MeetingSlotData(
        id=world.id,
        name=world.id,
        world=bare.to_line(),
        max_turns=max_turns,
        max_tool_calls=max_tool_calls,
        system_prompt=system_prompt(max_turns, max_tool_calls),
        prompt=user_prompt(world.request),
    )
