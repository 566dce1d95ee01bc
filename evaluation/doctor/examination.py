"""The examination of a corpus: findings with evidence and probability, as a report, a sheet and a clean copy."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from evaluation.doctor.fault_shares import CERTAIN, ROUNDS, SHARES
from evaluation.doctor.repeated_rows import of_benchmarks, repeated_in
from evaluation.doctor.signs import Sign, signs_of
from evaluation.table_text import aligned
from evaluation.variations.variation_sheet import sheet_cell

LEAST: Final = 0.5
"""The probability from which on a finding is listed unless told otherwise."""
COLUMNS: Final = ("row", "id", "kind", "sign", "probability", "evidence", "question", "answer", "wrong", "note")
"""The columns of a sheet; the last two are for the person: yes or no, and why."""
Shares = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class Finding:
    """What may be wrong with a row, which is the place of the problem among those that were read, from 1 on.

    ``shown`` are the characters ``start`` to ``end`` of ``field``; without these, what stands against the field.
    """

    row: int
    id: str
    kind: str
    sign: str
    probability: float
    field: str
    shown: str
    start: int | None
    end: int | None


@dataclass(frozen=True)
class Examination:
    """What was found in a corpus: the findings from ``least`` on, by row and then the likeliest first."""

    corpus: Corpus
    least: float
    findings: tuple[Finding, ...]
    fainter: int
    """Findings below ``least``."""

    def text(self) -> str:
        """Counts by kind and sign, then each finding with its evidence."""
        rows = len({one.row for one in self.findings})
        head = (
            f"{self.corpus.name}: {len(self.corpus.problems)} problems read, {len(self.corpus.refused)} records not "
            f"read; {len(self.findings)} findings in {rows} problems at {self.least:g} or above, {self.fainter} below"
        )
        counts = Counter((one.kind, one.sign, f"{one.probability:.2f}") for one in self.findings)
        table = [["kind", "sign", "probability", "findings"], *([*key, str(n)] for key, n in sorted(counts.items()))]
        lines = [head, *(["", *aligned(table)] if counts else [])]
        lines += [f"not read: {refusal}" for refusal in self.corpus.refused]
        for one in self.findings:
            place = "" if one.start is None else f" {one.start}-{one.end}"
            shown = " ".join(one.shown.split())
            lines.append(
                f"{one.row} {one.id}: {one.kind} {one.probability:.2f}, {one.sign}; {one.field}{place}: {shown}"
            )
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Plain data with every finding."""
        return {
            "corpus": self.corpus.name,
            "problems": len(self.corpus.problems),
            "not_read": [str(refusal) for refusal in self.corpus.refused],
            "least": self.least,
            "below": self.fainter,
            "findings": [vars(one) for one in self.findings],
        }

    def sheet(self) -> str:
        """A CSV sheet with a line for each finding, on which a person says whether the row is wrong."""
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(COLUMNS)
        for one in self.findings:
            problem = self.corpus.problems[one.row - 1]
            said = (one.id, one.kind, one.sign, f"{one.probability:.2f}", one.shown, problem.question, problem.answer)
            lines.writerow([one.row, *map(sheet_cell, said), "", ""])
        return text.getvalue()

    def cleaned(self) -> list[GoldProblem]:
        """The problems without those that have a finding."""
        found = {one.row for one in self.findings}
        return [problem for row, problem in enumerate(self.corpus.problems, 1) if row not in found]


def probability_of(sign: Sign, shares: Shares = SHARES) -> float:
    """How likely a row with this sign is faulty, in a corpus of which one row in twenty is.

    It is the share among planted faults (``doctor_accuracy``), with half a faulty and half a sound row added; a sound
    row counts as often as there are sound rows for a faulty one.
    """
    if sign.name in CERTAIN:
        return CERTAIN[sign.name]
    right, of = shares.get(sign.name, (0, 0))
    return round((right + 0.5) / (of + 0.5 + (ROUNDS - 1) / 2), 4)


def examine(corpus: Corpus, benchmarks: Sequence[Corpus] = (), least: float = LEAST) -> Examination:
    """The findings of a corpus; ``benchmarks`` are named ones whose problems it should not hold."""
    repeated = [repeated_in(corpus), *([of_benchmarks(corpus, benchmarks)] if benchmarks else [])]
    found = []
    for row, problem in enumerate(corpus.problems, 1):
        signs = [*signs_of(problem), *(one[problem.problem_id] for one in repeated if problem.problem_id in one)]
        found += sorted((_finding(row, problem, sign) for sign in signs), key=lambda one: (-one.probability, one.kind))
    kept = tuple(one for one in found if one.probability >= least)
    return Examination(corpus, least, kept, len(found) - len(kept))


def _finding(row: int, problem: GoldProblem, sign: Sign) -> Finding:
    start, end = sign.span or (None, None)
    chance = probability_of(sign)
    return Finding(row, problem.problem_id, sign.kind.value, sign.name, chance, sign.field, sign.shown, start, end)
