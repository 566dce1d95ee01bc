"""Training of the answer model from labelled threads, with out-of-fold scores beside floor rows.

The rankings learn from the labels given. The confidence and the thresholds may rest on further threads as well
(``others``): how often an answer is right differs from site to site, and one site alone says too little about it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from types import MappingProxyType
from typing import Final

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # no stubs are published

from corpus.errors import InputError
from models.answers import AnswerModel, Head
from models.confidence import EVIDENCE_NAMES, Kind
from models.features import LOCAL_NAMES, THREAD_NAMES
from models.fitting import (
    Confidence,
    Example,
    Judged,
    Solve,
    Weights,
    example,
    fit_confidence,
    fit_weights,
    judge,
    no_solutions,
    out_of_fold,
)
from models.floors import answer_floors
from models.labels import LabelledThread
from models.thresholds import Scores, choose_threshold
from models.validation import Report, Row, data_digest, fold_of

FOLDS = 5
COSTS = (0.1, 0.3, 1.0)
MIN_LABELS = 10
WANTED_PRECISION = 0.95
OTHERS_WEIGHT = 0.4
"""What a thread of another site counts against one of the labels given, in fitting the confidence."""
MAX_THREADS: Final = 8_000
"""Labelled threads that one fit reads: each keeps about 0.4 MiB of feature rows while the rankings are fitted."""
OWN = "labels"
NO_OTHERS: Final[Mapping[str, Sequence[LabelledThread]]] = MappingProxyType({})


@dataclass(frozen=True)
class TrainedAnswers:
    """A fitted answer model and its out-of-fold scores."""

    model: AnswerModel
    report: Report


@dataclass(frozen=True)
class Evidence:
    """Readings judged by rankings that have not seen them, by site (``OWN`` for the labels given), and their folds."""

    judged: Mapping[str, Sequence[Judged]]
    folds: Mapping[str, int]

    def rows(self, left_out: int | None = None) -> dict[str, list[Judged]]:
        """The readings of each site, those of one fold left out."""
        return {
            site: [row for row in rows if self.folds[row.post_id] != left_out] for site, rows in self.judged.items()
        }


@dataclass(frozen=True)
class Calibrated:
    """A confidence and the threshold of each kind of thread."""

    confidence: Confidence
    thresholds: Mapping[Kind, float]
    rules: Mapping[Kind, str]

    def keeps(self, row: Judged) -> bool:
        """Whether a reading is returned."""
        return row.evidence is not None and self.confidence.of(row) >= self.thresholds[row.kind]


def calibrate(rows: Mapping[str, Sequence[Judged]], wanted: float) -> Calibrated:
    """Fit the confidence on the readings of all sites, and choose a threshold for each kind of thread."""
    weighted = [
        replace(row, weight=row.weight * (1.0 if site == OWN else OTHERS_WEIGHT))
        for site, found in rows.items()
        for row in found
    ]
    confidence = fit_confidence(weighted)
    chosen = {kind: choose_threshold(_scores(kind, rows, confidence), wanted) for kind in Kind}
    return Calibrated(
        confidence,
        {kind: threshold for kind, (threshold, _) in chosen.items()},
        {kind: rule for kind, (_, rule) in chosen.items()},
    )


def _scores(kind: Kind, rows: Mapping[str, Sequence[Judged]], confidence: Confidence) -> Scores:
    """The scores of whole threads by site, and those of readings with answers left out."""
    found = {
        site: [(confidence.of(row), row) for row in judged if row.evidence is not None and row.kind is kind]
        for site, judged in rows.items()
    }
    whole = {site: [(score, row.right) for score, row in scored if row.full] for site, scored in found.items()}
    parts = [(score, row.right) for scored in found.values() for score, row in scored if not row.full]
    return Scores(whole.pop(OWN, []), [scores for scores in whole.values() if scores], parts)


def train_answers(
    threads: Sequence[LabelledThread],
    solve: Solve = no_solutions,
    wanted: float = WANTED_PRECISION,
    source: str = "labels",
    others: Mapping[str, Sequence[LabelledThread]] = NO_OTHERS,
) -> TrainedAnswers:
    """Fit the answer model on threads with a numeric gold answer; InputError for fewer than 10.

    ``solve`` gives the solutions a thread's equations agree on, as at run time. ``others`` are threads of further sites
    by name, for the confidence only. C is chosen by cross-validation over threads, on the folds whose scores the report
    shows; confidence and thresholds of a reported fold come from the other folds. Of more than MAX_THREADS threads a
    sample by digest is read, and the report says so. The result does not depend on the order of ``threads``.
    """
    with threadpool_limits(1):
        return _train_answers(threads, solve, wanted, source, others)


@dataclass(frozen=True)
class Learned:
    """All that a fit of the answer model rests on: examples by site, the cost and the rankings, and the evidence."""

    examples: Mapping[str, Sequence[Example]]
    c: float
    weights: Weights
    seen: Evidence
    signature: str
    left_out: int = 0


def bounded(threads: Sequence[LabelledThread], limit: int) -> list[LabelledThread]:
    """The threads in order of their ids; of more than ``limit`` those whose ids have the least digests."""
    by_digest = sorted(threads, key=lambda thread: hashlib.sha256(thread.post_id.encode()).digest())
    return sorted(by_digest[:limit], key=lambda thread: thread.post_id)


def learn(
    threads: Sequence[LabelledThread],
    solve: Solve,
    wanted: float = WANTED_PRECISION,
    others: Mapping[str, Sequence[LabelledThread]] = NO_OTHERS,
) -> Learned:
    """Read the threads, fit the rankings, judge every reading by rankings that have not seen it; see train_answers."""
    given, threads = len(threads), bounded(threads, MAX_THREADS)
    examples = read_examples(threads, solve)
    if len(examples) < MIN_LABELS:
        raise InputError(
            f"{len(examples)} labels with a numeric gold answer; at least {MIN_LABELS} are needed to fit a model, "
            "add labels"
        )
    c, judged = _choose_cost(examples)
    weights = fit_weights(examples, c)
    sites = {
        site: read_examples(sorted(found, key=lambda thread: thread.post_id), solve, variants=False)
        for site, found in others.items()
    }
    everything = [*threads, *(thread for site in sorted(others) for thread in others[site])]
    signature = f"answers:3|folds:{FOLDS}|c:{c:g}|wanted:{wanted:g}|data:{data_digest(everything)}"
    seen = _gathered(judged, examples, weights, sites)
    return Learned({OWN: examples, **sites}, c, weights, seen, signature, given - len(threads))


def _train_answers(
    threads: Sequence[LabelledThread],
    solve: Solve,
    wanted: float,
    source: str,
    others: Mapping[str, Sequence[LabelledThread]],
) -> TrainedAnswers:
    learned = learn(threads, solve, wanted, others)
    chosen = calibrate(learned.seen.rows(), wanted)
    notes = {"signature": learned.signature, "source": source, "labels": str(len(learned.examples[OWN]))}
    notes |= {f"threads of {site} for the confidence": str(len(learned.examples[site])) for site in others}
    notes |= {f"threshold, {kind}": rule for kind, rule in chosen.rules.items()}
    return TrainedAnswers(model_of(learned.weights, chosen, notes), _answer_report(learned, wanted))


def model_of(weights: Weights, chosen: Calibrated, notes: dict[str, str]) -> AnswerModel:
    """The model of fitted parts."""
    heads = {
        str(kind): Head(
            dict(zip(EVIDENCE_NAMES[kind], head.weights.tolist(), strict=True)), head.intercept, chosen.thresholds[kind]
        )
        for kind, head in chosen.confidence.heads.items()
    }
    local = dict(zip(LOCAL_NAMES, weights.local.tolist(), strict=True))
    return AnswerModel(local, dict(zip(THREAD_NAMES, weights.thread.tolist(), strict=True)), heads, notes)


def read_examples(threads: Sequence[LabelledThread], solve: Solve, *, variants: bool = True) -> list[Example]:
    """The threads with a numeric gold answer, read."""
    found = (example(thread, solve, variants=variants) for thread in threads)
    return [item for item in found if item is not None]


def _gathered(
    judged: Sequence[Judged], examples: Sequence[Example], weights: Weights, sites: Mapping[str, Sequence[Example]]
) -> Evidence:
    """Out-of-fold readings of the labels given, and those of other sites under rankings fitted on the labels."""
    rows: dict[str, Sequence[Judged]] = {OWN: judged}
    rows |= {site: [row for item in found for row in judge(item, weights)] for site, found in sites.items()}
    every = (item.thread for found in (examples, *sites.values()) for item in found)
    return Evidence(rows, {thread.post_id: fold_of(thread, FOLDS) for thread in every})


def _choose_cost(examples: Sequence[Example]) -> tuple[float, list[Judged]]:
    """The smallest C whose share of right first candidates is within a standard error of the best, with its readings.

    The smaller C leans less on what is peculiar to the site of the labels.
    """
    tried = [(c, out_of_fold(examples, c, FOLDS)) for c in COSTS]
    shares = [sum(row.right for row in judged if row.full) / len(examples) for _, judged in tried]
    best = max(shares)
    error = sqrt(best * (1 - best) / len(examples))
    return next(pair for pair, share in zip(tried, shares, strict=True) if share >= best - error)


def _answer_report(learned: Learned, wanted: float) -> Report:
    rows = []
    for site, examples in learned.examples.items():
        prefix = "" if site == OWN else f"{site}: "
        found = (*nested_rows(learned.seen, site, wanted), *answer_floors(examples))
        rows += [replace(row, name=prefix + row.name) for row in found]
    return Report("answers, out of fold", tuple(rows), learned.signature, left_out_note(learned.left_out))


def left_out_note(left_out: int) -> tuple[str, ...]:
    """What the report says of threads beyond the bound; nothing where there are none."""
    if not left_out:
        return ()
    return (f"{left_out} threads beyond the bound of {MAX_THREADS} were left out, by the digest of their ids",)


def held_out(seen: Evidence, site: str, wanted: float) -> list[tuple[Judged, float, bool]]:
    """The whole threads of a site: reading, confidence, and whether it is returned, all fitted on the other folds."""
    found = []
    for place in range(FOLDS):
        held = [row for row in seen.judged[site] if row.full and seen.folds[row.post_id] == place]
        if held:
            chosen = calibrate(seen.rows(place), wanted)
            found += [(row, chosen.confidence.of(row), chosen.keeps(row)) for row in held]
    return found


def nested_rows(seen: Evidence, site: str, wanted: float) -> tuple[Row, ...]:
    """Scores of a site with confidence and thresholds fitted on the other folds, too."""
    found = held_out(seen, site, wanted)
    kept = [row for row, _, returned in found if returned]
    return (
        Row("ranking SVM above the threshold", sum(row.right for row in kept), len(kept), len(found)),
        Row("ranking SVM, always the first", sum(row.right for row, _, _ in found), len(found), len(found)),
        Row("values as many as asked", sum(row.dimension for row in kept), len(kept), len(kept)),
    )
