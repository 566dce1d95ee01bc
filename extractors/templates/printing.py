"""Templates in one written form: ``a * m + b * n = c``.

Every equation is expanded; terms with unknowns stand on the left, the others on the right. Slots are named ``a`` to
``l`` in the order in which they are printed, unknowns ``m`` to ``z``; further ones get a digit. What is no polynomial
after clearing denominators, or has more than MAX_TERMS terms, is printed as it was written.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from extractors.expressions.render import render, render_number
from extractors.expressions.tree import Equation, Name, names_of, substitute
from extractors.extraction_errors import LimitError
from extractors.templates.rational import PolynomialRing
from extractors.templates.template_polynomials import Polynomial, exponents, integer_content

SLOT_LETTERS = "abcdefghijkl"
UNKNOWN_LETTERS = "mnopqrstuvwxyz"
MAX_TERMS = 24
_LONG = 2_000

_Term = tuple[tuple[tuple[int, int], ...], Fraction]


def print_template(
    equations: Sequence[Equation], is_slot: Callable[[str], bool]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The printed equations and the printed name of every name in them.

    >>> from extractors.expressions.grammar import parse_equation
    >>> print_template(parse_equation("k*x - h = 2*(x + k)"), lambda name: name in "hk")
    (('a * m - 2 * m = 2 * a + b',), {'k': 'a', 'x': 'm', 'h': 'b'})
    """
    names = {"slot": iter(_names(SLOT_LETTERS)), "unknown": iter(_names(UNKNOWN_LETTERS))}
    given: dict[str, str] = {}

    def name_of(name: str) -> str:
        if name not in given:
            kind = "slot" if is_slot(name) else "unknown"
            new = next(names[kind], None)
            if new is None:
                raise LimitError(f"a template with more than {len(given)} names")
            given[name] = new
        return given[name]

    printed = tuple(_print_equation(equation, is_slot, name_of) for equation in equations)
    if any(len(text) > _LONG for text in printed):
        raise LimitError(f"a template equation of more than {_LONG} characters")
    return printed, given


def _names(letters: str) -> list[str]:
    return [letter + digit for digit in ("", *"123456789") for letter in letters]


def _print_equation(equation: Equation, is_slot: Callable[[str], bool], name_of: Callable[[str], str]) -> str:
    ring = PolynomialRing()
    order = names_of(equation.left, equation.right)
    for name in order:
        ring.index_of(name)
    try:
        numerator, denominator = ring.difference(equation)
    except LimitError:
        return _as_written(equation, order, name_of)
    if ring.atoms or not 0 < len(numerator) <= MAX_TERMS:
        return _as_written(equation, order, name_of)
    slots = {index for name, index in ring.names.items() if is_slot(name)}
    terms = _terms(numerator, denominator)
    left = sorted((term for term in terms if _holds_unknown(term, slots)), key=lambda term: _place(term, slots))
    right = sorted((term for term in terms if not _holds_unknown(term, slots)), key=lambda term: _place(term, slots))
    sign = -1 if (left or right)[0][1] < 0 else 1
    known = {index: name for name, index in ring.names.items()}

    def side(chosen: Sequence[_Term], factor: int) -> str:
        return _sum([(monomial, factor * value) for monomial, value in chosen], known, slots, name_of)

    return f"{side(left, sign)} = {side(right, -sign)}" if left else f"{side(right, sign)} = 0"


def _as_written(equation: Equation, order: Sequence[str], name_of: Callable[[str], str]) -> str:
    renamed = {name: Name(name_of(name)) for name in order}
    text = render(Equation(substitute(equation.left, {**renamed}), substitute(equation.right, {**renamed})))
    return re.sub(r"(?<=[\w)])([-+*/=])(?=[\w(])", r" \1 ", text)


def _terms(numerator: Polynomial, denominator: Polynomial) -> list[_Term]:
    """The terms with exact coefficients; a denominator with names in it has been multiplied out."""
    divisor = denominator[0] if denominator.keys() == {0} else integer_content(numerator)
    return [(tuple(exponents(monomial)), Fraction(value, divisor)) for monomial, value in numerator.items()]


def _holds_unknown(term: _Term, slots: set[int]) -> bool:
    return any(index not in slots for index, _ in term[0])


def _place(term: _Term, slots: set[int]) -> tuple[object, ...]:
    """By unknowns in order of appearance, higher powers first, then by slots."""
    unknowns = [(index, -exponent) for index, exponent in term[0] if index not in slots]
    return (
        -sum(-exponent for _, exponent in unknowns),
        unknowns,
        [part for part in term[0] if part[0] in slots] or [(999, 0)],
    )


def _sum(terms: Sequence[_Term], known: Mapping[int, str], slots: set[int], name_of: Callable[[str], str]) -> str:
    text = ""
    for monomial, value in terms:
        first = sorted(monomial, key=lambda part: part[0] not in slots)
        factors = [name_of(known[index]) + (f" ^ {exponent}" if exponent > 1 else "") for index, exponent in first]
        if abs(value) != 1 or not factors:
            number = render_number(abs(value))
            factors.insert(0, f"({number})" if "/" in number and factors else number)
        sign = ("-" if value < 0 else "") if not text else (" - " if value < 0 else " + ")
        text += sign + " * ".join(factors)
    return text or "0"
