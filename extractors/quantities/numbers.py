"""Textual numbers: every quantity a problem states, exact, with its characters.

A reading of "textual numbers" as in DRAW ("Annotating Derivations", section 2): numerals, number words, fractions,
coins and multipliers. ``raw`` holds just the characters that make the value, so a percent sign or a currency sign is
not part of it; kind and unit tell them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, NamedTuple

from extractors.extraction_errors import MAX_TEXT
from extractors.quantities import numerals as words
from extractors.quantities import units as contexts
from extractors.quantities.numerals import NumberToken, scan
from extractors.quantities.separators import scale_letters
from extractors.quantities.units import CURRENCY_LEADS, MONEY_UNITS, currency_before, unit_after
from extractors.quantities.words import (
    LONGEST_GAP,
    NumberReading,
    gap_between,
    read_cardinal,
    read_compound_ordinal,
    read_fraction_tail,
    read_point,
    read_scale_tail,
)
from extractors.text.sentences import remembered


class Number(NamedTuple):
    """A number in a text: ``text[start:end] == raw``.

    ``kind`` is one of integer, decimal, fraction, mixed, percent, money, word, ordinal, multiplier, coin, parity,
    place, article, pronoun. A percent keeps its own number: "25%" is 25. ``unit`` is a canonical name ("dollar",
    "mile").
    """

    value: Fraction
    start: int
    end: int
    raw: str
    kind: str
    unit: str | None = None


_NEGATIVE_WORD: Final = re.compile(
    r"(?:\bnegative|(?:(?:\A|[.?!:;(=\n][ ]*)|\b(?:is|are|be|was|were|equals?|of|to|than|times|between|by|from|at)[ ]+)"
    r"(minus))(?:[ ]+|-)\Z",
    re.I,
)
# "8 and minus 8" may be a subtraction as well, "plus or minus 5" stands for two numbers.
_DOUBTFUL_WORD: Final = re.compile(r"(?:,[ ]*|(?<!plus )\b(?:and|or|but)[ ]+)minus(?:[ ]+|-)\Z", re.I)
_SUBTRACTED_FROM: Final = re.compile(r"(?:[0-9)\]%½¼¾]|(?<![A-Za-z])[A-Za-z])[ ]*\Z|[A-Za-z]\Z")
_SPACED_MINUS: Final = re.compile(r"(?:[=(,]|\b(?:is|of|to|equals|and|between|by))[ ]*[-−–][ ]+\Z")
_AT_LINE_START: Final = re.compile(r"((?:\A|\n)[ \t]{0,8}[-−–])[ ]+\Z")
_LISTED: Final = re.compile(r"(?:\A|\n)[ \t]{0,8}[-−–][ ]")
_ORDINAL_SUFFIX: Final = re.compile(r"(?:st|nd|rd|th)s?(?![A-Za-z])", re.I)
_MINUS: Final = "-−–"
_AS_THEY_STAND: Final = frozenset({"coin", "multiplier", "parity", "place", "article", "pronoun", "ordinal"})
"""Kinds that neither a sign nor a currency changes."""
_SIGN_ENDS: Final = (*_MINUS, "ve", "us")
"""What a minus ends with: the sign, or the end of "negative" or "minus"."""
_LEADS: Final = CURRENCY_LEADS | frozenset("-−–esES")
"""What stands before a number, or before its blank, that has a currency or a sign."""


def find_numbers(text: str, *, every_word: bool = False) -> tuple[Number, ...]:
    """The numbers of ``text`` in order of appearance, disjoint.

    Numerals of more than 40 digits and exponents beyond 60 are passed over, and so are texts of more than
    ``MAX_TEXT`` characters. Time grows linearly with the text.

    ``every_word`` takes words that are hardly ever quantities, too: every "one", "next" and "last" before a unit of
    time, and the name of a digit's place for its weight ("the tens digit" = 10; 1 of 8 such names in DRAW).

    >>> [(str(n.value), n.raw, n.kind, n.unit) for n in find_numbers("Twice 2 1/2 lb at $1,200 with 25% off")]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('2', 'Twice', 'multiplier', None), ('5/2', '2 1/2', 'mixed', 'pound'), ('1200', '1,200', 'money', 'dollar'),
     ('25', '25', 'percent', 'percent')]
    >>> find_numbers("on one hand")
    ()
    """
    return _numbers_of(text, every_word=True) if every_word else _numbers(text)


def _numbers_of(text: str, *, every_word: bool) -> tuple[Number, ...]:
    if len(text) > MAX_TEXT:
        return ()
    tokens = scan(text)
    page = _Page(text, tokens, every_word)
    numbers: list[Number] = []
    index, consumed = 0, 0
    while index < len(tokens):
        token = tokens[index]
        if token.value is not None and token.start >= consumed and _is_apart(text, tokens, index):
            read, index = (token.value, token.start, token.end, token.kind), index + 1
        else:
            reading = None if token.start < consumed else _HANDLERS.get(token.word, _cardinal)(page, index)
            index = index + 1 if reading is None else max(reading.next, index + 1)
            if reading is None:
                continue
            read = reading[:-1]
        number = _finish(text, read, consumed) if read[-1] else None
        consumed = read[2] if number is None else number.end
        numbers += [number] if number is not None else []
    return tuple(numbers)


@remembered
def _numbers(text: str) -> tuple[Number, ...]:
    return _numbers_of(text, every_word=False)


def _is_apart(text: str, tokens: Sequence[NumberToken], index: int) -> bool:
    """Whether no word can change a numeral: neither a suffix ("5th") nor a number word that may join it."""
    token = tokens[index]
    if text[token.end : token.end + 1].isalpha():
        return False
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    return following is None or not following.word or following.start - token.end > LONGEST_GAP


@dataclass(frozen=True)
class _Page:
    text: str
    tokens: Sequence[NumberToken]
    every_word: bool

    @cached_property
    def coins(self) -> bool:
        return contexts.COIN_CONTEXT.search(self.text) is not None

    def gap(self, index: int) -> str:
        """What stands between a token and the one before it, as ``gap_between`` spells it."""
        return gap_between(self.text, self.tokens[index - 1].end, self.tokens[index].start) if index else ""

    def word(self, index: int) -> str:
        return self.tokens[index].word if 0 <= index < len(self.tokens) else ""


def _single(page: _Page, index: int, value: Fraction | int, kind: str) -> NumberReading:
    token = page.tokens[index]
    return NumberReading(Fraction(value), token.start, token.end, kind, index + 1)


def _cardinal(page: _Page, index: int) -> NumberReading | None:
    """A numeral or a cardinal in words, with the denominator or the group noun that follows."""
    token = page.tokens[index]
    if token.value is not None and token.kind == "integer":
        glued = page.text[token.end : token.end + 1].isalpha()
        suffix = _ORDINAL_SUFFIX.match(page.text, token.end) if glued else None
        if suffix is not None:
            counts = contexts.ORDINAL_FOLLOWS.match(page.text, suffix.end())
            return _single(page, index, token.value, "ordinal") if counts else None
    if token.word in words.SCALES and contexts.indefinite(page.text, token.start):
        return None
    reading = read_cardinal(page.text, page.tokens, index)
    if reading is None:
        return None
    following = page.word(reading.next)
    if not following or not reading.kind:
        return reading
    ordinal = read_compound_ordinal(page.text, page.tokens, reading)
    if ordinal is not None:
        return ordinal if contexts.ORDINAL_FOLLOWS.match(page.text, ordinal.end) else None
    reading = read_point(page.text, page.tokens, reading)
    if not (following == "quarters" and page.gap(reading.next) == " " and page.coins):
        reading = read_fraction_tail(page.text, page.tokens, reading)
    return _grouped(page, reading)


def _grouped(page: _Page, reading: NumberReading) -> NumberReading:
    """Multiplies by a group noun: "3 dozen", "two score"."""
    word = page.word(reading.next)
    if word not in {"dozen", "dozens", "score"} or page.gap(reading.next) not in {" ", "-"}:
        return reading
    if word == "score" and reading.kind != "word":
        return reading
    end = page.tokens[reading.next].end
    return NumberReading(reading.value * words.GROUPS[word], reading.start, end, "word", reading.next + 1)


def _one(page: _Page, index: int) -> NumberReading | None:
    reading = _cardinal(page, index)
    token = page.tokens[index]
    if reading is None or reading.end > token.end:
        return reading
    counts = page.every_word or contexts.one_counts(page.text, token.start, token.end)
    return reading if counts or _sign(page.text, token.start, 0) is not None else None


def _half(page: _Page, index: int) -> NumberReading | None:
    token = page.tokens[index]
    follower = index + 2 if page.word(index + 1) in words.ARTICLES else index + 1
    gap = gap_between(page.text, token.end, page.tokens[follower].start) if page.word(follower) == "dozen" else ""
    if gap in {" ", " a ", "-"}:
        return NumberReading(Fraction(6), token.start, page.tokens[follower].end, "word", follower + 1)
    scaled = _times_scale(page, index, Fraction(1, 2))
    if scaled is not None:
        return scaled
    return _single(page, index, Fraction(1, 2), "multiplier")


def _times_scale(page: _Page, index: int, value: Fraction) -> NumberReading | None:
    """A part of a scale word: "half a million", "quarter million"."""
    part = _single(page, index, value, "word")
    scaled = read_scale_tail(page.text, page.tokens, part)
    return scaled if scaled.end > part.end else None


def _part(page: _Page, index: int) -> NumberReading | None:
    """A denominator alone: "a third of", else an ordinal that may be a quantity."""
    token = page.tokens[index]
    value = words.DENOMINATORS[token.word]
    follows_article = page.word(index - 1) in words.ARTICLES and page.gap(index) == " "
    if follows_article and contexts.FRACTION_FOLLOWS.match(page.text, token.end):
        return _single(page, index, Fraction(1, value), "fraction")
    return _ordinal(page, index) if token.word in words.ORDINALS else None


def _ordinal(page: _Page, index: int) -> NumberReading | None:
    token = page.tokens[index]
    if not contexts.ORDINAL_FOLLOWS.match(page.text, token.end):
        return None
    return _single(page, index, words.ORDINALS[token.word], "ordinal")


def _quarter(page: _Page, index: int) -> NumberReading | None:
    token = page.tokens[index]
    scaled = _times_scale(page, index, Fraction(1, 4))
    if scaled is not None:
        return scaled
    if page.text.startswith(" of ", token.end) or (page.word(index - 1) in words.ARTICLES and page.gap(index) == " "):
        return _single(page, index, Fraction(1, 4), "coin" if page.coins else "fraction")
    return _coin(page, index)


def _coin(page: _Page, index: int) -> NumberReading | None:
    if page.text.startswith("Penny", page.tokens[index].start):
        return None
    return _single(page, index, words.COINS[page.word(index)], "coin") if page.coins else None


def _multiplier(page: _Page, index: int) -> NumberReading | None:
    return _single(page, index, words.MULTIPLIERS[page.word(index)], "multiplier")


def _parity(page: _Page, index: int) -> NumberReading | None:
    follows = contexts.PARITY_FOLLOWS.match(page.text, page.tokens[index].end)
    return _single(page, index, 2, "parity") if follows else None


def _place(page: _Page, index: int) -> NumberReading | None:
    token = page.tokens[index]
    if not page.every_word or not contexts.place_counts(page.text, token.end):
        return None
    return _single(page, index, words.PLACES[token.word], "place")


def _group(page: _Page, index: int) -> NumberReading | None:
    token = page.tokens[index]
    # "a pair" is 2, not "pairs" or "the couple"
    counted = token.word in {"pair", "couple"} and page.text[max(0, token.start - 2) : token.start].lower() == "a "
    if token.word == "dozen" or counted:
        return _single(page, index, words.GROUPS[token.word], "word")
    return None


def _article(page: _Page, index: int) -> NumberReading | None:
    token = page.tokens[index]
    leads = index + 1 < len(page.tokens) and page.gap(index + 1) == " "
    if leads or not contexts.article_counts(page.text, token.start, token.end):
        return None
    return _single(page, index, 1, "article")


def _deictic(page: _Page, index: int) -> NumberReading | None:
    if not page.every_word or not contexts.DEICTIC_TIME.match(page.text, page.tokens[index].end):
        return None
    return _single(page, index, 1, "pronoun")


_ReadWord = Callable[[_Page, int], NumberReading | None]
_HANDLERS: Final[Mapping[str, _ReadWord]] = {
    **dict.fromkeys(words.GROUPS, _group),
    **dict.fromkeys(words.MULTIPLIERS, _multiplier),
    **dict.fromkeys(words.PARITY, _parity),
    **dict.fromkeys(words.ORDINALS, _part),
    **dict.fromkeys(("first", "second"), _ordinal),
    **dict.fromkeys(words.COINS, _coin),
    **dict.fromkeys(words.ARTICLES, _article),
    **dict.fromkeys(words.DEICTIC, _deictic),
    **dict.fromkeys(
        (*words.DENOMINATOR_PLURALS, *words.SCALE_PLURALS, *words.COMPOUND_PLURALS), lambda page, index: None
    ),
    **dict.fromkeys(words.PLACES, _place),
    "half": _half,
    "quarter": _quarter,
    "quarters": _coin,
    "one": _one,
}


def _finish(text: str, read: tuple[Fraction, int, int, str], low: int) -> Number | None:
    """Adds sign, scale, kind and unit from the characters around the number; None where nobody can tell its value.

    Nothing before ``low`` is touched.
    """
    value, start, end, kind = read
    if kind in _AS_THEY_STAND:
        unit = "dollar" if kind == "coin" else unit_after(text, end)
        return Number(value, start, end, text[start:end], kind, unit)
    currency = sign = None
    lead = text[start - 1] if start else ""
    if (text[max(low, start - LONGEST_GAP) : start].rstrip(" ")[-1:] if lead == " " else lead) in _LEADS:
        currency = currency_before(text, start)
        sign = None if currency is None else _sign(text, currency[1], low)
        if sign is None and _may_be_signed(text[max(low, start - 24) : start]):
            sign = _near_sign(text, start, end, low, priced=currency is not None)
        if sign == _NOBODY_KNOWS:
            return None
    unit = currency[0] if currency is not None else unit_after(text, end)
    scaled = scale_letters(text, end, priced=currency is not None)
    if scaled is not None and not scaled.factor:
        return None
    if scaled is not None:
        value, end = value * scaled.factor, scaled.end
        unit = unit_after(text, end) if currency is None else unit
    if sign is not None:
        value, start = -value, sign
    if unit == "percent":
        kind = "percent"
    elif unit in MONEY_UNITS or currency is not None:
        kind = "money"
    return Number(value, start, end, text[start:end], kind, unit)


def _may_be_signed(before: str) -> bool:
    return before.rstrip(" ")[-2:].lower().endswith(_SIGN_ENDS)


def _sign(text: str, start: int, low: int) -> int | None:
    """Where the minus sign of a number at ``start`` stands, or None; a subtraction is no sign."""
    if start <= low or start == 0:
        return None
    before = text[max(low, start - 24) : start]
    if not _may_be_signed(before):
        return None
    negative = _NEGATIVE_WORD.search(before)
    if negative is not None:
        return start - len(before) + max(negative.start(), negative.start(1))
    if before[-1] in _MINUS:
        return None if _SUBTRACTED_FROM.search(text, max(0, start - 8), start - 1) else start - 1
    return start - len(before) + len(before.rstrip(" ")) - 1 if _SPACED_MINUS.search(before) else None


_NOBODY_KNOWS: Final = -1


def _near_sign(text: str, start: int, end: int, low: int, *, priced: bool) -> int | None:
    """Where the minus right before a number stands; one that ``_sign`` does not settle only where it is no price."""
    sign = _sign(text, start, low)
    return _loose_sign(text, start, end, low) if sign is None and not priced else sign


def _loose_sign(text: str, start: int, end: int, low: int) -> int | None:
    """Where a minus stands that the words before it do not settle, _NOBODY_KNOWS where it may be none, None for none.

    A dash with a blank behind it that begins a line is a sign where nothing else is said, and marks an item of a list
    where another line begins with one.
    """
    near = max(low, start - 24)
    if _DOUBTFUL_WORD.search(text, near, start):
        return _NOBODY_KNOWS
    line = _AT_LINE_START.search(text, near, start)
    if line is None:
        return None
    if line.start() == 0 and not text[end : end + 24].strip(" .\n"):
        return line.end(1) - 1
    first = _LISTED.search(text)
    return None if first is not None and _LISTED.search(text, first.end()) else _NOBODY_KNOWS
