"""Polynomial systems: elimination, branches and exact roots.

``solve_polynomials`` returns assignments of the unknowns that are determined; an unknown that stays free is absent.
Exact arithmetic goes as far as one quadratic field reaches; beyond it values are approximated to 60 digits and come
back as ``Decimal``.
"""

from collections.abc import Sequence
from math import comb

from extractors.extraction_errors import ExtractionError, LimitError
from extractors.polynomials.integer_polynomials import (
    Polynomial,
    bounded,
    coefficient_bits,
    primitive,
    resultant,
    rounded,
)
from extractors.polynomials.roots import MAX_DEGREE
from extractors.real_numbers.values import MAX_BITS, long_arithmetic
from extractors.solve.assignments import (
    EliminationState,
    VariableValues,
    length,
    put,
    put_assignment,
    ratio_value,
    roots,
    unknowns,
    vanishes,
)

MAX_COMBINED = 8

Degrees = dict[int, int]
"""The unknowns of a polynomial with their degrees."""


def solve_polynomials(polynomials: Sequence[Polynomial], run: EliminationState) -> list[VariableValues]:
    """Assignments under which all polynomials vanish; empty where there are none.

    With ``run.approximated`` tiny coefficients count as zero. Raises ``LimitError``, and ``ExtractionError`` with the
    code ``unsupported`` where elimination does not end.
    """
    run.budget.spend(10 + sum(len(p) * (1 + long_arithmetic(coefficient_bits(p))) for p in polynomials))
    system = [p for p in (_clean(q, run.approximated) for q in polynomials) if p]
    degrees = [unknowns(p) for p in system]
    if not all(degrees):
        return []
    if not system:
        return [{}]
    for step in (_linear, _content, _univariate, _combined, _rational, _resultant):
        found = step(system, degrees, run)
        if found is not None:
            return found
    return [{}]


def _clean(p: Polynomial, approximated: bool) -> Polynomial:
    return rounded(p) if approximated else primitive(p)


def _linear(system: list[Polynomial], degrees: list[Degrees], run: EliminationState) -> list[VariableValues] | None:
    """Eliminates an unknown that occurs linearly with a constant coefficient."""
    best: tuple[int, int, int] | None = None
    for place, p in enumerate(system):
        if best is not None and length(p, run) >= best[0]:
            continue
        for index, degree in degrees[place].items():
            if degree == 1 and not unknowns(p.derivative(index)):
                best = (length(p, run), place, index)
                break
    if best is None:
        return None
    _, place, index = best
    ratio = _solved_for(system[place], index)
    rest = [put(p, index, ratio, run) for k, p in enumerate(system) if k != place]
    out = solve_polynomials(rest, run.deeper()) if rest else [{}]
    return [_with_ratio(found, index, ratio, run) for found in out]


def _solved_for(p: Polynomial, index: int) -> tuple[Polynomial, Polynomial]:
    """The quotient that an unknown is which occurs linearly."""
    head = p.derivative(index)
    return head * p.context().gen(index) - p, head


def _with_ratio(
    found: VariableValues, index: int, ratio: tuple[Polynomial, Polynomial], run: EliminationState
) -> VariableValues:
    """The assignment with a quotient for an unknown where that has a value."""
    value = ratio_value(*ratio, found, run)
    return found if value is None else {**found, index: value}


def _content(system: list[Polynomial], degrees: list[Degrees], run: EliminationState) -> list[VariableValues] | None:
    """``x*(...) = 0`` branches into both factors."""
    for place, p in enumerate(system):
        content = p.term_content()
        shared = {} if content.is_constant() else unknowns(content)
        if not shared or (len(p) == 1 and len(shared) == 1):
            continue
        rest = system[:place] + system[place + 1 :]
        quotient = p // content
        out = solve_polynomials([*rest, quotient], run.deeper()) if unknowns(quotient) else []
        for index in shared:
            more = solve_polynomials([*rest, p.context().gen(index)], run.deeper())
            out += [found for found in more if found not in out]
        return out
    return None


def _univariate(system: list[Polynomial], degrees: list[Degrees], run: EliminationState) -> list[VariableValues] | None:
    """Takes the roots of a polynomial in one unknown and goes on with each."""
    single = [place for place, own in enumerate(degrees) if len(own) == 1]
    if not single:
        return None
    place = min(single, key=lambda place: max(degrees[place].values()))
    (index,) = degrees[place]
    chosen = system[place]
    rest = [p for p in system if p is not chosen]
    out: list[VariableValues] = []
    for root in roots(chosen, index, run):
        if not rest:
            out.append({index: root})
            continue
        put_in, onward = put_assignment(rest, {index: root}, run)
        out += [{**found, index: root} for found in solve_polynomials(put_in, onward.deeper())]
    return out


def _combined(system: list[Polynomial], degrees: list[Degrees], run: EliminationState) -> list[VariableValues] | None:
    """Combines equations linearly, monomial by monomial, where that gives a polynomial in fewer unknowns.

    ``a^2+b^2 = 5`` and ``a*b = 2`` with ``x = a+b`` come down to ``x^2 = 9`` in this way.
    """
    if run.approximated or not 2 <= len(system) <= MAX_COMBINED:
        return None
    fewest = min(map(len, degrees))
    rows = list(system)
    for index in range(len(rows)):
        if not rows[index]:
            continue
        head = max(rows[index].monoms(), key=_rank)
        for other in range(index + 1, len(rows)):
            if own := rows[other][head]:
                run.budget.spend(len(rows[index]) + len(rows[other]))
                rows[other] = primitive(bounded(rows[other] * rows[index][head] - rows[index] * own))
    if all(rows) and min(len(unknowns(p)) for p in rows) >= fewest:
        return None
    return solve_polynomials(rows, run.deeper())


def _rank(monomial: tuple[int, ...]) -> tuple[int, int, list[tuple[int, int]]]:
    powers = [(index, exponent) for index, exponent in enumerate(monomial) if exponent]
    return sum(exponent for _, exponent in powers), len(powers), powers


def _rational(system: list[Polynomial], degrees: list[Degrees], run: EliminationState) -> list[VariableValues] | None:
    """Eliminates an unknown that occurs linearly: ``A*v + B = 0`` gives ``v = -B/A`` or ``A = B = 0``."""
    if len(system) < 2:
        return None
    choices = [
        (length(p, run) + 3 * length(p.derivative(index), run), place, index)
        for place, p in enumerate(system)
        for index, degree in degrees[place].items()
        if degree == 1
    ]
    if not choices:
        return None
    _, place, index = min(choices)
    top, head = ratio = _solved_for(system[place], index)
    rest = system[:place] + system[place + 1 :]
    put_in = [put(p, index, ratio, run) for p in rest]
    found = [values for values in solve_polynomials(put_in, run.deeper()) if not vanishes(head, values, run)]
    out = [_with_ratio(values, index, ratio, run) for values in found]
    degenerate = solve_polynomials([*rest, head, -top], run.deeper())
    return out + [values for values in degenerate if values not in out]


def _resultant(system: list[Polynomial], degrees: list[Degrees], run: EliminationState) -> list[VariableValues] | None:
    """Eliminates an unknown from two equations and checks what comes back against both."""
    if len(system) < 2:
        return None
    first, *others = sorted(system, key=lambda p: (p.total_degree(), length(p, run)))
    for index, second in enumerate(others):
        shared = [index for index in unknowns(first) if index in unknowns(second)]
        if not shared:
            continue
        lifted = _eliminated(first, second, shared[0], run)
        if not lifted:
            raise ExtractionError("two equations share a factor", code="unsupported")
        rest = others[:index] + others[index + 1 :]
        return _lifted(first, second, solve_polynomials([lifted, *rest], run.deeper()), run)
    raise ExtractionError("equations without a common unknown", code="unsupported")


def _eliminated(p: Polynomial, q: Polynomial, index: int, run: EliminationState) -> Polynomial:
    """A polynomial without an unknown that vanishes wherever two others do.

    Bézout's theorem bounds its size, and the degrees in the unknown how often such a polynomial is worked out.
    """
    degree, (low, high) = p.total_degree() * q.total_degree(), (unknowns(p)[index], unknowns(q)[index])
    others = len({*unknowns(p), *unknowns(q)}) - 1
    bits = coefficient_bits(p) * high + coefficient_bits(q) * low
    if degree > 4 * MAX_DEGREE or bits > MAX_BITS:
        raise LimitError(f"an elimination of degree {degree}")
    run.budget.spend(comb(degree + others, others) * (1 + long_arithmetic(bits)) * (low + high))
    return primitive(bounded(run.reduced(resultant(p, q, index))))


def _lifted(
    first: Polynomial, second: Polynomial, found: list[VariableValues], run: EliminationState
) -> list[VariableValues]:
    """Completes assignments of the other unknowns to zeros of both polynomials."""
    out: list[VariableValues] = []
    for partial in found:
        pair, onward = put_assignment([first, second], partial, run)
        for rest in solve_polynomials(pair, onward.deeper()):
            full: VariableValues = {**partial, **rest}
            if full not in out:
                out.append(full)
    return out
