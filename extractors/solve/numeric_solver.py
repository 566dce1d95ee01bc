"""Bounded numeric fallback: one unknown at a time, sign changes on a fixed grid, then bisection in floats.

Nothing here is random or timed. Roots are kept only where the function really passes through zero (poles are dropped).
"""

import math
import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction

from extractors.expressions.tokens import TRIGONOMETRIC
from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, Unary, names_of, walk
from extractors.extraction_errors import ExtractionError
from extractors.polynomials.rational_forms import in_radians
from extractors.real_numbers.values import Budget, Value
from extractors.solve.tree_evaluation import evaluate_tree

MAX_ROOTS = 24
_ERRORS = (ValueError, ZeroDivisionError, OverflowError)
_GRID = tuple(
    sorted(
        {sign * 10.0 ** (k / 8) for k in range(-40, 65) for sign in (1.0, -1.0)} | {i / 2.0 for i in range(-60, 400)}
    )
)
_ANGLES = tuple(i / 2.0 for i in range(-1, 722))

Function = Callable[[float], float]


def numeric_solutions(equations: Sequence[Equation], names: Sequence[str], budget: Budget) -> list[dict[str, Value]]:
    """Solutions of one equation in one unknown that is not polynomial, found by root search; perhaps not all."""
    if len(names) != 1 or len(equations) != 1:
        return []
    name, (equation,) = names[0], equations
    sides = (equation.left, equation.right)
    nodes = [node for side in sides for node in walk(side)]
    foreign = next((n.name for n in nodes if isinstance(n, Call) and n.name not in _PLAIN), None)
    if foreign is not None:
        raise ExtractionError(f"{foreign} of an unknown", code="unsupported")
    trigonometric = any(isinstance(n, Call) and n.name in TRIGONOMETRIC and name in names_of(n) for n in nodes)
    grid = _ANGLES if trigonometric else _GRID
    roots = _roots(lambda x: _value(equation.left, x) - _value(equation.right, x), grid, budget, len(nodes))
    return [{name: _recognised(equation, name, root)} for root in roots]


def _recognised(equation: Equation, name: str, root: float) -> Value:
    """The root as a short fraction where that satisfies the equation exactly, else as a decimal."""
    candidate = Fraction(root).limit_denominator(1000)
    if abs(candidate - Fraction(root)) < Fraction(1, 10**9):
        try:
            sides = [evaluate_tree(side, {name: candidate}) for side in (equation.left, equation.right)]
        except ExtractionError:
            sides = []
        if len(sides) == 2 and all(isinstance(side, Fraction) for side in sides) and sides[0] == sides[1]:
            return candidate
    return Decimal(repr(root))


def _roots(function: Function, grid: Sequence[float], budget: Budget, weight: int) -> list[float]:
    out: list[float] = []
    before: tuple[float, float] | None = None
    budget.spend(len(grid) * weight)
    for x in grid:
        try:
            y = function(x)
        except _ERRORS:
            y = math.nan
        if y == 0:
            out.append(x)
        elif before is not None and before[1] * y < 0 and math.isfinite(y):
            budget.spend(100 * weight)
            root = _bisected(function, before[0], x, before[1])
            if root is not None:
                out.append(root)
        before = (x, y) if y and math.isfinite(y) else None
        if len(out) >= MAX_ROOTS:
            break
    return list(dict.fromkeys(out))


def _at(function: Function, x: float) -> float | None:
    try:
        y = function(x)
    except _ERRORS:
        return None
    return y if math.isfinite(y) else None


def _bisected(function: Function, low: float, high: float, at_low: float) -> float | None:
    """The root between two points; None where the sign changes at a pole."""
    size = abs(at_low)
    y: float | None = at_low
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        y = _at(function, middle)
        if y is None:
            return None
        if y == 0:
            return middle
        if y * at_low < 0:
            high = middle
        else:
            low = middle
    return low if y is not None and abs(y) <= 1e-6 * (1 + size) else None


def _value(node: Node, x: float) -> float:
    """The value of a tree in floats where its unknown is ``x``."""
    if isinstance(node, Num):
        return _float(node.value)
    if isinstance(node, Name):
        return x
    if isinstance(node, Unary):
        return -0.0 - _value(node.operand, x)
    if isinstance(node, Binary):
        return _OPERATORS[node.op](_value(node.left, x), _value(node.right, x))
    args = [_value(arg, x) for arg in node.args]
    if node.name in TRIGONOMETRIC and not in_radians(node):
        args = [math.radians(args[0])]
    return float(_PLAIN[node.name](*args))


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _remainder(a: float, b: float) -> float:
    return a - b * math.floor(a / b)


_OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "^": math.pow, "%": _remainder,
}  # fmt: skip
_PLAIN: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt, "abs": abs, "ln": math.log, "exp": math.exp, "floor": math.floor, "ceiling": math.ceil,
    "max": max, "min": min, "log": lambda v, base=10.0: math.log(v) / math.log(base),
    "arcsin": lambda v: math.degrees(math.asin(v)), "arccos": lambda v: math.degrees(math.acos(v)),
    "arctan": lambda v: math.degrees(math.atan(v)), "root": lambda v, n=2.0: math.pow(v, 1 / n),
    "mod": _remainder, "sin": math.sin, "cos": math.cos, "tan": math.tan,
    "cot": lambda v: 1 / math.tan(v), "pi": lambda: math.pi, "e": lambda: math.e,
}  # fmt: skip
