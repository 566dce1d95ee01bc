"""Trees to polynomial equations: rational forms, with auxiliary unknowns for roots and absolute values.

``sqrt(E)`` becomes an unknown ``s`` with ``s^2 = E`` and ``s >= 0``, ``|E|`` one with ``a^2 = E^2`` and ``a >= 0``;
denominators are remembered, so that roots which make one zero can be dropped. What has no such form raises
``NotPolynomialError``.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from math import isqrt

from extractors.expressions.tokens import TRIGONOMETRIC
from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, Unary, unwound, walk
from extractors.extraction_errors import LimitError
from extractors.polynomials.integer_polynomials import (
    Polynomial,
    Quotient,
    bounded,
    combined,
    constant_value,
    multiply,
    power,
    primitive,
    raised,
    ring_of,
    terms,
)
from extractors.real_numbers import real_functions as reals
from extractors.real_numbers.values import MAX_BITS, Budget

MAX_EXPONENT = 64
MAX_ROOT = 6
AUXILIARY = "#"
"""First character of the names of auxiliary unknowns; no text can hold such a name."""

NamedTerms = dict[tuple[tuple[str, int], ...], int]
"""The terms of a polynomial by the names of their unknowns; equal where the polynomials are."""

_HALF_TURN_SINES = {0: (0, 1), 30: (1, 1), 45: (1, 2), 60: (1, 3), 90: (2, 1)}


class NotPolynomialError(Exception):
    """An unknown stands where only a value can (in an exponent, a sine, a remainder, ...)."""


class Forms:
    """Converts the equations of one system; collects side conditions.

    ``names`` are the unknowns of the ring in ascending order; ``equations`` the auxiliary polynomials, ``nonnegative``
    the auxiliary unknowns that must not be negative, ``denominators`` what must not vanish, ``approximate`` tells
    whether a transcendental value was put in. A pair of base and exponent unknown (``z^m``) that several equations
    share becomes one auxiliary unknown; ``lifted`` tells whether one was needed, so that the exponent is still to be
    found.
    """

    def __init__(self, budget: Budget, approximate: bool = False, system: Sequence[Equation] = ()) -> None:
        self.budget = budget
        self.lifted = False
        self.approximate = approximate
        self.equations: list[Polynomial] = []
        self.nonnegative: list[int] = []
        self.denominators: list[Polynomial] = []
        self.names: list[str] = []
        self._shared: dict[tuple[str, Node], int] = {}
        if system:
            self._open(system)

    def _open(self, system: Sequence[Equation]) -> None:
        """Makes a ring: auxiliary unknowns, unknowns by name, and one place for the irrational of a quadratic field."""
        names, special = set(), []
        for equation in system:
            for node in chain(walk(equation.left), walk(equation.right)):
                if type(node) is Name:
                    names.add(node.name)
                elif type(node) is Call or (type(node) is Binary and node.op == "^" and not _is_whole(node.right)):
                    special.append(node)
        self.powers = shared_powers(system) if special else frozenset()
        self.names = [f"{AUXILIARY}{k}" for k in range(sum(map(_roots_of, special)))] + sorted(names)
        self.ring = ring_of(len(self.names) + 1)
        self._index = {name: index for index, name in enumerate(self.names)}
        self._one = self.ring.constant(1)

    def named(self, equation: Equation) -> NamedTerms:
        """The terms of ``equation``, by name."""
        if not self.names:
            self._open([equation])
        return self.by_name(self.equation(equation))

    def by_name(self, p: Polynomial) -> NamedTerms:
        """The terms of a polynomial, by name."""
        return {tuple([(self.names[i], exponent) for i, exponent in monomial]): c for monomial, c in terms(p)}

    def equation(self, equation: Equation) -> Polynomial:
        """The polynomial that vanishes where the equation holds."""
        return primitive(self._combine("-", self.form(equation.left), self.form(equation.right))[0])

    def form(self, node: Node) -> Quotient:
        """The rational form of a tree; long sums and products are walked without recursion."""
        node, spine = unwound(node)
        result = self._leaf(node)
        while spine:
            op, right = spine.pop()
            result = self._combine(op, result, self.form(right))
        return result

    def _leaf(self, node: Node) -> Quotient:
        kind = type(node)
        if kind is Num:
            return self._constant(node.value)  # type: ignore[union-attr]
        if kind is Name:
            return self.ring.gen(self._index[node.name]), self._one  # type: ignore[union-attr]
        if isinstance(node, Call):
            return self._call(node)
        if isinstance(node, Unary) and node.op == "-":
            top, bottom = self.form(node.operand)
            return -top, bottom
        if isinstance(node, Binary) and node.op == "^":
            return self._power(node)
        if isinstance(node, Binary) and node.op == "%":
            return self._constant_call(Call("mod", (node.left, node.right)))
        raise NotPolynomialError

    def _combine(self, op: str, left: Quotient, right: Quotient) -> Quotient:
        if op == "/":
            self._nonzero(right[0])
        return combined(op, left, right, self.budget)

    def _raise(self, base: Quotient, exponent: int) -> Quotient:
        if exponent < 0:
            self._nonzero(base[0])
        return raised(base, exponent, self.budget)

    def _constant(self, value: Fraction) -> Quotient:
        return self.ring.constant(value.numerator), self.ring.constant(value.denominator)

    def _nonzero(self, p: Polynomial) -> None:
        """Notes a denominator; a zero one has no value."""
        if not p:
            raise reals.NoRealValueError("division by zero", code="malformed")
        if not p.is_constant():
            self.denominators.append(p)

    def constant_value(self, node: Node) -> Fraction | None:
        """The rational value of a tree, None where unknowns (also auxiliary ones) remain."""
        return constant_value(self.form(node))

    def _power(self, node: Binary) -> Quotient:
        exponent = node.right.value if isinstance(node.right, Num) else self.constant_value(node.right)
        if exponent is None:
            return self._unknown_power(node)
        base = self.form(node.left)
        value = constant_value(base)
        if exponent.denominator != 1:
            return self._fractional_power(node, value, exponent)
        n = abs(exponent.numerator)
        if value is not None and n * max(_bits(value), 1) > MAX_BITS:
            return self._approximation(reals.long_power(value, exponent.numerator))
        if value is None and n > MAX_EXPONENT:
            raise LimitError(f"exponent beyond {MAX_EXPONENT} over unknowns")
        return self._raise(base, exponent.numerator)

    def _unknown_power(self, node: Binary) -> Quotient:
        """``z^(k*m+c)`` as ``(z^m)^k * z^c`` with an auxiliary unknown for ``z^m``."""
        exponent = linear_exponent(node.right)
        if exponent is None or (node.left, exponent[0]) not in self.powers:
            raise NotPolynomialError
        name, factor, shift = exponent
        base = self._raise(self.form(node.left), shift)
        key = Binary("^", node.left, Name(name))
        self._auxiliary("power", key)
        self.lifted = True
        return self._combine("*", self._raise(self._shared_form("power", key), factor), base)

    def _fractional_power(self, node: Binary, value: Fraction | None, exponent: Fraction) -> Quotient:
        """``base^(p/q)`` by an auxiliary q-th root, or approximated where q is large."""
        p, q = abs(exponent.numerator), exponent.denominator
        if q > MAX_ROOT or p > MAX_EXPONENT:
            if value is None:
                raise NotPolynomialError
            return self._approximation(reals.real_power(value, exponent))
        return self._raise(self.root(node.left, q), exponent.numerator)

    def root(self, node: Node, degree: int) -> Quotient:
        """The real root of a tree (the one that is not negative, for even degrees)."""
        top, bottom = self.form(node)
        value = constant_value((top, bottom))
        if degree == 2 and value is not None and value >= 0:
            outer, inner = isqrt(value.numerator), isqrt(value.denominator)
            if outer * outer == value.numerator and inner * inner == value.denominator:
                return self._constant(Fraction(outer, inner))
        name = self._auxiliary(f"root{degree}", node)
        if name is not None:
            lifted = multiply(power(self.ring.gen(name), degree, self.budget), bottom, self.budget)
            self.equations.append(bounded(lifted - top))
            if degree % 2 == 0:
                self.nonnegative.append(name)
        return self._shared_form(f"root{degree}", node)

    def _absolute(self, node: Node) -> Quotient:
        top, bottom = self.form(node)
        value = constant_value((top, bottom))
        if value is not None:
            return self._constant(abs(value))
        name = self._auxiliary("abs", node)
        if name is not None:
            lifted = power(multiply(self.ring.gen(name), bottom, self.budget), 2, self.budget)
            self.equations.append(bounded(lifted - power(top, 2, self.budget)))
            self.nonnegative.append(name)
        return self._shared_form("abs", node)

    def _auxiliary(self, kind: str, node: Node) -> int | None:
        """A new auxiliary unknown for a tree; None where it has one."""
        if (kind, node) in self._shared:
            return None
        index = self._shared[kind, node] = len(self._shared)
        return index

    def _shared_form(self, kind: str, node: Node) -> Quotient:
        return self.ring.gen(self._shared[kind, node]), self._one

    def _approximation(self, value: Fraction) -> Quotient:
        self.approximate = True
        return self._constant(value)

    def _call(self, node: Call) -> Quotient:
        if node.name == "sqrt" or (node.name == "root" and len(node.args) == 1):
            return self.root(node.args[0], 2)
        if node.name == "root":
            degree = self.constant_value(node.args[1])
            if degree is None or degree.denominator != 1 or not 2 <= degree <= MAX_ROOT:
                raise NotPolynomialError
            return self.root(node.args[0], degree.numerator)
        if node.name == "abs":
            return self._absolute(node.args[0])
        if node.name in ("pi", "e") and not node.args:
            return self._approximation(reals.pi() if node.name == "pi" else reals.euler())
        return self._constant_call(node)

    def _constant_call(self, node: Call) -> Quotient:
        """A function whose arguments have values."""
        if node.name in TRIGONOMETRIC and not in_radians(node):
            exact = self._exact_trigonometric(node)
            if exact is not None:
                return exact
        args = tuple(self._argument(arg) for arg in node.args)
        if node.name in reals.DISCRETE:
            value = reals.discrete(node.name, args)
            if _bits(value) > MAX_BITS:
                raise LimitError(f"number beyond {MAX_BITS} bits")
            return self._constant(value)
        if node.name in reals.TRANSCENDENTAL:
            return self._approximation(reals.transcendental(node.name, args, in_radians(node)))
        raise NotPolynomialError

    def _argument(self, node: Node) -> Fraction:
        value = self.constant_value(node)
        if value is None:
            raise NotPolynomialError
        return value

    def _exact_trigonometric(self, node: Call) -> Quotient | None:
        """Sines and cosines of multiples of 30 and 45 degrees, with square roots where they need them."""
        angle = self._argument(node.args[0])
        if angle.denominator != 1:
            return None
        sine = self._exact_sine(angle.numerator)
        cosine = self._exact_sine(angle.numerator + 90)
        if sine is None or cosine is None:
            return None
        if node.name == "sin":
            return sine
        if node.name == "cos":
            return cosine
        return self._combine("/", sine, cosine) if node.name == "tan" else self._combine("/", cosine, sine)

    def _exact_sine(self, degrees: int) -> Quotient | None:
        degrees %= 360
        sign = 1 if degrees < 180 else -1
        degrees %= 180
        entry = _HALF_TURN_SINES.get(min(degrees, 180 - degrees))
        if entry is None:
            return None
        factor, square = entry
        top, bottom = self.root(Num(Fraction(square)), 2)
        return sign * factor * top, 2 * bottom


def _roots_of(node: Node) -> int:
    """How many auxiliary unknowns a function or power may need: an exact sine and cosine take two roots."""
    return 2 if isinstance(node, Call) and node.name in TRIGONOMETRIC else 1


def _is_whole(node: Node) -> bool:
    return isinstance(node, Num) and node.value.denominator == 1


def total_degree(named: NamedTerms) -> int:
    """The greatest sum of exponents."""
    return max((sum(exponent for _, exponent in monomial) for monomial in named), default=0)


def linear_exponent(node: Node) -> tuple[str, int, int] | None:
    """Unknown, factor and constant of an exponent such as ``m``, ``m-1`` or ``2*m+1``; small whole numbers only."""
    shift = 0
    if isinstance(node, Binary) and node.op in "+-" and isinstance(node.right, Num):
        if node.right.value.denominator != 1 or abs(node.right.value) > MAX_ROOT:
            return None
        shift = node.right.value.numerator * (1 if node.op == "+" else -1)
        node = node.left
    if isinstance(node, Name):
        return node.name, 1, shift
    if isinstance(node, Binary) and node.op == "*" and isinstance(node.left, Num) and isinstance(node.right, Name):
        factor = node.left.value
        return (node.right.name, factor.numerator, shift) if factor in range(2, MAX_ROOT + 1) else None
    return None


def shared_powers(equations: Sequence[Equation]) -> frozenset[tuple[Node, str]]:
    """Pairs of a base with unknowns and an exponent unknown that stand in at least two equations."""
    if len(equations) < 2:
        return frozenset()
    counts: Counter[tuple[Node, str]] = Counter()
    for equation in equations:
        found = dict.fromkeys(
            (node.left, exponent[0])
            for side in (equation.left, equation.right)
            for node in walk(side)
            if isinstance(node, Binary) and node.op == "^" and (exponent := linear_exponent(node.right)) is not None
        )
        counts.update(pair for pair in found if any(isinstance(part, Name) for part in walk(pair[0])))
    return frozenset(pair for pair, count in counts.items() if count > 1)


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def in_radians(node: Call) -> bool:
    """Angles are degrees unless the argument is written with pi or 3.14."""
    for part in node.args:
        for inner in walk(part):
            if isinstance(inner, Call) and inner.name == "pi":
                return True
            if isinstance(inner, Num) and Fraction(314, 100) <= inner.value <= Fraction(31416, 10000):
                return True
    return False
