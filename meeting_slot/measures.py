"""The panel: what each policy answers on a world, and the two measures that follow from it.

*Hardness* counts traps: the core policies that answer wrong, in twelfths. *Load* counts work: the
tool calls it takes to read everything. Neither is fitted to models; both are shown, never merged.
"""

import enum
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from .html_table import html_table
from .instants import answer_text, parse_answer
from .policies import (
    BASELINES,
    CORE,
    INVERSE,
    PANEL_VERSION,
    Policy,
    policy_named,
    skip_attendee,
    specials,
)
from .reading import Reader
from .reasons import NotWholeMinute
from .sweep import earliest_start
from .tools import local_days
from .verdict import Verdict
from .world import World


class Band(enum.Enum):
    """A third of the hardness scale."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class Size(enum.Enum):
    """A size of the load."""

    S = "S"
    M = "M"
    L = "L"


_MOST_FAILED: Final = {Band.EASY: 4, Band.MEDIUM: 8, Band.HARD: len(CORE)}
_MOST_CALLS: Final = {Size.S: 15, Size.M: 35}


class Load(msgspec.Struct, frozen=True):
    """The work of reading a world.

    Attributes:
        calls: the list, zone and hours of everybody, and each local date that a meeting may touch.
    """

    calls: int

    @property
    def size(self) -> Size:
        """S up to 15 calls, M up to 35, L above."""
        return next((size for size, most in _MOST_CALLS.items() if self.calls <= most), Size.L)


class Panel(msgspec.Struct, frozen=True):
    """What each policy answers on a world; all are UTC minutes, or None for NONE.

    Attributes:
        gold: the right answer.
        answers: of each policy, by name, core ones first.
    """

    gold: int | None
    answers: Mapping[str, int | None]

    @property
    def wrong(self) -> tuple[str, ...]:
        """The names of the policies that answer wrong, in the panel's order."""
        return tuple(name for name, answer in self.answers.items() if answer != self.gold)

    def _repr_html_(self) -> str:
        """Return the panel as a notebook shows it: a table with a row a policy."""
        rows = [("gold", answer_text(self.gold), "", "")]
        for name, answer in self.answers.items():
            policy = policy_named(name)
            verdict = "right" if answer == self.gold else "wrong"
            rows.append((name, answer_text(answer), verdict, policy.misconception))
        return html_table(("policy", "answer", "", "someone who"), rows)


def policies_for(world: World) -> tuple[Policy, ...]:
    """Return every policy that has a name, core ones first."""
    return (*CORE, *specials(len(world.attendees)), *BASELINES, *INVERSE)


def panel(world: World) -> Panel:
    """Return what every policy answers on a world, the gold beside it."""
    reader = Reader(world)
    answers = {policy.name: reader.answer(policy) for policy in policies_for(world)}
    return Panel(earliest_start(world), answers)


def defeated(world: World) -> list[str]:
    """Return the names of the core and special policies that answer wrong."""
    return _defeated(Reader(world), earliest_start(world))


def _defeated(reader: Reader, gold: int | None) -> list[str]:
    policies = (*CORE, *specials(len(reader.world.attendees)))
    return [policy.name for policy in policies if reader.answer(policy) != gold]


def hardness(world: World, reader: Reader | None = None) -> int:
    """Return how many of the twelve core policies answer wrong, 0 to 12.

    Args:
        world: the world.
        reader: a reader of the world, where there is one already.
    """
    reader = reader or Reader(world)
    gold = earliest_start(world)
    return sum(reader.answer(policy) != gold for policy in CORE)


def band_of(failed: int) -> Band:
    """Return the band of a hardness in twelfths: easy 0 to 4, medium 5 to 8, hard 9 to 12."""
    return next(band for band, most in _MOST_FAILED.items() if failed <= most)


def load(world: World) -> Load:
    """Return the tool calls that it takes to read everything that may matter."""
    request = world.request
    dates = sum(
        len(local_days(attendee.timezone, request.start, request.last_end))
        for attendee in world.attendees
    )
    return Load(1 + 2 * len(world.attendees) + dates)


def is_load_bearing(world: World, reader: Reader | None = None) -> bool:
    """Return whether removing any one attendee changes the answer; never for a single one.

    Args:
        world: the world.
        reader: a reader of the world, where there is one already.
    """
    reader = reader or Reader(world)
    gold = earliest_start(world)
    places = range(1, len(world.attendees) + 1)
    return all(reader.answer(skip_attendee(place)) != gold for place in places)


def matching(world: World, answer: int | None) -> list[Policy]:
    """Return the policies that give an answer, for the diagnosis of a wrong one.

    Args:
        world: the world.
        answer: a UTC minute, or None for NONE.
    """
    reader = Reader(world)
    return [policy for policy in policies_for(world) if reader.answer(policy) == answer]


def diagnosis(world: World, verdict: Verdict) -> list[Policy]:
    """Return the policies that give the same wrong answer; none where the answer is right.

    An instant inside a minute is no policy's answer.
    """
    if verdict.correct or isinstance(verdict.reason, NotWholeMinute):
        return []
    proposed = parse_answer(verdict.proposed)
    return matching(world, None if proposed is None else proposed.minute)


def panel_meta(world: World, reader: Reader | None = None) -> dict[str, Any]:
    """Return what a written world's `meta` says of its hardness and load.

    Args:
        world: the world.
        reader: a reader of the world, where there is one already.
    """
    beaten = _defeated(reader or Reader(world), earliest_start(world))
    work = load(world)
    core = {policy.name for policy in CORE}
    return {
        "panel": PANEL_VERSION,
        "core_failed": sum(name in core for name in beaten),
        "defeated": beaten,
        "load": {"calls": work.calls, "size": work.size.value},
    }
