"""Questions about the sides, perimeter and area of a rectangle, and ways with and against a current."""

from typing import Final

from extractors.questions.worded import LEAN, UNIT, QuestionReading, phrases_of, read_clauses
from extractors.questions.wording import HOURS, LENGTHS, SPEED, Page, WordingRules, rules
from extractors.text.wordlists import words

_BOX_RULES: Final[WordingRules] = rules(
    rf"""
    [a-z]+ is # {UNIT}longer than (?:it is )?wide => , length is \1 more than width
    rectangle's =>
    (?:rectangle|garden|field|room|it) is # {UNIT}longer than (twice|double|\d+ times) width => , length is \1 more than \2 width
    (length|width|breadth|perimeter|area) of(?: [a-z]+){{1,3}} (?=is |exceeds |equals |, |and |\. |\? ) => \1
    (?:with|has|have|having|whose) (?=perimeter |area |length |width ) => ,
    (perimeter|area)(?: of)?(?: [a-z]+)? (?=\d) => \1 is
    """  # noqa: E501
)
_BOX: Final = phrases_of({"width": "w", "breadth": "w", "length": "l", "perimeter": "(2*(l+w))", "area": "(l*w)"})
_BOX_WORDS: Final = ("rectangle", "rectangular", "width", "wide", "breadth")
_OTHER_SHAPES: Final = words("square squares border path triangle increased decreased diagonal box height")


def rectangle(page: Page) -> QuestionReading | None:
    """``The length is 5 feet more than twice the width. The perimeter is 88 feet``; area and perimeter where asked."""
    if not page.has(*_BOX_WORDS) or (page.has(*_OTHER_SHAPES) and not page.has("perimeter")):
        return None
    reading = read_clauses(page.rewritten(_BOX_RULES, LEAN), _BOX, ("l", "w"))
    if reading is None:
        return None
    for word, form in (("area", "l*w"), ("perimeter", "(2*(l+w))")):
        if page.has(word) and not any(form in equation for equation in reading.equations):
            return QuestionReading((*reading.equations, f"a={form}"), ("l", "w", "a"), asked=("a",))
    return reading


_FLOWS: Final = ("wind", "current", "stream", "still")


def with_current(page: Page) -> QuestionReading | None:
    """One way with the wind or the current in some time, the way back against it."""
    if not page.has(*_FLOWS) or SPEED.search(page.text) or page.has("same", "total", "third", "altogether"):
        return None
    lengths = [page.value(place) for place in page.numbers if page.after(place) in LENGTHS]
    times = [page.value(place) for place in page.numbers if page.after(place) in HOURS]
    if len(times) != 2 or not 0 < len(lengths) < 3 or len(lengths) + len(times) < len(page.numbers) or not all(times):
        return None
    fast, slow = sorted((lengths[0] / times[0], lengths[-1] / times[1]), reverse=True)
    return QuestionReading((f"x+y={fast}", f"x-y={slow}"), ("x", "y")) if fast > slow else None
