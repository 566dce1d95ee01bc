"""Questions about one number, and about two numbers, angles or pieces, read clause by clause.

A frame gives names to what the question speaks of ("the larger", "the other"); the clauses give the equations.

So are consecutive numbers, three numbers, angles or sides, rectangles and areas of triangles.
"""

import re
from itertools import pairwise
from typing import Final

from extractors.questions.worded import LEAN, UNIT, QuestionReading, phrases_of, read_clauses
from extractors.questions.wording import Page, WordingRules, rules
from extractors.text.wordlists import words

_ONE: Final = phrases_of(
    dict.fromkeys(("number", "numbers", "integer", "it", "itself", "what", "what number", "which number"), "x")
    | {"square": "(x^2)", "square root of number": "sqrt(x)", "reciprocal": "(1/x)"}
)
_SEVERAL: Final = (
    "another", "other", "second", "third", "larger", "smaller", "consecutive", "who", "numbers", "integers",
)  # fmt: skip
_ONE_RULES: Final[WordingRules] = rules("and is now => is")


def one_number(page: Page) -> QuestionReading | None:
    """``Seven less than three times a number is 38``."""
    if not page.has("number", "what", "integer") or page.has(*_SEVERAL):
        return None
    if page.has("+", "-", "/", "*") and page.has("divided", "plus", "minus", "times"):
        return None
    found = read_clauses(page.rewritten(_ONE_RULES, LEAN), _ONE, ("x",))
    return None if found is None else found._replace(positive=page.has("positive"), exact=True)


_NOUN: Final = r"(?:number|integer|angle|piece|part|side)"
_CUT: Final = r"(?:cut|divided|broken|split|sawed)"
SET_RULES: Final[WordingRules] = rules(
    rf"""
    2 (?=(?:[a-z]+ ){{0,2}}(?:numbers|integers|angles|pieces|parts|sections) ) =>
    (one|other|another|first|second|third|larger|smaller|greater|bigger|longer|shorter|lesser|largest|smallest|longest|shortest) {_NOUN} => \1
    (first|second|third|larger|smaller|greater|other|longer|shorter|bigger) one => \1
    are (?:complementary|supplementary)(?: and| such that| so that)? => .
    of (?:numbers|them|both|2 numbers|3 numbers|angles|2 angles) =>
    (sum|difference|product)(?: of)? # (?!numbers|integers|times|%|and|consecutive|of) => \1 is \2
    (?:with|whose|having|have|has|and have|in) (?=sum |difference |product |ratio ) => ,
    (?:which |that |who |and )?(?:add|sum|adds|sums|added)(?: up)?(?: together)?(?: to| is)? (?=\d) => , sum is
    (?:which |that |and )?(?:total|make) (?=\d) => , sum is
    (?:which |that |and )?differ by => , difference is
    ratio(?: is| of)? (\d+) (?::|to|is to) (\d+) => ratio is \1/\2
    1 (?=is ) => one
    one (?:is )?# {UNIT}(?:longer|more|larger|bigger|greater) (?!than) => one is \1 more than other
    (?:as large as|as long as|as big as|size of|length of|measure of) =>
    """  # noqa: E501
)
"""Sums, differences and ratios of several numbers in the spelling of clauses."""
_TOTAL_RULES: Final[WordingRules] = rules(
    rf"""
    # {UNIT}(?:[a-z]+ ){{0,3}}?(?:is |was |must be |to be |needs to be )?{_CUT} (?:up )?in(?:to)? (?:2 )?(?:pieces|parts|sections) => sum is \1 .
    (?:divide|split|cut|break|separate) (?:[a-z]+ )?# {UNIT}(?:[a-z]+ )?in(?:to)? (?:2 )?(?:pieces|parts|sections) => sum is \1 .
    # {UNIT}(?:[a-z]+ ){{0,3}}?(?:is |was )?{_CUT}(?: in 2| into 2)? (?:so|such)(?: that)? => sum is \1 .
    """  # noqa: E501
)
_SIZE_RULES: Final[WordingRules] = rules(
    r"""
    one is # (?:more|greater|larger|bigger|longer) than (?:another|other) => larger is \1 more than smaller
    one is (twice|\d+ times) (?:another|other) => larger is \1 smaller
    """
)
_LARGE: Final = ("larger", "greater", "bigger", "longer", "largest", "greatest", "longest")
_SMALL: Final = ("smaller", "lesser", "shorter", "smallest", "least", "shortest")
_TOGETHER: Final = {
    "sum": "(x+y)",
    "difference": "abs(x-y)",
    "product": "(x*y)",
    "ratio": "(x/y)",
    "sum of squares": "(x^2+y^2)",
    "difference of squares": "abs(x^2-y^2)",
}
_NAMINGS: Final = (
    phrases_of({"first": "x", "second": "y"} | _TOGETHER),
    phrases_of(dict.fromkeys(_LARGE, "x") | dict.fromkeys(_SMALL, "y") | _TOGETHER | {"difference": "(x-y)"}),
    phrases_of(dict.fromkeys(("one", "number"), "x") | dict.fromkeys(("other", "another"), "y") | _TOGETHER),
)
"""Ways to tell two numbers apart; a question that mixes them in its statements is not read."""
_TWO: Final = re.compile(
    r" (?:complementary|supplementary) angles "
    r"| (?:cut|divided|split|broken|divide) (?:[a-z0-9/]+ ){0,4}?(?:in|into|so) "
    r"| sum (?:is )?\d+ (?:, |and )?difference | 2 (?:[a-z]+ ){0,2}?(?:numbers|integers|angles|pieces|parts|sections) "
    r"| (?:one|1) (?:[a-z]+ )?(?:number|integer|angle|piece) | (?:another|second) (?:number|integer) "
)
_PICK: Final = re.compile(
    r" (?:find|what is|what's|whats|how (?:long|big|large|many [a-z]+) is|determine|length of|measure of|value of)"
    rf" (?:the )?(?:[a-z]+ of the )?({'|'.join((*_LARGE, *_SMALL))}) "
)


def two_numbers(page: Page) -> QuestionReading | None:
    """``Two numbers sum to 59 and differ by 15``; so for two angles or pieces of something."""
    if not _TWO.search(page.text) or page.has("consecutive", "third", "digit", "triangle"):
        return None
    fixed: tuple[str, ...] = ()
    if page.has("complementary", "supplementary"):
        fixed = ("x+y=90",) if page.has("complementary") else ("x+y=180",)
    lean = page.rewritten((*_TOTAL_RULES, *SET_RULES, *_SIZE_RULES), LEAN)
    readings = (read_clauses(lean.unused(), phrases, ("x", "y"), fixed) for phrases in _NAMINGS)
    found = next((reading for reading in readings if reading is not None), None)
    return None if found is None else found._replace(pick=_picked(page))


def _picked(page: Page) -> str:
    """Which of two sizes alone is asked: ``max``, ``min``, or "" for both."""
    asked = {"max" if word in _LARGE else "min" for word in _PICK.findall(page.text)}
    return asked.pop() if len(asked) == 1 else ""


_KIND: Final = r"(?:positive |whole )?(even |odd )?(?:positive |whole )?(?:integers|numbers)"
_SERIES: Final = re.compile(rf" ([2-5]) (?:[a-z]+ ){{0,2}}?consecutive {_KIND} ")
_SERIES_RULES: Final[WordingRules] = rules(
    rf"""
    \d (?:positive |whole )?consecutive {_KIND} => numbers
    """
)
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth")


def consecutive_numbers(page: Page) -> QuestionReading | None:
    """``The sum of three consecutive odd integers is 87``."""
    found = _SERIES.search(page.text) if page.has("consecutive") else None
    if found is None or page.has("multiples", "digits"):
        return None
    names, gap = tuple("abcde"[: int(found[1])]), 2 if found[2] else 1
    fixed = tuple(f"{late}={early}+{gap}" for early, late in pairwise(names))
    lean = page.rewritten((*_SERIES_RULES, *SET_RULES), LEAN)
    reading = read_clauses(lean, phrases_of(_series_table(names)), names, fixed)
    return None if reading is None else reading._replace(positive=False, whole=True)


def _series_table(names: tuple[str, ...]) -> dict[str, str]:
    """What the members of a series are called."""
    table = dict(zip(_ORDINALS, names, strict=False))
    table |= dict.fromkeys(("smallest", "least", "lowest"), names[0])
    table |= dict.fromkeys(("largest", "greatest", "last", "biggest", "highest"), names[-1])
    table |= {"sum": f"({'+'.join(names)})", "product": f"({'*'.join(names)})"}
    table["sum of squares"] = f"({'+'.join(f'{name}^2' for name in names)})"
    if len(names) == 2:
        table |= {"smaller": "a", "larger": "b", "greater": "b", "other": "b", "difference of squares": "(b^2-a^2)"}
    if len(names) == 3:
        table |= {"middle": "b", "sum of first and third": "(a+c)", "sum of first and second": "(a+b)"}
    return table


_THING: Final = r"(?:side|angle|number|piece|part|integer)"
_THREE_RULES: Final[WordingRules] = rules(
    rf"""
    of triangle =>
    {_THING} (?:1|one) => first
    {_THING} (?:2|two) => second
    {_THING} (?:3|three) => third
    (?:is |are )?# (?:units |degrees )?under double => is \1 less than twice
    perimeter (?:of triangle |of )?(?:is )?# => sum is \1 .
    sum of (?:first (?:2|and second)|other 2) => first2
    """
)
_THREE_END: Final[WordingRules] = rules("(?:3 )?(?:numbers|angles|sides) =>")
_THREE: Final = phrases_of({"first": "x", "second": "y", "third": "z", "sum": "(x+y+z)", "first2": "(x+y)"})


def three_numbers(page: Page) -> QuestionReading | None:
    """``Three numbers add up to 100, the second is 10 more than the first, ...``; angles and sides of a triangle."""
    if not (page.has("third") or " side 3 " in page.text) or page.has("consecutive", "digit"):
        return None
    fixed = ("x+y+z=180",) if page.has("angle", "angles") and page.has("triangle") else ()
    lean = page.rewritten((*_THREE_RULES, *SET_RULES, *_THREE_END), LEAN)
    return read_clauses(lean, _THREE, ("x", "y", "z"), fixed)


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
