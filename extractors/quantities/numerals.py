"""First pass over a text: the words that carry a number, and numerals with their separators, decimals and fractions.

The pronouns and parity words follow the alignments of "Annotating Derivations" (Upadhyay and Chang, EACL 2017), where
``dimes`` stands for 0.10 and ``even`` in "consecutive even integers" for 2.
"""

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from extractors.quantities.separators import MAX_EXPONENT, SEPARATORS, THIN, power_of_ten, run_of_digits
from extractors.quantities.units import currency_before
from extractors.text import typography
from extractors.text.wordlists import read_list, valued, words

UNITS: Final[dict[str, int]] = {word: value for value, word in enumerate(words(read_list("extractors/number_units")))}
TENS: Final[dict[str, int]] = valued(read_list("extractors/tens"))
SCALES: Final[dict[str, int]] = valued(read_list("extractors/scales"))
SCALE_PLURALS: Final[dict[str, int]] = {
    word + "s": SCALES[word] for word in ("hundred", "thousand", "million", "billion", "trillion")
}
"""They multiply the number before them and are none alone: "3 millions", not "millions of people"."""
DENOMINATORS: Final[dict[str, int]] = valued(read_list("extractors/denominators"))
DENOMINATOR_PLURALS: Final[dict[str, int]] = {"halves": 2} | {
    word + "s": value for word, value in DENOMINATORS.items() if word != "half"
}
COMPOUND_PLURALS: Final = {"firsts": 1, "seconds": 2}
"""They end a denominator and are none alone: "three twenty-firsts"."""
ORDINALS: Final[dict[str, int]] = {"first": 1, "second": 2} | {
    word: value for word, value in DENOMINATORS.items() if word not in {"half", "quarter"}
}
MULTIPLIERS: Final[dict[str, int]] = valued(read_list("extractors/multipliers"))
GROUPS: Final[dict[str, int]] = {"dozen": 12, "dozens": 12, "score": 20, "pair": 2, "couple": 2}
COINS: Final[dict[str, Fraction]] = {
    "penny": Fraction(1, 100),
    "pennies": Fraction(1, 100),
    "nickel": Fraction(1, 20),
    "nickels": Fraction(1, 20),
    "nickle": Fraction(1, 20),
    "nickles": Fraction(1, 20),
    "dime": Fraction(1, 10),
    "dimes": Fraction(1, 10),
    "quarter": Fraction(1, 4),
    "quarters": Fraction(1, 4),
}
PARITY: Final = frozenset({"odd", "even"})
PLACES: Final[dict[str, int]] = {"tens": 10, "hundreds": 100, "thousands": 1000}
ARTICLES: Final = frozenset({"a", "an"})
DEICTIC: Final = frozenset({"next", "last"})

VULGAR: Final = {sign: Fraction(plain) for sign, plain in typography.VULGAR.items()}

LEXICAL: Final = frozenset().union(
    UNITS, TENS, SCALES, SCALE_PLURALS, DENOMINATORS, DENOMINATOR_PLURALS, COMPOUND_PLURALS, ORDINALS, MULTIPLIERS,
    GROUPS, COINS, PARITY, PLACES, ARTICLES, DEICTIC,
)  # fmt: skip


MAX_DIGITS: Final = 40

_GROUPED: Final = rf"""
    [1-9][0-9]{{0,2}} (?: (?>(?:,[0-9]{{3}})+) | (?>(?:['’][0-9]{{3}})+) | (?>(?:[ ],[0-9]{{3}})+)
      | (?P<thin>[{THIN}])[0-9]{{3}} (?>(?:(?P=thin)[0-9]{{3}})*) | (?>(?:[ ]000)+)
      | [ ],[ ]000 (?>(?:,[0-9]{{3}})*) )
    (?![0-9]|,[0-9]{{1,2}}[ ]?€)
    (?:\.[0-9]++)?
  | (?<=\$[ ]) [0-9]{{1,3}} (?>(?:[ ],[ ][0-9]{{3}})+) (?![0-9]) (?:\.[0-9]++)?
"""
NUMERAL: Final = rf"""
    (?P<grouped>{_GROUPED})
  | (?P<dotted>[0-9]{{1,3}} (?:(?>(?:\.[0-9]{{3}}){{2,}}) (?>(?:,[0-9]{{1,2}})?) | \.[0-9]{{3}},[0-9]{{2}})
      (?![0-9]|,[0-9]))
  | (?P<comma>(?:[0-9]{{1,3}}(?>(?:[ \u00a0\u202f][0-9]{{3}})+) | [0-9]++),[0-9]{{1,2}} (?=[ ]?[%€])
      | (?<!\()0,[0-9]++ (?![0-9,)]))
  | (?P<plain>[0-9]++ (?:\.[0-9]++)? (?:[eE][+-]?[0-9]{{1,3}}(?![\w.]))? | \.[0-9]++)
"""
_FRACTION: Final = re.compile(r"([0-9]{1,12})([ ]?)[/⁄]([ ]?)([0-9]{1,12})(?![0-9/⁄])(?!\.[0-9])")
_MIXED: Final = re.compile(
    r"([0-9]{1,12})([ ]{1,2}|[ ]?-[ ]?|[ ](?i:and)[ ])([0-9]{1,6})[ ]?[/⁄][ ]?([0-9]{1,6})(?![0-9/⁄])(?!\.[0-9])"
)
_VULGAR_TAIL: Final = re.compile(rf"[ ]?([{''.join(VULGAR)}])")
# "between 3 and 1/2", "the numbers are 3 and 1/2": two numbers, not three and a half.
_TWO_NUMBERS: Final = re.compile(
    r"\b(?:between|(?:numbers?|fractions?|values?)(?:[ ](?:of|are))?|multiply|add|adding|(?:sum|product|difference)"
    r"(?:[ ]of)?)[ ]\Z",
    re.I,
)
# "3 and 1/2 of them": the half is taken of something else, "3 and 1/2 of a mile" is one length.
_OF_OTHERS: Final = re.compile(
    r"[ ]of[ ](?:them|those|these|it|this|that|the|what|which|whom|my|his|her|their|its|our|your|all)\b", re.I
)
_MEASURE_FOLLOWS: Final = re.compile(r"[ ]?(?:%|[A-Za-z]{2,})")


class NumberToken(NamedTuple):
    """A numeral or a word of the lexicon: ``value`` is set for numerals only."""

    start: int
    end: int
    word: str
    value: Fraction | None
    kind: str


class Numeral(NamedTuple):
    """A numeral in digits: its value, where it ends, and its kind."""

    value: Fraction
    end: int
    kind: str


def read_numeral(text: str, match: re.Match[str]) -> Numeral | None:
    """The numeral at a match of ``NUMERAL``, joined with a fraction that follows; None where it is out of bounds.

    >>> read_numeral("2 1/2 cups", re.match(NUMERAL, "2 1/2 cups", re.X))
    Numeral(value=Fraction(5, 2), end=5, kind='mixed')
    """
    start, end = match.span()
    joined = _joined(text, start, end) if match["plain"] else None
    if joined is not None:
        return joined
    raw = match[0]
    if raw.isdecimal() and len(raw) <= MAX_DIGITS:
        return Numeral(whole_number(raw), end, "integer")
    value = _value(match)
    if value is None:
        return None
    return Numeral(value, end, "integer" if value.denominator == 1 and not _has_point(match) else "decimal")


@lru_cache(maxsize=4096)
def whole_number(raw: str) -> Fraction:
    """The value of digits."""
    return Fraction(int(raw))


def _has_point(match: re.Match[str]) -> bool:
    return bool(match["comma"] or ("." in match[0] and not match["dotted"]) or (match["dotted"] and "," in match[0]))


def _value(match: re.Match[str]) -> Fraction | None:
    raw = match[0]
    if len(raw) > MAX_DIGITS:
        return None
    if match["comma"]:
        return Fraction(re.sub(r"[^0-9,]", "", raw).replace(",", "."))
    if match["dotted"]:
        return Fraction(raw.replace(".", "").replace(",", "."))
    if match["grouped"]:
        return Fraction(re.sub(r"[^0-9.]", "", raw))
    mantissa, _, exponent = raw.lower().partition("e")
    if exponent and abs(int(exponent)) > MAX_EXPONENT:
        return None
    return Fraction(raw if exponent else mantissa)


def _joined(text: str, start: int, end: int) -> Numeral | None:
    """A fraction, a mixed number or a number with a vulgar fraction that begins with the numeral at ``start``."""
    if end - start > 12:
        return None
    vulgar = _VULGAR_TAIL.match(text, end)
    if vulgar is not None and text[start:end].isdecimal():
        return Numeral(int(text[start:end]) + VULGAR[vulgar[1]], vulgar.end(), "mixed")
    fraction = _FRACTION.match(text, start)
    if fraction is not None:
        return _fraction(fraction)
    mixed = _MIXED.match(text, start)
    if mixed is not None and _is_mixed(text, mixed):
        return Numeral(int(mixed[1]) + Fraction(int(mixed[3]), int(mixed[4])), mixed.end(), "mixed")
    return None


def _fraction(match: re.Match[str]) -> Numeral | None:
    numerator, denominator = int(match[1]), int(match[4])
    spaced = bool(match[2] or match[3])
    # "12 / 4 = 3" is a division step, "1 / 2" a fraction that a tokeniser took apart.
    if denominator == 0 or (spaced and numerator >= denominator):
        return None
    return Numeral(Fraction(numerator, denominator), match.end(), "fraction")


def _is_mixed(text: str, match: re.Match[str]) -> bool:
    if not 0 < int(match[3]) < int(match[4]):
        return False
    if "and" in match[2].lower():
        return not names_two(text, match.start(), match.end())
    if "-" in match[2]:
        return match[2] == "-" and _MEASURE_FOLLOWS.match(text, match.end()) is not None
    return True


def names_two(text: str, start: int, end: int) -> bool:
    """Whether "A and B" from ``start`` to ``end`` names two numbers: "the sum of 13 and one-eighth" is not 13 1/8.

    >>> names_two("add 5 and 1/4 feet", 4, 13), names_two("3 and 1/2 of them", 0, 9), names_two("3 and 1/2", 0, 9)
    (True, True, False)
    """
    before = text[max(0, start - 20) : start]
    return _OF_OTHERS.match(text, end) is not None or _TWO_NUMBERS.search(before) is not None


# Addresses, timestamps and dates hold digits but no quantity.
_ADDRESS: Final = r"(?:https?://|www\.)[^\s<>\"]++"
_DATE: Final = r"""
    [0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9:.+Z-]{5,30})?
  | (?<![0-9/])[0-9]{1,2}/[0-9]{1,2}/(?:[0-9]{4}|[0-9]{2})(?![0-9/])
"""
_NUMBER: Final = re.compile(NUMERAL, re.X)
_SCAN: Final = re.compile(
    rf"{_ADDRESS}|(?P<word>[A-Za-z]++)|(?=[0-9.])(?:{_DATE}|(?P<number>{NUMERAL}))|(?P<vulgar>[{''.join(VULGAR)}])",
    re.X,
)
_WORD_BEFORE: Final = re.compile(r"[A-Za-z]{2}\Z|[.]\Z")
_APART: Final = frozenset(" \n(=+-*/$,:")
"""What most numerals stand behind, apart from other characters."""
_WITHIN: Final = frozenset("=+-*/$,")
"""Behind these a numeral begins no list item and no heading."""
_CLOSING: Final = frozenset(["", *"\n)]}=+<>?!;:%"])
_GOING_ON: Final = frozenset([" " + sign for sign in "=+BCDEFGHIJKLMNOPQRSTUVWYZbcdefghijklmnopqrstuvwyz"])
"""What stands behind an integer that nothing behind it can change."""
_LIST_START: Final = re.compile(r"(?:\A|\n)[ \t]*\(?\Z")
_LIST_END: Final = re.compile(r"\)[ \t]+(?=[^\W\d_]|[0-9$])|\.\)?[ \t]+(?=\S)")
_LIST_ENDS: Final = frozenset(").")
# The last letters of the words of _HEADING: nearly every numeral is decided by this look alone.
_HEADING_ENDS: Final = frozenset("peqngrmo")
_HEADING: Final = re.compile(
    r"(?:\b(?:step|exercise|equation|eqn?|figure|fig|chapter)|(?:\A|\n)[ \t]*(?:problem|question|example|no))"
    r"\.?[ ]?[#(\[]?\Z",
    re.I,
)


def scan(text: str) -> list[NumberToken]:
    """The numerals and lexicon words of ``text`` in order, without names (x1), dates and list marks."""
    tokens: list[NumberToken] = []
    consumed = 0
    for match in _SCAN.finditer(text):
        raw = match[0]
        if raw.isalpha():
            word = raw.lower()
            if word in LEXICAL and match.start() >= consumed:
                tokens.append(NumberToken(match.start(), match.end(), word, None, "word"))
        elif match.lastgroup is not None and match.start() >= consumed:
            token = _numeral(text, match, raw)
            if token is not None:
                consumed = token.end
                tokens += [token] if token.kind else []
    return tokens


def _numeral(text: str, match: re.Match[str], raw: str) -> NumberToken | None:
    """The token of a numeral, without a kind where its digits say no number; None for what is no numeral."""
    start, end = match.span()
    if raw in VULGAR:
        return NumberToken(start, end, "", VULGAR[raw], "fraction")
    if start and (text[start - 1] not in _APART or raw[0] == ".") and not _stands_alone(text, start, raw):
        return None
    if raw[0] == "." and start and _WORD_BEFORE.search(text, max(0, start - 2), start):
        # "sold.5 books": the dot ends a sentence.
        shifted = _NUMBER.match(text, start + 1)
        return _numeral_at(text, shifted) if shifted else None
    if end - start <= 2 and not (start and text[start - 1] in _WITHIN) and _is_list_mark(text, start, end):
        return None
    ahead = text[end : end + 2]
    if (ahead[:1] in _CLOSING or ahead in _GOING_ON) and raw.isdecimal() and len(raw) <= MAX_DIGITS:
        return NumberToken(start, end, "", whole_number(raw), "integer")
    run = run_of_digits(text, start) if _may_run_on(text, end) else None
    if run is not None:
        kind = "" if run.value is None else "integer" if run.value.denominator == 1 else "decimal"
        return NumberToken(start, run.end, "", run.value, kind)
    return _numeral_at(text, match)


def _may_run_on(text: str, end: int) -> bool:
    """Whether more digits stand behind a numeral, or behind a separator, from the next two characters."""
    following = text[end : end + 2]
    return following[:1].isdecimal() or (following[1:].isdecimal() and following[0] in SEPARATORS)


def _numeral_at(text: str, match: re.Match[str]) -> NumberToken | None:
    numeral = read_numeral(text, match)
    if numeral is None:
        return None
    power = power_of_ten(text, match.start(), numeral.end, numeral.value)
    if power is not None:
        return NumberToken(match.start(), power.end, "", power.value, "" if power.value is None else "decimal")
    return NumberToken(match.start(), numeral.end, "", numeral.value, numeral.kind)


def _stands_alone(text: str, start: int, raw: str) -> bool:
    previous = text[start - 1]
    if previous.isdecimal() and not previous.isascii():
        return False
    if previous == "_" or previous.isalpha():
        return raw[0] == "." or currency_before(text, start) is not None
    if previous == ".":
        # "3.4.5" is no number from its second dot on.
        return not (start >= 2 and text[start - 2].isdigit() and raw[0] != ".")
    return not (raw[0] == "." and previous.isdigit())


def _is_list_mark(text: str, start: int, end: int) -> bool:
    """Whether the numeral numbers a list item or a heading: "1) ...", "Step 3"."""
    before = text[max(0, start - 24) : start]
    if before.rstrip(" #([.")[-1:].lower() in _HEADING_ENDS and _HEADING.search(before):
        return True
    mark = _LIST_END.match(text, end) if text[end : end + 1] in _LIST_ENDS else None
    if mark is None:
        return False
    return _at_line_start(text, start)


def _at_line_start(text: str, start: int) -> bool:
    line = text[max(0, text.rfind("\n", max(0, start - 24), start)) : start]
    return len(line) < 24 and _LIST_START.search(line) is not None
