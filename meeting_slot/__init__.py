"""Meeting-scheduling worlds that are provably right and provably hard.

A world is a handful of people with time zones, local working hours and local busy calendars; its
answer is the earliest UTC start at which all are free for the whole meeting, or `NONE`.
"""

from .curated import curated_worlds
from .errors import FileError, MeetingSlotError, UnknownZone, UnreadableAnswer, WorldError
from .files import read_answers, read_world, read_worlds
from .grading import Grade, grade, grade_reply
from .instants import NONE, answer_text, instant_text, parse_answer
from .observations import Observation, proved
from .parsing import parse_world
from .reasons import why_not
from .sweep import earliest_start, gold_earliest, valid_stretches
from .tools import get_busy, get_timezone, get_working_hours, list_attendees, solve_from_tools
from .verdict import Verdict, verify
from .world import Attendee, Request, WorkingHours, World, content_hash, shape
from .zones import iana_release

__version__ = "0.1.0"

__all__ = [
    "NONE",
    "Attendee",
    "FileError",
    "Grade",
    "MeetingSlotError",
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
