"""What solving a system came to."""

from enum import StrEnum
from typing import Final


class Status(StrEnum):
    """The state of a system; its value is the word that commands and records publish."""

    SOLVED = "solved"
    """All solutions are known."""
    NUMERIC = "numeric"
    """Found by a bounded search; perhaps not all."""
    UNDERDETERMINED = "underdetermined"
    """An unknown is free."""
    INCONSISTENT = "inconsistent"
    """The equations contradict each other, or there is no real solution."""
    UNSUPPORTED = "unsupported"
    """Beyond the solver."""
    MALFORMED = "malformed"
    """Not readable as equations."""
    TOO_LARGE = "too_large"
    """Beyond the limits of size or work."""
    STATED = "stated"
    """No equations; an answer states the values of a solution. The solver never gives it."""

    def __repr__(self) -> str:
        """The published word, quoted."""
        return repr(self.value)


WITH_SOLUTIONS: Final = frozenset({Status.SOLVED, Status.NUMERIC})
"""The states in which a system has solutions."""
STATUSES: Final = tuple(status for status in Status if status is not Status.STATED)
"""The states that the solver gives."""
