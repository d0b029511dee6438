"""Reading runs: both versions of verifiers, in a stream, and what is refused."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from verifiers.v1.episode import EnvInfo, Episode
from verifiers.v1.utils.trace_store import write_episode

from meeting_slot import parse_world
from meeting_slot.cpsat.certificate import certificate
from meeting_slot.environment.chat import Refusal, Reply
from meeting_slot.environment.scripted import reply_to
from meeting_slot.errors import FileError
from meeting_slot.report.played import Ending, Rollout, read_run
from meeting_slot.report.recorded import recorded
from meeting_slot.report.run_file import run_file
from meeting_slot.scoring import rollout_metrics
from tests.run_files import Messages, answering, conversation, episode, row
from tests.world_objects import attendee_object, json_values, world_object

from .conftest import ANSWER, a_world, write
from .v1_runs import Trace, metric, play, scores

WORLD = parse_world(a_world())
RIGHT = conversation(WORLD, answering(ANSWER), certificate(WORLD).observations)
GUESSED = conversation(WORLD, answering(ANSWER))
LATER = conversation(WORLD, answering("2024-03-11T14:00:00Z"))


def one(path: Path) -> Rollout:
    (rollout,) = read_run(run_file(path)).rollouts
    return rollout


def write_traces(path: Path, traces: list[Trace]) -> None:
    """Write traces as `vf-eval` does."""
    path.mkdir()
    for trace in traces:
        found: Any = Episode(
            env=EnvInfo(id="meeting-slot"), task=trace.task, traces=[trace], ok=trace.ok
        )
        write_episode(path, found)


# What is read


def test_a_run_of_version_1_is_scored_as_the_environment_scored_it(tmp_path: Path) -> None:
    traces = play("naive", count=15)
    write_traces(tmp_path / "run", traces)
    run = read_run(run_file(tmp_path))
    assert (run.model, len(run.worlds), len(run.rollouts)) == ("naive", 15, 15)
    assert list(run.prompts) == [traces[0].info["prompt_hash"]]
    for trace, rollout in zip(traces, run.rollouts, strict=True):
        grade = rollout.grade
        assert (grade.exact, grade.format, grade.partial) == scores(trace)
        assert rollout.conduct == {name: metric(trace, name) for name in rollout.conduct}
        assert rollout.output_tokens == trace.num_output_tokens
        assert rollout.seconds == pytest.approx(trace.timing.agent.duration)
        assert not rollout.differs


def test_a_failed_call_of_version_1_is_an_error_and_no_wrong_answer(tmp_path: Path) -> None:
    def failing(body: Any) -> Reply:
        if len(body["messages"]) > 2:
            raise Refusal(400, "invalid_request_error", "out of luck")
        return reply_to({**body, "model": "gold"})

    write_traces(tmp_path / "run", play("broken", failing, count=1))
    rollout = one(tmp_path)
    assert rollout.ending is Ending.ERROR
    assert "out of luck" in (rollout.error or "")


@pytest.mark.parametrize("make", [row, episode])
@pytest.mark.parametrize("messages", [RIGHT, GUESSED, LATER])
def test_both_versions_are_read_alike(make: Any, messages: Messages, tmp_path: Path) -> None:
    rollout = one(write(tmp_path / "run.jsonl", make(WORLD, messages)))
    expected = rollout_metrics(WORLD, messages)
    assert rollout.conduct == {name: expected[name] for name in rollout.conduct}
    assert (rollout.input_tokens, rollout.output_tokens, rollout.seconds) == (400, 30, 2.5)
    assert rollout.ending is (Ending.LATER if messages is LATER else Ending.EXACT)


def test_the_last_conversation_of_a_rewritten_one_counts(tmp_path: Path) -> None:
    found = episode(WORLD, LATER)
    nodes = found["traces"][0]["nodes"]
    nodes.append({"parent": 1, "message": GUESSED[-1], "sampled": True})
    rollout = one(write(tmp_path / "traces.jsonl", found))
    assert (rollout.ending, rollout.conduct["branches"]) == (Ending.EXACT, 2.0)


def test_a_parent_that_does_not_come_before_its_child_is_none(tmp_path: Path) -> None:
    found = episode(WORLD, GUESSED)
    nodes = found["traces"][0]["nodes"]
    nodes[0]["parent"] = 1  # whose parent is 0: there would be no first message
    assert one(write(tmp_path / "traces.jsonl", found)).ending is Ending.EXACT


@pytest.mark.parametrize(
    ("reply", "changed", "ending"),
    [
        (answering("2024-03-11T13:00:30Z"), {}, Ending.INSIDE_MINUTE),
        (answering("2024-03-11T12:00:00Z"), {}, Ending.NOT_VALID),
        (answering("NONE"), {}, Ending.WRONG_NONE),
        (answering("tomorrow"), {}, Ending.UNREADABLE),
        ("I do not know", {}, Ending.NO_ANSWER),
        ("I do not know", {"metrics": {"truncated": 1.0}}, Ending.CUT_SHORT),
        ("I do not know", {"metrics": {}, "is_truncated": True}, Ending.CUT_SHORT),
        ("", {"metrics": {}, "stop_condition": "max_turns_reached"}, Ending.CUT_SHORT),
        (answering(ANSWER), {"metrics": {"truncated": 1.0}}, Ending.EXACT),
        ("", {"error": {"error_chain_repr": "ModelError('busy')"}}, Ending.ERROR),
    ],
)
def test_endings_are_told_apart(
    reply: str, changed: dict[str, Any], ending: Ending, tmp_path: Path
) -> None:
    found = row(WORLD, conversation(WORLD, reply), **changed)
    assert one(write(tmp_path / "results.jsonl", found)).ending is ending


def test_a_start_that_is_not_valid_is_told_with_its_causes(tmp_path: Path) -> None:
    starts = ["2024-03-08T15:00:00Z", "2024-03-09T15:00:00Z", "2024-03-20T15:00:00Z"]
    rows = [row(WORLD, conversation(WORLD, answering(start))) for start in starts]
    run = read_run(run_file(write(tmp_path / "results.jsonl", *rows)))
    causes = [rollout.causes for rollout in run.rollouts]
    assert causes == [("busy",), ("day off",), ("outside the window",)]


def test_a_near_miss_is_a_start_where_all_but_one_are_free(tmp_path: Path) -> None:
    # Ben alone is busy at 09:00; at 10:00 nobody is free until the answer at 11:00.
    world = parse_world(
        world_object(
            attendee_object("Ava", busy={"2024-03-11": "10:00-11:00"}),
            attendee_object("Ben", busy={"2024-03-11": "09:00-11:00"}),
        )
    )
    starts = [f"2024-03-11T{hour}:00:00Z" for hour in ("09", "10")]
    rows = [row(world, conversation(world, answering(start))) for start in starts]
    run = read_run(run_file(write(tmp_path / "results.jsonl", *rows)))
    assert [rollout.near_miss for rollout in run.rollouts] == [True, False]


def test_no_recorded_score_is_trusted_and_a_difference_is_counted(tmp_path: Path) -> None:
    rows = [row(WORLD, LATER, reward=reward) for reward in (1.2, 0.3, None)]
    run = read_run(run_file(write(tmp_path / "results.jsonl", *rows)))
    assert [rollout.grade.reward for rollout in run.rollouts] == pytest.approx([0.3] * 3)
    assert [rollout.differs for rollout in run.rollouts] == [True, False, False]


@pytest.mark.parametrize(
    ("name", "settings_file", "kept"),
    [
        ("results.jsonl", "metadata.json", {"env_args": {"require_proof": True}}),
        (
            "traces.jsonl",
            "configs/resolved/eval.json",
            {"env": {"taskset": {"require_proof": True}}},
        ),
    ],
)
def test_a_required_proof_is_found_in_the_settings_beside_the_run(
    name: str, settings_file: str, kept: dict[str, Any], tmp_path: Path
) -> None:
    make = row if name == "results.jsonl" else episode
    path = write(tmp_path / name, make(WORLD, GUESSED), make(WORLD, RIGHT))
    assert [r.grade.exact for r in read_run(run_file(path)).rollouts] == [1, 1]
    (tmp_path / settings_file).parent.mkdir(parents=True, exist_ok=True)
    write(tmp_path / settings_file, {**kept, "model": "m"})
    run = read_run(run_file(path))
    assert run.require_proof
    assert [r.ending for r in run.rollouts] == [Ending.UNPROVEN, Ending.EXACT]
    assert [r.grade.reward for r in run.rollouts] == pytest.approx([0, 1.2])


def test_the_model_of_version_0_is_in_the_settings(tmp_path: Path) -> None:
    path = write(tmp_path / "results.jsonl", row(WORLD, RIGHT))
    write(tmp_path / "metadata.json", {"model": "qwen\nforged"})
    assert read_run(run_file(path)).model == "qwen\\u000aforged"


def test_of_several_models_in_one_file_each_is_counted(tmp_path: Path) -> None:
    found = [episode(WORLD, RIGHT) for _ in range(3)]
    found[1]["traces"][0]["agent"]["config"]["model"] = "other"
    run = read_run(run_file(write(tmp_path / "traces.jsonl", *found)))
    assert (run.models, run.model) == ({"some-model": 2, "other": 1}, "some-model")


# What is refused, and what is not


def test_a_torn_last_line_is_left_out_and_told(tmp_path: Path) -> None:
    path = write(tmp_path / "results.jsonl", row(WORLD, RIGHT))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])
    run = read_run(run_file(path))
    assert (len(run.rollouts), run.file.torn) == (1, True)
    path.write_bytes(whole + whole[:-1])  # whole, but for the end of the line
    run = read_run(run_file(path))
    assert (len(run.rollouts), run.file.torn) == (2, False)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "no output of vf-eval: expected a JSON object"),
        ("[]", "no output of vf-eval: expected a JSON object"),
        ("[" * 100_000, "no output of vf-eval: expected a JSON object"),
        ("{}", "no output of vf-eval: neither an episode"),
        ('{"traces": [1]}', "no output of vf-eval: an episode whose trace is no object"),
        ('{"traces": []}', "expected a run of meeting-slot, found no world"),
        ('{"reward": 1, "info": {"answer": "4"}}', "expected a run of meeting-slot"),
        ('{"reward": 1, "info": {"world": "{"}}', "no output of vf-eval: its world: "),
        ('{"reward": 1, "info": {"world": "{}"}}', "its world: request: required, but missing"),
    ],
)
def test_a_line_that_is_no_rollout_is_refused_with_its_number(
    line: str, problem: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "results.jsonl", row(WORLD, RIGHT))
    path.write_text(path.read_text() + f"\n{line}\n")
    with pytest.raises(FileError) as refused:
        read_run(run_file(path))
    assert f"{path}:3: " in str(refused.value)
    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_path_without_exactly_one_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no such file or folder"):
        run_file(tmp_path / "missing")
    with pytest.raises(FileError, match=r"expected one run of vf-eval, found 0$"):
        run_file(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "traces.jsonl", episode(WORLD, RIGHT))
    with pytest.raises(FileError, match="found 2; give each run's folder"):
        run_file(tmp_path)
    assert one(tmp_path / "a").ending is Ending.EXACT
    empty = write(tmp_path / "empty.jsonl")
    with pytest.raises(FileError, match="found no rollout"):
        read_run(run_file(empty))


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.data())
def test_garbage_inside_a_line_counts_as_absent(data: st.DataObject) -> None:
    make: Any = data.draw(st.sampled_from([row, episode]))
    found = json.loads(json.dumps(make(WORLD, RIGHT)))  # of its own: it is changed
    place: Any = found
    parts: list[tuple[Any, Any]] = []
    while isinstance(place, dict | list) and place and (not parts or data.draw(st.booleans())):
        keys = sorted(place) if isinstance(place, dict) else range(len(place))
        parts.append((place, data.draw(st.sampled_from(list(keys)))))
        place = place[parts[-1][1]]
    container, key = parts[-1]
    container[key] = data.draw(json_values)
    try:
        record = recorded(json.loads(json.dumps(found)))
    except ValueError:
        return
    assert record.world is None or isinstance(record.world, str)
    assert all(isinstance(message, dict) for message in record.messages)
    assert isinstance(rollout_metrics(WORLD, record.messages)["tool_calls"], float)


def test_memory_does_not_grow_with_the_conversations(tmp_path: Path) -> None:
    long = [*GUESSED[:2], {"role": "assistant", "content": "x" * 20_000}, GUESSED[-1]]
    line = json.dumps(row(WORLD, long)) + "\n"
    path = tmp_path / "results.jsonl"
    path.write_text(line * 3_000)
    tracemalloc.start()
    try:
        run = read_run(run_file(path))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(run.rollouts) == 3_000
    assert most < path.stat().st_size / 4
