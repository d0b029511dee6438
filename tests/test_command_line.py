"""The commands: what they print, their exit status, and one line for every error."""

import importlib
import json
import os
import pkgutil
import re
import signal
import subprocess
import sys
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import pytest
import tzdata

import meeting_slot
import meeting_slot_cli
from meeting_slot import content_hash, curated_worlds, parse_world
from meeting_slot.schema import world_schema
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

COMMANDS = sorted(
    module.name
    for module in pkgutil.iter_modules(meeting_slot_cli.__path__)
    if hasattr(importlib.import_module(f"meeting_slot_cli.{module.name}"), "command")
)
CURATED = resources.files("meeting_slot").joinpath("data/curated.jsonl")
RELEASE = tzdata.IANA_VERSION
ID = content_hash(parse_world(a_world()))
LATER = "2024-03-11T13:30:00Z"
"""Valid in the sample world, but not the earliest."""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """Return a file with the sample world."""
    return write(tmp_path / "world.json", a_world())


@pytest.fixture
def split(tmp_path: Path) -> Path:
    """Return a file with three worlds w0, w1 and w2; their recorded answers are right."""
    return write(tmp_path / "split.jsonl", *[a_world(id=f"w{i}", answer=ANSWER) for i in range(3)])


def rows(out: str) -> list[dict[str, Any]]:
    """Return the JSON objects of an output that has one a line."""
    return [json.loads(line) for line in out.splitlines()]


# solve


def test_solve_prints_each_answer_and_id_in_order(
    command: Command, world: Path, split: Path
) -> None:
    run = command("solve", split, world)
    assert (run.status, run.err) == (0, "")
    assert run.out == "".join(f"{ANSWER} {name}\n" for name in ("w0", "w1", "w2", ID))


def test_solve_json_prints_one_object_a_line(command: Command, world: Path, split: Path) -> None:
    run = command("solve", "--json", world, split)
    assert (run.status, run.err) == (0, "")
    assert rows(run.out) == [{"id": name, "answer": ANSWER} for name in (ID, "w0", "w1", "w2")]


def test_solve_prints_none_where_there_is_no_start(command: Command, tmp_path: Path) -> None:
    request = a_world()["request"] | {"window_days": 3}  # Friday to Sunday
    path = write(tmp_path / "world.json", a_world(id="w", request=request))
    assert command("solve", path) == (0, "NONE w\n", "")
    assert rows(command("solve", path, "--json").out) == [{"id": "w", "answer": "NONE"}]


def test_minus_is_standard_input(command: Command) -> None:
    run = command("solve", "-", stdin=json.dumps(a_world(id="w")).encode())
    assert run == (0, f"{ANSWER} w\n", "")


def test_solve_prints_what_it_has_solved_before_an_error(command: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "split.jsonl", a_world(id="w0"), a_world(id="w1"), {})
    run = command("solve", path)
    assert (run.status, run.out) == (2, f"{ANSWER} w0\n{ANSWER} w1\n")
    assert run.error_line() == f"meeting-slot: error: {path}:3: request: required, but missing"


@pytest.mark.parametrize("recorded", [LATER, "NONE", "2024-03-11T13:00:30Z"])
@pytest.mark.parametrize("meta", [{}, {"meta": {}}, {"meta": {"iana": RELEASE}}], ids=str)
def test_solve_warns_in_one_line_of_a_wrong_recorded_answer(
    command: Command, tmp_path: Path, recorded: str, meta: dict[str, Any]
) -> None:
    path = write(tmp_path / "world.json", a_world(id="w", answer=recorded, **meta))
    run = command("solve", path)
    assert (run.status, run.out) == (0, f"{ANSWER} w\n")
    line = run.error_line()
    assert line.startswith("warning: w: ")
    assert recorded in line
    assert ANSWER in line


def test_solve_warns_of_a_record_of_another_release_with_both_releases(
    command: Command, tmp_path: Path
) -> None:
    path = write(tmp_path / "world.json", a_world(id="w", answer=LATER, meta={"iana": "1999z"}))
    run = command("solve", path, "--json")
    assert (run.status, rows(run.out)) == (0, [{"id": "w", "answer": ANSWER}])
    line = run.error_line()
    assert line.startswith("warning: w: ")
    for fact in (LATER, "1999z", RELEASE, ANSWER):
        assert fact in line


@pytest.mark.parametrize("recorded", [ANSWER, "2024-03-11 09:00-04:00", "`2024-03-11T13:00Z`"])
@pytest.mark.parametrize("release", [RELEASE, "1999z"])
def test_solve_is_silent_about_a_right_recorded_answer(
    command: Command, tmp_path: Path, recorded: str, release: str
) -> None:
    meta = {"iana": release}
    path = write(tmp_path / "world.json", a_world(id="w", answer=recorded, meta=meta))
    assert command("solve", path) == (0, f"{ANSWER} w\n", "")


# verify: one answer


@pytest.mark.parametrize(
    "answer",
    [
        ANSWER,
        "2024-03-11T13:00Z",
        "2024-03-11 13:00",
        "2024-03-11T09:00:00-04:00",
        "2024-03-11T18:45+0545",
        "2024-03-12T03:00:00.000+14:00",
        "`2024-03-11T13:00:00Z`",
        "  2024-03-11T13:00:00Z\n",
    ],
)
def test_right_answer_in_any_notation_is_correct(
    command: Command, world: Path, answer: str
) -> None:
    assert command("verify", world, answer) == (0, f"correct: {ANSWER} {ID}\n", "")
    run = command("verify", world, answer, "--json")
    assert (run.status, run.err) == (0, "")
    assert rows(run.out) == [
        {
            "id": ID,
            "proposed": answer,
            "correct": True,
            "answer": ANSWER,
            "reason": None,
            "policies": [],
        }
    ]


@pytest.mark.parametrize("answer", ["NONE", "none", "`None`"])
def test_none_in_any_case_is_the_answer_where_there_is_no_start(
    command: Command, tmp_path: Path, answer: str
) -> None:
    request = a_world()["request"] | {"window_days": 3}
    path = write(tmp_path / "world.json", a_world(id="w", request=request))
    assert command("verify", path, answer) == (0, "correct: NONE w\n", "")
    run = command("verify", path, ANSWER)
    assert run.status == 1
    assert "\n  the right answer is NONE\n" in run.out


WRONG = {
    "2024-03-11T12:00:00Z": [  # New York went to UTC-4 on the 10th
        "Ava works 09:00-17:00, not at 08:00",
        "    at Mon 2024-03-11 08:00 in America/New_York, UTC-04:00",
        "    which is 2024-03-11T12:00:00Z",
    ],
    "2024-03-11T16:45:00Z": [  # Farid's day ends in the middle of the meeting
        "Farid works 09:00-17:00, not at 17:00",
        "    at Mon 2024-03-11 17:00 in Europe/London, UTC+00:00",
        "    which is 2024-03-11T17:00:00Z",
    ],
    "2024-03-08T15:00:00Z": [
        "Ava is busy 09:00-17:00 on Fri 2024-03-08",
        "    at Fri 2024-03-08 10:00 in America/New_York, UTC-05:00",
        "    which is 2024-03-08T15:00:00Z",
        "Farid is busy 09:00-17:00 on Fri 2024-03-08",
        "    at Fri 2024-03-08 15:00 in Europe/London, UTC+00:00",
        "    which is 2024-03-08T15:00:00Z",
    ],
    "2024-03-11T03:45:00Z": [  # Sunday evening in New York
        "Ava has Sun 2024-03-10 off (works Mon Tue Wed Thu Fri)",
        "    at Sun 2024-03-10 23:45 in America/New_York, UTC-04:00",
        "    which is 2024-03-11T03:45:00Z",
        "Farid works 09:00-17:00, not at 03:45",
        "    at Mon 2024-03-11 03:45 in Europe/London, UTC+00:00",
        "    which is 2024-03-11T03:45:00Z",
    ],
    "2024-03-12T13:00:00Z": [
        "the start lies outside the window, which runs from 2024-03-08T00:00:00Z",
        "    to before 2024-03-12T00:00:00Z",
    ],
    LATER: ["everyone is free then, but there is an earlier start"],
    "NONE": ["there is a valid start"],
    "2024-03-11T13:00:01Z": [
        "a start is a whole minute; this one lies inside 2024-03-11T13:00:00Z"
    ],
    "2024-03-11T12:59:59.999999999Z": [
        "a start is a whole minute; this one lies inside 2024-03-11T12:59:00Z"
    ],
}


# The first day is booked out, so whoever looks at it alone finds nothing.
MISTAKES = {
    "NONE": [
        "it is the answer of someone who",
        "  - tries the window's first day only (first-day-only)",
        "  - answers NONE without a look (always-none)",
    ]
}


@pytest.mark.parametrize("answer", WRONG)
def test_wrong_answer_is_told_who_is_hit_when_by_what_and_what_is_right(
    command: Command, world: Path, answer: str
) -> None:
    facts = [*WRONG[answer], f"the right answer is {ANSWER}", *MISTAKES.get(answer, [])]
    out = "".join(f"{line}\n" for line in [f"wrong: {answer} {ID}", *(f"  {f}" for f in facts)])
    assert command("verify", world, answer) == (1, out, "")


def conflict(
    who: str, zone: str, at: str, local: str, offset: int, cause: str, block: list[str] | None
) -> dict[str, Any]:
    """Return a conflict as JSON, of somebody who works from 9 to 5 on weekdays."""
    return {
        "attendee": who,
        "timezone": zone,
        "at": at,
        "local": local,
        "offset_minutes": offset,
        "cause": cause,
        "block": block,
        "hours": ["09:00", "17:00"],
        "weekdays": [0, 1, 2, 3, 4],
    }


NEW_YORK = ("Ava", "America/New_York")
LONDON = ("Farid", "Europe/London")
DAY = ["09:00", "17:00"]
REASONS: dict[str, dict[str, Any]] = {
    "2024-03-11T12:00:00Z": {
        "kind": "conflicts",
        "start": "2024-03-11T12:00:00Z",
        "conflicts": [
            conflict(
                *NEW_YORK, "2024-03-11T12:00:00Z", "2024-03-11T08:00", -240, "outside hours", None
            )
        ],
    },
    "2024-03-11T16:45:00Z": {
        "kind": "conflicts",
        "start": "2024-03-11T16:45:00Z",
        "conflicts": [
            conflict(*LONDON, "2024-03-11T17:00:00Z", "2024-03-11T17:00", 0, "outside hours", None)
        ],
    },
    "2024-03-08T15:00:00Z": {
        "kind": "conflicts",
        "start": "2024-03-08T15:00:00Z",
        "conflicts": [
            conflict(*NEW_YORK, "2024-03-08T15:00:00Z", "2024-03-08T10:00", -300, "busy", DAY),
            conflict(*LONDON, "2024-03-08T15:00:00Z", "2024-03-08T15:00", 0, "busy", DAY),
        ],
    },
    "2024-03-11T03:45:00Z": {
        "kind": "conflicts",
        "start": "2024-03-11T03:45:00Z",
        "conflicts": [
            conflict(*NEW_YORK, "2024-03-11T03:45:00Z", "2024-03-10T23:45", -240, "day off", None),
            conflict(*LONDON, "2024-03-11T03:45:00Z", "2024-03-11T03:45", 0, "outside hours", None),
        ],
    },
    "2024-03-12T13:00:00Z": {
        "kind": "outside window",
        "start": "2024-03-12T13:00:00Z",
        "window_start": "2024-03-08T00:00:00Z",
        "window_end": "2024-03-12T00:00:00Z",
    },
    LATER: {"kind": "not earliest", "start": LATER, "earliest": ANSWER},
    "NONE": {"kind": "start exists", "earliest": ANSWER},
    "2024-03-11T13:00:01Z": {"kind": "not a whole minute", "minute": "2024-03-11T13:00:00Z"},
    "2024-03-11T12:59:59.999999999Z": {
        "kind": "not a whole minute",
        "minute": "2024-03-11T12:59:00Z",
    },
}


@pytest.mark.parametrize("answer", WRONG)
def test_json_says_the_same_as_the_text(command: Command, world: Path, answer: str) -> None:
    run = command("verify", "--json", world, answer)
    assert (run.status, run.err) == (1, "")
    assert rows(run.out) == [
        {
            "id": ID,
            "proposed": answer,
            "correct": False,
            "answer": ANSWER,
            "reason": REASONS[answer],
            "policies": ["first-day-only", "always-none"] if answer == "NONE" else [],
        }
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "0001-01-01T00:00+14:00",
        "0001-01-01T00:00:30+23:59",
        "9999-12-31T23:59-12:00",
        "9999-12-31T23:59:59.9-23:59",
    ],
)
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_instant_whose_utc_date_cannot_be_written_is_unreadable(
    command: Command, world: Path, answer: str, options: list[str]
) -> None:
    run = command("verify", *options, world, answer)
    assert (run.status, run.out) == (2, "")
    assert f'answer "{answer}" is neither an instant' in run.error_line()


@pytest.mark.parametrize("answer", ["0001-01-01T14:00+14:00", "9999-12-31T11:59:59-12:00"])
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_first_and_last_instant_of_the_calendar_are_only_wrong(
    command: Command, world: Path, answer: str, options: list[str]
) -> None:
    run = command("verify", *options, world, answer)
    assert (run.status, run.err) == (1, "")
    assert ANSWER in run.out


@pytest.mark.parametrize("count", [10, 11, 13])
def test_text_names_ten_conflicts_and_counts_the_others(
    command: Command, tmp_path: Path, count: int
) -> None:
    ava = a_world()["attendees"][0]
    people = [ava | {"name": f"P{i}"} for i in range(count)]
    path = write(tmp_path / "world.json", a_world(attendees=people))
    text = command("verify", path, "2024-03-08T15:00Z").out
    assert [name for name in range(count) if f"  P{name} is busy " in text] == list(range(10))
    more = {10: None, 11: "and 1 more attendee is", 13: "and 3 more attendees are"}[count]
    if more is None:
        assert " more " not in text
    else:
        assert f"\n  {more} not free\n" in text
    (row,) = rows(command("verify", path, "2024-03-08T15:00Z", "--json").out)
    assert len(row["reason"]["conflicts"]) == count


@pytest.mark.parametrize("answer", ["", "soon", "13:00", "2024-03-11", "2024-02-30T13:00Z", "N/A"])
def test_unreadable_answer_is_status_2(command: Command, world: Path, answer: str) -> None:
    run = command("verify", world, answer)
    assert (run.status, run.out) == (2, "")
    assert f'answer "{answer}" is neither an instant' in run.error_line()


def test_one_answer_for_several_worlds_is_status_2(command: Command, split: Path) -> None:
    run = command("verify", split, ANSWER)
    assert (run.status, run.out) == (2, "")
    assert f"{split}: expected one world, got several; --id picks one" in run.error_line()


def test_an_answer_for_a_world_of_a_split(command: Command, split: Path) -> None:
    assert command("verify", split, ANSWER, "--id", "w1") == (0, f"correct: {ANSWER} w1\n", "")
    assert command("verify", split, "NONE", "--id", "w1").status == 1
    missing = command("verify", split, ANSWER, "--id", "nobody")
    assert (missing.status, missing.out) == (2, "")
    assert missing.error_line().endswith('no world has the id "nobody"')
    alone = command("verify", split, "--id", "w1")
    assert (alone.status, alone.out) == (2, "")
    assert "--id picks the world of an ANSWER" in alone.error_line()


def test_verify_reads_the_world_from_standard_input(command: Command) -> None:
    run = command("verify", "-", ANSWER, stdin=json.dumps(a_world()).encode())
    assert run == (0, f"correct: {ANSWER} {ID}\n", "")


# verify: a file of answers


def answers(folder: Path, **by_id: str) -> Path:
    """Write a file of answers."""
    found = [{"id": name, "answer": answer} for name, answer in by_id.items()]
    return write(folder / "answers.jsonl", *found)


def test_answers_are_held_against_worlds_by_id(
    command: Command, split: Path, tmp_path: Path
) -> None:
    path = answers(tmp_path, w2=ANSWER, w0="2024-03-11 13:00", w1=ANSWER)
    assert command("verify", split, "--answers", path) == (0, "3 of 3 correct\n", "")


def test_wrong_row_of_answers_is_shown_with_its_reason(
    command: Command, split: Path, tmp_path: Path
) -> None:
    path = answers(tmp_path, w2=ANSWER, w1="none", w0=ANSWER)
    assert command("verify", split, "--answers", path) == (
        1,
        "wrong: none w1\n  there is a valid start\n"
        f"  the right answer is {ANSWER}\n"
        + "".join(f"  {line}\n" for line in MISTAKES["NONE"])
        + "2 of 3 correct\n",
        "",
    )
    run = command("verify", split, "--answers", path, "--json")
    assert (run.status, run.err) == (1, "")
    assert [(row["id"], row["correct"]) for row in rows(run.out)] == [
        ("w0", True),
        ("w1", False),
        ("w2", True),
    ]


def test_answer_for_an_unknown_id_is_status_2(
    command: Command, split: Path, tmp_path: Path
) -> None:
    path = answers(tmp_path, w0=ANSWER, w1=ANSWER, w2=ANSWER, w3=ANSWER)
    run = command("verify", split, "--answers", path)
    assert run.status == 2
    assert run.error_line() == f'meeting-slot: error: {path}: no world has the id "w3"'


def test_world_without_a_row_of_answers_is_status_2(
    command: Command, split: Path, tmp_path: Path
) -> None:
    run = command("verify", split, "--answers", answers(tmp_path, w0=ANSWER, w2=ANSWER))
    assert run.status == 2
    assert 'answers.jsonl: no row for world "w1"' in run.error_line()


def test_repeated_row_of_answers_is_status_2(command: Command, split: Path, tmp_path: Path) -> None:
    path = answers(tmp_path, w0=ANSWER, w1=ANSWER, w2=ANSWER)
    path.write_text(path.read_text() + json.dumps({"id": "w1", "answer": ANSWER}))
    run = command("verify", split, "--answers", path)
    assert (run.status, run.out) == (2, "")
    assert f'{path}:4: id: "w1" was used before, in {path}:2' in run.error_line()


def test_unreadable_row_of_answers_is_status_2(
    command: Command, split: Path, tmp_path: Path
) -> None:
    path = answers(tmp_path, w0=ANSWER, w1="soon", w2=ANSWER)
    run = command("verify", split, "--answers", path)
    assert (run.status, run.out) == (2, "")
    assert f'{path}:2: answer: answer "soon" is neither an instant' in run.error_line()


def test_row_of_answers_that_is_not_on_a_whole_minute_is_wrong(
    command: Command, split: Path, tmp_path: Path
) -> None:
    path = answers(tmp_path, w0=ANSWER, w1="2024-03-11T13:00:30Z", w2=ANSWER)
    assert command("verify", split, "--answers", path).status == 1


@pytest.mark.parametrize("from_input", ["worlds", "answers"])
def test_worlds_or_answers_may_be_standard_input(
    command: Command, split: Path, tmp_path: Path, from_input: str
) -> None:
    path = answers(tmp_path, w0=ANSWER, w1=ANSWER, w2=ANSWER)
    if from_input == "worlds":
        run = command("verify", "-", "--answers", path, stdin=split.read_bytes())
    else:
        run = command("verify", split, "--answers", "-", stdin=path.read_bytes())
    assert run == (0, "3 of 3 correct\n", "")


def test_worlds_and_answers_cannot_both_be_standard_input(command: Command) -> None:
    run = command("verify", "-", "--answers", "-")
    assert (run.status, run.out) == (2, "")
    assert "standard input" in run.error_line()


def test_answer_and_file_of_answers_exclude_each_other(command: Command, world: Path) -> None:
    run = command("verify", world, ANSWER, "--answers", "answers.jsonl")
    assert (run.status, run.out) == (2, "")
    assert "ANSWER and --answers exclude each other" in run.error_line()


# verify: recorded answers


def test_recorded_answers_are_checked_where_none_is_proposed(command: Command, split: Path) -> None:
    assert command("verify", split) == (0, "3 of 3 correct\n", "")
    run = command("verify", split, "--json")
    assert (run.status, run.err) == (0, "")
    assert [(row["id"], row["correct"]) for row in rows(run.out)] == [
        ("w0", True),
        ("w1", True),
        ("w2", True),
    ]


@pytest.mark.parametrize("meta", [{}, {"meta": {}}, {"meta": {"iana": RELEASE}}], ids=str)
def test_wrong_recorded_answer_of_this_or_no_release_is_status_1(
    command: Command, tmp_path: Path, meta: dict[str, Any]
) -> None:
    path = write(
        tmp_path / "split.jsonl",
        a_world(id="w0", answer=LATER, **meta),
        a_world(id="w1", answer=ANSWER, **meta),
    )
    assert command("verify", path) == (
        1,
        f"wrong: {LATER} w0\n  everyone is free then, but there is an earlier start\n"
        f"  the right answer is {ANSWER}\n1 of 2 correct\n",
        "",
    )


def test_wrong_recorded_answer_of_another_release_is_status_2_with_both_releases(
    command: Command, tmp_path: Path
) -> None:
    stale = a_world(id="w0", answer=LATER, meta={"iana": "1999z"})
    wrong = a_world(id="w1", answer=LATER)
    run = command("verify", write(tmp_path / "split.jsonl", stale, wrong))
    assert run.status == 2
    line = run.error_line()
    for fact in ("w0", LATER, "1999z", RELEASE, ANSWER):
        assert fact in line
    assert f"wrong: {LATER} w1\n" in run.out  # the others are still checked


def test_right_recorded_answer_of_another_release_is_status_0(
    command: Command, tmp_path: Path
) -> None:
    world = a_world(id="w0", answer=ANSWER, meta={"iana": "1999z"})
    assert command("verify", write(tmp_path / "world.json", world)) == (
        0,
        "1 of 1 correct\n",
        "",
    )


def test_world_with_neither_a_recorded_nor_a_proposed_answer_is_status_2(
    command: Command, tmp_path: Path
) -> None:
    path = write(tmp_path / "split.jsonl", a_world(id="w0", answer=ANSWER), a_world(id="w1"))
    run = command("verify", path)
    assert run.status == 2
    assert 'split.jsonl: world "w1" has no recorded answer' in run.error_line()


@pytest.mark.parametrize("how", ["ANSWER", "--answers"])
@pytest.mark.parametrize(
    ("recorded", "release", "proposed", "status"),
    [
        (ANSWER, None, ANSWER, 0),
        (ANSWER, None, "none", 1),
        (LATER, None, ANSWER, 1),
        (LATER, RELEASE, ANSWER, 1),
        (LATER, None, "none", 1),
        (LATER, "1999z", ANSWER, 2),
        (LATER, "1999z", "none", 2),
        (LATER, "1999z", LATER, 2),
        (ANSWER, "1999z", ANSWER, 0),
    ],
)
def test_recorded_answer_is_checked_beside_a_proposed_one(
    command: Command,
    tmp_path: Path,
    how: str,
    recorded: str,
    release: str | None,
    proposed: str,
    status: int,
) -> None:
    meta = {} if release is None else {"iana": release}
    path = write(tmp_path / "world.json", a_world(id="w", answer=recorded, meta=meta))
    if how == "ANSWER":
        run = command("verify", path, proposed)
    else:
        run = command("verify", path, "--answers", answers(tmp_path, w=proposed))
    assert run.status == status
    if proposed == ANSWER:
        assert run.out == (f"correct: {ANSWER} w\n" if how == "ANSWER" else "1 of 1 correct\n")
    else:
        assert f"wrong: {proposed} w\n" in run.out
        assert f"the right answer is {ANSWER}" in run.out
    if recorded == ANSWER or (recorded == proposed and release is None):
        assert run.err == ""
    else:
        assert recorded in run.error_line()


# schema, demo, versions and help


def test_schema_prints_the_json_schema(command: Command) -> None:
    run = command("schema")
    assert (run.status, run.err) == (0, "")
    assert json.loads(run.out) == world_schema()


def test_demo_solves_every_curated_world_and_says_why_wrong_answers_are_wrong(
    command: Command,
) -> None:
    run = command("demo")
    assert (run.status, run.err) == (0, "")
    for world in curated_worlds():
        assert world.recorded is not None
        line = next((line for line in run.out.splitlines() if world.id in line), None)
        assert line is not None, f"{world.id} is not shown whole"
        assert world.recorded in line
    assert "correct: 2024-03-11T13:00:00Z" in run.out
    assert "wrong: 2024-03-11T14:00:00Z" in run.out
    assert "Jules is busy 09:00-14:00 on Mon 2024-06-10" in run.out
    assert "the right answer is 2024-06-10T14:00:00Z" in run.out
    # the four worlds just made, through vf-eval: reward, exact, format, partial
    assert re.search("gold +│ +1.200 │ +1.000 │ +1.000 │ +0.000 │", run.out)
    assert re.search(r"naive +│ +\d.\d{3} │ +0.\d{3} │ +1.000 │", run.out)


def test_curated_worlds_verify(command: Command) -> None:
    assert command("verify", str(CURATED)) == (0, "15 of 15 correct\n", "")


def test_version_names_the_package_and_the_zone_data(command: Command) -> None:
    version = metadata.version("meeting-slot")
    assert meeting_slot.__version__ == version
    assert command("--version") == (0, f"meeting-slot {version}, IANA {RELEASE}\n", "")


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("name", [[], *([name] for name in COMMANDS)], ids=" ".join)
def test_help_fits_80_columns(command: Command, name: list[str], option: str) -> None:
    run = command(*name, option)
    assert (run.status, run.err) == (0, "")
    assert run.out.startswith(f"Usage: {' '.join(['meeting-slot', *name])} ")
    assert max(map(len, run.out.splitlines())) <= 80


def test_help_lists_the_commands_there_are_each_with_a_whole_sentence(command: Command) -> None:
    listed = command("--help").out.partition("Commands:\n")[2].splitlines()
    assert sorted(line.split()[0] for line in listed) == COMMANDS
    assert {"solve", "verify", "schema", "demo"} <= set(COMMANDS)
    for line in listed:
        assert re.search(r"[^.]\.$", line), line


def test_no_command_shows_the_help_with_status_2(command: Command) -> None:
    run = command()
    assert (run.status, run.out) == (2, "")
    assert run.err == command("--help").out


# Errors


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frobnicate"], "No such command 'frobnicate'."),
        (["verfy", "w.json"], "No such command 'verfy'"),
        (["a\nb\x1b[31m"], "No such command "),
        (["--colour"], "No such option '--colour'"),
        (["solve"], "Missing argument 'WORLDS...'."),
        (["solve", "--jsn", "w.json"], "No such option '--jsn'"),
        (["solve", "--json=x", "w.json"], "Option '--json' does not take a value."),
        (["verify"], "Missing argument 'WORLDS'."),
        (["verify", "w.json", "NONE", "NONE\n"], "Got unexpected extra argument (NONE"),
        (["verify", "w.json", "--answers"], "Option '--answers' requires an argument."),
        (["schema", "w.json"], "Got unexpected extra argument (w.json)"),
        (["demo", "-x"], "No such option '-x'"),
    ],
)
def test_unusable_arguments_are_status_2_and_one_line(
    command: Command, arguments: list[str], said: str
) -> None:
    run = command(*arguments)
    assert (run.status, run.out) == (2, "")
    assert run.error_line().startswith(f"meeting-slot: error: {said}")


@pytest.mark.parametrize("arguments", [["solve"], ["verify"], ["verify", "--json"]])
def test_missing_file_is_status_2_and_one_line(
    command: Command, tmp_path: Path, arguments: list[str]
) -> None:
    run = command(*arguments, tmp_path / "none.json")
    assert (run.status, run.out) == (2, "")
    line = f"meeting-slot: error: {tmp_path}/none.json: cannot be read: No such file or directory"
    assert run.error_line() == line


def test_missing_file_of_answers_is_status_2_and_one_line(command: Command, split: Path) -> None:
    run = command("verify", split, "--answers", "none.jsonl")
    assert (run.status, run.out) == (2, "")
    assert "none.jsonl: cannot be read: No such file or directory" in run.error_line()


def test_interrupt_is_status_130_and_says_so() -> None:
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        + COMMAND_LINE[-1]
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, "solve", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        for i in range(2):
            running.stdin.write(json.dumps(a_world(id=f"w{i}")).encode() + b"\n")
        running.stdin.flush()
        assert [running.stdout.readline() for _ in range(2)] == [
            f"{ANSWER} w{i}\n".encode() for i in range(2)
        ]
        running.send_signal(signal.SIGINT)  # while it waits for a third world
        assert running.wait(SECONDS) == 130
        assert running.stderr.read().split(b"\n")[-2:] == [b"meeting-slot: error: interrupted", b""]


def shell(redirected: str) -> list[str]:
    """Return a command line under which `meeting-slot` runs with a stream redirected."""
    return ["sh", "-c", f'exec "$@" {redirected}', "sh", *COMMAND_LINE]


BROKEN_PIPE = (128 + signal.SIGPIPE, -signal.SIGPIPE)
"""The status by exit and by signal, which a shell shows alike; neither 0 nor 1, which say more."""

WRITING = [["solve", "{}"], ["verify", "{}"], ["schema"], ["demo"], ["--version"], ["--help"]]


@pytest.mark.parametrize("arguments", WRITING, ids=lambda arguments: arguments[0])
def test_reader_that_has_gone_ends_it_in_silence(split: Path, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        running = subprocess.run(
            [*COMMAND_LINE, *(argument.format(split) for argument in arguments)],
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
            check=False,
        )
    finally:
        os.close(writer)
    assert running.stderr == b""
    assert running.returncode in BROKEN_PIPE


def test_reader_that_goes_after_a_line_ends_it_in_silence(tmp_path: Path) -> None:
    path = write(tmp_path / "split.jsonl", *[a_world(id=f"w{i}") for i in range(3000)])
    with subprocess.Popen(
        [*COMMAND_LINE, "solve", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline() == f"{ANSWER} w0\n".encode()
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(SECONDS) in BROKEN_PIPE


@pytest.mark.parametrize("redirected", [">&-", ">/dev/full"], ids=["closed", "full"])
@pytest.mark.parametrize("arguments", WRITING, ids=lambda arguments: arguments[0])
def test_output_that_cannot_be_written_is_status_2_and_one_line(
    split: Path, arguments: list[str], redirected: str
) -> None:
    run = process(
        *(argument.format(split) for argument in arguments), command_line=shell(redirected)
    )
    assert (run.status, run.out) == (2, "")
    assert run.error_line().startswith("meeting-slot: error: cannot write")


def test_error_without_a_place_to_say_it_is_status_2(tmp_path: Path) -> None:
    run = process("solve", tmp_path / "none.json", command_line=shell("2>&-"))
    assert run == (2, "", "")


def test_closed_standard_input_is_status_2_and_one_line() -> None:
    run = process("solve", "-", command_line=shell("<&-"))
    assert (run.status, run.out) == (2, "")
    assert run.error_line().startswith("meeting-slot: error: standard input: ")


# Hostile text

HOSTILE = "Ava\u2028wrong: \u6f22\u200b[bold]"
"""A name that a world may have; the line separator could forge a line."""
SHOWN = "Ava\\u2028wrong: \u6f22\u200b[bold]"


def hostile_world(**members: Any) -> dict[str, Any]:
    """Return the sample world with a hostile name, and text in whatever else is printed."""
    people = a_world()["attendees"]
    people[0]["name"] = HOSTILE
    recorded = f"\u2028\x1d {LATER}\x85\n"
    return a_world(id="[red]w\u6f22", attendees=people, answer=recorded, **members)


@pytest.mark.parametrize("release", [RELEASE, "\x1b[31m\n\u202e2020a"], ids=ascii)
@pytest.mark.parametrize(
    "arguments",
    [
        ["solve"],
        ["solve", "--json"],
        ["verify"],
        ["verify", "--json"],
        ["verify", "2024-03-08T15:00Z"],
        ["verify", "2024-03-08T15:00Z", "--json"],
        ["verify", "\n\x1dnone\u2028"],
        ["verify", "\x1b[31m\nnever"],
    ],
    ids=ascii,
)
def test_text_from_a_world_or_an_argument_is_printed_escaped(
    command: Command, tmp_path: Path, arguments: list[str], release: str
) -> None:
    path = write(tmp_path / "a\x1b\nb.json", hostile_world(meta={"iana": release}))
    name, *others = arguments
    run = command(name, path, *others)
    assert not unprintable(run.out + run.err)
    if "2024-03-08T15:00Z" in arguments and "--json" in arguments:
        (row,) = rows(run.out)
        assert row["reason"]["conflicts"][0]["attendee"] == HOSTILE
    elif "2024-03-08T15:00Z" in arguments:
        assert f"\n  {SHOWN} is busy 09:00-17:00 on Fri 2024-03-08\n" in run.out


def test_long_recorded_answer_does_not_flood_a_message(command: Command, tmp_path: Path) -> None:
    recorded = " " * 100_000 + "none"
    for meta in ({}, {"iana": "1999z" * 1000}):
        path = write(tmp_path / "world.json", a_world(id="w", answer=recorded, meta=meta))
        for arguments in (["solve"], ["verify"], ["verify", ANSWER]):
            name, *others = arguments
            run = command(name, path, *others)
            assert len(run.out + run.err) < 1000


@pytest.mark.parametrize("arguments", [["solve"], ["verify", "2024-03-08T15:00Z"]], ids=str)
def test_character_that_the_output_cannot_hold_is_written_escaped(
    tmp_path: Path, arguments: list[str]
) -> None:
    path = write(tmp_path / "world.json", hostile_world())
    name, *others = arguments
    run = process(name, path, *others, env=os.environ | {"PYTHONIOENCODING": "latin-1"})
    assert run.status == (0 if name == "solve" else 1)
    assert "[red]w\\u6f22" in run.out
    assert "Traceback" not in run.err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_demo_runs_where_the_output_is_not_unicode(encoding: str) -> None:
    run = process("demo", env=os.environ | {"PYTHONIOENCODING": encoding})
    assert (run.status, run.err) == (0, "")
    assert "weekend_skip_dst" in run.out


# Start-up

HEAVY = {"ortools", "verifiers", "datasets", "pydantic", "rich", "numpy", "jsonschema"}


@pytest.mark.parametrize(
    "arguments", [["solve", "{}"], ["verify", "{}", ANSWER], ["verify", "{}"]], ids=str
)
def test_one_world_is_verified_without_any_heavy_import(
    tmp_path: Path, arguments: list[str]
) -> None:
    path = write(tmp_path / "world.json", a_world(answer=ANSWER))
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); "
        + COMMAND_LINE[-1]
    )
    run = process(
        *(argument.format(path) for argument in arguments),
        command_line=(sys.executable, "-c", code),
    )
    assert run.status == 0
    imported = {name.partition(".")[0] for name in run.err.split()}
    assert {"meeting_slot", "meeting_slot_cli", "click", "msgspec"} <= imported
    assert not imported & HEAVY


def test_a_policy_s_answer_is_told_as_the_misconception_it_shows(
    command: Command, world: Path
) -> None:
    # New York's winter offset, kept on after the 10th: 09:00 there is 14:00Z; Farid is at work.
    run = command("verify", world, "2024-03-11T14:00:00Z")
    assert run.status == 1
    assert run.out.endswith(
        "  it is the answer of someone who\n"
        "    - keeps each zone's smallest UTC offset of the year, as if no clock moved\n"
        "      (ignore-dst)\n"
        "    - keeps the UTC offsets of the window's start across every shift\n"
        "      (offset-frozen)\n"
    )
