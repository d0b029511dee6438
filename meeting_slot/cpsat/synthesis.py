"""From a target to a world: a cast is drawn, CP-SAT finds the calendars, the sweep confirms.

draw a cast -> choose the answer -> solve for the busy cells -> write blocks -> confirm the wish
"""

import hashlib
import itertools
import random
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from typing import Any, Final

import msgspec

from .. import zones
from ..instants import answer_text
from ..measures import load, panel_meta
from ..near_misses import near_misses
from ..policies import CORE, Policy, can_find_too_much, entailed, policy_named, skip_attendee
from ..reading import Reader
from ..sweep import valid_stretches
from ..tools import local_days
from ..world import Attendee, World, shape
from . import casting
from .answers import MOST_ANSWERS
from .calendars import MOST_BUSY, blocks_of, sampled_calendar
from .casting import Casting
from .cells import GRID, Cells
from .confirmation import confirm
from .model import Calendar, CalendarModel, Infeasible, is_plainly_right
from .solver import OutOfWork
from .traits import Chosen, choose
from .views import View, Views
from .wish_checks import check
from .wishes import Starts, Target, WishError

GENERATOR: Final = "synthesis 2"
"""Changes whenever the same seed gives another world."""

MOST_CASTS: Final = 50
"""How many casts are drawn for one world before the wish is given up."""
MOST_UNDECIDED: Final = 3
"""How many solves may reach the solver's limit before the wish is given up."""
MOST_EFFORT: Final = 1_000_000
"""How much is tried with large casts: the sum of attendees x attendees x days over the casts."""
CASTS_FOR_A_CHOICE: Final = 5
"""For so many casts the same policies shall fail, or those that fail easily would prevail."""
CASTS_AS_CHOSEN: Final = 2
"""After so many casts the solver chooses which policies fail, where only their number is wished."""
MOST_ANSWERS_LEFT_OPEN: Final = 2
"""How many starts are tried with one cast where the solver chooses which policies fail."""
MOST_WRITINGS: Final = 32
"""How often the blocks are drawn anew, over the same busy cells, for the wished shape parity."""

_SHORT_BUSY_MISSED: Final = "short-busy-missed"  # no view: it looks at all attendees at once


def synthesize(target: Target, seed: str | int = "0") -> World:
    """Return a world whose answer, uniqueness and kind are the wished ones, by the sweep.

    What the wish says of policies holds by the panel. The same target and seed give the same world
    under the same versions of this package, OR-Tools and the zone data.

    Args:
        target: the wish; what it leaves open is chosen for it.
        seed: any text; a number counts as its digits.

    Raises:
        WishError: the wish cannot come true, or did not within `MOST_CASTS` casts; says why.
        OutOfWork: the solver reached its limit `MOST_UNDECIDED` times.
    """
    check(target)
    seed = str(seed)
    rng = random.Random(
        int.from_bytes(hashlib.sha256(seed.encode(errors="surrogatepass")).digest())
    )
    failures: Counter[str] = Counter()
    undecided = effort = 0
    chosen = Chosen()
    for casts in range(1, MOST_CASTS + 1):
        if casts % CASTS_FOR_A_CHOICE == 1:
            chosen = choose(target, rng)
        drawn = casting.draw(target, chosen, rng)
        size = len(drawn.cast)
        effort += size * size * drawn.request.window_days
        if effort > MOST_EFFORT and casts > 1:
            break
        fixed = casts <= CASTS_AS_CHOSEN
        for answer in _answers(target, drawn, fixed, failures):
            try:
                world, reader = _world(target, drawn, answer, chosen, fixed, rng)
            except (Infeasible, OutOfWork) as failure:
                failures[str(failure)] += 1
                undecided += isinstance(failure, OutOfWork)
                if undecided == MOST_UNDECIDED:
                    raise
                continue
            meta = {**_provenance(target, seed), "casts": casts, **panel_meta(world, reader)}
            return msgspec.structs.replace(world, meta=meta)
    reason, _ = failures.most_common(1)[0]
    raise WishError(f"no such world in {casts} casts: {reason}")


def _answers(
    target: Target, drawn: Casting, fixed: bool, failures: Counter[str]
) -> Sequence[int | None]:
    """Return the answers worth a solve with a drawn cast, and count why there is none."""
    work = load(World(drawn.request, drawn.cast))
    if target.load is not None and work.size is not target.load:
        failures[f"the load is {work.size.value} ({work.calls} calls)"] += 1
        return ()
    if target.answer == "NONE":
        return (None,)
    fitting, others = drawn.answers
    if not fitting and not others:
        failures["at no wished start is everybody at work"] += 1
    if target.hardness is not None and fixed:
        if others and not fitting:
            failures["no wished start fits the policies chosen"] += 1
        return fitting
    most = MOST_ANSWERS if target.hardness is None else MOST_ANSWERS_LEFT_OPEN
    return (*fitting, *others)[:most]


def _world(
    target: Target,
    drawn: Casting,
    answer: int | None,
    chosen: Chosen,
    fixed: bool,
    rng: random.Random,
) -> tuple[World, Reader]:
    """Return a world of the drawn cast with the answer, and a reader of it.

    Args:
        target: the wish.
        drawn: the cast and the request.
        answer: the start that becomes the answer.
        chosen: for a hardness, the policies that fail.
        fixed: whether exactly those; otherwise they are the solver's hint.
        rng: the source of chance.

    Raises:
        Infeasible: there is no such calendar, or none that looks like one.
    """
    request = drawn.request
    kept = [] if answer is None else [answer, *_later_starts(target, drawn, answer, rng)]
    views = _views(drawn, kept)
    cells = views.cells
    model = CalendarModel(cells, rng)
    right = _constrain(model, views, target, kept, chosen, fixed)
    for place, attendee in enumerate(drawn.cast):
        for day in local_days(attendee.timezone, request.start, request.last_end):
            cells.of_day(place, day)
    calendar = model.solve(sampled_calendar(cells, rng), MOST_BUSY, rng.randrange(2**31))
    for _ in range(MOST_WRITINGS):
        attendees = tuple(
            _with_blocks(attendee, place, cells, calendar, rng)
            for place, attendee in enumerate(drawn.cast)
        )
        world = World(request, attendees, recorded=answer_text(answer))
        if target.shape_parity is None or target.shape_parity == parity_of(shape(world)):
            break
    else:
        raise Infeasible("the calendars can be written in no other way")
    reader = Reader(world, drawn.reader)
    confirm(target, world, answer, right, reader)
    if target.near_misses and near_misses(world).count < target.near_misses:
        raise Infeasible("the near misses fall together")
    return world, reader


def _views(drawn: Casting, kept: Sequence[int]) -> Views:
    """Return views of the cast whose cells are cut where these starts and their meetings' ends are.

    On the usual grid there is nothing to cut: the views of another answer do as well.
    """
    duration = drawn.request.duration_minutes
    cells = Cells(drawn.cast, [*kept, *(start + duration for start in kept)])
    if cells.cuts not in drawn.views:
        drawn.views[cells.cuts] = Views(cells, drawn.request, drawn.reader)
    return drawn.views[cells.cuts]


def _constrain(
    model: CalendarModel,
    views: Views,
    target: Target,
    kept: Sequence[int],
    chosen: Chosen,
    fixed: bool,
) -> frozenset[str]:
    """Put the wish into the model, what is soonest refuted first.

    Args:
        model: what the constraints go into.
        views: the cast's.
        target: the wish.
        kept: the starts that are valid, the answer first; none for NONE.
        chosen: for a hardness, the policies that fail.
        fixed: whether exactly those.

    Returns:
        the names of the policies that are right.

    Raises:
        Infeasible: there is no such calendar.
    """
    answer = kept[0] if kept else None
    gold = views.of()
    wrong, right, counted = (
        [views.of(policy) for policy in policies]
        for policies in _policies(target, chosen if fixed else None, len(views.cells.cast))
    )
    for start in kept:
        model.start_is_free(gold, start)
    for view in wrong:
        if is_plainly_right(gold, view, answer):
            raise Infeasible(f"{view.policy.name} cannot fail in this cast")
    right = _apart(target, wrong, right)
    if answer is not None:
        for view in right:
            model.start_is_free(view, answer)
    for view in right:
        # The nearest to the answer come first: they may need nothing that it does not need.
        model.starts_are_blocked(view, reversed(view.starts_before(answer)))
    for view in wrong:
        model.policy_is_wrong(gold, view, answer)
    if _SHORT_BUSY_MISSED in target.wrong:
        model.short_gap_is_missed(gold, answer)
    model.starts_are_blocked(gold, _unwanted(target, gold, answer))
    for before, after in itertools.pairwise(kept):
        model.starts_are_separate(gold, before, after)
    if counted and target.hardness is not None:
        model.wrong_policies_number(gold, counted, answer, target.hardness, chosen.wrong)
    if target.near_misses:
        model.near_misses_number(gold, answer, target.near_misses)
    return frozenset(view.policy.name for view in right)


def parity_of(shape_hash: str) -> int:
    """Return the last bit of a shape hash: 0 in eval splits, 1 in train splits."""
    return int(shape_hash, 16) % 2


def _policies(
    target: Target, chosen: Chosen | None, size: int
) -> tuple[list[Policy], list[Policy], list[Policy]]:
    """Return the policies to be wrong, to be right, and those whose wrong ones are counted."""
    wrong = {name: policy_named(name) for name in sorted(target.wrong - {_SHORT_BUSY_MISSED})}
    if target.needs_all:
        wrong |= {p.name: p for p in map(skip_attendee, range(1, size + 1))}
    right: list[Policy] = []
    counted: list[Policy] = []
    if target.isolate is not None:
        spared = {*target.wrong, *entailed(target.isolate), "first-day-only"}
        right = [policy for policy in CORE if policy.name not in spared]
    elif target.hardness is not None:
        able = [p for p in CORE if target.answer != "NONE" or can_find_too_much(p)]
        if target.hardness == len(able):
            wrong |= {policy.name: policy for policy in able}
        elif target.hardness == 0:
            right = list(CORE)
        elif chosen is not None:
            wrong |= {policy.name: policy for policy in CORE if policy.name in chosen.wrong}
            right = [policy for policy in CORE if policy.name in chosen.right]
        else:
            counted = list(CORE)
    return list(wrong.values()), right, counted


def _apart(target: Target, wrong: list[View], right: list[View]) -> list[View]:
    """Return the views to be right less those that read this cast as one to be wrong does.

    Policies that coincide count as one where one of them is to be isolated.

    Raises:
        Infeasible: they count each for itself, as for a hardness.
    """
    alike = [view for view in right if any(view.coincides(other) for other in wrong)]
    if alike and target.isolate is None:
        raise Infeasible(f"{alike[0].policy.name} coincides with a policy that is to fail")
    return [view for view in right if view not in alike]


def _unwanted(target: Target, gold: View, answer: int | None) -> list[int]:
    """Return the starts that must not be valid, of those worth a look."""
    if answer is not None and target.starts is Starts.EXACTLY_ONE:
        return [start for start in gold.starts if start != answer]
    return gold.starts_before(answer)


def _later_starts(target: Target, drawn: Casting, answer: int, rng: random.Random) -> list[int]:
    """Draw the starts that make up the wished number of separate valid stretches, in order.

    Raises:
        Infeasible: the window has no room for as many.
    """
    wanted = target.stretches - 1
    if wanted == 0:
        return []
    apart = drawn.request.duration_minutes + GRID
    possible = [
        start
        for first, end in valid_stretches(World(drawn.request, drawn.cast))
        for start in range(-(-first // GRID) * GRID, end, GRID)
        if start >= answer + apart
    ]
    rng.shuffle(possible)
    later: list[int] = []
    for start in possible:
        if all(abs(start - other) >= apart for other in later):
            later.append(start)
        if len(later) == wanted:
            return sorted(later)
    raise Infeasible(f"room was found for {len(later) + 1} separate valid stretches only")


def _with_blocks(
    attendee: Attendee, place: int, cells: Cells, calendar: Calendar, rng: random.Random
) -> Attendee:
    busy = {}
    for day in cells.days(place):
        blocks = blocks_of(cells, place, day, calendar.busy, calendar.kept_free, rng)
        if blocks is None:
            raise Infeasible("the busy time does not fit into as few blocks as a date may hold")
        if blocks:
            busy[day] = blocks
    return msgspec.structs.replace(attendee, busy=busy)


@cache
def _ortools_version() -> str:
    return version("ortools")


def _provenance(target: Target, seed: str) -> dict[str, Any]:
    return {
        "generator": GENERATOR,
        "iana": zones.iana_release(),
        "ortools": _ortools_version(),
        "seed": seed,
        "target": target.to_json(),
    }
