"""The tables of an audit, in 80 columns."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rich.console import Console, RenderableType
from rich.table import Table

from meeting_slot.audit import Audit, PolicyRates, SplitAudit
from meeting_slot.audit_facts import NOTHING, facts, percent
from meeting_slot.errors import printable
from meeting_slot.instants import WEEKDAY_NAMES
from meeting_slot.measures import Band, Size, band_of
from meeting_slot.policies import BASELINES, CORE, INVERSE, specials
from meeting_slot.rates import BandRates, Rate

from .tables import plain_console, plain_table, right

_BAR: Final = 30
_MOST_SKIPS: Final = 8
_SHOWN: Final = {p.name for p in (*CORE, *specials(_MOST_SKIPS), *BASELINES, *INVERSE)}
_OWN_SECTION: Final = ("special", "baseline", "inverse")
"""The groups of policies that are set apart from the core and from each other."""


def print_audit(audit: Audit) -> None:
    """Print the tables of each split to standard output, plain where it is no terminal."""
    with plain_console() as console:
        for split in audit.splits:
            _print_split(console, split)


def _print_split(console: Console, split: SplitAudit) -> None:
    worlds = "world" if split.worlds == 1 else "worlds"
    console.print(printable(split.split), style="bold")
    console.print(f"{split.worlds} {worlds}, panel {split.panel}, IANA {split.iana}")
    for title, parts in _sections(split):
        console.print(f"\n{title}", style="bold")
        for part in parts:
            console.print(part)
    console.print()


def _sections(split: SplitAudit) -> Iterator[tuple[str, list[RenderableType]]]:
    yield "Worlds", [_facts(split)]
    if split.leaks:
        yield "Leaks: worlds that are also in another split", [_leaks(split)]
    yield "Hardness: how many of the 12 core policies answer wrong", [_hardness(split)]
    yield "Load: calls to read everything (S up to 15, M up to 35, L above)", [_load(split)]
    yield (
        "Policies: exact answers in %, and mean reward (1.2 at most)",
        [
            _policies(split.policies),
            f" skip-attendee-K counts the worlds with an attendee K; K above {_MOST_SKIPS}: --json",
        ],
    )
    yield (
        "Blind guesses, without a tool call: exact answers in %, and mean reward",
        [_guesses(split)],
    )
    yield "Answers, in UTC", _answers(split)
    yield "Hardest worlds", [_hardest(split)]


def _facts(split: SplitAudit) -> Table:
    table = Table.grid(padding=(0, 2))
    for label, value in facts(split).items():
        table.add_row(f" {label}", value)
    return table


def _leaks(split: SplitAudit) -> Table:
    table = plain_table(*right("worlds", "share"), "also in")
    for leak in split.leaks:
        share = percent(leak.worlds, split.worlds)
        table.add_row(str(leak.worlds), share, printable(leak.split))
    return table


def _hardness(split: SplitAudit) -> Table:
    table = plain_table("band", *right("failed", "worlds", "share"), "")
    histogram = split.histograms["hardness"]
    most = max(histogram.values(), default=1)
    for failed in range(len(CORE) + 1):
        band = band_of(failed)
        worlds = histogram.get(failed, 0)
        table.add_row(
            "" if failed and band is band_of(failed - 1) else band.value,
            str(failed),
            str(worlds),
            percent(worlds, split.worlds),
            "#" * math.ceil(_BAR * worlds / most),
        )
    return table


def _load(split: SplitAudit) -> Table:
    table = plain_table("band", *right(*(size.value for size in Size), "worlds", "share"))
    rows = {band.value: [sizes[size] for size in Size] for band, sizes in split.bands.items()}
    rows["all"] = [sum(column) for column in zip(*rows.values(), strict=True)]
    for name, counts in rows.items():
        worlds = sum(counts)
        table.add_row(name, *map(str, [*counts, worlds]), percent(worlds, split.worlds))
    table.add_row("share", *(percent(count, split.worlds) for count in rows["all"]))
    return table


def _policies(policies: Iterable[PolicyRates]) -> Table:
    bands = [f"\n{band.value}" for band in Band]
    table = plain_table("\npolicy", *right("exact\nall", *bands, "reward\nall", *bands))
    section = ""
    for policy in policies:
        if policy.name not in _SHOWN:
            continue
        own = policy.group if policy.group in _OWN_SECTION else ""
        if own != section:
            table.add_section()
        section = own
        _add_rates(table, policy.name, policy.rates)
        if policy.with_shift is not None:
            _add_rates(table, "  if an offset changes", policy.with_shift)
    return table


def _add_rates(table: Table, name: str, rates: BandRates) -> None:
    shown = (rates.overall, *rates.bands.values())
    table.add_row(name, *map(_exact, shown), *map(_reward, shown))


def _guesses(split: SplitAudit) -> Table:
    table = plain_table("guess", *right("exact", "reward"), "what it says")
    for guess in split.guesses:
        says = guess.says or "learned, cross-validated"
        table.add_row(guess.name, _exact(guess.rate), _reward(guess.rate), says)
    return table


def _answers(split: SplitAudit) -> list[RenderableType]:
    minutes = Counter(split.histograms["minute_of_hour"])
    quarters = {f":{minute:02}": minutes.pop(minute, 0) for minute in (0, 15, 30, 45)}
    weekdays, tenths = split.histograms["weekday"], split.histograms["position"]
    return [
        _row("minute of the hour", quarters | {"other": minutes.total()}),
        _row("weekday", {name[:3]: weekdays.get(i, 0) for i, name in enumerate(WEEKDAY_NAMES)}),
        _row("tenth of the window", {str(i + 1): tenths.get(i, 0) for i in range(10)}),
    ]


def _hardest(split: SplitAudit) -> Table:
    table = plain_table(*right("failed", "calls"), "id")
    for hard in split.hardest:
        table.add_row(str(hard.core_failed), str(hard.calls), printable(hard.id))
    return table


def _row(name: str, counts: Mapping[str, int]) -> Table:
    table = plain_table(f"{name:20}", *right(*(f"{heading:>4}" for heading in counts)))
    table.add_row("worlds", *map(str, counts.values()))
    return table


def _exact(rate: Rate) -> str:
    return NOTHING if rate.exact is None else f"{100 * rate.exact:.1f}"


def _reward(rate: Rate) -> str:
    return NOTHING if rate.reward is None else f"{rate.reward:.2f}"
