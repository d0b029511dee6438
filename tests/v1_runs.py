"""Running the v1 environment in this process, against a real endpoint on 127.0.0.1."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import verifiers.v1 as vf

from meeting_slot.environment.endpoint import Endpoint, Model
from meeting_slot.environment.scripted import reply_to

Trace = vf.Trace[Any, Any, Any]


def play(
    model: str = "gold",
    reply: Model = reply_to,
    *,
    count: int | None = None,
    concurrency: int = 8,
    agent: Mapping[str, Any] | None = None,
    address: Callable[[str], str] = str,
    **taskset: Any,
) -> list[Trace]:
    """Return the traces of one rollout of each task, in order.

    Args:
        model: the name that the environment asks for.
        reply: what answers it.
        count: how many tasks, from the first; None for all.
        concurrency: rollouts at a time.
        agent: settings of the agent.
        address: what the environment is told of the endpoint's base URL.
        taskset: settings of the taskset.
    """
    config = vf.resolve_env_config(
        {"taskset": {"id": "meeting-slot", **taskset}, "agent": dict(agent or {})}
    )
    with Endpoint(reply).in_thread() as base_url:
        return asyncio.run(_played(config, model, address(base_url), count, concurrency))


async def _played(
    config: vf.EnvConfig, model: str, base_url: str, count: int | None, concurrency: int
) -> list[Trace]:
    env = vf.load_environment(config)
    tasks = env.taskset if count is None else env.taskset.take(count)
    slots = [slot for task in tasks for slot in env.slots(task)]
    gate = asyncio.Semaphore(concurrency)
    async with env.serving():
        episodes = await asyncio.gather(
            *(env.run_slot(slot, context(model, base_url), gate) for slot in slots)
        )
    traces = [trace for episode in episodes for trace in episode.traces]
    assert len(traces) == len(slots), [episode.errors for episode in episodes]
    return traces


def context(model: str, base_url: str) -> vf.ModelContext:
    """Return what names the model and the endpoint to the framework."""
    client = vf.EvalClientConfig(base_url=base_url, api_key_var="MEETING_SLOT_NO_KEY")
    return vf.ModelContext(client=client, model=model, sampling=vf.SamplingConfig())


def scores(trace: Trace) -> tuple[float, float, float]:
    """Return exact, format and partial."""
    exact, form, partial = (trace.rewards[name] for name in ("exact", "format", "partial"))
    assert exact is not None
    assert form is not None
    assert partial is not None
    return exact.score, form.score, partial.score


def metric(trace: Trace, name: str) -> float:
    """Return a metric that was recorded."""
    value = trace.metrics[name]
    assert value is not None
    return value
