"""Exact irrational numbers: quadratic surds and isolated roots of integer polynomials."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import TypeAlias

from flint import fmpq, fmpz_poly


@dataclass(frozen=True, slots=True)
class Surd:
    """``a + b*sqrt(c)`` with ``b`` not zero and ``c`` a positive integer that is no square."""

    a: Fraction
    b: Fraction
    c: int

    def approximation(self, bits: int = 128) -> Fraction:
        """A rational within about ``2**-bits`` (relative to the parts)."""
        scale = bits + max(0, self.b.numerator.bit_length() - self.b.denominator.bit_length()) + 4
        return self.a + self.b * Fraction(isqrt(self.c << 2 * scale), 1 << scale)

    def sign(self) -> int:
        """-1 or 1; a surd is never zero."""
        if not self.a or (self.a > 0) == (self.b > 0):
            return 1 if self.b > 0 else -1
        larger = self.a * self.a > self.b * self.b * self.c
        return 1 if (self.a > 0) == larger else -1

    def __add__(self, other: "Exact | int") -> "Exact":
        if not isinstance(other, Surd):
            return Surd(self.a + other, self.b, self.c)
        return make_surd(self.a + other.a, self.b + other.b, self._field(other))

    def __mul__(self, other: "Exact | int") -> "Exact":
        if not isinstance(other, Surd):
            return make_surd(self.a * other, self.b * other, self.c)
        c = self._field(other)
        return make_surd(self.a * other.a + self.b * other.b * c, self.a * other.b + self.b * other.a, c)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> "Surd":
        return Surd(-self.a, -self.b, self.c)

    def __sub__(self, other: "Exact | int") -> "Exact":
        return self + (-other)

    def __rsub__(self, other: "Fraction | int") -> "Exact":
        return -self + other

    def inverse(self) -> "Exact":
        """``1 / self``."""
        norm = self.a * self.a - self.b * self.b * self.c
        return make_surd(self.a / norm, -self.b / norm, self.c)

    def __truediv__(self, other: "Exact | int") -> "Exact":
        return self * (other.inverse() if isinstance(other, Surd) else Fraction(1) / other)

    def __rtruediv__(self, other: "Fraction | int") -> "Exact":
        return self.inverse() * other

    def _field(self, other: "Surd") -> int:
        if self.c != other.c:
            raise FieldError
        return self.c


class FieldError(ArithmeticError):
    """Two surds over different square roots met; the caller goes on with approximations."""


@dataclass(frozen=True, slots=True)
class AlgebraicNumber:
    """The only real root of an integer polynomial (constant term first) in ``(low, high)``, simple and not rational.

    Zero is no inner point of the interval.
    """

    polynomial: tuple[int, ...]
    low: Fraction
    high: Fraction

    def approximation(self, bits: int = 128) -> Fraction:
        """A rational within ``2**-bits`` of the root, relative to its size."""
        return _refined(self.polynomial, self.low, self.high, bits)

    def sign(self) -> int:
        """-1 or 1."""
        return 1 if self.low >= 0 else -1


@lru_cache(maxsize=256)
def _refined(polynomial: tuple[int, ...], low: Fraction, high: Fraction, bits: int) -> Fraction:
    """Bisection until Newton's method converges, whose result is checked by signs."""
    f = fmpz_poly(list(polynomial))
    below = _sign_at(f, low)

    def halved() -> tuple[Fraction, Fraction]:
        middle = (low + high) / 2
        return (middle, high) if _sign_at(f, middle) == below else (low, middle)

    narrow = 4096 * len(polynomial) ** 2
    while not low * high or (high - low) * narrow > min(abs(low), abs(high)):
        low, high = halved()
    slope, point = f.derivative(), fmpq(*((low + high) / 2).as_integer_ratio())
    for digits in _precisions(bits + 16):
        point -= f(point) / slope(point)
        near = _shortened(Fraction(int(point.p), int(point.q)), digits + 16)
        point = fmpq(near.numerator, near.denominator)
    margin = abs(near) / (1 << bits)
    inside = low < near - margin and near + margin < high
    if inside and _sign_at(f, near - margin) == below != _sign_at(f, near + margin):
        return near
    while (high - low) * (1 << bits) > min(abs(low), abs(high)):
        low, high = halved()
    return (low + high) / 2


def _precisions(bits: int) -> list[int]:
    """Working precisions of the Newton steps: doubling, and one step more at the end."""
    out = [bits, bits]
    while out[0] > 24:
        out.insert(0, out[0] // 2 + 2)
    return out


def _sign_at(f: fmpz_poly, point: Fraction) -> int:
    """The sign of a polynomial at a rational that is no root: -1 or 1."""
    return 1 if f(fmpq(point.numerator, point.denominator)) > 0 else -1


def _shortened(value: Fraction, bits: int) -> Fraction:
    """The value rounded to some significant bits."""
    shift = bits - value.numerator.bit_length() + value.denominator.bit_length()
    if shift < 0:
        return Fraction(round(value))
    return Fraction(round(value * (1 << shift)), 1 << shift)


Exact: TypeAlias = Fraction | Surd


def make_surd(a: Fraction, b: Fraction, c: int) -> Exact:
    """``a + b*sqrt(c)`` in lowest terms; a ``Fraction`` where the root is rational. ``c`` must not be negative."""
    if not b:
        return a
    root = isqrt(c)
    if root * root == c:
        return a + b * root
    return Surd(a, b, c)


def square_root(value: Fraction) -> Exact:
    """The square root of a rational that is not negative, with small square factors taken out.

    >>> square_root(Fraction(9, 4))
    Fraction(3, 2)
    >>> square_root(Fraction(8))
    Surd(a=Fraction(0, 1), b=Fraction(2, 1), c=2)
    """
    outside, inside = _square_part(value.numerator * value.denominator)
    return make_surd(Fraction(0), Fraction(outside, value.denominator), inside)


def _square_part(n: int) -> tuple[int, int]:
    """``(s, r)`` with ``n == s*s*r``; ``r`` squarefree up to factors above 1,000."""
    outside = 1
    root = isqrt(n)
    if root * root == n:
        return root, 1
    for prime in _SMALL_PRIMES:
        square = prime * prime
        while n % square == 0:
            n //= square
            outside *= prime
        if square > n:
            break
    root = isqrt(n)
    return (outside * root, 1) if root * root == n else (outside, n)


def _primes(limit: int) -> tuple[int, ...]:
    return tuple(n for n in range(2, limit) if all(n % d for d in range(2, isqrt(n) + 1)))


_SMALL_PRIMES = _primes(1000)
