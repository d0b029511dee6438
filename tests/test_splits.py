"""Rows of any seed: eval and train apart, bands and hardness as asked, the default mix."""

import itertools
from collections import Counter

import pytest

from meeting_slot.cpsat.wishes import Target
from meeting_slot.measures import Band, band_of, hardness
from meeting_slot.splits import Side, generate, rows
from meeting_slot.world import shape


def test_eval_and_train_rows_share_no_shape_whatever_the_seeds() -> None:
    sides: tuple[Side, Side] = ("eval", "train")
    shapes = {
        (side, seed): {shape(world) for world in rows(side, str(seed), 2)}
        for side in sides
        for seed in range(40, 46)
    }
    for (side, seed), found in shapes.items():
        assert len(found) == 2, (side, seed)
    of_side = {
        side: set().union(*(s for (one, _), s in shapes.items() if one == side)) for side in sides
    }
    assert not of_side["eval"] & of_side["train"]
    # By construction, so that it holds for every seed: the last bit tells the sides apart.
    assert {int(one[-1], 16) % 2 for one in of_side["eval"]} == {0}
    assert {int(one[-1], 16) % 2 for one in of_side["train"]} == {1}


@pytest.mark.parametrize("band", Band)
def test_rows_of_a_band_are_of_that_band(band: Band) -> None:
    assert {band_of(hardness(world)) for world in rows("eval", "7", 4, band=band)} == {band}


@pytest.mark.parametrize("wanted", [0, 5, 12])
def test_rows_of_a_hardness_have_it(wanted: int) -> None:
    assert [hardness(world) for world in rows("train", "x", 3, hardness=wanted)] == [wanted] * 3


def test_a_band_and_a_hardness_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="exclude each other"):
        next(rows("eval", "1", 1, band=Band.EASY, hardness=3))


def test_a_row_depends_on_its_place_and_not_on_the_rows_before_it() -> None:
    four = [world.to_line() for world in rows("eval", "s", 4)]
    assert [world.to_line() for world in rows("eval", "s", 2)] == four[:2]
    assert len(set(four)) == 4


def test_rows_of_other_seeds_and_names_differ() -> None:
    target = Target(hardness=8)
    worlds = [
        next(generate(target, 1, seed, split))
        for seed, split in itertools.product(("1", "2"), ("a", "b"))
    ]
    assert len({shape(world) for world in worlds}) == 4


def test_every_tenth_eval_row_or_so_has_no_answer() -> None:
    answers = Counter(world.recorded == "NONE" for world in rows("eval", "none", 60))
    assert 1 <= answers[True] <= 15
