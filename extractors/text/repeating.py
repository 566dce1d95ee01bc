"""Repeating decimals as the fractions they are."""

from fractions import Fraction


def repeating(whole: str, fixed: str, period: str) -> Fraction:
    """The value of a decimal by the digits before its point, behind it, and those that repeat (at least one).

    >>> repeating("0", "", "3"), repeating("", "1", "6"), repeating("2", "", "9")
    (Fraction(1, 3), Fraction(1, 6), Fraction(3, 1))
    """
    tail = Fraction(int(period), (10 ** len(period) - 1) * 10 ** len(fixed))
    return Fraction(f"{whole or 0}.{fixed or 0}") + tail
