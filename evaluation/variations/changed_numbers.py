"""Variations with other numbers (GSM-Plus, section 2: numerical substitution, digit expansion, conversion to decimals).

Numbers are drawn within the bounds of what they count. Half of the tries draw the unknowns and solve for some of the
numbers instead, so that a division comes out even.
"""

import random
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, islice
from typing import Final, NamedTuple

from evaluation.variations.source_problem import (
    AbstainedError,
    Abstention,
    NewNumber,
    NumbersByName,
    SourceProblem,
    TextEdit,
    VariationDraft,
    is_key,
    key_of,
    solved,
    written_like,
)
from extractors.expressions.tree import Binary, Call, Name, Node
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import Number
from extractors.quantities.units import UNIT_NAMES
from extractors.solve.tree_evaluation import evaluate_tree
from extractors.templates.matching import decimal_places

PLAIN_KINDS: Final = frozenset({"integer", "decimal", "money", "percent", "word"})
MONEY: Final = frozenset({"dollar", "cent", "euro", "rupee", "peso"})
LENGTHS_OF_TIME: Final = frozenset({"year", "month", "week", "day", "hour", "minute", "second"})
_MOST: Final = {"hour": 24, "minute": 60, "second": 60, "day": 7, "week": 52, "month": 12, "year": 100, "degree": 180}
"""The most of a unit that a number may count that counted no more before: hours of a day, ages of people."""
_CONVERSIONS: Final = frozenset({7, 12, 24, 28, 30, 31, 52, 60, 100, 360, 365, 366, 1000, 1760, 5280, 16})
_NAMED_BEFORE: Final = re.compile(
    r"(?:\b(?:grade|room|chapter|number|no\.|page|problem|level|exercise|route|highway|bus|year|since|until|class|team"
    r"|January|February|March|April|May|June|July|August|September|October|November|December|at"
    r"|ages?|out)\s{1,2}\Z|[#:/A-Za-z.-]\Z"
    r"|\d ?[-–,:/x] ?\Z)"
)
_NAMED_AFTER: Final = re.compile(
    r"\s?(?:[:/–]|-|x\s?\d|,? ?\d|(?:st|nd|rd|th|am|pm|a\.m|p\.m)\b|[A-Z]|o ?['’]? ?clock|of the (?:month|year)"
    r"|(?:[a-z]+ )?(?:digits?|legs?|feet and|wheels?|sides?|angles?|corners?|eyes?|heads?|arms?|wings?|consecutive|"
    r"integers?|numbers?|sets?|pairs?|parts?|ways?|times? (?:a|per)|halves|quarters|thirds|dozens?|hundreds?|thousands?"
    r"|millions?|billions?|birthdays?|friends?|siblings|brothers?|sisters?|children|parents|kids|people"
    r" in (?:his|her|their|our|my) family|months? (?:in|of) (?:a|the) year|leap)\b)"
)
_ARTICLE: Final = re.compile(r"\b(an?)\s\Z")
_VOWEL: Final = re.compile(r"8|11(?!\d)|18(?!\d)|eight|eleven|one hundred\Z")


class NumberBounds(NamedTuple):
    """What a number may be: multiples of ``step`` plus ``rest`` from ``low`` to ``high``."""

    low: Fraction
    high: Fraction
    step: Fraction
    rest: Fraction = Fraction(0)


def _is_money(number: Number) -> bool:
    return number.kind == "money" or number.unit in MONEY


def _free(source: SourceProblem, place: int) -> bool:
    number, group = source.numbers[place], source.restated(place)
    others = [one for index, one in enumerate(source.numbers) if index not in group]
    if number.kind not in PLAIN_KINDS or number.value <= 1 or not _is_plain(number):
        return False
    if any(one.value == number.value for one in others):
        return False
    before, after = source.text[max(0, number.start - 14) : number.start], source.text[number.end : number.end + 36]
    if _NAMED_BEFORE.search(before.removesuffix("$").removesuffix("$ ")) or _NAMED_AFTER.match(after):
        return False
    if number.unit in MONEY and re.match(r"(?: dollars?)? bills?\b|-cent|-dollar", after):
        return False
    if number.unit in LENGTHS_OF_TIME and number.value in _CONVERSIONS:
        return False
    is_year = number.unit is None and 1000 <= number.value <= 2100 and "," not in number.raw
    return not (is_year and re.search(r"\b[Ii]n\s\Z", before)) and not (
        number.unit == "percent" and number.value >= 100
    )


def _is_plain(number: Number) -> bool:
    """Written in digits, or in the words of a number below a thousand."""
    if number.raw[:1].isalpha():
        simple = not re.search(r"dozen|pair|couple|score|half|quarter|thousand|million|\band\b|[0-9]", number.raw)
        return simple and number.value.denominator == 1 and number.value < 1000
    places = decimal_places(number.value)
    return re.fullmatch(r"[0-9,]*\.?[0-9]+", number.raw) is not None and places is not None and places <= 2


def hangs_on_others(source: SourceProblem) -> bool:
    """Whether a number that the equations leave out may be made of those they use, so that it would have to change."""
    used = {member for number in source.used for member in source.restated(number)}
    values = [source.numbers[number].value for number in used]
    made = {a + b for a in values for b in values} | {a - b for a in values for b in values}
    made |= {a * b for a in values for b in values} | {a / b for a in values for b in values if b}
    made |= {value for name, value in source.values.items() if name not in map(key_of, range(len(source.numbers)))}
    rest = [number for place, number in enumerate(source.numbers) if place not in used]
    hanging = [number for number in rest if number.unit == "percent" or (number.value in made and number.value != 1)]
    return bool(hanging) or len(rest) > len(used)


def bounds_of(source: SourceProblem, place: int) -> NumberBounds:
    """Values of the same size: as many digits, three fifths to eight fifths, as round as before."""
    number = source.numbers[place]
    value, step, rest = number.value, Fraction(1), Fraction(0)
    if value.denominator != 1:
        rest = value % 1 if _is_money(number) else rest
        step = Fraction(1) if rest else Fraction(1, 10 ** len(number.raw.partition(".")[2]))
    else:
        while value % (step * 10) == 0 and value >= 4 * step * 10:
            step *= 10
    whole = int(value)
    low = max(Fraction(2), value * 3 / 5) if value >= 2 else value * 3 / 5
    high = max(value * 8 / 5, value + 3 * step)
    if value >= 1:
        low, high = max(low, Fraction(10 ** (len(str(whole)) - 1))), min(high, Fraction(10 ** len(str(whole))) - step)
    return NumberBounds(low, min(high, most_of(number)), step, rest)


def most_of(number: Number) -> Fraction:
    """The most that a number may be for what it counts."""
    most = Fraction(_MOST.get(number.unit or "", 10**9))
    if number.unit == "percent":
        return Fraction(99) if number.value < 100 else Fraction(10**9)
    return most if number.value <= most else Fraction(10**9)


def follows_article(source: SourceProblem, place: int, raw: str) -> bool:
    """Whether "a" or "an" before a number is right for other words as well."""
    number = source.numbers[place]
    article = _ARTICLE.search(source.text[max(0, number.start - 4) : number.start])
    return article is None or (_VOWEL.match(raw) is not None) == (article[1] == "an")


def in_order(old: Sequence[Fraction], new: Sequence[Fraction]) -> bool:
    """Whether numbers are as large beside each other as before.

    >>> in_order([Fraction(9), Fraction(2)], [Fraction(7), Fraction(5)])
    True
    """
    pairs = [(a, b) for a in range(len(old)) for b in range(a)]
    return all((old[a] > old[b]) == (new[a] > new[b]) and (old[a] < old[b]) == (new[a] < new[b]) for a, b in pairs)


TRIES = 100

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
    return _changed(source, chooser, {place: bounds_of(source, place) for place in _changeable(source)}, whole=True)


def other_digits(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """Numbers of things and sums of money that are only added and subtracted get a digit more."""
    sums = all(isinstance(part, Name) or (isinstance(part, Binary) and part.op in "+-") for part in source.parts)
    free = _changeable(source)
    numbers = [source.numbers[place] for place in free]
    plain = all(n.unit is None or n.unit in MONEY for n in numbers) and all(5 <= n.value < 1000 for n in numbers)
    if not sums or not plain or _NOT_LARGER.search(source.text) or set(free) != set(source.used):
        raise AbstainedError
    found = [(place, bounds_of(source, place)) for place in free]
    longer = {place: NumberBounds(one.low * 10, one.high * 10, Fraction(1), one.rest) for place, one in found}
    return _changed(source, chooser, longer, whole=True)


def decimals(source: SourceProblem, chooser: random.Random) -> VariationDraft:
    """Whole measures and sums of money become decimals; what else is counted stays as it is."""
    found = {place: _parted(source, place, chooser) for place in _changeable(source) if _is_measured(source, place)}
    if not found:
        raise AbstainedError
    return _changed(source, chooser, found, whole=not _asks_measure(source))


def _is_measured(source: SourceProblem, place: int) -> bool:
    number = source.numbers[place]
    measures = number.unit is not None and number.unit not in LENGTHS_OF_TIME | {"percent", "degree", "point", "cent"}
    return measures and number.value.denominator == 1 and not number.raw[:1].isalpha() and number.value < 1000


def _parted(source: SourceProblem, place: int, chooser: random.Random) -> NumberBounds:
    """Tenths of measures, quarters of money."""
    number = source.numbers[place]
    rest = Fraction(chooser.randint(1, 3), 4) if _is_money(number) else Fraction(chooser.randint(1, 9), 10)
    return NumberBounds(max(Fraction(1), number.value - 2), number.value + 2, Fraction(1), rest)


def _asks_measure(source: SourceProblem) -> bool:
    """Whether every question is for a measure or a sum of money, which may be a decimal."""
    asked = re.findall(r"\bhow (many|much|far|long|tall|heavy|wide|deep)\b(?: more)?(?: ([a-z]+))?", source.text, re.I)
    units = [UNIT_NAMES.get(word, "") for kind, word in asked if kind.lower() == "many"]
    return bool(asked) and all(unit and unit not in LENGTHS_OF_TIME for unit in units)


def _changeable(source: SourceProblem) -> tuple[int, ...]:
    """The numbers of the equations that may be others: that no other number or word of the text hangs on."""
    free = tuple(number for number in source.used if all(_free(source, one) for one in source.restated(number)))
    if not free or hangs_on_others(source) or _NOT_CHANGED.search(source.text):
        raise AbstainedError
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
    parts = source.parts
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
    given, edits = dict(values), []
    for place in bounds:
        for one in source.restated(place):
            number, value = source.numbers[one], values[key_of(place)]
            raw = written_like(number.raw if value.denominator == 1 or not _is_money(number) else "1.00", value)
            if not follows_article(source, one, raw) or (raw[:1].isalpha() and value >= 1000):
                raise AbstainedError(Abstention.NO_VALUES)
            given[key_of(one)] = value
            edits.append(TextEdit(number.start, number.end, (NewNumber(key_of(one), raw),)))
    return source.draft(edits, given)
