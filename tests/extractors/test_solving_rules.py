"""Rules of the solver beyond elimination: shared powers, radians, parts of a system."""

import pytest

from extractors.expressions.grammar import parse_equation
from extractors.expressions.tree import render
from extractors.real_numbers.values import approximate, format_value
from extractors.solve.equation_systems import parse_dolphin
from extractors.solve.solving import solve, solve_texts


def _near(equations: list[str], unknowns: list[str] | None = None) -> tuple[str, list[list[float]]]:
    result = solve_texts(equations, unknowns)
    return result.status, [[round(float(approximate(v)), 4) for v in solution] for solution in result.solutions]


@pytest.mark.rows(
    "equations",
    [["x = 3", "x = 4"], ["x = 3.5", "x = 3.6"], ["x = 3.1415", "x = 3.1615"], ["x+y=1", "x+y=2", "x=0.3333"]],
)
def test_other_contradictions_stay_contradictions(equations: list[str]) -> None:
    result = solve_texts(equations)
    assert (result.status, result.solutions) == ("inconsistent", ())


def test_a_power_shared_by_two_equations() -> None:
    assert _near(["3*z^(m-1)=192", "3*(1-z^m)/(1-z)=381"]) == ("numeric", [[2.0, 7.0]])


def test_angles_bounded_by_pi_are_radians() -> None:
    text = "unkn: x\r\nequ: 2sin(x) = 1\r\nequ: 0 <= x <= 2??"
    result = solve(parse_dolphin(text))
    assert [round(float(approximate(solution[0])), 6) for solution in result.solutions] == [0.523599, 2.617994]
    assert _near(["2sin(x) = 1", "0 < x", "x < 90"]) == ("numeric", [[30.0]])


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
