"""A thread read once: its answer and its equation system, each judged beside the other.

The systems say which candidates of the answer are likely (``models/hypotheses.py``), and the answer then says which
system is (``models/answer_model.py``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NamedTuple

from corpus.shown_text import told_apart
from extractors.equations.thread_equations import AnswerSystem, ThreadEquations
from extractors.solve.equation_systems import Status
from models.answer_model import AnswerModel, Ranking, system_rows
from models.system_model import JudgedSystems, SystemModel

MIN_VOTES: Final = 1
"""Answers that have to give a system unless told otherwise, in a build and for whoever reads a thread by itself."""


class ThreadReading(NamedTuple):
    """What is read from a thread: its answer, with the candidates behind it, and its equation system.

    ``witness`` is the likeliest system by itself, with that probability: what systems say before they know the answer.
    """

    ranking: Ranking
    equations: ThreadEquations
    witness: AnswerSystem | None


@dataclass(frozen=True)
class ThreadReader:
    """The models that read a thread."""

    systems: SystemModel
    answers: AnswerModel

    def read(
        self, question: str, answers: Sequence[str], min_votes: int = MIN_VOTES, least: float | None = None
    ) -> ThreadReading:
        """Read a thread: ``question`` is cleaned, ``answers`` are texts as posted.

        A system is returned if ``min_votes`` answers give its solution and its probability is at least ``least``; None
        takes the model's own threshold.
        """
        judged = self.systems.read(question, answers)
        ranking = self.answers.rank(question, answers, judged.solved)
        rows = system_rows(judged.solved, tuple(map(Fraction, ranking.values)), ranking.confidence)
        found = self.answers.system_chances(rows)
        chances = dict(zip(judged.thread.solved, found, strict=True))
        least = self.answers.system_threshold if least is None else least
        place = judged.likeliest(judged.chances)
        witness = None if place is None else _with_chance(judged, place, judged.chances)
        return ThreadReading(ranking, _likely_system(judged, chances, min_votes, least), witness)


def _with_chance(judged: JudgedSystems, place: int, chances: Mapping[int, float]) -> AnswerSystem:
    return judged.thread.systems[place]._replace(probability=chances[place], asked=judged.asked.of(place))


def _likely_system(
    judged: JudgedSystems, chances: Mapping[int, float], min_votes: int, least: float
) -> ThreadEquations:
    """The likeliest system of a thread, if it is likely enough and has votes enough, beside those of all answers."""
    shown = {answer: _with_chance(judged, place, chances) for answer, place in judged.weighed.claims.items()}
    for system in judged.thread.systems:
        shown.setdefault(system.answer, system)
    place = judged.likeliest(chances)
    if place is None:
        return _none(shown, judged.thread.note or "no answer gives a solved system", 0.0, judged.counts)
    votes, chance = judged.votes(place), chances[place]
    if chance < least:
        is_told, limit = told_apart(chance, least)
        note = f"the likeliest system has a probability of {is_told}; {limit} is wanted"
        return _none(shown, note, chance, judged.counts)
    if len(votes) < min_votes:
        return _none(shown, f"{len(votes)} vote of {min_votes} needed", chance, judged.counts)
    found = _with_chance(judged, place, chances)
    shown[found.answer] = found
    for answer in votes:
        shown.setdefault(answer, AnswerSystem(answer, (), found.unknowns, found.solutions, Status.STATED, ()))
    return ThreadEquations(
        found.equations,
        found.unknowns,
        found.solutions,
        votes,
        _in_order(shown),
        found.linear,
        None,
        chance,
        judged.counts,
        found.asked,
    )


def _in_order(shown: Mapping[int, AnswerSystem]) -> tuple[AnswerSystem, ...]:
    return tuple(shown[answer] for answer in sorted(shown))


def _none(shown: Mapping[int, AnswerSystem], note: str, chance: float, counts: tuple[float, ...]) -> ThreadEquations:
    return ThreadEquations(None, (), (), (), _in_order(shown), None, note, chance, counts)
