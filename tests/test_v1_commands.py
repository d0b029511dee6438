"""The framework's own commands on this package: validation, replay, other harnesses."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from meeting_slot.environment.endpoint import Endpoint
from meeting_slot.environment.results import policy_result, rollouts_in
from meeting_slot.environment.runs import Settings, run_model
from meeting_slot.tool_calls import SCHEMAS

from .conftest import Run

MINUTES = 60


def framework(name: str, *arguments: str | Path, folder: Path) -> Run:
    """Run one of the commands that verifiers installs beside this Python."""
    ended = subprocess.run(
        [str(Path(sys.executable).with_name(name)), *map(str, arguments)],
        capture_output=True,
        timeout=5 * MINUTES,
        check=False,
        cwd=folder,
    )
    return Run(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def evaluated(folder: Path, *arguments: str | Path, count: int = 3, model: str = "gold") -> Run:
    """Run `vf-eval meeting-slot` against a scripted model."""
    with Endpoint().in_thread() as base_url:
        return framework(
            "vf-eval",
            *("meeting-slot", "-m", model, "-n", str(count), "-c", "4", "--no-push", "--no-rich"),
            *("--client.base-url", base_url, "--client.api-key-var", "MEETING_SLOT_NO_KEY"),
            *("-o", folder, *arguments),
            folder=folder,
        )


def test_validation_is_clean(tmp_path: Path) -> None:
    run = framework(
        "vf-validate",
        *("meeting-slot", "--runtime.type", "subprocess", "--no-rich", "-o", tmp_path),
        *("--select.limit", "40"),
        folder=tmp_path,
    )
    assert run.status == 0, run.err
    (summary,) = tmp_path.rglob("summary.json")
    read = json.loads(summary.read_text())
    assert read["outcomes"] == {
        **dict.fromkeys(("error", "invalid", "missing", "timeout", "unchecked"), 0),
        "valid": 40,
    }
    assert read["checks"]["noop"]["valid"] == read["checks"]["gold"]["valid"] == 40


@pytest.mark.parametrize(
    ("policy", "figures"), [("gold", (1.2, 1.0, 1.0, 0.0)), ("naive", (0.293, 0.067, 1.0, 0.133))]
)
def test_a_replay_scores_as_the_run_did(
    tmp_path: Path, policy: str, figures: tuple[float, ...]
) -> None:
    with Endpoint().in_thread() as base_url:
        run_model(policy, base_url, Settings(count=15), tmp_path / "run")
    (traces,) = (tmp_path / "run").rglob("traces.jsonl")
    replayed = tmp_path / "replayed"
    run = framework("vf-replay", traces.parent, "-o", replayed, "--no-rich", folder=tmp_path)
    assert run.status == 0, run.err
    for folder in (traces.parent, replayed):
        found = policy_result(policy, rollouts_in(folder), 15)
        terms = (found.reward, found.exact, found.format, found.partial)
        assert tuple(round(term, 3) for term in terms) == figures
    assert metrics_in(traces.parent) == metrics_in(replayed)


def metrics_in(folder: Path) -> list[dict[str, float]]:
    (file,) = folder.rglob("traces.jsonl")
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    traces = sorted((row["traces"][0] for row in rows), key=lambda trace: trace["task"]["key"])
    return [trace["metrics"] for trace in traces]


def test_another_harness_gets_the_same_tools_and_rewards(tmp_path: Path) -> None:
    run = evaluated(tmp_path, "--env.agent.harness.id", "null", count=4)
    assert run.status == 0, run.err
    found = policy_result("gold", rollouts_in(tmp_path), 4)
    assert found.reward == pytest.approx(1.2)
    assert (found.proved, found.evidence) == (1.0, 1.0)
    (file,) = tmp_path.rglob("traces.jsonl")
    for line in file.read_text().splitlines():
        tools = json.loads(line)["traces"][0]["tools"]
        assert {tool["name"]: tool["description"] for tool in tools} == {
            schema["name"]: schema["description"] for schema in SCHEMAS
        }
        assert {tool["name"]: set(tool["parameters"]["properties"]) for tool in tools} == {
            schema["name"]: set(schema["parameters"]["properties"]) for schema in SCHEMAS
        }


def test_the_budget_of_calls_holds_under_another_harness(tmp_path: Path) -> None:
    arguments = ("--env.agent.harness.id", "null", "--env.taskset.max-tool-calls", "2")
    run = evaluated(tmp_path, *arguments, count=1)
    assert run.status == 0, run.err
    (file,) = tmp_path.rglob("traces.jsonl")
    (trace,) = json.loads(file.read_text())["traces"]
    results = [node["message"]["content"] for node in trace["nodes"] if is_result(node)]
    assert [text.startswith("error: all 2 tool calls") for text in results] == [
        place >= 2 for place in range(len(results))
    ]
    assert len(results) > 2


def is_result(node: dict[str, Any]) -> bool:
    return bool(node["message"]["role"] == "tool")


def test_a_harness_that_runs_code_on_this_machine_is_refused_at_once(tmp_path: Path) -> None:
    run = evaluated(tmp_path, "--env.agent.harness.id", "bash")
    assert run.status == 1
    said = " ".join((run.out + run.err).replace("│", " ").split())
    assert "harness bash runs the model's code on this machine" in said
    assert "allow_code_on_host" in said
    assert not list(tmp_path.rglob("traces.jsonl"))
