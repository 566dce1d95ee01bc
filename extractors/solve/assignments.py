"""Values put into polynomials: exact within one quadratic field, else approximated with the noise removed.

The last unknown of a ring stands for the square root of that field, so that coefficients stay integers.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import NamedTuple, TypeAlias

from extractors.extraction_errors import LimitError
from extractors.polynomials.integer_polynomials import (
    PRECISION,
    Polynomial,
    degree,
    evaluate,
    mapped,
    rounded,
    substitute,
    unknowns_of,
    without_noise,
)
from extractors.polynomials.roots import WORKING_DIGITS, surd_roots, univariate_roots
from extractors.real_numbers.algebraic_numbers import FieldError, Surd
from extractors.real_numbers.values import Budget, Value, approximate, to_decimal

VariableValues: TypeAlias = dict[int, Value]
"""Values by the number of the unknown in its ring."""
MAX_DEPTH = 24
_TINY = Fraction(1, 1 << 120)


class EliminationState(NamedTuple):
    """Where an elimination stands: whether coefficients are approximated, the steps left, the depth, the field.

    ``square``: the last unknown of the ring stands for the root of this number; 0 while there is none.
    """

    approximated: bool
    budget: Budget
    depth: int = 0
    square: int = 0

    def deeper(self) -> "EliminationState":
        """One level down; ``LimitError`` at the bottom."""
        if self.depth >= MAX_DEPTH:
            raise LimitError("elimination too deep")
        return self._replace(depth=self.depth + 1)

    def near(self) -> "EliminationState":
        """The same with approximated coefficients."""
        return self._replace(approximated=True, square=0)

    @property
    def root(self) -> Value:
        """The irrational of the field."""
        return Surd(Fraction(0), Fraction(1), self.square)

    def reduced(self, p: Polynomial) -> Polynomial:
        """The polynomial with at most the first power of the irrational."""
        return p % (_irrational(p) ** 2 - self.square) if self.square else p


def _irrational(p: Polynomial) -> Polynomial:
    ring = p.context()
    return ring.gen(ring.nvars() - 1)


def unknowns(p: Polynomial) -> dict[int, int]:
    """The unknowns with their degrees, ascending, without the irrational."""
    found = unknowns_of(p)
    found.pop(p.context().nvars() - 1, None)
    return found


def length(p: Polynomial, run: EliminationState) -> int:
    """The number of terms, those that differ by the irrational only counted once."""
    return len({monomial[:-1] for monomial in p.monoms()}) if run.square else len(p)


def roots(p: Polynomial, index: int, run: EliminationState) -> list[Value]:
    """The real roots of a polynomial in one unknown."""
    if run.approximated:
        p = rounded(p)
    size = degree(p, index) + 1
    if p.degrees()[-1] > 0:
        dense: list[Fraction | Surd] = [Fraction(0)] * size
        for monomial, c in p.terms():
            dense[int(monomial[index])] += int(c) * (run.root if monomial[-1] else 1)  # type: ignore[operator]
        exact = surd_roots(dense)
        return exact if exact is not None else roots(_without_irrational(p, run), index, run.near())
    plain = [0] * size
    for monomial, c in p.terms():
        plain[int(monomial[index])] = int(c)
    return univariate_roots(plain, run.approximated, run.budget)


def _without_irrational(p: Polynomial, run: EliminationState) -> Polynomial:
    """The polynomial with a rational of ``PRECISION`` bits for the irrational."""
    if not run.square:
        return p
    return substitute(p, p.context().nvars() - 1, *_ratio(p, approximate(run.root, PRECISION)), run.budget)


def _ratio(p: Polynomial, value: Fraction) -> tuple[Polynomial, Polynomial]:
    ring = p.context()
    return ring.constant(value.numerator), ring.constant(value.denominator)


def is_exact(values: Mapping[int, Value]) -> bool:
    """Whether there are rationals and quadratic irrationals only."""
    return all(isinstance(value, Fraction | Surd) for value in values.values())


def _relevant(found: VariableValues, *polynomials: Polynomial) -> VariableValues:
    """The part of an assignment that concerns some polynomials; all of it where it is exact anyway."""
    if is_exact(found):
        return found
    used = {index for p in polynomials for index in unknowns_of(p)}
    return {index: value for index, value in found.items() if index in used}


def ratio_value(top: Polynomial, bottom: Polynomial, found: VariableValues, run: EliminationState) -> Value | None:
    """The value of a quotient; None where it depends on free unknowns or the denominator vanishes."""
    values = _with_root(_relevant(found, top, bottom), top, run)
    if not run.approximated and is_exact(values):
        try:
            return _divided(top, bottom, values)
        except FieldError:
            pass
    result = _divided(top, bottom, _near(values))
    return None if result is None else to_decimal(approximate(result, PRECISION), WORKING_DIGITS)


def _with_root(values: VariableValues, p: Polynomial, run: EliminationState) -> VariableValues:
    return {**values, p.context().nvars() - 1: run.root} if run.square else values


def _near(values: VariableValues) -> VariableValues:
    return {index: approximate(value, PRECISION) for index, value in values.items()}


def _divided(top: Polynomial, bottom: Polynomial, values: VariableValues) -> Fraction | Surd | None:
    upper, lower = evaluate(top, values), evaluate(bottom, values)  # type: ignore[arg-type]
    return None if upper is None or not lower else upper / lower


def vanishes(p: Polynomial, found: VariableValues, run: EliminationState) -> bool | None:
    """Whether a polynomial is zero under an assignment; None where it depends on free unknowns."""
    values = _with_root(_relevant(found, p), p, run)
    if is_exact(values):
        try:
            total = evaluate(p, values)  # type: ignore[arg-type]
        except FieldError:
            pass
        else:
            return None if total is None else not total
    near = _near(values)
    total = evaluate(p, near)  # type: ignore[arg-type]
    if total is None:
        return None
    sizes = {index: abs(value) for index, value in near.items()}  # type: ignore[arg-type]
    size = evaluate(mapped(p, abs), sizes)  # type: ignore[arg-type]
    return approximate(abs(total)) <= _TINY * max(Fraction(1, 1 << 60), approximate(size or Fraction(0)))  # type: ignore[arg-type]


def put(p: Polynomial, index: int, ratio: tuple[Polynomial, Polynomial], run: EliminationState) -> Polynomial:
    """``substitute``; where coefficients are approximated, what cancels down to noise becomes zero."""
    out = run.reduced(substitute(p, index, *ratio, run.budget))
    if not run.approximated or not out or index not in unknowns(p):
        return out
    sizes = substitute(mapped(p, abs), index, mapped(ratio[0], abs), mapped(ratio[1], abs), run.budget)
    return without_noise(out, int(max(sizes.coeffs())))


def put_assignment(
    polynomials: Sequence[Polynomial], found: VariableValues, run: EliminationState
) -> tuple[list[Polynomial], EliminationState]:
    """Polynomials with an assignment put in, and how to go on (approximated where exact values do not suffice)."""
    squares = {value.c for value in found.values() if isinstance(value, Surd)} | {run.square} - {0}
    exact = not run.approximated and len(squares) < 2 and is_exact(found)
    out = list(polynomials)
    if exact:
        onward = run._replace(square=next(iter(squares), 0))
    else:
        out, onward = [_without_irrational(p, run) for p in out], run.near()
    for index, value in found.items():
        out = [put(p, index, _as_ratio(p, value if exact else approximate(value, PRECISION)), onward) for p in out]
    return out, onward


def _as_ratio(p: Polynomial, value: Value) -> tuple[Polynomial, Polynomial]:
    """A rational or quadratic irrational as a quotient of polynomials."""
    if not isinstance(value, Surd):
        return _ratio(p, value)  # type: ignore[arg-type]
    bottom = lcm(value.a.denominator, value.b.denominator)
    return int(value.b * bottom) * _irrational(p) + int(value.a * bottom), p.context().constant(bottom)


def same_value(a: Value, b: Value) -> bool:
    """Whether two values are the same for the purpose of counting solutions; decimals within 1e-12."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b
    if a == b and not isinstance(a, Decimal):
        return True
    x, y = approximate(a), approximate(b)
    return abs(x - y) <= Fraction(1, 10**12) * max(Fraction(1), abs(x), abs(y))
