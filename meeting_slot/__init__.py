"""Meeting-scheduling worlds that are provably right and provably hard.

A world is a handful of people with time zones, local working hours and local busy calendars; its
answer is the earliest UTC start at which all are free for the whole meeting, or `NONE`.

`vf-eval meeting-slot` finds the environment here. Its classes (verifiers 0.4) and
`load_environment` (0.1.14 to 0.3) import the framework when they are asked for, not before.
"""

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .curated import curated_worlds
from .errors import FileError, MeetingSlotError, UnknownZone, UnreadableAnswer, WorldError
from .files import read_answers, read_world, read_worlds
from .grading import Grade, grade, grade_reply
from .instants import NONE, answer_text, instant_text, parse_answer
from .named import named_split
from .observations import Observation, proved
from .parsing import parse_world
from .reasons import why_not
from .sweep import earliest_start, gold_earliest, valid_stretches
from .tools import get_busy, get_timezone, get_working_hours, list_attendees, solve_from_tools
from .verdict import Verdict, verify
from .world import Attendee, Request, WorkingHours, World, content_hash, shape
from .zones import iana_release

if TYPE_CHECKING:
    from .environment.harness import MeetingSlotHarness
    from .environment.single_agent import MeetingSlotEnv
    from .environment.taskset import MeetingSlotTaskset

__version__ = "0.1.0"

_LAZY = {
    "MeetingSlotEnv": "single_agent",
    "MeetingSlotHarness": "harness",
    "MeetingSlotTaskset": "taskset",
}

__all__ = [
    "NONE",
    "Attendee",
    "FileError",
    "Grade",
    "MeetingSlotEnv",
    "MeetingSlotError",
    "MeetingSlotHarness",
    "MeetingSlotTaskset",
    "Observation",
    "Request",
    "UnknownZone",
    "UnreadableAnswer",
    "Verdict",
    "WorkingHours",
    "World",
    "WorldError",
    "answer_text",
    "content_hash",
    "curated_worlds",
    "earliest_start",
    "get_busy",
    "get_timezone",
    "get_working_hours",
    "gold_earliest",
    "grade",
    "grade_reply",
    "iana_release",
    "instant_text",
    "list_attendees",
    "load_environment",
    "named_split",
    "parse_answer",
    "parse_world",
    "proved",
    "read_answers",
    "read_world",
    "read_worlds",
    "shape",
    "solve_from_tools",
    "valid_stretches",
    "verify",
    "why_not",
]


def load_environment(
    num_train_examples: int = 500,
    num_eval_examples: int = 100,
    seed: int | str = 42,
    max_turns: int = 40,
    difficulty: str | None = None,
    split: str = "eval",
    worlds: str | Sequence[str] | None = None,
    target_hardness: float | None = None,
    max_tool_calls: int = 400,
    require_proof: bool = False,
    **options: Any,
) -> Any:
    """Return the environment for verifiers 0.1.14 to 0.3; see `environment.v0.load_environment`."""
    v0 = importlib.import_module(f"{__name__}.environment.v0")
    return v0.load_environment(
        num_train_examples=num_train_examples,
        num_eval_examples=num_eval_examples,
        seed=seed,
        max_turns=max_turns,
        difficulty=difficulty,
        split=split,
        worlds=worlds,
        target_hardness=target_hardness,
        max_tool_calls=max_tool_calls,
        require_proof=require_proof,
        **options,
    )


def __getattr__(name: str) -> Any:
    """Import a class of the environment when it is asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.environment.{_LAZY[name]}"), name)
