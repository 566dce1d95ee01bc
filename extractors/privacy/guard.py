"""The maths guard: what the reader of numbers takes as part of an expression, an amount or a list is no personal data.

Every finder of digits asks here first. Time is bounded: only MAX_AROUND characters to each side are looked at.
"""

import re
from itertools import pairwise
from typing import Final

from extractors.quantities.units import currency_before, unit_after

MAX_AROUND: Final = 60
_OPERATORS: Final = frozenset("=+*/^×÷·<>≤≥≠√%~≈|\\{}!")
_MINUS: Final = frozenset("-−–—")
_BRACKETS: Final = " \t([])"
_STRONG: Final = frozenset("=+*/^×÷·<>≤≥%")
_BEFORE: Final = re.compile(
    r"(?:\b(?:what(?:['’]?s| is| are| does)|find|solve|simplify|evaluate|eval|calculate|compute|calc|subtract"
    r"|add|multiply"
    r"|divide|factori[sz]e|factor|work out|expand|round|estimate|convert|reduce|write|reverse"
    r"|(?:sum|product|difference|quotient|mean|average|median|multiple|factors?|root|square|digits?) of"
    r"|minus|plus|times|over|equals?|equal to|divided by|isbn(?:-1[03])?|barcode|upc|ean|(?:sequence|series|pattern)"
    r"|(?:less|more|greater|fewer|smaller|larger) than|between|section|chapter|exercise|ex|version|v|theorem|lemma"
    r"|multiplied by|years?|ratio|scores?|value|expression)(?: the)?(?: (?:value|number|sum|difference"
    r"|result)s?)?(?: of)?"
    r"|\b(?:prove|show|suppose|assume|let|if) [a-z])"
    r"[ \t]*(?:is|are)?[ \t]?[:#]?[ \t\"'(]*\Z",
    re.I,
)
_AFTER: Final = re.compile(
    r"[ \t)\]]{0,3}(?:[-−–][ \t]*(?:\d|[A-Za-z]\b)|[x*][ \t]?\d|[?][ \t]*\Z|\?\?"
    r"|,?[ \t]*(?:plus|minus|times|divided|multiplied|equals?|mod(?:ulo)?|squared|cubed|rounded|written"
    r"|reversed|percent"
    r"|(?:is|are|be)(?: not)? (?:equal|divisible|even|odd|prime|an? (?:multiple|prime|number|perfect|palindrome"
    r"|even|odd)"
    r"|\w{1,12} than|the (?:sum|product|difference|answer|result))"
    r"|means|modulo|to the (?:nearest|power)|in (?:words|decimal|binary|hex|base|standard|scientific)"
    r"|(?:and|or) (?:find|solve|simplify))\b)",
    re.I,
)
_LISTED_BEFORE: Final = re.compile(r"(?:\A|[^\d])\d{1,6}[ ]?[,;][ ]?\Z")
_LISTED_AFTER: Final = re.compile(r"[ ]?[,;][ ]?\d{1,6}(?![\d-])(?! ?[A-Za-z]{3})")


def in_expression(text: str, start: int, end: int) -> bool:
    """Whether the characters around ``text[start:end]`` make it part of an expression, an amount or a formula.

    >>> [in_expression(text, 4, 16) for text in ("x = 555-123-4567", "at: 555-123-4567 now", "I'm 555-123-4567 = y")]
    [True, False, True]
    """
    before = text[max(0, start - MAX_AROUND) : start]
    after = text[end : end + MAX_AROUND]
    return (
        _operator_left(before)
        or _operator_right(after)
        or _AFTER.match(after) is not None
        or _BEFORE.search(before) is not None
        or (start > 0 and currency_before(text, start) is not None)
        or unit_after(text, end) is not None
        or _in_formula(before, after)
    )


def in_list(text: str, start: int, end: int) -> bool:
    """Whether numbers stand beside it, with a comma between, as in "12, 34, 56".

    >>> in_list("12, 5551234567", 4, 14), in_list("call 5551234567, thanks", 5, 15)
    (True, False)
    """
    before, after = text[max(0, start - 12) : start], text[end : end + 12]
    return _LISTED_BEFORE.search(before) is not None or _LISTED_AFTER.match(after) is not None


def is_round(groups: list[str]) -> bool:
    """Whether groups of digits look like amounts and not like a number that was given to a person.

    >>> is_round(["100", "200", "3000"]), is_round(["212", "736", "5000"]), is_round(["01", "02", "03", "04"])
    (True, False, True)
    """
    if len(groups) > 1 and all(group.endswith(("0", "5")) for group in groups):
        return True
    if len(groups) == 1 and groups[0].endswith("00"):
        return True
    if set("".join(groups)) <= {"0", "1"}:
        return True
    values = [int(group) for group in groups]
    steps = {after - before for before, after in pairwise(values)}
    return len(values) > 2 and len(steps) == 1


def _operator_left(before: str) -> bool:
    bare = before.rstrip(_BRACKETS)
    if not bare:
        return False
    last = bare[-1]
    if last in _MINUS:
        rest = bare[:-1].rstrip(" \t")
        letters = re.search(r"[^\W\d_]*\Z", rest)
        return rest[-1:].isdigit() or rest[-1:] == ")" or (letters is not None and len(letters[0]) == 1)
    return last in _OPERATORS


def _operator_right(after: str) -> bool:
    return after.lstrip(_BRACKETS)[:1] in _OPERATORS and not re.match(r"[ \t]?(?:!|/ ?\+?\d{3,})", after)


def _in_formula(before: str, after: str) -> bool:
    """Whether an operator is reached over digits, single letters and brackets alone."""
    left = re.search(r"(?:[\d\s.,()\[\]+\-−*/^=×÷·<>%]|(?<![A-Za-z])[A-Za-z](?![A-Za-z]))*\Z", before[-24:])
    right = re.match(r"(?:[\d \t.,()\[\]+\-−*/^=×÷·<>%]|(?<![A-Za-z])[A-Za-z](?![A-Za-z]))*", after[:24])
    reached = (left[0].rpartition("\n")[2] if left else "") + (right[0] if right else "")
    return any(character in _STRONG for character in reached) and any(character.isalnum() for character in reached)
