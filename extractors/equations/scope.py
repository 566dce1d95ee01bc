"""Questions that are no single elementary problem, as far as their wording says so: no system is read for them.

The post classifier drops most of them from a build; the reader alone sees them too, and whatever it returns is wrong.
"""

import re
from itertools import pairwise
from typing import Final

from extractors.equations.asked import MAX_QUESTION
from extractors.quantities.numbers import find_numbers

_MARK: Final = re.compile(r"(?:(?<=\s)|(?<=\A)|(?<=[(#]))(\d{1,2})(?:\)|[.:](?=\s))\s*(?=[A-Za-z\d(.$])")
_LEAST_PART: Final = 8
_METHOD: Final = re.compile(
    r"\bhow (?:do|does|can|would|should) (?:you|i|we|u|one) (?:set up|solve|do|write|approach|figure out|work out"
    r"|go about)"
    r"\b[^?.]{0,60}\b(?:problems?|questions?|equations)\b"
)
_FIND: Final = re.compile(
    r"\A\W{0,5}(?:hi|hello|hey)?\W{0,5}how (?:do|does|can|would|should) (?:you|i|we|u|one)"
    r" (?:find|get|calculate|compute|determine) [^?.\d\n]{0,120}(?:\?|\Z)"
)
_WORD: Final = re.compile(r"[a-z]{2,20}")
_BROKEN_OFF: Final = re.compile(r"[a-z]\s(?:\.\.\.|…)[\s)]{0,9}\Z")
_ASKS: Final = re.compile(r"\?|\b(?:find|what|whats|how|when|determine|calculate|solve)\b")
_NUMBER: Final = re.compile(r"\d+")
_SETS: Final = re.compile(r"\bconsecutive\b|\b(?:equilateral|(?:pent|hex|oct|dec)agons?)\b")
"""Words that set numbers: the sides of a hexagon, numbers one after the other."""
_FEW_NUMBERS: Final = 2
_CALCULUS: Final = re.compile(
    r"\b(?:derivatives?|calculus|l'?hopital|differentiat\w{1,6}|related rates|d[yx]/d[xt]"
    r"|limits? (?:of|as|when)\b[^?]{0,120}(?:\\to|->|→|approaches)"
    r"|integrals?(?! (?:solutions?|values?|sides?|multiples?|parts?|numbers?|lengths?|roots?)\b))"
)
_PROOF: Final = re.compile(r"\A\W{0,5}(?:prove|show) that\b")
_WHY: Final = re.compile(
    r"\A\W{0,5}why (?:is|isn't|isnt|are|do|does|can't|cant|can)\b(?!.*\b(?:how (?:many|much)|find)\b)", re.S
)
_SYMBOLIC: Final = re.compile(
    r"\b(?:makes?|uses?|has|have|had|in|of|for|buys?|costs?|sells?|needs?|goe?s?|drives?|travels?|eats?|reads?|packs?)"
    r" ([b-hj-w]) (?!(?:is|was|and|or|are|has|in|be|so|if|to|of)\b)[a-z]{3,12}\b"
    r"[^?]{0,300}\bhow (?:many|much|long|far)\b"
)


def out_of_scope(question: str) -> str | None:
    """Why a question is no single elementary problem; None where its wording does not say so.

    >>> out_of_scope("1) 4x - 7 = 21  2) The sum of a number and 12 is 40, find it.")
    'the question holds several problems'
    >>> out_of_scope("How do you solve word problems with 2 variables?"), out_of_scope("Prove that 3n + 1 is odd.")
    ('a general question', 'a proof')
    >>> out_of_scope("Use derivatives to find the largest area."), out_of_scope("Divide 40 in the ratio 2 : 3.") is None
    ('a question of calculus', True)
    >>> out_of_scope("How do you find the price when you know the sale price?"), out_of_scope("A sum of 41 has a ...")
    ('a general question', 'the question breaks off')
    >>> out_of_scope("It makes n bolts in 20 minutes. How many in 3 hours?"), out_of_scope("Why is 2^0 = 1?")
    ('a question about letters', 'a general question')
    >>> out_of_scope("Find the positive integral values of n with 2n + 3 < 9.") is None
    True
    """
    text = question[:MAX_QUESTION].lower()
    if _holds_several(text):
        return "the question holds several problems"
    if _is_method(text) or _WHY.search(text):
        return "a general question"
    if _CALCULUS.search(text):
        return "a question of calculus"
    if _PROOF.search(text):
        return "a proof"
    if _is_symbolic(text):
        return "a question about letters"
    if _BROKEN_OFF.search(text) and not _ASKS.search(text):
        return "the question breaks off"
    return "a general question" if _is_without_numbers(text) else None


def _is_method(text: str) -> bool:
    """Whether a way of solving is asked for, about hardly any numbers."""
    if _FIND.match(text) and len(_NUMBER.findall(text)) < _FEW_NUMBERS:
        return True
    return bool(_METHOD.search(text)) and len(find_numbers(text)) < _FEW_NUMBERS


def _is_symbolic(text: str) -> bool:
    """Whether a letter stands for a number that is given ("n bolts in 20 minutes"), not for one that is asked."""
    found = _SYMBOLIC.search(text)
    return found is not None and not re.search(rf"\b(?:find|value of|solve for|what is) {found[1]}\b", text)


def _is_without_numbers(text: str) -> bool:
    """Whether there are words, and no numbers of any kind among them, nor a word that sets one."""
    if _NUMBER.search(text) or not _WORD.search(text) or _SETS.search(text):
        return False
    return not find_numbers(text)


def _holds_several(text: str) -> bool:
    """Numbered parts, one after the other, of which each holds a number of its own."""
    marks = list(_MARK.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    parts = [(int(mark[1]), text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=False)]
    full = [place for place, part in parts if len(part) >= _LEAST_PART and _NUMBER.search(part)]
    return any(second == first + 1 for first, second in pairwise(full))
