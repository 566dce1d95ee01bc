"""Fitting the two rankings and the confidence of the answer model from labelled threads that are read already."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from models.answers import Scored, scored
from models.confidence import AGAINST, EVIDENCE_NAMES, WHOLE, evidence
from models.features import Matrix, ReadThread, contenders, read_thread, thread_rows, thread_view
from models.labels import LabelledThread
from models.ranking_svm import fit_ranking
from models.truth import gold_values, same_answer
from models.validation import fold_of

SHRINKAGE = 1.0


@dataclass(frozen=True)
class Solved:
    """Solutions as values in strings: those a thread's equations agree on, and those of each answer's own equations."""

    agreed: Sequence[Sequence[str]] = ()
    own: Mapping[int, Sequence[Sequence[str]]] = field(default_factory=dict)


Solve = Callable[[str, Sequence[str]], Solved]
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
        """Whether a candidate of one reading is the gold answer."""
        values = [read.found.values[index] for index in read.found.candidates[candidate].values]
        return same_answer(values, self.gold)


def example(thread: LabelledThread, solve: Solve, *, variants: bool = True) -> Example | None:
    """A thread ready for fitting, None without a numeric gold answer."""
    gold = gold_values(thread.label.gold_answer or ())
    if gold is None or not thread.label.in_scope:
        return None
    count = len(thread.answers)
    chosen = [[other for other in range(count) if other != left_out] for left_out in range(count)] if count > 1 else []
    chosen += [[single] for single in range(count)] if count > 2 else []

    def read(answers: Sequence[str]) -> ReadThread:
        solved = solve(thread.question, answers)
        return read_thread(thread.question, answers, solved.agreed, solved.own)

    parts = tuple(read([thread.answers[place] for place in places]) for places in chosen) if variants else ()
    return Example(thread, gold, read(thread.answers), parts)


@dataclass(frozen=True)
class Weights:
    """The weights of both rankings."""

    local: Matrix
    thread: Matrix


def fit_weights(examples: Sequence[Example], c: float) -> Weights:
    """Fit the ranking within answers, then the ranking over threads on what it makes of them."""
    within = []
    for item in examples:
        for table in item.full.tables:
            right = np.array([item.right(item.full, candidate) for candidate in table.candidates], dtype=bool)
            within.append((table.rows, right))
    local = fit_ranking(within, c)
    over = []
    for item in examples:
        for read in (item.full, *item.variants):
            view = thread_view(read, local)
            chosen = contenders(view)
            right = np.array([item.right(read, candidate) for candidate in chosen], dtype=bool)
            over.append((thread_rows(view, chosen), right))
    return Weights(local, fit_ranking(over, c))


@dataclass(frozen=True)
class Judged:
    """The first candidate of one reading: its evidence (None without candidates), whether it is right, its weight."""

    post_id: str
    evidence: Matrix | None
    right: bool
    weight: float
    full: bool


def judge(item: Example, weights: Weights) -> list[Judged]:
    """Every reading of an example under weights fitted without it; the variants together weigh as much as the whole."""
    readings = [(item.full, 1.0)] + [(read, 1 / len(item.variants)) for read in item.variants]
    return [_judged(item, read, scored(read, weights.local, weights.thread), weight) for read, weight in readings]


def _judged(item: Example, read: ReadThread, found: Scored, weight: float) -> Judged:
    full = read is item.full
    if not found.order:
        return Judged(item.thread.post_id, None, False, weight, full)
    row = evidence(found.view, found.order, found.scores)
    return Judged(item.thread.post_id, row, item.right(read, found.order[0]), weight, full)


def out_of_fold(examples: Sequence[Example], c: float, folds: int) -> list[Judged]:
    """Every example judged by weights fitted on the other folds."""
    places = [fold_of(item.thread, folds) for item in examples]
    judged: list[Judged] = []
    for fold in range(folds):
        rest = [item for item, place in zip(examples, places, strict=True) if place != fold]
        held = [item for item, place in zip(examples, places, strict=True) if place == fold]
        if held:
            weights = fit_weights(rest, c)
            judged += [row for item in held for row in judge(item, weights)]
    return judged


@dataclass(frozen=True)
class Confidence:
    """The logistic function from evidence to the probability of being right."""

    weights: Matrix
    intercept: float

    def of(self, row: Judged) -> float:
        """The confidence of a judged reading, 0 where there was no candidate."""
        if row.evidence is None:
            return 0.0
        return float(1 / (1 + np.exp(-(row.evidence @ self.weights + self.intercept))))


def fit_confidence(judged: Sequence[Judged]) -> Confidence:
    """Fit the confidence on out-of-fold readings: logistic, as in Platt's method, with evidence in place of one score.

    Each weight keeps the sign that its evidence has by meaning: what happens to go along with wrong answers on one site
    must not make agreement count against an answer on another.
    """
    rows = [row for row in judged if row.evidence is not None]
    matrix = np.array([row.evidence for row in rows]).reshape(len(rows), len(EVIDENCE_NAMES))
    signs = np.array([1.0 if row.right else -1.0 for row in rows])
    importance = np.array([row.weight for row in rows])

    def loss(theta: Matrix) -> tuple[float, Matrix]:
        weights, margins = theta[:-1], signs * (matrix @ theta[:-1] + theta[-1])
        slopes = -importance * signs * expit(-margins)
        value = float(importance @ np.logaddexp(0.0, -margins) + SHRINKAGE * weights @ weights / 2)
        return value, np.append(matrix.T @ slopes + SHRINKAGE * weights, slopes.sum())

    fixed = dict.fromkeys(WHOLE, (1.0, 1.0)) | dict.fromkeys(AGAINST, (None, 0.0))
    bounds = [fixed.get(name, (0.0, None)) for name in EVIDENCE_NAMES]
    start = np.array([*(float(name in WHOLE) for name in EVIDENCE_NAMES), 0.0])
    options = {"maxiter": 5_000, "ftol": 1e-14, "gtol": 1e-10}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[*bounds, (-20.0, 20.0)], options=options)
    return Confidence(found.x[:-1], float(found.x[-1]))
