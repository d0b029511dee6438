"""The prompt: it says every rule of a meeting world, the budget, and nothing of one world."""

import hashlib
import re
from datetime import date, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from meeting_slot import curated_worlds
from meeting_slot.errors import MeetingSlotError
from meeting_slot.grading import answer_in
from meeting_slot.prompt import prompt_hash, request_in, system_prompt, user_prompt
from meeting_slot.tool_calls import SCHEMAS, TOOL_NAMES
from meeting_slot.world import Request
from tests.conftest import unprintable

SYSTEM = system_prompt(max_turns=37, max_tool_calls=411)
EPOCH = date(1970, 1, 1)
LAST_DAY = (date(2100, 12, 31) - EPOCH).days


def test_every_sentence_is_one_printable_text() -> None:
    assert SYSTEM.isascii()
    assert not unprintable(SYSTEM)
    assert "{" not in SYSTEM
    assert SYSTEM.endswith("<answer>NONE</answer>\n")


@pytest.mark.parametrize(
    "sentence",
    [
        # the question
        "Find the earliest UTC start at which everyone is free for the whole meeting",
        "or that there is none.",
        "Instants are whole UTC minutes.",
        "[start, end) includes its start and excludes its end.",
        # the pointwise rule
        "A UTC minute is free for an attendee if and only if its local wall-clock reading",
        "by the IANA rules of the attendee's time zone",
        "falls on one of the listed weekdays (0 = Monday ... 6 = Sunday)",
        "inside the working hours [start, end)",
        "and inside no busy block [start, end) of that local date.",
        # times of day and blocks
        "Working hours and busy blocks are local times of day",
        "24:00 is the end of a day",
        "neither wraps past midnight",
        "Blocks may overlap, touch or repeat each other",
        "may lie outside the working hours, on days off or on dates that never occur.",
        "A block whose start is its end blocks nothing.",
        "A date without blocks is free within the hours.",
        # shifts
        "both passes are treated alike, so a block or an hour applies in both.",
        "the skipped local readings never occur",
        "where a zone skips a whole local date, that date never occurs.",
        "If an offset has seconds, the local reading is floored to the minute.",
        # validity
        "A start is valid if and only if it lies in the search window",
        "from window_start 00:00 UTC up to, not including, window_days times 24 hours later",
        "every minute of [start, start + duration) is free for every attendee.",
        "The meeting may end after the window does",
        "may cross a local midnight if both sides of it are free, each by its own local date.",
        # the answer
        "The answer is the smallest valid start.",
        "Any whole minute can be it, not only the hour and the half hour.",
        "If no start is valid, the answer is NONE.",
        # the budget, and how to end
        "You have at most 37 turns: each of your replies is one, the final one included.",
        "Several tool calls in one reply are welcome",
        "at most 411 calls are answered altogether.",
        "End with a reply that calls no tool and gives your answer, in UTC",
        "<answer>YYYY-MM-DDTHH:MM:00Z</answer>",
    ],
)
def test_the_prompt_says(sentence: str) -> None:
    assert sentence in " ".join(SYSTEM.split())


def test_each_tool_is_named_with_its_parameters_and_no_other() -> None:
    listed = re.findall(r"^- (\w+)\(([^)]*)\): ", SYSTEM, re.MULTILINE)
    parameters = {tool["name"]: ", ".join(tool["parameters"]["properties"]) for tool in SCHEMAS}
    assert dict(listed) == parameters
    assert [name for name, _ in listed] == list(TOOL_NAMES)


def test_the_answer_is_read_in_the_form_that_the_prompt_asks_for() -> None:
    instant, none = re.findall(r"^<answer>.*</answer>$", SYSTEM, re.MULTILINE)
    filled = instant.replace("YYYY-MM-DDTHH:MM", "2024-03-11T13:00")
    assert answer_in(filled) == "2024-03-11T13:00:00Z"
    assert answer_in(none) == "NONE"


def test_another_budget_changes_its_two_numbers_only() -> None:
    other = system_prompt(max_turns=5, max_tool_calls=60)
    assert other == SYSTEM.replace("37", "5").replace("411", "60")


def test_nothing_of_a_world_but_its_request_is_in_the_prompt() -> None:
    for world in curated_worlds():
        prompt = SYSTEM + user_prompt(world.request)
        for attendee in world.attendees:
            assert not re.search(rf"\b{re.escape(attendee.name)}\b", prompt)
            assert attendee.timezone == "UTC" or attendee.timezone not in prompt
        assert world.recorded is not None
        assert world.recorded == "NONE" or world.recorded[:16] not in prompt


def test_the_request_says_duration_and_window_and_both_ends_of_the_starts() -> None:
    request = Request(45, (date(2024, 12, 30) - EPOCH).days, 3)
    assert user_prompt(request) == (
        "Find the earliest UTC start for a meeting of all attendees.\n"
        "\n"
        "duration_minutes: 45\n"
        "window_start: 2024-12-30\n"
        "window_days: 3\n"
        "\n"
        "So the start lies from 2024-12-30 00:00 UTC up to, not including, 2025-01-02 00:00 UTC.\n"
    )


@given(st.integers(1, 1440), st.integers(0, LAST_DAY), st.integers(1, 366))
@example(1440, LAST_DAY, 1)
@settings(deadline=None, derandomize=True)
def test_a_request_is_read_from_its_prompt_as_it_was(duration: int, first: int, days: int) -> None:
    request = Request(duration, first, min(days, LAST_DAY + 1 - first))
    prompt = user_prompt(request)
    assert request_in(prompt) == request
    assert request_in(f"{SYSTEM}\n{prompt}") == request
    start = EPOCH + timedelta(days=first)
    end = start + timedelta(days=request.window_days)
    assert f"from {start} 00:00 UTC up to, not including, {end} 00:00 UTC" in prompt


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        SYSTEM,
        "duration_minutes: 30\nwindow_start: 2024-03-11\n",
        "duration_minutes: 30\nwindow_start: 2024-03-11\nwindow_days: x",
        "duration_minutes: 30\nwindow_start: 2024-02-30\nwindow_days: 1",
        "duration_minutes: 1441\nwindow_start: 2024-03-11\nwindow_days: 1",
        "duration_minutes: 30\nwindow_start: 2024-03-11\nwindow_days: 367",
        "duration_minutes: 30\nwindow_start: 2024-03-11\nwindow_days: 0000000015",
        "duration_minutes: ٣٠\nwindow_start: 2024-03-11\nwindow_days: 1",
        f"duration_minutes: {'9' * 5000}\nwindow_start: 2024-03-11\nwindow_days: 1",
        f"duration_minutes: 30\nwindow_start: 2024-03-11\nwindow_days: {'9' * 5000}",
        "duration_minutes: " * 50_000,
    ],
)
def test_a_text_that_asks_for_no_request_is_refused(prompt: str) -> None:
    with pytest.raises(MeetingSlotError) as refused:
        request_in(prompt)
    assert len(str(refused.value)) < 300


def test_the_hash_is_the_sha256_of_the_system_prompt() -> None:
    assert prompt_hash(SYSTEM) == hashlib.sha256(SYSTEM.encode("utf-8")).hexdigest()
    assert prompt_hash("") == prompt_hash(None)
    hashes = {prompt_hash(text) for text in (SYSTEM, system_prompt(37, 412), "", "\ud800", "?")}
    assert len(hashes) == 5
