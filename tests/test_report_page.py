"""`meeting-slot report --html`: the report as one page, tried in a browser."""

import json
from pathlib import Path
from typing import Any

import pytest

from meeting_slot import World, answer_text, named_split, parse_world
from meeting_slot.measures import panel
from meeting_slot.report.transcript_text import transcript_text
from tests.run_files import answering, conversation, row

from .browser import NARROW, WIDE, chromium, opened
from .conftest import Command, a_world, unprintable, write

HOSTILE = ("<script>alert(1)</script>", "עברית", "مرحبا", "🗓️", "N" * 64)
WORLDS = [world for world, _ in zip(named_split("core-v1"), range(30), strict=False)]


def hostile_world() -> World:
    world = a_world(id="</script><script>alert(2)</script>")
    world["attendees"] = [{**world["attendees"][0], "name": name} for name in HOSTILE]
    return parse_world(world)


def rows_of(policy: str) -> list[dict[str, Any]]:
    found = [
        row(world, conversation(world, answering(answer_text(panel(world).answers[policy]))))
        for world in WORLDS
    ]
    said = f"{HOSTILE[0]}\n\x1b[31mred\u202e {answering('NONE')}"
    return [*found, row(hostile_world(), conversation(hostile_world(), said))]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    found = []
    for policy in ("naive", "ignore-busy"):
        folder = tmp_path_factory.mktemp("run")
        write(folder / "results.jsonl", *rows_of(policy))
        write(folder / "metadata.json", {"model": f"{policy} {HOSTILE[0]}"})
        found.append(folder)
    return found


def test_page_shows_what_the_report_counted(
    command: Command, runs: list[Path], tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    run = command("report", runs[0], "--html", file, "--json", "--worst", 40)
    assert (run.status, run.err) == (0, "")
    found = json.loads(run.out)
    with chromium() as browser:
        for width in (NARROW, WIDE):
            with opened(browser, file, width) as page:
                assert page.locator("h1").inner_text() == f"Report of naive {HOSTILE[0]}"
                assert page.locator(".chart:visible svg").count() == 5
                grid = page.locator("figure").filter(has_text="Exact answers in %, with the number")
                cells = grid.locator(".mark-text.role-mark text").all_text_contents()
                assert cells == [
                    "-"
                    if cell["exact"] is None
                    else f"{100 * cell['exact']['mean']:.1f} ({cell['rollouts']})"
                    for cell in found["grid"]
                ]
                bars = page.locator("figure").filter(has_text="the mark is how many it would match")
                matched = bars.locator(".mark-text.role-mark text").all_text_contents()
                numbers = [policy["matched"] for policy in found["misconceptions"]["policies"][:12]]
                assert sorted(map(int, matched[:12])) == sorted(numbers)
                bars.locator("path[aria-roledescription=bar]").first.hover(force=True)
                page.locator("#vg-tooltip-element.visible").wait_for()
                assert "by chance" in page.locator("#vg-tooltip-element").inner_text()
                worst = page.locator("details").filter(has_text="alert(2)").first
                worst.locator("summary").first.click()
                worst.locator(".chart svg").wait_for()
                assert "proposed" in worst.locator(".chart").inner_text()
                worst.locator("details summary").click()
                transcript = worst.locator("details pre").inner_text()
                assert f"model: {HOSTILE[0]}\n\\u001b[31mred\\u202e <answer>NONE" in transcript
                assert not unprintable(page.locator("body").inner_text().replace("\t", ""))
                assert len(found["worst"]) == page.locator("section > details").count() - 1


def test_page_of_two_runs_compares_them(command: Command, runs: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    run = command("report", *runs, "--html", file, "--worst", 0)
    assert (run.status, run.err) == (0, "")
    with chromium() as browser:
        for width in (NARROW, WIDE):
            with opened(browser, file, width) as page:
                titles = page.locator("h2").all_inner_texts()
                assert titles[:2] == ["Side by side", f"naive {HOSTILE[0]}: Summary"]
                assert len(titles) == 1 + 2 * 4
                assert page.locator("figure").first.locator("svg").count() == 1
                assert "paired on 31 worlds" in page.locator("section p").first.inner_text()


def test_page_of_a_run_with_one_rollout_is_drawn(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    path = write(tmp_path / "results.jsonl", rows_of("naive")[0])
    assert command("report", path, "--html", file).status == 0
    failed = write(tmp_path / "failed.jsonl", rows_of("naive")[0] | {"error": "boom"})
    assert command("report", failed, "--html", tmp_path / "failed.html").status == 0
    with chromium() as browser:
        for page_file in (file, tmp_path / "failed.html"):
            with opened(browser, page_file) as page:
                titles = page.locator("h2").all_inner_texts()
                assert titles[0] == "Summary"
                assert len(titles) == (5 if page_file is file else 1)


@pytest.mark.parametrize("place", ["missing/page.html", "."])
def test_an_unwritable_page_is_refused_in_one_line(
    place: str, command: Command, runs: list[Path], tmp_path: Path
) -> None:
    run = command("report", runs[0], "--html", tmp_path / place)
    assert (run.status, run.out) == (2, "")
    assert run.error_line().startswith(f"meeting-slot: error: {tmp_path / place}: ")


def test_a_transcript_says_who_said_what_and_counts_what_it_leaves_out() -> None:
    calls = [
        {"id": "1", "name": "get_timezone", "arguments": '{"name": "Ava"}'},
        {"id": "2", "name": "get_ti\x07me", "arguments": ""},
        {"id": "3", "name": "list_attendees", "arguments": "{}"},
    ]
    text = transcript_text(
        [
            {"role": "system", "content": "r" * 1_201},
            {"role": "user", "content": "find it"},
            {"role": "assistant", "reasoning_content": "hm", "content": "", "tool_calls": calls},
            {"role": "tool", "tool_call_id": "3", "content": '["Ava"]'},
            {"role": "tool", "tool_call_id": "1", "content": "Europe/London"},
            {"role": "assistant", "content": "a\nb\x07"},
            {"role": 7},
        ]
    )
    assert text.splitlines() == [
        f"rules: {'r' * 200}",
        "… 1,001 more characters",
        "user: find it",
        "model thinks: hm",
        '  get_timezone {"name": "Ava"}: Europe/London',
        "  get_ti\\u0007me : no answer",
        '  list_attendees {}: ["Ava"]',
        "model: a",
        "b\\u0007",
        "7: ",
    ]
