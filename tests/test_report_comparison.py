"""Two runs side by side: paired differences, and what is not compared."""

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import stdev

import pytest

from meeting_slot import World, answer_text, earliest_start, named_split
from meeting_slot.errors import MeetingSlotError
from meeting_slot.report.clustered import Z_POWER, Z
from meeting_slot.report.comparison import Comparison, Difference, compare
from meeting_slot.report.played import Run, read_run
from meeting_slot.report.run_file import run_file
from tests.run_files import SYSTEM, answering, conversation, row

from .conftest import write

WORLDS = [world for world, _ in zip(named_split("core-v1"), range(4), strict=False)]
RIGHT, WRONG = True, False


def run_of(folder: Path, name: str, outcomes: Sequence[tuple[World, Sequence[bool]]]) -> Run:
    """Return a run in which a world's rollouts are right or give no answer at all."""
    rows = [
        row(world, conversation(world, answering(answer_text(earliest_start(world))) * right))
        for world, several in outcomes
        for right in several
    ]
    folder.joinpath(name).mkdir()
    return read_run(run_file(write(folder / name / "results.jsonl", *rows)))


def of(comparison: Comparison, measure: str) -> Difference:
    return next(one for one in comparison.differences if one.measure == measure)


def test_differences_are_paired_by_world_and_each_world_counts_once(tmp_path: Path) -> None:
    first = run_of(
        tmp_path,
        "first",
        [
            (WORLDS[0], [RIGHT, WRONG]),
            (WORLDS[1], [WRONG, WRONG]),
            (WORLDS[2], [RIGHT]),
            (WORLDS[3], [WRONG]),
        ],
    )
    second = run_of(
        tmp_path,
        "second",
        [
            (WORLDS[2], [RIGHT, RIGHT, RIGHT, WRONG]),
            (WORLDS[1], [RIGHT]),
            (WORLDS[0], [RIGHT]),
            (WORLDS[3], [WRONG]),
        ],
    )
    (found,) = compare([first, second])
    assert (found.worlds, found.left_out, found.same_prompts) == (4, 0, True)
    exact = of(found, "exact")
    # per world: 0.5 -> 1, 0 -> 1, 1 -> 0.75, 0 -> 0
    differences = [0.5, 1, -0.25, 0]
    assert (exact.first, exact.second) == (0.375, 0.6875)
    assert exact.difference.mean == pytest.approx(0.3125)
    error = stdev(differences) / math.sqrt(4)
    assert exact.difference.error == pytest.approx(error)
    assert exact.difference.low == pytest.approx(0.3125 - Z * error)
    assert exact.smallest_told == pytest.approx((Z + Z_POWER) * error)
    assert of(found, "reward").difference.mean == pytest.approx(1.2 * 0.3125)


def test_where_all_worlds_agree_no_difference_could_be_told(tmp_path: Path) -> None:
    outcomes = [(world, [RIGHT]) for world in WORLDS]
    first, second = (run_of(tmp_path, name, outcomes) for name in ("first", "second"))
    (found,) = compare([first, second])
    exact = of(found, "exact")
    assert (exact.difference.mean, exact.difference.low, exact.smallest_told) == (0, None, None)


def test_each_run_is_compared_with_the_first(tmp_path: Path) -> None:
    runs = [run_of(tmp_path, name, [(WORLDS[0], [RIGHT])]) for name in ("a", "b", "c")]
    assert [(c.first, c.second) for c in compare(runs)] == [
        (runs[0].file.shown, runs[1].file.shown),
        (runs[0].file.shown, runs[2].file.shown),
    ]
    assert compare(runs[:1]) == []


def test_runs_on_different_worlds_are_refused_and_forced_on_the_common_ones(
    tmp_path: Path,
) -> None:
    first = run_of(tmp_path, "first", [(world, [RIGHT]) for world in WORLDS[:3]])
    second = run_of(tmp_path, "second", [(world, [WRONG]) for world in WORLDS[1:]])
    with pytest.raises(MeetingSlotError, match=r"different worlds \(3 and 3, 2 in common\)"):
        compare([first, second])
    (found,) = compare([first, second], force=True)
    assert (found.worlds, found.left_out) == (2, 2)
    assert of(found, "exact").difference.mean == -1
    third = run_of(tmp_path, "third", [(WORLDS[3], [WRONG])])
    with pytest.raises(MeetingSlotError, match="no scored world in common"):
        compare([first, third], force=True)


def test_runs_with_different_prompts_are_refused_without_force(tmp_path: Path) -> None:
    first = run_of(tmp_path, "first", [(WORLDS[0], [RIGHT])])
    messages = conversation(WORLDS[0], "NONE")
    messages[0]["content"] = SYSTEM + "Think hard."
    second = read_run(run_file(write(tmp_path / "results.jsonl", row(WORLDS[0], messages))))
    with pytest.raises(MeetingSlotError, match="different system prompts"):
        compare([first, second])
    (found,) = compare([first, second], force=True)
    assert not found.same_prompts


def test_worlds_with_errors_only_are_left_out(tmp_path: Path) -> None:
    first = run_of(tmp_path, "first", [(world, [RIGHT]) for world in WORLDS[:2]])
    rows = [
        row(WORLDS[0], conversation(WORLDS[0], "")),
        row(WORLDS[1], conversation(WORLDS[1], ""), error="boom"),
    ]
    second = read_run(run_file(write(tmp_path / "results.jsonl", *rows)))
    (found,) = compare([first, second])
    assert (found.worlds, found.left_out) == (1, 1)
