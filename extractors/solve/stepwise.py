"""One unknown after the other: equations that known values turn into an equation in one unknown.

Most systems that are not linear are worked steps (``x = 6*12``, ``y = x*x/4``) or one rational equation in one unknown
(``20/x = 15/(x-10)``). Integer polynomials in the unknown that is left solve both, at a fraction of the cost of general
elimination and with the same result; whatever is not of this kind is left to it.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from extractors.expressions.tree import Binary, Equation, Name, Node, Num, Unary, names_of, unwound
from extractors.polynomials.roots import Dense, real_roots
from extractors.real_numbers.algebraic_numbers import Surd
from extractors.real_numbers.values import MAX_BITS, Budget, Value
from extractors.solve.linear_solver import CONSTANT, Elimination, NotLinearError, linear_row

MAX_EQUATIONS = 24
MAX_POWER = 8

Assignment = dict[str, Value]
Ratio = tuple[Dense, Dense]
"""Numerator and denominator, constant terms first; zero is empty."""


_UNKNOWN: Ratio = ((0, 1), (1,))
_DIRECTION = (1 << 61) - 1


class NotStepwiseError(Exception):
    """The system is not of this kind; the general path decides."""


class Steps(NamedTuple):
    """The assignments that satisfy a system, and whether all its equations are linear."""

    found: list[Assignment]
    linear: bool


def stepwise(equations: Sequence[Equation], budget: Budget) -> Steps:
    """Solves equations one after the other; raises ``NotStepwiseError`` where that does not determine every unknown.

    >>> from extractors.expressions.grammar import parse_equation
    >>> stepwise([parse_equation("20/x = 15/(x-10)")[0]], Budget(100)).found
    [{'x': Fraction(40, 1)}]
    """
    if len(equations) > MAX_EQUATIONS:
        raise NotStepwiseError
    elimination, late = Elimination((), budget), []
    for equation in equations:
        try:
            elimination.add(linear_row(equation))
        except NotLinearError:
            late.append(equation)
    names = names_of(*[side for equation in equations for side in (equation.left, equation.right)])
    if len(equations) == len(names) == 1:
        return _single(equations[0], names[0], budget)
    if len(equations) == len(names) == 2 and len(late) == 1 and not elimination.values():
        return _pair(elimination, late[0], budget)
    linear = True
    while late and elimination.consistent:
        known = {name: _constant(value) for name, value in elimination.values().items()}
        waiting = [equation for equation in late if not _step(equation, known, elimination)]
        if len(waiting) == len(late):
            raise NotStepwiseError
        linear = linear and all(_degree(equation) < 2 for equation in late if equation not in waiting)
        late = waiting
    if not elimination.consistent:
        raise NotStepwiseError
    return Steps([dict(elimination.values())], linear)


def _single(equation: Equation, name: str, budget: Budget) -> Steps:
    """The roots of one equation in one unknown."""
    roots, degree = _roots(equation, _Reader({name: _UNKNOWN}), budget)
    return Steps([{name: root} for root in roots], degree == 1)


def _pair(elimination: Elimination, late: Equation, budget: Budget) -> Steps:
    """A linear equation in two unknowns beside another one: ``x + y = 17``, ``x^2 + y^2 = 145``.

    The unknown that comes first by name is put in, as the general path does, so that solutions keep their order.
    """
    row = next(iter(elimination.pivots.values()), {})
    names = sorted(name for name in row if name != CONSTANT)
    if len(names) != 2:
        raise NotStepwiseError
    top, bottom = (-row.get(CONSTANT, 0), -row[names[1]]), row[names[0]]
    roots, _ = _roots(late, _Reader({names[0]: (top, (bottom,)), names[1]: _UNKNOWN}), budget)
    if len(roots) > 1 and (_has_bare_term(late.left) or _has_bare_term(late.right)):
        raise NotStepwiseError
    found: list[Assignment] = [{names[0]: _value(top, root) / bottom, names[1]: root} for root in roots]
    return Steps(found, _degree(late) < 2)


def _roots(equation: Equation, reader: "_Reader", budget: Budget) -> tuple[list[Fraction | Surd], int]:
    """The roots of an equation in one unknown, and its degree; zero comes last, after the roots of what it leaves."""
    top = reader.difference(equation)
    if len(top) < 2:
        raise NotStepwiseError
    lowest = next(index for index, c in enumerate(top) if c)
    roots: list[Value] = list(real_roots(top[lowest:], budget))
    if lowest:
        roots.append(Fraction(0))
    found = [root for root in roots if isinstance(root, Fraction | Surd)]
    if len(found) < len(roots):
        raise NotStepwiseError
    found = [root for root in found if not reader.excludes(root)]
    if not found:
        raise NotStepwiseError
    return found, len(top) - 1


def _step(equation: Equation, known: dict[str, Ratio], elimination: Elimination) -> bool:
    """Adds what an equation says about its last open unknown; False where it has to wait for others."""
    unknown = [name for name in names_of(equation.left, equation.right) if name not in known]
    if len(unknown) > 1:
        return False
    if not unknown:
        raise NotStepwiseError
    name = unknown[0]
    reader = _Reader({**known, name: _UNKNOWN})
    top = reader.difference(equation)
    if len(top) != 2:
        raise NotStepwiseError
    root = Fraction(-top[0], top[1])
    if reader.excludes(root):
        raise NotStepwiseError
    elimination.add({name: root.denominator, CONSTANT: -root.numerator} if root else {name: 1})
    return True


class _Reader:
    """Reads trees as quotients of polynomials in one unknown, under values for all names."""

    def __init__(self, values: dict[str, Ratio]) -> None:
        self.values = values
        self.denominators: list[Dense] = []

    def difference(self, equation: Equation) -> Dense:
        """The polynomial that vanishes where an equation holds."""
        (top, bottom), (other_top, other_bottom) = self.ratio(equation.left), self.ratio(equation.right)
        if bottom == other_bottom:
            return _sum(top, other_top, -1)
        return _sum(_product(top, other_bottom), _product(other_top, bottom), -1)

    def excludes(self, root: Fraction | Surd) -> bool:
        """Whether a denominator vanishes at a root."""
        return any(not _value(p, root) for p in self.denominators)

    def ratio(self, node: Node) -> Ratio:
        """A tree as a quotient; long sums and products are walked without recursion."""
        node, spine = unwound(node)
        result = self._leaf(node)
        while spine:
            op, right = spine.pop()
            result = self._combined(op, result, self.ratio(right))
        return result

    def _leaf(self, node: Node) -> Ratio:
        if isinstance(node, Num):
            return _constant(node.value)
        if isinstance(node, Name):
            return self.values[node.name]
        if isinstance(node, Unary) and node.op == "-":
            top, bottom = self.ratio(node.operand)
            return tuple([-c for c in top]), bottom
        if isinstance(node, Binary) and node.op == "^" and isinstance(node.right, Num):
            return self._power(self.ratio(node.left), node.right.value)
        raise NotStepwiseError

    def _combined(self, op: str, left: Ratio, right: Ratio) -> Ratio:
        if op == "*":
            return _product(left[0], right[0]), _product(left[1], right[1])
        if op == "/":
            self._divides(right[0])
            return _product(left[0], right[1]), _product(left[1], right[0])
        sign = 1 if op == "+" else -1
        if left[1] == right[1]:
            return _sum(left[0], right[0], sign), left[1]
        return _sum(_product(left[0], right[1]), _product(right[0], left[1]), sign), _product(left[1], right[1])

    def _divides(self, p: Dense) -> None:
        if not p:
            raise NotStepwiseError
        if len(p) > 1:
            self.denominators.append(p)

    def _power(self, base: Ratio, exponent: Fraction) -> Ratio:
        if exponent.denominator != 1 or not 0 < exponent <= MAX_POWER:
            raise NotStepwiseError
        result = base
        for _ in range(exponent.numerator - 1):
            result = _product(result[0], base[0]), _product(result[1], base[1])
        return result


def _constant(value: Fraction) -> Ratio:
    top, bottom = value.as_integer_ratio()
    return ((top,) if top else ()), (bottom,)


def _sum(p: Dense, q: Dense, sign: int) -> Dense:
    """``p + sign*q``."""
    if len(p) < len(q):
        p += (0,) * (len(q) - len(p))
    out = list(p)
    for index, coefficient in enumerate(q):
        out[index] += sign * coefficient
    while out and not out[-1]:
        out.pop()
    return tuple(out)


def _product(p: Dense, q: Dense) -> Dense:
    """``p*q``; not of this kind where its numbers grow too long."""
    if q == (1,) or not p:
        return p
    if not q:
        return q
    if p[-1].bit_length() + q[-1].bit_length() > MAX_BITS or len(p) + len(q) > 2 * MAX_POWER:
        raise NotStepwiseError
    if len(q) == 1:
        return tuple([c * q[0] for c in p])
    out = [0] * (len(p) + len(q) - 1)
    for i, c in enumerate(p):
        for j, d in enumerate(q):
            out[i + j] += c * d
    return tuple(out)


def _value(p: Dense, point: Fraction | Surd) -> Fraction | Surd:
    """The value of a polynomial, by Horner's rule."""
    total: Fraction | Surd = Fraction(0)
    for coefficient in reversed(p):
        total = point * total + coefficient
    return total


def _has_bare_term(node: Node) -> bool:
    """Whether a sum may hold an unknown alone, with no other term in it: the general path would put that one in."""
    if isinstance(node, Unary):
        return _has_bare_term(node.operand)
    if not isinstance(node, Binary):
        return isinstance(node, Name)
    if node.op in "+-":
        return _has_bare_term(node.left) or _has_bare_term(node.right)
    if node.op == "*" and not (names_of(node.left) and names_of(node.right)):
        return _has_bare_term(node.left) or _has_bare_term(node.right)
    return node.op == "/" and (bool(names_of(node.right)) or _has_bare_term(node.left))


def _degree(equation: Equation) -> int:
    """The total degree of an equation in all its unknowns, which known values hide.

    The unknowns run along a line through zero; terms of the highest degree could cancel there only if an equation held
    the huge numbers of its direction.
    """
    names = names_of(equation.left, equation.right)
    line: dict[str, Ratio] = {name: ((0, _DIRECTION - 999 * index * index), (1,)) for index, name in enumerate(names)}
    return len(_Reader(line).difference(equation)) - 1
