"""`gen --resume`: whatever interrupts a run, the bytes are the same in the end."""

import fcntl
import importlib.util
import json
import os
import pty
import re
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from meeting_slot import generation, shards, splits
from meeting_slot.cpsat.wishes import Target, WishError
from meeting_slot.manifest import path_of
from meeting_slot.world import World
from tests.conftest import COMMAND_LINE, Command, Run, process

QUICK = ("gen", "--starts", "any", "--attendees", "2", "--days", "2", "--seed", "s")
COUNT = 6


class Place:
    """A folder with what one run of `gen` leaves there, and the bytes that it shall have."""

    def __init__(self, folder: Path, command: Command, finished: Path) -> None:
        self.command = command
        self.file = folder / "worlds.jsonl"
        self.part = folder / "worlds.jsonl.part"
        self.note = folder / "worlds.jsonl.part.json"
        self.manifest = folder / "worlds.jsonl.manifest.json"
        shutil.copytree(finished, folder, dirs_exist_ok=True)
        self.whole = self.file.read_bytes()
        self.whole_manifest = self.manifest.read_bytes()

    def gen(self, *arguments: str) -> Run:
        return self.command(*QUICK, "--count", str(COUNT), "--out", self.file, *arguments)

    def interrupted(self, content: bytes) -> None:
        """Leave what a run that was killed leaves."""
        record = json.loads(self.manifest.read_bytes())
        self.note.write_text(json.dumps({name: record[name] for name in ("made", "versions")}))
        self.file.unlink()
        self.manifest.unlink()
        self.part.write_bytes(content)

    def is_complete(self) -> bool:
        return (
            self.file.read_bytes() == self.whole
            and self.manifest.read_bytes() == self.whole_manifest
            and set(self.file.parent.iterdir()) == {self.file, self.manifest}
        )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what an undisturbed run writes."""
    folder = tmp_path_factory.mktemp("finished")
    file = folder / "worlds.jsonl"
    assert process(*QUICK, "--count", str(COUNT), "--out", file).status == 0
    return folder


@pytest.fixture
def place(tmp_path: Path, command: Command, finished: Path) -> Place:
    return Place(tmp_path, command, finished)


def lines_of(content: bytes, count: int) -> bytes:
    return b"".join(content.splitlines(keepends=True)[:count])


# What an interruption may leave


@pytest.mark.parametrize("rows", range(COUNT + 1))
def test_the_rows_that_are_there_are_kept_and_the_others_made(place: Place, rows: int) -> None:
    place.interrupted(lines_of(place.whole, rows))
    run = place.gen("--resume")
    assert run.status == 0
    assert f"{COUNT} worlds (" in run.error_line()
    assert (f"{rows} from " in run.error_line()) == (0 < rows < COUNT)
    assert place.is_complete()


@pytest.mark.parametrize("torn", [1, 100, -1], ids=["a byte", "a piece", "all but its end"])
@pytest.mark.parametrize("rows", [0, 2, COUNT - 1])
def test_a_torn_last_line_is_dropped(place: Place, rows: int, torn: int) -> None:
    last = place.whole.splitlines(keepends=True)[rows]
    place.interrupted(lines_of(place.whole, rows) + last[:torn])
    assert place.gen("--resume").status == 0
    assert place.is_complete()


@pytest.mark.parametrize("options", [("--jobs", "2"), ("--jobs", "1")])
def test_a_run_may_be_resumed_by_another_number_of_jobs(
    place: Place, options: tuple[str, ...]
) -> None:
    place.interrupted(lines_of(place.whole, 2))
    run = process(*QUICK, "--count", str(COUNT), "--out", place.file, "--resume", *options)
    assert run.status == 0
    assert place.is_complete()


def test_a_shard_is_resumed(place: Place) -> None:
    shard = place.file.with_name("shard.jsonl")
    arguments = (*QUICK, "--count", str(COUNT), "--shard", "1/2", "--out", shard)
    assert place.command(*arguments).status == 0
    content = shard.read_bytes()
    assert content.splitlines() == place.whole.splitlines()[1::2]
    note = json.loads(Path(path_of(str(shard))).read_bytes())
    shard.with_name("shard.jsonl.part.json").write_text(json.dumps(note))
    shard.with_name("shard.jsonl.part").write_bytes(lines_of(content, 1))
    shard.unlink()
    assert place.command(*arguments, "--resume").status == 0
    assert shard.read_bytes() == content


def test_with_nothing_to_resume_a_run_begins(place: Place) -> None:
    place.file.unlink()
    place.manifest.unlink()
    assert place.gen("--resume").status == 0
    assert place.is_complete()


def test_a_complete_file_stays_as_it_is(place: Place) -> None:
    before = place.file.stat()
    run = place.gen("--resume")
    assert run.status == 0
    assert "complete already" in run.error_line()
    assert place.is_complete()
    assert place.file.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("also_part", [True, False], ids=["both names", "one name"])
def test_a_run_that_was_killed_before_its_manifest_is_completed(
    place: Place, also_part: bool
) -> None:
    place.interrupted(place.whole)
    os.link(place.part, place.file)
    if not also_part:
        place.part.unlink()
    run = place.gen("--resume")
    assert run.status == 0
    assert "complete already" in run.error_line()
    assert place.is_complete()


def test_a_name_that_was_not_yet_taken_away_does_not_empty_the_file(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.interrupted(place.whole)
    os.link(place.part, place.file)

    def failing(target: Target, seed: str) -> World:
        raise WishError("no such world")

    monkeypatch.setattr(splits, "synthesize", failing)
    assert place.gen("--force").status == 2
    assert place.file.read_bytes() == place.whole


def test_a_run_that_was_killed_after_its_manifest_leaves_no_note(place: Place) -> None:
    shutil.copy(place.manifest, place.note)
    assert place.gen("--resume").status == 0
    assert place.is_complete()


def test_a_part_without_a_note_that_is_empty_is_begun(place: Place) -> None:
    place.interrupted(b"")
    place.note.unlink()
    assert place.gen("--resume").status == 0
    assert place.is_complete()


def test_an_old_file_is_overwritten_by_a_resumed_run_with_force_only(place: Place) -> None:
    place.interrupted(lines_of(place.whole, 2))
    place.file.write_bytes(b"old\n")
    place.manifest.write_bytes(b"{}")
    place.manifest.unlink()
    run = place.gen("--resume")
    assert run.status == 2
    assert "--force overwrites it" in run.error_line()
    assert (place.file.read_bytes(), place.part.read_bytes()) == (
        b"old\n",
        lines_of(place.whole, 2),
    )
    assert place.gen("--resume", "--force").status == 0
    assert place.is_complete()


# What is refused


def refused(place: Place, run: Run, message: str, part: bytes) -> None:
    """Check that a run has ended in one line, and has changed nothing."""
    assert run.status == 2
    assert message in run.error_line()
    assert place.part.read_bytes() == part
    assert place.note.exists()
    assert not place.file.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--seed", "t"), 'the seed is "s", not "t"'),
        (("--count", "7"), "the count is 6, not 7"),
        (("--shard", "0/2"), 'the shard is "0/1", not "0/2"'),
        (("--days", "3"), "the window_days is 2, not 3"),
        (("--zones", "UTC"), 'the zones is "common", not ["UTC"]'),
        (("--load", "S"), 'the load is null, not "S"'),
    ],
)
def test_rows_of_other_arguments_are_refused(
    place: Place, arguments: tuple[str, ...], message: str
) -> None:
    part = lines_of(place.whole, 2)
    place.interrupted(part)
    refused(place, place.gen("--resume", *arguments), message, part)


def test_the_mix_is_an_argument(place: Place) -> None:
    # Without --starts the same target is the base of the default mix.
    part = lines_of(place.whole, 2)
    place.interrupted(part)
    mixed = [argument for argument in QUICK if argument not in ("--starts", "any")]
    run = place.command(*mixed, "--count", str(COUNT), "--out", place.file, "--resume")
    refused(place, run, 'the mix is "one wish", not "default"', part)


@pytest.mark.parametrize("name", ["meeting-slot", "generator", "panel", "ortools", "iana"])
def test_rows_of_other_versions_are_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    part = lines_of(place.whole, 2)
    place.interrupted(part)
    other = {**shards.versions(), name: "other"}
    monkeypatch.setattr(generation, "versions", lambda: other)
    refused(place, place.gen("--resume"), f"the version of {name} is ", part)


@pytest.mark.parametrize(
    "what", ["row", "order", "answer", "meta", "measure", "text", "blank", "more"]
)
def test_rows_that_were_changed_are_refused(place: Place, what: str) -> None:
    lines = place.whole.splitlines(keepends=True)
    row = json.loads(lines[1])
    changed = {
        "row": lines[1].replace(b'"duration_minutes":', b'"duration_minutes":1'),
        "order": lines[2],
        "answer": lines[1].replace(row["answer"].encode(), b"NONE"),
        "meta": lines[1].replace(b'"core_failed":', b'"core_fail":'),
        "measure": re.sub(rb'"core_failed":\d+', b'"core_failed":13', lines[1]),
        "text": b"no row\n",
        "blank": b"\n",
        "more": b"".join(lines[1:]) + lines[-1],
    }[what]
    assert changed != lines[1]
    part = lines[0] + changed
    place.interrupted(part)
    number = COUNT + 1 if what == "more" else 2
    refused(place, place.gen("--resume"), f"{place.part}:{number}: is not the row", part)


@pytest.mark.parametrize("note", [None, b"", b"[]", b'{"made": 1}', b"\xff", b"[" * 10_000])
def test_a_part_of_unknown_origin_is_refused(place: Place, note: bytes | None) -> None:
    part = lines_of(place.whole, 2)
    place.interrupted(part)
    if note is None:
        place.note.unlink()
    else:
        place.note.write_bytes(note)
    run = place.gen("--resume")
    assert run.status == 2
    assert str(place.note) in run.error_line()
    assert place.part.read_bytes() == part


def test_a_complete_file_of_other_arguments_is_refused(place: Place) -> None:
    run = place.gen("--resume", "--seed", "t")
    assert run.status == 2
    assert f'{place.file}: exists, and the seed is "s", not "t"' in run.error_line()
    assert place.is_complete()


def test_a_complete_file_that_was_changed_is_refused(place: Place) -> None:
    place.file.write_bytes(lines_of(place.whole, 2))
    run = place.gen("--resume")
    assert run.status == 2
    assert "is not as it was written" in run.error_line()
    assert place.file.read_bytes() == lines_of(place.whole, 2)


def test_a_part_that_another_run_is_writing_is_refused(place: Place) -> None:
    part = lines_of(place.whole, 2)
    place.interrupted(part)
    with place.part.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        refused(place, place.gen("--resume"), "another run is writing it", part)


def test_a_part_that_is_no_file_is_refused(place: Place) -> None:
    place.interrupted(b"")
    place.part.unlink()
    os.mkfifo(place.part)
    run = process(*QUICK, "--count", str(COUNT), "--out", place.file, "--resume")
    assert run.status == 2
    assert "is not a regular file" in run.error_line()


def test_a_stream_cannot_be_resumed(command: Command) -> None:
    run = command(*QUICK, "--resume")
    assert (run.status, run.out) == (2, "")
    assert "--resume needs --out" in run.error_line()


def test_a_part_is_refused_without_resume_and_resume_is_named(place: Place) -> None:
    part = lines_of(place.whole, 2)
    place.interrupted(part)
    refused(place, place.gen(), "--resume continues it", part)


def test_force_begins_anew(place: Place) -> None:
    place.interrupted(b"something else\n" * 10_000)
    assert place.gen("--force").status == 0
    assert place.is_complete()


# Real interruptions


def with_room_for(size: int) -> Callable[[], None]:
    """Return what makes a process fail to write a file longer than `size` bytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_full_disk_keeps_the_finished_rows_and_the_run_goes_on(place: Place, jobs: str) -> None:
    place.file.unlink()
    place.manifest.unlink()
    arguments = (*QUICK, "--count", str(COUNT), "--jobs", jobs, "--out", place.file)
    room = len(lines_of(place.whole, 4)) - 10
    run = process(*arguments, preexec_fn=with_room_for(room))
    assert run.status == 2
    assert "3 finished worlds are in" in run.error_line()
    assert "--resume" in run.error_line()
    assert place.part.read_bytes() == lines_of(place.whole, 3)
    again = process(*arguments, "--resume", preexec_fn=with_room_for(room))
    assert again.status == 2
    assert place.part.read_bytes() == lines_of(place.whole, 3)
    assert process(*arguments, "--resume").status == 0
    assert place.is_complete()


def test_no_room_for_the_note_leaves_nothing(place: Place) -> None:
    place.file.unlink()
    place.manifest.unlink()
    run = process(
        *(*QUICK, "--count", str(COUNT), "--out", place.file), preexec_fn=with_room_for(100)
    )
    assert run.status == 2
    assert "cannot be written" in run.error_line()
    assert list(place.file.parent.iterdir()) == []


def bench(name: str) -> ModuleType:
    """Return a script of `bench/` as a module."""
    path = Path(__file__).parents[1] / "bench" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_runs_that_are_killed_at_random_moments_end_with_the_same_bytes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench("interruptions").main(worlds=60, kills=3, jobs=2, chance="test")
    assert capsys.readouterr().out.count("identical") == 3


def test_the_progress_bar_counts_the_rows_that_were_there(place: Place) -> None:
    place.interrupted(lines_of(place.whole, 4))
    controller, terminal = pty.openpty()
    subprocess.run(
        [*COMMAND_LINE, *QUICK, "--count", str(COUNT), "--out", place.file, "--resume"],
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        stderr=terminal,
        check=True,
    )
    os.close(terminal)
    shown = os.read(controller, 1 << 16).decode()
    os.close(controller)
    assert "6/6" in shown
    assert "1/6" not in shown
    assert "/s" in shown
    assert "4 from" in shown.replace("\r\n", " ")
