"""The formula markup of algebra.com: ``{{{2/3}}}(A-5) = B``, ``{{{highlight(x=4)}}}``, ``{{{matrix(1,2,x,y)}}}``."""

import re
from collections.abc import Iterator
from typing import Final

from extractors.text.edits import Edit, merged

_FORMULA: Final = re.compile(r"\{\{\{((?>(?:[^{}]|\{(?!\{\{)|\}(?!\}\})){0,2000}))\}\}\}")
_WRAPPER: Final = re.compile(
    r"(?<![A-Za-z])(highlight(?:_green|_red|_blue)?|cross|red|green|blue|black|system|matrix|graph|drawing)\(", re.I
)
_QUOTE: Final = re.compile(r"\"")
_MIXED: Final = re.compile(r"(?<=[0-9])&(?=[0-9])")
_COUNTS: Final = re.compile(r"\s{0,4}([0-9]{1,2})\s{0,4},\s{0,4}([0-9]{1,2})\s{0,4},\s{0,4}")
_OPERATOR: Final = re.compile(r"[+\-*/]")
_RELATION: Final = re.compile(r"[=<>]")
_ALNUM_TAIL: Final = re.compile(r"[A-Za-z0-9)]\Z")


def brace_edits(text: str) -> list[Edit]:
    """``{{{ }}}`` formulas in plain maths, joined to the text so that a piece of a formula stays a piece."""
    edits: list[Edit] = []
    for match in _FORMULA.finditer(text):
        opening, closing = _joints(text, match)
        edits.append(Edit(match.start(), match.start() + 3, opening))
        edits.extend(_inside(text, *match.span(1)))
        edits.append(Edit(match.end() - 3, match.end(), closing))
    return merged(edits)


def _joints(text: str, match: re.Match[str]) -> tuple[str, str]:
    """Brackets where a sum or quotient touches an operand; a space where letters or digits would run together."""
    inner = match[1].strip()
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    touches = bool(before and _ALNUM_TAIL.match(before)), bool(after) and (after.isalnum() or after == "(")
    if not any(touches) or not inner:
        return "", ""
    if _OPERATOR.search(inner) and not _RELATION.search(inner) and (touches[1] or not before.isalpha()):
        return "(", ")"
    return " " if touches[0] else "", " " if touches[1] and after != "(" else ""


def _inside(text: str, start: int, end: int) -> Iterator[Edit]:
    closers = _closers(text, start, end)
    for match in _WRAPPER.finditer(text, start, end):
        close = closers.get(match.end() - 1)
        if close is None:
            yield Edit(match.start(), match.end(), "")
        elif match[1].lower() in {"graph", "drawing"}:
            yield Edit(match.start(), close + 1, "")
        else:
            yield from _unwrapped(text, match, close)
    yield from (Edit(m.start(), m.end(), "") for m in _QUOTE.finditer(text, start, end))
    yield from (Edit(m.start(), m.end(), " ") for m in _MIXED.finditer(text, start, end))


def _unwrapped(text: str, match: re.Match[str], close: int) -> Iterator[Edit]:
    name, inner = match[1].lower(), match.end()
    columns = 1
    if name == "matrix":
        counts = _COUNTS.match(text, inner)
        inner = counts.end() if counts else inner
        columns = int(counts[2]) if counts else 99
    yield Edit(match.start(), inner, "")
    if name in {"matrix", "system"}:
        for number, comma in enumerate(_commas(text, inner, close), start=1):
            yield Edit(comma, comma + 1, "\n" if columns and number % columns == 0 else " ")
    yield Edit(close, close + 1, "")


def _closers(text: str, start: int, end: int) -> dict[int, int]:
    """Opening bracket -> its closing bracket."""
    pairs: dict[int, int] = {}
    open_at: list[int] = []
    for position in range(start, end):
        if text[position] == "(":
            open_at.append(position)
        elif text[position] == ")" and open_at:
            pairs[open_at.pop()] = position
    return pairs


def _commas(text: str, start: int, end: int) -> Iterator[int]:
    depth = 0
    for position in range(start, end):
        depth += (text[position] == "(") - (text[position] == ")")
        if text[position] == "," and depth == 0:
            yield position
