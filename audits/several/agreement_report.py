"""How far the annotators of a sheet agree: over all rows, by stratum, and pair by pair."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from audits.several.annotators import Annotated, verdict_counts
from audits.several.coefficients import Coefficient, ac2, alpha
from audits.sheets.audit_sheets import SheetRow
from evaluation.metrics.proportions import Proportion
from evaluation.table_text import aligned_frame


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
