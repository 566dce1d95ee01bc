"""The evidence for a system beside the answer that is read from its thread."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from models.gold_values import hold
from models.linear import Matrix, odds, on_grid
from models.read_threads import Solved

SYSTEM_NAMES: Final = ("system_odds", "odds_of_its_answer", "gives_the_answer")
SYSTEM_SIGNS: Final = (1, 1, 1)


def system_rows(solved: Solved, values: Sequence[Fraction], confidence: float) -> Matrix:
    """A row for each of ``solved.systems``, a column for each of SYSTEM_NAMES, on the grid.

    They are the log odds of the system by itself; whether it gives the answer that is read, ``values``; and, where it
    does, the log odds of this.
    """
    rows = []
    for chance, solutions in solved.systems:
        gives = bool(values) and hold(solutions, values)
        rows.append((odds(chance), odds(confidence) * gives, float(gives)))
    return on_grid(rows).reshape(len(rows), len(SYSTEM_NAMES))
