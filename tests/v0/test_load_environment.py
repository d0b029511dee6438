"""`load_environment`, driven as `vf-eval` drives it: a real endpoint whose replies are scripted."""

import asyncio
import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from meeting_slot import MeetingSlotError, answer_text, curated_worlds, earliest_start, parse_world
from meeting_slot.environment import chat
from meeting_slot.environment.served import Serving, served_worlds
from meeting_slot.prompt import prompt_hash
from meeting_slot.scoring import rollout_metrics
from meeting_slot.tool_calls import SCHEMAS, past_budget
from tests.conftest import a_world, write
from tests.v0.endpoint import Ask, Body, Endpoint, Reply, Script, gold, serving, turns

vf: Any = importlib.import_module("verifiers")
load_environment: Any = importlib.import_module("meeting_slot.environment.v0").load_environment

pytestmark = pytest.mark.filterwarnings("ignore:.*with one call a turn:UserWarning")

KEY: Final = "MEETING_SLOT_TEST_KEY"
FIRST: Final = curated_worlds()[0]
RIGHT: Final = f"<answer>{answer_text(earliest_start(FIRST))}</answer>"
LIST: Final[Ask] = ("list_attendees", "{}")
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with serving() as served:
        yield served


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "none")


def evaluated(endpoint: Endpoint, env: Any, script: Script, **options: Any) -> Rows:
    """Return the rows of an evaluation; one example unless `num_examples` says otherwise."""
    endpoint.scripts["scripted"] = script
    endpoint.bodies.clear()
    client = vf.ClientConfig(api_base_url=endpoint.url, api_key_var=KEY, max_retries=0)
    options = {"num_examples": 1, "max_concurrent": 8} | options
    rows: Rows = asyncio.run(env.evaluate(client=client, model="scripted", **options))["outputs"]
    return rows


def scores(row: dict[str, Any]) -> tuple[float, ...]:
    return tuple(row["metrics"][name] for name in ("exact", "format", "partial"))


def tool_texts(row: dict[str, Any]) -> list[str]:
    return [message["content"] for message in row["completion"] if message["role"] == "tool"]


def then(*replies: Reply) -> Script:
    """Return the script that gives these replies in turn, the last one again and again."""
    return lambda body: replies[min(turns(body), len(replies) - 1)]


# What is served


def test_the_eval_rows_are_the_served_worlds_with_prompts_and_without_answers() -> None:
    env = load_environment(num_eval_examples=20)
    rows = env.get_eval_dataset()
    assert sorted(rows.column_names) == ["example_id", "info", "prompt"]
    worlds = list(served_worlds(Serving(num_eval_examples=20)))
    assert [row["info"]["id"] for row in rows] == [world.id for world in worlds]
    for row, world in zip(rows, worlds, strict=True):
        system, user = row["prompt"]
        assert (system["role"], user["role"]) == ("system", "user")
        assert "at most 40 turns" in system["content"]
        assert "at most 400 calls" in system["content"]
        assert row["info"]["prompt_hash"] == prompt_hash(system["content"])
        held = json.loads(row["info"]["world"])
        assert sorted(held) == ["attendees", "id", "request"]
        assert parse_world(held).attendees == world.attendees
        start = earliest_start(world)
        assert start is None or answer_text(start) not in json.dumps(row["info"])


def test_train_and_eval_share_no_world_and_any_seed_is_taken() -> None:
    env = load_environment(num_train_examples=30, num_eval_examples=30, seed="42")
    trained = {row["id"] for row in env.get_dataset()["info"]}
    asked = {row["id"] for row in env.get_eval_dataset()["info"]}
    assert (len(trained), len(asked)) == (30, 30)
    assert not trained & asked
    by_number = load_environment(num_train_examples=30, seed=42)
    assert {row["id"] for row in by_number.get_dataset()["info"]} == trained


def test_worlds_too_long_for_the_turns_are_counted() -> None:
    env = load_environment(num_eval_examples=15, max_turns=12)
    with pytest.warns(UserWarning, match="5 of 15 worlds cannot be read with one call a turn"):
        env.get_eval_dataset()


def test_the_train_split_can_be_evaluated() -> None:
    env = load_environment(split="train", num_train_examples=3)
    assert env.get_eval_dataset()["info"] == env.get_dataset()["info"]
    assert len(env.get_eval_dataset()) == 3


def test_a_shipped_split_is_both_datasets_whole() -> None:
    env = load_environment(split="hard-v1")
    assert len(env.get_eval_dataset()) == 300
    assert env.get_eval_dataset()["info"] == env.get_dataset()["info"]


def test_worlds_of_a_user_are_both_datasets(tmp_path: Path) -> None:
    one = write(tmp_path / "one.json", a_world(id="one", answer="NONE"))
    two = write(tmp_path / "two.jsonl", a_world(id="two"))
    env = load_environment(worlds=[str(one), two])
    for rows in (env.get_eval_dataset(), env.get_dataset()):
        assert [row["id"] for row in rows["info"]] == ["one", "two"]
    assert [row["id"] for row in load_environment(worlds=str(one)).get_dataset()["info"]] == ["one"]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"split": "nope"}, "split: expected one of"),
        ({"difficulty": "brutal"}, "difficulty: expected one of"),
        ({"difficulty": "easy", "target_hardness": 0.5}, "exclude each other"),
        ({"target_hardness": 2}, "not from 0 to 1"),
        ({"target_hardness": "hard"}, "target_hardness: expected a number"),
        ({"split": "core-v1", "difficulty": "easy"}, "served whole"),
        ({"num_eval_examples": 0}, "num_eval_examples: expected a whole number from 1, got 0"),
        ({"num_train_examples": "5"}, "num_train_examples: expected a whole number"),
        ({"max_turns": -1}, "max_turns: expected a whole number from 1, got -1"),
        ({"max_tool_calls": True}, "max_tool_calls: expected a whole number"),
        ({"worlds": "no-such-file.jsonl"}, "no-such-file.jsonl"),
        ({"worlds": 5}, "worlds: expected a path or a list of paths, got 5"),
        ({"worlds": {}}, "worlds: expected a path or a list of paths, got an object"),
        ({"require_proof": "false"}, 'require_proof: expected true or false, got "false"'),
    ],
)
def test_settings_that_serve_nothing_are_refused_when_loading(
    settings: dict[str, Any], problem: str
) -> None:
    with pytest.raises(MeetingSlotError, match=problem):
        load_environment(**settings)


@pytest.mark.parametrize("name", ["typo", "system_prompt", "tools", "rubric", "stop_errors"])
def test_an_argument_that_would_have_no_effect_is_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        load_environment(**{name: None})


def test_arguments_of_the_base_class_reach_it() -> None:
    env = load_environment(max_seq_len=123, timeout_seconds=5.0, sampling_args={"top_p": 0.5})
    assert isinstance(env, vf.StatefulToolEnv)
    assert (env.max_seq_len, env.timeout_seconds) == (123, 5.0)
    assert env.sampling_args["top_p"] == 0.5


def test_budgets_set_after_loading_are_in_the_prompt_too() -> None:
    env = load_environment(num_eval_examples=1)
    assert "at most 40 turns" in env.get_eval_dataset()[0]["prompt"][0]["content"]
    env.set_kwargs(max_turns=7, max_tool_calls=9)
    said = env.get_eval_dataset()[0]["prompt"][0]["content"]
    assert "at most 7 turns" in said
    assert "at most 9 calls" in said
    with pytest.raises(MeetingSlotError, match="max_turns: expected"):
        env.set_kwargs(max_turns=0)


def test_loading_imports_no_part_of_v1() -> None:
    code = (
        "import sys; from meeting_slot.environment.v0 import load_environment; "
        "load_environment().get_eval_dataset(); "
        "print([name for name in sys.modules if name.startswith('verifiers.v1')])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"


# What a model gets and what it scores


def test_gold_scores_full_on_every_curated_world(endpoint: Endpoint) -> None:
    rows = evaluated(endpoint, load_environment(), gold, num_examples=15)
    assert len(rows) == 15
    for row in rows:
        assert row["reward"] == pytest.approx(1.2)
        assert scores(row) == (1.0, 1.0, 0.0)
        assert (row["error"], row["stop_condition"]) == (None, "no_tools_called")
        assert row["metrics"]["proved"] == 1.0
        assert row["metrics"]["turns"] == row["metrics"]["num_turns"] == 4.0
        assert row["metrics"]["truncated"] == row["metrics"]["tool_errors"] == 0.0
        assert row["metrics"]["tool_calls"] == row["metrics"]["total_tool_calls"]


def test_every_metric_of_the_core_is_in_a_row(endpoint: Endpoint) -> None:
    (row,) = evaluated(endpoint, load_environment(), then(Reply("<answer>NONE</answer>")))
    said = [*row["prompt"], {"role": "assistant", "content": "<answer>NONE</answer>"}]
    expected = rollout_metrics(FIRST, said)
    assert {name: row["metrics"][name] for name in expected} == expected
    assert expected["policy_always_none"] == 1.0


def test_rollouts_are_scored_the_same_one_by_one(endpoint: Endpoint) -> None:
    env = load_environment()
    grouped = evaluated(endpoint, env, gold, num_examples=2, rollouts_per_example=2)
    single = evaluated(
        endpoint, env, gold, num_examples=2, rollouts_per_example=2, independent_scoring=True
    )
    assert [row["metrics"] for row in grouped] == [row["metrics"] for row in single]
    assert [row["reward"] for row in grouped] == [row["reward"] for row in single]


def test_the_model_is_sent_the_four_schemas_and_nothing_of_the_world(endpoint: Endpoint) -> None:
    evaluated(endpoint, load_environment(), then(Reply(RIGHT)))
    (body,) = endpoint.bodies
    assert [tool["function"] for tool in body["tools"]] == SCHEMAS
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    sent = json.dumps(body)
    for attendee in FIRST.attendees:
        assert attendee.name not in sent
        assert attendee.timezone not in sent
    assert FIRST.id not in sent


def test_reasoning_goes_back_to_the_model(endpoint: Endpoint) -> None:
    evaluated(endpoint, load_environment(), gold)
    reply = endpoint.bodies[1]["messages"][2]
    assert reply["reasoning_content"] == "Who takes part?"
    assert reply["tool_calls"][0]["function"] == {"name": "list_attendees", "arguments": "{}"}


def test_a_valid_start_that_is_later_scores_in_part(endpoint: Endpoint, tmp_path: Path) -> None:
    path = write(tmp_path / "world.json", a_world())
    env = load_environment(worlds=path)
    (row,) = evaluated(endpoint, env, then(Reply("<answer>2024-03-11T13:30:00Z</answer>")))
    assert scores(row) == (0.0, 1.0, 0.5)
    assert row["reward"] == pytest.approx(0.3)


# What a model may do wrong

NAME: Final = FIRST.attendees[0].name


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (("get_timezone", "{not json"), "error: the arguments of get_timezone must be a JSON obj"),
        (("get_timezone", '["Ava"]'), "error: the arguments of get_timezone must be a JSON object"),
        (("get_timezone", "null"), "error: the arguments of get_timezone must be a JSON object"),
        (("get_timezone", '{"name": 7}'), "error: there is no attendee 7; the attendees are"),
        (("get_timezone", '{"name": ["x"]}'), "error: there is no attendee a list; the att"),
        (("get_timezone", "{}"), "error: get_timezone needs the argument name"),
        (
            ("get_timezone", json.dumps({"name": NAME, "world": {}})),
            'error: get_timezone takes name, got also "world"',
        ),
        (("get_busy", json.dumps({"name": NAME})), "error: get_busy needs the argument date"),
        (("get_busy", json.dumps({"name": NAME, "date": "soon"})), "error: the date must be a rea"),
        (("book_meeting", "{}"), 'error: there is no tool "book_meeting"; the tools are list_att'),
        (("x" * 10_000, "{}"), 'error: there is no tool "xxxxx'),
        (("get_timezone", json.dumps({"name": "y" * 10_000})), 'error: there is no attendee "yyyy'),
        (
            ("get_timezone", json.dumps({"z" * 10_000: 1, "name": NAME})),
            "error: get_timezone takes",
        ),
        (("get_timezone", "[" * 10_000), "error: the arguments of get_timezone must be a JSON obj"),
    ],
)
def test_a_wrong_call_gets_one_line_and_the_rollout_goes_on(
    endpoint: Endpoint, call: Ask, text: str
) -> None:
    script = then(Reply(calls=[call, LIST]), Reply(RIGHT))
    (row,) = evaluated(endpoint, load_environment(), script)
    failed, names = tool_texts(row)
    assert failed.startswith(text)
    assert len(failed.splitlines()) == 1
    assert len(failed) < 400
    assert NAME in json.loads(names)
    assert row["reward"] == pytest.approx(1.2)
    assert (row["metrics"]["tool_errors"], row["error"]) == (1.0, None)


def test_calls_for_ever_end_at_the_turn_limit(endpoint: Endpoint) -> None:
    (row,) = evaluated(endpoint, load_environment(max_turns=5), then(Reply(calls=[LIST])))
    assert len(endpoint.bodies) == 5
    assert (row["reward"], scores(row)) == (0.0, (0.0, 0.0, 0.0))
    assert row["metrics"]["truncated"] == 1.0
    assert (row["stop_condition"], row["error"]) == ("max_turns_reached", None)


def test_an_answer_on_the_last_turn_counts_and_is_not_truncated(endpoint: Endpoint) -> None:
    script = then(Reply(calls=[LIST]), Reply(RIGHT))
    (row,) = evaluated(endpoint, load_environment(max_turns=2), script)
    assert row["reward"] == pytest.approx(1.2)
    assert row["metrics"]["truncated"] == 0.0


def test_of_a_thousand_calls_in_one_turn_those_past_the_budget_get_one_line(
    endpoint: Endpoint,
) -> None:
    script = then(Reply(calls=[LIST] * 1000), Reply(RIGHT))
    (row,) = evaluated(endpoint, load_environment(), script)
    texts = tool_texts(row)
    assert len(texts) == 1000
    assert texts[400:] == [past_budget(400)] * 600
    assert past_budget(400) not in texts[:400]
    assert row["metrics"]["tool_calls"] == 1000.0
    assert row["reward"] == pytest.approx(1.2)


def test_the_budget_is_of_the_whole_rollout_and_wrong_calls_count(endpoint: Endpoint) -> None:
    script = then(Reply(calls=[LIST, ("nope", "")]), Reply(calls=[LIST, LIST]), Reply("done"))
    (row,) = evaluated(endpoint, load_environment(max_tool_calls=3), script)
    assert [text == past_budget(3) for text in tool_texts(row)] == [False, False, False, True]


def test_an_empty_reply_is_an_error_of_its_row_and_others_go_on(endpoint: Endpoint) -> None:
    env = load_environment()
    silent = env.get_eval_dataset()[0]["prompt"][1]["content"]

    def script(body: Body) -> Reply | chat.Reply:
        return Reply("") if body["messages"][1]["content"] == silent else gold(body)

    rows = evaluated(endpoint, env, script, num_examples=2)
    assert [row["reward"] for row in rows] == [0.0, pytest.approx(1.2)]
    assert rows[0]["error"]["error"] == "EmptyModelResponseError"
    assert (scores(rows[0]), rows[1]["error"]) == ((0.0, 0.0, 0.0), None)


def test_a_reply_cut_by_length_is_truncated(endpoint: Endpoint) -> None:
    script = then(Reply("Let me think about <answer>2024-", finish_reason="length"))
    (row,) = evaluated(endpoint, load_environment(), script)
    assert (row["reward"], row["metrics"]["truncated"]) == (0.0, 1.0)


def test_a_limit_of_tokens_is_truncated(endpoint: Endpoint) -> None:
    env = load_environment()
    env.set_kwargs(max_total_completion_tokens=2)
    (row,) = evaluated(endpoint, env, gold)
    assert (row["reward"], row["metrics"]["truncated"]) == (0.0, 1.0)
    assert row["stop_condition"] == "max_total_completion_tokens_reached"


def test_a_limit_of_time_is_truncated(endpoint: Endpoint) -> None:
    is_over = threading.Event()

    def script(body: Body) -> Reply:
        is_over.wait(60)
        return Reply(RIGHT)

    (row,) = evaluated(endpoint, load_environment(timeout_seconds=0.2), script)
    is_over.set()
    assert (row["reward"], row["metrics"]["truncated"]) == (0.0, 1.0)
    assert row["stop_condition"] == "timeout_reached"


def test_an_answer_beside_tool_calls_is_never_final(endpoint: Endpoint) -> None:
    script = then(Reply(RIGHT, calls=[LIST]))
    (row,) = evaluated(endpoint, load_environment(max_turns=3), script)
    assert (row["reward"], scores(row)) == (0.0, (0.0, 0.0, 0.0))
    assert row["metrics"]["truncated"] == 1.0


@pytest.mark.parametrize("replies", [0, 1])
@pytest.mark.parametrize(
    "message", ["This model's maximum context length is 8192 tokens.", "Too many tokens."]
)
def test_a_context_overflow_scores_nothing_and_is_truncated(
    endpoint: Endpoint, replies: int, message: str
) -> None:
    error = {"message": message, "type": "invalid", "code": "context_length_exceeded"}
    script = then(*[Reply(RIGHT, calls=[LIST])] * replies, Reply(status=400, error=error))
    (row,) = evaluated(endpoint, load_environment(), script)
    assert (row["reward"], row["metrics"]["truncated"]) == (0.0, 1.0)
    assert (row["stop_condition"], row["error"]) == ("prompt_too_long", None)
    assert row["metrics"]["turns"] == replies


def test_more_tokens_than_the_model_has_are_an_error(endpoint: Endpoint) -> None:
    text = "'max_tokens' is too large: 65536. This model's maximum context length is 32768 tokens"
    error = {"message": text, "type": "invalid", "code": "BadRequestError"}
    (row,) = evaluated(endpoint, load_environment(), then(Reply(status=400, error=error)))
    assert row["error"] is not None
    assert scores(row) == (0.0, 0.0, 0.0)


def test_a_reply_that_is_no_text_is_an_error_of_its_row(endpoint: Endpoint) -> None:
    (row,) = evaluated(endpoint, load_environment(), then(Reply("\ud800" + RIGHT)))
    assert row["error"] is not None
    assert scores(row) == (0.0, 0.0, 0.0)


def test_a_provider_that_fails_is_an_error_of_its_row_and_others_go_on(endpoint: Endpoint) -> None:
    env = load_environment()
    failing = env.get_eval_dataset()[1]["prompt"][1]["content"]

    def script(body: Body) -> Reply | chat.Reply:
        if body["messages"][1]["content"] == failing and turns(body) == 1:
            return Reply(status=500, error={"message": "broken"})
        return gold(body)

    rows = evaluated(endpoint, env, script, num_examples=3)
    assert [row["reward"] for row in rows] == [pytest.approx(1.2), 0.0, pytest.approx(1.2)]
    assert [row["error"] is None for row in rows] == [True, False, True]
    assert (rows[1]["stop_condition"], scores(rows[1])) == ("has_error", (0.0, 0.0, 0.0))


def test_with_require_proof_a_blind_right_answer_scores_nothing(endpoint: Endpoint) -> None:
    env = load_environment(require_proof=True)
    (row,) = evaluated(endpoint, env, then(Reply(RIGHT)))
    assert (row["reward"], scores(row)) == (0.0, (0.0, 0.0, 0.0))
    assert (row["metrics"]["proved"], row["metrics"]["exact_unproven"]) == (0.0, 1.0)
    for row in evaluated(endpoint, env, gold, num_examples=15):
        assert row["reward"] == pytest.approx(1.2)


# Rows and states that are not whole


@pytest.mark.parametrize("info", [{}, {"world": 1}, {"world": "{"}, {"world": "{}"}, {"id": "x"}])
def test_a_row_without_its_world_is_an_error_of_that_row(
    endpoint: Endpoint, info: dict[str, Any]
) -> None:
    env = load_environment()
    whole, broken = env.get_eval_dataset(n=2).to_list()
    broken["info"] = info
    endpoint.scripts["scripted"] = gold
    client = vf.ClientConfig(api_base_url=endpoint.url, api_key_var=KEY, max_retries=0)
    rows = asyncio.run(env.generate([whole, broken], client=client, model="scripted"))["outputs"]
    assert [row["reward"] for row in rows] == [pytest.approx(1.2), 0.0]
    assert rows[1]["error"] is not None
    assert set(rows[0]["metrics"]) == set(rows[1]["metrics"])


@pytest.mark.parametrize("missing", ["info", "prompt", "completion", "trajectory"])
@pytest.mark.parametrize("nothing", [None, []])
def test_a_state_with_nothing_in_it_scores_nothing(missing: str, nothing: object) -> None:
    env = load_environment()
    row = env.get_eval_dataset(n=1)[0]
    state = vf.State(input=dict(row), trajectory=[], completion=[], metrics=None, reward=None)
    state[missing] = nothing
    rubric = env.rubric.rubrics[0]
    asyncio.run(rubric.score_rollout(state))
    assert state["reward"] == 0.0
    assert len(state["metrics"]) == 3 + len(rollout_metrics(FIRST, []))


def test_the_reward_does_not_follow_from_state(endpoint: Endpoint) -> None:
    env = load_environment()
    row = env.get_eval_dataset(n=1)[0]
    said = [vf.AssistantMessage(content=RIGHT)]
    state = vf.State(input=dict(row), trajectory=[], completion=said, metrics=None, reward=None)
    state["answer"] = "NONE"
    state["meeting_slot_metrics"] = {"exact": 0.0}
    asyncio.run(env.rubric.rubrics[0].score_rollout(state))
    assert state["reward"] == pytest.approx(1.2)
    assert "meeting_slot_metrics" not in state


# The command line of the library


def test_vf_eval_runs_it(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.scripts["scripted"] = gold
    module = "from meeting_slot.environment.v0 import load_environment\n"
    (tmp_path / "meeting_slot_v0.py").write_text(module)
    paths = [str(tmp_path), *(path for path in sys.path if path)]
    command = [
        *(str(Path(sys.executable).parent / "vf-eval"), "meeting-slot-v0"),
        *("-m", "scripted", "-b", endpoint.url, "-k", KEY, "-n", "15", "-r", "1", "-c", "4"),
        *("-s", "-o", str(tmp_path / "out"), "-a", '{"max_turns": 6}', "--disable-tui"),
    ]
    ended = subprocess.run(
        command,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    (saved,) = tmp_path.rglob("results.jsonl")
    rows = [json.loads(line) for line in saved.read_text(encoding="utf-8").splitlines()]
    assert [row["reward"] for row in rows] == [pytest.approx(1.2)] * 15
    assert [(row["exact"], row["format"], row["partial"]) for row in rows] == [(1, 1, 0)] * 15
    assert all("at most 6 turns" in row["prompt"][0]["content"] for row in rows)
    assert not any("answer" in row or "answer" in row["info"] for row in rows)
