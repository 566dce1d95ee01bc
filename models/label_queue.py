"""Active learning for the post model: which posts a person should label next.

Uncertain posts come first (Lewis and Gale 1994), and of equally uncertain ones those least like what is labelled or
chosen already, so that one kind of doubt does not fill the sheet.

Labels without a person: threads in which the equations and the closing values agree, each for itself.

Two answers or more close with the same values, more than with any others, and the likeliest system has just these
values among its solutions. Either can be wrong; that both are, and the same, is rare.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from scipy.sparse import csr_matrix

from corpus.records import Label
from models.gold_values import same_value
from models.label_split import LabelledThread
from models.linear import Matrix
from models.post_model import PostModel, ScopePrediction, matrix_of, read_post
from models.read_threads import ReadThread, SolveThread, analyse_thread


@dataclass(frozen=True)
class CandidatePost:
    """A post that may be labelled: its cleaned question and the texts of its answers."""

    post_id: str
    question: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Queued:
    """A post to label, with what the model thinks of it; ``distance`` is to the nearest post before it, 0 to 1."""

    candidate: CandidatePost
    scope: ScopePrediction
    distance: float


def _vectors(model: PostModel, posts: Sequence[CandidatePost]) -> csr_matrix:
    """The words and pairs of each question that the model knows as a row of length 1."""
    words = model.known[0]
    rows = [words.row(read_post(post.question, ()).terms[0]) for post in posts]
    # on the grid a length is 1 within 1e-5 only; here twins have to be at no distance
    exact = [(places, values / sqrt(float(values @ values) or 1.0)) for places, values in rows]
    return matrix_of(exact, len(words.terms))


def label_queue(
    model: PostModel, pool: Sequence[CandidatePost], labelled: Sequence[CandidatePost], count: int
) -> list[Queued]:
    """The next ``count`` posts of ``pool`` to label, the most telling first.

    Greedy: each time the post with the greatest uncertainty times distance, where uncertainty is ``4p(1 - p)`` and
    distance is 1 minus the greatest cosine to ``labelled`` and to the posts chosen so far. The result depends neither
    on the order of the posts nor on chance; where two are worth the same, the smaller id comes first.
    """
    chosen_ids = {post.post_id for post in labelled}
    posts = sorted((post for post in pool if post.post_id not in chosen_ids), key=lambda post: post.post_id)
    scopes = [model.scope(post.question, post.answers) for post in posts]
    doubt = np.array([4 * scope.probability * (1 - scope.probability) for scope in scopes])
    vectors = _vectors(model, posts)
    nearest = _greatest_cosine(vectors, _vectors(model, labelled))
    queue: list[Queued] = []
    left = np.ones(len(posts), dtype=bool)
    for _ in range(min(count, len(posts))):
        worth = np.where(left, np.round(doubt * (1 - nearest), 12), -1.0)
        place = int(np.argmax(worth))
        left[place] = False
        queue.append(Queued(posts[place], scopes[place], round(float(1 - nearest[place]), 6)))
        nearest = np.maximum(nearest, _greatest_cosine(vectors, vectors[[place]]))
    return queue


def _greatest_cosine(vectors: csr_matrix, others: csr_matrix) -> Matrix:
    if not others.shape[0]:
        return np.zeros(vectors.shape[0])
    result: Matrix = np.clip((vectors @ others.T).max(axis=1).toarray().ravel(), 0.0, 1.0)
    return result


MIN_VOTES = 2
LIKELY = 0.5
"""A system that is less likely confirms nothing."""


def agreed_threads(posts: Iterable[tuple[str, str, Sequence[str]]], solve: SolveThread) -> list[LabelledThread]:
    """Of threads ``(post_id, question, answers)`` those that label themselves, with that label, by post id."""
    found = []
    for post_id, question, answers in sorted(posts):
        solved = solve(question, answers)
        sure = max((chance for chance, _ in solved.systems), default=0.0) >= LIKELY
        values = agreed_values(analyse_thread(question, answers, solved)) if sure else None
        if values is not None:
            gold = tuple(str(value) for value in values)
            label = Label(post_id=post_id, in_scope=True, scope_reason="ok", gold_answer=gold)
            found.append(LabelledThread(post_id, question, tuple(answers), label))
    return found


def agreed_values(read: ReadThread) -> tuple[Fraction, ...] | None:
    """The values on which the closing statements and the solutions of a thread agree, ascending; None without such."""
    closings = Counter(closing for view in read.answers if (closing := _closing(read, view.conclusions)))
    ranked = closings.most_common(2)
    if not ranked or ranked[0][1] < MIN_VOTES or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
        return None
    values = ranked[0][0]
    return values if any(_among(values, solution) for solution in read.solved.likeliest) else None


def _closing(read: ReadThread, conclusions: Sequence[int]) -> tuple[Fraction, ...]:
    """The last values of an answer that are no operands, as many as the question asks for; none if there are fewer."""
    last = conclusions[: read.question.asked_size]
    return tuple(sorted(read.found.values[index] for index in last)) if len(last) == read.question.asked_size else ()


def _among(values: Sequence[Fraction], solution: Sequence[Fraction]) -> bool:
    return all(any(same_value(value, other) for other in solution) for value in values)
