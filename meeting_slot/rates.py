"""Rates: how often answers are exact, and what they earn on average."""

import msgspec

from .features import Outcome
from .measures import Band


class Rate(msgspec.Struct, frozen=True):
    """What answers are worth over some worlds.

    Attributes:
        worlds: how many.
        exact: the share of exact answers, 0 to 1; None where there are no worlds.
        reward: the mean reward of well-formed replies, 0.2 to 1.2; None where there are no worlds.
    """

    worlds: int
    exact: float | None
    reward: float | None


class BandRates(msgspec.Struct, frozen=True):
    """What answers are worth over all of some worlds, and over those of each band of hardness."""

    overall: Rate
    bands: dict[Band, Rate]


class Tally:
    """A count of outcomes, to be made a rate."""

    def __init__(self) -> None:
        self._counts = dict.fromkeys(Outcome, 0)

    def add(self, outcome: Outcome) -> None:
        """Count one world's outcome."""
        self._counts[outcome] += 1

    def rate(self) -> Rate:
        """Return the rate over the worlds counted so far."""
        worlds = sum(self._counts.values())
        if not worlds:
            return Rate(0, None, None)
        reward = sum(outcome.reward * count for outcome, count in self._counts.items())
        return Rate(worlds, self._counts[Outcome.EXACT] / worlds, reward / worlds)


class BandTally:
    """A count of outcomes, also by band."""

    def __init__(self) -> None:
        self._bands = {band: Tally() for band in Band}
        self._overall = Tally()

    def add(self, band: Band, outcome: Outcome) -> None:
        """Count the outcome of one world of a band."""
        self._bands[band].add(outcome)
        self._overall.add(outcome)

    def rates(self) -> BandRates:
        """Return the rates over the worlds counted so far."""
        return BandRates(
            self._overall.rate(), {band: tally.rate() for band, tally in self._bands.items()}
        )
