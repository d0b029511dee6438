"""The certificate: the smallest set of observations that proves a world's answer.

A start is refuted by any of its *refuters*, the observations that show that a minute of its meeting
is not free. So a proof holds all that confirms the answer, a refuter of each earlier start, and the
zone of whoever it observes. The smallest is a minimum hitting set of the starts' sets of refuters.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec
from ortools.sat.python import cp_model

from ..html_table import html_table
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
MOST_REFUTERS: Final = 300_000
"""The most refuters, of all changes of the set of refuters, for which a minimum is sought."""

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

    def _repr_html_(self) -> str:
        """Return the certificate as a notebook shows it: a table with a row a call."""
        rows = [("list_attendees", "", "")]
        for observation in self.observations:
            arguments = observation.arguments()
            rows.append((observation.kind.value, arguments["name"], arguments.get("date", "")))
        at_most = "" if self.proven_minimal else "at most "
        caption = f"{answer_text(self.answer)}, proved by {at_most}{self.floor} calls"
        return html_table(("call", "name", "date"), rows, caption)


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
        if (starts := intersection(intervals, open_starts))
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


def _refuter_sets(useful: Useful) -> list[frozenset[int]] | None:
    """Return the distinct minimal sets of refuters of the open starts, or None for too many.

    An observation stands in them as its place in the order.
    """
    changes: dict[int, list[int]] = {}
    for place, intervals in enumerate(useful.values()):
        for start, end in intervals:
            changes.setdefault(start, []).append(place)
            changes.setdefault(end, []).append(place)
    refuters: set[int] = set()
    distinct: set[frozenset[int]] = set()
    members = 0
    for instant in sorted(changes):
        refuters.symmetric_difference_update(changes[instant])
        members += len(refuters)
        if members > MOST_REFUTERS:
            return None
        distinct.add(frozenset(refuters))
    distinct.discard(frozenset())  # between two stretches of open starts
    minimal: list[frozenset[int]] = []
    for one in sorted(distinct, key=lambda one: (len(one), sorted(one))):
        if not any(other <= one for other in minimal):
            minimal.append(one)
    return minimal


def _minimum_hitting_set(
    observations: Sequence[Observation],
    sets: Sequence[frozenset[int]],
    held: set[Observation],
    work_limit: float,
) -> tuple[Status, set[Observation]]:
    """Return the smallest choice with one of each set, zones that are not held counted.

    Of several as small, the one of the earliest observations, in the order given.

    Raises:
        OutOfWork: the solver reached its limit with no choice at all.
    """
    model = cp_model.CpModel()
    literals = {place: model.new_bool_var("") for place in sorted(frozenset().union(*sets))}
    for one in sets:
        model.add_bool_or([literals[place] for place in sorted(one)])
    zones: dict[str, cp_model.IntVar] = {}
    for place, literal in literals.items():
        if _zone_of(observations[place]) not in held:
            name = observations[place].attendee
            if name not in zones:
                zones[name] = model.new_bool_var("")
            model.add_implication(literal, zones[name])
    ranks = range(len(literals))
    whole = sum(ranks) + 1  # so that all the ranks together count less than one observation
    model.minimize(
        cp_model.LinearExpr.weighted_sum(
            [*literals.values(), *zones.values()],
            [*(whole + rank for rank in ranks), *(whole for _ in zones)],
        )
    )
    status, solver = solve(model, relaxed=True, work_limit=work_limit)
    chosen = {place for place, literal in literals.items() if solver.boolean_value(literal)}
    return status, {observations[place] for place in chosen}


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
