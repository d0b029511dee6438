"""The model of a calendar: one literal a cell, one method a family of constraints.

A literal is true where the cell is busy. The answer is chosen outside the model; the model decides
the calendar that makes it the answer, and which policies it misleads. A view's minimum is never
modelled: a policy is wrong where something earlier is valid in its view, or the answer is not.

The constraints are gathered as sets of cells. What can't come true in a cast, whatever the
calendars say, is found out while they are; CP-SAT sees the cells that some constraint is about.
"""

import itertools
import random
from collections.abc import Iterable, Sequence, Set
from typing import Final, NamedTuple

from ..errors import MeetingSlotError
from ..instants import instant_text
from ..policies import SHORT
from .cells import Cells
from .chance import in_any_order
from .formula import Formula, Literal
from .solver import Status, solve
from .views import View

WITNESSES: Final = 3
"""How many earlier starts are offered to the solver as ways to mislead one policy."""

Clause = frozenset[int]


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

    literal: Literal
    cells: Clause


class CalendarModel:
    """Which cells are busy, under constraints; cells in no constraint keep the sampled state.

    The methods that keep starts free come first, as the others leave out what is kept free.

    Args:
        cells: the cells of the cast.
        rng: the source of chance for what is offered to the solver.
    """

    def __init__(self, cells: Cells, rng: random.Random) -> None:
        self._cells = cells
        self._rng = rng
        self._formula = Formula()
        self._literals: dict[int, Literal] = {}
        self._free: set[int] = set()
        self._blocked: dict[int, list[Clause]] = {}
        self._conditionals: list[_Conditional] = []

    def start_is_free(self, view: View, start: int) -> None:
        """Keep a start valid in a view.

        Raises:
            Infeasible: the view never has it valid.
        """
        required = view.requirement(start)
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
            open_cells = required - self._free
            if not open_cells:
                raise Infeasible(
                    f"{instant_text(start)} is valid whenever the wished starts are: it needs no "
                    f"other local times ({view.policy.name})"
                )
            blocked = self._blocked.setdefault(start, [])
            # Whoever looks at less has blocked it for whoever looks at more.
            if not any(clause <= open_cells for clause in blocked):
                blocked.append(open_cells)

    def starts_are_separate(self, view: View, before: int, after: int) -> None:
        """Keep two valid starts in separate stretches: some start between them is not valid.

        Raises:
            Infeasible: every start between them is valid whenever the kept ones are.
        """
        if not view.always_possible(before, after):
            return
        between = [start for start in view.starts if before < start < after]
        longest, start = max(
            ((len((view.requirement(start) or Clause()) - self._free), start) for start in between),
            default=(0, 0),
        )
        if longest == 0:
            raise Infeasible("the wished valid stretches touch each other")
        self.starts_are_blocked(view, [start])

    def policy_is_wrong(self, gold: View, view: View, answer: int | None) -> None:
        """Mislead a policy.

        Raises:
            Infeasible: it is right in this cast whatever the calendars say.
        """
        if not is_wrong_anyway(view, answer):
            ways = self._ways_to_mislead(gold, view, answer)
            if not ways:
                raise Infeasible(f"{view.policy.name} cannot fail in this cast")
            self._formula.some(ways)

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
        undecided: list[Literal] = []
        certain = possible = 0
        for view in views:
            if is_wrong_anyway(view, answer):
                certain += 1
                continue
            ways = self._ways_to_mislead(gold, view, answer)
            wrong = self._formula.new_variable(view.policy.name in hinted)
            self._formula.some([*ways, ~wrong])
            self._is_right_unless(wrong, view, answer)
            possible += bool(ways)
            undecided.append(wrong)
        if not certain <= number <= certain + possible:
            raise Infeasible(
                f"{certain} to {certain + possible} of {len(views)} policies can fail in this "
                f"cast, not {number}"
            )
        self._formula.sum_between(undecided, number - certain, number - certain)

    def short_gap_is_missed(self, gold: View, answer: int | None) -> None:
        """Leave a start valid but for one short busy stretch between two free minutes.

        Raises:
            Infeasible: there is no room for one.
        """
        starts = in_any_order(gold.starts_before(answer), self._rng)
        ways = [
            self._all_free(around - gap)
            for start in itertools.islice(starts, WITNESSES)
            for around, gap in gold.short_gaps(start, SHORT)
            if not gap <= self._free
        ]
        if not ways:
            raise Infeasible("short-busy-missed cannot fail in this cast")
        self._formula.some(ways)

    def near_misses_number(self, gold: View, answer: int | None, number: int) -> None:
        """Leave at least so many near misses before the answer.

        At each, everybody is free but for the last step, or all but one are free.

        Raises:
            Infeasible: there is no room for as many.
        """
        spaced: list[int] = []
        for start in in_any_order(gold.starts_before(answer), self._rng):
            if all(abs(start - other) >= 2 * gold.duration for other in spaced):
                spaced.append(start)
        near = []
        for start in spaced[: 4 * number]:
            required = gold.requirement(start) or Clause()
            attendee_of = {cell: self._cells.attendee_of(cell) for cell in required}
            alone = self._rng.choice(sorted(set(attendee_of.values())))
            all_but_one = {cell for cell in required if attendee_of[cell] != alone}
            kept = self._rng.choice((gold.requirement_but_last_step(start), Clause(all_but_one)))
            if not required <= kept | self._free:
                near.append(self._all_free(kept))
        if len(near) < number:
            raise Infeasible(f"there is room for {len(near)} near misses only")
        self._formula.sum_between(near, number, len(near))

    def solve(self, sampled: Sequence[bool], most_busy: float, seed: int) -> Calendar:
        """Return a calendar that satisfies every constraint; call it once, at the end.

        Args:
            sampled: for each cell, whether a sampled calendar has it busy; the solver's hint.
            most_busy: the largest busy share of any attendee's hours on a date. It is passed only
                where the constraints leave no choice.
            seed: of the solver's own choices.

        Raises:
            Infeasible: there is none.
            OutOfWork: the solver reached its limit first.
        """
        for clauses in self._blocked.values():
            for clause in clauses:
                self._formula.some(self._busy(clause))
        for cell, literal in self._literals.items():
            self._formula.hint(literal, sampled[cell])
        calendar = self._solved(sampled, seed)
        # Few calendars are too full. The limit costs more than the rest: it is added where one is.
        if calendar is not None and self._limit_busy_share(calendar.busy, sampled, most_busy):
            calendar = self._solved(sampled, seed) or calendar
        if calendar is None:
            raise Infeasible("no calendar of this cast satisfies the wish")
        return calendar

    def _solved(self, sampled: Sequence[bool], seed: int) -> Calendar | None:
        status, solver = solve(self._formula.model(), seed)
        if status is Status.INFEASIBLE:
            return None
        true = solver.response_proto.solution
        busy = [state and cell not in self._free for cell, state in enumerate(sampled)]
        for cell, literal in self._literals.items():
            busy[cell] = bool(true[literal])
        kept_free = set(self._free)
        for condition, cells in self._conditionals:
            if true[condition] if condition >= 0 else not true[~condition]:
                kept_free |= cells
        return Calendar(busy, frozenset(kept_free))

    def _literal(self, cell: int) -> Literal:
        literal = self._literals.get(cell)
        if literal is None:
            literal = self._literals[cell] = self._formula.new_variable()
        return literal

    def _busy(self, cells: Clause) -> list[Literal]:
        """Return the literals of the cells that may be busy, in a fixed order."""
        # The order of literals changes the solution: it must not hang on that of a set.
        return [self._literal(cell) for cell in sorted(cells - self._free)]

    def _all_free(self, cells: Clause) -> Literal:
        """Return a literal that, where it is true, keeps these cells free."""
        literal = self._formula.new_variable()
        self._formula.if_then_all(literal, [~busy for busy in self._busy(cells)])
        self._conditionals.append(_Conditional(literal, cells))
        return literal

    def _ways_to_mislead(self, gold: View, view: View, answer: int | None) -> list[Literal]:
        """Return literals each of which, where true, makes the policy answer something else."""
        ways: list[Literal] = []
        if answer is not None:
            ways += self._busy(view.requirement(answer) or Clause())
        witnesses = 0
        for start in in_any_order(view.starts_before(answer), self._rng):
            required = view.requirement(start) or Clause()
            # The start must not be valid: some cell that the gold needs has to be left.
            truly = gold.requirement(start)
            if truly is None or not truly <= required | self._free:
                ways.append(self._all_free(required))
                witnesses += 1
                if witnesses == WITNESSES:
                    break
        return ways

    def _is_right_unless(self, wrong: Literal, view: View, answer: int | None) -> None:
        if answer is not None:
            required = view.requirement(answer) or Clause()
            self._formula.if_then_all(~wrong, [~busy for busy in self._busy(required)])
            self._conditionals.append(_Conditional(~wrong, required))
        for start in view.starts_before(answer):
            open_cells = (view.requirement(start) or Clause()) - self._free
            if not any(clause <= open_cells for clause in self._blocked.get(start, ())):
                self._formula.some([*self._busy(open_cells), wrong])

    def _limit_busy_share(
        self, busy: Sequence[bool], sampled: Sequence[bool], most_busy: float
    ) -> bool:
        """Limit the busy share of every date, if there is one that passes it."""
        limits = []
        passed = False
        for place, attendee in enumerate(self._cells.cast):
            hours = attendee.working_hours
            most = int(most_busy * (hours.end - hours.start))
            for day in self._cells.days(place):
                stretches = self._cells.stretches_on(place, day)
                passed |= sum(end - start for cell, start, end in stretches if busy[cell]) > most
                open_cells = [one for one in stretches if one[0] in self._literals]
                settled = sum(
                    end - start
                    for cell, start, end in stretches
                    if cell not in self._literals and cell not in self._free and sampled[cell]
                )
                limits.append((open_cells, most - settled))
        if passed:
            for open_cells, left in limits:
                literals = [self._literals[cell] for cell, _, _ in open_cells]
                lengths = [end - start for _, start, end in open_cells]
                if sum(lengths) > left:
                    self._formula.sum_between(literals, 0, max(0, left), lengths)
        return passed


def is_wrong_anyway(view: View, answer: int | None) -> bool:
    """Return whether a policy can't give the answer in this cast, whatever the calendars say."""
    return answer is not None and view.requirement(answer) is None


def is_plainly_right(gold: View, view: View, answer: int | None) -> bool:
    """Return whether a policy plainly gives the answer in this cast, whatever the calendars say.

    Another one may do so as well; this is what can be said without a look at every start.
    """
    if answer is not None and view.requirement(answer) != gold.requirement(answer):
        return False
    return view.reads_like(gold) or not view.has_starts_before(answer)
