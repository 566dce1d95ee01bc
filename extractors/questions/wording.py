"""A question in one spelling: words in lower case, numbers as exact rationals, one blank between tokens.

Patterns for questions are written against this spelling. They are sure only where they account for every number, so a
page keeps which of its numbers have been used. Its numbers are sorted by what they measure: money, percentages, times,
lengths, speeds, and the others.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from extractors.quantities.numbers import Number
from extractors.text.wordlists import read_list, words

MAX_CHARACTERS: Final = 500
MAX_NUMBERS: Final = 10
NUMBER: Final = r"(-?\d+(?:/\d+)?)"
"""A number of the spelling, as a group; MAX_CHARACTERS bounds those that the number reader passes over."""
COUNTED_WORDS: Final = frozenset(words(read_list("extractors/counting_words")))
"""Words that say as much as a number: a sure reading accounts for them as well."""
_WORDS_KEPT: Final = frozenset({"multiplier", "coin", "ordinal", "parity", "place", "pronoun"})
_TOKEN: Final = re.compile(r"-?\d+(?:/\d+)?|[a-z]+(?:'[a-z]+)?|[$%.,;:?!=+*/()-]")
_PERCENT: Final = re.compile(r"\bper ?cent(?:age)?\b|\bpct\b")
_SPELLINGS: Final = str.maketrans({"’": "'", "‘": "'", "−": "-", "–": "-", "—": " - ", "×": "*", "“": " ", "”": " "})
_ACTORS: Final = "|".join(words(read_list("extractors/actors")))

WordingRules: TypeAlias = tuple[tuple[re.Pattern[str], str], ...]
"""Patterns, each with the spelling it gives; applied one after the other."""


def rules(table: str) -> WordingRules:
    r"""Rules from lines ``pattern => spelling``, over whole tokens; ``#`` is a number as a group.

    A pattern may end in a look-ahead at what follows.

    >>> table = rules(r"one is # longer (?=than) => one is \1 more")
    >>> Page("one is 3 longer than it".split()).rewritten(table, frozenset()).text
    ' one is 3 more than it '
    """
    found = []
    for line in filter(None, map(str.strip, table.splitlines())):
        pattern, spelling = line.split(" => ") if " => " in line else (line.removesuffix(" =>"), "")
        looks_ahead = re.search(r" \(\?[=!][^ ].*\)\Z", pattern) is not None
        whole = f" {pattern.replace('#', NUMBER)}{'' if looks_ahead else ' '}"
        found.append((re.compile(whole), f" {spelling} " if spelling else " "))
    return tuple(found)


@dataclass
class Page:
    """A question in the spelling of this module; ``used`` are the tokens of numbers that a pattern accounts for."""

    tokens: Sequence[str]
    used: set[int] = field(default_factory=set)

    @cached_property
    def text(self) -> str:
        """The tokens with a blank on both sides of each."""
        return f" {' '.join(self.tokens)} "

    @cached_property
    def starts(self) -> dict[int, int]:
        """Where a token begins in the text -> its place."""
        found, at = {}, 1
        for place, token in enumerate(self.tokens):
            found[at] = place
            at += len(token) + 1
        return found

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The places of the numbers."""
        return tuple(place for place, token in enumerate(self.tokens) if is_number(token))

    @cached_property
    def weighty(self) -> frozenset[int]:
        """The places of the numbers and of the words that say as much."""
        words = (place for place, token in enumerate(self.tokens) if token in COUNTED_WORDS)
        return frozenset((*self.numbers, *words))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every different token."""
        return frozenset(self.tokens)

    def has(self, *words: str) -> bool:
        """Whether one of some words stands in the question."""
        return not self.words.isdisjoint(words)

    def value(self, place: int) -> Fraction:
        """The number at a place."""
        return Fraction(self.tokens[place])

    def before(self, place: int) -> str:
        """The token before a place, "" for the first."""
        return self.tokens[place - 1] if place else ""

    def after(self, place: int) -> str:
        """The token behind a place, "" for the last."""
        return self.tokens[place + 1] if place + 1 < len(self.tokens) else ""

    def unused(self) -> "Page":
        """The page with no number used yet; what was found about its tokens stays."""
        self.used.clear()
        return self

    def rewritten(self, rules: WordingRules, dropped: frozenset[str]) -> "Page":
        """The question without some words, and with the spellings that the rules give it."""
        return Page(_respelled(f" {' '.join(token for token in self.tokens if token not in dropped)} ", rules).split())

    def search(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first match of a pattern; the numbers in its groups and its weighty words count as used."""
        found = pattern.search(self.text)
        if found is not None:
            self.use(found)
        return found

    def use(self, found: re.Match[str]) -> None:
        """Marks the numbers in the groups of a match and its weighty words as used."""
        for group in range(1, found.re.groups + 1):
            place = self.starts.get(found.start(group))
            if place is not None:
                self.used.add(place)
        for start, place in self.starts.items():
            if found.start() <= start < found.end() and not is_number(self.tokens[place]):
                self.used.add(place)

    @property
    def complete(self) -> bool:
        """Whether every number, and every word that says as much, is accounted for."""
        return self.used.issuperset(self.weighty)


def is_number(token: str) -> bool:
    """Whether a token is a number.

    >>> is_number("7/2"), is_number("-3"), is_number("-"), is_number("two")
    (True, True, False, False)
    """
    return token[-1].isdecimal()


def page_of(question: str, numbers: Iterable[Number]) -> Page | None:
    """The page of a question with its textual numbers; None for one that is too long, or divides by zero.

    >>> from extractors.quantities.numbers import find_numbers
    >>> text = "Half of Al's $2.50 is 50% of two numbers"
    >>> page_of(text, find_numbers(text)).text
    " half of al's $ 5/2 is 50 % of 2 numbers "
    """
    if len(question) > MAX_CHARACTERS:
        return None
    parts, at, count = [], 0, 0
    for number in numbers:
        if number.kind in _WORDS_KEPT:
            continue
        parts += [question[at : number.start], f" {number.value} "]
        at, count = number.end, count + 1
    if not 0 < count <= MAX_NUMBERS:
        return None
    lower = "".join([*parts, question[at:]]).lower().translate(_SPELLINGS)
    text = f" {' '.join(_TOKEN.findall(_PERCENT.sub(' % ', lower)))} "
    tokens = _respelled(text, _REPAIRS).split()
    return None if any(_is_over_zero(token) for token in tokens if "/" in token) else Page(tokens)


def _is_over_zero(token: str) -> bool:
    """Whether a token is a quotient by zero: digits in names and dates (``12/0/2010``) are no numbers to the reader."""
    denominator = token.partition("/")[2]
    return denominator.isdecimal() and not int(denominator)


def _respelled(text: str, rules: WordingRules) -> str:
    for pattern, spelling in rules:
        text = pattern.sub(spelling, text)
    return text


_UNITS: Final = "cm|m|mm|km|ft|feet|in|inches|yards|yds|meters|metres|centimeters|centimetres|miles|units"
_REPAIRS: Final[WordingRules] = rules(
    rf"""
    \$ (-?\d+(?:/\d+)?(?: %)?) \$ => \1
    \(? ?a (?:\)|\.) (?:\$ )?-?\d[^?]{{0,200}}? b (?:\)|\.)[^?]{{0,300}} => .
    ({_UNITS}) squared (?=[.,?!;:)] |and |find |what |how |with ) => square \1
    2 (?=(?:other |more |different )?(?:{_ACTORS}) ) =>
    a third (?=of |and |, ) => 1/3
    a fourth (?=of |and |, ) => 1/4
    """
)
"""Formulas in dollar signs, lists of options, "84 cm squared", "2 trains", "a third of"."""

_MONEY_SIGNS: Final = ("$", "rs")
_MONEY_UNITS: Final = ("dollars", "cents", "bucks")


class Amounts(NamedTuple):
    """The places of sums of money, of percentages and of the other numbers."""

    money: Sequence[int]
    percent: Sequence[int]
    others: Sequence[int]


def amounts_of(page: Page) -> Amounts:
    """Sorts the numbers of a page."""
    money, percent, others = list[int](), list[int](), list[int]()
    for place in page.numbers:
        before, after = page.before(place), page.after(place)
        if after == "%":
            percent.append(place)
        elif before in _MONEY_SIGNS or after in _MONEY_UNITS:
            money.append(place)
        else:
            others.append(place)
    return Amounts(money, percent, others)


def dollars(page: Page, place: int) -> Fraction:
    """A sum of money, cents as hundredths."""
    return page.value(place) / (100 if page.after(place) == "cents" else 1)
