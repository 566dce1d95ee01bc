"""Solutions as rationals, and whether they hold the values of an answer."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from extractors.solve.solving import solve_texts
from models.gold_values import MAX_DIGITS, hold, rational_rows
from tests.models.samples import wholes


@pytest.mark.rows(
    ("solutions", "values", "held"),
    [
        ([wholes(24, 17)], wholes(17, 24), True),
        ([wholes(24, 17)], wholes(17), True),
        ([wholes(24, 17)], wholes(17, 25), False),
        ([wholes(5, 7), wholes(6, 8)], wholes(8, 6), True),
        ([wholes(5, 7), wholes(6, 8)], wholes(5, 8), False),  # each of another solution
        ([wholes(3), wholes(-3)], wholes(-3), True),
        ([wholes(3), wholes(-3)], wholes(3, 4), False),
        ([(Fraction(100, 3),)], (Fraction("33.33"),), True),  # off by a ten thousandth of it
        ([(Fraction(100, 3),)], (Fraction("33.2"),), False),  # off by four thousandths
        ([], wholes(7), False),
    ],
)
def test_solutions_hold_the_values_of_one_of_them_or_roots(
    solutions: Sequence[Sequence[Fraction]], values: Sequence[Fraction], held: bool
) -> None:
    assert hold(solutions, values) is held


def test_numbers_beyond_the_bound_leave_their_solution_out() -> None:
    longest, too_long = Fraction(10**MAX_DIGITS - 1), Fraction(10**MAX_DIGITS)
    kept = [wholes(7, 8), (longest, 1 / longest), (-longest, Fraction(0))]
    left_out = [(Fraction(7), too_long), (Fraction(7), -too_long), (Fraction(7), 1 / too_long)]
    assert rational_rows([left_out[0], kept[0], left_out[1], *kept[1:], left_out[2]]) == tuple(kept)


def test_irrational_values_become_the_rationals_that_they_are_written_as() -> None:
    roots = rational_rows(solve_texts(["x^2 = 2"], ["x"]).solutions)
    assert sorted(value > 0 for (value,) in roots) == [False, True]
    assert all(value**2 == pytest.approx(2, abs=1e-12) for (value,) in roots)
