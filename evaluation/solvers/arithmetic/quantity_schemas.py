"""What an arithmetic solver sees of a question: its quantities with unit, clause and rate words, and what is asked.

After the quantity schemas of Roy and Roth (EMNLP 2015, section 4), without a dependency parser: the words around a
number stand for its verb and its neighbours, the words right behind it for its unit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from evaluation.solvers.sim import NUMBER, Span, Text, lemma
from extractors.quantities.numbers import find_numbers

MAX_QUANTITIES: Final = 8
"""Questions with more textual numbers are passed over: the expressions over them grow beyond any beam."""
PASSED_OVER: Final = frozenset({"article", "pronoun", "coin", "ordinal", "place", "parity"})
"""Kinds of number that a word implies rather than states."""
RATE_WORDS: Final = frozenset({"each", "every", "per", "apiece"})
_SENTENCE_ENDS: Final = frozenset(".?!")
_CLAUSE_ENDS: Final = frozenset({",", ";", ":", "and", "but", "if", "then", "while", "so", *_SENTENCE_ENDS})
_UNIT_ENDS: Final = frozenset(
    {*_CLAUSE_ENDS, "of", "in", "on", "to", "for", "from", "at", "with", "were", "are", "is", "was", "did", "does"}
    | {"do", "that", "he", "she", "they", "you", "i", "more", "less", "fewer", "left", "each", "every", "per", "than"}
    | {"now", "a", "an", "the", "his", "her", "their", "have", "has", "had", "will", "would", "can", "could", NUMBER}
)
_ASKING: Final = frozenset({"how", "what", "what's"})
_LONGEST_UNIT: Final = 4


@dataclass(frozen=True)
class TextQuantity:
    """A textual number: its characters, value and place among the tokens, and the stretches of tokens around it.

    ``unit`` is the lemma of the last word of its unit, ``rate`` a rate word near it; either may be empty.
    """

    span: Span
    value: Fraction
    place: int
    sentence: Span
    clause: Span
    unit: str
    rate: str
    asked: bool


@dataclass(frozen=True)
class ReadQuestion:
    """A question as tokens and their lemmas, with its quantities; ``asked`` are the tokens of the question itself."""

    tokens: tuple[str, ...]
    lemmas: tuple[str, ...]
    quantities: tuple[TextQuantity, ...]
    asked: Span
    asked_unit: str

    def words(self, stretch: Span) -> tuple[str, ...]:
        """The lemmas of a stretch of tokens."""
        return self.lemmas[slice(*stretch)]

    @property
    def counted(self) -> bool:
        """Whether the answer is a whole number: things are counted, and all numbers stated are whole."""
        asked = self.tokens[slice(*self.asked)]
        return asked[:2] == ("how", "many") and all(one.value.denominator == 1 for one in self.quantities)


@lru_cache(maxsize=4096)
def read_question(question: str) -> ReadQuestion | None:
    """The quantities of a question; None where it states none or more than MAX_QUANTITIES."""
    numbers = [number for number in find_numbers(question) if number.kind not in PASSED_OVER]
    if not 0 < len(numbers) <= MAX_QUANTITIES:
        return None
    values = {(number.start, number.end): number.value for number in numbers}
    text = Text.of(question, list(values))
    asked = _asked(text.tokens)
    found = [
        _quantity(text.tokens, (span, values[span], place), asked)
        for span, place in zip(text.numbers, text.places, strict=True)
    ]
    lemmas = tuple(lemma(token) for token in text.tokens)
    return ReadQuestion(text.tokens, lemmas, tuple(found), asked, _asked_unit(text.tokens, asked))


def _asked(tokens: Sequence[str]) -> Span:
    """The tokens from the last "how" or "what" on, or else the last sentence."""
    starts = [i for i, token in enumerate(tokens) if token in _ASKING]
    return (max(starts) if starts else _around(tokens, max(0, len(tokens) - 2), _SENTENCE_ENDS)[0]), len(tokens)


def _quantity(tokens: Sequence[str], number: tuple[Span, Fraction, int], asked: Span) -> TextQuantity:
    span, value, place = number
    sentence, clause = _around(tokens, place, _SENTENCE_ENDS), _around(tokens, place, _CLAUSE_ENDS)
    unit = "$" if tokens[place - 1 : place] == ("$",) else _unit(tokens, place + 1)
    return TextQuantity(span, value, place, sentence, clause, unit, _rate(tokens, place, clause), place >= asked[0])


def _around(tokens: Sequence[str], place: int, ends: frozenset[str]) -> Span:
    """The stretch of tokens around a place that holds no end."""
    start = next((i + 1 for i in range(place - 1, -1, -1) if tokens[i] in ends), 0)
    return start, next((i for i in range(place + 1, len(tokens)) if tokens[i] in ends), len(tokens))


def _unit(tokens: Sequence[str], start: int) -> str:
    """The lemma of the last word before one that ends a unit; empty where that is the first one."""
    unit = ""
    for token in tokens[start : start + _LONGEST_UNIT]:
        if token in _UNIT_ENDS:
            break
        unit = token
    return lemma(unit)


def _rate(tokens: Sequence[str], place: int, clause: Span) -> str:
    """The rate word of a clause that is the nearest to a number, or else "a" or "an" behind it ("5 miles a day")."""
    found = [(abs(i - place), tokens[i]) for i in range(*clause) if tokens[i] in RATE_WORDS]
    behind = [(i - place, tokens[i]) for i in range(place + 2, min(place + 5, clause[1])) if tokens[i] in ("a", "an")]
    return min(found or behind, default=(0, ""))[1]


def _asked_unit(tokens: Sequence[str], asked: Span) -> str:
    """The words behind "how many" or "how much"."""
    for i in range(asked[0], asked[1] - 1):
        if tokens[i] == "how" and tokens[i + 1] in ("many", "much"):
            return _unit(tokens, i + 2 + (tokens[i + 2 : i + 3] == ("more",)))
    return ""
