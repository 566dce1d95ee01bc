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
    trigonometric = any(isinstance(n, Call) and n.name in TRIGONOMETRIC and name in names_of(n) for n in nodes)
    grid = _ANGLES if trigonometric else _GRID
    roots = _roots(_difference(equation, name), grid, budget, len(nodes))
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


def _difference(equation: Equation, name: str) -> Function:
    difference = _binary("-", _compiled(equation.left, name), _compiled(equation.right, name))
    return _constant(difference) if isinstance(difference, float) else difference


def _compiled(node: Node, name: str) -> Function | float:
    """A tree as a function of one unknown in floats; parts without it are worked out once where they have a value."""
    if isinstance(node, Num):
        return _float(node.value)
    if isinstance(node, Name):
        return lambda x: x
    if isinstance(node, Unary):
        return _binary("-", -0.0, _compiled(node.operand, name))
    if isinstance(node, Binary):
        return _binary(node.op, _compiled(node.left, name), _compiled(node.right, name))
    return _function(node, [_compiled(arg, name) for arg in node.args])


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


def _binary(op: str, a: Function | float, b: Function | float) -> Function | float:
    apply = _OPERATORS[op]
    if isinstance(b, float):
        if isinstance(a, float):
            return _folded(lambda x: apply(a, b))
        return lambda x: apply(a(x), b)
    if isinstance(a, float):
        return lambda x: apply(a, b(x))
    return lambda x: apply(a(x), b(x))


def _folded(function: Function) -> Function | float:
    """The value of a constant function; one without a value stays as it is and fails when it is called."""
    try:
        return function(0.0)
    except _ERRORS:
        return function


_PLAIN: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt, "abs": abs, "ln": math.log, "exp": math.exp, "floor": math.floor, "ceiling": math.ceil,
    "max": max, "min": min, "log": lambda v, base=10.0: math.log(v) / math.log(base),
    "arcsin": lambda v: math.degrees(math.asin(v)), "arccos": lambda v: math.degrees(math.acos(v)),
    "arctan": lambda v: math.degrees(math.atan(v)), "root": lambda v, n=2.0: math.pow(v, 1 / n),
    "mod": lambda a, b: a - b * math.floor(a / b), "sin": math.sin, "cos": math.cos, "tan": math.tan,
    "cot": lambda v: 1 / math.tan(v), "pi": lambda: math.pi, "e": lambda: math.e,
}  # fmt: skip


def _function(node: Call, args: Sequence[Function | float]) -> Function | float:
    function = _PLAIN.get(node.name)
    if function is None:
        raise ExtractionError(f"{node.name} of an unknown", code="unsupported")
    inner = [_constant(arg) if isinstance(arg, float) else arg for arg in args]
    if node.name in TRIGONOMETRIC and not in_radians(node):
        called: Function = lambda x: function(math.radians(inner[0](x)))  # noqa: E731
    else:
        called = lambda x: float(function(*[arg(x) for arg in inner]))  # noqa: E731
    return _folded(called) if all(isinstance(arg, float) for arg in args) else called


def _constant(value: float) -> Function:
    return lambda x: value
