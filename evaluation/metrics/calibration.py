"""How far probabilities are from the shares they promise, and how far chance alone would put them at the same n.

The expected calibration error (Naeini et al. 2015) of few items is never 0: in a tenth of the scale with twenty items a
coin that is right 75 times in 100 is off by eight points on average. ``chance`` is what a model would show whose every
probability is exactly true, so that an error is read against it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np

BINS: Final = 10
ScoredOutcome = tuple[float, bool]
"""A probability, and whether what it speaks of is so."""


@dataclass(frozen=True)
class Tenth:
    """One tenth of the scale that holds items."""

    items: tuple[ScoredOutcome, ...]

    @property
    def n(self) -> int:
        """How many items it holds."""
        return len(self.items)

    @property
    def hits(self) -> int:
        """How many of them are so."""
        return sum(right for _, right in self.items)

    @property
    def mean(self) -> float:
        """Their mean probability."""
        return sum(probability for probability, _ in self.items) / self.n

    @property
    def gap(self) -> float:
        """How far the share that is so lies from the mean probability."""
        return abs(self.mean - self.hits / self.n)

    @property
    def chance(self) -> tuple[float, float]:
        """Mean and variance of the items by which it would be off if every probability were true, exactly."""
        ways = np.ones(1)
        for probability, _ in self.items:
            ways = np.convolve(ways, [1 - probability, probability])
        off = np.abs(np.arange(len(ways)) - self.mean * self.n)
        mean = float(ways @ off)
        return mean, max(0.0, float(ways @ (off * off)) - mean * mean)


@dataclass(frozen=True)
class Calibration:
    """The tenths of the scale that hold items, ascending."""

    tenths: tuple[Tenth, ...]

    @classmethod
    def of(cls, items: Iterable[ScoredOutcome]) -> "Calibration":
        """Sort items into ten bins of equal width."""
        held: dict[int, list[ScoredOutcome]] = {}
        for probability, right in items:
            held.setdefault(min(int(probability * BINS), BINS - 1), []).append((probability, right))
        return cls(tuple(Tenth(tuple(some)) for _, some in sorted(held.items())))

    @property
    def n(self) -> int:
        """How many items there are."""
        return sum(tenth.n for tenth in self.tenths)

    @property
    def error(self) -> float:
        """The expected calibration error in points: the gaps of the tenths, weighted by n; 0 without items."""
        return 100 * sum(tenth.n * tenth.gap for tenth in self.tenths) / max(1, self.n)

    @property
    def chance(self) -> tuple[float, float]:
        """The error in points, and its standard deviation, if every probability were true.

        >>> mean, deviation = Calibration.of([(0.5, True), (0.5, False)]).chance
        >>> round(mean, 6), round(deviation, 6)
        (25.0, 25.0)
        """
        found = [tenth.chance for tenth in self.tenths]
        total = max(1, self.n)
        return 100 * sum(mean for mean, _ in found) / total, 100 * sqrt(sum(spread for _, spread in found)) / total

    def chance_text(self) -> str:
        """The same for a table."""
        return "{:.1f} ± {:.1f}".format(*self.chance)
