"""First pass over a text: numerals, and the words of the lexicon, with what carries no quantity left out."""

import re
from typing import Final

from extractors.quantities.digits import NUMERAL, read_numeral
from extractors.quantities.lexicon import LEXICAL, VULGAR
from extractors.quantities.units import currency_before
from extractors.quantities.words import Atom

# Addresses, timestamps and dates hold digits but no quantity.
_NOISE: Final = r"""
    https?://[^\s<>"]++ | www\.[^\s<>"]++
  | [0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.+Z-]{5,30})?
  | (?<![0-9/])[0-9]{1,2}/[0-9]{1,2}/(?:[0-9]{4}|[0-9]{2})(?![0-9/])
"""
_NUMBER: Final = re.compile(NUMERAL, re.X)
_SCAN: Final = re.compile(
    rf"(?P<word>(?!(?:https?://|www\.)[^\s<>\"])[A-Za-z]++)|(?P<noise>{_NOISE})"
    rf"|(?P<number>{NUMERAL})|(?P<vulgar>[{''.join(VULGAR)}])",
    re.X,
)
_WORD_BEFORE: Final = re.compile(r"[A-Za-z]{2}\Z|[.]\Z")
_APART: Final = frozenset(" \n(=+-*/$,:")
"""What most numerals stand behind, apart from other characters."""
_LIST_START: Final = re.compile(r"(?:\A|\n)[ \t]*\(?\Z")
_LIST_START_INLINE: Final = re.compile(r"[?:;!][ \t]*\(?\Z")
_LIST_END: Final = re.compile(r"\)[ \t]+(?=[^\W\d_]|[0-9$])|\.\)?[ \t]+(?=\S)")
_LIST_ENDS: Final = frozenset(").")
# The last letters of the words of _HEADING: nearly every numeral is decided by this look alone.
_HEADING_ENDS: Final = frozenset("peqngrmo")
_HEADING: Final = re.compile(
    r"(?:\b(?:step|exercise|equation|eqn?|figure|fig|chapter)|(?:\A|\n)[ \t]*(?:problem|question|example|no))"
    r"\.?[ ]?[#(\[]?\Z",
    re.I,
)


def scan(text: str) -> list[Atom]:
    """The numerals and lexicon words of ``text`` in order, without names (x1), dates and list marks."""
    atoms: list[Atom] = []
    consumed = 0
    for match in _SCAN.finditer(text):
        group = match.lastgroup
        if group == "word":
            word = match[0].lower()
            if word in LEXICAL and match.start() >= consumed:
                atoms.append(Atom(match.start(), match.end(), word, None, "word"))
        elif group != "noise" and match.start() >= consumed:
            atom = _numeral(text, match, group == "vulgar")
            if atom is not None:
                atoms.append(atom)
                consumed = atom.end
    return atoms


def _numeral(text: str, match: re.Match[str], vulgar: bool) -> Atom | None:
    start, end = match.span()
    if vulgar:
        return Atom(start, end, "", VULGAR[match[0]], "fraction")
    raw = match[0]
    if start and (text[start - 1] not in _APART or raw[0] == ".") and not _stands_alone(text, start, raw):
        return None
    if raw[0] == "." and start and _WORD_BEFORE.search(text, max(0, start - 2), start):
        # "sold.5 books": the dot ends a sentence.
        shifted = _NUMBER.match(text, start + 1)
        return _numeral_at(text, shifted) if shifted else None
    if end - start <= 2 and _is_list_mark(text, start, end):
        return None
    return _numeral_at(text, match)


def _numeral_at(text: str, match: re.Match[str]) -> Atom | None:
    numeral = read_numeral(text, match)
    return None if numeral is None else Atom(match.start(), numeral.end, "", numeral.value, numeral.kind)


def _stands_alone(text: str, start: int, raw: str) -> bool:
    previous = text[start - 1]
    if previous == "_" or previous.isalpha():
        return raw[0] == "." or currency_before(text, start) is not None
    if previous == ".":
        # "3.4.5" is no number from its second dot on.
        return not (start >= 2 and text[start - 2].isdigit() and raw[0] != ".")
    return not (raw[0] == "." and previous.isdigit())


def _is_list_mark(text: str, start: int, end: int) -> bool:
    """Whether the numeral numbers a list item or a heading: "1) ...", "Step 3"."""
    before = text[max(0, start - 24) : start]
    if before.rstrip(" #([.")[-1:].lower() in _HEADING_ENDS and _HEADING.search(before):
        return True
    mark = _LIST_END.match(text, end) if text[end : end + 1] in _LIST_ENDS else None
    if mark is None:
        return False
    return bool(_at_line_start(text, start) or (mark[0][0] == ")" and _LIST_START_INLINE.search(before)))


def _at_line_start(text: str, start: int) -> bool:
    line = text[max(0, text.rfind("\n", max(0, start - 24), start)) : start]
    return len(line) < 24 and _LIST_START.search(line) is not None
