"""A formula over literals, gathered in lists and handed to CP-SAT in bulk.

A *literal* is an integer, as in CP-SAT's own format: a variable's number, or `~number` for its
negation. Gathering costs next to nothing, so a wish that cannot come true is found out before
anything is built, and what is built is written without an object for each variable.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from ortools.sat.python import cp_model, cp_model_helper

Literal = int


class _Sum(NamedTuple):
    """`low <= sum of weight x literal <= high`."""

    literals: list[Literal]
    weights: list[int]
    low: int
    high: int


@cache
def _blocks(count: int) -> list[cp_model_helper.CpModelProto]:
    """Return models of 1, 2, 4 and so on Boolean variables, which are faster merged than added."""
    blocks = []
    for power in range(count):
        block = cp_model_helper.CpModelProto()
        for _ in range(2**power):
            block.variables.add().domain.extend((0, 1))
        blocks.append(block)
    return blocks


class Formula:
    """Clauses, implications and sums over Boolean variables, each with a hint."""

    def __init__(self) -> None:
        self._hints: list[bool] = []
        self._clauses: list[list[Literal]] = []
        self._implications: list[tuple[Literal, list[Literal]]] = []
        self._sums: list[_Sum] = []

    def new_variable(self, hint: bool = False) -> Literal:
        """Return the literal of a new variable."""
        self._hints.append(hint)
        return len(self._hints) - 1

    def hint(self, literal: Literal, value: bool) -> None:
        """Suggest another value for a variable."""
        self._hints[literal] = value

    def some(self, literals: Iterable[Literal]) -> None:
        """Ensure that at least one of the literals is true."""
        self._clauses.append(list(literals))

    def if_then_all(self, condition: Literal, literals: Iterable[Literal]) -> None:
        """Ensure that where the condition is true, all the literals are."""
        self._implications.append((condition, list(literals)))

    def sum_between(
        self, literals: Sequence[Literal], low: int, high: int, weights: Sequence[int] | None = None
    ) -> None:
        """Ensure that the weights of the true variables, 1 each by default, sum to low to high."""
        self._sums.append(_Sum(list(literals), list(weights or [1] * len(literals)), low, high))

    def model(self) -> cp_model.CpModel:
        """Return the formula as CP-SAT takes it."""
        model = cp_model.CpModel()
        proto = model.proto
        for power, block in enumerate(_blocks(len(self._hints).bit_length())):
            if len(self._hints) >> power & 1:
                proto.merge_from(block)
        proto.solution_hint.vars.extend(range(len(self._hints)))
        proto.solution_hint.values.extend(self._hints)
        constraints = proto.constraints
        for clause in self._clauses:
            constraints.add().bool_or.literals.extend(clause)
        for condition, literals in self._implications:
            implication = constraints.add()
            implication.enforcement_literal.append(condition)
            implication.bool_and.literals.extend(literals)
        for literals, weights, low, high in self._sums:
            linear = constraints.add().linear
            linear.vars.extend(literals)
            linear.coeffs.extend(weights)
            linear.domain.extend((low, high))
        return model
