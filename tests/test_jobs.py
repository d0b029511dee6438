"""Several processes: the results, the order, the errors and the end are those of one."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from meeting_slot import FileError, MeetingSlotError, jobs
from meeting_slot.files import Row
from meeting_slot.jobs import Workers
from meeting_slot.named import worlds_of
from tests.conftest import ANSWER, COMMAND_LINE, SECONDS, Command, a_world, process, write

LATER = "2024-03-11T13:30:00Z"


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let other processes do everything, in batches of a row or some."""
    monkeypatch.setattr(jobs, "ALONE", 0.0)


def rows(count: int) -> Iterator[Row]:
    return (Row("split", i, b"%d" % i) for i in range(count))


def square(row: Row) -> tuple[int, int]:
    """Return a number's square, and the process that found it."""
    number = int(row.text)
    if number == 77:
        raise MeetingSlotError("77 is refused")
    return number**2, os.getpid()


def squares(found: Iterator[tuple[Row, tuple[int, int]]], into: list[int]) -> set[int]:
    """Gather the squares, and return the processes that found them."""
    processes = set()
    for row, (result, found_by) in found:
        assert result == int(row.text) ** 2
        into.append(result)
        processes.add(found_by)
    return processes


@pytest.mark.parametrize("count", [0, 1, 5, 70])
@pytest.mark.usefixtures("at_once")
def test_results_come_in_order_from_other_processes(count: int) -> None:
    found: list[int] = []
    with Workers(square, 3) as workers:
        processes = squares(workers.each(rows(count)), found)
        processes |= squares(workers.each(rows(2)), found)
    assert found == [i**2 for i in range(count)] + [0, 1]
    assert os.getpid() not in processes
    assert len(processes) <= 3


def test_little_work_starts_no_process() -> None:
    found: list[int] = []
    with Workers(square, 3) as workers:
        assert squares(workers.each(rows(70)), found) == {os.getpid()}
    assert len(found) == 70


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("count", [1, 3])
def test_rows_before_one_that_is_refused_are_worked_on(count: int) -> None:
    found: list[int] = []
    with pytest.raises(MeetingSlotError, match=r"^77 is refused$"), Workers(square, count) as some:
        squares(some.each(rows(300)), found)
    assert found == [i**2 for i in range(77)]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("count", [1, 3])
def test_rows_before_one_that_cannot_be_read_are_worked_on(count: int) -> None:
    def cut_short() -> Iterator[Row]:
        yield from rows(50)
        raise FileError("split: cannot be read")

    found: list[int] = []
    with (
        pytest.raises(FileError, match=r"^split: cannot be read$"),
        Workers(square, count) as some,
    ):
        squares(some.each(cut_short()), found)
    assert found == [i**2 for i in range(50)]


def deadly(row: Row) -> int:
    if row.text == b"7":
        os._exit(9)
    return 0


@pytest.mark.usefixtures("at_once")
def test_a_process_that_dies_ends_the_work_with_a_line() -> None:
    with (
        pytest.raises(MeetingSlotError, match=r"^a worker process died \(.*\)"),
        Workers(deadly, 2) as workers,
    ):
        list(workers.each(rows(1000)))
    assert_no_process_is_left()


def broken(row: Row) -> int:
    raise AssertionError(row.text)


@pytest.mark.usefixtures("at_once")
def test_a_fault_of_the_program_is_not_taken_for_one_of_the_input() -> None:
    with pytest.raises(AssertionError), Workers(broken, 2) as workers:
        list(workers.each(rows(3)))


def assert_no_process_is_left() -> None:
    end = time.monotonic() + SECONDS
    while multiprocessing.active_children():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.usefixtures("at_once")
def test_work_that_is_given_up_ends_its_processes() -> None:
    def give_up() -> None:
        with Workers(square, 2) as workers:
            next(workers.each(rows(10_000)))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        give_up()
    assert_no_process_is_left()


@pytest.mark.usefixtures("at_once")
def test_few_rows_at_a_time_are_held() -> None:
    read = worked = 0

    def counted() -> Iterator[Row]:
        nonlocal read
        for i in range(500):
            read += 1
            yield Row("split", i, b"1")

    with Workers(square, 2) as workers:
        for _ in workers.each(counted()):
            worked += 1
            assert read - worked <= 8
    assert worked == 500


# The commands


SPLITS: dict[str, list[Any]] = {
    "right": [a_world(id=f"w{i}", answer=ANSWER) for i in range(9)],
    "wrong": [a_world(id=f"w{i}", answer=LATER if i % 3 else "none") for i in range(9)],
    "stale": [a_world(id=f"w{i}", answer=LATER, meta={"iana": "1999z"}) for i in range(9)],
    "unusable": [*[a_world(id=f"w{i}", answer=ANSWER) for i in range(7)], {"request": 3}, []],
    "repeated": [a_world(id=f"w{i % 6}", answer=ANSWER) for i in range(9)],
    "unrecorded": [*[a_world(id=f"w{i}", answer=LATER) for i in range(5)], a_world(id="x")],
    "without ids": [a_world(answer=ANSWER)],
    "empty": [],
}
COMMANDS = {
    "solve": ["solve", "{split}"],
    "solve twice": ["solve", "{split}", "{split}", "--json"],
    "solve both": ["solve", "{split}", "--solver", "both"],
    "verify": ["verify", "{split}"],
    "verify json": ["verify", "{split}", "--json"],
    "verify answers": ["verify", "{split}", "--answers", "{answers}"],
    "audit": ["audit", "{split}", "--json"],
    "audit twice": ["audit", "{split}", "{split}"],
}


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_command_prints_the_same_with_several_jobs(
    command: Command, tmp_path: Path, split: str, arguments: str
) -> None:
    path = write(tmp_path / "split.jsonl", *SPLITS[split])
    proposals = [{"id": f"w{i}", "answer": ANSWER if i % 2 else "none"} for i in range(8)]
    answers = write(tmp_path / "answers.jsonl", *proposals)
    filled = [text.format(split=path, answers=answers) for text in COMMANDS[arguments]]
    one = command(*filled)
    assert command(*filled, "--jobs", "2") == one
    if split in ("unusable", "repeated", "unrecorded", "empty"):
        assert one.status == 2 or arguments != "verify"


@pytest.mark.usefixtures("at_once")
def test_a_shipped_split_verifies_with_several_jobs(command: Command, tmp_path: Path) -> None:
    assert command("verify", "core-v1", "--jobs", "2") == (0, "300 of 300 correct\n", "")
    answers = [{"id": w.id, "answer": w.recorded} for w in worlds_of("core-v1")]
    path = write(tmp_path / "answers.jsonl", *answers[::-1])
    run = command("verify", "core-v1", "--answers", path, "--jobs", "2")
    assert run == (0, "300 of 300 correct\n", "")


@pytest.mark.parametrize("name", ["solve", "verify", "audit"])
@pytest.mark.parametrize("count", ["0", "-1", "two", "257"])
def test_number_of_jobs_that_is_none_is_refused(command: Command, name: str, count: str) -> None:
    run = command(name, "core-v1", "--jobs", count)
    assert (run.status, run.out) == (2, "")
    assert "--jobs" in run.error_line()


AT_ONCE = (
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from meeting_slot import jobs; jobs.ALONE = 0.0; " + COMMAND_LINE[-1],
)


def test_a_reader_that_has_gone_ends_it_in_silence(tmp_path: Path) -> None:
    path = write(tmp_path / "split.jsonl", *[a_world(id=f"w{i}") for i in range(3000)])
    with subprocess.Popen(
        [*AT_ONCE, "solve", str(path), "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == f"{ANSWER} w0\n".encode()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(SECONDS) in (128 + signal.SIGPIPE, -signal.SIGPIPE)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="POSIX process groups")
@pytest.mark.parametrize("sent", ["to the first", "to all", "SIGTERM", "SIGKILL"])
def test_an_interrupt_ends_every_process(sent: str) -> None:
    with subprocess.Popen(
        [*AT_ONCE, "solve", "-", "--jobs", "2"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        for i in range(100):
            running.stdin.write(json.dumps(a_world(id=f"w{i}")).encode() + b"\n")
        running.stdin.flush()
        assert running.stdout.readline() == f"{ANSWER} w0\n".encode()
        match sent:
            case "to the first":
                running.send_signal(signal.SIGINT)
            case "to all":
                os.killpg(running.pid, signal.SIGINT)
            case "SIGTERM":
                running.terminate()
            case "SIGKILL":
                running.kill()
        running.stdout.read()
        said = running.stderr.read()  # ends when no process holds it any more
        status = running.wait(SECONDS)
    if sent in ("to the first", "to all"):
        assert status == 130
        assert said.split(b"\n")[-2:] == [b"meeting-slot: error: interrupted", b""]


def test_jobs_are_for_any_start_method(tmp_path: Path) -> None:
    """Elsewhere, processes are not forked: the work is sent to them."""
    path = write(tmp_path / "split.jsonl", *SPLITS["right"])
    answers = write(
        tmp_path / "answers.jsonl", *[{"id": f"w{i}", "answer": ANSWER} for i in range(9)]
    )
    code = "import multiprocessing; multiprocessing.set_start_method('spawn'); " + AT_ONCE[-1]
    spawned = (sys.executable, "-c", code)
    run = process("verify", path, "--answers", answers, "--jobs", "2", command_line=spawned)
    assert run == (0, "9 of 9 correct\n", "")
