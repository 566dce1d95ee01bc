"""Gold answers as exact values, and whether two answers are the same, in training as in evaluation."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from extractors.equations.identities import have_matches
from extractors.real_numbers.values import Value, approximate, format_value
from extractors.solve.solving import solve_texts

MAX_DIGITS = 4_300
"""Digits of an integer that Python reads without being told to; no answer is longer."""
_TOO_LARGE: int = 10**MAX_DIGITS
TOLERANCE = Fraction(2, 1000)
"""Relative and absolute, as golds are often rounded to three decimals; whole numbers compare exactly."""


def gold_value(text: str) -> Fraction | None:
    """A gold value as an exact rational, an irrational one to 60 bits; None if it is no number.

    >>> gold_value("7/2"), round(float(gold_value("3*sqrt(5)")), 6), gold_value("n*(n-1)")
    (Fraction(7, 2), 6.708204, None)
    """
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        pass
    result = solve_texts([f"x={text.replace('**', '^')}"], ["x"])
    if len(result.solutions) != 1 or len(result.solutions[0]) != 1:
        return None
    return approximate(result.solutions[0][0], 60)


def gold_values(texts: Sequence[str]) -> tuple[Fraction, ...] | None:
    """All values of a gold answer, or None if one of them is no number."""
    values = [gold_value(text) for text in texts]
    return None if not values or any(value is None for value in values) else tuple(v for v in values if v is not None)


def rational_rows(solutions: Iterable[Sequence[Value]]) -> tuple[tuple[Fraction, ...], ...]:
    """Solutions as rationals, irrational values as they are written.

    Those with a number of more than MAX_DIGITS digits are left out ("x = 10^4999").

    >>> rational_rows([[Fraction(7, 2)], [Fraction(10) ** 5_000]])
    ((Fraction(7, 2),),)
    """
    rows = (tuple([_rational(value) for value in row]) for row in solutions)
    return tuple([row for row in rows if all(map(_is_short, row))])


def _rational(value: Value) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(format_value(value))


def _is_short(value: Fraction) -> bool:
    return -_TOO_LARGE < value.numerator < _TOO_LARGE > value.denominator


def hold(solutions: Sequence[Sequence[Fraction]], values: Sequence[Fraction]) -> bool:
    """Whether some values lie within one solution, or are roots of the only unknown.

    >>> hold([[Fraction(2)], [Fraction(-3)]], [Fraction(-3), Fraction(2)])
    True
    """
    rows = [*solutions, [row[0] for row in solutions]] if solutions and len(solutions[0]) == 1 else solutions
    return any(all(any(same_value(value, wanted) for value in row) for wanted in values) for row in rows)


def same_value(left: Fraction, right: Fraction) -> bool:
    """Whether two values are equal within the tolerance; two whole numbers only if they are the same.

    >>> same_value(Fraction("33.333"), Fraction(100, 3)), same_value(Fraction(1000), Fraction(1001))
    (True, False)
    """
    (top, bottom), (other_top, other_bottom) = left.as_integer_ratio(), right.as_integer_ratio()
    if bottom == other_bottom == 1:
        return top == other_top
    a, b = top * other_bottom, other_top * bottom
    return abs(a - b) * TOLERANCE.denominator <= TOLERANCE.numerator * max(abs(a), abs(b))


def same_answer(found: Sequence[Fraction], gold: Sequence[Fraction]) -> bool:
    """Whether two answers hold the same values, in any order."""
    if len(found) != len(gold):
        return False
    return same_value(found[0], gold[0]) if len(found) == 1 else have_matches(found, gold, same_value)
