"""Pages: whole files without a network, in which text is text."""

import json
import re
from pathlib import Path

import pytest

from meeting_slot.pictures.page import (
    Figure,
    Folded,
    Paragraph,
    Section,
    Table,
    Verbatim,
    page_html,
)

from .browser import NARROW, WIDE, chromium, opened

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script><!--",
    "<img src=x onerror=alert(1)>",
    "{{ 7 * 7 }} {% raw %}",
    "שלום",
    "مرحبا",
    "👩‍👩‍👧",
    "N" * 64,
    "a & b \" ' `${1}`",
)


def figure(*names: str) -> Figure:
    """Return a bar a name."""
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": [{"name": name, "n": n} for n, name in enumerate(names, 1)]},
        "mark": "bar",
        "width": "container",
        "height": 200,
        "encoding": {
            "y": {"field": "name", "type": "nominal"},
            "x": {"field": "n", "type": "quantitative"},
            "tooltip": [{"field": "name"}, {"field": "n"}],
        },
    }
    return Figure(spec, f"Bars of {', '.join(names)}")


def hostile_page() -> str:
    return page_html(
        HOSTILE[0],
        [
            Section(
                HOSTILE[1],
                [
                    *(Paragraph(text) for text in HOSTILE),
                    Table(HOSTILE, [HOSTILE], HOSTILE[2]),
                    figure(*HOSTILE),
                    Verbatim("\n".join(HOSTILE)),
                    Folded(HOSTILE[2], [figure(*HOSTILE)]),
                ],
            )
        ],
        lead=HOSTILE[1],
    )


def test_page_shows_hostile_text_as_text(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(hostile_page(), encoding="utf-8")
    with chromium() as browser:
        for width in (NARROW, WIDE):
            with opened(browser, file, width) as page:
                assert page.locator("p").all_inner_texts()[1:] == list(HOSTILE)
                assert page.locator("td").all_inner_texts() == list(HOSTILE)
                assert page.locator("pre").inner_text() == "\n".join(HOSTILE)
                assert page.locator("h1").inner_text() == page.title() == HOSTILE[0]
                assert page.locator("#chart-0 path[aria-roledescription=bar]").count() == 9
                page.locator("#chart-0 path[aria-roledescription=bar]").first.hover(force=True)
                page.locator("#vg-tooltip-element.visible").wait_for()
                shown = page.locator("#vg-tooltip-element").inner_text()
                assert any(text in shown for text in HOSTILE)
                assert page.locator("#chart-1 svg").count() == 0
                page.locator("summary").click()
                page.locator("#chart-1 svg").wait_for()
                assert page.locator("#chart-1 svg").bounding_box()["width"] > 200  # type: ignore[index]


def test_page_holds_the_library_once_and_only_where_there_are_charts() -> None:
    with_charts = page_html("Two", [Section("Charts", [figure("a"), figure("b")])])
    without = page_html("None", [Section("Text", [Paragraph("a")])])
    assert with_charts.count("window.vegaEmbed") == 1
    assert "vegaEmbed" not in without
    assert len(without) < 5_000 < 500_000 < len(with_charts)


def test_page_holds_each_spec_whole() -> None:
    text = page_html("Spec", [Section("Charts", [figure(*HOSTILE)])])
    found = re.search(r"^const specs = (.*);$", text, flags=re.MULTILINE)
    assert found is not None
    assert json.loads(found[1]) == [figure(*HOSTILE).spec]


@pytest.mark.parametrize(
    ("cells", "is_number"),
    [
        (["1", "2.5", "-", ""], True),
        (["12 %", "3.0 [1.0, 5.0]"], True),
        (["1", "none"], False),
        (["2024-03-11T13:00:00Z"], False),
    ],
)
def test_columns_of_numbers_stand_to_the_right(cells: list[str], is_number: bool) -> None:
    text = page_html("T", [Section("S", [Table(["name", "n"], [["x", cell] for cell in cells])])])
    assert ('<th scope="col" class="number">n</th>' in text) is is_number
    assert '<th scope="col">name</th>' in text
