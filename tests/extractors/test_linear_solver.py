"""The linear hot path: rows, elimination, implication."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extractors.expressions.grammar import parse_equation
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.real_numbers.values import Budget
from extractors.solve.equation_systems import parse_system
from extractors.solve.linear_solver import Elimination, NotLinearError, linear_row
from extractors.solve.solving import implies, solve_texts


def test_rows_are_integers() -> None:
    assert linear_row(parse_equation(".15x + 1/4 = y/3")[0]) == {"x": 9, "y": -20, "": 15}


@pytest.mark.rows("text", ["x*y=1", "1/x=2", "x^2=4", "sqrt(x)=2", "2^x=8", "x=sqrt(2)", "(x-x)*y=1", "2/(y-y)=x"])
def test_not_linear(text: str) -> None:
    with pytest.raises(NotLinearError):
        linear_row(parse_equation(text)[0])


@pytest.mark.rows("text", ["x/(0-2)=3-y", "0.25q+0.1(30-q)=5.7", "x-x=y/3", "2(3x)/(0-4)-y=(1-y)/(0-4)"])
def test_a_long_equation_has_the_row_of_a_short_one(text: str) -> None:
    long = text + "+0" * 100
    assert list(linear_row(parse_equation(long)[0]).items()) == list(linear_row(parse_equation(text)[0]).items())


def test_division_by_zero_is_malformed() -> None:
    with pytest.raises(ExtractionError, match="zero"):
        linear_row(parse_equation("x/(2-2)=1")[0])


def test_elimination_tells_implied_and_contradicting_rows() -> None:
    elimination = Elimination((), Budget(1000))
    assert elimination.add({"x": 1, "y": 1, "": -9})
    assert elimination.add({"x": 1, "y": -1, "": -1})
    assert not elimination.add({"x": 2, "": -10})
    assert elimination.consistent
    assert elimination.values() == {"x": Fraction(5), "y": Fraction(4)}
    elimination.add({"y": 1, "": -5})
    assert not elimination.consistent


def test_elimination_keeps_to_its_budget() -> None:
    rows = [{"x": k + 1, "y": 7 * k + 2, "z": k * k, "": -k} for k in range(3)]
    with pytest.raises(LimitError, match="budget"):
        Elimination(rows, Budget(5))


def test_implies() -> None:
    system = parse_system(["x + y = 9", "x - y = 1"])
    assert implies(system, parse_equation("2x = 10")[0])
    assert not implies(system, parse_equation("x = 4")[0])
    assert not implies(system, parse_equation("z = 1")[0])
    assert not implies(parse_system(["x=1", "x=2"]), parse_equation("x = 1")[0])
    assert implies(parse_system(["x+y=9"]), parse_equation("3x+3y=27")[0])


small = st.integers(min_value=-9, max_value=9)


@given(st.lists(st.tuples(small, small, small), min_size=3, max_size=3), st.tuples(small, small, small))
def test_solutions_satisfy_the_equations(rows: list[tuple[int, int, int]], point: tuple[int, int, int]) -> None:
    texts = [f"{a}*x+({b})*y+({c})*z={a * point[0] + b * point[1] + c * point[2]}" for a, b, c in rows]
    result = solve_texts(texts, ["x", "y", "z"])
    (a, b, c), (d, e, f), (g, h, i) = rows
    if a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g):
        assert result.solutions == (tuple(map(Fraction, point)),)
    else:
        assert result.status == "underdetermined"
