"""Training of the post model from labelled threads, with out-of-fold scores beside floor rows."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # no stubs are published

from corpus.errors import InputError
from corpus.records import ScopeOutcome
from models.fits import fit_logistic, fit_softmax
from models.label_split import OUTCOMES, LabelledThread, Report, ValidationRow, data_digest, fold_of
from models.linear import Flags, Matrix, Softmax, on_grid
from models.post_model import BLOCKS, COUNTS, LEAST_SHARE, PostModel, ReadPost, Vocabulary, matrix_of, read_post, row_of

FOLDS: Final = 5
MIN_LABELS: Final = 10
COST: Final = 1.0
COUNTS_SPREAD: Final = 0.35
"""What a count varies by in the fit, beside terms whose rows have length 1."""
CALIBRATION_COST: Final = 100.0
WANTED_PRECISION: Final = 0.9
BESIDE: Final = 0.3
"""What a thread counts that is not decisive: what we wrote is easier than what people post."""


@dataclass(frozen=True)
class TrainedPosts:
    """A fitted post model and its out-of-fold scores."""

    model: PostModel
    report: Report
    held_out: tuple["HeldOut", ...]


@dataclass(frozen=True)
class HeldOut:
    """A thread judged by a model that was fitted without it and without its asker."""

    thread: LabelledThread
    probability: float
    outcome: ScopeOutcome


@dataclass(frozen=True)
class _Reading:
    """A thread as it is, or once more without its answers, each with half of the thread's weight.

    A post of which only the question is known must not count as nonsense because nobody has answered yet.
    """

    post: ReadPost
    thread: LabelledThread
    weight: float
    whole: bool

    @property
    def outcome(self) -> int:
        """The place of its outcome among OUTCOMES."""
        return OUTCOMES.index(self.thread.label.scope_reason)


def _read(thread: LabelledThread, weight: float) -> list[_Reading]:
    readings = [thread.answers, ()] if thread.answers else [()]
    return [
        _Reading(read_post(thread.question, answers), thread, weight / len(readings), answers == thread.answers)
        for answers in readings
    ]


def _fit(readings: Sequence[_Reading], c: float) -> tuple[tuple[Vocabulary, ...], Softmax]:
    """The terms that are frequent enough in whole threads, and the regression on them and on the counts."""
    whole = [reading.post.terms for reading in readings if reading.whole]
    least = BLOCKS.values()
    known = tuple(Vocabulary.of([terms[place] for terms in whole], most) for place, most in enumerate(least))
    outcomes = np.array([reading.outcome for reading in readings], dtype=np.intp)
    importance = np.array([reading.weight for reading in readings])
    rows = matrix_of([row_of(reading.post, known) for reading in readings], _width(known))
    spread = rows[:, : len(COUNTS)].toarray()[[reading.whole for reading in readings]].std(axis=0)
    scale = np.ones(_width(known))
    scale[: len(COUNTS)][spread > 0] = COUNTS_SPREAD / spread[spread > 0]
    fitted = fit_softmax(rows.multiply(scale).tocsr(), outcomes, importance, len(OUTCOMES), c)
    return known, Softmax(on_grid(fitted.weights * scale), fitted.intercepts)


def _width(known: Sequence[Vocabulary]) -> int:
    return len(COUNTS) + sum(len(block.terms) for block in known)


def train_posts(
    threads: Sequence[LabelledThread], c: float = COST, source: str = "labels", decisive: Set[str] = frozenset()
) -> TrainedPosts:
    """Fit the post model; InputError for fewer than 10 labels or labels of one kind only.

    ``decisive`` are the ids of the posts on which probability and threshold are chosen, out of fold, and which count
    more in the fit; without them all are. The result does not depend on the order of ``threads``.
    """
    threads = sorted(threads, key=lambda thread: thread.post_id)
    if len(threads) < MIN_LABELS:
        raise InputError(f"{len(threads)} labels with an outcome; at least {MIN_LABELS} are needed to fit, add labels")
    if len({thread.label.in_scope for thread in threads}) < 2:
        raise InputError(
            "all labels are of one kind; a classifier needs posts in scope and out of scope, add the other"
        )
    with threadpool_limits(1):
        return _train(threads, c, source, decisive)


def _train(threads: Sequence[LabelledThread], c: float, source: str, decisive: Set[str]) -> TrainedPosts:
    decides = np.array([not decisive or thread.post_id in decisive for thread in threads])
    readings = [_read(thread, 1.0 if own else BESIDE) for thread, own in zip(threads, decides, strict=True)]
    shares = _held_out_shares(threads, readings, c)
    ok = np.clip(shares[:, 0], LEAST_SHARE, 1 - LEAST_SHARE)
    odds = on_grid(np.log(ok / (1 - ok)))[:, None]
    in_scope = np.array([thread.label.in_scope for thread in threads])
    platt = fit_logistic(odds[decides], in_scope[decides], np.ones(int(decides.sum())), CALIBRATION_COST)
    probabilities = platt.probability(odds)
    threshold = choose_threshold(probabilities[decides], in_scope[decides])
    known, fitted = _fit([reading for both in readings for reading in both], c)
    signature = f"posts:4|folds:{FOLDS}|c:{c:g}|data:{data_digest(threads)}"
    model = PostModel(
        known=known,
        weights=tuple(map(tuple, fitted.weights.tolist())),
        intercepts=tuple(fitted.intercepts.tolist()),
        slope=float(platt.weights[0]),
        offset=platt.intercept,
        threshold=threshold,
        notes={"signature": signature, "source": source, "labels": str(len(threads))},
    )
    held_out = tuple(
        HeldOut(
            thread,
            float(probability),
            ScopeOutcome.OK if probability >= threshold else OUTCOMES[1 + int(np.argmax(found[1:]))],
        )
        for thread, probability, found in zip(threads, probabilities, shares, strict=True)
    )
    report = Report("posts, out of fold", post_rows(held_out), signature)
    return TrainedPosts(model, report, held_out)


def choose_threshold(probabilities: Matrix, in_scope: Flags, wanted: float = WANTED_PRECISION) -> float:
    """The least probability, from 0.5 to 0.95 in steps of 0.05, from which on the wanted share is in scope.

    The steps are wide so that a handful of labels does not move it. Where none reaches the share, 0.5.
    """
    for step in range(50, 100, 5):
        kept = probabilities >= step / 100
        if kept.any() and in_scope[kept].mean() >= wanted:
            return step / 100
    return 0.5


def _held_out_shares(threads: Sequence[LabelledThread], readings: Sequence[Sequence[_Reading]], c: float) -> Matrix:
    """The shares of OUTCOMES of each whole thread by a regression, and terms, of the other folds."""
    folds: NDArray[np.intp] = np.array([fold_of(thread, FOLDS) for thread in threads])
    shares = np.full((len(threads), len(OUTCOMES)), 1 / len(OUTCOMES))
    for fold in range(FOLDS):
        rest = [reading for both, place in zip(readings, folds, strict=True) if place != fold for reading in both]
        held = np.flatnonzero(folds == fold)
        if len(held) and len({reading.outcome for reading in rest}) > 1:
            known, fitted = _fit(rest, c)
            rows = [row_of(readings[place][0].post, known) for place in held.tolist()]
            shares[held] = fitted.shares(matrix_of(rows, _width(known)))
    return shares


def post_rows(judged: Sequence[HeldOut]) -> tuple[ValidationRow, ...]:
    """Precision and recall of posts kept as one elementary problem, beside keeping everything."""
    kept = [row.outcome is ScopeOutcome.OK for row in judged]
    positives = sum(row.thread.label.in_scope for row in judged)
    hits = sum(keep and row.thread.label.in_scope for keep, row in zip(kept, judged, strict=True))
    return (
        ValidationRow("in scope: precision", hits, sum(kept), len(kept)),
        ValidationRow("in scope: recall", hits, positives, positives),
        ValidationRow("floor: keep everything", positives, len(kept), len(kept)),
    )
