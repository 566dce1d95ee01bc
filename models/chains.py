"""What a value is worked out from: the sums of an answer followed back to the numbers that they start from.

A careful reader who checks an answer asks whether every quantity of the question went into it, as often as the question
states it: who is paid at two jobs and has 80 dollars already does not need what is left without the 80. A chain says
nothing where it starts from a number that neither the question nor a table of units gives: it was not read in full.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from extractors.answers.answer_candidates import Mention
from extractors.equations.given import STRUCTURAL
from extractors.quantities.numbers import Number

Ratio = tuple[int, int]
"""A value as numerator and denominator in lowest terms."""
MAX_ORIGINS: Final = 60
MAX_SMALL_WORD: Final = 3
"""Up to three in words as often names the persons of a story as it counts: "her two parents"."""
_NAMING: Final = frozenset({"article", "pronoun", "ordinal", "parity", "coin"})
_GAP: Final = 40
_EQUALS: Final = frozenset("=≈~")
_SIGNS: Final = _EQUALS | frozenset("-+*×÷/x")
_OPENERS: Final = " ($€£"
_THINGS: Final = re.compile(r"[a-z '/%°)-]*")
_QUOTIENT: Final = re.compile(r"([0-9]{1,15})[ ]?/[ ]?([0-9]{1,15})")


@dataclass(frozen=True, slots=True)
class Step:
    """One sum with its result: ``operands`` come to ``result`` as the answer says; units may stand between."""

    operands: tuple[Ratio, ...]
    result: Ratio


def steps_of(text: str, mentions: Sequence[Mention]) -> tuple[Step, ...]:
    """The sums of an answer (lower case) in order: numbers joined by operators, up to an equals sign.

    "3 hours * $30/hour = $90" is a step from 3 and 30 to 90; "3 + 4 = 7 * 2 = 14" is two.
    """
    steps = []
    held: list[Ratio] = []
    for place, mention in enumerate(mentions):
        sign = _sign_between(text, mentions[place - 1].end, mention.start) if place else ""
        if sign in _EQUALS:
            if len(held) > 1:
                steps.append(Step(tuple(held), mention.number.value.as_integer_ratio()))
            held = []
        elif not sign:
            held = []
        held += _operands(mention.number)
    return tuple(steps)


def _sign_between(text: str, start: int, end: int) -> str:
    """The operator or equals sign between two numbers, where nothing else stands there but things they count."""
    if end - start > _GAP:
        return ""
    head = text[start:end].rstrip(_OPENERS)
    sign, body = head[-1:], head[:-1]
    if sign not in _SIGNS or (sign == "x" and body[-1:].isalpha()):
        return ""
    return sign if _THINGS.fullmatch(body) else ""


def _operands(number: Number) -> list[Ratio]:
    """A number as operands: "45/9" is a sum of its own here, read as one number elsewhere."""
    quotient = _QUOTIENT.fullmatch(number.raw) if number.kind == "fraction" else None
    return [(int(part), 1) for part in quotient.groups()] if quotient else [number.value.as_integer_ratio()]


def origins(steps: Sequence[Step], value: Ratio) -> tuple[Ratio, ...]:
    """The numbers that a value is worked out from, each as often as it is used; nothing where no step comes to it.

    An operand that an earlier step comes to is followed further back, the latest such step first. Nothing either where
    there are MAX_ORIGINS or more: a part of them would say that the rest was left out.

    >>> chain = (Step(((30, 1), (3, 1)), (90, 1)), Step(((90, 1), (90, 1), (5, 1)), (185, 1)))
    >>> [top for top, _ in origins(chain, (185, 1))], origins(chain, (7, 1))
    ([30, 3, 30, 3, 5], ())
    """
    found: list[Ratio] = []
    open_values = [(value, len(steps))]
    while open_values and len(found) < MAX_ORIGINS:
        wanted, before = open_values.pop()
        place = next((place for place in reversed(range(before)) if steps[place].result == wanted), None)
        if place is not None:
            open_values += [(operand, place) for operand in reversed(steps[place].operands)]
        elif before < len(steps):
            found.append(wanted)
    return tuple(found) if len(found) < MAX_ORIGINS else ()


@dataclass(frozen=True, slots=True)
class Quantities:
    """The quantities of a question: the spellings of each that an answer has to use, and of all that it may use."""

    demanded: tuple[frozenset[Ratio], ...]
    known: frozenset[Ratio]


def quantities_of(numbers: Sequence[Number]) -> Quantities:
    """The quantities of a question's numbers, each as often as it is stated.

    >>> from extractors.quantities.numbers import find_numbers
    >>> found = quantities_of(find_numbers("Ann and her two sons ate half of 16 figs"))
    >>> len(found.demanded), (2, 1) in found.known, (1, 2) in found.demanded[0]
    (2, True, True)
    """
    forms = [(spellings(number.value), number) for number in numbers]
    demanded = tuple(
        found
        for found, number in forms
        if number.kind not in _NAMING and not (number.kind == "word" and number.value <= MAX_SMALL_WORD)
    )
    return Quantities(demanded, STRUCTURAL.union(*(found for found, _ in forms)))


@lru_cache(maxsize=4_096)
def spellings(value: Fraction) -> frozenset[Ratio]:
    """The numbers that stand for a quantity in a sum: a half is 1/2, 2 and 50; 20 % is 20, 0.2, 80, 0.8, 120 and 1.2.

    >>> sorted(Fraction(*size) for size in spellings(Fraction(1, 4)))
    [Fraction(1, 4), Fraction(3, 4), Fraction(5, 4), Fraction(4, 1), Fraction(25, 1)]
    """
    if 0 < value < 1:
        forms = {value, 1 / value, 1 - value, 1 + value, 100 * value}
    else:
        part = value / 100
        forms = {value, part, 100 - value, 100 + value, 1 - part, 1 + part, *((1 / value,) if value else ())}
    return frozenset(form.as_integer_ratio() for form in forms)


def accounted_for(quantities: Quantities, found: Sequence[Ratio]) -> float:
    """Whether the ``origins`` of a value use up the quantities of the question.

    1 where all are used as often as they are stated, -1/2 where one is left out, -1 where two or more are; 0 without
    origins, and where one of them is neither a quantity of the question nor a number that sums take from nowhere.
    """
    if not quantities.demanded or not found or not quantities.known.issuperset(found):
        return 0.0
    rest = list(found)
    left_out = 0
    for forms in quantities.demanded:
        used = next((place for place, size in enumerate(rest) if size in forms), None)
        if used is None:
            left_out += 1
        else:
            del rest[used]
    return -min(2, left_out) / 2 if left_out else 1.0
