"""Plots: each number is in the picture, in the order given, and told when pointed at."""

from pathlib import Path

from playwright.sync_api import Page

from meeting_slot.pictures.page import Figure, Section, page_html
from meeting_slot.pictures.plots import Cell, bars, columns, heat

from .browser import NARROW, WIDE, chromium, opened

NAMES = ("zulu", "<b>alpha</b>", "mike", "עברית")
FIGURES: tuple[Figure, ...] = (
    columns({2: 4, 0: 1, 11: 0}, of="policies that fail", count="worlds", caption="Columns"),
    bars(
        dict(zip(NAMES, (8.5, 0.0, 30.0, 1.0), strict=True)),
        of="guess",
        value="exact, %",
        caption="Bars",
        texts={"zulu": "8.5 of 100"},
        most=100,
    ),
    heat(
        {
            row: {band: Cell(rate, f"{rate:.1f}", f"{rate:.1f} of 9") for band in ("z", "a")}
            for row, rate in zip(NAMES, (0.0, 0.5, 0.7, 1.0), strict=True)
        },
        rows="policy",
        across="band",
        caption="Heat",
    ),
)


def labels(page: Page, chart: int, axis: str) -> list[str]:
    """Return the labels of an axis, in the order they stand in."""
    found = page.locator(f"#chart-{chart} .role-axis-label text").all()
    place = {"x": "x", "y": "y"}[axis]
    boxes = [(one.bounding_box(), one.text_content() or "") for one in found]
    return [text for box, text in sorted(boxes, key=lambda one: one[0][place] if one[0] else 0)]


def test_plots_show_each_number_in_its_place(tmp_path: Path) -> None:
    file = tmp_path / "plots.html"
    file.write_text(page_html("Plots", [Section("All", FIGURES)]), encoding="utf-8")
    with chromium() as browser:
        for width in (NARROW, WIDE):
            with opened(browser, file, width) as page:
                across = [text for text in labels(page, 0, "x") if text in ("0", "2", "11")]
                assert across[-3:] == ["2", "0", "11"]
                assert [text for text in labels(page, 1, "y") if text in NAMES] == list(NAMES)
                texts = page.locator("#chart-1 .mark-text.role-mark text").all_text_contents()
                assert texts == ["8.5 of 100", "0", "30", "1"]
                assert [text for text in labels(page, 2, "y") if text in NAMES] == list(NAMES)
                cells = page.locator("#chart-2 .mark-text.role-mark text").all_text_contents()
                assert cells == ["0.0", "0.0", "0.5", "0.5", "0.7", "0.7", "1.0", "1.0"]
                page.locator("#chart-2 .mark-rect.role-mark path").last.hover(force=True)
                page.locator("#vg-tooltip-element.visible").wait_for()
                told = page.locator("#vg-tooltip-element").inner_text()
                assert "עברית" in told
                assert "1.0 of 9" in told


def test_an_axis_of_counts_has_whole_numbers_only() -> None:
    spec = columns({0: 1, 1: 2}, of="x", count="worlds", caption="").spec
    assert spec["encoding"]["y"]["axis"] == {"format": "d", "tickCount": 2}
