"""What part a number plays where it stands in an answer: operand, result, value of a variable, or plain statement."""

import re
from enum import StrEnum
from typing import Final

_UNIT: Final = r"[ ]{0,2}(?:%|°|[A-Za-z]{2,14}\b[ ]{0,2})?"
_OPERATOR_AFTER: Final = re.compile(
    rf"(?:{_UNIT})(?:[+*/^·×÷]|[ ]?-[ ]{{0,2}}[$]?(?:[0-9.(]|[A-Za-z]\b)|[xX][ ]{{0,2}}[$]?[0-9.(])|[ ]{{0,2}}\("
)
_COEFFICIENT_AFTER: Final = re.compile(r"[ ]?(?:[A-Za-z](?![A-Za-z])|sqrt|[A-Za-z]_)")
_EQUALS_AFTER: Final = re.compile(rf"(?:{_UNIT})=")
_VALUE_OF_AFTER: Final = re.compile(
    r"[ ]{0,2}=[ ]{0,2}[A-Za-z][A-Za-z_0-9']{0,15}[ ]{0,2}(?:$|[.,;\n)]|=>|so\b|and\b)", re.M
)
_OPERATOR_BEFORE: Final = re.compile(r"(?:[+*/^·×÷]|[0-9A-Za-z)][ ]{0,2}-|[0-9)][ ]{0,2}[xX])[ ]{0,2}[$€£(]{0,2}\Z")
_EQUALS_BEFORE: Final = re.compile(r"(?:=|≈|~)[ ]{0,3}[$€£]?[ ]?\Z")
_VALUE_OF_BEFORE: Final = re.compile(
    r"(?:\A|[\n,;.(>:]|\b(?:so|and|then|thus|hence|therefore|gives|get|is|"
    r"let))[ ]{0,3}[A-Za-z][A-Za-z_0-9' ]{0,30}[ ]{0,3}=[ ]{0,3}[$€£]?[ ]?\Z"
)
_EQUALS: Final = frozenset("=≈~")
_OPERATORS: Final = frozenset("+*/^·×÷-xX")
"""Signs one of which stands last before a number, spaces and signs of money aside, where the patterns match."""
_WINDOW: Final = 48
_SIGN_WINDOW: Final = 8
"""The longest that an operator or an equals sign can be with what may stand between it and the number."""


class Role(StrEnum):
    """The part a number plays; only OPERAND keeps it from standing in a larger answer set."""

    OPERAND = "operand"
    RESULT = "result"
    ASSIGNED = "assigned"
    STATED = "stated"


OPERAND: Final = Role.OPERAND
RESULT: Final = Role.RESULT
ASSIGNED: Final = Role.ASSIGNED
STATED: Final = Role.STATED
"""The roles by name: in Python 3.11 a member costs ten times as much to look up on its class, once for each number."""


def role_of(text: str, start: int, end: int) -> Role:
    """The role of the number at ``text[start:end]``.

    ASSIGNED: alone on one side of an equals sign with a name on the other. RESULT: after an equals sign otherwise.
    OPERAND: an operator, a variable or an equals sign follows, or an operator precedes. STATED: all else.

    >>> cases = (("12 + 3 = 15", 0), ("12 + 3 = 15", 9), ("x = 15", 4), ("15 mph", 0))
    >>> [str(role_of(text, at, at + 2)) for text, at in cases]
    ['operand', 'result', 'assigned', 'stated']
    """
    before = text[max(0, start - _WINDOW) : start]
    if _OPERATOR_AFTER.match(text, end) or _is_coefficient(text, end):
        return OPERAND
    if _EQUALS_AFTER.match(text, end):
        lone = _VALUE_OF_AFTER.match(text, end) and not _OPERATOR_BEFORE.search(before)
        return ASSIGNED if lone else OPERAND
    tail, near = before.rstrip(" $€£(")[-1:], max(0, len(before) - _SIGN_WINDOW)
    if tail in _EQUALS and _EQUALS_BEFORE.search(before, near):
        return ASSIGNED if _VALUE_OF_BEFORE.search(before) else RESULT
    return OPERAND if tail in _OPERATORS and _OPERATOR_BEFORE.search(before, near) else STATED


def _is_coefficient(text: str, end: int) -> bool:
    match = _COEFFICIENT_AFTER.match(text, end)
    if match is None or (match[0][0] == " " and match[0].lower() in {" a", " i", " h", " m"}):
        return False
    return match[0].lower() not in {"m", "g", "l", "h", "s", "c", "k", "p", "q"} or text[end : end + 2].strip() == ""
