"""How far people agree beyond chance: Krippendorff's alpha and Gwet's AC2, each with a 95 % interval.

Alpha: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), nominal. AC2: K. L. Gwet, "Handbook of
Inter-Rater Reliability" (4th ed., 2014), chapters 3 and 5: linear weights, so that ``right`` and ``wrong`` are twice as
far apart as either is from ``unsure``; with identity weights it is AC1. A row that one person judged alone says nothing
of agreement; it counts in how often each verdict is given, for AC2 alone, as in the papers.

Intervals are percentiles of 2,000 bootstrap samples of rows, drawn by a seed that the counts decide.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

SAMPLES: Final = 2_000
LEVEL: Final = (2.5, 97.5)

VerdictCounts = npt.NDArray[np.float64]
"""Rows by verdicts: how many people gave a row each verdict."""


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement, 1 for full agreement and 0 for what chance gives, and its 95 % interval.

    None where it is not defined: nobody shares a row, or, of alpha, all verdicts are the same.
    """

    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return "not defined"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def as_dict(self) -> dict[str, float | None]:
        """Rounded to six decimals."""
        found = {"value": self.value, "low": self.low, "high": self.high}
        return {name: None if one is None else round(one, 6) for name, one in found.items()}


def linear_weights(categories: int) -> VerdictCounts:
    """How near two of so many ordered verdicts are to each other, 1 for the same and 0 for the farthest.

    >>> linear_weights(3).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    places = np.arange(categories, dtype=float)
    near: VerdictCounts = 1.0 - np.abs(places[:, None] - places[None, :]) / max(categories - 1, 1)
    return near


def alpha(counts: VerdictCounts) -> Coefficient:
    """Krippendorff's alpha for verdicts without an order; ``counts`` are rows by verdicts."""
    shared = _sorted(counts[counts.sum(axis=1) >= 2])
    judges = shared.sum(axis=1)
    agreeing = (shared * (shared - 1)).sum(axis=1) / np.maximum(judges - 1, 1)

    def of(times: VerdictCounts) -> VerdictCounts:
        given = times @ shared
        total = given.sum(axis=1)
        expected = total**2 - (given**2).sum(axis=1)
        observed = total - times @ agreeing
        with np.errstate(divide="ignore", invalid="ignore"):
            found: VerdictCounts = 1.0 - (total - 1) * observed / expected
        return found

    return _with_interval(shared, of)


def ac2(counts: VerdictCounts, weights: VerdictCounts | None = None) -> Coefficient:
    """Gwet's AC2; ``counts`` are rows by verdicts in their order, ``weights`` linear unless given."""
    near = linear_weights(counts.shape[1]) if weights is None else weights
    judged = _sorted(counts[counts.sum(axis=1) >= 1])
    judges = judged.sum(axis=1)
    shared = (judges >= 2).astype(float)
    pairs = np.maximum(judges * (judges - 1), 1)
    agreeing = (judged * (judged @ near - 1)).sum(axis=1) / pairs * shared
    shares = judged / judges[:, None]
    categories = counts.shape[1]

    def of(times: VerdictCounts) -> VerdictCounts:
        with np.errstate(divide="ignore", invalid="ignore"):
            observed = times @ agreeing / (times @ shared)
            given = times @ shares / times.sum(axis=1, keepdims=True)
            chance = near.sum() * (given * (1 - given)).sum(axis=1) / (categories * (categories - 1))
            found: VerdictCounts = (observed - chance) / (1 - chance)
        return found

    return _with_interval(judged, of)


def _sorted(rows: VerdictCounts) -> VerdictCounts:
    """The rows in an order that rests on them alone, by which sums and samples come out the same."""
    return rows[np.lexsort(rows.T)]


def _with_interval(rows: VerdictCounts, of: Callable[[VerdictCounts], VerdictCounts]) -> Coefficient:
    """What ``of`` gives for all rows, taken once each, and for bootstrap samples of them (rows taken so many times)."""
    if len(rows) == 0:
        return Coefficient(None, None, None)
    value = float(of(np.ones((1, len(rows))))[0])
    if not np.isfinite(value):
        return Coefficient(None, None, None)
    seed = int.from_bytes(hashlib.sha256(rows.astype("<f8").tobytes()).digest()[:8], "big")
    times = np.random.default_rng(seed).multinomial(len(rows), np.full(len(rows), 1 / len(rows)), SAMPLES)
    found = of(times.astype(float))
    low, high = np.percentile(found[np.isfinite(found)], LEVEL)
    return Coefficient(value, float(low), float(high))
