"""What a filled audit sheet says: precision by stratum and overall, weighted back to the population."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pandas as pd

from audits.sheets.annotators import ADJUDICATOR
from audits.sheets.audit_sheets import Group, Sheet, SheetHeader, Verdict
from corpus.errors import InputError
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from evaluation.metrics.proportions import Stratum, Weighted, interval_text, rounded, weighted
from evaluation.table_text import aligned_frame


@dataclass(frozen=True)
class Recall:
    """Recall of the kept posts, from what was found among the dropped ones; the ends combine the worst of both."""

    value: float | None
    low: float
    high: float


SHOWN = 10
"""Rows that are named."""


@dataclass(frozen=True)
class SheetReport:
    """The figures of a sheet. Unsure rows are counted apart: they are in no precision.

    ``precision`` is about what the stage kept; ``strict`` counts unsure rows as wrong. ``dropped_right`` is about what
    it dropped, and ``recall`` follows from both; they are None for a sheet without dropped posts. ``contradicted`` are
    rows that two judged differently without sight of each other; the later verdict counts.
    """

    header: SheetHeader
    strata: tuple[Stratum, ...]
    precision: Weighted
    strict: Weighted
    dropped_right: Weighted | None
    recall: Recall | None
    unsure: int
    open: int
    contradicted: tuple[str, ...] = ()

    def text(self) -> str:
        """The report in plain lines."""
        header = self.header
        lines = [f"Audit of {header.version}, stage {header.stage} (sheet {header.sheet_id}, seed {header.seed})"]
        rows = [(stratum.name, stratum.population, stratum.proportion) for stratum in self.strata]
        table = pd.DataFrame(rows, columns=["stratum", "population", "precision"])
        lines += [
            *aligned_frame(table),
            f"precision {self.precision}",
            f"precision, unsure counted as wrong {self.strict}",
        ]
        if self.dropped_right is not None:
            lines.append(f"rightly dropped {self.dropped_right}")
        if self.recall is not None:
            n = self.precision.n + (self.dropped_right.n if self.dropped_right else 0)
            lines.append(f"recall {interval_text(self.recall.value, self.recall.low, self.recall.high, n)}")
        lines.append(f"unsure {self.unsure}, without a verdict {self.open}")
        if self.contradicted:
            names = "; ".join(self.contradicted[:SHOWN]) + (" …" if len(self.contradicted) > SHOWN else "")
            told = "judged differently by two people who did not see each other's verdict; the later one counts"
            lines.append(f"{told}: {names}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """The report as it stands in a version's manifest."""
        header, recall = self.header, self.recall
        strata = [
            {"stratum": one.name, "population": one.population, **one.proportion.as_dict()} for one in self.strata
        ]
        return {
            "sheet_id": header.sheet_id,
            "version": header.version,
            "stage": header.stage,
            "seed": header.seed,
            "strata": strata,
            "precision": self.precision.as_dict(),
            "precision_unsure_wrong": self.strict.as_dict(),
            "rightly_dropped": self.dropped_right.as_dict() if self.dropped_right else None,
            "recall": rounded(recall.value, recall.low, recall.high) if recall else None,
            "unsure": self.unsure,
            "open": self.open,
            "contradicted": len(self.contradicted),
            "method": "stratified by population; Wilson 95 % at the effective sample size",
        }


def report_of(sheet: Sheet) -> SheetReport:
    """The figures of a sheet; InputError if it holds no verdict of right or wrong, or is no sample."""
    if sheet.header.annotator == ADJUDICATOR:
        raise InputError(
            f"sheet {sheet.header.sheet_id} holds what annotators differ on, which is no sample of its version; "
            "merge it into the whole sheet with wordquarry sheet merge and audit that"
        )
    counts = Counter((row.stratum, row.verdict) for row in sheet.rows)
    if not any(verdict in (Verdict.RIGHT, Verdict.WRONG) for _, verdict in counts):
        raise InputError(
            f"sheet {sheet.header.sheet_id} has {len(sheet.rows)} rows and no verdict of right or wrong; "
            "fill it in with wordquarry sheet serve, its page, or an editor"
        )
    kept, dropped = (_strata(sheet.header, counts, group, strict=False) for group in Group)
    precision = weighted(kept)
    rightly = weighted(dropped) if dropped else None
    return SheetReport(
        header=sheet.header,
        strata=(*kept, *dropped),
        precision=precision,
        strict=weighted(_strata(sheet.header, counts, Group.KEPT, strict=True)),
        dropped_right=rightly,
        recall=_recall(precision, rightly) if rightly else None,
        unsure=sum(count for (_, verdict), count in counts.items() if verdict == Verdict.UNSURE),
        open=sum(count for (_, verdict), count in counts.items() if verdict is None),
        contradicted=tuple(f"{one.row_id} {one.verdict}, before {other.verdict}" for one, other in sheet.unseen),
    )


def _strata(header: SheetHeader, counts: Counter[tuple[str, Any]], group: str, *, strict: bool) -> list[Stratum]:
    found = []
    for one in header.strata:
        if one.group == group:
            right, wrong = counts[one.stratum, Verdict.RIGHT], counts[one.stratum, Verdict.WRONG]
            n = right + wrong + (counts[one.stratum, Verdict.UNSURE] if strict else 0)
            found.append(Stratum(one.stratum, one.population, right, n))
    return found


def _recall(kept: Weighted, dropped: Weighted) -> Recall:
    """In-scope posts kept, over those kept and those dropped; estimates and interval ends scaled to the populations."""
    if kept.value is None or dropped.value is None:
        return Recall(None, 0.0, 1.0)
    ends = ((kept.value, dropped.value), (kept.low, dropped.low), (kept.high, dropped.high))
    value, low, high = (_share(good * kept.population, (1 - gone) * dropped.population) for good, gone in ends)
    return Recall(value, low or 0.0, 1.0 if high is None else high)


def _share(found: float, missed: float) -> float | None:
    return found / (found + missed) if found + missed else None


def attach(workspace: Workspace, report: SheetReport) -> Version:
    """Attach a report to the manifest of its version, in place of an earlier one of the same sheet.

    VersionError where a file of the version is not as published: figures of other rows are none of its.
    """
    version = workspace.versions.open(report.header.version)
    version.check()
    workspace.versions.attach_audit(version, report.as_dict())
    return version
