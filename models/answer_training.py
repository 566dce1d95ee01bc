"""Training of the answer model from labelled threads, with out-of-fold scores beside floor rows.

Both rankings and the probability learn from the labels given, and from further sources with a weight of their own
(``Other``): how often an answer is right differs from site to site, and one source alone says too little about it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from types import MappingProxyType
from typing import Final

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # no stubs are published

from corpus.errors import InputError
from models.answer_model import AnswerModel, Head
from models.baselines import answer_baselines
from models.features import LOCAL_NAMES, THREAD_NAMES
from models.fitting import (
    Choice,
    Confidence,
    Example,
    Judged,
    SolveThread,
    Weights,
    example,
    fit_confidence,
    fit_weights,
    judge,
    no_solutions,
    out_of_fold,
)
from models.hypotheses import NAMES
from models.label_split import LabelledThread
from models.thresholds import Scores, choose_threshold
from models.validation import Report, ValidationRow, data_digest, fold_of

FOLDS = 5
COSTS = (0.1, 0.3, 1.0)
MIN_LABELS = 10
WANTED_PRECISION = 0.95
MAX_THREADS: Final = 8_000
"""Labelled threads that one fit reads: each keeps about 0.4 MiB of feature rows while the rankings are fitted."""
OWN = "labels"


@dataclass(frozen=True)
class Other:
    """Threads of a further source; a thread counts ``weight`` against one of the labels given in the probability.

    With ``ranks`` the rankings learn from them, too.
    """

    threads: Sequence[LabelledThread]
    weight: float
    ranks: bool = False


NO_OTHERS: Final[Mapping[str, Other]] = MappingProxyType({})


@dataclass(frozen=True)
class TrainedAnswers:
    """A fitted answer model and its out-of-fold scores."""

    model: AnswerModel
    report: Report


@dataclass(frozen=True)
class Evidence:
    """Readings judged by rankings that have not seen them, by source (``OWN`` for the labels given), and their folds.

    Their weights are those of the fit already.
    """

    judged: Mapping[str, Sequence[Judged]]
    folds: Mapping[str, int]

    def rows(self, left_out: int | None = None) -> dict[str, list[Judged]]:
        """The readings of each source, those of one fold left out."""
        return {
            name: [row for row in rows if self.folds[row.post_id] != left_out] for name, rows in self.judged.items()
        }


@dataclass(frozen=True)
class Calibrated:
    """A confidence, the threshold from which answers are returned, and the rule behind it in words."""

    confidence: Confidence
    threshold: float
    rule: str

    def keeps(self, choice: Choice) -> bool:
        """Whether an answer is returned."""
        return choice.found and choice.confidence >= self.threshold


def calibrate(rows: Mapping[str, Sequence[Judged]], wanted: float) -> Calibrated:
    """Fit the probability on the readings of all sources, and choose the threshold."""
    confidence = fit_confidence([row for found in rows.values() for row in found])
    chosen = {name: [(confidence.of(row), row.full) for row in found] for name, found in rows.items()}
    whole = {name: [(c.confidence, c.right) for c, full in found if full] for name, found in chosen.items()}
    parts = [(c.confidence, c.right) for found in chosen.values() for c, full in found if not full]
    scores = Scores(whole.pop(OWN, []), [found for found in whole.values() if found], parts)
    return Calibrated(confidence, *choose_threshold(scores, wanted))


def train_answers(
    threads: Sequence[LabelledThread],
    solve: SolveThread = no_solutions,
    wanted: float = WANTED_PRECISION,
    source: str = "labels",
    others: Mapping[str, Other] = NO_OTHERS,
) -> TrainedAnswers:
    """Fit the answer model on threads with a numeric gold answer; InputError for fewer than 10.

    ``solve`` gives the solutions a thread's equations agree on, as at run time. ``others`` are threads of further
    sources by name. C is chosen by cross-validation over threads, on the folds whose scores the report shows; the
    probability and the threshold of a reported fold come from the other folds. Of more than MAX_THREADS threads a
    sample by digest is read, and the report says so. The result does not depend on the order of ``threads``.
    """
    with threadpool_limits(1):
        return _train_answers(threads, solve, wanted, source, others)


@dataclass(frozen=True)
class Learned:
    """All that a fit of the answer model rests on: examples by source, the cost and the rankings, and the evidence."""

    examples: Mapping[str, Sequence[Example]]
    c: float
    weights: Weights
    seen: Evidence
    signature: str
    notes: tuple[str, ...] = ()


def bounded(threads: Sequence[LabelledThread], limit: int) -> list[LabelledThread]:
    """The threads in order of their ids; of more than ``limit`` those whose ids have the least digests."""
    by_digest = sorted(threads, key=lambda thread: hashlib.sha256(thread.post_id.encode()).digest())
    return sorted(by_digest[:limit], key=lambda thread: thread.post_id)


def learn(
    threads: Sequence[LabelledThread],
    solve: SolveThread,
    wanted: float = WANTED_PRECISION,
    others: Mapping[str, Other] = NO_OTHERS,
    most: int = MAX_THREADS,
) -> Learned:
    """Read the threads, fit the rankings, judge every reading by rankings that have not seen it; see train_answers.

    Of more than ``most`` threads a sample is read, and the notes say so.
    """
    given, threads = len(threads), bounded(threads, most)
    examples = read_examples(threads, solve)
    if len(examples) < MIN_LABELS:
        raise InputError(
            f"{len(examples)} labels with a numeric gold answer; at least {MIN_LABELS} are needed to fit a model, "
            "add labels"
        )
    sources = {OWN: examples}
    for name in sorted(others):
        ordered = sorted(others[name].threads, key=lambda thread: thread.post_id)
        sources[name] = read_examples(ordered, solve, variants=False)
    everything = [*threads, *(thread for name in sorted(others) for thread in others[name].threads)]
    data = f"data:{data_digest(everything)}"
    return replace(learn_read(sources, others, wanted, data), notes=left_out_note(given - len(threads), most))


def learn_read(
    sources: Mapping[str, Sequence[Example]], others: Mapping[str, Other], wanted: float, data: str
) -> Learned:
    """The same from threads that are read already, by source; ``data`` names them in the signature."""
    ranking = {name: found for name, found in sources.items() if name == OWN or others[name].ranks}
    teachers = [item for found in ranking.values() for item in found]
    c, judged = _choose_cost(teachers, len(sources[OWN]))
    weights = fit_weights(teachers, c)
    by_post: dict[str, list[Judged]] = {}
    for row in judged:
        by_post.setdefault(row.post_id, []).append(row)
    rows: dict[str, list[Judged]] = {}
    for name, found in sources.items():
        weight = 1.0 if name == OWN else others[name].weight
        read = (by_post[item.thread.post_id] if name in ranking else judge(item, weights) for item in found)
        rows[name] = [replace(row, weight=row.weight * weight) for part in read for row in part]
    folds = {item.thread.post_id: fold_of(item.thread, FOLDS) for found in sources.values() for item in found}
    signature = f"answers:4|folds:{FOLDS}|c:{c:g}|wanted:{wanted:g}|{data}"
    return Learned(sources, c, weights, Evidence(rows, folds), signature)


def _train_answers(
    threads: Sequence[LabelledThread],
    solve: SolveThread,
    wanted: float,
    source: str,
    others: Mapping[str, Other],
) -> TrainedAnswers:
    learned = learn(threads, solve, wanted, others)
    chosen = calibrate(learned.seen.rows(), wanted)
    notes = {"signature": learned.signature, "source": source, "labels": str(len(learned.examples[OWN]))}
    notes |= {f"threads of {name}": str(len(learned.examples[name])) for name in others}
    notes |= {"threshold": chosen.rule}
    return TrainedAnswers(model_of(learned.weights, chosen, notes), _answer_report(learned, wanted))


def model_of(weights: Weights, chosen: Calibrated, notes: dict[str, str]) -> AnswerModel:
    """The model of fitted parts."""
    fitted = chosen.confidence.head
    head = Head(dict(zip(NAMES, fitted.weights.tolist(), strict=True)), fitted.intercept, chosen.threshold)
    local = dict(zip(LOCAL_NAMES, weights.local.tolist(), strict=True))
    return AnswerModel(local, dict(zip(THREAD_NAMES, weights.thread.tolist(), strict=True)), head, notes)


def read_examples(threads: Sequence[LabelledThread], solve: SolveThread, *, variants: bool = True) -> list[Example]:
    """The threads with a numeric gold answer, read."""
    found = (example(thread, solve, variants=variants) for thread in threads)
    return [item for item in found if item is not None]


def _choose_cost(examples: Sequence[Example], own: int) -> tuple[float, list[Judged]]:
    """The smallest C whose share of right first candidates is within a standard error of the best, with its readings.

    The smaller C leans less on what is peculiar to the site of the labels, which are the first ``own`` examples.
    """
    labels = {item.thread.post_id for item in examples[:own]}
    tried = [(c, out_of_fold(examples, c, FOLDS)) for c in COSTS]
    shares = [sum(row.first_right for row in judged if row.full and row.post_id in labels) / own for _, judged in tried]
    best = max(shares)
    error = sqrt(best * (1 - best) / own)
    return next(pair for pair, share in zip(tried, shares, strict=True) if share >= best - error)


def _answer_report(learned: Learned, wanted: float) -> Report:
    rows = []
    for site, examples in learned.examples.items():
        prefix = "" if site == OWN else f"{site}: "
        found = (*nested_rows(learned.seen, site, wanted), *answer_baselines(examples))
        rows += [replace(row, name=prefix + row.name) for row in found]
    return Report("answers, out of fold", tuple(rows), learned.signature, learned.notes)


def left_out_note(left_out: int, most: int) -> tuple[str, ...]:
    """What the report says of threads beyond the bound; nothing where there are none."""
    if not left_out:
        return ()
    return (f"{left_out} threads beyond the bound of {most} were left out, by the digest of their ids",)


def held_out(seen: Evidence, site: str, wanted: float) -> list[tuple[Choice, bool]]:
    """The answers of a source's whole threads, and whether each is returned, all fitted on the other folds."""
    found = []
    for place in range(FOLDS):
        held = [row for row in seen.judged[site] if row.full and seen.folds[row.post_id] == place]
        if held:
            chosen = calibrate(seen.rows(place), wanted)
            choices = [chosen.confidence.of(row) for row in held]
            found += [(choice, chosen.keeps(choice)) for choice in choices]
    return found


def nested_rows(seen: Evidence, site: str, wanted: float) -> tuple[ValidationRow, ...]:
    """Scores of a source with probability and threshold fitted on the other folds, too."""
    found = held_out(seen, site, wanted)
    kept = [choice for choice, returned in found if returned]
    return (
        ValidationRow("answers above the threshold", sum(choice.right for choice in kept), len(kept), len(found)),
        ValidationRow(
            "the likeliest hypothesis, always", sum(choice.right for choice, _ in found), len(found), len(found)
        ),
        ValidationRow("values as many as asked", sum(choice.dimension for choice in kept), len(kept), len(kept)),
    )


def nested(
    sources: Mapping[str, Sequence[Example]], others: Mapping[str, Other], wanted: float
) -> dict[str, list[tuple[Choice, bool]]]:
    """The same of all sources with rankings and C, too, fitted on the other folds: nothing of a fold taught them."""
    found: dict[str, list[tuple[Choice, bool]]] = {name: [] for name in sources}
    for place in range(FOLDS):
        parts = {
            name: [
                [item for item in examples if (fold_of(item.thread, FOLDS) == place) is held] for held in (False, True)
            ]
            for name, examples in sources.items()
        }
        with threadpool_limits(1):
            learned = learn_read({name: rest for name, (rest, _) in parts.items()}, others, wanted, f"fold:{place}")
        chosen = calibrate(learned.seen.rows(), wanted)
        for name, (_, held) in parts.items():
            rows = (row for item in held for row in judge(item, learned.weights) if row.full)
            choices = [chosen.confidence.of(row) for row in rows]
            found[name] += [(choice, chosen.keeps(choice)) for choice in choices]
    return found
