"""Training problems of template solvers: the question in features, and which derivations count as right.

Upadhyay and Chang (Annotating Derivations, 2017, section 5) train on derivations (TD) or on equations alone (TE), where
any alignment that fills the equations with the same values is right. Upadhyay et al. (EMNLP 2016) train on solutions
alone besides: any derivation with the right solution is right.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from corpus.benchmarks.gold_problems import GoldProblem
from corpus.errors import InputError
from evaluation.gold_corpora.gold_labels import ROUNDED, TOLERANCE
from evaluation.solvers.sim import aligned_template
from evaluation.solvers.template_solvers.derivation_space import DerivationMask, DerivationSpace, Encoded, same_solution
from evaluation.solvers.template_solvers.question_features import NumberedQuestion, read_question
from evaluation.solvers.template_solvers.template_bank import SolverTemplate, as_double, usable
from extractors.real_numbers.values import approximate, parse_value


class Taught(StrEnum):
    """What of a training problem is known."""

    DERIVATION = "derivation"
    EQUATIONS = "equations"
    SOLUTION = "solution"


class TaughtProblem(NamedTuple):
    """A question in features, with its right derivations, and what was known to tell these."""

    question: Encoded
    right: DerivationMask
    taught: Taught


class _LabelledProblem(NamedTuple):
    problem: GoldProblem
    question: NumberedQuestion
    template: SolverTemplate | None
    slots: dict[str, int]
    """The number of each slot, where the alignment names one of the numbers that we read."""


def training_space(
    problems: Sequence[GoldProblem], taught: Taught, *, released: bool = True, answers: bool = False
) -> tuple[DerivationSpace, list[TaughtProblem]]:
    """The templates and features of some problems, and those of the problems that have a right derivation in them.

    ``released``: the templates of the corpus; else those that are made of its equations alone, as they are.
    ``answers``: problems of which only the answer is known count as well; without it they are passed over. InputError
    where no problem is left.
    """
    labelled = [_labelled(problem, released) for problem in problems if problem.question.strip()]
    templates = {one.template.equations: one.template for one in labelled if one.template is not None}
    bank = [templates[name] for name in sorted(templates)]
    space = DerivationSpace(bank, [one.question for one in labelled])
    places = {template.equations: place for place, template in enumerate(bank)}
    found = [one for one in _taught(space, places, labelled, taught) if answers or one.taught is not Taught.SOLUTION]
    if not found:
        raise InputError(
            f"no training problem has a template, and a number of its question in each slot, so nothing teaches by "
            f"{taught}; give a corpus with equations or alignments"
        )
    return space, found


def _taught(
    space: DerivationSpace, places: dict[tuple[str, ...], int], labelled: Sequence[_LabelledProblem], taught: Taught
) -> Iterator[TaughtProblem]:
    for one in labelled:
        encoded = space.encode(one.question)
        if encoded is not None:
            known = one.template is not None and len(one.slots) == len(one.template.slots)
            mode = taught if known else Taught.SOLUTION
            template = places[one.template.equations] if one.template is not None else -1
            right = _right(one, encoded, template, mode)
            if right.any():
                yield TaughtProblem(encoded, right, mode)


def _right(one: _LabelledProblem, question: Encoded, template: int, taught: Taught) -> DerivationMask:
    tolerance = float(ROUNDED.get(one.problem.origin, TOLERANCE))
    golds = [[as_double(approximate(parse_value(value))) for value in values] for values in one.problem.gold]
    masks = [np.zeros(0, dtype=bool)]
    for candidates in question.candidates:
        mask = np.zeros(candidates.kinds.shape, dtype=bool)
        for place, number in enumerate(candidates.group.templates):
            if taught is Taught.SOLUTION:
                mask[place] = same_solution(candidates.solutions[place], golds, tolerance)
            elif number == template:
                orders = one.template.symmetries if one.template is not None else ()
                for order in orders:
                    mask[place] |= _held(one, candidates.rows[:, order], taught is Taught.EQUATIONS)
                if taught is Taught.EQUATIONS:
                    mask[place] |= same_solution(candidates.solutions[place], golds, tolerance)
        masks.append(mask.ravel())
    return np.concatenate(masks)


def _held(one: _LabelledProblem, rows: npt.NDArray[np.intp], by_value: bool) -> npt.NDArray[np.bool_]:
    """The rows that put the gold number, or an equivalent one, in each slot; by value: one of the same value."""
    assert one.template is not None
    held = np.ones(len(rows), dtype=bool)
    for column, slot in enumerate(one.template.slots):
        number = one.slots[slot]
        alike = [
            place
            for place, value in enumerate(one.question.values)
            if place == number or (by_value and value == one.question.values[number]) or _restates(one, place, number)
        ]
        held &= np.isin(rows[:, column], alike)
    return held


def _restates(one: _LabelledProblem, place: int, number: int) -> bool:
    """Whether two numbers restate one quantity (EquivTNum)."""
    groups = [{one.question.place_of((n.start, n.end)) for n in group} for group in one.problem.equivalent_numbers]
    return any(place in group and number in group for group in groups)


def _labelled(problem: GoldProblem, released: bool) -> _LabelledProblem:
    question, found = read_question(problem.question), aligned_template(problem, released=released)
    template = None if found is None else usable(found[0])
    if found is None or template is None:
        return _LabelledProblem(problem, question, None, {})
    placed = {slot: question.place_of(found[1][slot]) for slot in template.slots}
    return _LabelledProblem(problem, question, template, {slot: at for slot, at in placed.items() if at is not None})
