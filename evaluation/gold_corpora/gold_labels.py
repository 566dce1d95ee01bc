"""What the labels of a corpus problem amount to: its template, its ambiguity, and whether formula and answer agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from corpus.benchmarks.gold_problems import GoldProblem
from curation.equivalence.reconciliation import slots_of, template_id
from evaluation.gold_corpora.formula_answers import Consistency, judge
from evaluation.metrics.value_matching import close, contains, same_printed, within
from extractors.expressions.tree import Binary, walk
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import approximate, parse_value
from extractors.solve.equation_systems import Status, System, parse_system, with_all_unknowns
from extractors.solve.solving import SolveResult, solve
from extractors.templates.induction import induce, induce_without_text

TOLERANCE = Fraction(1, 1000)
"""As in Dolphin18K, section 3.3."""
ROUNDED = {"draw": Fraction(1, 100), "alg514": Fraction(1, 100)}
"""Solutions of these are printed with two decimals at times."""
SINGLE = Fraction(1, 10**6)
"""How far a value that files keep in single precision may be off."""
_ARITHMETIC = ("+", "-", "*", "/", "^")


class GoldAgreement(StrEnum):
    """What the gold equations and the gold answer of a problem say of each other."""

    AGREE = "agree"
    CONTRADICT = "contradict"
    CANNOT_TELL = "cannot tell"


class TemplateSource(StrEnum):
    """Where the template of a problem comes from."""

    RELEASED = "released"
    TEXT = "text"
    EQUATIONS = "equations"


_BY_CONSISTENCY = {Consistency.CONSISTENT: GoldAgreement.AGREE, Consistency.NOT_READ: GoldAgreement.CANNOT_TELL}


@dataclass(frozen=True)
class Labels:
    """The labels of one problem.

    ``source`` says where the template comes from: the corpus itself, induction from text and equations, or, without a
    text, equations alone with a slot for each number. ``template_id`` is None where the template is beyond the bounds
    of reconciliation. ``ambiguous`` is None without a text, ``linear`` without equations that are understood.
    ``agreement`` compares what the equations give with the answer. ``notes`` name what was not understood.
    """

    template: tuple[str, ...] = ()
    template_id: str | None = None
    source: TemplateSource | None = None
    ambiguous: bool | None = None
    linear: bool | None = None
    operators: tuple[int, ...] = ()
    agreement: GoldAgreement = GoldAgreement.CANNOT_TELL
    notes: tuple[str, ...] = ()


def labels_of(problem: GoldProblem) -> Labels:
    """The labels of a problem; whatever is not understood leaves a note and nothing else."""
    if not problem.equations:
        return Labels(agreement=_judged(problem, None), notes=problem.notes)
    try:
        system = parse_system(problem.equations, problem.unknowns or None)
    except ExtractionError as error:
        return Labels(agreement=_judged(problem, None), notes=(*problem.notes, f"equations not read: {error}"))
    result = solve(system)
    template, source, ambiguous, notes = _template(problem)
    identifier = problem.template_id
    if template and identifier is None:
        try:
            identifier = template_id(template)
        except ExtractionError as error:
            notes = (*notes, f"template not reconciled: {error}")
    return Labels(
        template=template,
        template_id=identifier,
        source=source if template else None,
        ambiguous=problem.ambiguous if problem.ambiguous is not None else ambiguous,
        linear=problem.linear if problem.linear is not None else result.linear,
        operators=tuple(_operators(system)),
        agreement=_judged(problem, (system, result)),
        notes=(*problem.notes, *notes, *alignment_notes(problem)),
    )


def alignment_notes(problem: GoldProblem) -> tuple[str, ...]:
    """What is wrong with an alignment that the corpus gives, slot by slot; nothing where it gives none.

    A slot stands for one value, that of the number it is aligned to (files keep single-precision numbers), and each
    slot of the template for some number.
    """
    if not problem.alignment or not problem.template:
        return ()
    slots, notes = slots_of(problem.template), []
    numbers = find_numbers(problem.question)
    aligned: dict[str, Fraction] = {}
    for one in problem.alignment:
        value = Fraction(one.value)
        if one.slot not in slots:
            notes.append(f"contradictory alignment: the template has no slot {one.slot}")
        elif not close(aligned.setdefault(one.slot, value), value, SINGLE):
            notes.append(f"contradictory alignment: slot {one.slot} stands for two numbers")
        stated = [number.value for number in numbers if number.start < one.end and one.start < number.end]
        if stated and not any(close(value, number, SINGLE) for number in stated):
            notes.append(f"contradictory alignment: slot {one.slot} is not the number that it is aligned to")
    return (*notes, *(f"slot without a number: {slot}" for slot in slots if slot not in aligned))


def _operators(system: System) -> list[int]:
    """Operations between operands, equation by equation; a sign is none."""
    return [
        sum(isinstance(node, Binary) and node.op in _ARITHMETIC for side in (e.left, e.right) for node in walk(side))
        for e in system.equations
    ]


def _template(problem: GoldProblem) -> tuple[tuple[str, ...], TemplateSource, bool | None, tuple[str, ...]]:
    """The template, where it comes from, and whether a person would have to align it."""
    unknowns = problem.unknowns or None
    try:
        if not problem.question.strip():
            template = problem.template or induce_without_text(problem.equations, unknowns)
            return template, TemplateSource.EQUATIONS, None, ()
        found = induce(problem.question, find_numbers(problem.question), problem.equations, unknowns)
    except ExtractionError as error:
        return problem.template, TemplateSource.RELEASED, None, () if problem.template else (f"no template: {error}",)
    if problem.template:
        return problem.template, TemplateSource.RELEASED, found.ambiguous, ()
    return found.template, TemplateSource.TEXT, found.ambiguous, ()


def _judged(problem: GoldProblem, solved: tuple[System, SolveResult] | None) -> GoldAgreement:
    """Whether the formula gives the answer.

    ASDiv's formulas are judged with their units, remainders, comparisons and times; of other corpora a gold
    alternative has to be among the values of one solution, within TOLERANCE or ROUNDED or up to the rounding it
    prints. Answers without a number cannot be compared.
    """
    if problem.origin == "asdiv":
        kind = judge(problem.formula, problem.answer, problem.kind).kind
        return _BY_CONSISTENCY.get(kind, GoldAgreement.CONTRADICT)
    if solved is None or not problem.gold:
        return GoldAgreement.CANNOT_TELL
    system, result = solved
    golds = [[approximate(parse_value(value)) for value in values] for values in problem.gold]
    tolerance = ROUNDED.get(problem.origin, TOLERANCE)
    if _reached(golds, result, tolerance):
        return GoldAgreement.AGREE
    complete = with_all_unknowns(system)
    if complete is not system:
        result = solve(complete)
        if _reached(golds, result, tolerance):
            return GoldAgreement.AGREE
    contradicted = result.solutions or result.status is Status.INCONSISTENT
    return GoldAgreement.CONTRADICT if contradicted else GoldAgreement.CANNOT_TELL


def _reached(golds: Sequence[Sequence[Fraction]], result: SolveResult, tolerance: Fraction) -> bool:
    solutions = [[approximate(value) for value in solution] for solution in result.solutions]
    return any(
        within(gold, solution, tolerance) or contains(solution, gold, same_printed)
        for gold in golds
        for solution in solutions
    )
