"""A page: text, tables and charts in one HTML file that needs no network.

Whatever text comes in is shown as text. The charts' library stands in the file once, and the file
itself tells the browser to fetch nothing.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

import msgspec

from .extra import needs_extra

_TEMPLATE: Final = "page.html.jinja"


class Paragraph(msgspec.Struct, frozen=True, tag=True):
    """A paragraph."""

    text: str


class Table(msgspec.Struct, frozen=True, tag=True):
    """A table; columns whose cells are all numbers, dashes or empty stand to the right.

    Attributes:
        header: the columns' names.
        rows: the cells, as many a row as there are columns.
        caption: what is counted, and in which unit.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


class Figure(msgspec.Struct, frozen=True, tag=True):
    """A chart.

    Attributes:
        spec: Vega-Lite, as `altair.Chart.to_dict` gives it. With the width `container` it takes
            the page's; its height is then in pixels, not by steps, of which the browser would warn.
        caption: what is to be seen, for those too who do not see it.
        min_width: in pixels; a narrower page scrolls the chart, not itself.
    """

    spec: Mapping[str, Any]
    caption: str
    min_width: int = 320


class Verbatim(msgspec.Struct, frozen=True, tag=True):
    """Text whose line breaks stay; long lines are wrapped."""

    text: str


class Folded(msgspec.Struct, frozen=True, tag=True):
    """What is shown when its summary is clicked."""

    summary: str
    blocks: "Sequence[Block]"


Block: TypeAlias = Paragraph | Table | Figure | Verbatim | Folded


class Section(msgspec.Struct, frozen=True):
    """Blocks under a heading."""

    title: str
    blocks: Sequence[Block]


def page_html(title: str, sections: Sequence[Section], *, lead: str = "") -> str:
    """Return the page, a whole HTML document.

    Args:
        title: of the window, and the first heading.
        sections: in their order.
        lead: a sentence or two below the title.

    Raises:
        MeetingSlotError: the extra `report` is not installed.
    """
    with needs_extra():
        import jinja2

        environment = jinja2.Environment(
            loader=jinja2.PackageLoader(__package__),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
    figures = list(_figures([block for section in sections for block in section.blocks]))
    return environment.get_template(_TEMPLATE).render(
        title=title,
        lead=lead,
        sections=sections,
        library=_library() if figures else "",
        specs=_in_script([dict(figure.spec) for figure in figures]),
        number_of={id(figure): number for number, figure in enumerate(figures)},
        kind_of=lambda block: type(block).__name__,
        identity=id,
        right_of=_right_columns,
    )


def _figures(blocks: Sequence[Block]) -> Iterator[Figure]:
    for block in blocks:
        if isinstance(block, Figure):
            yield block
        elif isinstance(block, Folded):
            yield from _figures(block.blocks)


def _right_columns(table: Table) -> set[int]:
    """Return the numbers of the columns that hold numbers only."""
    columns = list(zip(*table.rows, strict=True))
    return {number for number, cells in enumerate(columns) if all(map(_is_number, cells))}


def _is_number(cell: str) -> bool:
    return not cell.strip("0123456789.,+-%[] \N{MINUS SIGN}\N{EN DASH}\N{PLUS-MINUS SIGN}")


def _in_script(value: object) -> str:
    """Return JSON that ends no script element, whatever strings it holds."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _library() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, of the version that Altair speaks."""
    with needs_extra():
        import altair
        import vl_convert

    version = altair.SCHEMA_VERSION.rpartition(".")[0]
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", version)
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")
