"""Rollouts of the v1 environment: right scores, one branch, no cross-talk, no leak."""

import asyncio
import itertools
import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
import verifiers.v1 as vf
from verifiers.v1.serve import EnvClient, EnvServer

from meeting_slot import scoring
from meeting_slot.environment import taskset
from meeting_slot.environment.chat import Reply, ToolCall
from meeting_slot.environment.endpoint import Endpoint
from meeting_slot.environment.scripted import reply_to
from meeting_slot.instants import instant_text
from meeting_slot.measures import load
from meeting_slot.named import named_split
from meeting_slot.parsing import parse_world
from meeting_slot.policies import CORE
from meeting_slot.prompt import prompt_hash, system_prompt
from meeting_slot.sweep import earliest_start
from meeting_slot.tool_calls import answer_call
from meeting_slot.world import World
from meeting_slot.writing import write_split

from .conftest import SECONDS
from .v1_runs import Trace, context, metric, play, scores


def world_of(trace: Trace) -> World:
    return parse_world(json.loads(trace.task.data.world))


def mean(traces: list[Trace]) -> tuple[float, float, float, float]:
    """Return the mean reward, exact, format and partial, to three decimals."""
    assert all(trace.ok for trace in traces)
    rows = [(trace.reward, *scores(trace)) for trace in traces]
    reward, exact, form, partial = (
        round(sum(column) / len(rows), 3) for column in zip(*rows, strict=True)
    )
    return reward, exact, form, partial


@pytest.mark.parametrize(
    ("policy", "figures"),
    [("gold", (1.2, 1.0, 1.0, 0.0)), ("naive", (0.293, 0.067, 1.0, 0.133))],
)
def test_the_curated_cases_come_first_and_score_as_known(
    policy: str, figures: tuple[float, ...]
) -> None:
    assert mean(play(policy, count=15)) == figures


@pytest.mark.parametrize("policy", ["gold", *(policy.name for policy in CORE)])
def test_on_hard_worlds_gold_is_right_and_every_core_shortcut_wrong(policy: str) -> None:
    reward, exact, _, _ = mean(play(policy, split="hard-v1", count=50))
    assert (reward, exact) == ((1.2, 1.0) if policy == "gold" else (reward, 0.0))


@pytest.mark.parametrize("policy", ["always-none", "gold", "naive", "at-most-10-calls"])
def test_with_proof_required_no_guess_pays(policy: str) -> None:
    traces = play(policy, split="core-v1", count=40, require_proof=True)
    if policy == "gold":
        assert {scores(trace) for trace in traces} == {(1.0, 1.0, 0.0)}
        return
    if policy == "always-none":
        assert any(earliest_start(world_of(trace)) is None for trace in traces)
        assert {scores(trace) for trace in traces} == {(0.0, 0.0, 0.0)}
    for trace in traces:
        is_proved = metric(trace, "proved")
        assert scores(trace) == ((1.0, 1.0, 0.0) if is_proved else (0.0, 0.0, 0.0))


def test_one_call_a_turn_reads_every_world_within_the_turns() -> None:
    for trace in play("gold:one-call", split="hard-v1", count=20):
        assert trace.reward == pytest.approx(1.2)
        assert trace.num_turns == load(world_of(trace)).calls + 1 <= 40
        assert metric(trace, "tool_calls") == trace.num_turns - 1


def test_64_rollouts_at_once_do_not_meet() -> None:
    traces = play("gold", split="core-v1", count=64, concurrency=64)
    assert len({trace.task.key for trace in traces}) == 64
    for trace in traces:
        world = world_of(trace)
        assert trace.task.key == world.id
        assert trace.reward == pytest.approx(1.2)
        assert names_in(trace) == {attendee.name for attendee in world.attendees}
        calls = {call.id: call for m in trace.assistant_messages for call in m.tool_calls or ()}
        assert len(calls) == len(trace.tool_messages)
        for result in trace.tool_messages:
            call = calls[result.tool_call_id]
            assert result.content == answer_call(world, call.name, call.arguments)


def names_in(trace: Trace) -> set[str]:
    listed = trace.tool_messages[0]
    return set(json.loads(str(listed.content)))


def test_a_long_rollout_with_reasoning_stays_one_branch(tmp_path: Path) -> None:
    def thinking(body: Mapping[str, Any]) -> Reply:
        replies = sum(message["role"] == "assistant" for message in body["messages"])
        for number, message in enumerate(m for m in body["messages"] if m["role"] == "assistant"):
            assert message["reasoning_content"] == f"thought {number}"
        return msgspec.structs.replace(reply_to(body), reasoning=f"thought {replies}")

    long = next(world for world in named_split("hard-v1") if load(world).calls >= 30)
    file = tmp_path / "long.jsonl"
    write_split([long], str(file))
    (trace,) = play("gold:one-call", thinking, worlds=str(file))
    assert trace.num_turns >= 31
    assert trace.num_branches == 1
    assert metric(trace, "branches") == 1.0
    assert trace.reward == pytest.approx(1.2)


def test_the_answer_is_nowhere_before_the_model_gives_it() -> None:
    traces = play("gold", split="core-v1", count=60)
    found = 0
    for trace in traces:
        data = trace.task.data.model_dump(mode="json")
        assert json.loads(data["world"]).keys() == {"id", "request", "attendees"}
        answer = earliest_start(world_of(trace))
        if answer is None:
            continue
        instant = instant_text(answer)[:16]
        assert instant not in json.dumps(data)
        *before, last = trace.messages
        assert instant in str(last.content)
        for message in before:
            assert instant not in message.model_dump_json()
        found += 1
    assert found >= 40


def test_the_hash_of_the_prompt_is_recorded(tmp_path: Path) -> None:
    (trace,) = play("gold", count=1)
    assert trace.info == {"prompt_hash": prompt_hash(system_prompt(40, 400))}
    other = tmp_path / "other.txt"
    other.write_text("Find a time.")
    (trace,) = play("gold", count=1, system_prompt=str(other))
    assert trace.info == {"prompt_hash": prompt_hash("Find a time.")}


def test_the_env_server_scores_a_task_that_it_never_loaded() -> None:
    async def served(base_url: str, model: str, **settings: Any) -> list[Trace]:
        config = vf.resolve_env_config({"taskset": {"id": "meeting-slot", **settings}})
        server = EnvServer(config, address="tcp://127.0.0.1:0")
        running = asyncio.create_task(server.run())
        client = EnvClient(server.address)
        try:
            given = context(model, base_url)
            tasks = list(vf.load_taskset(config.taskset).take(15))
            episodes = await asyncio.gather(
                *(
                    client.run(
                        given.client, model, given.sampling, task.data.model_dump(mode="json")
                    )
                    for task in tasks
                )
            )
        finally:
            await client.close()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        return [cast(Trace, trace) for episode in episodes for trace in episode.traces]

    with Endpoint().in_thread() as base_url:
        assert mean(asyncio.run(served(base_url, "gold"))) == (1.2, 1.0, 1.0, 0.0)
        assert mean(asyncio.run(served(base_url, "naive"))) == (0.293, 0.067, 1.0, 0.133)
        strict = asyncio.run(served(base_url, "naive", require_proof=True))
    assert mean(strict) == (0.08, 0.067, 0.067, 0.0)  # only the right answers are proved


def test_others_play_on_while_a_large_world_is_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = parse_world(
        {
            "request": {"duration_minutes": 30, "window_start": "2024-01-01", "window_days": 366},
            "attendees": [
                {
                    "name": f"P{number}",
                    "timezone": "Europe/Paris",
                    "working_hours": {"start": "09:00", "end": "17:00", "weekdays": [number % 5]},
                }
                for number in range(60)
            ],
        }
    )
    file = tmp_path / "worlds.jsonl"
    write_split([large, *itertools.islice(named_split("core-v1"), 4)], str(file))
    begun, others_scored = threading.Event(), threading.Event()

    def reply(body: Mapping[str, Any]) -> Reply:
        if "window_days: 366" in body["messages"][1]["content"]:
            return Reply(content="<answer>2024-01-01T08:00:00Z</answer>")
        if begun.wait(0.02):
            return Reply(content="<answer>NONE</answer>")
        return Reply(tool_calls=[ToolCall(id="1", name="list_attendees", arguments="{}")])

    def metrics(world: World, *arguments: Any, **options: Any) -> dict[str, float]:
        if len(world.attendees) == 60:
            begun.set()
            assert others_scored.wait(SECONDS), "the others wait for the large world's score"
            return scoring.rollout_metrics(world, *arguments, **options)
        measured = scoring.rollout_metrics(world, *arguments, **options)
        others_scored.set()
        return measured

    monkeypatch.setattr(taskset, "rollout_metrics", metrics)
    first, *others = play(reply=reply, worlds=str(file), max_turns=100_000)
    assert scores(first) == (0.0, 1.0, 0.0)  # wrong, which takes a long diagnosis
    assert [scores(trace)[1] for trace in others] == [1.0] * 4
