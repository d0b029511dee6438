"""Blind guesses: how far one gets on a split without a single tool call.

The constant ones are the best of the split, chosen with its answers in sight: a ceiling. The two
predictors are cross-validated.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from .advice import Advice, How, Row, most_frequent
from .features import outcome
from .predictors import NAME_CLUES, PROMPT_CLUES, predictions
from .rates import Rate, Tally


class Guess(msgspec.Struct, frozen=True):
    """A way to guess, and what it earns.

    Attributes:
        name: which one.
        says: the advice where it is always the same.
        rate: over all worlds.
    """

    name: str
    says: str | None
    rate: Rate


def guesses(rows: Sequence[Row]) -> tuple[Guess, ...]:
    """Return what each blind guess earns on the worlds of a split."""
    right = Counter(advice for row in rows for advice in row.right_advice())

    def best(how: How) -> Advice:
        of_that_kind = {a: count for a, count in right.items() if a.how is how}
        return most_frequent(of_that_kind) if of_that_kind else Advice(how)

    constants = {
        "always NONE": Advice(How.NONE),
        "best constant instant": best(How.INSTANT),
        "best day and time": best(How.DAY_OF_WINDOW),
    }
    learned = {"prompt alone": PROMPT_CLUES, "names alone": NAME_CLUES}
    return (
        *(Guess(n, a.text(), _rate(rows, [a] * len(rows))) for n, a in constants.items()),
        *(Guess(n, None, _rate(rows, predictions(rows, clues))) for n, clues in learned.items()),
    )


def _rate(rows: Iterable[Row], advice: Iterable[Advice]) -> Rate:
    tally = Tally()
    for row, given in zip(rows, advice, strict=True):
        tally.add(outcome(given.answer(row.window_start), row.valid_bounds))
    return tally.rate()
