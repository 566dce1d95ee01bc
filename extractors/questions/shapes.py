"""Questions about the sides, perimeter and area of a rectangle, and the area of a triangle."""

from typing import Final

from extractors.questions.readings import LEAN, UNIT, Reading, read_clauses
from extractors.questions.worded import phrases_of
from extractors.questions.wording import Page, Rules, rules
from extractors.text.wordlists import words

_BOX_RULES: Final[Rules] = rules(
    rf"""
    as long as it is wide => width
    is (\d+(?:/\d+)? times|twice|thrice) as long as wide => length is \1 width
    [a-z]+ is # {UNIT}longer than (?:it is )?wide => , length is \1 more than width
    [a-z]+ is (twice|thrice|\d+ times) width => , length is \1 width
    rectangle's =>
    (?:rectangle|garden|field|room|it) is # {UNIT}longer than (twice|double|\d+ times) width => , length is \1 more than \2 width
    (length|width|breadth|perimeter|area) of(?: [a-z]+){{1,3}} (?=is |exceeds |equals |, |and |\. |\? ) => \1
    (?:with|has|have|having|whose) (?=perimeter |area |length |width ) => ,
    (perimeter|area)(?: of)?(?: [a-z]+)? (?=\d) => \1 is
    # (?:feet|ft|meters|m) of (?:fence|fencing) => , perimeter is \1
    """  # noqa: E501
)
_BOX: Final = phrases_of({"width": "w", "breadth": "w", "length": "l", "perimeter": "(2*(l+w))", "area": "(l*w)"})
_BOX_WORDS: Final = ("rectangle", "rectangular", "width", "wide", "breadth")
_OTHER_SHAPES: Final = words("square squares border path triangle increased decreased diagonal box height")


def rectangle(page: Page) -> Reading | None:
    """``The length is 5 feet more than twice the width. The perimeter is 88 feet``; area and perimeter where asked."""
    if not page.has(*_BOX_WORDS) or (page.has(*_OTHER_SHAPES) and not page.has("perimeter")):
        return None
    reading = read_clauses(page.rewritten(_BOX_RULES, LEAN), _BOX, ("l", "w"))
    if reading is None:
        return None
    for word, form in (("area", "l*w"), ("perimeter", "(2*(l+w))")):
        if page.has(word) and not any(form in equation for equation in reading.equations):
            return Reading((*reading.equations, f"a={form}"), ("l", "w", "a"), asked=("a",))
    return reading


_TRIANGLE_RULES: Final[Rules] = rules(
    r"""
    (area|base|height) of triangle => \1
    (?:with|has|have|having|whose|of) (?=(?:area|base|height) ) => ,
    (area|base|height)(?: of)? (?=\d) => \1 is
    """
)
_TRIANGLE: Final = phrases_of({"area": "a", "base": "b", "height": "h"})


def triangle(page: Page) -> Reading | None:
    """``Area of a triangle is 48 sq in, its base is 8 in. Height?``"""
    if not all(page.has(word) for word in ("triangle", "area", "base", "height")):
        return None
    reading = read_clauses(page.rewritten(_TRIANGLE_RULES, LEAN), _TRIANGLE, ("a", "b", "h"), ("a=b*h/2",))
    if reading is None or len(reading.equations) != 3:
        return None
    missing = {"a", "b", "h"} - {equation[0] for equation in reading.equations[1:]}
    return reading._replace(asked=tuple(missing), exact=True) if len(missing) == 1 else None
