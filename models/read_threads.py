"""A thread read and prepared for the answer model, before any model has seen it."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Final

from extractors.answers.answer_candidates import ThreadCandidates, thread_candidates
from extractors.questions.offered_options import options_of
from models.analysed_answer import AnalysedAnswer, analyse_answer
from models.analysed_question import AnalysedQuestion, analyse_question
from models.counts import UNKNOWN

Values = tuple[Fraction, ...]
SMALL: Final = frozenset(map(Fraction, range(3)))


@dataclass(frozen=True)
class Solved:
    """What the systems of a thread come to.

    ``systems`` are all that are solved, each with its probability by itself and its solutions. ``likeliest`` are the
    solutions of the likeliest, ``own`` those of the likeliest of each answer, and ``likely_asked`` the values of these
    that are asked, with the probability and the answer of each. ``asked`` says how likely each number of values is
    asked for.
    """

    systems: Sequence[tuple[float, Sequence[Values]]] = ()
    likeliest: Sequence[Values] = ()
    own: Mapping[int, Sequence[Values]] = field(default_factory=dict)
    likely_asked: Sequence[tuple[Values, float, int]] = ()
    asked: Sequence[float] = UNKNOWN


NOTHING: Final = Solved()
"""Of a thread without equations."""


@dataclass(frozen=True)
class ReadThread:
    """A thread's question, its candidates, its answers, and what its systems come to.

    ``options`` are the values of a multiple-choice question by letter.
    """

    question: AnalysedQuestion
    found: ThreadCandidates
    analysed: tuple[AnalysedAnswer, ...]
    solved: Solved
    options: Mapping[str, Fraction]

    def values_of(self, candidate: int) -> Values:
        """The values of a candidate."""
        return self._values[candidate]

    @cached_property
    def _values(self) -> tuple[Values, ...]:
        values = self.found.values
        return tuple(tuple([values[place] for place in one.values]) for one in self.found.candidates)

    def _places(self, among: Container[Fraction]) -> frozenset[int]:
        return frozenset(place for place, value in enumerate(self.found.values) if value in among)

    @cached_property
    def given(self) -> frozenset[int]:
        """Which values are numbers of the question, by their place."""
        return self._places(self.question.values)

    @cached_property
    def small(self) -> frozenset[int]:
        """Which are 0, 1 or 2."""
        return self._places(SMALL)

    @cached_property
    def offered(self) -> frozenset[int]:
        """Which are options."""
        return self._places(frozenset(self.options.values()))


def read_thread(question: str, answers: Sequence[str], solved: Solved = NOTHING) -> ReadThread:
    """Read a thread's candidates, with what its equations came to."""
    prepared, options = analyse_question(question, solved.asked), options_of(question)
    found = thread_candidates(answers, solutions=solved.own, options=options)
    return ReadThread(prepared, found, tuple(map(analyse_answer, found.answers)), solved, options)
