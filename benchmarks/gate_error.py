"""The release gate by simulation: how often it is wrong, and how many rows it takes: ``-m benchmarks.run gate``.

Beside it a plan of fixed size that accepts where the lower Wilson bound of the same error is at the wanted one, and the
same bound looked at after every round, which is what a gate must not do.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from audits.acceptance.betting import (
    ACCEPTING,
    REFUSING,
    ROUND_ROWS,
    Terms,
    accepting_growth,
    block_sizes,
    log_capital,
    refusing_growth,
)
from benchmarks.measuring import Row, signature, table

RUNS, SEED, ERROR = 10_000, 1, 0.05
Z = 1.6448536269514722
"""The normal quantile of a one-sided bound with this error."""
AT_ONCE = 2_000
ACCEPTED, REFUSED = 1, -1
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Case:
    """A population: how many rows, the bound, how many are wrong, and where: ``spread`` evenly or in one ``clump``."""

    population: int
    bound: str
    wrong: int
    where: str = "spread"

    @property
    def terms(self) -> Terms:
        """What the gate is asked."""
        return Terms(self.population, Fraction(self.bound), ERROR)

    @property
    def rows(self) -> NDArray[np.int8]:
        """1 for every wrong row, in the order of the groups."""
        rows = np.zeros(self.population, np.int8)
        places = np.arange(self.wrong)
        rows[places if self.where == "clump" else places * self.population // max(self.wrong, 1)] = 1
        return rows

    @property
    def name(self) -> str:
        """As the tables say it."""
        precision = 100 * (1 - self.wrong / self.population)
        kind = "wrong rows spread" if self.where == "spread" else "wrong rows in one group"
        return f"{self.population} rows, bound {100 * float(self.bound):g} %, precision {precision:.2f} %, {kind}"


@dataclass(frozen=True)
class Endings:
    """Of each run: ACCEPTED or REFUSED, and after how many rows."""

    ends: Counts
    rows: Counts

    def share(self, end: int) -> float:
        """The share of runs that ended so."""
        return float((self.ends == end).mean())


class _Runs:
    """Runs of a gate side by side: what is left of each population, its capitals, and what was found."""

    def __init__(self, case: Case, runs: int, random: np.random.Generator) -> None:
        self.terms, self.random = case.terms, random
        self.left = np.tile(case.rows, (runs, 1))
        self.accepting, self.refusing = np.zeros((runs, len(ACCEPTING))), np.zeros((runs, len(REFUSING)))
        self.found, self.drawn = np.zeros(runs, np.int64), 0

    def draw(self) -> None:
        """One round of every run."""
        left = self.left.shape[1]
        sizes = np.array(block_sizes(left, ROUND_ROWS))
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        chosen = starts + (self.random.random((len(self.left), len(sizes))) * sizes).astype(np.int64)
        wrong = np.take_along_axis(self.left, chosen, 1)
        self._bet(sizes, wrong, left)
        keep = np.ones_like(self.left, bool)
        np.put_along_axis(keep, chosen, False, 1)
        self.left = self.left[keep].reshape(len(self.left), left - len(sizes))
        self.found, self.drawn = self.found + wrong.sum(1), self.drawn + len(sizes)

    def _bet(self, sizes: Counts, wrong: NDArray[np.int8], left: int) -> None:
        psi = np.clip((self.terms.allowed + 1 - self.found) / left, 0, 1)
        other = np.clip((self.terms.allowed - self.found) / left, 0, 1)
        heaviest = sizes.max() * len(sizes) / left
        for size in np.unique(sizes):
            weight, gone = size * len(sizes) / left, wrong[:, sizes == size].sum(1)
            counts = ((sizes == size).sum() - gone, gone)
            self.accepting += accepting_growth(weight, psi, counts, heaviest)
            self.refusing += refusing_growth(weight, other, counts, heaviest)

    def decided(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which runs accept now, and which refuse."""
        threshold, held = -math.log(ERROR), self.found <= self.terms.allowed
        certain = self.terms.allowed + 1 - self.found > self.left.shape[1]
        accepts = held & (certain | (log_capital(self.accepting) >= threshold))
        return accepts, ~accepts & (~held | (log_capital(self.refusing) >= threshold))

    def keep(self, going: NDArray[np.bool_]) -> None:
        """Go on with these runs alone."""
        self.left, self.found = self.left[going], self.found[going]
        self.accepting, self.refusing = self.accepting[going], self.refusing[going]


def simulate(case: Case, runs: int, seed: int = SEED) -> Endings:
    """Runs of the gate with a look after every round, up to the last row."""
    parts = [
        _simulate(case, min(AT_ONCE, runs - begin), np.random.default_rng([seed, begin]))
        for begin in range(0, runs, AT_ONCE)
    ]
    return Endings(*(np.concatenate([getattr(part, name) for part in parts]) for name in Endings.__annotations__))


def _simulate(case: Case, runs: int, random: np.random.Generator) -> Endings:
    state, going = _Runs(case, runs, random), np.arange(runs)
    found = Endings(np.zeros(runs, np.int64), np.zeros(runs, np.int64))
    while len(going):
        state.draw()
        accepts, refuses = state.decided()
        found.ends[going[accepts]], found.ends[going[refuses]] = ACCEPTED, REFUSED
        done = accepts | refuses
        found.rows[going[done]] = state.drawn
        going = going[~done]
        state.keep(~done)
    return found


def _wilson_accepts(case: Case, rows: int, wrong: int) -> bool:
    """Whether the lower end of the one-sided Wilson interval is at the bound."""
    share = 1 - wrong / rows
    spread = Z * math.sqrt(share * (1 - share) / rows + Z * Z / (4 * rows * rows))
    return (share + Z * Z / (2 * rows) - spread) / (1 + Z * Z / rows) >= float(case.bound)


def peeked(case: Case, runs: int, seed: int = SEED) -> float:
    """The share of runs that the Wilson bound accepts at some look; looks come after every round of a simple sample."""
    random, found, ever = np.random.default_rng(seed), np.zeros(runs, np.int64), np.zeros(runs, bool)
    for drawn in range(0, case.population, ROUND_ROWS):
        left, rows = case.population - drawn, min(ROUND_ROWS, case.population - drawn)
        found += random.hypergeometric(case.wrong - found, left - case.wrong + found, rows)
        accepts = np.array([_wilson_accepts(case, drawn + rows, wrong) for wrong in range(found.max() + 1)])
        ever |= accepts[found]
    return float(ever.mean())


def wilson_rows(case: Case, expected: float, power: float = 0.9) -> int:
    """Rows of a simple sample of fixed size whose Wilson interval is above the bound with this probability."""
    most = -1
    for rows in range(ROUND_ROWS, case.population, ROUND_ROWS):
        while _wilson_accepts(case, rows, most + 1):
            most += 1
        if most >= 0 and bdtr(most, rows, 1 - expected) >= power:
            return rows
    return case.population


FALSE = [
    Case(2000, "0.97", 61),
    Case(2000, "0.97", 61, "clump"),
    Case(2000, "0.97", 80),
    Case(5000, "0.99", 51),
    Case(300, "0.9", 31),
    Case(300, "0.9", 31, "clump"),
]
GOOD = [Case(2000, "0.97", wrong) for wrong in (40, 30, 20, 10, 0)]
BAD = [Case(2000, "0.97", wrong) for wrong in (100, 160)]


def _false_rows() -> Iterator[Row]:
    for case in FALSE:
        found = simulate(case, RUNS)
        share = found.share(ACCEPTED)
        value = f"{100 * share:.2f} % accepted; Wilson at every look: {100 * peeked(case, RUNS):.1f} %"
        yield Row(case.name, RUNS, value, f"at most {100 * ERROR:g} %", share <= ERROR)
    at_bound = Case(2000, "0.97", 60)
    share = simulate(at_bound, RUNS).share(REFUSED)
    value = f"{100 * share:.2f} % refused"
    yield Row(f"{at_bound.name}: refused", RUNS, value, f"at most {100 * ERROR:g} %", share <= ERROR)


def _size_rows() -> Iterator[Row]:
    for case in [*GOOD, *BAD]:
        found = simulate(case, RUNS)
        precision = 1 - case.wrong / case.population
        rows = f"mean {found.rows.mean():.0f} rows, 90 of 100 within {np.quantile(found.rows, 0.9):.0f}"
        ended = f"{100 * found.share(ACCEPTED):.1f} % accepted, {100 * found.share(REFUSED):.1f} % refused"
        plan = f"; fixed Wilson plan {wilson_rows(case, precision)}" if case in GOOD else ""
        yield Row(case.name, RUNS, f"{rows}; {ended}{plan}")


def _titled(title: str, rows: Iterator[Row]) -> str:
    """A table under its title in bold, by which pages quote it."""
    return "\n".join([f"**{title}**", "", *table("", rows).splitlines()[2:], ""])


def measure() -> str:
    """The tables."""
    note = (
        f"A population, {RUNS:,} runs each with a look after every round of {ROUND_ROWS} rows and no end but the last "
        f"row; error {ERROR:g}, seed {SEED}. The Wilson plan is a simple sample of a fixed size: the smallest whose "
        "lower bound, of the same error, is at the wanted one with a probability of 0.9."
    )
    return "\n".join(
        [
            f"### The release gate\n\n{note}\n",
            _titled("wrong decisions", _false_rows()),
            _titled("rows to a decision", _size_rows()),
            f"Signature: `{signature('numpy', 'scipy')}`",
        ]
    )
