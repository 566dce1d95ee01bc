"""Features of a candidate over the whole thread: global features, solutions, and evidence (Dolphin18K, Table 1).

They rest on what each answer claims: the candidate that ranks first by the features within that answer alone. Shares
are used rather than counts, so that a site with two answers a thread and one with ten look alike.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, wraps
from typing import Final

from extractors.answers.answer_candidates import Candidate
from models.annotated_answer import AnswerView
from models.annotated_question import QuestionView
from models.chains import accounted_for, origins
from models.number_sets import same_answer, same_value


@dataclass(frozen=True)
class Claim:
    """What one answer says: the candidate that ranks first within it, and how far it is ahead of the next."""

    answer: int
    candidate: int
    score: float
    margin: float


@dataclass(frozen=True)
class ThreadView:
    """All that the features of a thread read. ``scores[answer][candidate]`` is the score within the answer."""

    question: QuestionView
    views: tuple[AnswerView, ...]
    values: tuple[Fraction, ...]
    candidates: tuple[Candidate, ...]
    scores: tuple[dict[int, float], ...]
    claims: tuple[Claim, ...]
    solutions: tuple[tuple[Fraction, ...], ...]
    likely_asked: tuple[tuple[tuple[Fraction, ...], float], ...] = ()

    def values_of(self, candidate: int) -> tuple[Fraction, ...]:
        """The values of a candidate, ascending."""
        return tuple(self.values[index] for index in self.candidates[candidate].values)

    @cached_property
    def claims_of(self) -> dict[int, list[Claim]]:
        """The claims by candidate."""
        found: dict[int, list[Claim]] = {}
        for claim in self.claims:
            found.setdefault(claim.candidate, []).append(claim)
        return found

    @cached_property
    def sets(self) -> tuple[frozenset[int], ...]:
        """The candidates as sets of value indexes."""
        return tuple(frozenset(candidate.values) for candidate in self.candidates)

    @cached_property
    def with_numbers(self) -> int:
        """How many answers hold a number, at least 1."""
        return max(1, sum(1 for view in self.views if view.mentions))

    @cached_property
    def worked(self) -> tuple[float, ...]:
        """How much work each answer shows, 0 to 1: sums, results and values of variables, 3 or more count as 1."""
        return tuple(
            min(3, sum(mention.role in ("result", "assigned") for mention in view.mentions)) / 3 for view in self.views
        )

    @cached_property
    def work_claimed(self) -> float:
        """The work shown behind all claims."""
        return sum(self.worked[claim.answer] for claim in self.claims)

    @cached_property
    def objections(self) -> tuple[Claim, ...]:
        """The claims of answers that correct others."""
        return tuple(claim for claim in self.claims if self.views[claim.answer].objects)

    @cached_property
    def share_of_answers(self) -> tuple[float, ...]:
        """For each value, the share of the answers with numbers that hold it."""
        return tuple(
            sum(index in view.by_value for view in self.views) / self.with_numbers for index in range(len(self.values))
        )

    @cached_property
    def share_of_mentions(self) -> tuple[float, ...]:
        """For each value, its share of all mentions."""
        total = max(1, sum(len(view.mentions) for view in self.views))
        return tuple(
            sum(len(view.by_value.get(index, ())) for view in self.views) / total for index in range(len(self.values))
        )

    @cached_property
    def solved_values(self) -> tuple[frozenset[int], ...]:
        """For each solution, which of the thread's values are values of it."""
        return tuple(
            frozenset(
                index for index, value in enumerate(self.values) if any(same_value(value, other) for other in solution)
            )
            for solution in self.solutions
        )

    @cached_property
    def used(self) -> tuple[float, ...]:
        """Which share of the question's numbers stands in each answer."""
        return tuple(view.used(self.question) for view in self.views)

    @cached_property
    def restated(self) -> tuple[float, ...]:
        """Which share of the question's longer words stands in each answer."""
        words = self.question.words
        return tuple(len(words & view.words) / max(1, len(words)) for view in self.views)

    @cached_property
    def accounted(self) -> dict[int, float]:
        """For each answer with a claim, how well its sums account for the question; 0 for larger sets."""
        return {claim.answer: self._accounts(claim) for claim in self.claims}

    def _accounts(self, claim: Claim) -> float:
        values = self.values_of(claim.candidate)
        if len(values) != 1:
            return 0.0
        found = origins(self.views[claim.answer].chain, values[0].as_integer_ratio())
        return accounted_for(self.question.quantities, found)

    @cached_property
    def first_with_number(self) -> int:
        """The first answer that holds a number."""
        return next((place for place, view in enumerate(self.views) if view.mentions), 0)


ThreadFeature = Callable[[ThreadView, int], float]


def _best_of_claims(known: Callable[[ThreadView, Claim], float]) -> ThreadFeature:
    """The highest figure over the claims for a candidate; 0 for one that no answer claims, as most are."""

    @wraps(known)
    def best(thread: ThreadView, candidate: int) -> float:
        claims = thread.claims_of.get(candidate)
        return max([known(thread, claim) for claim in claims]) if claims else 0.0

    return best


def best_local_score(thread: ThreadView, candidate: int) -> float:
    """The highest score of the candidate within one answer."""
    return max(thread.scores[answer].get(candidate, -4.0) for answer in thread.candidates[candidate].answers)


def claim_share(thread: ThreadView, candidate: int) -> float:
    """The share of the answers with a claim that claim the candidate: solution agreement."""
    return len(thread.claims_of.get(candidate, ())) / max(1, len(thread.claims))


def is_claimed(thread: ThreadView, candidate: int) -> float:
    """1 where some answer claims the candidate."""
    return float(candidate in thread.claims_of)


def is_claimed_twice(thread: ThreadView, candidate: int) -> float:
    """1 where two answers or more claim the candidate."""
    return float(len(thread.claims_of.get(candidate, ())) > 1)


def is_claimed_thrice(thread: ThreadView, candidate: int) -> float:
    """1 where three answers or more claim the candidate."""
    return float(len(thread.claims_of.get(candidate, ())) > 2)


def worked_claim_share(thread: ThreadView, candidate: int) -> float:
    """The share of the work shown that stands behind the candidate."""
    mine = sum(thread.worked[claim.answer] for claim in thread.claims_of.get(candidate, ()))
    return mine / thread.work_claimed if thread.work_claimed else 0.0


@_best_of_claims
def best_claim_margin(_thread: ThreadView, claim: Claim) -> float:
    """How far the candidate is ahead within the answer that claims it most clearly, at most 2."""
    return min(2.0, claim.margin)


def offer_share(thread: ThreadView, candidate: int) -> float:
    """The share of the answers with numbers that hold the candidate."""
    return len(thread.candidates[candidate].answers) / thread.with_numbers


def member_answer_share(thread: ThreadView, candidate: int) -> float:
    """In which share of the answers a member stands, on average."""
    members = thread.candidates[candidate].values
    return sum(thread.share_of_answers[index] for index in members) / len(members)


def member_frequency(thread: ThreadView, candidate: int) -> float:
    """Which share of all mentions is of a member, on average."""
    members = thread.candidates[candidate].values
    return sum(thread.share_of_mentions[index] for index in members) / len(members)


def is_in_first_answer(thread: ThreadView, candidate: int) -> float:
    """1 where the first answer with a number holds the candidate: on forums the first answer is often the best."""
    return float(thread.first_with_number in thread.candidates[candidate].answers)


def extended_by_claims(thread: ThreadView, candidate: int) -> float:
    """The share of the claims that hold the candidate and more."""
    mine = thread.sets[candidate]
    return sum(mine < thread.sets[claim.candidate] for claim in thread.claims) / max(1, len(thread.claims))


def extends_claims(thread: ThreadView, candidate: int) -> float:
    """The share of the claims that the candidate holds and goes beyond."""
    mine = thread.sets[candidate]
    return sum(mine > thread.sets[claim.candidate] for claim in thread.claims) / max(1, len(thread.claims))


def opposed_share(thread: ThreadView, candidate: int) -> float:
    """The share of the claims, by work shown, that have no value in common with the candidate."""
    apart, sets = thread.sets[candidate].isdisjoint, thread.sets
    against = sum(thread.worked[claim.answer] for claim in thread.claims if apart(sets[claim.candidate]))
    return against / max(1.0, thread.work_claimed)


def equals_solution(thread: ThreadView, candidate: int) -> float:
    """1 where the candidate is a solution of the equations voted for (stage 4)."""
    members = thread.sets[candidate]
    return float(
        any(
            members <= solved and same_answer(thread.values_of(candidate), solution)
            for solved, solution in zip(thread.solved_values, thread.solutions, strict=True)
        )
    )


def share_in_solution(thread: ThreadView, candidate: int) -> float:
    """The share of the members that are values of the best fitting solution."""
    members = thread.sets[candidate]
    return max((len(members & solved) for solved in thread.solved_values), default=0) / len(members)


def contradicts_solution(thread: ThreadView, candidate: int) -> float:
    """1 where there are solutions and no member is a value of one."""
    return float(bool(thread.solutions) and share_in_solution(thread, candidate) == 0)


@_best_of_claims
def sums_are_right(thread: ThreadView, claim: Claim) -> float:
    """Right less wrong sums, over all, of the answers that claim the candidate; the best of them; 0 without sums."""
    return thread.views[claim.answer].sums_right


@_best_of_claims
def question_numbers_used(thread: ThreadView, claim: Claim) -> float:
    """Which share of the question's numbers stands in an answer that claims the candidate; the best of them."""
    return thread.used[claim.answer]


@_best_of_claims
def question_restated(thread: ThreadView, claim: Claim) -> float:
    """Which share of the question's longer words stands in an answer that claims the candidate; the best of them."""
    return thread.restated[claim.answer]


@_best_of_claims
def work_shown(thread: ThreadView, claim: Claim) -> float:
    """How much work the answer shows that claims the candidate, the best of them."""
    return thread.worked[claim.answer]


def objection_for(thread: ThreadView, candidate: int) -> float:
    """1 where an answer that claims the candidate corrects others."""
    return float(any(claim.candidate == candidate for claim in thread.objections))


def objection_against(thread: ThreadView, candidate: int) -> float:
    """1 where an answer that claims something else altogether corrects others, and none for the candidate does."""
    if objection_for(thread, candidate):
        return 0.0
    mine = thread.sets[candidate]
    return float(any(mine.isdisjoint(thread.sets[claim.candidate]) for claim in thread.objections))


def work_odds(thread: ThreadView, candidate: int) -> float:
    """Steps shown for the candidate against steps shown for other claims, as log odds over 3.

    An answer without steps counts a quarter of a step; claims that share a value with the candidate count half against.
    """
    mine, behind, against = thread.sets[candidate], 0.5, 0.5
    for claim in thread.claims:
        weight = 0.25 + thread.views[claim.answer].steps
        if claim.candidate == candidate:
            behind += weight
        else:
            against += weight * (1.0 if mine.isdisjoint(thread.sets[claim.candidate]) else 0.5)
    return max(-1.0, min(1.0, math.log(behind / against) / 3))


def claim_odds(thread: ThreadView, candidate: int) -> float:
    """Claims for the candidate against other claims, as log odds over 2."""
    mine = len(thread.claims_of.get(candidate, ()))
    return max(-1.0, min(1.0, math.log((mine + 0.5) / (len(thread.claims) - mine + 0.5)) / 2))


def size_as_asked(thread: ThreadView, candidate: int) -> float:
    """1 for as many numbers as the wording of the question asks for."""
    return float(len(thread.candidates[candidate].values) == thread.question.asked_size)


def size_above_asked(thread: ThreadView, candidate: int) -> float:
    """How many numbers more than asked, over 4."""
    return max(0, len(thread.candidates[candidate].values) - thread.question.asked_size) / 4


def accounts_for_question(thread: ThreadView, candidate: int) -> float:
    """How well the sums of the answers that claim the candidate account for the question, on average.

    1 where the sums of all of them lead from the question's quantities to the value and use each as often as it is
    stated, below 0 where they leave quantities out (``models/chains.py``).
    """
    claims = thread.claims_of.get(candidate, ())
    return sum(thread.accounted[claim.answer] for claim in claims) / len(claims) if claims else 0.0


GLOBAL: Final[tuple[ThreadFeature, ...]] = (
    best_local_score,
    offer_share,
    member_answer_share,
    member_frequency,
    is_in_first_answer,
)
AGREEMENT: Final[tuple[ThreadFeature, ...]] = (
    claim_share,
    is_claimed,
    is_claimed_twice,
    is_claimed_thrice,
    worked_claim_share,
    best_claim_margin,
    extended_by_claims,
    extends_claims,
    opposed_share,
)
SOLUTION: Final[tuple[ThreadFeature, ...]] = (equals_solution, share_in_solution, contradicts_solution)
EVIDENCE: Final[tuple[ThreadFeature, ...]] = (
    sums_are_right,
    question_numbers_used,
    question_restated,
    work_shown,
    objection_for,
    objection_against,
    work_odds,
    claim_odds,
    size_as_asked,
    size_above_asked,
)
ACCOUNT: Final[tuple[ThreadFeature, ...]] = (accounts_for_question,)
THREAD_FEATURES: Final = (*GLOBAL, *AGREEMENT, *SOLUTION, *EVIDENCE, *ACCOUNT)
