"""Shards and processes: whoever makes a row, and whatever other rows, its bytes are the same."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from meeting_slot import engines, shards, splits
from meeting_slot.cpsat.synthesis import synthesize
from meeting_slot.cpsat.wishes import Target, WishError
from meeting_slot.engines import Made, in_order, in_processes, in_this_process, slices
from meeting_slot.errors import MeetingSlotError, WorkerLost
from meeting_slot.shards import WHOLE, NoSuchShard, Plan, Shard, parse_shard
from meeting_slot.world import World
from tests.conftest import COMMAND_LINE, SECONDS, Command, process

QUICK = ("gen", "--starts", "any", "--attendees", "2", "--days", "2", "--seed", "s")


def children(pid: int) -> list[int]:
    """Return the processes that a process has started, and that have not ended."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:  # it has ended meanwhile
                continue
            if int(parent) == pid and state != "Z":
                found.append(int(entry.name))
    return found


def workers(pid: int) -> list[int]:
    """Return the processes of `--jobs`; another child only tracks resources."""
    return [
        child
        for child in children(pid)
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def wait_for(what: str, found: object) -> None:
    """Wait until a function returns something that is true."""
    assert callable(found)
    end = time.monotonic() + SECONDS
    while not found():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.01)


# Shards


@pytest.mark.parametrize("of", [1, 2, 3, 7])
def test_the_shards_of_a_split_are_its_rows_dealt_out(of: int) -> None:
    plans = [Plan(target=Target(), count=7, seed="s", shard=Shard(k, of)) for k in range(of)]
    dealt = [list(plan.rows) for plan in plans]
    assert dealt == [list(range(k, 7, of)) for k in range(of)]
    assert sorted(row for rows in dealt for row in rows) == list(range(7))


def test_a_shard_has_the_rows_of_the_whole(command: Command) -> None:
    whole = command(*QUICK, "--count", "5").out.splitlines()
    for k in range(3):
        run = command(*QUICK, "--count", "5", "--shard", f"{k}/3")
        assert run.out.splitlines() == whole[k::3]


def test_the_default_mix_is_sharded_as_well(command: Command) -> None:
    whole = command("gen", "--count", "3").out.splitlines()
    assert command("gen", "--count", "3", "--shard", "1/2").out.splitlines() == whole[1::2]


@pytest.mark.parametrize(
    ("shard", "message"),
    [
        ("0/0", "a split has at least one shard, 0/1"),
        ("3/2", "expected 0/2 to 1/2"),
        ("2/2", "expected 0/2 to 1/2"),
        ("1/1", "expected 0/1 alone"),
        ("5/9", "none of 5 rows is in it; take 5 shards or fewer"),
        *(
            (text, "expected K/N")
            for text in ("", "1", "/", "-1/2", "1/-2", "a/b", "1/2/3", "0.5/2")
        ),
        *((text, "expected K/N") for text in ("1 / 2", "\uff11/2", "1" * 5000 + "/2", "0/2\n")),
    ],
)
def test_what_is_no_shard_is_refused_in_one_line(
    command: Command, shard: str, message: str
) -> None:
    run = command(*QUICK, "--count", "5", f"--shard={shard}")
    assert (run.status, run.out) == (2, "")
    assert message in run.error_line()
    assert len(run.error_line()) < 300
    with pytest.raises(NoSuchShard):
        parse_shard(shard, 5)


def test_a_shard_is_read_as_it_is_written() -> None:
    assert parse_shard("0/1", 1) == WHOLE
    assert str(parse_shard("3/4", 5)) == "3/4"


# Processes


@pytest.mark.parametrize("jobs", ["1", "2", "3"])
def test_the_bytes_do_not_depend_on_the_jobs(command: Command, tmp_path: Path, jobs: str) -> None:
    one = command(*QUICK, "--count", "7").out
    assert process(*QUICK, "--count", "7", "--jobs", jobs) == (0, one, "")
    file = tmp_path / "worlds.jsonl"
    run = process(*QUICK, "--count", "7", "--jobs", jobs, "--out", file, "--shard", "1/2")
    assert run.status == 0
    assert file.read_text(encoding="utf-8").splitlines() == one.splitlines()[1::2]


@pytest.mark.parametrize("jobs", ["0", "-1", "x", "1025"])
def test_jobs_out_of_bounds_are_refused(command: Command, jobs: str) -> None:
    run = command(*QUICK, "--jobs", jobs)
    assert (run.status, run.out) == (2, "")
    assert "--jobs" in run.error_line()


def test_a_wish_that_cannot_come_true_is_told_as_by_one_process(command: Command) -> None:
    wish = ("gen", "--dst", "spring-after", "--zones", "UTC", "--count", "3")
    one = command(*wish)
    assert one.status == 2
    assert process(*wish, "--jobs", "2") == one


def made_of(rows: range) -> Made:
    return Made([str(row) for row in rows], None)


@pytest.mark.parametrize("ahead", [1, 2, 100])
@pytest.mark.parametrize("size", [1, 2, 100])
def test_lines_come_in_the_order_of_the_rows(size: int, ahead: int) -> None:
    lines = in_order(slices(range(3, 40, 4), size), lambda rows: rows, made_of, ahead)
    assert list(lines) == [str(row) for row in range(3, 40, 4)]


def test_no_more_rows_are_handed_out_than_may_be_waited_for() -> None:
    handed: list[range] = []

    def submit(rows: range) -> range:
        handed.append(rows)
        return rows

    lines = in_order(slices(range(1000), 1), submit, made_of, 5)
    for row, _ in enumerate(lines):
        assert len(handed) <= row + 5


def test_the_rows_before_an_error_come_first() -> None:
    def result(rows: range) -> Made:
        return Made([str(rows[0])], MeetingSlotError("no") if rows[0] == 4 else None)

    seen: list[str] = []
    with pytest.raises(MeetingSlotError, match="no"):
        seen.extend(in_order(slices(range(9), 2), lambda rows: rows, result, 3))
    assert seen == ["0", "2", "4"]


def test_rows_that_are_finished_are_not_lost_when_no_more_can_be_handed_out() -> None:
    def submit(rows: range) -> range:
        if rows[0] == 3:
            raise WorkerLost("gone")
        return rows

    seen: list[str] = []
    with pytest.raises(WorkerLost):
        seen.extend(in_order(slices(range(9), 1), submit, made_of, 5))
    assert seen == ["0", "1", "2"]


def test_what_a_worker_made_before_an_error_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(target=Target(attendees=2, window_days=2), count=3, seed="s")
    calls: list[str] = []

    def failing(target: Target, seed: str) -> World:
        calls.append(seed)
        if len(calls) == 3:
            raise WishError("no such world")
        return synthesize(target, seed)

    monkeypatch.setattr(splits, "synthesize", failing)
    lines, error = engines.made(plan, plan.rows)
    assert isinstance(error, WishError)
    monkeypatch.undo()
    assert lines == list(in_this_process(plan, range(2)))


@pytest.fixture
def running(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Give a run with two workers that would take minutes, once it has finished some rows."""
    part = tmp_path / "worlds.jsonl.part"
    with subprocess.Popen(
        [
            *COMMAND_LINE,
            *QUICK,
            *("--count", "100000", "--jobs", "2", "--out"),
            part.with_suffix(""),
        ],
        stderr=subprocess.PIPE,
        start_new_session=True,  # a group of its own, for Ctrl-C
    ) as run:
        try:
            wait_for("rows", lambda: part.exists() and part.stat().st_size > 0)
            assert len(workers(run.pid)) == 2
            yield run
        finally:
            run.kill()


def part_is_whole(tmp_path: Path) -> bool:
    """Return whether the finished rows are in the part file, whole and in order."""
    lines = (tmp_path / "worlds.jsonl.part").read_text(encoding="utf-8").splitlines(keepends=True)
    plan = Plan(target=Target(attendees=2, window_days=2), count=100_000, seed="s")
    seeds = [json.loads(line)["meta"]["seed"] for line in lines]
    assert seeds == [splits.row_seed(plan.target, "s", row) for row in range(len(lines))]
    return len(lines) > 0 and lines[-1].endswith("\n")


def test_a_dead_worker_ends_the_run_in_one_line(
    running: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    others = workers(running.pid)
    os.kill(others[0], signal.SIGKILL)
    _, err = running.communicate(timeout=SECONDS)
    (line,) = err.decode().splitlines()
    assert running.returncode == 2
    assert "a worker process has ended" in line
    assert "finished worlds are in" in line
    assert "--resume" in line
    assert part_is_whole(tmp_path)
    wait_for("the other worker", lambda: not any(Path(f"/proc/{pid}").exists() for pid in others))


@pytest.mark.parametrize("to", ["group", "process"])
def test_an_interrupt_is_one_line_and_leaves_no_worker(
    running: "subprocess.Popen[bytes]", tmp_path: Path, to: str
) -> None:
    others = workers(running.pid)
    if to == "group":
        os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    else:
        os.kill(running.pid, signal.SIGINT)
    _, err = running.communicate(timeout=SECONDS)
    (line,) = err.decode().splitlines()
    assert running.returncode == 130
    assert line.startswith("meeting-slot: error: interrupted; ")
    assert "--resume" in line
    assert part_is_whole(tmp_path)
    wait_for("the workers", lambda: not any(Path(f"/proc/{pid}").exists() for pid in others))


def test_workers_end_with_a_run_that_is_killed(running: "subprocess.Popen[bytes]") -> None:
    others = workers(running.pid)
    running.kill()
    running.wait(timeout=SECONDS)
    wait_for("the workers", lambda: not any(Path(f"/proc/{pid}").exists() for pid in others))


def test_a_reader_that_leaves_ends_the_run_and_its_workers() -> None:
    with subprocess.Popen(
        [*COMMAND_LINE, *QUICK, "--count", "100000", "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait(timeout=SECONDS) == 141


def test_one_job_is_this_process() -> None:
    assert in_processes(1) is in_this_process


def test_an_engine_can_be_left_before_its_last_row() -> None:
    plan = Plan(target=Target(attendees=2, window_days=2), count=50, seed="s")
    lines = in_processes(2)(plan, plan.rows)
    first = next(lines)
    lines.close()
    assert first == next(in_this_process(plan, plan.rows))


def test_the_versions_name_all_that_a_row_depends_on() -> None:
    assert set(shards.versions()) == {"meeting-slot", "generator", "panel", "ortools", "iana"}
