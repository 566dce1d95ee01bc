"""Evidence for and against a hypothesis: how its answer closes, what bears it out, what the question says of it.

Each function takes a hypothesis and returns a number of about unit size; ``ANSWER_EVIDENCE`` gives each its sign.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from extractors.answers.answer_candidates import Role
from extractors.equations.given import Stance
from models.agreement import agreement_odds
from models.analysed_answer import AnalysedAnswer
from models.counts import chance_of_more
from models.gold_values import same_answer
from models.thread_features import AnalysedThread

LEAST_VOTE: Final = 0.25


@dataclass(frozen=True)
class Hypothesis:
    """A candidate of a ranked thread: candidates best first with their scores, and the place of this one.

    ``says`` is what the question says of it, ``other_confirmed`` whether it confirms another candidate.
    """

    view: AnalysedThread
    order: Sequence[int]
    scores: Sequence[float]
    place: int = 0
    says: Stance = Stance.SILENT
    other_confirmed: bool = False

    @property
    def candidate(self) -> int:
        """The candidate, by its index in the thread."""
        return self.order[self.place]

    @cached_property
    def size(self) -> int:
        """How many values it has."""
        return len(self.view.values_of(self.candidate))

    @cached_property
    def answer(self) -> AnalysedAnswer:
        """The answer that claims the candidate, the first that offers it where none claims it."""
        claims = self.view.claims_of.get(self.candidate)
        return self.view.analysed[claims[0].answer if claims else self.view.candidates[self.candidate].answers[0]]

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Where its members stand in that answer, in order."""
        values = self.view.sets[self.candidate]
        return tuple(place for value in sorted(values) for place in self.answer.by_value.get(value, ()))


EvidenceFunction = Callable[[Hypothesis], float]


def closes(one: Hypothesis) -> float:
    """1 where the last number of the answer that is no operand is a member."""
    answer = one.answer
    last = answer.last_conclusive
    return float(last >= 0 and answer.mentions[last].value in one.view.sets[one.candidate])


def was_given(one: Hypothesis) -> float:
    """1 where a member is a number of the question."""
    given = one.view.question.values
    return float(any(value in given for value in one.view.values_of(one.candidate)))


def given_numbers_used(one: Hypothesis) -> float:
    """Which share of the question's numbers stands in the answer."""
    return one.answer.used(one.view.question)


def goes_on(one: Hypothesis) -> float:
    """1 where the answer reckons on with a member: a step, not the end."""
    answer = one.answer
    said = (place for place in one.places if answer.mentions[place].role is not Role.OPERAND)
    return float(any(answer.is_used_later(place) for place in said))


def is_unsaid(one: Hypothesis) -> float:
    """The share of the members that only the equations give."""
    values, stated = one.view.candidates[one.candidate].values, one.answer.by_value
    return sum(value not in stated for value in values) / len(values)


def likely_asked(one: Hypothesis) -> float:
    """The probability of the likeliest system of which just these values are asked."""
    values = one.view.values_of(one.candidate)
    return max((chance for row, chance in one.view.likely_asked if same_answer(values, row)), default=0.0)


def score(one: Hypothesis) -> float:
    """The score of the ranking, between -3 and 3."""
    return max(-3.0, min(3.0, one.scores[one.place]))


def lead(one: Hypothesis) -> float:
    """How far it is ahead of the next candidate where it comes first, else behind the first; between -3 and 2."""
    if one.place:
        return max(-3.0, one.scores[one.place] - one.scores[0])
    return min(2.0, one.scores[0] - one.scores[1]) if len(one.scores) > 1 else 2.0


def confirmed_by_question(one: Hypothesis) -> float:
    """1 where the question, surely read, asks for just these values."""
    return float(one.says is Stance.CONFIRMS)


def contradicted_by_question(one: Hypothesis) -> float:
    """1 where the question, surely read, cannot ask for these values."""
    return float(one.says is Stance.CONTRADICTS)


def other_is_confirmed(one: Hypothesis) -> float:
    """1 where the question confirms another candidate of the thread."""
    return float(one.other_confirmed)


def fewer_than_asked(one: Hypothesis) -> float:
    """How likely the question asks for more values."""
    return chance_of_more(one.view.question.asked, one.size)


def agreement(one: Hypothesis) -> float:
    """The log odds, from agreement alone, that the most agreed claim is right.

    The reasoning: every answer on a site is right with the same unknown probability (uniform before anything is seen);
    right answers agree, and a wrong one joins another wrong one with probability ECHO. An answer that shows no steps
    counts for less than one that shows two. So four that agree are nearly sure, two against two others are not, and a
    single answer is even: without assuming how good the answers of a site are.
    """
    view = one.view
    groups: dict[int, float] = {}
    for claim in view.claims:
        weight = min(1.0, LEAST_VOTE + view.analysed[claim.answer].steps * (1 - LEAST_VOTE) / 2)
        groups[claim.candidate] = groups.get(claim.candidate, 0.0) + weight
    mine = groups.pop(one.candidate, 0.0)
    return agreement_odds(mine, tuple(groups.values()))


ANSWER_EVIDENCE: Final[tuple[tuple[EvidenceFunction, int], ...]] = (
    (closes, 1),
    (was_given, -1),
    (given_numbers_used, 1),
    (goes_on, -1),
    (is_unsaid, -1),
    (likely_asked, 1),
    (score, 1),
    (lead, 1),
    (confirmed_by_question, 1),
    (contradicted_by_question, -1),
    (other_is_confirmed, -1),
    (fewer_than_asked, -1),
    (agreement, 1),
)
"""The evidence of a hypothesis with its sign: 1 where it can only speak for it, -1 only against it, 0 either way."""
