"""The named splits: their bytes never change, and no two share a world."""

import gzip
import hashlib
from importlib import resources
from pathlib import Path

import pytest

from meeting_slot.cpsat.cells import Cells
from meeting_slot.cpsat.views import Views
from meeting_slot.measures import Size, hardness, is_load_bearing, load
from meeting_slot.named import manifests, named_split, worlds_of
from meeting_slot.policies import CORE, entailed, policy_named
from meeting_slot.reading import Reader
from meeting_slot.splits import ISOLATED
from meeting_slot.sweep import valid_stretches
from meeting_slot.world import World, shape
from tests.conftest import Command

# What a name stands for. A better split gets a new name: these lines are only ever added to.
SUMS = {
    "core-v1": (300, "baa1125559a5ea17618460debecc5d345e11824bae2a4f8fe55f4889b88b66a3"),
    "hard-v1": (300, "492a801cbea0fdfe5124b6ddfb7fab41371fa80e46aa3571ffa64c5df0a9fd01"),
    "isolate-v1": (400, "321900081a63d3147951e5dd93e9cce448ca8761d6d898a15d95aa5d3be63d2b"),
    "train-v1": (5000, "057b13230e01d1f0b934bd6d68634d67974096b241975a7330f0b79cecc5c72f"),
}


@pytest.fixture(scope="module")
def splits() -> dict[str, list[World]]:
    return {name: list(named_split(name)) for name in SUMS}


@pytest.mark.parametrize("name", SUMS)
def test_the_bytes_of_a_name_are_those_of_its_sum(name: str) -> None:
    packed = resources.files("meeting_slot").joinpath(f"data/{name}.jsonl.gz").read_bytes()
    text = gzip.decompress(packed)
    count, expected = SUMS[name]
    assert hashlib.sha256(text).hexdigest() == expected
    assert text.count(b"\n") == count
    assert (manifests()[name].sha256, manifests()[name].count) == (expected, count)


def test_the_manifest_lists_the_splits_with_their_versions_and_a_canary() -> None:
    assert list(manifests()) == list(SUMS)
    for manifest in manifests().values():
        assert manifest.generator == "synthesis 1"
        assert manifest.iana == "2026f"
        assert manifest.ortools.startswith("9.15")
        assert manifest.canary.startswith("meeting-slot canary ")


def test_no_two_named_splits_share_a_shape_and_none_repeats_one(
    splits: dict[str, list[World]],
) -> None:
    shapes = [shape(world) for worlds in splits.values() for world in worlds]
    assert len(set(shapes)) == len(shapes) == 6000


def test_train_and_eval_are_apart_by_the_last_bit_of_the_shape(
    splits: dict[str, list[World]],
) -> None:
    bits = {name: {int(shape(w)[-1], 16) % 2 for w in worlds} for name, worlds in splits.items()}
    assert bits == {"core-v1": {0}, "hard-v1": {0}, "isolate-v1": {0}, "train-v1": {1}}


def test_recorded_answers_are_the_sweep_s(splits: dict[str, list[World]]) -> None:
    from meeting_slot.verdict import verify_recorded

    for worlds in splits.values():
        for world in worlds:
            verdict = verify_recorded(world)
            assert verdict is not None
            assert verdict.correct, world.id


def test_on_the_hard_split_every_shortcut_fails_and_everybody_counts(
    splits: dict[str, list[World]],
) -> None:
    for world in splits["hard-v1"]:
        assert hardness(world) == len(CORE)
        assert is_load_bearing(world)
        assert load(world).size in (Size.S, Size.M)


def test_each_policy_is_isolated_by_twenty_worlds(splits: dict[str, list[World]]) -> None:
    worlds = splits["isolate-v1"]
    assert len(worlds) == 20 * len(ISOLATED)
    for i, name in enumerate(ISOLATED):
        for world in worlds[20 * i : 20 * (i + 1)]:
            reader = Reader(world)
            gold = reader.answer(policy_named("gold"))
            assert reader.answer(policy_named(name)) != gold
            wrong = {policy.name for policy in CORE if reader.answer(policy) != gold}
            spared = {name, *entailed(name), "first-day-only"}
            # Policies that coincide in a cast, whatever the calendars say, count as one.
            views = Views(Cells(world.attendees, []), world.request)
            isolated = views.of(policy_named(name))
            for other in wrong - spared:
                assert views.of(policy_named(other)).coincides(isolated), world.id


def test_the_default_mix_is_in_the_core_split(splits: dict[str, list[World]]) -> None:
    worlds = splits["core-v1"]
    stretches = [len(valid_stretches(world)) for world in worlds]
    answered = [count for count in stretches if count]
    assert sum(count >= 3 for count in answered) >= 0.8 * len(answered)
    assert 0.05 <= 1 - len(answered) / len(worlds) <= 0.12
    assert all(load(world).size is not Size.L for world in worlds)
    assert {len(world.attendees) for world in worlds} == {2, 3, 4, 5}


def test_commands_take_a_name_where_no_file_has_it(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = command("verify", "core-v1")
    assert (run.status, run.out) == (0, "300 of 300 correct\n")
    Path("core-v1").write_text("no world")
    assert command("verify", "core-v1").status == 2


def test_an_unknown_name_is_an_error() -> None:
    from meeting_slot.errors import FileError

    with pytest.raises(FileError, match="no split is named nosuch"):
        next(named_split("nosuch"))
    with pytest.raises(FileError, match="cannot be read"):
        next(worlds_of("nosuch"))
