"""How a rollout ends, whatever the model does; the others of the run go on as they should."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pytest
import verifiers.v1 as vf

from meeting_slot.curated import curated_worlds
from meeting_slot.environment.chat import Refusal, Reply, ToolCall
from meeting_slot.environment.endpoint import Endpoint
from meeting_slot.environment.scripted import reply_to
from meeting_slot.environment.toolset import RolloutState
from meeting_slot.grading import EXACT_WEIGHT, FORMAT_WEIGHT
from meeting_slot.prompt import user_prompt

from .v1_runs import Trace, metric, play, scores

pytestmark = pytest.mark.filterwarnings("ignore:.*with one call a turn:UserWarning")

FULL = EXACT_WEIGHT + FORMAT_WEIGHT
CURATED = curated_worlds()
MISBEHAVING = 12
"""Which curated case gets the model that misbehaves: no other asks the same question."""
QUESTIONS = [user_prompt(world.request) for world in CURATED]
assert QUESTIONS.count(QUESTIONS[MISBEHAVING]) == 1

Body = Mapping[str, Any]
Misbehaviour = Callable[[Body], Reply]


def turn_of(body: Body) -> int:
    """Return how many replies were given before."""
    return sum(message["role"] == "assistant" for message in body["messages"])


def played(misbehaviour: Misbehaviour, **settings: Any) -> Trace:
    """Return the trace of the model that misbehaves, twelve others having run beside it."""

    def reply(body: Body) -> Reply:
        asked = next(m["content"] for m in body["messages"] if m["role"] == "user")
        return misbehaviour(body) if asked == QUESTIONS[MISBEHAVING] else reply_to(body)

    *others, bad = play("gold", reply, count=MISBEHAVING + 1, **settings)
    for other in others:
        assert other.ok
        assert other.reward == pytest.approx(FULL)
    return bad


def then_gold(opening: Sequence[ToolCall]) -> Misbehaviour:
    """Return a model that first makes these calls, and then plays gold as if nothing had been."""

    def reply(body: Body) -> Reply:
        if turn_of(body) == 0:
            return Reply(tool_calls=opening)
        kept = [*body["messages"][:2], *body["messages"][3 + len(opening) :]]
        return reply_to({**body, "messages": kept})

    return reply


def tool_results(trace: Trace) -> list[str]:
    return [str(message.content) for message in trace.tool_messages]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("get_busy", '{"name": "Al', "error: the arguments of get_busy must be a JSON object"),
        ("get_busy", '["Farid", "2024-03-11"]', "error: the arguments of get_busy must be"),
        ("get_busy", '{"name": 5, "date": ["2024-03-11"]}', "error: there is no attendee 5"),
        ("get_busy", '{"name": "Farid"}', "error: get_busy needs the argument date"),
        ("list_attendees", '{"zone": "UTC"}', "error: list_attendees takes no arguments"),
        ("get_calendar", "{}", 'error: there is no tool "get_calendar"'),
        ("get_timezone", '{"name": "' + 10_000 * "x" + '"}', "error: there is no attendee"),
    ],
    ids=["invalid-json", "a-list", "wrong-types", "missing", "extra", "unknown-tool", "long-name"],
)
def test_a_bad_call_gets_one_line_and_the_rollout_goes_on(
    tool: str, arguments: str, said: str
) -> None:
    trace = played(then_gold([ToolCall("bad", tool, arguments)]))
    assert tool_results(trace)[0].startswith(said)
    assert len(tool_results(trace)[0]) < 300
    assert "\n" not in tool_results(trace)[0]
    assert trace.ok
    assert metric(trace, "tool_errors") == 1.0
    assert trace.reward == pytest.approx(FULL)


def test_tool_calls_for_ever_end_at_the_budget_of_turns() -> None:
    def reply(body: Body) -> Reply:
        return Reply(tool_calls=[ToolCall(f"c{turn_of(body)}", "list_attendees", "{}")])

    trace = played(reply, max_turns=6)
    assert trace.ok
    assert trace.stop_condition == "max_turns"
    assert trace.num_turns == 6
    assert scores(trace) == (0.0, 0.0, 0.0)
    assert metric(trace, "truncated") == 1.0
    assert metric(trace, "repeated_calls") == 5.0


def test_the_turns_of_the_agent_are_those_of_the_prompt() -> None:
    def reply(body: Body) -> Reply:
        assert "You have at most 6 turns" in body["messages"][0]["content"]
        return Reply(tool_calls=[ToolCall(f"c{turn_of(body)}", "list_attendees", "{}")])

    assert played(reply, agent={"max_turns": 6}).num_turns == 6


def test_a_thousand_calls_in_one_turn_are_answered_up_to_the_budget() -> None:
    calls = [ToolCall(f"c{number}", "list_attendees", "{}") for number in range(1000)]

    def reply(body: Body) -> Reply:
        if turn_of(body) == 0:
            return Reply(tool_calls=calls)
        return Reply(content="<answer>NONE</answer>")

    trace = played(reply)
    assert trace.ok
    results = tool_results(trace)
    assert len(results) == 1000
    assert not any(text.startswith("error") for text in results[:400])
    assert set(results[400:]) == {
        "error: all 400 tool calls of this conversation are used up; answer now"
    }
    assert metric(trace, "tool_calls") == 1000.0
    assert metric(trace, "tool_errors") == 600.0
    assert metric(trace, "distinct_calls") == 1.0


def test_an_empty_reply_ends_with_no_reward() -> None:
    trace = played(lambda body: Reply(content=""))
    assert trace.ok
    assert scores(trace) == (0.0, 0.0, 0.0)
    assert metric(trace, "truncated") == 0.0


def test_a_reply_cut_by_length_is_marked() -> None:
    trace = played(lambda body: Reply(content="Let me think about <answer", finish="length"))
    assert trace.ok
    assert scores(trace) == (0.0, 0.0, 0.0)
    assert metric(trace, "truncated") == 1.0


def test_an_answer_beside_tool_calls_is_never_final() -> None:

    def reply(body: Body) -> Reply:
        call = ToolCall(f"c{turn_of(body)}", "list_attendees", "{}")
        return Reply(content=f"<answer>{CURATED[MISBEHAVING].recorded}</answer>", tool_calls=[call])

    trace = played(reply, max_turns=5)
    assert trace.ok
    assert scores(trace) == (0.0, 0.0, 0.0)
    assert metric(trace, "truncated") == 1.0


@pytest.mark.parametrize("turns_before", [0, 2])
def test_a_context_overflow_ends_cleanly_with_no_reward(turns_before: int) -> None:
    def reply(body: Body) -> Reply:
        if turn_of(body) < turns_before:
            return reply_to(body)
        text = "This model's maximum context length is 100 tokens."
        raise Refusal(400, "context_length_exceeded", text)

    trace = played(reply)
    assert trace.ok
    assert trace.stop_condition == "context_overflow"
    assert trace.num_turns == turns_before
    assert scores(trace) == (0.0, 0.0, 0.0)
    assert metric(trace, "truncated") == 1.0


def test_a_server_error_is_an_error_after_retries_and_no_wrong_answer() -> None:
    requests = []

    def reply(body: Body) -> Reply:
        requests.append(turn_of(body))
        raise Refusal(500, "server_error", "out of order")

    trace = played(reply)
    assert requests == [0, 0, 0]
    _assert_provider_error(trace)


def test_a_server_error_that_passes_leaves_no_trace_in_the_score() -> None:
    failed: list[bool] = []

    def reply(body: Body) -> Reply:
        if turn_of(body) == 1 and not failed:
            failed.append(True)
            raise Refusal(500, "server_error", "out of order")
        return reply_to(body)

    trace = played(reply)
    assert trace.ok
    assert trace.reward == pytest.approx(FULL)
    assert trace.num_branches == 1


@pytest.mark.parametrize("turns_before", [0, 1])
def test_a_connection_dropped_mid_reply_is_an_error(turns_before: int) -> None:
    def reply(body: Body) -> Reply:
        whole = reply_to(body)
        return whole if turn_of(body) < turns_before else msgspec.structs.replace(whole, cut=True)

    _assert_provider_error(played(reply))


def test_a_refused_request_is_an_error_at_once() -> None:
    requests = []

    def reply(body: Body) -> Reply:
        requests.append(turn_of(body))
        raise Refusal(401, "invalid_api_key", "no such key")

    trace = played(reply)
    assert requests == [0]
    _assert_provider_error(trace)


def _assert_provider_error(trace: Trace) -> None:
    _assert_no_score(trace)
    assert trace.stop_condition == "provider_error"


def _assert_no_score(trace: Trace) -> None:
    assert not trace.ok
    assert [error.type for error in trace.errors] == ["ProviderError"]
    assert not trace.rewards


def test_a_rollout_that_takes_too_long_is_truncated() -> None:
    def reply(body: Body) -> Reply:
        time.sleep(0.4)
        return Reply(tool_calls=[ToolCall(f"c{turn_of(body)}", "list_attendees", "{}")])

    (trace,) = play("gold", reply, count=1, agent={"timeout": {"rollout": 1.0}})
    assert trace.stop_condition == "agent_timeout"
    assert scores(trace) == (0.0, 0.0, 0.0)
    assert metric(trace, "truncated") == 1.0


def test_an_outage_until_time_is_up_is_an_error() -> None:
    def reply(body: Body) -> Reply:
        raise Refusal(503, "overloaded", "come back later")

    harness = {"id": "meeting-slot", "max_retries": 50}
    settings = {"harness": harness, "timeout": {"rollout": 2.0}}
    (trace,) = play("gold", reply, count=1, agent=settings)
    _assert_no_score(trace)
    assert trace.errors[-1].status_code == 503


def test_more_tokens_than_the_model_has_are_a_fault_of_the_settings() -> None:
    text = (
        "'max_tokens' or 'max_completion_tokens' is too large: 65536. This model's maximum context "
        "length is 32768 tokens and your request has 1200 input tokens"
    )

    def reply(body: Body) -> Reply:
        raise Refusal(400, "BadRequestError", text)

    _assert_provider_error(played(reply))

    def later(body: Body) -> Reply:
        return reply_to(body) if turn_of(body) == 0 else reply(body)

    assert played(later).stop_condition == "context_overflow"


def test_no_proxy_is_asked_about_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def proxy(body: Body) -> Reply:
        asked.append(body)
        raise Refusal(502, "proxy", "nothing is known of that host")

    with Endpoint(proxy).in_thread() as proxy_url:
        monkeypatch.setenv("HTTP_PROXY", proxy_url.removesuffix("/v1"))
        monkeypatch.setenv("NO_PROXY", "localhost")

        def at_localhost(base_url: str) -> str:
            return base_url.replace("127.0.0.1", "localhost")

        (trace,) = play("gold", count=1, address=at_localhost)
    assert not asked
    assert trace.reward == pytest.approx(FULL)


def test_an_agent_with_another_budget_than_its_prompt_is_refused() -> None:
    settings: Any = vf.resolve_env_config({"taskset": {"id": "meeting-slot"}})
    task: Any = next(iter(vf.load_taskset(settings.taskset).take(1)))
    agent = settings.agent.model_copy(
        update={"max_turns": 2, "harness": settings.agent_harnesses()["agent"]}
    )
    described: Any = vf.TraceTask(type="MeetingSlotTask", data=task.data)
    trace: Any = vf.Trace(task=described, state=RolloutState(), agent=vf.AgentInfo(config=agent))
    with pytest.raises(ValueError, match="max_turns of the agent is 2, but its prompt says 40"):
        asyncio.run(task.setup(trace, None))
