"""Sparse polynomials in several unknowns, as plain dictionaries.

A monomial is a sorted tuple of ``(unknown, exponent)``; coefficients are integers, or exact values (``Fraction``,
``Surd``) once an irrational value was put in. Every operation spends steps of a budget and keeps to the bounds below.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm, prod
from typing import TypeAlias

from extractors.extraction_errors import LimitError
from extractors.real_numbers.algebraic_numbers import Surd
from extractors.real_numbers.values import MAX_BITS, Budget, approximate, long_arithmetic

MAX_TERMS = 400
MAX_TOTAL_DEGREE = 1_000
"""Sum of the exponents in a term of a power; powers of powers (``((x^9)^9)^9``) would put in numbers of any length."""
PRECISION = 320
"""Bits that an approximated polynomial keeps; terms 2**-NOISE below the largest one count as zero."""
NOISE = 160

Monomial: TypeAlias = tuple[tuple[str, int], ...]
Coefficient: TypeAlias = int | Fraction | Surd
Polynomial: TypeAlias = dict[Monomial, Coefficient]

ONE: Monomial = ()
_UNIT: Polynomial = {ONE: 1}


def constant(value: Coefficient) -> Polynomial:
    """A constant polynomial; zero is the empty one."""
    return {ONE: value} if value else {}


def variable(name: str) -> Polynomial:
    """One unknown."""
    return {((name, 1),): 1}


def is_constant(p: Polynomial) -> bool:
    """Whether no unknown occurs."""
    return not p or (len(p) == 1 and ONE in p)


def unknowns_of(p: Polynomial) -> dict[str, int]:
    """The unknowns with their degrees, sorted by name."""
    degrees: dict[str, int] = {}
    for monomial in p:
        for name, exponent in monomial:
            if degrees.get(name, 0) < exponent:
                degrees[name] = exponent
    return dict(sorted(degrees.items())) if len(degrees) > 1 else degrees


def total_degree(p: Polynomial) -> int:
    """The greatest sum of exponents."""
    return max((sum(exponent for _, exponent in monomial) for monomial in p), default=0)


def add(p: Polynomial, q: Polynomial, factor: Coefficient = 1) -> Polynomial:
    """``p + factor*q``."""
    out = dict(p)
    for monomial, coefficient in q.items():
        term = coefficient if factor == 1 else coefficient * factor
        old = out.get(monomial)
        new = term if old is None else old + term
        if new:
            out[monomial] = new
        else:
            out.pop(monomial, None)
    if len(out) > MAX_TERMS:
        raise LimitError(f"polynomial of more than {MAX_TERMS} terms")
    return out


def scale(p: Polynomial, factor: Coefficient) -> Polynomial:
    """``factor*p``."""
    if type(factor) is int and factor == 1:
        return p
    return {monomial: coefficient * factor for monomial, coefficient in p.items()} if factor else {}


def multiply_monomials(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    if not a or not b:
        return a or b
    exponents = dict(a)
    for name, exponent in b:
        exponents[name] = exponents.get(name, 0) + exponent
    return tuple(sorted(exponents.items()))


def multiply(p: Polynomial, q: Polynomial, budget: Budget) -> Polynomial:
    """``p*q``; the length of the coefficients is bounded before it is computed, and counts."""
    if q == _UNIT:
        return p
    if p == _UNIT:
        return q
    bits = coefficient_bits(p), coefficient_bits(q)
    if sum(bits) > MAX_BITS:
        raise LimitError(f"number beyond {MAX_BITS} bits")
    budget.spend(len(p) * len(q) * (1 + long_arithmetic(max(bits))))
    if len(q) == 1 and ONE in q:
        return scale(p, q[ONE])
    out: Polynomial = {}
    for a, c in p.items():
        for b, d in q.items():
            monomial = multiply_monomials(a, b)
            old = out.get(monomial)
            out[monomial] = c * d if old is None else old + c * d
    out = {monomial: coefficient for monomial, coefficient in out.items() if coefficient}
    if len(out) > MAX_TERMS:
        raise LimitError(f"polynomial of more than {MAX_TERMS} terms")
    return out


def coefficient_bits(p: Polynomial) -> int:
    """Bits of the longest coefficient; rational and irrational ones count by their longest part."""
    return max((_bits(coefficient) for coefficient in p.values()), default=0)


def _bits(value: Coefficient) -> int:
    if isinstance(value, int):
        return value.bit_length()
    if isinstance(value, Surd):
        return max(_bits(value.a), _bits(value.b), value.c.bit_length())
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def power(p: Polynomial, exponent: int, budget: Budget) -> Polynomial:
    """``p**exponent`` for an exponent that is not negative."""
    if exponent == 1:
        return p
    if exponent * total_degree(p) > MAX_TOTAL_DEGREE:
        raise LimitError(f"a power of more than {MAX_TOTAL_DEGREE}")
    out = _UNIT
    while exponent:
        if exponent & 1:
            out = multiply(out, p, budget)
        exponent >>= 1
        if exponent:
            p = multiply(p, p, budget)
    return out


def coefficients_in(p: Polynomial, name: str) -> dict[int, Polynomial]:
    """``p`` as a polynomial in one unknown: exponent -> coefficient polynomial."""
    out: dict[int, Polynomial] = {}
    for monomial, coefficient in p.items():
        exponent = 0
        for unknown, e in monomial:
            if unknown == name:
                exponent = e
        rest = tuple(pair for pair in monomial if pair[0] != name) if exponent else monomial
        out.setdefault(exponent, {})[rest] = coefficient
    return out


def substitute(p: Polynomial, name: str, top: Polynomial, bottom: Polynomial, budget: Budget) -> Polynomial:
    """``p`` with ``name := top/bottom``, multiplied by the power of ``bottom`` that clears it."""
    parts = coefficients_in(p, name)
    degree = max(parts, default=0)
    if not degree:
        return p
    out: Polynomial = {}
    for exponent, part in parts.items():
        factor = multiply(power(top, exponent, budget), power(bottom, degree - exponent, budget), budget)
        out = add(out, multiply(part, factor, budget))
    return out


def substitute_value(p: Polynomial, name: str, value: Coefficient, budget: Budget) -> Polynomial:
    """``p`` with a value for an unknown; denominators are cleared."""
    if isinstance(value, Fraction):
        return substitute(p, name, constant(value.numerator), constant(value.denominator), budget)
    return substitute(p, name, constant(value), constant(1), budget)


def evaluate(p: Polynomial, values: Mapping[str, Coefficient]) -> Coefficient | None:
    """The value of ``p``; None where it depends on an unknown without one."""
    degrees = unknowns_of(p)
    if all(type(values.get(name)) is Fraction for name in degrees) and all(type(c) is int for c in p.values()):
        return _rational_value(p, values, degrees)  # type: ignore[arg-type]
    rest: Polynomial = {}
    for monomial, coefficient in p.items():
        key: Monomial = ()
        total: Coefficient = coefficient
        for name, exponent in monomial:
            value = values.get(name)
            if value is None:
                key += ((name, exponent),)
            else:
                total = (value if exponent == 1 else integer_power(value, exponent)) * total
        rest[key] = total if key not in rest else rest[key] + total
    rest = {key: value for key, value in rest.items() if value}
    return rest.get(ONE, 0) if is_constant(rest) else None


def _rational_value(
    p: Mapping[Monomial, int], values: Mapping[str, Fraction], degrees: Mapping[str, int]
) -> Fraction | int:
    """``evaluate`` over the integers: all terms get the denominator that the highest powers need."""
    ratios = {name: values[name].as_integer_ratio() for name in degrees}
    total = 0
    for monomial, term in p.items():
        powers = dict(monomial)
        for name, (top, bottom) in ratios.items():
            exponent = powers.get(name, 0)
            term *= top**exponent * bottom ** (degrees[name] - exponent)
        total += term
    return Fraction(total, prod(bottom ** degrees[name] for name, (_, bottom) in ratios.items())) if degrees else total


def integer_power(value: Coefficient, exponent: int) -> Coefficient:
    """``value**exponent`` for a positive exponent."""
    if not isinstance(value, Surd):
        return value**exponent
    out: Coefficient = value
    for _ in range(exponent - 1):
        out = out * value
    return out


def primitive(p: Polynomial) -> Polynomial:
    """The polynomial without its content, over the integers where its coefficients are rational."""
    values = list(p.values())
    if set(map(type, values)) != {int}:
        if any(isinstance(value, Surd) for value in values):
            return p
        bottom = lcm(*[value.denominator for value in values])  # type: ignore[union-attr]
        p = {monomial: int(value * bottom) for monomial, value in p.items()}  # type: ignore[arg-type]
        values = list(p.values())
    content = gcd(*values)  # type: ignore[arg-type]
    return p if content <= 1 else {m: c // content for m, c in p.items()}  # type: ignore[operator]


def rounded(p: Polynomial) -> Polynomial:
    """An approximated polynomial with integer coefficients of ``PRECISION`` bits and its noise removed."""
    if not p:
        return p
    values = {monomial: approximate(Fraction(c) if isinstance(c, int) else c, PRECISION) for monomial, c in p.items()}
    largest = max(abs(value) for value in values.values())
    if not largest:
        return {}
    factor = (1 << PRECISION) / largest
    floor = 1 << (PRECISION - NOISE)
    scaled = {monomial: round(value * factor) for monomial, value in values.items()}
    return {monomial: value for monomial, value in scaled.items() if abs(value) > floor}


def without_surds(p: Polynomial) -> Polynomial:
    """Surd coefficients as rationals of ``PRECISION`` bits."""
    return {m: approximate(c, PRECISION) if isinstance(c, Surd) else c for m, c in p.items()}


def common_monomial(polynomials: Iterable[Monomial]) -> Monomial:
    """The greatest monomial that divides all of them."""
    shared: dict[str, int] | None = None
    for monomial in polynomials:
        exponents = dict(monomial)
        if shared is None:
            shared = exponents
        else:
            shared = {name: min(e, exponents[name]) for name, e in shared.items() if name in exponents}
        if not shared:
            return ()
    return tuple(sorted((shared or {}).items()))


def pseudo_remainder(p: Polynomial, q: Polynomial, name: str, budget: Budget) -> Polynomial:
    """The pseudo-remainder of ``p`` by ``q`` in one unknown, primitive; it vanishes wherever both vanish."""
    divisor = coefficients_in(q, name)
    degree = max(divisor)
    head = divisor[degree]
    while p:
        parts = coefficients_in(p, name)
        top = max(parts)
        if top < degree:
            break
        shift: Polynomial = {((name, top - degree),): 1} if top > degree else constant(1)
        lifted = multiply(multiply(q, shift, budget), parts[top], budget)
        p = primitive(add(multiply(p, head, budget), lifted, -1))
    return p


def eliminate(p: Polynomial, q: Polynomial, name: str, budget: Budget) -> Polynomial:
    """A polynomial without ``name`` that vanishes wherever ``p`` and ``q`` do (a resultant up to factors)."""
    while True:
        a, b = unknowns_of(p).get(name, 0), unknowns_of(q).get(name, 0)
        if not p or not q or not a or not b:
            return p if not a else q
        p, q = (q, pseudo_remainder(p, q, name, budget)) if a >= b else (p, pseudo_remainder(q, p, name, budget))
