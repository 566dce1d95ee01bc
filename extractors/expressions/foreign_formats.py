"""Foreign formats: Dolphin18K's ``unkn:/equ:`` blocks and the equations of DRAW and Alg-514."""

import re

from extractors.extraction_errors import ExtractionError, LimitError

MAX_BLOCK = 20_000

_LINE_END = re.compile(r"[\r\n]+")
_PREFIX = re.compile(r":?\s*(unkn|equ)\s*:", re.IGNORECASE)
_LATE_PREFIX = re.compile(r"(?<=[A-Za-z0-9)])\s*equ\s*:")
_ROUND = re.compile(r"(_round\([^(),]{1,200}?) +(-?\d+\))", re.ASCII)
_LOST_DEGREE = re.compile(r"(?<=\d)\?\?")
_LOST_PI = re.compile(r"(?<=[<>=])(\s*\d{1,3})\?\?(?=\s*\Z)", re.ASCII)
_COUNT = re.compile(r"(?<![A-Za-z_])C\((\d{2,6})\)", re.ASCII)


def read_dolphin(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The equations and the unknowns (names or expressions) of a Dolphin18K block, as texts.

    Lines without a prefix are equations; ``unkn: yequ: ...`` lost its line break. Raises ``ExtractionError`` where no
    unknown is declared (data notes of Dolphin18K; Huang et al., ACL 2016).

    >>> read_dolphin("unkn: x,y\\r\\nequ: x + y = 9\\r\\nequ: x = 2*y")
    (('x + y = 9', 'x = 2*y'), ('x', 'y'))
    """
    if len(text) > MAX_BLOCK:
        raise LimitError(f"block of {len(text)} characters; at most {MAX_BLOCK} are read")
    unknowns: list[str] = []
    equations: list[str] = []
    for line in _LINE_END.split(_LATE_PREFIX.sub("\nequ:", text)):
        match = _PREFIX.match(line.strip())
        body = (line.strip()[match.end() :] if match else line).strip()
        if match and match.group(1).lower() == "unkn":
            unknowns += split_unknowns(body)
        elif body:
            equations.append(_repaired(body))
    if not unknowns:
        raise ExtractionError("no unkn: line")
    return tuple(equations), tuple(unknowns)


def split_unknowns(text: str) -> list[str]:
    """Unknowns separated by ``,`` or ``;`` outside brackets; one pair of outer square brackets is dropped.

    >>> split_unknowns("_round(x, 1); 2*n-1")
    ['_round(x, 1)', '2*n-1']
    """
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    parts, depth, start = [], 0, 0
    for index, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == ";" or (char == "," and depth == 0):
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return [_repaired(part.strip()) for part in parts if part.strip()]


def _repaired(text: str) -> str:
    """Separators of function arguments that are a space only, ``C(105)`` for C(10, 5), lost degree signs and thetas.

    A damaged number that bounds a range (``0 <= x <= 2??``) is a multiple of pi.
    """
    if "??" in text:
        if "<" in text or ">" in text:
            text = _LOST_PI.sub(r"\1*pi", text)
        text = _LOST_DEGREE.sub("°", text).replace("??", "theta")
    if "_round(" in text:
        text = _ROUND.sub(r"\1, \2", text)
    return _COUNT.sub(r"_comb(\1)", text) if "C(" in text else text
