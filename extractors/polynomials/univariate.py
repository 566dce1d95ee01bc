"""Roots of polynomials in one unknown whose coefficients are integers, in a quadratic field, or approximated."""

from collections.abc import Sequence
from fractions import Fraction

from extractors.extraction_errors import LimitError
from extractors.polynomials.integer_polynomials import PRECISION
from extractors.polynomials.roots import MAX_POWER, quadratic, real_roots
from extractors.real_numbers.algebraic_numbers import FieldError, Surd, square_root
from extractors.real_numbers.values import Budget, Value, approximate, sign_of, to_decimal

WORKING_DIGITS = 60
_TINY = Fraction(1, 1 << 120)


def univariate_roots(dense: Sequence[int], approximated: bool, budget: Budget) -> list[Value]:
    """The real roots of a polynomial in one unknown, constant term first."""
    if len(dense) - 1 > MAX_POWER:
        raise LimitError(f"a power of {len(dense) - 1}; at most {MAX_POWER} is solved")
    return _approximate_roots(dense, budget) if approximated else list(real_roots(dense, budget))


def _approximate_roots(dense: Sequence[int], budget: Budget) -> list[Value]:
    """Roots of an approximated polynomial as decimals; a nearly double root counts once."""
    if len(dense) == 3:
        c, b, a = map(Fraction, dense)
        gap = b * b - 4 * a * c
        if abs(gap) <= _TINY * max(b * b, abs(4 * a * c)):
            return [to_decimal(-b / (2 * a), WORKING_DIGITS)]
        return [to_decimal(approximate(root, PRECISION), WORKING_DIGITS) for root in quadratic(a, b, c)]
    roots = list(real_roots(dense, budget))
    found: list[Value] = []
    for root in roots:
        value = to_decimal(approximate(root, PRECISION), WORKING_DIGITS)
        if not any(
            abs(Fraction(value) - approximate(old)) <= _TINY * max(Fraction(1), abs(Fraction(value))) for old in found
        ):
            found.append(value)
    return found


def surd_roots(dense: Sequence[Fraction | Surd]) -> list[Value] | None:
    """Exact roots over a quadratic field up to degree two; None where they leave it."""
    if len(dense) == 2:
        return [-(Fraction(1) * dense[0]) / dense[1]]
    if len(dense) > 3:
        return None
    c, b, a = dense
    gap = b * b - 4 * a * c
    if sign_of(gap) < 0:
        return []
    if not gap:
        return [-(Fraction(1) * b) / (2 * a)]
    if isinstance(gap, Surd):
        return None
    root = square_root(gap)
    try:
        return [(-b - root) / (2 * a), (-b + root) / (2 * a)]
    except FieldError:
        return None
