"""Ranking SVM (Herbrich, Graepel and Obermayer): a linear order learnt from pairwise differences within groups.

The hinge of the loss is round within ``ROUNDING`` of the margin, so that Newton's method applies (Chapelle, Training a
support vector machine in the primal, 2007).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from corpus.errors import InputError
from models.exact import GridMatrix, Matrix, dot, on_grid, total
from models.optimum import Point, minimum

RankedGroup = tuple[Matrix, NDArray[np.bool_]]
"""The rows of one group, and which of them are right."""
MAX_WRONG = 200
ROUNDING: Final = 0.02


def pairwise(groups: Sequence[RankedGroup]) -> tuple[Matrix, Matrix]:
    """Differences right less wrong within each group, and a weight for each so that all groups count alike.

    Groups without a right row, or without a wrong one, teach nothing and are left out.
    """
    differences, weights = [], []
    for rows, right in groups:
        good, bad = rows[right], rows[~right][:MAX_WRONG]
        if len(good) and len(bad):
            found = (good[:, None, :] - bad[None, :, :]).reshape(-1, rows.shape[1])
            differences.append(found)
            weights.append(np.full(len(found), 1 / len(found)))
    if not differences:
        return np.zeros((0, 0)), np.zeros(0)
    return np.concatenate(differences), np.concatenate(weights)


def fit_ranking(groups: Sequence[RankedGroup], c: float) -> Matrix:
    """Weights of the linear order on the grid: hinge loss on the differences, no intercept, the same on every machine.

    InputError where no group has both a right and a wrong row.
    """
    differences, weights = pairwise(groups)
    if not len(differences):
        raise InputError("no labelled thread has a right and a wrong candidate, nothing to learn from; add labels")
    rows, costs = GridMatrix(differences), c * weights

    def loss(theta: Matrix) -> Point:
        lack = 1 + ROUNDING - rows.times(theta)
        inside = np.clip(lack, 0.0, 2 * ROUNDING)
        losses = inside * inside / (4 * ROUNDING) + np.maximum(lack - 2 * ROUNDING, 0.0)
        gradient = theta - rows.transposed_times(costs * inside / (2 * ROUNDING))
        bent = (lack > 0) & (lack < 2 * ROUNDING)
        part = GridMatrix(rows.rows[bent])
        curved = part.transposed_times(part.rows * (costs[bent] / (2 * ROUNDING))[:, None])
        return Point(
            dot(theta, theta) / 2 + dot(costs, losses), gradient, lambda way: way + total(curved * way[:, None])
        )

    return on_grid(minimum(loss, np.zeros(differences.shape[1])))
