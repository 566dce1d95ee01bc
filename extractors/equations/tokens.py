"""Tokens of an answer in plain maths, as the equation scanner reads them."""

import re
from string import ascii_letters, digits
from typing import Final, NamedTuple

NUMBER, NAME, WORD, SIGN, BREAK, OTHER = "number", "name", "word", "sign", "break", "other"

_TOKEN: Final = re.compile(
    r"([^\S\n]*+)("  # the blanks before a token
    r"[A-Za-z]+(?:_[A-Za-z0-9]{1,8}|\d{1,3}|&[A-Za-z]+)?(?:'[a-z]{1,2}(?![A-Za-z]))?"  # a word
    r"|\n"
    r"|\d{1,3}(?:,?\d{3})*(?:[sS][tT]|[nN][dD]|[rR][dD]|[tT][hH])(?![A-Za-z])"  # an ordinal
    r"|\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?"  # a number
    r"|(?:(?<=[$€£])[1-9]\d{0,2}(?: \d{3}){1,4}|[1-9]\d{0,2}(?: \d{3}){0,3} 000)(?!\d|,\d)(?:\.\d\d)?"
    r"|\d+(?:\.\d+)?|(?<!\d)(?<![Rr]s)(?<!RS)\.\d+"
    r"|\*\*|<=|>=|==|!=|\+/-|\+-(?=\s)|\S|\Z)"
)
_KINDS: Final = {
    **dict.fromkeys(ascii_letters, WORD),
    **dict.fromkeys(digits, NUMBER),
    **dict.fromkeys("-+*/^=()[]{}%!<>±√", SIGN),
    "\n": BREAK,
}
"""The kind of a token by its first character, where that settles it."""
MAX_DIGITS: Final = 40
_ORDINALS: Final = dict(
    zip(
        ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th"),
        ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
        strict=True,
    )
)
"""Ordinals in digits by their words: as a text variable ("1st + 2nd = 41") they must not begin like a number."""


class Token(NamedTuple):
    """A token with its place in the plain text; ``gap`` tells whether space stands before it."""

    kind: str
    text: str
    start: int
    end: int
    gap: bool


CIRCLE: Final = frozenset(("pi", "Pi", "PI"))
"""Spellings of the circle's constant, which is a name like a letter."""
_INDEXED: Final = re.compile(r"[A-Za-z](?:\d{1,2}|_[A-Za-z0-9]{1,3})\Z")


def split(text: str) -> list[Token]:
    """The tokens of a text, closed by two line breaks; numbers beyond 40 digits count as other characters."""
    tokens: list[Token] = []
    end = 0
    new = tuple.__new__
    for gap, raw in _TOKEN.findall(text):
        if not raw:
            break
        start = end + len(gap)
        end = start + len(raw)
        kind = _KINDS.get(raw[0]) or (NUMBER if len(raw) > 1 or raw.isdecimal() else OTHER)
        if kind == WORD:
            if len(raw) == 1 or raw in CIRCLE or (not raw.isalpha() and _INDEXED.match(raw)):
                kind = NAME
        elif kind == NUMBER:
            kind, raw = _numeral(raw)
        elif raw == "+-":
            raw = "+/-"
        # half of the time of a call of Token, and a post has hundreds
        tokens.append(new(Token, (kind, raw, start, end, gap != "")))
    tokens.append(Token(BREAK, "\n", end, end, False))
    tokens.append(Token(BREAK, "\n", end, end, False))
    return tokens


def _numeral(raw: str) -> tuple[str, str]:
    """Kind and text of what begins like a number: an ordinal is a word; separators are left out."""
    if raw.isdecimal() and len(raw) <= MAX_DIGITS:
        return NUMBER, raw
    if raw[-1].isalpha():
        return WORD, _ORDINALS.get(raw.lower(), raw)
    if len(raw) > MAX_DIGITS:
        return OTHER, raw
    return NUMBER, raw.replace(",", "").replace(" ", "")
