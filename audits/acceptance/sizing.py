"""How many rows a gate needs: for the first sheet by the bound and what is expected, later by what was found."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from scipy.special import gammaln

from audits.acceptance.betting import (
    ACCEPTING,
    REFUSING,
    JudgedRound,
    Reals,
    accepting_growth,
    allowed_wrong,
    log_capital,
    refusing_growth,
)

ROUND_ROWS: Final = 20
"""Rows of a round, between two looks."""
POWER: Final = 0.9
"""How probable it is that the first sheet is enough, if the precision is as expected."""
_STEPS: Final = 32


@dataclass(frozen=True)
class Terms:
    """What is asked of a version's rows: how many there are, the bound, and the error over all looks."""

    population: int
    min_precision: Fraction
    error: float

    @property
    def allowed(self) -> int:
        """The most rows that may be wrong."""
        return allowed_wrong(self.population, self.min_precision)


def first_rows(terms: Terms, expected: float) -> int:
    """Rows of the first sheet: whole rounds enough to accept with probability POWER at the precision ``expected``.

    A look at the end alone is reckoned with, so that in truth fewer rows do more often.

    >>> [first_rows(Terms(2000, Fraction(97, 100), 0.05), expected) for expected in (0.985, 0.995)]
    [920, 340]
    """
    low, high = 0, -(-terms.population // ROUND_ROWS)
    while high - low > 1:
        middle = (low + high) // 2
        if _accepts(terms, middle * ROUND_ROWS, 1 - expected) >= POWER:
            high = middle
        else:
            low = middle
    return min(high * ROUND_ROWS, terms.population)


def _accepts(terms: Terms, rows: int, share: float) -> float:
    """The probability that ``rows`` rows of a population with this share of wrong ones end in acceptance."""
    low, high = -1, rows + 1
    while high - low > 1:
        middle = (low + high) // 2
        if _capital_after(terms, rows, middle) >= -math.log(terms.error):
            low = middle
        else:
            high = middle
    return _at_most(low, rows, terms.population, round(share * terms.population))


def _capital_after(terms: Terms, rows: int, wrong: int) -> float:
    """The accepting capital after ``rows`` rows over which ``wrong`` wrong ones are spread evenly."""
    done = (np.arange(_STEPS) + 0.5) / _STEPS
    psi = (terms.allowed + 1 - wrong * done) / np.maximum(terms.population - rows * done, 1)
    each = ((rows - wrong) / _STEPS, wrong / _STEPS)
    if psi.min() <= 0:
        return -math.inf
    return float(log_capital(accepting_growth(1.0, np.minimum(psi, 1), each).sum(axis=0)))


def _at_most(found: int, rows: int, population: int, wrong: int) -> float:
    """The probability of at most ``found`` wrong rows among ``rows`` drawn without replacement."""
    counts = np.arange(max(0, rows + wrong - population), min(found, rows, wrong) + 1, dtype=float)
    terms = _log_choose(wrong, counts) + _log_choose(population - wrong, rows - counts)
    return float(np.exp(terms - _log_choose(population, np.array(float(rows)))).sum())


def _log_choose(whole: int, part: Reals) -> Reals:
    return np.asarray(gammaln(whole + 1) - gammaln(part + 1) - gammaln(whole - part + 1))


def more_rows(terms: Terms, rounds: Sequence[JudgedRound], expected: float) -> int:
    """How many more rows bring a decision if it goes on as so far; whole rounds, at most all that are left.

    The share of wrong rows is that of the rows so far and of one more round as ``expected``.
    """
    drawn, found = sum(one.rows for one in rounds), float(sum(one.wrong for one in rounds))
    share = (found + ROUND_ROWS * (1 - expected)) / (drawn + ROUND_ROWS)
    accepting, refusing = _so_far(terms, rounds)
    left, threshold, asked = terms.population - drawn, -math.log(terms.error), 0
    while left > 0:
        rows = min(ROUND_ROWS, left)
        counts = (rows * (1 - share), rows * share)
        accepting = accepting + accepting_growth(1.0, _share((terms.allowed + 1 - found) / left), counts)
        refusing = refusing + refusing_growth(1.0, _share((terms.allowed - found) / left), counts, 1.0)
        asked, left, found = asked + rows, left - rows, found + counts[1]
        if max(log_capital(accepting), log_capital(refusing)) >= threshold:
            break
    return asked


def _share(value: float) -> float:
    return min(1 - 1e-9, max(1e-9, value))


def _so_far(terms: Terms, rounds: Sequence[JudgedRound]) -> tuple[Reals, Reals]:
    """The logarithms of what each accepting and each refusing bet has made of the rounds so far."""
    accepting, refusing, found = np.zeros(len(ACCEPTING)), np.zeros(len(REFUSING)), 0
    for one in rounds:
        heaviest = max(blocks.size for blocks in one.blocks) * one.rows / one.left
        for blocks in one.blocks:
            weight, counts = blocks.size * one.rows / one.left, (blocks.right, blocks.wrong)
            accepting += accepting_growth(weight, _share((terms.allowed + 1 - found) / one.left), counts)
            refusing += refusing_growth(weight, _share((terms.allowed - found) / one.left), counts, heaviest)
        found += one.wrong
    return accepting, refusing
