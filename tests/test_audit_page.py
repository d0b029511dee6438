"""`meeting-slot audit --html`: the audit as one page."""

import json
from pathlib import Path

import pytest

from meeting_slot import named_split
from meeting_slot.audit import audit, audit_features
from meeting_slot.features import features
from meeting_slot.parsing import parse_world
from meeting_slot.pictures.audit_page import audit_page
from meeting_slot.writing import write_split
from tests.conftest import Command, a_world, write

from .browser import NARROW, WIDE, chromium, opened

HOSTILE = ("<script>alert(1)</script>", "עברית", "مرحبا", "🗓️", "N" * 64)


def hostile_world() -> dict[str, object]:
    world = a_world(id="</script><script>alert(2)</script>")
    world["attendees"] = [{**world["attendees"][0], "name": name} for name in HOSTILE]
    return world


def test_page_draws_what_the_audit_counted(command: Command, tmp_path: Path) -> None:
    split = tmp_path / "<i>split.jsonl"
    worlds = [world for world, _ in zip(named_split("core-v1"), range(12), strict=False)]
    write_split([*worlds, parse_world(hostile_world())], str(split))
    page_file = tmp_path / "page.html"
    run = command("audit", str(split), "--html", str(page_file), "--json")
    assert (run.status, run.err) == (0, "")
    (found,) = (json.loads(line) for line in run.out.splitlines())
    assert set(found["hardest"][0]) == {"id", "core_failed", "calls"}
    with chromium() as browser:
        for width in (NARROW, WIDE):
            with opened(browser, page_file, width) as page:
                assert page.locator("h1").inner_text() == f"Audit of {split}"
                drawn = page.locator(".chart:visible").count()
                assert page.locator(".chart:visible svg").count() == drawn >= 10
                figures = page.locator("figure").filter(has_text="Exact answers of each policy")
                cells = figures.locator(".mark-text.role-mark text").all_text_contents()
                rates = [
                    rate["exact"]
                    for policy in found["policies"]
                    for rate in (policy["rates"]["overall"], *policy["rates"]["bands"].values())
                ]
                assert cells == ["-" if rate is None else f"{100 * rate:.1f}" for rate in rates]
                ids = page.locator("summary").all_inner_texts()[1:]
                assert [text.partition(": ")[0] for text in ids] == [
                    hard["id"] for hard in found["hardest"]
                ]


def test_page_of_several_splits_says_which(tmp_path: Path) -> None:
    world = parse_world(a_world())
    text = audit_page(audit([("one", [world]), ("two", [world])]))
    assert "<title>Audit of one, two</title>" in text
    for title in ("one: Blind guesses", "two: Blind guesses"):
        assert f'<h2 dir="auto">{title}</h2>' in text
    assert text.count("Leaks: worlds of another split, too.") == 2


def test_page_of_an_empty_split_is_no_error() -> None:
    assert "0 worlds" in audit_page(audit_features([("empty", [])]))


def test_lines_are_kept_of_the_hardest_worlds_only_where_asked_for() -> None:
    world = parse_world(a_world(id="w"))
    assert audit([("s", [world])]).splits[0].hardest[0].line == ""
    (found,) = audit_features([("s", [features(world, with_line=True)])]).splits
    assert parse_world(json.loads(found.hardest[0].line)) == world


@pytest.mark.parametrize("place", ["missing/page.html", "."])
def test_an_unwritable_page_is_refused_in_one_line(
    place: str, command: Command, tmp_path: Path
) -> None:
    split = write(tmp_path / "w.json", a_world())
    run = command("audit", str(split), "--html", str(tmp_path / place))
    assert (run.status, run.out) == (2, "")
    assert run.err.count("\n") == 1
    assert run.err.startswith(f"meeting-slot: error: {tmp_path / place}: cannot be written: ")
