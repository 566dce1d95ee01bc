"""The hypotheses of a thread side by side, and the evidence for each: one table of named functions.

A hypothesis is a candidate of ``extractors/answers``: a set of values read, of a system's, or an option. A score of
each mention (``models/mention_words.py``) says how likely its value is a part of the answer; what an answer claims
follows from the scores of all its values. Nothing rules a hypothesis out.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log, log1p
from typing import Final, NamedTuple

import numpy as np

from extractors.equations.given import Stance
from models.counts import chance_of
from models.gold_values import same_answer
from models.linear import Matrix, agreement_odds, on_grid
from models.read_threads import ReadThread, Values, question_says

BOUND: Final = 6.0
"""Scores of mentions are cut to -6 to 6."""
UNSTATED: Final = -1.0
"""The score of a value that stands nowhere in the answer."""
LEAST_VOTE: Final = 0.25
"""What an answer without steps counts in agreement."""
_LEAST_CHANCE: Final = 0.02
_SURE_SYSTEM: Final = 2.0


def _softplus(score: float) -> float:
    return log1p(exp(-abs(score))) + max(score, 0.0)


_MISSING: Final = _softplus(UNSTATED)


class Shown(NamedTuple):
    """How one answer shows a candidate: the log likelihood that just its values are the answer, the scores of these,
    and the answer."""

    likelihood: float
    members: tuple[float, ...]
    answer: int


@dataclass(frozen=True)
class WeighedThread:
    """A thread with the score of each mention, by answer, in the order of its mentions."""

    read: ReadThread
    scores: Sequence[Sequence[float]]

    @cached_property
    def best(self) -> tuple[dict[int, float], ...]:
        """For each answer the best score of each value."""
        found = []
        for view, scores in zip(self.read.answers, self.scores, strict=True):
            best: dict[int, float] = {}
            for mention, score in zip(view.mentions, scores, strict=True):
                best[mention.value] = max(score, best.get(mention.value, -BOUND))
            found.append(best)
        return tuple(found)

    @cached_property
    def _apart(self) -> tuple[float, ...]:
        """For each answer the log likelihood that none of its values is of the answer."""
        return tuple(sum(-_softplus(score) for score in best.values()) for best in self.best)

    @cached_property
    def shown(self) -> tuple[tuple[Shown, ...], ...]:
        """How each of the answers that offer a candidate shows it, by candidate."""
        candidates = enumerate(self.read.found.candidates)
        return tuple(tuple([self._shown(place, answer) for answer in row.answers]) for place, row in candidates)

    def _shown(self, candidate: int, answer: int) -> Shown:
        best, values = self.best[answer], self.read.found.candidates[candidate].values
        members = tuple([best.get(value, UNSTATED) for value in values])
        missing = sum([_MISSING for value in values if value not in best])
        return Shown(self._apart[answer] + sum(members) - missing, members, answer)

    @cached_property
    def claims(self) -> tuple[int, ...]:
        """What each answer with candidates claims: the likeliest of those that it offers, the first of equals.

        Nothing that other answers say counts here: votes have to be cast apart.
        """
        claims: dict[int, tuple[float, int]] = {}
        for candidate, row in enumerate(self.read.found.candidates):
            sized = log(chance_of(self.read.question.asked, len(row.values)) + _LEAST_CHANCE)
            own = {answer for answer, _ in self._asked[candidate]}
            for shown in self.shown[candidate]:
                score = shown.likelihood + sized + _SURE_SYSTEM * (shown.answer in own)
                if shown.answer not in claims or score > claims[shown.answer][0]:
                    claims[shown.answer] = (score, candidate)
        return tuple(claims[answer][1] if answer in claims else -1 for answer in range(len(self.read.answers)))

    @cached_property
    def _asked(self) -> tuple[list[tuple[int, float]], ...]:
        """For each candidate the answers of whose systems just its values are asked, and how likely each is."""
        likely = self.read.solved.likely_asked
        return tuple(
            [(answer, chance) for row, chance, answer in likely if same_answer(values, row)]
            for values in self.read.candidate_values
        )

    @cached_property
    def agreed(self) -> dict[int, float]:
        """What the answers that claim each candidate count together; one that shows no steps counts for less."""
        groups: dict[int, float] = {}
        for view, claim in zip(self.read.answers, self.claims, strict=True):
            if claim >= 0:
                groups[claim] = groups.get(claim, 0.0) + min(1.0, LEAST_VOTE + view.steps * (1 - LEAST_VOTE) / 2)
        return groups

    @cached_property
    def unclaimed(self) -> float:
        """The log odds, from agreement alone, of a candidate that no answer claims."""
        return agreement_odds(0.0, tuple(self.agreed.values()))

    @cached_property
    def votes(self) -> Counter[int]:
        """How many answers claim each candidate."""
        return Counter(candidate for candidate in self.claims if candidate >= 0)

    @cached_property
    def likely(self) -> tuple[float, ...]:
        """For each candidate the probability of the likeliest system of which just its values are asked, or 0."""
        return tuple(max((chance for _, chance in asked), default=0.0) for asked in self._asked)

    @cached_property
    def solutions(self) -> frozenset[int]:
        """Which candidates are solutions of the likeliest system."""
        rows, candidates = self.read.solved.likeliest, list(enumerate(self.read.candidate_values))
        return frozenset([place for row in rows for place, values in candidates if same_answer(values, row)])

    @cached_property
    def hypotheses(self) -> tuple["Hypothesis", ...]:
        """All candidates, each as the answer shows it that shows it best."""
        rows = enumerate(zip(self.read.found.candidates, self.shown, strict=True))
        return tuple(
            Hypothesis(self, place, max(shown, key=lambda one: one[:2]), row.values, len(row.values))
            for place, (row, shown) in rows
        )

    @cached_property
    def says(self) -> tuple[Stance, ...]:
        """What the question, surely read, says of each candidate."""
        question, candidates = self.read.question, self.read.candidate_values
        if question.stated is None:
            return (Stance.SILENT,) * len(candidates)
        return question_says(question.stated, candidates, tuple(question.values), question.asks_several)

    @cached_property
    def highest(self) -> float:
        """The log likelihood of the likeliest candidate."""
        return max(one.shown.likelihood for one in self.hypotheses)


class Hypothesis(NamedTuple):
    """A candidate of a thread, by its place, as the answer shows it that shows it best.

    ``members`` are the places of its values among the thread's, ``size`` is how many these are.
    """

    thread: WeighedThread
    place: int
    shown: Shown
    members: tuple[int, ...]
    size: int

    @property
    def values(self) -> Values:
        """Its values."""
        return self.thread.read.values_of(self.place)

    @property
    def votes(self) -> int:
        """How many answers claim it."""
        return self.thread.votes.get(self.place, 0)


def likelihood(one: Hypothesis) -> float:
    """How far its log likelihood, by the scores of all mentions of its answer, is behind the likeliest candidate."""
    return max(-4 * BOUND, one.shown.likelihood - one.thread.highest)


def least_member(one: Hypothesis) -> float:
    """The lowest score of its values."""
    return min(one.shown.members)


def as_many_asked(one: Hypothesis) -> float:
    """How likely the question asks for so many values, as a logarithm."""
    return log(chance_of(one.thread.read.question.asked, one.size) + _LEAST_CHANCE)


def likely_asked(one: Hypothesis) -> float:
    """The probability of the likeliest system of which just these values are asked."""
    return one.thread.likely[one.place]


def asked_of_a_system(one: Hypothesis) -> float:
    """1 where there is such a system."""
    return float(one.thread.likely[one.place] > 0)


def single_asked(one: Hypothesis) -> float:
    """The probability of its system where it is one value."""
    return likely_asked(one) * (one.size == 1)


def is_likeliest_solution(one: Hypothesis) -> float:
    """1 where it is a solution of the likeliest system."""
    return float(one.place in one.thread.solutions)


def claims(one: Hypothesis) -> float:
    """How many answers claim it, at most three."""
    return float(min(one.votes, 3))


def share_of_claims(one: Hypothesis) -> float:
    """Which share of the answers that claim anything claims it."""
    return one.votes / max(1, one.thread.votes.total())


def agreement(one: Hypothesis) -> float:
    """The log odds, from agreement alone, that it is right (``agreement_odds``).

    An answer that shows no steps counts for less than one that shows two.
    """
    if one.place not in one.thread.agreed:
        return one.thread.unclaimed
    groups = dict(one.thread.agreed)
    return agreement_odds(groups.pop(one.place), tuple(groups.values()))


def confirmed_by_question(one: Hypothesis) -> float:
    """1 where the question, surely read, asks for just these values."""
    return float(one.thread.says[one.place] is Stance.CONFIRMS)


def contradicted_by_question(one: Hypothesis) -> float:
    """1 where the question, surely read, cannot ask for these values."""
    return float(one.thread.says[one.place] is Stance.CONTRADICTS)


def was_given(one: Hypothesis) -> float:
    """1 where a value of it is a number of the question."""
    return float(not one.thread.read.given.isdisjoint(one.members))


def closes(one: Hypothesis) -> float:
    """1 where the last number of its answer that is no operand is a value of it."""
    view = one.thread.read.answers[one.shown.answer]
    last = view.last_conclusive
    return float(last >= 0 and view.mentions[last].value in one.members)


def is_option(one: Hypothesis) -> float:
    """1 where it is an option of a multiple-choice question."""
    return float(one.size == 1 and one.members[0] in one.thread.read.offered)


def is_no_option(one: Hypothesis) -> float:
    """1 where the question has options and it is none of them."""
    return float(bool(one.thread.read.options) and not is_option(one))


EVIDENCE: Final[tuple[Callable[[Hypothesis], float], ...]] = (
    likelihood,
    least_member,
    as_many_asked,
    likely_asked,
    asked_of_a_system,
    single_asked,
    is_likeliest_solution,
    claims,
    share_of_claims,
    agreement,
    confirmed_by_question,
    contradicted_by_question,
    was_given,
    closes,
    is_option,
    is_no_option,
)
"""The evidence of a hypothesis."""
NAMES: Final = tuple(function.__name__ for function in EVIDENCE)


def evidence_rows(thread: WeighedThread) -> Matrix:
    """A row for each candidate of a thread, a column for each of NAMES, on the grid."""
    if not thread.read.found.candidates:
        return np.zeros((0, len(NAMES)))
    return on_grid([[function(one) for function in EVIDENCE] for one in thread.hypotheses])
