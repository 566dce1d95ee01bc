"""Our fits reach the optimum: conditions checked by hand, and scikit-learn's own fits beside them."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from models.exact import Matrix
from models.logistic import fit_logistic, fit_softmax
from models.optimum import Bounds, Point, minimum
from models.ranking_svm import fit_ranking, pairwise

RANDOM = np.random.default_rng(11)
ROWS = np.round(RANDOM.normal(size=(300, 6)), 3)
CURVED = np.array([[2.0, 1.0], [1.0, 2.0]])


def bowl(place: Matrix) -> Point:
    """(x + y)² / 2 + (x² + y²) / 2 - 3x, least at (2, -1)."""
    return Point(
        float(place @ CURVED @ place) / 2 - 3 * float(place[0]), CURVED @ place - [3, 0], lambda way: CURVED @ way
    )


@pytest.mark.rows(
    ("least", "most", "expected"),
    [
        ((-9, -9), (9, 9), (2, -1)),
        ((-9, 0), (9, 9), (1.5, 0)),  # y held at 0: 2x = 3
        ((-9, -9), (1, 9), (1, -0.5)),  # x held at 1: 1 + 2y = 0
        ((3, -9), (9, 9), (3, -1.5)),
        ((1, 1), (1, 1), (1, 1)),
    ],
)
def test_minimum_within_bounds(
    least: tuple[float, float], most: tuple[float, float], expected: tuple[float, float]
) -> None:
    bounds = Bounds(np.array(least, dtype=float), np.array(most, dtype=float))
    assert minimum(bowl, np.zeros(2), bounds) == pytest.approx(np.array(expected), abs=1e-6)


def test_logistic_regression_is_that_of_scikit_learn() -> None:
    right = ROWS @ [2, -1, 0, 0.5, 0, 0] + RANDOM.normal(size=300) > 0.3
    importance = RANDOM.uniform(0.2, 1.0, 300)
    free = Bounds(np.full(7, -np.inf), np.full(7, np.inf))
    ours = fit_logistic(ROWS, right, importance, np.array([1.0] * 6 + [0.0]), free)
    from sklearn.linear_model import LogisticRegression

    known = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(ROWS, right, sample_weight=importance)
    assert ours.weights == pytest.approx(known.coef_[0], abs=1e-4)
    assert ours.intercept == pytest.approx(known.intercept_[0], abs=1e-4)


def test_softmax_is_that_of_scikit_learn() -> None:
    outcomes = np.argmax(ROWS[:, :4] + RANDOM.normal(size=(300, 4)), axis=1)
    outcomes[outcomes == 3] = 4  # outcome 3 is never seen
    importance = RANDOM.uniform(0.2, 1.0, 300)
    ours = fit_softmax(csr_matrix(ROWS), outcomes, importance, 5, 3.0)
    from sklearn.linear_model import LogisticRegression

    known = LogisticRegression(C=3.0, tol=1e-10, max_iter=10_000).fit(ROWS, outcomes, sample_weight=importance)
    assert ours.weights[[0, 1, 2, 4]] == pytest.approx(known.coef_, abs=2e-4)
    assert ours.intercepts[[0, 1, 2, 4]] == pytest.approx(known.intercept_, abs=2e-4)
    shares = ours.shares(csr_matrix(np.round(ROWS * 65536) / 65536))
    assert shares[:, [0, 1, 2, 4]] == pytest.approx(known.predict_proba(ROWS), abs=2e-4)
    assert shares[:, 3].max() < 1e-9


def test_ranking_is_that_of_a_linear_svm() -> None:
    groups = [(rows, rows[:, 0] + RANDOM.normal(size=10) > 1) for rows in np.split(ROWS, 30)]
    differences, weights = pairwise(groups)
    ours = fit_ranking(groups, 1.0)
    both = np.concatenate([differences, -differences])
    signs = np.repeat([1.0, -1.0], len(differences))
    from sklearn.svm import LinearSVC

    svm = LinearSVC(loss="hinge", C=0.5, fit_intercept=False, random_state=1, max_iter=1_000_000, tol=1e-7)
    known = svm.fit(both, signs, sample_weight=np.tile(weights, 2)).coef_[0]

    def loss(theta: Matrix) -> float:
        return float(theta @ theta / 2 + weights @ np.maximum(0, 1 - differences @ theta))

    assert loss(ours) == pytest.approx(loss(known), rel=2e-3)
    assert float(ours @ known) / np.sqrt((ours @ ours) * (known @ known)) > 0.999
