"""Overdetermined systems whose equations agree only after rounding.

``(1+x)^15 = 2.651167`` beside ``1500*(1+x)^15 = 3976.75``: answerers and annotators write down a step with its rounded
result, and go on with another rounding of it. Such a system contradicts itself exactly, but not beyond the digits that
it prints. Nothing else is forgiven: a set-aside equation must print a decimal of at least four digits, and hold to the
last but one of them.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

from extractors.expressions.tree import Equation, Num, names_of, walk
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import Value, approximate
from extractors.solve.tree_evaluation import UnknownValueError, evaluate_tree

MIN_DIGITS = 4
MAX_EQUATIONS = 12
MAX_TRIES = 24

RoundedSolutions = list[dict[str, Value]]


def rounded_solutions(
    equations: Sequence[Equation], solve: Callable[[Sequence[Equation]], RoundedSolutions]
) -> RoundedSolutions:
    """Solutions of a contradictory system without one or two of its rounded equations, which then hold nearly.

    ``solve`` gives the complete assignments of a system. Empty where no such solution exists.
    """
    digits = [_digits(equation) for equation in equations]
    rounded = [index for index, count in enumerate(digits) if count >= MIN_DIGITS]
    if len(equations) > MAX_EQUATIONS or not rounded:
        return []
    names = names_of(*[side for equation in equations for side in (equation.left, equation.right)])
    tries = [*combinations(rounded, 1), *combinations(rounded, 2)][:MAX_TRIES]
    for left_out in tries:
        rest = [equation for index, equation in enumerate(equations) if index not in left_out]
        if len(rest) < len(names):
            break
        found = [
            values
            for values in solve(rest)
            if all(_nearly_holds(equations[index], values, digits[index]) for index in left_out)
        ]
        if found:
            return found
    return []


def maybe_rounded(equations: Sequence[Equation]) -> bool:
    """Whether an equation prints a decimal of enough digits to be a rounded one."""
    return len(equations) <= MAX_EQUATIONS and any(_digits(equation) >= MIN_DIGITS for equation in equations)


def _digits(equation: Equation) -> int:
    """The most significant digits of a decimal in an equation; 0 where it holds none."""
    numbers = [n.value for side in (equation.left, equation.right) for n in walk(side) if isinstance(n, Num)]
    return max((_significant(value) for value in numbers), default=0)


def _significant(value: Fraction) -> int:
    places, scaled = 0, abs(value)
    while scaled.denominator != 1 and places < 15:
        scaled, places = scaled * 10, places + 1
    return len(str(scaled.numerator)) if places and scaled.denominator == 1 else 0


def _nearly_holds(equation: Equation, values: dict[str, Value], digits: int) -> bool:
    """Whether both sides agree to all but the last of some significant digits."""
    try:
        left, right = (approximate(evaluate_tree(side, values)) for side in (equation.left, equation.right))
    except (UnknownValueError, ExtractionError):
        return False
    gap, size = abs(left - right), max(abs(left), abs(right))
    return gap <= size / Fraction(10) ** (min(digits, 15) - 1)
