"""Feature vectors of candidate answers, from the named functions of the three feature modules.

Table 1 of Dolphin18K (Huang et al., ACL 2016, section 3.2) has local context, global, number value and number set
features, the dimension, and whether the candidate equals the solution of the equations. Local context and number value
are features of one number (mention_features), number set and dimension of a set within one answer (set_features), all
others of a set over the thread (thread_features).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from extractors.answers.candidates import ThreadCandidates, thread_candidates
from models.mention_features import MENTION_FEATURES
from models.questions import QuestionView, as_float, question_view
from models.set_features import SET_FEATURES, NumberSet
from models.thread_features import THREAD_FEATURES, Claim, ThreadView
from models.views import AnswerView, answer_view

Matrix = NDArray[np.float64]
Values = tuple[Fraction, ...]
EMPTY: Final[Mapping[int, Sequence[Sequence[str]]]] = MappingProxyType({})
CONTENDERS: Final = 4
"""How many candidates of each answer, best first by the score within it, are ranked over the thread."""

LOCAL_NAMES: Final = (
    *(f"mean_{feature.__name__}" for feature in MENTION_FEATURES),
    *(f"least_{feature.__name__}" for feature in MENTION_FEATURES),
    *(feature.__name__ for feature in SET_FEATURES),
)
THREAD_NAMES: Final = tuple(feature.__name__ for feature in THREAD_FEATURES)


@dataclass(frozen=True)
class LocalTable:
    """The candidates that one answer offers (indexes into the thread's), and a row of local features for each."""

    candidates: tuple[int, ...]
    rows: Matrix


@dataclass(frozen=True)
class ReadThread:
    """A thread read and prepared, before any model has seen it."""

    question: QuestionView
    found: ThreadCandidates
    views: tuple[AnswerView, ...]
    tables: tuple[LocalTable, ...]
    solutions: tuple[Values, ...]


def read_thread(
    question: str,
    answers: Sequence[str],
    solutions: Sequence[Sequence[str]] = (),
    own: Mapping[int, Sequence[Sequence[str]]] = EMPTY,
) -> ReadThread:
    """Read a thread's candidates and their local features.

    ``solutions`` are those that the equations agree on, ``own`` the solutions of each answer's own equations by the
    answer's place; values are strings.
    """
    solved = {place: _solution_values(rows) for place, rows in own.items()}
    found = thread_candidates(answers, solutions=solved)
    asked = question_view(question)
    views = tuple(answer_view(answer, solved.get(answer.index, ())) for answer in found.answers)
    offered: list[list[int]] = [[] for _ in views]
    for index, candidate in enumerate(found.candidates):
        for answer in candidate.answers:
            offered[answer].append(index)
    tables = tuple(_table(asked, view, found, indexes) for view, indexes in zip(views, offered, strict=True))
    return ReadThread(asked, found, views, tables, _solution_values(solutions))


def _solution_values(solutions: Sequence[Sequence[str]]) -> tuple[Values, ...]:
    return tuple(tuple(Fraction(value) for value in solution) for solution in solutions)


def _table(question: QuestionView, view: AnswerView, found: ThreadCandidates, indexes: Sequence[int]) -> LocalTable:
    if not indexes:
        return LocalTable((), np.zeros((0, len(LOCAL_NAMES))))
    sets = [found.candidates[index].values for index in indexes]
    implied = {value for members in sets for value in members} - view.by_value.keys()
    order = sorted([*view.by_value, *implied])
    row_of = {value: row for row, value in enumerate(order)}
    mentions = np.array(
        [[feature(question, view, place) for feature in MENTION_FEATURES] for place in range(len(view.mentions))]
    )
    unsaid = np.zeros(len(MENTION_FEATURES))
    numbers = np.array(
        [mentions[view.by_value[value]].max(axis=0) if value in view.by_value else unsaid for value in order]
    )
    rows = np.empty((len(indexes), len(LOCAL_NAMES)))
    width = len(MENTION_FEATURES)
    for size in {len(members): None for members in sets}:
        chosen = [row for row, members in enumerate(sets) if len(members) == size]
        picked = numbers[[[row_of[value] for value in sets[row]] for row in chosen]]
        rows[chosen, :width] = picked.mean(axis=1)
        rows[chosen, width : 2 * width] = picked.min(axis=1)
    floats = {value: as_float(found.values[value]) for value in order}
    for row, members in enumerate(sets):
        chosen_set = NumberSet(
            question, view, members, tuple(floats[value] for value in members), _exact(found, members)
        )
        rows[row, 2 * width :] = [feature(chosen_set) for feature in SET_FEATURES]
    return LocalTable(tuple(indexes), rows)


def _exact(found: ThreadCandidates, members: Sequence[int]) -> Values:
    return tuple(found.values[value] for value in members)


def thread_view(thread: ReadThread, local_weights: Matrix) -> ThreadView:
    """The thread with each answer's scores and claim under the weights of the local ranking."""
    scores, claims = [], []
    for answer, table in enumerate(thread.tables):
        found = table.rows @ local_weights
        scores.append(dict(zip(table.candidates, found.tolist(), strict=True)))
        if table.candidates:
            claims.append(_claim(answer, table, found))
    return ThreadView(
        question=thread.question,
        views=thread.views,
        values=thread.found.values,
        candidates=thread.found.candidates,
        scores=tuple(scores),
        claims=tuple(claims),
        solutions=thread.solutions,
    )


def _claim(answer: int, table: LocalTable, scores: Matrix) -> Claim:
    order = np.argsort(-scores, kind="stable")
    best = float(scores[order[0]])
    margin = best - float(scores[order[1]]) if len(order) > 1 else 2.0
    return Claim(answer, table.candidates[int(order[0])], best, margin)


def contenders(view: ThreadView) -> tuple[int, ...]:
    """The candidates to rank over the thread: the best of every answer by its own scores, ascending."""
    chosen: set[int] = set()
    for scores in view.scores:
        chosen.update(sorted(scores, key=lambda candidate: (-scores[candidate], candidate))[:CONTENDERS])
    return tuple(sorted(chosen))


def thread_rows(view: ThreadView, candidates: Sequence[int]) -> Matrix:
    """A row of thread features for each of ``candidates``."""
    return np.array(
        [[feature(view, candidate) for feature in THREAD_FEATURES] for candidate in candidates], dtype=np.float64
    ).reshape(len(candidates), len(THREAD_FEATURES))
