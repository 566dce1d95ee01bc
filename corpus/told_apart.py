"""Figures as people read them: a figure and the limit that it misses never look alike."""

MOST_DIGITS = 17
"""Two floats that differ still do with so many digits."""


def told_apart(value: float, limit: float) -> tuple[str, str]:
    """A figure with three decimals and its limit, or with as many as it takes to see which of them is more.

    >>> told_apart(0.4217, 0.9), told_apart(0.8999996, 0.9), told_apart(0.95, 0.95)
    (('0.422', '0.9'), ('0.8999996', '0.9'), ('0.950', '0.95'))
    """
    for digits in range(3, MOST_DIGITS):
        told = f"{value:.{digits}f}", f"{limit:.{max(digits, 6)}g}"
        if _order(*map(float, told)) == _order(value, limit):
            return told
    return repr(value), repr(limit)


def _order(first: float, second: float) -> int:
    return (first > second) - (first < second)
