"""Exact arithmetic: true to the last bit or nearly, and indifferent to the order of sums."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from models.exact import GridMatrix, Matrix, dot, exp, log, on_grid, sigmoid, softmax, total

RANDOM = np.random.default_rng(7)


def test_exponential_and_logarithm_against_decimals() -> None:
    powers = RANDOM.uniform(-700, 700, 300)
    for power, found in zip(powers.tolist(), exp(powers).tolist(), strict=True):
        assert found == pytest.approx(float(Decimal(power).exp()), rel=5e-16)
    values = np.concatenate([np.exp(RANDOM.uniform(-40, 40, 300)), [1.0, 1 + 2e-16, 1 - 1e-16, 5e-324]])
    for value, found in zip(values.tolist(), log(values).tolist(), strict=True):
        assert found == pytest.approx(float(Decimal(value).ln()), rel=1e-15)


def test_few_numbers_give_what_many_give() -> None:
    values = np.exp(RANDOM.uniform(-40, 40, 300))
    for function, given in ((exp, RANDOM.uniform(-700, 700, 300)), (log, values)):
        assert [float(function(value)) for value in given.tolist()] == function(given).tolist()


def test_beyond_the_bounds_nothing_overflows() -> None:
    assert exp([-1e300, 1e300]).tolist() == exp([-700.0, 700.0]).tolist()
    assert sigmoid([-1e300, 0.0, 1e300]).tolist() == pytest.approx([0.0, 0.5, 1.0], abs=1e-300)
    assert softmax(np.array([[1e300, 0.0], [3.0, 3.0]])).tolist() == pytest.approx(np.array([[1.0, 0.0], [0.5, 0.5]]))


@pytest.mark.rows("count", [0, 1, 2, 3, 7, 64, 65])
def test_total_of_any_number_of_rows(count: int) -> None:
    rows = np.arange(2.0 * count).reshape(count, 2)
    assert total(rows).tolist() == [float(sum(range(0, 2 * count, 2))), float(sum(range(1, 2 * count, 2)))]
    assert dot(rows, rows) == float(sum(value * value for value in range(2 * count)))


def exactly(rows: Matrix, right: Matrix) -> list[Fraction]:
    """The product of a matrix and a vector in fractions."""
    return [
        sum((Fraction(a) * Fraction(b) for a, b in zip(row, right.tolist(), strict=True)), Fraction())
        for row in rows.tolist()
    ]


@pytest.mark.rows("sparse", [False, True])
def test_products_are_right_and_the_same_in_any_order(sparse: bool) -> None:
    rows = on_grid(RANDOM.normal(size=(40, 300)) * 10.0 ** RANDOM.integers(-3, 3, (40, 300)))
    right = RANDOM.normal(size=300)
    made = GridMatrix(csr_matrix(rows) if sparse else rows)
    found = made.times(right)
    for one, true in zip(found.tolist(), exactly(rows, right), strict=True):
        assert one == pytest.approx(float(true), abs=1e-9)
    order = RANDOM.permutation(300)
    shuffled = rows[:, order]
    assert np.array_equal(GridMatrix(csr_matrix(shuffled) if sparse else shuffled).times(right[order]), found)
    back = made.transposed_times(found)
    assert np.array_equal(GridMatrix(rows[::-1].copy()).transposed_times(found[::-1].copy()), back)


def test_grid() -> None:
    assert on_grid([1 / 3, -0.0, 2**-17, 3 * 2**-17]).tolist() == [21845 / 65536, 0.0, 0.0, 2 / 65536]
    assert str(on_grid(-1e-9)) == "0.0"
