"""The CP-SAT model of a calendar: one literal a cell, one method a family of constraints.

A literal is true where the cell is busy. The answer is chosen outside the model; what the model
decides is the calendar that makes it the answer.
"""

from collections.abc import Iterable, Sequence

from ortools.sat.python import cp_model

from ..errors import MeetingSlotError
from ..instants import instant_text
from .solver import Status, solve
from .views import Cells, View


class Infeasible(MeetingSlotError):
    """No calendar of this cast in this window does what was asked; the message says what fails."""


class CalendarModel:
    """Which cells are busy, under constraints; cells in no constraint keep the sampled state.

    Args:
        cells: the cells of the cast.
        sampled: for each cell, whether a sampled calendar has it busy; the solver's hint.
    """

    def __init__(self, cells: Cells, sampled: Sequence[bool]) -> None:
        self._cells = cells
        self._sampled = sampled
        self._free: set[int] = set()
        self._clauses: dict[frozenset[int], None] = {}

    @property
    def free_cells(self) -> frozenset[int]:
        """The cells that have to stay free; any other may become busy without harm."""
        return frozenset(self._free)

    def start_is_free(self, view: View, start: int) -> None:
        """Keep a start valid in a view.

        Raises:
            Infeasible: somebody is off work then.
        """
        required = view.requirement(start)
        if required is None:
            raise Infeasible("somebody is never at work then")
        self._free |= required

    def starts_are_blocked(self, view: View, starts: Iterable[int]) -> None:
        """Keep each of these starts from being valid in a view: one of its cells is busy.

        Call it after every `start_is_free`.

        Raises:
            Infeasible: a start needs nothing free that a kept one does not need too.
        """
        for start in starts:
            required = view.requirement(start)
            if required is None:
                continue
            if required <= self._free:
                raise Infeasible(
                    f"{instant_text(start)} is valid whenever the wished starts are: it needs the "
                    "same local times (another pass of a repeated hour)"
                )
            self._clauses[required - self._free] = None

    def starts_are_separate(self, view: View, before: int, after: int) -> None:
        """Keep two valid starts in separate stretches: some start between them is not valid.

        Raises:
            Infeasible: every start between them is valid whenever the kept ones are.
        """
        between = [start for start in view.starts if before < start < after]
        required = [view.requirement(start) for start in between]
        if None in required:
            return
        open_clauses = [clause - self._free for clause in required if clause is not None]
        longest = max(open_clauses, key=len, default=frozenset[int]())
        if not longest:
            raise Infeasible("the wished valid stretches touch each other")
        self._clauses[longest] = None

    def solve(self, most_busy: float, seed: int) -> list[bool]:
        """Return for each cell whether it is busy.

        Args:
            most_busy: the largest busy share of any attendee's hours on a date.
            seed: of the solver's own choices.

        Raises:
            Infeasible: no calendar satisfies the constraints.
            OutOfWork: the solver reached its limit first.
        """
        model = cp_model.CpModel()
        clauses = [sorted(clause) for clause in self._clauses]
        decided = sorted({cell for clause in clauses for cell in clause})
        literals = {cell: model.new_bool_var("") for cell in decided}
        for clause in clauses:
            model.add_bool_or([literals[cell] for cell in clause])
        for cell, literal in literals.items():
            model.add_hint(literal, self._sampled[cell])
        self._limit_busy_share(model, literals, most_busy)
        status, solver = solve(model, seed)
        if status is Status.INFEASIBLE:
            raise Infeasible("no calendar keeps every other start from being valid")
        busy = [state and cell not in self._free for cell, state in enumerate(self._sampled)]
        for cell, literal in literals.items():
            busy[cell] = solver.boolean_value(literal)
        return busy

    def _limit_busy_share(
        self,
        model: cp_model.CpModel,
        literals: dict[int, cp_model.IntVar],
        most_busy: float,
    ) -> None:
        by_date: dict[tuple[int, int], list[int]] = {}
        for index in literals:
            cell = self._cells.all[index]
            by_date.setdefault((cell.attendee, cell.day), []).append(index)
        for (attendee, day), indices in by_date.items():
            lengths = [self._cells.all[i].end - self._cells.all[i].start for i in indices]
            hours = self._cells.cast[attendee].working_hours
            settled = sum(
                self._cells.all[i].end - self._cells.all[i].start
                for i in self._cells.of_day(attendee, day)
                if i not in literals and self._sampled[i] and i not in self._free
            )
            most = int(most_busy * (hours.end - hours.start)) - settled
            if sum(lengths) > most:
                terms = [literals[i] for i in indices]
                model.add(cp_model.LinearExpr.weighted_sum(terms, lengths) <= max(most, 0))
