"""The charts of a report that bars and heat maps do not cover: fits, matches, differences."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..pictures.extra import needs_extra
from ..pictures.page import Figure
from ..pictures.plots import BLUE
from .clustered import Estimate
from .comparison import Comparison
from .fits import Fit
from .misconceptions import PolicyMatches
from .rows import interval, number

_ORANGE: Final = "#c2571a"
"""The colour of what was computed, beside what was counted."""
_HEIGHT: Final = 220
_ROW: Final = 24
_LABEL: Final = 230
_CURVE_POINTS: Final = 60


def fit_figure(shares: Mapping[float, Estimate], fit: Fit, *, of: str, caption: str) -> Figure:
    """Return the shares of right answers with their intervals, and the fitted curve, if any.

    Args:
        shares: by the measure's value, or by the middle of several values.
        fit: on this measure alone.
        of: what the measure is, as the axis says it.
        caption: of the figure.
    """
    alt = _altair()
    points = [
        {
            "x": value,
            "share": 100 * found.mean,
            "low": 100 * (found.low or 0),
            "high": 100 * (found.high or 0),
            "told": f"{number(found.mean, 'exact')} %, 95 % interval {interval(found, 'exact')}, "
            f"{found.values} rollouts of {found.clusters} worlds",
        }
        for value, found in shares.items()
    ]
    scale = alt.Scale(nice=False, padding=12, zero=False)
    x = alt.X("x:Q", title=of, scale=scale, axis=alt.Axis(format="d", tickMinStep=1))
    y = alt.Y("share:Q", title="exact answers, %", scale=alt.Scale(domain=[0, 100]))
    base = alt.Chart(alt.Data(values=points)).encode(
        x=x, tooltip=[alt.Tooltip("x:Q", title=of), alt.Tooltip("told:N", title="exact")]
    )
    layers = [
        base.mark_rule(color=BLUE).encode(y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_circle(color=BLUE, opacity=1, size=60).encode(y=y),
    ]
    if curve := _curve(shares, fit):
        drawn = alt.Chart(alt.Data(values=curve))
        layers.append(drawn.mark_line(color=_ORANGE).encode(x=x, y=y))
    return _figure(alt.layer(*layers), _HEIGHT, caption)


def matches_figure(policies: Sequence[PolicyMatches], caption: str) -> Figure:
    """Return how many wrong answers each policy gives, and how many by chance, as a mark."""
    alt = _altair()
    rows = [
        {
            "policy": one.policy,
            "matched": one.matched,
            "chance": one.by_chance,
            "alone": one.alone,
            "share": f"{one.share:.1f}",
        }
        for one in policies
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("policy:N", sort=None, title=None, axis=alt.Axis(labelLimit=_LABEL)),
        tooltip=[
            alt.Tooltip("policy:N"),
            alt.Tooltip("matched:Q"),
            alt.Tooltip("alone:Q"),
            alt.Tooltip("share:N"),
            alt.Tooltip("chance:Q", title="by chance", format=".1f"),
        ],
    )
    x = alt.X("matched:Q", title="wrong answers")
    text = base.mark_text(align="left", dx=4, aria=False).encode(x=x, text="matched:Q")
    layers = [base.mark_bar(color=BLUE, opacity=0.55).encode(x=x), text]
    if all(one.by_chance is not None for one in policies):
        mark = base.mark_tick(color=_ORANGE, thickness=3, size=_ROW * 0.8)
        layers.append(mark.encode(x="chance:Q"))
    return _figure(alt.layer(*layers), _ROW * max(len(rows), 1), caption)


def differences_figure(names: Sequence[str], comparisons: Sequence[Comparison]) -> Figure:
    """Return the difference of exact answers of each comparison, with its interval, around 0."""
    alt = _altair()
    rows = []
    for name, comparison in zip(names, comparisons, strict=True):
        found = next(d.difference for d in comparison.differences if d.measure == "exact")
        low, high = (found.mean if end is None else end for end in (found.low, found.high))
        told = f"{number(found.mean, 'exact', sign=True)}, {interval(found, 'exact')}"
        row = {"name": name, "mean": 100 * found.mean, "low": 100 * low, "high": 100 * high}
        rows.append({**row, "told": told})
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("name:N", sort=None, title=None, axis=alt.Axis(labelLimit=_LABEL)),
        tooltip=[alt.Tooltip("name:N"), alt.Tooltip("told:N", title="percentage points")],
    )
    x = alt.X("mean:Q", title="exact answers, percentage points")
    zero = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(color="#999").encode(x="zero:Q")
    line = base.mark_rule(color=BLUE, strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q")
    point = base.mark_circle(color=BLUE, opacity=1, size=70).encode(x=x)
    caption = "Differences of exact answers, paired by world, with 95 % intervals."
    return _figure(alt.layer(zero, line, point), 36 * len(rows), caption)


def _curve(shares: Mapping[float, Estimate], fit: Fit) -> list[dict[str, float]]:
    if fit.problem or len(shares) < 2:
        return []
    first, last = min(shares), max(shares)
    places = [first + (last - first) * i / _CURVE_POINTS for i in range(_CURVE_POINTS + 1)]
    return [{"x": x, "share": 100 * (fit.chance(x) or 0.0)} for x in places]


def _altair() -> Any:
    with needs_extra():
        import altair

    return altair


def _figure(chart: Any, height: int, caption: str) -> Figure:
    return Figure(chart.properties(width="container", height=height).to_dict(), caption)
