"""The audit as a page: what splits hold, how hard they are, how far shortcuts get on them."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from ..audit import Audit, SplitAudit
from ..audit_facts import NOTHING, facts, percent
from ..errors import printable
from ..instants import WEEKDAY_NAMES
from ..measures import Band
from ..parsing import parse_world
from ..policies import CORE
from ..rates import Rate
from .page import Block, Figure, Folded, Paragraph, Section, Table, page_html
from .plots import Cell, bars, columns, heat

_ZONES_DRAWN: Final = 25
"""So many zones are drawn; all are in the table."""
_STEP: Final = 5
"""Calls that share a column of a histogram."""
_QUARTERS: Final = (0, 15, 30, 45)
_TENTHS: Final = 10
_EXACT: Final = "exact answers, %"
_WORLDS: Final = "worlds"


def audit_page(audit: Audit) -> str:
    """Return the page of an audit, a whole HTML document.

    The hardest worlds are drawn where the audit kept them, see `features.features`.

    Raises:
        MeetingSlotError: the extra `report` is not installed.
    """
    names = ", ".join(printable(split.split) for split in audit.splits)
    several = len(audit.splits) > 1
    return page_html(
        f"Audit of {names}",
        [
            Section(f"{printable(split.split)}: {title}" if several else title, blocks)
            for split in audit.splits
            for title, blocks in _sections(split)
        ],
        lead="Hardness counts the core policies, shortcuts with one misconception each, that "
        "answer wrong; load counts the tool calls that read everything. Neither is fitted to "
        "models.",
    )


def _sections(split: SplitAudit) -> Iterator[tuple[str, list[Block]]]:
    yield "What it holds", _worlds(split)
    yield "Hardness and load", _hardness_and_load(split)
    yield "How far shortcuts get", [_panel(split)]
    yield "Blind guesses", [_guesses(split)]
    yield "Answers", _answers(split)
    yield "Zones and changes of offset", _zones(split)
    yield "Calls of the smallest proof", [_floors(split)]
    yield "Hardest worlds", _hardest(split)


def _worlds(split: SplitAudit) -> list[Block]:
    worlds = "world" if split.worlds == 1 else "worlds"
    counted = f"{split.worlds} {worlds}, panel {split.panel}, IANA {split.iana}"
    leaks = [(printable(leak.split), str(leak.worlds)) for leak in split.leaks]
    blocks: list[Block] = [
        Table(
            ("of the worlds", ""),
            [(label.replace("    ", "· "), value) for label, value in facts(split).items()],
            counted,
        )
    ]
    if leaks:
        blocks.append(Table(("also in", _WORLDS), leaks, "Leaks: worlds of another split, too."))
    return blocks


def _hardness_and_load(split: SplitAudit) -> list[Block]:
    hardness = split.histograms["hardness"]
    most = max((count for sizes in split.bands.values() for count in sizes.values()), default=0)
    grid = {
        band.value: {
            size.value: Cell(
                count / most if most else None,
                str(count),
                f"{count} worlds, {percent(count, split.worlds)}",
            )
            for size, count in split.bands[band].items()
        }
        for band in Band
    }
    return [
        columns(
            {failed: hardness.get(failed, 0) for failed in range(len(CORE) + 1)},
            of="core policies that answer wrong",
            count=_WORLDS,
            caption="Hardness, in twelfths: easy up to 4, medium up to 8, hard above.",
        ),
        _calls(split.histograms["load"], "calls to read everything", "Load, in tool calls."),
        heat(
            grid,
            rows="hardness",
            across="load",
            caption="Worlds by band of hardness and size of load: S up to 15 calls, M up to 35, L "
            "above.",
        ),
    ]


def _panel(split: SplitAudit) -> Figure:
    cells = {}
    for policy in split.policies:
        rates = {"all": policy.rates.overall} | {
            band.value: rate for band, rate in policy.rates.bands.items()
        }
        cells[policy.name] = {name: _cell(rate) for name, rate in rates.items()}
    return heat(
        cells,
        rows="policy",
        across="band of hardness",
        caption="Exact answers of each policy, in %: core policies first, then special ones, "
        "baselines and those that exploit a generator's habits.",
    )


def _cell(rate: Rate) -> Cell:
    if rate.exact is None or rate.reward is None:
        return Cell(None, NOTHING, "no worlds")
    exact = f"{100 * rate.exact:.1f}"
    return Cell(
        rate.exact, exact, f"exact {exact} %, mean reward {rate.reward:.2f}, {rate.worlds} worlds"
    )


def _guesses(split: SplitAudit) -> Figure:
    shares = {
        f"{guess.name}: {guess.says}" if guess.says else guess.name: guess.rate.exact
        for guess in split.guesses
    }
    return bars(
        {name: 100 * (share or 0.0) for name, share in shares.items()},
        of="guess",
        value=_EXACT,
        texts={n: NOTHING if s is None else f"{100 * s:.1f}" for n, s in shares.items()},
        most=100,
        caption="What a guess without any tool call earns. The constant ones are the best of this "
        "split, chosen with its answers in sight; those from the prompt or the names alone are "
        "learned and cross-validated.",
    )


def _answers(split: SplitAudit) -> list[Block]:
    minutes = Counter(split.histograms["minute_of_hour"])
    quarters = {f":{minute:02}": minutes.pop(minute, 0) for minute in _QUARTERS}
    weekdays, tenths = split.histograms["weekday"], split.histograms["position"]
    plots = {
        "minute of the hour": quarters | {"other": minutes.total()},
        "weekday": {name[:3]: weekdays.get(day, 0) for day, name in enumerate(WEEKDAY_NAMES)},
        "tenth of the window": {str(tenth + 1): tenths.get(tenth, 0) for tenth in range(_TENTHS)},
    }
    return [
        columns(counts, of=of, count=_WORLDS, caption=f"The answer's {of}, in UTC.")
        for of, counts in plots.items()
    ]


def _zones(split: SplitAudit) -> list[Block]:
    most = dict(sorted(split.zones.items(), key=lambda zone: -zone[1])[:_ZONES_DRAWN])
    rows = [
        (zone, str(worlds), str(split.shifts.covered.get(zone, 0)))
        for zone, worlds in split.zones.items()
    ]
    drawn = "" if len(most) == len(split.zones) else f", the {len(most)} most frequent"
    return [
        bars(most, of="zone", value=_WORLDS, caption=f"Worlds in which a zone occurs{drawn}."),
        Folded(
            f"All {len(rows)} zones",
            [
                Table(
                    ("zone", _WORLDS, "changes"),
                    rows,
                    "Worlds of each zone, and how many different changes of its offset lie in a "
                    "window.",
                )
            ],
        ),
    ]


def _floors(split: SplitAudit) -> Figure:
    return _calls(
        split.histograms["floor"],
        "calls of the smallest proof",
        f"The fewest calls that prove the answer, for somebody who knows it; not proven to be the "
        f"fewest in {split.floors_unproven} worlds.",
    )


def _calls(histogram: Mapping[int, int], of: str, caption: str) -> Figure:
    """Return a histogram of calls, several numbers of calls a column."""
    steps: Counter[int] = Counter()
    for calls, worlds in histogram.items():
        steps[calls // _STEP] += worlds
    shown = range(min(steps, default=0), max(steps, default=-1) + 1)
    return columns(
        {f"{step * _STEP} to {step * _STEP + _STEP - 1}": steps[step] for step in shown},
        of=of,
        count=_WORLDS,
        caption=caption,
    )


def _hardest(split: SplitAudit) -> list[Block]:
    blocks: list[Block] = []
    for hard in split.hardest:
        failed = f"{hard.core_failed} of {len(CORE)} core policies fail, {hard.calls} calls"
        summary = f"{printable(hard.id)}: {failed}"
        world = parse_world(json.loads(hard.line)) if hard.line else None
        blocks.append(Paragraph(summary) if world is None else Folded(summary, []))
    return blocks
