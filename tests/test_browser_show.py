"""The page of `show` in a real browser: quiet, whole at two widths, with UTC and local times."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page

from meeting_slot import curated_worlds, parse_world
from meeting_slot.pictures.axis import PLOT_WIDTH
from meeting_slot.pictures.timeline import timeline
from meeting_slot.pictures.world_page import world_page
from meeting_slot.world import World
from tests.conftest import a_world
from tests.world_objects import attendee_object, world_object

from .browser import NARROW, WIDE, chromium, opened

COLOURS = {
    "free": "#56b4e9",
    "busy": "#8f2d14",
    "outside hours": "#dedede",
    "day off": "#a8a8a8",
    "everyone free": "#009e73",
    "valid start": "#00291d",
}
ALL_WEEK = (0, 1, 2, 3, 4, 5, 6)
HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "שלום עולם",
    "مرحبا",
    "👩‍👩‍👧 Zoë",
    "N" * 64,
    "山田太郎",
    "a & b \" ' `${1}` {{2}}",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def page_of(world: World, folder: Path, proposed: str | None = None) -> Path:
    file = folder / "page.html"
    file.write_text(world_page(world, proposed), encoding="utf-8")
    return file


def bars(page: Page, kind: str) -> Locator:
    """Return the bars of a kind in the first chart, the legend's squares left aside."""
    return page.locator(f'#chart-0 .role-mark path[fill="{COLOURS[kind]}"]')


def hover(page: Page, kind: str) -> str:
    """Hover over the first bar of a kind, and return the lines of the tooltip."""
    bars(page, kind).first.hover(force=True)
    tooltip = page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    return tooltip.inner_text()


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_hovering_tells_utc_and_local_time(browser: Browser, tmp_path: Path, width: int) -> None:
    """Farid is busy on Friday 09:00-17:00 in London; Ava is, at UTC-5, from 14:00Z.

    Each is off work before and after work on Friday and on Monday: eight times for the two.
    """
    file = page_of(parse_world(a_world()), tmp_path, "2024-03-11T14:00:00Z")
    with opened(browser, file, width) as page:
        assert [bars(page, kind).count() for kind in COLOURS] == [2, 2, 8, 2, 1, 1]
        said = hover(page, "busy")
        for text in (
            "Ava",
            "busy",
            "Fri 2024-03-08 14:00-22:00 UTC",
            "Fri 2024-03-08 09:00-17:00 UTC-05:00",
        ):
            assert text in said
        verdict = page.locator("pre").inner_text()
        assert verdict.startswith("wrong: 2024-03-11T14:00:00Z\n  everyone is free then")
        texts = page.locator("#chart-0 text").all_text_contents()
        assert {"2024-03-11T13:00:00Z", "2024-03-11T14:00:00Z, wrong"} <= set(texts)
        assert "UTC-05:00 -> -04:00" in texts
        assert page.locator("#chart-1 svg").count() == 1  # the hours around the answer


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_hostile_names_are_shown_as_text(browser: Browser, tmp_path: Path, width: int) -> None:
    cast = [
        attendee_object(name, zone, "00:00-24:00", ALL_WEEK)
        for name, zone in zip(HOSTILE, ["Asia/Kathmandu", "Europe/London"] * 4, strict=True)
    ]
    world = parse_world(
        world_object(*cast, id=HOSTILE[0], window_start="2024-10-26", window_days=3)
    )
    with opened(browser, page_of(world, tmp_path), width) as page:
        names = page.locator("table").first.locator("tbody tr td:first-child").all_inner_texts()
        assert [name.replace("\n", "") for name in names] == list(HOSTILE)
        assert page.title() == f"World {HOSTILE[0]}"
        texts = page.locator("#chart-0 text").all_text_contents()
        assert {name for name in HOSTILE if len(name) < 20} <= set(texts)
        assert page.locator("img").count() == 0
        assert HOSTILE[0] in hover(page, "free")


def test_no_two_texts_of_a_chart_overlap(browser: Browser, tmp_path: Path) -> None:
    """Eight people, fourteen days, a clock change in five zones."""
    zones = (
        *("America/New_York", "Europe/London", "Asia/Kathmandu", "Australia/Lord_Howe"),
        *("America/Havana", "Asia/Tokyo", "Africa/Casablanca", "Pacific/Chatham"),
    )
    cast = [attendee_object(f"Person {i}", zone, "06:00-23:00") for i, zone in enumerate(zones)]
    world = parse_world(world_object(*cast, window_start="2024-03-04", window_days=14))
    with opened(browser, page_of(world, tmp_path, "2024-03-06T12:00:00Z")) as page:
        boxes = page.locator("#chart-0 svg").evaluate(
            """svg => [...svg.querySelectorAll("text")]
                .filter(text => text.textContent && text.getAttribute("stroke") !== "white")
                .map(text => [text.textContent, text.getBoundingClientRect()])
                .map(([text, box]) => [text, box.left, box.right, box.top + 2, box.bottom - 2])"""
        )
    assert len(boxes) > 100
    for number, (text, left, right, top, bottom) in enumerate(boxes):
        for other, *box in boxes[:number]:
            apart = right <= box[0] or box[1] <= left or bottom <= box[2] or box[3] <= top
            assert apart, (text, other)


def test_bars_stand_where_the_timeline_says(browser: Browser, tmp_path: Path) -> None:
    world = next(one for one in curated_worlds() if one.id == "overlapping_busy")
    drawn = timeline(world)
    shown: dict[str, list[tuple[float, float]]] = {}
    with opened(browser, page_of(world, tmp_path)) as page:
        for kind in list(COLOURS)[:4]:
            for bar in bars(page, kind).all():
                box = bar.bounding_box()
                assert box is not None
                shown.setdefault(kind, []).append((box["x"], box["width"]))
    left = shown["day off"][0][0]  # the timeline begins on a Sunday evening
    minute = PLOT_WIDTH / (drawn.end - drawn.start)
    stretches = [stretch for row in drawn.rows for stretch in row.stretches]
    for kind, bars_shown in shown.items():
        places = [
            (left + minute * (start - drawn.start), minute * (end - start))
            for start, end, state in stretches
            if state.value == kind
        ]
        for found, place in zip(bars_shown, places, strict=True):
            assert found == pytest.approx(place, abs=0.6)
