"""One answer to its systems: the base equations, the quantities defined beside them, or composed arithmetic."""

from collections.abc import Sequence
from fractions import Fraction

from extractors.algebra.evaluation import UnknownValueError, evaluate_tree
from extractors.algebra.steps import Budget
from extractors.algebra.systems import STAND_INS
from extractors.algebra.values import Value, approximate
from extractors.equations.announced import Announced, Asides
from extractors.equations.arithmetic import closing_results, compose, is_time
from extractors.equations.candidates import Candidate, Step, read_candidates
from extractors.equations.drafts import AnswerReading, Draft, objection
from extractors.equations.given import Given, constants_of
from extractors.equations.identities import is_near
from extractors.equations.laws import without_laws
from extractors.equations.objections import OBJECTIONS
from extractors.equations.quantities import Quantity, announced_quantities
from extractors.equations.records import AnswerSystem
from extractors.equations.rules import VoteRules
from extractors.equations.setups import CONTRADICTS, Setup
from extractors.equations.variants import variants
from extractors.errors import ExtractionError
from extractors.expressions.render import render
from extractors.expressions.tree import Binary, Equation, Name, Node, Num, children, names_of, rebuild

FRESH = "xyzmnopqrstuvwabcdfghjk"
MAX_RETRIES = 4
INVERSE = -1
"""Marks a result that is stated as one over a step's."""
_CENTS = "cents"
_CLOSE = Fraction(1, 1000)
_ROUNDED = Fraction(2, 1000)
"""Of a value with decimals, which may be rounded to two of them."""


def answer_systems(answer: int, text: str, given: Given, rules: VoteRules, budget: Budget) -> list[AnswerSystem]:
    """The systems of one answer, the best one first; set-ups that contradict each other are kept apart.

    ``budget`` holds the steps for all of them; equations beyond it are skipped.
    """
    reading = AnswerReading(answer, read_candidates(text), given, rules, budget)
    drafts = _drafts(reading)
    for other in variants(reading.candidates) if rules.lost_marks else ():
        changed = AnswerReading(answer, other, given, rules, budget)
        proved = _drafts(changed)
        if _support(proved, changed) > _support(drafts, reading):
            reading, drafts = changed, proved
    systems = [_system(draft, reading) for draft in drafts]
    return sorted(systems, key=lambda system: not system.counts)


def _drafts(reading: AnswerReading) -> list[Draft]:
    if not reading.candidates.equations and not reading.candidates.steps:
        return []
    drafts = [draft for setup in _setups(reading) if (draft := _draft(setup, reading)) is not None]
    drafts[1:] = [draft._replace(second=True) for draft in drafts[1:]]
    if not any(draft.solutions for draft in drafts) and reading.rules.arithmetic:
        arithmetic = _arithmetic(reading)
        drafts = [arithmetic, *drafts] if arithmetic is not None else drafts
    return drafts


def _support(drafts: Sequence[Draft], reading: AnswerReading) -> int:
    """How often the answer agrees with a reading of it, less how often it disagrees."""
    merit = drafts[0].confirmed - drafts[0].contradicted if drafts and drafts[0].solutions else 0
    return merit + len(reading.candidates.steps)


def _setups(reading: AnswerReading) -> list[Setup]:
    """The set-up of the answer, and a second one from what contradicts it; the better confirmed first."""
    equations = [c for c in reading.candidates.equations if not c.checking]
    first, rest = _fill(equations, reading)
    if first.contradicted > first.confirmed and first.equations:
        first, rest = _retry(equations, first, rest, reading)
    if not rest:
        return [first]
    second, _ = _fill(rest, reading)
    return [first, second] if _merit(first) >= _merit(second) or not second.solved else [second, first]


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


def _draft(setup: Setup, reading: AnswerReading) -> Draft | None:
    """The determined part of a set-up with its announced quantities; None where nothing was set up."""
    if not setup.equations:
        return None
    kept = without_laws(setup)
    names = list(names_of(*[side for c in kept for side in (c.equation.left, c.equation.right)]))
    equations = [(c.equation, c.start, c.end) for c in kept]
    if not kept or not names:
        loose = tuple((c.equation, c.start, c.end) for c in setup.equations)
        return Draft(loose, (), "underdetermined", setup.linear, setup.confirmed, setup.contradicted, len(loose))
    solutions = [{name: values[name] for name in names} for values in setup.solutions]
    equations = _with_steps(equations, solutions, reading)
    base = len(equations)
    if reading.rules.definitions:
        quantities = announced_quantities(solutions, kept, reading.candidates, reading.given)
        _add_quantities(quantities, equations, solutions)
    status = "numeric" if setup.numeric else "solved"
    support = (setup.confirmed, setup.contradicted, base)
    return Draft(tuple(equations), tuple(solutions), status, setup.linear, *support)


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


def _arithmetic(reading: AnswerReading) -> Draft | None:
    """The composed system of an answer without unknowns: one ``x = arithmetic`` for each announced result."""
    steps = reading.candidates.steps
    if not steps:
        return None
    equations: list[tuple[Equation, int, int]] = []
    values: dict[str, Value] = {}
    for index, factor in _targets(reading):
        node, _ = compose(steps, index, reading.given.holds)
        value = _value(node)
        if value is None or not is_near(approximate(value), steps[index].value):
            continue
        if factor == INVERSE:
            node, value = Binary("/", Num(Fraction(1)), node), 1 / approximate(value)
        elif factor != 1:
            node, value = Binary("*", Num(Fraction(factor)), node), approximate(value) * factor
        name = _fresh(values)
        values[name] = value
        equations.append((Equation(Name(name), node), steps[index].start, steps[index].end))
    if not equations:
        return None
    return Draft(tuple(equations), (values,), "solved", True, 0, 0, len(equations))


def _value(node: Node) -> Value | None:
    try:
        return evaluate_tree(node, {})
    except (ExtractionError, UnknownValueError, ArithmeticError):
        return None


def _targets(reading: AnswerReading) -> list[tuple[int, int]]:
    """The steps whose results the answer ends with, and how it states them.

    With the factor 100 where the result is stated in percent or in cents, as INVERSE where a rate was worked out and a
    time is asked and stated (``1/10 + 1/15 = 1/6``, 6 hours).
    """
    steps = reading.candidates.steps
    last = max((i for i, step in enumerate(steps) if not step.checking), default=None)
    if last is None:
        return []
    closing = [n for n in reading.candidates.announced if n.start >= steps[last].end and not n.checking]
    found: list[tuple[int, int]] = []
    foreign, concluded = False, None
    asides = Asides(reading.candidates.plain.text)
    matches: dict[tuple[Fraction, bool], tuple[int, int] | None] = {}
    for number in closing:
        if is_time(steps[last], number.value, reading.given.values, reading.given.asked.duration):
            return [(last, INVERSE)]
        stated = number.value, number.percent
        if stated not in matches:
            matches[stated] = _matching(steps[: last + 1], *stated)
        match = matches[stated] or _changed(steps[last], last, number, reading)
        if match is not None and match not in found:
            found.append(match)
        concluded = number.start if match is not None and concluded is None else concluded
        own = match is not None or number.part or reading.given.holds(number.value) or abs(number.value) <= 1
        own = own or _is_of(steps[last].value, number.value)
        foreign = foreign or not (own or asides.holds(number.start, concluded))
    if foreign and reading.rules.announced:
        return []
    least = 2 if reading.given.empty else reading.given.asked.least
    if not found and least > 1:
        found = [(index, 1) for index in closing_results(steps[: last + 1], least, reading.given.values)]
    return found or [(last, 100 if steps[last].percent else 1)]


def _is_of(result: Fraction, value: Fraction) -> bool:
    """Whether a number is a part of a fraction that is the result, or one that stands for the circle's constant."""
    parts = result.as_integer_ratio() if result.numerator > 1 and result.denominator > 1 else ()
    return value in parts or Num(value) in STAND_INS


def _matching(steps: Sequence[Step], value: Fraction, percent: bool) -> tuple[int, int] | None:
    for index in range(len(steps) - 1, -1, -1):
        if is_near(steps[index].value, value, _ROUNDED if value.denominator > 1 else _CLOSE):
            return index, 1
        if (percent or steps[index].percent) and is_near(steps[index].value * 100, value, _CLOSE):
            return index, 100
    return None


def _changed(step: Step, index: int, number: Announced, reading: AnswerReading) -> tuple[int, int] | None:
    """The last step where its result is stated in cents."""
    cents = is_near(step.value * 100, number.value, _CLOSE) and _CENTS in reading.candidates.plain.text.lower()
    return (index, 100 if reading.given.asked.cents else 1) if cents else None


def _system(draft: Draft, reading: AnswerReading) -> AnswerSystem:
    """A draft written down, with the verdict of the rules."""
    equations = tuple(render(equation) for equation, _, _ in draft.equations)
    trees = [equation for equation, _, _ in draft.equations]
    spans = tuple(reading.candidates.plain.source_span(start, end) for _, start, end in draft.equations)
    unknowns = names_of(*[side for equation in trees for side in (equation.left, equation.right)])
    solutions = tuple(tuple(values[name] for name in unknowns) for values in draft.solutions)
    constants = constants_of(*trees)
    note = objection(draft, trees, constants, reading) if solutions else None
    return AnswerSystem(
        reading.answer,
        equations,
        unknowns,
        solutions,
        draft.status if note is None else "ruled_out" if note in OBJECTIONS else "rejected",
        spans,
        draft.linear,
        reading.given.agreement(constants),
        note,
    )
