"""Real functions of rationals, to about 60 digits: FLINT's balls, which know their own error."""

from collections.abc import Callable
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from fractions import Fraction
from functools import lru_cache
from math import comb, factorial, gcd, lcm, perm

from flint import arb, ctx, fmpq

from extractors.extraction_errors import ExtractionError, LimitError

DIGITS = 75
MAX_ANGLE = 1 << 64
"""Radians of which the place in a turn is known."""
_MAX_COUNT = 2000
_MAX_EXPONENTIAL = 9000
_POLE = Fraction(1, 1 << 200)
CONTEXT = Context(prec=DIGITS, Emin=-9_999, Emax=9_999, traps=[InvalidOperation, DivisionByZero, Overflow])
ctx.prec = 384
"""Bits of a ball. FLINT has one precision for the whole process; no other module works with balls."""


class NoRealValueError(ExtractionError):
    """The function has no real value here."""

    code = "inconsistent"


@lru_cache(maxsize=1)
def pi() -> Fraction:
    """Pi."""
    return _middle(arb.pi())


@lru_cache(maxsize=1)
def euler() -> Fraction:
    """The base of the natural logarithm."""
    return _middle(arb.const_e())


def _ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def _middle(ball: arb) -> Fraction:
    """The middle of a ball to ``DIGITS`` significant digits."""
    mantissa, exponent = map(int, ball.mid().man_exp())
    middle = mantissa * Fraction(2) ** exponent
    return Fraction(CONTEXT.divide(Decimal(middle.numerator), Decimal(middle.denominator)))


def _trigonometric(name: str, angle: Fraction, in_radians: bool) -> Fraction:
    """``sin``, ``cos``, ``tan`` or ``cot`` of an angle in degrees or radians."""
    if in_radians and abs(angle) > MAX_ANGLE:
        raise LimitError("angle out of range")
    half_turns = fmpq(angle.numerator, 180 * angle.denominator)
    sine, cosine = _ball(angle).sin_cos() if in_radians else arb.sin_cos_pi_fmpq(half_turns)
    if name in ("sin", "cos"):
        return _middle(sine if name == "sin" else cosine)
    upper, lower = (sine, cosine) if name == "tan" else (cosine, sine)
    if abs(_middle(lower)) < _POLE:
        raise NoRealValueError(f"{name} has a pole here")
    return _middle(upper / lower)


def _arc(name: str, value: Fraction) -> Fraction:
    """``arcsin``, ``arccos`` or ``arctan`` in degrees."""
    if name != "arctan" and abs(value) > 1:
        raise NoRealValueError(f"{name} of a number beyond 1")
    return _middle(_ARCS[name](_ball(value)) * 180 / arb.pi())


_ARCS: dict[str, Callable[[arb], arb]] = {"arcsin": arb.asin, "arccos": arb.acos, "arctan": arb.atan}


def _logarithm(value: Fraction) -> arb:
    """The natural logarithm."""
    if value <= 0:
        raise NoRealValueError("logarithm of a number that is not positive")
    return _ball(value).log()


def _exponential(value: arb) -> Fraction:
    """``e**value``; bounded to results of about 3,900 digits."""
    if not abs(value) <= _MAX_EXPONENTIAL:
        raise LimitError("power or exponential out of range")
    return _middle(value.exp())


def real_power(base: Fraction, exponent: Fraction) -> Fraction:
    """``base**exponent`` for a positive base."""
    if base <= 0:
        raise NoRealValueError("power of a number that is not positive")
    return _exponential(_ball(exponent) * _logarithm(base))


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
        return _trigonometric(name, value, in_radians)
    if name.startswith("arc"):
        return _arc(name, value)
    if name == "exp":
        return _exponential(_ball(value))
    if name == "ln":
        return _middle(_logarithm(value))
    scale = _logarithm(args[1] if len(args) > 1 else Fraction(10))
    if scale == 0:
        raise NoRealValueError("logarithm to the base 1")
    return _middle(_logarithm(value) / scale)
