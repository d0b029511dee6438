"""The parts of synthesis: the formula, cells, and what is known before there is a model."""

import random

import pytest

from meeting_slot.cpsat import casting, synthesis
from meeting_slot.cpsat.cells import Cell, Cells
from meeting_slot.cpsat.chance import in_any_order
from meeting_slot.cpsat.formula import Formula
from meeting_slot.cpsat.model import Infeasible
from meeting_slot.cpsat.solver import Status, solve
from meeting_slot.cpsat.traits import choose
from meeting_slot.cpsat.wishes import Target
from meeting_slot.instants import MINUTES_A_DAY, parse_day
from meeting_slot.world import Attendee, WorkingHours

MONDAY = parse_day("2024-03-11")


def values(formula: Formula) -> list[bool] | None:
    """Return the solution, None where there is none."""
    status, solver = solve(formula.model())
    return [bool(v) for v in solver.response_proto.solution] if status is Status.SOLVED else None


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 100])
def test_a_formula_without_constraints_takes_the_hints(count: int) -> None:
    formula = Formula()
    hints = [i % 3 == 0 for i in range(count)]
    for hint in hints:
        formula.new_variable(hint)
    assert values(formula) == hints


def test_a_formula_s_constraints_hold_whatever_is_hinted() -> None:
    formula = Formula()
    a, b, c, d = (formula.new_variable(hint) for hint in (False, True, False, True))
    formula.hint(d, False)
    formula.some([a, c])
    formula.if_then_all(a, [~b, d])
    formula.some([~c])
    assert values(formula) == [True, False, False, True]
    formula.sum_between([a, d], 0, 4, [2, 3])
    assert values(formula) is None


def test_a_sum_lies_between_its_bounds() -> None:
    formula = Formula()
    literals = [formula.new_variable() for _ in range(5)]
    formula.sum_between(literals, 2, 2)
    found = values(formula)
    assert found is not None
    assert sum(found) == 2


def cells_of_one(cuts: list[int]) -> Cells:
    person = Attendee("Ava", "UTC", WorkingHours(547, 1020, (0, 1, 2, 3, 4)), {})  # from 09:07
    return Cells([person], [MONDAY * MINUTES_A_DAY + cut for cut in cuts])


@pytest.mark.parametrize(
    ("start", "end", "spans"),
    [
        (547, 548, [(547, 555)]),
        (0, 548, [(547, 555)]),
        (600, 615, [(600, 615)]),
        (600, 616, [(600, 615), (615, 622)]),
        (621, 623, [(615, 622), (622, 630)]),  # cut at 10:22
        (1019, 1440, [(1005, 1020)]),
        (0, 547, []),
        (1020, 1440, []),
    ],
)
def test_cells_between_two_local_times(start: int, end: int, spans: list[tuple[int, int]]) -> None:
    cells = cells_of_one([622])
    found = [cells.all[i] for i in cells.between(0, MONDAY, start, end)]
    assert found == [Cell(0, MONDAY, *span) for span in spans]


def test_only_cuts_off_the_grid_and_inside_the_hours_make_other_cells() -> None:
    assert cells_of_one([600, 615, 546, 1020, 1021]).cuts == frozenset()
    assert cells_of_one([600, 622]).cuts == {(0, MONDAY, 622)}


def test_every_cell_is_numbered_in_the_order_asked_for() -> None:
    cells = cells_of_one([])
    tuesday = cells.of_day(0, MONDAY + 1)
    eve = cells.before_hours(0, MONDAY)
    monday = cells.of_day(0, MONDAY)
    assert (tuesday.start, eve, monday.start) == (0, len(tuesday), len(tuesday) + 1)
    assert len(cells.all) == cells.count == len(tuesday) + 1 + len(monday)
    assert eve is not None
    assert cells.all[eve] == Cell(0, MONDAY, 532, 547)
    assert cells.stretches_on(0, MONDAY)[:2] == [(eve, 532, 547), (monday.start, 547, 555)]
    assert {cells.attendee_of(i) for i in range(cells.count)} == {0}


def test_any_order_holds_each_item_once() -> None:
    assert sorted(in_any_order(range(50), random.Random(1))) == list(range(50))
    assert list(in_any_order(range(50), random.Random(1))) != list(range(50))
    assert list(in_any_order([], random.Random(1))) == []


@pytest.mark.parametrize("hardness", [3, 6, 8, 9, 12])
def test_an_answer_said_not_to_fit_cannot_be_made_one(hardness: int) -> None:
    target = Target(hardness=hardness, attendees=3, window_days=5)
    tried = 0
    for seed in range(60):
        rng = random.Random(seed)
        chosen = choose(target, rng)
        drawn = casting.draw(target, chosen, rng)
        for answer in drawn.answers.others:
            tried += 1
            with pytest.raises(Infeasible):
                synthesis._world(target, drawn, answer, chosen, True, rng)
    assert tried >= 10
