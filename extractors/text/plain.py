"""Text with markup to plain ASCII maths, with a map back to the characters of the post.

Each pass rewrites one kind of markup (FIELD_GUIDE, "Page markup" and "Equation notations"); a pass is skipped where its
sign does not occur, so that plain prose costs little. Time is linear in the length of the text.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from extractors.extraction_errors import MAX_TEXT
from extractors.text.edits import Edit, Traced
from extractors.text.equation_boundaries import comment_edits, doubled_edits, separator_edits
from extractors.text.latex import brace_edits, command_edits, delimiter_edits
from extractors.text.markup import entity_edits, markdown_edits, newline_edits, tag_edits, url_edits, write_edits
from extractors.text.sentences import remembered
from extractors.text.typography import typography_edits


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
