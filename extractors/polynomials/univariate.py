"""Roots of polynomials in one unknown whose coefficients are rational, in a quadratic field, or approximated."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from extractors.extraction_errors import LimitError
from extractors.polynomials.roots import MAX_POWER, quadratic, real_roots
from extractors.polynomials.sparse_polynomials import (
    PRECISION,
    Coefficient,
    Polynomial,
    coefficients_in,
    rounded,
    without_surds,
)
from extractors.real_numbers.algebraic_numbers import FieldError, Surd, make_surd, square_root
from extractors.real_numbers.values import Budget, Value, approximate, sign_of, to_decimal

WORKING_DIGITS = 60
_TINY = Fraction(1, 1 << 120)


def univariate_roots(p: Polynomial, name: str, approximated: bool, budget: Budget) -> list[Value]:
    """The real roots of a polynomial in one unknown."""
    parts = coefficients_in(p, name)
    if max(parts) > MAX_POWER:
        raise LimitError(f"a power of {max(parts)}; at most {MAX_POWER} is solved")
    dense = [parts.get(k, {}).get((), 0) for k in range(max(parts) + 1)]
    if not approximated and all(type(c) is int for c in dense):
        return list(real_roots(dense, budget))  # type: ignore[arg-type]
    if any(isinstance(c, Surd) for c in dense):
        exact = _surd_roots(dense) if len(dense) <= 3 else None
        if exact is not None:
            return exact
        approximated = True
    if not approximated:
        bottom = lcm(*[c.denominator for c in dense if not isinstance(c, Surd)])
        return list(real_roots([int(c * bottom) for c in dense if not isinstance(c, Surd)], budget))
    return _approximate_roots(rounded(without_surds(p)), name, budget)


def _approximate_roots(p: Polynomial, name: str, budget: Budget) -> list[Value]:
    """Roots of an approximated polynomial as decimals; a nearly double root counts once."""
    parts = coefficients_in(p, name)
    dense = [Fraction(parts.get(k, {}).get((), 0)) for k in range(max(parts, default=0) + 1)]  # type: ignore[arg-type]
    if len(dense) == 3:
        c, b, a = dense
        gap = b * b - 4 * a * c
        if abs(gap) <= _TINY * max(b * b, abs(4 * a * c)):
            return [to_decimal(-b / (2 * a), WORKING_DIGITS)]
        return [to_decimal(approximate(root, PRECISION), WORKING_DIGITS) for root in quadratic(a, b, c)]
    roots = list(real_roots([int(c) for c in dense], budget))
    if len(dense) > 3:
        slope = [int(k * c) for k, c in enumerate(dense)][1:]
        roots += [root for root in real_roots(slope, budget) if _nearly_zero(dense, approximate(root, PRECISION))]
    found: list[Value] = []
    for root in roots:
        value = to_decimal(approximate(root, PRECISION), WORKING_DIGITS)
        if not any(
            abs(Fraction(value) - approximate(old)) <= _TINY * max(Fraction(1), abs(Fraction(value))) for old in found
        ):
            found.append(value)
    return found


def _nearly_zero(dense: Sequence[Fraction], point: Fraction) -> bool:
    terms = [c * point**k for k, c in enumerate(dense)]
    return abs(sum(terms, Fraction(0))) <= _TINY * max((abs(term) for term in terms), default=Fraction(0))


def _surd_roots(dense: Sequence[Coefficient]) -> list[Value] | None:
    """Exact roots over a quadratic field up to degree two; None where they leave it."""
    if len(dense) == 2:
        return [-(Fraction(1) * dense[0]) / dense[1]]
    c, b, a = dense
    gap = b * b - 4 * a * c
    if sign_of(gap if isinstance(gap, Surd) else Fraction(gap)) < 0:
        return []
    if not gap:
        return [-(Fraction(1) * b) / (2 * a)]
    root = _field_root(gap)
    if root is None:
        return None
    try:
        return [(-b - root) / (2 * a), (-b + root) / (2 * a)]
    except FieldError:
        return None


def _field_root(value: Coefficient) -> Fraction | Surd | None:
    """A square root inside the quadratic field: ``sqrt(p + q*sqrt(c)) = u + v*sqrt(c)`` where that exists."""
    if not isinstance(value, Surd):
        return square_root(Fraction(value))
    norm = value.a * value.a - value.b * value.b * value.c
    outer = square_root(norm) if norm >= 0 else None
    if not isinstance(outer, Fraction):
        return None
    for square in ((value.a + outer) / 2, (value.a - outer) / 2):
        u = square_root(square) if square > 0 else None
        if isinstance(u, Fraction):
            return make_surd(u, value.b / (2 * u), value.c)
    return None
