"""Variations with other numbers (GSM-Plus, section 2: numerical substitution, digit expansion, conversion to decimals).

Numbers are drawn within the bounds of what they count. Half of the tries draw the unknowns and solve for some of the
numbers instead, so that a division comes out even.
"""

import random
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, islice

from evaluation.variations.number_bounds import (
    LENGTHS_OF_TIME,
    MONEY,
    NumberBounds,
    bounds_of,
    follows_article,
    free_numbers,
    hangs_on_others,
    in_order,
    most_of,
    restated,
)
from evaluation.variations.rewritten_text import NewNumber, TextEdit, VariationDraft, rewritten, written_like
from evaluation.variations.source_problem import (
    AbstainedError,
    Abstention,
    NumbersByName,
    SourceProblem,
    is_key,
    key_of,
    solved,
)
from extractors.expressions.tree import Binary, Call, Equation, Name, Node, walk
from extractors.extraction_errors import ExtractionError
from extractors.quantities.units import UNIT_NAMES
from extractors.solve.tree_evaluation import evaluate_tree
from extractors.templates.matching import decimal_places

TRIES = 100
_SUMS = frozenset("+-")

_NOT_CHANGED = re.compile(
    r"\d ?: ?\d|\d ?/ ?\d|\b(?:respectively|ratio|triangle|angles?|in step|rs|rupees?|notes?)\b", re.I
)
"""Texts in which numbers hang together by what is not in the equations."""

_NOT_LARGER = re.compile(
    r"\b(?:each|every|per|apiece|ages?|old|older|younger|scores?|games|digits?"
    r"|vases?|lawn|class|bag|bus|tall|long|high|cents?|House|Senate)\b"
)
"""Texts in which numbers of things could not be ten times as large."""

_Bounds = dict[int, NumberBounds]


def other_numbers(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """Every number is another one of the same size."""
    return _changed(source, chooser, {place: bounds_of(source, place) for place in _free(source)}, whole=True)


def other_digits(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """Numbers of things and sums of money that are only added and subtracted get a digit more."""
    parts = [part for e in source.equations for side in (e.left, e.right) for part in walk(side)]
    sums = all(isinstance(part, Name) or (isinstance(part, Binary) and part.op in _SUMS) for part in parts)
    free = _free(source)
    numbers = [source.numbers[place] for place in free]
    plain = all(n.unit is None or n.unit in MONEY for n in numbers) and all(5 <= n.value < 1000 for n in numbers)
    if not sums or not plain or _NOT_LARGER.search(source.text) or set(free) != set(source.used):
        raise AbstainedError(Abstention.NO_RULE)
    bounds = {place: _longer(bounds_of(source, place)) for place in free}
    return _changed(source, chooser, bounds, whole=True)


def _longer(bounds: NumberBounds) -> NumberBounds:
    return NumberBounds(bounds.low * 10, bounds.high * 10, Fraction(1), bounds.rest)


def decimals(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """Whole measures and sums of money become decimals; what else is counted stays as it is."""
    found = {place: _parted(source, place, chooser) for place in _free(source) if _is_measured(source, place)}
    if not found:
        raise AbstainedError(Abstention.NO_RULE)
    return _changed(source, chooser, found, whole=not _asks_measure(source))


def _is_measured(source: SourceProblem, place: int) -> bool:
    number = source.numbers[place]
    measures = number.unit is not None and number.unit not in LENGTHS_OF_TIME | {"percent", "degree", "point", "cent"}
    return measures and number.value.denominator == 1 and not number.raw[:1].isalpha() and number.value < 1000


def _parted(source: SourceProblem, place: int, chooser: random.Random) -> NumberBounds:
    """Tenths of measures, quarters of money."""
    number = source.numbers[place]
    quarters = number.kind == "money" or number.unit in MONEY
    rest = Fraction(chooser.randint(1, 3), 4) if quarters else Fraction(chooser.randint(1, 9), 10)
    return NumberBounds(max(Fraction(1), number.value - 2), number.value + 2, Fraction(1), rest)


def _asks_measure(source: SourceProblem) -> bool:
    """Whether every question is for a measure or a sum of money, which may be a decimal."""
    asked = re.findall(r"\bhow (many|much|far|long|tall|heavy|wide|deep)\b(?: more)?(?: ([a-z]+))?", source.text, re.I)
    units = [UNIT_NAMES.get(word, "") for kind, word in asked if kind.lower() == "many"]
    return bool(asked) and all(unit and unit not in LENGTHS_OF_TIME for unit in units)


def _free(source: SourceProblem) -> tuple[int, ...]:
    free = free_numbers(source)
    if not free or hangs_on_others(source) or _NOT_CHANGED.search(source.text):
        raise AbstainedError(Abstention.NO_RULE)
    return free


def _changed(source: SourceProblem, chooser: random.Random, bounds: _Bounds, whole: bool) -> VariationDraft:
    """The first draw that keeps the kinds of all values; AbstainedError where none does."""
    allowed = _kinds_kept(source, whole)
    dependent = list(islice(combinations(bounds, min(len(source.unknowns), len(bounds))), 12))
    for attempt in range(TRIES):
        values = _drawn(source, chooser, bounds, chooser.choice(dependent) if attempt % 2 else ())
        if values is not None and _same_sizes(source, values, bounds) and allowed(values):
            return _written(source, values, bounds)
    raise AbstainedError(Abstention.NO_VALUES)


def _drawn(
    source: SourceProblem, chooser: random.Random, bounds: _Bounds, dependent: Sequence[int]
) -> NumbersByName | None:
    """Values of all names, with numbers that fit; ``dependent`` ones are solved for, from unknowns that are drawn."""
    left_out = {key_of(place) for place in dependent}
    given = {name: value for name, value in source.values.items() if is_key(name) and name not in left_out}
    for place, bound in bounds.items():
        if place not in dependent:
            given[key_of(place)] = _one_of(bound, chooser)
    if not dependent:
        return solved(source.equations, given) if _fits(source, given, bounds) else None
    for name in source.unknowns:
        value = source.values[name]
        step = Fraction(1) if value.denominator == 1 else Fraction(1, 100)
        given[name] = _one_of(NumberBounds(value * 3 / 5, max(value * 8 / 5, value + 3), step), chooser)
    values = solved(source.equations, given)
    return values if values is not None and _fits(source, values, bounds) else None


def _one_of(bounds: NumberBounds, chooser: random.Random) -> Fraction:
    first, last = -(-(bounds.low - bounds.rest) // bounds.step), (bounds.high - bounds.rest) // bounds.step
    return bounds.rest + bounds.step * chooser.randint(int(first), max(int(first), int(last)))


def _fits(source: SourceProblem, values: NumbersByName, bounds: _Bounds) -> bool:
    """Whether numbers are within their bounds, none as before, all different, and in the order of size."""
    old = [source.values[key_of(place)] for place in source.used]
    new = [values[key_of(place)] for place in source.used]
    for place, bound in bounds.items():
        value, number = values[key_of(place)], source.numbers[place]
        low = min(bound.low, number.value / 2)
        if value == number.value or value <= 1 or (bound.rest and value.denominator == 1):
            return False
        if not low <= value <= min(bound.high * 3 / 2, most_of(number)):
            return False
        if value.denominator != 1 and not _same_decimals(value, bound):
            return False
        if len(str(int(value))) != len(str(int(bound.low))) and bound.low >= 10:
            return False
    rest = [number.value for place, number in enumerate(source.numbers) if place not in source.used]
    changed = [values[key_of(place)] for place in bounds]
    return in_order(old, new) and len(set(changed)) == len(changed) and not set(changed) & set(rest)


def _same_sizes(source: SourceProblem, values: NumbersByName, bounds: _Bounds) -> bool:
    """Whether unknowns are at most four times as large as before, or as small; more where numbers are longer."""
    longer = any(bound.low > source.numbers[place].value for place, bound in bounds.items())
    pairs = [(abs(source.values[name]), abs(values[name])) for name in source.unknowns]
    return all(old <= 4 * new and new <= (80 if longer else 4) * old for old, new in pairs)


def _same_decimals(value: Fraction, bounds: NumberBounds) -> bool:
    unit = max(bounds.step.denominator, bounds.rest.denominator)
    return (value * unit).denominator == 1


def _kinds_kept(source: SourceProblem, whole: bool) -> Callable[[NumbersByName], bool]:
    """Whether every part of the equations is as whole and as positive as it was; whole parts may be decimals."""
    parts = [part for e in source.equations for side in (e.left, e.right) for part in walk(side)]
    before = [_value(part, source.values) for part in parts]
    calls = any(isinstance(part, Call) for part in parts)

    def kept(values: NumbersByName) -> bool:
        for part, old in zip(parts, before, strict=True):
            new = _value(part, values)
            if old is None or new is None or (new == 1 and old > 1) or (old > 0) != (new > 0) or (old < 0) != (new < 0):
                return False
            if calls and old.denominator != 1 and new.denominator == 1:
                return False
            if old.denominator == 1 and new.denominator != 1 and (whole or (decimal_places(new) or 9) > 2):
                return False
        places = [decimal_places(values[name]) for name in source.asked]
        return all(place is not None and place <= 2 for place in places)

    return kept


def _value(part: Node, values: NumbersByName) -> Fraction | None:
    try:
        value = evaluate_tree(part, values)
    except ExtractionError:
        return None
    return value if isinstance(value, Fraction) else None


def _written(source: SourceProblem, values: NumbersByName, bounds: _Bounds) -> VariationDraft:
    given = dict(values)
    edits = []
    for place in bounds:
        for one in restated(source, place):
            number, value = source.numbers[one], values[key_of(place)]
            money = number.kind == "money" or number.unit in MONEY
            raw = written_like(number.raw if value.denominator == 1 or not money else "1.00", value)
            if not follows_article(source, one, raw) or (raw[:1].isalpha() and value >= 1000):
                raise AbstainedError(Abstention.NO_VALUES)
            given[key_of(one)] = value
            edits.append(TextEdit(number.start, number.end, (NewNumber(key_of(one), raw),)))
    text, places = rewritten(source, edits)
    return VariationDraft(text, places, tuple(Equation(*e) for e in source.equations), source.asked, given)
