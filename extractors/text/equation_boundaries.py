"""Where equations begin and end in a text: arrows, rulers, comments.

A formula that is printed twice, as flattened MathML leaves it (``a + b = 9a+b=9``), loses its second copy.

Everything that is no part of an equation but touches one is set apart by a line break, so that the dashes of
"sum is 9 ---- x+y = 9" are never a minus.
"""

import re
from itertools import combinations
from typing import Final

from extractors.text.edits import Edit, merged

_SEPARATOR: Final = re.compile(
    r"<?(?:-{1,400}|={1,400}|~{1,400})>{1,9}|-{3,}+|={3,}+|_{3,}+|~{2,}+|\*{3,}+|:{3,}+|\.{3,}+"
    r"|(?<=[\s:])--(?=[\sA-Za-z(])|(?<=\S)--(?=\s)|(?<![.0-9])\.\.(?![.0-9])|//+|/\*|\*/"
)
_COMMENT_BRACKET: Final = re.compile(
    r"[ \t](?<=[\w)%$].)[ \t]{0,8}(?=[\[(](?>(?:[A-Za-z'][A-Za-z',./]{1,40}+[ ]?+){1,12})[\])])"
)
_CONNECTIVE: Final = re.compile(
    r"[ \t](?<=[\w)%$.,;].)[ \t]{0,8}(?=[A-Zacdghmstw])"
    r"(?=(?:So|Then|Hence|Therefore|Thus|Now|Let|Check|Answer|Since|Because"
    r"|Divid(?:e|ing)|Multiply(?:ing)?|Subtract(?:ing)?|Add(?:ing)?|Substitut(?:e|ing)|Solv(?:e|ing)"
    r"|Simplify(?:ing)?|Combin(?:e|ing)|Distribut(?:e|ing)|Collect(?:ing)?|Put(?:ting)?"
    r"|divide|multiply|subtract|substitute|simplify|collect|combine"
    r"|so|then|hence|therefore|thus|and so|which gives|giving|gives)(?![A-Za-z]))"
)
_LINE: Final = re.compile(r"[^\n]+")


def separator_edits(text: str) -> list[Edit]:
    """Arrows, rulers, dot leaders and comment marks -> a line break. ``5--3`` and ``x>=3`` stay."""
    return [
        Edit(m.start(), m.end(), "\n")
        for m in _SEPARATOR.finditer(text)
        if not (m[0][0] == "/" and text[m.start() - 1 : m.start()] == ":")
    ]


def comment_edits(text: str) -> list[Edit]:
    """A bracket of words behind an equation on a line of its own, and a break before "So", "Divide by" and the like."""
    edits: list[Edit] = []
    patterns = [_CONNECTIVE, _COMMENT_BRACKET] if "(" in text or "[" in text else [_CONNECTIVE]
    for line in _LINE.finditer(text):
        equals = text.find("=", *line.span())
        for pattern in patterns if equals >= 0 else ():
            edits.extend(Edit(m.start(), m.end(), "\n") for m in pattern.finditer(text, equals + 1, line.end()))
    return merged(edits)


_LONGEST_DOUBLED: Final = 400
_MAX_EQUALS: Final = 12
_SHORTEST: Final = 3
_STRUCTURE: Final = dict.fromkeys(map(ord, " \t_()/^{}*,"))


def doubled_edits(text: str) -> list[Edit]:
    """Removes the second copy of a formula that follows its first copy without a gap.

    Copies are compared without blanks, brackets and operators of structure, which flattening loses; the first copy is
    the one that still has them.
    """
    edits: list[Edit] = []
    position = 0
    for line in text.split("\n"):
        if len(line) <= _LONGEST_DOUBLED and 2 <= line.count("=") <= _MAX_EQUALS:
            edits.extend(Edit(position + start, position + end, "") for start, end in _copies(line))
        position += len(line) + 1
    return edits


def _copies(line: str) -> list[tuple[int, int]]:
    bare = line.translate(_STRUCTURE)
    equals = [index for index, char in enumerate(bare) if char == "="]
    if all(_repeat(bare, first, second - first) is None for first, second in combinations(equals, 2)):
        return []
    kept = [index for index, char in enumerate(line) if ord(char) not in _STRUCTURE]
    found: list[tuple[int, int]] = []
    last = 0
    for first in range(len(equals)):
        for second in range(first + 1, len(equals)):
            span = _repeat(bare, equals[first], equals[second] - equals[first])
            if span is None or span[0] < last:
                continue
            start, middle, end = span
            if _is_flattened(line, kept, start, middle, end):
                gap = line[kept[middle - 1] + 1 : kept[middle]]
                found.append((kept[middle] - len(gap.lstrip(" )}")), kept[end - 1] + 1))
                last = end
                break
    return found


def _repeat(bare: str, anchor: int, period: int) -> tuple[int, int, int] | None:
    """Start, middle and end of a square around ``anchor`` with that period, or None; ambiguous ones are left alone."""
    low, high = anchor, anchor
    while low > 0 and bare[low - 1] == bare[low - 1 + period]:
        low -= 1
    while high + 1 + period < len(bare) and bare[high + 1] == bare[high + 1 + period]:
        high += 1
    if high - low + 1 != period or period < _SHORTEST:
        return None
    return low, low + period, low + 2 * period


def _is_flattened(line: str, kept: list[int], start: int, middle: int, end: int) -> bool:
    """Whether the second copy touches the first and holds less structure than it, or is the same to the letter."""
    first = line[kept[start] : kept[middle - 1] + 1]
    second = line[kept[middle] : kept[end - 1] + 1]
    gap = line[kept[middle - 1] + 1 : kept[middle]]
    copied = len(second) < len(first) or second == first
    return copied and not gap.strip(" )}({") and " " not in gap and " " not in second
