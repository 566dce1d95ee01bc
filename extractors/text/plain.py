"""Text with markup to plain ASCII maths, with a map back to the characters of the post.

Each pass rewrites one kind of markup (FIELD_GUIDE, "Page markup" and "Equation notations"); a pass is skipped where its
sign does not occur, so that plain prose costs little. Time is linear in the length of the text.

A formula that is printed twice, as flattened MathML leaves it (``a + b = 9a+b=9``), loses its second copy.

Everything that is no part of an equation but touches one is set apart by a line break, so that the dashes of
"sum is 9 ---- x+y = 9" are never a minus.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from extractors.extraction_errors import MAX_TEXT
from extractors.text.edits import Edit, Traced, merged
from extractors.text.latex import brace_edits, command_edits, delimiter_edits
from extractors.text.markup import entity_edits, markdown_edits, newline_edits, tag_edits, url_edits, write_edits
from extractors.text.sentences import remembered
from extractors.text.typography import typography_edits

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


@dataclass(frozen=True, slots=True)
class PlainText:
    """Plain maths: ``offsets[i]`` is where character ``i`` of ``text`` begins in the source, ``ends[i]`` where it ends.

    Both never decrease. A character that stands for several of the source covers them all.
    """

    text: str
    offsets: Sequence[int]
    ends: Sequence[int]

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """The source characters behind ``text[start:end]``; an empty span gives an empty span.

        >>> plain_maths("so {{{x=4}}}").source_span(3, 6)
        (6, 9)
        """
        if not 0 <= start <= end <= len(self.text):
            raise IndexError(f"span [{start}, {end}) is outside of {len(self.text)} characters")
        if start == end:
            here = self.offsets[start] if start < len(self.text) else (self.ends[-1] if self.ends else 0)
            return here, here
        return self.offsets[start], max(self.offsets[start], self.ends[end - 1])


_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r\n?")
_TAG_LIKE: Final = re.compile(r"<[A-Za-z/]")


def _control_edits(text: str) -> list[Edit]:
    return [Edit(m.start(), m.end(), "\n" if m[0][0] == "\r" else "") for m in _CONTROL.finditer(text)]


@remembered
def plain_maths(text: str) -> PlainText:
    """The text in plain ASCII maths with its offset map; total, never raises.

    A text of more than ``MAX_TEXT`` characters is left as it is.

    >>> plain_maths("x² − 3 = {{{2/3}}}(A-5) => A = 8").text
    'x^2 - 3 = (2/3)(A-5) \\n A = 8'
    >>> plain_maths("$5 each, so \\\\(5x = \\\\frac{2b}{3}\\\\)").text
    '$5 each, so 5x = 2b/3'
    """
    traced = Traced(text)
    for needed, edits in _PASSES if len(text) <= MAX_TEXT else ():
        if needed(traced.text):
            traced.rewrite(edits(traced.text))
    offsets, ends = traced.offsets()
    return PlainText(traced.text, offsets, ends)


def _holds(*signs: str) -> Callable[[str], bool]:
    if len(signs) == 1:
        return lambda text: signs[0] in text
    return lambda text: any(map(text.__contains__, signs))


def _has_braces(text: str) -> bool:
    return any(map(text.__contains__, ("\\", "^{", "_{", "{,}")))


_Pass = tuple[Callable[[str], bool], Callable[[str], Sequence[Edit]]]
_PASSES: Final[tuple[_Pass, ...]] = (
    (lambda text: not text.replace("\n", "").isprintable(), _control_edits),
    (_holds("document.write"), lambda text: list(write_edits(text))),
    (_holds("&"), entity_edits),
    (lambda text: "<" in text and _TAG_LIKE.search(text) is not None, tag_edits),
    (_holds("\\n", "\\r"), newline_edits),
    (_holds("%2", "%3", "%5", "%7", "+="), url_edits),
    (_holds("{{{"), brace_edits),
    (_holds("$", "\\(", "\\[", "[tex]", "[math]", "[latex]", "[TEX]"), delimiter_edits),
    (_has_braces, command_edits),
    (_holds("**", "](", "# "), markdown_edits),
    (lambda text: not text.isascii(), typography_edits),
    (lambda text: text.count("=") > 1, doubled_edits),
    (_holds(">", "--", "===", "___", "~", "***", ":::", "..", "//", "/*"), separator_edits),
    (_holds("="), comment_edits),
)
