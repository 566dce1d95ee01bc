"""How far the annotators of a sheet agree: over all rows, by stratum, and pair by pair.

Alpha: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), nominal. AC2: K. L. Gwet, "Handbook of
Inter-Rater Reliability" (4th ed., 2014), chapters 3 and 5: linear weights, so that ``right`` and ``wrong`` are twice as
far apart as either is from ``unsure``; with identity weights it is AC1. A row that one person judged alone says nothing
of agreement; it counts in how often each verdict is given, for AC2 alone, as in the papers.

Intervals are percentiles of 2,000 bootstrap samples of rows, drawn by a seed that the counts decide.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from audits.sheets.annotators import Annotated, verdict_counts
from audits.sheets.audit_sheets import SheetRow
from evaluation.metrics.proportions import Proportion
from evaluation.table_text import aligned_frame

SAMPLES: Final = 2_000
LEVEL: Final = (2.5, 97.5)

VerdictCounts = npt.NDArray[np.float64]
"""Rows by verdicts: how many people gave a row each verdict."""


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement, 1 for full agreement and 0 for what chance gives, and its 95 % interval.

    None where it is not defined: nobody shares a row, or, of alpha, all verdicts are the same.
    """

    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.value is None or self.low is None or self.high is None:
            return "not defined"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def as_dict(self) -> dict[str, float | None]:
        """Rounded to six decimals."""
        found = {"value": self.value, "low": self.low, "high": self.high}
        return {name: None if one is None else round(one, 6) for name, one in found.items()}


def linear_weights(categories: int) -> VerdictCounts:
    """How near two of so many ordered verdicts are to each other, 1 for the same and 0 for the farthest.

    >>> linear_weights(3).tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    places = np.arange(categories, dtype=float)
    near: VerdictCounts = 1.0 - np.abs(places[:, None] - places[None, :]) / max(categories - 1, 1)
    return near


def alpha(counts: VerdictCounts) -> Coefficient:
    """Krippendorff's alpha for verdicts without an order; ``counts`` are rows by verdicts."""
    shared = _sorted(counts[counts.sum(axis=1) >= 2])
    judges = shared.sum(axis=1)
    agreeing = (shared * (shared - 1)).sum(axis=1) / np.maximum(judges - 1, 1)

    def of(times: VerdictCounts) -> VerdictCounts:
        given = times @ shared
        total = given.sum(axis=1)
        expected = total**2 - (given**2).sum(axis=1)
        observed = total - times @ agreeing
        with np.errstate(divide="ignore", invalid="ignore"):
            found: VerdictCounts = 1.0 - (total - 1) * observed / expected
        return found

    return _with_interval(shared, of)


def ac2(counts: VerdictCounts, weights: VerdictCounts | None = None) -> Coefficient:
    """Gwet's AC2; ``counts`` are rows by verdicts in their order, ``weights`` linear unless given."""
    near = linear_weights(counts.shape[1]) if weights is None else weights
    judged = _sorted(counts[counts.sum(axis=1) >= 1])
    judges = judged.sum(axis=1)
    shared = (judges >= 2).astype(float)
    pairs = np.maximum(judges * (judges - 1), 1)
    agreeing = (judged * (judged @ near - 1)).sum(axis=1) / pairs * shared
    shares = judged / judges[:, None]
    categories = counts.shape[1]

    def of(times: VerdictCounts) -> VerdictCounts:
        with np.errstate(divide="ignore", invalid="ignore"):
            observed = times @ agreeing / (times @ shared)
            given = times @ shares / times.sum(axis=1, keepdims=True)
            chance = near.sum() * (given * (1 - given)).sum(axis=1) / (categories * (categories - 1))
            found: VerdictCounts = (observed - chance) / (1 - chance)
        return found

    return _with_interval(judged, of)


def _sorted(rows: VerdictCounts) -> VerdictCounts:
    """The rows in an order that rests on them alone, by which sums and samples come out the same."""
    return rows[np.lexsort(rows.T)]


def _with_interval(rows: VerdictCounts, of: Callable[[VerdictCounts], VerdictCounts]) -> Coefficient:
    """What ``of`` gives for all rows, taken once each, and for bootstrap samples of them (rows taken so many times)."""
    if len(rows) == 0:
        return Coefficient(None, None, None)
    value = float(of(np.ones((1, len(rows))))[0])
    if not np.isfinite(value):
        return Coefficient(None, None, None)
    seed = int.from_bytes(hashlib.sha256(rows.astype("<f8").tobytes()).digest()[:8], "big")
    times = np.random.default_rng(seed).multinomial(len(rows), np.full(len(rows), 1 / len(rows)), SAMPLES)
    found = of(times.astype(float))
    low, high = np.percentile(found[np.isfinite(found)], LEVEL)
    return Coefficient(value, float(low), float(high))


@dataclass(frozen=True)
class Agreed:
    """Agreement in a group of rows: those that at least two people judged, and how many of these have one verdict."""

    group: str
    shared: int
    same: int
    alpha: Coefficient
    ac2: Coefficient

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        found = {"group": self.group, "rows": self.shared, "same": self.same}
        return found | {"alpha": self.alpha.as_dict(), "ac2": self.ac2.as_dict()}


@dataclass(frozen=True)
class AgreementReport:
    """The figures of a sheet's annotators; ``open`` are disagreements that no third verdict has settled."""

    version: str
    stage: str
    sheet_id: str
    judged: dict[str, int]
    groups: tuple[Agreed, ...]
    open: int
    settled: int

    def text(self) -> str:
        """The report in plain lines."""
        people = ", ".join(f"{name} {rows} rows" for name, rows in self.judged.items())
        rows = [(one.group, str(Proportion(one.same, one.shared)), str(one.alpha), str(one.ac2)) for one in self.groups]
        table = pd.DataFrame(rows, columns=["rows", "one verdict", "alpha", "AC2"])
        return "\n".join(
            [
                f"Agreement on {self.version}, stage {self.stage} (sheet {self.sheet_id}): {people}",
                *aligned_frame(table),
                "alpha: Krippendorff, nominal; AC2: Gwet, linear weights over right, unsure, wrong; 95 % by bootstrap",
                f"disagreements: {self.open} open, {self.settled} settled by a third verdict",
            ]
        )

    def as_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "version": self.version,
            "stage": self.stage,
            "sheet_id": self.sheet_id,
            "judged": self.judged,
            "groups": [one.as_dict() for one in self.groups],
            "disagreements": {"open": self.open, "settled": self.settled},
        }


def agreement_of(annotated: Annotated) -> AgreementReport:
    """The agreement of the annotators of a sheet."""
    strata = dict.fromkeys(row.stratum for row in annotated.rows)
    groups = [_agreed("all rows", annotated, annotated.rows)]
    if len(strata) > 1:
        groups += [
            _agreed(name, annotated, [row for row in annotated.rows if row.stratum == name]) for name in sorted(strata)
        ]
    if len(annotated.said) > 2:
        groups += [_pair(annotated, pair) for pair in combinations(annotated.said, 2)]
    differ = [row.post_id for row in annotated.disagreements()]
    settled = sum(post_id in annotated.settled for post_id in differ)
    judged = {name: len(rows) for name, rows in annotated.said.items()}
    return AgreementReport(
        annotated.version, annotated.stage, annotated.whole, judged, tuple(groups), len(differ) - settled, settled
    )


def _pair(annotated: Annotated, pair: tuple[str, str]) -> Agreed:
    said = {name: annotated.said[name] for name in pair}
    both = Annotated(annotated.whole, annotated.version, annotated.stage, annotated.rows, said)
    return _agreed(" and ".join(pair), both, annotated.rows)


def _agreed(group: str, annotated: Annotated, rows: Iterable[SheetRow]) -> Agreed:
    counts = np.array(verdict_counts(annotated, rows), dtype=float).reshape(-1, 3)
    shared = counts[counts.sum(axis=1) >= 2]
    same = int((shared.max(axis=1) == shared.sum(axis=1)).sum()) if len(shared) else 0
    return Agreed(group, len(shared), same, alpha(counts), ac2(counts))
