"""Active learning for the post model: which posts a person should label next.

Uncertain posts come first (Lewis and Gale 1994), and of equally uncertain ones those least like what is labelled or
chosen already, so that one kind of doubt does not fill the sheet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.sparse import csr_matrix

from models.linear import Matrix
from models.post_features import matrix_of, read_post
from models.post_model import PostModel, ScopePrediction


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
