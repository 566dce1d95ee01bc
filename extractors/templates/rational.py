"""Equations over slots and unknowns as polynomials with integer coefficients.

What is no rational function (a slot as exponent, a root, ``max``) becomes an atom: a further variable with its function
and arguments. Two occurrences with equal arguments are one atom.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, Unary
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.templates.divisors import reduced
from extractors.templates.template_polynomials import (
    MAX_COEFFICIENT_BITS,
    MAX_EXPONENT,
    ONE,
    ZERO,
    Polynomial,
    add,
    multiply,
    power,
    scale,
    variable,
)

Quotient = tuple[Polynomial, Polynomial]
_AtomKey = tuple[str, tuple[frozenset[tuple[int, int]], ...]]


@dataclass(frozen=True)
class Atom:
    """Variable ``index`` stands for ``function`` of the arguments, each a fraction in lowest terms."""

    index: int
    function: str
    arguments: tuple[Quotient, ...]


@dataclass
class PolynomialRing:
    """Hands out variable indexes to names and atoms and reads trees as quotients of polynomials."""

    names: dict[str, int] = field(default_factory=dict)
    atoms: list[Atom] = field(default_factory=list)
    _known: dict[_AtomKey, Atom] = field(default_factory=dict)

    def index_of(self, name: str) -> int:
        """The variable of a name, new or known."""
        return self.names.setdefault(name, len(self.names) + len(self.atoms))

    def equation(self, equation: Equation) -> Polynomial:
        """The polynomial that is zero where the equation holds; ExtractionError for what is no equation."""
        if equation.relation != "=":
            raise ExtractionError(f"relation {equation.relation!r} in a template; only equations are read")
        return self.difference(equation)[0]

    def difference(self, equation: Equation) -> Quotient:
        """Left side minus right side."""
        return self._sum(self.quotient(equation.left), self.quotient(equation.right), -1)

    def quotient(self, node: Node) -> Quotient:
        """Numerator and denominator of an expression."""
        if isinstance(node, Num):
            return _constant(node.value)
        if isinstance(node, Name):
            return variable(self.index_of(node.name)), ONE
        if isinstance(node, Unary):
            return self._signed(node)
        if isinstance(node, Call):
            return self._call(node)
        return self._binary(node)

    def _signed(self, node: Unary) -> Quotient:
        if node.op != "-":
            raise ExtractionError(f"sign {node.op!r} in a template; write one equation for each sign")
        numerator, denominator = self.quotient(node.operand)
        return scale(numerator, -1), denominator

    def _call(self, node: Call) -> Quotient:
        arguments = [self.quotient(argument) for argument in node.args]
        if node.name == "sqrt":
            return self._power(arguments[0], _constant(Fraction(1, 2)))
        return self._atom(node.name, arguments)

    def _binary(self, node: Binary) -> Quotient:
        left, right = self.quotient(node.left), self.quotient(node.right)
        match node.op:
            case "+":
                return self._sum(left, right, 1)
            case "-":
                return self._sum(left, right, -1)
            case "*":
                return multiply(left[0], right[0]), multiply(left[1], right[1])
            case "/":
                return multiply(left[0], right[1]), multiply(left[1], _divisor(right[0]))
            case "^":
                return self._power(left, right)
            case "%":
                return self._atom("mod", [left, right])
        raise ExtractionError(f"operator {node.op!r} in a template; write one equation for each sign")

    @staticmethod
    def _sum(left: Quotient, right: Quotient, sign: int) -> Quotient:
        if left[1] is right[1] or left[1] == right[1]:
            return add(left[0], right[0], sign), left[1]
        first, second = multiply(left[0], right[1]), multiply(right[0], left[1])
        return add(first, second, sign), multiply(left[1], right[1])

    def _power(self, base: Quotient, exponent: Quotient) -> Quotient:
        value = constant_value(exponent)
        if value is None or value.denominator != 1:
            return self._atom("^", [base, exponent])
        if abs(value) > MAX_EXPONENT:
            raise LimitError(f"exponent {value} in a template is beyond {MAX_EXPONENT}")
        top, bottom = base if value >= 0 else (_divisor(base[1]), _divisor(base[0]))
        return power(top, abs(int(value))), power(bottom, abs(int(value)))

    def _atom(self, function: str, arguments: Sequence[Quotient]) -> Quotient:
        lowest = tuple(_with_positive_denominator(reduced(*argument)) for argument in arguments)
        key = (function, tuple(frozenset(part.items()) for argument in lowest for part in argument))
        atom = self._known.get(key)
        if atom is None:
            atom = Atom(len(self.names) + len(self.atoms), function, lowest)
            self._known[key] = atom
            self.atoms.append(atom)
        return variable(atom.index), ONE


def constant_value(quotient: Quotient) -> Fraction | None:
    """The number that a quotient is, or None if a variable occurs in it."""
    numerator, denominator = quotient
    if numerator.keys() <= {0} and denominator.keys() <= {0}:
        return Fraction(numerator.get(0, 0), denominator[0])
    return None


def _constant(value: Fraction) -> Quotient:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_COEFFICIENT_BITS:
        raise LimitError(f"a number in a template has more than {MAX_COEFFICIENT_BITS} bits")
    numerator, denominator = value.numerator, value.denominator
    return ({0: numerator} if numerator else ZERO), (ONE if denominator == 1 else {0: denominator})


def _divisor(polynomial: Polynomial) -> Polynomial:
    if not polynomial:
        raise ExtractionError("division by zero in a template")
    return polynomial


def _with_positive_denominator(quotient: Quotient) -> Quotient:
    numerator, denominator = quotient
    if denominator[max(denominator)] < 0:
        return scale(numerator, -1), scale(denominator, -1)
    return quotient
