"""What several test files share: a sample world, and two ways to run the command line."""

import copy
import io
import json
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from meeting_slot_cli.main import main

SECONDS = 60
"""After which a process that should have refused at once is ended."""

AVA_AND_FARID: dict[str, Any] = {
    "request": {"duration_minutes": 30, "window_start": "2024-03-08", "window_days": 4},
    "attendees": [
        {
            "name": "Ava",
            "timezone": "America/New_York",
            "working_hours": {"start": "09:00", "end": "17:00", "weekdays": [0, 1, 2, 3, 4]},
            "busy": {"2024-03-08": [{"start": "09:00", "end": "17:00"}]},
        },
        {
            "name": "Farid",
            "timezone": "Europe/London",
            "working_hours": {"start": "09:00", "end": "17:00", "weekdays": [0, 1, 2, 3, 4]},
            "busy": {"2024-03-08": [{"start": "09:00", "end": "17:00"}]},
        },
    ],
}
"""Friday is full and the weekend off; New York is at UTC-4 from Sunday on, London at UTC+0."""

ANSWER = "2024-03-11T13:00:00Z"
"""The answer of `AVA_AND_FARID`: Monday 09:00 in New York, 13:00 in London."""


def a_world(**members: Any) -> dict[str, Any]:
    """Return the sample world as JSON, with members of the top level added or replaced."""
    return copy.deepcopy(AVA_AND_FARID) | members


def write(path: Path, *rows: object) -> Path:
    """Write rows of JSON, one a line, and return the path."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


_BIDI_CONTROLS = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def unprintable(text: str) -> set[str]:
    """Return the characters that could forge or reorder output, line ends left aside."""
    return {
        character
        for character in text
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
        or character in _BIDI_CONTROLS
    } - {"\n"}


@pytest.fixture(scope="session", autouse=True)
def _interrupts_arrive() -> None:
    """Take interrupts, and so have child processes take them: a job in the background does not."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _cache_of_rows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep generated rows in a folder of this session, never in the user's own."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEETING_SLOT_CACHE", str(tmp_path_factory.mktemp("rows")))
        yield


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of this test's generated rows; it does not exist yet."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MEETING_SLOT_CACHE", str(folder))
    return folder


class Run(NamedTuple):
    """What one run of the command line gave."""

    status: int
    out: str
    err: str

    def error_line(self) -> str:
        """Return the one line of an error, nothing else having been said on standard error."""
        assert self.err.endswith("\n")
        assert len(self.err.splitlines()) == 1, self.err
        assert not unprintable(self.err), self.err
        return self.err[:-1]


Command = Callable[..., Run]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `meeting-slot` in this process: `command("solve", path, stdin=b"")`."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Run:
        monkeypatch.setattr(sys, "argv", ["meeting-slot", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        code = ended.value.code or 0
        assert isinstance(code, int)
        return Run(code, out, err)

    return run


COMMAND_LINE = (sys.executable, "-c", "from meeting_slot_cli.main import main; main()")
"""`meeting-slot` as a process of its own, under this interpreter."""


def process(
    *arguments: str | Path,
    stdin: bytes = b"",
    command_line: Sequence[str] = COMMAND_LINE,
    **options: Any,
) -> Run:
    """Run `meeting-slot` in a process of its own; it fails if that does not end by itself."""
    ended = subprocess.run(
        [*command_line, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        timeout=SECONDS,
        check=False,
        **options,
    )
    return Run(ended.returncode, ended.stdout.decode(), ended.stderr.decode())
