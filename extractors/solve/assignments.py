"""Values put into polynomials: exact within one quadratic field, else approximated with the noise removed."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple, TypeGuard

from extractors.extraction_errors import LimitError
from extractors.polynomials.sparse_polynomials import (
    NOISE,
    PRECISION,
    Coefficient,
    Polynomial,
    constant,
    evaluate,
    substitute,
    substitute_value,
    unknowns_of,
    without_surds,
)
from extractors.polynomials.univariate import WORKING_DIGITS
from extractors.real_numbers.algebraic_numbers import FieldError, Surd
from extractors.real_numbers.values import Budget, Value, approximate, to_decimal

Assignment = dict[str, Value]
MAX_DEPTH = 24
_TINY = Fraction(1, 1 << 120)


class Run(NamedTuple):
    """Where an elimination stands: whether coefficients are approximated, the steps left, the depth."""

    approximated: bool
    budget: Budget
    depth: int = 0

    def deeper(self) -> "Run":
        """One level down; ``LimitError`` at the bottom."""
        if self.depth >= MAX_DEPTH:
            raise LimitError("elimination too deep")
        return Run(self.approximated, self.budget, self.depth + 1)

    def exact(self) -> "Run":
        """The same with exact coefficients."""
        return self._replace(approximated=False)

    def near(self) -> "Run":
        """The same with approximated coefficients."""
        return self._replace(approximated=True)


def _is_exact(values: Assignment) -> TypeGuard[dict[str, Coefficient]]:
    return all(isinstance(value, Fraction | Surd) for value in values.values())


def _relevant(found: Assignment, *polynomials: Polynomial) -> Assignment:
    """The part of an assignment that concerns some polynomials; all of it where it is exact anyway."""
    is_exact: bool = _is_exact(found)
    if is_exact:
        return found
    used = {name for p in polynomials for name in unknowns_of(p)}
    return {name: value for name, value in found.items() if name in used}


def _near_values(values: Assignment) -> dict[str, Coefficient]:
    return {name: approximate(value, PRECISION) for name, value in values.items()}


def ratio_value(top: Polynomial, bottom: Polynomial, found: Assignment, approximated: bool) -> Value | None:
    """The value of a quotient; None where it depends on free unknowns or the denominator vanishes."""
    values = _relevant(found, top, bottom)
    if not approximated and _is_exact(values):
        try:
            return _divided(top, bottom, values)
        except FieldError:
            pass
    result = _divided(without_surds(top), without_surds(bottom), _near_values(values))
    return None if result is None else to_decimal(approximate(result, PRECISION), WORKING_DIGITS)


def _divided(top: Polynomial, bottom: Polynomial, values: dict[str, Coefficient]) -> Fraction | Surd | None:
    upper, lower = evaluate(top, values), evaluate(bottom, values)
    if upper is None or lower is None or not lower:
        return None
    if isinstance(upper, int):
        upper = Fraction(upper)
    return upper / lower


def vanishes(p: Polynomial, found: Assignment) -> bool | None:
    """Whether a polynomial is zero under an assignment; None where it depends on free unknowns."""
    values = _relevant(found, p)
    if _is_exact(values):
        try:
            total = evaluate(p, values)
        except FieldError:
            pass
        else:
            return None if total is None else not total
    near, rational = _near_values(values), without_surds(p)
    total = evaluate(rational, near)
    if total is None:
        return None
    size = evaluate(_sizes(rational), {name: _size(value) for name, value in near.items()})
    return _size(total) <= _TINY * max(Fraction(1, 1 << 60), _size(size or 0))


def put(p: Polynomial, name: str, top: Polynomial, bottom: Polynomial, run: Run) -> Polynomial:
    """``substitute``; where coefficients are approximated, what cancels down to noise becomes zero."""
    out = substitute(p, name, top, bottom, run.budget)
    if not run.approximated or not out or name not in unknowns_of(p):
        return out
    sizes = substitute(_sizes(p), name, _sizes(top), _sizes(bottom), run.budget)
    floor = max(_size(c) for c in sizes.values()) / (1 << NOISE)
    return {monomial: c for monomial, c in out.items() if _size(c) > floor}


def put_assignment(polynomials: Sequence[Polynomial], found: Assignment, run: Run) -> tuple[list[Polynomial], Run]:
    """Polynomials with an assignment put in, and how to go on (approximated where exact values do not suffice)."""
    out = list(polynomials)
    if not run.approximated and _is_exact(found):
        try:
            for name, value in found.items():
                out = [substitute_value(p, name, value, run.budget) for p in out]
        except FieldError:
            out = list(polynomials)
        else:
            return out, run
    out = [without_surds(p) for p in out]
    for name, known in found.items():
        value = approximate(known, PRECISION)
        top, bottom = constant(value.numerator), constant(value.denominator)
        out = [put(p, name, top, bottom, run.near()) for p in out]
    return out, run.near()


def _size(c: Coefficient) -> Fraction:
    return abs(approximate(c, 64) if isinstance(c, Surd) else Fraction(c))


def _sizes(p: Polynomial) -> Polynomial:
    return {monomial: _size(c) for monomial, c in p.items()}


def same_value(a: Value, b: Value) -> bool:
    """Whether two values are the same for the purpose of counting solutions; decimals within 1e-12."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    if a == b and not isinstance(a, Decimal):
        return True
    x, y = approximate(a), approximate(b)
    return abs(x - y) <= Fraction(1, 10**12) * max(Fraction(1), abs(x), abs(y))
