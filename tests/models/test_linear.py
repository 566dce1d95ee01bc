"""Our linear fits reach the optimum that scikit-learn or scipy finds another way, and are applied exactly."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from corpus.errors import InputError
from models.fits import MAX_WRONG, fit_logistic, fit_ranking, fit_softmax, fit_words, pairwise
from models.linear import Logistic, Matrix, on_grid, sigmoid, softmax

RANDOM = np.random.default_rng(11)
ROWS = np.round(RANDOM.normal(size=(300, 6)), 3) * [1, 5, 0.2, 1, 1, 1]
RIGHT = ROWS @ [2, -0.2, 0, 0.5, 0, 0] + RANDOM.normal(size=300) > 0.3
IMPORTANCE = RANDOM.uniform(0.2, 1.0, 300)


def test_grid() -> None:
    assert on_grid([1 / 3, -0.0, 2**-17, 3 * 2**-17]).tolist() == [21845 / 65536, 0.0, 0.0, 2 / 65536]
    assert str(on_grid(-1e-9)) == "0.0"


def test_shares_and_odds_do_not_overflow() -> None:
    assert sigmoid([-1e300, 0.0, 1e300]).tolist() == [0.0, 0.5, 1.0]
    assert sigmoid([np.log(3)]).tolist() == [0.75]
    assert softmax(np.array([[1e300, 0.0], [3.0, 3.0]])).tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_a_score_is_the_same_in_any_order() -> None:
    rows, weights = on_grid(RANDOM.normal(size=(50, 400))), on_grid(RANDOM.normal(size=400))
    order = RANDOM.permutation(400)
    found = Logistic(weights, 0.25).scores(rows)
    assert np.array_equal(found, Logistic(weights[order], 0.25).scores(rows[:, order]))
    assert np.array_equal(found, Logistic(weights, 0.25).scores(csr_matrix(rows)))
    assert found[0] == sum(one * weight for one, weight in zip(rows[0].tolist(), weights.tolist(), strict=True)) + 0.25


def test_logistic_regression_is_that_of_scikit_learn_on_columns_of_unit_spread() -> None:
    ours, spread = fit_logistic(ROWS, RIGHT, IMPORTANCE, 0.7), ROWS.std(axis=0)
    known = LogisticRegression(C=0.7, tol=1e-10, max_iter=10_000)
    known.fit(ROWS / spread, RIGHT, sample_weight=IMPORTANCE)
    assert ours.weights * spread == pytest.approx(known.coef_[0], abs=1e-3)
    assert ours.intercept == pytest.approx(known.intercept_[0], abs=1e-3)
    assert ours.probability(on_grid(ROWS)) == pytest.approx(known.predict_proba(ROWS / spread)[:, 1], abs=1e-3)


def test_a_weight_of_the_wrong_sign_goes_and_the_others_are_fitted_without_it() -> None:
    free = fit_logistic(ROWS, RIGHT, IMPORTANCE, 0.7)
    assert free.weights[0] > 0 > free.weights[1]
    signed = fit_logistic(ROWS, RIGHT, IMPORTANCE, 0.7, [1, 1, 0, 1, 0, 0])
    without = fit_logistic(np.delete(ROWS, 1, axis=1), RIGHT, IMPORTANCE, 0.7)
    assert signed.weights[1] == 0.0
    assert np.delete(signed.weights, 1) == pytest.approx(without.weights, abs=1e-3)
    kept = fit_logistic(ROWS, RIGHT, IMPORTANCE, 0.7, [1, -1, 0, 0, 0, 0])
    assert np.array_equal(kept.weights, free.weights)


def test_a_column_that_is_always_the_same_weighs_nothing() -> None:
    rows = np.hstack([np.full((300, 1), 3.0), ROWS])
    found = fit_logistic(rows, RIGHT, IMPORTANCE, 0.7)
    assert found.weights[0] == 0.0
    assert found.weights[1:] == pytest.approx(fit_logistic(ROWS, RIGHT, IMPORTANCE, 0.7).weights, abs=1e-3)
    nothing = fit_logistic(np.zeros((4, 2)), [True, True, True, False], np.ones(4), 1.0)
    assert nothing.weights.tolist() == [0.0, 0.0]
    assert nothing.probability(np.zeros((1, 2))) == pytest.approx([0.75], abs=1e-3)


@pytest.mark.rows(("count", "right", "chance"), [(4, True, 1.0), (4, False, 0.0), (0, False, 0.0)])
def test_rows_of_one_outcome(count: int, right: bool, chance: float) -> None:
    for found in (
        fit_logistic(ROWS[:count], [right] * count, np.ones(count), 1.0),
        fit_words(csr_matrix(ROWS[:count]), [right] * count, np.ones(count), 1.0),
    ):
        assert not found.weights.any()
        assert found.probability(ROWS[:1]) == pytest.approx([chance], abs=1e-6)


def test_words_are_weighed_as_dense_columns_are() -> None:
    rows = csr_matrix(np.where(ROWS > 0.5, ROWS, 0.0))
    ours = fit_words(rows, RIGHT, IMPORTANCE, 1.0)
    # liblinear holds the intercept down as it does a weight: that is a column of ones
    known = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000, fit_intercept=False)
    known.fit(hstack([rows, np.ones((300, 1))]).tocsr(), RIGHT, sample_weight=IMPORTANCE)
    assert [*ours.weights, ours.intercept] == pytest.approx(known.coef_[0].tolist(), abs=2e-2)


@pytest.mark.rows("seen", [[0, 1, 2, 4], [1, 3]])
def test_softmax_is_that_of_scikit_learn(seen: list[int]) -> None:
    noise = np.random.default_rng(3).normal(size=(300, len(seen)))
    outcomes = np.array(seen)[np.argmax(ROWS[:, [0, 3, 4, 5]][:, : len(seen)] + noise, axis=1)]
    ours = fit_softmax(csr_matrix(ROWS), outcomes, IMPORTANCE, 5, 3.0)
    known = LogisticRegression(C=3.0, tol=1e-10, max_iter=10_000).fit(ROWS, outcomes, sample_weight=IMPORTANCE)
    shares = ours.shares(csr_matrix(on_grid(ROWS)))
    assert shares[:, seen] == pytest.approx(known.predict_proba(ROWS), abs=1e-3)
    assert np.delete(shares, seen, axis=1).max() < 1e-9
    assert shares.sum(axis=1) == pytest.approx(np.ones(300))


def test_softmax_of_one_outcome_is_sure_of_it() -> None:
    found = fit_softmax(csr_matrix(ROWS[:5]), np.full(5, 2), np.ones(5), 4, 3.0)
    assert found.shares(csr_matrix(ROWS[:1])) == pytest.approx(np.array([[0.0, 0.0, 1.0, 0.0]]), abs=1e-9)


def test_groups_that_can_be_ordered_are() -> None:
    groups = [(rows, rows[:, 0] - rows[:, 4] > 1) for rows in np.split(ROWS, 30)]
    weights = fit_ranking(groups, 100.0)
    for rows, right in groups:
        scores = rows @ weights
        assert not right.any() or scores[right].min() > scores[~right].max()


def test_ranking_reaches_the_least_loss() -> None:
    groups = [(rows, rows[:, 0] + RANDOM.normal(size=10) > 1) for rows in np.split(ROWS, 30)]
    differences, shares = pairwise(groups)
    spread = differences.std(axis=0)

    def loss(theta: Matrix) -> float:
        short = np.maximum(0, 1 - differences / spread @ theta)
        return float(theta @ theta / 2 + 0.3 * shares @ short**2)

    known = minimize(loss, np.zeros(6), tol=1e-10).x
    assert fit_ranking(groups, 0.3) * spread == pytest.approx(known, abs=1e-3)


def test_all_groups_count_alike_and_those_of_one_kind_not_at_all() -> None:
    rows = np.array([[1.0, 0.0], [3.0, 1.0], [7.0, 5.0]])
    groups = [(rows, np.array(flags)) for flags in ([True, False, False], [True, True, True], [False, True, True])]
    differences, shares = pairwise(groups)
    assert differences.tolist() == [[-2, -1], [-6, -5], [2, 1], [6, 5]]
    assert shares.tolist() == [0.5, 0.5, 0.5, 0.5]
    many = np.zeros((MAX_WRONG + 50, 1))
    assert len(pairwise([(many, np.arange(len(many)) == 7)])[0]) == MAX_WRONG


@pytest.mark.rows("flags", [[True] * 10, [False] * 10])
def test_without_a_pair_there_is_nothing_to_learn(flags: list[bool]) -> None:
    with pytest.raises(InputError, match="no labelled thread has a right and a wrong candidate"):
        fit_ranking([(ROWS[:10], np.array(flags))], 1.0)
    with pytest.raises(InputError, match="no labelled thread has a right and a wrong candidate"):
        fit_ranking([], 1.0)
