"""The CP-SAT model of a calendar: one literal a cell, one method a family of constraints.

A literal is true where the cell is busy. The answer is chosen outside the model; the model decides
the calendar that makes it the answer, and which policies it misleads. A view's minimum is never
modelled: a policy is wrong where something earlier is valid in its view, or the answer is not.
"""

import random
from collections.abc import Iterable, Sequence, Set
from typing import Final, NamedTuple, TypeVar

from ortools.sat.python import cp_model

from ..errors import MeetingSlotError
from ..instants import instant_text
from ..policies import SHORT
from .solver import Status, solve
from .views import Cells, View

WITNESSES: Final = 16
"""How many earlier starts are offered to the solver as ways to mislead one policy."""

Clause = frozenset[int]
_Item = TypeVar("_Item")


class Infeasible(MeetingSlotError):
    """No calendar of this cast in this window does what was asked; the message says what fails."""


class Calendar(NamedTuple):
    """A solution.

    Attributes:
        busy: for each cell, whether it is busy.
        kept_free: the cells on whose freedom something rests. Any other may become busy without
            harm, as every other constraint only asks for busy cells.
    """

    busy: list[bool]
    kept_free: frozenset[int]


class _Conditional(NamedTuple):
    """Cells that are all free where the literal is true."""

    literal: cp_model.LiteralT
    cells: Clause


class CalendarModel:
    """Which cells are busy, under constraints; cells in no constraint keep the sampled state.

    The methods that keep starts free come first, as the others leave out what is kept free.

    Args:
        cells: the cells of the cast.
        sampled: for each cell, whether a sampled calendar has it busy; the solver's hint.
        rng: the source of chance for what is offered to the solver.
    """

    def __init__(self, cells: Cells, sampled: Sequence[bool], rng: random.Random) -> None:
        self._cells = cells
        self._sampled = sampled
        self._rng = rng
        self._model = cp_model.CpModel()
        self._literals: dict[int, cp_model.IntVar] = {}
        self._free: set[int] = set()
        self._blocked: dict[Clause, None] = {}
        self._conditionals: list[_Conditional] = []

    def start_is_free(self, view: View, start: int) -> None:
        """Keep a start valid in a view.

        Raises:
            Infeasible: the view never has it valid.
        """
        required = view.requirement(start) if view.may_answer(start) else None
        if required is None:
            raise Infeasible(f"{instant_text(start)} cannot be a start ({view.policy.name})")
        self._free |= required

    def starts_are_blocked(self, view: View, starts: Iterable[int]) -> None:
        """Keep each of these starts from being valid in a view: one of its cells is busy.

        Raises:
            Infeasible: a start needs nothing free that a kept one does not need too.
        """
        for start in starts:
            required = view.requirement(start)
            if required is None:
                continue
            if required <= self._free:
                raise Infeasible(
                    f"{instant_text(start)} is valid whenever the wished starts are: it needs no "
                    f"other local times ({view.policy.name})"
                )
            self._blocked[required - self._free] = None

    def starts_are_separate(self, view: View, before: int, after: int) -> None:
        """Keep two valid starts in separate stretches: some start between them is not valid.

        Raises:
            Infeasible: every start between them is valid whenever the kept ones are.
        """
        between = [start for start in view.starts if before < start < after]
        required = [view.requirement(start) for start in between]
        if None in required:
            return
        still_open = [clause - self._free for clause in required if clause is not None]
        longest = max(still_open, key=len, default=Clause())
        if not longest:
            raise Infeasible("the wished valid stretches touch each other")
        self._blocked[longest] = None

    def policies_are_right(self, views: Sequence[View], answer: int | None) -> None:
        """Leave each of these policies right; call it before anything else is blocked.

        Raises:
            Infeasible: one of them is wrong whatever the calendars say.
        """
        if answer is not None:
            for view in views:
                self.start_is_free(view, answer)
        for view in views:
            self.starts_are_blocked(view, view.starts_before(answer))

    def policy_is_wrong(self, gold: View, view: View, answer: int | None) -> None:
        """Mislead a policy.

        Raises:
            Infeasible: it is right in this cast whatever the calendars say.
        """
        if not _is_wrong_anyway(view, answer):
            ways = self._ways_to_mislead(gold, view, answer)
            if not ways:
                raise Infeasible(f"{view.policy.name} cannot fail in this cast")
            self._model.add_bool_or(ways)

    def wrong_policies_number(
        self,
        gold: View,
        views: Sequence[View],
        answer: int | None,
        number: int,
        hinted: Set[str],
    ) -> None:
        """Mislead so many of the policies, those hinted at if possible, and leave the others right.

        Raises:
            Infeasible: in this cast more, or fewer, are wrong whatever the calendars say.
        """
        undecided: list[cp_model.IntVar] = []
        certain = possible = 0
        for view in views:
            if _is_wrong_anyway(view, answer):
                certain += 1
                continue
            ways = self._ways_to_mislead(gold, view, answer)
            wrong = self._model.new_bool_var(view.policy.name)
            self._model.add_bool_or([*ways, ~wrong])
            self._is_right_unless(wrong, view, answer)
            possible += bool(ways)
            undecided.append(wrong)
        if not certain <= number <= certain + possible:
            raise Infeasible(
                f"{certain} to {certain + possible} of {len(views)} policies can fail in this "
                f"cast, not {number}"
            )
        for wrong in undecided:
            self._model.add_hint(wrong, wrong.name in hinted)
        self._model.add(cp_model.LinearExpr.sum(undecided) == number - certain)

    def short_gap_is_missed(self, gold: View, answer: int | None) -> None:
        """Leave a start valid but for one short busy stretch between two free minutes.

        Raises:
            Infeasible: there is no room for one.
        """
        ways = [
            self._all_free(around - gap)
            for start in self._some(gold.starts_before(answer))
            for around, gap in gold.short_gaps(start, SHORT)
            if not gap <= self._free
        ]
        if not ways:
            raise Infeasible("short-busy-missed cannot fail in this cast")
        self._model.add_bool_or(ways)

    def near_misses_number(self, gold: View, answer: int | None, number: int) -> None:
        """Leave at least so many near misses before the answer.

        At each, everybody is free but for the last step, or all but one are free.

        Raises:
            Infeasible: there is no room for as many.
        """
        starts = [start for start in gold.starts_before(answer) if gold.requirement(start)]
        self._rng.shuffle(starts)
        spaced: list[int] = []
        for start in starts:
            if all(abs(start - other) >= 2 * gold.duration for other in spaced):
                spaced.append(start)
        near = []
        for start in spaced[: 4 * number]:
            required = gold.requirement(start) or Clause()
            alone = self._rng.choice(sorted({self._cells.all[cell].attendee for cell in required}))
            all_but_one = {c for c in required if self._cells.all[c].attendee != alone}
            kept = self._rng.choice((gold.requirement_but_last_step(start), Clause(all_but_one)))
            if not required <= kept | self._free:
                near.append(self._all_free(kept))
        if len(near) < number:
            raise Infeasible(f"there is room for {len(near)} near misses only")
        self._model.add(cp_model.LinearExpr.sum(near) >= number)

    def solve(self, most_busy: float, seed: int) -> Calendar:
        """Return a calendar that satisfies every constraint.

        Args:
            most_busy: the largest busy share of any attendee's hours on a date.
            seed: of the solver's own choices.

        Raises:
            Infeasible: there is none.
            OutOfWork: the solver reached its limit first.
        """
        for clause in self._blocked:
            self._model.add_bool_or(self._busy(clause))
        self._blocked.clear()  # they are in the model now; another call must not add them again
        model = self._model.clone()
        self._limit_busy_share(model, most_busy)
        status, solver = solve(model, seed)
        if status is Status.INFEASIBLE:
            raise Infeasible("no calendar of this cast satisfies the wish")
        busy = [state and cell not in self._free for cell, state in enumerate(self._sampled)]
        for cell, literal in self._literals.items():
            busy[cell] = solver.boolean_value(literal)
        kept_free = set(self._free)
        for condition, cells in self._conditionals:
            if solver.boolean_value(condition):
                kept_free |= cells
        return Calendar(busy, frozenset(kept_free))

    def _literal(self, cell: int) -> cp_model.IntVar:
        if cell not in self._literals:
            literal = self._model.new_bool_var("")
            self._model.add_hint(literal, self._sampled[cell])
            self._literals[cell] = literal
        return self._literals[cell]

    def _busy(self, cells: Clause) -> list[cp_model.IntVar]:
        """Return the literals of the cells that may be busy, in a fixed order."""
        # The order of literals changes the solution: it must not hang on that of a set.
        return [self._literal(cell) for cell in sorted(cells) if cell not in self._free]

    def _all_free(self, cells: Clause) -> cp_model.IntVar:
        """Return a literal that, where it is true, keeps these cells free."""
        literal = self._model.new_bool_var("")
        self._model.add_hint(literal, False)
        busy = self._busy(cells)
        self._model.add_bool_and([~one for one in busy]).only_enforce_if(literal)
        self._conditionals.append(_Conditional(literal, cells))
        return literal

    def _ways_to_mislead(self, gold: View, view: View, answer: int | None) -> list[cp_model.IntVar]:
        """Return literals each of which, where true, makes the policy answer something else."""
        ways: list[cp_model.IntVar] = []
        if answer is not None:
            ways += self._busy(view.requirement(answer) or Clause())
        possible = []
        for start in view.starts_before(answer):
            required = view.requirement(start)
            if required is None:
                continue
            # The start must not be valid: some cell that the gold needs has to be left.
            truly = gold.requirement(start) if gold.may_answer(start) else None
            if truly is None or not truly <= required | self._free:
                possible.append(required)
        return ways + [self._all_free(required) for required in self._some(possible)]

    def _is_right_unless(self, wrong: cp_model.IntVar, view: View, answer: int | None) -> None:
        if answer is not None:
            required = view.requirement(answer) or Clause()
            for literal in self._busy(required):
                self._model.add_bool_or([~literal, wrong])
            self._conditionals.append(_Conditional(~wrong, required))
        for start in view.starts_before(answer):
            required_or_none = view.requirement(start)
            if required_or_none is None or required_or_none - self._free in self._blocked:
                continue
            self._model.add_bool_or([*self._busy(required_or_none), wrong])

    def _some(self, items: Sequence[_Item]) -> Sequence[_Item]:
        """Return at most `WITNESSES` of the items, by chance."""
        return items if len(items) <= WITNESSES else self._rng.sample(items, WITNESSES)

    def _limit_busy_share(self, model: cp_model.CpModel, most_busy: float) -> None:
        by_date: dict[tuple[int, int], list[int]] = {}
        for index in sorted(self._literals):
            cell = self._cells.all[index]
            by_date.setdefault((cell.attendee, cell.day), []).append(index)
        for (attendee, day), indices in by_date.items():
            hours = self._cells.cast[attendee].working_hours
            settled = sum(
                self._minutes(i)
                for i in self._cells.of_day(attendee, day)
                if i not in self._literals and i not in self._free and self._sampled[i]
            )
            most = max(0, int(most_busy * (hours.end - hours.start)) - settled)
            lengths = [self._minutes(i) for i in indices]
            if sum(lengths) > most:
                terms = [self._literals[i] for i in indices]
                model.add(cp_model.LinearExpr.weighted_sum(terms, lengths) <= most)

    def _minutes(self, cell: int) -> int:
        return self._cells.all[cell].end - self._cells.all[cell].start


def _is_wrong_anyway(view: View, answer: int | None) -> bool:
    """Return whether a policy can't give the answer in this cast, whatever the calendars say."""
    return answer is not None and (not view.may_answer(answer) or view.requirement(answer) is None)
