"""Evidence for the only claim of a thread: how its answer closes, and whether its own work bears the claim out.

Each function takes a ranked thread and returns a number between -1 and 1. Nothing stands beside the answer, so all
there is to go by is the answer itself: the value stated last, with the unit asked for, coming out of its equations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from extractors.answers.roles import Role
from models import mention_features as local
from models.thread_features import ThreadView
from models.truth import same_answer, same_value
from models.views import AnswerView


@dataclass(frozen=True)
class Outcome:
    """A ranked thread: candidates best first with their scores."""

    view: ThreadView
    order: Sequence[int]
    scores: Sequence[float]

    @property
    def top(self) -> int:
        """The first candidate."""
        return self.order[0]

    @cached_property
    def answer(self) -> AnswerView:
        """The answer that claims the first candidate, the first that offers it where none claims it."""
        claims = self.view.claims_of.get(self.top)
        return self.view.views[claims[0].answer if claims else self.view.candidates[self.top].answers[0]]

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Where the members of the first candidate stand in that answer, in order."""
        values = self.view.sets[self.top]
        return tuple(place for value in sorted(values) for place in self.answer.by_value.get(value, ()))

    @cached_property
    def closing_place(self) -> int | None:
        """The last of these places before a closing check; None where no member stands in the text."""
        body = [place for place in self.places if place <= self.answer.last_place]
        return max(body or self.places, default=None)


Evidence = Callable[[Outcome], float]


def closes(outcome: Outcome) -> float:
    """1 where the last number of the answer that is no operand is a member."""
    answer = outcome.answer
    last = answer.last_conclusive
    return float(last >= 0 and answer.mentions[last].value in outcome.view.sets[outcome.top])


def comes_out(outcome: Outcome) -> float:
    """1 where a member stands after an equals sign: a result or the value of a name."""
    roles = (outcome.answer.mentions[place].role for place in outcome.places)
    return float(any(role in (Role.RESULT, Role.ASSIGNED) for role in roles))


def last_sum_comes_to(outcome: Outcome) -> float:
    """1 where the last sum written down comes to a member."""
    sums = outcome.answer.sums
    values = outcome.view.values_of(outcome.top)
    return float(bool(sums) and any(same_value(sums[-1].result, value) for value in values))


def is_own(outcome: Outcome) -> float:
    """1 where the first candidate is a solution of the answer's own equations."""
    values = outcome.view.values_of(outcome.top)
    return float(any(same_answer(values, solution) for solution in outcome.answer.solutions))


def is_not_own(outcome: Outcome) -> float:
    """1 where the answer's own equations have solutions and no member is a value of one."""
    values, solutions = outcome.view.values_of(outcome.top), outcome.answer.solutions
    found = any(same_value(value, other) for value in values for solution in solutions for other in solution)
    return float(bool(solutions) and not found)


def carries_asked_unit(outcome: Outcome) -> float:
    """1 where a member has the unit or the thing beside it that the question asks for."""
    question, answer = outcome.view.question, outcome.answer
    return float(any(local.is_asked_thing(question, answer, place) for place in outcome.places))


def was_given(outcome: Outcome) -> float:
    """1 where a member is a number of the question."""
    given = outcome.view.question.values
    return float(any(value in given for value in outcome.view.values_of(outcome.top)))


def given_numbers_used(outcome: Outcome) -> float:
    """Which share of the question's numbers stands in the answer."""
    return outcome.answer.used(outcome.view.question)


def own_sums_right(outcome: Outcome) -> float:
    """Right less wrong sums of the answer, over all; 0 without sums."""
    return outcome.answer.sums_right


def goes_on(outcome: Outcome) -> float:
    """1 where the answer reckons on with a member: a step, not the end."""
    answer = outcome.answer
    said = (place for place in outcome.places if answer.mentions[place].role is not Role.OPERAND)
    return float(any(local.is_used_later(answer, place) for place in said))


def is_guessed(outcome: Outcome) -> float:
    """1 where the closing statement of a member is hedged."""
    place = outcome.closing_place
    return 0.0 if place is None else local.is_hedged(outcome.view.question, outcome.answer)[place]


def stands_in_check(outcome: Outcome) -> float:
    """1 where the closing statement of a member checks, supposes or looks back."""
    place = outcome.closing_place
    return 0.0 if place is None else local.is_in_check(outcome.view.question, outcome.answer)[place]


def is_unsaid(outcome: Outcome) -> float:
    """The share of the members that only the equations give."""
    values, stated = outcome.view.candidates[outcome.top].values, outcome.answer.by_value
    return sum(value not in stated for value in values) / len(values)


def steps_shown(outcome: Outcome) -> float:
    """How many results and values the answer works out, over 6."""
    return outcome.answer.steps / 6


SINGLE_EVIDENCE: Final[tuple[Evidence, ...]] = (
    closes,
    comes_out,
    last_sum_comes_to,
    is_own,
    is_not_own,
    carries_asked_unit,
    was_given,
    given_numbers_used,
    own_sums_right,
    goes_on,
    is_guessed,
    stands_in_check,
    is_unsaid,
    steps_shown,
)
SINGLE_AGAINST: Final = frozenset({"is_not_own", "was_given", "goes_on", "is_guessed", "stands_in_check", "is_unsaid"})
