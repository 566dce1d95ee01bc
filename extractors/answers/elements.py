"""One element of an answer string to its value: numbers, units, money, words, angles, constant expressions."""

import re
from fractions import Fraction
from typing import Final

from extractors.expressions.grammar import parse_expression
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import find_numbers
from extractors.quantities.numerals import SCALE_PLURALS, SCALES, TENS
from extractors.quantities.numerals import UNITS as NUMBER_UNITS
from extractors.quantities.separators import run_of_digits
from extractors.quantities.units import UNIT_NAMES, currency_before
from extractors.real_numbers.values import Value
from extractors.solve.tree_evaluation import UnknownValueError, evaluate_tree
from extractors.text.latex import repeating

_MAX_EXPONENT: Final = 300
_MAX_DIGITS: Final = 120
NUMBER: Final = re.compile(
    r"[-+]?(?:[1-9][0-9]{0,2}(?:(?>(?:,[0-9]{3})+)|(?>(?:'[0-9]{3})+))(?:\.[0-9]*+)?"
    r"|[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][-+]?[0-9]{1,4})?",
    re.A,
)
_MARKS: Final = str.maketrans("", "", ",' ")
_FRACTION: Final = re.compile(r"([-+]?)\(?([-+]?)([0-9]{1,60})[ ]?/[ ]?([0-9]{1,60})\)?")
MIXED: Final = re.compile(r"([-+]?)([0-9]{1,60})(?:[ ]+|[ ]?-[ ]?|[ ]+and[ ]+)([0-9]{1,30})[ ]?/[ ]?([0-9]{1,30})")
_REPEATING: Final = re.compile(
    r"(-?)([0-9]{0,15})\.([0-9]{0,15}?)(?:\(([0-9]{1,15})\)|(?:([0-9])\5{2,15}|([0-9]{2,6})\6{1,6})[ ]?\.{3})"
)
_ANGLE: Final = re.compile(
    r"(-?)([0-9]{1,6})[ ]?°[ ]?([0-9]{1,2}(?:\.[0-9]{1,12})?)[ ]?'(?:[ ]?([0-9]{1,2}(?:\.[0-9]{1,12})?)[ ]?(?:\"|''))?"
)

LABEL: Final = re.compile(
    r"\A[ ]*(?:[=-]{1,9}>|#{1,4}|(?:the[ ])?(?:final[ ])?ans(?:wer)?s?(?![A-Za-z])(?:[ ](?:is|are))?[ ]*[:=.]?"
    r"|[A-E]\)(?=[ ]*\S)|\([a-e]\)(?=[ ]+\S)|\([A-Za-z](?:[ ]?,[ ]?[A-Za-z])+\)[ ]?=|[A-Za-z][ ]?\\in(?![A-Za-z])"
    r"|[A-Za-z][\w']{0,20}(?:[ ][\w']{1,20}){0,5}[ ]?[=:≈]"
    r"|(?:about|approx(?:imately|\.)?|roughly|either|both)(?![A-Za-z])|[=≈~])[ ]*",
    re.I,
)
NAMED: Final = re.compile(r"(?<![\w=])([A-Za-z]\w{0,9})[ ]?=(?!=)")
_MONEY: Final = re.compile(r"US\$|[$€£₹¥￡₦₱¢]|\bRs[ ]?\.?(?=[ ]?[0-9])", re.I)
_MINUS_WORD: Final = re.compile(r"\A(?:minus|negative)[ -]{1,4}(?=[0-9.])", re.I)
_COMMENT: Final = re.compile(r"[ ]*\([A-Za-z][A-Za-z .,'/-]{0,60}\)[ ]*\Z")
_UNIT_WORD: Final = r"(?:o')?[A-Za-z]{1,24}\.?(?:'s)?(?:[ ]?\^[ ]?[23])?"
_UNITS: Final = re.compile(
    r"(?:(?<=[0-9)%°.])|(?<=[0-9 ]pi)(?=[ ]))[ ]*+(?:/[ ]*+)?(?!e[-+]?[0-9]|(?:pi|sqrt)(?![A-Za-z]))"
    rf"({_UNIT_WORD}(?:[ /]+{_UNIT_WORD}){{0,7}})\Z"
)
_NUMBER_WORDS: Final = frozenset().union(SCALES, SCALE_PLURALS, TENS, NUMBER_UNITS)
"""They are no unit: "5 thousand and one third" is not five of something."""
_LETTERS: Final = re.compile(r"[A-Za-z]+")
_UNKNOWNS: Final = re.compile(r"[abnpqrxyz]{2,3}")
_LONE: Final = re.compile(r"(?<![A-Za-z'])[A-Za-z](?![A-Za-z'])")
_LONE_UNITS: Final = frozenset("hmglsLV")
DECIMAL_COMMA: Final = re.compile(
    r"-?(?:0,[0-9]{1,30}|[0-9]{1,30},[0-9]{1,2}(?=[ ]?%)|[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{1,2}"
    r"|[0-9]{1,3}(?:\.[0-9]{3}){2,9})[ ]?%?"
)
# "8!" is a factorial, "the answer is 8!" an answer; "2-3" a difference or a range.
_SHOUTED: Final = re.compile(r"[0-9]{1,3}!")
_RANGE: Final = re.compile(r"[0-9]{1,12}-[0-9]{1,12}")
# "(1)(3)(4)" is a product, a list of answers or a cycle.
_SIDE_BY_SIDE: Final = re.compile(
    r"-?[(\[{][ ]?[-+0-9./,]{1,30}[ ]?[)\]}](?:[ ]?[(\[{][ ]?[-+0-9./,]{1,30}[ ]?[)\]}]){1,60}"
)
_ANGLE_FUNCTION: Final = re.compile(
    r"(?<![A-Za-z])(?P<inverse>a(?:rc)?)?(?:sin|cos|tan|cot|sec|csc)(?P<power>[ ]?\^[ ]?\(?-1\)?)?(?![a-z])"
    r"(?P<angle>[ ]?\([^()]{0,60}\)[ ]?°?|[^-+,;]{0,60})"
)
_ORDINAL: Final = re.compile(r"\A([0-9]{1,12})(?:st|nd|rd|th)\Z", re.I)
_WORDS: Final = re.compile(r"(-?)([A-Za-z][A-Za-z -]{1,80})(?:\([ ]?-?[0-9.,/]{1,20}[ ]?\))?")
_MULTIPLE: Final = re.compile(
    r"(?:hundred|thousand|(?:m|b|tr)illion)s?(?![a-z])|(?:lakh|crore|dozen)s?(?![a-z])"
    r"|[0-9](?:[kKMB]|mn|[ ]?bn)(?![\w^])|(?<![^\W_])(?:RM|[A-Z]{3}|[PRNK])[ ]?[0-9]|\bRs|₹",
    re.I,
)


def value_of(element: str) -> Value | None:
    """The value of one element; None where it states no number or may state several.

    >>> value_of("27/2 pages"), value_of("$2.5 million"), value_of("0.1666..."), value_of("20 x y")
    (Fraction(27, 2), Fraction(2500000, 1), Fraction(1, 6), None)
    """
    bare = stripped(element).rstrip("?!").strip() if not _SHOUTED.fullmatch(element) else element
    repeated = _REPEATING.fullmatch(bare)
    if repeated is not None:
        value = repeating(repeated[2], repeated[3], repeated[4] or repeated[5] or repeated[6])
        return -value if repeated[1] else value
    bare = bare.rstrip(".").strip()
    if not bare:
        return None
    multiplied = counted(element)
    if multiplied is not None:
        return multiplied
    simple = _simple(bare)
    if simple is not None:
        return simple
    without = _without_unit(bare)
    if without != bare:
        simple = _simple(without)
        if simple is not None:
            return simple
    return in_words(bare) or _evaluated(bare) or (_evaluated(without) if without != bare else None)


def _simple(bare: str) -> Fraction | None:
    """A number, a fraction, a mixed number, an angle, a percentage, an ordinal."""
    if bare.endswith("%"):
        bare = _pointed(bare).rstrip("% ")
    number = number_of(_pointed(bare))
    if number is not None:
        return number
    mixed = MIXED.fullmatch(bare)
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
    return bare.replace(".", "").replace(",", ".") if DECIMAL_COMMA.fullmatch(bare) else bare


def _ordinal(bare: str) -> Fraction | None:
    match = _ORDINAL.match(bare)
    return Fraction(int(match[1])) if match else None


def number_of(raw: str) -> Fraction | None:
    """A number in digits within the bounds, else None."""
    if len(raw) > _MAX_DIGITS:
        return None
    unsigned = raw.lstrip("+-")
    run = run_of_digits(unsigned, 0) if unsigned[:1].isdigit() and len(raw) - len(unsigned) < 2 else None
    if run is not None:
        whole = run.value if run.end == len(unsigned) else None
        return -whole if whole is not None and raw[0] == "-" else whole
    if not NUMBER.fullmatch(raw):
        return None
    mantissa, _, exponent = raw.lower().translate(_MARKS).partition("e")
    if abs(int(exponent or 0)) > _MAX_EXPONENT:
        return None
    return Fraction(mantissa) * Fraction(10) ** int(exponent or 0)


def _angle(bare: str) -> Fraction | None:
    """Degrees and minutes in degrees; a plain angle keeps its number."""
    match = _ANGLE.fullmatch(bare)
    if match is None:
        return number_of(bare.replace("°", "").strip())
    value = int(match[2]) + Fraction(match[3]) / 60 + Fraction(match[4] or 0) / 3600
    return -value if match[1] else value


def _without_unit(bare: str) -> str:
    """``27/2 pages`` and ``640 km/h`` without the unit; a letter that touches its number goes only if it is a unit."""
    match = _UNITS.search(bare)
    if match is None or not _NUMBER_WORDS.isdisjoint(match[1].lower().split()):
        return bare
    first = _LETTERS.match(match[1])
    spaced = bare[match.start() : match.start(1)].isspace()
    if not spaced and (first is None or first[0].lower() not in UNIT_NAMES or first[0] in "MK"):
        return bare
    # "20 x y" is a product; "27 pages a day" and "9 m" are quantities.
    allowed = _LONE_UNITS if len(match[1]) == 1 else _LONE_UNITS | {"a"}
    if spaced and bare[match.start() - 1] != "°" and not allowed.issuperset(_LONE.findall(match[1])):
        return bare
    if _UNKNOWNS.fullmatch(match[1]):
        return bare
    return bare[: match.start()].rstrip(" .")


def counted(element: str) -> Fraction | None:
    """A number with a word or a letter that multiplies it or is its currency: "2 million", "a dozen", "RM50"."""
    bare = LABEL.sub("", _COMMENT.sub("", element), count=1).lstrip(" ?!").rstrip(" .?!")
    numbers = find_numbers(bare) if _MULTIPLE.search(bare) else ()
    if len(numbers) != 1 or numbers[0].kind in {"coin", "parity"}:
        return None
    start, end = numbers[0].start, numbers[0].end
    currency = currency_before(bare, start) if start else None
    lead = bare[: start if currency is None else currency[1]].strip(" -~").lower()
    if lead not in {"", "a", "an", "us", "about"} or not re.fullmatch(r"(?:[ ][A-Za-z]+){0,3}%?", bare[end:]):
        return None
    return -numbers[0].value if bare[:1] == "-" and numbers[0].value > 0 else numbers[0].value


def in_words(bare: str) -> Fraction | None:
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
    if (not any(char.isdigit() for char in bare) and "pi" not in bare) or _RANGE.fullmatch(bare):
        return None
    if _SIDE_BY_SIDE.fullmatch(bare) or any(map(_is_unmeasured, _ANGLE_FUNCTION.finditer(bare))):
        return None
    try:
        return evaluate_tree(parse_expression(bare), {})
    except (ExtractionError, UnknownValueError):
        return None


def _is_unmeasured(function: re.Match[str]) -> bool:
    """Whether an angle is written without its measure: arctan(2) may be in degrees or in radians, and so may cos 1."""
    signs = ("°",) if function["inverse"] or function["power"] else ("°", "pi")
    return not any(map(function["angle"].__contains__, signs))


def stripped(element: str) -> str:
    """An element without its label, its currency and a comment in brackets."""
    element = _COMMENT.sub("", element)
    for _ in range(2):
        element = LABEL.sub("", element, count=1)
    return _MINUS_WORD.sub("-", _MONEY.sub("", element).strip(" \t;="))
