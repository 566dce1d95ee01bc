"""Signs of integer polynomials at rational points, and bisection of isolating intervals."""

from collections.abc import Sequence
from fractions import Fraction


def sign_at(polynomial: Sequence[int], point: Fraction) -> int:
    """The sign (-1, 0, 1) of a polynomial (constant term first) at a rational, by Horner's rule in integers."""
    n, d = point.numerator, point.denominator
    total, scale = 0, 1
    for coefficient in reversed(polynomial):
        total = total * n + coefficient * scale
        scale *= d
    return (total > 0) - (total < 0)


def bisect(polynomial: Sequence[int], low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Halves an interval that isolates one simple root; both ends are equal where the middle is the root."""
    middle = (low + high) / 2
    sign = sign_at(polynomial, middle)
    if sign == 0:
        return middle, middle
    return (middle, high) if sign == sign_at(polynomial, low) else (low, middle)


def refine(polynomial: Sequence[int], low: Fraction, high: Fraction, bits: int) -> Fraction:
    """The one root in ``(low, high)`` to a relative ``2**-bits``.

    Bisection, then Newton steps whose result is checked by signs. The root must be simple and not zero.
    """
    narrow = 4096 * len(polynomial) ** 2
    while low * high <= 0 or (high - low) * narrow > min(abs(low), abs(high)):
        low, high = bisect(polynomial, low, high)
        if low == high:
            return low
    slope = [k * c for k, c in enumerate(polynomial)][1:]
    point = (low + high) / 2
    for digits in _precisions(bits + 16):
        steepness = _value(slope, point)
        step = _value(polynomial, point) / steepness if steepness else high - low
        point = _shortened(point - step, digits + 16)
        if not low < point < high:
            break
    margin = abs(point) / (1 << bits)
    if low < point - margin and point + margin < high:
        below, above = sign_at(polynomial, point - margin), sign_at(polynomial, point + margin)
        if below != above or not below:
            return point
    while (high - low) * (1 << bits) > min(abs(low), abs(high)):
        low, high = bisect(polynomial, low, high)
        if low == high:
            return low
    return (low + high) / 2


def _precisions(bits: int) -> list[int]:
    """Working precisions of the Newton steps: doubling, and one step more at the end."""
    out = [bits, bits]
    while out[0] > 24:
        out.insert(0, out[0] // 2 + 2)
    return out


def _value(polynomial: Sequence[int], point: Fraction) -> Fraction:
    n, d = point.numerator, point.denominator
    total, scale = 0, 1
    for coefficient in reversed(polynomial):
        total = total * n + coefficient * scale
        scale *= d
    return Fraction(total, d ** (len(polynomial) - 1)) if polynomial else Fraction(0)


def _shortened(value: Fraction, bits: int) -> Fraction:
    """The value rounded to some significant bits."""
    shift = bits - value.numerator.bit_length() + value.denominator.bit_length()
    if shift < 0:
        return Fraction(round(value))
    return Fraction(round(value * (1 << shift)), 1 << shift)
