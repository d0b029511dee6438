"""The score of a rollout: the grade, what proves it, and the metrics beside it.

In `MEETING` both are free on Monday 11 March 2024 from 13:00Z (New York, UTC-4, begins) until
17:00Z (London, UTC+0, ends), but Farid's block from 13:00 to 14:00: the answer is 14:00Z.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from meeting_slot import Grade, World, curated_worlds, grade, parse_world
from meeting_slot.cpsat.certificate import certificate
from meeting_slot.instants import answer_text
from meeting_slot.measures import panel
from meeting_slot.observations import Observation, universe
from meeting_slot.scoring import (
    group_metrics,
    policy_metrics,
    rollout_grade,
    rollout_metrics,
)
from meeting_slot.tool_calls import answer_call, past_budget
from tests import oracle
from tests.strategies import worlds
from tests.world_objects import attendee_object, json_values, world_object

MEETING_OBJECT = world_object(
    attendee_object("Ava", "America/New_York"),
    attendee_object("Farid", "Europe/London", busy={"2024-03-11": "13:00-14:00"}),
)
MEETING = parse_world(MEETING_OBJECT)
NEVER = parse_world(
    world_object(
        attendee_object("Ava", "America/New_York"), attendee_object("Diya", "Asia/Kolkata")
    )
)
RIGHT = "2024-03-11T14:00:00Z"
LATER = "2024-03-11T16:30:00Z"
WRONG = "2024-03-11T13:00:00Z"
DAY = "2024-03-11"

# What proves 14:00Z: that both are free from there; the starts before are refuted by Ava's hours
# (before 13:00Z) and by Farid's block (13:00Z to 14:00Z), which that shows as well.
PROOF = [
    *(("get_timezone", {"name": name}) for name in ("Ava", "Farid")),
    *(("get_working_hours", {"name": name}) for name in ("Ava", "Farid")),
    *(("get_busy", {"name": name, "date": DAY}) for name in ("Ava", "Farid")),
]

COUNTS = (
    "tool_calls",
    "distinct_calls",
    "repeated_calls",
    "tool_errors",
    "turns",
    "truncated",
    "branches",
)
CORE_GROUPS = {
    "clock": {"ignore-time-zones", "ignore-dst", "offset-frozen"},
    "calendar": {"ignore-weekdays", "sunday-first", "busy-by-utc-date"},
    "interval": {"ignore-busy", "busy-end-inclusive", "half-hour-grid"},
    "attention": {"first-attendee-only", "skip-last-attendee", "first-day-only"},
}
OTHERS = {
    *("second-pass-unseen", "second-pass-not-busy", "day-ends-2359", "short-busy-missed"),
    *("window-in-local-dates", "first-two-attendees", "skip-one-attendee"),
    *("at-most-10-calls", "at-most-20-calls", "at-most-40-calls"),
    *("naive", "always-none", "last-valid-start"),
    *("after-first-shift", "not-first-day", "off-half-hour", "last-quarter-of-window"),
    "never-none",
}

Asked = tuple[str, dict[str, str]]


def answering(answer: str) -> dict[str, Any]:
    return {"role": "assistant", "content": f"<answer>{answer}</answer>"}


def rollout(
    world: World, asked: Iterable[Asked], answer: str | None = None, *, a_turn: int = 1
) -> list[dict[str, Any]]:
    """Return a conversation that makes calls, some in each turn, and then answers."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "find it"}]
    rest = list(asked)
    while rest:
        now, rest = rest[:a_turn], rest[a_turn:]
        calls = [
            {"id": str(i), "name": tool, "arguments": json.dumps(arguments)}
            for i, (tool, arguments) in enumerate(now)
        ]
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_call_id": str(i), "content": answer_call(world, *one)}
            for i, one in enumerate(now)
        ]
    return messages if answer is None else [*messages, answering(answer)]


def asked_for(observations: Iterable[Observation]) -> list[Asked]:
    return [(one.kind.value, one.arguments()) for one in observations]


def given_by(metrics: dict[str, float]) -> set[str]:
    """Return the policies and groups that a wrong answer is attributed to."""
    names = [name for name in metrics if name.startswith(("policy_", "group_"))]
    assert all(metrics[name] in (0.0, 1.0) for name in names)
    return {name for name in names if metrics[name] == 1.0}


# Which metrics there are


def test_there_is_a_metric_for_each_policy_and_each_core_group_under_its_name() -> None:
    policies = OTHERS.union(*CORE_GROUPS.values())
    expected = {name: "policy_" + name.replace("-", "_") for name in policies}
    assert policy_metrics() == expected
    assert group_metrics() == {name: f"group_{name}" for name in CORE_GROUPS}


def test_every_world_and_every_conversation_has_the_same_metrics_each_a_number() -> None:
    names = {
        *COUNTS,
        *("calls_per_floor", "evidence", "proved", "exact_unproven"),
        *policy_metrics().values(),
        *group_metrics().values(),
    }
    for world in (MEETING, NEVER, curated_worlds()[-1]):
        for messages in ([], rollout(world, PROOF[:2]), rollout(world, [], WRONG)):
            found = rollout_metrics(world, messages)
            assert set(found) == names
            assert all(type(value) is float for value in found.values())


# Counts


def test_an_empty_conversation_scores_and_counts_nothing() -> None:
    assert rollout_grade(MEETING, []) == rollout_grade(MEETING, [], require_proof=True) == Grade()
    found = rollout_metrics(MEETING, [])
    assert {name for name, value in found.items() if value} == {"branches"}
    assert found["branches"] == 1.0


def test_calls_turns_repetitions_and_errors_are_counted() -> None:
    asked: list[Asked] = [
        ("list_attendees", {}),
        ("get_timezone", {"name": "Ava"}),
        ("get_timezone", {"name": "Ava"}),
        ("get_timezone", {"name": "Bob"}),
        ("get_timezone", {"name": "Bob"}),
        ("find_slot", {}),
    ]
    found = rollout_metrics(MEETING, rollout(MEETING, asked, RIGHT, a_turn=4))
    assert [found[name] for name in COUNTS] == [6, 4, 2, 3, 3, 0, 1]
    assert found["calls_per_floor"] == pytest.approx(6 / (1 + len(PROOF)))


def test_a_call_without_an_answer_counts_as_a_call_and_not_as_an_error() -> None:
    broken_off = rollout(MEETING, PROOF, a_turn=6)[:-2]
    found = rollout_metrics(MEETING, broken_off, truncated=True, branches=3)
    assert [found[name] for name in COUNTS] == [6, 6, 0, 0, 1, 1, 3]
    assert found["evidence"] == pytest.approx(4 / 6)


# Evidence and proof


def test_the_certificate_of_the_meeting_is_the_one_derived_by_hand() -> None:
    found = certificate(MEETING)
    assert {(tool, *arguments.values()) for tool, arguments in asked_for(found.observations)} == {
        (tool, *arguments.values()) for tool, arguments in PROOF
    }


@pytest.mark.parametrize("read", range(len(PROOF) + 1))
def test_evidence_is_the_share_of_the_certificate_that_was_read(read: int) -> None:
    beside: list[Asked] = [
        ("list_attendees", {}),
        ("get_busy", {"name": "Ava", "date": "2024-03-12"}),
        ("get_busy", {"name": "Ava", "date": "2024-03-12"}),
    ]
    found = rollout_metrics(MEETING, rollout(MEETING, PROOF[:read] + beside, RIGHT))
    assert found["evidence"] == pytest.approx(read / len(PROOF))
    assert found["calls_per_floor"] == pytest.approx((read + 3) / 7)
    whole = read == len(PROOF)
    assert (found["proved"], found["exact_unproven"]) == (float(whole), float(not whole))


@pytest.mark.parametrize("missing", range(len(PROOF)))
def test_require_proof_takes_all_terms_from_an_answer_that_is_not_proved(missing: int) -> None:
    partly = PROOF[:missing] + PROOF[missing + 1 :]
    messages = rollout(MEETING, partly, RIGHT)
    assert rollout_grade(MEETING, messages).reward == 1.2
    unproven = rollout_grade(MEETING, messages, require_proof=True)
    assert unproven == Grade(exact=0, format=0, partial=0, answer=RIGHT)


@pytest.mark.parametrize("answer", [RIGHT, "2024-03-11T10:00-04:00", f"`{RIGHT}`"])
def test_require_proof_leaves_a_proved_answer_its_score(answer: str) -> None:
    messages = rollout(MEETING, PROOF, answer)
    perfect = Grade(exact=1, format=1, partial=0, answer=answer)
    assert rollout_grade(MEETING, messages, require_proof=True) == perfect


@pytest.mark.parametrize("answer", [LATER, WRONG, "NONE", "at two", "2024-03-11T14:00:30Z"])
def test_a_wrong_answer_is_never_proved_whatever_was_read(answer: str) -> None:
    messages = rollout(MEETING, asked_for(universe(MEETING)), answer)
    assert rollout_grade(MEETING, messages) == grade(MEETING, messages)
    assert rollout_grade(MEETING, messages).format == 1.0
    assert rollout_grade(MEETING, messages, require_proof=True) == Grade(answer=answer)
    found = rollout_metrics(MEETING, messages)
    assert (found["proved"], found["exact_unproven"]) == (0.0, 0.0)
    assert found["evidence"] == 1.0


def test_none_is_proved_by_what_leaves_no_start() -> None:
    # Ava is off until 13:00Z, Diya from 11:30Z on; the meeting takes half an hour.
    hours = [(tool, {"name": name}) for tool, _ in (PROOF[0], PROOF[2]) for name in ("Ava", "Diya")]
    proved = rollout(NEVER, hours, "NONE")
    assert rollout_grade(NEVER, proved, require_proof=True).reward == 1.2
    found = rollout_metrics(NEVER, proved)
    assert (found["evidence"], found["proved"], found["calls_per_floor"]) == (1.0, 1.0, 4 / 5)
    guessed = rollout(NEVER, hours[:3], "NONE")
    assert rollout_grade(NEVER, guessed, require_proof=True).reward == 0.0
    assert rollout_metrics(NEVER, guessed)["exact_unproven"] == 1.0


def test_calls_past_the_budget_prove_nothing() -> None:
    messages = rollout(MEETING, PROOF, RIGHT)
    for message in messages:
        if message["role"] == "tool":
            message["content"] = past_budget(0)
    found = rollout_metrics(MEETING, messages)
    assert (found["tool_errors"], found["evidence"], found["proved"]) == (6.0, 0.0, 0.0)


def test_an_answer_beside_a_call_is_not_final() -> None:
    messages = rollout(MEETING, PROOF, a_turn=6)
    messages[1]["content"] = f"<answer>{RIGHT}</answer>"
    assert rollout_grade(MEETING, messages) == Grade()
    found = rollout_metrics(MEETING, messages)
    assert (found["proved"], found["exact_unproven"], found["evidence"]) == (0.0, 0.0, 1.0)


def shown(row: oracle.World, seen: set[tuple[str, ...]], minute: int) -> tuple[bool, bool]:
    """Return whether a minute is shown to be free for all, and whether not free for somebody."""
    all_free, any_taken = True, False
    for person in row["attendees"]:
        name, hours = person["name"], person["working_hours"]
        if ("get_timezone", name) not in seen:
            all_free = False
            continue
        day, local = oracle.local_reading(person["timezone"], minute)
        hours_seen = ("get_working_hours", name) in seen
        busy_seen = ("get_busy", name, day.isoformat()) in seen
        at_work = day.weekday() in hours["weekdays"] and (
            oracle.minute_of_day(hours["start"]) <= local < oracle.minute_of_day(hours["end"])
        )
        busy = any(
            oracle.minute_of_day(block["start"]) <= local < oracle.minute_of_day(block["end"])
            for block in person.get("busy", {}).get(day.isoformat(), [])
        )
        any_taken |= (hours_seen and not at_work) or (busy_seen and busy)
        all_free &= hours_seen and busy_seen and at_work and not busy
    return all_free, any_taken


def is_proof(row: oracle.World, seen: set[tuple[str, ...]], answer: int | None) -> bool:
    """Return whether what was seen leaves no earlier start, and shows that the answer is free."""
    starts, duration = oracle.window(row), row["request"]["duration_minutes"]
    end = starts.stop if answer is None else answer
    minutes = range(starts.start, max(end, starts.start) + duration)
    state = {minute: shown(row, seen, minute) for minute in minutes}
    confirmed = answer is None or (
        answer in starts and all(state[minute][0] for minute in range(answer, answer + duration))
    )
    return confirmed and all(
        any(state[minute][1] for minute in range(start, start + duration))
        for start in range(starts.start, end)
    )


@given(worlds(most_attendees=2, most_days=1), st.data())
@settings(
    deadline=None,
    derandomize=True,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_proved_is_what_the_minutes_that_were_shown_leave_no_doubt_of(
    row: oracle.World, data: st.DataObject
) -> None:
    world = parse_world(dict(row))
    answer = oracle.answer_minute(row)
    proof = certificate(world).observations
    dropped = data.draw(st.sets(st.sampled_from(proof), max_size=1))
    more = data.draw(st.sets(st.sampled_from(universe(world)), max_size=3))
    read = [one for one in universe(world) if (one in proof and one not in dropped) or one in more]
    seen = {(tool, *arguments.values()) for tool, arguments in asked_for(read)}
    found = rollout_metrics(world, rollout(world, asked_for(read), answer_text(answer)))
    expected = is_proof(row, seen, answer)
    event(f"proved: {expected}")
    assert found["proved"] == float(expected)
    assert found["exact_unproven"] == float(not expected)
    assert found["evidence"] == pytest.approx(sum(one in read for one in proof) / len(proof))


# Diagnosis


def test_a_wrong_answer_is_attributed_to_whatever_policy_gives_it() -> None:
    # 13:00Z is when Ava begins: right for whoever does not look at Farid or at his block.
    names = {"ignore-busy", "first-attendee-only", "skip-last-attendee", "skip-one-attendee"}
    found = given_by(rollout_metrics(MEETING, [answering(WRONG)]))
    assert {policy_metrics()[name] for name in names} <= found
    assert {"group_interval", "group_attention"} <= found
    assert not {"group_clock", "group_calendar", "policy_always_none"} & found


def test_none_given_wrongly_is_attributed_too() -> None:
    found = given_by(rollout_metrics(MEETING, [answering("none")]))
    assert {"policy_always_none", "policy_not_first_day"} <= found


@pytest.mark.parametrize("world", [MEETING, NEVER, *curated_worlds()[::4]])
def test_each_wrong_answer_of_the_panel_has_the_metrics_of_those_who_give_it(world: World) -> None:
    answers = panel(world).answers
    right = oracle.answer_minute(world.to_json())  # type: ignore[arg-type]
    groups = {name: group for group, names in CORE_GROUPS.items() for name in names}
    for answer in set(answers.values()) - {right}:
        names = {name for name, given in answers.items() if given == answer}
        expected = {
            "policy_skip_one_attendee"
            if name.startswith("skip-attendee-")
            else "policy_" + name.replace("-", "_")
            for name in names
        } | {f"group_{groups[name]}" for name in names & groups.keys()}
        found = rollout_metrics(world, rollout(world, [], answer_text(answer)))
        assert given_by(found) == expected


def test_skip_one_attendee_stands_for_each_place() -> None:
    people = [attendee_object(name, "UTC", "09:00-17:00") for name in ("A", "B", "C")]
    late = attendee_object("L", "UTC", "11:00-17:00")
    for place in range(4):
        world = parse_world(world_object(*people[:place], late, *people[place:]))
        found = given_by(rollout_metrics(world, [answering("2024-03-11T09:00:00Z")]))
        assert "policy_skip_one_attendee" in found
        assert ("policy_skip_last_attendee" in found) is (place == 3)


@pytest.mark.parametrize("answer", [RIGHT, "2024-03-11T13:00:01Z", "at one", ""])
def test_an_answer_that_is_right_or_no_start_is_attributed_to_nobody(answer: str) -> None:
    assert given_by(rollout_metrics(MEETING, [answering(answer)])) == set()


def test_a_conversation_without_an_answer_is_attributed_to_nobody() -> None:
    two = {"role": "assistant", "content": f"<answer>{WRONG}</answer><answer>NONE</answer>"}
    for messages in ([], [two], rollout(MEETING, PROOF)):
        assert given_by(rollout_metrics(MEETING, messages)) == set()


# What scoring reads


def test_what_a_file_says_of_a_world_changes_no_score() -> None:
    lying = parse_world(
        MEETING_OBJECT | {"id": "x", "answer": WRONG, "meta": {"core_failed": 12, "defeated": []}}
    )
    for messages in (rollout(MEETING, PROOF, RIGHT), rollout(MEETING, [], WRONG)):
        for require_proof in (False, True):
            assert rollout_grade(lying, messages, require_proof=require_proof) == rollout_grade(
                MEETING, messages, require_proof=require_proof
            )
        assert rollout_metrics(lying, messages) == rollout_metrics(MEETING, messages)


@pytest.mark.parametrize("world", curated_worlds(), ids=lambda world: str(world.id))
def test_whoever_reads_the_certificate_proves_each_curated_answer(world: World) -> None:
    proof = certificate(world)
    asked: list[Asked] = [("list_attendees", {}), *asked_for(proof.observations)]
    messages = rollout(world, asked, answer_text(proof.answer))
    assert rollout_grade(world, messages, require_proof=True).reward == 1.2
    found = rollout_metrics(world, messages)
    assert (found["evidence"], found["proved"], found["calls_per_floor"]) == (1.0, 1.0, 1.0)


_contents = st.sampled_from([f"<answer>{text}</answer>" for text in (RIGHT, LATER, "NONE", "x")])
_calls = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["1", "2"]) | json_values,
        "name": st.sampled_from(["get_timezone", "get_busy"]) | json_values,
        "arguments": st.sampled_from(['{"name": "Ava"}', "[", "{}"]) | json_values,
    },
)
_messages = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["assistant", "assistant", "tool"]) | json_values,
        "content": _contents | json_values,
        "tool_calls": st.lists(_calls | json_values, max_size=3) | json_values,
        "tool_call_id": st.sampled_from(["1", "2"]) | json_values,
    },
)


@given(st.lists(_messages | json_values, max_size=5), st.booleans())
@example([None, 7, "x", []], True)
@example([{"role": "assistant", "content": f"<answer>{'9' * 9999}</answer>"}], True)
@example(
    [{"role": "assistant", "tool_calls": [{"name": "get_busy", "arguments": "[" * 9999}]}], True
)
@settings(deadline=None, derandomize=True, max_examples=150)
def test_a_broken_trace_is_scored(messages: Sequence[Any], require_proof: bool) -> None:
    found = rollout_grade(MEETING, messages, require_proof=require_proof)
    assert found == (Grade(answer=found.answer) if require_proof else grade(MEETING, messages))
    metrics = rollout_metrics(MEETING, messages)
    assert metrics["proved"] == metrics["evidence"] == 0.0 or metrics["tool_calls"]
    assert metrics["tool_calls"] == metrics["distinct_calls"] + metrics["repeated_calls"]
