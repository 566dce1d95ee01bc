"""The systems of one answer: what it sets up, with the quantities that it announces, and what it calculates.

Nothing is ruled out here: every system that has a solution is offered, with the evidence for and against it.
"""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from extractors.equations.derived_quantities import Quantity, quantities_of
from extractors.equations.document import Document, variants
from extractors.equations.drafts import AnswerReading, Composer, Draft, Drafted, EquationLine
from extractors.equations.equation_candidates import ArithmeticStep, CandidateEquation, candidates_of
from extractors.equations.given import Given
from extractors.equations.identities import are_near_ratios, constant_value, is_near
from extractors.equations.setups import Effect, Setup, holds, without_laws
from extractors.equations.thread_equations import AnswerSystem, Kind
from extractors.expressions.tree import Binary, Equation, Name, Node, Num
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import Budget, Value, approximate
from extractors.solve.equation_systems import Status
from extractors.solve.tree_evaluation import UnknownValueError, evaluate_tree

FRESH = "xyzmnopqrstuvwabcdfghjk"
MAX_RETRIES = 4
MAX_STEPS_BACK = 3
MAX_KNOWN = 24
_TOGETHER = (2, 3)
"""How many of the last calculations may be the answer together."""
_NUMERAL = re.compile(r"[\d,.]*\d")
_CLOSE = Fraction(1, 1000)
_ROUNDED = Fraction(2, 1000)
"""Of a value with decimals, which may be rounded to two of them."""


def systems_of(document: Document, given: Given, steps: int) -> list[AnswerSystem]:
    """The systems of a text in order of appearance, none twice; equations beyond the steps are skipped."""
    budget, found = Budget(steps), list[AnswerSystem]()
    seen: list[list[Equation]] = []
    for text in (document, *variants(document)):
        reading = AnswerReading(candidates_of(text), given, budget)
        for draft in drafts_of(reading):
            trees = [line.equation for line in draft.equations]
            if trees not in seen:
                seen.append(trees)
                found.append(_system(Drafted(draft, reading)))
    return found


def _system(drafted: Drafted) -> AnswerSystem:
    """A draft written down, with its evidence."""
    document, lines = drafted.reading.candidates.document, drafted.draft.equations
    spans = tuple([document.plain.source_span(*document.whole(line.start, line.end)) for line in lines])
    evidence = drafted.evidence() if drafted.rows else ()
    return drafted.system._replace(spans=spans, evidence=evidence)


def drafts_of(reading: AnswerReading) -> Iterator[Draft]:
    """The systems of an answer: set-ups, then calculations."""
    for setup, kind in _setups(reading):
        yield from _drafts(setup, kind, reading)
    for values in _final_values(reading):
        yield from _drafts(_proved(values, reading), Kind.PROVED, reading)
    yield from _calculated(reading)
    yield from _told(reading)


def _assignment(candidate: CandidateEquation) -> tuple[str, Fraction] | None:
    """The unknown and the value of an equation that assigns one; None for others."""
    left, right = candidate.equation.left, candidate.equation.right
    for name, value in ((left, right), (right, left)) if candidate.assigns else ():
        number = constant_value(value)
        if isinstance(name, Name) and number is not None:
            return name.name, number
    return None


def _final_values(reading: AnswerReading) -> Iterator[dict[str, Value]]:
    """The last value that the answer gives to each unknown; then the last but one, where an unknown has several."""
    found: dict[str, list[Value]] = {}
    for candidate in reading.candidates.equations:
        assigned = _assignment(candidate)
        if assigned is not None:
            found.setdefault(assigned[0], []).append(assigned[1])
    if found:
        yield {name: values[-1] for name, values in found.items()}
    several = {name: list(dict.fromkeys(values)) for name, values in found.items()}
    if any(len(values) > 1 for values in several.values()):
        yield {name: values[-2] if len(values) > 1 else values[-1] for name, values in several.items()}


def _proved(values: dict[str, Value], reading: AnswerReading) -> Setup:
    """A set-up of the first equations that hold for some values; those that do not hold contradict it."""
    setup = Setup(reading.budget)
    for candidate in reading.candidates.equations:
        if not candidate.assigns and all(name in values for name in candidate.names):
            if holds(candidate.equation, values):
                setup.offer(candidate)
            else:
                setup.contradicted += 1
    return setup


def _setups(reading: AnswerReading) -> Iterator[tuple[Setup, Kind]]:
    """The set-up; where the answer contradicts it often, one without an equation; one of what contradicts it."""
    equations = [c for c in reading.candidates.equations if not c.checking]
    if not equations:
        return
    first, rest = _fill(equations, reading)
    yield first, Kind.SETUP
    if first.contradicted > first.confirmed and first.equations:
        mended, left = _retry(equations, first, rest, reading)
        if mended is not first:
            yield mended, Kind.MENDED
            rest = left
    if rest:
        yield _fill(rest, reading)[0], Kind.SECOND


def _merit(setup: Setup) -> int:
    return setup.confirmed - setup.contradicted


def _fill(equations: Sequence[CandidateEquation], reading: AnswerReading) -> tuple[Setup, list[CandidateEquation]]:
    """A set-up of the equations in order, results last, and the equations that contradict it."""
    setup, rest = Setup(reading.budget), list[CandidateEquation]()
    for candidate in equations:
        if not candidate.assigns and setup.offer(candidate) is Effect.CONTRADICTS:
            rest.append(candidate)
    for candidate in equations:
        if candidate.assigns and all(name in setup.determined for name in candidate.names):
            setup.offer(candidate)
    return setup, rest


def _retry(
    equations: Sequence[CandidateEquation], first: Setup, rest: list[CandidateEquation], reading: AnswerReading
) -> tuple[Setup, list[CandidateEquation]]:
    """The set-up without the one equation that most speaks against (a misread or mistyped one)."""
    best, best_rest = first, rest
    for wrong in first.equations[:MAX_RETRIES]:
        setup, left = _fill([c for c in equations if c is not wrong], reading)
        if setup.solved and _merit(setup) > max(_merit(best), 0):
            best, best_rest = setup, left
    return best, best_rest


def _drafts(setup: Setup, kind: Kind, reading: AnswerReading) -> Iterator[Draft]:
    """The determined part of a set-up: alone, and with the quantities that the answer derives from it.

    What leaves an unknown free is offered as it is. A part that was offered before, with its solutions, is passed over.
    """
    kept = without_laws(setup)
    names = list(dict.fromkeys([name for c in kept for name in c.names]))
    if not names:
        loose = tuple(EquationLine.of(c.equation, c.start, c.end) for c in setup.equations)
        if loose:
            yield Draft(kind, loose, (), Status.UNDERDETERMINED, core=len(loose), linear=setup.linear)
        return
    solutions = [{name: values[name] for name in names} for values in setup.solutions]
    if (kept, solutions) in reading.written:
        return
    reading.written.append((kept, solutions))
    equations = [EquationLine.of(c.equation, c.start, c.end) for c in kept]
    status = Status.NUMERIC if setup.numeric else Status.SOLVED
    draft = Draft(
        kind,
        tuple(equations),
        tuple(solutions),
        status,
        core=len(equations),
        linear=setup.linear,
        confirmed=setup.confirmed,
        contradicted=setup.contradicted,
    )
    yield draft
    quantities = quantities_of(solutions, kept, reading.candidates, reading.given)
    if quantities:
        whole, values = list(equations), [dict(solution) for solution in solutions]
        _add_quantities(quantities, whole, values)
        yield draft._replace(equations=tuple(whole), solutions=tuple(values))


def _fresh(taken: dict[str, Value]) -> str:
    """An unknown's name that is not in use, in the order that Dolphin18K hands them out."""
    if not taken:
        return FRESH[0]
    lower = {name.lower() for name in taken}
    free = next((name for name in FRESH if name not in lower), None)
    return free if free is not None else f"x_{len(taken)}"


def _add_quantities(
    quantities: Sequence[Quantity], equations: list[EquationLine], solutions: list[dict[str, Value]]
) -> None:
    for quantity in quantities:
        name = _fresh(solutions[0])
        equations.append(EquationLine.of(Equation(Name(name), quantity.node), quantity.start, quantity.end))
        for values, value in zip(solutions, quantity.values, strict=True):
            values[name] = value


def _calculated(reading: AnswerReading) -> Iterator[Draft]:
    """What an answer without unknowns comes to: the results that it closes with, and each of the last calculations."""
    for targets in dict.fromkeys(_results(reading)):
        yield from _composed(targets, reading)


def _results(reading: AnswerReading) -> Iterator[tuple[tuple[int, int], ...]]:
    """The steps, each with its factor, that may be what an answer comes to together."""
    steps = reading.candidates.steps
    if not steps:
        return
    yield tuple(_targets(reading))
    last = [index for index in range(len(steps) - 1, -1, -1) if not steps[index].checking]
    for index in last[:MAX_STEPS_BACK]:
        yield ((index, 1),)
        if steps[index].percent:
            yield ((index, 100),)
    for count in _TOGETHER:
        if count <= len(last):
            yield tuple((index, 1) for index in reversed(last[:count]))


def _told(reading: AnswerReading) -> Iterator[Draft]:
    """The last number that the answer announces, where one operation makes it of two that are known by then.

    Known are the numbers of the question and the results of the calculations. It must be the only such operation.
    """
    announced = [n for n in reading.candidates.announced if not (n.checking or n.part)]
    steps = reading.candidates.steps
    if not announced or reading.given.holds(announced[-1].value):
        return
    last = announced[-1]
    known = [*reading.given.values, *(step.value for step in steps if step.end <= last.start)][:MAX_KNOWN]
    if any(is_near(step.value, last.value) for step in steps):
        return
    found = {node for a, b in combinations(dict.fromkeys(known), 2) for node in _operations(a, b, last.value)}
    if len(found) == 1:
        before = [step for step in steps if step.end <= last.start]
        told = ArithmeticStep(found.pop(), last.value, last.start, last.start + 1, named=True, checking=False)
        node = Composer([*before, told], reading.given.holds).compose(len(before))
        written = _NUMERAL.match(reading.candidates.plain.text, last.start)
        line = EquationLine.of(Equation(Name("x"), node), last.start, written.end() if written else last.start + 1)
        yield Draft(Kind.TOLD, (line,), ({"x": last.value},), Status.SOLVED, core=1)


def _operations(a: Fraction, b: Fraction, result: Fraction) -> Iterator[Node]:
    """The operations on two numbers that have a result; quotients may be rounded."""
    (p, q), (r, s), (t, u) = a.as_integer_ratio(), b.as_integer_ratio(), result.as_integer_ratio()
    first, second, wanted = p * s * u, r * q * u, t * q * s
    for left, right, less, ratio in ((a, b, first - second, (p * s, r * q)), (b, a, second - first, (r * q, p * s))):
        if less == wanted:
            yield Binary("-", Num(left), Num(right))
        if right and are_near_ratios(ratio, (t, u), _CLOSE):
            yield Binary("/", Num(left), Num(right))
    if first + second == wanted:
        yield Binary("+", Num(a), Num(b))
    if p * r * u == wanted:
        yield Binary("*", Num(a), Num(b))


def _composed(targets: Sequence[tuple[int, int]], reading: AnswerReading) -> Iterator[Draft]:
    """One ``x = arithmetic`` for each different one of some results, times its factor."""
    equations: list[EquationLine] = []
    values: dict[str, Value] = {}
    for target in targets:
        if target not in reading.worked:
            reading.worked[target] = _worked(*target, reading)
        worked = reading.worked[target]
        if worked is not None and not any(is_near(approximate(worked[0]), approximate(v)) for v in values.values()):
            name = _fresh(values)
            values[name], line = worked
            equations.append(line.defining(name) if equations else line)
    if equations:
        yield Draft(Kind.ARITHMETIC, tuple(equations), (values,), Status.SOLVED, core=len(equations))


def _worked(index: int, factor: int, reading: AnswerReading) -> tuple[Value, EquationLine] | None:
    """The value of ``x = arithmetic`` for a step, times its factor; None where it does not come out."""
    step = reading.candidates.steps[index]
    node = reading.composer.compose(index)
    value = _value(node)
    if value is None or not is_near(approximate(value), step.value):
        return None
    if factor != 1:
        node, value = Binary("*", Num(Fraction(factor)), node), approximate(value) * factor
    return value, EquationLine.of(Equation(Name(FRESH[0]), node), step.start, step.end)


def _value(node: Node) -> Value | None:
    try:
        return evaluate_tree(node, {})
    except (ExtractionError, UnknownValueError, ArithmeticError):
        return None


def _targets(reading: AnswerReading) -> list[tuple[int, int]]:
    """The steps whose results the answer ends with, and how it states them.

    With the factor 100 where the result is stated in percent.
    """
    steps = reading.candidates.steps
    last = max((i for i, step in enumerate(steps) if not step.checking), default=None)
    if last is None:
        return []
    closing = [n for n in reading.candidates.announced if n.start >= steps[last].end and not n.checking]
    found: list[tuple[int, int]] = []
    matches: dict[tuple[Fraction, bool], tuple[int, int] | None] = {}
    for number in closing:
        stated = number.value, number.percent
        if stated not in matches:
            matches[stated] = _matching(steps[: last + 1], *stated)
        match = matches[stated]
        if match is not None and match not in found:
            found.append(match)
    return found or [(last, 100 if steps[last].percent else 1)]


def _matching(steps: Sequence[ArithmeticStep], value: Fraction, percent: bool) -> tuple[int, int] | None:
    for index in range(len(steps) - 1, -1, -1):
        if is_near(steps[index].value, value, _ROUNDED if value.denominator > 1 else _CLOSE):
            return index, 1
        if (percent or steps[index].percent) and is_near(steps[index].value * 100, value, _CLOSE):
            return index, 100
    return None
