"""The starts of a cast that are worth trying as the answer.

Which starts a policy could find were nobody ever busy is known before there is a calendar, and with
it, for most starts, that the policy could not fail, or not be right, if they were the answer.
"""

import itertools
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from .. import zones
from ..instants import MINUTES_A_DAY
from ..intervals import Interval, difference, intersection, union
from ..policies import (
    CORE,
    Offsets,
    Policy,
    SecondPass,
    can_find_too_much,
    policy_named,
    skip_attendee,
)
from ..reading import HALF_HOUR, Reader, seen
from ..sweep import valid_stretches
from .cells import GRID
from .chance import in_any_order
from .shifts import is_within_repeated, possible_starts, starts_of
from .traits import Traits
from .wishes import Target, dst_of

MOST_ANSWERS: Final = 4
"""How many starts are tried as the answer with one cast."""

_COMPARED: Final = 32
"""How many starts are compared for what they lack of the traits."""


class Answers(NamedTuple):
    """Starts at which all are at work, the likeliest first; at most `MOST_ANSWERS` of each kind.

    Where that many are fitting, there are no others.

    Attributes:
        fitting: those with which each chosen policy may fail, or be right, for all that is known
            before there is a calendar.
        others: those with which one may not.
    """

    fitting: tuple[int, ...] = ()
    others: tuple[int, ...] = ()


def likely_answers(
    target: Target,
    traits: Traits,
    change: zones.Change | None,
    reader: Reader,
    rng: random.Random,
) -> Answers:
    """Draw the starts that may become the answer; for a wish of NONE there are none.

    Args:
        target: the wish.
        traits: the traits of the cast.
        change: the change of offset that a wished kind is about.
        reader: of the cast, nobody ever busy.
        rng: the source of chance.
    """
    if target.answer == "NONE":
        return Answers()
    world = reader.world
    at_work = valid_stretches(world)
    possible = intersection(at_work, [possible_starts(target)])
    near: list[Interval] = []
    if target.dst is not None and change is not None:
        of_kind = starts_of(target.dst, change, world.request.duration_minutes)
        near = intersection(possible, [(of_kind.start, of_kind.stop)])
    lacking = _mismatches(target, traits, reader, at_work)
    fits = _fitting(target, traits, reader, at_work)

    def likeliest(stretches: list[Interval]) -> Iterator[int]:
        for starts in (_on_grid(stretches), _off_grid(stretches, intersection(near, stretches))):
            order = in_any_order(starts, rng)
            wished = (s for s in order if target.dst is None or target.dst in dst_of(world, s))
            yield from sorted(itertools.islice(wished, _COMPARED), key=lacking)

    duration = world.request.duration_minutes

    def chosen(starts: Iterable[int]) -> tuple[int, ...]:
        if change is not None and len({person.timezone for person in world.attendees}) == 1:
            # All share a zone: a meeting in one pass of a repeated hour fits the other as well.
            starts = sorted(starts, key=lambda s: is_within_repeated(change, s, s + duration))
        return tuple(itertools.islice(dict.fromkeys(starts), MOST_ANSWERS))

    fitting = chosen(likeliest(intersection(possible, fits)))
    if len(fitting) == MOST_ANSWERS:
        return Answers(fitting)
    return Answers(fitting, chosen(s for s in likeliest(possible) if s not in fitting))


def _on_grid(stretches: list[Interval]) -> list[int]:
    return [s for first, end in stretches for s in range(-(-first // GRID) * GRID, end, GRID)]


def _off_grid(stretches: list[Interval], near: list[Interval]) -> list[int]:
    """Return starts of any minute.

    A wished change may leave less than a grid step of room, and an hour may begin off the grid.
    """
    if near:
        return [start for first, end in near for start in range(first, end)]
    return [start for first, end in stretches for start in range(first, min(end, first + GRID))]


def _fitting(
    target: Target, traits: Traits, reader: Reader, at_work: list[Interval]
) -> list[Interval]:
    """Return the starts with which each chosen policy may fail, or be right."""
    request, size = reader.world.request, len(reader.world.attendees)
    fits = [(request.start, request.end)]
    blocked = at_work
    for policy in CORE:
        if policy.name in traits.chosen.right:
            seeming = reader.seeming_starts(policy)
            if policy.ignores_blocks:  # it answers the first start at which all are at work
                seeming = [(first, first + 1) for first, _ in seeming[:1]]
            elif _reads_true_times_of(size, policy, reader):
                blocked = union([*blocked, *seeming])
            fits = intersection(fits, seeming)
    wrong = [policy_named(name) for name in sorted(traits.chosen.wrong)]
    if target.needs_all:
        wrong += map(skip_attendee, range(1, size + 1))
    for policy in wrong:
        if not policy.misses_short:
            fits = intersection(fits, _misled(policy, reader, blocked))
    return fits


def _misled(policy: Policy, reader: Reader, blocked: list[Interval]) -> list[Interval]:
    """Return the answers with which a policy may fail.

    Args:
        policy: the policy.
        reader: of the cast, nobody ever busy.
        blocked: the starts that are blocked, before the answer, for whoever reads the true times of
            all; the gold and policies that are right see to that.
    """
    request = reader.world.request
    window = (request.start, request.end)
    seeming = reader.seeming_starts(policy)
    if policy.inclusive_end or policy.offsets is not Offsets.TRUE or policy.blocks_by_utc_date:
        return [window]  # it may look for blocks where there are some
    misled = difference(window, seeming)
    if can_find_too_much(policy):
        earlier = seeming
        if _reads_true_times_of(len(reader.world.attendees), policy, reader):
            earlier = [piece for stretch in seeming for piece in difference(stretch, blocked)]
        misled += [(first + 1, request.end) for first, _ in earlier[:1]]
    return union(misled)


def _reads_true_times_of(size: int, policy: Policy, reader: Reader) -> bool:
    """Return whether a policy looks for the gold's blocks of all, on whatever days it does."""
    return (
        len(seen(policy, reader.world)) == size
        and policy.offsets is Offsets.TRUE
        and policy.second_pass is SecondPass.ALIKE
        and policy.calls is None
        and not (policy.ignores_blocks or policy.blocks_by_utc_date or policy.inclusive_end)
    )


def _mismatches(
    target: Target, traits: Traits, reader: Reader, at_work: Sequence[Interval]
) -> Callable[[int], int]:
    """Return a function that counts what an answer lacks of the traits.

    Args:
        target: the wish.
        traits: the traits.
        reader: of the cast, nobody ever busy.
        at_work: the starts at which all are at work.
    """
    request = reader.world.request
    seeming = [reader.seeming_starts(p) for p in CORE if p.name in traits.chosen.right]
    apart = request.duration_minutes + GRID
    room = 2 * apart * (target.stretches - 1)  # for the valid stretches that come later
    # Whoever takes the end of a block for busy needs the minute before the answer free as well,
    # unless nobody could meet in it anyway.
    after_pause = "busy-end-inclusive" in traits.chosen.right
    openings = {first for first, _ in at_work}
    second_day = request.start + MINUTES_A_DAY

    def count(start: int) -> int:
        lacking = sum(not any(first <= start < end for first, end in s) for s in seeming)
        for wished, given in (
            (traits.on_half_hour, start % HALF_HOUR == 0),
            (traits.on_first_day, start < second_day),
            (traits.earliest_at_work, start == at_work[0][0]),
        ):
            lacking += wished is not None and wished is not given
        lacking += 2 * (after_pause and start not in openings)
        if room:
            later = sum(max(0, end - max(first, start + apart)) for first, end in at_work)
            lacking += later < room
        return lacking

    return count
