"""Which harness and runtime may play these tasks: the model needs the tools, and nothing else."""

import verifiers.v1 as vf

from ..tool_calls import TOOL_NAMES
from .harness import MeetingSlotHarness


def check_pairing(harness: vf.Harness, runtime: vf.RuntimeConfig, allow_code_on_host: bool) -> None:
    """Refuse what would leave the model without tools, or let it read the answers.

    Args:
        harness: what plays the task.
        runtime: where its program runs.
        allow_code_on_host: whether it may run the model's code on this machine all the same.

    Raises:
        ValueError: in one line, what is refused and why.
    """
    if isinstance(harness, MeetingSlotHarness):
        return
    name = harness.config.id
    if not harness.SUPPORTS_MCP:
        raise ValueError(
            f"harness {name} has no way to the tools {', '.join(TOOL_NAMES)}: the model could only "
            "guess; use one that supports MCP, or leave the harness out"
        )
    if set(TOOL_NAMES) <= set(harness.config.disabled_tools or ()):
        raise ValueError(f"harness {name} disables all of {', '.join(TOOL_NAMES)}")
    if (
        harness.EXECUTES_CODE
        and isinstance(runtime, vf.SubprocessConfig)
        and not allow_code_on_host
    ):
        raise ValueError(
            f"harness {name} runs the model's code on this machine, where the worlds lie in "
            "the package, split files and traces, and answers can be computed; use a container "
            "runtime, or set env.taskset.task.allow_code_on_host"
        )
