"""Training of the system model from threads with a gold answer, with out-of-fold scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # no stubs are published

from corpus.errors import InputError
from extractors.equations.votes import ThreadSystems, read_systems
from models.answer_training import MAX_THREADS, NO_OTHERS, OWN, Other, bounded
from models.asked_values import ASKED_NAMES, ASKED_SIGNS, AskedValues, Pool, asked_rows, pool_of, sets_of
from models.counts import MOST, UNKNOWN, CountModel, count_rows
from models.fits import fit_logistic, fit_softmax
from models.gold_values import gold_values, hold, rational_rows, same_value
from models.label_split import LabelledThread, Report, ValidationRow, data_digest, fold_of
from models.linear import Logistic, Matrix, NamedLogistic
from models.system_model import (
    OWN_NAMES,
    OWN_SIGNS,
    THREAD_NAMES,
    THREAD_SIGNS,
    SystemModel,
    own_rows,
    thread_rows,
    weigh,
)

FOLDS: Final = 5
COST: Final = 0.3
COUNT_COST: Final = 0.3
MIN_THREADS: Final = 10
COUNT_WEIGHT: Final = 0.3
"""What a question of a source from which rankings learn counts for the count of values."""


@dataclass(frozen=True)
class Offered:
    """A labelled thread, read: its systems, which of them hold the gold answer, and how many values that has.

    ``weight`` is what it counts against a thread of the labels given; ``counts`` is the same for the count
    of values; ``asked`` is what a count model that has not seen its fold makes of the question.
    """

    thread: LabelledThread
    systems: ThreadSystems
    right: tuple[bool, ...]
    size: int
    weight: float = 1.0
    counts: float = 1.0
    asked: tuple[float, ...] = UNKNOWN

    @property
    def shares(self) -> list[float]:
        """The weight of each system: that of the thread over its answers, that of an answer over its systems."""
        answers = [self.systems.systems[place].answer for place in self.systems.solved]
        count = len(set(answers))
        return [self.weight / count / answers.count(answer) ** 0.5 for answer in answers]

    @cached_property
    def asked_evidence(self) -> tuple[list[Matrix], list[bool], list[float]]:
        """Of the sets of values that each right system may be asked for: evidence, whether it is gold, and weight."""
        tables, right, weights = list[Matrix](), list[bool](), list[float]()
        good = [place for place, holds in zip(self.systems.solved, self.right, strict=True) if holds]
        for place in good:
            pool = pool_of(self.systems, place)
            sets = sets_of(pool)
            tables.append(asked_rows(sets, pool, self.asked))
            right += [is_asked(pool, one, self.thread) for one in sets]
            weights += [self.weight / len(good) / len(sets)] * len(sets)
        return tables, right, weights


def offered(thread: LabelledThread, weight: float = 1.0, counts: float = 1.0) -> Offered | None:
    """A thread ready for fitting; None without a numeric gold answer."""
    gold = gold_values(thread.label.gold_answer or ())
    if gold is None:
        return None
    systems = read_systems(thread.question, thread.answers)
    right = tuple(hold(rational_rows(systems.systems[place].solutions), gold) for place in systems.solved)
    return Offered(thread, systems, right, len(set(gold)), weight, counts if thread.question.strip() else 0.0)


def _fit(items: Sequence[tuple[Offered, Matrix]], signs: Sequence[int]) -> Logistic:
    """Fit on threads, each with a row for each of its systems."""
    matrix = np.vstack([np.zeros((0, len(signs))), *(rows for _, rows in items)])
    importance = np.array([share for item, _ in items for share in item.shares])
    return fit_logistic(matrix, [one for item, _ in items for one in item.right], importance, COST, signs)


def fit_counts(questions: Sequence[str], sizes: Sequence[int], importance: Sequence[float]) -> CountModel:
    """Fit on questions with the number of values that each asks for, and what each counts."""
    outcomes = np.array([min(size, MOST) - 1 for size in sizes], dtype=np.intp)
    fitted = fit_softmax(count_rows(questions), outcomes, np.array(importance, dtype=np.float64), MOST, COUNT_COST)
    return CountModel(tuple(tuple(row) for row in fitted.weights.tolist()), tuple(fitted.intercepts.tolist()))


def fit_count_model(items: Sequence[Offered]) -> CountModel:
    """How many values a question asks for, from the sizes of gold answers."""
    known = [item for item in items if item.counts]
    weights = [item.counts for item in known]
    with threadpool_limits(1):
        return fit_counts([item.thread.question for item in known], [item.size for item in known], weights)


def asked_by_others(items: Mapping[str, Sequence[Offered]]) -> tuple[dict[str, list[Offered]], list[CountModel]]:
    """The threads with what a count model of the other folds makes of their questions, and these models by fold."""
    every = [item for part in items.values() for item in part]
    models = [fit_count_model([i for i in every if fold_of(i.thread, FOLDS) != fold]) for fold in range(FOLDS)]
    found = {
        name: [replace(i, asked=models[fold_of(i.thread, FOLDS)].chances(i.thread.question)) for i in part]
        for name, part in items.items()
    }
    return found, models


def fit_systems(items: Sequence[Offered], counts: CountModel, notes: Mapping[str, str]) -> SystemModel:
    """Fit all parts: the last on scores of the one before from the other folds."""
    with threadpool_limits(1):
        items = [item for item in items if item.right]
        asked = fit_asked(items)
        rows = [own_rows(item.systems, item.asked, AskedValues(item.systems, item.asked, asked)) for item in items]
        places = [fold_of(item.thread, FOLDS) for item in items]
        tables: list[Matrix] = [np.zeros(0)] * len(items)
        for fold in range(FOLDS):
            others = [(item, row) for item, row, place in zip(items, rows, places, strict=True) if place != fold]
            head = _fit(others, OWN_SIGNS)
            for index, item in enumerate(items):
                if places[index] == fold:
                    tables[index] = thread_rows(weigh(item.systems, rows[index], head))
        thread = _fit(list(zip(items, tables, strict=True)), THREAD_SIGNS)
        own = _fit(list(zip(items, rows, strict=True)), OWN_SIGNS)
    named = NamedLogistic.of
    return SystemModel(counts, named(own, OWN_NAMES), named(thread, THREAD_NAMES), named(asked, ASKED_NAMES), notes)


def fit_asked(items: Sequence[Offered]) -> Logistic:
    """What the evidence of asked values weighs, from the systems that hold the gold answer."""
    tables, right, weights = [np.zeros((0, len(ASKED_NAMES)))], list[bool](), list[float]()
    for item in items:
        rows, gold, counts = item.asked_evidence
        tables += rows
        right += gold
        weights += counts
    return fit_logistic(np.vstack(tables), right, np.array(weights), COST, ASKED_SIGNS)


def is_asked(pool: Pool, chosen: Sequence[int], thread: LabelledThread) -> bool:
    """Whether values are the gold answer of a thread, no more and no less."""
    gold = set(gold_values(thread.label.gold_answer or ()) or ())
    values = {Fraction(pool.held.values[at]) for at in chosen}
    return len(values) == len(gold) and all(any(same_value(value, wanted) for value in values) for wanted in gold)


class TrainedSystems(NamedTuple):
    """A fitted system model and its out-of-fold scores."""

    model: SystemModel
    report: Report


def train_systems(
    threads: Sequence[LabelledThread], source: str = "labels", others: Mapping[str, Other] = NO_OTHERS
) -> TrainedSystems:
    """Fit the system model on threads with a numeric gold answer; InputError for fewer than 10.

    ``others`` are threads of further sources by name, each with a weight. The result does not depend on the order of
    ``threads``.
    """
    everything = {OWN: Other(bounded(threads, MAX_THREADS), 1.0), **{name: others[name] for name in sorted(others)}}
    read = {name: read_offered(other) for name, other in everything.items()}
    if len(read[OWN]) < MIN_THREADS:
        raise InputError(
            f"{len(read[OWN])} labels with a numeric gold answer; at least {MIN_THREADS} are needed to fit a model, "
            "add labels"
        )
    items, folds = asked_by_others(read)
    models = of_folds(items, folds)
    found = {name: [_is_right(i, models[fold_of(i.thread, FOLDS)]) for i in part] for name, part in items.items()}
    notes = {"source": source} | {f"threads of {name}": str(len(part)) for name, part in items.items()}
    signature = f"systems:3|folds:{FOLDS}|data:{data_digest([i.thread for p in items.values() for i in p])}"
    every = [item for part in items.values() for item in part]
    model = fit_systems(every, fit_count_model(every), notes | {"signature": signature})
    rows = [
        ValidationRow(f"{prefix}the likeliest system, always", sum(part), len(part), len(part))
        for name, part in found.items()
        for prefix in ("" if name == OWN else f"{name}: ",)
    ]
    return TrainedSystems(model, Report("systems, out of fold", tuple(rows), signature))


def read_offered(other: Other) -> list[Offered]:
    """The threads of a source with a numeric gold answer, read, by id."""
    counts = 1.0 if other.weight == 1 else COUNT_WEIGHT if other.ranks else other.weight
    ordered = sorted(other.threads, key=lambda thread: thread.post_id)
    found = (offered(thread, other.weight, counts) for thread in ordered)
    return [item for item in found if item is not None]


def of_folds(items: Mapping[str, Sequence[Offered]], counts: Sequence[CountModel]) -> list[SystemModel]:
    """For each fold a model that was fitted without it; ``items`` and ``counts`` are those of ``asked_by_others``."""
    every = [item for part in items.values() for item in part]
    return [
        fit_systems([i for i in every if fold_of(i.thread, FOLDS) != fold], counts[fold], {}) for fold in range(FOLDS)
    ]


def _is_right(item: Offered, model: SystemModel) -> bool:
    """Whether the system that a model takes for the likeliest is right."""
    judged = model.judge(item.systems, item.asked)
    place = judged.likeliest(judged.chances)
    return place is not None and item.right[item.systems.solved.index(place)]
