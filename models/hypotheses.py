"""The hypotheses of a thread side by side, and the evidence for each: one table of named functions.

A hypothesis is a candidate of ``extractors/answers``: a set of values read, of a system's, or an option. A score of
each mention (``models/mention_words.py``) says how likely its value is a part of the answer; what an answer claims
follows from the scores of all its values. Nothing rules a hypothesis out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, fsum, log, log1p
from typing import Final, NamedTuple

import numpy as np

from extractors.equations.given import Stance
from models.counts import chance_of
from models.gold_values import same_answer
from models.linear import Matrix, agreement_odds, on_grid
from models.read_threads import ReadThread, question_says

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
    def members(self) -> list[tuple[int, ...]]:
        """The values of each candidate, by their places among the thread's."""
        return [row.values for row in self.read.found.candidates]

    @cached_property
    def sized(self) -> list[float]:
        """How likely the question asks for as many values as each candidate has, as a logarithm."""
        asked = self.read.question.asked
        return [log(chance_of(asked, len(values)) + _LEAST_CHANCE) for values in self.members]

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
        return tuple(fsum(-_softplus(score) for score in best.values()) for best in self.best)

    @cached_property
    def shown(self) -> tuple[tuple[Shown, ...], ...]:
        """How each of the answers that offer a candidate shows it, by candidate."""
        candidates = enumerate(self.read.found.candidates)
        return tuple(tuple([self._shown(place, answer) for answer in row.answers]) for place, row in candidates)

    def _shown(self, candidate: int, answer: int) -> Shown:
        best, values = self.best[answer], self.members[candidate]
        members = tuple([best.get(value, UNSTATED) for value in values])
        missing = fsum([_MISSING for value in values if value not in best])
        return Shown(self._apart[answer] + fsum(members) - missing, members, answer)

    @cached_property
    def claims(self) -> tuple[int, ...]:
        """What each answer with candidates claims: the likeliest of those that it offers, the first of equals.

        Nothing that other answers say counts here: votes have to be cast apart.
        """
        claims: dict[int, tuple[float, int]] = {}
        for candidate, sized in enumerate(self.sized):
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
    def votes(self) -> list[int]:
        """How many answers claim each candidate."""
        return [self.claims.count(place) for place in range(len(self.members))]

    @cached_property
    def likely(self) -> tuple[float, ...]:
        """For each candidate the probability of the likeliest system of which just its values are asked, or 0."""
        return tuple(max((chance for _, chance in asked), default=0.0) for asked in self._asked)

    @cached_property
    def best_shown(self) -> tuple[Shown, ...]:
        """Each candidate as the answer shows it that shows it best."""
        return tuple([max(shown, key=lambda one: one[:2]) for shown in self.shown])

    @cached_property
    def says(self) -> tuple[Stance, ...]:
        """What the question, surely read, says of each candidate."""
        question, candidates = self.read.question, self.read.candidate_values
        if question.stated is None:
            return (Stance.SILENT,) * len(candidates)
        return question_says(question.stated, candidates, tuple(question.values), question.asks_several)


Column = Sequence[float]
"""A number for each candidate of a thread."""


def likelihood(thread: WeighedThread) -> Column:
    """How far its log likelihood, by the scores of all mentions of its answer, is behind the likeliest candidate."""
    highest = max([shown.likelihood for shown in thread.best_shown])
    return [max(-4 * BOUND, shown.likelihood - highest) for shown in thread.best_shown]


def least_member(thread: WeighedThread) -> Column:
    """The lowest score of its values."""
    return [min(shown.members) for shown in thread.best_shown]


def as_many_asked(thread: WeighedThread) -> Column:
    """How likely the question asks for so many values, as a logarithm."""
    return thread.sized


def likely_asked(thread: WeighedThread) -> Column:
    """The probability of the likeliest system of which just these values are asked."""
    return thread.likely


def asked_of_a_system(thread: WeighedThread) -> Column:
    """1 where there is such a system."""
    return [float(chance > 0) for chance in thread.likely]


def single_asked(thread: WeighedThread) -> Column:
    """The probability of its system where it is one value."""
    return [chance * (len(values) == 1) for chance, values in zip(thread.likely, thread.members, strict=True)]


def is_likeliest_solution(thread: WeighedThread) -> Column:
    """1 where it is a solution of the likeliest system."""
    rows = thread.read.solved.likeliest
    return [float(any(same_answer(values, row) for row in rows)) for values in thread.read.candidate_values]


def claims(thread: WeighedThread) -> Column:
    """How many answers claim it, at most three."""
    return [float(min(votes, 3)) for votes in thread.votes]


def share_of_claims(thread: WeighedThread) -> Column:
    """Which share of the answers that claim anything claims it."""
    total = max(1, sum(thread.votes))
    return [votes / total for votes in thread.votes]


def agreement(thread: WeighedThread) -> Column:
    """The log odds, from agreement alone, that it is right (``agreement_odds``).

    An answer that shows no steps counts for less than one that shows two.
    """
    groups = thread.agreed.items()
    found = {
        one: agreement_odds(mine, tuple([group for other, group in groups if other != one])) for one, mine in groups
    }
    unclaimed = agreement_odds(0.0, tuple(thread.agreed.values()))
    return [found.get(place, unclaimed) for place in range(len(thread.members))]


def confirmed_by_question(thread: WeighedThread) -> Column:
    """1 where the question, surely read, asks for just these values."""
    return [float(said is Stance.CONFIRMS) for said in thread.says]


def contradicted_by_question(thread: WeighedThread) -> Column:
    """1 where the question, surely read, cannot ask for these values."""
    return [float(said is Stance.CONTRADICTS) for said in thread.says]


def was_given(thread: WeighedThread) -> Column:
    """1 where a value of it is a number of the question."""
    given = thread.read.given
    return [float(not given.isdisjoint(values)) for values in thread.members]


def closes(thread: WeighedThread) -> Column:
    """1 where the last number of its answer that is no operand is a value of it."""
    places = [(view, view.last_conclusive) for view in thread.read.answers]
    last = [view.mentions[place].value if place >= 0 else -1 for view, place in places]
    return [float(last[shown.answer] in row) for shown, row in zip(thread.best_shown, thread.members, strict=True)]


def is_option(thread: WeighedThread) -> Column:
    """1 where it is an option of a multiple-choice question."""
    offered = thread.read.offered
    return [float(len(values) == 1 and values[0] in offered) for values in thread.members]


def is_no_option(thread: WeighedThread) -> Column:
    """1 where the question has options and it is none of them."""
    options = bool(thread.read.options)
    return [float(options and not one) for one in is_option(thread)]


EVIDENCE: Final[tuple[Callable[[WeighedThread], Column], ...]] = (
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
"""The evidence of hypotheses, each for all candidates of a thread at once."""
NAMES: Final = tuple(function.__name__ for function in EVIDENCE)


def evidence_rows(thread: WeighedThread) -> Matrix:
    """A row for each candidate of a thread, a column for each of NAMES, on the grid."""
    if not thread.read.found.candidates:
        return np.zeros((0, len(NAMES)))
    return on_grid(list(zip(*[function(thread) for function in EVIDENCE], strict=True)))
