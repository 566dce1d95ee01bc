"""An answer as one would write it: its values in words, with the unit that the question asks for where that is sure.

A text is given only if it reads as the very values again; so a grader that reads it finds what it was made of.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from extractors.answers.parsing import parse_answer
from extractors.extraction_errors import ExtractionError
from extractors.quantities.units import UNIT_NAMES

LONGEST: Final = 30
"""Characters of a value that is written in another way than it stands."""
LARGEST: Final = 8
"""Denominator of a fraction that people rather write as such."""
_ASKS: Final = re.compile(r"\b(?:how|what|which|find|determine|calculate|compute|when|who)\b", re.I)
_MANY: Final = re.compile(r"\bhow many (?:more |total |additional |extra )?([a-z]{2,14})\b", re.I)
_MEASURED: Final = re.compile(
    r"\b(?:how (?:long|far|fast|tall|high|wide|deep|heavy)|what (?:is|was) the [a-z ]{2,30})\b[^.?!]{0,120}"
    r"\bin ([a-z]{2,14})[ ]?\?",
    re.I,
)
_PERCENT: Final = re.compile(r"\bwhat (?:percent|percentage)\b", re.I)
_MONEY: Final = re.compile(
    r"\bhow much (?:money|(?:do|does|did|will|would|must|should)\b[^.?!]{0,80}\b(?:cost|pay|spend|earn|charge|owe)\b)",
    re.I,
)


def asked_unit(question: str) -> str | None:
    """The unit that a question asks for, as it spells it; ``$`` for dollars, ``%`` for percent; None if not sure.

    A question that asks several things is not sure.

    >>> asked_unit("It fills at 2 l a minute. How many minutes does it take?"), asked_unit("How many pens has Ann?")
    ('minutes', None)
    """
    if len(_ASKS.findall(question)) != 1:
        return None
    if _MONEY.search(question) and "$" in question and "cent" not in question.lower():
        return "$"
    if _PERCENT.search(question):
        return "%"
    found = _MANY.search(question) or _MEASURED.search(question)
    return found[1].lower() if found and found[1].lower() in UNIT_NAMES else None


def answer_text(question: str, values: Sequence[str], stated: Sequence[str] = ()) -> str:
    """The values of the answer to a question, given exactly (``7/2``), as one would write them.

    ``stated`` are the units, by their canonical names, that people wrote beside the value: where these say another
    than the question asks for, none is written. Nor is one beside several values.

    >>> answer_text("How many minutes does it take?", ["14"]), answer_text("Which numbers?", ["8", "7"])
    ('14 minutes', '8 and 7')
    >>> answer_text("Pens are $2. How much do 3/2 cost?", ["7/2"]), answer_text("What is a half of 3/2?", ["3/4"])
    ('$3.50', '3/4')
    >>> answer_text("How many hours does it take?", ["3/2"], ["minute"])
    '3/2'
    """
    return next((text for text in _texts(question, values, stated) if _reads_as(text, values)), "; ".join(values))


def _texts(question: str, values: Sequence[str], stated: Sequence[str]) -> Iterator[str]:
    """Ways to write the values, the best first."""
    if len(values) == 1 and len(values[0]) <= LONGEST:
        unit = asked_unit(question)
        name = {"$": "dollar", "%": "percent"}.get(unit or "", UNIT_NAMES.get(unit or ""))
        if unit and (not stated or name in stated):
            yield from _with_unit(Fraction(values[0]), unit)
    *first, last = map(_plain, values or ("",))
    yield f"{', '.join(first)} and {last}" if first else last
    yield ", ".join(values)


def _with_unit(value: Fraction, unit: str) -> Iterator[str]:
    if unit == "$":
        if value >= 0 and 100 % value.denominator == 0:
            yield (
                f"${value.numerator}"
                if value.denominator == 1
                else f"${Decimal(value.numerator) / value.denominator:.2f}"
            )
    elif unit == "%":
        if value >= 1:
            yield f"{_decimal(value)}%"
    else:
        yield f"{_decimal(value)} {UNIT_NAMES[unit] if value == 1 else unit}"


def _plain(value: str) -> str:
    """A value by itself: hundredths and the like as a decimal, halves and quarters as a fraction."""
    denominator = int(value.rpartition("/")[2]) if "/" in value and len(value) <= LONGEST else 1
    return _decimal(Fraction(value)) if denominator > LARGEST else value


def _decimal(value: Fraction) -> str:
    """A value with up to three decimals, or as a fraction where these do not do."""
    return f"{Decimal(value.numerator) / value.denominator:f}" if 1000 % value.denominator == 0 else str(value)


def _reads_as(text: str, values: Sequence[str]) -> bool:
    try:
        return parse_answer(text) == (tuple(map(Fraction, values)),)
    except (ExtractionError, ValueError):
        return False
