"""What a rollout costs in the default, in-process harness and in a harness with its own program.

    python bench/environment.py

The model is the scripted gold policy in a process of its own, whose CPU is not counted. CPU seconds
a rollout are those of this process and, for the other harness, of the programs that it starts. That
other harness (`null`) needs `uv` and a package index.
"""

import asyncio
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

START = time.process_time()
import verifiers.v1 as vf  # noqa: E402

from meeting_slot import MeetingSlotTaskset  # noqa: E402

IMPORTED = time.process_time() - START


@contextmanager
def endpoint() -> Iterator[str]:
    """Serve the policies from another process; yield the base URL."""
    command = [Path(sys.executable).with_name("meeting-slot"), "eval", "--serve-only"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield next(word for line in process.stdout for word in line.split() if "/v1" in word)
        finally:
            process.terminate()


def cpu() -> float:
    """Return the CPU seconds of this process and of the children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


async def played(model: str, base_url: str, count: int, concurrency: int, **agent: Any) -> str:
    """Return a row of the table: rollouts of the first worlds of core-v1."""
    blocks = {"taskset": {"id": "meeting-slot", "split": "core-v1"}, "agent": agent}
    env = vf.load_environment(vf.resolve_env_config(blocks))
    assert isinstance(env.taskset, MeetingSlotTaskset)
    client = vf.EvalClientConfig(base_url=base_url, api_key_var="MEETING_SLOT_NO_KEY")
    context = vf.ModelContext(client=client, model=model, sampling=vf.SamplingConfig())
    slots = [slot for task in env.taskset.take(count) for slot in env.slots(task)]
    gate = asyncio.Semaphore(concurrency)
    wall, used = time.perf_counter(), cpu()
    async with env.serving():
        episodes = await asyncio.gather(*(env.run_slot(slot, context, gate) for slot in slots))
    wall, used = time.perf_counter() - wall, cpu() - used
    rewards = [trace.reward for episode in episodes for trace in episode.traces]
    assert [round(reward, 6) for reward in rewards] == [1.2] * count
    turns = sum(trace.num_turns for episode in episodes for trace in episode.traces) / count
    harness = agent.get("harness", {}).get("id", "in-process")
    return (
        f"| {harness} | {model} | {count} | {concurrency} | {turns:.1f} | {used / count:.3f} "
        f"| {wall:.1f} |"
    )


def main() -> None:
    """Print a table."""
    print(f"import: {IMPORTED:.1f} s of CPU")
    print("| harness | model | rollouts | at a time | turns | CPU s a rollout | wall s in all |")
    print("|---|---|---|---|---|---|---|")
    with endpoint() as base_url:
        asyncio.run(played("gold", base_url, 2, 2))  # what is loaded once is not a rollout's
        for model, count, concurrency in (
            *(("gold", 32, 8), ("gold", 64, 64)),
            ("gold:one-call", 32, 8),
        ):
            print(asyncio.run(played(model, base_url, count, concurrency)))
        print(asyncio.run(played("gold", base_url, 8, 4, harness={"id": "null"})))


if __name__ == "__main__":
    main()
