"""Whether an answer is the gold answer: right, wrong, or undecided where the two texts do not tell.

Values are compared exactly. Wrong is said only where both texts were read: what cannot be read, what may be a rounding
and what has another kind of unit is undecided, and the grade says why.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import product
from typing import Final, NamedTuple

from extractors.answers.elements import NAMED
from extractors.answers.parsing import OR, POINT, POINTS, normalised, parse_answer, spellings
from extractors.expressions.grammar import parse_expression_tokens
from extractors.expressions.tokens import build_scope, tokenize
from extractors.expressions.tree import Equation, names_of
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import find_numbers
from extractors.quantities.units import UNIT_NAMES, currency_before
from extractors.real_numbers.values import Value, approximate, format_value
from extractors.templates.rational import PolynomialRing

_UNIT: Final = re.compile(
    r"[ -]?(?:(sq|square|cu|cubic)\.?[ ])?([A-Za-z]{1,20}|[%°¢€])\.?(?:[ ]?\^[ ]?([23]))?"
    r"(?:(?:[ ]?/[ ]?|[ ](?:per|an?|each)[ ])([A-Za-z]{1,20}))?"
)
_PER: Final = re.compile(r"(?:[ ]?/[ ]?|[ ](?:per|an?|each)[ ])([A-Za-z]{1,20})")
_POWERS: Final = {None: 1, "sq": 2, "square": 2, "cu": 3, "cubic": 3}
_RATES: Final = {"mile/hour": ("mile", "hour"), "km/hour": ("km", "hour")}
_SIZES: Final[dict[str, dict[str, str]]] = {
    "length": {"m": "1", "km": "1000", "cm": "1/100", "mm": "1/1000", "inch": "127/5000", "foot": "381/1250",
               "yard": "1143/1250", "mile": "201168/125"},
    "time": {"second": "1", "minute": "60", "hour": "3600", "day": "86400", "week": "604800"},
    "months": {"month": "1", "year": "12"},
    "mass": {"kg": "1", "g": "1/1000", "mg": "1/1000000"},
    "weight": {"ounce": "1", "pound": "16"},
    "volume": {"liter": "1", "ml": "1/1000"},
    "capacity": {"cup": "1", "pint": "2", "quart": "4", "gallon": "16"},
    "dollars": {"dollar": "1", "cent": "1/100"},
}  # fmt: skip
_SIZE: Final = {unit: (sort, Fraction(size)) for sort, units in _SIZES.items() for unit, size in units.items()}
"""A gallon and a ton differ from country to country: they are compared within their own system or not at all."""


class Measure(NamedTuple):
    """A unit to a power, for each of another: miles an hour, square feet."""

    unit: str
    power: int = 1
    per: str | None = None

    @property
    def size(self) -> tuple[tuple[str, int, str | None], Fraction]:
        """What is measured, and how much of its basic unit this is."""
        sort, factor = _SIZE.get(self.unit, (self.unit, Fraction(1)))
        below, divisor = _SIZE.get(self.per or "", (self.per, Fraction(1)))
        return (sort, self.power, below), factor**self.power / divisor

    def __str__(self) -> str:
        return self.unit + (f"^{self.power}" if self.power > 1 else "") + (f"/{self.per}" if self.per else "")


def measure_of(text: str) -> Measure | None:
    """The unit of the first number of an answer; None where it has none that is known.

    >>> measure_of("5 square feet"), measure_of("60 miles per hour"), measure_of("$4"), measure_of("12 apples")
    ... # doctest: +NORMALIZE_WHITESPACE
    (Measure(unit='foot', power=2, per=None), Measure(unit='mile', power=1, per='hour'),
     Measure(unit='dollar', power=1, per=None), None)
    """
    numbers = find_numbers(text)
    if not numbers:
        return None
    first = numbers[0]
    currency = currency_before(text, first.start) if first.start else None
    if currency is not None or first.unit == "percent" or (first.raw[:1] in "-−–" and first.kind == "money"):
        price = _PER.match(text, first.end)
        per = UNIT_NAMES.get(price[1].lower()) if price is not None else None
        return Measure(first.unit or (currency[0] if currency else ""), 1, per)
    match = _UNIT.match(text, first.end)
    unit = UNIT_NAMES.get(match[2].lower()) if match is not None else None
    if match is None or unit is None:
        return None
    above, below = _RATES.get(unit, (unit, UNIT_NAMES.get((match[4] or "").lower())))
    return Measure(above, int(match[3] or _POWERS[match[1]]), below)


_COMPUTED: Final = Fraction(1, 10**30)
"""How near two values are, relative to them, that were worked out to 60 digits and count as one."""
_BOXED: Final = re.compile(r"\\(?:boxed|fbox)[ ]?\{")
_CHOICE: Final = re.compile(r"[(\[]?([A-E])(?:[)\].:].{0,200})?|[(\[]([a-e])[)\]]")
_LONE_CHOICE: Final = re.compile(r"[(\[]?([A-E])[)\].]?")
_LEFT_SIDE: Final = re.compile(r"\A[ ]*[A-Za-z](?:\([A-Za-z]\))?[ ]?=")
_SAID: Final = frozenset({"yes", "no", "true", "false"})
_PLACES: Final = re.compile(r"[0-9]*\.([0-9]{1,30})(?![0-9])")
_ORDERED: Final = re.compile(r"\([^()]*[,;][^()]*\)")
_RATIO: Final = re.compile(r"[0-9. ]+(?::[0-9. ]+)+")
_MAX_PARTS: Final = 64


class Mark(StrEnum):
    """The outcome of a comparison."""

    RIGHT = "right"
    WRONG = "wrong"
    UNDECIDED = "undecided"


class Grade(NamedTuple):
    """A mark and the reason for it."""

    mark: Mark
    why: str


class _Part(NamedTuple):
    """One of the solutions that an answer names: its readings, of which any one will do, and how it is written."""

    text: str
    readings: tuple[tuple[Value, ...], ...]
    names: tuple[str, ...]
    measure: Measure | None

    @property
    def ordered(self) -> bool:
        return _ORDERED.fullmatch(self.text) is not None


def grade(answer: str, gold: str, tolerance: Fraction = Fraction(0)) -> Grade:
    """Grades an answer against the gold answer, both in any notation that ``parse_answer`` reads.

    Sets in any order, points in theirs, ``x = 3, y = 4`` by its names, ratios up to a factor, units converted where
    that is exact. Percent: 25 % is 25, and 0.25. ``tolerance`` is relative to the gold value; 0 is exact, and then a
    decimal that may be the rounded value is undecided. ValueError for a negative tolerance.

    >>> grade("3.50 dollars", "$7/2").mark, grade("4, 3", "{3; 4}").mark, grade("12", "12 or 5").mark
    (<Mark.RIGHT: 'right'>, <Mark.RIGHT: 'right'>, <Mark.UNDECIDED: 'undecided'>)
    >>> grade("0.33", "1/3")
    Grade(mark=<Mark.UNDECIDED: 'undecided'>, why='the answer may be 1/3 rounded; state a tolerance')
    >>> grade("a lot", "5")
    Grade(mark=<Mark.UNDECIDED: 'undecided'>, why='could not read the answer: a lot')
    """
    if tolerance < 0:
        raise ValueError("a tolerance is not negative")
    said, meant = _boxed(answer), _boxed(gold)
    if _plain(said) == _plain(meant) and _plain(meant):
        return Grade(Mark.RIGHT, "the same text")
    lettered = _lettered(said, meant)
    if lettered is not None:
        return lettered
    forms = (spellings(normalised(text)) for text in (said, meant))
    found, wanted = ([parts for form in of_one if (parts := _parts(form))] for of_one in forms)
    if not found or not wanted:
        return _symbolic(said, meant) or Grade(Mark.UNDECIDED, _unread("answer" if not found else "gold", said, meant))
    return max((_solutions(one, other, tolerance) for one in found for other in wanted), key=_rank)


def _boxed(text: str) -> str:
    """What stands in the last box of an answer, or the whole answer."""
    boxes = list(_BOXED.finditer(text))
    if not boxes:
        return text
    depth, start = 1, boxes[-1].end()
    for place in range(start, len(text)):
        depth += (text[place] == "{") - (text[place] == "}")
        if not depth:
            return text[start:place]
    return text


def _plain(text: str) -> str:
    """A text in plain maths without its last full stop, for a comparison letter by letter."""
    return " ".join(normalised(text).split()).rstrip(".")


def _unread(which: str, said: str, meant: str) -> str:
    return f"could not read the {which}: {' '.join((said if which == 'answer' else meant).split())[:60]}"


def _lettered(said: str, meant: str) -> Grade | None:
    """Options and yes or no: "(B)" against "B) 12"."""
    choices = [_CHOICE.fullmatch(text.strip()) for text in (said, meant)]
    if all(choices) and any(_LONE_CHOICE.fullmatch(text.strip()) for text in (said, meant)):
        chosen, keyed = ((choice[1] or choice[2]).upper() for choice in choices if choice is not None)
        return Grade(Mark.RIGHT if chosen == keyed else Mark.WRONG, f"option {chosen}, gold {keyed}")
    words = _plain(said).lower(), _plain(meant).lower()
    if _SAID.issuperset(words):
        return Grade(Mark.RIGHT if words[0] == words[1] else Mark.WRONG, f"{words[0]}, gold {words[1]}")
    return None


def _parts(text: str) -> list[_Part]:
    """The solutions that an answer names, apart: "x = 3 or x = 4", "(6,3),(9,3)", "±5"; empty where one is unread."""
    parts: list[_Part] = []
    for piece in OR.split(normalised(text)):
        piece = piece.strip(" \t\n,;")
        if not piece:
            continue
        readings = parse_answer(piece)
        if not readings or len(parts) > _MAX_PARTS:
            return []
        bare = piece.strip("{} .")
        if POINTS.fullmatch(bare) or "+/-" in bare:
            texts = POINT.findall(bare) if POINTS.fullmatch(bare) else [bare] * len(readings)
            parts.extend(_Part(*pair, (), None) for pair in zip(texts, [(values,) for values in readings], strict=True))
            continue
        names = tuple(NAMED.findall(bare))
        parts.append(_Part(bare, readings, names if len(names) == len(readings[0]) else (), measure_of(bare)))
    return parts


def _solutions(found: list[_Part], wanted: list[_Part], tolerance: Fraction) -> Grade:
    """Compares the solutions as sets, each with each."""
    if len(found) != len(wanted) and 1 in (len(found), len(wanted)):
        found, wanted = _spread(found, len(wanted)), _spread(wanted, len(found))
    table = [[_compared(one, other, tolerance) for other in wanted] for one in found]
    if len(table) == len(table[0]) == 1:
        return table[0][0]
    met = [max((row[place] for row in table), key=_rank) for place in range(len(wanted))]
    meets = [max(row, key=_rank) for row in table]
    worst = min([*met, *meets], key=_rank)
    if worst.mark is not Mark.WRONG:
        return worst
    if min(meets, key=_rank).mark is Mark.RIGHT:
        named = sum(one.mark is Mark.RIGHT for one in met)
        return Grade(Mark.UNDECIDED, f"the gold names {len(wanted)} alternatives, the answer {named} of them")
    return Grade(Mark.WRONG, "the answer names other solutions than the gold")


def _spread(parts: list[_Part], size: int) -> list[_Part]:
    """One part of several values as so many solutions: "3, 4" beside "x = 3 or x = 4"."""
    if len(parts) != 1 or parts[0].ordered or len(parts[0].readings) != 1 or len(parts[0].readings[0]) != size:
        return parts
    return [_Part("", ((value,),), (), parts[0].measure) for value in parts[0].readings[0]]


def _rank(grade_: Grade) -> int:
    return (Mark.WRONG, Mark.UNDECIDED, Mark.RIGHT).index(grade_.mark)


def _compared(found: _Part, wanted: _Part, tolerance: Fraction) -> Grade:
    """The best of all readings of one solution against all readings of another."""
    factor = Fraction(1)
    if found.measure is not None and wanted.measure is not None and found.measure != wanted.measure:
        (sort, size), (other, basis) = found.measure.size, wanted.measure.size
        if sort != other and "percent" not in (found.measure.unit, wanted.measure.unit):
            return Grade(Mark.UNDECIDED, f"the answer is in {found.measure}, the gold in {wanted.measure}")
        factor = size / basis if sort == other else factor
    readings = product(found.readings, wanted.readings)
    return max((_tuples(*pair, (found, wanted), (factor, tolerance)) for pair in readings), key=_rank)


def _tuples(
    values: Sequence[Value], golds: Sequence[Value], parts: tuple[_Part, _Part], scale: tuple[Fraction, Fraction]
) -> Grade:
    found, wanted = parts
    if len(values) != len(golds):
        return Grade(Mark.WRONG, f"the answer has {len(values)} values, the gold {len(golds)}")
    pairs = list(zip(values, golds, strict=True))
    if len(golds) == 1:
        return _values(pairs[0], parts, scale)
    if found.names and sorted(found.names) == sorted(wanted.names):
        by_name = dict(zip(found.names, values, strict=True))
        return _all([(by_name[name], gold) for name, gold in zip(wanted.names, golds, strict=True)], parts, scale)
    if _RATIO.fullmatch(found.text) and _RATIO.fullmatch(wanted.text):
        first = [approximate(value) for value in (values[0], golds[0])]
        factor = first[1] / first[0] if first[0] else scale[0]
        return _all(pairs, parts, (factor, scale[1]))
    as_listed = _all(pairs, parts, scale)
    if as_listed.mark is not Mark.WRONG or (found.ordered and wanted.ordered):
        return as_listed
    by_size = sorted(values, key=approximate), sorted(golds, key=approximate)
    sorted_ = _all(list(zip(*by_size, strict=True)), parts, scale)
    if sorted_.mark is Mark.WRONG or not (found.ordered or wanted.ordered):
        return sorted_
    return Grade(Mark.UNDECIDED, "the values of a point in another order")


def _all(pairs: Sequence[tuple[Value, Value]], parts: tuple[_Part, _Part], scale: tuple[Fraction, Fraction]) -> Grade:
    return min((_values(pair, parts, scale) for pair in pairs), key=_rank)


def _values(pair: tuple[Value, Value], parts: tuple[_Part, _Part], scale: tuple[Fraction, Fraction]) -> Grade:
    """One value against one gold value, with units converted and percents as hundredths."""
    (value, gold), (factor, tolerance) = pair, scale
    exact, target = approximate(value), approximate(gold)
    shown = f"{format_value(value)}, gold {format_value(gold)}"
    hundredths = [part.measure is not None and part.measure.unit == "percent" for part in parts]
    factors = [factor]
    if hundredths[0] != hundredths[1]:
        factors.append(factor / 100 if hundredths[0] else factor * 100)
    near = max(tolerance, 0 if _whole(value, gold) else _COMPUTED) * max(abs(target), _COMPUTED)
    if any(abs(exact * times - target) <= near for times in factors):
        return Grade(Mark.RIGHT, shown)
    places = [0, 0] if tolerance else [_places(parts[0].text, exact), _places(parts[1].text, target)]
    for times in factors:
        off = 2 * abs(exact * times - target)
        if places[0] and off * 10 ** places[0] <= times:
            return Grade(Mark.UNDECIDED, f"the answer may be {format_value(gold)} rounded; state a tolerance")
        if places[1] and off * 10 ** places[1] <= 1:
            return Grade(Mark.UNDECIDED, f"the gold may be {format_value(value)} rounded; state a tolerance")
    return Grade(Mark.WRONG, shown)


def _whole(*values: Value) -> bool:
    return all(isinstance(value, Fraction) for value in values)


def _places(text: str, value: Fraction) -> int:
    """How many decimals a value is written with in a text, 0 where it is not written as a decimal."""
    found = (len(match[1]) for match in _PLACES.finditer(text) if abs(Fraction(match[0])) == abs(value))
    return max(found, default=0)


def _symbolic(said: str, meant: str) -> Grade | None:
    """Two expressions with unknowns: right where their difference is zero; None where one of them is none."""
    try:
        tokens = [tokenize(_LEFT_SIDE.sub("", normalised(text))) for text in (said, meant)]
        scope = build_scope(tokens)
        left, right = (parse_expression_tokens(part, scope) for part in tokens)
        equation = Equation(left, right)
        ring = PolynomialRing((), [equation])
        numerator, _ = ring.difference(equation)
    except ExtractionError:
        return None
    if not scope.names or any(len(name) > 2 for name in scope.names):
        return None
    if not numerator:
        return Grade(Mark.RIGHT, "the same expression")
    if ring.atoms or names_of(left) != names_of(right):
        return None
    return Grade(Mark.WRONG, "another expression")
