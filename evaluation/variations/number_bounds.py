"""Which numbers of a text may be others, and what they may be: kinds, sizes and bounds of what they count."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from evaluation.variations.source_problem import SourceProblem, key_of
from extractors.quantities.numbers import Number
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


@dataclass(frozen=True)
class NumberBounds:
    """What a number may be: multiples of ``step`` plus ``rest`` from ``low`` to ``high``."""

    low: Fraction
    high: Fraction
    step: Fraction
    rest: Fraction = Fraction(0)


def restated(source: SourceProblem, number: int) -> tuple[int, ...]:
    """The numbers that restate this one, itself among them."""
    return next((group for group in source.groups if number in group), (number,))


def free_numbers(source: SourceProblem) -> tuple[int, ...]:
    """The numbers of the equations that may be others: that no other number or word of the text hangs on."""
    return tuple(number for number in source.used if all(_free(source, one) for one in restated(source, number)))


def _free(source: SourceProblem, place: int) -> bool:
    number, group = source.numbers[place], restated(source, place)
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
    used = {member for number in source.used for member in restated(source, number)}
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
        rest = value % 1 if number.kind == "money" or number.unit in MONEY else rest
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
