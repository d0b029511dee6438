"""A conversation as text that somebody reads: who said what, each tool call with its answer."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, takewhile
from typing import Any, Final

from ..errors import printable
from ..transcript import Messages, calls_in, text_of

_MOST: Final = 20_000
"""Characters of one message that are shown; the run's file has them all."""
_MOST_OF_RULES: Final = 200


def transcript_text(messages: Messages) -> str:
    """Return a conversation as lines; control characters are shown escaped.

    A tool's answer stands behind its call. One that answers no call is left out.
    """
    return "\n".join(
        line
        for place, message in enumerate(messages)
        for line in _lines(message, takewhile(_is_tools, islice(messages, place + 1, None)))
    )


def _lines(message: Mapping[str, Any], answers: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    role = message.get("role")
    said = text_of(message.get("content"))
    match role:
        case "system":
            yield from _told("rules", said, _MOST_OF_RULES)
        case "tool":
            pass
        case "assistant":
            thought = message.get("reasoning_content")
            if isinstance(thought, str) and thought:
                yield from _told("model thinks", thought)
            if said:
                yield from _told("model", said)
            for call in calls_in([message, *answers]):
                asked = f"  {call.tool} {call.arguments}"
                yield from _told(asked, "no answer" if call.result is None else call.result)
        case _:
            yield from _told(str(role), said)


def _is_tools(message: Mapping[str, Any]) -> bool:
    return message.get("role") == "tool"


def _told(who: str, text: str, most: int = _MOST) -> Iterator[str]:
    """Yield a text's lines, the first with the one who said it; what is left out is counted."""
    shown = text[:most]
    first, *others = [printable(line) for line in shown.split("\n")]
    yield f"{printable(who[:_MOST])}: {first}"
    yield from others
    if len(text) > most:
        yield f"… {len(text) - most:,} more characters"
