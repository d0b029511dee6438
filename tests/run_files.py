"""Files of runs for tests: rows as version 0 saves them, episodes as version 1 does."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from meeting_slot.observations import Observation
from meeting_slot.prompt import prompt_hash, system_prompt, user_prompt
from meeting_slot.tool_calls import answer_call
from meeting_slot.world import World

SYSTEM = system_prompt(40, 400)

Messages = list[dict[str, Any]]


def conversation(world: World, reply: str, read: Iterable[Observation] = ()) -> Messages:
    """Return a conversation that reads some of a world in one turn and then replies."""
    messages: Messages = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": user_prompt(world.request)},
    ]
    calls, answers = [], []
    for number, one in enumerate(read):
        name, arguments = one.kind.value, one.arguments()
        calls.append({"id": f"{number}", "name": name, "arguments": json.dumps(arguments)})
        text = answer_call(world, name, arguments)
        answers.append({"role": "tool", "tool_call_id": f"{number}", "content": text})
    if calls:
        messages += [{"role": "assistant", "content": "", "tool_calls": calls}, *answers]
    return [*messages, {"role": "assistant", "content": reply}]


def answering(answer: str) -> str:
    return f"<answer>{answer}</answer>"


def row(world: World, messages: Messages, **changed: Any) -> dict[str, Any]:
    """Return a rollout as version 0 saves it: each tool call is JSON text."""
    saved = [
        {**m, "tool_calls": [json.dumps(call) for call in m["tool_calls"]]}
        if "tool_calls" in m
        else m
        for m in messages
    ]
    return {
        "example_id": 0,
        "prompt": saved[:2],
        "completion": saved[2:],
        "info": {
            "id": world.id,
            "world": world.to_line(),
            "prompt_hash": prompt_hash(messages[0]["content"]),
        },
        "reward": None,
        "error": None,
        "timing": {"generation": {"start": 100.0, "end": 102.5, "duration": 2.5}},
        "is_completed": True,
        "is_truncated": False,
        "stop_condition": "no_tools_called",
        "metrics": {"truncated": 0.0},
        "token_usage": {"input_tokens": 400.0, "output_tokens": 30.0, "final_output_tokens": 30},
    } | changed


def episode(world: World, messages: Messages, **changed: Any) -> dict[str, Any]:
    """Return a rollout as version 1 writes it; what is changed is changed in its trace."""
    task = {
        "type": "MeetingSlotTask",
        "data": {"id": world.id, "world": world.to_line(), "max_turns": 40},
        "key": world.id,
    }
    nodes = [
        {"message": message, "sampled": message["role"] == "assistant"}
        | ({"parent": place - 1} if place else {})
        for place, message in enumerate(messages)
    ]
    usage = {"prompt_tokens": 200, "completion_tokens": 15}
    call = {"node": len(nodes) - 1, "finish_reason": "stop", "usage": usage}
    trace = {
        "version": 1,
        "id": "0",
        "task": task,
        "agent": {"config": {"model": "some-model"}},
        "nodes": nodes,
        "calls": [call, call],
        "rewards": {},
        "metrics": {"truncated": 0.0},
        "info": {"prompt_hash": prompt_hash(messages[0]["content"])},
        "is_completed": True,
        "ok": True,
        "stop_condition": "agent_completed",
        "is_timeout": False,
        "errors": [],
        "timing": {"start": 90.0, "agent": {"start": 100.0, "end": 102.5}},
    } | changed
    return {"id": "0", "env": {"id": "meeting-slot"}, "task": task, "ok": trace["ok"]} | {
        "errors": [],
        "traces": [trace],
    }


def answers_file(path: Path, answers: Iterable[tuple[World, Sequence[str]]]) -> Path:
    """Write rollouts that read nothing and give answers, several a world, and return the path."""
    rows = [
        row(world, conversation(world, answering(given)))
        for world, several in answers
        for given in several
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path
