"""What arithmetic on long numbers costs, in steps of the budgets.

A step is an operation on short numbers. Products, quotients and greatest common divisors of long ones take time with
the square of their length, so they count for more; otherwise a system of few steps could run for minutes.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from extractors.extraction_errors import LimitError

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
