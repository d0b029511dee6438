"""The settings of the v1 environment, `--env.taskset.*` and `--env.taskset.task.*`."""

from typing import Any

import verifiers.v1 as vf
from pydantic import Field, SerializeAsAny, field_validator, model_validator

from ..errors import MeetingSlotError
from .served import Difficulty, Serving


class MeetingSlotTaskConfig(vf.TaskConfig):
    """What scoring needs; it stays with a task that is made again from a trace."""

    require_proof: bool = False
    """An answer that the tool results do not prove scores 0 on all terms: no guess pays."""
    allow_code_on_host: bool = False
    """Let a harness run the model's code on this machine, where it could read the worlds."""


class MeetingSlotConfig(vf.TasksetConfig):
    """Which worlds are served, and the budget of a rollout."""

    task: SerializeAsAny[MeetingSlotTaskConfig] = MeetingSlotTaskConfig()
    """Settings of each task."""
    split: str = "eval"
    """`eval`, `train`, or a shipped split, served whole: core-v1, hard-v1, isolate-v1, train-v1."""
    worlds: list[str] = Field(default_factory=list)
    """World files and splits (JSON, JSONL) to serve whole instead."""
    num_train_examples: int = 500
    """Rows of `train`."""
    num_eval_examples: int = 100
    """Rows of `eval`, the curated 15 included and first."""
    seed: str = "42"
    """Any text. Rows of `eval` and `train` share no world, whatever the seeds."""
    max_turns: int = Field(40, ge=1)
    """The model's replies, the final one included."""
    difficulty: Difficulty | None = None
    """Generated rows of one band only: easy, medium or hard; mixed is the default mix."""
    target_hardness: float | None = None
    """Generated rows of one hardness only, from 0 to 1. Not together with difficulty."""
    max_tool_calls: int = Field(400, ge=1)
    """Tool calls of a rollout that are answered; a call after them gets an error."""
    require_proof: bool = False
    """Sets `task.require_proof`."""

    @field_validator("seed", mode="before")
    @classmethod
    def _seed_as_text(cls, value: Any) -> Any:
        return str(value) if isinstance(value, int | float) else value

    @field_validator("worlds", mode="before")
    @classmethod
    def _worlds_as_list(cls, value: Any) -> Any:
        if value is None:
            return []
        return [value] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _checked(self) -> "MeetingSlotConfig":
        try:
            self.serving()
        except MeetingSlotError as error:
            raise ValueError(str(error)) from None
        if self.require_proof and not self.task.require_proof:
            self.task = self.task.model_copy(update={"require_proof": True})
        return self

    def serving(self) -> Serving:
        """Return which worlds are served."""
        settings = {name: getattr(self, name) for name in Serving.__struct_fields__}
        return Serving(**{**settings, "worlds": tuple(self.worlds)})
