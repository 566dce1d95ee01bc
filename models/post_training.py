"""Training of the post model from labelled threads, with out-of-fold scores beside floor rows."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # no stubs are published

from corpus.errors import InputError
from corpus.records import ScopeOutcome
from models.exact import Matrix, log, on_grid, total
from models.label_split import OUTCOMES, LabelledThread
from models.logistic import Logistic, Softmax, fit_logistic, fit_softmax
from models.optimum import Bounds
from models.post_features import STRUCTURE_NAMES, analyse_post, structure
from models.post_model import BUCKETS, LEAST_SHARE, PostModel, hashed
from models.validation import Report, ValidationRow, data_digest, fold_of

Flags = NDArray[np.bool_]
FOLDS = 5
MIN_LABELS = 10
COST = 3.0
WANTED_PRECISION = 0.92
FREE = Bounds(np.full(2, -np.inf), np.full(2, np.inf))
WIDTH = len(STRUCTURE_NAMES) + BUCKETS


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
class _Rows:
    """Readings of threads: each as it is, and once more without its answers, half the weight each.

    A post of which only the question is known must not count as nonsense because nobody has answered yet.
    """

    features: csr_matrix
    outcomes: NDArray[np.intp]
    weights: Matrix
    threads: NDArray[np.intp]
    whole: Flags

    def part(self, chosen: Flags) -> "_Rows":
        """Some of the readings."""
        return _Rows(
            self.features[chosen],
            self.outcomes[chosen],
            self.weights[chosen],
            self.threads[chosen],
            self.whole[chosen],
        )


def _read(threads: Sequence[LabelledThread]) -> _Rows:
    places, values, ends = list[NDArray[np.intp]](), list[Matrix](), [0]
    kinds, weights, sources, whole = list[int](), list[float](), list[int](), list[bool]()
    first = np.arange(len(STRUCTURE_NAMES), dtype=np.intp)
    for number, thread in enumerate(threads):
        readings = [thread.answers, ()] if thread.answers else [()]
        for answers in readings:
            view = analyse_post(thread.question, answers)
            held, found = hashed(view)
            places += [first, held + len(STRUCTURE_NAMES)]
            values += [structure(view), found]
            ends.append(ends[-1] + len(first) + len(held))
            kinds.append(OUTCOMES.index(thread.label.scope_reason))
            weights.append(1 / len(readings))
            sources.append(number)
            whole.append(answers == thread.answers)
    matrix = csr_matrix((np.concatenate(values), np.concatenate(places), ends), shape=(len(kinds), WIDTH))
    return _Rows(matrix, np.array(kinds), np.array(weights), np.array(sources), np.array(whole))


def _fit(rows: _Rows, c: float) -> Softmax:
    """Fit with outcomes of equal weight; outcomes without examples get no chance."""
    totals = np.bincount(rows.outcomes, rows.weights, len(OUTCOMES))
    importance = rows.weights * (total(rows.weights) / np.count_nonzero(totals)) / totals[rows.outcomes]
    return fit_softmax(rows.features, rows.outcomes, importance, len(OUTCOMES), c)


def _platt(odds: Matrix, rows: _Rows) -> Logistic:
    """The calibration of log odds of ok on readings that the regression was not fitted on."""
    return fit_logistic(odds, rows.outcomes == 0, rows.weights, np.array([1.0, 0.0]), FREE)


def train_posts(
    threads: Sequence[LabelledThread], c: float = COST, source: str = "labels", decisive: Set[str] = frozenset()
) -> TrainedPosts:
    """Fit the post model; InputError for fewer than 10 labels or labels of one kind only.

    ``decisive`` are the ids of the posts on which the threshold is chosen, out of fold; without them all are. The
    result does not depend on the order of ``threads``.
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
    rows = _read(threads)
    shares = _held_out_shares(threads, rows, c)
    ok = np.clip(shares[:, 0], LEAST_SHARE, 1 - LEAST_SHARE)
    odds = on_grid(log(ok / (1 - ok)))[:, None]
    platt = _platt(odds, rows)
    fitted = _fit(rows, c)
    probabilities = platt.probability(odds)
    chosen = np.array([thread.post_id in decisive for thread in threads]) if decisive else np.ones(len(threads), bool)
    deciding = rows.whole & chosen[rows.threads]
    threshold = choose_threshold(probabilities[deciding], rows.outcomes[deciding] == 0)
    width = len(STRUCTURE_NAMES)
    signature = f"posts:3|folds:{FOLDS}|c:{c:g}|data:{data_digest(threads)}"
    model = PostModel(
        structure={name: tuple(fitted.weights[:, place].tolist()) for place, name in enumerate(STRUCTURE_NAMES)},
        grams=tuple(tuple(row) for row in fitted.weights[:, width:].tolist()),
        intercepts=tuple(fitted.intercepts.tolist()),
        slope=float(platt.weights[0]),
        offset=platt.intercept,
        threshold=threshold,
        notes={"signature": signature, "source": source, "labels": str(len(threads))},
    )
    held_out = tuple(
        HeldOut(
            threads[rows.threads[row]],
            float(probabilities[row]),
            ScopeOutcome.OK if probabilities[row] >= threshold else OUTCOMES[1 + int(np.argmax(shares[row, 1:]))],
        )
        for row in np.flatnonzero(rows.whole)
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


def _held_out_shares(threads: Sequence[LabelledThread], rows: _Rows, c: float) -> Matrix:
    places = np.array([fold_of(thread, FOLDS) for thread in threads])[rows.threads]
    shares = np.full((len(places), len(OUTCOMES)), 1 / len(OUTCOMES))
    for fold in range(FOLDS):
        rest, held = places != fold, places == fold
        if held.any() and len(set(rows.outcomes[rest].tolist())) > 1:
            shares[held] = _fit(rows.part(rest), c).shares(rows.features[held])
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
