"""What the confidence in an answer rests on: the lead of the first candidate and how far the answers agree.

Nothing here depends on how a site writes; single features of the text enter through the scores only.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from models import thread_features as features
from models.features import Matrix
from models.thread_features import ThreadView


@dataclass(frozen=True, slots=True)
class Outcome:
    """A ranked thread: candidates best first with their scores."""

    view: ThreadView
    order: Sequence[int]
    scores: Sequence[float]

    @property
    def top(self) -> int:
        """The first candidate."""
        return self.order[0]


ECHO: Final = 0.2
"""How likely a wrong answer repeats another wrong one."""
LEAST_VOTE: Final = 0.25
Evidence = Callable[[Outcome], float]


def top_score(outcome: Outcome) -> float:
    """The score of the first candidate, between -3 and 3."""
    return max(-3.0, min(3.0, outcome.scores[0]))


def lead(outcome: Outcome) -> float:
    """How far the first candidate is ahead of the second, at most 2."""
    return min(2.0, outcome.scores[0] - outcome.scores[1]) if len(outcome.scores) > 1 else 2.0


def lead_over_rivals(outcome: Outcome) -> float:
    """How far the first candidate is ahead of the first that shares no value with it, at most 3."""
    mine = outcome.view.sets[outcome.top]
    for candidate, score in zip(outcome.order, outcome.scores, strict=True):
        if not mine & outcome.view.sets[candidate]:
            return min(3.0, outcome.scores[0] - score)
    return 3.0


def agreement(outcome: Outcome) -> float:
    """The log odds, from agreement alone, that the most agreed claim is right.

    The reasoning: every answer on a site is right with the same unknown probability (uniform before anything is seen);
    right answers agree, and a wrong one joins another wrong one with probability ECHO. An answer that shows no steps
    counts for less than one that shows two. So four that agree are nearly sure, two against two others are not, and a
    single answer is even: without assuming how good the answers of a site are.
    """
    view = outcome.view
    groups: dict[int, float] = {}
    for claim in view.claims:
        weight = min(1.0, LEAST_VOTE + view.views[claim.answer].steps * (1 - LEAST_VOTE) / 2)
        groups[claim.candidate] = groups.get(claim.candidate, 0.0) + weight
    mine = groups.pop(outcome.top, 0.0)
    return agreement_odds(mine, list(groups.values()))


def agreement_odds(mine: float, others: Sequence[float]) -> float:
    """Log odds, between -3 and 3, that a group of ``mine`` votes is right, against groups of ``others`` votes.

    >>> [round(agreement_odds(*case), 2) for case in ((1, []), (2, []), (3, [1]), (2, [1, 1]))]
    [0.0, 1.61, 1.78, -0.44]
    """
    sizes = [mine, *others]
    votes = sum(sizes)
    wrong: list[float] = [math.pow(ECHO, max(0.0, size - 1)) for size in sizes]
    apart = 1 - ECHO

    def weight(right: int | None) -> float:
        size = 0.0 if right is None else sizes[right]
        rest = [wrong[place] for place in range(len(sizes)) if place != right]
        chance = math.lgamma(size + 1) + math.lgamma(votes - size + 1) - math.lgamma(votes + 2)
        return math.exp(chance) * math.prod(rest) * math.pow(apart, max(0, len(rest) - 1))

    against = weight(None) + sum(weight(place) for place in range(1, len(sizes)))
    return max(-3.0, min(3.0, math.log(weight(0) / against)))


def objection(outcome: Outcome) -> float:
    """1 where an answer for the first candidate corrects others, -1 where only one against it does."""
    view, top = outcome.view, outcome.top
    return features.objection_for(view, top) - features.objection_against(view, top)


def claim_margin(outcome: Outcome) -> float:
    """How clearly the first candidate leads within the answer that claims it most clearly."""
    return features.best_claim_margin(outcome.view, outcome.top)


def solved(outcome: Outcome) -> float:
    """1 where the first candidate is the solution of the equations voted for, and fewer than two answers claim it.

    Where two claim it the vote on equations repeats what agreement says already.
    """
    claims = len(outcome.view.claims_of.get(outcome.top, ()))
    return features.equals_solution(outcome.view, outcome.top) if claims < 2 else 0.0


def contradicted(outcome: Outcome) -> float:
    """1 where the equations voted for have other solutions."""
    return features.contradicts_solution(outcome.view, outcome.top)


def _ahead(outcome: Outcome, feature: Callable[[ThreadView, int], float]) -> float:
    """A feature of the first candidate less that of the best claimed candidate that shares no value with it.

    What speaks for a rival as well decides nothing: where all answers of a site show their work, work is no evidence.
    """
    view, mine = outcome.view, outcome.view.sets[outcome.top]
    rivals = (feature(view, candidate) for candidate in view.claims_of if not mine & view.sets[candidate])
    return feature(view, outcome.top) - max(rivals, default=0.0)


def reckoned_right(outcome: Outcome) -> float:
    """Right less wrong sums in the answers that claim the first candidate, less the same of its best rival."""
    return _ahead(outcome, features.sums_are_right)


def numbers_used(outcome: Outcome) -> float:
    """How much more of the question's numbers stand in an answer for the first candidate than in one for a rival."""
    return _ahead(outcome, features.question_numbers_used)


def work_behind(outcome: Outcome) -> float:
    """How much more work an answer shows that claims the first candidate than one that claims a rival."""
    return _ahead(outcome, features.work_shown)


def as_many_as_asked(outcome: Outcome) -> float:
    """1 for as many values as the question asks for."""
    return features.size_as_asked(outcome.view, outcome.top)


EVIDENCE: Final[tuple[Evidence, ...]] = (
    top_score,
    lead,
    lead_over_rivals,
    agreement,
    objection,
    claim_margin,
    solved,
    contradicted,
    reckoned_right,
    numbers_used,
    work_behind,
    as_many_as_asked,
)
EVIDENCE_NAMES: Final = tuple(function.__name__ for function in EVIDENCE)
AGAINST: Final = frozenset({"contradicted"})
"""Evidence that can only lower the confidence; all other evidence can only raise it."""
WHOLE: Final = frozenset({"agreement"})
"""Evidence that is in log odds already and counts with a weight of one."""


def evidence(view: ThreadView, order: Sequence[int], scores: Sequence[float]) -> Matrix:
    """The evidence for the first candidate of a ranked thread, one number for each of EVIDENCE_NAMES."""
    outcome = Outcome(view, order, scores)
    return np.array([function(outcome) for function in EVIDENCE])
