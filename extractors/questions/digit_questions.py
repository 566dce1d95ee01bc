"""Questions about the digits of a two-digit number and the number with its digits reversed."""

import re
from typing import Final

from extractors.questions.readings import LEAN, Reading, read_clauses
from extractors.questions.worded import phrases_of
from extractors.questions.wording import Page, Rules, rules

_TWO_DIGITS: Final = re.compile(r" 2 (?:- )?digit ")
_FLIP: Final = "(?:reversing|reversed|interchanging|interchanged|switched|swapped|exchanged)"
_MORE: Final = "(?:larger|more|greater|bigger)"
_RULES: Final[Rules] = rules(
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


def two_digits(page: Page) -> Reading | None:
    """``The digits of a two-digit number add to 9 and the number is 45 more than its reverse``."""
    both = page.has("tens") and page.has("units", "ones")
    if not page.has("digit", "digits") or page.has("hundreds") or not (both or _TWO_DIGITS.search(page.text)):
        return None
    reading = read_clauses(page.rewritten(_RULES, LEAN), _PHRASES, ("t", "u"))
    if reading is None:
        return None
    return Reading((*reading.equations, "n=10*t+u"), ("t", "u", "n"), whole=True, asked=("n",))
