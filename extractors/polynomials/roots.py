"""Real roots of univariate polynomials: rational and quadratic ones exactly, the others isolated by Sturm's theorem."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import gcd, isqrt

from extractors.extraction_errors import LimitError
from extractors.polynomials.sparse_polynomials import MAX_DEGREE
from extractors.real_numbers.algebraic_numbers import AlgebraicNumber, Surd, square_root
from extractors.real_numbers.isolating_intervals import bisect, sign_at
from extractors.real_numbers.values import Budget, Value, long_arithmetic, widest

MAX_ROOT_BITS = 4_000
"""Bits of the numbers of a polynomial whose roots are isolated."""
MAX_POWER = 400  # degree of ``a*x^n = b``: the months of a loan of thirty years are less
_PAIR_BITS = 160
Dense = tuple[int, ...]
"""Integer coefficients, constant term first, the last one not zero."""

_PRIME = (1 << 61) - 1


def real_roots(coefficients: Sequence[int], budget: Budget) -> tuple[Value, ...]:
    """The distinct real roots in rising order.

    Linear and quadratic factors give ``Fraction`` and ``Surd``, the rest ``AlgebraicNumber``. The polynomial must not
    be zero; ``LimitError`` above degree 40 (400 for pure powers ``a*x^n = b``).

    >>> real_roots((6, -5, 1), Budget(1000))
    (Fraction(2, 1), Fraction(3, 1))
    """
    f = _primitive(coefficients)
    if len(f) <= 3:
        return tuple(_low_degree(f))
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
    discriminant = b * b - 4 * a * c
    root = isqrt(max(discriminant, 0))
    if root * root == discriminant:
        return [Fraction(-b + sign * root, 2 * a) for sign in (-1, 1)[not root :]]
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
        positive: Value = AlgebraicNumber(base, low, high)
        negative: Value = AlgebraicNumber(_mirrored(base), -high, -low)
    else:
        positive, negative = root, -root
    if n % 2 == 0:
        return [negative, positive]
    return [positive] if value > 0 else [negative]


def _mirrored(f: Dense) -> Dense:
    """The polynomial of the negated roots."""
    return _primitive([-c if i % 2 else c for i, c in enumerate(f)])


def _nth_root(value: Fraction, n: int) -> Fraction | Surd | None:
    """The n-th root of a positive rational where it is rational or a square root."""
    top, bottom = integer_root(value.numerator, n), integer_root(value.denominator, n)
    if top**n == value.numerator and bottom**n == value.denominator:
        return Fraction(top, bottom)
    if n % 2 == 0:
        half = _nth_root(value, n // 2)
        return square_root(half) if isinstance(half, Fraction) else None
    return None


def _root_interval(size: Fraction, n: int) -> tuple[Fraction, Fraction]:
    """A narrow interval around the irrational n-th root of a positive rational; its lower end is positive."""
    shift = max(0, (size.denominator.bit_length() - size.numerator.bit_length()) // n + 8)
    floor = integer_root((size.numerator << n * shift) // size.denominator, n)
    return Fraction(floor, 1 << shift), Fraction(floor + 1, 1 << shift)


def integer_root(value: int, n: int) -> int:
    """The integer part of the n-th root of an integer that is not negative, by Newton's method from above.

    >>> integer_root(80, 4), integer_root(81, 4)
    (2, 3)
    """
    guess = 1 << -(-value.bit_length() // n)
    while value:
        better = ((n - 1) * guess + value // guess ** (n - 1)) // n
        if better >= guess:
            return guess
        guess = better
    return 0


def _general(f: Dense, budget: Budget) -> list[Value]:
    """Roots of degree three and more: isolate, take out rational and quadratic factors, keep the rest isolated."""
    if len(f) - 1 > MAX_DEGREE:
        raise LimitError(f"degree {len(f) - 1}; at most {MAX_DEGREE} is solved")
    if widest(f) > MAX_ROOT_BITS:
        raise LimitError(f"polynomial with a number beyond {MAX_ROOT_BITS} bits")
    f = squarefree(f, budget)
    rational: list[Fraction] = []
    rest: list[tuple[Fraction, Fraction]] = []
    for low, high in isolate(f, budget):
        root, low, high = _rational_root(f, low, high, budget)
        if root is None:
            rest.append((low, high))
        else:
            rational.append(root)
    for root in rational:
        f = _divide(f, (-root.numerator, root.denominator)) or f
    found: list[Value] = list(rational)
    if len(f) <= 3:
        return found + _low_degree(f)
    f, pairs, rest = _quadratic_factors(f, rest, budget)
    found += pairs
    if len(f) == 3:
        return found + _low_degree(f)
    return found + [AlgebraicNumber(f, low, high) for low, high in rest]


def squarefree(f: Dense, budget: Budget) -> Dense:
    """The polynomial with every root simple; mostly a look modulo a prime shows that it is so already."""
    if _squarefree_modulo(f, _PRIME, budget):
        return f
    common = _gcd(f, _derivative(f), budget)
    if len(common) < 2:
        return f
    return _divide(f, common) or f


def _squarefree_modulo(f: Dense, prime: int, budget: Budget) -> bool:
    """Whether a polynomial has no multiple root modulo a prime, and therefore none at all.

    A factor shared with the derivative stays one modulo a prime that does not divide the leading coefficient.
    """
    a = [c % prime for c in f]
    b = [i * c % prime for i, c in enumerate(a)][1:]
    if not a[-1]:
        return False
    while b:
        if not b[-1]:
            b.pop()
            continue
        budget.spend(len(a))
        inverse = pow(b[-1], -1, prime)
        while len(a) >= len(b):
            factor, shift = a[-1] * inverse % prime, len(a) - len(b)
            for i, c in enumerate(b):
                a[i + shift] = (a[i + shift] - factor * c) % prime
            a.pop()
        a, b = b, a
    return len(a) == 1


def _derivative(f: Dense) -> Dense:
    return _primitive([i * c for i, c in enumerate(f)][1:])


def _gcd(f: Dense, g: Dense, budget: Budget) -> Dense:
    while g:
        rest = _remainder(f, g, budget)
        budget.spend(len(rest) * long_arithmetic(widest(rest)))
        f, g = g, _primitive(rest)
    return f


def _remainder(f: Dense, g: Dense, budget: Budget) -> list[int]:
    """A positive multiple of the remainder of ``f`` by ``g``."""
    rest = list(f)
    head = abs(g[-1])
    sign = 1 if g[-1] > 0 else -1
    while len(rest) >= len(g):
        factor = rest[-1] * sign
        shift = len(rest) - len(g)
        budget.spend(len(rest) * (1 + long_arithmetic(max(head.bit_length(), widest(rest)))))
        rest = [c * head for c in rest]
        for i, c in enumerate(g):
            rest[i + shift] -= factor * c
        rest.pop()
        while rest and not rest[-1]:
            rest.pop()
    return rest


def _divide(f: Dense, g: Dense) -> Dense | None:
    """The exact quotient of primitive polynomials; None where ``g`` does not divide ``f``."""
    rest, out = list(f), [0] * (len(f) - len(g) + 1)
    for shift in range(len(f) - len(g), -1, -1):
        factor, over = divmod(rest[shift + len(g) - 1], g[-1])
        if over:
            return None
        out[shift] = factor
        for i, c in enumerate(g):
            rest[i + shift] -= factor * c
    return None if any(rest) else _primitive(out)


def sturm_sequence(f: Dense, budget: Budget) -> list[Dense]:
    """Sturm's sequence of a squarefree polynomial, every member divided by its (positive) content."""
    sequence = [f, _signed_primitive([i * c for i, c in enumerate(f)][1:])]
    while len(sequence[-1]) > 1:
        rest = _remainder(sequence[-2], sequence[-1], budget)
        if not rest:
            break
        budget.spend(len(rest) * long_arithmetic(widest(rest)))
        sequence.append(_signed_primitive([-c for c in rest]))
    return sequence


def _signed_primitive(values: Sequence[int]) -> Dense:
    content = gcd(*values)
    return tuple(value // content for value in values)


def _variations(sequence: Sequence[Dense], point: Fraction, budget: Budget) -> int:
    """Sign changes of a Sturm sequence at a point."""
    budget.spend(sum(len(f) * (1 + long_arithmetic(widest(f))) for f in sequence))
    signs = [sign for f in sequence if (sign := sign_at(f, point))]
    return sum(a != b for a, b in pairwise(signs))


def isolate(f: Dense, budget: Budget) -> list[tuple[Fraction, Fraction]]:
    """Intervals with one root each of a squarefree polynomial; a rational root may give an interval of length zero."""
    sequence = sturm_sequence(f, budget)
    largest = max(abs(c) for c in f[:-1])
    bound = Fraction(1 << (largest // abs(f[-1]) + 2).bit_length())
    stack = [(-bound, bound, _variations(sequence, -bound, budget), _variations(sequence, bound, budget))]
    out: list[tuple[Fraction, Fraction]] = []
    while stack:
        low, high, before, after = stack.pop()
        if before == after:
            continue
        if before - after == 1 and sign_at(f, low) and sign_at(f, high):
            out.append((low, high))
            continue
        middle = _split_point(f, low, high)
        between = _variations(sequence, middle, budget)
        stack += [(low, middle, before, between), (middle, high, between, after)]
    return sorted(out)


def _split_point(f: Dense, low: Fraction, high: Fraction) -> Fraction:
    """A point inside an interval that is no root."""
    for k in (8, 9, 7, 10, 6, 11, 5, 12, 4, 13, 3):
        point = low + (high - low) * Fraction(k, 16)
        if sign_at(f, point):
            return point
    raise LimitError("roots too dense to isolate")


def _rational_root(
    f: Dense, low: Fraction, high: Fraction, budget: Budget
) -> tuple[Fraction | None, Fraction, Fraction]:
    """The root of an isolating interval where it is rational; the interval comes back narrower."""
    head = f[-1]
    while (high - low) * head * 2 > 1:
        bits = max(low.numerator.bit_length(), low.denominator.bit_length())
        budget.spend(8 + len(f) * (1 + long_arithmetic(bits)))  # 8 for the halving itself
        low, high = bisect(f, low, high)
        if low == high:
            return low, low, high
    candidate = Fraction(round((low + high) / 2 * head), head)
    if low <= candidate <= high and not sign_at(f, candidate):
        return candidate, low, high
    return None, low, high


def _quadratic_factors(
    f: Dense, intervals: list[tuple[Fraction, Fraction]], budget: Budget
) -> tuple[Dense, list[Value], list[tuple[Fraction, Fraction]]]:
    """Takes out the factors of degree two with two real roots: pairs of roots with rational sum and product."""
    if len(f) < 5 or len(intervals) < 2:
        return f, [], intervals
    points = [AlgebraicNumber(f, low, high).approximation(_PAIR_BITS + f[-1].bit_length()) for low, high in intervals]
    found: list[Value] = []
    used: set[int] = set()
    for i in range(len(points)):
        for j in range(i + 1, len(points)):
            if i in used or j in used:
                continue
            budget.spend(len(f))
            factor = _pair_factor(points[i], points[j], f[-1])
            quotient = _divide(f, factor) if factor else None
            if factor and quotient:
                f, found = quotient, found + _low_degree(factor)
                used |= {i, j}
    return f, found, [interval for k, interval in enumerate(intervals) if k not in used]


def _pair_factor(x: Fraction, y: Fraction, head: int) -> Dense | None:
    """The quadratic with these roots where its coefficients look like integers over the head."""
    total, product = (x + y) * head, x * y * head
    near = Fraction(1, 1 << 40)
    if abs(total - round(total)) > near or abs(product - round(product)) > near:
        return None
    return _primitive((round(product), -round(total), head))
