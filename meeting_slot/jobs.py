"""Work on the rows of files in several processes: the same results, in the same order, as in one.

What is soon done is done here. Processes are started once the work has taken a while, and end with
this one, however it ends.
"""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from .errors import MeetingSlotError
from .files import Row

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.process import BaseProcess

ALONE: Final = 0.25
"""The CPU seconds of work from which on other processes are worth their start."""

_A_BATCH: Final = 0.02
"""The CPU seconds that a batch should take."""

_MOST_ROWS: Final = 256
_MOST_BYTES: Final = 2**20

Result = TypeVar("Result")


class Workers(Generic[Result]):
    """Processes that do one kind of work; a context, at whose end they end."""

    def __init__(self, work: Callable[[Row], Result], jobs: int) -> None:
        """Take the work and the number of processes that may do it.

        Args:
            work: what to do with a row; where there are several jobs, it has to be picklable. A
                `MeetingSlotError` that it raises ends the work there.
            jobs: how many processes may work at a time, from 1.
        """
        self._work = work
        self._jobs = jobs
        self._seconds = 0.0
        self._rows = 0
        self._pool: ProcessPoolExecutor | None = None
        self._processes: list[BaseProcess] = []

    def __enter__(self) -> "Workers[Result]":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._pool is None:
            return
        if kind is not None:
            for process in self._processes:
                process.kill()
        # Waited for: at the interpreter's exit the pool's thread and the exit itself may both
        # close its pipes, and Python tells it on standard error.
        self._pool.shutdown(wait=True, cancel_futures=True)

    def each(self, rows: Iterable[Row]) -> Iterator[tuple[Row, Result]]:
        """Yield each row with its result, in order.

        Raises:
            MeetingSlotError: what reading or working on a row raises, once all before it are
                yielded; or a process has died.
        """
        rows = iter(rows)
        while self._pool is None:
            if self._jobs > 1 and self._seconds >= ALONE:
                self._start()
                break
            row = next(rows, None)
            if row is None:
                return
            begin = time.process_time()
            result = self._work(row)
            self._seconds += time.process_time() - begin
            self._rows += 1
            yield row, result
        yield from self._by_others(rows)

    def _by_others(self, rows: Iterator[Row]) -> Iterator[tuple[Row, Result]]:
        from concurrent.futures.process import BrokenProcessPool

        assert self._pool is not None
        batches = _batches(rows, max(1, int(self._rows * _A_BATCH / max(self._seconds, _A_BATCH))))
        pending: deque[tuple[list[Row], Future[tuple[list[Any], str | None]]]] = deque()
        unreadable: MeetingSlotError | None = None
        more = True
        while True:
            while more and len(pending) <= 2 * self._jobs:
                try:
                    batch = next(batches, None)
                except MeetingSlotError as error:  # told when it is its turn
                    unreadable, batch = error, None
                if batch is None:
                    more = False
                    break
                pending.append((batch, self._submit(batch)))
            if not pending:
                break
            batch, future = pending.popleft()
            try:
                results, problem = future.result()
            except BrokenProcessPool:
                raise _dead() from None
            yield from zip(batch, results, strict=False)
            if problem is not None:
                raise MeetingSlotError(problem)
        if unreadable is not None:
            raise unreadable

    def _start(self) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        before = multiprocessing.active_children()
        self._pool = ProcessPoolExecutor(self._jobs, initializer=_prepare, initargs=(self._work,))
        for _ in range(self._jobs):  # they start when there is something to do
            self._pool.submit(os.getpid)
        self._processes = [p for p in multiprocessing.active_children() if p not in before]

    def _submit(self, batch: list[Row]) -> "Future[tuple[list[Any], str | None]]":
        from concurrent.futures.process import BrokenProcessPool

        assert self._pool is not None
        try:
            return self._pool.submit(_do, batch)
        except BrokenProcessPool:
            raise _dead() from None


def _dead() -> MeetingSlotError:
    return MeetingSlotError("a worker process died (out of memory?); fewer --jobs may do")


def _batches(rows: Iterator[Row], most_rows: int) -> Iterator[list[Row]]:
    """Yield rows in batches; those before an error are yielded before it is raised."""
    most_rows = min(most_rows, _MOST_ROWS)
    batch: list[Row] = []
    size = 0
    try:
        for row in rows:
            batch.append(row)
            size += len(row.text)
            if len(batch) >= most_rows or size >= _MOST_BYTES:
                yield batch
                batch, size = [], 0
    except MeetingSlotError:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


# In a worker

_work: Callable[[Row], Any]


def _prepare(work: Callable[[Row], Any]) -> None:
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the others
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    import multiprocessing
    from multiprocessing.connection import wait

    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)


def _do(batch: list[Row]) -> tuple[list[Any], str | None]:
    """Return the results up to the first row that is not usable, and what is wrong with it."""
    results = []
    for row in batch:
        try:
            results.append(_work(row))
        except MeetingSlotError as error:
            return results, str(error)
    return results, None
