"""Linear systems over the integers: the hot path of the solver.

An equation becomes a sparse row of integers (unknown -> coefficient, ``""`` -> constant, sum = 0); rows are eliminated
without fractions (Gauss-Jordan with cross-multiplication, each row divided by its content).
"""

from collections.abc import Iterable
from fractions import Fraction
from math import gcd

from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, names_of, walk
from extractors.extraction_errors import LimitError
from extractors.polynomials.rational_forms import Forms, NamedTerms, NotPolynomialError
from extractors.real_numbers.values import MAX_BITS, Budget, long_arithmetic, widest

CONSTANT = ""
_SHORT = 511
"""Bits up to which a number costs no more than its step."""
_COMBINATION = 4
"""Steps of a combination of two rows, beside one for each of their terms."""

_ROW = 5_000
"""Steps of bringing one equation into a row; beyond them the general path decides."""

_NODES = 100
_SHORT_NUMBER = 2**200
"""Nodes of an equation, and the size of its numbers, with which it stays far from all bounds of polynomials."""
_COMBINED = frozenset("+-*/")

LinearRow = dict[str, int]


class NotLinearError(Exception):
    """The tree is not linear with plain rational coefficients; the general path decides."""


def linear_row(equation: Equation) -> LinearRow:
    """The row of an equation; raises ``NotLinearError``, or ``ExtractionError`` for a division by zero.

    >>> from extractors.expressions.grammar import parse_equation
    >>> linear_row(parse_equation("x/2 + 3 = y")[0])
    {'x': 1, 'y': -2, '': 6}
    """
    try:
        forms = _ShortForms()
        sides = forms.form(equation.left), forms.form(equation.right)
        top = _combined("-", *sides)[0]
        content = gcd(*top.values())
        row = {name: value // content for name, value in top.items() if value}
        names = [reversed(coefficients) for coefficients, _ in sides]
    except _NotShortError:
        row, names = _long_row(equation), [reversed(names_of(side)) for side in equation[:2]]
    # the last unknown of a side goes first: the pivot of a long chain
    order = [name for side in names for name in side if name]
    return {name: row[name] for name in (*order, CONSTANT) if name in row}


class _NotShortError(Exception):
    """Long numbers, many of them, or more than sums, products and quotients: polynomials decide."""


_ShortForm = tuple[LinearRow, int]
"""Coefficients of every unknown that is written, also zeros, over a common denominator."""


class _ShortForms:
    """The form of most equations without polynomials: exactly theirs, and within their steps by its bounds."""

    def __init__(self) -> None:
        self.left = _NODES

    def form(self, node: Node) -> _ShortForm:
        """The form of a tree; ``NotLinearError`` where it is not linear as it is written."""
        kind, self.left = type(node), self.left - 1
        if self.left < 0:
            raise _NotShortError
        if kind is Binary:
            op, left, right = node  # type: ignore[misc]
            if op in _COMBINED:
                return _combined(op, self.form(left), self.form(right))
            if op == "^" and names_of(node):
                raise NotLinearError
        if kind is Name:
            return {node.name: 1}, 1  # type: ignore[union-attr]
        if kind is Num:
            value, bottom = node.value.as_integer_ratio()  # type: ignore[union-attr]
            return {CONSTANT: value}, bottom
        raise _NotShortError


def _combined(op: str, left: _ShortForm, right: _ShortForm) -> _ShortForm:
    """Sum, difference, product or quotient of two forms, as ``integer_polynomials.combined`` has it."""
    (a, b), (c, d) = left, right
    if op in "*/":
        if len(c) > 1 or CONSTANT not in c:
            if op == "/" or len(a) > 1 or CONSTANT not in a:
                raise NotLinearError
            a, c = c, a
        factor, bottom = c[CONSTANT], b * d
        if op == "/":
            factor, bottom = d, b * c[CONSTANT]
        out = {name: value * factor for name, value in a.items()}
    else:
        up, down, bottom = (d, b, b * d) if b != d else (1, 1, b)
        down = down if op == "+" else -down
        out = {name: value * up for name, value in a.items()} if up != 1 else dict(a)
        for name, value in c.items():
            out[name] = out.get(name, 0) + value * down
    if not bottom or not -_SHORT_NUMBER < bottom < _SHORT_NUMBER or max(map(abs, out.values())) > _SHORT_NUMBER:
        raise _NotShortError
    return out, bottom


def _long_row(equation: Equation) -> LinearRow:
    """The row of any equation."""
    forms = Forms(Budget(_ROW))
    try:
        if not all(_may_be_linear(node) for side in equation[:2] for node in walk(side)):
            raise NotLinearError
        row = row_of(forms.named(equation))
    except (NotPolynomialError, LimitError):
        raise NotLinearError from None
    if forms.equations or forms.approximate:
        raise NotLinearError
    return row


def _may_be_linear(node: Node) -> bool:
    """Whether a node multiplies no unknowns with each other, divides by none and is no function, as it is written."""
    if not isinstance(node, Binary):
        return not isinstance(node, Call)
    if node.op == "*":
        return not (names_of(node.left) and names_of(node.right))
    return node.op in "+-" or (node.op == "/" and not names_of(node.right)) or (node.op == "^" and not names_of(node))


def row_of(named: NamedTerms) -> LinearRow:
    """The terms of a linear polynomial as a row."""
    return {monomial[0][0] if monomial else CONSTANT: coefficient for monomial, coefficient in named.items()}


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
