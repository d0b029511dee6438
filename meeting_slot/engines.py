"""Engines: where a plan's rows are made. Each yields the same lines, in the order of the rows.

Rows are handed out a bounded number ahead of the one that is waited for, so that memory does not
grow with the count.
"""

import collections
import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Final, NamedTuple, TypeVar

from .errors import MeetingSlotError, WorkerLost
from .shards import Plan

AHEAD: Final = 16
"""How many rows a process may be ahead, for each process."""

Engine = Callable[[Plan, range], Generator[str, None, None]]
"""Yields the canonical lines of some of a plan's rows, in order and without the line's end.

Raises what `Plan.world` does, after the lines of the rows before; `WorkerLost` where a process that
made rows has ended.
"""

_Handle = TypeVar("_Handle")


class Made(NamedTuple):
    """Lines made by a worker, and what ended it before the last of the rows asked for."""

    lines: list[str]
    error: MeetingSlotError | None


def made(plan: Plan, rows: range) -> Made:
    """Make rows of a plan, wherever this is called."""
    lines: list[str] = []
    try:
        for row in rows:
            lines.append(plan.world(row).to_line())
    except MeetingSlotError as error:
        return Made(lines, error)
    return Made(lines, None)


def in_this_process(plan: Plan, rows: range) -> Generator[str, None, None]:
    """Make rows here, one after the other."""
    for row in rows:
        yield plan.world(row).to_line()


def in_processes(jobs: int) -> Engine:
    """Return the engine that makes rows in so many processes on this machine.

    The workers end with this process, however it ends, and do not take part in Ctrl-C.
    """

    def engine(plan: Plan, rows: range) -> Generator[str, None, None]:
        context = multiprocessing.get_context("spawn")  # a fork would keep the lock of FILE.part
        sentinel, alive = context.Pipe(duplex=False)
        executor = ProcessPoolExecutor(
            min(jobs, len(rows)), context, initializer=_end_with_parent, initargs=(sentinel,)
        )

        def submitted(some: range) -> Future[Made]:
            try:
                with _without_interrupts():  # inherited by the worker that this may start
                    return executor.submit(made, plan, some)
            except OSError as error:
                raise WorkerLost(f"no worker process can be started: {error.strerror}") from None

        try:
            yield from in_order(slices(rows, 1), submitted, Future.result, AHEAD * jobs)
        except BrokenProcessPool:
            raise WorkerLost("a worker process has ended: killed, or out of memory") from None
        finally:
            alive.close()
            executor.shutdown(cancel_futures=True)
            sentinel.close()

    return in_this_process if jobs == 1 else engine


def slices(rows: range, size: int) -> Iterator[range]:
    """Yield the rows, so many at a time."""
    for first in range(0, len(rows), size):
        yield rows[first : first + size]


def in_order(
    parts: Iterable[range],
    submit: Callable[[range], _Handle],
    result: Callable[[_Handle], Made],
    ahead: int,
) -> Iterator[str]:
    """Yield the lines of parts that are made side by side, in the order of the parts.

    Args:
        parts: the rows, part by part.
        submit: has a part made and returns at once.
        result: waits for a part.
        ahead: how many parts are submitted before the first of them is waited for.
    """
    waiting: collections.deque[_Handle] = collections.deque()
    for part in parts:
        try:
            waiting.append(submit(part))
        except Exception:
            while waiting:  # what was made before is not lost
                yield from _unpacked(result(waiting.popleft()))
            raise
        if len(waiting) == ahead:
            yield from _unpacked(result(waiting.popleft()))
    while waiting:
        yield from _unpacked(result(waiting.popleft()))


def _unpacked(part: Made) -> Iterator[str]:
    yield from part.lines
    if part.error is not None:
        raise part.error


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent(sentinel: Connection) -> None:
    """End this worker, in the middle of a row if need be, when the parent lets go of the pipe."""

    def wait() -> None:
        with contextlib.suppress(EOFError, OSError):
            sentinel.recv_bytes()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
