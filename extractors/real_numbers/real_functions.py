"""Real functions of rationals, to about 60 digits, in integer and decimal arithmetic (the same on every platform)."""

from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from fractions import Fraction
from functools import lru_cache
from math import asin as float_asin
from math import comb, factorial, gcd, lcm, perm

from extractors.extraction_errors import ExtractionError, LimitError

BITS = 256
DIGITS = 75
_MAX_COUNT = 2000
_MAX_EXPONENTIAL = 9000
_ONE = 1 << BITS
CONTEXT = Context(prec=DIGITS, Emin=-9_999, Emax=9_999, traps=[InvalidOperation, DivisionByZero, Overflow])


class NoRealValueError(ExtractionError):
    """The function has no real value here."""

    code = "inconsistent"


@lru_cache(maxsize=1)
def pi() -> Fraction:
    """Pi to ``BITS`` bits by Machin's formula."""
    return Fraction(4 * (4 * _inverse_tangent(5) - _inverse_tangent(239)), _ONE)


def _inverse_tangent(n: int) -> int:
    """``arctan(1/n)`` in fixed point."""
    term = _ONE // n
    total, k, square = term, 1, n * n
    while term:
        term //= -square
        k += 2
        total += term // k
    return total


@lru_cache(maxsize=1)
def euler() -> Fraction:
    """The base of the natural logarithm."""
    return Fraction(CONTEXT.exp(Decimal(1)))


def _fixed(value: Fraction) -> int:
    return (value.numerator << BITS) // value.denominator


def sine(radians: Fraction) -> Fraction:
    """The sine of an angle in radians."""
    turn = 2 * pi()
    x = _fixed(radians - turn * round(radians / turn))
    square = (x * x) >> BITS
    term = total = x
    k = 1
    while term:
        term = -((term * square) >> BITS) // ((k + 1) * (k + 2))
        total += term
        k += 2
        if k > 400:
            break
    return Fraction(total, _ONE)


def radians(degrees: Fraction) -> Fraction:
    """Degrees to radians."""
    return degrees * pi() / 180


def trigonometric(name: str, angle: Fraction) -> Fraction:
    """``sin``, ``cos``, ``tan`` or ``cot`` of an angle in radians."""
    upper, lower = sine(angle), sine(angle + pi() / 2)
    if name == "sin":
        return upper
    if name == "cos":
        return lower
    if name == "cot":
        upper, lower = lower, upper
    if abs(lower) < Fraction(1, 1 << 200):
        raise NoRealValueError(f"{name} has a pole here")
    return _trim(upper / lower)


def _trim(value: Fraction) -> Fraction:
    """The value rounded to ``DIGITS`` significant digits."""
    return Fraction(CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator)))


def arc(name: str, value: Fraction) -> Fraction:
    """``arcsin``, ``arccos`` or ``arctan`` in degrees."""
    if name == "arctan":
        root = Fraction(_decimal(1 + value * value).sqrt(CONTEXT))
        return _arcsine(_trim(value / root))
    if abs(value) > 1:
        raise NoRealValueError(f"{name} of a number beyond 1")
    return _arcsine(value) if name == "arcsin" else 90 - _arcsine(value)


def _arcsine(value: Fraction) -> Fraction:
    """The arcsine in degrees, by Newton's method from the float value."""
    if abs(value) == 1:
        return Fraction(90) * (1 if value > 0 else -1)
    angle = Fraction(float_asin(float(value)))
    for _ in range(5):
        slope = sine(angle + pi() / 2)
        if not slope:
            break
        angle = _trim(angle - (sine(angle) - value) / slope)
    return angle * 180 / pi()


def _decimal(value: Fraction) -> Decimal:
    return CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))


def logarithm(value: Fraction) -> Fraction:
    """The natural logarithm."""
    if value <= 0:
        raise NoRealValueError("logarithm of a number that is not positive")
    return Fraction(CONTEXT.ln(_decimal(value)))


def exponential(value: Fraction) -> Fraction:
    """``e**value``; bounded to results of about 3,900 digits."""
    if abs(value) > _MAX_EXPONENTIAL:
        raise LimitError("power or exponential out of range")
    return Fraction(CONTEXT.exp(_decimal(value)))


def real_power(base: Fraction, exponent: Fraction) -> Fraction:
    """``base**exponent`` for a positive base."""
    if base <= 0:
        raise NoRealValueError("power of a number that is not positive")
    return exponential(_trim(exponent * logarithm(base)))


def long_power(base: Fraction, exponent: int) -> Fraction:
    """A power whose exact value has too many digits (``(1+0.06/365)^3650``), approximated.

    ``LimitError`` where its size is beyond the bounds as well.
    """
    if abs(exponent) > 10**9:
        raise LimitError("exponent beyond 10^9")
    sign = -1 if base < 0 and exponent % 2 else 1
    return sign * real_power(abs(base), Fraction(exponent))


def floor_of(value: Fraction) -> int:
    """The floor; a value within 2**-150 of an integer counts as that integer (it came out of an approximation)."""
    near = round(value)
    return near if abs(value - near) < Fraction(1, 1 << 150) else value.numerator // value.denominator


def round_half_up(value: Fraction, digits: int) -> Fraction:
    """Rounds to decimal places (negative: tens, hundreds), halves away from zero."""
    if abs(digits) > 100:
        raise LimitError("rounding beyond 100 places")
    scaled = abs(value) * Fraction(10) ** digits
    rounded = Fraction(floor_of(scaled + Fraction(1, 2))) / Fraction(10) ** digits
    return rounded if value >= 0 else -rounded


def _integers(name: str, args: tuple[Fraction, ...]) -> list[int]:
    if any(arg.denominator != 1 for arg in args):
        raise NoRealValueError(f"{name} of a fraction")
    return [arg.numerator for arg in args]


def _count(name: str, args: tuple[Fraction, ...]) -> Fraction:
    n, r = _integers(name, args)
    if not 0 <= r <= n:
        raise NoRealValueError(f"{name} of such numbers is not defined")
    if n > _MAX_COUNT:
        raise LimitError(f"{name} of a number above {_MAX_COUNT}")
    return Fraction(comb(n, r) if name == "comb" else perm(n, r))


def _factorial(args: tuple[Fraction, ...]) -> Fraction:
    (n,) = _integers("factorial", args)
    if n < 0:
        raise NoRealValueError("factorial of a negative number")
    if n > _MAX_COUNT:
        raise LimitError(f"factorial of a number above {_MAX_COUNT}")
    return Fraction(factorial(n))


def discrete(name: str, args: tuple[Fraction, ...]) -> Fraction:
    """Counting, rounding and divisibility functions of exact arguments.

    >>> discrete("comb", (Fraction(10), Fraction(4)))
    Fraction(210, 1)
    """
    if name in ("comb", "perm"):
        return _count(name, args)
    if name == "factorial":
        return _factorial(args)
    if name in ("gcd", "lcm"):
        return Fraction((gcd if name == "gcd" else lcm)(*_integers(name, args)))
    if name in ("max", "min"):
        return (max if name == "max" else min)(args)
    if name == "round":
        return round_half_up(args[0], _integers(name, args[1:])[0] if len(args) > 1 else 0)
    if name == "mod":
        if not args[1]:
            raise NoRealValueError("remainder by zero")
        return args[0] - args[1] * floor_of(args[0] / args[1])
    return Fraction(floor_of(args[0]) if name == "floor" else -floor_of(-args[0]))


DISCRETE = frozenset({"comb", "perm", "factorial", "gcd", "lcm", "max", "min", "round", "mod", "floor", "ceiling"})
TRANSCENDENTAL = frozenset({"sin", "cos", "tan", "cot", "arcsin", "arccos", "arctan", "ln", "log", "exp"})


def transcendental(name: str, args: tuple[Fraction, ...], in_radians: bool) -> Fraction:
    """The other functions, approximated; angles in degrees unless ``in_radians``."""
    value = args[0]
    if name in ("sin", "cos", "tan", "cot"):
        return trigonometric(name, value if in_radians else radians(value))
    if name.startswith("arc"):
        return arc(name, value)
    if name == "exp":
        return exponential(value)
    if name == "ln":
        return logarithm(value)
    base = args[1] if len(args) > 1 else Fraction(10)
    scale = logarithm(base)
    if not scale:
        raise NoRealValueError("logarithm to the base 1")
    return _trim(logarithm(value) / scale)
