"""The certificate: the smallest set of observations that proves a world's answer.

A start is refuted by any of its *refuters*, the observations that show that a minute of its meeting
is not free. So a proof holds all that confirms the answer, a refuter of each earlier start, and the
zone of whoever it observes. The smallest is a minimum hitting set of the starts' sets of refuters.
"""

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec
from ortools.sat.python import cp_model

from ..instants import answer_text
from ..intervals import Interval, difference, intersection, union
from ..observations import (
    Kind,
    Observation,
    fewest_stretches,
    needed,
    proved,
    refutations,
)
from ..sweep import earliest_start
from ..world import World
from .solver import OutOfWork, Status, solve

CERTIFICATE_WORK: Final = 2.0
"""The most work for one certificate, in CP-SAT's deterministic seconds."""
MOST_REFUTER_BITS: Final = 400_000_000
"""The most sets of refuters, times a bit for each observation in question, that are looked at."""

Useful: TypeAlias = Mapping[Observation, list[Interval]]
"""For each observation in question, in canonical order, the open starts that it refutes."""


class Certificate(msgspec.Struct, frozen=True):
    """The smallest proof that was found of a world's answer; each part of it is needed.

    Attributes:
        answer: the answer, a UTC minute, or None for NONE.
        observations: what has to be observed, by attendee: zone, hours, busy dates.
        proven_minimal: whether no smaller set proves the answer; if not, the search was cut short.
    """

    answer: int | None
    observations: tuple[Observation, ...]
    proven_minimal: bool

    @property
    def size(self) -> int:
        """How many observations it takes."""
        return len(self.observations)

    @property
    def floor(self) -> int:
        """How many calls it takes somebody who knows the answer: the list of attendees too."""
        return 1 + self.size


def certificate(world: World, work_limit: float = CERTIFICATE_WORK) -> Certificate:
    """Return the certificate of a world's answer, which is computed; the same one each time.

    Args:
        world: the world.
        work_limit: in CP-SAT's deterministic seconds; where it is reached, or the world is too
            large to try, the certificate is not proven minimal.
    """
    answer = earliest_start(world)
    request = world.request
    refuted = refutations(world)
    held = set(() if answer is None else needed(world, answer))
    open_starts = difference(
        (request.start, request.end if answer is None else answer),
        union(interval for observation in held for interval in refuted[observation]),
    )
    useful = {
        observation: starts
        for observation, intervals in refuted.items()
        if observation not in held and (starts := intersection(intervals, open_starts))
    }
    chosen, proven = _smallest_cover(useful, open_starts, held, work_limit)
    held |= _with_zones(chosen)
    found = Certificate(answer, tuple(o for o in refuted if o in held), proven)
    if not proved(world, found.observations, answer):
        raise AssertionError(f"no proof of {answer_text(answer)}: {found} for {world.to_line()}")
    return found


def _smallest_cover(
    useful: Useful, open_starts: list[Interval], held: set[Observation], work_limit: float
) -> tuple[set[Observation], bool]:
    """Return the observations to add, but for zones, and whether no fewer will do."""
    if not open_starts:
        return set(), True
    found: list[set[Observation]] = []
    sets = _refuter_sets(useful)
    if sets is not None:
        try:
            status, chosen = _minimum_hitting_set(list(useful), sets, held, work_limit)
        except OutOfWork:
            pass
        else:
            if status is Status.SOLVED:
                return chosen, True
            found.append(chosen)
    stretches = [fewest_stretches(useful, start, end) for start, end in open_starts]
    found.append({by for cut in stretches for _, by in cut or ()})
    irredundant = [_without_spare(useful, open_starts, chosen) for chosen in found]
    return min(irredundant, key=lambda chosen: len(_with_zones(chosen) - held)), False


def _refuter_sets(useful: Useful) -> list[int] | None:
    """Return the distinct minimal sets of refuters of the open starts, or None for too many.

    Each is a number with a bit for each observation in question, in their order.
    """
    changes: dict[int, int] = {}
    for bit, intervals in enumerate(useful.values()):
        for start, end in intervals:
            changes[start] = changes.get(start, 0) ^ (1 << bit)
            changes[end] = changes.get(end, 0) ^ (1 << bit)
    if len(changes) * len(useful) > MOST_REFUTER_BITS:
        return None
    refuters = 0
    distinct = set()
    for instant in sorted(changes):
        refuters ^= changes[instant]
        distinct.add(refuters)
    distinct.discard(0)  # between two stretches of open starts
    minimal: list[int] = []
    for one in sorted(distinct, key=lambda one: (one.bit_count(), one)):
        if not any(one & other == other for other in minimal):
            minimal.append(one)
    return minimal


def _minimum_hitting_set(
    observations: Sequence[Observation], sets: list[int], held: set[Observation], work_limit: float
) -> tuple[Status, set[Observation]]:
    """Return the smallest choice with one of each set, zones that are not held counted.

    Of several as small, the one of the earliest observations, in the order given.

    Raises:
        OutOfWork: the solver reached its limit with no choice at all.
    """
    in_question = functools.reduce(operator.or_, sets)
    model = cp_model.CpModel()
    literals = {
        bit: model.new_bool_var("") for bit in range(len(observations)) if in_question >> bit & 1
    }
    for one in sets:
        model.add_bool_or([literal for bit, literal in literals.items() if one >> bit & 1])
    zones: dict[str, cp_model.IntVar] = {}
    for bit, literal in literals.items():
        if _zone_of(observations[bit]) not in held:
            name = observations[bit].attendee
            if name not in zones:
                zones[name] = model.new_bool_var("")
            model.add_implication(literal, zones[name])
    places = range(len(literals))
    whole = sum(places) + 1  # so that all the places together count less than one observation
    model.minimize(
        cp_model.LinearExpr.weighted_sum(
            [*literals.values(), *zones.values()],
            [*(whole + place for place in places), *(whole for _ in zones)],
        )
    )
    status, solver = solve(model, relaxed=True, work_limit=work_limit)
    chosen = {observations[bit] for bit, lit in literals.items() if solver.boolean_value(lit)}
    return status, chosen


def _without_spare(
    useful: Useful, open_starts: list[Interval], chosen: set[Observation]
) -> set[Observation]:
    """Drop each observation without which the others still refute every open start."""
    kept = [observation for observation in useful if observation in chosen]
    for observation in reversed(kept):
        others = [other for other in kept if other != observation]
        if union(interval for other in others for interval in useful[other]) == open_starts:
            kept = others
    return set(kept)


def _with_zones(observations: Iterable[Observation]) -> set[Observation]:
    return {each for o in observations for each in (o, _zone_of(o))}


def _zone_of(observation: Observation) -> Observation:
    return Observation(Kind.ZONE, observation.attendee)
