"""The settings of the v1 environment: names, meanings, and what is refused."""

import inspect
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import verifiers.v1 as vf
from pydantic import ValidationError
from verifiers.v1.configs.cli.eval import EvalConfig

import meeting_slot
from meeting_slot.curated import curated_worlds
from meeting_slot.environment.config import MeetingSlotConfig
from meeting_slot.environment.pairing import check_pairing
from meeting_slot.environment.served import Serving
from meeting_slot.environment.single_agent import MeetingSlotEnvConfig
from meeting_slot.environment.taskset import MeetingSlotTask, MeetingSlotTaskset
from meeting_slot.errors import MeetingSlotError
from meeting_slot.grading import EXACT_WEIGHT, FORMAT_WEIGHT
from meeting_slot.named import named_split

from .conftest import a_world, write


def config(agent: Any = None, **taskset: Any) -> Any:
    blocks = {"taskset": {"id": "meeting-slot", **taskset}, "agent": agent or {}}
    return vf.resolve_env_config(blocks)


def tasks(**taskset: Any) -> list[MeetingSlotTask]:
    return list(vf.load_taskset(config(**taskset).taskset))


def test_the_framework_finds_one_class_of_each_kind() -> None:
    env = vf.load_environment(config())
    assert type(env) is meeting_slot.MeetingSlotEnv
    assert type(env.taskset) is MeetingSlotTaskset is meeting_slot.MeetingSlotTaskset
    assert vf.default_harness_id("meeting-slot") == "meeting-slot"
    assert isinstance(env, vf.SingleAgentEnv)  # or traces could not be replayed
    assert isinstance(config().agent.runtime, vf.SubprocessConfig)


def test_importing_the_package_loads_no_framework() -> None:
    loaded = "import sys, meeting_slot; print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", loaded], capture_output=True, check=True)
    modules = set(ended.stdout.decode().split())
    assert not modules & {"verifiers", "datasets", "pydantic", "ortools", "openai", "aiohttp"}
    assert hasattr(meeting_slot, "load_environment")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = meeting_slot.nothing


def test_v1_fields_and_v0_arguments_have_the_same_names_and_defaults() -> None:
    arguments = inspect.signature(meeting_slot.load_environment).parameters
    own = {name: p.default for name, p in arguments.items() if p.kind is not p.VAR_KEYWORD}
    fields = MeetingSlotConfig()
    assert own.pop("seed") == int(fields.seed) == 42
    assert own.pop("worlds") is None
    assert fields.worlds == []
    assert own == {name: getattr(fields, name) for name in own}
    assert set(own) | {"seed", "worlds"} == set(MeetingSlotConfig.model_fields) - {
        *vf.TasksetConfig.model_fields
    }


def test_eval_begins_with_the_curated_cases_and_goes_on_with_core_v1() -> None:
    served = [task.key for task in tasks()]
    curated = [world.id for world in curated_worlds()]
    assert served[:15] == curated
    assert served[15:] == [world.id for world in named_split("core-v1")][:85]
    assert [task.key for task in tasks(num_eval_examples=4)] == curated[:4]


def test_train_and_named_splits_and_files_are_served(tmp_path: Path) -> None:
    train = [world.id for world in named_split("train-v1")]
    assert [task.key for task in tasks(split="train")] == train[:500]
    assert [task.key for task in tasks(split="train", num_train_examples=7)] == train[:7]
    with pytest.warns(UserWarning, match="152 of 400 worlds cannot be read"):
        assert len(tasks(split="isolate-v1")) == 400
    first = write(tmp_path / "first.jsonl", a_world(id="a"), a_world(id="b"))
    second = write(tmp_path / "second.json", a_world(id="c"))
    assert [task.key for task in tasks(worlds=str(first))] == ["a", "b"]
    assert [task.key for task in tasks(worlds=[str(first), str(second)])] == ["a", "b", "c"]


def test_tasks_are_made_one_at_a_time(tmp_path: Path) -> None:
    file = write(tmp_path / "worlds.jsonl", a_world(id="a"), {"id": "broken"})
    taskset = vf.load_taskset(config(worlds=str(file)).taskset)
    assert next(iter(taskset.take(1))).key == "a"
    with pytest.raises(MeetingSlotError, match=r"worlds\.jsonl:2: "):
        list(taskset)


def test_repeated_keys_are_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "worlds.jsonl", a_world(id="a"))
    with pytest.raises(MeetingSlotError, match='the id "a" is served twice'):
        tasks(worlds=[str(file), str(file)])


def test_the_key_is_the_worlds_id_wherever_it_stands(tmp_path: Path) -> None:
    file = write(tmp_path / "worlds.jsonl", a_world(id="a"), a_world(id="b"))
    _, later = vf.load_taskset(config(worlds=str(file)).taskset)
    assert (later.data.idx, later.key) == (1, "b")
    assert later.with_data(idx=0).key == "b"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"split": "core-v2"}, "split: expected one of eval, train, core-v1"),
        ({"difficulty": "extreme"}, "mixed.*easy.*medium.*hard"),
        ({"difficulty": "hard", "target_hardness": 1.0}, "exclude each other"),
        ({"target_hardness": 1.1}, "not from 0 to 1"),
        ({"num_eval_examples": 0}, "num_eval_examples: expected 1 or more"),
        ({"max_turns": 0}, "greater than or equal to 1"),
        ({"max_tool_calls": 0}, "greater than or equal to 1"),
        ({"split": "hard-v1", "difficulty": "easy"}, "split hard-v1 is served whole"),
        ({"worlds": "a.jsonl", "split": "train"}, "worlds and split train exclude each other"),
        ({"no_such_setting": 1}, "Extra inputs are not permitted"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        config(**settings)


def test_the_agents_turns_and_the_tasksets_are_one() -> None:
    assert config().agent.max_turns == 40
    assert config(max_turns=7).agent.max_turns == 7
    asked = config(agent={"max_turns": 9})
    assert asked.taskset.max_turns == 9
    with pytest.warns(UserWarning, match="cannot be read"):
        served = list(vf.load_taskset(asked.taskset).take(20))
    assert {task.data.max_turns for task in served} == {9}
    with pytest.raises(ValidationError, match=r"agent\.max_turns is 9 and taskset\.max_turns 7"):
        config(agent={"max_turns": 9}, max_turns=7)
    again: Any = vf.resolve_env_config(asked.model_dump(mode="json"))
    assert (again.agent.max_turns, again.taskset.max_turns) == (9, 9)


def test_a_required_proof_is_set_for_each_task() -> None:
    assert config(require_proof=True).taskset.task.require_proof
    assert config(task={"require_proof": True}).taskset.task.require_proof
    assert not config().taskset.task.require_proof


def test_the_seed_may_be_any_text() -> None:
    for given in (7, "7", "a seed"):
        assert config(seed=given).taskset.serving() == Serving(seed=str(given))


def test_worlds_too_long_for_the_turns_are_counted() -> None:
    assert len(tasks(split="hard-v1")) == 300  # a warning would be an error here
    # 2 people on 1 day: 1 + 2 * 2 + 2 * 2 calls; those of 4 days, or 3 or 4 people, take 13 to 17.
    said = "5 of 15 worlds cannot be read with one call a turn within 12 turns"
    with pytest.warns(UserWarning, match=said):
        tasks(max_turns=12, num_eval_examples=15)
    with pytest.warns(UserWarning, match="1 of 2 worlds"):
        list(vf.load_taskset(config(split="hard-v1", max_turns=29).taskset).take(2))


CODE = {"harness": {"id": "bash"}}


def test_a_harness_that_runs_code_is_refused_on_this_machine_only() -> None:
    with pytest.raises(ValidationError, match="harness bash runs the model's code"):
        config(agent=CODE)
    config(agent=CODE, task={"allow_code_on_host": True})
    config(agent={**CODE, "runtime": {"type": "docker"}})


def test_a_harness_without_tools_is_refused() -> None:
    class Mute(vf.Harness[vf.HarnessConfig]):
        async def launch(self, *_: Any, **__: Any) -> vf.ProgramResult:
            raise AssertionError("it must not run")

    mute = vf.HarnessConfig.model_validate({"id": "mute"})
    with pytest.raises(ValueError, match="harness mute has no way to the tools list_attendees"):
        check_pairing(Mute(mute), vf.DockerConfig(), False)
    four = ["list_attendees", "get_timezone", "get_working_hours", "get_busy"]
    with pytest.raises(ValidationError, match="harness null disables all of list_attendees"):
        config(agent={"harness": {"id": "null", "disabled_tools": four}})
    with pytest.raises(ValidationError, match="cannot do without its tools"):
        config(agent={"harness": {"id": "meeting-slot", "disabled_tools": ["get_busy"]}})


DOCS = Path(__file__).parents[1] / "docs"


def test_the_example_evaluation_is_accepted(tmp_path: Path) -> None:
    example = tomllib.loads((DOCS / "eval.toml").read_text(encoding="utf-8"))
    assert not example["push"]
    settings: Any = EvalConfig.model_validate({**example, "output_dir": tmp_path})
    assert type(settings.env) is MeetingSlotEnvConfig
    taskset: Any = settings.env.taskset
    assert taskset.serving() == Serving(split="hard-v1")


def test_the_example_training_names_settings_that_there_are() -> None:
    orchestrator = tomllib.loads((DOCS / "train.toml").read_text(encoding="utf-8"))["orchestrator"]
    (train,), (evaluation,) = orchestrator["train"]["source"], orchestrator["eval"]["source"]
    settings: Any = vf.resolve_env_config(train["env"])
    assert settings.taskset.serving() == Serving(
        split="train", num_train_examples=2000, difficulty="mixed"
    )
    assert settings.taskset.task.require_proof
    served: Any = vf.resolve_env_config(evaluation["env"])
    assert served.taskset.split == "hard-v1"
    pools = train["curriculum"]["sampler"]["pools"]
    assert max(pool["threshold"] for pool in pools.values()) == EXACT_WEIGHT + FORMAT_WEIGHT
