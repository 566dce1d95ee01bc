"""Values of unknowns: exact rationals, quadratic surds, real algebraic numbers, and decimals for what is numeric.

Text form (the command contract): exact rationals as ``7/2``, everything else as a decimal with at least 12 significant
digits.

What arithmetic costs is counted in steps of a ``Budget``. A step is an operation on short numbers; products, quotients
and greatest common divisors of long ones take time with the square of their length, so they count for more.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import TypeAlias

from extractors.extraction_errors import ExtractionError, LimitError
from extractors.real_numbers.algebraic_numbers import AlgebraicNumber, Surd

MAX_BITS = 20_000


class Budget:
    """Steps left; the same input always takes the same number of them."""

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        """Takes steps off; ``LimitError`` when none are left."""
        self.left -= steps
        if self.left < 0:
            raise LimitError("beyond the step budget")

    @contextmanager
    def part(self, most: int) -> "Iterator[Budget]":
        """A budget of at most that many of the steps left; what is spent of it is taken off here.

        >>> whole = Budget(100)
        >>> with whole.part(30) as part:
        ...     part.spend(20)
        >>> whole.left
        80
        """
        steps = min(most, max(self.left, 0))
        part = Budget(steps)
        try:
            yield part
        finally:
            self.left -= steps - part.left


def widest(values: Iterable[int]) -> int:
    """Bits of the longest number; 0 for none.

    >>> widest([5, -1024])
    11
    """
    return max(map(int.bit_length, values), default=0)


def long_arithmetic(bits: int) -> int:
    """Steps that an operation on integers of that many bits takes beyond the one that is always counted.

    >>> long_arithmetic(320), long_arithmetic(1_000), long_arithmetic(MAX_BITS)
    (0, 3, 1525)
    """
    return bits * bits >> 18


DIGITS = 15
"""Significant digits of a decimal in text form."""
DEFAULT_TOLERANCE = Fraction(1, 10**9)
_PIECE_DIGITS = 4000
_PIECE = 10**_PIECE_DIGITS
_MAX_EXPONENT = 6000
_CONTEXT = Context(prec=DIGITS, Emin=-99_999, Emax=99_999)


Value: TypeAlias = Fraction | Surd | AlgebraicNumber | Decimal


def approximate(value: Value, bits: int = 128) -> Fraction:
    """Any value as a rational, exact where it is one."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Decimal):
        return Fraction(value) if value.is_finite() and abs(value.adjusted()) < _MAX_EXPONENT else Fraction(0)
    return value.approximation(bits)


def sign_of(value: Value) -> int:
    """-1, 0 or 1."""
    if type(value) is Fraction:
        return (value.numerator > 0) - (value.numerator < 0)
    if isinstance(value, Surd | AlgebraicNumber):
        return value.sign()
    return (value > 0) - (value < 0)


def to_decimal(value: Fraction, digits: int = DIGITS) -> Decimal:
    """A rational rounded to some significant digits."""
    context = _CONTEXT if digits == DIGITS else Context(prec=digits, Emin=-99_999, Emax=99_999)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def format_value(value: Value) -> str:
    """The text form of a value.

    >>> format_value(Fraction(7, 2)), format_value(Surd(Fraction(0), Fraction(1), 2))
    ('7/2', '1.41421356237310')
    """
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return _digits(value.numerator)
        return f"{_digits(value.numerator)}/{_digits(value.denominator)}"
    decimal = _CONTEXT.plus(value) if isinstance(value, Decimal) else to_decimal(value.approximation())
    return _plain(decimal)


def _digits(n: int) -> str:
    """The decimal digits, in pieces below the interpreter's limit on conversions."""
    if n < 0:
        return "-" + _digits(-n)
    head, tail = divmod(n, _PIECE)
    return f"{_digits(head)}{tail:0{_PIECE_DIGITS}d}" if head else str(tail)


def _plain(decimal: Decimal) -> str:
    """A decimal padded to ``DIGITS`` significant digits, without an exponent where that stays short."""
    if not decimal.is_finite():
        raise LimitError("not a finite number")
    if decimal and len(decimal.as_tuple().digits) < DIGITS:
        decimal = decimal.quantize(Decimal((0, (1,), decimal.adjusted() - DIGITS + 1)), context=_CONTEXT)
    return f"{decimal:f}" if -10 < decimal.adjusted() < DIGITS else f"{decimal:E}"


def parse_value(text: str) -> Value:
    """A value from its text form: a rational (``7/2``, ``0.25``) or, from 12 significant digits on, a decimal.

    Raises ``ExtractionError``.

    >>> parse_value("0.25"), parse_value("1.41421356237")
    (Fraction(1, 4), Decimal('1.41421356237'))
    """
    text = text.strip()
    if len(text) > 10_000 or not text.isascii():
        raise ExtractionError("not a value")
    try:
        if "/" in text:
            numerator, _, denominator = text.partition("/")
            return Fraction(int(numerator), int(denominator))
        decimal = Decimal(text)
    except (ValueError, InvalidOperation, ZeroDivisionError):
        raise ExtractionError(f"not a value: {text[:40]!r}") from None
    if not decimal.is_finite() or abs(decimal.adjusted()) > _MAX_EXPONENT:
        raise ExtractionError(f"not a value in range: {text[:40]!r}")
    exponent = decimal.as_tuple().exponent
    significant = len(decimal.as_tuple().digits)
    if isinstance(exponent, int) and exponent < 0 and significant >= 12:
        return decimal
    return Fraction(decimal)


def agree(a: Value, b: Value, tolerance: Fraction) -> bool:
    """Whether ``|a-b| <= t*max(1, |a|, |b|)``: a tolerance relative and absolute in one; never for what is not finite.

    >>> agree(Fraction(1, 3), Fraction(333, 1000), Fraction(1, 1000))
    True
    """
    if any(isinstance(v, Decimal) and not v.is_finite() for v in (a, b)):
        return False
    x, y = approximate(a), approximate(b)
    return abs(x - y) <= tolerance * max(Fraction(1), abs(x), abs(y))
