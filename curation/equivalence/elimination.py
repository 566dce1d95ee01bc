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

from curation.equivalence.canonical_form import SolvedElement
from extractors.extraction_errors import LimitError
from extractors.polynomials.integer_polynomials import (
    Polynomial,
    content_over,
    degree,
    determinant,
    multiply,
    occurs,
    positive,
    power,
    primitive,
    reduced,
    resultant,
    square_free,
    substitute,
    terms,
    unknowns_of,
)

MAX_CIRCUITS = 400
MAX_RESULTANT = 14


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
    elements: tuple[SolvedElement, ...]


@dataclass
class _Elimination:
    """Solved unknowns in order of solving, each over unknowns solved later or left, and the equations left."""

    solved: list[tuple[int, Polynomial, Polynomial]]
    rest: list[Polynomial]


def present(equations: Sequence[Polynomial], unknowns: Sequence[int], marker: int) -> Presentation:
    """Present a system; ``marker`` is an unused variable for the root in eliminants. LimitError beyond the bounds."""
    explicit = _by_cramer([equation for equation in equations if equation], unknowns)
    if explicit:
        return Presentation(PresentationKind.EXPLICIT, explicit)
    cleaned = [without_parameters(equation, unknowns) for equation in equations if equation]
    if not cleaned or any(not occurs(equation, unknowns) for equation in cleaned):
        return Presentation(PresentationKind.EQUATIONS, _singletons(cleaned))
    outcome = _eliminate(cleaned, unknowns)
    values = _back_substitute(outcome.solved, unknowns)
    free = [u for u in unknowns if u not in values]
    if not free and not outcome.rest:
        return Presentation(PresentationKind.EXPLICIT, tuple(values.values()))
    if all(_is_linear(equation, unknowns) for equation in cleaned):
        return _present_linear(cleaned, outcome, unknowns)
    if len(free) == 1 and len(outcome.rest) == 1 and occurs(outcome.rest[0], unknowns):
        return _present_algebraic(outcome.rest[0], values, free[0], marker)
    return Presentation(PresentationKind.EQUATIONS, _singletons(cleaned))


def _by_cramer(equations: Sequence[Polynomial], unknowns: Sequence[int]) -> tuple[SolvedElement, ...]:
    """The unknowns of one or two regular linear equations as reduced fractions; nothing for other systems.

    Elimination gives the same fractions with more divisions; most templates are such systems.
    """
    if not 0 < len(unknowns) == len(equations) <= 2:
        return ()
    rows: list[list[Polynomial]] = []
    for equation in equations:
        slopes = [equation.derivative(index) for index in unknowns]
        if any(occurs(slope, unknowns) for slope in slopes):
            return ()
        rows.append([*slopes, _column(equation, None, unknowns)])
    if len(rows) == 1:
        slope, rest = rows[0]
        return (reduced(-rest, slope),) if slope else ()
    (a, b, c), (d, e, f) = rows
    regular = _minor(a, b, d, e)
    return (reduced(_minor(b, c, e, f), regular), reduced(_minor(c, a, f, d), regular)) if regular else ()


def _minor(a: Polynomial, b: Polynomial, c: Polynomial, d: Polynomial) -> Polynomial:
    return multiply(a, d) - multiply(b, c)


def without_parameters(equation: Polynomial, unknowns: Sequence[int]) -> Polynomial:
    """The equation divided by every factor that is free of the unknowns."""
    if not equation or not occurs(equation, unknowns):
        return primitive(equation)
    return equation // content_over(equation, unknowns)


def _singletons(equations: Sequence[Polynomial]) -> tuple[SolvedElement, ...]:
    return tuple((equation,) for equation in equations)


def _is_linear(equation: Polynomial, unknowns: Sequence[int]) -> bool:
    return all(sum([monomial[index] for index in unknowns]) < 2 for monomial in equation.monoms())


def _eliminate(equations: Sequence[Polynomial], unknowns: Sequence[int]) -> _Elimination:
    """Solve for unknowns that occur linearly with a coefficient free of unknowns, cheapest pivot first."""
    rest = list(equations)
    solved: list[tuple[int, Polynomial, Polynomial]] = []
    while (pivot := _pivot(rest, unknowns)) is not None:
        equation, index, lead = pivot
        numerator = lead * equation.context().gen(index) - equation
        solved.append((index, numerator, lead))
        others = [other for other in rest if other is not equation]
        replaced = [substitute(other, index, numerator, lead) for other in others]
        rest = [without_parameters(equation, unknowns) for equation in replaced if equation]
    return _Elimination(solved, rest)


def _pivot(equations: Sequence[Polynomial], unknowns: Sequence[int]) -> tuple[Polynomial, int, Polynomial] | None:
    """The cheapest (equation, unknown, its coefficient) to solve for.

    Equations with few unknowns first, so that neither names nor order decide what a product of unknowns comes to; then
    constant coefficients.
    """
    best: tuple[tuple[int, bool, int, int, int], tuple[Polynomial, int, Polynomial]] | None = None
    for equation in equations:
        degrees = equation.degrees()
        inside = [index for index in unknowns if degrees[index] > 0]
        for index in inside:
            if degrees[index] != 1:
                continue
            lead = equation.derivative(index)
            if occurs(lead, unknowns):
                continue
            cost = (len(inside), not lead.is_constant(), len(equation), len(lead), index)
            if best is None or cost < best[0]:
                best = (cost, (equation, index, lead))
    return best[1] if best else None


def _back_substitute(
    solved: Sequence[tuple[int, Polynomial, Polynomial]], unknowns: Sequence[int]
) -> dict[int, tuple[Polynomial, Polynomial]]:
    """Every solved unknown as a reduced fraction over parameters and unknowns that are not solved."""
    values: dict[int, tuple[Polynomial, Polynomial]] = {}
    for index, numerator, denominator in reversed(solved):
        top, bottom = numerator, denominator
        for inner in unknowns_of(numerator):
            if inner in values and inner in unknowns:
                inner_top, inner_bottom = values[inner]
                bottom = multiply(bottom, power(inner_bottom, degree(top, inner)))
                top = substitute(top, inner, inner_top, inner_bottom)
        values[index] = reduced(top, bottom)
    return values


def _present_linear(equations: Sequence[Polynomial], outcome: _Elimination, unknowns: Sequence[int]) -> Presentation:
    """Circuits of the row space where the system is consistent for all slots, else the equations themselves."""
    rank = len(outcome.solved)
    if outcome.rest or math.comb(len(unknowns) + 1, rank - 1) > MAX_CIRCUITS:
        return Presentation(PresentationKind.EQUATIONS, _singletons(equations))
    columns = [*unknowns, None]
    rows = []
    for index, numerator, denominator in outcome.solved:
        row = multiply(denominator, numerator.context().gen(index)) - numerator
        rows.append([_column(row, column, unknowns) for column in columns])
    circuits = [_circuit(rows, columns, kept) for kept in itertools.combinations(range(len(columns)), rank - 1)]
    primitive = [positive(without_parameters(circuit, unknowns)) for circuit in circuits if circuit]
    distinct = {tuple(terms(circuit)): circuit for circuit in primitive}
    return Presentation(PresentationKind.UNDERDETERMINED, _singletons([distinct[key] for key in sorted(distinct)]))


def _column(row: Polynomial, column: int | None, unknowns: Sequence[int]) -> Polynomial:
    """The coefficient of an unknown in a linear equation; for None what is free of unknowns."""
    return row.subs(dict.fromkeys(unknowns, 0)) if column is None else row.derivative(column)


def _circuit(rows: Sequence[Sequence[Polynomial]], columns: Sequence[int | None], kept: Sequence[int]) -> Polynomial:
    """The combination of the rows in which the columns ``kept`` vanish (zero if they are dependent)."""
    ring = rows[0][0].context()
    total = ring.constant(0)
    for place, column in enumerate(columns):
        if place not in kept:
            minor = determinant([[row[k] for k in kept] + [row[place]] for row in rows])
            total += minor if column is None else multiply(minor, ring.gen(column))
    return total


def _present_algebraic(
    equation: Polynomial, values: dict[int, tuple[Polynomial, Polynomial]], root: int, marker: int
) -> Presentation:
    """Every unknown by its eliminant in ``marker``, or by its fraction where it does not depend on the root."""
    ring = equation.context()
    own = substitute(_eliminant(equation, root), root, ring.gen(marker), ring.constant(1))
    elements: list[SolvedElement] = [_value(own, marker)]
    for numerator, denominator in values.values():
        if not degree(numerator, root) and not degree(denominator, root):
            elements.append((numerator, denominator))
            continue
        link = multiply(denominator, ring.gen(marker)) - numerator
        if degree(equation, root) + degree(link, root) > MAX_RESULTANT:
            raise LimitError(f"an eliminant of more than {MAX_RESULTANT} rows")
        elements.append(_value(_eliminant(resultant(equation, link, root), marker), marker))
    return Presentation(PresentationKind.ALGEBRAIC, tuple(elements))


def _value(eliminant: Polynomial, marker: int) -> SolvedElement:
    """The eliminant; a fraction where it has one root, as from an order of elimination that met no root on the way."""
    if degree(eliminant, marker) != 1:
        return (eliminant,)
    lead = eliminant.derivative(marker)
    return reduced(lead * eliminant.context().gen(marker) - eliminant, lead)


def _eliminant(polynomial: Polynomial, index: int) -> Polynomial:
    return without_parameters(square_free(polynomial, index), [index])
