"""Equations over slots and unknowns as polynomials with integer coefficients.

What is no rational function (a slot as exponent, a root, ``max``) becomes an atom: a further variable with its function
and arguments. Two occurrences with equal arguments are one atom.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from extractors.expressions.tree import Binary, Call, Equation, Name, Node, Num, Unary, names_of, walk
from extractors.extraction_errors import ExtractionError, LimitError
from extractors.polynomials.integer_polynomials import (
    MAX_EXPONENT,
    TEMPLATES,
    Monomial,
    Polynomial,
    Quotient,
    combined,
    constant_value,
    raised,
    reduced,
    ring_of,
    terms,
)

_AtomKey = tuple[str, tuple[tuple[tuple[Monomial, int], ...], ...]]
MAX_NAMES = 64
"""Names of a system of templates, functions and their arguments counted in."""


@dataclass(frozen=True)
class Atom:
    """Variable ``index`` stands for ``function`` of the arguments, each a fraction in lowest terms."""

    index: int
    function: str
    arguments: tuple[Quotient, ...]


class PolynomialRing:
    """Hands out variables to names and atoms and reads trees as quotients of polynomials.

    ``names`` get the first variables; ``equations`` are what will be read, so that there is room for all of it.
    """

    def __init__(self, names: Iterable[str], equations: Sequence[Equation]) -> None:
        sides = [side for equation in equations for side in (equation.left, equation.right)]
        self.names = {name: index for index, name in enumerate(dict.fromkeys((*names, *names_of(*sides))))}
        self.atoms: list[Atom] = []
        self._known: dict[_AtomKey, Atom] = {}
        size = len(self.names) + 1 + sum(map(_room, (node for side in sides for node in walk(side))))
        if size > MAX_NAMES + 1:
            raise LimitError(f"a system of more than {MAX_NAMES} names and functions")
        self.ring = ring_of(size)
        self._one = self.ring.constant(1)

    def equation(self, equation: Equation) -> Polynomial:
        """The polynomial that is zero where the equation holds; ExtractionError for what is no equation."""
        if equation.relation != "=":
            raise ExtractionError(f"relation {equation.relation!r} in a template; only equations are read")
        return self.difference(equation)[0]

    def difference(self, equation: Equation) -> Quotient:
        """Left side minus right side."""
        return combined("-", self.quotient(equation.left), self.quotient(equation.right))

    def quotient(self, node: Node) -> Quotient:
        """Numerator and denominator of an expression."""
        if isinstance(node, Num):
            return self._constant(node.value)
        if isinstance(node, Name):
            return self.ring.gen(self.names[node.name]), self._one
        if isinstance(node, Unary):
            return self._signed(node)
        if isinstance(node, Call):
            return self._call(node)
        return self._binary(node)

    def _signed(self, node: Unary) -> Quotient:
        if node.op != "-":
            raise ExtractionError(f"sign {node.op!r} in a template; write one equation for each sign")
        numerator, denominator = self.quotient(node.operand)
        return -numerator, denominator

    def _call(self, node: Call) -> Quotient:
        arguments = [self.quotient(argument) for argument in node.args]
        if node.name == "sqrt":
            return self._power(arguments[0], self._constant(Fraction(1, 2)))
        return self._atom(node.name, arguments)

    def _binary(self, node: Binary) -> Quotient:
        left, right = self.quotient(node.left), self.quotient(node.right)
        match node.op:
            case "+" | "-" | "*" | "/":
                return combined(node.op, left, self._divisor(right) if node.op == "/" else right)
            case "^":
                return self._power(left, right)
            case "%":
                return self._atom("mod", [left, right])
        raise ExtractionError(f"operator {node.op!r} in a template; write one equation for each sign")

    @staticmethod
    def _divisor(quotient: Quotient) -> Quotient:
        if not quotient[0]:
            raise ExtractionError("division by zero in a template")
        return quotient

    def _power(self, base: Quotient, exponent: Quotient) -> Quotient:
        value = constant_value(exponent)
        if value is None or value.denominator != 1:
            return self._atom("^", [base, exponent])
        if abs(value) > MAX_EXPONENT:
            raise LimitError(f"exponent {value} in a template is beyond {MAX_EXPONENT}")
        return raised(base if value >= 0 else self._divisor(base), int(value))

    def _atom(self, function: str, arguments: Sequence[Quotient]) -> Quotient:
        lowest = tuple(_with_positive_denominator(reduced(*argument)) for argument in arguments)
        key = (function, tuple(tuple(terms(part)) for argument in lowest for part in argument))
        atom = self._known.get(key)
        if atom is None:
            atom = Atom(len(self.names) + len(self.atoms), function, lowest)
            self._known[key] = atom
            self.atoms.append(atom)
        return self.ring.gen(atom.index), self._one

    def _constant(self, value: Fraction) -> Quotient:
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > TEMPLATES.bits:
            raise LimitError(f"a number in a template has more than {TEMPLATES.bits} bits")
        return self.ring.constant(value.numerator), self.ring.constant(value.denominator)


def _room(node: Node) -> int:
    """Variables that an atom of a tree takes at most: its own and those of its arguments."""
    if isinstance(node, Call):
        return 1 + max(len(node.args), 2)
    if isinstance(node, Binary) and (node.op == "%" or (node.op == "^" and not _is_whole(node.right))):
        return 3
    return 0


def _is_whole(node: Node) -> bool:
    return isinstance(node, Num) and node.value.denominator == 1


def _with_positive_denominator(quotient: Quotient) -> Quotient:
    numerator, denominator = quotient
    return (-numerator, -denominator) if denominator.leading_coefficient() < 0 else quotient
