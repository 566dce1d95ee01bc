"""Arithmetic without unknowns: its value, and whether two sides agree but for rounding or a change of units."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeVar

from extractors.expressions.tokens import NameScope
from extractors.expressions.tree import Node, Num
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import approximate
from extractors.solve.tree_evaluation import UnknownValueError, evaluate_tree

_ROUNDING = Fraction(6, 1000)
_HUGE = 1e300
_REACH = 1.01
"""Beyond the tolerance of the smaller of two values lies that of the larger, by its square."""
_UNIT_FACTORS = (Fraction(1, 100), Fraction(100), Fraction(60), Fraction(1, 60))
_NO_NAMES = NameScope((), frozenset(), {}, {}, False, {})


def constant_value(node: Node) -> Fraction | None:
    """The value of a tree without unknowns, near enough to compare; None where it has none."""
    if type(node) is Num:
        return node.value
    try:
        return approximate(evaluate_tree(node, {}))
    except (ExtractionError, UnknownValueError, ArithmeticError):
        return None


def is_near(a: Fraction, b: Fraction, tolerance: Fraction = _ROUNDING) -> bool:
    """Whether two values agree but for rounding, relative to the larger."""
    return are_near_ratios(a.as_integer_ratio(), b.as_integer_ratio(), tolerance)


def are_near_ratios(a: tuple[int, int], b: tuple[int, int], tolerance: Fraction = _ROUNDING) -> bool:
    """The same of numerators and denominators, not all 0, in lowest terms or not."""
    left, right = a[0] * b[1], b[0] * a[1]
    gap = abs(left - right)
    return not gap or gap * tolerance.denominator <= tolerance.numerator * max(abs(left), abs(right))


def as_float(value: Fraction) -> float:
    """A value for quick comparisons; what is beyond 1e300 counts as that."""
    top, bottom = value.as_integer_ratio()
    try:
        return top / bottom
    except OverflowError:
        return _HUGE if value > 0 else -_HUGE


def are_near(a: float, b: float, tolerance: float) -> bool:
    """Whether two values agree but for rounding, relative to the larger."""
    if a == b:
        return True
    gap = abs(a - b)
    return gap <= tolerance * abs(a) or gap <= tolerance * abs(b)


T = TypeVar("T")


def have_matches(few: Iterable[T], many: Sequence[T], same: Callable[[T, T], bool]) -> bool:
    """Whether each of ``few`` is the same as one of ``many``, each as another one; the first that is counts.

    >>> have_matches([1, 1], [1, 2], int.__eq__), have_matches([2, 1], [1, 2, 3], int.__eq__)
    (False, True)
    """
    left = list(many)
    for one in few:
        match = next((place for place, other in enumerate(left) if same(one, other)), None)
        if match is None:
            return False
        del left[match]
    return True


def near_ones(value: float, ordered: Sequence[float], tolerance: float) -> list[float]:
    """Those of some ascending numbers that agree with a value but for rounding."""
    reach = abs(value) * tolerance * _REACH
    first = bisect_left(ordered, value - reach)
    last = bisect_right(ordered, value + reach, first)
    return [other for other in ordered[first:last] if are_near(value, other, tolerance)]


def unit_change(value: Fraction, changed: Fraction) -> Fraction | None:
    """100 or 60 or their inverses, where that is what two values differ by."""
    return next((factor for factor in _UNIT_FACTORS if is_near(value * factor, changed)), None)


def is_arithmetic(pieces: Sequence[str]) -> bool:
    """Whether the pieces of an expression hold no names.

    >>> is_arithmetic(("2", "*", "(", "3.5", ")")), is_arithmetic(("2", "x"))
    (True, False)
    """
    return not any(map(str.isalpha, [piece[0] for piece in pieces]))
