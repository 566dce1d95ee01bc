"""Features of sets of numbers, each within one answer: number set and dimension (Dolphin18K, Table 1).

Each function takes the sets of a thread and returns a number for each set.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Final

import numpy as np

from extractors.answers.answer_candidates import OPERAND, Role
from models.annotated_answer import AnswerView
from models.number_sets import Numbers, NumberSets, are_given

SetFeature = Callable[[NumberSets], Numbers | list[float]]


def dimension_one(sets: NumberSets) -> Numbers:
    """1 for a single number."""
    return np.where(sets.sizes == 1, 1.0, 0.0)


def dimension_two(sets: NumberSets) -> Numbers:
    """1 for a pair."""
    return np.where(sets.sizes == 2, 1.0, 0.0)


def dimension_more(sets: NumberSets) -> Numbers:
    """Members beyond two."""
    return np.maximum(0, sets.sizes - 2) / 3


def dimension_as_asked(sets: NumberSets) -> Numbers:
    """1 for as many numbers as the wording of the question asks for."""
    return np.where(sets.sizes == sets.question.asked_size, 1.0, 0.0)


def dimension_below_asked(sets: NumberSets) -> Numbers:
    """How many numbers fewer than asked, over 4."""
    return np.maximum(0, sets.question.asked_size - sets.sizes) / 4


def dimension_above_asked(sets: NumberSets) -> Numbers:
    """How many numbers more than asked, over 4."""
    return np.maximum(0, sets.sizes - sets.question.asked_size) / 4


def in_one_line(sets: NumberSets) -> Numbers:
    """1 where a line holds all members of a larger set."""
    return _common(sets, lambda view: view.line_of)


def in_one_sentence(sets: NumberSets) -> Numbers:
    """1 where a sentence holds all members of a larger set."""
    return _common(sets, lambda view: view.sentence_of)


def _common(sets: NumberSets, found_at: Callable[[AnswerView], Sequence[Hashable]]) -> Numbers:
    marks = np.array(sets.marks(found_at), dtype=np.int64)
    shared = np.bitwise_and.reduce(marks[sets.places], axis=1)
    return np.where((shared != 0) & (sets.sizes > 1), 1.0, 0.0)


def stand_together(sets: NumberSets) -> list[float]:
    """1 where mentions of all members of a larger set follow one another with no other number between."""
    runs = [view.runs for view in sets.views]
    return [float(members in runs[answer]) for answer, members in zip(sets.answers, sets.members, strict=True)]


def same_role(sets: NumberSets) -> Numbers:
    """1 where all members of a larger set can be read in one role: all assigned, all results or all stated."""
    return _common(sets, _conclusive_roles)


def _conclusive_roles(view: AnswerView) -> list[Role | None]:
    return [None if mention.role is OPERAND else mention.role for mention in view.mentions]


def is_whole_closing(sets: NumberSets) -> Numbers:
    """Share of the numbers of the closing sentence (operands left out) that are members."""
    return sets.count(lambda view: view.closing) / sets.each(lambda view: len(view.closing) or 1)


def is_whole_answer(sets: NumberSets) -> Numbers:
    """1 where the answer holds the members and no other number."""
    return np.where(sets.each(lambda view: len(view.by_value)) == sets.sizes, 1.0, 0.0)


def covers_assigned(sets: NumberSets) -> Numbers:
    """Share of the values given to lone names that are members; 0 where there are none."""
    return sets.count(lambda view: view.assigned) / sets.each(lambda view: len(view.assigned) or 1)


def breaks_list(sets: NumberSets) -> Numbers:
    """1 where a member is listed beside a number that is left out: 16 and 17 of "15, 16, 17 ft"."""
    beside = [view.neighbours for view in sets.views]
    if not any(beside):
        return np.zeros(len(sets.members))
    bits = [{value: 1 << place for place, value in enumerate(view.by_value)} for view in sets.views]
    own = np.array([*(bits[answer].get(value, 0) for answer, value in sets.slots), 0], dtype=np.int64)
    near = [sum(bits[answer][other] for other in beside[answer].get(value, ())) for answer, value in sets.slots]
    mine = np.bitwise_or.reduce(own[sets.places], axis=1)
    theirs = np.bitwise_or.reduce(np.array([*near, 0], dtype=np.int64)[sets.places], axis=1)
    return np.where(theirs & ~mine, 1.0, 0.0)


def sum_is_given(sets: NumberSets) -> Numbers:
    """1 where the members of a larger set add up to a number of the question: "31 coins"."""
    return np.where((sets.sizes > 1) & are_given(sets.sums, sets.question.rounded), 1.0, 0.0)


def difference_is_given(sets: NumberSets) -> Numbers:
    """1 where two members differ by a number of the question."""
    a, b = sets.pairs
    return np.where(are_given(np.abs(a - b), sets.question.rounded).any(axis=1), 1.0, 0.0)


def ratio_is_given(sets: NumberSets) -> Numbers:
    """1 where one member is a multiple of another by a number of the question."""
    given = sets.question.rounded
    a, b = (np.where(side == 0, np.nan, side) for side in sets.pairs)
    with np.errstate(over="ignore"):
        ratios = np.concatenate([a / b, b / a], axis=1)
    return np.where(are_given(ratios, given).any(axis=1), 1.0, 0.0)


def member_is_sum(sets: NumberSets) -> Numbers:
    """1 where one of three or more members is the sum of the others: a total among its parts."""
    off = np.abs(2 * sets.floats - sets.sums[:, None])
    return np.where((sets.sizes > 2) & (off < 1e-9).any(axis=1), 1.0, 0.0)


def closes_as_asked(sets: NumberSets) -> list[float]:
    """1 for the last values of the answer that are no operands, as many as the question asks for."""
    last = [tuple(sorted(view.conclusions[: sets.question.asked_size])) for view in sets.views]
    return [float(members == last[answer]) for answer, members in zip(sets.answers, sets.members, strict=True)]


def is_exact_closing(sets: NumberSets) -> list[float]:
    """1 where the numbers of the closing sentence (operands left out) are just the members."""
    closing = [view.closing for view in sets.views]
    pairs = zip(sets.answers, sets.members, strict=True)
    return [float(members[0] in closing[answer] and closing[answer] == set(members)) for answer, members in pairs]


def is_own_solution(sets: NumberSets) -> Numbers:
    """1 where the members are a solution of the answer's own equations."""
    return np.where(sets.own_solution, 1.0, 0.0)


def is_part_of_own_solution(sets: NumberSets) -> Numbers:
    """The share of the members that are values of the best fitting solution of the answer's own equations."""
    return sets.own_share


def share_implied(sets: NumberSets) -> Numbers:
    """The share of the members that only the answer's own equations give: they stand nowhere in its text."""
    return (sets.sizes - sets.count(lambda view: view.by_value)) / sets.sizes


def is_all_of_own_solution(sets: NumberSets) -> Numbers:
    """1 for a solution of the answer's own equations with as many values as the question asks for."""
    return np.where(sets.own_solution & (sets.sizes == sets.question.asked_size), 1.0, 0.0)


def is_reckoned_on(sets: NumberSets) -> list[float]:
    """1 for a solution of the answer's own equations that it goes on to reckon with: a step on the way."""
    rows = zip(sets.answers, sets.members, sets.own_solution.tolist(), strict=True)
    return [
        float(own and len(members) == 1 and _reckoned_on(sets.views[answer], members[0]))
        for answer, members, own in rows
    ]


def _reckoned_on(view: AnswerView, value: int) -> bool:
    places = view.by_value.get(value, ())
    values = (place for place in places if view.mentions[place].role is not OPERAND)
    first = next(values, None)
    return (
        first is not None
        and view.last_conclusive not in places
        and any(place > first and view.mentions[place].role is OPERAND for place in places)
    )


def is_apart_from_own_solution(sets: NumberSets) -> Numbers:
    """1 where the answer's own equations have solutions and no member is a value of one."""
    return np.where((sets.each(lambda view: len(view.solutions)) > 0) & (sets.own_share == 0), 1.0, 0.0)


NUMBER_SET: Final[tuple[SetFeature, ...]] = (
    in_one_line,
    in_one_sentence,
    stand_together,
    same_role,
    is_whole_closing,
    is_whole_answer,
    covers_assigned,
    breaks_list,
    sum_is_given,
    difference_is_given,
    ratio_is_given,
    member_is_sum,
    closes_as_asked,
    is_exact_closing,
    is_own_solution,
    is_part_of_own_solution,
    is_apart_from_own_solution,
    share_implied,
    is_all_of_own_solution,
    is_reckoned_on,
)
DIMENSION: Final[tuple[SetFeature, ...]] = (
    dimension_one,
    dimension_two,
    dimension_more,
    dimension_as_asked,
    dimension_below_asked,
    dimension_above_asked,
)
SET_FEATURES: Final = (*NUMBER_SET, *DIMENSION)
