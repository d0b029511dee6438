"""Pictures and pages go over old ones, and over nothing else."""

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

from meeting_slot.errors import FileError, MeetingSlotError
from meeting_slot.pictures.saving import check_place, save
from tests.conftest import Command, a_world, write

PAGE = "<!DOCTYPE html>\n<html></html>\n"
SVG = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'


@pytest.mark.parametrize("old", [None, PAGE, SVG])
@pytest.mark.parametrize("new", [PAGE, SVG])
def test_a_picture_goes_over_a_picture(old: str | None, new: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    if old is not None:
        path.write_text(old)
    save(new, str(path))
    assert path.read_text() == new
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("old", ["", "{}", '{"id": "w"}\n', "<!DOCTYPE xml>", " <svg "])
def test_a_picture_goes_over_nothing_else(old: str, tmp_path: Path) -> None:
    path = tmp_path / "world.json"
    path.write_text(old)
    with pytest.raises(FileError, match=r"world\.json: exists and is no picture or page"):
        save(PAGE, str(path))
    assert path.read_text() == old


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        (".", "cannot be written: Is a directory"),
        ("missing/page.html", "cannot be written: No such file or directory"),
        ("file/page.html", "cannot be written: Not a directory"),
        ("pipe", "exists and is not a regular file"),
        ("device", "exists and is not a regular file"),
        ("n" * 300, "cannot be written: File name too long"),
    ],
)
@pytest.mark.parametrize("name", ["audit", "show"])
def test_an_unusable_place_is_refused_in_one_line(
    name: str, place: str, problem: str, command: Command, tmp_path: Path
) -> None:
    world = write(tmp_path / "w.json", a_world())
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/null")
    before = sorted(tmp_path.iterdir())
    run = command(name, str(world), "--html", str(tmp_path / place))
    assert (run.status, run.out) == (2, "")
    assert run.err == f"meeting-slot: error: {tmp_path / place}: {problem}\n"
    assert sorted(tmp_path.iterdir()) == before


def test_a_missing_extra_is_named_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = importlib.util.find_spec

    def find_spec(name: str, *arguments: Any) -> Any:
        return None if name == "altair" else real(name, *arguments)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    with pytest.raises(MeetingSlotError) as caught:
        check_place(str(tmp_path / "page.html"))
    assert str(caught.value) == "altair is missing: pip install 'meeting-slot[report]'"
