"""The post model: is a post one elementary problem, and if not, what is it (Dolphin18K, section 3.1).

Multinomial logistic regression over words, pieces of words and a few counts; the probability of one elementary problem
is calibrated by Platt's method on scores of posts that the regression was not fitted on.

Every numeral reads as 0; the counts know number words, too. They are those that won posts of sites that the model was
not fitted on; whether an answer asks back, solves several things or is lost is for its words to say.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from math import log1p
from typing import Any, Final

import numpy as np
import scipy
from numpy.typing import NDArray

from corpus.records import ScopeOutcome
from extractors.text.wordlists import read_list, words
from models.label_split import OUTCOMES
from models.linear import Matrix, in_steps, of_steps, on_grid, sigmoid, softmax

MAX_QUESTION: Final = 6_000
MAX_ANSWERS: Final = 8
MAX_ANSWER: Final = 1_500
MAX_WORD: Final = 24
NUMBER: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_TOKEN: Final = re.compile(r"[a-z']+|0|[?=+*/^%]|\\[a-z]+")
_ITEM: Final = re.compile(r"^\s*\(?(?:[a-h]|[1-9][0-9]?|[ivx]{1,4})[.):]", re.MULTILINE)
_NUMBER_WORDS: Final = frozenset(words(read_list("models/number_words")))
_PLENTY: Final = {"words": 400, "numbers": 30, "question marks": 10, "items of an answer": 6, "words of an answer": 300}
"""At which number a logarithmic count is 1."""
BLOCKS: Final = {"question": 4, "pieces of the question": 20, "answers": 4, "pieces of the answers": 20}
"""Kinds of terms, and in how many posts a term has to stand so that a model learns it."""
Places = NDArray[np.intp]
PostRow = tuple[Places, Matrix]
"""The columns of a sparse row that are not empty, and their values."""


@dataclass(frozen=True)
class ReadPost:
    """The counts of a post by name, the words and pairs of its question, and the words of it and of its answers."""

    counts: dict[str, float]
    question: Sequence[str]
    asked: Sequence[str]
    said: Sequence[str]

    @property
    def terms(self) -> tuple[Sequence[str], ...]:
        """A list for each of BLOCKS."""
        return self.question, _pieces(self.asked), self.said, _pieces(self.said)


def read_post(question: str, answers: Sequence[str]) -> ReadPost:
    """Read a post, lower case and cut to the first 6,000 characters and 8 answers of 1,500."""
    text = question[:MAX_QUESTION].lower()
    replies = [answer[:MAX_ANSWER].lower() for answer in answers[:MAX_ANSWERS] if answer.strip()]
    asked, replied = _words(text), [_words(reply) for reply in replies]
    said = list(chain.from_iterable(replied))
    pairs = [f"{first} {second}" for first, second in pairwise(asked)]
    return ReadPost(_counts(text, asked, replies, replied), [*asked, *pairs], asked, said)


def _words(text: str) -> list[str]:
    return _TOKEN.findall(NUMBER.sub("0", text))


def _pieces(tokens: Iterable[str]) -> list[str]:
    return list(chain.from_iterable(map(_pieces_of, tokens)))


def _pieces_of(word: str) -> tuple[str, ...]:
    """The runs of three and four characters of a word of four or more, word borders marked."""
    marked = f"<{word[:MAX_WORD]}>"
    sizes = (3, 4) if len(word) > 3 else ()
    return tuple(marked[at : at + size] for size in sizes for at in range(len(marked) - size + 1))


def _counts(
    question: str, asked: Sequence[str], replies: Sequence[str], replied: Sequence[Sequence[str]]
) -> dict[str, float]:
    numbers, marks = asked.count("0") + sum(map(_NUMBER_WORDS.__contains__, asked)), question.count("?")
    many = {
        "words": len(asked),
        "numbers": numbers,
        "question marks": marks,
        "items of an answer": max((len(_ITEM.findall(reply)) for reply in replies), default=0),
        "words of an answer": max(map(len, replied), default=0),
    }
    return {
        **{name: log1p(min(count, _PLENTY[name])) / log1p(_PLENTY[name]) for name, count in many.items()},
        "no number": float(numbers == 0),
        "one number": float(numbers == 1),
        "no question mark": float(marks == 0),
        "share of signs": sum(len(word) == 1 for word in asked) / max(1, len(asked)),
        "no answer": float(not replies),
        "answers with numbers": sum("0" in said for said in replied) / max(1, len(replies)),
        "answers with equations": sum("=" in said for said in replied) / max(1, len(replies)),
    }


COUNTS: Final = tuple(read_post("", ()).counts)


@dataclass(frozen=True)
class Vocabulary:
    """The terms of one block that a model knows, sorted, and the weight of each by how few posts it stood in."""

    terms: tuple[str, ...]
    rarity: tuple[float, ...]

    @classmethod
    def of(cls, posts: Sequence[Sequence[str]], least: int) -> "Vocabulary":
        """The terms that stand in ``least`` of the posts, with their inverse document frequency.

        >>> Vocabulary.of([["how", "many"], ["how", "how"]], 2)
        Vocabulary(terms=('how',), rarity=(1.0,))
        """
        held = Counter(chain.from_iterable(map(set, posts)))
        terms = sorted(term for term, count in held.items() if count >= least)
        rarity = np.log((1 + len(posts)) / (1 + np.array([held[term] for term in terms], dtype=np.float64))) + 1
        return cls(tuple(terms), tuple(on_grid(rarity).tolist()))

    @cached_property
    def _place(self) -> dict[str, int]:
        return {term: place for place, term in enumerate(self.terms)}

    @cached_property
    def _rarity(self) -> Matrix:
        return np.array(self.rarity)

    @cached_property
    def _places(self) -> Callable[[str], list[int]]:
        """The places of the pieces of a word that are known; words return."""
        places = self._place
        return lru_cache(maxsize=50_000)(lambda word: [places[one] for one in _pieces_of(word) if one in places])

    def row(self, found: Iterable[str], of_words: bool = False) -> PostRow:
        """The terms of a text that are known, or the pieces ``of_words``: logarithmic counts times rarity, of length 1,
        on the grid."""
        counted = Counter(chain.from_iterable(map(self._places, found)) if of_words else map(self._place.get, found))
        held = sorted(place for place in counted if place is not None)
        places = np.array(held, dtype=np.intp)
        values = on_grid((1 + np.log(list(map(counted.__getitem__, held)))) * self._rarity[places])
        return places, on_grid(values / np.sqrt(max(1.0, float(values @ values))))


def row_of(post: ReadPost, known: Sequence[Vocabulary], counts: Sequence[str] = COUNTS) -> PostRow:
    """A post as a row: some counts, then its terms block by block."""
    start = len(counts)
    places, values = [np.arange(start, dtype=np.intp)], [on_grid([post.counts[name] for name in counts])]
    texts = ((post.question, False), (post.asked, True), (post.said, False), (post.said, True))
    for block, text in zip(known, texts, strict=True):
        held, weighed = block.row(*text)
        places.append(held + start)
        values.append(weighed)
        start += len(block.terms)
    return np.concatenate(places), np.concatenate(values)


def matrix_of(rows: Sequence[PostRow], width: int) -> "scipy.sparse.csr_matrix":
    """Rows as a sparse matrix of so many columns."""
    ends = np.cumsum([0, *(len(places) for places, _ in rows)])
    places = np.concatenate([np.zeros(0, dtype=np.intp), *(places for places, _ in rows)])
    values = np.concatenate([np.zeros(0), *(values for _, values in rows)])
    return scipy.sparse.csr_matrix((values, places, ends), shape=(len(rows), width))


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

    ``counts`` names those that it was fitted with: a later one says nothing until a model is fitted with it.
    ``slope`` and ``offset`` calibrate the log odds of ok; from ``threshold`` on a post is kept.
    """

    known: tuple[Vocabulary, ...]
    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]
    slope: float
    offset: float
    threshold: float
    notes: dict[str, str]
    counts: tuple[str, ...] = COUNTS

    def __post_init__(self) -> None:
        width = len(self.counts) + sum(len(block.terms) for block in self.known)
        found = {len(self.weights), len(self.intercepts)}, {len(row) for row in self.weights}
        if found != ({len(OUTCOMES)}, {width}) or any(len(one.terms) != len(one.rarity) for one in self.known):
            raise ValueError(f"not {len(OUTCOMES)} outcomes with {width} weights each")

    @cached_property
    def _columns(self) -> Matrix:
        """The weights, a row for each column of a post."""
        return np.ascontiguousarray(np.array(self.weights).T)

    def row(self, question: str, answers: Sequence[str]) -> PostRow:
        """A post as the model sees it, from its cleaned question and the texts of its answers."""
        return row_of(read_post(question, answers), self.known, self.counts)

    def probabilities(self, row: PostRow) -> Matrix:
        """Probabilities of OUTCOMES before calibration."""
        places, values = row
        scores: Matrix = values @ self._columns[places] + np.array(self.intercepts)
        return softmax(scores)

    def scope(self, question: str, answers: Sequence[str]) -> ScopePrediction:
        """Classify a post from its cleaned question and the texts of its answers."""
        return self.scope_of(self.row(question, answers))

    def scope_of(self, row: PostRow) -> ScopePrediction:
        """Classify a post that is read already."""
        found = self.probabilities(row)
        probability = float(sigmoid(self.slope * log_odds(float(found[0])) + self.offset))
        other = OUTCOMES[1 + int(np.argmax(found[1:]))]
        outcome = ScopeOutcome.OK if probability >= self.threshold else other
        return ScopePrediction(probability, outcome, other, self.threshold)

    def reasons(self, row: PostRow, against: ScopeOutcome, count: int = 3) -> tuple[str, ...]:
        """The counts and words that weigh most for or against keeping a post, strongest first, with their weight.

        The weight is a share in the log odds of ok against the outcome ``against``. Words stand in quotes.
        """
        places, values = row
        shares = values * (self._columns[places, 0] - self._columns[places, OUTCOMES.index(against)])
        named = [(self._names[place], share) for place, share in zip(places, shares, strict=True) if self._names[place]]
        strongest = sorted(named, key=lambda pair: -abs(pair[1]))[:count]
        return tuple(f"{name} {share:+.1f}" for name, share in strongest)

    @cached_property
    def _names(self) -> list[str]:
        """What each column is called as a reason; nothing for pieces of words."""
        forms = [_NAMED.get(name, "") for name in BLOCKS]
        blocks = zip(forms, self.known, strict=True)
        return [*self.counts, *(form.format(term) for form, block in blocks for term in block.terms)]

    def as_dict(self) -> dict[str, Any]:
        """Plain data for the model file; what lies on the grid is given in its steps."""
        return {
            "outcomes": list(OUTCOMES),
            "counts": list(self.counts),
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
        named = tuple(data["counts"])
        if tuple(data["outcomes"]) != OUTCOMES or not set(named) <= set(COUNTS):
            raise ValueError(f"outcomes {data['outcomes']} and counts {named}")
        return cls(
            known=tuple(Vocabulary(tuple(data["terms"][name]), of_steps(data["rarity"][name])) for name in BLOCKS),
            weights=tuple(map(of_steps, data["weights"])),
            intercepts=of_steps(data["intercepts"]),
            slope=float(data["slope"]),
            offset=float(data["offset"]),
            threshold=float(data["threshold"]),
            notes=dict(data["notes"]),
            counts=named,
        )
