"""The system model: how likely each system that the answers of a thread offer is the problem's (docs/models.md).

Nothing rules a system out. What its answer states, what it agrees with and what the question says are numbers in one
table (``extractors/equations/drafts.py``); a logistic function over them, fitted on real posts, gives each
system a probability by itself. The vote by solution of Dolphin18K (section 3.3) counts the answers behind one. Beside
the answer that is read each gets another one (``models/thread_reading.py``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from extractors.equations.drafts import SYSTEM_EVIDENCE
from extractors.equations.thread_equations import AnswerSystem
from extractors.equations.votes import Sizes, ThreadSystems, read_systems
from models.asked_values import ASKED_NAMES, AskedValues
from models.counts import CountModel, chance_of_more
from models.gold_values import rational_rows
from models.linear import Logistic, Matrix, NamedLogistic, agreement_odds, on_grid
from models.read_threads import Solved

_MOST: Final = 3
OWN_NAMES: Final = (*(function.__name__ for function, _ in SYSTEM_EVIDENCE), "fewer_than_asked", "gives_asked_values")
OWN_SIGNS: Final = (*(sign for _, sign in SYSTEM_EVIDENCE), -1, 1)


@dataclass(frozen=True)
class Weighed:
    """A thread whose systems have a score (log odds) from the evidence of their own answer.

    ``claims`` holds the best system of each answer.
    """

    thread: ThreadSystems
    scores: Mapping[int, float]

    @cached_property
    def claims(self) -> Mapping[int, int]:
        """Answer -> its best system, the first of equals."""
        best: dict[int, int] = {}
        for place in self.thread.solved:
            answer = self.thread.systems[place].answer
            if answer not in best or self.scores[place] > self.scores[best[answer]]:
                best[answer] = place
        return best

    @cached_property
    def _agreeing(self) -> dict[tuple[Sizes, ...], frozenset[int]]:
        return {}

    @cached_property
    def stated_by(self) -> dict[int, int]:
        """How many other answers state the values of each system."""
        return {place: self.thread.stated_by(place) for place in self.thread.solved}

    def agreeing(self, place: int) -> frozenset[int]:
        """The claims that have the solution of a system."""
        rows = self.thread.sizes[place]
        if rows not in self._agreeing:
            found = [claim for claim in self.claims.values() if self.thread.agree(place, claim)]
            self._agreeing[rows] = frozenset(found)
        return self._agreeing[rows]

    @cached_property
    def odds(self) -> dict[int, float]:
        """What agreement says of each system (``agreement``)."""
        found: dict[tuple[Sizes, ...], float] = {}
        for place in self.thread.solved:
            rows = self.thread.sizes[place]
            if rows not in found:
                found[rows] = self._odds(place)
        return {place: found[self.thread.sizes[place]] for place in self.thread.solved}

    def _odds(self, place: int) -> float:
        mine = self.agreeing(place)
        groups: list[list[int]] = []
        for claim in self.claims.values():
            if claim not in mine:
                home = next((group for group in groups if claim in self.agreeing(group[0])), None)
                if home is None:
                    groups.append([claim])
                else:
                    home.append(claim)
        return agreement_odds(float(len(mine)), tuple([float(len(group)) for group in groups]))


def own_score(weighed: Weighed, place: int) -> float:
    """The score from its own answer, between -4 and 4."""
    return max(-4.0, min(4.0, weighed.scores[place]))


def agreement(weighed: Weighed, place: int) -> float:
    """The log odds, from agreement alone, that its solution is right (``agreement_odds``)."""
    return weighed.odds[place] if len(weighed.claims) > 1 else 0.0


def is_claimed(weighed: Weighed, place: int) -> float:
    """1 where no system of its answer has a better score."""
    return float(weighed.claims[weighed.thread.systems[place].answer] == place)


def stated_elsewhere(weighed: Weighed, place: int) -> float:
    """How many other answers state its values, over 3."""
    return min(weighed.stated_by[place], _MOST) / _MOST if len(weighed.thread.documents) > 1 else 0.0


def stated_nowhere(weighed: Weighed, place: int) -> float:
    """1 where there are other answers and none states its values."""
    return float(len(weighed.thread.documents) > 1 and not weighed.stated_by[place])


THREAD_EVIDENCE: Final = ((own_score, 1), (agreement, 1), (is_claimed, 1), (stated_elsewhere, 1), (stated_nowhere, -1))
"""Evidence of a system over its thread, with its sign."""
THREAD_NAMES: Final = tuple(function.__name__ for function, _ in THREAD_EVIDENCE)
PARTS: Final = {"own": OWN_NAMES, "thread": THREAD_NAMES, "asked": ASKED_NAMES}
"""The logistic parts of a model, and the names of their evidence."""
THREAD_SIGNS: Final = tuple(sign for _, sign in THREAD_EVIDENCE)


def own_rows(thread: ThreadSystems, chances: Sequence[float], asked: AskedValues) -> Matrix:
    """A row for each system of ``thread.solved``, a column for each of OWN_NAMES, on the grid.

    ``chances`` says how likely each number of values is asked for (``models/counts.py``).
    """
    rows = []
    for place in thread.solved:
        system = thread.systems[place]
        rows.append((*system.evidence, chance_of_more(chances, values_given(system)), asked.odds(place)))
    return on_grid(rows) if rows else np.zeros((0, len(OWN_NAMES)))


def values_given(system: AnswerSystem) -> int:
    """How many values a system gives: one for each unknown, or the different roots of its only one."""
    if len(system.unknowns) == 1 < len(system.solutions):
        return len({row[0] for row in system.solutions})
    return len(system.unknowns)


def weigh(thread: ThreadSystems, rows: Matrix, head: Logistic) -> Weighed:
    """A thread under the weights of the evidence of single answers."""
    scores = (rows @ head.weights + head.intercept).tolist()
    return Weighed(thread, dict(zip(thread.solved, scores, strict=True)))


def thread_rows(weighed: Weighed) -> Matrix:
    """A row for each system of ``solved``, a column for each of THREAD_NAMES, on the grid."""
    rows = [[function(weighed, place) for function, _ in THREAD_EVIDENCE] for place in weighed.thread.solved]
    return on_grid(rows) if rows else np.zeros((0, len(THREAD_NAMES)))


@dataclass(frozen=True)
class JudgedSystems:
    """The systems of a thread under a model: ``chances`` are those of the solved ones, by place, ``counts`` says how
    likely each number of values is asked for, and ``asked`` which values of a system are."""

    weighed: Weighed
    chances: Mapping[int, float]
    counts: tuple[float, ...]
    asked: AskedValues

    @property
    def thread(self) -> ThreadSystems:
        """The thread, read."""
        return self.weighed.thread

    @cached_property
    def solved(self) -> Solved:
        """What they come to."""
        systems, likeliest = self.thread.systems, self.likeliest(self.chances)
        rows = {place: rational_rows(systems[place].solutions) for place in self.thread.solved}
        best = dict(self.weighed.claims)
        if likeliest is not None:
            best[systems[likeliest].answer] = likeliest
        asked = [
            (row, self.chances[place], answer)
            for answer, place in sorted(best.items())
            for row in rational_rows([[value for _, value in self.asked.of(place)]])
        ]
        return Solved(
            [(self.chances[place], rows[place]) for place in self.thread.solved],
            () if likeliest is None else rows[likeliest],
            {answer: rows[place] for answer, place in best.items()},
            asked,
            self.counts,
        )

    @staticmethod
    def likeliest(chances: Mapping[int, float]) -> int | None:
        """The place of the likeliest system, the first of equals; None without any."""
        return max(chances, key=lambda place: (chances[place], -place), default=None)

    def votes(self, place: int) -> tuple[int, ...]:
        """The answers whose best system has the solution of one system, and those that only state it."""
        claims = self.weighed.claims.items()
        agreed = {answer for answer, claim in claims if claim in self.weighed.agreeing(place)}
        return tuple(sorted({self.thread.systems[place].answer, *agreed, *self.thread.stating(place)}))


@dataclass(frozen=True)
class SystemModel:
    """How many values a question asks for, and the weights of the evidence of single answers, of the thread and of
    asked values."""

    counts: CountModel
    own: NamedLogistic
    thread: NamedLogistic
    asked: NamedLogistic
    notes: Mapping[str, str]

    def read(self, question: str, answers: Sequence[str]) -> JudgedSystems:
        """The systems of a thread, each with its probability."""
        return self.judge(read_systems(question, answers))

    def judge(self, thread: ThreadSystems, counts: tuple[float, ...] | None = None) -> JudgedSystems:
        """The same of a thread that is read already; ``counts`` stand in for those of its question."""
        counts = self.counts.chances(thread.given.question) if counts is None else counts
        asked = AskedValues(thread, counts, self.asked.head(ASKED_NAMES))
        weighed = weigh(thread, own_rows(thread, counts, asked), self.own.head(OWN_NAMES))
        found = self.thread.head(THREAD_NAMES).probability(thread_rows(weighed)).tolist()
        return JudgedSystems(weighed, dict(zip(thread.solved, found, strict=True)), counts, asked)

    def as_dict(self) -> dict[str, Any]:
        """The model as JSON data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "SystemModel":
        """The model of such data; ValueError where its evidence is not that of this code."""
        own, thread, asked = (NamedLogistic.from_dict(data[name], names) for name, names in PARTS.items())
        return cls(CountModel.from_dict(data["counts"]), own, thread, asked, dict(data["notes"]))
