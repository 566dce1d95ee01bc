"""Features of a candidate over the whole thread: global features and solutions (Dolphin18K, Table 1).

They rest on what each answer claims: the candidate that ranks first by the features within that answer alone. How the
answers agree is evidence of a hypothesis (``models/answer_evidence.py``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

from extractors.answers.answer_candidates import CandidateAnswer
from models.analysed_answer import AnalysedAnswer
from models.analysed_question import AnalysedQuestion
from models.gold_values import same_answer, same_value


@dataclass(frozen=True)
class Claim:
    """What one answer says: the candidate that ranks first within it, and how far it is ahead of the next."""

    answer: int
    candidate: int
    margin: float


@dataclass(frozen=True)
class AnalysedThread:
    """All that the features of a thread read. ``scores[answer][candidate]`` is the score within the answer."""

    question: AnalysedQuestion
    analysed: tuple[AnalysedAnswer, ...]
    values: tuple[Fraction, ...]
    candidates: tuple[CandidateAnswer, ...]
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
        return tuple(view.used(self.question) for view in self.analysed)


ThreadFeature = Callable[[AnalysedThread, int], float]


def best_local_score(thread: AnalysedThread, candidate: int) -> float:
    """The highest score of the candidate within one answer."""
    return max(thread.scores[answer].get(candidate, -4.0) for answer in thread.candidates[candidate].answers)


def equals_solution(thread: AnalysedThread, candidate: int) -> float:
    """1 where the candidate is a solution of the equations voted for (stage 4)."""
    members = thread.sets[candidate]
    return float(
        any(
            members <= solved and same_answer(thread.values_of(candidate), solution)
            for solved, solution in zip(thread.solved_values, thread.solutions, strict=True)
        )
    )


def contradicts_solution(thread: AnalysedThread, candidate: int) -> float:
    """1 where there are solutions and no member is a value of one."""
    members = thread.sets[candidate]
    return float(bool(thread.solutions) and all(members.isdisjoint(solved) for solved in thread.solved_values))


def question_numbers_used(thread: AnalysedThread, candidate: int) -> float:
    """Which share of the question's numbers stands in an answer that claims the candidate; the best of them."""
    return max((thread.used[claim.answer] for claim in thread.claims_of.get(candidate, ())), default=0.0)


GLOBAL: Final[tuple[ThreadFeature, ...]] = (best_local_score, question_numbers_used)
SOLUTION: Final[tuple[ThreadFeature, ...]] = (equals_solution, contradicts_solution)
THREAD_FEATURES: Final = (*GLOBAL, *SOLUTION)
