"""Complex values of trees as balls: a midpoint and a proven bound on its error (Johansson, Arb, 2017).

Balls that do not meet are different values. Balls that meet are taken for one value where they are narrow enough:
``ENOUGH`` bits below the longest number on the way to them. For the short sums, roots and functions of an answer no two
different values are known to be that near.
"""

import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb, gcd, lcm
from typing import Final

from flint import acb, arb, ctx, fmpq

from extractors.expressions.tree import Binary, Call, Name, Node, Num, Unary
from extractors.extraction_errors import ExtractionError, LimitError

ENOUGH: Final = 160
_WORKING: Final = 384
_MOST: Final = 40_000
_MAX_EXPONENT: Final = 100_000
_MAX_FACTORIAL: Final = 10_000
_LOCK: Final = threading.Lock()
ctx.prec = _WORKING

_FUNCTIONS: Final[dict[str, Callable[[acb], acb]]] = {
    "sin": acb.sin, "cos": acb.cos, "tan": acb.tan, "cot": acb.cot, "sec": acb.sec, "csc": acb.csc,
    "arcsin": acb.asin, "arccos": acb.acos, "arctan": acb.atan, "sinh": acb.sinh, "cosh": acb.cosh, "tanh": acb.tanh,
    "ln": acb.log, "exp": acb.exp, "sqrt": acb.sqrt, "floor": acb.real_floor, "ceiling": acb.real_ceil,
    "abs": lambda x: acb(abs(x)), "degrees": lambda x: x * acb.pi() / 180, "arccot": lambda x: (1 / x).atan(),
}  # fmt: skip
_CONSTANTS: Final[dict[str, Callable[[], acb]]] = {
    "pi": acb.pi, "e": lambda: acb(1).exp(), "i": lambda: acb(0, 1)
}  # fmt: skip


def compared_at(left: Node, right: Node, values: Mapping[str, Fraction]) -> bool | None:
    """Whether two trees have one value where their unknowns have these; None where that cannot be told.

    Angles are radians. ExtractionError for a function that has no value here, LimitError beyond the bounds.

    >>> from extractors.expressions.grammar import parse_expression
    >>> left, right = map(parse_expression, ("sqrt(3+2sqrt(2))", "1+sqrt(2)"))
    >>> compared_at(left, right, {}), compared_at(left, Num(Fraction(241421, 100000)), {})
    (True, False)
    """
    first, second = _Balls(values), _Balls(values)
    one, other = first.of(left), second.of(right)
    reach = max(first.reach, second.reach)
    if reach > _WORKING - 2 * ENOUGH:
        if reach > _MOST:
            raise LimitError(f"numbers of more than {_MOST} bits")
        with _LOCK, ctx.workprec(reach + 2 * ENOUGH):
            one, other = first.of(left), second.of(right)
            return _met(one, other)
    return _met(one, other)


def _met(one: acb, other: acb) -> bool | None:
    gap = one - other
    if not gap.is_finite():
        return None
    if not gap.contains(0):
        return False
    size = max(_exponent(one), _exponent(other), -ENOUGH)
    return True if _exponent(gap) <= size - ENOUGH else None


def real_value(node: Node) -> Fraction | None:
    """A real constant to more than 300 bits; None where it is not real or not finite.

    >>> real_value(Num(Fraction(1, 3))) == Fraction(1, 3)
    False
    """
    ball = _Balls({}).of(node)
    if not ball.is_finite() or not ball.imag.contains(0) or ball.rel_accuracy_bits() < ENOUGH:
        return None
    mantissa, exponent = (int(part) for part in ball.real.mid().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent if abs(exponent) < _MOST else None


def _exponent(ball: acb) -> int:
    """The binary exponent of the largest size that a ball allows; -``_MOST`` for zero."""
    mantissa, exponent = ball.abs_upper().man_exp()
    return int(exponent) + int(mantissa).bit_length() if mantissa else -_MOST


class _Balls:
    """Values of trees at one place; ``reach`` is the greatest binary exponent, of either sign, in a sum on the way."""

    def __init__(self, values: Mapping[str, Fraction]) -> None:
        self.values, self.reach = values, 0

    def of(self, node: Node) -> acb:
        """The value; not finite where there is none."""
        return self.noted(self._found(node))

    def noted(self, found: acb) -> acb:
        """A value whose size counts: one of a sum that may swallow another, or a whole value."""
        size = _exponent(found) if found.is_finite() else -_MOST
        if size > -_MOST:
            self.reach = max(self.reach, abs(size))
        return found

    def _found(self, node: Node) -> acb:
        if isinstance(node, Num):
            return acb(arb(fmpq(node.value.numerator, node.value.denominator)))
        if isinstance(node, Name):
            value = self.values[node.name]
            return acb(arb(fmpq(value.numerator, value.denominator)))
        if isinstance(node, Unary):
            if node.op != "-":
                raise ExtractionError(f"no single value: {node.op}")
            return -self._found(node.operand)
        return self._binary(node) if isinstance(node, Binary) else self._call(node)

    def _binary(self, node: Binary) -> acb:
        left, right = self._found(node.left), self._found(node.right)
        match node.op:
            case "+":
                return self.noted(left) + self.noted(right)
            case "-":
                return self.noted(left) - self.noted(right)
            case "*":
                return left * right
            case "/":
                return left / right
            case "^":
                return _power(left, right, node.right)
        raise ExtractionError(f"no single value: {node.op}")

    def _call(self, node: Call) -> acb:
        if not node.args:
            constant = _CONSTANTS.get(node.name)
            if constant is None:
                raise ExtractionError(f"no value for {node.name}")
            return constant()
        args = [self._found(arg) for arg in node.args]
        known = _FUNCTIONS.get(node.name)
        if known is not None and len(args) == 1:
            return known(args[0])
        match node.name:
            case "log":
                return args[0].log() / (args[1] if len(args) > 1 else acb(10)).log()
            case "root":
                return _root(args[0], args[1])
            case "factorial":
                return _factorial(args[0])
            case "comb":
                return _comb(args[0], args[1])
            case "max" | "min" | "gcd" | "lcm":
                return _of_reals(node.name, args)
        raise ExtractionError(f"no value for {node.name}")


def _whole(ball: acb) -> int | None:
    found = ball.unique_fmpz()
    return None if found is None or not ball.is_exact() else int(found)


def _power(base: acb, exponent: acb, written: Node) -> acb:
    """A power; of a negative number only with a whole exponent, for its root may be the real one or the principal."""
    whole = _whole(exponent)
    if whole is not None:
        if abs(whole) > _MAX_EXPONENT:
            raise LimitError(f"an exponent beyond {_MAX_EXPONENT}")
        return base**whole
    if not exponent.is_finite() or _exponent(exponent) > _MAX_EXPONENT.bit_length():
        raise LimitError(f"an exponent beyond {_MAX_EXPONENT}")
    if base.is_zero():
        return acb("nan")
    if base.imag.is_zero() and not base.real > 0 and exponent.imag.is_zero():
        return acb("nan")
    return base.pow(exponent)


def _root(base: acb, degree: acb) -> acb:
    whole = _whole(degree)
    if whole is None or not 0 < whole < _MAX_EXPONENT:
        raise ExtractionError("a root of no whole degree")
    if whole % 2 and base.imag.is_zero() and base.real < 0:
        return -((-base).root(whole))
    return base.root(whole)


def _factorial(value: acb) -> acb:
    if not value.is_finite() or _exponent(value) > _MAX_FACTORIAL.bit_length():
        raise LimitError(f"a factorial beyond {_MAX_FACTORIAL}")
    return (value + 1).gamma()


def _comb(above: acb, below: acb) -> acb:
    n, k = _whole(above), _whole(below)
    if n is not None and k is not None and 0 <= n <= _MAX_FACTORIAL:
        return acb(comb(n, k)) if k >= 0 else acb(0)
    return _factorial(above) * (below + 1).rgamma() * (above - below + 1).rgamma()


def _of_reals(name: str, args: list[acb]) -> acb:
    """The largest, the smallest, the divisor of whole numbers."""
    if not all(arg.imag.is_zero() for arg in args):
        return acb("nan")
    if name in ("max", "min"):
        found = args[0].real
        for arg in args[1:]:
            found = found.max(arg.real) if name == "max" else found.min(arg.real)
        return acb(found)
    whole = [_whole(arg) for arg in args]
    if None in whole:
        return acb("nan")
    return acb((gcd if name == "gcd" else lcm)(*(number for number in whole if number is not None)))
