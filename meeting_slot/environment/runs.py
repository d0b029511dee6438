"""Policies run through the real `vf-eval`, as models behind a scripted endpoint.

Each policy is one `vf-eval meeting-slot` in a process of its own, on either line of `verifiers`.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import msgspec

from ..errors import MeetingSlotError, printable, shortened
from ..named import manifests
from ..policies import policy_named
from ..splits import PARITY
from ..world import World
from ..writing import write_split
from .endpoint import Endpoint
from .results import PolicyResult, Rollout, policy_result, rollouts_in
from .scripted import MODELS, ONE_CALL
from .served import Serving

ALL: Final = "all"
DEFAULT_CONCURRENCY: Final = 8
_KEY_VARIABLE: Final = "MEETING_SLOT_SCRIPTED_KEY"
"""The environment variable that holds the API key; the endpoint asks for none, clients do."""
_TAIL_LINES: Final = 8


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What policies are run on, and how.

    Attributes:
        worlds: the worlds; None for those of the split.
        split: `eval`, `train`, or the name of a shipped split.
        count: how many worlds, from the first; None for all there are, of `eval` and `train` their
            default number.
        one_call_a_turn: whether a policy makes one tool call a reply.
        require_proof: whether an answer that the tool results do not prove scores 0.
        concurrency: rollouts at a time.
        max_turns: replies a policy has; None for the environment's default.
    """

    worlds: Sequence[World] | None = None
    split: str = "eval"
    count: int | None = None
    one_call_a_turn: bool = False
    require_proof: bool = False
    concurrency: int = DEFAULT_CONCURRENCY
    max_turns: int | None = None

    def __post_init__(self) -> None:
        """Raise MeetingSlotError where there is nothing to run."""
        Serving(split=self.split)
        if self.worlds is not None and self.split != "eval":
            raise MeetingSlotError(f"worlds and split {self.split} exclude each other")
        if self.worlds is not None and not self.worlds:
            raise MeetingSlotError("expected at least one world, got none")
        for name in ("count", "concurrency", "max_turns"):
            if (given := getattr(self, name)) is not None and given < 1:
                raise MeetingSlotError(f"{name}: expected 1 or more, got {given}")

    @property
    def rollouts(self) -> int:
        """How many rollouts a policy's run has, one a world."""
        if self.worlds is None and self.split in PARITY:
            return self.count or getattr(Serving(), f"num_{self.split}_examples")
        there = manifests()[self.split].count if self.worlds is None else len(self.worlds)
        return min(self.count or there, there)


def policies_of(names: Iterable[str]) -> list[str]:
    """Return the names of policies, each once; `all` stands for every one but `skip-attendee-K`.

    Raises:
        MeetingSlotError: there is no policy of that name.
    """
    wanted = [one for name in names for one in (MODELS if name == ALL else (name,))]
    return list(dict.fromkeys(policy_named(name).name for name in wanted))


def evaluate(
    policies: Iterable[str], settings: Settings, out: Path | None = None
) -> Iterator[PolicyResult]:
    """Run policies one after the other, and yield each one's result.

    Args:
        policies: names, as `policies_of` takes them.
        settings: the worlds, and how they are run.
        out: a new or empty folder that keeps what `vf-eval` writes; None for one that is removed.

    Raises:
        MeetingSlotError: there is no `vf-eval`, it failed, or a rollout did; also as `Settings`.
    """
    names = policies_of(policies)
    with _ended_by_signals(), tempfile.TemporaryDirectory(prefix="meeting-slot-") as temporary:
        folder = Path(temporary) if out is None else _empty(out)
        with Endpoint().in_thread() as base_url:
            for name in names:
                model = name + ONE_CALL if settings.one_call_a_turn else name
                found = run_model(model, base_url, settings, folder / name)
                yield policy_result(name, found, settings.rollouts)


def run_model(model: str, base_url: str, settings: Settings, folder: Path) -> list[Rollout]:
    """Run `vf-eval` once, and return the rollouts, those that failed included.

    Args:
        model: the model's name.
        base_url: of an OpenAI-compatible server that has it; it ends in `/v1`.
        settings: the worlds, and how they are run.
        folder: does not exist, or is empty; it keeps the worlds, the output and what was printed.

    Raises:
        MeetingSlotError: there is no `vf-eval`, or it ended with another status than 0.
    """
    vf_eval = _vf_eval()
    run = _empty(folder)
    worlds = None
    if settings.worlds is not None:
        worlds = str(run / "worlds.jsonl")
        write_split(settings.worlds, worlds)
    command = [vf_eval, *_common(model, settings), *_client(base_url, _KEY_VARIABLE)]
    _run([*command, "-o", str(run), *_served(settings, worlds)], model, run)
    return rollouts_in(run)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end this process as an interrupt does: no child or folder is left."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGHUP"):
        yield
        return
    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def example_command(base_url: str) -> str:
    """Return a `vf-eval` command line that evaluates a model of an endpoint."""
    variable = "OPENAI_API_KEY"
    arguments = [*_common("gold", Settings(count=15)), *_client(base_url, variable)]
    return " ".join([f"{variable}=none", "vf-eval", *arguments])


def is_version_1() -> bool:
    """Return whether the `vf-eval` of the installed verifiers is that of version 1.

    Raises:
        MeetingSlotError: verifiers is not installed.
    """
    try:
        installed = version("verifiers")
    except PackageNotFoundError:
        raise MeetingSlotError("verifiers is not installed; vf-eval is part of it") from None
    numbers = re.findall(r"\d+", installed)
    return [int(number) for number in numbers[:2]] >= [0, 4]


def _vf_eval() -> str:
    """Return the path of the `vf-eval` that belongs to this interpreter, or is on the path."""
    beside = Path(sys.executable).with_name("vf-eval")
    found = str(beside) if beside.is_file() else shutil.which("vf-eval")
    if found is None:
        raise MeetingSlotError(
            "there is no vf-eval beside this Python or on PATH; it is part of verifiers"
        )
    return found


def _empty(out: Path) -> Path:
    try:
        out.mkdir(parents=True, exist_ok=True)
        is_empty = not any(out.iterdir())
    except OSError as error:
        raise MeetingSlotError(f"{printable(str(out))}: {error.strerror or error}") from None
    if not is_empty:
        raise MeetingSlotError(f"{printable(str(out))}: expected a new or an empty folder")
    return out.resolve()


def _common(model: str, settings: Settings) -> list[str]:
    """Return the arguments that both lines of verifiers take."""
    counts = ["-n", str(settings.rollouts), "-c", str(settings.concurrency)]
    kept = ["--no-push", "--no-rich"] if is_version_1() else ["-r", "1", "-s", "-d"]
    return ["meeting-slot", "-m", model, *counts, *kept]


def _client(base_url: str, key_variable: str) -> list[str]:
    if is_version_1():
        return ["--client.base-url", base_url, "--client.api-key-var", key_variable]
    return ["-b", base_url, "-k", key_variable]


def _served(settings: Settings, worlds: str | None) -> list[str]:
    """Return the arguments of the environment."""
    served: dict[str, Any] = {}
    if worlds is not None:
        served["worlds"] = [worlds]
    else:
        served["split"] = settings.split
        if settings.split in PARITY:
            served[f"num_{settings.split}_examples"] = settings.rollouts
    if settings.require_proof:
        served["require_proof"] = True
    if settings.max_turns is not None:
        served["max_turns"] = settings.max_turns
    if not is_version_1():
        return ["-a", json.dumps(served)]
    arguments = []
    for name, value in served.items():
        text = value[0] if isinstance(value, list) else str(value).lower()
        arguments += [f"--env.taskset.{name.replace('_', '-')}", text]
    return arguments


def _run(command: Sequence[str], model: str, run: Path) -> None:
    """Run `vf-eval` in a run's folder; what it prints is kept there.

    Raises:
        MeetingSlotError: it failed.
    """
    # All traffic is with this machine, so no proxy is asked.
    kept = {name: value for name, value in os.environ.items() if "_proxy" not in name.lower()}
    environment = {**kept, _KEY_VARIABLE: "none"}
    out, err = run / "stdout.txt", run / "stderr.txt"
    with out.open("wb") as out_file, err.open("wb") as err_file:
        ended = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out_file,
            stderr=err_file,
            cwd=run,
            env=environment,
            check=False,
        )
    if ended.returncode != 0:
        said = _tail(err) or _tail(out) or "nothing"
        raise MeetingSlotError(
            f"{model}: vf-eval ended with status {ended.returncode}, and said: {said}"
        )


def _tail(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    kept = [line.strip() for line in lines if line.strip()][-_TAIL_LINES:]
    return " | ".join(shortened(line, 200) for line in kept)
