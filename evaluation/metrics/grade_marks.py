"""Marks, and how the marks of parts are the mark of a whole."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple


class Mark(StrEnum):
    """The outcome of a comparison."""

    RIGHT = "right"
    WRONG = "wrong"
    UNDECIDED = "undecided"


class Strict(StrEnum):
    """What a grade may ask for beyond equality."""

    EXACT = "exact"
    """A rounded decimal is wrong, however many digits it has."""
    UNIT = "unit"
    """The unit of the gold answer is stated, and the same one."""
    FORM = "form"
    """The same form but for the order of terms and factors: 2/4 is not 1/2, nor x(x + 1) x^2 + x."""


class Grade(NamedTuple):
    """A mark and the reason for it."""

    mark: Mark
    why: str


def rank(grade: Grade) -> int:
    """0 for wrong, 1 for undecided, 2 for right."""
    return (Mark.WRONG, Mark.UNDECIDED, Mark.RIGHT).index(grade.mark)


def doubted(grade: Grade, doubt: str) -> Grade:
    """Undecided for this reason where it would be right."""
    return Grade(Mark.UNDECIDED, doubt) if grade.mark is Mark.RIGHT else grade


def matched(table: Sequence[Sequence[Grade]]) -> Grade:
    """The mark of two sets by those of their members, each row and each column with a partner of its own."""
    for least in (2, 1):
        if _paired([[rank(cell) >= least for cell in row] for row in table]):
            worst = min((max(row, key=rank) for row in table), key=rank)
            return (
                worst if rank(worst) == least else Grade(Mark.UNDECIDED, "some values may be the gold's, not all are")
            )
    return min((max(row, key=rank) for row in table), key=rank, default=table[0][0])._replace(mark=Mark.WRONG)


def _paired(fits: Sequence[Sequence[bool]]) -> bool:
    """Whether each row can have a column of its own where it fits."""
    taken: dict[int, int] = {}

    def placed(row: int, seen: set[int]) -> bool:
        for column, fit in enumerate(fits[row]):
            if fit and column not in seen:
                seen.add(column)
                if column not in taken or placed(taken[column], seen):
                    taken[column] = row
                    return True
        return False

    return all(placed(row, set()) for row in range(len(fits)))
