"""Equation systems solved over the field of their slots, in a form that does not depend on how they were written.

Input are polynomials that are zero, with the variables that are unknowns; everything else is a parameter. The result
is a presentation: elements whose set is the same for systems that are equivalent. ``PresentationKind`` says what holds
where.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import or_

from curation.canonical_form import Element
from extractors.extraction_errors import LimitError
from extractors.templates.divisors import content_over, determinant, divide, reduced, resultant, square_free
from extractors.templates.template_polynomials import (
    FIELD,
    MAX_VARIABLES,
    ONE,
    ZERO,
    Polynomial,
    add,
    coefficients,
    degree,
    integer_content,
    mask_of,
    multiply,
    power,
    scale,
    substitute,
    variable,
    variables,
)

MAX_CIRCUITS = 400
MAX_RESULTANT = 14
SMALL_TERMS, SMALL_BITS = 12, 200
_LARGE = sum(0x70 << (FIELD * index) for index in range(MAX_VARIABLES))
"""The bits of exponents above 15."""


class PresentationKind(StrEnum):
    """How a system is presented, and what equality of presentations (up to renaming) then means."""

    EXPLICIT = "explicit"
    """Every unknown is one rational function of the slots: equal exactly when equivalent."""
    UNDERDETERMINED = "underdetermined"
    """Linear, fewer independent equations than unknowns, by the circuits of their row space: equal exactly when
    equivalent."""
    ALGEBRAIC = "algebraic"
    """Non-linear with one equation in one unknown left: every unknown by its square-free eliminant. Systems with the
    same values are equal as long as both come to one equation in one unknown (adding a non-linear equation to the only
    linear one hides it); systems that differ only in which roots go together are not told apart."""
    EQUATIONS = "equations"
    """Anything else (over-determined, non-linear, not rational), by the equations: equal systems are equivalent; only
    renaming, reordering, rescaling and expanding are undone."""


@dataclass(frozen=True)
class Presentation:
    """The elements to be labelled; ``marker`` is the variable that stands for the root in eliminants, if any."""

    kind: PresentationKind
    elements: tuple[Element, ...]


@dataclass
class _Elimination:
    """Solved unknowns in order of solving, each over unknowns solved later or left, and the equations left."""

    solved: list[tuple[int, Polynomial, Polynomial]]
    rest: list[Polynomial]


def present(equations: Sequence[Polynomial], unknowns: Sequence[int], marker: int) -> Presentation:
    """Present a system; ``marker`` is an unused variable for the root in eliminants. LimitError beyond the bounds."""
    mask = mask_of(unknowns)
    explicit = _by_cramer([equation for equation in equations if equation], unknowns, mask)
    if explicit:
        return Presentation(PresentationKind.EXPLICIT, explicit)
    cleaned = [without_parameters(equation, mask) for equation in equations if equation]
    if not cleaned or any(not _occur(equation, mask) for equation in cleaned):
        return Presentation(PresentationKind.EQUATIONS, _singletons(cleaned))
    outcome = _eliminate(cleaned, mask)
    values = _back_substitute(outcome.solved, mask)
    free = [u for u in unknowns if u not in values]
    if not free and not outcome.rest:
        return Presentation(PresentationKind.EXPLICIT, tuple(values.values()))
    if all(_is_linear(equation, mask) for equation in cleaned):
        return _present_linear(cleaned, outcome, unknowns)
    if len(free) == 1 and len(outcome.rest) == 1 and _occur(outcome.rest[0], mask):
        return _present_algebraic(outcome.rest[0], values, free[0], marker)
    return Presentation(PresentationKind.EQUATIONS, _singletons(cleaned))


def _by_cramer(equations: Sequence[Polynomial], unknowns: Sequence[int], mask: int) -> tuple[Element, ...]:
    """The unknowns of one or two small regular linear equations as reduced fractions; nothing for other systems.

    Elimination gives the same fractions with more divisions; most templates are such systems.
    """
    if not 0 < len(unknowns) == len(equations) <= 2 or not all(map(_is_small, equations)):
        return ()
    rows = [_linear_row(equation, unknowns, mask) for equation in equations]
    if not all(rows):
        return ()
    if len(rows) == 1:
        slope, rest = rows[0]
        return (reduced(scale(rest, -1), slope),) if slope else ()
    (a, b, c), (d, e, f) = rows
    regular = _minor(a, b, d, e)
    return (reduced(_minor(b, c, e, f), regular), reduced(_minor(c, a, f, d), regular)) if regular else ()


def _is_small(equation: Polynomial) -> bool:
    """Whether nothing that is computed from two such equations comes near the bounds of polynomials."""
    if len(equation) > SMALL_TERMS or reduce(or_, equation) & _LARGE:
        return False
    return max(map(int.bit_length, equation.values())) <= SMALL_BITS


def _linear_row(equation: Polynomial, unknowns: Sequence[int], mask: int) -> list[Polynomial]:
    """The coefficients of the unknowns and the rest; nothing where the equation is not linear in them."""
    parts: dict[int, Polynomial] = {1 << (FIELD * index): {} for index in unknowns}
    parts[0] = {}
    for monomial, coefficient in equation.items():
        part = parts.get(monomial & mask)
        if part is None:
            return []
        part[monomial & ~mask] = coefficient
    return list(parts.values())


def _minor(a: Polynomial, b: Polynomial, c: Polynomial, d: Polynomial) -> Polynomial:
    return add(multiply(a, d), multiply(b, c), -1)


def without_parameters(equation: Polynomial, mask: int) -> Polynomial:
    """The equation divided by every factor that is free of the unknowns in ``mask``."""
    if not equation:
        return ZERO
    if not _occur(equation, mask):
        return _without_number(equation)
    return divide(equation, content_over(equation, mask))


def _without_number(polynomial: Polynomial) -> Polynomial:
    number = integer_content(polynomial)
    return {monomial: value // number for monomial, value in polynomial.items()} if number > 1 else polynomial


def _occur(polynomial: Polynomial, mask: int) -> bool:
    return any(map(mask.__and__, polynomial))


def _singletons(equations: Sequence[Polynomial]) -> tuple[Element, ...]:
    return tuple((equation,) for equation in equations)


def _is_linear(equation: Polynomial, mask: int) -> bool:
    ones = {1 << (FIELD * index) for index in variables({mask: 1})}
    return all(not monomial & mask or monomial & mask in ones for monomial in equation)


def _eliminate(equations: Sequence[Polynomial], mask: int) -> _Elimination:
    """Solve for unknowns that occur linearly with a coefficient free of unknowns, cheapest pivot first."""
    rest = list(equations)
    solved: list[tuple[int, Polynomial, Polynomial]] = []
    while (pivot := _pivot(rest, mask)) is not None:
        equation, index, lead = pivot
        numerator = scale(coefficients(equation, index).get(0, ZERO), -1)
        solved.append((index, numerator, lead))
        others = [other for other in rest if other is not equation]
        replaced = [substitute(o, index, numerator, lead) if degree(o, index) else o for o in others]
        rest = [without_parameters(equation, mask) for equation in replaced if equation]
    return _Elimination(solved, rest)


def _pivot(equations: Sequence[Polynomial], mask: int) -> tuple[Polynomial, int, Polynomial] | None:
    """The cheapest (equation, unknown, its coefficient) to solve for.

    Equations with few unknowns first, so that neither names nor order decide what a product of unknowns comes to; then
    constant coefficients.
    """
    best: tuple[tuple[int, bool, int, int, int], tuple[Polynomial, int, Polynomial]] | None = None
    for equation in equations:
        inside = [index for index in variables(equation) if mask >> (FIELD * index) & 1]
        for index in inside:
            if degree(equation, index) != 1:
                continue
            lead = coefficients(equation, index)[1]
            if _occur(lead, mask):
                continue
            cost = (len(inside), lead.keys() != {0}, len(equation), len(lead), index)
            if best is None or cost < best[0]:
                best = (cost, (equation, index, lead))
    return best[1] if best else None


def _back_substitute(
    solved: Sequence[tuple[int, Polynomial, Polynomial]], mask: int
) -> dict[int, tuple[Polynomial, Polynomial]]:
    """Every solved unknown as a reduced fraction over parameters and unknowns that are not solved."""
    values: dict[int, tuple[Polynomial, Polynomial]] = {}
    for index, numerator, denominator in reversed(solved):
        top, bottom = numerator, denominator
        for inner in variables(numerator):
            if inner in values and mask >> (FIELD * inner) & 1:
                inner_top, inner_bottom = values[inner]
                bottom = multiply(bottom, power(inner_bottom, degree(top, inner)))
                top = substitute(top, inner, inner_top, inner_bottom)
        values[index] = reduced(top, bottom)
    return values


def _present_linear(equations: Sequence[Polynomial], outcome: _Elimination, unknowns: Sequence[int]) -> Presentation:
    """Circuits of the row space where the system is consistent for all slots, else the equations themselves."""
    mask = mask_of(unknowns)
    rank = len(outcome.solved)
    if outcome.rest or math.comb(len(unknowns) + 1, rank - 1) > MAX_CIRCUITS:
        return Presentation(PresentationKind.EQUATIONS, _singletons(equations))
    columns = [*unknowns, None]
    rows = []
    for index, numerator, denominator in outcome.solved:
        row = add(multiply(denominator, variable(index)), numerator, -1)
        rows.append([_column(row, column, mask) for column in columns])
    circuits = [_circuit(rows, columns, kept) for kept in itertools.combinations(range(len(columns)), rank - 1)]
    primitive = [_signed(without_parameters(circuit, mask)) for circuit in circuits if circuit]
    distinct = {tuple(sorted(circuit.items())): circuit for circuit in primitive}
    return Presentation(PresentationKind.UNDERDETERMINED, _singletons([distinct[key] for key in sorted(distinct)]))


def _signed(polynomial: Polynomial) -> Polynomial:
    return scale(polynomial, -1) if polynomial[max(polynomial)] < 0 else polynomial


def _column(row: Polynomial, unknown: int | None, mask: int) -> Polynomial:
    if unknown is None:
        return {monomial: value for monomial, value in row.items() if not monomial & mask}
    return coefficients(row, unknown).get(1, ZERO)


def _circuit(rows: Sequence[Sequence[Polynomial]], columns: Sequence[int | None], kept: Sequence[int]) -> Polynomial:
    """The combination of the rows in which the columns ``kept`` vanish (zero if they are dependent)."""
    total = ZERO
    for place, column in enumerate(columns):
        if place not in kept:
            minor = determinant([[row[k] for k in kept] + [row[place]] for row in rows])
            total = add(total, multiply(minor, ONE if column is None else variable(column)))
    return total


def _present_algebraic(
    equation: Polynomial, values: dict[int, tuple[Polynomial, Polynomial]], root: int, marker: int
) -> Presentation:
    """Every unknown by its eliminant in ``marker``, or by its fraction where it does not depend on the root."""
    elements: list[Element] = [_value(_renamed(_eliminant(equation, root), root, marker), marker)]
    for numerator, denominator in values.values():
        if not degree(numerator, root) and not degree(denominator, root):
            elements.append((numerator, denominator))
            continue
        link = add(multiply(denominator, variable(marker)), numerator, -1)
        if degree(equation, root) + degree(link, root) > MAX_RESULTANT:
            raise LimitError(f"an eliminant of more than {MAX_RESULTANT} rows")
        elements.append(_value(_eliminant(resultant(equation, link, root), marker), marker))
    return Presentation(PresentationKind.ALGEBRAIC, tuple(elements))


def _value(eliminant: Polynomial, marker: int) -> Element:
    """The eliminant; a fraction where it has one root, as from an order of elimination that met no root on the way."""
    if degree(eliminant, marker) != 1:
        return (eliminant,)
    parts = coefficients(eliminant, marker)
    return reduced(scale(parts.get(0, ZERO), -1), parts[1])


def _eliminant(polynomial: Polynomial, index: int) -> Polynomial:
    return without_parameters(square_free(polynomial, index), mask_of([index]))


def _renamed(polynomial: Polynomial, old: int, new: int) -> Polynomial:
    total: Polynomial = ZERO
    for exponent, part in coefficients(polynomial, old).items():
        total = add(total, multiply(part, power(variable(new), exponent)))
    return total
