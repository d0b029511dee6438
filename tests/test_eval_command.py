"""`meeting-slot eval`: scripted policies through the real `vf-eval`."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import openai
import pytest

from meeting_slot.environment.chat import Refusal, Reply
from meeting_slot.environment.endpoint import Endpoint
from meeting_slot.environment.results import (
    MEASURES,
    TERMS,
    Rollout,
    policy_result,
    rollouts_in,
)
from meeting_slot.environment.runs import Settings, example_command, policies_of, run_model
from meeting_slot.environment.scripted import MODELS, reply_to
from meeting_slot.errors import MeetingSlotError
from meeting_slot.parsing import parse_world
from meeting_slot.policies import BASELINES, CORE, INVERSE, specials

from .conftest import COMMAND_LINE, SECONDS, Command, a_world, write

SAMPLE = parse_world(a_world())


def rows(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


# through vf-eval


def test_gold_and_naive_score_what_they_must_on_the_curated_worlds(
    command: Command, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    run = command(
        *("eval", "--policy", "gold", "--policy", "naive", "-n", 15, "--json", "--out", kept)
    )
    assert (run.status, run.err) == (0, "")
    gold, naive = rows(run.out)
    terms = ("policy", "reward", "exact", "format", "partial", "rollouts", "errors")
    assert [gold[term] for term in terms] == ["gold", 1.2, 1, 1, 0, 15, 0]
    assert [naive[term] for term in terms] == ["naive", 0.293333, 0.066667, 1, 0.133333, 15, 0]
    assert (gold["turns"], gold["evidence"], gold["proved"]) == (4, 1, 1)
    assert naive["proved"] == naive["exact"]  # everything was read: what is right is proved
    assert len(rollouts_in(kept / "gold")) == 15


def test_a_file_is_served_whole_with_one_call_a_turn_and_a_table_is_printed(
    command: Command, tmp_path: Path
) -> None:
    other = a_world(
        request={"duration_minutes": 30, "window_start": "2024-03-08", "window_days": 3}
    )
    path = write(tmp_path / "two.jsonl", a_world(), other)
    run = command("eval", "--policy", "gold", "--worlds", path, "--one-call-a-turn")
    assert (run.status, run.err) == (0, "")
    # 15 calls read the first world, 13 the second, which is a day shorter
    assert re.search(r"gold +│ +1.200 │ +1.000 │ +1.000 │ +0.000 │ +14.0 │ +15.0", run.out)
    assert max(map(len, run.out.splitlines())) <= 80


def test_a_required_proof_is_passed_on(command: Command, tmp_path: Path) -> None:
    three_days = {"duration_minutes": 30, "window_start": "2024-03-08", "window_days": 3}
    path = write(tmp_path / "none.json", a_world(request=three_days))  # a full day and a weekend
    arguments = ("eval", "--policy", "always-none", "--worlds", path, "--json")
    (guessed,) = rows(command(*arguments).out)
    (unproven,) = rows(command(*arguments, "--require-proof").out)
    assert (guessed["reward"], guessed["exact"], guessed["calls"]) == (1.2, 1, 0)
    assert (unproven["reward"], unproven["format"], unproven["proved"]) == (0, 0, 0)


def test_a_named_split_is_served_and_no_proxy_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Endpoint().in_thread() as base_url:
        settings = Settings(split="hard-v1", count=5)
        rollouts = run_model("ignore-busy", base_url, settings, tmp_path / "run")
    result = policy_result("ignore-busy", rollouts, 5)
    assert (result.exact, result.format) == (0, 1)  # every core policy is wrong on hard-v1


def test_rollouts_that_fail_are_no_result(tmp_path: Path) -> None:
    def failing(body: Mapping[str, Any]) -> Reply:
        if len(body["messages"]) > 2:
            raise Refusal(500, "internal_error", "out of luck")
        return reply_to({**body, "model": "gold"})

    with Endpoint(failing).in_thread() as base_url:
        rollouts = run_model("broken", base_url, Settings(count=2), tmp_path / "run")
    with pytest.raises(MeetingSlotError, match=r"broken: 2 of 2 rollouts failed.*out of luck"):
        policy_result("broken", rollouts, 2)


def test_a_failure_of_vf_eval_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))  # no Python starts there
    with pytest.raises(MeetingSlotError, match=r"gold: vf-eval ended with status [1-9].*said: ."):
        run_model("gold", "http://127.0.0.1:9/v1", Settings(count=1), tmp_path / "run")


# reading what was written


def a_rollout(**scores: float) -> Rollout:
    return Rollout(reward=1.2, scores=dict.fromkeys((*TERMS, *MEASURES), 1.0) | scores, error=None)


def test_a_result_is_the_mean() -> None:
    rollouts = [a_rollout(tool_calls=3, turns=2), a_rollout(tool_calls=6, turns=3, exact=0)]
    result = policy_result("gold", rollouts, 2)
    assert (result.calls, result.turns, result.exact, result.rollouts) == (4.5, 2.5, 0.5, 2)


def test_a_missing_rollout_is_no_result() -> None:
    with pytest.raises(MeetingSlotError, match="gold: expected 2 rollouts, got 1"):
        policy_result("gold", [a_rollout()], 2)


@pytest.mark.parametrize(
    ("episode", "error"),
    [
        ({"ok": False, "errors": [{"type": "Boom", "message": "no"}], "traces": []}, "Boom: no"),
        ({"ok": False, "traces": [{"stop_condition": "max_turns"}]}, "stopped by max_turns"),
        ({"ok": True, "traces": [{"ok": True, "rewards": {}, "metrics": {}}]}, "no score exact"),
        ({"ok": True, "traces": []}, "not completed"),
    ],
)
def test_an_episode_without_scores_failed(
    tmp_path: Path, episode: dict[str, Any], error: str
) -> None:
    (tmp_path / "run").mkdir()
    write(tmp_path / "run" / "traces.jsonl", episode)
    (rollout,) = rollouts_in(tmp_path)
    assert error in (rollout.error or "")


@pytest.mark.parametrize("line", ["[]", "{", "1", '{"traces": [1]}'])
def test_a_file_that_is_no_output_of_vf_eval_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "traces.jsonl").write_text(f"{line}\n")
    with pytest.raises(MeetingSlotError, match="no output of vf-eval"):
        rollouts_in(tmp_path)


def test_rows_of_version_0_are_read(tmp_path: Path) -> None:
    metrics = dict(a_rollout(turns=4).scores)
    fine = {"reward": 0.2, "metrics": metrics, "error": None}
    error = {"error": "E", "error_chain_repr": "E('no luck')", "error_chain_str": "E"}
    write(tmp_path / "results.jsonl", fine, {**fine, "error": error})
    first, second = rollouts_in(tmp_path)
    assert (first.reward, first.scores["turns"], first.error) == (0.2, 4, None)
    assert second.error == "E('no luck')"


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MeetingSlotError, match="expected one run of vf-eval, found 0"):
        rollouts_in(tmp_path)


# arguments


def test_all_stands_for_every_policy_once() -> None:
    names = [policy.name for policy in (*CORE, *specials(0), *BASELINES, *INVERSE)]
    assert policies_of(["naive", "all", "naive"]) == [
        "naive",
        "gold",
        *(name for name in names if name != "naive"),
    ]
    assert len(MODELS) == 30


@pytest.mark.parametrize(
    ("settings", "rollouts"),
    [
        (Settings(), 100),
        (Settings(count=3), 3),
        (Settings(count=200), 200),
        (Settings(split="train"), 500),
        (Settings(split="hard-v1"), 300),
        (Settings(split="hard-v1", count=50), 50),
        (Settings(split="hard-v1", count=301), 300),
        (Settings(worlds=[SAMPLE]), 1),
        (Settings(worlds=[SAMPLE], count=15), 1),
    ],
)
def test_how_many_rollouts_are_expected(settings: Settings, rollouts: int) -> None:
    assert settings.rollouts == rollouts


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--policy", "golden"], 'unknown policy "golden"; did you mean gold?'),
        (["--split", "core"], "split: expected one of eval, train, core-v1"),
        (["--worlds", "x", "--split", "hard-v1"], "--worlds and --split exclude each other"),
        (["--worlds", "no-such-file"], "no-such-file: "),
        (["--port", "8000"], "--port is for --serve-only"),
        (["--serve-only", "--policy", "gold"], "--serve-only and --policy exclude each other"),
        (["--serve-only", "-n", "1"], "--serve-only and --count exclude each other"),
        (["--serve-only", "--out", "x"], "--serve-only and --out exclude each other"),
        (["-n", "0"], "0 is not in the range x>=1"),
        (["--out", "{here}"], "expected a new or an empty folder"),
    ],
)
def test_unusable_arguments_are_named_in_one_line(
    command: Command, tmp_path: Path, arguments: list[str], line: str
) -> None:
    (tmp_path / "there").touch()
    run = command("eval", *(argument.format(here=tmp_path) for argument in arguments))
    assert (run.status, run.out) == (2, "")
    assert line in run.error_line()


def test_an_end_by_a_signal_leaves_no_child_and_no_folder(tmp_path: Path) -> None:
    command_line = [*COMMAND_LINE, "eval", "--policy", "gold", "-n", "15"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    running = subprocess.Popen(command_line, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + SECONDS
        while not (started := list(tmp_path.rglob("stderr.txt"))):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert children_of(running.pid)
        running.terminate()
        _, err = running.communicate(timeout=SECONDS)
    finally:
        running.kill()
    assert (running.returncode, err) == (128 + signal.SIGTERM, "")
    assert started
    assert not list(tmp_path.iterdir())
    assert not children_of(running.pid)


def children_of(pid: int) -> list[str]:
    """Return the numbers of a process's children."""
    stats = (
        path.read_text().rpartition(")")[2].split() for path in Path("/proc").glob("[0-9]*/stat")
    )
    return [fields[0] for fields in stats if int(fields[1]) == pid]


def test_serving_lasts_until_interrupted() -> None:
    serving = subprocess.Popen(
        [*COMMAND_LINE, "eval", "--serve-only", "--one-call-a-turn"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with serving:
        try:
            assert serving.stdout is not None
            first, example = serving.stdout.readline(), serving.stdout.readline()
            (base_url,) = re.findall(r"http://127\.0\.0\.1:\d+/v1", first)
            with openai.OpenAI(base_url=base_url, api_key="none", max_retries=0) as api:
                assert "gold" in [model.id for model in api.models.list()]
            serving.send_signal(signal.SIGINT)
            out, err = serving.communicate(timeout=SECONDS)
        finally:
            serving.kill()
    assert (serving.returncode, out, err) == (0, "", "")
    assert example == example_command(base_url) + "\n"
    assert example.startswith("OPENAI_API_KEY=none vf-eval meeting-slot -m gold -n 15")
