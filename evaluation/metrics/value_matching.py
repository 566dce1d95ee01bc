"""When a value read out of a post counts as the gold value, and a set of values as the gold answer.

The rule, stated beside every figure: two values match if they are equal to 1e-9 of their size, or if one of them is a
decimal of at least two places, differs by at most 1 %, and is what the other rounds to (from three places on: or is cut
to). So 0.33 is 1/3 and 12.3333 is 37/3, but 0.3 is not 1/3, 11 is not 10.83, and whole numbers must be identical.
"""

from collections.abc import Sequence
from fractions import Fraction

from curation.consensus import Match, compare
from extractors.answers.parsing import Alternatives, parse_answer
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import Value, approximate, parse_value
from extractors.templates.matching import decimal_places

RULE = "equal to 1e-9, or rounded to 2 or more decimals within 1 %"
PLACES = 2
EXACT = Fraction(1, 10**9)
NEAR = Fraction(1, 100)


def same_value(left: Value, right: Value) -> bool:
    """Whether two values match by the rule of this module.

    >>> third = Fraction(1, 3)
    >>> same_value(third, Fraction("0.33")), same_value(third, Fraction("0.3")), same_value(third, Fraction(0))
    (True, False, False)
    """
    first, second = approximate(left), approximate(right)
    if first == second or (first.denominator == 1 and second.denominator == 1):
        return first == second
    gap = abs(first - second)
    if gap <= EXACT * max(abs(first), abs(second)):
        return True
    near = gap <= NEAR * max(abs(first), abs(second))
    return near and (_rounds_to(first, second) or _rounds_to(second, first))


def _rounds_to(exact: Fraction, value: Fraction) -> bool:
    return (decimal_places(value) or 0) >= PLACES and compare(value, exact) is Match.EQUAL


def contains(values: Sequence[Value], wanted: Sequence[Value]) -> bool:
    """Whether each of ``wanted`` has its match among ``values``."""
    return all(any(same_value(value, other) for value in values) for other in wanted)


def same_set(values: Sequence[Value], gold: Sequence[Value]) -> bool:
    """All gold values and nothing else, in any order; how often a value is listed does not count."""
    return contains(values, gold) and contains(gold, values)


def read_values(texts: Sequence[str]) -> tuple[Value, ...]:
    """The values of a record's strings; ExtractionError for a string that is no value."""
    return tuple(parse_value(text) for text in texts)


def gold_alternatives(gold: str | Sequence[str]) -> Alternatives:
    """Gold answers from an answer string (``{9; 14}``, ``3/4 or 0.75``) or from a list of values.

    Raises ExtractionError for what cannot be read.
    """
    if isinstance(gold, str):
        found = parse_answer(gold)
        if not found:
            raise ExtractionError(f"no value in {gold[:40]!r}")
        return found
    return (tuple(_single(text) for text in gold),)


def _single(text: str) -> Value:
    try:
        return parse_value(text)
    except ExtractionError:
        found = parse_answer(text)
        if not found or len(found[0]) != 1:
            raise
        return found[0][0]
