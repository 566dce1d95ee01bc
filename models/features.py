"""Feature vectors of candidate answers, from the named functions of the three feature modules.

Table 1 of Dolphin18K (Huang et al., ACL 2016, section 3.2) has local context, global, number value and number set
features, the dimension, and whether the candidate equals the solution of the equations. Local context and number value
are features of one number (mention_features), number set and dimension of a set within one answer (set_features), all
others of a set over the thread (thread_features). Rows lie on a binary grid:
scores are exact (models/exact.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from typing import Final

import numpy as np

from extractors.answers.answer_candidates import ThreadCandidates, thread_candidates
from models.analysed_answer import AnalysedAnswer, analyse_answer
from models.analysed_question import AnalysedQuestion, analyse_question
from models.counts import UNKNOWN
from models.exact import Matrix, on_grid
from models.gold_values import read_solutions
from models.mention_features import MENTION_FEATURES
from models.set_features import SET_FEATURES, NumberSets
from models.thread_features import THREAD_FEATURES, AnalysedThread, Claim

Values = tuple[Fraction, ...]
CONTENDERS: Final = 4
"""How many candidates of each answer, best first by the score within it, are ranked over the thread."""

LOCAL_NAMES: Final = tuple(feature.__name__ for feature in (*MENTION_FEATURES, *SET_FEATURES))
THREAD_NAMES: Final = tuple(feature.__name__ for feature in THREAD_FEATURES)


@dataclass(frozen=True)
class Solved:
    """Solutions as values in strings: those of a thread's system, those of each answer's own, and the asked values of
    all systems with the probability of each; and how likely each number of values is asked for."""

    agreed: Sequence[Sequence[str]] = ()
    own: Mapping[int, Sequence[Sequence[str]]] = field(default_factory=dict)
    likely_asked: Sequence[tuple[Sequence[str], float]] = ()
    asked: Sequence[float] = UNKNOWN


NOTHING: Final = Solved()
"""Of a thread without equations."""


@dataclass(frozen=True)
class LocalTable:
    """The candidates that one answer offers (indexes into the thread's), and a row of local features for each."""

    candidates: tuple[int, ...]
    rows: Matrix


@dataclass(frozen=True)
class ReadThread:
    """A thread read and prepared, before any model has seen it."""

    question: AnalysedQuestion
    found: ThreadCandidates
    analysed: tuple[AnalysedAnswer, ...]
    tables: tuple[LocalTable, ...]
    solutions: tuple[Values, ...]
    likely_asked: tuple[tuple[Values, float], ...] = ()


def read_thread(question: str, answers: Sequence[str], solved: Solved = NOTHING) -> ReadThread:
    """Read a thread's candidates and their local features, with what its equations came to."""
    own = {place: read_solutions(rows) for place, rows in solved.own.items()}
    found = thread_candidates(answers, solutions=own)
    prepared = analyse_question(question, solved.asked)
    analysed = tuple(map(analyse_answer, found.answers))
    tables = _tables(prepared, analysed, found)
    return ReadThread(prepared, found, analysed, tables, read_solutions(solved.agreed), _read(solved.likely_asked))


def _read(likely: Sequence[tuple[Sequence[str], float]]) -> tuple[tuple[Values, float], ...]:
    return tuple((row, chance) for values, chance in likely for row in read_solutions([values]))


def _tables(
    question: AnalysedQuestion, analysed: tuple[AnalysedAnswer, ...], found: ThreadCandidates
) -> tuple[LocalTable, ...]:
    offered: list[list[int]] = [[] for _ in analysed]
    for index, candidate in enumerate(found.candidates):
        for answer in candidate.answers:
            offered[answer].append(index)
    sets = NumberSets(
        question,
        analysed,
        found.values,
        tuple(answer for answer, indexes in enumerate(offered) for _ in indexes),
        tuple(found.candidates[index].values for indexes in offered for index in indexes),
    )
    rows = _local_rows(sets) if sets.members else np.zeros((0, len(LOCAL_NAMES)))
    ends = accumulate(map(len, offered))
    return tuple(
        LocalTable(tuple(indexes), rows[end - len(indexes) : end]) for indexes, end in zip(offered, ends, strict=True)
    )


def _local_rows(sets: NumberSets) -> Matrix:
    """The mean of the features of each set's members, then the features of the set; a row a set."""
    width = len(MENTION_FEATURES)
    rows = np.empty((len(sets.members), len(LOCAL_NAMES)))
    rows[:, :width] = _slot_rows(sets)[sets.places].sum(axis=1) / sets.sizes[:, None]
    for column, feature in enumerate(SET_FEATURES, start=width):
        rows[:, column] = feature(sets)
    return on_grid(rows)


def _slot_rows(sets: NumberSets) -> Matrix:
    """The highest value of each feature over the mentions of each slot; zeros for values that stand nowhere."""
    slots = [slot for found in sets.slots_of_mentions for slot in found]
    numbers = np.zeros((len(sets.slots) + 1, len(MENTION_FEATURES)))
    if slots:
        columns = [[feature(view) for feature in MENTION_FEATURES] for view in sets.analysed if view.mentions]
        mentions = np.concatenate([np.array(found, dtype=np.float64) for found in columns], axis=1).T
        np.maximum.at(numbers, slots, mentions)
    return numbers


def analyse_thread(thread: ReadThread, local_weights: Matrix) -> AnalysedThread:
    """The thread with each answer's scores and claim under the weights of the local ranking."""
    scores, claims = [], []
    for answer, table in enumerate(thread.tables):
        found = (table.rows @ local_weights).tolist()
        scores.append(dict(zip(table.candidates, found, strict=True)))
        if table.candidates:
            claims.append(_claim(answer, table, found))
    return AnalysedThread(
        question=thread.question,
        analysed=thread.analysed,
        values=thread.found.values,
        candidates=thread.found.candidates,
        scores=tuple(scores),
        claims=tuple(claims),
        solutions=thread.solutions,
        likely_asked=thread.likely_asked,
    )


def _claim(answer: int, table: LocalTable, scores: Sequence[float]) -> Claim:
    best = max(scores)
    first = scores.index(best)
    margin = best - max([*scores[:first], *scores[first + 1 :]]) if len(scores) > 1 else 2.0
    return Claim(answer, table.candidates[first], margin)


def contenders(view: AnalysedThread) -> tuple[int, ...]:
    """The candidates to rank over the thread: the best of every answer by its own scores, ascending."""
    chosen: set[int] = set()
    for scores in view.scores:
        chosen.update(sorted(scores, key=lambda candidate: (-scores[candidate], candidate))[:CONTENDERS])
    return tuple(sorted(chosen))


def thread_rows(view: AnalysedThread, candidates: Sequence[int]) -> Matrix:
    """A row of thread features for each of ``candidates``."""
    rows = [[feature(view, candidate) for feature in THREAD_FEATURES] for candidate in candidates]
    return on_grid(rows).reshape(len(candidates), len(THREAD_FEATURES))
