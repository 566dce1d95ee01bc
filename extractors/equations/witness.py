"""The question as a second witness: whether what it states agrees with the solution of an answer.

It speaks only where the question was surely read (``questions.stated``), confirms a solution that holds all of its
values, and contradicts one that holds none of them and nothing that is one operation away.
"""

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Final

from extractors.equations.identities import is_near
from extractors.questions.stated import Stated

MORE_UNKNOWNS: Final = 2
"""Unknowns of an answer beyond those of the question; with more of them its values say little."""
_CLOSE: Final = Fraction(6, 1000)
_EXACT: Final = Fraction(1, 10_000)
_CENT: Final = Fraction(5, 1000)
_SCALES: Final = (Fraction(1), Fraction(100), Fraction(1, 100), Fraction(60), Fraction(1, 60))


class Verdict(StrEnum):
    """What the question says of a solution."""

    CONFIRMS = "confirms"
    CONTRADICTS = "contradicts"
    SILENT = "silent"


def verdict(stated: Stated | None, rows: Sequence[Sequence[Fraction]], given: Sequence[Fraction]) -> Verdict:
    """What a question says of the solutions of a system; ``given`` are its numbers.

    A value may be rounded, or in percent, cents or minutes. SILENT where the question was not read.
    """
    if stated is None or not rows:
        return Verdict.SILENT
    held = [any(_holds(row, wanted) for row in rows) for wanted in stated.rows]
    if all(held) if stated.reader == "posed" else any(held):
        return Verdict.CONFIRMS
    values = [value for row in rows for value in row]
    known = list(dict.fromkeys(value for row in stated.rows for value in row))
    if any(same_size(value, other) for value in values for other in known):
        return Verdict.SILENT
    derived = () if stated.exact else _derived(known, given)
    return (
        Verdict.SILENT if any(is_near(v, other, _EXACT) for v in values for other in derived) else Verdict.CONTRADICTS
    )


def _holds(row: Sequence[Fraction], wanted: Sequence[Fraction]) -> bool:
    """Whether a solution holds all values that are stated, with few unknowns beside."""
    return len(row) <= len(wanted) + MORE_UNKNOWNS and all(any(_is(value, other) for value in row) for other in wanted)


def _is(value: Fraction, other: Fraction) -> bool:
    """Whether two values are the same, in some unit, or one is the other rounded to cents.

    Closer than ``same_size``: a percentage of the wrong base is off by its square only, 0.36 % where it is 6 %.
    """
    return (abs(other) >= 1 and abs(value - other) <= _CENT) or any(
        is_near(value * scale, other, _EXACT) for scale in _SCALES
    )


def same_size(value: Fraction, other: Fraction) -> bool:
    """Whether two values agree but for rounding and a change of units (percent, cents, minutes)."""
    return any(is_near(value * scale, other, _CLOSE) for scale in _SCALES)


def _derived(known: Sequence[Fraction], given: Sequence[Fraction]) -> list[Fraction]:
    """What is one operation away from a stated value: with another of them, or with a number of the question."""
    found = []
    for place, a in enumerate(known):
        found += [value for b in (*known[:place], *given) for value in (a + b, a - b, b - a)]
        found += [value for b in known[:place] for value in (a * b, *([a / b, b / a] if a and b else []))]
    return found
