"""SIM, the similarity solver of Dolphin18K (section 4.1), and the text that solvers read.

A problem takes the template of the training problem whose words and pairs of words are most like its own (TF-IDF
weights, weighted Jaccard similarity); one with another count of numbers is less like it. Its numbers fill the slots as
in that one of the training problems with this template where the words around them are changed least: edit distances of
the contexts, summed over the cheapest assignment.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import simplemma
from scipy.optimize import linear_sum_assignment

from corpus.benchmarks.gold_problems import GoldProblem
from curation.equivalence.reconciliation import slots_of
from evaluation.solvers.predictions import NumberPlace, Prediction
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import find_numbers
from extractors.templates.induction import InducedTemplate, induce

NUMBER = "#"
MAX_TOKENS = 400
CONTEXT = 3
"""Tokens on each side of a number that are compared."""
TRIED = 10
"""Training problems that are tried, the most similar first, until the slots of one can be filled."""
FILLED_LIKE = 30
"""Training problems with the template, the most similar ones, of which one says how the slots are filled."""
OTHER_COUNT = 0.7
"""What the similarity to a problem with another count of numbers is worth."""
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|[^\w\s]")
_NAMED = frozenset({"coin", "multiplier", "parity", "place", "article", "pronoun", "ordinal"})
"""Kinds of number that are the sense of a word ("dimes", "twice") and stay that word."""

Span = tuple[int, int]


@dataclass(frozen=True)
class Text:
    """Words in lower case and signs, with a mark for each number that is written as one.

    ``numbers`` are the spans of the numbers, ``places`` theirs in ``tokens``.
    """

    tokens: tuple[str, ...]
    numbers: tuple[Span, ...]
    places: tuple[int, ...]

    @classmethod
    def of(cls, question: str, numbers: Sequence[Span] | None = None) -> "Text":
        """The text with these numbers, or those that are found; of overlapping ones the first counts."""
        spans: list[Span] = []
        for span in sorted(_spans(question) if numbers is None else numbers):
            if not spans or span[0] >= spans[-1][1]:
                spans.append(span)
        pieces = list(spans)
        bounds = [0, *(place for span in spans for place in span), len(question)]
        for start, end in zip(bounds[::2], bounds[1::2], strict=True):
            pieces += [match.span() for match in _TOKEN.finditer(question, start, end)]
        known = set(spans)
        ordered = sorted(pieces)[:MAX_TOKENS]
        tokens = tuple([_mark(question[slice(*p)]) if p in known else question[slice(*p)].lower() for p in ordered])
        found = [(piece, place) for place, piece in enumerate(ordered) if piece in known]
        return cls(tokens, tuple(piece for piece, _ in found), tuple(place for _, place in found))

    def context(self, number: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tokens before a number, the nearest first, and those after it."""
        place = self.places[number]
        return self.tokens[max(0, place - CONTEXT) : place][::-1], self.tokens[place + 1 : place + 1 + CONTEXT]


def _spans(question: str) -> list[Span]:
    return [(number.start, number.end) for number in find_numbers(question)]


@lru_cache(maxsize=50_000)
def lemma(word: str) -> str:
    """The lemma of a word in lower case; other tokens as they are.

    >>> lemma("apples"), lemma("gave"), lemma("#")
    ('apple', 'give', '#')
    """
    return str(simplemma.lemmatize(word, lang="en")).lower() if word.isalpha() else word


def _mark(raw: str) -> str:
    """The token of a number: a mark, or the word itself where the number is the sense of a word."""
    if any(character.isdigit() for character in raw):
        return NUMBER
    kinds = {number.kind for number in find_numbers(raw)}
    return raw.lower() if kinds <= _NAMED else NUMBER


@dataclass(frozen=True)
class TrainingProblem:
    """A training problem: its text, its template, and which number of the text each slot is (by place)."""

    text: Text
    template: tuple[str, ...]
    slots: Mapping[str, int]


def induced(problem: GoldProblem) -> InducedTemplate | None:
    """The template of a problem by its text and equations alone; None where they cannot be read."""
    return _induced(problem.question, problem.equations, problem.unknowns)


@lru_cache(maxsize=8192)
def _induced(question: str, equations: tuple[str, ...], unknowns: tuple[str, ...]) -> InducedTemplate | None:
    try:
        return induce(question, find_numbers(question), equations, unknowns or None)
    except ExtractionError:
        return None


def aligned_template(problem: GoldProblem, *, released: bool = True) -> tuple[tuple[str, ...], dict[str, Span]] | None:
    """The template of a problem with the place of each slot: the released one where all of it is aligned, else by rule.

    Without ``released`` always by rule. None where there is none.
    """
    spans = {one.slot: (one.start, one.end) for one in problem.alignment}
    if released and problem.template and set(slots_of(problem.template)) <= set(spans):
        return problem.template, spans
    found = induced(problem)
    return None if found is None else (found.template, {one.slot: (one.start, one.end) for one in found.alignment})


def example_of(problem: GoldProblem) -> TrainingProblem | None:
    """A training problem; None where it has no template, or where a slot's number does not stand in the text."""
    found = aligned_template(problem)
    if found is None:
        return None
    template, spans = found
    known = _spans(problem.question)
    known += [span for span in spans.values() if not any(a < span[1] and span[0] < b for a, b in known)]
    text = Text.of(problem.question, known)
    slots = {slot: _touched(text.numbers, spans[slot]) for slot in slots_of(template)}
    placed = {slot: place for slot, place in slots.items() if place is not None}
    return TrainingProblem(text, template, placed) if len(placed) == len(slots) else None


def _touched(numbers: Sequence[Span], span: Span) -> int | None:
    found = (place for place, (start, end) in enumerate(numbers) if start < span[1] and span[0] < end)
    return next(found, None)


class Sim:
    """The solver: it gives the template of the most similar problem, with the numbers that fill its slots."""

    def __init__(self) -> None:
        self.learn([])

    def fit(self, problems: Sequence[GoldProblem]) -> None:
        """Learn from the problems whose slots all stand in the text."""
        found = (example_of(one) for one in problems if one.question.strip())
        self.learn([example for example in found if example is not None])

    def learn(self, examples: Sequence[TrainingProblem]) -> None:
        """Weigh the words of training problems."""
        self.examples = examples
        counts = Counter(word for example in examples for word in set(_words(example.text)))
        self._idf = {word: math.log((1 + len(examples)) / count) for word, count in counts.items()}
        self._counts = np.array([len(example.text.numbers) for example in examples], dtype=np.intp)
        self._sums = np.zeros(len(examples))
        postings: dict[str, list[tuple[int, float]]] = {}
        for index, example in enumerate(examples):
            for word, weight in self._weights(example.text).items():
                postings.setdefault(word, []).append((index, weight))
                self._sums[index] += weight
        self._postings = {word: np.array(found).T for word, found in postings.items()}

    def solve(self, question: str) -> Prediction | None:
        """The derivation by the most similar problem whose slots can be filled; None if there is none."""
        text = Text.of(question)
        found = self.filled(text)
        return None if found is None else derivation(*found, text)

    def _weights(self, text: Text) -> dict[str, float]:
        unseen = math.log(1 + len(self.examples))
        return {word: count * self._idf.get(word, unseen) for word, count in sorted(Counter(_words(text)).items())}

    def similarities(self, text: Text) -> npt.NDArray[np.float64]:
        """Weighted Jaccard similarity to every training problem: sum of minima over sum of maxima.

        Less for one with another count of numbers.
        """
        weights = self._weights(text)
        shared = np.zeros(len(self.examples))
        for word, weight in weights.items():
            if word in self._postings:
                ids, others = self._postings[word]
                shared[ids.astype(np.intp)] += np.minimum(others, weight)
        whole = self._sums + math.fsum(weights.values()) - shared
        alike = np.divide(shared, whole, out=np.zeros_like(shared), where=whole > 0)
        return np.where(self._counts == len(text.numbers), alike, OTHER_COUNT * alike)

    def filled(self, text: Text) -> tuple[TrainingProblem, list[int]] | None:
        """The most similar problem by which the slots of its template can be filled, with the place of each number."""
        order = [self.examples[int(index)] for index in np.argsort(-self.similarities(text), kind="stable")]
        for example in order[:TRIED]:
            alike = [one for one in order if one.template == example.template][:FILLED_LIKE]
            found = [(filling, one) for one in alike if (filling := self.fill(one, text)) is not None]
            if found:
                (_, places), chosen = min(found, key=lambda one: one[0][0])
                return chosen, places
        return None

    def fill(self, example: TrainingProblem, text: Text) -> tuple[float, list[int]] | None:
        """For each slot the place of its number in ``text``, and what that costs; None where a slot stays empty."""
        wanted = sorted(set(example.slots.values()))
        if len(text.numbers) < len(wanted):
            return None
        places = range(len(text.numbers))
        costs = np.array([[_cost((example.text, number), (text, place)) for place in places] for number in wanted])
        costs = costs.reshape(len(wanted), len(places))
        rows, chosen = linear_sum_assignment(costs)
        at = {number: int(place) for number, place in zip(wanted, chosen, strict=True)}
        return float(costs[rows, chosen].sum()), [at[number] for number in example.slots.values()]


def _words(text: Text) -> list[str]:
    """The words, and each pair of tokens."""
    return [*(token for token in text.tokens if token != NUMBER), *map(" ".join, pairwise(text.tokens))]


def derivation(example: TrainingProblem, places: Sequence[int], text: Text) -> Prediction:
    """The template of a training problem, with the number at a place of the text in each slot."""
    aligned: dict[str, NumberPlace] = {
        slot: ("span", *text.numbers[place]) for slot, place in zip(example.slots, places, strict=True)
    }
    return Prediction(example.template, aligned)


def _cost(left: tuple[Text, int], right: tuple[Text, int]) -> int:
    """How unlike two numbers are: edits between their contexts, and then how far apart they stand in order."""
    (before, after), (other_before, other_after) = left[0].context(left[1]), right[0].context(right[1])
    edits = edit_distance(before, other_before) + edit_distance(after, other_after)
    return CONTEXT * edits + abs(left[1] - right[1])


@lru_cache(maxsize=100_000)
def edit_distance(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """Tokens put in, left out or exchanged to make one sequence of the other.

    >>> edit_distance(("ann", "has"), ("tom", "now", "has"))
    2
    """
    row = list(range(len(second) + 1))
    for i, left in enumerate(first, 1):
        above, row = row, [i]
        for j, right in enumerate(second, 1):
            row.append(min(above[j - 1] + (left != right), above[j] + 1, row[-1] + 1))
    return row[-1]
