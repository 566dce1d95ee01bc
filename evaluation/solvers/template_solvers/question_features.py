"""A question as template solvers see it: its words, its numbers, and what is known of each number and each pair.

The features are those of Kushman et al. (ACL 2014, table 4) and Zhou et al. (EMNLP 2015, table 2) as far as they need
no dependency parser: words around a number instead of paths in a parse, the unit behind it instead of its noun phrase.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from curation.near_texts.plain_tokens import STOP_WORDS
from evaluation.solvers.sim import NUMBER, Span, Text, lemma
from extractors.quantities.numbers import Number, find_numbers

MAX_NUMBERS = 9
"""Textual numbers of a question that is solved; with more there are too many alignments."""
WINDOW = 3
"""Words on each side of a number."""
_PATH = 4
_ENDS = frozenset(".?!")
_ASKING = frozenset(("what", "how", "find", "which", "who", "determine", "calculate", "compute", "when", "where"))
Features = tuple[str, ...]


def _is_content(word: str) -> bool:
    return word.isalpha() and word not in STOP_WORDS


@dataclass(frozen=True)
class NumberedQuestion:
    """A question with its textual numbers, in the order of the text.

    ``words`` describe it as a whole, ``single[a]`` number ``a``, ``pairs[a][b]`` number ``a`` beside number ``b``.
    """

    numbers: tuple[Number, ...]
    words: Features
    single: tuple[Features, ...]
    pairs: tuple[tuple[Features, ...], ...]

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The values of the numbers."""
        return tuple(number.value for number in self.numbers)

    def place_of(self, span: Span) -> int | None:
        """Which number stands at these characters."""
        found = (place for place, one in enumerate(self.numbers) if one.start < span[1] and span[0] < one.end)
        return next(found, None)


@lru_cache(maxsize=4096)
def read_question(question: str) -> NumberedQuestion:
    """What template solvers see of a question."""
    known = {(number.start, number.end): number for number in find_numbers(question)}
    text = Text.of(question, list(known))
    numbers = tuple(known[span] for span in text.numbers)
    view = _QuestionView(text, numbers, tuple(lemma(token) for token in text.tokens), _sentences(text.tokens))
    places = range(len(numbers))
    few = len(numbers) <= MAX_NUMBERS
    return NumberedQuestion(
        numbers,
        tuple(dict.fromkeys(view.whole())),
        tuple(tuple(dict.fromkeys(view.single(a))) for a in places) if few else (),
        tuple(tuple(tuple(view.pair(a, b)) if a != b else () for b in places) for a in places) if few else (),
    )


def _sentences(tokens: Sequence[str]) -> tuple[int, ...]:
    """The sentence of each token."""
    found, sentence = [], 0
    for token in tokens:
        found.append(sentence)
        sentence += token in _ENDS
    return tuple(found)


@dataclass(frozen=True)
class _QuestionView:
    text: Text
    numbers: tuple[Number, ...]
    lemmas: tuple[str, ...]
    sentences: tuple[int, ...]

    def _asks(self, sentence: int) -> bool:
        """Whether a sentence asks: it ends with a question mark, or begins like a question."""
        words = [word for word, at in zip(self.lemmas, self.sentences, strict=True) if at == sentence]
        return bool(words) and (words[-1] == "?" or any(word in _ASKING for word in words[:2]))

    def whole(self) -> Iterator[str]:
        """Words and pairs of words, those of the question apart."""
        asking = {sentence for sentence in set(self.sentences) if self._asks(sentence)}
        yield from self.lemmas
        for first, second in pairwise(self.lemmas):
            yield f"{first} {second}"
        asked = [word for word, at in zip(self.lemmas, self.sentences, strict=True) if at in asking]
        yield from (f"?{word}" for word in asked)
        yield from (f"?{first} {second}" for first, second in pairwise(asked))
        yield f"{len(self.numbers)} numbers"

    def _unit(self, number: int) -> str:
        """The first word behind a number that is none of grammar, in its sentence; empty where there is none."""
        place = self.text.places[number]
        for at in range(place + 1, min(place + 1 + WINDOW, len(self.lemmas))):
            if self.sentences[at] != self.sentences[place]:
                break
            if _is_content(self.lemmas[at]):
                return self.lemmas[at]
        return ""

    def _near(self, number: int) -> tuple[str, ...]:
        """The words around a number that are none of grammar."""
        place = self.text.places[number]
        around = self.lemmas[max(0, place - WINDOW) : place] + self.lemmas[place + 1 : place + 1 + WINDOW]
        return tuple(word for word in around if _is_content(word))

    def single(self, number: int) -> Iterator[str]:
        """What is known of one number."""
        one, place = self.numbers[number], self.text.places[number]
        yield "bias"
        yield f"kind {one.kind}"
        yield f"unit {one.unit}"
        for offset in range(1, WINDOW + 1):
            yield f"-{offset} {self.lemmas[place - offset] if place >= offset else '<'}"
            yield f"+{offset} {self.lemmas[place + offset] if place + offset < len(self.lemmas) else '>'}"
        before = self.lemmas[max(0, place - 2) : place]
        yield f"-2-1 {' '.join(before)}"
        yield f"+1+2 {' '.join(self.lemmas[place + 1 : place + 3])}"
        yield from (f"near {word}" for word in self._near(number))
        yield from self._size(number)
        asks = self._asks(self.sentences[place])
        yield f"asked {asks}"
        yield f"rank {number}"
        yield f"rank {number} of {len(self.numbers)}"
        unit = self._unit(number)
        asked = {word for at, word in enumerate(self.lemmas) if self._asks(self.sentences[at]) and at != place}
        yield f"unit asked {bool(unit) and unit in asked}"

    def _size(self, number: int) -> Iterator[str]:
        value, others = self.numbers[number].value, [one.value for one in self.numbers]
        yield f"is {value}" if value in (1, 2, 100) else f"whole {value.denominator == 1}"
        if 0 < value < 1:
            yield "below one"
        yield f"largest {value == max(others)}"
        yield f"smallest {value == min(others)}"

    def pair(self, first: int, second: int) -> Iterator[str]:
        """What is known of two numbers, in this order."""
        one, two = self.numbers[first], self.numbers[second]
        start, end = self.text.places[first], self.text.places[second]
        yield "bias"
        yield f"before {first < second}"
        yield f"apart {max(-3, min(3, second - first))}"
        yield f"sentences {max(-2, min(2, self.sentences[end] - self.sentences[start]))}"
        yield f"larger {(one.value > two.value) - (one.value < two.value)}"
        units = self._unit(first), self._unit(second)
        same = bool(units[0]) and units[0] == units[1]
        yield f"same unit {same}"
        yield f"same unit {same} apart {max(-3, min(3, second - first))}"
        yield f"kinds {one.kind == two.kind}"
        yield f"units {one.unit or '-'} {two.unit or '-'}"
        near, other = set(self._near(first)), set(self._near(second))
        shared = len(near & other)
        yield f"shared {min(shared, 3)}"
        yield f"shared {min(shared, 3)} before {first < second}"
        if abs(end - start) <= _PATH + 1:
            low, high = min(start, end), max(start, end)
            yield f"path {first < second} {' '.join(self.lemmas[low + 1 : high])}"
        for offset in (-1, 1):
            words = [self.lemmas[at] if 0 <= at < len(self.lemmas) else "" for at in (start + offset, end + offset)]
            yield f"same word {offset} {words[0] == words[1] and words[0] not in ('', NUMBER)}"
