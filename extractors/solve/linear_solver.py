"""Linear systems over the integers: the hot path of the solver.

An equation becomes a sparse row of integers (unknown -> coefficient, ``""`` -> constant, sum = 0); rows are eliminated
without fractions (Gauss-Jordan with cross-multiplication, each row divided by its content).
"""

from collections.abc import Iterable
from fractions import Fraction
from math import gcd, lcm

from extractors.expressions.tree import Binary, Equation, Name, Node, Num, Unary
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.real_numbers.values import MAX_BITS, Budget, long_arithmetic, widest

CONSTANT = ""
_SHORT = 511
"""Bits up to which a number costs no more than its step."""
_COMBINATION = 4
"""Steps of a combination of two rows, beside one for each of their terms."""

LinearRow = dict[str, int]
_Term = tuple[str, int, int]


class NotLinearError(Exception):
    """The tree is not linear with plain rational coefficients; the general path decides."""


def linear_row(equation: Equation) -> LinearRow:
    """The row of an equation; raises ``NotLinearError``, ``ExtractionError`` (division by zero) or ``LimitError``.

    >>> from extractors.expressions.grammar import parse_equation
    >>> linear_row(parse_equation("x/2 + 3 = y")[0])
    {'x': 1, 'y': -2, '': 6}
    """
    terms: list[_Term] = []
    _collect(equation.left, 1, 1, terms)
    _collect(equation.right, -1, 1, terms)
    scale = 1
    for denominator in {denominator for _, _, denominator in terms}:
        scale, _ = _bounded(lcm(scale, denominator), 1)
    row: LinearRow = {}
    constant = 0
    for name, numerator, denominator in terms:
        value = numerator if denominator == scale else numerator * (scale // denominator)
        if name:
            row[name] = row.get(name, 0) + value
        else:
            constant += value
    if 0 in row.values():
        row = {name: value for name, value in row.items() if value}
    if constant:
        row[CONSTANT] = constant
    return row


def _collect(node: Node, n: int, d: int, terms: list[_Term]) -> None:
    """Adds ``n/d`` times a tree to the terms; walks down the left side without recursion."""
    while True:
        kind = type(node)
        if kind is Name:
            terms.append((node.name, n, d))  # type: ignore[union-attr]
            return
        if kind is Num:
            numerator, denominator = node.value.as_integer_ratio()  # type: ignore[union-attr]
            terms.append((CONSTANT, n * numerator, d * denominator))
            return
        if kind is Binary:
            op, node, right = node  # type: ignore[misc]
            if op == "+":
                _collect(right, n, d, terms)
            elif op == "-":
                _collect(right, -n, d, terms)
            else:
                node, n, d = _scaled(op, node, right, n, d)
        elif kind is Unary and node.op == "-":  # type: ignore[union-attr]
            n, node = -n, node.operand  # type: ignore[union-attr]
        else:
            raise NotLinearError


def _scaled(op: str, left: Node, right: Node, n: int, d: int) -> tuple[Node, int, int]:
    """The non-constant side of a product or quotient with the factor taken out of it."""
    if op == "*":
        factor = _constant(right) if type(right) is Num else None
        if factor is None:
            factor = _constant(left)
            left, right = (right, left) if factor is not None else (left, right)
            factor = _constant(right) if factor is None else factor
        if factor is None:
            raise NotLinearError
        n, d = _bounded(n * factor[0], d * factor[1])
        return left, n, d
    if op == "/":
        factor = _constant(right)
        if factor is None:
            raise NotLinearError
        if not factor[0]:
            raise ExtractionError("division by zero")
        n, d = _bounded(n * factor[1], d * factor[0])
        return (left, n, d) if d > 0 else (left, -n, -d)
    factor = _power(left, right) if op == "^" else None
    if factor is None:
        raise NotLinearError
    return Num(Fraction(*factor)), n, d


def _bounded(n: int, d: int) -> tuple[int, int]:
    if n.bit_length() > MAX_BITS or d.bit_length() > MAX_BITS:
        raise LimitError(f"number beyond {MAX_BITS} bits")
    return n, d


def _constant(node: Node) -> tuple[int, int] | None:
    """The value of a tree without unknowns and functions, as numerator and denominator; None for other trees."""
    kind = type(node)
    if kind is Num:
        return node.value.as_integer_ratio()  # type: ignore[union-attr]
    if kind is Name:
        return None
    if kind is Binary:
        return _constant_binary(*node)
    if kind is Unary and node.op == "-":  # type: ignore[union-attr]
        inner = _constant(node.operand)  # type: ignore[union-attr]
        return None if inner is None else (-inner[0], inner[1])
    return None


def _constant_binary(op: str, left: Node, right: Node) -> tuple[int, int] | None:
    if op == "^":
        return _power(left, right)
    b = _constant(right)
    a = _constant(left) if b is not None else None
    if a is None or b is None:
        return None
    if op == "*":
        return _bounded(a[0] * b[0], a[1] * b[1])
    if op == "/":
        if not b[0]:
            raise ExtractionError("division by zero")
        sign = 1 if b[0] > 0 else -1
        return _bounded(sign * a[0] * b[1], sign * a[1] * b[0])
    if op in ("+", "-"):
        return _bounded(a[0] * b[1] + (b[0] if op == "+" else -b[0]) * a[1], a[1] * b[1])
    return None


def _power(left: Node, right: Node) -> tuple[int, int] | None:
    """An integer power of a constant, bounded before it is computed."""
    exponent, base = _constant(right), _constant(left)
    if base is None or exponent is None or exponent[0] % exponent[1]:
        return None
    power = exponent[0] // exponent[1]
    if not base[0] and power < 0:
        raise ExtractionError("division by zero")
    if abs(power) * max(base[0].bit_length(), base[1].bit_length(), 1) > MAX_BITS:
        return None
    n, d = base[0] ** abs(power), base[1] ** abs(power)
    if power >= 0:
        return n, d
    return (d, n) if n > 0 else (-d, -n)


class Elimination:
    """Rows in reduced form; rows are added one by one.

    ``pivots`` maps an unknown to the row that holds it; after each ``add`` no row holds another row's pivot.
    ``consistent`` turns False once a row contradicts the others.
    """

    __slots__ = ("budget", "consistent", "pivots")

    def __init__(self, rows: Iterable[LinearRow], budget: Budget) -> None:
        self.pivots: dict[str, LinearRow] = {}
        self.consistent = True
        self.budget = budget
        for row in rows:
            self.add(row)

    def reduce(self, row: LinearRow) -> LinearRow:
        """The row with every pivot unknown eliminated; empty where the rows so far imply it."""
        pivots = self.pivots
        for name in [name for name in row if name in pivots]:
            row = self._combine(row, pivots[name], name)
        return row

    def add(self, row: LinearRow) -> bool:
        """Adds a row; False where it was implied already."""
        row = self.reduce(row)
        name = next(iter(row), None)
        if name is None:
            return False
        if name is CONSTANT or name == CONSTANT:
            if len(row) == 1:
                self.consistent = False
                return True
            name = next(key for key in row if key)
        if len(row) > 1:
            content = gcd(*row.values())
            if content != 1:
                row = {key: value // content for key, value in row.items()}
        pivots = self.pivots
        for other, held in pivots.items():
            if name in held:
                pivots[other] = self._combine(held, row, name)
        pivots[name] = row
        return True

    def _combine(self, row: LinearRow, pivot: LinearRow, name: str) -> LinearRow:
        """``row`` without ``name``, by a multiple of ``pivot``; divided by its content."""
        self.budget.spend(_COMBINATION + len(row) + len(pivot))
        a, b = row[name], pivot[name]
        common = gcd(a, b)
        a, b = a // common, b // common
        if a.bit_length() + b.bit_length() > _SHORT:
            self._spend_long(row)
            self._spend_long(pivot)
        out = {key: value * b for key, value in row.items()} if b != 1 else dict(row)
        for key, value in pivot.items():
            new = out.get(key, 0) - a * value
            if new:
                out[key] = new
            else:
                out.pop(key, None)
        if not out:
            return out
        self._spend_long(out)
        content = gcd(*out.values())
        return out if content == 1 else {key: value // content for key, value in out.items()}

    def _spend_long(self, row: LinearRow) -> None:
        """Counts what the long numbers of a row cost beyond their steps, before it is paid."""
        bits = widest(row.values())
        if bits > _SHORT:
            if bits > MAX_BITS:
                raise LimitError(f"number beyond {MAX_BITS} bits")
            self.budget.spend(len(row) * long_arithmetic(bits))

    def values(self) -> dict[str, Fraction]:
        """The unknowns that the rows determine."""
        out: dict[str, Fraction] = {}
        for name, row in self.pivots.items():
            if len(row) == 1:
                out[name] = Fraction(0)
            elif len(row) == 2 and CONSTANT in row:
                whole, over = divmod(-row[CONSTANT], row[name])
                out[name] = Fraction(-row[CONSTANT], row[name]) if over else Fraction(whole)
        return out
