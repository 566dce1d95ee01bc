"""Exact values, their text form and what agrees."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.extraction_errors import ExtractionError, LimitError
from extractors.polynomials.roots import real_roots
from extractors.real_numbers.algebraic_numbers import AlgebraicNumber, FieldError, Surd, make_surd, square_root
from extractors.real_numbers.values import (
    DEFAULT_TOLERANCE,
    Budget,
    agree,
    approximate,
    format_value,
    parse_value,
    sign_of,
)

ROOT2 = Surd(Fraction(0), Fraction(1), 2)
CUBE = AlgebraicNumber((-2, 0, 0, 1), Fraction(1), Fraction(2))


def test_surd_arithmetic_is_exact() -> None:
    golden = Surd(Fraction(1, 2), Fraction(1, 2), 5)
    assert golden * golden == golden + 1
    assert golden * golden.inverse() == 1
    assert golden - golden == 0
    assert ROOT2 * ROOT2 == 2
    with pytest.raises(FieldError):
        ROOT2 + golden


@pytest.mark.rows(
    ("a", "b", "c", "sign"),
    [(0, -1, 3, -1), (0, 1, 3, 1), (1, -1, 2, -1), (2, -1, 2, 1), (-1, 1, 2, 1), (-2, 1, 2, -1), (-1, -1, 2, -1)],
)
def test_sign_of_surds(a: int, b: int, c: int, sign: int) -> None:
    assert sign_of(Surd(Fraction(a), Fraction(b), c)) == sign


def test_square_roots_in_lowest_terms() -> None:
    assert square_root(Fraction(49, 36)) == Fraction(7, 6)
    assert square_root(Fraction(1, 2)) == Surd(Fraction(0), Fraction(1, 2), 2)
    assert make_surd(Fraction(1), Fraction(2), 9) == 7


@pytest.mark.rows(
    ("coefficients", "count"),
    [
        ((-2, 0, 1), 2),
        ((1, -3, 0, 1), 3),
        ((1, 0, 1), 0),
        ((0, 0, 1), 1),
        ((-1, 0, 0, 0, 0, 1), 1),
        ((1, 0, 0, 0, 1), 0),
    ],
)
def test_number_of_real_roots(coefficients: tuple[int, ...], count: int) -> None:
    assert len(real_roots(coefficients, Budget(100_000))) == count


@given(st.lists(st.fractions(min_value=-20, max_value=20, max_denominator=9), min_size=1, max_size=6))
def test_rational_roots_are_found_exactly(roots: list[Fraction]) -> None:
    product = [1]
    for root in roots:
        n, d = root.numerator, root.denominator
        product = [
            d * (product[i - 1] if i else 0) - n * (product[i] if i < len(product) else 0)
            for i in range(len(product) + 1)
        ]
    assert real_roots(product, Budget(1_000_000)) == tuple(sorted(set(roots)))


def test_degree_bound() -> None:
    with pytest.raises(LimitError, match="degree"):
        real_roots((1, 1, *[0] * 40, 1), Budget(10**6))


def test_text_form() -> None:
    assert format_value(Fraction(-7, 2)) == "-7/2"
    assert format_value(Fraction(12)) == "12"
    assert format_value(CUBE) == "1.25992104989487"
    assert format_value(Decimal("0.5")) == "0.500000000000000"
    assert format_value(Decimal("1.23E+40")) == "1.23000000000000E+40"
    assert len(format_value(Fraction(10**5000))) == 5001


@pytest.mark.rows("text", ["", "x", "1/0", "1/2/3", "NaN", "inf", "1e999999", "٣", "--1"])
def test_malformed_values(text: str) -> None:
    with pytest.raises(ExtractionError, match="value"):
        parse_value(text)


@given(st.fractions())
def test_rationals_survive_the_text_form(value: Fraction) -> None:
    assert parse_value(format_value(value)) == value


def test_values_agree_within_a_tolerance() -> None:
    assert agree(Fraction(1000), Fraction(1001), Fraction(1, 1000))
    assert not agree(Fraction(1000), Fraction(1003), Fraction(1, 1000))
    assert not agree(ROOT2, CUBE, Fraction(1, 1000))
    assert agree(Fraction(3), Decimal("3.0000000000001"), DEFAULT_TOLERANCE)
    assert not agree(Decimal("NaN"), Fraction(0), DEFAULT_TOLERANCE)


def test_approximation_of_a_high_root() -> None:
    (_, root) = real_roots((-65, *[0] * 63, 1), Budget(1000))
    assert abs(approximate(root) ** 64 - 65) < Fraction(1, 10**30)
