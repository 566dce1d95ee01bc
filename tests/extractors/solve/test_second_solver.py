"""The second solver: it agrees, finds wrong, missing and surplus solutions, and does not solve what is too large."""

from fractions import Fraction

import pytest

from extractors.real_numbers.values import Value
from extractors.solve import second_solver
from extractors.solve.equation_systems import parse_system
from extractors.solve.second_solver import Opinion, second_opinion

NINE = ["x + y = 9", "2x - y = 3"]


def opinion(equations: list[str], *rows: tuple[Value, ...], complete: bool = True) -> Opinion:
    return second_opinion(parse_system(equations), rows, complete=complete).opinion


def test_the_same_solutions_agree_and_others_do_not() -> None:
    assert opinion(NINE, (Fraction(4), Fraction(5))) is Opinion.AGREES
    assert opinion(NINE, (Fraction(5), Fraction(4))) is Opinion.DISAGREES
    assert opinion(NINE) is Opinion.DISAGREES


def test_a_solution_too_few_counts_where_all_should_be_there() -> None:
    assert opinion(["x^2 = 16"], (Fraction(4),)) is Opinion.DISAGREES
    assert opinion(["x^2 = 16"], (Fraction(4),), complete=False) is Opinion.AGREES
    assert opinion(["x^2 = 16", "x > 0"], (Fraction(4),)) is Opinion.AGREES
    assert opinion(["x = 5 ± 2"], (Fraction(3),), (Fraction(7),)) is Opinion.AGREES


def test_angles_are_degrees_as_they_are_for_our_solver() -> None:
    assert opinion(["x = 10*sin(30)"], (Fraction(5),)) is Opinion.AGREES
    assert opinion(["x = round(-5/2)"], (Fraction(-3),)) is Opinion.AGREES


def test_what_is_not_solved_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    free = second_opinion(parse_system(["10*a + b = 3*a*b"]), [(Fraction(1), Fraction(5))], complete=True)
    assert (free.opinion, free.why) == (Opinion.NOT_SOLVED, "it leaves an unknown free")
    large = second_opinion(parse_system(["+".join(["x"] * 250) + "=1"]), [(Fraction(1, 250),)], complete=True)
    assert large.why == "too large"
    monkeypatch.setattr(second_solver, "MAX_CALLS", 50)
    assert second_opinion(parse_system(NINE), [], complete=True).why == "beyond the budget of calls"


def test_work_that_is_broken_off_leaves_nothing_behind() -> None:
    for calls in range(100, 3000, 500):
        with pytest.raises(second_solver.NotSolvedError), second_solver._bounded(calls):
            second_solver._solutions(parse_system(["x^4 - 5*x^2 + x = abs(x)*sqrt(3)"]))
    assert opinion(["x^2 = 16"], (Fraction(4),), (Fraction(-4),)) is Opinion.AGREES
