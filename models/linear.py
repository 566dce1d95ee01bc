"""Linear models as rounded weights, applied with numpy alone; scikit-learn fits them (``models/fits.py``).

Features and weights are multiples of 2**-16, so the sum of their products is exact in any order, and a score does not
depend on processor, BLAS kernel or threads; probabilities are rounded to nine digits. Other sums are those of ``fsum``,
since that of Python is more exact from 3.12 on. A refit elsewhere may differ in the last digits of a weight, which
changes no decision but that of a tie.

What agreement between answers says stands here as log odds, without assuming how good the answers of a site are.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import repeat
from math import log
from operator import mul
from typing import Any, Final

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

Matrix = NDArray[np.float64]
Flags = NDArray[np.bool_]
GRID_BITS: Final = 16
DIGITS: Final = 9
LEAST: Final = 1e-4
"""Probabilities nearer to 0 or 1 than this count as this near."""


def on_grid(values: ArrayLike) -> Matrix:
    """The nearest multiples of 2**-16.

    >>> on_grid([0.1, -2.0]).tolist()
    [0.100006103515625, -2.0]
    """
    step = 2.0**GRID_BITS
    result: Matrix = np.rint(np.asarray(values, dtype=np.float64) * step) / step + 0.0
    return result


def in_steps(values: Iterable[float]) -> list[int]:
    """Values on the grid as whole steps of it, as model files hold them.

    >>> in_steps([0.5, -1.0]), of_steps([32768])
    ([32768, -65536], (0.5,))
    """
    return [round(value * 2**GRID_BITS) for value in values]


def of_steps(steps: Iterable[int]) -> tuple[float, ...]:
    """Values from whole steps of the grid."""
    return tuple(int(step) / 2**GRID_BITS for step in steps)


def odds(probability: float) -> float:
    """The logarithm of the odds, bounded.

    >>> round(odds(0.9), 6), odds(0.0) == odds(1e-9)
    (2.197225, True)
    """
    bounded = min(max(probability, LEAST), 1 - LEAST)
    return log(bounded / (1 - bounded))


def sigmoid(scores: ArrayLike) -> Matrix:
    """The logistic function, rounded."""
    found: Matrix = scipy.special.expit(np.asarray(scores, dtype=np.float64)).round(DIGITS)
    return found


def softmax(scores: Matrix) -> Matrix:
    """The share of each score among those of the last axis, by their exponentials, rounded."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Matrix = (powers / powers.sum(axis=-1, keepdims=True)).round(DIGITS)
    return shares


@dataclass(frozen=True)
class Logistic:
    """Weights and intercept of a logistic function, on the grid."""

    weights: Matrix
    intercept: float

    def scores(self, rows: "Matrix | scipy.sparse.csr_matrix") -> Matrix:
        """The log odds of each of ``rows``, whose values lie on the grid."""
        found: Matrix = rows @ self.weights + self.intercept
        return found

    def probability(self, rows: "Matrix | scipy.sparse.csr_matrix") -> Matrix:
        """The probability of each of ``rows``, whose values lie on the grid."""
        return sigmoid(self.scores(rows))


@dataclass(frozen=True)
class NamedLogistic:
    """A logistic function of named features, as model files hold it; names that it does not know count for nothing."""

    weights: Mapping[str, float]
    intercept: float = 0.0

    def score(self, row: Mapping[str, float]) -> float:
        """The log odds of one row; on the grid the sum is exact in any order."""
        return sum(map(mul, map(self.weights.get, row, repeat(0.0)), row.values()), self.intercept)

    def head(self, names: tuple[str, ...]) -> Logistic:
        """The function over columns of these names."""
        if names not in self._heads:
            self._heads[names] = Logistic(np.array([self.weights[name] for name in names]), self.intercept)
        return self._heads[names]

    @cached_property
    def _heads(self) -> dict[tuple[str, ...], Logistic]:
        return {}

    @classmethod
    def of(cls, head: Logistic, names: Sequence[str]) -> "NamedLogistic":
        """A function over columns with the names of these."""
        return cls(dict(zip(names, head.weights.tolist(), strict=True)), head.intercept)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], names: Sequence[str] | None = None) -> "NamedLogistic":
        """A function from plain data; ValueError for other ``names`` than these, where they are given."""
        weights = {str(name): float(weight) for name, weight in data["weights"].items()}
        if names is not None and set(weights) != set(names):
            raise ValueError("other evidence than this code's")
        return cls(weights, float(data["intercept"]))


@dataclass(frozen=True)
class Softmax:
    """A row of weights and an intercept for each outcome, on the grid; outcomes never seen have next to no chance."""

    weights: Matrix
    intercepts: Matrix

    def shares(self, rows: "scipy.sparse.csr_matrix") -> Matrix:
        """The probability of each outcome for each of ``rows``, whose values lie on the grid."""
        return softmax(rows @ self.weights.T + self.intercepts)


ECHO: Final = 0.2
"""How likely a wrong answer repeats another wrong one."""


@lru_cache(maxsize=4096)
def agreement_odds(mine: float, others: tuple[float, ...]) -> float:
    """Log odds, between -3 and 3, that a group of ``mine`` votes is right, against groups of ``others`` votes.

    >>> [round(agreement_odds(*case), 2) for case in ((1, ()), (2, ()), (3, (1,)), (2, (1, 1)))]
    [0.0, 1.61, 1.78, -0.44]
    """
    sizes = [mine, *others]
    votes = sum(sizes)
    wrong: list[float] = [math.pow(ECHO, max(0.0, size - 1)) for size in sizes]
    apart = 1 - ECHO

    def weight(right: int | None) -> float:
        size = 0.0 if right is None else sizes[right]
        rest = [wrong[place] for place in range(len(sizes)) if place != right]
        chance = math.lgamma(size + 1) + math.lgamma(votes - size + 1) - math.lgamma(votes + 2)
        return math.exp(chance) * math.prod(rest) * math.pow(apart, max(0, len(rest) - 1))

    against = weight(None) + sum(weight(place) for place in range(1, len(sizes)))
    return max(-3.0, min(3.0, math.log(weight(0) / against)))
