"""Ranking SVM (Herbrich, Graepel and Obermayer): a linear order learnt from pairwise differences within groups."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from corpus.errors import InputError
from models.features import Matrix

Group = tuple[Matrix, NDArray[np.bool_]]
"""The rows of one group, and which of them are right."""
SEED = 20160807
MAX_WRONG = 200


def pairwise(groups: Sequence[Group]) -> tuple[Matrix, Matrix]:
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


def fit_ranking(groups: Sequence[Group], c: float) -> Matrix:
    """Weights of the linear order: hinge loss on the differences, no intercept, the same on every run.

    InputError where no group has both a right and a wrong row.
    """
    differences, weights = pairwise(groups)
    if not len(differences):
        raise InputError("no labelled thread has a right and a wrong candidate, nothing to learn from; add labels")
    signs = np.where(np.arange(len(differences)) % 2 == 0, 1.0, -1.0)
    svm = LinearSVC(loss="hinge", C=c, fit_intercept=False, random_state=SEED, max_iter=200_000, tol=1e-4)
    svm.fit(differences * signs[:, None], signs, sample_weight=weights)
    found: Matrix = svm.coef_[0]
    return found
