"""Real roots of polynomials in one unknown: those of linear and quadratic factors exactly, the others isolated.

FLINT factors the polynomial over the integers; Descartes' rule of signs separates the real roots of what is left.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import gcd

from flint import fmpz, fmpz_poly

from extractors.extraction_errors import LimitError
from extractors.polynomials.integer_polynomials import PRECISION
from extractors.real_numbers.algebraic_numbers import AlgebraicNumber, FieldError, Surd, square_root
from extractors.real_numbers.values import Budget, Value, approximate, sign_of, to_decimal

MAX_DEGREE = 40
MAX_ROOT_BITS = 4_000
"""Bits of the numbers of a polynomial whose roots are isolated."""
MAX_POWER = 400  # degree of ``a*x^n = b``: the months of a loan of thirty years are less
Dense = tuple[int, ...]
"""Integer coefficients, constant term first, the last one not zero."""


def real_roots(coefficients: Sequence[int], budget: Budget) -> tuple[Value, ...]:
    """The distinct real roots in rising order.

    Linear and quadratic factors give ``Fraction`` and ``Surd``, the rest ``AlgebraicNumber``. The polynomial must not
    be zero; ``LimitError`` above degree 40 (400 for pure powers ``a*x^n = b``).

    >>> real_roots((6, -5, 1), Budget(1000))
    (Fraction(2, 1), Fraction(3, 1))
    """
    f = _primitive(coefficients)
    zero: list[Value] = []
    if f and not f[0]:
        zero = [Fraction(0)]
        f = f[next(i for i, c in enumerate(f) if c) :]
    if len(f) <= 3:
        found = _low_degree(f)
    elif not any(f[1:-1]):
        found = _binomial(f)
    else:
        found = _general(f, budget)
    return tuple(sorted(zero + found, key=_order))


def _order(value: Value) -> Fraction:
    return value if isinstance(value, Fraction) else value.approximation(200)  # type: ignore[union-attr]


def _primitive(coefficients: Sequence[int]) -> Dense:
    """Without content and leading zeros, with a positive head."""
    values = list(coefficients)
    while values and not values[-1]:
        values.pop()
    if not values:
        return ()
    content = gcd(*values) * (1 if values[-1] > 0 else -1)
    return tuple(value // content for value in values)


def _low_degree(f: Dense) -> list[Value]:
    """Roots up to degree two."""
    if len(f) < 2:
        return []
    if len(f) == 2:
        return [Fraction(-f[0], f[1])]
    c, b, a = f
    return quadratic(Fraction(a), Fraction(b), Fraction(c))


def quadratic(a: Fraction, b: Fraction, c: Fraction) -> list[Value]:
    """The real roots of ``a*x^2 + b*x + c``, smaller first where ``a`` is positive."""
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return []
    middle = -b / (2 * a)
    if not discriminant:
        return [middle]
    half = square_root(discriminant) / (2 * a)
    return [middle - half, middle + half]


def _binomial(f: Dense) -> list[Value]:
    """Roots of ``a*x^n + c``."""
    n, value = len(f) - 1, Fraction(-f[0], f[-1])
    if n % 2 == 0 and value < 0:
        return []
    size = abs(value)
    root = _nth_root(size, n)
    if root is None:
        base = tuple([-size.numerator] + [0] * (n - 1) + [size.denominator])
        low, high = _root_interval(size, n)
        mirrored = _primitive([-c if i % 2 else c for i, c in enumerate(base)])
        positive: Value = AlgebraicNumber(base, low, high)
        negative: Value = AlgebraicNumber(mirrored, -high, -low)
    else:
        positive, negative = root, -root
    if n % 2 == 0:
        return [negative, positive]
    return [positive] if value > 0 else [negative]


def _nth_root(value: Fraction, n: int) -> Fraction | Surd | None:
    """The n-th root of a positive rational where it is rational or a square root."""
    top, bottom = _integer_root(value.numerator, n), _integer_root(value.denominator, n)
    if top**n == value.numerator and bottom**n == value.denominator:
        return Fraction(top, bottom)
    if n % 2 == 0:
        half = _nth_root(value, n // 2)
        return square_root(half) if isinstance(half, Fraction) else None
    return None


def _root_interval(size: Fraction, n: int) -> tuple[Fraction, Fraction]:
    """A narrow interval around the irrational n-th root of a positive rational; its lower end is positive."""
    shift = max(0, (size.denominator.bit_length() - size.numerator.bit_length()) // n + 8)
    floor = _integer_root((size.numerator << n * shift) // size.denominator, n)
    return Fraction(floor, 1 << shift), Fraction(floor + 1, 1 << shift)


def _integer_root(value: int, n: int) -> int:
    return int(fmpz(value).root(n))


def _general(f: Dense, budget: Budget) -> list[Value]:
    """Roots of degree three and more: of every irreducible factor, isolated where its degree is above two."""
    if len(f) - 1 > MAX_DEGREE:
        raise LimitError(f"degree {len(f) - 1}; at most {MAX_DEGREE} is solved")
    if max(map(int.bit_length, f)) > MAX_ROOT_BITS:
        raise LimitError(f"polynomial with a number beyond {MAX_ROOT_BITS} bits")
    budget.spend(len(f) * len(f))
    found: list[Value] = []
    for factor, _ in fmpz_poly(list(f)).factor()[1]:
        dense = tuple(map(int, factor.coeffs()))
        if len(dense) <= 3:
            found += _low_degree(dense)
        else:
            found += [AlgebraicNumber(dense, low, high) for low, high in _positive_roots(factor, budget)]
            mirrored = factor(fmpz_poly([0, -1]))
            found += [AlgebraicNumber(dense, -high, -low) for low, high in _positive_roots(mirrored, budget)]
    return found


def _positive_roots(f: fmpz_poly, budget: Budget) -> list[tuple[Fraction, Fraction]]:
    """Intervals with one root each of an irreducible polynomial, for its positive roots; no wider than what is below.

    Descartes' rule of signs on intervals that are halved (Collins and Akritas, Polynomial real root isolation using
    Descartes' rule of signs, 1976); ``g`` is the polynomial with its interval moved to that from 0 to 1.
    """
    head = abs(f.leading_coefficient())
    exponent = max(int(abs(c) // head + 1).bit_length() for c in f.coeffs()) + 1
    stack = [(f(fmpz_poly([0, 1 << exponent])), Fraction(0), Fraction(1 << exponent))]
    out: list[tuple[Fraction, Fraction]] = []
    while stack:
        g, low, width = stack.pop()
        size = len(g)
        budget.spend(4 + (size * size * g.height_bits() >> 16))
        changes = _sign_changes(fmpz_poly(g.coeffs()[::-1])(fmpz_poly([1, 1])))
        if changes == 1 and width <= low:
            out.append((low, low + width))
        elif changes:
            lower = fmpz_poly([c << (size - 1 - power) for power, c in enumerate(g.coeffs())])
            stack += [(lower, low, width / 2), (lower(fmpz_poly([1, 1])), low + width / 2, width / 2)]
    return out


def _sign_changes(f: fmpz_poly) -> int:
    signs = [c > 0 for c in f.coeffs() if c]
    return sum(a != b for a, b in pairwise(signs))


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
