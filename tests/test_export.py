"""`export`: tables that `datasets` reads without being told the types; worlds that come back."""

import gzip
import json
import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from meeting_slot import exporting, parse_answer, parse_world, read_worlds
from meeting_slot.curated import curated_worlds
from meeting_slot.exporting import COLUMNS, export, row_of
from meeting_slot.instants import answer_text
from meeting_slot.measures import band_of, hardness, load
from meeting_slot.named import worlds_of
from meeting_slot.sweep import earliest_start
from meeting_slot.world import World, content_hash
from tests.conftest import ANSWER, Command, a_world, process, write

FORMATS = {".parquet": "parquet", ".jsonl.gz": "json"}


def loaded(path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a table as `datasets` loads it, offline."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets  # type: ignore[import-untyped]

    kind = next(kind for ending, kind in FORMATS.items() if path.name.endswith(ending))
    cache = str(path.parent / "cache")
    return datasets.load_dataset(kind, data_files=str(path), cache_dir=cache, split="train")


@pytest.fixture(params=FORMATS)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return the path of a table to be written, of each format."""
    return tmp_path / f"worlds{request.param}"


def test_datasets_reads_each_column_with_its_type(
    command: Command, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = command("export", "hard-v1", "--out", table)
    assert (run.status, run.out) == (0, "")
    assert run.error_line() == f"{table}: 300 worlds"
    rows = loaded(table, monkeypatch)
    types = {name: feature.dtype for name, feature in rows.features.items()}
    assert types == {name: {str: "string", int: "int64"}[kind] for name, kind in COLUMNS.items()}
    assert list(types) == list(COLUMNS)
    worlds = list(worlds_of("hard-v1"))
    assert len(rows) == len(worlds)
    for row, world in zip(rows, worlds, strict=True):
        assert row["id"] == world.id
        assert row["hardness"] == hardness(world) == 12
        assert row["band"] == band_of(12).value == "hard"
        assert (row["load_calls"], row["load_size"]) == (load(world).calls, load(world).size.value)
        assert row["attendees"] == len(world.attendees)
        assert row["days"] == world.request.window_days
        found = parse_answer(row["answer"])
        assert (None if found is None else found.minute) == earliest_start(world)


@pytest.mark.parametrize("answer", ["NONE", ANSWER])
def test_the_types_do_not_depend_on_the_worlds(
    table: Path, monkeypatch: pytest.MonkeyPatch, answer: str, tmp_path: Path
) -> None:
    # Where all answers are instants, Arrow would take them for timestamps.
    days = 1 if answer == "NONE" else 4
    request = {"duration_minutes": 30, "window_start": "2024-03-08", "window_days": days}
    world = parse_world(a_world(request=request))
    export([world], str(table))
    rows = loaded(table, monkeypatch)
    assert rows.features["answer"].dtype == "string"
    written = answer if table.suffix == ".parquet" else answer.replace("00Z", "00.000Z")
    assert rows[0]["answer"] == written


def test_the_world_comes_back(
    table: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: Command
) -> None:
    own = parse_world(a_world(id='my own " id \U0001f600', answer="NONE", meta={"seed": "secret"}))
    worlds = [*curated_worlds(), own]
    export(worlds, str(table))
    rows = loaded(table, monkeypatch)
    back = tmp_path / "back.jsonl"
    back.write_text("".join(f"{row['world']}\n" for row in rows), encoding="utf-8")
    found = list(read_worlds(str(back)))
    assert [world.id for world in found] == [world.id for world in worlds]
    assert list(map(content_hash, found)) == list(map(content_hash, worlds))
    assert [world.to_line() for world in found] == [row["world"] for row in rows]
    solved = command("solve", back)
    assert solved.out.splitlines() == [
        f"{answer_text(earliest_start(world))} {world.id}" for world in worlds
    ]


def test_the_world_tells_no_answer(table: Path) -> None:
    row = row_of(parse_world(a_world(answer=ANSWER, meta={"target": {"answer": ANSWER}})))
    assert ANSWER not in row["world"]
    assert set(json.loads(row["world"])) == {"id", "request", "attendees"}
    assert list(row) == list(COLUMNS)


def test_a_recorded_answer_that_is_wrong_is_not_written_but_named(
    command: Command, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meta = {"core_failed": 99, "load": {"calls": 1, "size": "L"}}
    file = write(tmp_path / "world.json", a_world(answer="NONE", meta=meta))
    run = command("export", file, "--out", table)
    warning, said = run.err.splitlines()
    assert run.status == 0
    assert warning.startswith("warning: ")
    assert warning.endswith(f"the recorded answer NONE is wrong, it is {ANSWER}")
    assert said == f"{table}: 1 world"
    (row,) = loaded(table, monkeypatch)
    assert row["answer"].startswith("2024-03-11T13:00:00")
    assert row["hardness"] == hardness(parse_world(a_world()))
    assert row["load_size"] == "S"


def test_standard_input_is_read(command: Command, table: Path) -> None:
    run = command("export", "-", "--out", table, stdin=json.dumps(a_world()).encode())
    assert run.status == 0
    assert run.error_line() == f"{table}: 1 world"


def test_the_same_worlds_give_the_same_bytes(table: Path, tmp_path: Path) -> None:
    export(curated_worlds(), str(table))
    again = tmp_path / f"again{''.join(table.suffixes)}"
    export(curated_worlds(), str(again))
    assert again.read_bytes() == table.read_bytes()


def test_row_groups_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = list(curated_worlds())
    path = tmp_path / "worlds.parquet"
    monkeypatch.setattr(exporting, "MOST_ROWS", 4)
    export(worlds, str(path))
    assert [parquet.ParquetFile(path).metadata.row_group(i).num_rows for i in range(4)] == [
        *(4, 4, 4, 3)
    ]
    monkeypatch.setattr(exporting, "MOST_TEXT", 1)
    export(worlds, str(path), force=True)
    assert parquet.ParquetFile(path).metadata.num_row_groups == len(worlds)


def test_worlds_are_read_one_at_a_time(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[World] = []

    def counted(world: World) -> dict[str, Any]:
        seen.append(world)
        return row_of(world)

    def watched() -> Iterator[World]:
        for number, world in enumerate(curated_worlds()):
            assert len(seen) == number
            yield world

    monkeypatch.setattr(exporting, "row_of", counted)
    assert export(watched(), str(table)) == len(seen) == 15


def test_an_id_that_is_a_date_is_refused_in_jsonl(
    command: Command, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "world.json", a_world(id="2024-03-08"))
    run = command("export", file, "--out", table)
    if table.suffix == ".parquet":
        assert loaded(table, monkeypatch)[0]["id"] == "2024-03-08"
        return
    assert run.status == 2
    assert 'the id "2024-03-08" would be read as a date' in run.error_line()
    assert set(tmp_path.iterdir()) == {file}


# What is refused


@pytest.mark.parametrize("name", ["worlds.csv", "worlds.jsonl", "worlds.jsonl.zst", "parquet", ""])
def test_another_ending_is_refused(command: Command, tmp_path: Path, name: str) -> None:
    run = command("export", "core-v1", "--out", f"{tmp_path}/{name}")
    assert run.status == 2
    assert "expected a name that ends in .parquet or .jsonl.gz" in run.error_line()
    assert list(tmp_path.iterdir()) == []


def test_without_a_file_nothing_is_exported(command: Command) -> None:
    run = command("export", "core-v1")
    assert (run.status, run.out) == (2, "")
    assert "--out" in run.error_line()


def test_a_table_that_exists_is_overwritten_with_force_only(command: Command, table: Path) -> None:
    table.write_bytes(b"old")
    run = command("export", "-", "--out", table, stdin=json.dumps(a_world()).encode())
    assert run.status == 2
    assert "exists; --force overwrites it" in run.error_line()
    assert table.read_bytes() == b"old"
    again = ("export", "-", "--out", table, "--force")
    assert command(*again, stdin=json.dumps(a_world()).encode()).status == 0
    assert table.read_bytes() != b"old"


def test_a_split_that_is_broken_leaves_no_table(
    command: Command, table: Path, tmp_path: Path
) -> None:
    file = write(tmp_path / "worlds.jsonl", a_world(), {"no": "world"})
    run = command("export", file, "--out", table)
    assert run.status == 2
    assert f"{file}:2" in run.error_line()
    assert set(tmp_path.iterdir()) == {file}


def with_room_for(size: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.parametrize("room", [0, 3, 5_000])
def test_a_full_disk_is_one_line_and_leaves_no_table(table: Path, room: int) -> None:
    run = process("export", "hard-v1", "--out", table, preexec_fn=with_room_for(room))
    assert run.status == 2
    assert "cannot be written" in run.error_line()
    assert list(table.parent.iterdir()) == []


@pytest.mark.parametrize("where", [os.devnull, "/dev/full"])
def test_a_device_is_no_table(command: Command, tmp_path: Path, where: str) -> None:
    link = tmp_path / "device.parquet"
    link.symlink_to(where)
    run = command("export", "core-v1", "--out", link, "--force")
    assert run.status == 2
    assert "is not a regular file" in run.error_line()


def test_jsonl_is_plain_json_in_gzip(tmp_path: Path) -> None:
    path = tmp_path / "worlds.jsonl.gz"
    export(curated_worlds(), str(path))
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    assert [row["id"] for row in rows] == [world.id for world in curated_worlds()]
    assert all(list(row) == list(COLUMNS) for row in rows)


def test_the_help_names_every_column(command: Command) -> None:
    run = command("export", "--help")
    assert max(map(len, run.out.splitlines())) <= 80
    for name in COLUMNS:
        assert name in run.out
