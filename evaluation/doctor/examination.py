"""The examination of a corpus: findings with evidence and probability, as a report, a sheet and a clean copy.

How often a sign told a fault is counted by ``wordquarry quality doctor`` and kept here.
"""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from curation.near_texts.benchmark_texts import items_of
from curation.near_texts.contamination import SHARE, Item, Leak, LeakKind, find_leaks
from evaluation.doctor.signs import MAX_EVIDENCE, FaultKind, Sign, signs_of
from evaluation.doctor.solution_check import golds_of
from evaluation.metrics.value_matching import same_set
from evaluation.table_text import aligned
from evaluation.variations.variation_sheet import sheet_cell
from extractors.quantities.numbers import find_numbers

ROUNDS: Final = 20
"""One row in so many is taken to be faulty."""
SHARES: Final[Mapping[str, tuple[int, int]]] = {
    "answer: a placeholder": (182, 201),
    "answer: digits that are not read, a number is asked for": (83, 123),
    "answer: digits that are not read, no number is asked for": (27, 86),
    "answer: words, a number is asked for": (54, 58),
    "answer: words, no number is asked for": (30, 546),
    "equations: another value": (212, 212),
    "equations: rounded": (1, 1),
    "formula: another number than the answer": (476, 477),
    "formula: its arithmetic does not hold": (2, 2),
    "question: a second question with figures, the post model agrees": (6, 6),
    "question: a second question with figures, the post model does not": (2, 3),
    "question: a second question with figures, the post model wavers": (9, 9),
    "question: figures between two questions, the post model agrees": (44, 44),
    "question: figures between two questions, the post model does not": (20, 20),
    "question: figures between two questions, the post model wavers": (80, 100),
    "question: no numbers, nor in a solution": (23, 23),
    "question: no numbers, the solution has some": (143, 163),
    "question: the answer is announced": (49, 49),
    "question: the answer stands behind what is asked": (106, 106),
    "row: the same numbers, few words differ, an answer unknown": (3, 3),
    "row: the same numbers, few words differ, another answer": (0, 19),
    "row: the same numbers, few words differ, the same answer": (109, 128),
    "row: the same numbers, some words differ, the same answer": (14, 14),
    "solution: comes to another value, perhaps, answer absent": (54, 54),
    "solution: comes to another value, perhaps, answer inside": (37, 56),
    "solution: comes to another value, surely, answer absent": (10, 10),
    "solution: comes to another value, surely, answer inside": (9, 10),
    "solution: names another option": (11, 11),
    "solution: names the option but comes to another value, perhaps, answer absent": (20, 78),
    "solution: names the option but comes to another value, surely, answer absent": (6, 7),
}
"""By the name of a sign, on how many of the rows that show it it named the fault; a sound row counts 19 times."""
_ROW: Final = "row: the same words and numbers"
CERTAIN: Final[Mapping[str, float]] = {
    f"{_ROW}, the same answer": 0.99,
    f"{_ROW}, another answer": 0.99,
    f"{_ROW}, an answer unknown": 0.99,
    "equations: no solution": 0.99,
    "options: the keyed one stands twice": 0.99,
    "options: another one stands twice": 0.99,
    "answer: yes or no": 0.99,
    "question: proof": 0.89,
    "question: yes_or_no": 0.9,
}
"""Exact checks; and types of questions, by ``wordquarry quality question-types`` (12 of 13 and 4 of 4 are right)."""


SAME: Final = "row: the same words and numbers"
_TOLD: Final = 10
"""Smaller numbers may be written in letters, or left out, in a row that repeats another one."""
_FEW: Final = 0.15
"""Up to this share of words differs in the nearer of the near rows."""
Problems = Mapping[str, GoldProblem]


def repeated_in(corpus: Corpus) -> dict[str, Sign]:
    """The rows that repeat an earlier one, by problem id; of several the nearest is shown.

    Rows are compared by the rule for leaks (``contamination``), but only those that have the same numbers from
    10 on, and of rows with one text only the first, so that one wording with many numbers, or a thousand copies, take
    no longer than other texts.
    """
    problems = {one.problem_id: one for one in corpus.problems}
    order = {problem_id: place for place, problem_id in enumerate(problems)}
    firsts: dict[str, Item] = {}
    blocks: dict[tuple[Fraction, ...], list[Item]] = {}
    leaks = []
    for item in items_of(corpus.problems):
        text = " ".join(item.text.casefold().split())
        first = firsts.setdefault(text, item)
        if first is item:
            numbers = sorted(one.value for one in find_numbers(item.text) if one.value >= _TOLD)
            blocks.setdefault(tuple(numbers), []).append(item)
        elif text:
            leaks.append(Leak(item.item_id, corpus.name, first.item_id, LeakKind.EXACT, 0, item.text, first.text))
    for block in blocks.values():
        found = find_leaks(block, {corpus.name: block}, SHARE).leaks if len(block) > 1 else ()
        leaks += [leak for leak in found if order[leak.benchmark_id] < order[leak.problem_id]]
    return _nearest(leaks, FaultKind.DUPLICATE, problems, {corpus.name: problems})


def of_benchmarks(corpus: Corpus, benchmarks: Sequence[Corpus]) -> dict[str, Sign]:
    """The rows that a benchmark holds, by problem id; of several matches the nearest is shown."""
    leaks = find_leaks(items_of(corpus.problems), {one.name: items_of(one.problems) for one in benchmarks}, SHARE).leaks
    theirs = {one.name: {problem.problem_id: problem for problem in one.problems} for one in benchmarks}
    return _nearest(leaks, FaultKind.IN_BENCHMARK, {one.problem_id: one for one in corpus.problems}, theirs)


def _nearest(
    leaks: Sequence[Leak], kind: FaultKind, problems: Problems, theirs: Mapping[str, Problems]
) -> dict[str, Sign]:
    """The sign of each row with a match that is no other question about the same story."""
    found = {}
    for leak in sorted(leaks, key=lambda leak: -leak.edits):
        if leak.kind is not LeakKind.STORY:
            other = theirs[leak.benchmark][leak.benchmark_id]
            name = f"{_how(leak)}, {_same_answer(problems[leak.problem_id], other)}"
            shown = f"{leak.benchmark} {leak.benchmark_id}: {' '.join(leak.benchmark_text.split())}"
            found[leak.problem_id] = Sign(kind, name, "question", shown[:MAX_EVIDENCE])
    return found


def _how(leak: Leak) -> str:
    if not leak.edits:
        return SAME
    few = leak.edits <= _FEW * len(leak.benchmark_text.split())
    return f"row: the same numbers, {'few' if few else 'some'} words differ"


def _same_answer(one: GoldProblem, other: GoldProblem) -> str:
    golds = golds_of(one), golds_of(other)
    if not all(golds):
        return "an answer unknown"
    return "the same answer" if any(same_set(a, b) for a in golds[0] for b in golds[1]) else "another answer"


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
