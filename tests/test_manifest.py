"""The manifest beside a split: what it says is so, and `verify` finds a file that was changed."""

import hashlib
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from meeting_slot import parse_world
from meeting_slot.errors import FileError
from meeting_slot.manifest import Manifest, Origin, check_unchanged
from meeting_slot.measures import Band, Size, band_of, hardness, load
from meeting_slot.shards import versions
from meeting_slot.sweep import earliest_start
from tests.conftest import AVA_AND_FARID, Command, process, write

COUNT = 12


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a split of the default mix, made by its first shard of two."""
    file = tmp_path_factory.mktemp("finished") / "worlds.jsonl"
    arguments = ("--count", str(2 * COUNT), "--shard", "0/2", "--seed", "a\n\udcff\u2028")
    assert process("gen", *arguments, "--out", file).status == 0
    return file


@pytest.fixture
def file(finished: Path, tmp_path: Path) -> Path:
    """Return a copy of the split, with its manifest."""
    copy = tmp_path / "worlds.jsonl"
    copy.write_bytes(finished.read_bytes())
    manifest_of(copy).write_bytes(manifest_of(finished).read_bytes())
    return copy


def manifest_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.manifest.json")


# What it says


def test_it_counts_what_the_file_holds(file: Path) -> None:
    manifest = json.loads(manifest_of(file).read_text(encoding="ascii"))
    lines = file.read_bytes().splitlines(keepends=True)
    worlds = [parse_world(json.loads(line)) for line in lines]
    failed = Counter(map(hardness, worlds))
    assert manifest["count"] == len(worlds) == COUNT
    assert manifest["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert manifest["hardness"] == {str(h): failed[h] for h in sorted(failed)}
    bands = Counter(band_of(hardness(world)) for world in worlds)
    assert manifest["band"] == {band.value: bands[band] for band in Band}
    sizes = Counter(load(world).size for world in worlds)
    assert manifest["load"] == {size.value: sizes[size] for size in Size}
    none = sum(earliest_start(world) is None for world in worlds)
    assert manifest["answers"] == {"start": COUNT - none, "NONE": none}
    people = Counter(len(world.attendees) for world in worlds)
    assert manifest["attendees"] == {str(n): people[n] for n in sorted(people)}
    days = Counter(world.request.window_days for world in worlds)
    assert manifest["days"] == {str(n): days[n] for n in sorted(days)}


def test_it_says_what_the_file_was_made_from(file: Path) -> None:
    manifest = json.loads(manifest_of(file).read_bytes())
    assert manifest["made"] == {
        "split": "gen",
        "seed": "a\n\udcff\u2028",
        "count": 2 * COUNT,
        "shard": "0/2",
        "mix": "default",
        "target": {"starts": "any", "stretches": 1, "zones": "common", "years": [2019, 2025]},
    }
    assert manifest["versions"] == versions()
    worlds = [parse_world(json.loads(line)) for line in file.read_bytes().splitlines()]
    for world in worlds:
        assert world.meta is not None
        for name in ("generator", "panel", "ortools", "iana"):
            assert world.meta[name] == manifest["versions"][name]


def test_it_is_the_same_from_any_number_of_jobs(command: Command, tmp_path: Path) -> None:
    texts = set()
    for jobs in ("1", "2"):
        out = tmp_path / f"{jobs}.jsonl"
        run = process("gen", "--starts", "any", "--count", "3", "--jobs", jobs, "--out", out)
        assert run.status == 0
        texts.add(manifest_of(out).read_bytes())
    assert len(texts) == 1


def test_a_file_that_is_overwritten_gets_a_new_one(command: Command, file: Path) -> None:
    old = manifest_of(file).read_bytes()
    assert command("gen", "--starts", "any", "--out", file, "--force").status == 0
    assert manifest_of(file).read_bytes() != old
    assert command("verify", file).status == 0


def test_a_run_that_fails_leaves_the_old_file_and_its_manifest(
    command: Command, file: Path
) -> None:
    old = file.read_bytes(), manifest_of(file).read_bytes()
    run = command("gen", "--dst", "spring-after", "--zones", "UTC", "--out", file, "--force")
    assert run.status == 2
    assert (file.read_bytes(), manifest_of(file).read_bytes()) == old
    assert set(file.parent.iterdir()) == {file, manifest_of(file)}


# What verify makes of it


def changed(command: Command, file: Path) -> str:
    """Return the line that `verify` refuses a file with."""
    run = command("verify", file)
    assert (run.status, run.out) == (2, "")
    return run.error_line()


def test_an_unchanged_file_is_verified(command: Command, file: Path) -> None:
    run = command("verify", file)
    assert (run.status, run.err) == (0, "")
    assert run.out == f"{COUNT} of {COUNT} correct\n"


def test_without_a_manifest_nothing_changes(command: Command, file: Path) -> None:
    manifest_of(file).unlink()
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[1:]))
    assert command("verify", file).out == f"{COUNT - 1} of {COUNT - 1} correct\n"


@pytest.mark.parametrize("more", [-1, 1])
def test_another_count_of_worlds_is_named(command: Command, file: Path, more: int) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1] if more < 0 else [*lines, lines[0]]))
    line = changed(command, file)
    assert f"{file}: is not as it was written: it has {COUNT + more} lines, not {COUNT}" in line
    assert str(manifest_of(file)) in line


@pytest.mark.parametrize("change", ["byte", "space", "order"])
def test_other_bytes_are_named(command: Command, file: Path, change: str) -> None:
    content = file.read_bytes()
    lines = content.splitlines(keepends=True)
    file.write_bytes(
        {
            "byte": content.replace(b"duration_minutes", b"duration_minuter", 1),
            "space": content.replace(b"{", b"{ ", 1),
            "order": b"".join([lines[1], lines[0], *lines[2:]]),
        }[change]
    )
    assert "is not as it was written: its sha256 is " in changed(command, file)


@pytest.mark.parametrize("how", ["answer", "answers"])
def test_a_changed_file_is_refused_whatever_is_proposed(
    command: Command, file: Path, how: str
) -> None:
    file.write_bytes(file.read_bytes() + b"\n")
    answers = write(file.with_name("answers.jsonl"), {"id": "x", "answer": "NONE"})
    run = command("verify", file, *(["NONE"] if how == "answer" else ["--answers", answers]))
    assert run.status == 2
    assert "is not as it was written" in run.error_line()


def test_a_wrong_answer_in_an_unchanged_file_is_status_1(command: Command, tmp_path: Path) -> None:
    file = write(tmp_path / "world.json", AVA_AND_FARID | {"answer": "NONE"})
    origin: dict[str, Any] = {"made": {}, "versions": {}}
    counts: dict[str, Any] = {
        name: {} for name in ("hardness", "band", "load", "answers", "attendees", "days")
    }
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    write(manifest_of(file), {"count": 1, "sha256": digest, **origin, **counts})
    assert isinstance(check_unchanged(str(file)), Manifest)
    assert command("verify", file).status == 1


@pytest.mark.parametrize(
    "text",
    [
        *(b"", b"{}", b"[]", b"null", b"3", b'{"count": 3}', b'{"count": "\\ud800"}'),
        *(b"\xff", b"[" * 100_000, b" " * 2**21),
    ],
)
def test_a_manifest_that_is_none_is_one_line(command: Command, file: Path, text: bytes) -> None:
    manifest_of(file).write_bytes(text)
    line = changed(command, file)
    assert f"{manifest_of(file)}: is no manifest" in line


def test_a_manifest_that_cannot_be_read_is_one_line(command: Command, file: Path) -> None:
    manifest_of(file).unlink()
    manifest_of(file).mkdir()
    assert f"{manifest_of(file)}: is no manifest" in changed(command, file)
    manifest_of(file).rmdir()
    os.mkfifo(manifest_of(file))
    assert f"{manifest_of(file)}: is no manifest" in changed(command, file)


def test_a_link_where_the_manifest_is_written_is_not_followed(
    command: Command, tmp_path: Path
) -> None:
    (precious := tmp_path / "precious").write_text("mine")
    out = tmp_path / "out.jsonl"
    Path(f"{manifest_of(out)}.part").symlink_to(precious)
    run = command("gen", "--attendees", "2", "--days", "2", "--starts", "any", "--out", out)
    assert run.status == 0
    assert precious.read_text() == "mine"
    assert not manifest_of(out).is_symlink()


def test_a_link_is_held_against_the_manifest_of_its_target(
    command: Command, file: Path, tmp_path: Path
) -> None:
    (folder := tmp_path / "links").mkdir()
    link = folder / "link.jsonl"
    link.symlink_to(file)
    assert command("verify", link).status == 0
    file.write_bytes(file.read_bytes() + b"\n")
    assert str(link) in changed(command, link)


def test_standard_input_pipes_and_names_have_none(
    command: Command, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("-", "isolate-v1"):
        Path(f"{name}.manifest.json").write_text("no manifest", encoding="utf-8")
    line = file.read_bytes().splitlines(keepends=True)[0]
    assert command("verify", "-", stdin=line).status == 0
    refused = command("verify", "isolate-v1", "NONE").error_line()
    assert refused.endswith("isolate-v1: expected one world, got several; --id picks one")
    read, write_end = os.pipe()
    os.write(write_end, line)
    os.close(write_end)
    Path(f"{read}.manifest.json").write_text("no manifest", encoding="utf-8")
    assert check_unchanged(f"/dev/fd/{read}") is None
    os.close(read)


def test_a_difference_is_named_whatever_it_is() -> None:
    origin = Origin({"seed": "1", "target": {"load": "S"}}, {"ortools": "9"})
    assert origin.difference(origin) is None
    for other, said in (
        (
            Origin({"seed": "2", "target": {"load": "S"}}, {"ortools": "9"}),
            'the seed is "1", not "2"',
        ),
        (Origin({"seed": "1", "target": {}}, {"ortools": "9"}), 'the load is "S", not null'),
        (Origin(origin.made, {}), 'the version of ortools is "9", not null'),
        (Origin({**origin.made, "new": "\u202e" * 900}, origin.versions), "the new is null, not "),
    ):
        found = origin.difference(other)
        assert found is not None
        assert found.startswith(said)
        assert len(found) < 200


def test_a_missing_file_has_no_manifest(tmp_path: Path) -> None:
    assert check_unchanged(str(tmp_path / "missing")) is None
    assert check_unchanged("a\0b") is None


def test_what_is_changed_is_told_from_python_as_well(file: Path) -> None:
    file.write_bytes(b"")
    with pytest.raises(FileError, match="it has 0 lines"):
        check_unchanged(str(file))
