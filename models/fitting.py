"""Fitting the two rankings and the confidence of the answer model from labelled threads that are read already."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from models.exact import Matrix
from models.features import (
    LOCAL_NAMES,
    THREAD_NAMES,
    ReadThread,
    Solved,
    analyse_thread,
    contenders,
    read_thread,
    thread_rows,
)
from models.gold_values import gold_values, same_answer
from models.hypotheses import NAMES, SIGNS, Scored, evidence_rows, hypotheses, scored
from models.label_split import LabelledThread
from models.logistic import Logistic, fit_logistic
from models.optimum import Bounds
from models.ranking_svm import fit_ranking
from models.validation import fold_of

SHRINKAGE = 1.0
INTERCEPT_SHRINKAGE = 0.01


SolveThread = Callable[[str, Sequence[str]], Solved]
"""Question and answers -> what the equations of the thread come to."""


def no_solutions(_question: str, _answers: Sequence[str]) -> Solved:
    """A Solve for callers that have no equations."""
    return Solved()


@dataclass(frozen=True)
class Example:
    """A labelled thread, read in full and with answers left out.

    ``variants`` are the thread without one answer each, and each answer alone: threads as they might have been, in
    which the right answer is often missing. They teach the confidence what a wrong answer looks like alone.
    """

    thread: LabelledThread
    gold: tuple[Fraction, ...]
    full: ReadThread
    variants: tuple[ReadThread, ...]

    def right(self, read: ReadThread, candidate: int) -> bool:
        """Whether a candidate of one of the readings is the gold answer."""
        return self._right[id(read)][candidate]

    @cached_property
    def _right(self) -> dict[int, list[bool]]:
        """The same of all candidates, by the identity of the reading: each fit asks again."""
        return {
            id(read): [
                same_answer([read.found.values[index] for index in candidate.values], self.gold)
                for candidate in read.found.candidates
            ]
            for read in (self.full, *self.variants)
        }


def example(thread: LabelledThread, solve: SolveThread, *, variants: bool = True) -> Example | None:
    """A thread ready for fitting, None without a numeric gold answer."""
    gold = gold_values(thread.label.gold_answer or ())
    if gold is None or not thread.label.in_scope:
        return None
    count = len(thread.answers)
    chosen = [[other for other in range(count) if other != left_out] for left_out in range(count)] if count > 1 else []
    chosen += [[single] for single in range(count)] if count > 2 else []

    def read(answers: Sequence[str]) -> ReadThread:
        return read_thread(thread.question, answers, solve(thread.question, answers))

    known: dict[bytes, Matrix] = {}
    full = _sharing(read(thread.answers), known)
    parts = (_sharing(read([thread.answers[place] for place in places]), known) for places in chosen)
    return Example(thread, gold, full, tuple(parts) if variants else ())


def _sharing(read: ReadThread, known: dict[bytes, Matrix]) -> ReadThread:
    """The reading with rows of features that an earlier reading of the thread has as well held once for both.

    Most of what a reading with answers left out takes in memory are the rows of the answers that stay.
    """
    tables = (replace(table, rows=known.setdefault(table.rows.tobytes(), table.rows.copy())) for table in read.tables)
    return replace(read, tables=tuple(tables))


@dataclass(frozen=True)
class Weights:
    """The weights of both rankings."""

    local: Matrix
    thread: Matrix


@dataclass(frozen=True)
class Used:
    """Which features a fit may use: 1 for each that it may, 0 for the others, local and over the thread."""

    local: Matrix
    thread: Matrix


EVERY = Used(np.ones(len(LOCAL_NAMES)), np.ones(len(THREAD_NAMES)))


def fit_weights(examples: Sequence[Example], c: float, used: Used = EVERY) -> Weights:
    """Fit the ranking within answers, then the ranking over threads on what it makes of them."""
    within = []
    for item in examples:
        for table in item.full.tables:
            right = np.array([item.right(item.full, candidate) for candidate in table.candidates], dtype=bool)
            within.append((table.rows * used.local, right))
    local = fit_ranking(within, c)
    over = []
    for item in examples:
        for read in (item.full, *item.variants):
            view = analyse_thread(read, local)
            chosen = contenders(view)
            right = np.array([item.right(read, candidate) for candidate in chosen], dtype=bool)
            over.append((thread_rows(view, chosen) * used.thread, right))
    return Weights(local, fit_ranking(over, c))


class Choice(NamedTuple):
    """The likeliest hypothesis of a reading: how likely it is, whether it is right, and has as many values as gold.

    ``found`` is False where the thread offers no candidate; such a choice is never right.
    """

    post_id: str
    confidence: float
    right: bool = False
    dimension: bool = False
    found: bool = True


@dataclass(frozen=True)
class Judged:
    """The hypotheses of one reading, as the ranking orders them: their evidence, which are right, which have as many
    values as the gold answer; and the weight of the reading."""

    post_id: str
    evidence: Matrix
    right: tuple[bool, ...]
    dimension: tuple[bool, ...]
    weight: float
    full: bool

    @property
    def first_right(self) -> bool:
        """Whether the first candidate of the ranking is right."""
        return self.right[:1] == (True,)


def judge(item: Example, weights: Weights) -> list[Judged]:
    """Every reading of an example under weights fitted without it; the variants together weigh as much as the whole."""
    readings = [(item.full, 1.0)] + [(read, 1 / len(item.variants)) for read in item.variants]
    return [_judged(item, read, scored(read, weights.local, weights.thread), weight) for read, weight in readings]


def _judged(item: Example, read: ReadThread, found: Scored, weight: float) -> Judged:
    offered = hypotheses(found)
    right = tuple(item.right(read, one.candidate) for one in offered)
    dimension = tuple(one.size == len(item.gold) for one in offered)
    return Judged(item.thread.post_id, evidence_rows(offered), right, dimension, weight, read is item.full)


def out_of_fold(examples: Sequence[Example], c: float, folds: int, used: Used = EVERY) -> list[Judged]:
    """Every example judged by weights fitted on the other folds."""
    places = [fold_of(item.thread, folds) for item in examples]
    judged: list[Judged] = []
    for fold in range(folds):
        rest = [item for item, place in zip(examples, places, strict=True) if place != fold]
        held = [item for item, place in zip(examples, places, strict=True) if place == fold]
        if held:
            weights = fit_weights(rest, c, used)
            judged += [row for item in held for row in judge(item, weights)]
    return judged


def judged_by_others(examples: Sequence[Example], teachers: Sequence[Example], c: float, folds: int) -> list[Judged]:
    """Every whole thread of ``examples`` judged by rankings fitted on the ``teachers`` of the other folds."""
    judged: list[Judged] = []
    for fold in range(folds):
        weights = fit_weights([item for item in teachers if fold_of(item.thread, folds) != fold], c)
        held = [item for item in examples if fold_of(item.thread, folds) == fold]
        judged += [row for item in held for row in judge(item, weights) if row.full]
    return judged


@dataclass(frozen=True)
class Confidence:
    """The logistic function from the evidence of a hypothesis to the probability of being the answer."""

    head: Logistic

    def of(self, row: Judged) -> Choice:
        """The likeliest hypothesis of a reading, the first of equals."""
        if not row.right:
            return Choice(row.post_id, 0.0, found=False)
        chances = self.head.probability(row.evidence)
        best = int(np.argmax(chances))
        return Choice(row.post_id, float(chances[best]), row.right[best], row.dimension[best])


def fit_confidence(judged: Sequence[Judged]) -> Confidence:
    """Fit the confidence on out-of-fold readings, as in Platt's method, with evidence in place of one score.

    Each weight keeps the sign that its evidence has by meaning: what happens to go along with wrong answers on one site
    must not make agreement count against an answer on another. The pull on the intercept keeps it finite where all
    readings are right; without any, the confidence is that of an even chance.
    """
    matrix = np.vstack([np.zeros((0, len(NAMES))), *(row.evidence for row in judged)])
    importance = np.concatenate([np.zeros(0), *(np.full(len(row.right), row.weight) for row in judged)])
    right = [one for row in judged for one in row.right]
    pull = np.array([*(SHRINKAGE for _ in NAMES), INTERCEPT_SHRINKAGE])
    least = np.array([*(0.0 if sign > 0 else -np.inf for sign in SIGNS), -20.0])
    most = np.array([*(0.0 if sign < 0 else np.inf for sign in SIGNS), 20.0])
    return Confidence(fit_logistic(matrix, right, importance, pull, Bounds(least, most)))
