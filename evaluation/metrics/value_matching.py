"""When a value counts as the gold value, and a set of values as the gold answer.

The rule, stated beside every figure of threads: two values match if they are equal to 1e-9 of their size, or if one of
them is a decimal of at least two places, differs by at most 1 %, and is what the other rounds to (from three places on:
or is cut to). So 0.33 is 1/3 and 12.3333 is 37/3, but 0.3 is not 1/3, 11 is not 10.83, and whole numbers must be
identical. Figures of corpora keep the rules of their papers: a tolerance (``close``), or the rounding that a gold value
prints (``same_printed``).
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

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


def close(value: Fraction, gold: Fraction, tolerance: Fraction) -> bool:
    """Whether two values agree within a tolerance, absolute and relative to the gold value together."""
    return abs(value - gold) <= tolerance * (1 + abs(gold))


def same_printed(exact: Fraction, printed: Fraction) -> bool:
    """Equal, or equal up to the rounding or cutting of what was printed; a whole number was not rounded.

    >>> same_printed(Fraction(80, 60), Fraction("1.33")), same_printed(Fraction(17, 3), Fraction(6))
    (True, False)
    """
    places = decimal_places(printed)
    return exact == printed or (bool(places) and abs(exact - printed) < Fraction(1, 10 ** (places or 0)))


def contains(values: Iterable[Value], wanted: Iterable[Value], same: Callable[[Any, Any], bool] = same_value) -> bool:
    """Whether each of ``wanted`` has its match among ``values``."""
    held = tuple(values)
    return all(any(same(value, other) for value in held) for other in wanted)


def within(gold: Iterable[Fraction], solution: Iterable[Fraction], tolerance: Fraction) -> bool:
    """Whether every gold value is among the values of a solution (Dolphin18K, section 3.3)."""
    return contains(solution, gold, lambda value, wanted: close(value, wanted, tolerance))


def holds(solutions: Sequence[Sequence[Value]], unknowns: Sequence[str], gold: Alternatives) -> bool:
    """Whether a gold answer lies within one solution, or lists the roots of the only unknown."""
    rows = [*solutions, *([tuple(value for row in solutions for value in row)] if len(unknowns) == 1 else [])]
    return any(contains(row, wanted) for row in rows for wanted in gold)


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
