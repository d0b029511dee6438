"""Every example in the README and in `docs` is run, and says what happens.

The fence's language says how: `python` is executed and `pycon` compared, in one namespace a page;
`console` holds `$ meeting-slot …` and what it prints; `json NAME` is a world whose answer is the
oracle's, and a file for what follows; `toml` holds settings that the environment takes, `toml FILE`
what that file of the repository says. What stands in `sh` needs a model, a cluster or an hour: its
`meeting-slot` options are read, nothing is run.
"""

import doctest
import json
import re
import runpy
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urldefrag

import click
import pytest
import verifiers.v1 as vf

import meeting_slot as ms
from meeting_slot.measures import policies_for
from meeting_slot.policies import BASELINES, CORE, INVERSE, specials
from meeting_slot_cli.main import group
from tests import oracle
from tests.conftest import Command, write

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
FENCE = re.compile(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
TESTED = {"python", "pycon", "console", "json", "toml"}
WORLDS = sorted((DOCS / "worlds").glob("*.json"))
POLICIES = [
    *(policy.name for policy in (*CORE, *specials(0), *BASELINES, *INVERSE) if not policy.calls),
    "skip-attendee-2",
    "at-most-10-calls",
]


class Example(NamedTuple):
    """A fenced block: what its fence says, its text, and the line at which that begins."""

    language: str
    file: str
    text: str
    line: int


def examples(page: str) -> Iterator[Example]:
    for match in FENCE.finditer(page):
        line = page.count("\n", 0, match.start(3)) + 1
        yield Example(match[1] or "sh", match[2].strip(), match[3], line)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_example_of_a_page_is_what_happens(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    shutil.copytree(DOCS, tmp_path / "docs")
    monkeypatch.chdir(tmp_path)
    found = list(examples(page.read_text(encoding="utf-8")))
    assert TESTED & {example.language for example in found}, "nothing on this page is tested"
    names: dict[str, Any] = {"__name__": "__main__"}
    for example in found:
        where = f"{named(page)}:{example.line}"
        match example.language:
            case "python":
                code = "\n" * (example.line - 1) + example.text
                exec(compile(code, named(page), "exec"), names)
            case "pycon":
                run_session(example.text, names, where)
            case "console":
                for line, shown in calls(example.text):
                    check_call(line, shown, where, command)
            case "json":
                check_world(example.text, where)
                if example.file:  # GitHub does not show what else the fence says
                    assert f"`{example.file}`" in page.read_text(encoding="utf-8"), where
                    (tmp_path / example.file).write_text(example.text, encoding="utf-8")
            case "toml":
                if example.file:
                    check_excerpt(example, where)
                else:
                    check_settings(tomllib.loads(example.text), where)
            case "sh":
                check_options(example.text, where)
            case _:
                assert example.language == "text", f"{where}: no rule for {example.language}"


def run_session(text: str, names: dict[str, Any], where: str) -> None:
    session = doctest.DocTestParser().get_doctest(text, names, where, where, 0)
    assert session.examples, where
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    failed, _ = runner.run(session, out=said.append, clear_globs=False)
    assert not failed, f"{where}\n{''.join(said)}"
    names.update(session.globs)


def calls(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a session, and what is shown below it."""
    assert text.startswith("$ ")
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        yield line, shown


def check_call(line: str, shown: str, where: str, command: Command) -> None:
    name, *arguments = shlex.split(line)
    assert name == "meeting-slot", f"{where}: {line}"
    run = command(*arguments)
    assert run.status != 2, f"{where}: {run.err}"
    printed = re.sub(r"\b([0-9a-f]{4})[0-9a-f]{60}\b", r"\1…", run.out)
    if shown:
        alike = doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS)
        assert alike, f"{where}: {line}\n{printed}"


def check_world(text: str, where: str) -> None:
    world = json.loads(text)
    gold = ms.solve(ms.parse_world(world))
    assert gold == oracle.answer(world) == world.get("answer", gold), where


def check_settings(value: Any, where: str) -> None:
    """Check whatever has a taskset, at any depth, as the environment's settings."""

    def settings(value: Any) -> Iterator[Any]:
        if isinstance(value, dict):
            if "taskset" in value:
                yield {name: value[name] for name in ("taskset", "agent") if name in value}
            for one in value.values():
                yield from settings(one)
        if isinstance(value, list):
            for one in value:
                yield from settings(one)

    found = list(settings(value))
    assert found, f"{where}: no settings of a taskset"
    for one in found:
        one["taskset"].setdefault("id", "meeting-slot")
        vf.resolve_env_config(one)


def check_excerpt(example: Example, where: str) -> None:
    """Check that a file of the repository says what an example shows of it."""
    whole = tomllib.loads((ROOT / example.file).read_text(encoding="utf-8"))
    assert holds(whole, tomllib.loads(example.text)), f"{where}: not what {example.file} says"


def holds(whole: Any, part: Any) -> bool:
    if isinstance(part, dict):
        return all(name in whole and holds(whole[name], one) for name, one in part.items())
    if isinstance(part, list) and part and isinstance(part[0], dict):
        return all(any(holds(one, wanted) for one in whole) for wanted in part)
    return bool(whole == part)


def check_options(text: str, where: str) -> None:
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("meeting-slot "):
            _, name, *arguments = shlex.split(line, comments=True)
            found = group.get_command(click.Context(group), name)
            assert found is not None, f"{where}: {line}"
            try:
                found.make_context(name, [one for one in arguments if one != "..."])
            except click.UsageError as error:
                raise AssertionError(f"{where}: {line}: {error.format_message()}") from None


def test_an_example_that_is_wrong_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "world.json", json.loads(WORLDS[0].read_text(encoding="utf-8")))
    check_call("meeting-slot solve world.json", "...\n", "here", command)
    with pytest.raises(AssertionError, match="here"):
        check_call("meeting-slot solve world.json", "2024-01-01T00:00:00Z x\n", "here", command)
    with pytest.raises(AssertionError, match="here"):
        run_session(">>> 1 + 1\n3\n", {}, "here")
    with pytest.raises(AssertionError, match="here"):
        check_world(
            WORLDS[0].read_text(encoding="utf-8").replace('"answer": "20', '"answer": "19'), "here"
        )
    with pytest.raises(AssertionError, match="No such option"):
        check_options("meeting-slot gen --nothing 1", "here")
    with pytest.raises(ValueError, match="Extra inputs"):
        check_settings({"env": {"taskset": {"nothing": 1}}}, "here")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target, anchor = urldefrag(link)
        if target.startswith(("http:", "https:")):
            continue
        to = (page.parent / target).resolve() if target else page
        if to.parent.name == "pictures":
            assert to.stem in pictures(), link
        else:
            assert to.exists(), link
        if anchor:
            assert anchor in anchors(to), link


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@cache
def pictures() -> dict[str, str]:
    """Return what `docs/make_pictures.py` draws: the proposed answer of each world, by name."""
    proposed: dict[str, str] = runpy.run_path(str(DOCS / "make_pictures.py"))["proposed"]()
    return proposed


def test_each_world_is_drawn_with_a_wrong_answer() -> None:
    drawn = pictures()
    assert list(drawn) == [path.stem for path in WORLDS]
    for path in WORLDS:
        assert not ms.verify(ms.read_world(str(path)), drawn[path.stem]).correct


def test_the_readmes_world_is_the_one_that_is_drawn() -> None:
    (first, *_) = (one for one in examples(PAGES[0].read_text("utf-8")) if one.language == "json")
    drawn = ms.read_world(str(DOCS / "worlds/readme.json"))
    assert ms.content_hash(ms.parse_world(json.loads(first.text))) == ms.content_hash(drawn)


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_the_answer_of_each_world_is_the_oracles(path: Path) -> None:
    check_world(path.read_text(encoding="utf-8"), path.name)
    assert ms.read_world(str(path)).own_id == path.stem


@pytest.mark.parametrize("name", POLICIES)
def test_each_policy_has_a_section_with_a_world_that_it_gets_wrong(name: str) -> None:
    page = (DOCS / "panel.md").read_text(encoding="utf-8")
    section = re.split(r"^##+ ", page.split(f"\n### {name}\n", 1)[1], flags=re.MULTILINE)[0]
    world = ms.read_world(str(DOCS / f"worlds/{name}.json"))
    answer = ms.panel(world).answers[name]
    assert answer != ms.earliest_start(world)
    (session,) = (one.text for one in examples(section) if one.language == "console")
    call = f"$ meeting-slot verify docs/worlds/{name}.json {ms.answer_text(answer)}\n"
    assert session.startswith(call)
    assert f"({name})" in session
    assert f"](pictures/{name}.svg)" in section


@pytest.mark.parametrize("name", ms.__all__)
def test_the_page_of_the_python_api_names_every_public_name(name: str) -> None:
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    assert re.search(rf"(\bms\.|`){name}\b", page)


def test_the_page_of_the_panel_names_every_policy() -> None:
    page = (DOCS / "panel.md").read_text(encoding="utf-8")
    world = ms.read_world(str(DOCS / "worlds/skip-attendee-2.json"))
    for policy in policies_for(world):
        general = re.sub(r"^skip-attendee-\d$", "skip-attendee-2", policy.name)
        assert f"`{general}`" in page or f"### {general}\n" in page
