"""Systems solved one unknown after the other: by hand, and against the general path."""

from fractions import Fraction

import pytest

from extractors.real_numbers.values import Budget
from extractors.solve.equation_systems import parse_system
from extractors.solve.solving import _solve_general, solve_texts
from extractors.solve.stepwise import NotStepwiseError, stepwise


def found(*equations: str) -> list[dict[str, object]]:
    return [dict(values) for values in stepwise(parse_system(equations).equations, Budget(10_000)).found]


def test_worked_steps_in_any_order() -> None:
    expected = [{"x": Fraction(72), "y": Fraction(1296), "z": Fraction(18)}]
    assert found("x = 6*12", "y = x*x/4", "z = y/x") == expected
    assert found("z = y/x", "y = x*x/4", "x = 6*12") == expected


def test_one_rational_equation() -> None:
    # 20(x - 10) = 15x
    assert found("20/x = 15/(x-10)") == [{"x": Fraction(40)}]
    assert solve_texts(["20/x = 15/(x-10)"]).linear


def test_roots_rise_and_zero_comes_last() -> None:
    assert [values["x"] for values in found("x^2 - 5x + 6 = 0")] == [2, 3]
    assert [values["x"] for values in found("x^2 = 5x")] == [5, 0]


def test_a_linear_equation_beside_a_quadratic_one() -> None:
    # 8 + 9 = 17, 64 + 81 = 145
    assert found("x + y = 17", "x^2 + y^2 = 145") == [{"x": 9, "y": 8}, {"x": 8, "y": 9}]


@pytest.mark.parametrize(
    "equations",
    [
        ["(x^2-4)/(x-2) = 4"],  # only x = 2, where the denominator vanishes
        ["x = 2", "x*x = 5"],  # contradiction: rounding may explain it
        ["sqrt(x) = 3"],
        ["x^3 = 5"],  # an algebraic number
        ["x + y + z = 3", "x*y = 1"],  # an unknown is free
        ["x = 5", "x*y*z = 30"],
        ["x^9 = 512"],  # beyond the powers read here
    ],
)
def test_what_is_left_to_the_general_path(equations: list[str]) -> None:
    with pytest.raises(NotStepwiseError):
        stepwise(parse_system(equations).equations, Budget(10_000))


@pytest.mark.parametrize(
    "equations",
    [
        ["x = 30*12", "y = 15*12", "y*x = z", "z/(18*18) = m"],
        ["14/x = 2/3"],
        ["(x+3)^2 = 11 + (x+2)^2"],
        ["x + 12/x = 7"],
        ["4x^2 - 8x + 3 = 0"],
        ["x^2 - 2 = 0"],
        ["t*(25 - 0.05*t) = 3080"],
        ["16x^3 = 145x"],
        ["x + y = 10", "x*y = 20"],
        ["x/y = 2/5", "x + y = 21"],
        ["x = 2y", "x*y = 50"],
        ["y = x^2 + 4x - 1", "y + 3 = x"],
        ["x^2 = y", "x + y = 6"],
        ["xy + 90 = (y+1)(x+1)", "x - y = 9"],
        ["u = 100*(1-0.99)", "x/(x+u) = 0.98", "t = x + u"],
    ],
)
def test_the_short_way_gives_what_the_long_way_gives(equations: list[str]) -> None:
    assert solve_texts(equations) == _solve_general(parse_system(equations), Budget(120_000))
