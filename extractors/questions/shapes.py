"""Questions about the sides, perimeter and area of a rectangle, the area of a triangle; work, roads, prices."""

import re
from typing import Final

from extractors.questions.worded import LEAN, UNIT, QuestionReading, phrases_of, read_clauses, single
from extractors.questions.wording import LENGTHS, NUMBER, SPEED, Page, WordingRules, minutes, rules
from extractors.text.wordlists import read_list, words

_BOX_RULES: Final[WordingRules] = rules(
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


_TRIANGLE_RULES: Final[WordingRules] = rules(
    r"""
    (area|base|height) of triangle => \1
    (?:with|has|have|having|whose|of) (?=(?:area|base|height) ) => ,
    (area|base|height)(?: of)? (?=\d) => \1 is
    """
)
_TRIANGLE: Final = phrases_of({"area": "a", "base": "b", "height": "h"})


def triangle(page: Page) -> QuestionReading | None:
    """``Area of a triangle is 48 sq in, its base is 8 in. Height?``"""
    if not all(page.has(word) for word in ("triangle", "area", "base", "height")):
        return None
    reading = read_clauses(page.rewritten(_TRIANGLE_RULES, LEAN), _TRIANGLE, ("a", "b", "h"), ("a=b*h/2",))
    if reading is None or len(reading.equations) != 3:
        return None
    missing = {"a", "b", "h"} - {equation[0] for equation in reading.equations[1:]}
    return reading._replace(asked=tuple(missing), exact=True) if len(missing) == 1 else None


_WORK: Final = words(read_list("extractors/work_words"))
_NO_WORK: Final = words(read_list("extractors/unequal_work_words"))
_ONE_UNIT: Final = re.compile(r" an? (?:hour|minute|day|week) ")
_BOTH_JOBS: Final = re.compile(r" both (?:rooms|houses|jobs|lawns|walls|fences|fields|cars) ")
_UNIT: Final = "(?:hours|hrs|minutes|mins|days|hour)"
_TOGETHER_IN: Final = re.compile(
    rf"(?: together| both)[^.;?!0-9]{{0,60}} (?:in |takes? |needs? |require )?{NUMBER} {_UNIT}"
    rf"| {NUMBER} {_UNIT} (?:if |when )?(?:working )?together"
)


def work_together(page: Page) -> QuestionReading | None:
    """``Ann can paint a fence in 8 hours, Bob in 12. How long together?``"""
    if len(page.numbers) != 2 or not page.has("together", "both") or not page.has(*_WORK) or page.has(*_NO_WORK):
        return None
    if any(pattern.search(page.text) for pattern in (_ONE_UNIT, _TOGETHER_IN, _BOTH_JOBS)):
        return None
    if page.text.rfind(" how ") < page.begins(page.numbers[-1]) and page.tokens[-1] != "?":
        return None
    units = {minutes(page, place) for place in page.numbers}
    bare = [place for place in page.numbers if minutes(page, place) is None]
    if len(units - {None}) != 1 or not all(page.before(place) in _BEFORE_TIME for place in bare):
        return None
    first, second = (page.tokens[place] for place in page.numbers)
    return single(f"1/x=1/({first})+1/({second})")


_BEFORE_TIME: Final = ("in", "takes", "take", "needs", "requires", "for", "about")


_FLOWS: Final = ("wind", "current", "stream", "still")


def with_current(page: Page) -> QuestionReading | None:
    """One way with the wind or the current in some time, the way back against it."""
    if not page.has(*_FLOWS) or SPEED.search(page.text) or page.has("same", "total", "third", "altogether"):
        return None
    lengths = [page.value(place) for place in page.numbers if page.after(place) in LENGTHS]
    times = [page.value(place) for place in page.numbers if minutes(page, place) == 60]
    if len(times) != 2 or not 0 < len(lengths) < 3 or len(lengths) + len(times) < len(page.numbers) or not all(times):
        return None
    fast, slow = sorted((lengths[0] / times[0], lengths[-1] / times[1]), reverse=True)
    return QuestionReading((f"x+y={fast}", f"x-y={slow}"), ("x", "y")) if fast > slow else None
