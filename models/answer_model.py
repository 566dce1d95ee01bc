"""The answer model: ranks the candidates of a thread and says how sure it is of the first (Dolphin18K, section 3.2).

Two linear rankings, both by pairwise differences (ranking SVM, Herbrich et al.): the first orders the candidates within
each answer and so finds what the answer claims; the second orders the best of all answers over the thread. The best of
these are hypotheses, and a logistic function of the evidence says how likely each is (``models/hypotheses.py``).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np

from corpus.config import AnswersConfig
from extractors.answers.answer_candidates import Mention, Role
from extractors.real_numbers.values import format_value
from models.exact import Matrix
from models.features import LOCAL_NAMES, NOTHING, THREAD_NAMES, ReadThread, Solved, read_thread
from models.hypotheses import NAMES, evidence_rows, hypotheses, scored
from models.logistic import Logistic
from models.thread_features import AnalysedThread

RANKED: Final = 5
MANY_DECIMALS: Final = 10**9
"""A denominator of this size is that of a decimal."""


@dataclass(frozen=True, slots=True)
class NumberSpan:
    """Where a value of the answer stands: characters ``[start, end)`` of answer number ``answer`` as it was posted."""

    answer: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """What the model makes of a thread; ``values`` is the first of ``ranked`` and empty if there are no candidates.

    ``ranked`` holds at most five candidates with their scores, best first. ``spans`` shows the values where they are
    claimed. ``bounds`` says what the bounds on candidates left out. ``threshold`` is the confidence from which the
    model returns an answer.
    """

    values: tuple[str, ...]
    confidence: float
    ranked: tuple[tuple[tuple[str, ...], float], ...]
    spans: tuple[NumberSpan, ...]
    bounds: tuple[str, ...] = ()
    threshold: float = 1.0

    def sure(self, least: float | None = AnswersConfig().min_confidence) -> bool:
        """Whether the confidence reaches ``least``: that of a build, or for None the model's threshold."""
        return bool(self.ranked) and self.confidence >= (self.threshold if least is None else least)


@dataclass(frozen=True)
class Head:
    """The probability of a hypothesis: a logistic function of its evidence, and the threshold to return at."""

    weights: dict[str, float]
    intercept: float
    threshold: float


@dataclass(frozen=True)
class AnswerModel:
    """Weights by feature name, the probability of a hypothesis and where to abstain."""

    local: dict[str, float]
    weights: dict[str, float]
    head: Head
    notes: dict[str, str]

    @cached_property
    def _local(self) -> Matrix:
        return np.array([self.local[name] for name in LOCAL_NAMES])

    @cached_property
    def _weights(self) -> Matrix:
        return np.array([self.weights[name] for name in THREAD_NAMES])

    @cached_property
    def _probability(self) -> Logistic:
        return Logistic(np.array([self.head.weights[name] for name in NAMES]), self.head.intercept)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the model file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "AnswerModel":
        """A model from plain data; KeyError, TypeError or ValueError for data of another shape."""
        return cls(
            local={name: float(data["local"][name]) for name in LOCAL_NAMES},
            weights={name: float(data["weights"][name]) for name in THREAD_NAMES},
            head=_head(data["head"]),
            notes=dict(data["notes"]),
        )

    def rank(self, question: str, answers: Sequence[str], solved: Solved = NOTHING) -> Ranking:
        """Rank the candidates of a thread.

        ``question`` is the cleaned question, ``answers`` the texts as posted, ``solved`` what its equations came to
        (stage equations).
        """
        return self.rank_read(read_thread(question, answers, solved))

    def rank_read(self, thread: ReadThread) -> Ranking:
        """Rank the candidates of a thread that is read already; the likeliest hypothesis comes first."""
        found = scored(thread, self._local, self._weights)
        bounds = thread.found.bounds
        if not found.order:
            return Ranking((), 0.0, (), (), bounds)
        offered = hypotheses(found)
        chances = self._probability.probability(evidence_rows(offered))
        best = int(np.argmax(chances))
        found = found.led_by(offered[best].place)
        ranked = tuple(
            (_ordered_values(found.view, candidate), score)
            for candidate, score in zip(found.order[:RANKED], found.scores, strict=False)
        )
        spans = _spans(found.view, found.order[0])
        return Ranking(ranked[0][0], float(chances[best]), ranked, spans, bounds, self.head.threshold)


def _head(data: dict[str, Any]) -> Head:
    weights = {name: float(data["weights"][name]) for name in NAMES}
    return Head(weights, float(data["intercept"]), float(data["threshold"]))


def _supporting(view: AnalysedThread, candidate: int) -> int:
    """The answer that shows a candidate best: one that claims it, else the one that scores it highest."""
    claims = view.claims_of.get(candidate)
    if claims:
        return max(claims, key=lambda claim: (claim.margin, -claim.answer)).answer
    answers = view.candidates[candidate].answers
    return max(answers, key=lambda answer: (view.scores[answer][candidate], -answer))


def _shown(view: AnalysedThread, answer: int, candidate: int) -> list[Mention]:
    """One mention of each member that an answer states, the last that is no operand, in the order of the text."""
    mentions = view.analysed[answer].mentions
    chosen = []
    for value in dict.fromkeys(view.candidates[candidate].values):
        places = view.analysed[answer].by_value.get(value)
        if places is None:
            continue
        chosen.append(max(places, key=lambda place: (mentions[place].role is not Role.OPERAND, place)))
    return [mentions[place] for place in sorted(chosen)]


def _ordered_values(view: AnalysedThread, candidate: int) -> tuple[str, ...]:
    """The values in the order in which the text states them, those that only equations give after them."""
    shown = [mention.value for mention in _shown(view, _supporting(view, candidate), candidate)]
    members = view.candidates[candidate].values
    ordered = sorted(members, key=lambda index: (shown.index(index) if index in shown else len(shown), index))
    return tuple(_written(view.values[index]) for index in ordered)


def _written(value: Fraction) -> str:
    """A rational as it is; the many decimals of an irrational solution as decimals."""
    if value.denominator < MANY_DECIMALS:
        return str(value)
    return format_value(Decimal(value.numerator) / Decimal(value.denominator))


def _spans(view: AnalysedThread, candidate: int) -> tuple[NumberSpan, ...]:
    claims = view.claims_of.get(candidate, ())
    answers = [claim.answer for claim in claims] or [_supporting(view, candidate)]
    spans = []
    for answer in answers:
        read = view.analysed[answer].answer
        spans += [NumberSpan(answer, *read.source_span(mention)) for mention in _shown(view, answer, candidate)]
    return tuple(spans)
