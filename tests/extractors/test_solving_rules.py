"""Rules of the solver beyond elimination: rounded steps, remainders, shared powers, parts of a system."""

from fractions import Fraction

import pytest

from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import render
from extractors.real_numbers.values import approximate, format_value
from extractors.solve.solving import solve_texts


def _near(equations: list[str], unknowns: list[str] | None = None) -> tuple[str, list[list[float]]]:
    result = solve_texts(equations, unknowns)
    return result.status, [[round(float(approximate(v)), 4) for v in solution] for solution in result.solutions]


def test_a_rounded_step_beside_its_equation() -> None:
    status, solutions = _near(["1500*(1+x)^15 = 3976.75", "(1+x)^15 = 2.651167", "1+x = 2.651167^(1/15)"])
    assert (status, solutions) == ("numeric", [[0.0672]])


def test_a_rounded_value_in_a_linear_system() -> None:
    assert _near(["x + y = 100", "y = 2x", "x = 33.333"]) == ("numeric", [[33.3333, 66.6667]])


@pytest.mark.rows(
    "equations",
    [["x = 3", "x = 4"], ["x = 3.5", "x = 3.6"], ["x = 3.1415", "x = 3.1615"], ["x+y=1", "x+y=2", "x=0.3333"]],
)
def test_other_contradictions_stay_contradictions(equations: list[str]) -> None:
    result = solve_texts(equations)
    assert (result.status, result.solutions) == ("inconsistent", ())


def test_remainders_of_sums() -> None:
    result = solve_texts(["m%5=2", "n%5=4", "(3m+n)%5=x"], ["x"])
    assert (result.status, result.solutions) == ("solved", ((Fraction(0),),))


def test_remainders_do_not_pass_to_other_moduli() -> None:
    assert solve_texts(["m%5=2", "(m+1)%7=x"], ["x"]).status != "solved"
    assert solve_texts(["m%10=7", "(m+1)%5=x"], ["x"]).solutions == ((Fraction(3),),)


def test_a_power_shared_by_two_equations() -> None:
    assert _near(["3*z^(m-1)=192", "3*(1-z^m)/(1-z)=381"]) == ("numeric", [[2.0, 7.0]])


def test_equations_beyond_the_solver_do_not_block_the_others() -> None:
    result = solve_texts(["x + 2 = 5", "t = _round(t, 0)"], ["x"])
    assert [[format_value(v) for v in solution] for solution in result.solutions] == [["3"]]


@pytest.mark.rows(
    ("text", "expected"),
    [
        ("(x+y)/7v = 1", "(x+y)/(7*v)=1"),
        ("y/3x = 4", "y/(3*x)=4"),
        ("y/3x^2*5 = 4", "y/(3*x^2)*5=4"),
        ("1/2x = 4", "1/2*x=4"),
        ("z*1/2x = 4", "z*1/2*x=4"),
        ("3/4(12-y) = 3", "3/4*(12-y)=3"),
        ("h/2(a+b) = 9", "h/2*(a+b)=9"),
    ],
)
def test_what_a_slash_divides(text: str, expected: str) -> None:
    assert render(parse_equation(text)[0]) == expected
