"""Coefficients of agreement against worked examples of the literature, and what they do at their ends."""

import numpy as np
import pytest

from audits.sheets.agreement_report import Coefficient, VerdictCounts, ac2, alpha, linear_weights

FOUR_JUDGES = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3),
    (0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0),
)
"""Krippendorff (2011), example C, which Gwet (2014) takes over: four judges of twelve units, 0 for no verdict."""


def counted(judges: tuple[tuple[int, ...], ...], categories: int) -> VerdictCounts:
    return np.array(
        [[unit.count(name) for name in range(1, categories + 1)] for unit in zip(*judges, strict=True)], dtype=float
    )


def test_alpha_of_the_example_of_krippendorff() -> None:
    found = alpha(counted(FOUR_JUDGES, 5))
    assert found.value == pytest.approx(0.743, abs=5e-4)  # Krippendorff 2011, page 6: nominal alpha = .743
    assert found.low is not None
    assert found.high is not None
    assert 0.3 < found.low < 0.743 < found.high <= 1.0


def test_ac1_of_the_same_example() -> None:
    found = ac2(counted(FOUR_JUDGES, 5), np.eye(5))
    assert found.value == pytest.approx(0.775, abs=5e-4)  # Gwet 2014, table 3.9: AC1 = 0.775


def test_two_judges_by_hand() -> None:
    """Ten rows: both say right of seven, wrong of one; on two they differ (right, wrong)."""
    counts = np.array([[2, 0, 0]] * 7 + [[0, 0, 2]] + [[1, 0, 1]] * 2, dtype=float)
    # 20 verdicts, 16 right and 4 wrong; pairs that differ: 2 of 10; by chance 2 * 16 * 4 / (20 * 19)
    assert alpha(counts).value == pytest.approx(1 - (2 / 10) / (2 * 16 * 4 / (20 * 19)))
    # right 0.8, wrong 0.2; linear weights sum to 5 over 3 verdicts; right and wrong are as far apart as can be
    chance = 5 * (0.8 * 0.2 + 0 + 0.2 * 0.8) / (3 * 2)
    assert ac2(counts).value == pytest.approx((0.8 - chance) / (1 - chance))


def test_unsure_is_half_way() -> None:
    near, far = (np.array([[2, 0, 0]] * 8 + [row] * 2, dtype=float) for row in ([1, 1, 0], [1, 0, 1]))
    first, second = ac2(near).value, ac2(far).value
    assert first is not None
    assert second is not None
    assert first > second
    assert alpha(near).value == alpha(far).value, "alpha knows no order"


def test_the_ends() -> None:
    same = np.array([[2, 0, 0]] * 5, dtype=float)
    assert alpha(same) == Coefficient(None, None, None), "with one verdict alone there is no chance to compare with"
    assert ac2(same).value == 1.0
    assert str(ac2(same)) == "1.000 [1.000, 1.000]"
    alone = np.array([[1, 0, 0], [0, 1, 0]], dtype=float)
    assert alpha(alone).value is None
    assert str(ac2(alone)) == "not defined"
    assert ac2(np.zeros((0, 3))).value is None
    assert linear_weights(1).tolist() == [[1.0]]


def test_intervals_rest_on_the_rows_and_not_on_their_order() -> None:
    counts = counted(FOUR_JUDGES, 5)
    assert alpha(counts) == alpha(counts[::-1])
    assert ac2(counts) == ac2(counts[[5, 3, 1, 0, 2, 4, 11, 10, 9, 8, 7, 6]])
    wide, narrow = alpha(counts), alpha(np.tile(counts, (20, 1)))
    assert wide.value == pytest.approx(narrow.value, abs=0.01)
    assert wide.low is not None
    assert narrow.low is not None
    assert narrow.low > wide.low
