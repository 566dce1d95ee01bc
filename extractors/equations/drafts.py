"""A system of one answer before it is written down, and what speaks against it."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from extractors.algebra.steps import Budget
from extractors.algebra.systems import STAND_INS
from extractors.algebra.values import Value, approximate
from extractors.equations.announced import Announced, is_in_brackets
from extractors.equations.candidates import Candidates
from extractors.equations.disowned import prices_in_cents
from extractors.equations.given import Given, constants_of, mixed_of
from extractors.equations.identities import is_near
from extractors.equations.objections import IN_CENTS, Evidence, question_equations_hold, question_objection
from extractors.equations.rules import VoteRules
from extractors.equations.witness import Verdict, verdict
from extractors.expressions.tree import Equation, Num

CONTRADICTED = "the question states other values"
UNUSED = "uses none of the numbers of the question"


class AnswerReading(NamedTuple):
    """An answer's candidates with what the question gives, and the steps left for its systems."""

    answer: int
    candidates: Candidates
    given: Given
    rules: VoteRules
    budget: Budget


class Draft(NamedTuple):
    """A system before it is written down: equations with spans in the plain text, and the solutions by name."""

    equations: tuple[tuple[Equation, int, int], ...]
    solutions: tuple[dict[str, Value], ...]
    status: str
    linear: bool
    confirmed: int
    contradicted: int
    base: int
    second: bool = False


def objection(
    draft: Draft, trees: Sequence[Equation], constants: Sequence[Fraction], reading: AnswerReading
) -> str | None:
    """Why a solved system takes no part in the vote; None where nothing speaks against it.

    ``trees`` are the draft's equations, ``constants`` the numbers in them; ``reading.rules`` say which checks are on.
    """
    says = _witness(draft, reading) if reading.rules.witness else Verdict.SILENT
    if says is not Verdict.SILENT:
        if says is Verdict.CONTRADICTS:
            return CONTRADICTED
        return IN_CENTS if reading.rules.wants and prices_in_cents(trees, reading.given) else None
    return _objection(draft, trees, constants, reading)


def _witness(draft: Draft, reading: AnswerReading) -> Verdict:
    """What the question says of the solutions of a draft."""
    rows = [[approximate(value) for value in solution.values()] for solution in draft.solutions]
    return verdict(reading.given.stated, rows, reading.given.values)


def _objection(
    draft: Draft, trees: Sequence[Equation], constants: Sequence[Fraction], reading: AnswerReading
) -> str | None:
    """What speaks against a draft on which the question is silent."""
    rules, given = reading.rules, reading.given
    announced = [number.value for number in reading.candidates.announced]
    evidence = Evidence(trees, draft.solutions, given, reading.candidates.plain.text, announced)
    unused = rules.question_numbers and not given.empty and not given.used(constants)
    unused = unused and not given.used(mixed_of(*trees))
    if unused and not (rules.wants and question_equations_hold(evidence)):
        return UNUSED
    if draft.second and draft.confirmed <= draft.contradicted:
        return "contradicts the first set-up of the answer"
    if not any(value for solution in draft.solutions for value in solution.values()):
        return "every unknown is zero"
    foreign = (
        rules.foreign_numbers and not given.empty and any(_is_foreign(tree, given) for tree in trees[: draft.base])
    )
    if foreign and not (rules.wants and question_equations_hold(evidence)):
        return "an equation has only numbers that the question does not give"
    if rules.consistent and draft.contradicted > max(draft.confirmed, 1):
        return "the answer contradicts it more often than it confirms it"
    if rules.announced and _is_unannounced(draft, reading):
        return "the answer ends with other values"
    return question_objection(evidence) if rules.wants else None


def _is_foreign(tree: Equation, given: Given) -> bool:
    constants = constants_of(tree)
    return bool(constants) and not any(given.explains(value) for value in constants)


def _is_unannounced(draft: Draft, reading: AnswerReading) -> bool:
    """Whether the answer announces values of its own and none of them is in the solution.

    Numbers after the last equation count first: where it goes on in prose, the result is there. Percentages are no
    results where none is asked ("P = $2,500. You lost 10 %").
    """
    asked = reading.given.asked
    values = [approximate(value) for solution in draft.solutions for value in solution.values()]
    constants = frozenset(constants_of(*[tree for tree, _, _ in draft.equations[: draft.base]]) if draft.base else ())
    for after in (reading.candidates.end, max(stop for _, _, stop in draft.equations[: draft.base])):
        announced = [
            n.value
            for n in reading.candidates.announced
            if n.start >= after
            and not (n.checking or n.part)
            and not _is_own(n, constants)
            and (asked.portion or not n.percent)
            and not is_in_brackets(reading.candidates.plain.text, n.start)
        ]
        if any(abs(number) > 1 and not reading.given.holds(number) for number in announced):
            return not any(_agree(a, v) for a in announced for v in values)
    return False


def _is_own(number: Announced, constants: frozenset[Fraction]) -> bool:
    """Whether a number is one of the equations' own, also as a percentage ("x = 7000 at 6%"), or stands for pi."""
    if number.value in constants or Num(number.value) in STAND_INS:
        return True
    return number.percent and number.value / 100 in constants


def _agree(announced: Fraction, value: Fraction) -> bool:
    """Whether an announced number is a value, in this scale or 100 times larger or smaller (percent, cents)."""
    return is_near(announced, value) or is_near(announced, value * 100) or is_near(announced * 100, value)
