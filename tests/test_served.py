"""Which worlds are served, and in which order; what is generated, and when."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from meeting_slot import World, curated_worlds, parse_world
from meeting_slot.environment import served
from meeting_slot.environment.served import Serving, is_unreadable_in, served_worlds
from meeting_slot.errors import FileError, MeetingSlotError
from meeting_slot.measures import Band, band_of, hardness
from meeting_slot.named import manifests, named_split
from meeting_slot.splits import rows
from tests.conftest import unprintable, write
from tests.world_objects import attendee_object, world_object


@pytest.fixture
def numbered(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Replace generated rows by numbered worlds, and return a list of what was asked for."""
    asked: list[tuple[Any, ...]] = []

    def fake(side: str, seed: str, *, band: Band | None, hardness: int | None) -> Iterator[World]:
        for row in itertools.count():
            asked.append((side, seed, band, hardness, row))
            yield parse_world(world_object(attendee_object(f"{side} {row}")))

    monkeypatch.setattr(served, "generated_rows", fake)
    return asked


def lines(worlds: Iterator[World]) -> list[str]:
    return [world.to_line() for world in worlds]


def first(name: str, count: int) -> list[str]:
    return lines(itertools.islice(named_split(name), count))


CURATED = lines(iter(curated_worlds()))


# The default seed


def test_eval_is_the_curated_15_and_then_the_first_of_core_v1(cache: Path) -> None:
    found = lines(served_worlds(Serving()))
    assert len(found) == 100
    assert len(CURATED) == 15
    assert found == CURATED + first("core-v1", 85)
    assert not cache.exists()


@pytest.mark.parametrize("count", [1, 14, 15, 16])
def test_fewer_eval_rows_truncate_the_curated_ones_too(count: int, cache: Path) -> None:
    found = lines(served_worlds(Serving(num_eval_examples=count)))
    assert found == (CURATED + first("core-v1", 1))[:count]
    assert not cache.exists()


def test_train_is_the_first_of_train_v1(cache: Path) -> None:
    found = lines(served_worlds(Serving(split="train", num_train_examples=20)))
    assert found == first("train-v1", 20)
    assert len(list(served_worlds(Serving(split="train")))) == 500
    assert not cache.exists()


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_a_difficulty_filters_all_but_the_curated_rows(difficulty: Any, cache: Path) -> None:
    found = list(served_worlds(Serving(num_eval_examples=20, difficulty=difficulty)))
    assert lines(iter(found[:15])) == CURATED
    assert {band_of(hardness(world)) for world in found[15:]} == {Band(difficulty)}
    train = list(served_worlds(Serving(split="train", num_train_examples=5, difficulty=difficulty)))
    assert {band_of(hardness(world)) for world in train} == {Band(difficulty)}
    for name, worlds in (("core-v1", found[15:]), ("train-v1", train)):
        of_band = (w for w in named_split(name) if band_of(hardness(w)) is Band(difficulty))
        assert lines(iter(worlds)) == lines(itertools.islice(of_band, 5))
    assert not cache.exists()


def test_no_difficulty_is_mixed() -> None:
    mixed = lines(served_worlds(Serving(num_eval_examples=40, difficulty="mixed")))
    assert mixed == lines(served_worlds(Serving(num_eval_examples=40)))


def test_what_core_v1_cannot_fill_is_generated(numbered: list[tuple[Any, ...]]) -> None:
    found = list(served_worlds(Serving(num_eval_examples=318)))
    assert lines(iter(found[:315])) == CURATED + first("core-v1", 300)
    assert [world.attendees[0].name for world in found[315:]] == ["eval 0", "eval 1", "eval 2"]
    assert numbered == [("eval", "42", None, None, row) for row in range(3)]


def test_what_a_band_of_core_v1_cannot_fill_is_generated_in_that_band(
    numbered: list[tuple[Any, ...]],
) -> None:
    hard = sum(w.meta is not None and w.meta["core_failed"] >= 9 for w in named_split("core-v1"))
    found = list(served_worlds(Serving(num_eval_examples=15 + hard + 1, difficulty="hard")))
    assert found[-1].attendees[0].name == "eval 0"
    assert numbered == [("eval", "42", Band.HARD, None, 0)]


# Other seeds and a wished hardness


def test_another_seed_s_rows_are_generated_and_eval_begins_with_the_curated_ones(
    cache: Path,
) -> None:
    found = lines(served_worlds(Serving(seed="7", num_eval_examples=16, target_hardness=0)))
    assert found == CURATED + lines(rows("eval", "7", 1, hardness=0))
    train = Serving(split="train", seed="7", num_train_examples=1, difficulty="easy")
    assert lines(served_worlds(train)) == lines(rows("train", "7", 1, band=Band.EASY))
    assert len(list(cache.glob("*.jsonl"))) == 2


@pytest.mark.parametrize("seed", ["", "042", "42 ", "ünï", "\ud800"])
def test_only_the_default_seed_has_shipped_rows(seed: str, numbered: list[tuple[Any, ...]]) -> None:
    list(served_worlds(Serving(split="train", seed=seed, num_train_examples=1)))
    assert numbered == [("train", seed, None, None, 0)]


@pytest.mark.parametrize(("share", "twelfths"), [(0, 0), (0.5, 6), (0.7, 8), (1.0, 12)])
def test_a_wished_hardness_is_generated_under_the_default_seed_too(
    share: float, twelfths: int, numbered: list[tuple[Any, ...]]
) -> None:
    found = list(served_worlds(Serving(num_eval_examples=16, target_hardness=share)))
    assert lines(iter(found[:15])) == CURATED
    assert numbered == [("eval", "42", None, twelfths, 0)]


def test_rows_are_generated_when_they_are_asked_for_and_not_before(
    numbered: list[tuple[Any, ...]],
) -> None:
    worlds = served_worlds(Serving(seed="x", num_eval_examples=10**9))
    assert lines(itertools.islice(worlds, 15)) == CURATED
    assert numbered == []
    next(worlds)
    assert len(numbered) == 1
    assert len(list(served_worlds(Serving(seed="x", num_eval_examples=15)))) == 15
    assert len(numbered) == 1


# Named splits and files, served whole


@pytest.mark.parametrize("name", ["core-v1", "isolate-v1"])
def test_a_named_split_is_served_whole_whatever_the_numbers(name: str) -> None:
    serving = Serving(split=name, num_eval_examples=3, num_train_examples=2, seed="7")
    assert lines(served_worlds(serving)) == lines(named_split(name))
    assert len(lines(served_worlds(serving))) == manifests()[name].count


def test_files_are_served_whole_one_after_the_other(tmp_path: Path) -> None:
    objects = [world_object(attendee_object(name), id=name) for name in ("a", "b", "c")]
    one, two = write(tmp_path / "1.jsonl", *objects[1:]), write(tmp_path / "2.json", objects[0])
    serving = Serving(worlds=[str(one), str(two)], num_eval_examples=1)
    assert [world.id for world in served_worlds(serving)] == ["b", "c", "a"]


def test_a_named_split_may_stand_among_the_files() -> None:
    assert lines(served_worlds(Serving(worlds=["core-v1"]))) == lines(named_split("core-v1"))


def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.jsonl"):
        next(served_worlds(Serving(worlds=[str(tmp_path / "none.jsonl")])))


@pytest.mark.parametrize("own", [{"id": "twice"}, {}], ids=["own id", "content hash"])
def test_a_world_that_two_files_hold_is_refused(tmp_path: Path, own: dict[str, Any]) -> None:
    world = world_object(attendee_object("Ava"), **own)
    paths = [str(write(tmp_path / name, world)) for name in ("1.json", "2.json")]
    found = served_worlds(Serving(worlds=paths))
    id_ = next(found).id
    with pytest.raises(MeetingSlotError, match=f'^the id "{id_}" is served twice$'):
        next(found)
    with pytest.raises(MeetingSlotError, match="is served twice"):
        list(served_worlds(Serving(worlds=[paths[0], paths[0]])))


def test_a_world_that_a_file_holds_twice_is_refused(tmp_path: Path) -> None:
    world = world_object(attendee_object("Ava"))
    with pytest.raises(FileError, match=r":2: id: .* was used before"):
        list(served_worlds(Serving(worlds=[str(write(tmp_path / "w.jsonl", world, world))])))


# Refused settings


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"split": "test"}, 'split: expected one of eval, train, core-v1, .*, got "test"'),
        ({"split": "a\n" * 999}, "split: expected one of"),
        ({"split": ["eval"]}, "split: expected one of .*, got a list"),
        ({"num_train_examples": 0}, "num_train_examples: expected 1 or more, got 0"),
        ({"num_eval_examples": -1}, "num_eval_examples: expected 1 or more, got -1"),
        ({"num_eval_examples": "9"}, 'num_eval_examples: expected 1 or more, got "9"'),
        ({"num_eval_examples": 1.5}, "num_eval_examples: expected 1 or more, got 1.5"),
        ({"num_eval_examples": True}, "num_eval_examples: expected 1 or more, got true"),
        ({"seed": 42}, "seed: expected a string, got 42"),
        ({"worlds": "w.jsonl"}, 'worlds: expected a list, got "w.jsonl"'),
        (
            {"difficulty": "Hard"},
            'difficulty: expected one of mixed, easy, medium, hard, got "Hard"',
        ),
        ({"difficulty": ["hard"]}, "difficulty: expected one of"),
        ({"target_hardness": 1.01}, "the hardness 1.01 is not from 0 to 1"),
        ({"target_hardness": float("nan")}, "the hardness nan is not from 0 to 1"),
        ({"target_hardness": "1"}, 'target_hardness: expected a number, got "1"'),
        ({"target_hardness": True}, "target_hardness: expected a number, got true"),
        (
            {"difficulty": "mixed", "target_hardness": 0.5},
            "difficulty and target_hardness exclude each other",
        ),
        (
            {"worlds": ["w.jsonl"], "split": "train"},
            "worlds and split train exclude each other",
        ),
        (
            {"worlds": ["w.jsonl"], "difficulty": "hard"},
            "difficulty is for train and eval; worlds is served whole",
        ),
        (
            {"split": "hard-v1", "target_hardness": 1},
            "target_hardness is for train and eval; split hard-v1 is served whole",
        ),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(MeetingSlotError, match=f"^{message}") as refused:
        Serving(**settings)
    assert len(str(refused.value)) < 300
    assert len(str(refused.value).splitlines()) == 1
    assert not unprintable(str(refused.value))


# What a budget of turns can read


@pytest.mark.parametrize(
    ("people", "duration_minutes", "calls"),
    [
        # The list, zone and hours, and the dates of 24 hours and the meeting that ends them.
        ([("Ava", "UTC")], 1, 1 + 2 + 1),
        ([("Ava", "UTC")], 2, 1 + 2 + 2),
        ([("Ava", "UTC"), ("Kai", "Pacific/Auckland")], 2, 1 + 4 + 2 + 2),
    ],
)
def test_a_world_is_unreadable_in_fewer_turns_than_its_calls_and_the_answer(
    people: list[tuple[str, str]], duration_minutes: int, calls: int
) -> None:
    cast = [attendee_object(name, zone) for name, zone in people]
    world = parse_world(world_object(*cast, duration_minutes=duration_minutes))
    assert is_unreadable_in(world, calls)
    assert not is_unreadable_in(world, calls + 1)
