"""What a notebook shows of hostile text, in a real browser: text and images, and nothing runs."""

from pathlib import Path

import pytest

import meeting_slot as ms
from meeting_slot.pictures import notebook
from tests.browser import NARROW, WIDE, chromium, opened
from tests.conftest import a_world

NAMES = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\u05d0\u05d1 \u0645",
    "x" * 64,
]


def hostile_world() -> ms.World:
    person = a_world()["attendees"][0]
    people = [{**person, "name": name} for name in NAMES]
    return ms.parse_world(a_world(id="</td><script>alert(3)</script>", attendees=people))


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_hostile_text_is_shown_and_does_nothing(tmp_path: Path, width: int) -> None:
    world = hostile_world()
    proposed = ms.Verdict("<script>alert(4)</script>", "NONE", ms.why_not(world, None))
    shown = [
        world._repr_html_(),
        notebook.world_table(world),
        ms.verify(world, "2024-03-08T15:00:00Z")._repr_html_(),
        proposed._repr_html_(),
        ms.panel(world)._repr_html_(),
        ms.certificate(world)._repr_html_(),
    ]
    cells = "".join(
        f'<div style="overflow-x: auto">{one}</div>' for one in shown
    )  # as Jupyter does
    file = tmp_path / "cells.html"
    file.write_text(f'<!doctype html><meta charset="utf-8"><body>{cells}', encoding="utf-8")
    with chromium() as browser, opened(browser, file, width) as page:
        assert page.locator("script").count() == 0
        assert page.locator("table").count() == 5
        image = page.locator("img")
        assert image.count() == 1
        assert image.evaluate("one => one.complete && one.naturalWidth > 300")
        assert image.bounding_box()["width"] <= width  # type: ignore[index]
        for name in NAMES:
            assert page.get_by_text(name, exact=True).first.is_visible()
        # Written from right to left, a name still stands where the sentence begins.
        (busy,) = [one for one in page.locator("td").all() if NAMES[2] + " is" in one.inner_text()]
        assert busy.locator("bdi").evaluate("one => getComputedStyle(one).direction") == "ltr"
