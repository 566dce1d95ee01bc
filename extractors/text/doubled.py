"""Formulas printed twice: flattened MathML leaves ``a + b = 9a+b=9`` and ``n_1/n_2 = 2/3n1n2=23``."""

from itertools import combinations
from typing import Final

from extractors.text.edits import Edit

_MAX_LINE: Final = 400
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
        if len(line) <= _MAX_LINE and 2 <= line.count("=") <= _MAX_EQUALS:
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
