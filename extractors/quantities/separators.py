"""Digits with signs between them: one number, several, or a run of which nobody can tell.

"3 250 000" and "₹12,34,567" are one number, "5,10,15" are three. "12 345" may be one or two, "12,345,67" follows no
custom: such a run is passed over as a whole, for its parts would be other numbers than the writer's.

Letters that multiply the number they touch: "$50k", "2.5M people", "3 bn"; and where nobody can tell.

A letter may be an unknown ("5k + 3 = 13"), a unit ("300K") or a name ("a 10K run") as well as a scale.
"""

import re
from fractions import Fraction
from itertools import pairwise
from typing import Final, NamedTuple

from extractors.quantities.units import currency_before

MAX_EXPONENT: Final = 60
THIN: Final = "\u00a0\u2007\u2008\u2009\u200a\u202f"
"""Blanks that stand within a number: nobody separates two numbers by one."""
_UNSEEN: Final = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_ODD: Final = f"_`´‘٬，{_UNSEEN}"
SEPARATORS: Final = frozenset(f", '’{THIN}{_ODD}")
_MAX_GROUPS: Final = 6
_SMALL_STEP: Final = 10
_COMMAS: Final = re.compile(r"[0-9]++(?>(?:,[0-9]++)+)(?>(?:\.[0-9]++)?)")
_INDIAN: Final = re.compile(r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]+)?")
_JOINED: Final = re.compile(r"(?<![0-9])[1-9][0-9]{0,2},[0-9]{3}(?![0-9])")
_SPACED: Final = re.compile(rf"[1-9][0-9]{{0,2}}(?>(?:[ ][0-9]{{3}}(?![0-9])){{1,{_MAX_GROUPS}}})(?>(?:[.,][0-9]++)?)")
_NEIGHBOUR: Final = re.compile(r"[ ,]?[0-9]|[ ]?[/⁄]|(?<=,[0-9])[ ]?[%€]|(?<=,[0-9]{2})[ ]?[%€]")
_MIXED: Final = re.compile(
    rf"[0-9]++(?>(?:[,'’ {THIN}{_ODD}][0-9]{{3}}(?![0-9])){{1,{_MAX_GROUPS}}})(?>(?:[.,][0-9]++)?)"
)
_FOREIGN: Final = re.compile(r"[0-9]++(?=\d)[\d.,]*")
_POWER: Final = re.compile(
    r"[ ]?(?:[xX×*·⋅∙]|\\times|\\cdot)[ ]?10"
    r"(?:[ ]?(?:\^|\*\*)[ ]?(?:\((?P<round>[-−–+]?[0-9]{1,3})\)|\{(?P<curly>[-−–+]?[0-9]{1,3})\}"
    r"|(?P<bare>[-−–+]?[0-9]{1,3}))|(?P<raised>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})"
    r"|(?P<lost>[ ][0-9]{1,2}))(?![0-9.^]*[0-9^])"
)
POWER_SIGNS: Final = frozenset("xX×*·⋅∙\\")
"""Signs of a product that may lead to a power of ten."""
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−–", "0123456789+---")


class DigitRun(NamedTuple):
    """Digits up to ``end``: one number, or None where they may be one or several."""

    value: Fraction | None
    end: int


def run_of_digits(text: str, start: int) -> DigitRun | None:
    """The run of digits and separators at ``start``; None where it is read piece by piece.

    >>> [run_of_digits(text, 0) for text in ("3 250 000", "12 345", "5,10,15")]
    [DigitRun(value=Fraction(3250000, 1), end=9), DigitRun(value=None, end=6), None]
    """
    return _with_commas(text, start) or _with_blanks(text, start) or _with_signs(text, start)


def _with_commas(text: str, start: int) -> DigitRun | None:
    within = start > 1 and text[start - 1] == "," and text[start - 2].isdigit()
    match = None if within else _COMMAS.match(text, start)
    if match is None or _NEIGHBOUR.match(text, match.end()):
        return None
    groups = match[0].partition(".")[0].split(",")
    if _INDIAN.fullmatch(match[0]):
        sure = start > 0 and currency_before(text, start) is not None
        return DigitRun(Fraction(match[0].replace(",", "")) if sure else None, match.end())
    mixed = any(len(group) != 3 for group in groups[1:]) and _JOINED.search(match[0]) is not None
    return DigitRun(None, match.end()) if mixed else None


def _with_blanks(text: str, start: int) -> DigitRun | None:
    match = _SPACED.match(text, start)
    if match is None or _NEIGHBOUR.match(text, match.end()):
        return None
    listed = (start > 1 and text[start - 1] == " " and text[start - 2].isdigit()) or _counts_on(match[0])
    sure = " 000" in match[0] or (start > 0 and currency_before(text, start) is not None)
    if sure and "," not in match[0]:
        return DigitRun(Fraction(match[0].replace(" ", "")), match.end())
    return None if listed else DigitRun(None, match.end())


def _counts_on(run: str) -> bool:
    """Whether groups go up or down by one small step: "206 207 208" are three numbers."""
    groups = run.split() if run.replace(" ", "").isdecimal() else []
    steps = {int(after) - int(before) for before, after in pairwise(groups)} if len(groups) > 2 else set()
    return len(steps) == 1 and abs(steps.pop()) <= _SMALL_STEP


def _with_signs(text: str, start: int) -> DigitRun | None:
    """Digits of two scripts, two kinds of separators in one run, or one that no custom knows."""
    foreign = _FOREIGN.match(text, start)
    if foreign is not None:
        return DigitRun(None, foreign.end())
    match = _MIXED.match(text, start)
    signs = frozenset(match[0]) & SEPARATORS if match is not None else frozenset()
    if match is None or _NEIGHBOUR.match(text, match.end()):
        return None
    return DigitRun(None, match.end()) if len(signs) > 1 or signs & frozenset(_ODD) else None


def power_of_ten(text: str, start: int, end: int, mantissa: Fraction) -> DigitRun | None:
    """The number in scientific notation whose first factor is ``text[start:end]``; None where there is none.

    >>> power_of_ten("9.3 x 10^7", 0, 3, Fraction("9.3")), power_of_ten("6.02 x 10 23", 0, 4, Fraction("6.02"))
    (DigitRun(value=Fraction(93000000, 1), end=10), DigitRun(value=None, end=12))
    """
    if text[end : end + 2].lstrip()[:1] not in POWER_SIGNS:
        return None
    if text[max(0, start - 4) : start].rstrip()[-1:] in {"^", "/", "÷"}:
        return None
    match = _POWER.match(text, end)
    if match is None:
        return None
    written = match["round"] or match["curly"] or match["bare"] or match["raised"]
    exponent = int(written.translate(_RAISED)) if written else MAX_EXPONENT + 1
    value = mantissa * Fraction(10) ** exponent if abs(exponent) <= MAX_EXPONENT else None
    return DigitRun(value, match.end())


_NO_OPERATOR: Final = r"(?![\w^{_(]|[ ]?[*=<>$]|[ ]?[-+/][ ]?(?:[0-9(]|[a-z]\b))"
# "$50k" is 50,000 dollars; in "$50k + 3$" the letter is an unknown.
_PRICED: Final = re.compile(rf"([kK]|M|(?<=\.[0-9])m|mn|B|[ ]?bn){_NO_OPERATOR}(?![^$\n]{{0,60}}\$(?!\d))")
# "A. 15B. 16C. 9" are three options.
_COUNTED_LETTER: Final = re.compile(rf"([kK]|[MB](?![.):][ ]?[-$(]?[0-9])|[ ]?bn){_NO_OPERATOR}")
_SCALES: Final = {"k": 10**3, "m": 10**6, "mn": 10**6, "b": 10**9, "bn": 10**9}
_PLURAL: Final = re.compile(
    r"[ ](?!(?:is|as|was|has|this|its|plus|minus|times|equals|thus|yes|gives|makes|runs|races|walks|marathons|ohms)\b)"
    r"(?:[a-z]{2,14}[ ])?(?:[a-z]{2,14}s|people|feet|men|women|children)\b"
)
_OPERATED: Final = re.compile(r"[-+*/=(<>^][ ]?[0-9.]{1,12}\Z")
_LETTERS: Final = frozenset("kKmMbB")
_AROUND: Final = 120


class Scaled(NamedTuple):
    """What letters behind a number multiply it by, up to ``end``; 0 where they may mean something else."""

    factor: int
    end: int


def scale_letters(text: str, end: int, *, priced: bool) -> Scaled | None:
    """The scale that touches a number which ends at ``end``; None where there is none.

    ``priced`` numbers have a currency before them, which leaves little else for a letter to be.

    >>> scale_letters("10k miles", 2, priced=False), scale_letters("a 5K run", 3, priced=False)
    (Scaled(factor=1000, end=3), Scaled(factor=0, end=4))
    >>> scale_letters("5k + 3 = 13", 1, priced=False)
    """
    if text[end : end + 2].lstrip()[:1] not in _LETTERS:
        return None
    match = (_PRICED if priced else _COUNTED_LETTER).match(text, end)
    if match is None:
        return None
    scale = match[1].strip().lower()
    if priced or scale == "bn" or _PLURAL.match(text, match.end()):
        return Scaled(_SCALES[scale], match.end())
    return None if _is_unknown(text, match) else Scaled(0, match.end())


def _is_unknown(text: str, match: re.Match[str]) -> bool:
    """Whether the letter stands in an expression, or by itself, near by."""
    start, letter = match.start(), re.escape(match[1])
    if _OPERATED.search(text, max(0, start - 14), start):
        return True
    alone = re.compile(rf"(?<![A-Za-z0-9]){letter}(?![\w'’])|[0-9][ ]?{letter}[ ]?[-+*/=^]")
    near = text[max(0, start - _AROUND) : start] + "\n" + text[match.end() : match.end() + _AROUND]
    return alone.search(near) is not None
