"""Questions about consecutive numbers, and about three numbers, angles or sides, and about the digits of a number."""

import re
from itertools import pairwise
from typing import Final

from extractors.questions.number_questions import SET_RULES
from extractors.questions.worded import LEAN, UNIT, QuestionReading, phrases_of, read_clauses
from extractors.questions.wording import Page, WordingRules, rules

_KIND: Final = r"(?:positive |whole )?(even |odd )?(?:positive |whole )?(?:integers|numbers)"
_SERIES: Final = re.compile(rf" ([2-5]) (?:[a-z]+ ){{0,2}}?consecutive {_KIND} ")
_SERIES_RULES: Final[WordingRules] = rules(
    rf"""
    \d (?:positive |whole )?consecutive {_KIND} => numbers
    (first|second|third|fourth|larger|smaller|greater|smallest|largest|greatest|least|middle|other|last) (?:one|integer|number) => \1
    """  # noqa: E501
)
_SERIES_END: Final[WordingRules] = rules(
    r"""
    (?:of|between) numbers =>
    (?:equal|equals) (?=-?\d) => is
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
    lean = page.rewritten((*_SERIES_RULES, *SET_RULES, *_SERIES_END), LEAN)
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
    {_THING} (?:2|two) => second
    (first|second|third) {_THING} => \1
    (first|second|third) {_THING} => \1
    (?:is |are )?# (?:units |degrees )?under double => is \1 less than twice
    # (?:- )?{UNIT}(?:[a-z]+ ){{1,2}}?(?:is |was )?(?:cut |divided )?(?:, |into |in )3 (?:pieces|parts|numbers) => sum is \1 .
    3 (?:pieces|parts) of # {UNIT}[a-z]+ => sum is \1 .
    perimeter (?:of triangle |of )?(?:is )?# => sum is \1 .
    (second|third) (?=twice|double|\d+ times) => \1 is
    sum of (?:first (?:2|and second)|other 2) => first2
    """  # noqa: E501
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


_TWO_DIGITS: Final = re.compile(r" 2 (?:- )?digit ")
_FLIP: Final = "(?:reversing|reversed|interchanging|interchanged|switched|swapped|exchanged)"
_MORE: Final = "(?:larger|more|greater|bigger)"
_RULES: Final[WordingRules] = rules(
    rf"""
    (?:of )?2 (?:- )?digit number(?:'s)? => number
    (?:original|this|that|given|new) (?=number) =>
    (?:ones|unit|unit's|units|one's)(?: place)? digit => units
    (?:tens|ten's|ten)(?: place)? digit => tens
    digits? in (?:ones|units|unit's) place => units
    digits? in (?:tens|ten's) place => tens
    (?:of|in|for) number =>
    (digits?|units|tens) number => \1
    number (units|tens) => . \1
    (?:,|\.) digits (?:of number )?(?=sum |add |total ) => . digits
    digits (?:of number |in number )?(?:sum|add|total|add up|sum up)s?(?: up)?(?: to)? (?=\d) => digitsum is
    sum of (?:2 )?digits(?: of number| number)? => digitsum
    (?:with|whose|has) (?=digitsum) => ,
    digitsum(?: of)? (?=\d) => digitsum is
    (?:digits (?:are |is )?|if |when |it is |reverse its |number (?:is |are )?|its |by )?{_FLIP}(?: (?:number|digits|them|order|it|of digits))*(?: of number)?(?: is| are)? => flipped
    (?:number )?(?:with|obtained by|formed by|when|if|number) flipped => flipped
    reverse => flipped
    flipped(?: ,)?(?: then)?(?: new| resulting)?(?: number| value| it| result)?(?: obtained)? (?=is |was |are |exceeds |becomes |makes |raises |increases |decreases |gives ) => flipped
    flipped(?: ,)? (?:makes|raises|increases) (?:number|it) (?:by )?#(?: {_MORE})? => flipped is number + \1
    flipped (?:, )?(?:number |it )?(?:is |becomes )?(?:increased|increases|raised) by # => flipped is number + \1
    flipped (?:, )?(?:number |it )?(?:is |becomes )?(?:decreased|decreases|reduced|diminished) by # => flipped is number - \1
    flipped (?:, )?(?:gives number |is |becomes |it's )?(?:smaller|less) by # => flipped is number - \1
    flipped (?:, )?(?:gives number |is |becomes |it's )?{_MORE} by # => flipped is number + \1
    flipped (?:, )?(?:is |it's |becomes )?# {_MORE} [.,;?] => flipped is number + \1 .
    flipped (?:, )?(?:is |it's |becomes )?# (?:less|smaller) [.,;?] => flipped is number - \1 .
    it (?=exceeds |is ) => number
    (?:its|number) flipped => flipped
    flipped (?=\d) => flipped is
    """  # noqa: E501
)
_PHRASES: Final = phrases_of(
    {"units": "u", "tens": "t", "digitsum": "(t+u)", "number": "(10*t+u)", "flipped": "(10*u+t)", "digits": "(t+u)"}
)


def two_digits(page: Page) -> QuestionReading | None:
    """``The digits of a two-digit number add to 9 and the number is 45 more than its reverse``."""
    both = page.has("tens") and page.has("units", "ones")
    if not page.has("digit", "digits") or page.has("hundreds") or not (both or _TWO_DIGITS.search(page.text)):
        return None
    reading = read_clauses(page.rewritten(_RULES, LEAN), _PHRASES, ("t", "u"))
    if reading is None:
        return None
    return QuestionReading((*reading.equations, "n=10*t+u"), ("t", "u", "n"), whole=True, asked=("n",))
