"""Plots of counts and rates: columns, bars and heat maps, each a figure of a page.

Every mark carries its number as text or tells it when pointed at, so that no colour has to be read
exactly.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from .extra import needs_extra
from .page import Figure

if TYPE_CHECKING:
    import altair

BLUE: Final = "#3b6ea5"
"""The colour of what is counted."""
_ROW: Final = 24
"""The height of a bar or of a heat map's row, in pixels."""
_COLUMNS_HEIGHT: Final = 180
_LABEL: Final = 230
"""The longest label of a row, in pixels; a longer one is cut and told when pointed at."""
_DARK: Final = 0.55
"""From this value on the text of a heat map's cell is white."""


class Cell(msgspec.Struct, frozen=True):
    """A cell of a heat map.

    Attributes:
        value: 0 to 1, from white to dark; None where there is nothing to say.
        text: what stands in the cell.
        detail: what is told when it is pointed at.
    """

    value: float | None
    text: str
    detail: str


def columns(
    counts: Mapping[int, int] | Mapping[str, int], *, of: str, count: str, caption: str
) -> Figure:
    """Return upright columns, one a key in the order given: a histogram.

    Args:
        counts: how many of each.
        of: what the keys are, as the axis says it.
        count: what is counted.
        caption: of the figure.
    """
    alt = _altair()
    rows = [{"key": str(key), "n": number} for key, number in counts.items()]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("key:N", sort=None, title=of, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        tooltip=[alt.Tooltip("key:N", title=of), alt.Tooltip("n:Q", title=count)],
    )
    drawn = base.mark_bar(color=BLUE).encode(y=alt.Y("n:Q", title=count, axis=_whole_numbers(rows)))
    return _figure(drawn, _COLUMNS_HEIGHT, caption)


def bars(
    values: Mapping[str, float],
    *,
    of: str,
    value: str,
    caption: str,
    texts: Mapping[str, str] | None = None,
    most: float | None = None,
) -> Figure:
    """Return lying bars, one a key in the order given.

    Args:
        values: how long each is.
        of: what the keys are.
        value: what the length is.
        caption: of the figure.
        texts: what stands at the end of each bar, if not its value.
        most: where the axis ends, if not with the longest bar.
    """
    alt = _altair()
    rows = [
        {"key": key, "value": number, "text": (texts or {}).get(key, f"{number:g}")}
        for key, number in values.items()
    ]
    scale = alt.Scale(domain=[0, most]) if most is not None else alt.Undefined
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("key:N", sort=None, title=None, axis=alt.Axis(labelLimit=_LABEL)),
        x=alt.X("value:Q", title=value, scale=scale),
        tooltip=[alt.Tooltip("key:N", title=of), alt.Tooltip("text:N", title=value)],
    )
    text = base.mark_text(align="left", dx=3, aria=False).encode(text="text:N")
    return _figure(base.mark_bar(color=BLUE) + text, _ROW * max(len(rows), 1), caption)


def heat(
    cells: Mapping[str, Mapping[str, Cell]], *, rows: str, across: str, caption: str
) -> Figure:
    """Return a heat map: a row a key, in it a cell a key, all in the order given.

    Args:
        cells: by row and column; each row has the same columns.
        rows: what the rows are.
        across: what the columns are.
        caption: of the figure.
    """
    alt = _altair()
    names: Sequence[str] = list(next(iter(cells.values()), {}))
    values = [
        {
            "row": row,
            "column": column,
            "value": cell.value,
            "text": cell.text,
            "detail": cell.detail,
            "dark": cell.value is not None and cell.value >= _DARK,
        }
        for row, line in cells.items()
        for column, cell in line.items()
    ]
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "column:N",
            sort=names,
            title=across,
            axis=alt.Axis(orient="top", labelAngle=0, ticks=False, domain=False),
        ),
        y=alt.Y(
            "row:N",
            sort=list(cells),
            title=None,
            axis=alt.Axis(labelLimit=_LABEL, ticks=False, domain=False),
        ),
        tooltip=[
            alt.Tooltip("row:N", title=rows),
            alt.Tooltip("column:N", title=across),
            alt.Tooltip("detail:N", title="value"),
        ],
    )
    squares = base.mark_rect(stroke="white").encode(
        color=alt.Color(
            "value:Q",
            scale=alt.Scale(domain=[0, 1], range=["#f2f6fb", "#16406e"]),
            legend=None,
        )
    )
    text = base.mark_text(aria=False).encode(
        text="text:N",
        color=alt.condition("datum.dark", alt.value("white"), alt.value("#222")),
    )
    return _figure(squares + text, _ROW * max(len(cells), 1), caption)


def _altair() -> Any:
    with needs_extra():
        import altair

    return altair


def _figure(chart: "altair.Chart | altair.LayerChart", height: int, caption: str) -> Figure:
    spec = chart.properties(width="container", height=height).to_dict()
    return Figure(spec, caption)


def _whole_numbers(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return an axis of counts, which has no ticks between whole numbers."""
    alt = _altair()
    most = max((row["n"] for row in rows), default=0)
    return alt.Axis(format="d", tickCount=min(5, max(most, 1)))
