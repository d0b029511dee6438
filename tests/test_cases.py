"""The handed cases on the command line: worlds with a known answer, and inputs to be refused."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command

CASES = Path(__file__).parent / "cases"


def rows(name: str) -> list[dict[str, Any]]:
    """Return the cases of one file."""
    text = (CASES / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def by_id(cases: list[dict[str, Any]]) -> list[Any]:
    """Return cases as parameters that are named by their id."""
    return [pytest.param(case, id=case["id"]) for case in cases]


EDGE_CASES = rows("edge_cases.jsonl")
BUG_REPORTS = rows("bug_reports.jsonl")
BAD_INPUTS = rows("bad_inputs.jsonl")


@pytest.mark.parametrize(
    ("cases", "count"), [(EDGE_CASES, 15), (BUG_REPORTS, 41), (BAD_INPUTS, 50)]
)
def test_no_case_was_lost(cases: list[dict[str, Any]], count: int) -> None:
    assert len({case["id"] for case in cases}) == count


def check_answer(case: dict[str, Any], command: Command, folder: Path) -> None:
    """Solve a case's world, verify the right answer, and the wrong one if the case has one."""
    path = folder / "world.json"
    path.write_text(json.dumps(case["world"]), encoding="utf-8")
    status, out, _ = command("solve", path, "--json")
    assert (status, json.loads(out)["answer"]) == (0, case["answer"])
    assert command("verify", path, case["answer"]).status == 0
    if case["wrong"] is not None:
        status, out, _ = command("verify", path, case["wrong"])
        assert status == 1
        assert out.startswith("wrong: ")
        assert f"the right answer is {case['answer']}" in out


@pytest.mark.parametrize("case", by_id(EDGE_CASES))
def test_edge_case_is_solved_and_verified(
    case: dict[str, Any], command: Command, tmp_path: Path
) -> None:
    check_answer(case, command, tmp_path)


@pytest.mark.parametrize("case", by_id(BUG_REPORTS))
def test_reported_bug_is_not_repeated(
    case: dict[str, Any], command: Command, tmp_path: Path
) -> None:
    check_answer(case, command, tmp_path)


ANA = {
    "name": "Ana",
    "timezone": "Europe/Rome",
    "working_hours": {"start": "09:00", "end": "17:00", "weekdays": [0, 1, 2, 3, 4]},
    "busy": {},
}
GOOD = json.dumps(
    {
        "request": {"duration_minutes": 30, "window_start": "2025-06-02", "window_days": 3},
        "attendees": [ANA],
    }
)


def many_attendees() -> str:
    """Return the world with 200,000 attendees."""
    ana = json.dumps(ANA)
    assert GOOD.count(ana) == 1
    return GOOD.replace(ana, ",".join(ana.replace("Ana", f"P{i}") for i in range(200_000)))


def symlink_loop(path: Path) -> None:
    """Make two links that point to each other."""
    other = path.with_suffix(".other")
    path.symlink_to(other)
    other.symlink_to(path)


MADE_TEXTS: dict[str, Callable[[], str]] = {
    "deep-nesting": lambda: "[" * 100_000 + "]" * 100_000,
    "huge-integer": lambda: GOOD.replace(": 30", ": " + "9" * 5000),
    "huge-file": lambda: GOOD + " " * 100_000_000,
    "name-huge": lambda: GOOD.replace("Ana", "A" * 10_000_000),
    "many-attendees": many_attendees,
}
MADE_PATHS: dict[str, Callable[[Path], None]] = {
    "missing-file": lambda path: None,
    "directory": Path.mkdir,
    "symlink-loop": symlink_loop,
}


def make(case_id: str, path: Path) -> None:
    """Make the input of a case that is a recipe, not a text."""
    if case_id in MADE_PATHS:
        MADE_PATHS[case_id](path)
    else:
        path.write_text(MADE_TEXTS[case_id](), encoding="utf-8")


def leaf(field: str) -> str:
    """Return the last name of a field's path: `duration_minutes`, or a date."""
    return field.replace('"', "").replace("]", "").split(".")[-1].split("[")[0]


@pytest.mark.parametrize("case", by_id(BAD_INPUTS))
def test_bad_input_is_refused_in_one_line_that_names_file_and_field(
    case: dict[str, Any], command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "input.json"
    if "make" in case:
        make(case["id"], path)
    elif "raw_base64" in case:
        path.write_bytes(base64.b64decode(case["raw_base64"]))
    else:
        path.write_bytes(case["raw"].encode("utf-8", "surrogatepass"))
    run = command("solve", path)
    expect = case["expect"]
    if expect["accept"]:
        assert run.status == 0
        return
    assert (run.status, run.out) == (2, "")
    line = run.error_line()
    assert len(line) < 300 + len(str(path))
    assert f"{path}: " in line
    syntax = expect["error"] == "bad_json" or case["id"] == "huge-integer"
    field = leaf(expect["field"])
    if syntax:
        assert "line 1, column" in line
    elif field[:1].isalpha():
        assert field in line
    if "must_not_print" in case:
        assert case["must_not_print"] not in run.out + run.err


@pytest.mark.parametrize("case_id", ["deep-nesting", "huge-file", "many-attendees", "directory"])
def test_hostile_input_is_refused_in_one_line_that_names_the_file(
    case_id: str, command: Command, tmp_path: Path
) -> None:
    path = tmp_path / "input.json"
    make(case_id, path)
    run = command("solve", path)
    assert (run.status, run.out) == (2, "")
    assert f"{path}: " in run.error_line()
