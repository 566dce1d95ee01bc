"""Gold labels: what a person says of a thread, and the split that keeps evaluation apart from training.

The bundled labels are split by family and by asker, so that neither a kind of problem nor a voice that the models were
fitted on stands in the whole of the evaluation part: two families are held out wholly, and of every other family the
threads of about a quarter of the askers.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from corpus.canonical import sha256_text
from corpus.errors import InputError
from corpus.labels import unique_labels
from corpus.records import Label, ScopeOutcome

OUTCOMES: tuple[ScopeOutcome, ...] = tuple(ScopeOutcome)
"""What a post can be (Dolphin18K, section 3.1); ``ok`` is one elementary problem."""
HELD_OUT_FAMILIES = ("geometry", "work")
HELD_OUT_SHARE = 0.25


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


def _home_families(labels: Iterable[Label]) -> dict[str, str]:
    """The family of each asker: the one of most of the threads, the first by name where several have as many."""
    counts: dict[str, Counter[str]] = {}
    for label in labels:
        counts.setdefault(label.author, Counter())[label.family] += 1
    return {author: min(found, key=lambda family: (-found[family], family)) for author, found in counts.items()}


def held_out_authors(labels: Sequence[Label]) -> frozenset[str]:
    """The askers whose threads make up the evaluation part.

    All askers with a thread in a held-out family, and of every other family the first quarter (rounded up) of its
    askers in the order of the hash of their names.
    """
    homes = _home_families(labels)
    held = {label.author for label in labels if label.family in HELD_OUT_FAMILIES}
    for family in sorted(set(homes.values()) - set(HELD_OUT_FAMILIES)):
        askers = sorted((author for author in homes if homes[author] == family), key=sha256_text)
        held.update(askers[: ceil(HELD_OUT_SHARE * len(askers))])
    return frozenset(held)


def split_labels(labels: Iterable[Label]) -> tuple[list[Label], list[Label]]:
    """Training and evaluation labels, each by post id; no asker stands on both sides."""
    every = sorted(unique_labels(labels).values(), key=lambda label: label.post_id)
    held = held_out_authors(every)
    return [row for row in every if row.author not in held], [row for row in every if row.author in held]
