"""Threads with what a person says of them, their folds, and tables of out-of-fold scores with intervals."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from corpus.canonical import sha256_text
from corpus.errors import InputError
from corpus.lines.labels import unique_labels
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


Z = 1.959963984540054


def fold_of(thread: LabelledThread, folds: int) -> int:
    """The fold of a thread, by the hash of its asker (of its id where none is known): an asker is in one fold."""
    return int(sha256_text(f"fold:{thread.label.author or thread.post_id}")[:8], 16) % folds


def wilson(hits: float, n: float) -> tuple[float, float]:
    """The Wilson 95 % interval of a share (Wilson 1927); ``n`` may be the effective size of a sample.

    >>> tuple(round(bound, 3) for bound in wilson(9, 10))
    (0.596, 0.982)
    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if n <= 0:
        return 0.0, 1.0
    share, whole = hits / n, 2 * (n + Z**2)
    middle = (2 * n * share + Z**2) / whole
    reach = Z / whole * sqrt(4 * n * share * (1 - share) + Z**2)
    return max(0.0, middle - reach), min(1.0, middle + reach)


@dataclass(frozen=True)
class ValidationRow:
    """One line of a score table: ``hits`` right of ``returned``, out of ``n`` that could be returned."""

    name: str
    hits: int
    returned: int
    n: int

    def text(self) -> str:
        """The line as text: precision with its interval, and coverage."""
        low, high = wilson(self.hits, self.returned)
        precision = f"{100 * self.hits / self.returned:5.1f} %" if self.returned else "    - "
        coverage = 100 * self.returned / self.n if self.n else 0.0
        return (
            f"{self.name:<44} {precision} [{100 * low:5.1f}, {100 * high:5.1f}]"
            f"  {self.hits:>4} of {self.returned:<4} coverage {coverage:5.1f} % of {self.n}"
        )


@dataclass(frozen=True)
class Report:
    """Score tables of one training run or evaluation; ``signature`` names data, folds and seed."""

    title: str
    rows: tuple[ValidationRow, ...]
    signature: str
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """The table as plain text."""
        lines = [self.title, *(row.text() for row in self.rows), *self.notes, f"({self.signature})"]
        return "\n".join(lines) + "\n"


def data_digest(threads: Sequence[LabelledThread]) -> str:
    """Eight characters that change with any label or text of the threads."""
    parts = (f"{thread.post_id}\n{thread.question}\n{thread.answers}\n{thread.label}" for thread in threads)
    return sha256_text("\n".join(sorted(parts)))[:8]


LEAST: Final = 0.5
NEVER: Final = 0.99
MIN_RETURNED: Final = 10


def lowest_threshold(found: Sequence[tuple[float, bool]], wanted: float) -> tuple[float, str]:
    """The lowest probability from LEAST on, by 0.01, from which precision is as wanted, and the rule in words.

    ``found`` are probabilities, each with whether what it stands for was right.
    """
    rule = f"precision {wanted:g} on {len(found)} out-of-fold threads"
    for step in range(round(LEAST * 100), 100):
        kept = [right for chance, right in found if chance >= step / 100]
        if len(kept) >= MIN_RETURNED and sum(kept) >= wanted * len(kept):
            return step / 100, rule
    return NEVER, f"{NEVER:g} as a fixed value: no threshold reaches {rule}"
