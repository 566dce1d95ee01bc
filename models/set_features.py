"""Features of a set of numbers within one answer: number set and dimension (Dolphin18K, Table 1)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

from extractors.answers.roles import Role
from models.questions import QuestionView
from models.truth import same_answer, same_value
from models.views import AnswerView


@dataclass(frozen=True, slots=True)
class NumberSet:
    """A candidate in one answer: the indexes of its values, ascending, and the values as rounded floats."""

    question: QuestionView
    view: AnswerView
    indexes: tuple[int, ...]
    values: tuple[float, ...]
    exact: tuple[Fraction, ...]


SetFeature = Callable[[NumberSet], float]


def dimension_one(members: NumberSet) -> float:
    """1 for a single number."""
    return float(len(members.indexes) == 1)


def dimension_two(members: NumberSet) -> float:
    """1 for a pair."""
    return float(len(members.indexes) == 2)


def dimension_more(members: NumberSet) -> float:
    """Members beyond two."""
    return max(0, len(members.indexes) - 2) / 3


def dimension_as_asked(members: NumberSet) -> float:
    """1 for as many numbers as the wording of the question asks for."""
    return float(len(members.indexes) == members.question.asked_size)


def dimension_below_asked(members: NumberSet) -> float:
    """How many numbers fewer than asked, over 4."""
    return max(0, members.question.asked_size - len(members.indexes)) / 4


def dimension_above_asked(members: NumberSet) -> float:
    """How many numbers more than asked, over 4."""
    return max(0, len(members.indexes) - members.question.asked_size) / 4


def in_one_line(members: NumberSet) -> float:
    """1 where a line holds all members of a larger set."""
    return _common(members, members.view.lines_of_value)


def in_one_sentence(members: NumberSet) -> float:
    """1 where a sentence holds all members of a larger set."""
    return _common(members, members.view.sentences_of_value)


def _common(members: NumberSet, places: Mapping[int, frozenset[Any]]) -> float:
    first, *others = (places.get(index, frozenset()) for index in members.indexes)
    return float(bool(others) and bool(first.intersection(*others)))


def stand_together(members: NumberSet) -> float:
    """1 where mentions of all members of a larger set follow one another with no other number between."""
    return float(members.indexes in members.view.runs)


def same_role(members: NumberSet) -> float:
    """1 where all members of a larger set can be read in one role: all assigned, all results or all stated."""
    return _common(members, members.view.roles_of_value)


def is_whole_closing(members: NumberSet) -> float:
    """Share of the numbers of the closing sentence (operands left out) that are members."""
    closing = members.view.closing
    return sum(index in closing for index in members.indexes) / len(closing) if closing else 0.0


def is_whole_answer(members: NumberSet) -> float:
    """1 where the answer holds the members and no other number."""
    return float(len(members.view.by_value) == len(members.indexes))


def covers_assigned(members: NumberSet) -> float:
    """Share of the values given to lone names that are members; 0 where there are none."""
    assigned = members.view.assigned
    return sum(index in assigned for index in members.indexes) / len(assigned) if assigned else 0.0


def breaks_list(members: NumberSet) -> float:
    """1 where a member is listed beside a number that is left out: 16 and 17 of "15, 16, 17 ft"."""
    neighbours, mine = members.view.neighbours, set(members.indexes)
    return float(any(index in neighbours and not neighbours[index] <= mine for index in members.indexes))


def sum_is_given(members: NumberSet) -> float:
    """1 where the members of a larger set add up to a number of the question: "31 coins"."""
    return float(len(members.values) > 1 and round(sum(members.values), 9) in members.question.rounded)


def difference_is_given(members: NumberSet) -> float:
    """1 where two members differ by a number of the question."""
    given = members.question.rounded
    return float(any(round(abs(a - b), 9) in given for a, b in combinations(members.values, 2)))


def ratio_is_given(members: NumberSet) -> float:
    """1 where one member is a multiple of another by a number of the question."""
    given = members.question.rounded
    pairs = [(a, b) for a, b in combinations(members.values, 2) if a and b]
    return float(any(round(a / b, 9) in given or round(b / a, 9) in given for a, b in pairs))


def member_is_sum(members: NumberSet) -> float:
    """1 where one of three or more members is the sum of the others: a total among its parts."""
    if len(members.values) < 3:
        return 0.0
    total = sum(members.values)
    return float(any(abs(2 * value - total) < 1e-9 for value in members.values))


def closes_as_asked(members: NumberSet) -> float:
    """1 for the last values of the answer that are no operands, as many as the question asks for."""
    last = members.view.conclusions[: members.question.asked_size]
    return float(len(last) == len(members.indexes) and set(last) == set(members.indexes))


def is_exact_closing(members: NumberSet) -> float:
    """1 where the numbers of the closing sentence (operands left out) are just the members."""
    return float(members.view.closing == frozenset(members.indexes))


def is_own_solution(members: NumberSet) -> float:
    """1 where the members are a solution of the answer's own equations."""
    return float(any(same_answer(members.exact, solution) for solution in members.view.solutions))


def is_part_of_own_solution(members: NumberSet) -> float:
    """The share of the members that are values of the best fitting solution of the answer's own equations."""
    return _best_share(members.exact, members.view.solutions)


def _best_share(values: tuple[Fraction, ...], solutions: tuple[tuple[Fraction, ...], ...]) -> float:
    shares = (sum(any(same_value(value, other) for other in solution) for value in values) for solution in solutions)
    return max(shares, default=0) / len(values)


def share_implied(members: NumberSet) -> float:
    """The share of the members that only the answer's own equations give: they stand nowhere in its text."""
    by_value = members.view.by_value
    return sum(index not in by_value for index in members.indexes) / len(members.indexes)


def is_all_of_own_solution(members: NumberSet) -> float:
    """1 for a solution of the answer's own equations with as many values as the question asks for."""
    return is_own_solution(members) if len(members.indexes) == members.question.asked_size else 0.0


def is_reckoned_on(members: NumberSet) -> float:
    """1 for a solution of the answer's own equations that it goes on to reckon with: a step on the way."""
    view = members.view
    if len(members.indexes) > 1 or not is_own_solution(members):
        return 0.0
    places = view.by_value.get(members.indexes[0], ())
    values = (place for place in places if view.mentions[place].role is not Role.OPERAND)
    first = next(values, None)
    return float(
        first is not None
        and view.last_conclusive not in places
        and any(place > first and view.mentions[place].role is Role.OPERAND for place in places)
    )


def is_apart_from_own_solution(members: NumberSet) -> float:
    """1 where the answer's own equations have solutions and no member is a value of one."""
    return float(bool(members.view.solutions) and is_part_of_own_solution(members) == 0)


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
