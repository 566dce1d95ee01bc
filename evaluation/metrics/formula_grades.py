"""Two formulas of an answer and its gold: equal, a rounding, an angle in another measure, or different."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from evaluation.metrics.formula_equality import equal_formulas, renamed
from evaluation.metrics.grade_marks import Grade, Mark
from extractors.expressions.tree import Binary, Call, Name, Node, Num, Unary, names_of, substitute, walk
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.ball_values import real_value
from extractors.real_numbers.values import format_value
from extractors.solve.tree_evaluation import ratio_of

ENOUGH_DIGITS: Final = 5
_SAID_DIGITS: Final = 4
"""Significant digits from which a decimal is the rounded value: where it does not say so, and where it does."""
_SHIFTS: Final = (0, 1, -1, 2, -2)
_DECIMAL: Final = re.compile(r"([0-9]{0,60})\.([0-9]{1,60})(?![0-9])")


class FormulaTerms(NamedTuple):
    """What both texts say of their formulas, and what the grade asks for."""

    tolerance: Fraction
    texts: tuple[str, str]
    roughly: bool
    integers: tuple[frozenset[str], frozenset[str]]
    constants: frozenset[str]
    bases: tuple[str, ...]
    exact: bool = False


def grade_formulas(found: Node, wanted: Node, asked: FormulaTerms) -> Grade:
    """The grade of one formula against another."""
    names, golds = set(names_of(found)), set(names_of(wanted))
    if not names and not golds:
        return _constants(found, wanted, asked, f"{_shown(found)}, gold {_shown(wanted)}")
    if any(map(bool, asked.integers)):
        return _families(found, wanted, asked)
    if asked.constants and names != golds:
        ours, theirs = (sorted(some & asked.constants) for some in (names - golds, golds - names))
        if len(ours) == len(theirs) > 0:
            wanted, golds = renamed(wanted, dict(zip(theirs, ours, strict=True))), golds - {*theirs} | {*ours}
    equal = equal_formulas(found, wanted)
    if equal:
        return Grade(Mark.RIGHT, "the same expression")
    if equal is None or names != golds or asked.constants:
        return Grade(Mark.UNDECIDED, "the expressions could not be proven equal, nor different")
    return Grade(Mark.WRONG, "another expression")


def _families(found: Node, wanted: Node, asked: FormulaTerms) -> Grade:
    """Values that a whole number names, k pi beside n pi, counted from another one."""
    ours = sorted(set(names_of(found)) & (asked.integers[0] or asked.integers[1]))
    theirs = sorted(set(names_of(wanted)) & (asked.integers[1] or asked.integers[0]))
    doubt = Grade(Mark.UNDECIDED, "whether the families are the same could not be told")
    if len(ours) != 1 or len(theirs) != 1 or not all(asked.integers):
        return Grade(Mark.RIGHT, "the same family") if equal_formulas(found, wanted) else doubt
    for shifted in _shifted(ours[0]):
        if equal_formulas(found, substitute(wanted, {theirs[0]: shifted})):
            return Grade(Mark.RIGHT, "the same family")
    return doubt


def _shifted(name: str) -> Iterator[Node]:
    for shift in _SHIFTS:
        yield Binary("+", Name(name), Num(Fraction(shift)))
        yield Binary("-", Num(Fraction(shift)), Name(name))


def _constants(found: Node, wanted: Node, asked: FormulaTerms, shown: str) -> Grade:
    if asked.tolerance:
        return _within(found, wanted, asked.tolerance, shown)
    angles = [isinstance(node, Call) and node.name == "degrees" for node in (found, wanted)]
    equal = equal_formulas(found, wanted)
    if equal:
        return Grade(Mark.RIGHT, shown)
    if angles[0] != angles[1] and equal_formulas(_unmeasured(found), _unmeasured(wanted)):
        return Grade(Mark.RIGHT, f"{shown}, one of them without its degrees")
    if equal is None:
        return Grade(Mark.UNDECIDED, "the values could not be proven equal, nor different")
    if any(_base_left_out(node, asked) for node in (found, wanted)):
        return Grade(Mark.UNDECIDED, "the same digits, one of them without a base")
    return _rounded(found, wanted, asked, shown) or _other_angle(found, wanted) or Grade(Mark.WRONG, shown)


def _base_left_out(node: Node, asked: FormulaTerms) -> bool:
    return isinstance(node, Num) and str(node.value) in asked.bases


def _unmeasured(node: Node) -> Node:
    return node.args[0] if isinstance(node, Call) and node.name == "degrees" else node


def _within(found: Node, wanted: Node, tolerance: Fraction, shown: str) -> Grade:
    one, other = _size(found), _size(wanted)
    if one is None or other is None:
        return Grade(Mark.UNDECIDED, "a value that is no real number")
    return Grade(Mark.RIGHT if abs(one - other) <= tolerance * abs(other) else Mark.WRONG, shown)


def _rounded(found: Node, wanted: Node, asked: FormulaTerms, shown: str) -> Grade | None:
    """A decimal that is the other value rounded, or cut off: right where it has digits enough."""
    for which, (decimal, exact) in enumerate(((found, wanted), (wanted, found))):
        digits = _digits(decimal, asked.texts[which])
        target = _size(exact) if digits is not None else None
        if digits is None or target is None:
            continue
        places, significant = digits
        value = _value(decimal)
        off = abs(value - target) * 10**places
        written = _digits(exact, asked.texts[1 - which])
        if off >= 1 or (2 * off > 1 and abs(value) > abs(target)) or (written is not None and written[0] <= places):
            continue
        if asked.exact:
            return Grade(Mark.WRONG, f"{shown}: a rounding")
        endless = ratio_of(exact, {}) is None or (target * 10**12).denominator != 1
        if endless and significant >= (_SAID_DIGITS if asked.roughly else ENOUGH_DIGITS):
            return Grade(Mark.RIGHT, f"{shown}, rounded to {significant} digits")
        side = ("answer", "gold")[which]
        return Grade(Mark.UNDECIDED, f"the {side} may be {_shown(exact)} rounded; state a tolerance")
    return None


def _value(node: Node) -> Fraction:
    ratio = ratio_of(node, {}) or (0, 1)
    return -_value(node.operand) if isinstance(node, Unary) else Fraction(*ratio)


def _digits(node: Node, text: str) -> tuple[int, int] | None:
    """Decimals and significant digits of a formula that is one decimal number."""
    bare = node.operand if isinstance(node, Unary) else _unmeasured(node)
    if not isinstance(bare, Num):
        return None
    for match in _DECIMAL.finditer(text):
        if Fraction(match[0]) == abs(bare.value):
            return len(match[2]), len((match[1] + match[2]).lstrip("0"))
    return None


def _size(node: Node) -> Fraction | None:
    try:
        ratio = None if isinstance(node, Unary) else ratio_of(node, {})
        return real_value(node) if ratio is None else Fraction(*ratio)
    except ExtractionError:
        return None


def _other_angle(found: Node, wanted: Node) -> Grade | None:
    """An angle that may be in degrees beside one in radians: no proof that they differ."""
    turn = Call("degrees", (Num(Fraction(1)),))
    for one, other in ((found, wanted), (wanted, found)):
        if any(
            isinstance(node, Call) and (node.name[:3] == "arc" or node.name in ("pi", "degrees"))
            for node in walk(other)
        ):
            degrees, radians = _size(one), _size(Binary("/", other, turn))
            if degrees is not None and radians is not None and abs(degrees - radians) <= abs(radians) / 1000:
                return Grade(Mark.UNDECIDED, "an angle in degrees or in radians")
    return None


def _shown(node: Node) -> str:
    ratio = ratio_of(node, {}) if not names_of(node) else None
    if ratio is None and isinstance(node, Unary) and isinstance(node.operand, Num):
        ratio = (-node.operand.value).as_integer_ratio()
    if ratio is not None:
        return format_value(Fraction(*ratio))
    size = None if names_of(node) else _size(node)
    return "an expression" if size is None else f"{float(size):.15g}" if abs(size) < 10**300 else "a long number"
