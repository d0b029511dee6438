"""What an audit says of a split in short, for its table and for its page alike."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from .audit import SplitAudit
from .features import TURNS

NOTHING: Final = "-"
"""What is shown where there is nothing to count."""
_SEVERAL: Final = 3


def facts(split: SplitAudit) -> dict[str, str]:
    """Return labels and values; a label that begins with blanks belongs to the one above."""
    histograms, shifts = split.histograms, split.shifts
    several = sum(worlds for count, worlds in histograms["stretches"].items() if count >= _SEVERAL)
    most = sorted(split.zones.items(), key=lambda zone: -zone[1])[:3]
    return {
        "no valid start (NONE)": _part(split.none, split.worlds),
        "every attendee load-bearing": _part(split.load_bearing, split.worlds),
        f"more than {TURNS} turns, at one call each": _part(split.unreadable, split.worlds),
        "duplicates": _part(split.duplicates, split.worlds),
        "an offset changes in the window": _part(shifts.worlds, split.worlds),
        "    a clock goes forward": _part(shifts.forward, split.worlds),
        "    a clock goes back": _part(shifts.back, split.worlds),
        "    different changes": f"{sum(shifts.covered.values())}, of {len(shifts.covered)} zones",
        "zones": str(len(split.zones)),
        "    most often": "\n".join(f"{zone} ({worlds})" for zone, worlds in most),
        "attendees": _range(histograms["attendees"]),
        "days of the window": _range(histograms["window_days"]),
        "minutes of the meeting": _range(histograms["duration_minutes"]),
        "separate stretches of valid starts": _range(histograms["stretches"]),
        f"    {_SEVERAL} or more": _part(several, split.worlds),
        "calls of the smallest proof": _range(histograms["floor"]),
        "    not proven smallest": _part(split.floors_unproven, split.worlds),
        "near misses before the answer": _range(histograms["near_misses"]),
    }


def percent(worlds: int, of: int) -> str:
    """Return a share with one decimal."""
    return f"{100 * worlds / of:.1f} %" if of else NOTHING


def _part(worlds: int, of: int) -> str:
    return f"{worlds} ({percent(worlds, of)})"


def _range(histogram: Mapping[int, int]) -> str:
    """Return least, most and median of a histogram that is sorted by value."""
    values = list(Counter(histogram).elements())
    if not values:
        return NOTHING
    return f"{values[0]} to {values[-1]}, median {values[(len(values) - 1) // 2]}"
