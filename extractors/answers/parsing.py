"""Answer strings to values: ``{9; 14}``, ``3/4 | 0.75``, ``10 or -4``, units, money, radicals, clock times, angles.

The notation is that of Dolphin18K's ``ans`` field (Huang et al., ACL 2016) and of the answers in ASDiv, MathQA and
AQuA. Splitting goes from the outside in: ``|`` (two spellings of one answer), ``or`` (alternatives), then the
separators of a tuple.

An answer as one would write it: its values in words, with the unit that the question asks for where that is sure.

A text is given only if it reads as the very values again; so a grader that reads it finds what it was made of.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from extractors.answers.elements import (
    DECIMAL_COMMA,
    LABEL,
    MIXED,
    NUMBER,
    counted,
    in_words,
    number_of,
    stripped,
    value_of,
)
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import find_numbers
from extractors.quantities.separators import run_of_digits
from extractors.quantities.units import UNIT_NAMES
from extractors.real_numbers.values import Value, agree
from extractors.text.edits import apply_edits
from extractors.text.plain import plain_maths
from extractors.text.typography import typography_edits

Alternatives = tuple[tuple[Value, ...], ...]

MAX_LENGTH: Final = 2000
MAX_VALUES: Final = 64
_SAME_SPELLING: Final = Fraction(2, 1000)

_CLOCK: Final = re.compile(
    r"([0-9]{1,3})[ ]?:[ ]?([0-5][0-9])(?:[ ]?:[ ]?([0-5][0-9]))?[ ]?(?:[ap]\.?[ ]?m\.?|o'clock|hours?)?", re.I
)
_RATIO: Final = re.compile(r"([0-9.]{1,30})(?:[ ]?:[ ]?|[ ]to[ ])([0-9.]{1,30})(?:[ ]?:[ ]?([0-9.]{1,30}))?")
OR: Final = re.compile(r"(?:(?<=[\s\d)}])|\A)or(?=[\s\d({-])|\bOR\b", re.I)
COMPOUND: Final = re.compile(
    r"([0-9]{1,9})[ ]?(hours?|hrs?|h|minutes?|mins?|feet|foot|ft|years?|yrs?|dollars?|pounds?|lbs?)\.?,?[ ]*"
    r"(?:and[ ]+)?([0-9]{1,3})[ ]?"
    r"(minutes?|mins?|m|seconds?|secs?|inch(?:es)?|in|months?|cents?|ounces?|oz)\.?",
    re.I,
)
_PARTS: Final = {"hour": 60, "minute": 60, "foot": 12, "year": 12, "dollar": 100, "pound": 16}
_SEPARATOR: Final = re.compile(r"[ ]*;[ ]*|[ ]*,(?=[A-Za-z]\w{0,9}[ ]?=)|[ ]*,[ ]+(?:and[ ]+)?|[ ]+&[ ]+|\n")
_DOLLARS: Final = re.compile(r"\A[ ]{0,9}\$([^$]{1,400}[^$\\ ])\$[ .]{0,9}\Z")
_MATRIX: Final = re.compile(r"\\begin\s?\{[a-z]{0,8}(?:matrix|array)\*?\}|\\(?:atop|p?matrix)(?![a-z])")
_PLUS_OR_MINUS: Final = re.compile(r"\bplus[ ]{1,3}or[ ]{1,3}minus[ ]{1,3}(?=[0-9.])", re.I)
_CALL: Final = re.compile(r"(?<=[A-Za-z])\([^()]{1,80}\)")
_AND: Final = re.compile(r"[ ]+and[ ]+")
_NUMBERS_IN_A_ROW: Final = re.compile(r"-?[0-9.]{1,30}(?:[ ]+-?[0-9.]{1,30}){1,20}")
_BRACKETED: Final = re.compile(r"([\[({])([^\[\](){}]*)([\])}])")
POINTS: Final = re.compile(r"\(([^()]{3,200})\)(?:(?:[ ]*[,;][ ]*|[ ]+and[ ]+)\([^()]{3,200}\)){1,20}")
POINT: Final = re.compile(r"\([^()]*\)")
_LIST: Final = re.compile(r"[-+]?[0-9.]{1,15}(?:/[0-9]{1,15})?(?:,[-+]?[0-9.]{1,15}(?:/[0-9]{1,15})?){1,63}")
_GROUPED: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}")
_LEADING_ZERO: Final = re.compile(r"(?:,|\A)0[0-9]")


def parse_answer(text: str) -> Alternatives:
    """The alternatives of an answer string, each a tuple of exact values; ``()`` where it states no number.

    Two spellings of one answer (``3/4 | 0.75``) give one alternative, the exact one. A percentage keeps its number, a
    clock time is read in hours with the pair (hours, minutes) as a second alternative, a ratio as a quotient with its
    terms as a second one. Strings above 2,000 characters, numbers above 120 digits and decimal exponents above 300
    are not read.

    >>> from extractors.real_numbers.values import format_value
    >>> [[format_value(v) for v in values] for values in parse_answer("20/9; 20 or 0; 0 | 2.222; 20 or 0; 0")]
    [['20/9', '20'], ['0', '0']]
    >>> [[format_value(v) for v in values] for values in parse_answer("$1,250 and 12 1/2 hours")]
    [['1250', '25/2']]
    >>> parse_answer("(B)")
    ()
    """
    if len(text) > MAX_LENGTH:
        return ()
    plain = normalised(text)
    found: list[tuple[Value, ...]] = []
    for number, form in enumerate(spellings(plain)):
        for values in _alternatives(form):
            if not (number and any(_same(values, earlier) for earlier in found)) and values not in found:
                found.append(values)
    return tuple(found)


def spellings(plain: str) -> list[str]:
    """The spellings of one answer, ``300/7 | 42.857``; bars that touch what they enclose, ``|-5|``, take its size."""
    parts = [part for part in plain.split("|") if part.strip()]
    return parts if plain.count("|") != 2 or " | " in plain else [plain]


def normalised(text: str) -> str:
    """An answer in plain maths, without what only encloses it; a matrix is left as it is, for it is no list."""
    if _MATRIX.search(text):
        return text.strip()
    text = _DOLLARS.sub(r"\1", text)
    if any(map(text.__contains__, ("\\", "{{{", "&", "^{", "{,}"))) or text.count("$") > 1:
        text = plain_maths(text).text
    elif not text.isascii():
        text = apply_edits(text, typography_edits(text))
    text = _PLUS_OR_MINUS.sub("+/-", text)
    return text.replace("；", ";").strip().strip('`"* \t')


def _same(a: Sequence[Value], b: Sequence[Value]) -> bool:
    """Whether two tuples spell one answer, up to rounding."""
    return len(a) == len(b) and all(agree(x, y, _SAME_SPELLING) for x, y in zip(a, b, strict=True))


def _alternatives(form: str) -> Iterator[tuple[Value, ...]]:
    for part in OR.split(form):
        part = part.strip(" \t\n,")
        part = part if part.startswith(".") or part.endswith("...") else part.strip(".")
        whole = part.strip("{} ;")
        if not whole:
            continue
        special = list(_several_readings(whole))
        if special:
            yield from special
        elif POINTS.fullmatch(whole) and all(re.search("[,;]", point) for point in POINT.findall(whole)):
            for point in POINT.findall(whole):
                yield from _tuple(point)
        elif "+/-" in whole and "," in whole and "(" not in whole:
            yield from _tuple(re.sub(r"\+/-[ ]?([^,]{1,60})", r"\1, -\1", whole).replace(",", ", "))
        elif "+/-" in whole or "+-" in whole:
            for sign in "+-":
                yield from _tuple(whole.replace("+/-", sign).replace("+-", sign))
        else:
            yield from _tuple(whole if whole.startswith("(") else part)


def _several_readings(whole: str) -> Iterator[tuple[Value, ...]]:
    if ":" in whole or " to " in whole:
        yield from _colon(stripped(whole))
    compound = COMPOUND.fullmatch(stripped(whole)) if whole[-1:].isalpha() or whole.endswith(".") else None
    if compound is not None:
        large, small = Fraction(int(compound[1])), Fraction(int(compound[3]))
        yield (large + small / _PARTS[UNIT_NAMES[compound[2].lower()]],)
        yield (large, small)


def _colon(part: str) -> Iterator[tuple[Value, ...]]:
    """A clock time or a ratio: as one number, then as its parts."""
    clock = _CLOCK.fullmatch(part)
    if clock is not None:
        parts = [Fraction(int(group)) for group in clock.groups() if group]
        yield (sum((value / 60**place for place, value in enumerate(parts)), Fraction(0)),)
        yield tuple(parts)
        return
    ratio = _RATIO.fullmatch(part)
    terms = [number_of(group) for group in ratio.groups() if group] if ratio else []
    values = tuple(term for term in terms if term is not None)
    if len(values) == len(terms) == 2 and values[1]:
        yield (values[0] / values[1],)
    if len(values) == len(terms) > 1 and values[-1]:
        yield values


def _tuple(part: str) -> Iterator[tuple[Value, ...]]:
    """The values of one alternative; nothing where one of its elements is no number."""
    values: list[Value] = []
    for element in elements(part):
        value = value_of(element)
        if value is None or len(values) >= MAX_VALUES:
            return
        values.append(value)
    if values:
        yield tuple(values)


def elements(part: str) -> Iterator[str]:
    """The elements of a tuple, as ``value_of`` reads them; braces only group, so they are flattened."""
    label = LABEL.match(part)
    if label is not None:
        # "The answer is 8!" cries out, "8!" is a factorial.
        part = part[label.end() :].rstrip("!" if "ans" in label[0].lower() else "")
    part = _CALL.sub(lambda call: call[0].replace(", ", ","), part)
    for piece in _SEPARATOR.split(_bracketed(part)):
        element = piece.strip(" \t{}[]")
        if not element:
            continue
        if _LIST.fullmatch(element) and not _is_one(element):
            yield from element.split(",")
        elif _NUMBERS_IN_A_ROW.fullmatch(element) and run_of_digits(element.lstrip("-"), 0) is None:
            yield from element.split()
        elif _AND.search(element) and not MIXED.match(element) and not in_words(element) and not counted(element):
            parts = _AND.split(element)
            # "5 thousand and one third" is one number that nobody can tell, or two.
            yield from [element] if any(_is_part(part) for part in parts[1:]) else parts
        else:
            yield element


def _is_part(text: str) -> bool:
    """Whether words name a part of one: "a half"."""
    value = in_words(text)
    return value is not None and 0 < value < 1


def _bracketed(part: str) -> str:
    """``(7/2,7)`` and ``[5, 6]`` with semicolons: inside of such brackets a comma separates.

    An interval, ``[2, 5)``, and a lone number in braces are left as they are; ``(1,200)`` may be a number or a point.
    """
    whole = _BRACKETED.fullmatch(stripped(part).strip())
    if whole is None or "," not in whole[2] or whole[1] + whole[3] not in {"()", "[]", "{}"}:
        return part
    if _GROUPED.fullmatch(whole[2]) and (whole[2].count(",") == 1 or _LEADING_ZERO.search(whole[2])):
        return part if whole[1] == "{" or _LEADING_ZERO.search(whole[2]) else ""
    return whole[2].replace(",", ";")


def _is_one(element: str) -> bool:
    """Whether digits with commas are one number, or may be: "1,200", "0,75", "1,50,000", "1.234,56"."""
    if NUMBER.fullmatch(element) or DECIMAL_COMMA.fullmatch(element) or _LEADING_ZERO.search(element):
        return True
    if run_of_digits(element, 0) is not None:
        # "36,36,108" are the angles of a triangle sooner than a number that repeats itself.
        groups = element.split(",")
        return len(set(groups)) == len(groups)
    numbers = find_numbers(element)
    return len(numbers) == 1 and numbers[0].raw == element


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
