"""The score of a reply, sentence by sentence of its rule.

`reward = 1.0 * exact + 0.2 * format + 0.2 * partial`. In `MEETING` both are free on Monday 11 March
2024 from 13:00Z (New York, UTC-4, begins) until 17:00Z (London, UTC+0, ends): the answer is 13:00Z,
and half an hour may start until 16:30Z.
"""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from meeting_slot import Grade, World, curated_worlds, grade, grade_reply, parse_world
from meeting_slot.grading import answer_in, final_reply
from tests.world_objects import attendee_object, json_values, world_object

MEETING = parse_world(
    world_object(
        attendee_object("Ava", "America/New_York"), attendee_object("Farid", "Europe/London")
    )
)
NEVER = parse_world(
    world_object(
        attendee_object("Ava", "America/New_York"), attendee_object("Diya", "Asia/Kolkata")
    )
)
RIGHT = "2024-03-11T13:00:00Z"
LATER = "2024-03-11T16:30:00Z"
WRONG = "2024-03-11T16:31:00Z"

PERFECT = 1.2
VALID_BUT_LATER = 0.2 + 0.1
JUST_FORMAT = 0.2
NOTHING = 0.0
SCORES = (PERFECT, VALID_BUT_LATER, JUST_FORMAT, NOTHING)

MEGABYTE = 2**20
untimed = settings(deadline=None, derandomize=True, max_examples=300)


def block(answer: str) -> str:
    return f"<answer>{answer}</answer>"


def says(content: object, **others: object) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **others}


def assert_terms(found: Grade, exact: float, in_format: float, partial: float) -> None:
    assert (found.exact, found.format, found.partial) == (exact, in_format, partial)
    assert found.reward == pytest.approx(exact + 0.2 * in_format + 0.2 * partial)


# The three terms


def test_the_right_answer_scores_exact_and_format_and_not_partial() -> None:
    found = grade_reply(MEETING, block(RIGHT))
    assert_terms(found, exact=1, in_format=1, partial=0)
    assert found.reward == PERFECT


@pytest.mark.parametrize("later", ["2024-03-11T13:01:00Z", "2024-03-11T14:00:00Z", LATER])
def test_a_valid_start_that_is_not_the_earliest_scores_format_and_half_of_partial(
    later: str,
) -> None:
    found = grade_reply(MEETING, block(later))
    assert_terms(found, exact=0, in_format=1, partial=0.5)
    assert found.reward == pytest.approx(VALID_BUT_LATER)


@pytest.mark.parametrize(
    "wrong",
    [WRONG, "2024-03-11T12:59:00Z", "2024-03-12T13:00:00Z", "1999-12-31T23:59:00Z", "NONE"],
    ids=["runs over", "too early", "after the window", "long before the window", "none"],
)
def test_a_wrong_answer_scores_format_alone(wrong: str) -> None:
    found = grade_reply(MEETING, block(wrong))
    assert_terms(found, exact=0, in_format=1, partial=0)
    assert found.reward == JUST_FORMAT


def test_none_is_right_where_there_is_no_start_and_any_start_is_wrong() -> None:
    assert grade_reply(NEVER, block("NONE")).reward == PERFECT
    assert grade_reply(NEVER, block(RIGHT)).reward == JUST_FORMAT


@pytest.mark.parametrize(
    "reply",
    [
        "",
        RIGHT,
        f"The answer is {RIGHT}.",
        f"<answer>{RIGHT}",
        f"{RIGHT}</answer>",
        f"</answer>{RIGHT}<answer>",
        f"<answer >{RIGHT}</answer>",
        f"[answer]{RIGHT}[/answer]",
    ],
)
def test_a_reply_without_an_answer_block_scores_nothing(reply: str) -> None:
    found = grade_reply(MEETING, reply)
    assert_terms(found, exact=0, in_format=0, partial=0)
    assert found.answer is None


@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\u00a0\u2003"])
def test_an_answer_block_that_is_empty_scores_nothing(blank: str) -> None:
    assert grade_reply(MEETING, block(blank)).reward == NOTHING


@pytest.mark.parametrize(
    "garbage",
    [
        "tomorrow at one",
        "2024-03-11",
        "13:00",
        "2024-02-30T13:00:00Z",
        "0000-01-01T00:00:00Z",
        "9999-12-31T23:59:59-23:59",
        "0001-01-01T00:00:00+23:59",
        f"{RIGHT} or {LATER}",
        "{}",
        "\x00\ud800\u202e",
        "9" * 10_000,
    ],
)
def test_garbage_in_the_block_keeps_format(garbage: str) -> None:
    found = grade_reply(MEETING, block(garbage))
    assert_terms(found, exact=0, in_format=1, partial=0)


def test_words_around_the_block_do_not_matter() -> None:
    reply = f"Ava starts at 13:00Z, so:\n\n{block(RIGHT)}\n\nNot {LATER}. Shall I book it?"
    assert grade_reply(MEETING, reply).reward == PERFECT


# Notations of the same answer


@pytest.mark.parametrize(
    "notation",
    [
        "2024-03-11T09:00:00-04:00",
        "2024-03-11T18:30:00+05:30",
        "2024-03-12T03:00:00+14:00",
        "2024-03-11T13:00:00+00:00",
        "2024-03-11T13:00:00.000Z",
        "2024-03-11T09:00:00.000-04:00",
        "2024-03-11T13:00Z",
        "2024-03-11T09:00-04:00",
        "2024-03-11T13:00:00",
        "2024-03-11T13:00",
        "2024-03-11 13:00:00",
        f"`{RIGHT}`",
        f"```{RIGHT}```",
        f"\n```\n{RIGHT}\n```\n",
        f" {RIGHT}\n",
        f"`\n {RIGHT} \n`",
    ],
)
def test_the_same_instant_in_another_notation_is_the_same_answer(notation: str) -> None:
    assert grade_reply(MEETING, block(notation)).reward == PERFECT


@pytest.mark.parametrize("notation", ["NONE", "none", "None", "nOnE", "`none`", "```\nNONE\n```"])
def test_none_in_any_case_is_the_same_answer(notation: str) -> None:
    assert grade_reply(NEVER, block(notation)).reward == PERFECT


def test_a_local_time_without_an_offset_is_read_as_utc_not_as_somebody_s_time() -> None:
    assert grade_reply(MEETING, block("2024-03-11T09:00:00")).reward == JUST_FORMAT


@pytest.mark.parametrize("off", ["13:00:01Z", "13:00:30Z", "13:00:00.001Z", "14:00:59Z"])
def test_an_instant_that_is_not_on_a_whole_minute_is_wrong_and_not_even_partial(off: str) -> None:
    found = grade_reply(MEETING, block(f"2024-03-11T{off}"))
    assert_terms(found, exact=0, in_format=1, partial=0)


# Several answers in one message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (RIGHT, LATER),
        (LATER, RIGHT),
        (RIGHT, "NONE"),
        (RIGHT, "2024-03-11T09:00:00Z"),
        (RIGHT, "2024-03-11T13:00:30Z"),
        (RIGHT, "at one"),
        ("at one", "at two"),
    ],
)
def test_two_different_answers_score_nothing_on_all_terms(first: str, second: str) -> None:
    found = grade_reply(MEETING, f"{block(first)} or else {block(second)}")
    assert found == Grade(exact=0, format=0, partial=0, answer=None)


@pytest.mark.parametrize(
    "second",
    [RIGHT, "2024-03-11T09:00:00-04:00", f"`{RIGHT}`", "2024-03-11T13:00:00.000Z", "", "  "],
)
def test_two_notations_of_the_same_instant_are_one_answer(second: str) -> None:
    assert grade_reply(MEETING, block(RIGHT) + block(second)).reward == PERFECT
    assert grade_reply(MEETING, block(second) + block(RIGHT)).reward == PERFECT


def test_none_twice_in_other_cases_is_one_answer() -> None:
    assert grade_reply(NEVER, block("none") + block("NONE")).reward == PERFECT


def test_the_innermost_of_nested_blocks_is_the_answer() -> None:
    assert grade_reply(MEETING, f"<answer>it is {block(RIGHT)}</answer>").reward == PERFECT
    assert grade_reply(MEETING, f"In <answer> I write: {block(RIGHT)}").reward == PERFECT


# Thoughts


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>is it {block(LATER)}?</think>{block(RIGHT)}",
        f"<think></think>{block(RIGHT)}",
        f"is it {block(LATER)}?</think>{block(RIGHT)}",
        f"<think>a</think>{block(LATER)}<think>no</think>{block(RIGHT)}",
        f"<think>a<think>b</think>{block(LATER)}</think>{block(RIGHT)}",
        f"<think><think></think>{block(RIGHT)}",
        f"</think></think>{block(RIGHT)}",
        f"<think>\n<answer>\n</think>\n{block(RIGHT)}",
        f"<think>a</answer></think>{block(RIGHT)}",
    ],
    ids=[
        "thoughts first",
        "empty thoughts",
        "only the end of thoughts",
        "several thoughts",
        "nested thoughts",
        "nested, closed once",
        "closed twice",
        "a block opened in thoughts",
        "a block closed in thoughts",
    ],
)
def test_text_up_to_the_last_end_of_thoughts_does_not_count(reply: str) -> None:
    assert grade_reply(MEETING, reply).reward == PERFECT


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>{block(RIGHT)}",
        f"<think>{block(RIGHT)}</think>",
        f"{block(RIGHT)}</think>",
        f"<think>{block(RIGHT)}</think> Done.",
        f"{block(RIGHT)}<think>or is it",
        f"<think>a</think>{block(RIGHT)}<think>or is it",
        f"<think>a</think><think>{block(RIGHT)}",
        f"<think>a</think>{block(RIGHT)}<think>b</think>",
        f"<answer>{RIGHT}</think></answer>",
        f"<answer><think>{RIGHT}</answer>",
    ],
    ids=[
        "unclosed",
        "answer in thoughts only",
        "answer before the end of thoughts only",
        "words after the thoughts",
        "unclosed thoughts after the answer",
        "closed, then unclosed thoughts",
        "unclosed second thoughts around the answer",
        "closed thoughts after the answer",
        "thoughts end inside the block",
        "thoughts begin inside the block",
    ],
)
def test_an_answer_in_thoughts_or_beside_unclosed_ones_is_no_answer(reply: str) -> None:
    assert grade_reply(MEETING, reply) == Grade(exact=0, format=0, partial=0, answer=None)


# Which message counts


def test_only_the_last_assistant_message_counts() -> None:
    first, last = says(block(RIGHT)), says("I am not sure any more.")
    assert grade(MEETING, [first, last]).reward == NOTHING
    assert grade(MEETING, [last, first]).reward == PERFECT
    assert grade(MEETING, [says(block(LATER)), first]).reward == PERFECT


@pytest.mark.parametrize("role", ["user", "system", "tool", "developer", None, "Assistant"])
def test_messages_of_others_do_not_count_wherever_they_stand(role: str | None) -> None:
    other = {"role": role, "content": block(RIGHT)}
    assert grade(MEETING, [other]).reward == NOTHING
    assert grade(MEETING, [other, says("hm"), other]).reward == NOTHING
    wrong = {"role": role, "content": block(LATER)}
    assert grade(MEETING, [wrong, says(block(RIGHT)), wrong]).reward == PERFECT


def test_a_conversation_without_a_message_scores_nothing() -> None:
    assert grade(MEETING, []).reward == NOTHING


def test_a_message_that_also_calls_tools_is_never_final() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "get_busy", "arguments": "{}"}}
    calling = says(block(RIGHT), tool_calls=[call])
    assert grade(MEETING, [calling]).reward == NOTHING
    assert grade(MEETING, [says(block(RIGHT)), calling]).reward == NOTHING
    reply = {"role": "tool", "tool_call_id": "1", "content": "[]"}
    assert grade(MEETING, [calling, reply, says(block(RIGHT))]).reward == PERFECT


@pytest.mark.parametrize("none", [None, []])
def test_a_message_with_an_empty_list_of_tool_calls_is_final(none: object) -> None:
    assert grade(MEETING, [says(block(RIGHT), tool_calls=none)]).reward == PERFECT


# The shape of a message


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": block(RIGHT)}],
        [{"type": "text", "text": "It is "}, {"type": "text", "text": block(RIGHT)}],
        [{"type": "text", "text": f"<answer>{RIGHT}"}, {"type": "text", "text": "</answer>"}],
        [{"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": block(RIGHT)}],
        [None, 7, {"type": "text"}, {"text": 7}, {"type": "text", "text": block(RIGHT)}],
    ],
)
def test_content_as_a_list_of_parts_is_their_text_put_together(content: object) -> None:
    assert grade(MEETING, [says(content)]).reward == PERFECT


@pytest.mark.parametrize("content", [None, [], "", 7, True, {"text": block(RIGHT)}, [[]]])
def test_content_that_is_no_text_scores_nothing(content: object) -> None:
    assert grade(MEETING, [says(content)]).reward == NOTHING


def test_a_message_without_content_scores_nothing() -> None:
    assert grade(MEETING, [{"role": "assistant"}]).reward == NOTHING
    assert grade(MEETING, [says(block(RIGHT)), {"role": "assistant"}]).reward == NOTHING


replies = st.lists(
    st.sampled_from(
        [
            "<answer>",
            "</answer>",
            "<think>",
            "</think>",
            "`",
            "\n",
            "none",
            "x",
            RIGHT,
            LATER,
            WRONG,
        ]
    )
    | st.text(max_size=4),
    max_size=8,
).map("".join)
contents = replies | json_values | st.lists(st.fixed_dictionaries({"text": replies}), max_size=3)
messages = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["assistant", "assistant", "user", "tool"]) | json_values,
        "content": contents,
        "tool_calls": json_values,
    },
)


@untimed
@given(st.lists(messages | json_values, max_size=4))
@example([None])
@example(["assistant"])
@example([[{"role": "assistant"}]])
@example([{"role": ["assistant"], "content": {}, "tool_calls": 7}])
def test_messages_of_any_shape_are_graded(drawn: list[Any]) -> None:
    found = grade(MEETING, drawn)
    assert found.reward == pytest.approx(min(SCORES, key=lambda score: abs(score - found.reward)))


def test_something_that_is_no_message_is_passed_over() -> None:
    assert grade(MEETING, [None, says(block(RIGHT)), "hello", 7, []]).reward == PERFECT  # type: ignore[list-item]


@untimed
@given(replies)
def test_a_reply_is_graded_as_the_last_assistant_message_is(reply: str) -> None:
    conversation = [says(block(LATER)), {"role": "user", "content": "?"}, says(reply)]
    assert final_reply(conversation) == reply
    assert grade(MEETING, conversation) == grade_reply(MEETING, reply)


@untimed
@given(replies, replies)
def test_thoughts_in_front_change_nothing_whatever_they_hold(thoughts: str, reply: str) -> None:
    assert answer_in(f"<think>{thoughts}</think>{reply}") == answer_in(reply)


@untimed
@given(replies)
def test_thoughts_that_begin_and_do_not_end_leave_no_answer(reply: str) -> None:
    assert answer_in(reply + "<think>") is None


@untimed
@given(st.lists(st.sampled_from([RIGHT, LATER, "none", "NONE", "x", "`x`", " "]), max_size=4))
def test_an_answer_is_what_all_blocks_that_are_not_empty_agree_on(drawn: list[str]) -> None:
    meanings = {text.upper() if text in ("none", "NONE") else text for text in drawn if text != " "}
    answer = answer_in("so ".join(map(block, drawn)))
    if len(meanings) == 1:
        assert answer == [text for text in drawn if text != " "][-1]
    else:
        assert answer is None


# Long replies: an implementation that is not linear in their length would not end


@pytest.mark.parametrize(
    ("repeated", "alone", "in_a_block"),
    [
        (" ", NOTHING, NOTHING),
        ("\n", NOTHING, NOTHING),
        ("<", NOTHING, JUST_FORMAT),
        ("`", NOTHING, JUST_FORMAT),
        ("7", NOTHING, JUST_FORMAT),
        ("<answer>", NOTHING, NOTHING),
        ("</answer>", NOTHING, NOTHING),
        ("<think>", NOTHING, NOTHING),
        ("</think>", NOTHING, NOTHING),
        ("<think></think>", NOTHING, NOTHING),
        ("<answer></answer>", NOTHING, NOTHING),
        ("<answer></answer", NOTHING, JUST_FORMAT),
        ("</answer><answer>", NOTHING, NOTHING),
        (block("x"), JUST_FORMAT, JUST_FORMAT),
        (block("none"), JUST_FORMAT, JUST_FORMAT),
        (block(RIGHT), PERFECT, PERFECT),
        (block(RIGHT) + block(LATER), NOTHING, NOTHING),
        (RIGHT, NOTHING, JUST_FORMAT),
        ("none", NOTHING, JUST_FORMAT),
    ],
)
def test_a_reply_of_a_megabyte_is_graded(repeated: str, alone: float, in_a_block: float) -> None:
    text = repeated * (MEGABYTE // len(repeated))
    assert grade_reply(MEETING, text).reward == alone
    assert grade_reply(MEETING, block(text)).reward == in_a_block


@pytest.mark.parametrize("quote", [" ", "\n", "`"])
def test_a_right_answer_in_a_megabyte_of_white_space_or_backticks_is_right(quote: str) -> None:
    padding = quote * (MEGABYTE // 2)
    assert grade_reply(MEETING, padding + block(RIGHT) + padding).reward == PERFECT
    assert grade_reply(MEETING, block(padding + RIGHT + padding)).reward == PERFECT


def test_many_different_answers_of_a_megabyte_score_nothing() -> None:
    reply = "".join(block(str(number)) for number in range(MEGABYTE // 22))
    assert grade_reply(MEETING, reply).reward == NOTHING


# The contract of every world


each_curated_world = pytest.mark.parametrize("world", curated_worlds(), ids=lambda world: world.id)


@each_curated_world
def test_the_gold_answer_of_a_world_scores_1_2(world: World) -> None:
    assert world.recorded is not None
    assert grade(world, [says(block(world.recorded))]).reward == PERFECT


@each_curated_world
@settings(deadline=None, derandomize=True, max_examples=20)
@given(st.lists(messages, max_size=3), replies)
def test_garbage_never_crashes_the_grader(world: World, drawn: list[Any], reply: str) -> None:
    for found in (grade(world, drawn), grade_reply(world, reply), grade_reply(world, block(reply))):
        assert 0 <= found.reward <= PERFECT


@each_curated_world
def test_a_world_and_a_conversation_survive_a_json_round_trip(world: World) -> None:
    row = world.to_json()
    again = parse_world(json.loads(json.dumps(row)))
    assert again.to_json() == row
    assert again.id == world.id
    conversation = [says([{"type": "text", "text": block(str(world.recorded))}])]
    assert grade(again, json.loads(json.dumps(conversation))) == grade(world, conversation)


def test_a_message_that_calls_a_function_the_old_way_is_not_final() -> None:
    call = {"name": "list_attendees", "arguments": "{}"}
    message = {"role": "assistant", "content": f"<answer>{RIGHT}</answer>", "function_call": call}
    assert grade(MEETING, [message]) == Grade()
