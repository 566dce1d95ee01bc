"""The post model: is a post one elementary problem, and if not, what is it (Dolphin18K, section 3.1).

Multinomial logistic regression over hashed word and character n-grams and structural features; the probability of one
elementary problem is calibrated by Platt's method on scores of posts that the regression was not fitted on.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from models.features import Matrix
from models.labels import OUTCOMES
from models.post_features import BUCKETS, STRUCTURE_NAMES, PostView, hashed, post_view, structure


@dataclass(frozen=True, slots=True)
class Scope:
    """``probability`` that the post is one elementary problem, and the likeliest ``outcome``, ok from 0.5 on."""

    probability: float
    outcome: str


def post_row(post: PostView) -> Matrix:
    """All features of a post: structure first, then the hashed space."""
    return np.concatenate([structure(post), hashed(post)])


def log_odds(probability: float) -> float:
    """The logarithm of the odds, bounded."""
    bounded = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(bounded / (1 - bounded))


@dataclass(frozen=True)
class PostModel:
    """Weights by outcome, in the order of OUTCOMES; ``slope`` and ``offset`` calibrate the log odds of ok."""

    structure: dict[str, tuple[float, ...]]
    grams: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    slope: float
    offset: float
    notes: dict[str, str]

    def __post_init__(self) -> None:
        columns = np.array([self.structure[name] for name in STRUCTURE_NAMES])
        grams = np.array(self.grams)
        if columns.shape[1] != len(OUTCOMES) or grams.shape != (len(OUTCOMES), BUCKETS):
            raise ValueError(f"weights of shape {columns.shape} and {grams.shape}")

    @cached_property
    def _matrix(self) -> Matrix:
        columns = np.array([self.structure[name] for name in STRUCTURE_NAMES])
        return np.concatenate([columns.T, np.array(self.grams)], axis=1)

    @cached_property
    def _intercepts(self) -> Matrix:
        return np.array(self.intercepts)

    def probabilities(self, row: Matrix) -> Matrix:
        """Probabilities of OUTCOMES before calibration."""
        scores: Matrix = self._matrix @ row + self._intercepts
        exponentials = np.exp(scores - scores.max())
        result: Matrix = exponentials / exponentials.sum()
        return result

    def scope(self, question: str, answers: Sequence[str]) -> Scope:
        """Classify a post from its cleaned question and the texts of its answers."""
        found = self.probabilities(post_row(post_view(question, answers)))
        score = self.slope * log_odds(float(found[0])) + self.offset
        probability = 1 / (1 + math.exp(-max(-60.0, min(60.0, score))))
        other = OUTCOMES[1 + int(np.argmax(found[1:]))]
        return Scope(probability, "ok" if probability >= 0.5 else other)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the model file."""
        return {
            "outcomes": list(OUTCOMES),
            "structure": {name: list(weights) for name, weights in self.structure.items()},
            "grams": [list(row) for row in self.grams],
            "intercepts": list(self.intercepts),
            "slope": self.slope,
            "offset": self.offset,
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
            notes=dict(data["notes"]),
        )
