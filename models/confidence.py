"""What the confidence in an answer rests on, for three kinds of threads apart.

Where answers agree, or one stands against others, it is the agreement, the lead of the first candidate and what the
equations say; nothing there depends on how a site writes. Where a single answer claims anything, it is how that answer
closes and whether its own work bears it out (``models/single_features.py``).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from models import thread_features as features
from models.exact import Matrix, on_grid
from models.single_features import SINGLE_AGAINST, SINGLE_EVIDENCE, Evidence, Outcome
from models.thread_features import ThreadView
from models.truth import same_answer


class Kind(StrEnum):
    """What a thread offers besides its first candidate: nothing, agreement with it, or as much against it as for it."""

    SINGLE = "single"
    AGREED = "agreed"
    DISPUTED = "disputed"


def kind_of(view: ThreadView, top: int) -> Kind:
    """The kind of a ranked thread by the claims of its answers.

    SINGLE: one answer claims anything. AGREED: two answers or more claim ``top``, more than any other candidate.
    DISPUTED: all other threads with several claims.
    """
    if len(view.claims) < 2:
        return Kind.SINGLE
    mine = len(view.claims_of.get(top, ()))
    rival = max((len(claims) for candidate, claims in view.claims_of.items() if candidate != top), default=0)
    return Kind.AGREED if mine > max(1, rival) else Kind.DISPUTED


ECHO: Final = 0.2
"""How likely a wrong answer repeats another wrong one."""
LEAST_VOTE: Final = 0.25


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
    counts for less than one that shows two; one whose sums leave out a quantity of the question counts for three
    quarters of that, one that leaves out more for half (``models/chains.py``). So four that agree are nearly sure, two
    against two others are not, and a single answer is even: without assuming how good the answers of a site are.
    """
    view = outcome.view
    groups: dict[int, float] = {}
    for claim in view.claims:
        weight = min(1.0, LEAST_VOTE + view.views[claim.answer].steps * (1 - LEAST_VOTE) / 2)
        weight *= 1 + min(0.0, view.accounted[claim.answer]) / 2
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


def own_solution(outcome: Outcome) -> float:
    """1 where the first candidate is a solution of the own equations of an answer that claims it."""
    view, top = outcome.view, outcome.top
    values = view.values_of(top)
    claims = view.claims_of.get(top, ())
    return float(any(same_answer(values, solution) for one in claims for solution in view.views[one.answer].solutions))


SEVERAL: Final[tuple[Evidence, ...]] = (
    agreement,
    top_score,
    lead,
    lead_over_rivals,
    objection,
    claim_margin,
    solved,
    contradicted,
    own_solution,
    reckoned_right,
    numbers_used,
    work_behind,
    as_many_as_asked,
)
EVIDENCE: Final[Mapping[Kind, tuple[Evidence, ...]]] = MappingProxyType(
    {
        Kind.SINGLE: (top_score, lead, claim_margin, as_many_as_asked, *SINGLE_EVIDENCE),
        Kind.AGREED: SEVERAL,
        Kind.DISPUTED: SEVERAL,
    }
)
EVIDENCE_NAMES: Final = MappingProxyType(
    {kind: tuple(function.__name__ for function in functions) for kind, functions in EVIDENCE.items()}
)
AGAINST: Final = frozenset({"contradicted"}) | SINGLE_AGAINST
"""Evidence that can only lower the confidence; all other evidence can only raise it."""
WHOLE: Final = frozenset({"agreement"})
"""Evidence that is in log odds already and counts with a weight of one."""


def evidence(view: ThreadView, order: Sequence[int], scores: Sequence[float]) -> tuple[Kind, Matrix]:
    """The kind of a ranked thread, and a number for each of that kind's EVIDENCE_NAMES."""
    outcome = Outcome(view, order, scores)
    kind = kind_of(view, outcome.top)
    return kind, on_grid([function(outcome) for function in EVIDENCE[kind]])
