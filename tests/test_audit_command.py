"""`meeting-slot audit`: its tables, its JSON, and what it says of unusable splits."""

import json
import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import tzdata

from meeting_slot import curated_worlds
from meeting_slot.policies import CORE
from tests.conftest import ANSWER, Command, Run, a_world, process, unprintable, write

WIDTH = 80


@pytest.fixture
def curated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a split in the working directory: the curated worlds."""
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "curated.jsonl", *[world.to_json() for world in curated_worlds()])
    return path.name


def objects(run: Run) -> list[dict[str, Any]]:
    """Return the JSON objects of an output that has one a line."""
    assert run.status == 0
    return [json.loads(line) for line in run.out.splitlines()]


def row_of(out: str, label: str) -> str:
    """Return what stands after a label, in the one line that begins with it."""
    rows = [line for line in out.splitlines() if re.match(rf" *{re.escape(label)}(  |$)", line)]
    assert len(rows) == 1, (label, rows)
    return rows[0].split(label, 1)[1].strip()


def part(worlds: int, of: int) -> str:
    """Return a number of worlds as the table has it."""
    return f"{worlds} ({100 * worlds / of:.1f} %)"


def shown(rates: Mapping[str, Any]) -> list[str]:
    """Return the eight figures of a policy's row."""
    columns = [rates["overall"], *(rates["bands"][band] for band in ("easy", "medium", "hard"))]
    exact = ["-" if one["exact"] is None else f"{100 * one['exact']:.1f}" for one in columns]
    return exact + ["-" if one["reward"] is None else f"{one['reward']:.2f}" for one in columns]


def test_the_table_says_what_the_json_says(command: Command, curated: str) -> None:
    out = command("audit", curated).out
    (split,) = objects(command("audit", "--json", curated))
    worlds, shifts = split["worlds"], split["shifts"]
    title, counts = out.splitlines()[:2]
    assert title == "curated.jsonl"
    assert counts == f"{worlds} worlds, panel core v1, IANA {tzdata.IANA_VERSION}"
    for label, count in {
        "no valid start (NONE)": split["none"],
        "every attendee load-bearing": split["load_bearing"],
        "more than 40 turns, at one call each": split["unreadable"],
        "not proven smallest": split["floors_unproven"],
        "duplicates": split["duplicates"],
        "an offset changes in the window": shifts["worlds"],
        "a clock goes forward": shifts["forward"],
        "a clock goes back": shifts["back"],
    }.items():
        assert row_of(out, label) == part(count, worlds), label
    floors = sorted(
        Counter({int(k): n for k, n in split["histograms"]["floor"].items()}).elements()
    )
    middle = floors[(len(floors) - 1) // 2]
    assert row_of(out, "calls of the smallest proof") == (
        f"{floors[0]} to {floors[-1]}, median {middle}"
    )
    assert row_of(out, "zones") == str(len(split["zones"]))
    policies = {policy["name"]: policy for policy in split["policies"]}
    assert list(policies)[:12] == [policy.name for policy in CORE]
    for name, policy in policies.items():
        assert row_of(out, name).split() == shown(policy["rates"]), name
    after = policies["after-first-shift"]["with_shift"]
    assert row_of(out, "if an offset changes").split() == shown(after)
    for guess in split["guesses"]:
        exact, reward, *says = row_of(out, guess["name"]).split()
        assert float(exact) == pytest.approx(100 * guess["rate"]["exact"], abs=0.051)
        assert float(reward) == pytest.approx(guess["rate"]["reward"], abs=0.0051)
        assert " ".join(says) == (guess["says"] or "learned, cross-validated")
    for hard in split["hardest"]:
        assert re.search(rf"^ +{hard['core_failed']} +{hard['calls']}  {hard['id']}$", out, re.M)


def test_the_tables_of_hardness_load_and_answers(command: Command, curated: str) -> None:
    out = command("audit", curated).out
    (split,) = objects(command("audit", "--json", curated))
    histograms = split["histograms"]
    hardness = out.split("Hardness:")[1].split("Load:")[0]
    rows = re.findall(
        r"^ (?:easy|medium|hard|) +(\d+) +(\d+) +[\d.]+ %(?:  (#+))?$", hardness, re.M
    )
    assert [int(failed) for failed, _, _ in rows] == list(range(13))
    counts = {failed: int(count) for failed, count, _ in rows if int(count)}
    assert counts == histograms["hardness"]
    assert all(bool(bar) == bool(int(count)) for _, count, bar in rows)
    assert max(rows, key=lambda row: int(row[1]))[2] == "#" * 30
    load = out.split("Load:")[1].split("Policies:")[0]
    for band, sizes in split["bands"].items():
        figures = row_of(load, band).split()
        assert [int(figure) for figure in figures[:3]] == [sizes[size] for size in "SML"]
        assert int(figures[3]) == sum(sizes.values())
    answers = out.split("Answers, in UTC")[1].split("Hardest")[0]
    minutes, weekdays, tenths = re.findall(r"^ worlds +(.*)$", answers, re.M)
    weekday, position = histograms["weekday"], histograms["position"]
    assert weekdays.split() == [str(weekday.get(str(number), 0)) for number in range(7)]
    assert tenths.split() == [str(position.get(str(number), 0)) for number in range(10)]
    with_answer = split["worlds"] - split["none"]
    assert sum(map(int, minutes.split())) == with_answer


def test_json_is_one_object_a_split(command: Command, curated: str, tmp_path: Path) -> None:
    one = write(tmp_path / "one.json", a_world(id="w"))
    first, second = objects(command("audit", one, curated, "--json"))
    assert (first["split"], first["worlds"], first["histograms"]["hardness"]) == (
        str(one),
        1,
        {"7": 1},
    )
    assert second["split"] == curated
    assert first["hardest"] == [{"id": "w", "core_failed": 7, "calls": 15}]


def test_a_leak_is_named_in_both_splits(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renamed = a_world()
    renamed["attendees"].reverse()
    renamed["attendees"][0]["name"] = "Xi"
    train = write(tmp_path / "train.jsonl", a_world(id="a"), a_world(id="b"))
    test = write(tmp_path / "eval.json", renamed)
    longer = a_world()["request"] | {"window_days": 5}
    clean = write(tmp_path / "clean.json", a_world(request=longer))
    monkeypatch.chdir(tmp_path)
    out = command("audit", train.name, test.name, clean.name).out
    of_train, of_test, of_clean = out.split("\nHardest worlds\n")[:3]
    assert row_of(of_train, "duplicates") == "1 (50.0 %)"
    assert re.search(r"^ +2 +100.0 %  eval.json$", of_train, re.M)
    assert re.search(r"^ +1 +100.0 %  train.jsonl$", of_test, re.M)
    assert "Leaks" in of_test
    assert "Leaks" not in of_clean


def test_tables_fit_eighty_columns_and_are_plain_in_a_pipe(command: Command, curated: str) -> None:
    out = command("audit", curated).out
    assert max(map(len, out.splitlines())) <= WIDTH
    assert not unprintable(out)
    assert not any(line.endswith(" ") for line in out.splitlines())


def test_where_only_ascii_can_be_written_there_is_only_ascii(curated: str) -> None:
    run = process("audit", curated, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert (run.status, run.err) == (0, "")
    assert run.out.isascii()
    assert "\\u" not in run.out


def test_names_and_ids_are_printed_escaped_and_are_no_markup(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "[red]\u202e:smile:.jsonl", a_world(id="[bold]x[/bold]"))
    monkeypatch.chdir(tmp_path)
    out = command("audit", path.name).out
    assert not unprintable(out)
    assert out.startswith("[red]\\u202e:smile:.jsonl\n1 world, ")
    assert re.search(r"^ +7 +15  \[bold\]x\[/bold\]$", out, re.M)


def test_many_skipped_attendees_are_left_to_the_json(command: Command, tmp_path: Path) -> None:
    row = a_world(id="w")
    row["attendees"] = [row["attendees"][0] | {"name": f"P{i}"} for i in range(10)]
    path = write(tmp_path / "world.json", row)
    out = command("audit", path).out
    assert row_of(out, "skip-attendee-8")
    assert not re.search(r"skip-attendee-(9|10)", out)
    names = [policy["name"] for policy in objects(command("audit", path, "--json"))[0]["policies"]]
    assert {"skip-attendee-9", "skip-attendee-10"} <= set(names)


def test_a_wrong_recorded_answer_is_warned_of_in_one_line(command: Command, tmp_path: Path) -> None:
    path = write(tmp_path / "split.jsonl", a_world(id="w", answer="NONE"), a_world(id="v"))
    run = command("audit", path, "--json")
    assert objects(run)[0]["none"] == 0
    expected = f"warning: w: the recorded answer NONE is wrong, it is {ANSWER}"
    assert run.error_line() == expected


def test_minus_is_standard_input(command: Command) -> None:
    run = command("audit", "-", "--json", stdin=json.dumps(a_world(id="w")).encode())
    assert objects(run)[0]["worlds"] == 1


def test_an_unusable_split_ends_the_audit_in_one_line(command: Command, tmp_path: Path) -> None:
    good = write(tmp_path / "good.jsonl", a_world(id="w"))
    bad = write(tmp_path / "bad.jsonl", a_world(id="w"), {})
    run = command("audit", good, bad)
    assert (run.status, run.out) == (2, "")
    assert run.error_line() == f"meeting-slot: error: {bad}:2: request: required, but missing"
    missing = command("audit", tmp_path / "missing.jsonl")
    assert missing.status == 2
    assert "cannot be read" in missing.error_line()


def test_a_split_has_to_be_named(command: Command) -> None:
    run = command("audit")
    assert run.status == 2
    assert "SPLIT" in run.error_line()
