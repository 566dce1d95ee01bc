"""The post model: is a post one elementary problem, and if not, what is it (Dolphin18K, section 3.1).

Multinomial logistic regression over words, pieces of words and a few counts; the probability of one elementary problem
is calibrated by Platt's method on scores of posts that the regression was not fitted on.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from corpus.records import ScopeOutcome
from models.label_split import OUTCOMES
from models.linear import Matrix, in_steps, of_steps, sigmoid, softmax
from models.post_features import BLOCKS, COUNTS, ReadPost, Vocabulary, read_post, row_of

LEAST_SHARE: Final = 1e-9
"""Probabilities nearer to 0 or 1 than this count as this near."""
_NAMED: Final = {"question": '"{}"', "answers": 'answers: "{}"'}
"""How terms are shown as reasons; pieces of words say nothing to a reader."""


@dataclass(frozen=True, slots=True)
class ScopePrediction:
    """``probability`` that the post is one elementary problem, and the likeliest ``outcome``.

    The outcome is ok from the model's ``threshold`` on; ``against`` is the likeliest other one.
    """

    probability: float
    outcome: ScopeOutcome
    against: ScopeOutcome
    threshold: float = 1.0

    def sure(self, least: float | None = None) -> bool:
        """Whether the probability reaches ``least``: that of a build, or for None the model's threshold."""
        return self.probability >= (self.threshold if least is None else least)


def log_odds(probability: float) -> float:
    """The logarithm of the odds, bounded."""
    bounded = min(max(probability, LEAST_SHARE), 1 - LEAST_SHARE)
    return math.log(bounded / (1 - bounded))


@dataclass(frozen=True)
class PostModel:
    """``known`` terms by block, and ``weights``: a row for each of OUTCOMES, the counts first, then the terms.

    ``slope`` and ``offset`` calibrate the log odds of ok; from ``threshold`` on a post is kept.
    """

    known: tuple[Vocabulary, ...]
    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    slope: float
    offset: float
    threshold: float
    notes: dict[str, str]

    def __post_init__(self) -> None:
        width = len(COUNTS) + sum(len(block.terms) for block in self.known)
        found = {len(self.weights), len(self.intercepts)}, {len(row) for row in self.weights}
        if found != ({len(OUTCOMES)}, {width}) or any(len(one.terms) != len(one.rarity) for one in self.known):
            raise ValueError(f"not {len(OUTCOMES)} outcomes with {width} weights each")

    @cached_property
    def _columns(self) -> Matrix:
        """The weights, a row for each column of a post."""
        return np.ascontiguousarray(np.array(self.weights).T)

    def probabilities(self, post: ReadPost) -> Matrix:
        """Probabilities of OUTCOMES before calibration."""
        places, values = row_of(post, self.known)
        scores: Matrix = values @ self._columns[places] + np.array(self.intercepts)
        return softmax(scores)

    def scope(self, question: str, answers: Sequence[str]) -> ScopePrediction:
        """Classify a post from its cleaned question and the texts of its answers."""
        found = self.probabilities(read_post(question, answers))
        probability = float(sigmoid(self.slope * log_odds(float(found[0])) + self.offset))
        other = OUTCOMES[1 + int(np.argmax(found[1:]))]
        outcome = ScopeOutcome.OK if probability >= self.threshold else other
        return ScopePrediction(probability, outcome, other, self.threshold)

    def reasons(self, question: str, answers: Sequence[str], against: ScopeOutcome, count: int = 3) -> tuple[str, ...]:
        """The counts and words that weigh most for or against keeping a post, strongest first, with their weight.

        The weight is a share in the log odds of ok against the outcome ``against``. Words stand in quotes.
        """
        places, values = row_of(read_post(question, answers), self.known)
        shares = values * (self._columns[places, 0] - self._columns[places, OUTCOMES.index(against)])
        named = [(self._names[place], share) for place, share in zip(places, shares, strict=True) if self._names[place]]
        strongest = sorted(named, key=lambda pair: -abs(pair[1]))[:count]
        return tuple(f"{name} {share:+.1f}" for name, share in strongest)

    @cached_property
    def _names(self) -> list[str]:
        """What each column is called as a reason; nothing for pieces of words."""
        forms = [_NAMED.get(name, "") for name in BLOCKS]
        blocks = zip(forms, self.known, strict=True)
        return [*COUNTS, *(form.format(term) for form, block in blocks for term in block.terms)]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the model file; what lies on the grid is given in its steps."""
        return {
            "outcomes": list(OUTCOMES),
            "counts": list(COUNTS),
            "terms": {name: list(block.terms) for name, block in zip(BLOCKS, self.known, strict=True)},
            "rarity": {name: in_steps(block.rarity) for name, block in zip(BLOCKS, self.known, strict=True)},
            "weights": [in_steps(row) for row in self.weights],
            "intercepts": in_steps(self.intercepts),
            "slope": self.slope,
            "offset": self.offset,
            "threshold": self.threshold,
            "notes": self.notes,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "PostModel":
        """A model from plain data; KeyError, TypeError or ValueError for data of another shape."""
        if (tuple(data["outcomes"]), tuple(data["counts"])) != (OUTCOMES, COUNTS):
            raise ValueError(f"outcomes {data['outcomes']} and counts {data['counts']}")
        return cls(
            known=tuple(Vocabulary(tuple(data["terms"][name]), of_steps(data["rarity"][name])) for name in BLOCKS),
            weights=tuple(map(of_steps, data["weights"])),
            intercepts=of_steps(data["intercepts"]),
            slope=float(data["slope"]),
            offset=float(data["offset"]),
            threshold=float(data["threshold"]),
            notes=dict(data["notes"]),
        )
