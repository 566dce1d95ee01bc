"""Threads with what a person says of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.errors import InputError
from corpus.labels import unique_labels
from corpus.records import Label, ScopeOutcome

OUTCOMES: tuple[ScopeOutcome, ...] = tuple(ScopeOutcome)
"""What a post can be (Dolphin18K, section 3.1); ``ok`` is one elementary problem."""


@dataclass(frozen=True)
class LabelledThread:
    """A thread as the models see it (texts, no names), with its label."""

    post_id: str
    question: str
    answers: tuple[str, ...]
    label: Label


def join_threads(posts: Iterable[tuple[str, str, Sequence[str]]], labels: Iterable[Label]) -> list[LabelledThread]:
    """Threads ``(post_id, question, answers)`` with their labels, by post id; InputError for a label without a post."""
    by_id = unique_labels(labels)
    threads = {
        post_id: LabelledThread(post_id, question, tuple(answers), by_id[post_id])
        for post_id, question, answers in posts
        if post_id in by_id
    }
    missing = sorted(set(by_id) - set(threads))
    if missing:
        raise InputError(f"{len(missing)} labels are of posts that are not there; the first is {missing[0]}")
    return [threads[post_id] for post_id in sorted(threads)]
