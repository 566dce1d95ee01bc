"""Logistic regression of two outcomes with bounds, and of several outcomes (softmax), the same on every machine."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from models.exact import GridMatrix, Matrix, dot, exp, log, on_grid, sigmoid, softmax, total
from models.optimum import Bounds, Point, minimum


@dataclass(frozen=True)
class Logistic:
    """Weights and intercept of a logistic function, on the grid."""

    weights: Matrix
    intercept: float

    def probability(self, rows: Matrix) -> Matrix:
        """The probability of each of ``rows``, whose values lie on the grid."""
        return sigmoid(rows @ self.weights + self.intercept)


@dataclass(frozen=True)
class Softmax:
    """A row of weights and an intercept for each outcome, on the grid; outcomes never seen have next to no chance."""

    weights: Matrix
    intercepts: Matrix

    def shares(self, rows: csr_matrix) -> Matrix:
        """The probability of each outcome for each of ``rows``, whose values lie on the grid."""
        return softmax(rows @ self.weights.T + self.intercepts)


def fit_logistic(
    rows: Matrix, right: Sequence[bool] | NDArray[np.bool_], importance: Matrix, pull: Matrix, bounds: Bounds
) -> Logistic:
    """Fit on ``rows`` that count by their ``importance``.

    ``pull`` (half its product with the squares is added to the loss) and ``bounds`` are those of each weight and, last,
    of the intercept.
    """
    matrix = GridMatrix(np.column_stack([rows, np.ones(len(rows))]))
    signs = np.where(np.asarray(right, dtype=bool), 1.0, -1.0)

    def loss(theta: Matrix) -> Point:
        margins = signs * matrix.times(theta)
        # log(1 + exp(-m)) without overflow
        losses = np.maximum(-margins, 0.0) + log(1 + exp(-np.abs(margins)))
        wrong = sigmoid(-margins)
        bent = importance * wrong * (1 - wrong)
        gradient = pull * theta - matrix.transposed_times(importance * signs * wrong)
        return Point(
            dot(importance, losses) + dot(pull, theta * theta) / 2,
            gradient,
            lambda way: pull * way + matrix.transposed_times(bent * matrix.times(way)),
        )

    found = on_grid(minimum(loss, np.zeros(len(pull)), bounds))
    return Logistic(found[:-1], float(found[-1]))


def fit_softmax(rows: csr_matrix, outcomes: NDArray[np.intp], importance: Matrix, count: int, c: float) -> Softmax:
    """Fit one of ``count`` outcomes on sparse ``rows``: the loss of each by its importance, half the squares over C."""
    seen = np.unique(outcomes)
    matrix, truth = GridMatrix(rows), (outcomes[:, None] == seen).astype(np.float64)

    def scores(theta: Matrix, parts: int) -> Matrix:
        found: Matrix = matrix.times(theta[:-1], parts) + theta[-1]
        return found

    def back(slopes: Matrix, parts: int) -> Matrix:
        return np.vstack([matrix.transposed_times(slopes, parts), total(slopes)])

    def loss(theta: Matrix) -> Point:
        found = scores(theta, 2)
        highest = found.max(axis=1, keepdims=True)
        losses = log(total(exp(found - highest).T)) + highest[:, 0] - total((found * truth).T)
        shares = softmax(found)
        pulled = np.vstack([theta[:-1], np.zeros(len(seen))]) / c

        def curvature(way: Matrix) -> Matrix:
            moved = scores(way, 1)
            moved = shares * (moved - total((shares * moved).T)[:, None])
            return back(moved * importance[:, None], 1) + np.vstack([way[:-1], np.zeros(len(seen))]) / c

        slopes = (shares - truth) * importance[:, None]
        return Point(dot(importance, losses) + dot(pulled, theta) / 2, back(slopes, 2) + pulled, curvature)

    theta = on_grid(minimum(loss, np.zeros((rows.shape[1] + 1, len(seen))), tolerance=1e-5))
    weights, intercepts = np.zeros((count, rows.shape[1])), np.full(count, -30.0)
    weights[seen], intercepts[seen] = theta[:-1].T, theta[-1]
    return Softmax(weights, intercepts)
