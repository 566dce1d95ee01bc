"""Whether the sums an answerer wrote down are right: "156 + 11 = 167" is, "8 * 7 = 54" is not."""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

_NUMBER: Final = r"[$]?[0-9]{1,3}(?:,[0-9]{3})++(?:\.[0-9]{1,12})?|[$]?(?:[0-9]{1,15}(?:\.[0-9]{1,15})?|\.[0-9]{1,15})"
_STEP: Final = re.compile(rf"[ ]?([-+*/xX×÷])[ ]?((?:{_NUMBER})%?)")
_SUM: Final = re.compile(
    rf"(?<![\w.)*/^+-])(?P<first>(?:{_NUMBER})%?)(?P<rest>(?:[ ]?[-+*/xX×÷][ ]?(?:{_NUMBER})%?){{1,12}}+)"
    rf"[ ]?(?:=|≈|~)[ ]?(?P<result>-?(?:{_NUMBER}))(?![\w(^]|[ ]?[*/+^(])"
)


@dataclass(frozen=True, slots=True)
class Sum:
    """One written sum; the span covers it whole, ``result`` is what the writer says it comes to."""

    start: int
    end: int
    computed: Fraction | None
    result: Fraction

    @property
    def right(self) -> bool:
        """Whether the result is what the sum comes to, rounding allowed."""
        if self.computed is None:
            return False
        (top, bottom), (said, share) = self.computed.as_integer_ratio(), self.result.as_integer_ratio()
        # Over the common denominator of both: off by at most a hundredth of what it comes to, or of 1/2.
        return 200 * abs(top * share - said * bottom) <= max(2 * abs(top) * share, bottom * share)


def written_sums(text: str) -> tuple[Sum, ...]:
    """The sums of plain numbers with a result that ``text`` (plain maths) holds, in order.

    >>> [(str(found.computed), found.right) for found in written_sums("so 3 + 4*2 = 11 and 8 x 7 = 54")]
    [('11', True), ('56', False)]
    """
    sums = []
    for match in _SUM.finditer(text):
        steps = [(step[1], _value(step[2])) for step in _STEP.finditer(match["rest"])]
        sums.append(Sum(match.start(), match.end(), _evaluated(_value(match["first"]), steps), _value(match["result"])))
    return tuple(sums)


def _value(raw: str) -> Fraction:
    digits = raw.replace("$", "").replace(",", "")
    if digits.isdecimal():
        return Fraction(int(digits))
    return Fraction(digits[:-1]) / 100 if digits.endswith("%") else Fraction(digits)


def _evaluated(first: Fraction, steps: list[tuple[str, Fraction]]) -> Fraction | None:
    """Products before sums, from left to right; None for a division by zero."""
    total, product = Fraction(0), first
    for sign, value in steps:
        if sign in "+-":
            total, product = total + product, value if sign == "+" else -value
        elif sign in "/÷":
            if not value:
                return None
            product /= value
        else:
            product *= value
    return total + product
