"""The environment for the v0 API of `verifiers`, 0.1.14 to 0.3: `load_environment`.

A rollout: system prompt and request, then turns in which the model calls the four tools, then a
reply that calls none and gives the answer. Every row holds its world without the answer, which is
computed anew when the rollout is scored.
"""

import asyncio
import importlib
import inspect
from collections.abc import Callable, Sequence
from os import PathLike, fspath
from typing import Any, Final

import msgspec

from ..errors import MeetingSlotError, quoted
from ..prompt import prompt_hash, system_prompt, user_prompt
from ..splits import PARITY
from ..tool_calls import SCHEMAS, answer_call, past_budget
from ..tools import get_busy, get_timezone, get_working_hours, list_attendees
from ..world import World
from .refusals import asks_for_too_many_tokens
from .served import DEFAULT_SEED, Difficulty, Serving, counted, served_worlds

vf: Any = importlib.import_module("verifiers")  # its v0 names have no types, and none in 0.4
if not hasattr(vf, "StatefulToolEnv"):
    raise ImportError(
        f"load_environment needs the v0 API of verifiers, 0.1.14 to 0.3; {vf.__version__} has "
        "only v1, which finds this package by its taskset"
    )

from .v0_rubric import MeetingSlotRubric, world_in  # noqa: E402

_PATH = str | PathLike[str]
_SETTLED: Final = (
    *("dataset", "eval_dataset", "rubric", "parser", "tools", "tool_defs", "message_type"),
    *("system_prompt", "few_shot", "error_formatter", "stop_errors", "self"),
)
"""Arguments of the base class that this environment gives, or would not heed."""


def load_environment(
    num_train_examples: int = 500,
    num_eval_examples: int = 100,
    seed: int | str = DEFAULT_SEED,
    max_turns: int = 40,
    difficulty: Difficulty | None = None,
    split: str = "eval",
    worlds: _PATH | Sequence[_PATH] | None = None,
    target_hardness: float | None = None,
    max_tool_calls: int = 400,
    require_proof: bool = False,
    **kwargs: Any,
) -> "MeetingSlotEnv":
    """Return the environment; settings are checked at once, rows made when they are asked for.

    The eval dataset holds what `split` or `worlds` ask for. The train dataset holds the rows of
    `train`, which share no world with those of `eval`; where a shipped split or `worlds` was asked
    for, both datasets hold it whole, since nobody named anything else to train on.

    Args:
        num_train_examples: rows of `train`.
        num_eval_examples: rows of `eval`, the 15 curated worlds included and first.
        seed: of the generated rows, any number or text.
        max_turns: replies the model has, the final one included.
        difficulty: only generated rows of this band: easy, medium or hard; mixed is the default.
        split: `eval`, `train`, or the name of a shipped split.
        worlds: a path of a world file or split, or several, instead of a split.
        target_hardness: only generated rows of this hardness, from 0 to 1.
        max_tool_calls: calls that are answered in one rollout; those beyond get one error line.
        require_proof: an answer that the tool results do not prove scores 0 on all terms.
        kwargs: arguments of `verifiers.StatefulToolEnv`, as `max_seq_len` or `timeout_seconds`.

    Raises:
        MeetingSlotError: nothing can be served by these settings, or a file of `worlds` is not
            usable.
        TypeError: an argument that there is not.
    """
    for name in kwargs.keys() - _accepted():
        raise TypeError(f"load_environment() got an unexpected keyword argument {name!r}")
    serving = Serving(
        split=split,
        worlds=[fspath(path) for path in _listed(worlds)],
        num_train_examples=_count("num_train_examples", num_train_examples),
        num_eval_examples=_count("num_eval_examples", num_eval_examples),
        seed=str(seed),
        difficulty=difficulty,
        target_hardness=_share("target_hardness", target_hardness),
    )
    return MeetingSlotEnv(
        serving,
        max_turns=_count("max_turns", max_turns),
        max_tool_calls=_count("max_tool_calls", max_tool_calls),
        require_proof=_flag("require_proof", require_proof),
        **kwargs,
    )


class MeetingSlotEnv(vf.StatefulToolEnv):  # type: ignore[misc]
    """The four tools over hidden calendars, one world a row."""

    def __init__(
        self,
        serving: Serving,
        *,
        max_turns: int,
        max_tool_calls: int,
        require_proof: bool,
        **kwargs: Any,
    ) -> None:
        self.max_tool_calls = max_tool_calls
        is_whole = bool(serving.worlds) or serving.split not in PARITY
        training = serving if is_whole else msgspec.structs.replace(serving, split="train")
        super().__init__(
            dataset=self._builder(training),
            eval_dataset=self._builder(serving),
            rubric=MeetingSlotRubric(require_proof=require_proof),
            max_turns=max_turns,
            **kwargs,
        )
        for tool in (list_attendees, get_timezone, get_working_hours, get_busy):
            self.add_tool(tool, args_to_skip=["world"])
        self.tool_defs = [vf.Tool(**schema) for schema in SCHEMAS]
        if serving.worlds:
            self.build_eval_dataset()  # a file that is not usable is said now

    def _builder(self, serving: Serving) -> Callable[[], Any]:
        return lambda: dataset_of(serving, self.max_turns, self.max_tool_calls)

    def set_kwargs(self, **kwargs: Any) -> None:
        """Set attributes, as `vf-eval -x` does; rows are made again, as a budget is in the prompt.

        Raises:
            MeetingSlotError: a budget that is no positive number.
        """
        budgets = {"max_turns", "max_tool_calls"} & kwargs.keys()
        for name in budgets:
            _count(name, kwargs[name])
        super().set_kwargs(**kwargs)
        if budgets:
            self.dataset = self.eval_dataset = None

    async def setup_state(self, state: Any) -> Any:
        """Check that the row holds a world; where it does not, that is an error of the row."""
        try:
            await asyncio.to_thread(world_in, state.get("info"))
        except MeetingSlotError as error:
            raise vf.Error(str(error)) from error
        return state

    def update_tool_args(
        self, tool_name: str, tool_args: dict[str, Any], messages: Any, state: Any, **kwargs: Any
    ) -> dict[str, Any]:
        """Return the arguments with the world of the row, which the model does not see."""
        return {**tool_args, "world": world_in(state["info"])}

    async def env_response(self, messages: Any, state: Any, **kwargs: Any) -> list[Any]:
        """Answer each tool call of the last reply, whatever it is, up to the budget."""
        world = world_in(state["info"])
        *earlier, reply = messages
        made = sum(len(message.get("tool_calls") or ()) for message in earlier)
        return [
            vf.ToolMessage(
                tool_call_id=call.id,
                content=past_budget(self.max_tool_calls)
                if number > self.max_tool_calls
                else answer_call(world, call.name, call.arguments),
            )
            for number, call in enumerate(reply.tool_calls or (), start=made + 1)
        ]

    async def get_model_response(self, state: Any, *args: Any, **kwargs: Any) -> Any:
        """Ask the model.

        A context overflow is told by its code too, not only by its wording. A `max_tokens` that
        alone does not fit the model is an error.
        """
        try:
            response = await super().get_model_response(state, *args, **kwargs)
        except vf.OverlongPromptError as error:
            if not state["trajectory"] and asks_for_too_many_tokens(str(error.__cause__ or error)):
                raise vf.ModelError(str(error.__cause__ or error)) from error
            raise
        except vf.ModelError as error:
            code = getattr(error.__cause__, "code", None)
            if code == "context_length_exceeded":
                raise vf.OverlongPromptError from error
            raise
        try:
            response.message.model_dump_json()
        except ValueError as error:  # 0.1 would fail when it saves the row, and lose the others
            raise vf.ModelError(f"the reply is no text: {error}") from error
        return response


def dataset_of(serving: Serving, max_turns: int, max_tool_calls: int) -> Any:
    """Return the rows as a `datasets.Dataset`: `prompt`, and `info`, which no model sees."""
    from datasets import Dataset  # type: ignore[import-untyped]

    system = system_prompt(max_turns, max_tool_calls)
    hashed = prompt_hash(system)
    return Dataset.from_list(
        [
            {
                "prompt": [
                    {"role": "system", "content": system},
                    {"role": "user", "content": user_prompt(world.request)},
                ],
                "info": {"id": world.id, "world": _without_answer(world), "prompt_hash": hashed},
            }
            for world in counted(served_worlds(serving), max_turns)
        ]
    )


def _without_answer(world: World) -> str:
    return World(world.request, world.attendees, world.own_id).to_line()


def _accepted() -> set[str]:
    """Return the arguments of the base classes that have an effect here."""
    names = {
        name
        for base in vf.StatefulToolEnv.__mro__
        if "__init__" in vars(base)
        for name, parameter in inspect.signature(base.__init__).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }
    return names.difference(_SETTLED)


def _listed(worlds: object) -> Sequence[_PATH]:
    if worlds is None:
        return ()
    listed = [worlds] if isinstance(worlds, str | PathLike) else worlds
    if isinstance(listed, list | tuple) and all(isinstance(one, str | PathLike) for one in listed):
        return listed
    raise MeetingSlotError(f"worlds: expected a path or a list of paths, got {quoted(worlds)}")


def _flag(name: str, given: object) -> bool:
    if isinstance(given, bool):
        return given
    raise MeetingSlotError(f"{name}: expected true or false, got {quoted(given)}")


def _count(name: str, given: object) -> int:
    if isinstance(given, int) and not isinstance(given, bool) and given >= 1:
        return given
    raise MeetingSlotError(f"{name}: expected a whole number from 1, got {quoted(given)}")


def _share(name: str, given: object) -> float | None:
    if given is None or (isinstance(given, int | float) and not isinstance(given, bool)):
        return given
    raise MeetingSlotError(f"{name}: expected a number from 0 to 1, got {quoted(given)}")
