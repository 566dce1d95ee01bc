"""Texts as tokens that are the same however a problem is spelled, so that a leak shows whatever was done to it.

Numbers are their values ("two", 2 and 2.0; "$4" and "4 dollars"; "50 cents" and "$0.50"), units their names, given
names all alike. Markup, case, accents, quotes, hyphens, contractions and plural endings make no difference.
"""

import itertools
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Final, NamedTuple

from curation.near_texts.plain_tokens import GIVEN_NAMES, NUMBER_MASK, STOP_WORDS, NormalTokens
from extractors.extraction_errors import MAX_TEXT
from extractors.quantities.numbers import Number, find_numbers
from extractors.quantities.units import MONEY_UNITS, UNIT_NAMES
from extractors.text.plain import plain_maths

NAME_MASK: Final = "@"
_WORD: Final = re.compile(r"\d[\d.,:]*+|[^\W\d_]++(?>(?:'[^\W\d_]++)*)|[+*^=<>]|[-/]|[.?!](?!\w)")
_CASED: Final = re.compile(r"(?<![\d.])[A-Z]++")
# Behind a digit a capital letter counts: "$2M".
_NEGATED: Final = re.compile(r"(is|are|was|were|do|does|did|has|have|had|ca|could|would|should|wo)n'?t")
_ENDINGS: Final = re.compile(r"'(?:s|ll|re|ve|d|m)?\Z")
_INFLECTED: Final = re.compile(r"(?<=\w{4})(?:ing|ed)\Z|(?<=\w[xszh])es\Z|(?<=\w\w[^su])s\Z")
_SHORT: Final = {"sq": "square", "cu": "cubic"}
_UNSAID: Final = (MONEY_UNITS | {"percent", "per"}) - {"cent"}
"""Words that a sign may stand for."""
_AS_WORDS: Final = frozenset({"article", "pronoun", "parity", "place", "coin"})
"""Kinds of numbers that are read as the words that they are."""
_SMALL: Final = 10
_IN_LETTERS: Final = frozenset({"word", "ordinal"})
_OPTION: Final = re.compile(r"(?<!\S)[(\[]?([A-E])[).:\]](?=\s)|(?<!\S)[(\[]?([A-Ea-e])[)\]]", re.A)
_CHOICES: Final = re.compile(r"(?<!\w)(?:answer[ ])?(?:options|choices)[ ]{0,3}:", re.I)
_SENTENCE_END: Final = frozenset(".?!")


class TextNumber(NamedTuple):
    """A number among the tokens of a text: its place, its value, and whether a text may do without it.

    That is so of small numbers in letters ("cut into two pieces") and of 1 before a word ("1 gallon", "a gallon").
    """

    place: int
    value: str
    spare: bool


@dataclass(frozen=True)
class ComparableText:
    """The tokens of a text, where its sentences end among them, and its numbers; ``names`` are those it gives."""

    tokens: NormalTokens
    ends: tuple[int, ...]
    numbers: tuple[TextNumber, ...]
    names: frozenset[str]

    @cached_property
    def masked(self) -> NormalTokens:
        """The tokens with all numbers alike."""
        places = {number.place for number in self.numbers}
        return tuple(NUMBER_MASK if place in places else token for place, token in enumerate(self.tokens))

    @cached_property
    def asks_from(self) -> int:
        """Where the last sentence begins among the tokens: the question, as problems are written."""
        return max((end for end in self.ends if end < len(self.tokens)), default=0)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """Where each sentence begins and ends among the tokens."""
        borders = [0, *self.ends, len(self.tokens)]
        return tuple((start, end) for start, end in itertools.pairwise(borders) if start < end)

    def numbers_in(self, start: int, end: int) -> Sequence[TextNumber]:
        """The numbers of a part of the tokens."""
        first, behind = (bisect_left(self.numbers, border, key=attrgetter("place")) for border in (start, end))
        return self.numbers[first:behind]

    @cached_property
    def bound(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The numbers but a spare 1, in order, each with the words that it stands with, the one that tells most first.

        That is the next word of content before another number or the end of the sentence, its unit, or else the word
        of content before it.
        """
        borders = {number.place for number in self.numbers} | set(self.ends)
        told = (one for one in self.numbers if not (one.spare and one.value == "1"))
        return tuple((one.value, self._words_with(one.place, borders)) for one in told)

    def _words_with(self, number: int, borders: set[int]) -> tuple[str, ...]:
        units: list[str] = []
        for place in range(number + 1, len(self.tokens)):
            token = self.tokens[place]
            if place in borders or (_tells(token) and token not in _UNITS):
                return (*([token] if place not in borders else []), *units, *([] if units else self._before(number)))
            units += [token] if token in _UNITS else []
        return tuple(units or self._before(number))

    def _before(self, number: int) -> list[str]:
        words = (token for token in reversed(self.tokens[max(0, number - _REACH) : number]) if _tells(token))
        return [next(words, "")]


def _tells(token: str) -> bool:
    """Whether a token is a word of content."""
    return token.isalpha() and token not in STOP_WORDS


_REACH: Final = 8
_UNITS: Final = frozenset(UNIT_NAMES.values())


def comparable(text: str, *, without_options: bool = False) -> ComparableText:
    """The tokens of a text; ``without_options`` leaves out the answers to choose from that end it.

    >>> comparable("Don't sell <b>4.0</b> hens at $3!").tokens
    ('do', 'not', 'sell', '4', 'hen', 'at', '3')
    >>> comparable("do not sell four hens at 3 dollars").tokens
    ('do', 'not', 'sell', '4', 'hen', 'at', '3')
    """
    tokens: list[str] = []
    ends: list[int] = []
    numbers: list[TextNumber] = []
    names: set[str] = set()
    for token, kind in _marked(text, without_options):
        if kind == "end":
            ends.append(len(tokens))
            continue
        if kind == "name":
            names.add(token)
            token = NAME_MASK
        elif kind in ("number", "spare"):
            numbers.append(TextNumber(len(tokens), token, kind == "spare"))
        tokens.append(token)
    return ComparableText(tuple(tokens), tuple(dict.fromkeys(ends)), tuple(numbers), frozenset(names))


def has_options(text: str) -> bool:
    """Whether answers to choose from end a text, which ``without_options`` leaves out."""
    return any(_options_from(part) < len(part) for part in map(_plain, _readable(text)))


def _marked(text: str, without_options: bool) -> Iterator[tuple[str, str]]:
    for part in _readable(text):
        plain = _plain(part)
        plain = plain[: _options_from(plain)] if without_options else plain
        place, counted = 0, False
        for number in find_numbers(_CASED.sub(lambda word: word[0].lower(), plain)):
            if number.kind in _AS_WORDS:
                continue
            yield from _words(plain, (place, number.start), counted)
            yield from _number(number, plain)
            place, counted = number.end, True
        yield from _words(plain, (place, len(plain)), counted)


def _readable(text: str) -> Iterator[str]:
    """A text in parts of a length that is read, cut at blanks."""
    start = 0
    while len(text) - start > MAX_TEXT:
        blank = text.rfind(" ", start + 1, start + MAX_TEXT)
        end = blank if blank > start else start + MAX_TEXT
        yield text[start:end]
        start = end
    yield text[start:]


def _plain(text: str) -> str:
    """A text without markup, compatibility forms, accents and rows of blanks."""
    plain = unicodedata.normalize("NFKD", plain_maths(text).text[:MAX_TEXT])
    bare = "".join(char for char in plain if unicodedata.category(char) not in ("Mn", "Cf"))[:MAX_TEXT]
    return " ".join(bare.replace("’", "'").split())


def _options_from(text: str) -> int:
    """Where the options of a question begin that end it: behind ``options:``, or at ``A)`` of ``A) .. B) .. C)``.

    What asks something behind that place is no option.
    """
    named = _CHOICES.search(text)
    found = named.start() if named is not None else _listed_from(text)
    return found if found and "?" not in text[found:] else len(text)


def _listed_from(text: str) -> int:
    wanted, start = "a", 0
    for mark in _OPTION.finditer(text):
        letter = (mark[1] or mark[2]).lower()
        if letter == "a":
            wanted, start = "b", mark.start()
        elif letter == wanted:
            wanted = chr(ord(letter) + 1)
    return start if wanted > "c" else 0


def _number(number: Number, text: str) -> Iterator[tuple[str, str]]:
    in_cents = number.unit == "dollar" and 0 < number.value < 1
    value = number.value * 100 if in_cents else number.value
    token = f"{value}%" if number.unit == "percent" else str(value)
    small = number.kind in _IN_LETTERS and 0 < value <= _SMALL
    spare = small or (value == 1 and text[number.end + 1 : number.end + 2].isalpha())
    yield token, "spare" if spare else "number"
    if in_cents:
        yield "cent", "word"


def _words(text: str, span: tuple[int, int], counted: bool) -> Iterator[tuple[str, str]]:
    """The words between two numbers; the first one behind a number may be a short unit."""
    before, first = "", counted
    for match in _WORD.finditer(text, *span):
        raw = match[0].lower()
        if raw in _SENTENCE_END:
            if raw != "." or before not in UNIT_NAMES or not text[match.end() : match.end() + 4].lstrip()[:1].islower():
                yield "", "end"
        elif raw[0].isdecimal():
            yield raw.rstrip(".,:"), "number"
        elif raw in "-/":
            if _subtracts(text, match):
                yield raw, "word"
        else:
            yield from _word(raw, first)
        before, first = raw, False


def _subtracts(text: str, match: re.Match[str]) -> bool:
    """Whether a dash stands between two terms, and not between two words or before a number."""
    before = text[max(0, match.start() - 3) : match.start()].rstrip(" ")
    after = text[match.end() : match.end() + 3].lstrip(" ")
    return (before[-1:].isdigit() or before[-1:] == ")") and (after[:1].isdigit() or after[:1] == "(")


def _word(raw: str, after_number: bool) -> Iterator[tuple[str, str]]:
    negated = _NEGATED.fullmatch(raw)
    if negated is not None:
        yield negated[1], "word"
        yield "not", "word"
        return
    word = _ENDINGS.sub("", raw).replace("'", "")
    if word == "one":
        yield "1", "spare"
    elif word in GIVEN_NAMES:
        yield word, "name"
    elif word in UNIT_NAMES and (after_number or (len(word) > 1 and word not in STOP_WORDS)):
        yield from ((unit, "word") for unit in UNIT_NAMES[word].split("/") if unit not in _UNSAID)
    elif word and word not in _UNSAID:
        yield _SHORT.get(word, word if word in STOP_WORDS else _INFLECTED.sub("", word)), "word"


def same_numbers(ours: Sequence[TextNumber], theirs: Sequence[TextNumber]) -> bool:
    """Whether two texts state the same numbers in the same order; one of them may leave out those it can do without."""
    longer, shorter = (ours, theirs) if len(ours) >= len(theirs) else (theirs, ours)
    place = 0
    for number in longer:
        if place < len(shorter) and number.value == shorter[place].value:
            place += 1
        elif not number.spare:
            return False
    return place == len(shorter)
