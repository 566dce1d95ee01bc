"""The check of a variation: everything is read again from its text, and nothing is taken from what made it.

The numbers of the text are found again, the template is filled with them and solved, and the template is induced again
from text and equations. ``faults`` compares the kinds of numbers and answers with the original's.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

from corpus.benchmarks.gold_problems import GoldProblem
from curation.equivalence.reconciliation import slots_of, template_id
from extractors.expressions.tree import Name, Num, Unary, substitute
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import Number, find_numbers
from extractors.real_numbers.values import Value, parse_value
from extractors.solve.equation_systems import Status, System, parse_system
from extractors.solve.solving import solve
from extractors.templates.induction import induce

CONVERTED: Final = "decimals"
"""The kind in which whole numbers become decimals."""
SAME_TEMPLATE: Final = frozenset(
    {"other_numbers", "other_digits", CONVERTED, "order_of_objects", "order_of_phrases", "irrelevant_information"}
    | {"different_object_same_structure"}
)
"""The kinds that keep the template."""
OTHER_TEMPLATE: Final = frozenset(
    {"same_object_different_structure", "different_object_different_structure", "add_relevant_information"}
    | {"one_more_operation"}
)
"""The kinds that change it; others may do either."""
_UNIT_BOUNDS: Final = {"hour": 24, "percent": 100, "minute": 60}


def faults(original: GoldProblem, varied: GoldProblem) -> tuple[str, ...]:
    """What is wrong with a variation; nothing where it is proved.

    Proved are: one solution (none, where it has no answer), the gold values in it, every number used or declared, the
    template the declared one, and the kinds of numbers and answers as in the original.
    """
    try:
        return tuple(_faults(original, varied))
    except ExtractionError as error:
        return (f"not read: {error}",)


def _faults(original: GoldProblem, varied: GoldProblem) -> Iterator[str]:
    numbers = find_numbers(varied.question)
    read = {(number.start, number.end): number for number in numbers}
    aligned = {(one.start, one.end): Fraction(one.value) for one in varied.alignment}
    apart = {tuple(span) for span in _spans(varied)} | set(_restating(varied, read, aligned))
    if any(span not in read or read[span].value != value for span, value in aligned.items()):
        yield "a slot is not the number that stands there"
        return
    if any(span not in aligned and span not in apart for span in read):
        yield "a number is neither used nor declared"
    if {one.slot for one in varied.alignment} != set(slots_of(varied.template)):
        yield "slots without a number"
        return
    yield from _solution_faults(varied, read)
    yield from _template_faults(original, varied)
    yield from _number_faults(original, varied, numbers)


def _restating(
    varied: GoldProblem, read: dict[tuple[int, int], Number], aligned: dict[tuple[int, int], Fraction]
) -> Iterator[tuple[int, int]]:
    """The numbers that say again what a slot stands for: declared so, and of the same value where they stand."""
    for group in varied.equivalent_numbers:
        spans = [(one.start, one.end) for one in group]
        values = {read[span].value for span in spans if span in read}
        if any(span in aligned for span in spans) and len(values) == 1:
            yield from spans


def _spans(varied: GoldProblem) -> list[list[int]]:
    found = varied.details.get("distractors")
    return [[int(str(end)) for end in one] for one in found if isinstance(one, list)] if isinstance(found, list) else []


def _filled(varied: GoldProblem, read: dict[tuple[int, int], Number]) -> System:
    """The template with the numbers that the text holds."""
    values = {one.slot: read[one.start, one.end].value for one in varied.alignment}
    numbers = {slot: Unary("-", Num(-value)) if value < 0 else Num(value) for slot, value in values.items()}
    system = parse_system(varied.template)
    equations = tuple(
        e._replace(left=substitute(e.left, {**numbers}), right=substitute(e.right, {**numbers}))
        for e in system.equations
    )
    names = tuple(name for name in system.unknowns if name not in values)
    return System(equations, (), names, tuple(map(Name, names)), True)


def _solution_faults(varied: GoldProblem, read: dict[tuple[int, int], Number]) -> Iterator[str]:
    """By the template that is filled again, and by the equations as they stand."""
    by_template = solve(_filled(varied, read))
    by_equations = solve(parse_system(varied.equations, varied.unknowns))
    if not varied.gold:
        if {by_template.status, by_equations.status} != {Status.UNDERDETERMINED}:
            yield "it is not proved to have no answer"
        return
    for result in (by_template, by_equations):
        if result.status is not Status.SOLVED or len(result.solutions) != 1:
            yield f"not one solution: {result.status.value}, {len(result.solutions)}"
            return
    golds: list[Value] = [parse_value(value) for value in varied.gold[0]]
    solution = by_template.solutions[0]
    if len(varied.gold) != 1 or any(gold not in solution for gold in golds):
        yield "the gold answer is not in the solution"
    if any(value not in solution for value in by_equations.solutions[0]):
        yield "equations and template have other solutions"


def _template_faults(original: GoldProblem, varied: GoldProblem) -> Iterator[str]:
    induced = _induced_id(varied.question, varied.equations, varied.unknowns)
    if not induced == varied.template_id == template_id(varied.template):
        yield "the template is not the declared one"
    kind = varied.details.get("variation")
    if kind in SAME_TEMPLATE | OTHER_TEMPLATE:
        first = _induced_id(original.question, original.equations, original.unknowns)
        if (first == induced) != (kind in SAME_TEMPLATE):
            yield "the template is not the original's" if kind in SAME_TEMPLATE else "the template is the original's"


@lru_cache(maxsize=4096)
def _induced_id(question: str, equations: tuple[str, ...], unknowns: tuple[str, ...]) -> str:
    return template_id(induce(question, find_numbers(question), equations, unknowns or None).template)


def _number_faults(original: GoldProblem, varied: GoldProblem, numbers: Sequence[Number]) -> Iterator[str]:
    before = find_numbers(original.question)
    converted = varied.details.get("variation") == CONVERTED
    if any(number.value <= 0 for number in numbers) and all(number.value > 0 for number in before):
        yield "a number is not positive"
    if not converted and _whole([n.value for n in before]) and not _whole([n.value for n in numbers]):
        yield "a number is not whole"
    for unit, most in _UNIT_BOUNDS.items():
        counted = [[number.value for number in several if number.unit == unit] for several in (before, numbers)]
        if all(counted) and max(counted[0]) <= most < max(counted[1]):
            yield f"more than {most} {unit}s"
    if any(n.kind == "money" and (n.value * 100).denominator != 1 for n in numbers):
        yield "a price with parts of a cent"
    old_golds = [parse_value(value) for values in original.gold for value in values]
    golds = [parse_value(value) for values in varied.gold for value in values]
    old = [value for value in old_golds if isinstance(value, Fraction)]
    new = [value for value in golds if isinstance(value, Fraction)]
    if len(old) < len(old_golds) or len(new) < len(golds):
        yield "an answer is not rational"
        return
    if not converted and _whole(old) and not _whole(new):
        yield "an answer is not whole"
    if all(value >= 0 for value in old) and any(value < 0 for value in new):
        yield "an answer is negative"


def _whole(values: Sequence[Fraction]) -> bool:
    return all(value.denominator == 1 for value in values)
