"""The systems of one answer: what it sets up, with the quantities that it announces, and what it calculates.

Nothing is ruled out here: every system that has a solution is offered, with the evidence for and against it.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from extractors.algebra.steps import Budget
from extractors.algebra.values import Value
from extractors.equations.arithmetic import calculated, told
from extractors.equations.candidates import Candidate, assignment, candidates_of
from extractors.equations.document import Document, variants
from extractors.equations.drafts import AnswerReading, Draft, Line, fresh_name
from extractors.equations.given import Given
from extractors.equations.quantities import Quantity, announced_quantities
from extractors.equations.records import AnswerSystem, Kind
from extractors.equations.setups import CONTRADICTS, Setup, holds, without_laws
from extractors.equations.system_evidence import evidence_of
from extractors.expressions.tree import Equation, Name, Node, Num, children, constants_of, names_of, rebuild

MAX_RETRIES = 4


def answer_systems(answer: int, document: Document, given: Given, budget: Budget) -> list[AnswerSystem]:
    """The systems of one answer in order of appearance: set-ups, then calculations.

    ``budget`` holds the steps for all of them; equations beyond it are skipped.
    """
    drafts = []
    for text in (document, *variants(document)):
        reading = AnswerReading(answer, candidates_of(text), given, budget, is_variant=text is not document)
        drafts += [(draft, reading) for draft in _drafts_of(reading)]
    return [_system(draft, reading) for draft, reading in _different(drafts)]


def _drafts_of(reading: AnswerReading) -> Iterator[Draft]:
    for setup, kind in _setups(reading):
        yield from _drafts(setup, kind, reading)
    for values in _final_values(reading):
        yield from _drafts(_proved(values, reading), Kind.PROVED, reading)
    yield from calculated(reading)
    yield from told(reading)


def _final_values(reading: AnswerReading) -> Iterator[dict[str, Value]]:
    """The last value that the answer gives to each unknown; then the last but one, where an unknown has several."""
    found: dict[str, list[Value]] = {}
    for candidate in reading.candidates.equations:
        assigned = assignment(candidate)
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
        names = names_of(candidate.equation.left, candidate.equation.right)
        if not candidate.assigns and all(name in values for name in names):
            if holds(candidate.equation, values):
                setup.offer(candidate)
            else:
                setup.contradicted += 1
    return setup


def _different(drafts: Sequence[tuple[Draft, AnswerReading]]) -> Iterator[tuple[Draft, AnswerReading]]:
    """The drafts without a second one of the same equations."""
    seen: dict[tuple[str, ...], list[list[Equation]]] = {}
    for draft, reading in drafts:
        alike = seen.setdefault(tuple([line.text for line in draft.equations]), [])
        trees = [line.equation for line in draft.equations]
        if trees not in alike:
            alike.append(trees)
            yield draft, reading


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
        loose = tuple(Line.of(c.equation, c.start, c.end) for c in setup.equations)
        if loose:
            yield Draft(kind, loose, (), "underdetermined", setup.linear, 0, 0, len(loose))
        return
    solutions = [{name: values[name] for name in names} for values in setup.solutions]
    equations = _with_steps(kept, solutions, reading)
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
    equations: Sequence[Candidate], solutions: list[dict[str, Value]], reading: AnswerReading
) -> list[Line]:
    """Constants that an earlier named step worked out become unknowns: ``rate = 72/4 = 18`` before ``b - c = 18``."""
    out: list[Line] = []
    added: dict[int, str] = {}
    for equation, start, end, _, _ in equations:
        for value in constants_of(equation):
            index = _source(value, start, reading)
            if index is None:
                continue
            if index not in added:
                added[index] = fresh_name(solutions[0])
                step = reading.candidates.steps[index]
                node, _ = reading.composer.compose(index)
                out.append(Line.of(Equation(Name(added[index]), node), step.start, step.end))
                for values in solutions:
                    values[added[index]] = step.value
            equation = _replaced(equation, value, Name(added[index]))
        out.append(Line.of(equation, start, end))
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


def _add_quantities(quantities: Sequence[Quantity], equations: list[Line], solutions: list[dict[str, Value]]) -> None:
    for quantity in quantities:
        name = fresh_name(solutions[0])
        equations.append(Line.of(Equation(Name(name), quantity.node), quantity.start, quantity.end))
        for values, value in zip(solutions, quantity.values, strict=True):
            values[name] = value


def _system(draft: Draft, reading: AnswerReading) -> AnswerSystem:
    """A draft written down, with its evidence."""
    plain = reading.candidates.plain
    unknowns = tuple(dict.fromkeys([name for line in draft.equations for name in line.names]))
    return AnswerSystem(
        answer=reading.answer,
        equations=tuple([line.text for line in draft.equations]),
        unknowns=unknowns,
        solutions=tuple(tuple(values[name] for name in unknowns) for values in draft.solutions),
        status=draft.status,
        spans=tuple([plain.source_span(line.start, line.end) for line in draft.equations]),
        linear=draft.linear,
        kind=draft.kind,
        core=draft.core,
        evidence=evidence_of(draft, reading) if draft.solutions else (),
    )
