"""From a target to a world: a cast is drawn, CP-SAT finds the calendars, the sweep confirms.

draw a cast -> choose the answer -> solve for the busy cells -> write blocks -> confirm by the sweep
"""

import hashlib
import itertools
import random
from collections import Counter
from collections.abc import Sequence, Set
from importlib.metadata import version
from typing import Any, Final

import msgspec

from .. import zones
from ..instants import answer_text, instant_text, weekday_of
from ..sweep import valid_stretches
from ..tools import local_days
from ..world import Attendee, Block, World
from . import casting
from .calendars import MOST_BUSY, blocks_of, day_off_blocks, sampled_calendar
from .casting import Casting
from .model import CalendarModel, Infeasible
from .views import GRID, Cells, View, gold_view
from .wishes import Starts, Target, WishError, check, dst_of

GENERATOR: Final = "synthesis 1"
"""Changes whenever the same seed gives another world."""

MOST_CASTS: Final = 40
"""How many casts are drawn for one world before the wish is given up."""
MOST_ANSWERS: Final = 4
"""How many starts are tried as the answer with one cast."""


def synthesize(target: Target, seed: str = "0") -> World:
    """Return a world whose answer, uniqueness and kind are the wished ones, by the sweep.

    The same target and seed give the same world under the same versions of this package, OR-Tools
    and the zone data.

    Args:
        target: the wish; what it leaves open is chosen for it.
        seed: any text.

    Raises:
        WishError: the wish cannot come true, or did not within `MOST_CASTS` casts; says why.
        OutOfWork: the solver reached its limit.
    """
    check(target)
    rng = random.Random(int.from_bytes(hashlib.sha256(seed.encode()).digest()))
    failures: Counter[str] = Counter()
    for _ in range(MOST_CASTS):
        drawn = casting.draw(target, rng)
        answers: tuple[int | None, ...] = drawn.answers[:MOST_ANSWERS]
        if target.answer == "NONE":
            answers = (None,)
        if not answers:
            failures["at no wished start is everybody at work"] += 1
        for answer in answers:
            try:
                world = _world(target, drawn, answer, rng)
            except Infeasible as failure:
                failures[str(failure)] += 1
                continue
            _confirm(target, world, answer)
            return msgspec.structs.replace(world, meta=_provenance(target, seed))
    reason, _ = failures.most_common(1)[0]
    raise WishError(f"no such world in {MOST_CASTS} casts: {reason}")


def _world(target: Target, drawn: Casting, answer: int | None, rng: random.Random) -> World:
    """Return a world of the drawn cast with the answer.

    Raises:
        Infeasible: there is no such calendar, or none that looks like one.
    """
    cast, request, _ = drawn
    kept = [] if answer is None else [answer, *_later_starts(target, drawn, answer, rng)]
    cells = Cells(cast, [*kept, *(start + request.duration_minutes for start in kept)])
    view = gold_view(cells, request)
    dates = [local_days(a.timezone, request.start, request.last_end) for a in cast]
    working = [
        [day for day in days if weekday_of(day) in attendee.working_hours.weekdays]
        for attendee, days in zip(cast, dates, strict=True)
    ]
    model = CalendarModel(cells, sampled_calendar(cells, working, rng))
    for start in kept:
        model.start_is_free(view, start)
    model.starts_are_blocked(view, _unwanted(target, view, answer))
    for before, after in itertools.pairwise(kept):
        model.starts_are_separate(view, before, after)
    seed = rng.randrange(2**31)
    try:
        busy = model.solve(MOST_BUSY, seed)
    except Infeasible:
        busy = model.solve(1.0, seed)
    attendees = [
        _with_calendar(attendee, i, dates[i], set(working[i]), cells, busy, model.free_cells, rng)
        for i, attendee in enumerate(cast)
    ]
    return World(request, tuple(attendees), recorded=answer_text(answer))


def _unwanted(target: Target, view: View, answer: int | None) -> list[int]:
    """Return the starts that must not be valid, of those worth a look."""
    if answer is None:
        return view.starts
    if target.starts is Starts.EXACTLY_ONE:
        return [start for start in view.starts if start != answer]
    return [start for start in view.starts if start < answer]


def _later_starts(target: Target, drawn: Casting, answer: int, rng: random.Random) -> list[int]:
    """Draw the starts that make up the wished number of separate valid stretches, in order.

    Raises:
        Infeasible: the window has no room for as many.
    """
    wanted = target.stretches - 1
    if wanted == 0:
        return []
    duration = drawn.request.duration_minutes
    possible = [
        start
        for first, end in valid_stretches(World(drawn.request, drawn.cast))
        for start in range(-(-first // GRID) * GRID, end, GRID)
        if start >= answer + duration + GRID
    ]
    rng.shuffle(possible)
    later: list[int] = []
    for start in possible:
        if all(abs(start - other) >= duration + GRID for other in later):
            later.append(start)
        if len(later) == wanted:
            return sorted(later)
    raise Infeasible(f"the window has room for {len(later) + 1} separate valid stretches only")


def _with_calendar(
    attendee: Attendee,
    place: int,
    dates: Sequence[int],
    working: Set[int],
    cells: Cells,
    busy: Sequence[bool],
    kept_free: Set[int],
    rng: random.Random,
) -> Attendee:
    calendar: dict[int, tuple[Block, ...]] = {}
    for day in dates:
        if day in working:
            blocks = blocks_of(cells, place, day, busy, kept_free, rng)
        else:
            blocks = day_off_blocks(rng)
        if blocks is None:
            raise Infeasible("the busy time does not fit into as few blocks as a date may hold")
        if blocks:
            calendar[day] = blocks
    return msgspec.structs.replace(attendee, busy=calendar)


def _provenance(target: Target, seed: str) -> dict[str, Any]:
    return {
        "generator": GENERATOR,
        "iana": zones.iana_release(),
        "ortools": version("ortools"),
        "seed": seed,
        "target": target.to_json(),
    }


def _confirm(target: Target, world: World, answer: int | None) -> None:
    """Hold the world against the sweep; what the solver says is not trusted."""
    stretches = valid_stretches(world)
    if answer is None:
        confirmed = not stretches
    elif target.starts is Starts.EXACTLY_ONE:
        confirmed = stretches == [(answer, answer + 1)]
    else:
        confirmed = len(stretches) >= target.stretches and stretches[0][0] == answer
    if answer is not None and target.dst is not None:
        confirmed = confirmed and target.dst in dst_of(world, answer)
    if not confirmed:
        raise AssertionError(
            f"the sweep does not confirm the answer {answer_text(answer)} of {world.to_line()}: "
            f"it finds the valid stretches {[instant_text(start) for start, _ in stretches]}"
        )
