"""Two formulas of an answer and its gold: equal, a rounding, an angle in another measure, or different.

Constants are equal where exact fractions are, or balls of hundreds of bits. Functions are equal where they agree to
those bits at every place that both are defined at, among them places of either sign: places are fractions of large
numbers that nothing in an answer depends on, where an identity of short formulas holds by chance with a probability
below 2**-40 for each (Schwartz 1980, Zippel 1979). They differ where a ball at a place proves it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import Final, NamedTuple

from evaluation.metrics.grade_marks import Grade, Mark
from extractors.expressions.tree import Binary, Call, Name, Node, Num, Unary, names_of, substitute, transform, walk
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.ball_values import compared_at, real_value
from extractors.real_numbers.values import format_value
from extractors.solve.tree_evaluation import ratio_of

MAX_NAMES: Final = 12
_MODULUS: Final = 10**12 + 39
_RANGES: Final = ((1, 3), (0, 1), (2, 6), (-1, 2), (-3, 6), (-2, 2))
_POSITIVE: Final = 3
"""So many of the ranges give positive values only."""
_WHOLE: Final = frozenset("nmkpqrNMKjt")
"""Names that stand for whole numbers where a factorial or a sign of a power says so."""
_WHOLE_PLACES: Final = 8


def equal_formulas(left: Node, right: Node) -> bool | None:
    """Whether two formulas are equal wherever both have a value; None where that cannot be told.

    >>> from extractors.expressions.grammar import parse_expression as parsed
    >>> equal_formulas(parsed("(x+1)^2"), parsed("x^2+2x+1")), equal_formulas(parsed("2x"), parsed("3x"))
    (True, False)
    >>> equal_formulas(parsed("sqrt(x^2)"), parsed("x")), equal_formulas(parsed("2x"), parsed("2y"))
    (None, False)
    """
    if left == right:
        return True
    if any(
        isinstance(node, Call) and node.name == "log" and len(node.args) == 1 for node in (*walk(left), *walk(right))
    ):
        verdicts = [_equal(left, right), _equal(_natural(left), _natural(right))]
        return True if True in verdicts else None if None in verdicts else False
    return _equal(left, right)


def _natural(node: Node) -> Node:
    """The formula with a logarithm of no base as the natural one."""

    def leaf(part: Node) -> Node | None:
        bare = isinstance(part, Call) and part.name == "log" and len(part.args) == 1
        return Call("ln", (_natural(part.args[0]),)) if bare and isinstance(part, Call) else None

    return transform(node, leaf)


def _equal(left: Node, right: Node) -> bool | None:
    names = sorted({*names_of(left), *names_of(right)})
    if not names:
        return _equal_constants(left, right)
    if len(names) > MAX_NAMES:
        return None
    verdicts = [_at(left, right, place) for place in _places(names)]
    known = [verdict for verdict in verdicts if verdict is not None]
    if len(known) >= _POSITIVE and all(known) and any(verdicts[_POSITIVE:]):
        return True
    if _is_whole(left, right, names) and (agreed := _agree_whole(left, right, names)) is not False:
        return agreed
    return False if known and not any(known) else None


def _equal_constants(left: Node, right: Node) -> bool | None:
    one, other = ratio_of(left, {}), ratio_of(right, {})
    if one is not None and other is not None:
        return one[0] * other[1] == other[0] * one[1]
    return _at(left, right, {})


def _at(left: Node, right: Node, values: Mapping[str, Fraction]) -> bool | None:
    if values:
        one, other = ratio_of(left, values), ratio_of(right, values)
        if one is not None and other is not None:
            return one[0] * other[1] == other[0] * one[1]
    try:
        return compared_at(left, right, values)
    except (ExtractionError, ZeroDivisionError, ValueError, OverflowError):
        return None


def _is_whole(left: Node, right: Node, names: Sequence[str]) -> bool:
    """Whether the formulas speak of whole numbers: names that mostly do, and a function that asks for them."""
    return _WHOLE.issuperset(names) and any(map(_asks_whole, (*walk(left), *walk(right))))


def _asks_whole(node: Node) -> bool:
    if isinstance(node, Call):
        return node.name in ("factorial", "comb", "floor", "ceiling", "cos", "sin")
    return isinstance(node, Binary) and node.op == "^" and isinstance(node.left, Unary)


def _agree_whole(left: Node, right: Node, names: Sequence[str]) -> bool | None:
    """Whether two formulas agree at whole numbers; False only where they never do."""
    verdicts = [_at(left, right, place) for place in _whole_places(names)]
    return True if all(verdicts) else None if None in verdicts or any(verdicts) else False


def _whole_places(names: Sequence[str]) -> Iterator[Mapping[str, Fraction]]:
    for trial in range(_WHOLE_PLACES):
        yield {name: Fraction(3 + trial + 5 * (len(names) - place - 1)) for place, name in enumerate(names)}


def _places(names: Sequence[str]) -> Iterator[Mapping[str, Fraction]]:
    for trial in range(len(_RANGES)):
        yield {name: _coordinate(trial, place) for place, name in enumerate(names)}


@lru_cache(maxsize=256)
def _coordinate(trial: int, place: int) -> Fraction:
    low, width = _RANGES[trial][0], _RANGES[trial][1]
    drawn = int.from_bytes(sha256(f"{trial}.{place}".encode()).digest()[:8], "big") % _MODULUS
    return low + width * Fraction(drawn, _MODULUS)


def constant_ratio(left: Node, right: Node) -> int | None:
    """The sign of the constant that two formulas differ by as a factor; None where there is none.

    >>> from extractors.expressions.grammar import parse_expression as parsed
    >>> constant_ratio(parsed("2x-2y"), parsed("y-x")), constant_ratio(parsed("x"), parsed("x+1"))
    (-1, None)
    """
    names = sorted({*names_of(left), *names_of(right)})
    if not names or len(names) > MAX_NAMES:
        return None
    first: dict[str, Node] = {name: Num(value) for name, value in next(_places(names)).items()}
    one, other = substitute(left, first), substitute(right, first)
    if _equal_constants(one, Num(Fraction(0))) is not False or _equal_constants(other, Num(Fraction(0))) is not False:
        return None
    if equal_formulas(Binary("*", left, other), Binary("*", right, one)) is not True:
        return None
    size = Call("abs", (Binary("/", one, other),))
    return 1 if _equal_constants(size, Binary("/", one, other)) else -1


def renamed(node: Node, names: Mapping[str, str]) -> Node:
    """The formula with other names."""
    return substitute(node, {name: Name(new) for name, new in names.items()})


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
