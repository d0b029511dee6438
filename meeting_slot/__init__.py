"""Meeting-scheduling worlds that are provably right and provably hard.

A world is a handful of people with time zones, local working hours and local busy calendars; its
answer is the earliest UTC start at which all are free for the whole meeting, or `NONE`.

`vf-eval meeting-slot` finds the environment here. Its classes (verifiers 0.4) and
`load_environment` (0.1.14 to 0.3) import the framework when they are asked for, not before; so does
everything else import its module.

In a notebook, `import meeting_slot as ms` is all that is needed; `docs/python.md` shows what for.
"""

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cpsat.certificate import Certificate, certificate
    from .cpsat.solver import OutOfWork
    from .cpsat.synthesis import synthesize
    from .cpsat.wishes import COMMON_ZONES, Dst, Starts, Target, WishError
    from .curated import curated_worlds
    from .environment.harness import MeetingSlotHarness
    from .environment.single_agent import MeetingSlotEnv
    from .environment.taskset import MeetingSlotTaskset
    from .errors import FileError, MeetingSlotError, UnknownZone, UnreadableAnswer, WorldError
    from .files import read_answers, read_world, read_worlds
    from .grading import Grade, grade, grade_reply
    from .instants import NONE, answer_text, day_text, instant_text, parse_answer, parse_day
    from .measures import Band, Load, Panel, Size, band_of, hardness, load, panel
    from .named import named_split
    from .observations import Kind, Observation, proved
    from .parsing import parse_world
    from .policies import Policy, policy_named
    from .reasons import why_not
    from .solving import Solver, solve
    from .sweep import earliest_start, gold_earliest, valid_stretches
    from .tools import get_busy, get_timezone, get_working_hours, list_attendees, solve_from_tools
    from .verdict import Verdict, verify
    from .world import Attendee, Request, WorkingHours, World, content_hash, shape
    from .zones import iana_release

__version__ = "0.1.0"

_MODULES = {
    "cpsat.certificate": ("Certificate", "certificate"),
    "cpsat.solver": ("OutOfWork",),
    "cpsat.synthesis": ("synthesize",),
    "cpsat.wishes": ("COMMON_ZONES", "Dst", "Starts", "Target", "WishError"),
    "curated": ("curated_worlds",),
    "environment.harness": ("MeetingSlotHarness",),
    "environment.single_agent": ("MeetingSlotEnv",),
    "environment.taskset": ("MeetingSlotTaskset",),
    "errors": ("FileError", "MeetingSlotError", "UnknownZone", "UnreadableAnswer", "WorldError"),
    "files": ("read_answers", "read_world", "read_worlds"),
    "grading": ("Grade", "grade", "grade_reply"),
    "instants": ("NONE", "answer_text", "day_text", "instant_text", "parse_answer", "parse_day"),
    "measures": ("Band", "Load", "Panel", "Size", "band_of", "hardness", "load", "panel"),
    "named": ("named_split",),
    "observations": ("Kind", "Observation", "proved"),
    "parsing": ("parse_world",),
    "policies": ("Policy", "policy_named"),
    "reasons": ("why_not",),
    "solving": ("Solver", "solve"),
    "sweep": ("earliest_start", "gold_earliest", "valid_stretches"),
    "tools": (
        "get_busy",
        "get_timezone",
        "get_working_hours",
        "list_attendees",
        "solve_from_tools",
    ),
    "verdict": ("Verdict", "verify"),
    "world": ("Attendee", "Request", "WorkingHours", "World", "content_hash", "shape"),
    "zones": ("iana_release",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "COMMON_ZONES",
    "NONE",
    "Attendee",
    "Band",
    "Certificate",
    "Dst",
    "FileError",
    "Grade",
    "Kind",
    "Load",
    "MeetingSlotEnv",
    "MeetingSlotError",
    "MeetingSlotHarness",
    "MeetingSlotTaskset",
    "Observation",
    "OutOfWork",
    "Panel",
    "Policy",
    "Request",
    "Size",
    "Solver",
    "Starts",
    "Target",
    "UnknownZone",
    "UnreadableAnswer",
    "Verdict",
    "WishError",
    "WorkingHours",
    "World",
    "WorldError",
    "answer_text",
    "band_of",
    "certificate",
    "content_hash",
    "curated_worlds",
    "day_text",
    "earliest_start",
    "get_busy",
    "get_timezone",
    "get_working_hours",
    "gold_earliest",
    "grade",
    "grade_reply",
    "hardness",
    "iana_release",
    "instant_text",
    "list_attendees",
    "load",
    "load_environment",
    "named_split",
    "panel",
    "parse_answer",
    "parse_day",
    "parse_world",
    "policy_named",
    "proved",
    "read_answers",
    "read_world",
    "read_worlds",
    "shape",
    "solve",
    "solve_from_tools",
    "synthesize",
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
    """Import what is asked for when it is asked for, so that a command starts fast."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
