"""Polynomials in several unknowns with integer coefficients: FLINT's, behind bounds.

A call into FLINT cannot be interrupted, so what it may cost is bounded before it is made: by the steps of a ``Budget``
where systems are solved, and always by terms, bits and degrees. The unknowns of a ring are numbered; a ring has room
for a fixed number of them, so that few rings exist however many systems are read.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, prod
from typing import NamedTuple, TypeAlias

from flint import Ordering, fmpz, fmpz_mpoly, fmpz_mpoly_ctx

from extractors.extraction_errors import LimitError
from extractors.real_numbers.algebraic_numbers import Surd
from extractors.real_numbers.values import MAX_BITS, Budget, long_arithmetic

Polynomial: TypeAlias = fmpz_mpoly
Ring: TypeAlias = fmpz_mpoly_ctx
Quotient: TypeAlias = tuple[fmpz_mpoly, fmpz_mpoly]
"""Numerator and denominator, not reduced."""
Monomial: TypeAlias = tuple[tuple[int, int], ...]
"""Unknowns with their exponents, ascending by unknown."""

ROOMS = (4, 8, 16, 32, 64, 128)
MAX_EXPONENT = 127
PRECISION = 320
"""Bits that an approximated polynomial keeps; terms 2**-NOISE below the largest one count as zero."""
NOISE = 160


class SizeLimits(NamedTuple):
    """How large a polynomial may become: terms, bits of a coefficient, total degree."""

    terms: int
    bits: int
    degree: int


SOLVING = SizeLimits(400, MAX_BITS, 1_000)
TEMPLATES = SizeLimits(20_000, 8_000, MAX_EXPONENT)
MAX_PRODUCTS = 400_000
_FEW = 16
"""Products of coefficients that cost no more than looking at their length beforehand."""


def _bounds(budget: Budget | None) -> SizeLimits:
    return TEMPLATES if budget is None else SOLVING


@lru_cache(maxsize=len(ROOMS))
def _ring(size: int) -> Ring:
    return fmpz_mpoly_ctx.get(("x", size), Ordering.lex)


def ring_of(size: int) -> Ring:
    """A ring with room for so many unknowns; LimitError beyond 128."""
    for room in ROOMS:
        if size <= room:
            return _ring(room)
    raise LimitError(f"{size} unknowns in one system of polynomials; at most {ROOMS[-1]} are read")


def terms(p: Polynomial) -> list[tuple[Monomial, int]]:
    """The terms, as plain numbers.

    >>> x, y, *_ = ring_of(2).gens()
    >>> terms(3 * x**2 * y - 5)
    [(((0, 2), (1, 1)), 3), ((), -5)]
    """
    return [
        (tuple([(index, int(exponent)) for index, exponent in enumerate(monomial) if exponent]), int(coefficient))
        for monomial, coefficient in p.terms()
    ]


def degree(p: Polynomial, index: int) -> int:
    """The degree in one unknown; 0 for the zero polynomial."""
    return max(int(p.degrees()[index]), 0)


def unknowns_of(p: Polynomial) -> dict[int, int]:
    """The unknowns that occur with their degrees, ascending."""
    return {index: int(exponent) for index, exponent in enumerate(p.degrees()) if exponent} if p else {}


def occurs(p: Polynomial, indexes: Iterable[int]) -> bool:
    """Whether one of some unknowns occurs."""
    degrees = p.degrees()
    return any(degrees[index] > 0 for index in indexes)


def coefficient_bits(p: Polynomial) -> int:
    """Bits of the longest coefficient."""
    return max(map(fmpz.bit_length, p.coeffs()), default=0)


def multiply(p: Polynomial, q: Polynomial, budget: Budget | None = None) -> Polynomial:
    """``p*q``; what it takes is bounded and counted before it is computed. No budget: the bounds of templates."""
    if q.is_one():
        return p
    if p.is_one():
        return q
    bounds, size = _bounds(budget), len(p) * len(q)
    if p.total_degree() + q.total_degree() > bounds.degree:
        raise LimitError(f"a power of more than {bounds.degree}")
    if size > _FEW:
        _spend(size, coefficient_bits(p) + coefficient_bits(q), budget)
        return bounded(p * q, bounds)
    out = p * q
    _spend(size, coefficient_bits(out), budget)
    return out


def _spend(products: int, bits: int, budget: Budget | None) -> None:
    """Counts products of coefficients that have so many bits together; LimitError beyond the bounds."""
    bounds = _bounds(budget)
    if bits > bounds.bits:
        raise LimitError(f"number beyond {bounds.bits} bits")
    if budget is not None:
        budget.spend(products * (1 + long_arithmetic(bits)))
    elif products > MAX_PRODUCTS:
        raise LimitError(f"a product of {products} pairs of terms is beyond {MAX_PRODUCTS}")


def bounded(p: Polynomial, bounds: SizeLimits = SOLVING) -> Polynomial:
    """The polynomial; LimitError where it has too many terms."""
    if len(p) > bounds.terms:
        raise LimitError(f"polynomial of more than {bounds.terms} terms")
    return p


def power(p: Polynomial, exponent: int, budget: Budget | None = None) -> Polynomial:
    """``p**exponent`` for an exponent that is not negative."""
    if exponent == 1:
        return p
    out = p.context().constant(1)
    while exponent:
        if exponent & 1:
            out = multiply(out, p, budget)
        exponent >>= 1
        if exponent:
            p = multiply(p, p, budget)
    return out


def coefficients(p: Polynomial, index: int) -> dict[int, Polynomial]:
    """``p`` as a polynomial in one unknown: exponent -> coefficient, free of that unknown and not zero.

    >>> x, y, *_ = ring_of(2).gens()
    >>> coefficients(3 * x**2 * y - 5 * y, 0)
    {2: 3*x1, 0: -5*x1}
    """
    if degree(p, index) == 0:
        return {0: p} if p else {}
    parts: dict[int, dict[tuple[int, ...], fmpz]] = {}
    for monomial, coefficient in p.terms():
        rest = (*monomial[:index], 0, *monomial[index + 1 :])
        parts.setdefault(int(monomial[index]), {})[rest] = coefficient
    ring = p.context()
    return {exponent: ring.from_dict(part) for exponent, part in parts.items()}


def substitute(
    p: Polynomial, index: int, top: Polynomial, bottom: Polynomial, budget: Budget | None = None
) -> Polynomial:
    """``p`` with ``top/bottom`` put for one unknown, multiplied by the power of ``bottom`` that clears it."""
    most = degree(p, index)
    if not most:
        return p
    if most == 1:
        head = p.derivative(index)
        tail = p - head * p.context().gen(index)
        return bounded(multiply(head, top, budget) + multiply(tail, bottom, budget), _bounds(budget))
    parts = coefficients(p, index)
    out = p.context().constant(0)
    for exponent, part in parts.items():
        factor = multiply(power(top, exponent, budget), power(bottom, most - exponent, budget), budget)
        out = bounded(out + multiply(part, factor, budget), _bounds(budget))
    return out


def primitive(p: Polynomial) -> Polynomial:
    """The polynomial without the common divisor of its coefficients; its sign stays."""
    return p.primitive()[1] if p else p


def content(p: Polynomial) -> int:
    """The greatest common divisor of the coefficients, 0 of the zero polynomial.

    >>> content(4 * ring_of(1).gen(0) - 6)
    2
    """
    return gcd(*map(int, p.coeffs()))


def positive(p: Polynomial) -> Polynomial:
    """The polynomial or its negative: that with a positive leading coefficient."""
    return -p if p and p.leading_coefficient() < 0 else p


def evaluate(p: Polynomial, values: Mapping[int, Fraction | Surd]) -> Fraction | Surd | None:
    """The value of a polynomial; None where it depends on an unknown without one."""
    if p.is_constant():
        return Fraction(sum(map(int, p.coeffs())))
    degrees = unknowns_of(p)
    known = {index: values[index] for index in degrees if index in values}
    if any(isinstance(value, Surd) for value in known.values()):
        return _irrational_value(p, known)
    ratios = {index: value.as_integer_ratio() for index, value in known.items()}  # type: ignore[union-attr]
    if len(known) == len(degrees) and all(bottom == 1 for _, bottom in ratios.values()):
        return Fraction(int(p(*[ratios[index][0] if index in ratios else 0 for index in range(p.context().nvars())])))
    rest: dict[Monomial, int] = {}
    for monomial, total in terms(p):
        powers = dict(monomial)
        for index, (top, bottom) in ratios.items():
            exponent = powers.pop(index, 0)
            total *= top**exponent * bottom ** (degrees[index] - exponent)
        key = tuple(powers.items())
        rest[key] = rest.get(key, 0) + total
    if any(total for key, total in rest.items() if key):
        return None
    return Fraction(rest.get((), 0), prod(bottom ** degrees[index] for index, (_, bottom) in ratios.items()))


def _irrational_value(p: Polynomial, values: Mapping[int, Fraction | Surd]) -> Fraction | Surd | None:
    rest: dict[Monomial, Fraction | Surd] = {}
    for monomial, coefficient in terms(p):
        total: Fraction | Surd = Fraction(coefficient)
        for index, exponent in monomial:
            for _ in range(exponent if index in values else 0):
                total = total * values[index]
        key = tuple(pair for pair in monomial if pair[0] not in values)
        rest[key] = rest[key] + total if key in rest else total
    return None if any(total for key, total in rest.items() if key) else rest.get((), Fraction(0))


def rounded(p: Polynomial) -> Polynomial:
    """An approximated polynomial with coefficients of ``PRECISION`` bits and its noise removed."""
    largest = max(map(abs, p.coeffs()), default=fmpz(0))
    if not largest:
        return p
    scaled = mapped(p, lambda c: round(Fraction(int(c) << PRECISION, int(largest))))
    return without_noise(scaled, 1 << PRECISION)


def without_noise(p: Polynomial, size: int) -> Polynomial:
    """The terms that are not ``2**-NOISE`` below a size or less."""
    floor = size >> NOISE
    return mapped(p, lambda c: c if abs(c) > floor else 0)


def mapped(p: Polynomial, function: Callable[[fmpz], int | fmpz]) -> Polynomial:
    """The polynomial with a function of every coefficient in its place."""
    return p.context().from_dict({monomial: function(c) for monomial, c in p.terms()})


def content_over(p: Polynomial, indexes: Iterable[int]) -> Polynomial:
    """The greatest common divisor of the coefficients with regard to some unknowns."""
    inside = frozenset(indexes)
    if len(p) == 1:
        return p.subs(dict.fromkeys(inside, 1))
    parts: dict[tuple[int, ...], dict[tuple[int, ...], fmpz]] = {}
    for monomial, coefficient in p.terms():
        key = tuple([exponent if index in inside else 0 for index, exponent in enumerate(monomial)])
        rest = tuple([0 if index in inside else exponent for index, exponent in enumerate(monomial)])
        parts.setdefault(key, {})[rest] = coefficient
    ring = p.context()
    divisor = ring.constant(0)
    for part in sorted(parts.values(), key=len):
        divisor = divisor.gcd(ring.from_dict(part))
        if divisor.is_one():
            break
    return divisor


def reduced(numerator: Polynomial, denominator: Polynomial) -> tuple[Polynomial, Polynomial]:
    """The fraction in lowest terms over the integers; only a joint sign is left open.

    >>> a, b, *_ = ring_of(2).gens()
    >>> reduced(4 * a * b + 4 * b, 6 * a + 6)
    (2*x1, 3)
    """
    divisor = numerator.gcd(denominator)
    return numerator // divisor, denominator // divisor


def constant_value(quotient: Quotient) -> Fraction | None:
    """The number that a quotient is, or None if an unknown occurs in it."""
    top, bottom = quotient
    if top.is_constant() and bottom.is_constant():
        return Fraction(sum(map(int, top.coeffs())), int(bottom.leading_coefficient()))
    return None


def combined(op: str, left: Quotient, right: Quotient, budget: Budget | None = None) -> Quotient:
    """Sum, difference, product or quotient of two quotients; the divisor must not be zero."""
    (a, b), (c, d) = left, right
    if op == "*":
        return multiply(a, c, budget), multiply(b, d, budget)
    if op == "/":
        return multiply(a, d, budget), multiply(b, c, budget)
    if b != d:
        a, b, c = multiply(a, d, budget), multiply(b, d, budget), multiply(c, b, budget)
    return bounded(a + c if op == "+" else a - c, _bounds(budget)), b


def raised(quotient: Quotient, exponent: int, budget: Budget | None = None) -> Quotient:
    """A whole power of a quotient, which must not be zero for a negative one."""
    top, bottom = (power(part, abs(exponent), budget) for part in quotient)
    return (top, bottom) if exponent >= 0 else (bottom, top)


def square_free(p: Polynomial, index: int) -> Polynomial:
    """Without repeated factors that contain an unknown; factors free of it may stay or go."""
    repeated = p.gcd(p.derivative(index))
    return p // repeated if degree(repeated, index) else p


def resultant(p: Polynomial, q: Polynomial, index: int) -> Polynomial:
    """The resultant in one unknown: it vanishes wherever both do."""
    return p.resultant(q, p.context().name(index))


def determinant(rows: Sequence[Sequence[Polynomial]]) -> Polynomial:
    """The determinant of a square matrix (Bareiss: every division is exact)."""
    matrix = [list(row) for row in rows]
    size = len(matrix)
    zero = matrix[0][0].context().constant(0)
    previous, sign = zero + 1, 1
    for step in range(size - 1):
        pivot = next((row for row in range(step, size) if matrix[row][step]), None)
        if pivot is None:
            return zero
        if pivot != step:
            matrix[step], matrix[pivot] = matrix[pivot], matrix[step]
            sign = -sign
        for row in range(step + 1, size):
            for column in range(step + 1, size):
                product = multiply(matrix[step][step], matrix[row][column])
                matrix[row][column] = (product - multiply(matrix[row][step], matrix[step][column])) // previous
        previous = matrix[step][step]
    return sign * matrix[-1][-1]
