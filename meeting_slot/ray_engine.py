"""Rows made as Ray tasks, here or on a cluster; a task whose worker dies is run again."""

import os
import re
import socket
from collections.abc import Generator
from typing import Any, Final

from .engines import AHEAD, Engine, Made, in_order, made, slices
from .errors import MeetingSlotError, WorkerLost
from .shards import Plan, versions

ROWS_A_TASK: Final = 4
"""A task costs Ray about a millisecond; a lost one costs so many rows."""

RETRIES: Final = 5
"""How often a task is run again before the run ends."""


SECONDS_TO_CONNECT: Final = 10

_SILENCE: Final = {
    "RAY_DEDUP_LOGS_SKIP_REGEX": "^",  # every message: Ray prints them among the worlds
    "RAY_USAGE_STATS_ENABLED": "0",  # or it reports to its makers
}
"""What Ray reads when it is imported."""


class RayMissing(MeetingSlotError):
    """Ray is not installed, or cannot be reached."""


def on_ray(jobs: int | None = None, address: str | None = None) -> Engine:
    """Return the engine that makes rows as Ray tasks.

    A process that is connected to Ray already stays so, whatever the arguments.

    Args:
        jobs: so many workers on a new Ray of this machine; None for one a CPU.
        address: a running cluster instead, on which this package is installed.

    Raises:
        RayMissing: Ray is not installed; by the engine, also where it cannot be reached.
    """
    for name, value in _SILENCE.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise RayMissing(
            'Ray is not installed; it comes with: pip install "meeting-slot[ray]"'
        ) from None

    def engine(plan: Plan, rows: range) -> Generator[str, None, None]:
        connected = ray.is_initialized()
        if not connected:
            _connect(ray, jobs, address)
        try:
            task = ray.remote(max_retries=RETRIES)(_made_alike)
            here = versions()
            ahead = int(ray.cluster_resources().get("CPU", 1)) * max(1, AHEAD // ROWS_A_TASK)
            yield from in_order(
                slices(rows, ROWS_A_TASK),
                lambda some: task.remote(plan, some, here),
                lambda handle: _result(ray, handle),
                ahead,
            )
        finally:
            if not connected:
                ray.shutdown()

    return engine


def _made_alike(plan: Plan, rows: range, wanted: dict[str, str]) -> Made:
    """Make rows, unless under other versions: they would be other rows."""
    for name, here in versions().items():
        if here != wanted[name]:
            text = f"a Ray worker has {name} {here}, the machine that asks {wanted[name]}"
            return Made([], WorkerLost(text))
    return made(plan, rows)


def _connect(ray: Any, jobs: int | None, address: str | None) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address is not None and (place := re.fullmatch(r"(?:ray://)?([^:/]+):(\d+)", address)):
            # Ray itself tries for minutes.
            socket.create_connection((place[1], int(place[2])), SECONDS_TO_CONNECT).close()
        if address is None:
            ray.init("local", num_cpus=jobs, include_dashboard=False, **quiet)
        else:
            ray.init(address, **quiet)
    except Exception as error:  # of many kinds
        raise RayMissing(f"Ray cannot be reached: {str(error).partition(chr(10))[0]}") from None


def _result(ray: Any, handle: Any) -> Made:
    try:
        part = ray.get(handle)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        reason = str(error).partition("\n")[0]
        raise WorkerLost(f"a Ray task failed {RETRIES + 1} times: {reason}") from None
    assert isinstance(part, Made)
    return part
