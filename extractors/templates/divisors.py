"""Greatest common divisors, contents, square-free parts and resultants of integer polynomials in several variables.

Most pairs that occur are coprime up to a monomial. A modular image in one variable bounds the degree of the common
divisor in it (evaluation can only enlarge a common divisor while a leading coefficient survives), so coprimality is
proved without a remainder sequence; where a divisor remains, the primitive remainder sequence finds it.
"""

import math
from collections.abc import Iterable, Sequence

from extractors.templates.template_polynomials import (
    FIELD,
    MAX_VARIABLES,
    ONE,
    ZERO,
    Polynomial,
    add,
    coefficients,
    degree,
    exact_quotient,
    exponents,
    integer_content,
    multiply,
    power,
    scale,
    shared_monomial,
    variables,
)

PRIME = (1 << 61) - 1
_POINTS = tuple(pow(3, 7919 * (index + 7) ** 5, PRIME) for index in range(MAX_VARIABLES))
"""Where images are taken. No arithmetic progression of exponents: a * c = b ** 2 there would weaken every bound."""


def common_divisor(left: Polynomial, right: Polynomial) -> Polynomial:
    """Greatest common divisor over the integers; the sign of its leading term is positive.

    >>> a, b = {1: 1}, {256: 1}
    >>> common_divisor(multiply(a, add(a, b)), multiply(b, add(a, b))) == add(a, b)
    True
    """
    if not left or not right:
        return _positive(left or right)
    shared = _common_term((left, right))
    if len(left) == 1 or len(right) == 1:
        return shared
    divisor = _primitive_divisor(_stripped(left), _stripped(right))
    return multiply(_positive(divisor), shared)


def _common_term(polynomials: Sequence[Polynomial]) -> Polynomial:
    """The greatest single term that divides all: their common divisor if one of them is a single term."""
    monomials = [monomial for polynomial in polynomials for monomial in polynomial]
    numbers = [number for polynomial in polynomials for number in polynomial.values()]
    return {shared_monomial(monomials): math.gcd(*numbers)}


def _positive(polynomial: Polynomial) -> Polynomial:
    return scale(polynomial, -1) if polynomial and polynomial[max(polynomial)] < 0 else polynomial


def _stripped(polynomial: Polynomial) -> Polynomial:
    """Without integer and monomial content."""
    monomial, number = shared_monomial(polynomial), integer_content(polynomial)
    if not monomial and number == 1:
        return polynomial
    return {key - monomial: value // number for key, value in polynomial.items()}


def _primitive_divisor(left: Polynomial, right: Polynomial) -> Polynomial:
    """Common divisor of two polynomials without integer or monomial content."""
    if len(left) == 1 or len(right) == 1:
        return ONE
    if left == right:
        return left
    first, second = set(variables(left)), set(variables(right))
    # A common divisor is free of a variable that only one of them has. Such a divisor divides every coefficient, and so
    # a single term that is one.
    if any(_has_single_term(left, index) for index in first - second):
        return ONE
    if any(_has_single_term(right, index) for index in second - first):
        return ONE
    inside = first & second
    bounds: dict[int, int] = {}
    for index in sorted(inside):
        bounds[index] = _degree_bound(left, right, index)
        if not bounds[index] and (_has_single_term(left, index) or _has_single_term(right, index)):
            return ONE
    main = [index for index in bounds if bounds[index]]
    if not main:
        return ONE
    outside = sorted((first | second) - set(main))
    if outside:
        parts = _split([left, right], outside)
        return _stripped(divisor_of_all(parts))
    index = min(main, key=lambda i: (bounds[i], i))
    return _remainder_sequence(left, right, index)


def _has_single_term(polynomial: Polynomial, index: int) -> bool:
    """Whether some coefficient with regard to a variable is a single term."""
    places = [(monomial >> (FIELD * index)) & 0xFF for monomial in polynomial]
    return any(places.count(place) == 1 for place in places)


def _split(polynomials: Sequence[Polynomial], indexes: Sequence[int]) -> list[Polynomial]:
    """All coefficients of the polynomials with regard to some variables: a divisor free of those divides each."""
    parts = list(polynomials)
    for index in indexes:
        parts = [part for polynomial in parts for part in coefficients(polynomial, index).values()]
    return sorted(parts, key=len)


def divisor_of_all(polynomials: Iterable[Polynomial]) -> Polynomial:
    """Common divisor of several polynomials; zero if there is none."""
    divisor = ZERO
    for polynomial in polynomials:
        divisor = common_divisor(divisor, polynomial)
        if divisor == ONE:
            break
    return divisor


def _degree_bound(left: Polynomial, right: Polynomial, index: int) -> int:
    """Upper bound for the degree of the common divisor in one variable, from an image modulo a prime."""
    first, second = _image(left, index), _image(right, index)
    if first is None or second is None:
        return min(degree(left, index), degree(right, index))
    while second:
        first, second = second, _modular_remainder(first, second)
    return len(first) - 1


def _image(polynomial: Polynomial, index: int) -> list[int] | None:
    """Coefficients, lowest first, with all other variables at fixed points; None if the leading one vanishes."""
    values = [0] * (degree(polynomial, index) + 1)
    for monomial, coefficient in polynomial.items():
        place, term = 0, coefficient
        for variable_index, exponent in exponents(monomial):
            if variable_index == index:
                place = exponent
            else:
                term = term * pow(_POINTS[variable_index], exponent, PRIME) % PRIME
        values[place] = (values[place] + term) % PRIME
    return values if values[-1] else None


def _modular_remainder(dividend: list[int], divisor: list[int]) -> list[int]:
    rest = list(dividend)
    inverse = pow(divisor[-1], -1, PRIME)
    while len(rest) >= len(divisor):
        factor = rest[-1] * inverse % PRIME
        offset = len(rest) - len(divisor)
        for place, value in enumerate(divisor):
            rest[offset + place] = (rest[offset + place] - factor * value) % PRIME
        while rest and not rest[-1]:
            rest.pop()
    return rest


def _remainder_sequence(left: Polynomial, right: Polynomial, index: int) -> Polynomial:
    """Primitive remainder sequence in one variable (Knuth, volume 2, section 4.6.1)."""
    left_content, right_content = content(left, index), content(right, index)
    outer = common_divisor(left_content, right_content)
    first, second = divide(left, left_content), divide(right, right_content)
    if degree(first, index) < degree(second, index):
        first, second = second, first
    while second and degree(second, index):
        rest = pseudo_remainder(first, second, index)
        first, second = second, divide(rest, content(rest, index)) if rest else ZERO
    return outer if second else multiply(outer, first)


def content(polynomial: Polynomial, index: int) -> Polynomial:
    """Common divisor of the coefficients with regard to one variable."""
    return divisor_of_all(sorted(coefficients(polynomial, index).values(), key=len))


def content_over(polynomial: Polynomial, mask: int) -> Polynomial:
    """Common divisor of the coefficients with regard to all variables inside ``mask``."""
    parts: dict[int, Polynomial] = {}
    for monomial, coefficient in polynomial.items():
        parts.setdefault(monomial & mask, {})[monomial & ~mask] = coefficient
    ordered = sorted(parts.values(), key=len)
    return _common_term(ordered) if ordered and len(ordered[0]) == 1 else divisor_of_all(ordered)


def divide(polynomial: Polynomial, divisor: Polynomial) -> Polynomial:
    """The quotient where it is known to be exact."""
    if divisor == ONE:
        return polynomial
    quotient = exact_quotient(polynomial, divisor)
    assert quotient is not None, "a common divisor must divide"
    return quotient


def pseudo_remainder(dividend: Polynomial, divisor: Polynomial, index: int) -> Polynomial:
    """Remainder in one variable after multiplying by powers of the divisor's leading coefficient."""
    bound = degree(divisor, index)
    lead = coefficients(divisor, index)[bound]
    rest = dividend
    while rest and degree(rest, index) >= bound:
        top = degree(rest, index)
        factor = coefficients(rest, index)[top]
        shifted = {monomial + ((top - bound) << (FIELD * index)): value for monomial, value in divisor.items()}
        rest = add(multiply(rest, lead), multiply(shifted, factor), -1)
    return rest


def reduced(numerator: Polynomial, denominator: Polynomial) -> tuple[Polynomial, Polynomial]:
    """The fraction in lowest terms over the integers; only a joint sign is left open."""
    if not numerator:
        return ZERO, ONE
    divisor = common_divisor(numerator, denominator)
    return divide(numerator, divisor), divide(denominator, divisor)


def square_free(polynomial: Polynomial, index: int) -> Polynomial:
    """Without repeated factors that contain the variable ``index``; factors free of it may stay or go."""
    shift = FIELD * index
    slope = {
        monomial - (1 << shift): value * ((monomial >> shift) & 0xFF)
        for monomial, value in polynomial.items()
        if (monomial >> shift) & 0xFF
    }
    if not slope:
        return polynomial
    repeated = common_divisor(polynomial, slope)
    return divide(polynomial, repeated) if degree(repeated, index) else polynomial


def resultant(left: Polynomial, right: Polynomial, index: int) -> Polynomial:
    """Resultant in one variable: determinant of the Sylvester matrix by fraction-free elimination."""
    first, second = degree(left, index), degree(right, index)
    if not first or not second:
        return power(left, second) if not first else power(right, first)
    rows = [*_shifted_rows(left, index, second), *_shifted_rows(right, index, first)]
    return determinant(rows)


def _shifted_rows(polynomial: Polynomial, index: int, count: int) -> list[list[Polynomial]]:
    parts = coefficients(polynomial, index)
    row = [parts.get(place, ZERO) for place in range(degree(polynomial, index), -1, -1)]
    return [[ZERO] * shift + row + [ZERO] * (count - 1 - shift) for shift in range(count)]


def determinant(rows: Sequence[Sequence[Polynomial]]) -> Polynomial:
    """Determinant of a square matrix (Bareiss: every division is exact)."""
    matrix = [list(row) for row in rows]
    size = len(matrix)
    previous, sign = ONE, 1
    for step in range(size - 1):
        pivot = next((row for row in range(step, size) if matrix[row][step]), None)
        if pivot is None:
            return ZERO
        if pivot != step:
            matrix[step], matrix[pivot] = matrix[pivot], matrix[step]
            sign = -sign
        for row in range(step + 1, size):
            for column in range(step + 1, size):
                product = multiply(matrix[step][step], matrix[row][column])
                product = add(product, multiply(matrix[row][step], matrix[step][column]), -1)
                matrix[row][column] = divide(product, previous) if product else ZERO
        previous = matrix[step][step]
    return scale(matrix[-1][-1], sign)
