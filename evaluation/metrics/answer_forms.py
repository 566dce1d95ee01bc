"""The form of an answer beside its values: what each value is called, its unit, and how the values stand together.

Two answers of the same values may say different things: "8 boys and 7 girls" and "7 boys and 8 girls", "7 or 8" and
"7 and 8", (1, 2) and [1, 2], 12:00 and 1:00, 5 am and 5 pm.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Final, NamedTuple

from curation.near_texts.plain_tokens import STOP_WORDS
from extractors.answers.elements import LABEL, stripped, value_of
from extractors.answers.parsing import COMPOUND, OR, POINT, POINTS, elements, normalised, parse_answer
from extractors.expressions.tokens import ALIASES
from extractors.quantities.numbers import find_numbers
from extractors.quantities.units import UNIT_NAMES, currency_before
from extractors.real_numbers.values import Value, approximate
from extractors.text.wordlists import words

_UNIT: Final = re.compile(
    r"[ -]?(?:(sq|square|cu|cubic)\.?[ ])?([A-Za-z]{1,20}|[%°¢€])\.?(?:[ ]?\^[ ]?([23]))?"
    r"(?:(?:[ ]?/[ ]?|[ ](?:per|an?|each)[ ])([A-Za-z]{1,20}))?"
)
_PER: Final = re.compile(r"(?:[ ]?/[ ]?|[ ](?:per|an?|each)[ ])([A-Za-z]{1,20})")
_LAST_UNITS: Final = {"in": "inch", "s": "second"}
"""What is a unit at the end of an answer alone."""
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
    if match is None:
        return None
    last = _LAST_UNITS if not text[match.end() :].strip(" .}") else {}
    unit = UNIT_NAMES.get(match[2].lower()) or last.get(match[2])
    if unit is None:
        return None
    above, below = _RATES.get(unit, (unit, UNIT_NAMES.get((match[4] or "").lower())))
    return Measure(above, int(match[3] or _POWERS[match[1]]), below)


MAX_PARTS: Final = 64
_CLOCK: Final = re.compile(
    r"(?P<hour>[01]?[0-9]|2[0-4])(?:[ ]?:[ ]?(?P<minute>[0-5][0-9])(?:[ ]?:[ ]?(?P<second>[0-5][0-9]))?)?"
    r"(?:[ ]?(?P<half>[ap])\.?[ ]?m\.?|[ ]?(?P<clock>o'clock))?",
    re.I,
)
_TERM: Final = r"(-?[0-9]{1,15}(?:\.[0-9]{1,15})?(?:/[0-9]{1,15})?)"
_RATIO: Final = re.compile(rf"{_TERM}(?:[ ]?:[ ]?|[ ]to[ ]){_TERM}(?:(?:[ ]?:[ ]?|[ ]to[ ]){_TERM})?")
_BRACKETED: Final = re.compile(r"([\[(\]])([^()\[\]]{1,200})([\])\[])")
_COMMAS: Final = re.compile(r"[ ]*[,;][ ]*")
_TOGETHER: Final = re.compile(r"[ ](?:and|&)[ ]")
_NAMES: Final = re.compile(r"\A\(?([A-Za-z](?:[ ]{0,3}[,:][ ]{0,3}[A-Za-z]){1,9})\)?[ ]{0,3}=")
_NAMED: Final = re.compile(r"(?<![\w'])([A-Za-z]\w{0,9})[ ]{0,3}(?:[=:≈]|is\b)")
_HALF_DAY: Final = re.compile(r"(?<![A-Za-z])([ap])\.?[ ]?m\b\.?", re.I)
_LONE_DIGITS: Final = re.compile(r"(?<![\w])[0-9]{1,20}(?![\w])")
_EACH: Final = re.compile(r"(?:/|\b(?:per|each|every|apiece)\b)[ ]?[A-Za-z]", re.I)
_WORD: Final = re.compile(r"[^\W\d_]+(?:_?[0-9]{1,3})?")
_COMPARING: Final = re.compile(r"[<>≤≥≠!~≈±∞∈∪∩]|\\(?:le|ge|ne|in|cup|cap)[a-z]*")
TURNING: Final = frozenset(
    words(
        "not no nor non never minus negative least most less more fewer greater than over under below above before"
        " after between nearly almost except without plus am pm bc ad isn't ain't cannot can't up upto within"
    )
)
"""Words that make another statement of a number."""
_FILLING: Final = STOP_WORDS | frozenset(
    words(
        "answer ans answers result solution final equals equal approximately approx roughly clock rs usd us inr"
        " square sq cubic cu exactly thus hence therefore"
    )
)
_COMPUTING: Final = frozenset(ALIASES) | {"pi"}


class PartKind(StrEnum):
    """What a part of an answer is."""

    NUMBER = "number"
    CLOCK = "clock time"
    RATIO = "ratio"
    POINT = "point"
    INTERVAL = "interval"


@dataclass(frozen=True)
class Part:
    """A part of an answer: its values, what it is called, what turns its sense, and how it is written.

    A clock time has hour, minute and second, a point or an interval its coordinates. ``marks`` are ``am`` or ``pm`` of
    a time and the brackets of an interval.
    """

    text: str
    kind: PartKind
    values: tuple[Value, ...]
    labels: tuple[str, ...] = ()
    turns: frozenset[str] = frozenset()
    measure: Measure | None = None
    marks: str = ""
    inner: tuple["Part", ...] = ()

    @property
    def counted(self) -> frozenset[str]:
        """The words behind its number: what it counts."""
        numbers = find_numbers(self.text)
        behind = _told(self.text[numbers[0].end :])[0] if numbers else ()
        return frozenset(word for word in behind if len(word) > 1) - {"unit"}


class AnswerParts(NamedTuple):
    """Parts that hold together: a list, or one that says "and"; ``braced`` is a set in braces."""

    parts: tuple[Part, ...]
    together: bool = False
    braced: bool = False

    def distinct(self) -> tuple[frozenset[str], ...] | None:
        """What tells each part from all others by its name, None where that is not so of each."""
        names = [frozenset(part.labels) for part in self.parts]
        common = frozenset.intersection(*names) if names else frozenset()
        told = tuple(some - common for some in names)
        return told if len(told) > 1 and all(told) and len(set(told)) == len(told) else None

    @property
    def told_by_unit(self) -> bool:
        """Whether parts have different units."""
        return len({part.measure for part in self.parts}) > 1


def solutions_of(text: str) -> list[AnswerParts]:
    """The alternatives that an answer names, "x = 3 or x = 4", "±5"; empty where one of them is unread."""
    found: list[AnswerParts] = []
    for piece in OR.split(normalised(text)):
        piece = piece.strip(" \t\n,;")
        piece = piece if piece.startswith(".") or piece.endswith("...") else piece.strip(". ")
        if not piece:
            continue
        some = list(_solutions(piece))
        if not some or len(found) + len(some) > MAX_PARTS:
            return []
        found += some
    return found


def _solutions(piece: str) -> Iterator[AnswerParts]:
    bare = piece.lstrip("{} ").rstrip("{} .")
    if "+/-" in bare or "+-" in bare:
        labels, turns = _told(bare)
        for values in parse_answer(piece):
            yield AnswerParts(
                tuple(Part("", PartKind.NUMBER, (value,), labels, turns, measure_of(bare)) for value in values)
            )
        return
    if POINTS.fullmatch(bare):
        points = [_bracket(text, sure=True) for text in POINT.findall(bare)]
        if all(points):
            yield AnswerParts(tuple(point for point in points if point), together=_TOGETHER.search(bare) is not None)
        return
    parts = _parts(piece)
    if parts and all(part is not None for part in parts):
        braced = stripped(piece).startswith("{")
        yield AnswerParts(tuple(part for part in parts if part), _TOGETHER.search(piece) is not None, braced)


def _parts(piece: str) -> list[Part | None]:
    """The parts of one alternative, None for each that is unread."""
    names = _NAMES.match(piece)
    told = piece[names.end() :] if names is not None else piece
    whole = _whole(told)
    if whole is not None:
        return [_called(whole, names[1]) if names is not None else whole]
    if names is not None or not parse_answer(piece):
        return [None]
    label = LABEL.match(piece)
    found = [_number(text) for text in elements(piece)]
    if label is not None and found and found[0] is not None:
        labels, turns = _told(label[0])
        found[0] = replace(found[0], labels=labels + found[0].labels, turns=turns | found[0].turns)
    return found


def _whole(piece: str) -> Part | None:
    """What is one part although it has signs that part others: a time, a ratio, a point, an interval, 5 ft 3 in."""
    bare = stripped(piece).lstrip("{} ").rstrip("{} .") if not piece.endswith("m.") else stripped(piece)
    clock = _clock(bare)
    if clock is not None:
        return _with_words(clock, piece, bare)
    ratio = _RATIO.fullmatch(bare)
    if ratio is not None:
        terms = [value_of(term) for term in ratio.groups() if term]
        if all(term is not None for term in terms):
            return _with_words(
                Part(piece, PartKind.RATIO, tuple(term for term in terms if term is not None)), piece, bare
            )
    bracketed = _BRACKETED.fullmatch(bare)
    if bracketed is not None and _COMMAS.search(bracketed[2]):
        bracket = _bracket(bare, sure=False)
        return None if bracket is None else _with_words(bracket, piece, bare)
    if COMPOUND.fullmatch(bare) and (readings := parse_answer(bare)):
        labels, turns = _told(piece)
        return Part(piece, PartKind.NUMBER, readings[0], labels, turns, measure_of(bare))
    return None


def _clock(bare: str) -> Part | None:
    match = _CLOCK.fullmatch(bare)
    if match is None or not (match["minute"] or match["half"] or match["clock"]):
        return None
    values = tuple(Fraction(int(match[name] or 0)) for name in ("hour", "minute", "second"))
    half = f"{match['half'].lower()}m" if match["half"] else ""
    return Part(bare, PartKind.CLOCK, values, marks=half) if not half or 0 < values[0] <= 12 else None


def _bracket(text: str, *, sure: bool) -> Part | None:
    """A point or an interval; a list in square brackets is one only if it has two values."""
    match = _BRACKETED.fullmatch(text.strip())
    if match is None or not (sure or match[1] + match[3] != "()" or parse_answer(text)):
        return None
    inner = [_number(element) for element in _COMMAS.split(match[2].strip(" ,;"))]
    values = tuple(part.values[0] for part in inner if part is not None)
    if len(values) != len(inner) or len(values) < 2 or len(values) > MAX_PARTS:
        return None
    kept = tuple(part for part in inner if part is not None)
    if match[1] + match[3] == "()":
        return Part(text, PartKind.POINT, values, inner=kept)
    return Part(text, PartKind.INTERVAL, values, marks=match[1] + match[3], inner=kept) if len(values) == 2 else None


def _called(part: Part, names: str) -> Part:
    """A point or a ratio whose coordinates have names, "(x, y) = (3, 4)"; their order is its label."""
    return replace(part, labels=(*re.findall("[A-Za-z]", names), *part.labels))


def _number(element: str) -> Part | None:
    """A number with its unit and what it is called; a clock time in a list is one too."""
    bare = stripped(element).strip()
    clock = _clock(bare)
    if clock is not None:
        return _with_words(clock, element, bare)
    value = value_of(element)
    if value is None:
        return None
    labels, turns = _told(element)
    if approximate(value) < 0:
        turns -= {"minus", "negative"}
    measure = measure_of(element)
    if _EACH.search(element) and not (measure is not None and measure.per):
        turns |= {"for each"}
    return Part(element, PartKind.NUMBER, (value,), labels, turns, measure)


def _with_words(part: Part, whole: str, bare: str) -> Part:
    labels, turns = _told(whole.replace(bare, " ", 1))
    return replace(part, labels=labels, turns=turns - {"am", "pm"} if part.kind is PartKind.CLOCK else turns)


def _told(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """What an element calls its number, in order, and what turns its sense; numbers before it turn it as well."""
    text = _HALF_DAY.sub(r" \1m ", text)
    named = {name for name in _NAMED.findall(text) if len(name) == 1 or name[-1].isdigit()}
    label = LABEL.match(text)
    turns = set() if label is None else {f"#{number.value}" for number in find_numbers(label[0])}
    turns |= set() if label is None else {f"#{digits}" for digits in _LONE_DIGITS.findall(label[0])}
    turns |= set(_COMPARING.findall(text)) - {"~", "≈", "!"}
    blank = list(text)
    for number in find_numbers(text):
        blank[number.start : number.end] = " " * (number.end - number.start)
    labels: list[str] = []
    for word in _WORD.findall("".join(blank)):
        lower = word.lower()
        if lower in TURNING:
            turns.add(lower)
        elif word in named:
            labels.append(word)
        elif lower not in _FILLING and lower not in UNIT_NAMES and lower not in _COMPUTING and len(word) > 1:
            labels.append(lower[:-1] if lower.endswith("s") and len(lower) > 3 else lower)
        elif len(word) == 1 and lower not in _FILLING and lower not in UNIT_NAMES:
            labels.append(word)
    return tuple(labels), frozenset(turns)
