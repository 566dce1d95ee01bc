"""Tokens of an answer in plain maths, as the equation scanner reads them."""

import re
from typing import Final, NamedTuple

NUMBER, NAME, WORD, SIGN, BREAK, OTHER = "number", "name", "word", "sign", "break", "other"

_TOKEN: Final = re.compile(
    r"(?P<word>[A-Za-z]+(?:_[A-Za-z0-9]{1,8}|\d{1,3}|&[A-Za-z]+)?(?:'[a-z]{1,2}(?![A-Za-z]))?)"
    r"|(?P<break>\n)"
    r"|(?P<ordinal>\d{1,3}(?:,?\d{3})*(?:[sS][tT]|[nN][dD]|[rR][dD]|[tT][hH])(?![A-Za-z]))"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?"
    r"|(?:(?<=[$€£])[1-9]\d{0,2}(?: \d{3}){1,4}|[1-9]\d{0,2}(?: \d{3}){0,3} 000)(?!\d|,\d)(?:\.\d\d)?"
    r"|\d+(?:\.\d+)?|(?<!\d)(?<![Rr]s)(?<!RS)\.\d+)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|\+/-|[-+*/^=()\[\]{}%!<>±√])"
    r"|(?P<other>\S)"
)
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


_INDEXED: Final = re.compile(r"[A-Za-z](?:\d{1,2}|_[A-Za-z0-9]{1,3})\Z")


def split(text: str) -> list[Token]:
    """The tokens of a text, closed by two line breaks; numbers beyond 40 digits count as other characters."""
    tokens: list[Token] = []
    end = 0
    for match in _TOKEN.finditer(text):
        kind, raw, (start, stop) = match.lastgroup or OTHER, match[0], match.span()
        if kind == WORD:
            if len(raw) == 1 or (not raw.isalpha() and _INDEXED.match(raw)):
                kind = NAME
        elif kind == "ordinal":
            kind, raw = WORD, _ORDINALS.get(raw.lower(), raw)
        elif kind == NUMBER:
            if len(raw) > MAX_DIGITS:
                kind = OTHER
            elif "," in raw or " " in raw:
                raw = raw.replace(",", "").replace(" ", "")
        tokens.append(Token(kind, raw, start, stop, start > end))
        end = stop
    tokens.append(Token(BREAK, "\n", end, end, False))
    tokens.append(Token(BREAK, "\n", end, end, False))
    return tokens
