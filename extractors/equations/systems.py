"""The systems of one answer: what it sets up, with the quantities that it announces, and what it calculates.

Nothing is ruled out here: every system that has a solution is offered, with the evidence for and against it.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from extractors.algebra.evaluation import UnknownValueError, evaluate_tree
from extractors.algebra.steps import Budget
from extractors.algebra.values import Value, approximate
from extractors.equations.arithmetic import compose
from extractors.equations.candidates import Candidate, Step, read_candidates
from extractors.equations.drafts import AnswerReading, Draft
from extractors.equations.given import Given, constants_of
from extractors.equations.identities import is_near
from extractors.equations.laws import without_laws
from extractors.equations.quantities import Quantity, announced_quantities
from extractors.equations.records import AnswerSystem, Kind
from extractors.equations.setups import CONTRADICTS, Setup
from extractors.equations.system_evidence import evidence_of
from extractors.errors import ExtractionError
from extractors.expressions.render import render
from extractors.expressions.tree import Binary, Equation, Name, Node, Num, children, names_of, rebuild

FRESH = "xyzmnopqrstuvwabcdfghjk"
MAX_RETRIES = 4
MAX_STEPS_BACK = 3
_TOGETHER = (2, 3)
"""How many of the last calculations may be the answer together."""
"""How many of the last calculations of an answer may be what it comes to."""
_CLOSE = Fraction(1, 1000)
_ROUNDED = Fraction(2, 1000)
"""Of a value with decimals, which may be rounded to two of them."""


def answer_systems(answer: int, text: str, given: Given, budget: Budget) -> list[AnswerSystem]:
    """The systems of one answer in order of appearance: set-ups, then calculations.

    ``budget`` holds the steps for all of them; equations beyond it are skipped.
    """
    reading = AnswerReading(answer, read_candidates(text), given, budget)
    return [_system(draft, reading) for draft in _different(_drafts_of(reading))]


def _drafts_of(reading: AnswerReading) -> Iterator[Draft]:
    for setup, kind in _setups(reading):
        yield from _drafts(setup, kind, reading)
    yield from _calculated(reading)


def _different(drafts: Iterable[Draft]) -> Iterator[Draft]:
    """The drafts without a second one of the same equations."""
    seen: set[tuple[Equation, ...]] = set()
    for draft in drafts:
        trees = tuple(equation for equation, _, _ in draft.equations)
        if trees not in seen:
            seen.add(trees)
            yield draft


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


def _fill(equations: Sequence[Candidate], reading: AnswerReading) -> tuple[Setup, list[Candidate]]:
    """A set-up of the equations in order, results last, and the equations that contradict it."""
    setup, rest = Setup(reading.budget), list[Candidate]()
    for candidate in equations:
        if candidate.assigns:
            _bind(setup, candidate, reading)
        elif setup.offer(candidate) == CONTRADICTS:
            rest.append(candidate)
    for candidate in equations:
        if candidate.assigns:
            _bind(setup, candidate, reading)
            if all(name in setup.determined for name in names_of(candidate.equation.left, candidate.equation.right)):
                setup.offer(candidate)
    return setup, rest


def _bind(setup: Setup, candidate: Candidate, reading: AnswerReading) -> None:
    """Lets a value that the question gives bind an unknown that is still free ("P = 2l + 2w", "P = 144")."""
    names = names_of(candidate.equation.left, candidate.equation.right)
    free = [name for name in names if name in setup.names and name not in setup.determined]
    if free and all(reading.given.holds(value) for value in constants_of(candidate.equation)):
        setup.offer(candidate)


def _retry(
    equations: Sequence[Candidate], first: Setup, rest: list[Candidate], reading: AnswerReading
) -> tuple[Setup, list[Candidate]]:
    """The set-up without the one equation that most speaks against (a misread or mistyped one)."""
    best, best_rest = first, rest
    for wrong in first.equations[:MAX_RETRIES]:
        setup, left = _fill([c for c in equations if c is not wrong], reading)
        if setup.solved and _merit(setup) > max(_merit(best), 0):
            best, best_rest = setup, left
    return best, best_rest


def _drafts(setup: Setup, kind: Kind, reading: AnswerReading) -> Iterator[Draft]:
    """The determined part of a set-up: alone, with all the quantities that are announced, with each of them.

    What leaves an unknown free is offered as it is.
    """
    kept = without_laws(setup)
    names = list(names_of(*[side for c in kept for side in (c.equation.left, c.equation.right)]))
    if not names:
        loose = tuple((c.equation, c.start, c.end) for c in setup.equations)
        if loose:
            yield Draft(kind, loose, (), "underdetermined", setup.linear, 0, 0, len(loose))
        return
    solutions = [{name: values[name] for name in names} for values in setup.solutions]
    equations = _with_steps([(c.equation, c.start, c.end) for c in kept], solutions, reading)
    status = "numeric" if setup.numeric else "solved"
    support = (setup.confirmed, setup.contradicted, len(equations))
    yield Draft(kind, tuple(equations), tuple(solutions), status, setup.linear, *support)
    quantities = announced_quantities(solutions, kept, reading.candidates, reading.given)
    for chosen in dict.fromkeys([tuple(quantities), *((quantity,) for quantity in quantities)]):
        whole, values = list(equations), [dict(solution) for solution in solutions]
        _add_quantities(chosen, whole, values)
        if chosen:
            yield Draft(kind, tuple(whole), tuple(values), status, setup.linear, *support)


def _with_steps(
    equations: list[tuple[Equation, int, int]], solutions: list[dict[str, Value]], reading: AnswerReading
) -> list[tuple[Equation, int, int]]:
    """Constants that an earlier named step worked out become unknowns: ``rate = 72/4 = 18`` before ``b - c = 18``."""
    out: list[tuple[Equation, int, int]] = []
    added: dict[int, str] = {}
    for equation, start, end in equations:
        for value in constants_of(equation):
            index = _source(value, start, reading)
            if index is None:
                continue
            if index not in added:
                added[index] = _fresh(solutions[0])
                step = reading.candidates.steps[index]
                node, _ = compose(reading.candidates.steps, index, reading.given.holds)
                out.append((Equation(Name(added[index]), node), step.start, step.end))
                for values in solutions:
                    values[added[index]] = step.value
            equation = _replaced(equation, value, Name(added[index]))
        out.append((equation, start, end))
    return out


def _source(value: Fraction, before: int, reading: AnswerReading) -> int | None:
    """The latest named step before a place whose result a constant is, if the question does not give it."""
    if reading.given.empty or reading.given.holds(value) or (value.denominator == 1 and abs(value) < 3):
        return None
    for index in range(len(reading.candidates.steps) - 1, -1, -1):
        step = reading.candidates.steps[index]
        if step.named and step.end <= before and step.value == value:
            return index
    return None


def _replaced(equation: Equation, value: Fraction, name: Name) -> Equation:
    return Equation(_put(equation.left, value, name), _put(equation.right, value, name))


def _put(node: Node, value: Fraction, name: Name) -> Node:
    if isinstance(node, Num):
        return name if node.value == value else node
    return rebuild(node, tuple(_put(part, value, name) for part in children(node)))


def _fresh(taken: dict[str, Value]) -> str:
    """An unknown's name that is not in use, in the order that Dolphin18K hands them out."""
    lower = {name.lower() for name in taken}
    free = next((name for name in FRESH if name not in lower), None)
    return free if free is not None else f"x_{len(taken)}"


def _add_quantities(
    quantities: Sequence[Quantity], equations: list[tuple[Equation, int, int]], solutions: list[dict[str, Value]]
) -> None:
    for quantity in quantities:
        name = _fresh(solutions[0])
        equations.append((Equation(Name(name), quantity.node), quantity.start, quantity.end))
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


def _composed(targets: Sequence[tuple[int, int]], reading: AnswerReading) -> Iterator[Draft]:
    """One ``x = arithmetic`` for each of some results, times its factor."""
    steps = reading.candidates.steps
    equations: list[tuple[Equation, int, int]] = []
    values: dict[str, Value] = {}
    for index, factor in targets:
        node, _ = compose(steps, index, reading.given.holds)
        value = _value(node)
        if value is None or not is_near(approximate(value), steps[index].value):
            continue
        if factor != 1:
            node, value = Binary("*", Num(Fraction(factor)), node), approximate(value) * factor
        name = _fresh(values)
        values[name] = value
        equations.append((Equation(Name(name), node), steps[index].start, steps[index].end))
    if equations:
        yield Draft(Kind.ARITHMETIC, tuple(equations), (values,), "solved", True, 0, 0, len(equations))


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


def _matching(steps: Sequence[Step], value: Fraction, percent: bool) -> tuple[int, int] | None:
    for index in range(len(steps) - 1, -1, -1):
        if is_near(steps[index].value, value, _ROUNDED if value.denominator > 1 else _CLOSE):
            return index, 1
        if (percent or steps[index].percent) and is_near(steps[index].value * 100, value, _CLOSE):
            return index, 100
    return None


def _system(draft: Draft, reading: AnswerReading) -> AnswerSystem:
    """A draft written down, with its evidence."""
    trees = [equation for equation, _, _ in draft.equations]
    spans = tuple(reading.candidates.plain.source_span(start, end) for _, start, end in draft.equations)
    unknowns = names_of(*[side for equation in trees for side in (equation.left, equation.right)])
    return AnswerSystem(
        answer=reading.answer,
        equations=tuple(render(equation) for equation in trees),
        unknowns=unknowns,
        solutions=tuple(tuple(values[name] for name in unknowns) for values in draft.solutions),
        status=draft.status,
        spans=spans,
        linear=draft.linear,
        kind=draft.kind,
        core=draft.core,
        evidence=evidence_of(draft, reading) if draft.solutions else (),
    )
