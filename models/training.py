"""Training of the answer model from labelled threads, with out-of-fold scores beside floor rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # no stubs are published

from corpus.errors import InputError
from models.answers import AnswerModel
from models.confidence import EVIDENCE_NAMES
from models.features import LOCAL_NAMES, THREAD_NAMES
from models.fitting import (
    Example,
    Judged,
    Solve,
    example,
    fit_confidence,
    fit_weights,
    no_solutions,
    out_of_fold,
)
from models.floors import answer_floors
from models.labels import LabelledThread
from models.validation import Report, Row, data_digest, fold_of, wilson

FOLDS = 5
COSTS = (0.1, 0.3, 1.0)
MIN_LABELS = 10
WANTED_PRECISION = 0.95


@dataclass(frozen=True)
class TrainedAnswers:
    """A fitted answer model and its out-of-fold scores."""

    model: AnswerModel
    report: Report


def _enough(count: int, what: str) -> None:
    if count < MIN_LABELS:
        raise InputError(f"{count} labels with {what}; at least {MIN_LABELS} are needed to fit a model, add labels")


def train_answers(
    threads: Sequence[LabelledThread],
    solve: Solve = no_solutions,
    wanted: float = WANTED_PRECISION,
    source: str = "labels",
) -> TrainedAnswers:
    """Fit the answer model on threads with a numeric gold answer; InputError for fewer than 10.

    ``solve`` gives the solutions a thread's equations agree on, as at run time. C is chosen by cross-validation over
    threads, on the folds whose scores the report shows; confidence and threshold of a reported fold come from the other
    folds. The result does not depend on the order of ``threads``.
    """
    with threadpool_limits(1):
        return _train_answers(sorted(threads, key=lambda thread: thread.post_id), solve, wanted, source)


def _train_answers(threads: Sequence[LabelledThread], solve: Solve, wanted: float, source: str) -> TrainedAnswers:
    found = (example(thread, solve) for thread in threads)
    examples = [item for item in found if item is not None]
    _enough(len(examples), "a numeric gold answer")
    c, judged = _choose_cost(examples)
    confidence = fit_confidence(judged)
    threshold, rule = choose_threshold([(confidence.of(row), row) for row in judged], wanted)
    weights = fit_weights(examples, c)
    signature = f"answers:1|folds:{FOLDS}|c:{c:g}|wanted:{wanted:g}|data:{data_digest(threads)}"
    model = AnswerModel(
        local=dict(zip(LOCAL_NAMES, weights.local.tolist(), strict=True)),
        weights=dict(zip(THREAD_NAMES, weights.thread.tolist(), strict=True)),
        confidence=dict(zip(EVIDENCE_NAMES, confidence.weights.tolist(), strict=True)),
        intercept=confidence.intercept,
        threshold=threshold,
        notes={"signature": signature, "source": source, "labels": str(len(examples)), "threshold": rule},
    )
    return TrainedAnswers(model, _answer_report(examples, judged, signature, wanted))


def _choose_cost(examples: Sequence[Example]) -> tuple[float, list[Judged]]:
    """The smallest C whose share of right first candidates is within a standard error of the best, with its readings.

    The smaller C leans less on what is peculiar to the site of the labels.
    """
    tried = [(c, out_of_fold(examples, c, FOLDS)) for c in COSTS]
    shares = [sum(row.right for row in judged if row.full) / len(examples) for _, judged in tried]
    best = max(shares)
    error = sqrt(best * (1 - best) / len(examples))
    return next(pair for pair, share in zip(tried, shares, strict=True) if share >= best - error)


def choose_threshold(judged: Sequence[tuple[float, Judged]], wanted: float) -> tuple[float, str]:
    """The lowest confidence, 0.5 or more, at which precision is as wanted, and the rule in words.

    Of the out-of-fold threads, everything from the threshold on must be right in the wanted share, with a Wilson lower
    bound of no less than 7 points below it (with a few hundred threads the bound itself cannot reach 95 %); and of the
    readings with answers left out, where right answers are scarce as on a poorer site, no less than 2 points below it.
    """
    whole = [(score, row.right) for score, row in judged if row.full]
    parts = [(score, row.right) for score, row in judged if not row.full]
    rule = (
        f"precision {wanted:g} and Wilson lower bound {wanted - 0.07:g} on {len(whole)} out-of-fold threads, "
        f"precision {wanted - 0.02:g} on {len(parts)} readings with answers left out"
    )
    steps = [round(0.5 + place / 200, 3) for place in range(100)]
    best = _lowest(steps, [(whole, wanted, wanted - 0.07), (parts, wanted - 0.02, 0.0)])
    return (0.95, f"0.95 as a fixed value: no threshold reaches {rule}") if best is None else (best, rule)


def _lowest(steps: Sequence[float], demands: Sequence[tuple[list[tuple[float, bool]], float, float]]) -> float | None:
    """The lowest step at which every demand (scores, precision, lower bound) is met by what scores so high."""

    def met(step: float, scores: list[tuple[float, bool]], precision: float, bound: float) -> bool:
        kept = [right for score, right in scores if score >= step]
        return sum(kept) >= precision * len(kept) and (not bound or wilson(sum(kept), len(kept))[0] >= bound)

    return next((step for step in steps if all(met(step, *demand) for demand in demands)), None)


def _answer_report(examples: Sequence[Example], judged: Sequence[Judged], signature: str, wanted: float) -> Report:
    rows = nested_rows(judged, {item.thread.post_id: fold_of(item.thread, FOLDS) for item in examples}, wanted)
    return Report("answers, out of fold", (*rows, *answer_floors(examples)), signature)


def nested_rows(judged: Sequence[Judged], fold: dict[str, int], wanted: float) -> tuple[Row, ...]:
    """Scores with confidence and threshold fitted on the other folds, too."""
    hits = returned = first = total = 0
    for place in range(FOLDS):
        held = [row for row in judged if row.full and fold[row.post_id] == place]
        if not held:
            continue
        rest = [row for row in judged if fold[row.post_id] != place]
        confidence = fit_confidence(rest)
        threshold, _ = choose_threshold([(confidence.of(row), row) for row in rest], wanted)
        kept = [row for row in held if confidence.of(row) >= threshold]
        hits += sum(row.right for row in kept)
        returned += len(kept)
        first += sum(row.right for row in held)
        total += len(held)
    return (
        Row("ranking SVM above the threshold", hits, returned, total),
        Row("ranking SVM, always the first", first, total, total),
    )
