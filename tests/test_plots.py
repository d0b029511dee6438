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


def labels(page: Page, chart: int, across: bool) -> list[str]:
    """Return the labels of a chart's axes in the order they stand in, from the left or the top."""
    found = []
    for label in page.locator(f"#chart-{chart} .role-axis-label text").all():
        box = label.bounding_box()
        assert box is not None
        found.append((box["x"] if across else box["y"], label.text_content() or ""))
    return [text for _, text in sorted(found)]


def rows(page: Page, chart: int) -> list[str]:
    return [label for label in labels(page, chart, across=False) if label in NAMES]


def test_plots_show_each_number_in_its_place(tmp_path: Path) -> None:
    file = tmp_path / "plots.html"
    file.write_text(page_html("Plots", [Section("All", FIGURES)]), encoding="utf-8")
    with chromium() as browser:
        for width in (NARROW, WIDE):
            with opened(browser, file, width) as page:
                assert labels(page, 0, across=True)[-3:] == ["2", "0", "11"]
                assert [text for text in labels(page, 1, across=False) if text in NAMES] == list(
                    NAMES
                )
                texts = page.locator("#chart-1 .mark-text.role-mark text").all_text_contents()
                assert texts == ["8.5 of 100", "0", "30", "1"]
                assert [text for text in labels(page, 2, across=False) if text in NAMES] == list(
                    NAMES
                )
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
