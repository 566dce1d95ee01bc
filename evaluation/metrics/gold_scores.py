"""Scores against gold, on plain sequences: they serve a version, one stage's output, and a floor row alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from evaluation.metrics.proportions import Proportion, f1_interval, interval_text, rounded
from evaluation.metrics.value_matching import contains, same_set
from evaluation.table_text import aligned, markdown_frame
from extractors.answers.parsing import Alternatives
from extractors.real_numbers.values import Value


@dataclass(frozen=True)
class ScopeScore:
    """Post classification with "in scope" as the positive class, over ``n`` labelled posts."""

    hits: int
    false_alarms: int
    misses: int
    n: int

    @property
    def precision(self) -> Proportion:
        """Of the posts let through, the share that is in scope."""
        return Proportion(self.hits, self.hits + self.false_alarms)

    @property
    def recall(self) -> Proportion:
        """Of the posts in scope, the share let through."""
        return Proportion(self.hits, self.hits + self.misses)

    @property
    def f1(self) -> tuple[float | None, float, float]:
        """F1 and the ends of its interval."""
        return f1_interval(self.hits, self.false_alarms, self.misses)

    def cells(self) -> dict[str, str]:
        """The score as the cells of a table."""
        value, low, high = self.f1
        f1 = interval_text(value, low, high, self.n)
        return {"precision": str(self.precision), "recall": str(self.recall), "F1": f1}

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        scores = {"precision": self.precision.as_dict(), "recall": self.recall.as_dict()}
        return {**scores, "f1": rounded(*self.f1), "n": self.n}


def score_scope(predicted: Sequence[bool], gold: Sequence[bool]) -> ScopeScore:
    """Compare predictions with gold, pair by pair.

    >>> str(score_scope([True, True, False], [True, False, True]).precision)
    '50.0 % [9.5, 90.5] (n=2)'
    """
    pairs = list(zip(predicted, gold, strict=True))
    return ScopeScore(pairs.count((True, True)), pairs.count((True, False)), pairs.count((False, True)), len(pairs))


@dataclass(frozen=True)
class AnswerScore:
    """Answers (or solutions) against gold answers.

    ``precision``: of what was returned, right; what was returned for a thread without a gold answer, out of scope for
    instance, counts as wrong. ``contained``: all gold values returned, perhaps among others. ``coverage``: of the
    threads with a gold answer, those for which something was returned. ``found``: of the same threads, right ones.
    """

    precision: Proportion
    contained: Proportion
    coverage: Proportion
    found: Proportion

    def cells(self) -> dict[str, str]:
        """The score as the cells of a table."""
        return {
            "precision": str(self.precision),
            "gold contained": str(self.contained),
            "coverage": str(self.coverage),
            "right of all": str(self.found),
        }

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {each.name: getattr(self, each.name).as_dict() for each in fields(self)}


def _score(judged: Sequence[tuple[bool, bool, bool, bool]]) -> AnswerScore:
    """From (has gold, returned, right, contained) of each thread; what is right was returned, and has gold."""
    return AnswerScore(
        precision=Proportion.of(right for _, given, right, _ in judged if given),
        contained=Proportion.of(held for _, given, _, held in judged if given),
        coverage=Proportion.of(given for gold, given, _, _ in judged if gold),
        found=Proportion.of(right for gold, _, right, _ in judged if gold),
    )


def score_answers(returned: Sequence[Sequence[Value] | None], gold: Sequence[Alternatives | None]) -> AnswerScore:
    """Answers against gold; right is all gold values and nothing else, in any order (``value_matching``).

    ``None`` among ``returned`` is an abstention, among ``gold`` a thread that has no answer to be found.
    """
    judged = []
    for values, alternatives in zip(returned, gold, strict=True):
        right = values is not None and any(same_set(values, wanted) for wanted in alternatives or ())
        held = values is not None and any(contains(values, wanted) for wanted in alternatives or ())
        judged.append((alternatives is not None, values is not None, right, held))
    return _score(judged)


def score_equations(
    solutions: Sequence[Sequence[Sequence[Value]] | None], gold: Sequence[Alternatives | None]
) -> AnswerScore:
    """Systems against gold: right if the gold answer is a subset of one solution (Dolphin18K, section 3.3).

    ``solutions`` holds, for each thread, the solutions of the system returned, or None where none was.
    """
    judged = []
    for found, alternatives in zip(solutions, gold, strict=True):
        right = any(contains(values, wanted) for values in found or () for wanted in alternatives or ())
        judged.append((alternatives is not None, found is not None, right, right))
    return _score(judged)


@dataclass(frozen=True)
class QualityRow:
    """One row of a quality table: what was measured, on which system, and the score."""

    part: str
    system: str
    score: ScopeScore | AnswerScore

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"part": self.part, "system": self.system, **self.score.as_dict()}


@dataclass(frozen=True)
class QualityReport:
    """Quality tables with what they rest on: a signature, and notes such as labels that met no post."""

    title: str
    rows: tuple[QualityRow, ...]
    signature: str
    notes: tuple[str, ...] = ()

    def tables(self) -> dict[str, pd.DataFrame]:
        """A table for each part: a row for each system, cells as text."""
        parts = dict.fromkeys(row.part for row in self.rows)
        return {
            part: pd.DataFrame([{"system": row.system, **row.score.cells()} for row in self.rows if row.part == part])
            for part in parts
        }

    def markdown(self) -> str:
        """The tables in Markdown."""
        tables = [markdown_frame(frame, part) for part, frame in self.tables().items()]
        return "\n".join([f"### {self.title}", "", *tables, f"Signature: `{self.signature}`", *self.notes, ""])

    def text(self) -> str:
        """The tables in plain lines."""
        lines = [self.title]
        for part, frame in self.tables().items():
            lines += ["", part, *aligned([[str(name) for name in frame], *frame.to_numpy()])]
        return "\n".join([*lines, "", f"signature {self.signature}", *self.notes])

    def as_dict(self) -> Mapping[str, Any]:
        """Plain data."""
        rows = [row.as_dict() for row in self.rows]
        return {"title": self.title, "rows": rows, "signature": self.signature, "notes": list(self.notes)}
