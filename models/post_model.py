"""The post model: is a post one elementary problem, and if not, what is it (Dolphin18K, section 3.1).

Multinomial logistic regression over hashed word and character n-grams and structural features; the probability of one
elementary problem is calibrated by Platt's method on scores of posts that the regression was not fitted on.
"""

import functools
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from corpus.config import ClassifyConfig
from corpus.records import ScopeOutcome
from models.exact import Matrix, log, on_grid, softmax
from models.label_split import OUTCOMES
from models.post_features import MAX_QUESTION, STRUCTURE_NAMES, AnalysedPost, analyse_post, structure

BUCKETS: Final = 4096
MAX_WORD: Final = 24
Places = NDArray[np.intp]
_LOGARITHMS: Final = on_grid(log(np.arange(1.0, 4 * MAX_QUESTION)))
"""Of one more than each count: a question has fewer than four n-grams for each of its characters."""


def bucket(text: str) -> int:
    """The place of an n-gram in the hashed space: CRC-32, the same on every machine.

    >>> bucket("how many")
    2926
    """
    return zlib.crc32(text.encode()) % BUCKETS


@functools.lru_cache(maxsize=50_000)
def _word_buckets(word: str) -> Places:
    """The word itself and its character n-grams of three and four, word borders marked."""
    word = word[:MAX_WORD]
    marked = f"<{word}>"
    grams = [marked[at : at + size] for size in (3, 4) for at in range(len(marked) - size + 1)] if len(word) > 3 else []
    return np.array([bucket(word), *(bucket("c" + gram) for gram in grams)], dtype=np.intp)


@functools.lru_cache(maxsize=100_000)
def _pair_bucket(first: str, second: str) -> int:
    return bucket(f"{first[:MAX_WORD]} {second[:MAX_WORD]}")


def hashed(post: AnalysedPost) -> tuple[Places, Matrix]:
    """Words, word pairs and character n-grams of the question in the hashed space: logarithmic counts of length 1.

    Only the places that are not empty are given, ascending, with their values.
    """
    pairs = np.array([*map(_pair_bucket, post.tokens, post.tokens[1:])], dtype=np.intp)
    found = np.bincount(np.concatenate([pairs, *map(_word_buckets, post.tokens)]), minlength=BUCKETS)
    held = np.flatnonzero(found > 0)
    values = _LOGARITHMS[found[held]]
    norm = float(np.sqrt(values @ values))
    return held, on_grid(values / norm) if norm else values


LEAST_SHARE: Final = 1e-9
"""Probabilities nearer to 0 or 1 than this count as this near."""


@dataclass(frozen=True, slots=True)
class ScopePrediction:
    """``probability`` that the post is one elementary problem, and the likeliest ``outcome``.

    The outcome is ok from the model's ``threshold`` on; ``against`` is the likeliest other one.
    """

    probability: float
    outcome: ScopeOutcome
    against: ScopeOutcome
    threshold: float = 1.0

    def sure(self, least: float | None = ClassifyConfig().min_probability) -> bool:
        """Whether the probability reaches ``least``: that of a build, or for None the model's threshold."""
        return self.probability >= (self.threshold if least is None else least)


def log_odds(probability: float) -> float:
    """The logarithm of the odds, bounded."""
    bounded = min(max(probability, LEAST_SHARE), 1 - LEAST_SHARE)
    return math.log(bounded / (1 - bounded))


@dataclass(frozen=True)
class PostModel:
    """Weights by outcome, in the order of OUTCOMES; ``slope`` and ``offset`` calibrate the log odds of ok.

    ``threshold`` is the least probability of a post that is kept.
    """

    structure: dict[str, tuple[float, ...]]
    grams: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    slope: float
    offset: float
    threshold: float
    notes: dict[str, str]

    def __post_init__(self) -> None:
        columns = np.array([self.structure[name] for name in STRUCTURE_NAMES])
        grams = np.array(self.grams)
        if columns.shape[1] != len(OUTCOMES) or grams.shape != (len(OUTCOMES), BUCKETS):
            raise ValueError(f"weights of shape {columns.shape} and {grams.shape}")

    @cached_property
    def _columns(self) -> tuple[Matrix, Matrix, Matrix]:
        """Weights of the structure and of the hashed space by place, a column an outcome, and the intercepts."""
        columns = np.array([self.structure[name] for name in STRUCTURE_NAMES])
        return columns, np.ascontiguousarray(np.array(self.grams).T), np.array(self.intercepts)

    def probabilities(self, post: AnalysedPost) -> Matrix:
        """Probabilities of OUTCOMES before calibration."""
        columns, grams, intercepts = self._columns
        places, values = hashed(post)
        scores: Matrix = structure(post) @ columns + values @ grams[places] + intercepts
        return softmax(scores)

    def scope(self, question: str, answers: Sequence[str]) -> ScopePrediction:
        """Classify a post from its cleaned question and the texts of its answers."""
        found = self.probabilities(analyse_post(question, answers))
        score = self.slope * log_odds(float(found[0])) + self.offset
        probability = 1 / (1 + math.exp(-max(-60.0, min(60.0, score))))
        other = OUTCOMES[1 + int(np.argmax(found[1:]))]
        outcome = ScopeOutcome.OK if probability >= self.threshold else other
        return ScopePrediction(probability, outcome, other, self.threshold)

    def reasons(self, question: str, answers: Sequence[str], against: ScopeOutcome, count: int = 3) -> tuple[str, ...]:
        """The structural features that weigh most for or against keeping a post, strongest first, with their weight.

        The weight is a feature's share in the log odds of ok against the outcome ``against``.
        """
        columns = self._columns[0]
        other = OUTCOMES.index(against)
        shares = structure(analyse_post(question, answers)) * (columns[:, 0] - columns[:, other])
        order = np.argsort(-np.abs(shares), kind="stable")[:count]
        return tuple(f"{STRUCTURE_NAMES[place]} {shares[place]:+.1f}" for place in order)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the model file."""
        return {
            "outcomes": list(OUTCOMES),
            "structure": {name: list(weights) for name, weights in self.structure.items()},
            "grams": [list(row) for row in self.grams],
            "intercepts": list(self.intercepts),
            "slope": self.slope,
            "offset": self.offset,
            "threshold": self.threshold,
            "notes": self.notes,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "PostModel":
        """A model from plain data; KeyError, TypeError or ValueError for data of another shape."""
        if tuple(data["outcomes"]) != OUTCOMES:
            raise ValueError(f"outcomes {data['outcomes']}")
        return cls(
            structure={name: tuple(map(float, data["structure"][name])) for name in STRUCTURE_NAMES},
            grams=tuple(tuple(map(float, row)) for row in data["grams"]),
            intercepts=tuple(map(float, data["intercepts"])),
            slope=float(data["slope"]),
            offset=float(data["offset"]),
            threshold=float(data["threshold"]),
            notes=dict(data["notes"]),
        )
