"""Exact polynomials in several variables with integer coefficients, small enough to be written in plain Python.

A polynomial is a dictionary from packed monomial to non-zero coefficient and is never changed once made. Variable ``i``
takes the bits ``8 * i`` to ``8 * i + 6`` of a monomial, bit ``8 * i + 7`` stays free as a guard: multiplying monomials
is integer addition, comparing them is a lexicographic order, and a set guard bit shows an exponent out of range.
"""

import math
from collections.abc import Iterable
from functools import reduce
from operator import or_

from extractors.extraction_errors import LimitError

Polynomial = dict[int, int]

FIELD = 8
MAX_EXPONENT = 127
MAX_VARIABLES = 64
MAX_TERMS = 20_000
MAX_PRODUCTS = 400_000
MAX_COEFFICIENT_BITS = 8_000

ZERO: Polynomial = {}
ONE: Polynomial = {0: 1}
_GUARDS = sum(1 << (FIELD * i + FIELD - 1) for i in range(MAX_VARIABLES))
_FIELD_MASK = (1 << FIELD) - 1


def variable(index: int) -> Polynomial:
    """The polynomial that is the variable ``index``; LimitError beyond MAX_VARIABLES."""
    if not 0 <= index < MAX_VARIABLES:
        raise LimitError(f"more than {MAX_VARIABLES} variables in one system")
    return {1 << (FIELD * index): 1}


def exponents(monomial: int) -> list[tuple[int, int]]:
    """(variable, exponent) of a packed monomial, ascending by variable.

    >>> exponents(3 + (1 << 16))
    [(0, 3), (2, 1)]
    """
    packed = monomial.to_bytes((monomial.bit_length() + 7) // FIELD, "little")
    return [(index, exponent) for index, exponent in enumerate(packed) if exponent]


def variables(polynomial: Polynomial) -> list[int]:
    """Indexes of the variables that occur, ascending."""
    return [index for index, _ in exponents(reduce(or_, polynomial, 0))]


def mask_of(indexes: Iterable[int]) -> int:
    """Bit mask of the fields of these variables: ``monomial & mask`` is non-zero if one of them occurs."""
    return sum(_FIELD_MASK << (FIELD * index) for index in indexes)


def add(left: Polynomial, right: Polynomial, factor: int = 1) -> Polynomial:
    """``left + factor * right``."""
    total = dict(left)
    for monomial, coefficient in right.items():
        value = total.get(monomial, 0) + factor * coefficient
        if value:
            total[monomial] = value
        else:
            total.pop(monomial, None)
    return total


def scale(polynomial: Polynomial, factor: int) -> Polynomial:
    """``factor * polynomial``."""
    return {monomial: factor * coefficient for monomial, coefficient in polynomial.items()} if factor else ZERO


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product; LimitError where it passes the bounds of this module."""
    if right is ONE or left is ONE or right == ONE or left == ONE:
        return left if right == ONE else right
    if len(left) * len(right) > MAX_PRODUCTS:
        raise LimitError(f"a product of {len(left)} by {len(right)} terms is beyond {MAX_PRODUCTS}")
    total: Polynomial = {}
    get = total.get
    for first, a in left.items():
        for second, b in right.items():
            monomial = first + second
            total[monomial] = get(monomial, 0) + a * b
    return _checked({monomial: value for monomial, value in total.items() if value})


def _checked(polynomial: Polynomial) -> Polynomial:
    if len(polynomial) > MAX_TERMS:
        raise LimitError(f"a polynomial has more than {MAX_TERMS} terms")
    if reduce(or_, polynomial, 0) & _GUARDS:
        raise LimitError(f"an exponent is above {MAX_EXPONENT}")
    if max(map(int.bit_length, polynomial.values()), default=0) > MAX_COEFFICIENT_BITS:
        raise LimitError(f"a coefficient has more than {MAX_COEFFICIENT_BITS} bits")
    return polynomial


def power(polynomial: Polynomial, exponent: int) -> Polynomial:
    """``polynomial ** exponent`` for a natural exponent."""
    if exponent > MAX_EXPONENT:
        raise LimitError(f"an exponent is above {MAX_EXPONENT}")
    result = ONE
    for _ in range(exponent):
        result = multiply(result, polynomial)
    return result


def degree(polynomial: Polynomial, index: int) -> int:
    """Degree in one variable; 0 for constants and for the zero polynomial."""
    shift = FIELD * index
    return max([(monomial >> shift) & _FIELD_MASK for monomial in polynomial], default=0)


def coefficients(polynomial: Polynomial, index: int) -> dict[int, Polynomial]:
    """Coefficients by power of one variable; each is free of that variable."""
    shift = FIELD * index
    parts: dict[int, Polynomial] = {}
    for monomial, coefficient in polynomial.items():
        exponent = (monomial >> shift) & _FIELD_MASK
        parts.setdefault(exponent, {})[monomial - (exponent << shift)] = coefficient
    return parts


def substitute(polynomial: Polynomial, index: int, numerator: Polynomial, denominator: Polynomial) -> Polynomial:
    """Numerator of the polynomial with ``numerator / denominator`` put for one variable.

    The result is multiplied by ``denominator`` to the degree in that variable.
    """
    parts = coefficients(polynomial, index)
    top = max(parts, default=0)
    total = ZERO
    for exponent, part in parts.items():
        factor = multiply(power(numerator, exponent), power(denominator, top - exponent))
        total = add(total, multiply(part, factor))
    return total


def integer_content(polynomial: Polynomial) -> int:
    """Greatest common divisor of the coefficients, non-negative."""
    return math.gcd(*polynomial.values())


def shared_monomial(monomials: Iterable[int]) -> int:
    """The greatest monomial that divides all of them.

    >>> shared_monomial([3 + (1 << 8), 2 + (1 << 16)])
    2
    """
    found = iter(monomials)
    common = next(found, 0)
    for monomial in found:
        if not common:
            return 0
        # A guard bit stays set where the exponent is at least that of ``monomial``: take that of ``monomial`` there.
        larger = ((common | _GUARDS) - monomial) & _GUARDS
        fields = larger - (larger >> (FIELD - 1))
        common = (monomial & fields) | (common & ~fields)
    return common


def exact_quotient(dividend: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """``dividend / divisor`` if the division leaves nothing over the integers, else None."""
    lead = max(divisor)
    lead_coefficient = divisor[lead]
    if len(divisor) == 1:
        return _monomial_quotient(dividend, lead, lead_coefficient)
    rest = dict(dividend)
    quotient: Polynomial = {}
    while rest:
        top = max(rest)
        value, remainder = divmod(rest[top], lead_coefficient)
        if remainder or not _divides(lead, top) or len(quotient) > MAX_TERMS:
            return None
        quotient[top - lead] = value
        for monomial, coefficient in divisor.items():
            target = top - lead + monomial
            left = rest.get(target, 0) - value * coefficient
            if left:
                rest[target] = left
            else:
                rest.pop(target, None)
    return quotient


def _monomial_quotient(dividend: Polynomial, monomial: int, coefficient: int) -> Polynomial | None:
    if any(value % coefficient or not _divides(monomial, key) for key, value in dividend.items()):
        return None
    return {key - monomial: value // coefficient for key, value in dividend.items()}


def _divides(divisor: int, monomial: int) -> bool:
    return divisor <= monomial and ((monomial | _GUARDS) - divisor) & _GUARDS == _GUARDS
