"""Which misconception a wrong answer shows: who gives it, ties, and what chance would do."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meeting_slot import World, answer_text, named_split, parse_world
from meeting_slot.instants import parse_answer
from meeting_slot.measures import matching, panel, policies_for
from meeting_slot.policies import CORE, policy_named, skip_attendee
from meeting_slot.reading import Reader
from meeting_slot.report.misconceptions import (
    Misconceptions,
    PolicyMatches,
    attribution,
    misconceptions,
)
from meeting_slot.report.played import WRONG, Ending, Run, read_run
from meeting_slot.report.played_world import played_world
from meeting_slot.report.run_file import run_file
from meeting_slot.scoring import SKIP_ONE
from meeting_slot.sweep import earliest_start
from tests.run_files import answers_file
from tests.world_objects import attendee_object, world_object

from .conftest import ANSWER, a_world

AVA_AND_FARID = parse_world(a_world())
WORLDS = list(named_split("core-v1"))[::6]
CORE_NAMES = [policy.name for policy in CORE]


def minute(text: str) -> int:
    found = parse_answer(text)
    assert found is not None
    return found.minute


def run_of(folder: Path, answers: Sequence[tuple[World, Sequence[str]]]) -> Run:
    return read_run(run_file(answers_file(folder / "results.jsonl", answers)))


def found_in(run: Run) -> dict[str, PolicyMatches]:
    return {one.policy: one for one in misconceptions(run).policies}


# Who gives an answer


def test_policies_whose_views_coincide_count_as_one() -> None:
    # New York is at its smallest offset of the year when the window starts, and London too.
    world = played_world(AVA_AND_FARID)
    found = attribution(world, minute("2024-03-11T14:00:00Z"))
    assert found.core == (("ignore-dst", "offset-frozen"),)


def test_with_two_attendees_leaving_out_the_last_is_looking_at_the_first_only() -> None:
    world = parse_world(
        world_object(attendee_object("Ava"), attendee_object("Ben", hours="10:00-17:00"))
    )
    found = attribution(played_world(world), minute("2024-03-11T09:00:00Z"))
    assert found.core == (("first-attendee-only", "skip-last-attendee"),)
    assert found.others == ((SKIP_ONE,),)


def test_policies_that_agree_by_coincidence_do_not_count_as_one() -> None:
    # Nobody looks at 09:00 but who overlooks the block, or Ben: two ways to the same answer.
    world = parse_world(
        world_object(
            attendee_object("Ava"), attendee_object("Ben", busy={"2024-03-11": "09:00-10:00"})
        )
    )
    found = attribution(played_world(world), minute("2024-03-11T09:00:00Z"))
    assert found.core == (("ignore-busy",), ("first-attendee-only", "skip-last-attendee"))


@pytest.mark.parametrize("world", WORLDS[:8])
def test_views_coincide_only_where_answers_must(world: World) -> None:
    reader = Reader(world)
    by_view: dict[object, set[int | None]] = {}
    for policy in policies_for(world):
        by_view.setdefault(reader.view(policy), set()).add(reader.answer(policy))
    assert all(len(answers) == 1 for answers in by_view.values())
    last = skip_attendee(len(world.attendees))
    assert reader.view(policy_named("skip-last-attendee")) == reader.view(last)


@pytest.mark.parametrize("world", WORLDS[:8])
def test_everyone_who_gives_a_wrong_answer_is_named_and_nobody_else(world: World) -> None:
    known = played_world(world)
    right = earliest_start(world)
    for answer in set(panel(world).answers.values()):
        expected = set() if answer == right else {p.name for p in matching(world, answer)}
        names = {SKIP_ONE if n.startswith("skip-attendee-") else n for n in expected}
        assert set(attribution(known, answer).names) == names


# Over a run


def test_each_core_policy_is_named_for_all_its_wrong_answers_and_for_no_right_one(
    tmp_path: Path,
) -> None:
    wrong = alone = 0
    for policy in CORE:
        answers = [(world, [answer_text(Reader(world).answer(policy))]) for world in WORLDS]
        run = run_of(tmp_path, answers)
        for rollout in run.rollouts:
            world = run.worlds[rollout.world]
            is_wrong = policy.name in {one.policy for one in world.wrong}
            assert rollout.ending in (WRONG if is_wrong else (Ending.EXACT,))
            if is_wrong:
                assert policy.name in attribution(world, rollout.answer).names
        found = misconceptions(run)
        assert found.core == found.wrong == found_in(run)[policy.name].matched
        assert found.others == found.unexplained == 0
        wrong += found.wrong
        alone += found.core_alone
    assert alone / wrong >= 0.5, (alone, wrong)


def test_ties_are_shared_among_classes_and_then_among_their_policies(tmp_path: Path) -> None:
    run = run_of(tmp_path, [(AVA_AND_FARID, ["2024-03-11T14:00:00Z", ANSWER])])
    found = found_in(run)
    for name in ("ignore-dst", "offset-frozen"):
        assert (found[name].matched, found[name].alone, found[name].share) == (1, 1, 0.5)
        assert found[name].wrong == 1
    assert found["ignore-busy"].matched == found["ignore-busy"].share == 0
    assert found["naive"].wrong == 1  # wrong as well, but with another answer
    assert found["naive"].by_chance is None  # there is no other world to deal to


def test_what_no_core_policy_explains_goes_to_the_others_or_to_nobody(tmp_path: Path) -> None:
    # From 13:00 on all is valid; the last valid start of the window is 16:30 in New York.
    run = run_of(tmp_path, [(AVA_AND_FARID, ["2024-03-11T16:30:00Z", "2024-03-11T16:29:00Z"])])
    found = misconceptions(run)
    assert (found.wrong, found.core, found.others, found.unexplained) == (2, 0, 1, 1)
    last = found_in(run)["last-valid-start"]
    assert (last.matched, last.alone, last.share) == (1, 1, 1.0)


def test_unexplained_near_misses_are_counted(tmp_path: Path) -> None:
    # All but Ben are free from 09:00; who overlooks him says 09:00, nobody says 09:07.
    world = parse_world(
        world_object(
            attendee_object("Ava"), attendee_object("Ben", busy={"2024-03-11": "09:00-11:00"})
        )
    )
    run = run_of(tmp_path, [(world, ["2024-03-11T09:07:00Z", "2024-03-11T09:00:00Z"])])
    found = misconceptions(run)
    assert (found.core, found.unexplained, found.near_misses) == (1, 1, 1)


answers_of_worlds = st.lists(
    st.tuples(st.integers(0, 11), st.sampled_from([*CORE_NAMES, "naive", "always-none"])),
    min_size=1,
    max_size=40,
)


def by_dealing(run: Run) -> Callable[[str], float]:
    """Return how many wrong answers a policy would match by chance, by dealing each in turn."""
    wrong = [rollout for rollout in run.rollouts if rollout.ending in WRONG]

    def matches(name: str) -> float:
        expected = 0.0
        for rollout in wrong:
            world = run.worlds[rollout.world]
            says = {world.offset(one.answer) for one in world.wrong if one.policy == name}
            dealt = [
                run.worlds[other.world].offset(other.answer)
                for other in wrong
                if other.world != rollout.world
            ]
            expected += sum(offset in says for offset in dealt) / len(dealt)
        return expected

    return matches


@settings(deadline=None, derandomize=True, max_examples=25)
@given(answers_of_worlds)
def test_counts_add_up_and_chance_is_what_dealing_gives(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[tuple[int, str]]
) -> None:
    answers = [
        (WORLDS[place], [answer_text(panel(WORLDS[place]).answers[name])]) for place, name in drawn
    ]
    run = run_of(tmp_path_factory.mktemp("run"), answers)
    found: Misconceptions = misconceptions(run)
    assert found.wrong == sum(rollout.ending in WRONG for rollout in run.rollouts)
    assert found.core + found.others + found.unexplained == found.wrong
    assert found.unexplained == 0
    shares = {one.policy: one.share for one in found.policies}
    assert sum(shares.values()) == pytest.approx(found.wrong)
    assert sum(shares[name] for name in CORE_NAMES) == pytest.approx(found.core)
    for one in found.policies:
        assert one.alone <= one.matched <= one.wrong <= found.wrong
        assert one.share <= one.matched + 1e-9
    if len({r.world for r in run.rollouts if r.ending in WRONG}) > 1:
        dealt = by_dealing(run)
        for one in found.policies:
            assert one.by_chance == pytest.approx(dealt(one.policy)), one.policy
    else:
        assert all(one.by_chance is None for one in found.policies)
