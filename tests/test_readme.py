"""What the README lists is what there is; its examples run in `test_docs`."""

import inspect
import itertools
import re
from pathlib import Path

import click
import pytest

from meeting_slot import curated_worlds, load_environment
from meeting_slot.policies import BASELINES, CORE, INVERSE, specials
from meeting_slot.scoring import rollout_metrics
from meeting_slot_cli.main import group
from tests.conftest import Command

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def block(start: str) -> str:
    """Return the fenced block that begins with a text."""
    blocks = re.findall(r"```[^\n]*\n(.*?)```", README, re.DOTALL)
    found = [b for b in blocks if b.startswith(start)]
    assert len(found) == 1
    return str(found[0])


@pytest.mark.parametrize("line", block("meeting-slot gen --count 100").splitlines())
def test_each_way_to_make_worlds_makes_some(
    line: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = re.sub(r"--count \d+", "--count 2", line).split()[1:]
    assert command(*arguments).status == 0


def test_every_command_is_in_the_table() -> None:
    commands = re.findall(r"^\| `meeting-slot (\w+)", README, re.MULTILINE)
    assert sorted(commands) == sorted(group.list_commands(click.Context(group)))


def table(heading: str) -> dict[str, list[str]]:
    """Return the rows of the table that has a heading, by what stands first in them."""
    after = README.split(heading, 1)[1].splitlines()[1:]
    rows = itertools.takewhile(lambda line: line.startswith("|"), after)
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {first: rest for first, *rest in cells if not first.startswith("---")}


def test_every_policy_is_in_the_table_in_order_and_in_its_own_words() -> None:
    after = README.split("| group | policy | someone who |\n", 1)[1].splitlines()[1:]
    rows = itertools.takewhile(lambda line: line.startswith("|"), after)
    policies = (*CORE, *specials(0), *BASELINES, *INVERSE)
    assert list(rows) == [
        *(f"| {one.group} | {one.name} | {one.misconception} |" for one in policies),
        "| special | skip-attendee-K | leaves attendee K out |",
    ]


def test_every_setting_of_the_environment_is_in_the_table_with_its_default() -> None:
    given = {name.strip("`"): row[0] for name, row in table("| name | default | meaning |").items()}
    arguments = inspect.signature(load_environment).parameters.values()
    defaults = {one.name: one.default for one in arguments if one.kind is not one.VAR_KEYWORD}
    assert given.keys() == defaults.keys()
    for name, default in defaults.items():
        assert given[name].strip("`") == {None: "none", False: "false"}.get(default, str(default))


def test_every_metric_is_in_the_table() -> None:
    named = set(re.findall(r"`(\w+)`", " ".join(table("| metric | meaning |"))))
    measured = rollout_metrics(curated_worlds()[0], [])
    fixed = {name for name in measured if not name.startswith(("policy_", "group_"))}
    assert named == fixed | {"policy_NAME", "group_NAME"}
