"""Training of the answer model from labelled threads, with out-of-fold scores beside floor rows.

Each part learns from what the part before it makes of threads that it has not seen. All parts learn from the labels
given, and from further sources with a weight of their own (``Other``).

Baselines are simple rules for an answer that a learned model has to beat.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # no stubs are published

from corpus.canonical import sha256_text
from corpus.errors import InputError
from models.answer_model import (
    CONFIDENCE_NAMES,
    SYSTEM_NAMES,
    SYSTEM_SIGNS,
    AnswerModel,
    Ordered,
    ordered,
    system_rows,
    weighed,
)
from models.fits import fit_logistic, fit_ranking, fit_words
from models.gold_values import gold_values, hold, same_answer, same_value
from models.hypotheses import NAMES, evidence_rows
from models.label_split import LabelledThread, Report, ValidationRow, data_digest, fold_of, lowest_threshold
from models.linear import Logistic, Matrix, NamedLogistic
from models.mention_words import MentionRow, mention_words
from models.read_threads import ReadThread, Solved, SolveThread, Values, analyse_thread

Baseline = Callable[[ReadThread], Fraction | None]


def last_number_majority(read: ReadThread) -> Fraction | None:
    """The last number of most answers; None without a clear winner of at least two votes."""
    lasts = Counter(view.mentions[-1].value for view in read.answers if view.mentions)
    ranked = lasts.most_common(2)
    if not ranked or ranked[0][1] < 2 or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
        return None
    return read.found.values[ranked[0][0]]


def last_number_of_first_answer(read: ReadThread) -> Fraction | None:
    """The last number of the first answer that holds one."""
    return next((read.found.values[view.mentions[-1].value] for view in read.answers if view.mentions), None)


def first_number(read: ReadThread) -> Fraction | None:
    """The first number of the first answer that holds one."""
    return next((read.found.values[view.mentions[0].value] for view in read.answers if view.mentions), None)


def most_frequent_number(read: ReadThread) -> Fraction | None:
    """The number with most mentions, the one mentioned first among equals."""
    counts = Counter(mention.value for view in read.answers for mention in view.mentions)
    return read.found.values[counts.most_common(1)[0][0]] if counts else None


def random_candidate(read: ReadThread) -> Fraction | None:
    """One of the values, chosen by a hash of them all: the same on every machine."""
    values = read.found.values
    if not values:
        return None
    return values[int(sha256_text(" ".join(map(str, values)))[:12], 16) % len(values)]


BASELINES: tuple[Baseline, ...] = (
    last_number_majority,
    last_number_of_first_answer,
    first_number,
    most_frequent_number,
    random_candidate,
)


def answer_baselines(threads: Sequence[tuple[ReadThread, Values, bool]]) -> tuple[ValidationRow, ...]:
    """A row for each baseline, and the ceiling: how often the gold answer is among the candidates at all.

    ``threads`` are readings, each with its gold answer and whether that is among the candidates.
    """
    rows = []
    for baseline in BASELINES:
        found = [(gold, baseline(read)) for read, gold, _ in threads]
        returned = [(gold, value) for gold, value in found if value is not None]
        hits = sum(same_answer([value], gold) for gold, value in returned)
        rows.append(ValidationRow(f"floor: {baseline.__name__.replace('_', ' ')}", hits, len(returned), len(threads)))
    reached = sum(held for *_, held in threads)
    rows.append(ValidationRow("ceiling: gold among the candidates", reached, len(threads), len(threads)))
    return tuple(rows)


FOLDS: Final = 5
MIN_LABELS: Final = 10
WORD_COST: Final = 1.0
RANKING_COST: Final = 0.1
CONFIDENCE_COST: Final = 0.02
SYSTEM_COST: Final = 0.3
SEEN: Final = 3
"""Mentions in which a word must stand to be learned."""
WANTED_PRECISION: Final = 0.95
WANTED_OF_SYSTEMS: Final = 0.94
MAX_THREADS: Final = 8_000
"""Labelled threads that one fit reads: each keeps some 0.15 MiB of words while it is fitted."""
OWN: Final = "labels"
FORM: Final = "answers:6"
"""The form of the evidence and of the parts, in the signatures of models and figures."""


def no_solutions(_question: str, _answers: Sequence[str]) -> Solved:
    """A SolveThread for callers that have no systems."""
    return Solved()


@dataclass(frozen=True)
class Other:
    """Threads of a further source; a thread counts ``weight`` against one of the labels given.

    ``ranks``: what the system model makes of it (``models/system_training.py``).
    """

    threads: Sequence[LabelledThread]
    weight: float
    ranks: bool = False


NO_OTHERS: Final[Mapping[str, Other]] = MappingProxyType({})


@dataclass(frozen=True)
class Example:
    """A labelled thread, read, with the words of its mentions; ``weight`` is what it counts in a fit."""

    thread: LabelledThread
    gold: tuple[Fraction, ...]
    read: ReadThread
    words: Sequence[Sequence[MentionRow]]
    weight: float = 1.0

    @cached_property
    def right(self) -> tuple[bool, ...]:
        """Which candidates are the gold answer."""
        return tuple(same_answer(values, self.gold) for values in self.read.candidate_values)

    @cached_property
    def gold_mentions(self) -> tuple[bool, ...]:
        """Of all mentions, answer by answer, which state a value of the gold answer."""
        values = self.read.found.values
        gold = {place for place, value in enumerate(values) if any(same_value(value, one) for one in self.gold)}
        return tuple(mention.value in gold for view in self.read.answers for mention in view.mentions)

    @cached_property
    def right_systems(self) -> tuple[bool, ...]:
        """Which of its systems give the gold answer."""
        return tuple(hold(solutions, self.gold) for _, solutions in self.read.solved.systems)

    @property
    def fold(self) -> int:
        """The fold of its asker or site."""
        return fold_of(self.thread, FOLDS)


def read_examples(threads: Iterable[LabelledThread], solve: SolveThread, weight: float = 1.0) -> list[Example]:
    """The threads in scope with a numeric gold answer, read, by id."""
    found = []
    for thread in sorted(threads, key=lambda one: one.post_id):
        gold = gold_values(thread.label.gold_answer or ())
        if gold is not None and thread.label.in_scope:
            read = analyse_thread(thread.question, thread.answers, solve(thread.question, thread.answers))
            found.append(Example(thread, gold, read, mention_words(read), weight))
    return found


class Choice(NamedTuple):
    """The first candidate of a thread: how likely it is, whether it is right, and has as many values as gold.

    ``found`` is False where the thread offers no candidate; such a choice is never right. ``system`` is how likely the
    likeliest system is, and whether it gives the gold answer.
    """

    post_id: str
    confidence: float
    right: bool = False
    dimension: bool = False
    found: bool = True
    system: tuple[float, bool] = (0.0, False)


@dataclass(frozen=True)
class FittedParts:
    """The fitted parts of an answer model."""

    words: NamedLogistic
    ranking: Matrix
    confidence: Logistic
    systems: Logistic

    def choose(self, item: Example) -> Choice:
        """What they make of a thread."""
        found = ordered(self.rows(item), self.ranking)
        if found is None:
            return Choice(item.thread.post_id, 0.0, found=False)
        chance = _chance(found, self.confidence)
        size = len(item.read.candidate_values[found.order[0]])
        system = self._likeliest(item, found, chance)
        return Choice(item.thread.post_id, chance, item.right[found.order[0]], size == len(item.gold), system=system)

    def _likeliest(self, item: Example, found: Ordered, chance: float) -> tuple[float, bool]:
        """How likely the likeliest system is, and whether it is right; of a thread without any (0, False)."""
        chances = self.systems.probability(_rows_beside(item, found, chance)).tolist()
        best = max(range(len(chances)), key=chances.__getitem__, default=None)
        return (0.0, False) if best is None else (chances[best], item.right_systems[best])

    def rows(self, item: Example) -> Matrix:
        """The evidence of its candidates."""
        return evidence_rows(weighed(item.read, item.words, self.words))

    def model(self, threshold: float, system_threshold: float, notes: dict[str, str]) -> AnswerModel:
        """The model of these parts."""
        ranking = NamedLogistic(dict(zip(NAMES, self.ranking.tolist(), strict=True)))
        confidence, systems = (
            NamedLogistic.of(self.confidence, CONFIDENCE_NAMES),
            NamedLogistic.of(self.systems, SYSTEM_NAMES),
        )
        return AnswerModel(self.words, ranking, confidence, systems, threshold, system_threshold, notes)


def _chance(first: Ordered, confidence: Logistic) -> float:
    return float(confidence.probability(first.row[None, :])[0])


def _rows_beside(item: Example, first: Ordered, chance: float) -> Matrix:
    """The evidence of the systems of a thread beside its first candidate, which is as likely."""
    return system_rows(item.read.solved, item.read.candidate_values[first.order[0]], chance)


def fit_mentions(examples: Sequence[Example]) -> NamedLogistic:
    """Learn from all mentions of the threads that state a gold value which words and signs speak for one."""
    rows, right, importance = list[MentionRow](), list[bool](), list[float]()
    for item in examples:
        if any(item.gold_mentions):
            found = [row for page in item.words for row in page]
            rows += found
            right += item.gold_mentions
            importance += [item.weight / len(found) ** 0.5] * len(found)
    if not rows:
        raise InputError("no labelled thread states its gold answer, nothing to learn from; add labels")
    names = DictVectorizer()
    matrix = names.fit_transform(rows).tocsr()
    held = np.flatnonzero(matrix.getnnz(axis=0) >= SEEN)
    fitted = fit_words(matrix[:, held], right, np.array(importance), WORD_COST)
    weights = dict(zip(names.get_feature_names_out()[held].tolist(), fitted.weights.tolist(), strict=True))
    return NamedLogistic({name: weight for name, weight in weights.items() if weight}, fitted.intercept)


def fit_parts(examples: Sequence[Example]) -> FittedParts:
    """Fit all parts: the words by folds for the ranking and the probability, and on all threads for use."""
    rows: list[tuple[Example, Matrix]] = []
    for fold in range(FOLDS):
        held = [item for item in examples if item.fold == fold]
        if held:
            words = fit_mentions([item for item in examples if item.fold != fold])
            rows += [(item, evidence_rows(weighed(item.read, item.words, words))) for item in held]
    rows.sort(key=lambda row: row[0].thread.post_id)
    ranking = fit_ranking([(table, np.array(item.right, dtype=bool)) for item, table in rows], RANKING_COST)
    firsts = [(item, first) for item, table in rows if (first := ordered(table, ranking)) is not None]
    confidence = fit_confidence(firsts)
    return FittedParts(fit_mentions(examples), ranking, confidence, fit_systems_beside(firsts, confidence))


def fit_confidence(firsts: Sequence[tuple[Example, Ordered]]) -> Logistic:
    """How likely the first candidate of a thread is right."""
    matrix = np.array([first.row for _, first in firsts]).reshape(-1, len(CONFIDENCE_NAMES))
    right = [item.right[first.order[0]] for item, first in firsts]
    return fit_logistic(matrix, right, np.array([item.weight for item, _ in firsts]), CONFIDENCE_COST)


def fit_systems_beside(firsts: Sequence[tuple[Example, Ordered]], confidence: Logistic) -> Logistic:
    """How likely a system is right beside the first candidate of its thread; each thread counts by its weight."""
    tables, right, importance = [np.zeros((0, len(SYSTEM_NAMES)))], list[bool](), list[float]()
    for item, first in firsts:
        tables.append(_rows_beside(item, first, _chance(first, confidence)))
        right += item.right_systems
        importance += [item.weight / len(item.right_systems) for _ in item.right_systems]
    return fit_logistic(np.vstack(tables), right, np.array(importance), SYSTEM_COST, SYSTEM_SIGNS)


class TrainedAnswers(NamedTuple):
    """A fitted answer model and its out-of-fold scores."""

    model: AnswerModel
    report: Report


def bounded(threads: Sequence[LabelledThread], limit: int) -> list[LabelledThread]:
    """The threads in order of their ids; of more than ``limit`` those whose ids have the least digests."""
    by_digest = sorted(threads, key=lambda thread: hashlib.sha256(thread.post_id.encode()).digest())
    return sorted(by_digest[:limit], key=lambda thread: thread.post_id)


def read_sources(
    threads: Sequence[LabelledThread], solve: SolveThread, others: Mapping[str, Other] = NO_OTHERS
) -> dict[str, list[Example]]:
    """The labelled threads under OWN and those of further sources by name, read; InputError for fewer than 10."""
    own = read_examples(bounded(threads, MAX_THREADS), solve)
    if len(own) < MIN_LABELS:
        raise InputError(
            f"{len(own)} labels with a numeric gold answer; at least {MIN_LABELS} are needed to fit a model, add labels"
        )
    more = {name: read_examples(others[name].threads, solve, others[name].weight) for name in sorted(others)}
    return {OWN: own, **more}


def nested(sources: Mapping[str, Sequence[Example]]) -> dict[str, list[Choice]]:
    """What models of the other folds make of the threads of each source: nothing of a fold taught them."""
    every = [item for part in sources.values() for item in part]
    models = fold_parts(every)
    return {name: [models[item.fold].choose(item) for item in part] for name, part in sources.items()}


def fold_parts(examples: Sequence[Example]) -> list[FittedParts]:
    """For each fold the parts that were fitted without it."""
    with threadpool_limits(1):
        return [fit_parts([item for item in examples if item.fold != fold]) for fold in range(FOLDS)]


def train_answers(
    threads: Sequence[LabelledThread],
    solve: SolveThread = no_solutions,
    wanted: float = WANTED_PRECISION,
    source: str = "labels",
    others: Mapping[str, Other] = NO_OTHERS,
) -> TrainedAnswers:
    """Fit the answer model on threads with a numeric gold answer; InputError for fewer than 10.

    ``solve`` gives the solutions a thread's equations agree on, as at run time. ``others`` are threads of further
    sources by name. The threshold is the lowest confidence from which on the out-of-fold threads of the labels given
    are right in the ``wanted`` share; that of systems is chosen likewise (WANTED_OF_SYSTEMS). Of more than MAX_THREADS
    threads a sample by digest is read, and the report says so. The result does not depend on the order of ``threads``.
    """
    sources = read_sources(threads, solve, others)
    judged = nested(sources)
    threshold, rule = lowest_threshold([(choice.confidence, choice.right) for choice in judged[OWN]], wanted)
    least, of_systems = lowest_threshold([choice.system for choice in judged[OWN]], WANTED_OF_SYSTEMS)
    everything = [*threads, *(thread for name in sorted(others) for thread in others[name].threads)]
    signature = f"{FORM}|folds:{FOLDS}|wanted:{wanted:g}|data:{data_digest(everything)}"
    notes = {"signature": signature, "source": source, "threshold": rule, "system_threshold": of_systems}
    notes |= {f"threads of {name}": str(len(part)) for name, part in sources.items()}
    with threadpool_limits(1):
        parts = fit_parts([item for part in sources.values() for item in part])
    rows = [row for name, part in sources.items() for row in _rows(name, judged[name], (threshold, least), part)]
    report = Report("answers, out of fold", tuple(rows), signature, left_out_note(len(threads) - MAX_THREADS))
    return TrainedAnswers(parts.model(threshold, least, notes), report)


def left_out_note(left_out: int) -> tuple[str, ...]:
    """What the report says of threads beyond the bound; nothing where there are none."""
    if left_out <= 0:
        return ()
    return (f"{left_out} threads beyond the bound of {MAX_THREADS} were left out, by the digest of their ids",)


def _rows(
    name: str, judged: Sequence[Choice], thresholds: tuple[float, float], part: Sequence[Example]
) -> list[ValidationRow]:
    prefix = "" if name == OWN else f"{name}: "
    kept = [choice for choice in judged if choice.found and choice.confidence >= thresholds[0]]
    systems = [choice.system[1] for choice in judged if choice.system[0] >= thresholds[1]]
    rows = [
        ValidationRow("answers above the threshold", sum(one.right for one in kept), len(kept), len(judged)),
        ValidationRow("the first candidate, always", sum(one.right for one in judged), len(judged), len(judged)),
        ValidationRow("values as many as asked", sum(one.dimension for one in kept), len(kept), len(kept)),
        ValidationRow("systems above the threshold", sum(systems), len(systems), len(judged)),
        *answer_baselines([(item.read, item.gold, any(item.right)) for item in part]),
    ]
    return [ValidationRow(prefix + row.name, row.hits, row.returned, row.n) for row in rows]
