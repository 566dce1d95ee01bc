"""The sequential test of the gate: bets on verdicts, round by round, whose error holds however often one looks.

A version has ``population`` rows, each right or wrong once and for all. A round cuts the rows that are left into blocks
and draws one row of each; looks happen between rounds. Hypothesis: ``wrong`` of all rows are wrong, or more. By it the
rows that are left have the mean ``psi = (wrong - found) / left``, and a row of a block of ``size`` has the weight
``w = size * rows / left``. A bet of ``c`` on "right" multiplies the capital by ``1 + c*w*(psi - y)``, where ``y`` is 1
for a wrong row (Waudby-Smith & Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86, 2024, for
draws without replacement; Stark's ALPHA, Annals of Applied Statistics 17, 2023, bets the same way).

Why blocks may be pooled into one capital: with block means ``s`` the expected factor of a round is the product of
``1 + c*w*(psi - s)``. Under the hypothesis the ``w*(psi - s)`` sum to at most 0, so the product is at most 1 (a
geometric mean is at most the arithmetic one). The capital is a supermartingale between rounds whatever the blocks hold,
and reaches ``1 / error`` with at most that probability, ever (Ville). So does a capital that is split among several
bets. Bets are fixed before the first row and bounded by the weights alone, so the capital only grows with ``wrong``.

How many rows a gate needs is reckoned by the same bets: at first by what is expected, later by what was found.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]


class GateDecision(StrEnum):
    """What a gate decides; ``MORE`` asks for more rows."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    MORE = "more"


ACCEPTING: Final[Reals] = np.arange(1, 20) / 20
"""Bets on right rows: the best one for a share q of wrong rows is (psi - q) / (psi * (1 - psi)), 0 to about 1."""
REFUSING: Final[Reals] = np.array([0.25, 0.5, 1, 2, 4, 8])
"""Bets on wrong rows; those that could lose everything are lowered for the round."""
NEARLY: Final = 0.95
"""How much of the capital a row may take at most."""


@dataclass(frozen=True)
class Blocks:
    """The blocks of one size in one round: their size, and how many of the rows drawn from them are right and wrong."""

    size: int
    right: int
    wrong: int


@dataclass(frozen=True)
class JudgedRound:
    """One whole round of verdicts: how many rows were left before it, and its blocks."""

    left: int
    blocks: tuple[Blocks, ...]

    @property
    def rows(self) -> int:
        """How many rows it drew, one of each block."""
        return self.right + self.wrong

    @property
    def right(self) -> int:
        """How many of them are right."""
        return sum(one.right for one in self.blocks)

    @property
    def wrong(self) -> int:
        """How many of them are wrong."""
        return sum(one.wrong for one in self.blocks)


def block_sizes(left: int, rows: int) -> list[int]:
    """The sizes of the blocks into which ``left`` rows are cut for a round of up to ``rows`` draws; they differ by 1.

    >>> block_sizes(10, 4), block_sizes(3, 4)
    ([2, 3, 2, 3], [1, 1, 1])
    """
    rows = min(left, rows)
    return [left * (place + 1) // rows - left * place // rows for place in range(rows)]


def allowed_wrong(population: int, min_precision: Fraction) -> int:
    """The most rows that may be wrong at a precision of at least ``min_precision``.

    >>> allowed_wrong(200, Fraction(97, 100)), allowed_wrong(10, Fraction(1))
    (6, 0)
    """
    return math.floor(population * (1 - min_precision))


def accepting_growth(weight: float, psi: Any, counts: tuple[Any, Any], heaviest: float) -> Reals:
    """What one weight's rows of a round add to the logarithm of each accepting bet's capital.

    ``counts`` are its right and wrong rows; these and ``psi`` may be arrays over many runs, bets are the last axis.
    ``heaviest`` is the largest weight of the round, which bounds its bets.
    """
    bets = np.minimum(ACCEPTING, NEARLY / heaviest) * weight
    mean, right, wrong = (np.asarray(one, dtype=float)[..., None] for one in (psi, *counts))
    return np.asarray(right * np.log1p(bets * mean) + wrong * np.log1p(-bets * (1 - mean)))


def refusing_growth(weight: float, psi: Any, counts: tuple[Any, Any], heaviest: float) -> Reals:
    """The same for refusing bets."""
    mean, right, wrong = (np.asarray(one, dtype=float)[..., None] for one in (psi, *counts))
    bets = np.minimum(REFUSING, NEARLY / (heaviest * np.maximum(mean, 1e-12))) * weight
    return np.asarray(right * np.log1p(-bets * mean) + wrong * np.log1p(bets * (1 - mean)))


def log_capital(bets: Reals) -> Any:
    """The logarithm of the capital that was split evenly among bets (last axis)."""
    top = bets.max(axis=-1)
    return top + np.log(np.exp(bets - top[..., None]).mean(axis=-1))


def accepting_capital(rounds: Sequence[JudgedRound], wrong: int) -> float:
    """The logarithm of the capital against "at least ``wrong`` rows are wrong"; infinite where they cannot be."""
    bets, found = np.zeros(len(ACCEPTING)), 0
    for one in rounds:
        if wrong - found > one.left:
            return math.inf
        psi = (wrong - found) / one.left
        if psi < 0:
            return -math.inf
        heaviest = max(blocks.size for blocks in one.blocks) * one.rows / one.left
        for blocks in one.blocks:
            weight = blocks.size * one.rows / one.left
            bets += accepting_growth(weight, psi, (blocks.right, blocks.wrong), heaviest)
        found += one.wrong
    rest = rounds[-1].left - rounds[-1].rows if rounds else math.inf
    return math.inf if wrong - found > rest else -math.inf if wrong < found else float(log_capital(bets))


def refusing_capital(rounds: Sequence[JudgedRound], wrong: int) -> float:
    """The logarithm of the capital against "at most ``wrong`` rows are wrong"; infinite where more were found."""
    bets, found = np.zeros(len(REFUSING)), 0
    for one in rounds:
        if found > wrong:
            return math.inf
        psi = min(1.0, (wrong - found) / one.left)
        heaviest = max(blocks.size for blocks in one.blocks) * one.rows / one.left
        for blocks in one.blocks:
            weight = blocks.size * one.rows / one.left
            bets += refusing_growth(weight, psi, (blocks.right, blocks.wrong), heaviest)
        found += one.wrong
    return math.inf if found > wrong else float(log_capital(bets))


def most_wrong(rounds: Sequence[JudgedRound], population: int, error: float) -> int:
    """How many rows may be wrong at most, with error probability ``error`` over all looks together: the upper bound.

    The largest number that the capital has not refuted; it only grows with the number, so halving finds it.
    """
    held = sum(one.wrong for one in rounds)
    refuted, threshold = population + 1, -math.log(error)
    while refuted - held > 1:
        middle = (held + refuted) // 2
        if accepting_capital(rounds, middle) >= threshold:
            refuted = middle
        else:
            held = middle
    return held


def decision(rounds: Sequence[JudgedRound], population: int, min_precision: Fraction, error: float) -> GateDecision:
    """What the whole rounds so far say of ``min_precision``; either wrong decision has at most probability ``error``.

    >>> clean = [JudgedRound(1000 - 20 * n, (Blocks((1000 - 20 * n) // 20, 20, 0),)) for n in range(3)]
    >>> [str(decision(clean, 1000, Fraction(bound), 0.05)) for bound in ("0.9", "0.99")]
    ['accepted', 'more']
    """
    allowed, threshold = allowed_wrong(population, min_precision), -math.log(error)
    if accepting_capital(rounds, allowed + 1) >= threshold:
        return GateDecision.ACCEPTED
    return GateDecision.REFUSED if refusing_capital(rounds, allowed) >= threshold else GateDecision.MORE


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
    from scipy.stats import hypergeom  # takes most of a second, which only a plan needs

    return float(hypergeom.cdf(low, terms.population, round(share * terms.population), rows))


def _capital_after(terms: Terms, rows: int, wrong: int) -> float:
    """The accepting capital after ``rows`` rows over which ``wrong`` wrong ones are spread evenly."""
    done = (np.arange(_STEPS) + 0.5) / _STEPS
    psi = (terms.allowed + 1 - wrong * done) / np.maximum(terms.population - rows * done, 1)
    each = ((rows - wrong) / _STEPS, wrong / _STEPS)
    if psi.min() <= 0:
        return -math.inf
    return float(log_capital(accepting_growth(1.0, np.minimum(psi, 1), each, 1.0).sum(axis=0)))


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
        accepting = accepting + accepting_growth(1.0, _share((terms.allowed + 1 - found) / left), counts, 1.0)
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
            accepting += accepting_growth(weight, _share((terms.allowed + 1 - found) / one.left), counts, heaviest)
            refusing += refusing_growth(weight, _share((terms.allowed - found) / one.left), counts, heaviest)
        found += one.wrong
    return accepting, refusing
