"""A timeline as a chart: Vega-Lite for a page, SVG for a file.

The same timeline gives the same bytes, whatever the time zone of the machine.
"""

import json
from collections.abc import Collection, Mapping
from typing import Any, Final

from .axis import PLOT_WIDTH, Mark, milliseconds
from .captions import request_text, verdict_lines
from .cells import Shade
from .extra import needs_extra
from .marks import ANSWER, COMMON, PROPOSED, VALID, Marks, marks
from .timeline import Timeline

CHART_WIDTH: Final = 1060
"""In pixels, at most: the labels on both sides included."""

_TALL, _LOW = 48, 32  # a row's height in pixels; low rows have no room for dates
_MOST_TALL: Final = 16
_COLOURS: Final = {
    # Apart in lightness, so that they are told in grey, and with any kind of colour vision.
    Shade.FREE.value: "#56b4e9",
    Shade.PARTLY_FREE.value: "#cfe8f7",
    Shade.BUSY.value: "#8f2d14",
    Shade.OUTSIDE_HOURS.value: "#dedede",
    Shade.DAY_OFF.value: "#a8a8a8",
    COMMON: "#009e73",
    VALID: "#00291d",
}
_OFF_WORK: Final = (Shade.OUTSIDE_HOURS.value, Shade.DAY_OFF.value)
_BAR, _THIN = 16, 5  # heights in pixels
_MARKED: Final = {ANSWER: "#000000", PROPOSED: "#d55e00"}
_CHANGE: Final = "#cc0077"
_SIDE: Final = 150  # pixels for the labels on either side
_LINE: Final = 13  # pixels from a line of text to the next
_TITLES: Final = {"who": "attendee", "kind": "what", "utc": "UTC", "local": "local time"}
"""Of a tooltip's lines, where they are not the names of the fields."""


def chart_spec(timeline: Timeline, *, titled: bool = False) -> dict[str, Any]:
    """Return a chart as Vega-Lite; see `page.Figure`.

    Args:
        timeline: what is drawn.
        titled: the request, the verdict and what is not drawn stand above the chart.

    Raises:
        MeetingSlotError: the extra `report` is not installed.
    """
    with needs_extra():
        import altair as alt
    found = marks(timeline)
    tall = len(timeline.rows) <= _MOST_TALL
    plot = _Plot(found, milliseconds(timeline), tall)
    layers = [plot.axis(), *plot.meetings(), *plot.bars(), *plot.moments(), *plot.labels()]
    height = (_TALL if tall else _LOW) * len(found.rows)
    chart = alt.layer(*layers).resolve_scale(color="independent")
    chart = chart.properties(width=PLOT_WIDTH, height=height)
    if titled:
        lines = [*verdict_lines(timeline), *found.notes]
        chart = chart.properties(title=alt.Title(request_text(timeline), subtitle=lines))
    config = {
        "aria": False,  # its texts would hold instants in the machine's time
        "font": "sans-serif",
        "legend": {"orient": "bottom", "title": None, "symbolType": "square"},
        "title": {"anchor": "start", "frame": "bounds", "fontSize": 14, "subtitleFontSize": 12},
        "view": {"stroke": "#cccccc"},
    }
    spec: dict[str, Any] = chart.to_dict()
    return {**spec, "config": config}


def chart_svg(timeline: Timeline) -> str:
    """Return a chart as SVG, with its title.

    Raises:
        MeetingSlotError: the extra `report` is not installed.
    """
    spec = chart_spec(timeline, titled=True)
    with needs_extra():
        import vl_convert
    return str(vl_convert.vegalite_to_svg(spec))


def chart_notes(timeline: Timeline) -> list[str]:
    """Return what of a timeline its chart does not show, or not exactly."""
    return marks(timeline).notes


class _Plot:
    """The layers of a chart; all share their two axes."""

    def __init__(self, found: Marks, domain: tuple[int, int], tall: bool) -> None:
        import altair as alt

        self._alt: Any = alt
        self._marks = found
        self._tall = tall
        self._domain = domain
        self._y = alt.Y(
            "row:N", scale=alt.Scale(domain=found.rows, padding=0), axis=None, sort=None
        )

    def axis(self) -> Any:
        """Return the layer that lays down the time axis: it is the same for all others."""
        alt = self._alt
        ticks = self._marks.ticks
        axis = alt.Axis(
            orient="top",
            title="UTC",
            values=list(ticks),
            labelExpr=f"{json.dumps(ticks)}[toNumber(datum.value)]",
            gridColor="#e8e8e8",
        )
        scale = alt.Scale(type="utc", domain=list(self._domain), nice=False)
        return self._chart([], alt.X("at:T", scale=scale, axis=axis)).mark_rule()

    def meetings(self) -> list[Any]:
        """Return the answer and the proposed one, through all rows, and what is said of them."""
        colour = self._colour(_MARKED, legend=False)
        band = self._chart(self._marks.meetings, self._x("start")).encode(color=colour)
        return [
            band.mark_rect(opacity=0.2).encode(x2="end:T"),
            band.mark_rule(strokeWidth=1.5),
            *self._texts(self._marks.verdicts, colour),
        ]

    def bars(self) -> list[Any]:
        """Return what everybody is when: full bars of what is free or busy, thin ones else."""
        full = _COLOURS.keys() - {*_OFF_WORK, VALID}
        return [
            self._chart(self._bars_of(kinds), self._x("start"), self._y)
            .mark_bar(height=height, yOffset=self._shift + shift, **line)
            .encode(
                x2="end:T",
                color=self._colour(_COLOURS, legend=kinds is full),
                tooltip=self._tooltip("who", "kind", "utc", "local"),
            )
            for kinds, height, shift, line in (
                (_OFF_WORK, _THIN, 0, {}),
                (full, _BAR, 0, {}),
                ({VALID}, _THIN, _BAR, {"stroke": _COLOURS[VALID]}),  # one minute is seen, too
            )
        ]

    def _bars_of(self, kinds: Collection[str]) -> list[Mark]:
        return [bar for bar in self._marks.bars if bar["kind"] in kinds]

    def moments(self) -> list[Any]:
        """Return local midnights and changes of offset, each in its row."""
        dates = self._chart(self._marks.dates, self._x("at"), self._y)
        changes = self._chart(self._marks.changes, self._x("at"), self._y)
        tooltip = self._tooltip("who", "utc", "local")
        ticks = [
            dates.mark_tick(
                orient="vertical", size=_BAR + 6, thickness=1, color="#444444", yOffset=self._shift
            ).encode(tooltip=tooltip),
            changes.mark_tick(
                orient="vertical", size=_BAR + 12, thickness=3, color=_CHANGE, yOffset=self._shift
            ).encode(tooltip=tooltip),
        ]
        dates_text = {"dy": -_BAR, "fontSize": 9}
        changes_text = {"dy": _BAR + 1 if self._tall else -9, "fontSize": 9}
        return [
            *ticks,
            *self._texts(self._marks.dates if self._tall else [], "#444444", **dates_text),
            *self._texts(self._marks.changes, _CHANGE, **changes_text),
        ]

    def labels(self) -> list[Any]:
        """Return who it is, on the left, and what the clock shows at both ends."""
        left, right = self._alt.value(-8), self._alt.value(PLOT_WIDTH + 8)
        names, texts = {"fontSize": 11, "fontWeight": "bold"}, {"fontSize": 9, "color": "#555555"}
        lines = [
            ("name", left, -_LINE, names),
            ("zone", left, 0, texts),
            ("first", left, _LINE, texts),
            ("last", right, -_LINE / 2, texts),
            ("last_offset", right, _LINE / 2, texts),
        ]
        if not self._tall:
            lines = [
                ("name", left, -_LINE / 2, names),
                ("first", left, _LINE / 2, texts),
                ("last", right, -_LINE / 2, texts),
                ("last_offset_zone", right, _LINE / 2, texts),
            ]
        tooltip = self._tooltip("who", "zone")
        titles = self._chart(self._marks.titles, left, self._y)
        return [
            titles.mark_text(align="right", **names).encode(text="name:N"),
            *(
                self._chart(self._marks.labels, x, self._y)
                .mark_text(align="right" if x is left else "left", dy=dy, limit=_SIDE, **font)
                .encode(text=f"{field}:N", tooltip=tooltip)
                for field, x, dy, font in lines
            ),
        ]

    def _texts(self, values: list[Mark], colour: Any, **properties: Any) -> list[Any]:
        """Return labels that stand after or before their instants, over whatever is there."""
        layers = []
        for after in (True, False):
            some = [mark for mark in values if mark["label"] and mark["after"] is after]
            text = self._chart(some, self._x("at"), self._y).encode(text="label:N")
            place = {"align": "left" if after else "right", "dx": 3 if after else -3, **properties}
            layers += [
                text.mark_text(**place, stroke="white", strokeWidth=3, strokeJoin="round"),
                text.mark_text(**place).encode(
                    color=self._alt.value(colour) if isinstance(colour, str) else colour
                ),
            ]
        return layers

    @property
    def _shift(self) -> int:
        """How far below the middle of its row a bar stands."""
        return 0 if self._tall else 5

    def _chart(self, values: list[Mark], x: Any, y: Any = None) -> Any:
        chart = self._alt.Chart(self._alt.Data(values=values)).encode(x=x)
        return chart if y is None else chart.encode(y=y)

    def _x(self, field: str) -> Any:
        return self._alt.X(f"{field}:T")

    def _colour(self, colours: Mapping[str, str], *, legend: bool) -> Any:
        scale = self._alt.Scale(domain=list(colours), range=list(colours.values()))
        drawn = self._alt.Legend(columns=len(colours)) if legend else None
        return self._alt.Color("kind:N", scale=scale, legend=drawn)

    def _tooltip(self, *fields: str) -> list[Any]:
        return [
            self._alt.Tooltip(f"{field}:N", title=_TITLES.get(field, field)) for field in fields
        ]
