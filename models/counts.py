"""How many values a question asks for, learned: words, word pairs and triples of its requests and of the whole."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from extractors.equations.posed_size import posed_size
from extractors.text.plain import plain_maths
from models.asked import asked_size
from models.exact import Matrix, on_grid, softmax
from models.logistic import fit_softmax
from models.post_grams import BUCKETS, bucket

MOST: Final = 4
"""The last outcome stands for this many values and more."""
UNKNOWN: Final = (1 / MOST,) * MOST
COST: Final = 2.0
MAX_QUESTION: Final = 5_000
_TOKEN: Final = re.compile(r"[a-z]+|\d+(?:\.\d+)?|[?.,%$=]|\n")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s|\n")
_REQUEST: Final = re.compile(
    r"\?|\b(?:how|what|whats|which|find|determine|calculate|solve|tell|need|list|give|who|when)\b"
)
_WHOLE: Final = 0.5
"""What a word or a pair of the whole question weighs against one of a request."""
_WORDED: Final = 1.5


def features(question: str) -> dict[int, float]:
    """The places that a question fills in the hashed space, with their values.

    Words, pairs and triples of each sentence that asks; those of the last such sentence once more; words and pairs of
    all; how often it asks; and what its wording (``models/asked.py``) or the equations that it sets say of the count.
    Numerals are one word.
    """
    text = plain_maths(question[:MAX_QUESTION]).text.lower()
    requests = [part for part in _SENTENCE.split(text) if _REQUEST.search(part)]
    found: dict[int, float] = {}
    _add(found, "whole ", _words(text), 2, _WHOLE)
    for part in requests:
        _add(found, "asks ", _words(part), 3, 1.0)
    _add(found, "last ", _words(requests[-1]) if requests else [b"nothing asked"], 3, 1.0)
    found[bucket(f"worded {asked_size(text)}")] = _WORDED
    found[bucket(f"posed {posed_size(text)}")] = _WORDED
    found[bucket(f"{min(len(requests), MOST)} requests")] = 1.0
    found[bucket(f"{min(text.count('='), MOST)} equations")] = 1.0
    return found


def _words(text: str) -> list[bytes]:
    words = ["0" if token[0].isdigit() else token for token in _TOKEN.findall(text)]
    return [word.encode() for word in ("<", *words, ">")]


def _add(found: dict[int, float], prefix: str, words: Sequence[bytes], longest: int, value: float) -> None:
    """Puts in the places of all runs of up to ``longest`` words: those of ``bucket``, each run from the one before.

    ``value`` is at least that of the places put in before.
    """
    runs = list(map(crc32, words, repeat(crc32(prefix.encode()))))
    following = [b" " + word for word in words]
    for length in range(1, longest + 1):
        found.update(dict.fromkeys([run % BUCKETS for run in runs], value))
        runs = list(map(crc32, following[length:], runs))


def _rows(questions: Sequence[str]) -> csr_matrix:
    places: list[int] = []
    values: list[float] = []
    ends = [0]
    for question in questions:
        found = features(question)
        held = sorted(found)
        places += held
        values += [found[place] for place in held]
        ends.append(len(places))
    return csr_matrix((on_grid(values), np.array(places, dtype=np.intp), ends), shape=(len(questions), BUCKETS))


@dataclass(frozen=True)
class CountModel:
    """A row of weights over the hashed space and an intercept for each of 1, 2, 3 values, and MOST or more."""

    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]

    def chances(self, question: str) -> tuple[float, ...]:
        """How likely the question asks for 1, 2, 3, and MOST or more values; UNKNOWN for an empty one."""
        if not question.strip():
            return UNKNOWN
        found = features(question)
        values = on_grid(list(found.values()))
        # sums on the grid are exact in any order
        scores = values @ self._weights[list(found)] + self._intercepts
        shares: list[float] = softmax(scores).tolist()
        return tuple(shares)

    @cached_property
    def _weights(self) -> Matrix:
        return np.ascontiguousarray(np.array(self.weights).T)

    @cached_property
    def _intercepts(self) -> Matrix:
        return np.array(self.intercepts)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "CountModel":
        """A model from plain data; ValueError for data of another shape."""
        weights = tuple(tuple(map(float, row)) for row in data["weights"])
        intercepts = tuple(map(float, data["intercepts"]))
        if len(weights) != MOST or len(intercepts) != MOST or any(len(row) != BUCKETS for row in weights):
            raise ValueError(f"not {MOST} rows of {BUCKETS} weights")
        return cls(weights, intercepts)


def fit_counts(questions: Sequence[str], sizes: Sequence[int], importance: Sequence[float]) -> CountModel:
    """Fit on questions with the number of values that each asks for, and what each counts."""
    outcomes: NDArray[np.intp] = np.array([min(size, MOST) - 1 for size in sizes], dtype=np.intp)
    fitted = fit_softmax(_rows(questions), outcomes, _importance(importance), MOST, COST)
    return CountModel(tuple(tuple(row) for row in fitted.weights.tolist()), tuple(fitted.intercepts.tolist()))


def _importance(values: Sequence[float]) -> Matrix:
    return np.array(values, dtype=np.float64)


def likeliest(chances: Sequence[float]) -> int:
    """The likeliest number of values, the smallest of equals."""
    return 1 + max(range(len(chances)), key=lambda place: (chances[place], -place))


def chance_of(chances: Sequence[float], size: int) -> float:
    """How likely so many values are asked."""
    return chances[min(size, len(chances)) - 1] if size else 0.0


def chance_of_more(chances: Sequence[float], size: int) -> float:
    """How likely more values are asked."""
    return sum(chances[size:])
