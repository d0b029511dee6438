"""One tool call as a model makes it: checked, counted and answered with text, whatever it is."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from .errors import quoted
from .tools import get_busy, get_timezone, get_working_hours, list_attendees
from .world import World

_NAME: Final = {"name": "The attendee's name, as list_attendees gives it."}
_DATE: Final = {"date": "A local date of the attendee, YYYY-MM-DD."}

_TOOLS: Final[dict[str, tuple[Callable[..., str], str, dict[str, str]]]] = {
    "list_attendees": (list_attendees, "List the names of all attendees, as a JSON list.", {}),
    "get_timezone": (get_timezone, "Get an attendee's IANA time zone.", _NAME),
    "get_working_hours": (
        get_working_hours,
        "Get an attendee's local working hours, as a JSON object: start and end (HH:MM, half-open) "
        "weekdays (0 = Monday ... 6 = Sunday) and weekday_names.",
        _NAME,
    ),
    "get_busy": (
        get_busy,
        "Get an attendee's busy blocks on one local date, as a JSON list of objects with start and "
        "end (HH:MM, half-open, local time).",
        _NAME | _DATE,
    ),
}
TOOL_NAMES: Final = tuple(_TOOLS)
DESCRIPTIONS: Final = {name: description for name, (_, description, _) in _TOOLS.items()}
SCHEMAS: Final[list[dict[str, Any]]] = [
    {
        "name": name,
        "description": description,
        "parameters": {
            "type": "object",
            "properties": {
                parameter: {"type": "string", "description": text}
                for parameter, text in parameters.items()
            },
            "required": list(parameters),
            "additionalProperties": False,
        },
    }
    for name, (_, description, parameters) in _TOOLS.items()
]
"""Each tool's name, description and JSON Schema of its arguments."""


def tool_named(name: str) -> str | None:
    """Return which of the four tools a call names; some harnesses put the server's name first."""
    for tool in TOOL_NAMES:
        if name == tool or name.endswith((f"_{tool}", f".{tool}")):
            return tool
    return None


def answer_call(world: World, tool: str, arguments: str | Mapping[str, Any]) -> str:
    """Return the text that answers a tool call: the tool's, or one line that begins `error:`.

    Args:
        world: the world of this rollout.
        tool: the name that was called; there may be no such tool.
        arguments: JSON text as the model wrote it, which may be no JSON, or what it parsed to.
    """
    if not isinstance(tool, str) or tool not in _TOOLS:
        return f"error: there is no tool {quoted(tool)}; the tools are {', '.join(TOOL_NAMES)}"
    given = arguments_in(arguments)
    if given is None:
        return f"error: the arguments of {tool} must be a JSON object, got {quoted(arguments)}"
    function, _, parameters = _TOOLS[tool]
    for parameter in parameters:
        if parameter not in given:
            return f"error: {tool} needs the argument {parameter}"
    for argument in given:
        if argument not in parameters:
            takes = " and ".join(parameters) or "no arguments"
            return f"error: {tool} takes {takes}, got also {quoted(argument)}"
    return function(world, **given)


def arguments_in(arguments: str | Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a call's arguments as an object, or None where they are none; no text is `{}`."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments) if arguments.strip() else {}
        except (ValueError, RecursionError):
            return None
    return dict(arguments) if isinstance(arguments, Mapping) else None


def past_budget(max_tool_calls: int) -> str:
    """Return the text that answers a call past the budget."""
    return f"error: all {max_tool_calls} tool calls of this conversation are used up; answer now"
