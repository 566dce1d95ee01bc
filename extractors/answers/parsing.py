"""Answer strings to values: ``{9; 14}``, ``3/4 | 0.75``, ``10 or -4``, units, money, radicals, clock times, angles.

The notation is that of Dolphin18K's ``ans`` field (Huang et al., ACL 2016) and of the answers in ASDiv, MathQA and
AQuA. Splitting goes from the outside in: ``|`` (two spellings of one answer), ``or`` (alternatives), then the
separators of a tuple.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from extractors.algebra.evaluation import UnknownValueError, evaluate_tree
from extractors.algebra.values import Value, compare_values
from extractors.errors import ExtractionError
from extractors.expressions.grammar import parse_expression
from extractors.quantities.numbers import find_numbers
from extractors.quantities.units import UNIT_NAMES
from extractors.text.edits import apply_edits
from extractors.text.plain import plain_maths
from extractors.text.typography import typography_edits

Alternatives = tuple[tuple[Value, ...], ...]

MAX_LENGTH: Final = 2000
MAX_VALUES: Final = 64
_MAX_EXPONENT: Final = 300
_MAX_DIGITS: Final = 120
_SAME_SPELLING: Final = Fraction(2, 1000)

_NUMBER: Final = re.compile(
    r"[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})++(?:\.[0-9]*+)?|[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]{1,4})?", re.A
)
_FRACTION: Final = re.compile(r"([-+]?)\(?([-+]?)([0-9]{1,60})[ ]?/[ ]?([0-9]{1,60})\)?")
_MIXED: Final = re.compile(r"([-+]?)([0-9]{1,60})(?:[ ]+|[ ]?-[ ]?|[ ]+and[ ]+)([0-9]{1,30})[ ]?/[ ]?([0-9]{1,30})")
_CLOCK: Final = re.compile(
    r"([0-9]{1,3})[ ]?:[ ]?([0-5][0-9])(?:[ ]?:[ ]?([0-5][0-9]))?[ ]?(?:[ap]\.?[ ]?m\.?|o'clock|hours?)?", re.I
)
_RATIO: Final = re.compile(r"([0-9.]{1,30})(?:[ ]?:[ ]?|[ ]to[ ])([0-9.]{1,30})")
_ANGLE: Final = re.compile(
    r"(-?)([0-9]{1,6})[ ]?°[ ]?([0-9]{1,2}(?:\.[0-9]{1,12})?)[ ]?'(?:[ ]?([0-9]{1,2}(?:\.[0-9]{1,12})?)[ ]?(?:\"|''))?"
)

_OR: Final = re.compile(r"(?:(?<=[\s\d)}])|\A)or(?=[\s\d({-])|\bOR\b", re.I)
_LABEL: Final = re.compile(
    r"\A[ ]*(?:[=-]{1,9}>|(?:the[ ])?ans(?:wer)?s?(?![A-Za-z])(?:[ ](?:is|are))?[ ]*[:=.]?"
    r"|[A-E]\)(?=[ ]*\S)|\([a-e]\)(?=[ ]+\S)|[A-Za-z][\w']{0,20}(?:[ ][\w']{1,20}){0,5}[ ]?[=:≈]"
    r"|(?:about|approx(?:imately|\.)?|roughly|either|both)(?![A-Za-z])|[=≈~])[ ]*",
    re.I,
)
_MONEY: Final = re.compile(r"US\$|[$€£₹¥￡]|\bRs[ ]?\.?(?=[ ]?[0-9])", re.I)
_COMMENT: Final = re.compile(r"[ ]*\([A-Za-z][A-Za-z .,'/-]{0,60}\)[ ]*\Z")
_UNIT_WORD: Final = r"(?:o')?[A-Za-z]{1,24}\.?(?:'s)?(?:[ ]?\^[ ]?[23])?"
_UNITS: Final = re.compile(rf"(?<=[0-9)%°.])[ ]*+(?!e[-+]?[0-9])({_UNIT_WORD}(?:[ /]+{_UNIT_WORD}){{0,7}})\Z")
_LETTERS: Final = re.compile(r"[A-Za-z]+")
_DECIMAL_COMMA: Final = re.compile(r"-?(?:0,[0-9]{1,30}|[0-9]{1,30},[0-9]{1,2}(?=[ ]?%))[ ]?%?")
_COMPOUND: Final = re.compile(
    r"([0-9]{1,9})[ ]?(hours?|hrs?|h|minutes?|mins?|feet|foot|ft|years?|yrs?)\.?,?[ ]*(?:and[ ]+)?([0-9]{1,3})[ ]?"
    r"(minutes?|mins?|m|seconds?|secs?|inch(?:es)?|in|months?)\.?",
    re.I,
)
_PARTS: Final = {"hour": 60, "minute": 60, "foot": 12, "year": 12}
_ORDINAL: Final = re.compile(r"\A([0-9]{1,12})(?:st|nd|rd|th)\Z", re.I)
_SEPARATOR: Final = re.compile(r"[ ]*;[ ]*|[ ]*,[ ]+(?:and[ ]+)?|[ ]+&[ ]+|\n")
_AND: Final = re.compile(r"[ ]+and[ ]+")
_NUMBERS_IN_A_ROW: Final = re.compile(r"-?[0-9.]{1,30}(?:[ ]+-?[0-9.]{1,30}){1,20}")
_BRACKETED: Final = re.compile(r"[\[({]([^\[\](){}]*)[\])}]")
_PAIR: Final = re.compile(r"-?[0-9]{1,12},-?[0-9]{1,2}(?:,-?[0-9]{1,2}){0,6}")
_WORDS: Final = re.compile(r"(-?)([A-Za-z][A-Za-z -]{1,80})(?:\([ ]?-?[0-9.,/]{1,20}[ ]?\))?")


def parse_answer(text: str) -> Alternatives:
    """The alternatives of an answer string, each a tuple of exact values; ``()`` where it states no number.

    Two spellings of one answer (``3/4 | 0.75``) give one alternative, the exact one. A percentage keeps its number, a
    clock time is read in hours with the pair (hours, minutes) as a second alternative, a ratio as a quotient with its
    terms as a second one. Strings above 2,000 characters, numbers above 120 digits and decimal exponents above 300
    are not read.

    >>> from extractors.algebra.values import format_value
    >>> [[format_value(v) for v in values] for values in parse_answer("20/9; 20 or 0; 0 | 2.222; 20 or 0; 0")]
    [['20/9', '20'], ['0', '0']]
    >>> [[format_value(v) for v in values] for values in parse_answer("$1,250 and 12 1/2 hours")]
    [['1250', '25/2']]
    >>> parse_answer("(B)")
    ()
    """
    if len(text) > MAX_LENGTH:
        return ()
    plain = _normalised(text)
    found: list[tuple[Value, ...]] = []
    for number, form in enumerate(part for part in plain.split("|") if part.strip()):
        for values in _alternatives(form):
            if not (number and any(_same(values, earlier) for earlier in found)) and values not in found:
                found.append(values)
    return tuple(found)


def _normalised(text: str) -> str:
    if "\\" in text or "{{{" in text or "&" in text:
        text = plain_maths(text).text
    elif not text.isascii():
        text = apply_edits(text, typography_edits(text))
    return text.replace("；", ";").strip().strip('`"* \t')


def _same(a: Sequence[Value], b: Sequence[Value]) -> bool:
    """Whether two tuples spell one answer, up to rounding."""
    return len(a) == len(b) and all(compare_values(x, y, _SAME_SPELLING) for x, y in zip(a, b, strict=True))


def _alternatives(form: str) -> Iterator[tuple[Value, ...]]:
    for part in _OR.split(form):
        part = part.strip(" \t\n,.") if not part.strip().startswith(".") else part.strip(" \t\n,")
        whole = part.strip("{} ;")
        if not whole:
            continue
        special = list(_several_readings(whole))
        if special:
            yield from special
            continue
        if "+/-" in whole or "+-" in whole:
            for sign in "+-":
                yield from _tuple(whole.replace("+/-", sign).replace("+-", sign))
        else:
            yield from _tuple(part)


def _several_readings(whole: str) -> Iterator[tuple[Value, ...]]:
    if ":" in whole or " to " in whole:
        yield from _colon(_stripped(whole))
    compound = _COMPOUND.fullmatch(_stripped(whole)) if whole[-1:].isalpha() or whole.endswith(".") else None
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
    terms = [_number(group) for group in ratio.groups()] if ratio else []
    if len(terms) == 2 and isinstance(terms[0], Fraction) and isinstance(terms[1], Fraction) and terms[1]:
        yield (terms[0] / terms[1],)
        yield (terms[0], terms[1])


def _tuple(part: str) -> Iterator[tuple[Value, ...]]:
    """The values of one alternative; nothing where one of its elements is no number."""
    values: list[Value] = []
    for element in _elements(part):
        value = _value(element)
        if value is None or len(values) >= MAX_VALUES:
            return
        values.append(value)
    if values:
        yield tuple(values)


def _elements(part: str) -> Iterator[str]:
    """The elements of a tuple; braces only group, so they are flattened."""
    for piece in _SEPARATOR.split(_bracketed(part)):
        element = piece.strip(" \t{}[]")
        if not element:
            continue
        if _PAIR.fullmatch(element) and not _DECIMAL_COMMA.fullmatch(element):
            yield from element.split(",")
        elif _NUMBERS_IN_A_ROW.fullmatch(element):
            yield from element.split()
        elif _AND.search(element) and not _MIXED.match(element) and not _words(element):
            yield from _AND.split(element)
        else:
            yield element


def _bracketed(part: str) -> str:
    """``(7/2,7)`` and ``[5, 6]`` with semicolons: inside of such brackets a comma separates."""
    whole = _BRACKETED.fullmatch(_stripped(part).strip())
    if whole is None or "," not in whole[1] or re.fullmatch(r"[0-9]{1,3}(?:,[0-9]{3})+", whole[1]):
        return part
    return whole[1].replace(",", ";")


def _stripped(element: str) -> str:
    """An element without its label, its currency and a comment in brackets."""
    element = _COMMENT.sub("", element)
    for _ in range(2):
        element = _LABEL.sub("", element, count=1)
    return _MONEY.sub("", element).strip(" \t;=")


def _value(element: str) -> Value | None:
    bare = _stripped(element).rstrip("?!").rstrip(".").strip()
    if not bare:
        return None
    simple = _simple(bare)
    if simple is not None:
        return simple
    without = _without_unit(bare)
    if without != bare:
        simple = _simple(without)
        if simple is not None:
            return simple
    return _words(bare) or _evaluated(bare) or (_evaluated(without) if without != bare else None)


def _simple(bare: str) -> Fraction | None:
    """A number, a fraction, a mixed number, an angle, a percentage, an ordinal."""
    if bare.endswith("%"):
        bare = bare.replace(",", ".") if _DECIMAL_COMMA.fullmatch(bare) else bare
        bare = bare.rstrip("% ")
    number = _number(bare)
    if number is not None:
        return number
    if _DECIMAL_COMMA.fullmatch(bare):
        return Fraction(bare.replace(",", "."))
    mixed = _MIXED.fullmatch(bare)
    if mixed is not None and int(mixed[4]) and int(mixed[3]) < int(mixed[4]):
        value = int(mixed[2]) + Fraction(int(mixed[3]), int(mixed[4]))
        return -value if mixed[1] == "-" else value
    fraction = _FRACTION.fullmatch(bare)
    if fraction is not None and int(fraction[4]):
        value = Fraction(int(fraction[3]), int(fraction[4]))
        return -value if (fraction[1] == "-") != (fraction[2] == "-") else value
    return _angle(bare) if "°" in bare else _ordinal(bare)


def _ordinal(bare: str) -> Fraction | None:
    match = _ORDINAL.match(bare)
    return Fraction(int(match[1])) if match else None


def _number(raw: str) -> Fraction | None:
    """A number in digits within the bounds, else None."""
    if len(raw) > _MAX_DIGITS or not _NUMBER.fullmatch(raw):
        return None
    mantissa, _, exponent = raw.lower().replace(",", "").partition("e")
    if abs(int(exponent or 0)) > _MAX_EXPONENT:
        return None
    return Fraction(mantissa) * Fraction(10) ** int(exponent or 0)


def _angle(bare: str) -> Fraction | None:
    """Degrees and minutes in degrees; a plain angle keeps its number."""
    match = _ANGLE.fullmatch(bare)
    if match is None:
        return _number(bare.replace("°", "").strip())
    value = int(match[2]) + Fraction(match[3]) / 60 + Fraction(match[4] or 0) / 3600
    return -value if match[1] else value


def _without_unit(bare: str) -> str:
    """``27/2 pages`` and ``640 km/h`` without the unit; a letter that touches its number goes only if it is a unit."""
    match = _UNITS.search(bare)
    if match is None:
        return bare
    first = _LETTERS.match(match[1])
    if first is not None and first[0] in {"pi", "sqrt"}:
        return bare
    glued = match.start() == match.start(1)
    if glued and (first is None or first[0].lower() not in UNIT_NAMES):
        return bare
    if not glued and len(match[1]) == 1 and match[1] not in "hmglsLV":
        return bare
    return bare[: match.start()].rstrip(" .")


def _words(bare: str) -> Fraction | None:
    """A number in words: "twenty-one", "seven (7)", "two and a half hours"."""
    match = _WORDS.fullmatch(bare)
    if match is None:
        return None
    numbers = find_numbers(match[2])
    if len(numbers) != 1 or numbers[0].start or numbers[0].kind in {"coin", "parity"}:
        return None
    rest = match[2][numbers[0].end :].strip()
    if len(rest.split()) > 3:
        return None
    return -numbers[0].value if match[1] else numbers[0].value


def _evaluated(bare: str) -> Value | None:
    """A constant expression: ``24√5``, ``2^48``, ``(9+sqrt(33))/6``; None where it holds an unknown."""
    if not any(char.isdigit() for char in bare) and "pi" not in bare:
        return None
    try:
        return evaluate_tree(parse_expression(bare), {})
    except (ExtractionError, UnknownValueError):
        return None
