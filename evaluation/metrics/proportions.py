"""Proportions with their 95 % intervals, of one sample and of strata, and how well probabilities are calibrated."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, Final

import numpy as np

from models.label_split import wilson


@dataclass(frozen=True)
class Proportion:
    """``hits`` out of ``n`` with the Wilson score interval at 95 % (Wilson 1927).

    With ``n == 0`` there is no value: ``value`` is None and the interval is all of [0, 1].

    >>> str(Proportion(135, 145))
    '93.1 % [87.8, 96.2] (n=145)'
    >>> str(Proportion(0, 0))
    'n/a (n=0)'
    """

    hits: int
    n: int

    @classmethod
    def of(cls, outcomes: Iterable[object]) -> "Proportion":
        """The share of some outcomes that are true."""
        found = list(map(bool, outcomes))
        return cls(sum(found), len(found))

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.n:
            raise ValueError(f"{self.hits} hits out of {self.n} is not a proportion")

    @property
    def value(self) -> float | None:
        """The share, None where there is nothing to divide by."""
        return self.hits / self.n if self.n else None

    @cached_property
    def _interval(self) -> tuple[float, float]:
        low, high = wilson(self.hits, self.n)
        return (low if self.hits else 0.0), (high if self.hits < self.n else 1.0)

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self._interval[0]

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self._interval[1]

    def __str__(self) -> str:
        return interval_text(self.value, self.low, self.high, self.n)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for manifests and JSON."""
        return {"hits": self.hits, "n": self.n, **rounded(self.value, self.low, self.high)}


def interval_text(value: float | None, low: float, high: float, n: int) -> str:
    """One line: value and interval in percent, and n."""
    if value is None:
        return f"n/a (n={n})"
    return f"{100 * value:.1f} % [{100 * low:.1f}, {100 * high:.1f}] (n={n})"


def rounded(value: float | None, low: float, high: float) -> dict[str, float | None]:
    """Value and interval to six decimals, which is beyond what any sample tells."""
    return {"value": None if value is None else round(value, 6), "low": round(low, 6), "high": round(high, 6)}


@dataclass(frozen=True)
class Stratum:
    """One stratum of a sample: how many there are in the population, how many were judged, how many were hits."""

    name: str
    population: int
    hits: int
    n: int

    @property
    def proportion(self) -> Proportion:
        """The stratum by itself."""
        return Proportion(self.hits, self.n)


@dataclass(frozen=True)
class Weighted:
    """A stratified estimate: each stratum's share weighted by its population.

    ``effective_n`` is the size of a simple sample that would tell as much; ``unseen`` counts the population of strata
    without a single judgement, which the estimate says nothing about.
    """

    value: float | None
    low: float
    high: float
    n: int
    effective_n: float
    population: int
    unseen: int

    def __str__(self) -> str:
        text = interval_text(self.value, self.low, self.high, self.n)
        return text if not self.unseen else f"{text}, {self.unseen} of {self.population} in strata not judged"

    def as_dict(self) -> dict[str, Any]:
        """Plain data for manifests and JSON."""
        sizes = {"n": self.n, "effective_n": round(self.effective_n, 3), "population": self.population}
        return {**sizes, "unseen": self.unseen, **rounded(self.value, self.low, self.high)}


def weighted(strata: Sequence[Stratum]) -> Weighted:
    """Combine strata into one estimate for their population.

    ``p = sum W_h p_h`` with ``W_h = N_h / N`` over the strata that were judged. The interval is Wilson's at an
    effective sample size (Kott and Carr 1997; Franco et al. 2019, J. Surv. Stat. Methodol. 7): the smaller of
    ``p(1-p) / sum W_h^2 p_h(1-p_h)/n_h``, which knows the spread inside the strata, and ``1 / sum W_h^2/n_h`` (Kish),
    which stays finite where every judged row was right. No finite population correction: on the safe side.
    """
    seen = [stratum for stratum in strata if stratum.n and stratum.population]
    total = sum(stratum.population for stratum in strata)
    covered = sum(stratum.population for stratum in seen)
    if not seen:
        return Weighted(None, 0.0, 1.0, 0, 0.0, total, total)
    shares = [stratum.population / covered for stratum in seen]
    rates = [stratum.hits / stratum.n for stratum in seen]
    value = min(1.0, math.fsum(share * rate for share, rate in zip(shares, rates, strict=True)))
    effective = _effective_size(seen, shares, value)
    low, high = wilson(value * effective, effective)
    return Weighted(value, low, high, sum(stratum.n for stratum in seen), effective, total, total - covered)


def _effective_size(strata: Sequence[Stratum], shares: Sequence[float], value: float) -> float:
    pairs = list(zip(strata, shares, strict=True))
    kish = 1 / math.fsum(share * share / stratum.n for stratum, share in pairs)
    variance = math.fsum(
        share * share * stratum.hits * (stratum.n - stratum.hits) / stratum.n**3 for stratum, share in pairs
    )
    return min(kish, value * (1 - value) / variance) if variance else kish


def f1_interval(hits: int, false_alarms: int, misses: int) -> tuple[float | None, float, float]:
    """F1 with an interval: F1 = 2J/(1+J) for J = hits / (hits + false alarms + misses), whose Wilson ends map on.

    >>> f1_interval(0, 0, 0)
    (None, 0.0, 1.0)
    """
    overlap = Proportion(hits, hits + false_alarms + misses)
    value = None if overlap.value is None else 2 * overlap.value / (1 + overlap.value)
    return value, 2 * overlap.low / (1 + overlap.low), 2 * overlap.high / (1 + overlap.high)


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
    """The tenths of the scale that hold items, ascending.

    The expected calibration error (Naeini et al. 2015) of few items is never 0: in a tenth of the scale with twenty
    items a coin that is right 75 times in 100 is off by eight points on average. ``chance`` is what a model would show
    whose every probability is exactly true, so that an error is read against it.
    """

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
