"""Systems beyond the linear path: by hand, as they were solved before FLINT, and within bounds."""

from fractions import Fraction
from typing import Any

import pytest

from extractors.extraction_errors import LimitError
from extractors.polynomials.integer_polynomials import Polynomial, degree, multiply, power, resultant, ring_of
from extractors.polynomials.roots import real_roots
from extractors.real_numbers.algebraic_numbers import Surd
from extractors.real_numbers.values import Budget, format_value
from extractors.solve import polynomial_elimination
from extractors.solve.assignments import EliminationState
from extractors.solve.polynomial_elimination import solve_polynomials
from extractors.solve.solving import solve_texts
from tests.extractors.test_solving_systems import load


@pytest.mark.rows("case", load("polynomial_systems.jsonl"), ids=lambda case: case["id"])
def test_random_systems_are_solved_as_before(case: dict[str, Any]) -> None:
    """The expectations come from the solver that did without FLINT; the order of the solutions counts."""
    result = solve_texts(case["text"])
    found = [[format_value(value) for value in row] for row in result.solutions]
    assert {"status": result.status, "unknowns": list(result.unknowns), "solutions": found} == case["expect"]


@pytest.mark.rows(
    ("equations", "solutions"),
    [
        (["x = 6*12", "y = x*x/4", "z = y/x"], [(72, 1296, 18)]),
        (["z = y/x", "y = x*x/4", "x = 6*12"], [(18, 1296, 72)]),
        (["20/x = 15/(x-10)"], [(40,)]),  # 20(x - 10) = 15x
        (["x^2 - 5x + 6 = 0"], [(2,), (3,)]),
        (["x^2 = 5x"], [(5,), (0,)]),  # what is left of it, then the factor x
        (["x + y = 17", "x^2 + y^2 = 145"], [(9, 8), (8, 9)]),  # 81 + 64
        (["x = 30*12", "y = 15*12", "y*x = z", "z/(18*18) = m"], [(360, 180, 64800, 200)]),
        (["t*(25 - 0.05*t) = 3080"], [(220,), (280,)]),
        (["x = 2y", "x*y = 50"], [(-10, -5), (10, 5)]),
        (["(x^2-4)/(x-2) = 4"], []),  # only x = 2, where the denominator vanishes
        (["x^3 - 6x^2 + 11x = 6"], [(1,), (2,), (3,)]),
    ],
)
def test_systems_by_hand(equations: list[str], solutions: list[tuple[int, ...]]) -> None:
    result = solve_texts(equations)
    assert [tuple(map(Fraction, row)) for row in solutions] == list(result.solutions)


def test_values_stay_exact_within_one_quadratic_field() -> None:
    # x = sqrt(2), y = 1 + x, z = x*y = 2 + sqrt(2); the negative root is ruled out
    result = solve_texts(["x^2 = 2", "y = 1 + x", "z = x*y", "x > 0"], ["x", "y", "z"])
    (row,) = result.solutions
    assert row[2] == Surd(Fraction(2), Fraction(1), 2)
    # y^2 - sqrt(2)*y - 4 = 0 has the discriminant 18 = (3*sqrt(2))^2
    rows = solve_texts(["x^2 = 2", "y^2 = x*y + 4", "x > 0"], ["y"]).solutions
    assert rows == ((Surd(Fraction(0), Fraction(-1), 2),), (Surd(Fraction(0), Fraction(2), 2),))


def test_an_elimination_is_bounded_before_it_is_made() -> None:
    x, y, z, w, *_ = ring_of(5).gens()
    ring = x.context()
    dense = sum(((i + 2) * (x + y + z + w + i) ** 4 for i in range(3)), ring.constant(0))
    other = (x - y + 2 * z) ** 4 * (w + 3) + x * y - z**4 + 7
    with pytest.raises(LimitError, match=r"budget|degree|terms|bits"):
        solve_polynomials([dense, other, dense * w + 1], EliminationState(False, Budget(120_000)))


@pytest.mark.rows(
    "coefficients",
    [
        (-2, 1 << 601, -(1 << 1201), 1),  # x^3 = 2*(2^600*x - 1)^2: two roots 2^-900 apart
        (-2, 1 << 51, -(1 << 101), *[0] * 37, 1),
        (-2, 1 << 1901, -(1 << 3801), *[0] * 37, 1),
        tuple((7919 * k * k + 1) ** 160 for k in range(41)),
    ],
)
def test_roots_close_together_end_by_budget(coefficients: tuple[int, ...]) -> None:
    budget = Budget(120_000)
    try:
        found = real_roots(coefficients, budget)
    except LimitError as error:
        found = ()
        assert "budget" in str(error) or "bits" in str(error)  # noqa: PT017 - either may be met first
    assert len(found) <= 4
    assert budget.left < 120_000


def test_products_and_powers_are_bounded_before_they_are_made() -> None:
    x, y, *_ = ring_of(2).gens()
    dense = (x + y + 1) ** 9  # 55 terms, 3,025 pairs
    with pytest.raises(LimitError, match="budget"):
        multiply(dense, dense, Budget(1_000))
    with pytest.raises(LimitError, match="a power of more than 1000"):
        power(x, 1_001, Budget(120_000))
    with pytest.raises(LimitError, match="a power of more than 127"):
        power(x, 128)
    with pytest.raises(LimitError, match="bits"):
        multiply(dense * (1 << 7_000), dense * (1 << 7_000))
    wide = (x + y + 1) ** 60  # 1,891 terms, 3.6 million pairs
    with pytest.raises(LimitError, match="pairs of terms"):
        multiply(wide, wide)
    with pytest.raises(LimitError, match="129 unknowns"):
        ring_of(129)


def test_a_root_in_a_coefficient_stays_a_root() -> None:
    """With r for sqrt(2): x = r*y and y = r give x = r*r = 2."""
    result = solve_texts(["x = sqrt(2)*y", "y = sqrt(2)"])
    (row,) = result.solutions
    assert dict(zip(result.unknowns, map(format_value, row), strict=True))["x"] == "2"


def test_an_elimination_pays_for_the_degrees_that_it_takes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second elimination, of degrees 8 and 16 with two unknowns left, took 4 s where its size alone was paid for."""
    made: list[int] = []

    def counted(p: Polynomial, q: Polynomial, index: int) -> Polynomial:
        made.append(degree(p, index) + degree(q, index))
        return resultant(p, q, index)

    monkeypatch.setattr(polynomial_elimination, "resultant", counted)
    result = solve_texts(["1/(x-y)^7=(y-2)/(x+y)+7-|x-2|"], ["x"])
    assert (made, result.status, result.detail) == ([10], "too_large", "beyond the step budget")
