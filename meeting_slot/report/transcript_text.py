"""A conversation as text that somebody reads: who said what, each tool call with its answer."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..errors import printable
from ..transcript import Messages, calls_in, text_of

_MOST: Final = 20_000
"""Characters of one message that are shown; the run's file has them all."""
_MOST_OF_RULES: Final = 200


def transcript_text(messages: Messages) -> str:
    """Return a conversation as lines; control characters are shown escaped."""
    return "\n".join(line for message in messages for line in _lines(message))


def _lines(message: Mapping[str, Any]) -> Iterator[str]:
    role = message.get("role")
    said = text_of(message.get("content"))
    match role:
        case "system":
            yield from _told("rules", said, _MOST_OF_RULES)
        case "tool":
            yield from _told("  =", said)
        case "assistant":
            thought = message.get("reasoning_content")
            if isinstance(thought, str) and thought:
                yield from _told("model thinks", thought)
            if said:
                yield from _told("model", said)
            for call in calls_in([message]):
                yield f"  > {printable(f'{call.tool} {call.arguments}')[:_MOST]}"
        case _:
            yield from _told(printable(str(role)), said)


def _told(who: str, text: str, most: int = _MOST) -> Iterator[str]:
    """Yield a text's lines, the first with the one who said it; what is left out is counted."""
    shown = text[:most]
    first, *others = [printable(line) for line in shown.split("\n")]
    yield f"{who}: {first}"
    yield from others
    if len(text) > most:
        yield f"… {len(text) - most:,} more characters"
