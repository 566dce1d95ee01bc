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
from models.gold_values import read_solutions

Values = tuple[Fraction, ...]
SMALL: Final = frozenset(map(Fraction, range(3)))


@dataclass(frozen=True)
class Solved:
    """Solutions as values in strings: those of a thread's system, those of each answer's own, and the asked values of
    all systems with the probability and the answer of each; and how likely each number of values is asked for."""

    agreed: Sequence[Sequence[str]] = ()
    own: Mapping[int, Sequence[Sequence[str]]] = field(default_factory=dict)
    likely_asked: Sequence[tuple[Sequence[str], float, int]] = ()
    asked: Sequence[float] = UNKNOWN


NOTHING: Final = Solved()
"""Of a thread without equations."""


@dataclass(frozen=True)
class ReadThread:
    """A thread's question, its candidates, its answers, and what its systems give.

    ``options`` are the values of a multiple-choice question by letter.
    """

    question: AnalysedQuestion
    found: ThreadCandidates
    analysed: tuple[AnalysedAnswer, ...]
    solutions: tuple[Values, ...]
    likely_asked: tuple[tuple[Values, float, int], ...]
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
    own = {place: read_solutions(rows) for place, rows in solved.own.items()}
    found = thread_candidates(answers, solutions=own, options=options)
    likely = tuple(
        (row, chance, answer) for values, chance, answer in solved.likely_asked for row in read_solutions([values])
    )
    analysed = tuple(map(analyse_answer, found.answers))
    return ReadThread(prepared, found, analysed, read_solutions(solved.agreed), likely, options)
