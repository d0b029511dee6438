"""`meeting-slot show`: what it draws in characters, what it writes, and its exit status."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from meeting_slot import curated_worlds, parse_world
from meeting_slot.instants import parse_day
from meeting_slot.pictures.columns import ASCII, UNICODE
from meeting_slot.pictures.terminal import timeline_lines
from meeting_slot.pictures.timeline import timeline
from meeting_slot.world import World
from tests import oracle
from tests.conftest import (
    ANSWER,
    COMMAND_LINE,
    SECONDS,
    Command,
    a_world,
    process,
    unprintable,
    write,
)
from tests.strategies import worlds, worlds_drawn
from tests.world_objects import attendee_object, names, world_object

WRONG = "2024-03-11T14:00:00Z"
ESCAPE = "\x1b"
PICTURE = """\
w
30 minutes for 2 attendees, to start on 2024-03-08 to 2024-03-11 UTC
wrong: 2024-03-11T14:00:00Z
  everyone is free then, but there is an earlier start
  the right answer is 2024-03-11T13:00:00Z

█ free  ▂▄▆ partly free  ▒ busy  · outside hours  ─ day off  ━ valid start
╷ local midnight  ◆ offset change

Overview, a column is 96 minutes
UTC       ╷Fri 03-08     ╷Sat 03-09     ╷Sun 03-10     ╷Mon 03-11

Ava  America/New_York  09:00-17:00 Mon-Fri
Thu 19:00    ╷Fri 03-08     ╷Sat 03-09     ╷◆UTC-04:00   ╷Mon 03-11    Mon 20:00
UTC-05:00 ·········▒▒▒▒▒····─────────────────────────────······▆████▂· UTC-04:00

Farid  Europe/London  09:00-17:00 Mon-Fri
Fri 00:00                ╷Sat 03-09     ╷Sun 03-10     ╷Mon 03-11      Mon 24:00
UTC+00:00 ······▒▒▒▒▒····──────────────────────────────·····▄████▄···· UTC+00:00

everyone                                                       ▆█▄
starts                                                         ━━━
                                   answer 2024-03-11T13:00:00Z ▲
                                 proposed 2024-03-11T14:00:00Z △

The hours around the answer, a column is 15 minutes
UTC       ╷06:00  ╷08:00  ╷10:00  ╷12:00  ╷14:00  ╷16:00  ╷18:00  ╷

Ava  America/New_York  09:00-17:00 Mon-Fri
Mon 02:00                                                              Mon 17:00
UTC-04:00 ····························████████████████████████████████ UTC-04:00

Farid  Europe/London  09:00-17:00 Mon-Fri
Mon 06:00                                                              Mon 21:00
UTC+00:00 ············████████████████████████████████················ UTC+00:00

everyone                              ████████████████
starts                                ━━━━━━━━━━━━━━━
                                      ▲ answer 2024-03-11T13:00:00Z
                                          △ proposed 2024-03-11T14:00:00Z

Offset changes
  America/New_York: UTC-05:00 -> UTC-04:00 at 2024-03-10 07:00Z, 02:00 -> 03:00

Valid starts
  2024-03-11T13:00:00Z to 2024-03-11T16:30:00Z
"""


@pytest.fixture(autouse=True)
def _no_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Return a file with the sample world."""
    return write(tmp_path / "world.json", a_world(id="w"))


# The picture


def test_a_wrong_answer_is_drawn_beside_the_right_one(command: Command, world: Path) -> None:
    assert command("show", world, WRONG) == (1, PICTURE, "")


def test_without_an_answer_or_with_the_right_one_all_is_well(command: Command, world: Path) -> None:
    plain, right = command("show", world), command("show", world, "2024-03-11 09:00-04:00")
    assert (plain.status, right.status) == (0, 0)
    assert f"\nanswer: {ANSWER}\n" in plain.out
    assert f"\ncorrect: {ANSWER}\n" in right.out
    assert "proposed" not in plain.out + right.out


def lines_of(world: World, width: int, proposed: str | None = None) -> list[str]:
    return [line.plain for line in timeline_lines(timeline(world, proposed), width)]


@given(worlds(most_attendees=3, most_days=8), st.sampled_from([80, 101, 200]), st.data())
@worlds_drawn(30, 500)
def test_each_column_says_what_the_oracle_says_of_its_minutes(
    row: oracle.World, width: int, data: st.DataObject
) -> None:
    around = data.draw(st.none() | st.sampled_from(oracle.window(row)))
    drawn = timeline(parse_world(row), around=around)
    lines = [line.plain for line in timeline_lines(drawn, width)]
    begin = next(i for i, line in enumerate(lines) if line.startswith("Overview"))
    number, unit = re.fullmatch(
        r"Overview, a column is (one|\d+) (minute|hour|day)s?", lines[begin]
    ).groups()  # type: ignore[union-attr]
    length = {"minute": 1, "hour": 60, "day": 1440}[unit] * (1 if number == "one" else int(number))
    bars = [line[10:] for line in lines[begin:] if re.match(r"UTC[+-]", line)]
    first = drawn.start // length
    columns = -(-drawn.end // length) - first
    for attendee, bar in zip(row["attendees"], bars, strict=False):
        for column in range(columns):
            low = max(drawn.start, (first + column) * length)
            high = min(drawn.end, (first + column + 1) * length)
            causes = [oracle.cause(attendee, u) for u in range(low, high)]
            free = causes.count(None)
            if free == len(causes):
                assert bar[column] == "█"
            elif free:
                assert bar[column] == "▂▄▆"[3 * free // len(causes)]
            else:
                most = {sign: causes.count(cause) for sign, cause in _SIGNS}  # type: ignore[arg-type]
                assert most[bar[column]] == max(most.values())


_SIGNS = (("▒", "busy"), ("·", "outside hours"), ("─", "day off"))


@given(st.lists(names, min_size=1, max_size=4, unique_by=str.casefold), st.integers(60, 220))
def test_no_line_is_wider_than_the_terminal(cast: list[str], width: int) -> None:
    attendees = [
        attendee_object(f"{i} {name}"[:64].strip(), "Asia/Kathmandu") for i, name in enumerate(cast)
    ]
    world = parse_world(world_object(*attendees, window_days=9))
    lines = lines_of(world, width, "2024-03-12T00:00:00Z")
    assert all(cell_len(line) <= width for line in lines)
    assert not any(map(unprintable, lines))


@pytest.mark.parametrize("width", [60, 80, 132, 200])
@pytest.mark.parametrize("world", curated_worlds(), ids=lambda world: world.id)
def test_the_answer_is_whole_at_any_width(world: World, width: int) -> None:
    drawn = timeline(world, "1999-01-01T00:00:00Z")
    lines = lines_of(world, width, "1999-01-01T00:00:00Z")
    answer = "NONE" if drawn.answer is None else oracle.instant_text(drawn.answer)
    assert sum(answer in line for line in lines) >= 2
    assert any("proposed 1999-01-01T00:00:00Z, before this" in line for line in lines)
    assert all(cell_len(line) <= width for line in lines)


def test_a_block_in_a_repeated_hour_is_drawn_twice() -> None:
    """New York's 01:15-01:45 is 05:15Z, and again 06:15Z; at 06:00Z clocks go back to 01:00.

    A column is 10 minutes: 05:10-05:20 is half free.
    """
    ava = attendee_object(
        "Ava", "America/New_York", "01:00-03:00", tuple(range(7)), {"2024-11-03": "01:15-01:45"}
    )
    world = parse_world(world_object(ava, window_start="2024-11-03"))
    change = 1440 * parse_day("2024-11-03") + 6 * 60
    lines = [line.plain for line in timeline_lines(timeline(world, around=change, hours=3), 80)]
    assert any("Overview, a column is 10 minutes" in line for line in lines)
    bar = next(line for line in lines if line.startswith("UTC-"))
    assert bar.strip("UTC-+0123456789: ·") == "█▄▒▒▄██▄▒▒▄███████"
    ruler = lines[lines.index(bar) - 1]
    assert ruler.index("◆UTC-05:00") == 10 + 18  # three hours after the start
    assert (
        "  America/New_York: UTC-04:00 -> UTC-05:00 at 2024-11-03 06:00Z, 02:00 -> 01:00" in lines
    )


def test_a_date_that_was_skipped_is_not_named() -> None:
    sina = attendee_object("Sina", "Pacific/Apia")
    world = parse_world(world_object(sina, window_start="2011-12-29", window_days=3))
    ruler = next(line for line in lines_of(world, 100) if "◆UTC+14:00" in line)
    assert re.findall(r"\d\d-\d\d", ruler) == ["12-29", "01-01"]


def test_many_attendees_are_cut_with_a_word() -> None:
    cast = [attendee_object(f"Person {i}") for i in range(50)]
    lines = lines_of(parse_world(world_object(*cast)), 80)
    assert "The first 40 of 50 attendees are drawn." in lines
    assert any(line.startswith("Person 39 ") for line in lines)
    assert not any(line.startswith("Person 40 ") for line in lines)


# Where it is printed


def test_a_pipe_gets_plain_text_of_80_columns(world: Path) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "FORCE_COLOR")}
    run = process("show", world, WRONG, env=environment)
    assert (run.status, run.out, run.err) == (1, PICTURE, "")


@pytest.mark.parametrize("width", [80, 200])
def test_columns_and_the_option_set_the_width(
    command: Command, world: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    by_option = command("show", world, "--width", str(width)).out
    monkeypatch.setenv("COLUMNS", str(width))
    assert command("show", world).out == by_option
    assert max(map(cell_len, by_option.splitlines())) <= width
    assert width - 30 < max(map(cell_len, by_option.splitlines()))


def on_a_terminal(columns: int, *arguments: str, **environment: str) -> str:
    """Return what the command writes to a real terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "CI")}
    with subprocess.Popen(
        [*COMMAND_LINE, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=kept | {"TERM": "xterm-256color"} | environment,
    ) as running:
        os.close(theirs)
        written = b""
        while True:
            try:
                piece = os.read(ours, 1 << 16)
            except OSError:  # the terminal's other end has been closed
                break
            if not piece:
                break
            written += piece
        running.wait(SECONDS)
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_unless_it_wants_none(world: Path) -> None:
    coloured = on_a_terminal(80, "show", str(world), WRONG)
    assert f"{ESCAPE}[32m" in coloured
    assert re.sub(rf"{ESCAPE}\[[\d;]*m", "", coloured) == PICTURE
    plain = on_a_terminal(80, "show", str(world), WRONG, NO_COLOR="1")
    styles = re.findall(rf"{ESCAPE}\[([\d;]*)m", plain)
    assert not {code for style in styles for code in style.split(";")} - {"", "0", "1"}
    assert re.sub(rf"{ESCAPE}\[[\d;]*m", "", plain) == PICTURE


def test_a_terminal_s_width_is_used(world: Path) -> None:
    shown = re.sub(rf"{ESCAPE}\[[\d;]*m", "", on_a_terminal(200, "show", str(world)))
    assert 150 < max(map(cell_len, shown.splitlines())) <= 200


def test_where_there_is_no_unicode_there_are_letters(world: Path) -> None:
    run = process("show", world, WRONG, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (run.status, run.err) == (1, "")
    assert run.out.isascii()
    shown = PICTURE
    for sign, letter in zip(
        [*UNICODE.shades.values(), *UNICODE[2:]], [*ASCII.shades.values(), *ASCII[2:]], strict=True
    ):
        shown = shown.replace(sign, letter)
    assert run.out == re.sub("[▂▆▄]", "+", shown.replace("▂▄▆", "+"))


def test_control_characters_of_a_world_are_escaped(command: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "world.json", a_world(id="x", answer=f"{ESCAPE}[31m2024"))
    run = command("show", path)
    assert not unprintable(run.out + run.err)


# Which world, whom, and when


def test_one_of_several_worlds_is_picked_by_its_id(command: Command, tmp_path: Path) -> None:
    other = a_world(id="v")
    other["request"]["duration_minutes"] = 45
    path = write(tmp_path / "split.jsonl", a_world(id="w"), other)
    assert command("show", path, "--id", "v").out.startswith("v\n45 minutes")
    assert command("show", path, "--id", "w", WRONG).out == PICTURE
    run = command("show", path)
    assert run.error_line() == (
        f"meeting-slot: error: {path}: expected one world, got several; --id picks one"
    )
    missing = command("show", path, "--id", "u")
    assert (missing.status, missing.out) == (2, "")
    assert missing.error_line().endswith('no world has the id "u"')


def test_shipped_splits_and_standard_input_are_read(command: Command, world: Path) -> None:
    assert command("show", "-", WRONG, stdin=world.read_bytes()).out == PICTURE
    shown = command("show", "core-v1", "--id", first_of("core-v1"))
    assert shown.status == 0


def first_of(split: str) -> str:
    from meeting_slot import named_split

    return next(named_split(split)).id


def test_attendees_can_be_picked(command: Command, world: Path) -> None:
    out = command("show", world, "--attendee", "farid").out
    assert "Farid  Europe/London" in out
    assert "Ava" not in out
    assert "1 of 2 attendees are drawn." in out
    assert f"answer: {ANSWER}" in out  # everybody's, not Farid's
    run = command("show", world, "--attendee", "Zoe")
    assert run.status == 2
    assert run.error_line() == (
        'meeting-slot: error: there is no attendee "Zoe"; the attendees are Ava, Farid'
    )


@pytest.mark.parametrize("around", [ANSWER, "answer", "ANSWER"])
def test_the_hours_around_an_instant_are_shown(command: Command, world: Path, around: str) -> None:
    """18 hours before 13:00Z on Monday it is 15:00 on Sunday in New York, at UTC-4 already."""
    out = command("show", world, "--around", around).out
    assert re.search(r"^Sun 15:00 .* Mon 20:00$", out, re.MULTILINE)
    assert "Offset changes" not in out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--around", "NONE"], "NONE is no instant"),
        (["--around", "2030-01-01T00:00Z"], "2030-01-01T00:00:00Z cannot be looked at"),
        (["--around", "soon"], 'answer "soon" is neither an instant'),
        (["soon"], 'answer "soon" is neither an instant'),
        (["--width", "10"], "10 is not in the range"),
        (["--svg", "/nonexistent/x.svg"], "/nonexistent/x.svg: cannot be written"),
        (["--html", "/nonexistent/x.html"], "/nonexistent/x.html: cannot be written"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    command: Command, world: Path, arguments: list[str], problem: str
) -> None:
    run = command("show", world, *arguments)
    assert (run.status, run.out) == (2, "")
    assert problem in run.error_line()


def test_none_has_no_hours_around_it(command: Command, tmp_path: Path) -> None:
    busy = attendee_object("Ava", busy={"2024-03-11": "09:00-17:00"})
    path = write(tmp_path / "world.json", world_object(busy))
    run = command("show", path, "--around", "ANSWER")
    assert run.status == 2
    assert run.error_line().endswith("around the answer: it is NONE")


def test_a_wrong_record_is_told(command: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "world.json", a_world(id="w", answer=WRONG))
    run = command("show", path)
    assert run.status == 0
    assert run.error_line().startswith(f"warning: w: the recorded answer {WRONG} is wrong")


# Files


def test_files_are_written_and_nothing_is_printed(
    command: Command, world: Path, tmp_path: Path
) -> None:
    svg, html = tmp_path / "x.svg", tmp_path / "x.html"
    svg.write_text("<svg old", encoding="utf-8")
    run = command("show", world, WRONG, "--svg", svg, "--html", html)
    assert run == (1, "", "")
    assert ElementTree.fromstring(svg.read_text(encoding="utf-8")).tag.endswith("svg")
    page = html.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert f"wrong: {WRONG}" in page
    assert sorted(path.name for path in tmp_path.iterdir()) == ["world.json", "x.html", "x.svg"]


@pytest.mark.parametrize("option", ["--svg", "--html"])
@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_without_the_extra_one_line_says_what_to_install(
    command: Command,
    world: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    missing: str,
) -> None:
    from meeting_slot.pictures import page

    page._library.cache_clear()
    monkeypatch.setitem(sys.modules, missing, None)
    run = command("show", world, option, tmp_path / "x")
    assert (run.status, run.out) == (2, "")
    assert run.error_line().endswith("pip install 'meeting-slot[report]'")
    assert not (tmp_path / "x").exists()


def test_the_terminal_needs_no_chart_library(world: Path) -> None:
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
        + COMMAND_LINE[-1]
    )
    run = process("show", world, command_line=(sys.executable, "-c", code))
    imported = {name.partition(".")[0] for name in run.err.split()}
    assert "rich" in imported
    assert not imported & {"altair", "vl_convert", "jinja2", "statsmodels", "ortools", "verifiers"}
