"""World files, splits and files of answers: what is read, what is refused, and where it stands."""

import io
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st

from meeting_slot import FileError, files, read_answers, read_world, read_worlds
from meeting_slot.files import worlds_in
from tests.conftest import ANSWER, a_world, process, unprintable, write

MARK = b"\xef\xbb\xbf"
LINE = json.dumps(a_world())
PRETTY = json.dumps(a_world(), indent=2)
ROWS = [json.dumps(a_world(id=f"w{i}")) for i in range(3)]


def ids(path: Path) -> list[str]:
    """Return the ids of the worlds of a file."""
    return [world.id for world in read_worlds(str(path))]


def refusal(path: Path) -> str:
    """Return what is said of a file that is refused, after its name, on one printable line."""
    with pytest.raises(FileError) as refused:
        list(read_worlds(str(path)))
    message = str(refused.value)
    assert len(message.splitlines()) == 1
    assert not unprintable(message)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a file to be written."""
    return tmp_path / "worlds.json"


# One document, or one world a line


@pytest.mark.parametrize(
    "text",
    [
        LINE,
        LINE + "\n",
        LINE + "\r\n",
        LINE + "\n\n  \n\t\n",
        "\n \n" + LINE + "\n",
        PRETTY,
        PRETTY + "\n\n",
        "\n\n" + PRETTY,
        PRETTY.replace("\n", "\r\n"),
        "{\n" + LINE[1:],
        LINE[:-1] + "\n}",
    ],
    ids=[
        "line",
        "line ended",
        "CRLF",
        "blank lines after",
        "blank lines before",
        "pretty",
        "pretty, blank lines after",
        "pretty, blank lines before",
        "pretty, CRLF",
        "broken after the first brace",
        "broken before the last brace",
    ],
)
@pytest.mark.parametrize("mark", [b"", MARK], ids=["", "byte-order mark"])
def test_one_document_is_one_world(path: Path, text: str, mark: bytes) -> None:
    path.write_bytes(mark + text.encode())
    assert len(ids(path)) == 1
    assert read_world(str(path)).to_json()["attendees"] == a_world()["attendees"]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(ROWS),
        "\n".join(ROWS) + "\n",
        "\r\n".join(ROWS) + "\r\n",
        "\n\n".join(ROWS) + "\n\n",
        "\n \n" + " \n\t\n".join(ROWS),
        "".join(f"  {row}  \n" for row in ROWS),
    ],
    ids=["", "last line ended", "CRLF", "blank lines", "blank first line", "indented"],
)
@pytest.mark.parametrize("mark", [b"", MARK], ids=["", "byte-order mark"])
def test_split_has_a_world_a_line(path: Path, text: str, mark: bytes) -> None:
    path.write_bytes(mark + text.encode())
    assert ids(path) == ["w0", "w1", "w2"]


def test_text_that_is_not_ascii_is_read_as_utf_8(path: Path) -> None:
    world = a_world(id="Zoë 漢 😀")
    path.write_text(json.dumps(world, ensure_ascii=False), encoding="utf-8")
    assert ids(path) == ["Zoë 漢 😀"]


@pytest.mark.parametrize("content", [b"", b"\n", b" \r\n\t\n", MARK, MARK + b"\n"])
def test_file_without_content_is_called_empty(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert refusal(path) == ": the file is empty"


def test_one_world_is_not_a_split(path: Path) -> None:
    write(path, a_world(id="w0"), a_world(id="w1"))
    with pytest.raises(FileError) as refused:
        read_world(str(path))
    assert str(refused.value) == f"{path}: expected one world, got several"


def test_worlds_are_read_one_at_a_time(path: Path) -> None:
    path.write_text("\n".join([*ROWS, "{"]), encoding="utf-8")
    worlds = read_worlds(str(path))
    assert [next(worlds).id for _ in ROWS] == ["w0", "w1", "w2"]
    with pytest.raises(FileError, match=":4: not valid JSON"):
        next(worlds)


# Where an error stands


def test_error_in_a_split_names_its_line(path: Path) -> None:
    path.write_text(f"{LINE}\n{LINE[:-1]}\n", encoding="utf-8")
    assert refusal(path).startswith(f":2: not valid JSON at line 1, column {len(LINE) - 1}: ")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blank_lines_keep_the_line_numbers(path: Path, end: str) -> None:
    bad = json.dumps(a_world(request=None))
    path.write_text(end.join(["", ROWS[0], "", "  ", ROWS[1], "", bad]), newline="")
    assert refusal(path) == ":7: request: expected an object, got null"


def test_error_in_the_first_line_of_a_split_names_it(path: Path) -> None:
    path.write_text("\n".join([json.dumps(a_world(request=None)), *ROWS]), encoding="utf-8")
    assert refusal(path) == ":1: request: expected an object, got null"


def test_error_in_a_document_names_no_line_of_a_split(path: Path) -> None:
    path.write_text(json.dumps(a_world(request=None), indent=2), encoding="utf-8")
    assert refusal(path) == ": request: expected an object, got null"


@pytest.mark.parametrize("before", ["", "\n", "\n\n \n"])
def test_syntax_error_in_a_document_has_line_and_column(path: Path, before: str) -> None:
    path.write_text(before + '{\n  "request": {},\n  "attendees": [1, x]\n}\n', encoding="utf-8")
    line = 3 + before.count("\n")
    assert refusal(path).startswith(f": not valid JSON at line {line}, column 20: ")


def test_text_after_a_world_is_refused(path: Path) -> None:
    path.write_text(LINE + " {}", encoding="utf-8")
    assert refusal(path).startswith(f": not valid JSON at line 1, column {len(LINE) + 2}: ")


@pytest.mark.parametrize("mark", [b"", MARK], ids=["", "byte-order mark"])
@pytest.mark.parametrize("before", [b"", b"\n", b" \r\n"])
def test_text_that_is_not_utf_8_is_refused_with_the_byte(
    path: Path, mark: bytes, before: bytes
) -> None:
    content = mark + before + b'{"request": {},\n "attendees": "\xe9"}'
    path.write_bytes(content)
    assert refusal(path) == f": not UTF-8 text, at byte {content.index(0xE9)}"


def test_line_of_a_split_that_is_not_utf_8_is_refused_with_its_byte(path: Path) -> None:
    path.write_bytes(f"{ROWS[0]}\n".encode() + b'{"id": "\xe9"}\n')
    assert refusal(path) == ":2: not UTF-8 text, at byte 8"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_refused(path: Path, encoding: str) -> None:
    path.write_bytes(PRETTY.encode(encoding))
    assert refusal(path).startswith((": not UTF-8 text, at byte 0", ": not valid JSON at line 1"))


def test_byte_order_mark_inside_a_file_is_refused(path: Path) -> None:
    path.write_bytes(ROWS[0].encode() + b"\n" + MARK + ROWS[1].encode())
    assert refusal(path).startswith(":2: not valid JSON at line 1, column 1: ")


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("rows", [[], ROWS], ids=["document", "split"])
def test_nan_and_infinity_are_refused(path: Path, literal: str, rows: list[str]) -> None:
    bad = LINE.replace('"duration_minutes": 30', f'"duration_minutes": {literal}')
    path.write_text("\n".join([*rows, bad]), encoding="utf-8")
    place = ":4" if rows else ""
    assert refusal(path).startswith(f"{place}: not valid JSON at line 1, column ")


@pytest.mark.parametrize(
    "bad",
    [
        '{"id": "a\tb"}',
        '{"id": "\\ud800"}',
        '{"id": "\\x41"}',
        "{'id': 1}",
        '{"id": 01}',
        '{"id": +1}',
        '{"id": .5}',
        '{"id": 1,}',
        '{"id": [1,]}',
        '{"id": tru}',
        '{"id" 1}',
        "{id: 1}",
        '{"id": 1} // comment',
        '{"id": \u0661}',
    ],
)
def test_json_is_strict(path: Path, bad: str) -> None:
    path.write_text(f"{ROWS[0]}\n{bad}\n", encoding="utf-8")
    assert refusal(path).startswith(":2: not valid JSON at line 1, column ")


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"meta": [{"a":'])
@pytest.mark.parametrize("rows", [[], ROWS[:1]], ids=["document", "split"])
def test_deep_nesting_is_refused(path: Path, opening: str, rows: list[str]) -> None:
    path.write_text("\n".join([*rows, opening * 100_000]), encoding="utf-8")
    place = ":2" if rows else ""
    assert refusal(path).startswith(f"{place}: not valid JSON at line 1, column ")


@pytest.mark.parametrize("value", ["null", "7", '"world"', "[]", "true"])
def test_line_that_is_no_object_is_refused(path: Path, value: str) -> None:
    path.write_text(f"{ROWS[0]}\n{value}\n", encoding="utf-8")
    assert refusal(path).startswith(":2: expected a world object, got ")


# Repeated keys and ids


def repeated(place: str) -> str:
    """Return the sample world with one key given twice, as JSON text."""
    find, replacement = {
        "request": ('"attendees":', '"request": {}, "attendees":'),
        "request.window_days": ('"window_days": 4', '"window_days": 4, "window_days": 5'),
        "attendees[1].name": ('"name": "Farid"', '"name": "Farid", "name": "Farid"'),
        "attendees[0].working_hours.end": ('"end": "17:00", "w', '"end": "17:00", "end": "", "w'),
        'attendees[0].busy["2024-03-08"]': ('"busy": {', '"busy": {"2024-03-08": [], '),
        'attendees[0].busy["2024-03-08"][0].start': ('[{"start"', '[{"start": "08:00", "start"'),
        'meta.a[1]["b c"]': ('"request":', '"meta": {"a": [0, {"b c": 1, "b c": 2}]}, "request":'),
        "meta.a": ('"request":', '"meta": {"a": 1, "\\u0061": 2}, "request":'),
    }[place]
    assert find in LINE
    return LINE.replace(find, replacement, 1)


REPEATED = [
    "request",
    "request.window_days",
    "attendees[1].name",
    "attendees[0].working_hours.end",
    'attendees[0].busy["2024-03-08"]',
    'attendees[0].busy["2024-03-08"][0].start',
    'meta.a[1]["b c"]',
    "meta.a",
]


@pytest.mark.parametrize("place", REPEATED)
@pytest.mark.parametrize("rows", [[], ROWS[:2]], ids=["document", "split"])
def test_repeated_key_is_refused_with_its_path(path: Path, place: str, rows: list[str]) -> None:
    path.write_text("\n".join([*rows, repeated(place)]), encoding="utf-8")
    line = ":3" if rows else ""
    assert refusal(path) == f"{line}: {place}: the key is given twice"


@pytest.mark.parametrize(
    "text",
    [
        '{"id": 1, "id": 2',
        '{"id": 1, "id": 2, "x": tru}',
        '{"id": 1, "id": 2, "x": NaN}',
        '{"id": 1, "id": 2, "x": ' + "9" * 5000 + "}",
        '{"id": 1, "id": 2, "x": ' + "[" * 100_000,
        '{"id": 1, "id": 2, "x": "\\ud800"}',
        '{"id": 1, "id": 2} {}',
    ],
    ids=lambda text: ascii(text)[:40],
)
def test_repeated_key_before_another_fault_is_refused(path: Path, text: str) -> None:
    path.write_text(f"{ROWS[0]}\n{text}", encoding="utf-8")
    assert refusal(path).startswith(":2: ")


def test_repeated_key_with_a_hostile_path_is_refused_in_a_short_line(path: Path) -> None:
    opening = '{"' + "key\\u202e " * 10 + '":'
    text = opening * 150 + '{"a": 1, "a": 2}' + "}" * 150
    path.write_text(f"{ROWS[0]}\n{text}", encoding="utf-8")
    assert len(refusal(path)) < 300


def test_id_used_before_is_refused_with_both_lines(path: Path) -> None:
    write(path, a_world(id="x"), a_world(id="y"), a_world(id="x"))
    assert refusal(path) == f':3: id: "x" was used before, in {path}:1'


def test_the_same_world_twice_is_refused_as_it_has_one_id(path: Path) -> None:
    write(path, a_world(), a_world(answer=ANSWER))
    assert refusal(path).startswith(':2: id: "')


# Answers


def test_answers_are_read_by_id_as_they_were_written(path: Path) -> None:
    write(path, {"id": "a", "answer": "none"}, {"answer": "2024-03-11 13:00", "id": "b"})
    assert read_answers(str(path)) == {"a": "none", "b": "2024-03-11 13:00"}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "a", "answer": "NONE"}, 'id: "a" was used before, in {path}:1'),
        ({"id": "b"}, "answer: required, but missing"),
        (
            {"id": "b", "answer": "soon"},
            'answer: answer "soon" is neither an instant such as 2024-03-11T13:00:00Z nor NONE',
        ),
    ],
)
def test_answer_row_that_is_not_usable_is_refused(path: Path, row: object, said: str) -> None:
    write(path, {"id": "a", "answer": "none"}, row)
    with pytest.raises(FileError) as refused:
        read_answers(str(path))
    assert str(refused.value) == f"{path}:2: {said.format(path=path)}"


# Length


def test_world_or_line_longer_than_the_limit_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", len(PRETTY))
    path.write_text(PRETTY, encoding="utf-8")
    assert len(ids(path)) == 1
    path.write_text(PRETTY + " ", encoding="utf-8")
    assert "longer than" in refusal(path)
    path.write_text(f"{ROWS[0]}\n{ROWS[1]}{' ' * len(PRETTY)}", encoding="utf-8")
    assert refusal(path).startswith(":2: ")
    path.write_text("\n".join(json.dumps(a_world(id=f"w{i}")) for i in range(9)), encoding="utf-8")
    assert len(ids(path)) == 9  # the limit is one of a line, not of the split


# Pipes, devices and names


@pytest.fixture
def standard_input(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that sets what standard input holds."""

    def put(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


def test_minus_reads_standard_input(standard_input: Any) -> None:
    standard_input(MARK + "\n".join(ROWS).encode())
    assert [world.id for world in read_worlds("-")] == ["w0", "w1", "w2"]


def test_error_in_standard_input_names_it(standard_input: Any) -> None:
    standard_input(f"{ROWS[0]}\n{{}}".encode())
    with pytest.raises(FileError) as refused:
        list(read_worlds("-"))
    assert str(refused.value) == "standard input:2: request: required, but missing"


def test_closed_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(FileError, match=r"^standard input: "):
        list(read_worlds("-"))


def test_standard_input_that_cannot_be_read_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with (tmp_path / "out").open("w") as write_only:
        monkeypatch.setattr(sys, "stdin", write_only)
        with pytest.raises(FileError, match=r"^standard input: "):
            list(read_worlds("-"))


@contextmanager
def written(fifo: Path, *pieces: str, pause: float = 0) -> Iterator[None]:
    """Make a fifo into which another thread writes the pieces, with a pause before each."""
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)  # without it, opening to write would wait
    writer = os.open(fifo, os.O_WRONLY)

    def write_all() -> None:
        with os.fdopen(writer, "w", encoding="utf-8") as file:
            for piece in pieces:
                time.sleep(pause)
                file.write(piece)
                file.flush()

    thread = threading.Thread(target=write_all)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        os.close(reader)


@pytest.mark.parametrize("count", [1, 300], ids=["one world", "more than a pipe holds"])
def test_fifo_with_a_writer_is_read(path: Path, count: int) -> None:
    rows = [json.dumps(a_world(id=f"w{i}")) + "\n" for i in range(count)]
    with written(path, *rows):
        assert ids(path) == [f"w{i}" for i in range(count)]


def test_fifo_whose_writer_is_slow_is_waited_for(path: Path) -> None:
    with written(path, PRETTY[:40], PRETTY[40:], pause=0.1):
        assert len(ids(path)) == 1


def test_fifo_that_ends_inside_a_world_is_refused(path: Path) -> None:
    with written(path, PRETTY[:40]):
        assert refusal(path).startswith(": not valid JSON at line ")


def test_fifo_without_a_writer_is_refused_at_once(path: Path) -> None:
    os.mkfifo(path)
    run = process("solve", path)
    assert run.status == 2
    assert f"{path}: nothing to read: the pipe has no writer" in run.error_line()


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_device_is_refused(device: str) -> None:
    assert refusal(Path(device)) == ": is a device; expected a file or a pipe"


def test_directory_is_refused(tmp_path: Path) -> None:
    assert "directory" in refusal(tmp_path)


def test_missing_file_is_refused(path: Path) -> None:
    assert refusal(path) == ": cannot be read: No such file or directory"


def test_standard_input_as_a_device_file_is_read_from_a_pipe() -> None:
    run = process("solve", "/dev/stdin", stdin="\n".join(ROWS).encode())
    assert (run.status, run.err) == (0, "")
    assert run.out == "".join(f"{ANSWER} w{i}\n" for i in range(3))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\nb.json", "a\\u000ab.json"),
        ("a\x1b[31mb.json", "a\\u001b[31mb.json"),
        ("a\u202eb.json", "a\\u202eb.json"),
        ("a\udcffb.json", "a\\udcffb.json"),  # the byte FF, as the file system's names carry it
    ],
)
def test_file_name_is_shown_escaped(tmp_path: Path, name: str, shown: str) -> None:
    (tmp_path / name).write_text("{}", encoding="utf-8")
    with pytest.raises(FileError) as refused:
        list(read_worlds(str(tmp_path / name)))
    assert str(refused.value) == f"{tmp_path}/{shown}: request: required, but missing"


@pytest.mark.parametrize("name", ["a\x00b", "\ud800"])
def test_name_that_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(FileError, match=": cannot be read: "):
        list(read_worlds(name))


# Whatever is in it

VALID_SPLIT = ("\n".join([PRETTY.replace("\n", ""), *ROWS]) + "\n").encode()
TOKENS = st.sampled_from(
    [
        *(b"{", b"}", b"[", b"]", b'"', b",", b":", b"\n", b"\\", b"\x00", b"\xff", b"-", b"1"),
        *(MARK, b"NaN", b"1e999", b"9" * 5000, b"[" * 300, b'"\\ud800"', b'"id":1,"id":2,'),
        b'{"a":{"b":1,"b":2}}\n',
    ]
)
EDITS = st.lists(
    st.tuples(st.integers(0, len(VALID_SPLIT)), st.integers(0, 4), TOKENS | st.binary(max_size=4)),
    min_size=1,
    max_size=4,
)


def check_any_bytes(content: bytes) -> None:
    """Check that bytes are worlds, or are refused in one printable line that names the file."""
    try:
        list(worlds_in(io.BytesIO(content), "split"))
        event("read")
    except FileError as error:
        event("refused")
        message = str(error)
        assert message.startswith("split:")
        assert len(message.splitlines()) == 1
        assert len(message) < 300
        assert not unprintable(message)


@settings(max_examples=1000, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=200))
@example(b"{")
@example(b'{"a":1,"a":2')
def test_random_bytes_raise_nothing_but_a_file_error(content: bytes) -> None:
    check_any_bytes(content)
    check_any_bytes(ROWS[0].encode() + b"\n" + content)


@settings(max_examples=2000, derandomize=True, suppress_health_check=list(HealthCheck))
@given(EDITS, st.integers(0, len(VALID_SPLIT)) | st.just(len(VALID_SPLIT)))
def test_damaged_split_raises_nothing_but_a_file_error(
    edits: list[tuple[int, int, bytes]], length: int
) -> None:
    content = VALID_SPLIT
    for at, removed, inserted in edits:
        content = content[:at] + inserted + content[at + removed :]
    check_any_bytes(content[:length])
    check_any_bytes(content)
