"""Polynomial systems: elimination, branches and exact roots.

``solve_polynomials`` returns assignments of the unknowns that are determined; an unknown that stays free is absent.
Exact arithmetic goes as far as one quadratic field reaches; beyond it values are approximated to 60 digits and come
back as ``Decimal``.
"""

from collections.abc import Sequence

from extractors.extraction_errors import ExtractionError
from extractors.polynomials.sparse_polynomials import (
    Monomial,
    Polynomial,
    add,
    coefficient_bits,
    coefficients_in,
    common_monomial,
    eliminate,
    is_constant,
    primitive,
    rounded,
    scale,
    total_degree,
    unknowns_of,
    variable,
)
from extractors.polynomials.univariate import univariate_roots
from extractors.real_numbers.values import long_arithmetic
from extractors.solve.assignments import Assignment, Run, put, put_assignment, ratio_value, vanishes

MAX_COMBINED = 8


def solve_polynomials(polynomials: Sequence[Polynomial], run: Run) -> list[Assignment]:
    """Assignments under which all polynomials vanish; empty where there are none.

    With ``run.approximated`` tiny coefficients count as zero. Raises ``LimitError``, and ``ExtractionError`` with the
    code ``unsupported`` where elimination does not end.
    """
    run.budget.spend(10 + sum(len(p) * (1 + long_arithmetic(coefficient_bits(p))) for p in polynomials))
    system = [p for p in (_clean(q, run.approximated) for q in polynomials) if p]
    if any(is_constant(p) for p in system):
        return []
    if not system:
        return [{}]
    for step in (_linear, _content, _univariate, _combined, _rational, _resultant):
        found = step(system, run)
        if found is not None:
            return found
    return [{}]


def _clean(p: Polynomial, approximated: bool) -> Polynomial:
    if approximated:
        return rounded(p)
    return primitive(p if all(p.values()) else {monomial: c for monomial, c in p.items() if c}) if p else p


def _occurrences(p: Polynomial, name: str) -> int:
    """The number of terms with an unknown."""
    return [unknown for monomial in p for unknown, _ in monomial].count(name)


def _linear(system: list[Polynomial], run: Run) -> list[Assignment] | None:
    """Eliminates an unknown that occurs linearly with a constant coefficient."""
    best: tuple[int, int, str] | None = None
    for index, p in enumerate(system):
        if best is not None and len(p) >= best[0]:
            continue
        for name, degree in unknowns_of(p).items():
            if degree == 1 and ((name, 1),) in p and _occurrences(p, name) == 1:
                best = (len(p), index, name)
                break
    if best is None:
        return None
    _, index, name = best
    parts = coefficients_in(system[index], name)
    top, bottom = scale(parts.get(0, {}), -1), parts[1]
    rest = [put(p, name, top, bottom, run) for k, p in enumerate(system) if k != index]
    out = solve_polynomials(rest, run.deeper()) if rest else [{}]
    return [_with_ratio(found, name, (top, bottom), run) for found in out]


def _with_ratio(found: Assignment, name: str, ratio: tuple[Polynomial, Polynomial], run: Run) -> Assignment:
    """The assignment with ``name = top/bottom`` where that has a value."""
    value = ratio_value(*ratio, found, run.approximated)
    return found if value is None else {**found, name: value}


def _content(system: list[Polynomial], run: Run) -> list[Assignment] | None:
    """``x*(...) = 0`` branches into both factors."""
    for index, p in enumerate(system):
        shared = common_monomial(p)
        if not shared or (len(p) == 1 and len(shared) == 1):
            continue
        rest = system[:index] + system[index + 1 :]
        quotient = {_without(monomial, dict(shared)): c for monomial, c in p.items()}
        out = [] if is_constant(quotient) else solve_polynomials([*rest, quotient], run.deeper())
        for name, _ in shared:
            more = solve_polynomials([*rest, variable(name)], run.deeper())
            out += [found for found in more if found not in out]
        return out
    return None


def _without(monomial: Monomial, shared: dict[str, int]) -> Monomial:
    left = ((name, exponent - shared.get(name, 0)) for name, exponent in monomial)
    return tuple(pair for pair in left if pair[1])


def _univariate(system: list[Polynomial], run: Run) -> list[Assignment] | None:
    """Takes the roots of a polynomial in one unknown and goes on with each."""
    single = [p for p in system if len(unknowns_of(p)) == 1]
    if not single:
        return None
    chosen = min(single, key=total_degree)
    (name,) = unknowns_of(chosen)
    rest = [p for p in system if p is not chosen]
    out: list[Assignment] = []
    for root in univariate_roots(chosen, name, run.approximated, run.budget):
        if not rest:
            out.append({name: root})
            continue
        put_in, onward = put_assignment(rest, {name: root}, run)
        out += [{**found, name: root} for found in solve_polynomials(put_in, onward.deeper())]
    return out


def _combined(system: list[Polynomial], run: Run) -> list[Assignment] | None:
    """Combines equations linearly, monomial by monomial, where that gives a polynomial in fewer unknowns.

    ``a^2+b^2 = 5`` and ``a*b = 2`` with ``x = a+b`` come down to ``x^2 = 9`` in this way.
    """
    if run.approximated or not 2 <= len(system) <= MAX_COMBINED:
        return None
    fewest = min(len(unknowns_of(p)) for p in system)
    rows = list(system)
    for index in range(len(rows)):
        if not rows[index]:
            continue
        head = max(rows[index], key=_rank)
        for other in range(index + 1, len(rows)):
            if head in rows[other]:
                run.budget.spend(len(rows[index]) + len(rows[other]))
                lifted = scale(rows[other], rows[index][head])
                rows[other] = primitive(add(lifted, scale(rows[index], rows[other][head]), -1))
    if all(rows) and min(len(unknowns_of(p)) for p in rows) >= fewest:
        return None
    return solve_polynomials(rows, run.deeper())


def _rank(monomial: Monomial) -> tuple[int, int, Monomial]:
    return sum(exponent for _, exponent in monomial), len(monomial), monomial


def _rational(system: list[Polynomial], run: Run) -> list[Assignment] | None:
    """Eliminates an unknown that occurs linearly: ``A*v + B = 0`` gives ``v = -B/A`` or ``A = B = 0``."""
    if len(system) < 2:
        return None
    choices = [
        (len(p) + 3 * _occurrences(p, name), index, name)
        for index, p in enumerate(system)
        for name, degree in unknowns_of(p).items()
        if degree == 1
    ]
    if not choices:
        return None
    _, index, name = min(choices)
    parts = coefficients_in(system[index], name)
    head, tail = parts[1], parts.get(0, {})
    rest = system[:index] + system[index + 1 :]
    top = scale(tail, -1)
    put_in = [put(p, name, top, head, run) for p in rest]
    found = [values for values in solve_polynomials(put_in, run.deeper()) if not vanishes(head, values)]
    out = [_with_ratio(values, name, (top, head), run) for values in found]
    degenerate = solve_polynomials([*rest, head, tail], run.deeper())
    return out + [values for values in degenerate if values not in out]


def _resultant(system: list[Polynomial], run: Run) -> list[Assignment] | None:
    """Eliminates an unknown from two equations and checks what comes back against both."""
    if len(system) < 2:
        return None
    first, *others = sorted(system, key=lambda p: (total_degree(p), len(p)))
    for index, second in enumerate(others):
        shared = [name for name in unknowns_of(first) if name in unknowns_of(second)]
        if not shared:
            continue
        lifted = eliminate(first, second, shared[0], run.budget)
        if not lifted:
            raise ExtractionError("two equations share a factor", code="unsupported")
        rest = others[:index] + others[index + 1 :]
        return _lifted(first, second, solve_polynomials([lifted, *rest], run.deeper()), run)
    raise ExtractionError("equations without a common unknown", code="unsupported")


def _lifted(first: Polynomial, second: Polynomial, found: list[Assignment], run: Run) -> list[Assignment]:
    """Completes assignments of the other unknowns to zeros of both polynomials."""
    out: list[Assignment] = []
    for partial in found:
        pair, onward = put_assignment([first, second], partial, run)
        for rest in solve_polynomials(pair, onward.deeper()):
            full: Assignment = {**partial, **rest}
            if full not in out:
                out.append(full)
    return out
