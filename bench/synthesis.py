"""Worlds per CPU second, and where the time goes: `python bench/synthesis.py [WORLDS] [CASE...]`.

CPU time of the process, imports excluded, zone data included as it is read first. Every world is
confirmed by the sweep and the panel, as `gen` does it. Phases are told apart by wrapping the
functions that they are; calls of one inside another count for the inner one.
"""

import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from meeting_slot.cpsat import casting, model, synthesis
from meeting_slot.cpsat.formula import Formula
from meeting_slot.cpsat.model import CalendarModel
from meeting_slot.cpsat.wishes import Starts, Target
from meeting_slot.splits import generate

_SMALL = {"attendees": 4, "window_days": 5, "starts": Starts.EXACTLY_ONE}
_LARGE = {"attendees": 8, "window_days": 14, "starts": Starts.EXACTLY_ONE}
CASES = {
    **{f"4 x 5, {h}/12": Target(**_SMALL, hardness=h) for h in (8, 9, 10, 12)},
    **{f"8 x 14, {h}/12": Target(**_LARGE, hardness=h) for h in (8, 9, 10, 12)},
    "hardness 1.0": Target(hardness=12),
}
PHASES: dict[str, tuple[Any, str]] = {
    "cast": (casting, "draw"),
    "constraints": (synthesis, "_constrain"),
    "sample": (synthesis, "sampled_calendar"),
    "model": (CalendarModel, "solve"),
    "proto": (Formula, "model"),
    "solve": (model, "solve"),
    "decode": (synthesis, "_with_blocks"),
    "confirm": (synthesis, "confirm"),
    "panel": (synthesis, "panel_meta"),
}


class Phases:
    """CPU seconds by phase, each without the phases inside it."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._inner = [0.0]

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, its time counted under a name."""

        def run(*arguments: Any, **named: Any) -> Any:
            self._inner.append(0.0)
            begin = time.process_time()
            try:
                return function(*arguments, **named)
            finally:
                taken = time.process_time() - begin
                self.seconds[name] += taken - self._inner.pop()
                self._inner[-1] += taken

        return run


def main(worlds: int = 300, *cases: str) -> None:
    """Print a line a case, each after its own warm-up."""
    phases = Phases()
    for name, (owner, attribute) in PHASES.items():
        setattr(owner, attribute, phases.timed(name, getattr(owner, attribute)))
    names = [*PHASES, "rest"]
    print("case            per s  median ms  casts  ms a world: " + "  ".join(names))
    for case in cases or CASES:
        phases.seconds.clear()
        times, casts = [], []
        begin = time.process_time()
        for world in generate(CASES[case], worlds, "bench"):
            times.append(time.process_time() - begin)
            casts.append((world.meta or {})["casts"])
            begin = time.process_time()
        total = sum(times)
        phases.seconds["rest"] = total - sum(phases.seconds.values())
        shares = "  ".join(
            f"{1000 * phases.seconds[name] / worlds:{len(name)}.2f}" for name in names
        )
        print(
            f"{case:14} {worlds / total:6.1f} {1000 * statistics.median(times):10.1f}"
            f" {statistics.mean(casts):6.2f}              {shares}",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 300, *sys.argv[2:])
