"""Generated rows are kept: made once by whichever worker comes first, and the same for all."""

import itertools
import json
import logging
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from meeting_slot import World, parse_world
from meeting_slot.environment import row_cache
from meeting_slot.environment.row_cache import generated_rows
from meeting_slot.errors import FileError
from meeting_slot.measures import Band
from meeting_slot.splits import rows
from tests.conftest import SECONDS, unprintable
from tests.world_objects import attendee_object, world_object

# A worker: it says which rows it makes, waits until all are there, and prints the rows it got.
# At row STOP it leaves a part of the row's line, as if it were interrupted in the middle of it.
WORKER = """
import itertools, pathlib, sys, time
from meeting_slot.environment import row_cache

log, go, count, stop = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *map(int, sys.argv[3:])
made = row_cache.rows

def logged(*arguments, first, **options):
    with log.open("a") as file:
        file.write(f"{first}\\n")
    for world in made(*arguments, first=first, **options):
        if first == stop:
            (path,) = log.parent.glob("cache/*.jsonl")
            with path.open("a") as file:
                file.write(world.to_line()[:100])
            print("torn", flush=True)
            time.sleep(60)
        yield world

row_cache.rows = logged
print("ready", flush=True)
while not go.exists():
    time.sleep(0.01)
for world in itertools.islice(row_cache.generated_rows("eval", "x", hardness=0), count):
    print(world.to_line(), flush=True)
"""


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make rows cheaply, each a world of its own, and return the list of those that were made."""
    numbers: list[int] = []

    def fake(side: str, seed: str, count: int, *, first: int, **kind: Any) -> Iterator[World]:
        assert count == 1
        numbers.append(first)
        yield a_row(first)

    monkeypatch.setattr(row_cache, "rows", fake)
    return numbers


def a_row(number: int) -> World:
    return parse_world(world_object(attendee_object(f"Zoë {number}"), meta={"row": number}))


def some(count: int, **kind: Any) -> list[str]:
    return lines(itertools.islice(generated_rows("eval", "x", **kind), count))


def lines(worlds: Iterator[World]) -> list[str]:
    return [world.to_line() for world in worlds]


def the_file(cache: Path) -> Path:
    (path,) = cache.glob("*.jsonl")
    return path


ROWS = [a_row(number).to_line() for number in range(6)]


# Rows and their file


def test_rows_are_those_of_splits_first_and_again(cache: Path) -> None:
    expected = lines(rows("train", "s", 2, band=Band.EASY))
    for _ in range(2):
        found = generated_rows("train", "s", band=Band.EASY)
        assert lines(itertools.islice(found, 2)) == expected
    assert the_file(cache).read_text(encoding="utf-8").splitlines() == expected


def test_a_row_is_made_once_and_only_when_it_is_asked_for(cache: Path, made: list[int]) -> None:
    worlds = generated_rows("eval", "x")
    assert made == []
    assert not cache.exists()
    assert lines(itertools.islice(worlds, 2)) == ROWS[:2]
    assert made == [0, 1]
    assert some(2) == ROWS[:2]
    assert made == [0, 1]
    assert some(4) == ROWS[:4]
    assert made == [0, 1, 2, 3]
    assert lines(itertools.islice(worlds, 3)) == ROWS[2:5]
    assert made == [0, 1, 2, 3, 4]
    assert the_file(cache).read_text(encoding="utf-8").splitlines() == ROWS[:5]


def test_two_readers_by_turns_get_the_same_rows(cache: Path, made: list[int]) -> None:
    one, other = generated_rows("eval", "x"), generated_rows("eval", "x")
    pairs = [(next(one).to_line(), next(other).to_line()) for _ in range(4)]
    assert pairs == list(zip(ROWS[:4], ROWS[:4], strict=True))
    assert made == [0, 1, 2, 3]


def test_a_reader_that_a_process_inherits_goes_on_there(cache: Path, made: list[int]) -> None:
    worlds = generated_rows("eval", "x")
    next(worlds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a library's threads: the child does without them
        child = os.fork()
    if child == 0:
        right = False
        try:
            right = lines(itertools.islice(worlds, 2)) == ROWS[1:3]
        finally:
            os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert lines(itertools.islice(worlds, 3)) == ROWS[1:4]
    assert made == [0, 3]


@pytest.mark.parametrize(
    "other",
    [
        {"side": "train"},
        {"seed": "X"},
        {"seed": "x\n"},
        {"seed": ""},
        {"seed": "\ud800"},
        {"band": Band.EASY},
        {"band": Band.HARD},
        {"hardness": 0},
        {"hardness": 12},
    ],
    ids=repr,
)
def test_another_kind_of_rows_has_a_file_of_its_own(
    other: dict[str, Any], cache: Path, made: list[int]
) -> None:
    next(generated_rows("eval", "x"))
    next(generated_rows(**({"side": "eval", "seed": "x"} | other)))
    assert made == [0, 0]
    assert len(list(cache.glob("*.jsonl"))) == 2


@pytest.mark.parametrize("what", ["GENERATOR", "PANEL_VERSION", "version", "iana_release"])
def test_another_version_has_a_file_of_its_own(
    what: str, cache: Path, made: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    next(generated_rows("eval", "x"))
    is_text = isinstance(getattr(row_cache, what), str)
    monkeypatch.setattr(row_cache, what, "other" if is_text else lambda *names: "other")
    next(generated_rows("eval", "x"))
    assert made == [0, 0]
    assert len(list(cache.glob("*.jsonl"))) == 2


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"MEETING_SLOT_CACHE": "{}/a"}, "a"),
        ({"MEETING_SLOT_CACHE": "{}/a/b/c", "XDG_CACHE_HOME": "{}/x"}, "a/b/c"),
        ({"MEETING_SLOT_CACHE": "~/a", "HOME": "{}"}, "a"),
        ({"MEETING_SLOT_CACHE": "", "XDG_CACHE_HOME": "{}/x", "HOME": "{}"}, "x/meeting-slot"),
        ({"XDG_CACHE_HOME": "", "HOME": "{}"}, ".cache/meeting-slot"),
        ({"HOME": "{}"}, ".cache/meeting-slot"),
    ],
)
def test_the_folder_is_the_chosen_one_or_the_user_s(
    variables: dict[str, str],
    folder: str,
    tmp_path: Path,
    made: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("MEETING_SLOT_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(tmp_path))
    some(1)
    assert the_file(tmp_path / folder).read_text(encoding="utf-8") == f"{ROWS[0]}\n"


# What may have happened to the file


@pytest.mark.parametrize("left", [1, 50, -1], ids=["a byte", "a part", "all but the line's end"])
@pytest.mark.parametrize("intact", [0, 2])
def test_a_torn_last_line_is_made_anew(
    left: int, intact: int, cache: Path, made: list[int]
) -> None:
    some(intact + 1)
    path = the_file(cache)
    whole = "".join(f"{row}\n" for row in ROWS[:intact]).encode()
    torn = f"{ROWS[intact]}\n".encode()[:left]
    path.write_bytes(whole + torn)
    made.clear()
    assert some(intact + 2) == ROWS[: intact + 2]
    assert made == [intact, intact + 1]
    assert path.read_text(encoding="utf-8").splitlines() == ROWS[: intact + 2]


def test_a_torn_line_that_is_longer_than_the_new_one_leaves_nothing(
    cache: Path, made: list[int]
) -> None:
    some(1)
    the_file(cache).write_text(f"{ROWS[0]}\n{'x' * 10_000}", encoding="utf-8")
    assert some(2) == ROWS[:2]
    assert the_file(cache).read_text(encoding="utf-8").splitlines() == ROWS[:2]


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"\x00" * 50,
        b"\xff\xfe",
        b"not JSON",
        b"{}",
        b"[]",
        b"[" * 100_000,
        ROWS[1].encode()[:-1],
        ROWS[1].replace("09:00", "09:01").encode(),
        ROWS[1].replace("Zoë 1", "Zoë 2").encode(),
        ROWS[1].replace('"id":"', '"id":"0').encode(),
        ROWS[1].encode() + ROWS[2].encode(),
    ],
    ids=lambda line: repr(line[:20]),
)
def test_a_damaged_line_is_refused_by_file_and_line(
    damaged: bytes, cache: Path, made: list[int]
) -> None:
    some(3)
    path = the_file(cache)
    path.write_bytes(b"\n".join([ROWS[0].encode(), damaged, ROWS[2].encode(), b""]))
    before = path.read_bytes()
    worlds = generated_rows("eval", "x")
    assert next(worlds).to_line() == ROWS[0]
    with pytest.raises(FileError) as refused:
        next(worlds)
    assert str(refused.value) == f"{path}: line 2 is damaged; delete this cache file"
    assert path.read_bytes() == before
    assert made == [0, 1, 2]


def test_a_folder_that_cannot_be_made_costs_one_warning_and_no_row(
    tmp_path: Path,
    made: list[int],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("MEETING_SLOT_CACHE", str(tmp_path / "file" / "line\nbreak"))
    with caplog.at_level(logging.WARNING):
        assert some(4) == ROWS[:4]
    assert made == [0, 1, 2, 3]
    (record,) = caplog.records
    message = record.getMessage()
    assert (record.levelname, record.name) == ("WARNING", "meeting_slot.environment.row_cache")
    assert message.startswith("generated worlds are not kept: ")
    assert f"{tmp_path}/file/line\\nbreak" in message
    assert not unprintable(message)
    assert "\n" not in message


def test_a_user_without_a_home_folder_gets_rows_that_are_not_kept(
    made: list[int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MEETING_SLOT_CACHE", "~no-such-user-here/cache")
    assert some(2) == ROWS[:2]
    (record,) = caplog.records
    assert record.getMessage().endswith("Set MEETING_SLOT_CACHE to a folder.")


def test_a_file_system_without_locks_gets_rows_that_are_not_kept(
    cache: Path,
    made: list[int],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def no_lock(path: str) -> None:
        raise NotImplementedError("no flock")

    some(2)
    monkeypatch.setattr(row_cache, "FileLock", no_lock)
    assert some(4) == ROWS[:4]
    assert made == [0, 1, 2, 3]
    assert [record.getMessage() for record in caplog.records] == [
        "generated worlds are not kept: no flock"
    ]
    assert the_file(cache).read_text(encoding="utf-8").splitlines() == ROWS[:2]


@pytest.mark.parametrize("kept", [None, 0, 1], ids=["deleted", "emptied", "cut"])
def test_a_file_that_is_cut_meanwhile_is_not_filled_up(
    kept: int | None, cache: Path, made: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    worlds = generated_rows("eval", "x")
    assert lines(itertools.islice(worlds, 2)) == ROWS[:2]
    path = the_file(cache)
    left = "".join(f"{row}\n" for row in ROWS[: kept or 0])
    if kept is None:
        path.unlink()
    else:
        path.write_text(left, encoding="utf-8")
    assert lines(itertools.islice(worlds, 2)) == ROWS[2:4]
    assert len(caplog.records) == 1
    assert path.read_text(encoding="utf-8") == left
    assert some(4) == ROWS[:4]
    assert path.read_text(encoding="utf-8").splitlines() == ROWS[:4]


def test_a_row_that_cannot_be_made_leaves_the_file_as_it_was(
    cache: Path, made: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    some(1)

    def failing(*arguments: Any, **options: Any) -> Iterator[World]:
        raise FileError("no row today")

    with monkeypatch.context() as patched:
        patched.setattr(row_cache, "rows", failing)
        with pytest.raises(FileError, match="no row today"):
            some(2)
    assert the_file(cache).read_text(encoding="utf-8") == f"{ROWS[0]}\n"
    assert some(2) == ROWS[:2]


# Several processes


Worker = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    """Start processes that take `count` rows each, and end them with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(count: int, stop: int = -1) -> "subprocess.Popen[str]":
        arguments = [str(tmp_path / "log"), str(tmp_path / "go"), str(count), str(stop)]
        command = [sys.executable, "-c", WORKER, *arguments]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def test_workers_that_start_at_once_get_the_same_rows_each_made_once(
    tmp_path: Path, cache: Path, worker: Worker
) -> None:
    workers = [worker(3) for _ in range(3)]
    assert [said(process) for process in workers] == ["ready"] * 3
    (tmp_path / "go").touch()
    found = [process.communicate(timeout=SECONDS)[0].splitlines() for process in workers]
    assert [process.returncode for process in workers] == [0] * 3
    expected = lines(rows("eval", "x", 3, hardness=0))
    assert found == [expected] * 3
    assert the_file(cache).read_text(encoding="utf-8").splitlines() == expected
    assert sorted((tmp_path / "log").read_text().split()) == ["0", "1", "2"]


def test_after_a_worker_is_killed_in_the_middle_of_a_row_the_next_completes_it(
    tmp_path: Path, cache: Path, worker: Worker
) -> None:
    (tmp_path / "go").touch()
    killed = worker(3, stop=1)
    assert said(killed) == "ready"
    first_row = said(killed)
    assert said(killed) == "torn"
    killed.send_signal(signal.SIGKILL)
    assert killed.wait(SECONDS) == -signal.SIGKILL
    assert len(the_file(cache).read_bytes()) == len(first_row.encode()) + 1 + 100
    found = some(3, hardness=0)
    assert found[0] == first_row
    assert found == lines(rows("eval", "x", 3, hardness=0))
    assert the_file(cache).read_text(encoding="utf-8").splitlines() == found
    assert all(json.loads(line)["id"] for line in found)
