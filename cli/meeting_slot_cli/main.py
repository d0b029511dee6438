"""The entry point: the command group, its exit status, and one line for every error."""

import contextlib
import gc
import importlib
import os
import sys
from collections.abc import Iterator
from typing import Any, Final, NoReturn

import click

from meeting_slot.errors import MeetingSlotError, printable

USAGE: Final = 2
"""The exit status of unusable input or arguments."""


class _ReaderGone(Exception):
    """A broken pipe, under a name that click does not turn into exit status 1."""


class _Interrupted(Exception):
    """Ctrl-C, under a name for which click does not print a line of its own."""


@contextlib.contextmanager
def _renamed() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise _ReaderGone from None
    except KeyboardInterrupt as interrupt:
        raise _Interrupted(*interrupt.args) from None


class LazyGroup(click.Group):
    """A group whose commands are imported when they are needed: `verify` starts fast."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the arguments, and print the help or the versions."""
        with _renamed():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _renamed():
            return super().invoke(ctx)

    _commands: Final = (
        *("gen", "solve", "verify", "explain", "show", "audit"),
        *("eval", "report", "export", "schema", "demo"),
    )

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, as `--help` lists them."""
        return list(self._commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name: the object `command` of the module of that name."""
        if cmd_name not in self._commands:
            return None
        command = importlib.import_module(f"meeting_slot_cli.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    import meeting_slot

    click.echo(f"meeting-slot {meeting_slot.__version__}, IANA {meeting_slot.iana_release()}")
    ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the versions of the package and of the zone data.",
)
def group() -> None:
    """Meeting worlds that are provably right: who is free, when, in UTC.

    A world is people with time zones, local hours and local busy calendars.
    Its answer is the earliest UTC start at which all are free for the whole
    meeting, or NONE. WORLDS is a world file (JSON), a split (JSONL) or "-".

    Exit status: 0 all correct; 1 an answer is wrong; 2 unusable input.
    """


def main() -> NoReturn:
    """Run the command line and exit: 0 fine, 1 a wrong answer, 2 unusable input or arguments."""
    gc.set_threshold(100_000)  # what many worlds are made of holds no cycles
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if sys.stderr is None:  # closed: what would be said there has no reader
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        sys.exit(_fail("cannot write: standard output is closed"))
    try:
        status = group.main(prog_name="meeting-slot", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        status = USAGE
    except click.ClickException as error:
        status = _fail(error.format_message())
    except MeetingSlotError as error:
        status = _fail(str(error))
    except (KeyboardInterrupt, _Interrupted, click.Abort) as interrupt:
        status = _fail("; ".join(filter(None, ("interrupted", str(interrupt)))), status=130)
    except (BrokenPipeError, _ReaderGone):
        # The reader has gone. The interpreter flushes stdout once more at exit: give it a sink.
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 141
    except OSError as error:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = _fail(f"cannot write: {error.strerror or error}")
    sys.exit(status)


def _fail(message: str, status: int = USAGE) -> int:
    one_line = " ".join(message.split("\n"))
    click.echo(f"meeting-slot: error: {printable(one_line)}", err=True)
    return status
