"""What an arithmetic solver sees of a question: its quantities with unit, clause and rate words, and what is asked.

After the quantity schemas of Roy and Roth (EMNLP 2015, section 4), without a dependency parser: the words around a
number stand for its verb and its neighbours, the words right behind it for its unit. The plain features of a pair are
those of that paper: unit, rate, verb and comparison words near a quantity, what two units have in common, and words of
the question. The wide ones are those that LCA++ adds (Roy and Roth, AAAI 2017): the words of the neighbourhood of each
quantity and of the stretch between them, and keywords in conjunction with the quantities.
"""

from collections.abc import Iterator, Sequence
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


# fmt: off
KEYWORDS: Final = (
    "each", "every", "per", "total", "altogether", "together", "all", "more", "less", "few", "than", "difference",
    "start", "begin", "first", "originally", "now", "still", "leave", "cost", "much", "time", "equal", "group", "split",
    "share", "rest", "remain", "some",
)
_EMPTY: Final = frozenset({
    "the", "a", "of", "to", "in", "and", ".", "?", "!", ",", "#", "how", "many", "much", "do", "have", "be", "he",
    "she", "they", "his", "her", "their", "-", "it",
})
# fmt: on
_COMPARING: Final = frozenset({"more", "less", "few", "fewer", "than", "long", "tall", "old", "times"})
_UNTOLD: Final = frozenset({"some", "several", "more", "other", "rest"})


def quantity_features(read: ReadQuestion, index: int) -> list[str]:
    """The features of one quantity, by which its relevance is judged."""
    one = read.quantities[index]
    asked = set(read.words(read.asked))
    same = sum(other.unit == one.unit for other in read.quantities) - 1
    shared = len((set(read.words(one.sentence)) & asked) - _EMPTY)
    return [
        f"count {len(read.quantities)}",
        f"place {index}/{len(read.quantities)}",
        f"asked {one.asked}",
        f"small {min(one.value, 3)}",
        f"rate {one.rate}",
        f"unit {one.unit}",
        f"unit asked {one.unit == read.asked_unit} {bool(one.unit) and one.unit in asked}",
        f"unit shared {min(same, 2)}",
        f"words shared {min(shared, 4)}",
        *_window(read, one, 4, "at"),
        *_grams(read.words(one.clause), 2, "clause"),
    ]


def _window(read: ReadQuestion, one: TextQuantity, reach: int, name: str) -> Iterator[str]:
    for step in (*range(-reach, 0), *range(1, reach + 1)):
        if 0 <= one.place + step < len(read.lemmas):
            yield f"{name}{step} {read.lemmas[one.place + step]}"


def _grams(words: Sequence[str], longest: int, name: str) -> Iterator[str]:
    for length in range(1, longest + 1):
        for start in range(len(words) - length + 1):
            yield f"{name} {' '.join(words[start : start + length])}"


def plain_features(read: ReadQuestion, pair: tuple[int, int]) -> list[str]:
    """The features of a pair of quantities after Roy and Roth (2015)."""
    first, second = (read.quantities[index] for index in pair)
    relation = _relation(read, first, second)
    return [
        f"count {len(read.quantities)}",
        f"places {pair[0]} {pair[1]} of {len(read.quantities)}",
        f"order {_order(first, second)}",
        f"relation {relation}",
        f"relation {relation} {_order(first, second)}",
        f"asked {first.asked} {second.asked}",
        f"one sentence {first.sentence == second.sentence}",
        *_beside(read, first, "first"),
        *_beside(read, second, "second"),
        *_grams(read.words(read.asked), 2, "asked"),
    ]


def _beside(read: ReadQuestion, one: TextQuantity, name: str) -> Iterator[str]:
    """Rate, comparison words and neighbours of one of a pair.

    Comparison words of its clause come with whether the clause begins or ends like something that is asked about.
    """
    yield f"{name} rate {one.rate}"
    words, asked = read.words(one.clause), set(read.words(read.asked)) - _EMPTY
    yield from (f"{name} compares {w} {words[0] in asked} {words[-1] in asked}" for w in words if w in _COMPARING)
    yield from _window(read, one, 3, name)


def _relation(read: ReadQuestion, first: TextQuantity, second: TextQuantity) -> str:
    """Which of two quantities is a rate, whether their units are the same, and which one's unit is asked."""
    rates = "f" * bool(first.rate) + "s" * bool(second.rate)
    units = "?" if not (first.unit and second.unit) else "=" if first.unit == second.unit else "!"
    asked = set(read.words(read.asked)) - {""}
    wanted = "f" * (first.unit in asked) + "s" * (second.unit in asked)
    exact = "f" * (first.unit == read.asked_unit != "") + "s" * (second.unit == read.asked_unit != "")
    return f"rates {rates or '-'} units {units} asked {wanted or '-'} {exact or '-'}"


def _order(first: TextQuantity, second: TextQuantity) -> str:
    return "<" if first.value < second.value else ">" if first.value > second.value else "="


def wide_features(read: ReadQuestion, pair: tuple[int, int]) -> list[str]:
    """The features of a pair of quantities after LCA++: the plain ones and those of the neighbourhood."""
    first, second = (read.quantities[index] for index in pair)
    return [
        *plain_features(read, pair),
        f"divides {_divides(first, second)}",
        *_grams(read.words(read.asked), 3, "asked"),
        *_grams(read.words(first.clause), 2, "first clause"),
        *_grams(read.words(second.clause), 2, "second clause"),
        *_grams(read.lemmas[first.place + 1 : second.place], 2, "between"),
        *(f"first unit {first.unit}", f"second unit {second.unit}"),
        *_keywords(read, first, second),
        *_untold(read, first, second),
    ]


def _divides(first: TextQuantity, second: TextQuantity) -> bool:
    small, large = sorted((first.value, second.value))
    return small > 0 and small != large and (large / small).denominator == 1


def _keywords(read: ReadQuestion, first: TextQuantity, second: TextQuantity) -> Iterator[str]:
    """Keywords in the question or before it, alone and with the order and the relation of the quantities."""
    asked, text = set(read.words(read.asked)), set(read.lemmas)
    relation, order = _relation(read, first, second), _order(first, second)
    for word in KEYWORDS:
        if word in text:
            key = f"keyword {word} {word in asked}"
            yield from (key, f"{key} {order}", f"{key} {relation}")


def _untold(read: ReadQuestion, first: TextQuantity, second: TextQuantity) -> Iterator[str]:
    """Words for an amount that no number states ("some", "several"): where they stand, and what is asked."""
    last = read.asked[0]
    for place in range(last):
        word = read.lemmas[place]
        if word in _UNTOLD and NUMBER not in read.lemmas[max(0, place - 2) : place + 3]:
            side = "before" if place < first.place else "between" if place < second.place else "behind"
            yield f"untold {word} {side}"
            yield from (f"untold {side} {key}" for key in KEYWORDS if key in read.words(read.asked))
            yield from _grams(read.lemmas[max(0, place - 2) : place + 2], 2, f"untold {side}")


def graph_features(read: ReadQuestion, pair: tuple[int, int]) -> list[str]:
    """The features of an edge of a unit dependency graph; -1 is the question, and stands first."""
    first, second = pair
    one = read.quantities[second]
    if first >= 0:
        names = (*plain_features(read, pair), *_keywords(read, read.quantities[first], one))
        return [f"edge {name}" for name in names]
    words = read.words(read.asked)
    known = f"{one.unit == read.asked_unit} {bool(one.unit) and one.unit in words} {one.rate}"
    return [
        *quantity_features(read, second),
        *_grams(words, 2, "question"),
        *(f"question {word} {known}" for word in words),
    ]
