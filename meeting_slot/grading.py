"""The score of a reply: `reward = 1.0 * exact + 0.2 * format + 0.2 * partial`, without a judge.

Only the last assistant message counts, and only if it calls no tool. In it, the text after the last
`</think>` is searched for `<answer>…</answer>`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from .errors import UnreadableAnswer
from .instants import ProposedInstant, parse_answer
from .reasons import NotEarliest, why_not
from .world import World

EXACT_WEIGHT: Final = 1.0
FORMAT_WEIGHT: Final = 0.2
PARTIAL_WEIGHT: Final = 0.2
VALID_BUT_LATER: Final = 0.5
"""The partial score of a valid start that is not the earliest."""


class Grade(msgspec.Struct, frozen=True):
    """The three terms of a score, each from 0 to 1, and the answer they are for.

    Attributes:
        exact: 1 for the right answer.
        format: 1 for an answer block that is not empty, whatever it says.
        partial: 0.5 for a valid start that is not the earliest; 0 when exact is 1.
        answer: the text of the answer block; None where there is none, or two that differ.
    """

    exact: float = 0.0
    format: float = 0.0
    partial: float = 0.0
    answer: str | None = None

    @property
    def reward(self) -> float:
        """The weighted sum, 1.2 for a perfect answer."""
        return (
            EXACT_WEIGHT * self.exact + FORMAT_WEIGHT * self.format + PARTIAL_WEIGHT * self.partial
        )


def grade(world: World, messages: Sequence[Mapping[str, Any]]) -> Grade:
    """Return the grade of a conversation, whose messages are as in chat completions.

    The last assistant message counts, and only if it calls no tool; see `grade_reply`.
    """
    return grade_reply(world, final_reply(messages))


def grade_reply(world: World, reply: str) -> Grade:
    """Return the grade of the text of a last assistant message; nothing in it is an error.

    The world's answer is computed; the one that a file recorded is not looked at.
    """
    answer = answer_in(reply)
    if answer is None:
        return Grade()
    try:
        proposed = parse_answer(answer)
    except UnreadableAnswer:
        return Grade(format=1.0, answer=answer)
    if proposed is not None and not proposed.whole:
        return Grade(format=1.0, answer=answer)
    reason = why_not(world, None if proposed is None else proposed.minute)
    return Grade(
        exact=1.0 if reason is None else 0.0,
        format=1.0,
        partial=VALID_BUT_LATER if isinstance(reason, NotEarliest) else 0.0,
        answer=answer,
    )


def final_reply(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of the last assistant message; empty where that message calls tools."""
    for message in reversed(messages):
        if isinstance(message, Mapping) and message.get("role") == "assistant":
            calls = message.get("tool_calls") or message.get("function_call")
            return "" if calls else _text(message.get("content"))
    return ""


def answer_in(reply: str) -> str | None:
    """Return the answer that a reply gives, or None where it gives none, or two that differ.

    Two notations of the same instant do not differ. The text up to the last `</think>` does not
    count, and a reply whose last `<think>` is not closed gives no answer.
    """
    said = reply[reply.rfind("</think>") + len("</think>") :] if "</think>" in reply else reply
    if "<think>" in said:
        return None
    answers = [text for text in _blocks(said) if text]
    if not answers:
        return None
    meaning = _meaning(answers[-1])
    if any(_meaning(text) != meaning for text in set(answers)):
        return None
    return answers[-1]


def _blocks(text: str) -> list[str]:
    """Return what stands in each `<answer>` block, in time linear in the text."""
    blocks = []
    for before_close in text.split("</answer>")[:-1]:
        opening = before_close.rfind("<answer>")
        if opening >= 0:
            blocks.append(before_close[opening + len("<answer>") :].strip())
    return blocks


def _meaning(answer: str) -> ProposedInstant | str | None:
    try:
        return parse_answer(answer)
    except UnreadableAnswer:
        return answer


def _text(content: object) -> str:
    """Return a message's text, which may come as a string or as a list of typed parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""
