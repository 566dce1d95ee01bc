"""Fits of linear models by scikit-learn, their weights rounded."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from corpus.errors import InputError
from models.linear import Flags, Logistic, Matrix, Softmax, on_grid

MAX_STEPS: Final = 2_000
MAX_WRONG: Final = 200
RankedGroup = tuple[Matrix, Flags]
"""The rows of one group, and which of them are right."""


def fit_logistic(
    rows: Matrix, right: Sequence[bool] | Flags, importance: Matrix, c: float, signs: Sequence[int] | None = None
) -> Logistic:
    """Logistic regression on dense ``rows`` that count by their ``importance``, each column brought to unit spread.

    ``signs`` are those that the weights must have: 1, -1, or 0 for either. A column whose weight comes out otherwise
    gets none, and the others are fitted again. Rows of one outcome alone give its share as an intercept.
    """
    truth = np.asarray(right, dtype=bool)
    if truth.all() or not truth.any():
        return _of_one_outcome(truth, rows.shape[1])
    spread = rows.std(axis=0)
    wanted = np.zeros(rows.shape[1]) if signs is None else np.asarray(signs, dtype=np.float64)
    used = spread > 0
    while True:
        weights = np.zeros(rows.shape[1])
        # and a column of zeros, so that without any other there is still an intercept to fit
        scaled = np.hstack([rows[:, used] / spread[used], np.zeros((len(rows), 1))])
        fitted = LogisticRegression(C=c, max_iter=MAX_STEPS, tol=1e-8).fit(scaled, truth, sample_weight=importance)
        weights[used] = fitted.coef_[0][:-1] / spread[used]
        wrong = weights * wanted < 0
        if not wrong.any():
            return Logistic(on_grid(weights), float(on_grid(fitted.intercept_[0])))
        used &= ~wrong


def _of_one_outcome(truth: Flags, columns: int) -> Logistic:
    return Logistic(np.zeros(columns), 20.0 if truth.all() and len(truth) else -20.0)


def fit_words(rows: csr_matrix, right: Sequence[bool] | Flags, importance: Matrix, c: float) -> Logistic:
    """Logistic regression on sparse ``rows`` of counted words, as they are.

    Rows of one outcome alone give its share as an intercept.
    """
    truth = np.asarray(right, dtype=bool)
    if truth.all() or not truth.any():
        return _of_one_outcome(truth, rows.shape[1])
    fitted = LogisticRegression(C=c, solver="liblinear", random_state=0).fit(rows, truth, sample_weight=importance)
    return Logistic(on_grid(fitted.coef_[0]), float(on_grid(fitted.intercept_[0])))


def fit_softmax(rows: csr_matrix, outcomes: NDArray[np.intp], importance: Matrix, count: int, c: float) -> Softmax:
    """Multinomial regression of one of ``count`` outcomes on sparse ``rows`` that count by their ``importance``."""
    seen = np.unique(outcomes)
    weights, intercepts = np.zeros((count, rows.shape[1])), np.full(count, -30.0)
    if len(seen) == 1:
        intercepts[seen] = 0.0
        return Softmax(weights, intercepts)
    fitted = LogisticRegression(C=c, max_iter=MAX_STEPS, tol=1e-6).fit(rows, outcomes, sample_weight=importance)
    if len(seen) == 2:
        half = fitted.coef_[0] / 2
        weights[seen], intercepts[seen] = [-half, half], [-fitted.intercept_[0] / 2, fitted.intercept_[0] / 2]
    else:
        weights[seen], intercepts[seen] = fitted.coef_, fitted.intercept_
    return Softmax(on_grid(weights), on_grid(intercepts))


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
    """Weights of a linear order: ranking SVM (Herbrich, Graepel and Obermayer), ``LinearSVC`` over differences.

    InputError where no group has both a right and a wrong row.
    """
    differences, weights = pairwise(groups)
    if not len(differences):
        raise InputError("no labelled thread has a right and a wrong candidate, nothing to learn from; add labels")
    spread = differences.std(axis=0)
    spread[spread == 0] = 1.0
    # every other difference the other way round, so that there are two outcomes
    flips = np.where(np.arange(len(differences)) % 2, -1.0, 1.0)
    machine = LinearSVC(C=c, loss="squared_hinge", fit_intercept=False, dual=False, max_iter=MAX_STEPS)
    machine.fit(differences / spread * flips[:, None], flips > 0, sample_weight=weights)
    return on_grid(machine.coef_[0] / spread)


def fit_margin(differences: csr_matrix, c: float) -> Matrix:
    """Weights under which each row of sparse differences, right less wrong, is at least 1 where that can be had."""
    signs = np.where(np.arange(differences.shape[0]) % 2, -1.0, 1.0)
    turned = csr_matrix(differences.multiply(signs[:, None]))
    machine = LinearSVC(C=c, loss="hinge", fit_intercept=False, random_state=0, max_iter=10 * MAX_STEPS)
    return on_grid(machine.fit(turned, signs > 0).coef_[0])
