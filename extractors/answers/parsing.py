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
from extractors.quantities.units import UNIT_NAMES, currency_before
from extractors.text.edits import apply_edits
from extractors.text.plain import plain_maths
from extractors.text.repeating import repeating
from extractors.text.typography import typography_edits

Alternatives = tuple[tuple[Value, ...], ...]

MAX_LENGTH: Final = 2000
MAX_VALUES: Final = 64
_MAX_EXPONENT: Final = 300
_MAX_DIGITS: Final = 120
_SAME_SPELLING: Final = Fraction(2, 1000)

_NUMBER: Final = re.compile(
    r"[-+]?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})++(?:\.[0-9]*+)?|[1-9][0-9]{0,2}(?:[ ]000)++|[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]{1,4})?", re.A
)
_FRACTION: Final = re.compile(r"([-+]?)\(?([-+]?)([0-9]{1,60})[ ]?/[ ]?([0-9]{1,60})\)?")
_MIXED: Final = re.compile(r"([-+]?)([0-9]{1,60})(?:[ ]+|[ ]?-[ ]?|[ ]+and[ ]+)([0-9]{1,30})[ ]?/[ ]?([0-9]{1,30})")
_CLOCK: Final = re.compile(
    r"([0-9]{1,3})[ ]?:[ ]?([0-5][0-9])(?:[ ]?:[ ]?([0-5][0-9]))?[ ]?(?:[ap]\.?[ ]?m\.?|o'clock|hours?)?", re.I
)
_RATIO: Final = re.compile(r"([0-9.]{1,30})(?:[ ]?:[ ]?|[ ]to[ ])([0-9.]{1,30})(?:[ ]?:[ ]?([0-9.]{1,30}))?")
_REPEATING: Final = re.compile(
    r"(-?)([0-9]{0,15})\.([0-9]{0,15}?)(?:\(([0-9]{1,15})\)|(?:([0-9])\5{2,15}|([0-9]{2,6})\6{1,6})[ ]?\.{3})"
)
_ANGLE: Final = re.compile(
    r"(-?)([0-9]{1,6})[ ]?°[ ]?([0-9]{1,2}(?:\.[0-9]{1,12})?)[ ]?'(?:[ ]?([0-9]{1,2}(?:\.[0-9]{1,12})?)[ ]?(?:\"|''))?"
)

_OR: Final = re.compile(r"(?:(?<=[\s\d)}])|\A)or(?=[\s\d({-])|\bOR\b", re.I)
_LABEL: Final = re.compile(
    r"\A[ ]*(?:[=-]{1,9}>|(?:the[ ])?ans(?:wer)?s?(?![A-Za-z])(?:[ ](?:is|are))?[ ]*[:=.]?"
    r"|[A-E]\)(?=[ ]*\S)|\([a-e]\)(?=[ ]+\S)|\([A-Za-z](?:[ ]?,[ ]?[A-Za-z])+\)[ ]?=|[A-Za-z][ ]?\\in(?![A-Za-z])"
    r"|[A-Za-z][\w']{0,20}(?:[ ][\w']{1,20}){0,5}[ ]?[=:≈]"
    r"|(?:about|approx(?:imately|\.)?|roughly|either|both)(?![A-Za-z])|[=≈~])[ ]*",
    re.I,
)
_MONEY: Final = re.compile(r"US\$|[$€£₹¥￡₦₱¢]|\bRs[ ]?\.?(?=[ ]?[0-9])", re.I)
_COMMENT: Final = re.compile(r"[ ]*\([A-Za-z][A-Za-z .,'/-]{0,60}\)[ ]*\Z")
_UNIT_WORD: Final = r"(?:o')?[A-Za-z]{1,24}\.?(?:'s)?(?:[ ]?\^[ ]?[23])?"
_UNITS: Final = re.compile(rf"(?:(?<=[0-9)%°.])|(?<=[0-9 ]pi)(?=[ ]))[ ]*+(?!e[-+]?[0-9]|(?:pi|sqrt)(?![A-Za-z]))({_UNIT_WORD}(?:[ /]+{_UNIT_WORD}){{0,7}})\Z")
_LETTERS: Final = re.compile(r"[A-Za-z]+")
_LONE: Final = re.compile(r"(?<![A-Za-z'])[A-Za-z](?![A-Za-z'])")
_LONE_UNITS: Final = frozenset("hmglsLV")
_DECIMAL_COMMA: Final = re.compile(r"-?(?:0,[0-9]{1,30}|[0-9]{1,30},[0-9]{1,2}(?=[ ]?%)|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{1,2})[ ]?%?")
_COMPOUND: Final = re.compile(
    r"([0-9]{1,9})[ ]?(hours?|hrs?|h|minutes?|mins?|feet|foot|ft|years?|yrs?|dollars?|pounds?|lbs?)\.?,?[ ]*(?:and[ ]+)?([0-9]{1,3})[ ]?"
    r"(minutes?|mins?|m|seconds?|secs?|inch(?:es)?|in|months?|cents?|ounces?|oz)\.?",
    re.I,
)
_PARTS: Final = {"hour": 60, "minute": 60, "foot": 12, "year": 12, "dollar": 100, "pound": 16}
_ORDINAL: Final = re.compile(r"\A([0-9]{1,12})(?:st|nd|rd|th)\Z", re.I)
_SEPARATOR: Final = re.compile(r"[ ]*;[ ]*|[ ]*,[ ]+(?:and[ ]+)?|[ ]+&[ ]+|\n")
_AND: Final = re.compile(r"[ ]+and[ ]+")
_NUMBERS_IN_A_ROW: Final = re.compile(r"-?[0-9.]{1,30}(?:[ ]+-?[0-9.]{1,30}){1,20}")
# "1 234": one number or two.
_DOUBTFUL: Final = re.compile(r"[1-9][0-9]{0,2}(?:[ ][0-9]{3}){1,10}")
_BRACKETED: Final = re.compile(r"([\[({])([^\[\](){}]*)([\])}])")
_POINTS: Final = re.compile(r"\(([^()]{3,200})\)(?:(?:[ ]*[,;][ ]*|[ ]+and[ ]+)\([^()]{3,200}\)){1,20}")
_POINT: Final = re.compile(r"\([^()]*\)")
_LIST: Final = re.compile(r"[-+]?[0-9.]{1,15}(?:/[0-9]{1,15})?(?:,[-+]?[0-9.]{1,15}(?:/[0-9]{1,15})?){1,63}")
_GROUPED: Final = re.compile(r"[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}")
_LEADING_ZERO: Final = re.compile(r"(?:,|\A)0[0-9]")
_WORDS: Final = re.compile(r"(-?)([A-Za-z][A-Za-z -]{1,80})(?:\([ ]?-?[0-9.,/]{1,20}[ ]?\))?")
_MULTIPLE: Final = re.compile(
    r"(?:hundred|thousand|[mbtr]illion)s?(?![a-z])|(?:lakh|crore|dozen)s?(?![a-z])|[0-9](?:[kKMB]|bn|mn)(?![\w^])"
    r"|(?<![^\W_])(?:RM|[A-Z]{3}|[PRNK])[ ]?[0-9]|\bRs|₹",
    re.I,
)


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
    if any(map(text.__contains__, ("\\", "{{{", "&", "^{", "{,}"))) or text.count("$") > 1:
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
        elif _POINTS.fullmatch(whole) and all(re.search("[,;]", point) for point in _POINT.findall(whole)):
            for point in _POINT.findall(whole):
                yield from _tuple(point)
        elif "+/-" in whole and "," in whole and "(" not in whole:
            yield from _tuple(re.sub(r"\+/-[ ]?([^,]{1,60})", r"\1, -\1", whole).replace(",", ", "))
        elif "+/-" in whole or "+-" in whole:
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
    terms = [_number(group) for group in ratio.groups() if group] if ratio else []
    values = tuple(term for term in terms if term is not None)
    if len(values) == len(terms) == 2 and values[1]:
        yield (values[0] / values[1],)
    if len(values) == len(terms) > 1 and values[-1]:
        yield values


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
    for piece in _SEPARATOR.split(_bracketed(_LABEL.sub("", part, count=1))):
        element = piece.strip(" \t{}[]")
        if not element:
            continue
        if _LIST.fullmatch(element) and not _is_one(element):
            yield from element.split(",")
        elif _NUMBERS_IN_A_ROW.fullmatch(element) and not _DOUBTFUL.fullmatch(element):
            yield from element.split()
        elif _AND.search(element) and not _MIXED.match(element) and not _words(element) and not _counted(element):
            yield from _AND.split(element)
        else:
            yield element


def _bracketed(part: str) -> str:
    """``(7/2,7)`` and ``[5, 6]`` with semicolons: inside of such brackets a comma separates.

    An interval, ``[2, 5)``, is left as it is, and so is a lone number with a thousands comma.
    """
    whole = _BRACKETED.fullmatch(_stripped(part).strip())
    if whole is None or "," not in whole[2] or whole[1] + whole[3] not in {"()", "[]", "{}"}:
        return part
    one = _GROUPED.fullmatch(whole[2]) and (whole[2].count(",") == 1 or _LEADING_ZERO.search(whole[2]))
    return part if one else whole[2].replace(",", ";")


def _is_one(element: str) -> bool:
    """Whether digits with commas are one number, or may be: "1,200", "0,75", "1,50,000", "1.234,56"."""
    if _NUMBER.fullmatch(element) or _DECIMAL_COMMA.fullmatch(element) or _LEADING_ZERO.search(element):
        return True
    numbers = find_numbers(element)
    return len(numbers) == 1 and numbers[0].raw == element


def _stripped(element: str) -> str:
    """An element without its label, its currency and a comment in brackets."""
    element = _COMMENT.sub("", element)
    for _ in range(2):
        element = _LABEL.sub("", element, count=1)
    return _MONEY.sub("", element).strip(" \t;=")


def _value(element: str) -> Value | None:
    bare = _stripped(element).rstrip("?!").strip()
    repeated = _REPEATING.fullmatch(bare)
    if repeated is not None:
        value = repeating(repeated[2], repeated[3], repeated[4] or repeated[5] or repeated[6])
        return -value if repeated[1] else value
    bare = bare.rstrip(".").strip()
    if not bare:
        return None
    counted = _counted(element)
    if counted is not None:
        return counted
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
        bare = _pointed(bare).rstrip("% ")
    number = _number(_pointed(bare))
    if number is not None:
        return number
    mixed = _MIXED.fullmatch(bare)
    if mixed is not None and int(mixed[4]) and int(mixed[3]) < int(mixed[4]):
        value = int(mixed[2]) + Fraction(int(mixed[3]), int(mixed[4]))
        return -value if mixed[1] == "-" else value
    fraction = _FRACTION.fullmatch(bare)
    if fraction is not None and int(fraction[4]):
        value = Fraction(int(fraction[3]), int(fraction[4]))
        return -value if (fraction[1] == "-") != (fraction[2] == "-") else value
    return _angle(bare) if "°" in bare else _ordinal(bare)


def _pointed(bare: str) -> str:
    """A number with a decimal comma in the usual spelling."""
    return bare.replace(".", "").replace(",", ".") if _DECIMAL_COMMA.fullmatch(bare) else bare


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
    return Fraction(mantissa.replace(" ", "")) * Fraction(10) ** int(exponent or 0)


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
    glued = match.start() == match.start(1)
    if glued and (first is None or first[0].lower() not in UNIT_NAMES):
        return bare
    # "20 x y" is a product; "27 pages a day" and "9 m" are quantities.
    allowed = _LONE_UNITS if len(match[1]) == 1 else _LONE_UNITS | {"a"}
    if not glued and not allowed.issuperset(_LONE.findall(match[1])):
        return bare
    return bare[: match.start()].rstrip(" .")


def _counted(element: str) -> Fraction | None:
    """A number with a word or a letter that multiplies it or is its currency: "2 million", "a dozen", "RM50"."""
    bare = _LABEL.sub("", _COMMENT.sub("", element), count=1).strip(" .?!")
    numbers = find_numbers(bare) if _MULTIPLE.search(bare) else ()
    if len(numbers) != 1 or numbers[0].kind in {"coin", "parity"}:
        return None
    start, end = numbers[0].start, numbers[0].end
    currency = currency_before(bare, start) if start else None
    lead = bare[: start if currency is None else currency[1]].strip(" -~").lower()
    if lead not in {"", "a", "an", "us", "about"} or not re.fullmatch(r"(?:[ ][A-Za-z]+){0,3}%?", bare[end:]):
        return None
    return -numbers[0].value if bare[:1] == "-" and numbers[0].value > 0 else numbers[0].value


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
