"""The publication model: how likely a thread is in scope, with the right answer and, where one is published, system.

One logistic function over what the stages before say of a thread and how these agree; what used to be vetoes are
features. The file also holds the calibration posts, so that any promised precision becomes a threshold
(``models/promise.py``).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import inf, log
from typing import Any, Final

import numpy as np

from extractors.questions.question_types import QuestionType
from models.linear import Logistic, Matrix, odds, on_grid
from models.promise import CalibrationPost, Promise, lower_bound, promised

BANDS: Final = (0.9, 0.95, 0.98)
"""Where a card divides the probabilities above the threshold."""


@dataclass(frozen=True)
class Facts:
    """What the stages before say of a thread.

    ``scope`` and ``answer`` are probabilities; ``against`` is that of the likeliest system by itself, where this gives
    another answer; ``stated`` whether the question alone gives the answer; ``clear`` is the probability of the
    likeliest number of values asked for.
    """

    scope: float
    answer: float
    against: float
    stated: bool
    clear: float
    kind: QuestionType | None


def scope_odds(facts: Facts) -> float:
    """Log odds of one elementary problem."""
    return odds(facts.scope)


def answer_odds(facts: Facts) -> float:
    """Log odds of the answer."""
    return odds(facts.answer)


def both_odds(facts: Facts) -> float:
    """Log odds of the one and the other together, as if independent: the weaker of the two decides."""
    return odds(facts.scope * facts.answer)


def system_contradicts(facts: Facts) -> float:
    """Log odds of a system that gives another answer, where it is likelier right than not."""
    return max(0.0, odds(facts.against))


def question_confirms(facts: Facts) -> float:
    """Whether the statements of the question alone give the answer."""
    return float(facts.stated)


def count_is_clear(facts: Facts) -> float:
    """Logarithm of how clear it is how many values the question asks for."""
    return log(facts.clear)


def closed_kind(facts: Facts) -> float:
    """Whether the question sets a task that a number alone seldom ends: a proof, a figure, several parts, yes or no."""
    return float(facts.kind in (QuestionType.PROOF, QuestionType.NEEDS_FIGURE, QuestionType.SEVERAL_PARTS, YES_OR_NO))


YES_OR_NO: Final = QuestionType.YES_OR_NO
FEATURES: Final[Sequence[tuple[Callable[[Facts], float], int]]] = (
    (scope_odds, 1),
    (answer_odds, 1),
    (both_odds, 1),
    (system_contradicts, -1),
    (question_confirms, 1),
    (count_is_clear, 1),
    (closed_kind, -1),
)
"""Each feature with the sign that its weight must have by meaning."""
NAMES: Final = tuple(function.__name__ for function, _ in FEATURES)
SIGNS: Final = tuple(sign for _, sign in FEATURES)


def rows_of(facts: Sequence[Facts]) -> Matrix:
    """A row for each thread, a column for each of NAMES, on the grid."""
    return on_grid([[function(one) for function, _ in FEATURES] for one in facts]).reshape(len(facts), len(NAMES))


@dataclass(frozen=True)
class Judged:
    """A labelled thread that reached the stage agree under models that had not seen it.

    ``group`` is its site, ``fold`` that of its site, ``source`` the set of posts that it is from.
    """

    facts: Facts
    right: bool
    group: str
    fold: int
    source: str


@dataclass(frozen=True)
class PublicationModel:
    """The head, and the labelled posts by which a promise is kept; ``notes`` say what they are."""

    head: Logistic
    calibration: tuple[CalibrationPost, ...]
    notes: Mapping[str, str]

    def probability(self, facts: Facts) -> float:
        """How likely a thread is in scope, with the right answer and the right system."""
        return float(self.head.probability(rows_of([facts]))[0])

    def promise(self, precision: float) -> Promise:
        """The threshold that keeps a promise; ConfigError where none does."""
        return _promised(self.calibration, precision)

    def told(self, precision: float) -> dict[str, Any]:
        """What is promised, and on what, for a manifest and its card; nothing where nothing is promised."""
        if not precision:
            return {}
        sets = Counter(post.source for post in self.calibration)
        promise = self.promise(precision)
        return {
            **asdict(promise),
            "labels": self.notes["source"],
            "calibration": len(self.calibration),
            "sets": dict(sorted(sets.items())),
            "sites": len({post.group for post in self.calibration}),
            "bands": self._bands(promise.threshold),
        }

    def _bands(self, threshold: float) -> list[dict[str, Any]]:
        """For each band of probability from the threshold on: calibration posts, those right, the lower bound."""
        edges = [threshold, *(edge for edge in BANDS if edge > threshold)]
        found = []
        for low, high in zip(edges, [*edges[1:], inf], strict=True):
            posts = [post for post in self.calibration if low <= post.score < high]
            right = sum(post.right for post in posts)
            bound = lower_bound(right, len(posts))
            found.append({"from": low, "posts": len(posts), "right": right, "bound": bound})
        return found

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "weights": dict(zip(NAMES, self.head.weights.tolist(), strict=True)),
            "intercept": self.head.intercept,
            "calibration": [list(one) for one in self.calibration],
            "notes": dict(self.notes),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "PublicationModel":
        """A model from plain data; ValueError for other features than NAMES."""
        if set(data["weights"]) != set(NAMES):
            raise ValueError("other features")
        weights = np.array([float(data["weights"][name]) for name in NAMES])
        posts = tuple(CalibrationPost(float(s), bool(r), str(g), str(f)) for s, r, g, f in data["calibration"])
        notes = {str(name): str(text) for name, text in data["notes"].items()}
        return cls(Logistic(weights, float(data["intercept"])), posts, notes)


@lru_cache(maxsize=64)
def _promised(posts: tuple[CalibrationPost, ...], precision: float) -> Promise:
    """A promise is made once, though posts come to the stage one by one."""
    return promised(posts, precision)
