"""`gen --engine ray`: the same bytes from Ray tasks, whatever happens to their workers.

Ray is an extra, and these tests need it: in an environment of their own,

    python3 -m venv .venv-ray && .venv-ray/bin/pip install -c constraints.txt -e '.[dev,ray]'
    .venv-ray/bin/pytest tests/test_ray.py
"""

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from meeting_slot import ray_engine
from meeting_slot.cpsat.wishes import Target
from meeting_slot.engines import in_this_process
from meeting_slot.errors import WorkerLost
from meeting_slot.shards import Plan, versions
from tests.conftest import COMMAND_LINE, Command, process
from tests.test_shards import children, wait_for

QUICK = ("gen", "--starts", "any", "--attendees", "2", "--days", "2", "--seed", "s")
PLAN = Plan(target=Target(attendees=2, window_days=2), count=120, seed="s")
SECONDS = 300

needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="Ray is not installed: the extra `ray`"
)


def ray_workers(pid: int) -> list[int]:
    """Return the workers of the Ray that a process has started, those that make rows."""
    found = []
    for child in children(pid):
        try:
            named = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if named.startswith(b"ray::_made_alike"):
            found.append(child)
        found += ray_workers(child)
    return found


@needs_ray
def test_a_worker_that_is_killed_changes_no_byte(tmp_path: Path) -> None:
    file = tmp_path / "worlds.jsonl"
    part = tmp_path / "worlds.jsonl.part"
    arguments = ("--count", str(PLAN.count), "--engine", "ray", "--jobs", "2", "--out", str(file))
    with subprocess.Popen(
        [*COMMAND_LINE, *QUICK, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        try:
            wait_for("rows", lambda: part.exists() and part.stat().st_size > 0)
            wait_for("two workers", lambda: len(ray_workers(run.pid)) == 2)
            killed = ray_workers(run.pid)[0]
            os.kill(killed, signal.SIGKILL)
            written = part.read_bytes().count(b"\n")
            out, err = run.communicate(timeout=SECONDS)
        finally:
            run.kill()
    assert written < PLAN.count  # it was killed during the run
    assert (run.returncode, out) == (0, b""), err
    assert err.decode().startswith(f"{file}: {PLAN.count} worlds (")
    assert err.count(b"\n") == 1
    assert file.read_text(encoding="utf-8").splitlines() == list(in_this_process(PLAN, PLAN.rows))
    assert set(tmp_path.iterdir()) == {file, tmp_path / "worlds.jsonl.manifest.json"}


@needs_ray
def test_a_shard_and_an_error_are_those_of_one_process(command: Command) -> None:
    shard = ("--count", "7", "--shard", "1/2")
    one = command(*QUICK, *shard)
    assert process(*QUICK, *shard, "--engine", "ray", "--jobs", "1") == one
    wish = ("gen", "--dst", "spring-after", "--zones", "UTC", "--count", "3")
    assert process(*wish, "--engine", "ray", "--jobs", "1") == command(*wish)


@needs_ray
@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "auto", "no address"])
def test_a_cluster_that_is_not_there_is_one_line(address: str) -> None:
    run = process(*QUICK, "--engine", "ray", "--ray-address", address)
    assert (run.status, run.out) == (2, "")
    assert run.error_line().startswith("meeting-slot: error: Ray cannot be reached: ")


def test_a_worker_of_other_versions_makes_no_row() -> None:
    other = {**versions(), "ortools": "1.0"}
    lines, error = ray_engine._made_alike(PLAN, range(1), other)
    assert lines == []
    assert isinstance(error, WorkerLost)
    assert "a Ray worker has ortools " in str(error)
    lines, error = ray_engine._made_alike(PLAN, range(1), versions())
    assert (lines, error) == (list(in_this_process(PLAN, range(1))), None)


def test_without_ray_one_line_says_how_to_install_it(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    run = command(*QUICK, "--engine", "ray")
    assert (run.status, run.out) == (2, "")
    assert 'pip install "meeting-slot[ray]"' in run.error_line()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--ray-address", "auto"), "--ray-address needs --engine ray"),
        (("--engine", "ray", "--ray-address", "auto", "--jobs", "2"), "exclude each other"),
        (("--engine", "spark"), "--engine"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    command: Command, arguments: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", sys)  # whether it is installed does not matter
    run = command(*QUICK, *arguments)
    assert (run.status, run.out) == (2, "")
    assert message in run.error_line()
