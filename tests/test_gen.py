"""`gen`: worlds to a stream or to a file, whole lines or nothing, and one line for every error."""

import errno
import fcntl
import json
import os
import pty
import resource
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from meeting_slot import FileError, iana_release, parse_world, read_worlds, splits, writing
from meeting_slot.cpsat.synthesis import synthesize
from meeting_slot.cpsat.wishes import Target, WishError
from meeting_slot.policies import CORE, specials
from meeting_slot.splits import generate
from meeting_slot.world import World
from meeting_slot.writing import write_split
from tests.conftest import COMMAND_LINE, Command, process

QUICK = ("gen", "--starts", "any", "--attendees", "2", "--days", "2", "--seed", "s")
OLD = b"an old file\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of a file to be written."""
    return tmp_path / "worlds.jsonl"


def part_of(file: Path) -> Path:
    """Return where the rows of an unfinished file stand."""
    return file.with_name(f"{file.name}.part")


def names_in(folder: Path) -> set[str]:
    """Return the names of what a folder holds."""
    return {path.name for path in folder.iterdir()}


# The rows


def test_the_rows_of_a_file_are_those_of_the_stream(command: Command, file: Path) -> None:
    streamed = command(*QUICK, "--count", "5", "--out", "-")
    assert (streamed.status, streamed.err) == (0, "")
    written = command(*QUICK, "--count", "5", "--out", file)
    assert (written.status, written.out) == (0, "")
    assert written.error_line().startswith(f"{file}: 5 worlds (")
    assert file.read_text(encoding="utf-8") == streamed.out
    assert len(streamed.out.splitlines()) == 5
    assert names_in(file.parent) == {file.name, f"{file.name}.manifest.json"}


def test_the_stream_is_the_default(command: Command) -> None:
    assert command(*QUICK) == command(*QUICK, "--out", "-")


def test_the_command_line_gives_the_worlds_of_the_target(command: Command) -> None:
    run = command(
        *("gen", "--count", "2", "--seed", "s", "--answer", "2024-03-11T13:07:00Z"),
        *("--attendees", "2", "--days", "3", "--duration", "37"),
        *("--zones", "UTC, Asia/Tokyo", "--years", "2024"),
    )
    target = Target(
        answer=28_502_707,
        attendees=2,
        window_days=3,
        duration_minutes=37,
        zones=("UTC", "Asia/Tokyo"),
        years=(2024, 2024),
    )
    assert run.out.splitlines() == [world.to_line() for world in generate(target, 2, "s")]


def test_every_row_is_canonical_and_says_the_iana_release(command: Command, file: Path) -> None:
    command(*QUICK, "--count", "5", "--out", file)
    lines = file.read_text(encoding="utf-8").splitlines()
    for line, world in zip(lines, read_worlds(str(file)), strict=True):
        assert world.to_line() == line
        assert world.meta is not None
        assert world.meta["iana"] == iana_release()


def test_verify_finds_every_row_correct(command: Command, file: Path) -> None:
    command(*QUICK, "--count", "4", "--out", file)
    command(*QUICK, "--answer", "none", "--out", file.with_name("none.jsonl"))
    both = file.with_name("both.jsonl")
    both.write_bytes(file.read_bytes() + file.with_name("none.jsonl").read_bytes())
    run = command("verify", both)
    assert run.status == 0
    assert run.out.splitlines()[-1] == "5 of 5 correct"
    solved = command("solve", both, "--solver", "both", "--json")
    assert solved.err == ""  # no warning: each recorded answer is right
    answers = [json.loads(line)["answer"] for line in solved.out.splitlines()]
    assert answers[4] == "NONE"
    assert "NONE" not in answers[:4]


def test_a_wish_of_zero_is_a_wish(command: Command) -> None:
    run = command("gen", "--target-hardness", "0", "--count", "5")
    assert run.status == 0
    assert [json.loads(line)["meta"]["core_failed"] for line in run.out.splitlines()] == [0] * 5


@pytest.mark.parametrize(
    "seed",
    ["", " ", "one\ntwo", "\x1b[31m", "😀 \u202e", "漢" * 10_000, "\udcff", "-1", "--out"],
    ids=["empty", "blank", "line", "escape", "emoji", "long", "surrogate", "number", "option"],
)
def test_a_seed_is_any_text(command: Command, seed: str) -> None:
    wish = ("gen", "--starts", "any", "--attendees", "2", "--days", "1")
    run = command(*wish, f"--seed={seed}")
    assert (run.status, run.err) == (0, "")
    assert len(run.out.splitlines()) == 1
    parse_world(json.loads(run.out))
    assert command(*wish, f"--seed={seed}") == run
    assert command(*wish, f"--seed={seed}.").out != run.out


# A file that is there, and one that is not finished


def test_a_file_that_exists_is_refused_and_left_alone(command: Command, file: Path) -> None:
    file.write_bytes(OLD)
    run = command(*QUICK, "--out", file)
    assert run.status == 2
    assert f"{file}: exists" in run.error_line()
    assert "--force" in run.error_line()
    assert file.read_bytes() == OLD
    assert not part_of(file).exists()


def test_force_overwrites_a_file(command: Command, file: Path) -> None:
    file.write_bytes(OLD)
    assert command(*QUICK, "--out", file, "--force").status == 0
    assert file.read_text(encoding="utf-8") == command(*QUICK).out
    assert not part_of(file).exists()


def test_an_unfinished_file_of_another_run_is_refused_and_left_alone(
    command: Command, file: Path
) -> None:
    part_of(file).write_bytes(OLD)
    run = command(*QUICK, "--out", file)
    assert run.status == 2
    assert f"{part_of(file)}: left by an interrupted run" in run.error_line()
    assert part_of(file).read_bytes() == OLD
    assert not file.exists()


def test_force_begins_an_unfinished_file_anew(command: Command, file: Path) -> None:
    part_of(file).write_bytes(OLD * 10_000)
    assert command(*QUICK, "--out", file, "--force").status == 0
    assert file.read_text(encoding="utf-8") == command(*QUICK).out
    assert not part_of(file).exists()


def only_line(text: str) -> str:
    """Return the only line of a text; an interrupt may begin it with an empty one."""
    (line,) = text.strip().splitlines()
    return line


def failing_at_row(row: int, error: BaseException) -> Callable[[Target, str], World]:
    """Return a stand-in for `synthesize` that raises an error at a row."""
    made: list[World] = []

    def failing(target: Target, seed: str) -> World:
        if len(made) == row:
            raise error
        made.append(synthesize(target, seed))
        return made[-1]

    return failing


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (WishError("no such world"), 2, "no such world"),
        (OSError(28, "No space left on device"), 2, "No space left on device"),
    ],
    ids=["interrupt", "wish", "disk"],
)
@pytest.mark.parametrize("old", [None, OLD], ids=["new", "old"])
def test_what_ends_a_run_leaves_the_finished_lines_and_the_old_file(
    command: Command,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    status: int,
    message: str,
    old: bytes | None,
) -> None:
    whole = command(*QUICK, "--count", "5").out
    if old is not None:
        file.write_bytes(old)
    monkeypatch.setattr(splits, "synthesize", failing_at_row(3, error))
    run = command(*QUICK, "--count", "5", "--out", file, "--force")
    assert (run.status, run.out) == (status, "")
    assert message in only_line(run.err)
    kept = part_of(file).read_text(encoding="utf-8")
    assert kept.splitlines() == whole.splitlines()[:3]
    assert kept.endswith("\n")
    assert (file.read_bytes() if file.exists() else None) == old


@pytest.mark.parametrize("error", [KeyboardInterrupt(), WishError("no such world")])
def test_what_ends_a_stream_comes_after_the_finished_lines(
    command: Command, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    whole = command(*QUICK, "--count", "5").out
    monkeypatch.setattr(splits, "synthesize", failing_at_row(3, error))
    run = command(*QUICK, "--count", "5")
    assert run.status != 0
    assert run.out.splitlines() == whole.splitlines()[:3]
    assert only_line(run.err)


def test_a_line_is_in_the_file_before_the_next_world_is_made(file: Path) -> None:
    seen: list[str] = []

    def watched() -> Iterator[World]:
        for world in generate(Target(attendees=2, window_days=2), 3, "s"):
            seen.append(part_of(file).read_text(encoding="utf-8"))
            yield world

    write_split(watched(), str(file))
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    assert seen == ["", lines[0], lines[0] + lines[1]]


def test_a_wish_that_cannot_come_true_leaves_no_file_behind(command: Command, file: Path) -> None:
    run = command("gen", "--dst", "spring-after", "--zones", "UTC", "--out", file)
    assert run.status == 2
    assert "UTC does not move its clock forward" in run.error_line()
    # Otherwise the wish, put right, would be refused for the sake of an empty file.
    assert list(file.parent.iterdir()) == []


# Places that cannot be written


def test_a_directory_is_refused(command: Command, tmp_path: Path) -> None:
    for force in ([], ["--force"]):
        run = command(*QUICK, "--out", tmp_path, *force)
        assert run.status == 2
        assert f"{tmp_path}: exists and is not a regular file" in run.error_line()
    assert list(tmp_path.iterdir()) == []
    assert not tmp_path.with_name(f"{tmp_path.name}.part").exists()


@pytest.mark.parametrize(
    "place", ["missing/worlds.jsonl", "file/worlds.jsonl", "x" * 300, "a\nb/c"]
)
def test_a_place_where_no_file_can_be_made_is_refused(
    command: Command, tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").write_bytes(OLD)
    run = command(*QUICK, "--out", tmp_path / place)
    assert (run.status, run.out) == (2, "")
    assert "cannot be written: " in run.error_line()
    assert (tmp_path / "file").read_bytes() == OLD


def test_an_empty_name_is_refused(command: Command) -> None:
    run = command(*QUICK, "--out", "")
    assert (run.status, run.out) == (2, "")
    assert run.error_line()


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
def test_a_device_is_refused_and_survives(command: Command, force: list[str]) -> None:
    run = command(*QUICK, "--out", os.devnull, *force)
    assert run.status == 2
    assert f"{os.devnull}: exists and is not a regular file" in run.error_line()
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert not os.path.exists(f"{os.devnull}.part")


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
def test_a_fifo_is_refused_and_survives(command: Command, tmp_path: Path, force: list[str]) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    run = command(*QUICK, "--out", fifo, *force)
    assert run.status == 2
    assert f"{fifo}: exists and is not a regular file" in run.error_line()
    assert stat.S_ISFIFO(fifo.stat().st_mode)


def test_an_unfinished_file_that_is_a_fifo_is_not_waited_for(file: Path) -> None:
    os.mkfifo(part_of(file))  # to open it for writing waits for a reader
    run = process(*QUICK, "--out", file, "--force")
    replaced = (run.status, file.exists(), part_of(file).exists()) == (0, True, False)
    refused = (run.status, file.exists(), part_of(file).exists()) == (2, False, True)
    assert replaced or refused


def test_an_unfinished_file_that_is_a_link_does_not_empty_what_it_leads_to(
    command: Command, file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.write_bytes(OLD)
    part_of(file).symlink_to(other)
    command(*QUICK, "--out", file, "--force")
    assert other.read_bytes() == OLD


@pytest.mark.parametrize("exists", [True, False], ids=["file", "nothing"])
def test_a_symbolic_link_stays_and_its_target_is_written(
    command: Command, file: Path, tmp_path: Path, exists: bool
) -> None:
    link = tmp_path / "link"
    link.symlink_to(file)
    if exists:
        file.write_bytes(OLD)
        run = command(*QUICK, "--out", link)
        assert (run.status, file.read_bytes()) == (2, OLD)
    assert command(*QUICK, "--out", link, "--force").status == 0
    assert link.is_symlink()
    assert link.resolve() == file.resolve()
    assert file.read_text(encoding="utf-8") == command(*QUICK).out
    assert names_in(tmp_path) == {"link", file.name, f"{file.name}.manifest.json"}


def with_room_for(size: int) -> Callable[[], None]:
    """Return what makes a process fail to write a file longer than `size` bytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("short_by", ["a byte", "half a line", "a line and a half", "all"])
def test_a_disk_that_is_full_is_an_error_and_leaves_the_old_file(
    command: Command, file: Path, short_by: str
) -> None:
    rows = command(*QUICK, "--count", "3").out.encode().splitlines(keepends=True)
    last, size = len(rows[-1]), sum(map(len, rows))
    missing = {
        "a byte": 1,
        "half a line": last // 2,
        "a line and a half": last + len(rows[-2]) // 2,
        "all": size,
    }[short_by]
    file.write_bytes(OLD)
    run = process(
        *(*QUICK, "--count", "3", "--out", file, "--force"),
        preexec_fn=with_room_for(size - missing),
    )
    assert (run.status, run.out) == (2, "")
    assert "cannot write" in run.error_line() or "cannot be written" in run.error_line()
    assert file.read_bytes() == OLD


def test_a_stream_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    # Unbuffered, the interpreter itself drops what the first write has no room for.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with (tmp_path / "full").open("wb") as full:
        run = subprocess.run(
            [*COMMAND_LINE, *QUICK],
            env=buffered,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            preexec_fn=with_room_for(100),
        )
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1
    assert b"cannot write" in run.stderr


# What a terminal shows


def test_no_progress_bar_in_a_pipe(file: Path) -> None:
    to_file = process(*QUICK, "--count", "3", "--out", file)
    assert (to_file.status, to_file.out) == (0, "")
    assert to_file.error_line().startswith(f"{file}: 3 worlds (")  # what was written, and that only
    streamed = process(*QUICK, "--count", "3")
    assert (streamed.status, streamed.err) == (0, "")
    assert streamed.out == file.read_text(encoding="utf-8")


def test_a_progress_bar_on_a_terminal(file: Path) -> None:
    controller, terminal = pty.openpty()
    ended = subprocess.run(
        [*COMMAND_LINE, *QUICK, "--count", "3", "--out", str(file)],
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        stderr=terminal,
        stdout=subprocess.PIPE,
        check=True,
    )
    os.close(terminal)
    shown = os.read(controller, 1 << 16).decode()
    os.close(controller)
    assert ended.stdout == b""
    assert "worlds" in shown
    assert "3/3" in shown


def test_the_help_fits_a_terminal_of_80_columns_and_names_every_option(command: Command) -> None:
    run = command("gen", "--help")
    assert run.status == 0
    assert max(map(len, run.out.splitlines())) <= 80
    for option in (
        *("--count", "--seed", "--answer", "--starts", "--stretches", "--dst", "--attendees"),
        *("--days", "--duration", "--zones", "--years", "--out", "--force"),
        *("--target-hardness", "--defeat", "--isolate", "--load-bearing", "--load", "--decoys"),
        *("--shard", "--jobs", "--engine", "--ray-address", "--resume"),
    ):
        assert f"  {option} " in run.out
    for policy in (*CORE, *specials(0)):
        assert policy.name in run.out  # in one piece


def test_a_file_that_another_run_is_writing_is_left_alone(command: Command, file: Path) -> None:
    part = part_of(file)
    with part.open("wb") as other:
        other.write(b"a row of the other run\n")
        other.flush()
        fcntl.flock(other, fcntl.LOCK_EX)
        run = command(*QUICK, "--out", file, "--force")
    assert (run.status, run.out) == (2, "")
    assert "another run is writing it" in run.error_line()
    assert part.read_bytes() == b"a row of the other run\n"
    assert not file.exists()


def test_a_full_disk_leaves_whole_lines(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = [synthesize(Target(), str(i)) for i in range(2)]
    room = len(worlds[0].to_line().encode()) + 1 + 100

    class SmallDisk(FileIO):
        def write(self, data: Any) -> int:
            left = room - self.tell()
            if left <= 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(bytes(data)[:left])

    monkeypatch.setattr(writing, "FileIO", SmallDisk)
    with pytest.raises(FileError, match="No space left"):
        write_split(worlds, str(file))
    assert part_of(file).read_text() == worlds[0].to_line() + "\n"


def test_a_closed_standard_error_changes_nothing(tmp_path: Path) -> None:
    program = "import os, sys; os.close(2); sys.stderr = None; "
    program += "from meeting_slot_cli.main import main; main()"
    run = process(*QUICK, command_line=[sys.executable, "-c", program])
    assert run.status == 0
    assert run.out.count("\n") == 1


def test_an_interrupt_is_told_in_one_line(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> World:
        raise KeyboardInterrupt

    monkeypatch.setattr(splits, "synthesize", interrupted)
    run = command(*QUICK)
    assert (run.status, run.err) == (130, "meeting-slot: error: interrupted\n")
