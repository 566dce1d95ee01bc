"""What stands around an expression: units that it passes over, articles, ratios, sizes in two units.

``$5/glass * 16 glasses = $80`` and ``10 minutes a puzzle * 3 puzzles`` are read like the numbers alone.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from extractors.equations.answer_tokens import (
    BREAK,
    CURRENCIES,
    NAME,
    NOT_A_UNIT,
    NUMBER,
    SIGN,
    UNIT_LETTERS,
    UNIT_WORDS,
    WORD,
    Token,
    VariableNames,
)
from extractors.quantities.numerals import whole_number

LOOK_AHEAD: Final = 40
"""Tokens that a glance ahead may take."""
MAX_UNIT_WORDS: Final = 4
MAX_PHRASE: Final = 16
_TWO_TERMS: Final = 3
"""Tokens of a ratio of two terms."""
_SMALLER: Final = {
    **{(hour, minute): 60 for hour in ("hour", "hr", "h") for minute in ("minute", "min", "m")},
    **{(minute, second): 60 for minute in ("minute", "min") for second in ("second", "sec")},
    **{(foot, inch): 12 for foot in ("foot", "feet", "ft") for inch in ("inche", "inch", "in")},
}
"""Two units of a quantity ("7 hrs and 12 min") -> how many of the second make one of the first."""
LARGER: Final = frozenset(larger for larger, _ in _SMALLER)
"""The larger units of a size in two units, without the s of the plural."""


def is_unit(tokens: Sequence[Token], variables: VariableNames, at: int) -> bool:
    """Whether a word, or one of the letters for units, is no unknown."""
    token = tokens[at]
    if token.kind == NAME:
        return token.text in UNIT_LETTERS and token.text not in variables.letters
    if token.kind != WORD:
        return False
    return token.text not in variables.words and not variables.is_product(token.text)


def units_end(tokens: Sequence[Token], variables: VariableNames, start: int, in_chain: bool) -> int | None:
    """Where the units that begin at a token end, if an operator or a closing bracket follows them."""
    at = _unit_words_end(tokens, variables, start)
    token = tokens[at]
    if at == start:
        return None
    if token.kind != SIGN:
        return at if _is_times_sign(tokens, at) else None
    if token.text in "([{":
        return None
    if token.text == "=" and in_chain and not _are_units(tokens[start:at]):
        return None
    return at


def _unit_words_end(tokens: Sequence[Token], variables: VariableNames, at: int) -> int:
    for _ in range(MAX_UNIT_WORDS):
        token = tokens[at]
        if _is_unit_article(tokens, variables, at):
            at += 1
            continue
        if token.kind != WORD or token.text.lower() in NOT_A_UNIT:
            break
        at += 1
        if tokens[at].text == "/" and is_unit(tokens, variables, at + 1):
            at += 2 if tokens[at + 1].kind == NAME else 1
    return at


def _is_unit_article(tokens: Sequence[Token], variables: VariableNames, at: int) -> bool:
    """``a`` of "$3 a gallon", where it is no unknown."""
    token, following = tokens[at], tokens[at + 1]
    return token.text == "a" and "a" not in variables.letters and following.kind == WORD and following.gap


def _is_times_sign(tokens: Sequence[Token], at: int) -> bool:
    """``x`` between a unit and a number: ``180 minutes x 2``."""
    following = tokens[at + 1]
    return tokens[at].text in ("x", "X") and (following.kind == NUMBER or following.text in CURRENCIES)


def _are_units(tokens: Sequence[Token]) -> bool:
    """Whether words are units rather than the left side of the next equation: ``= 9.56 total = 47.80 + 9.56``."""
    return all(token.text.lower() in UNIT_WORDS for token in tokens if token.kind == WORD)


def is_article(tokens: Sequence[Token], at: int) -> bool:
    """Whether ``a``, ``A`` or ``I`` stands before a word, and so belongs to the prose."""
    token, following = tokens[at], tokens[at + 1]
    if token.text not in ("a", "A", "I", "i"):
        return False
    return following.kind == WORD and following.gap and following.text.lower() not in NOT_A_UNIT


def line_starts(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token is the first of its line."""
    return at == 0 or tokens[at - 1].kind == BREAK


def equation_follows(tokens: Sequence[Token], at: int) -> bool:
    """Whether another equals sign follows before any word or line break."""
    for token in tokens[at : at + LOOK_AHEAD]:
        if token.text == "=":
            return True
        if token.kind in (BREAK, WORD) or token.text in ",;":
            return False
    return False


def long_ratio_end(tokens: Sequence[Token], at: int) -> int | None:
    """Where a ratio of three terms or more ends, with its equal (``A:B:C = 10:15:24``); None for any other text."""
    end = _ratio_end(tokens, at)
    if end - at <= _TWO_TERMS:
        return None
    return _ratio_end(tokens, end + 1) if tokens[end].text == "=" else end


def _ratio_end(tokens: Sequence[Token], at: int) -> int:
    """The end of operands with evenly set colons between them."""
    at += 1
    while at < len(tokens) - 2 and tokens[at].text == ":" and _joins(tokens, at):
        at += 2
    return at


def is_ratio(tokens: Sequence[Token], at: int) -> bool:
    """Whether a colon divides: in ``3:4 = x:20``, with a ratio on each side of the equals sign and an unknown."""
    if tokens[at].text != ":" or not _joins(tokens, at):
        return False
    for step in (1, -1):
        other = at + step
        while 0 < other < len(tokens) - 1 and abs(other - at) < MAX_PHRASE and tokens[other].kind != BREAK:
            if tokens[other].text == "=":
                if _is_proportion(tokens, at, other, step):
                    return True
                break
            other += step
    return False


def _is_proportion(tokens: Sequence[Token], at: int, equals: int, step: int) -> bool:
    """Whether a second ratio stands just behind the equals sign, seen from the first."""
    colon = equals + 2 * step
    if not 0 < colon < len(tokens) - 1 or tokens[colon].text != ":" or not _joins(tokens, colon):
        return False
    return any(tokens[place + side].kind == NAME for place in (at, colon) for side in (1, -1))


def _joins(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sign stands evenly between two operands."""
    before, after = tokens[at - 1], tokens[at + 1]
    return at > 0 and before.kind in (NUMBER, NAME) and after.kind in (NUMBER, NAME) and tokens[at].gap == after.gap


def number_of(token: Token) -> Fraction:
    """The value of a number."""
    return whole_number(token.text) if token.text.isdecimal() else Fraction("0" + token.text)


def two_units(tokens: Sequence[Token], index: int) -> Fraction | None:
    """The size that begins at a number as a multiple of its larger unit: ``7 hrs and 12 min`` as 7.2; None for others.

    >>> from extractors.equations.answer_tokens import split
    >>> two_units(split("7 hrs and 12 min"), 0), two_units(split("7 hrs, 12 days"), 0)
    (Fraction(36, 5), None)
    """
    unit = tokens[index + 1].text.lower().rstrip("s")
    if unit not in LARGER:
        return None
    at = index + 2
    while at < len(tokens) - 1 and tokens[at].text in ("and", ",", "&"):
        at += 1
    if at >= len(tokens) - 1 or tokens[at].kind != NUMBER:
        return None
    parts = _SMALLER.get((unit, tokens[at + 1].text.lower().rstrip("s")))
    return None if parts is None else number_of(tokens[index]) + number_of(tokens[at]) / parts
