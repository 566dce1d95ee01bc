"""Gold labels: what a person says of a thread, and the split that keeps evaluation apart from training.

The bundled labels are split by family and by asker, so that neither a kind of problem nor a voice that the models were
fitted on stands in the whole of the evaluation part: two families are held out wholly, and of every other family the
threads of about a quarter of the askers.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from corpus.canonical import canonical_json, sha256_text
from corpus.errors import InputError
from corpus.jsonl import numbered_lines, parse_object

OUTCOMES = ("ok", "general", "college", "multiple", "incomplete", "not_math")
"""What a post can be (Dolphin18K, section 3.1); ``ok`` is one elementary problem."""
HELD_OUT_FAMILIES = ("geometry", "work")
HELD_OUT_SHARE = 0.25


@dataclass(frozen=True)
class Label:
    """What is known of one thread; ``gold_answer`` holds exact values as strings, in any order."""

    post_id: str
    scope_reason: str
    gold_answer: tuple[str, ...] | None = None
    gold_equations: tuple[str, ...] | None = None
    family: str = ""
    author: str = ""

    @property
    def in_scope(self) -> bool:
        """Whether the post is one elementary problem."""
        return self.scope_reason == "ok"

    def as_dict(self) -> dict[str, Any]:
        """The label as one record of a labels file."""
        return {
            "post_id": self.post_id,
            "in_scope": self.in_scope,
            "scope_reason": self.scope_reason,
            "gold_answer": None if self.gold_answer is None else list(self.gold_answer),
            "gold_equations": None if self.gold_equations is None else list(self.gold_equations),
            "family": self.family,
            "author": self.author,
        }


@dataclass(frozen=True)
class LabelledThread:
    """A thread as the models see it (texts, no names), with its label."""

    post_id: str
    question: str
    answers: tuple[str, ...]
    label: Label


def label_from(record: Mapping[str, Any], where: str) -> Label:
    """A label from one JSON record; InputError with ``where`` in front if a field is missing or contradicts another.

    >>> label_from({"post_id": "a:1", "in_scope": True, "gold_answer": ["7/2"]}, "labels.jsonl:1").scope_reason
    'ok'
    """
    post_id = record.get("post_id")
    if not isinstance(post_id, str) or not post_id:
        raise InputError(f"{where}: a label needs a post_id; add it")
    reason = record.get("scope_reason") or ("ok" if record.get("in_scope") else "not_math")
    if reason not in OUTCOMES:
        raise InputError(f"{where}: scope_reason {reason!r} of {post_id} is none of {', '.join(OUTCOMES)}")
    if record.get("in_scope", reason == "ok") != (reason == "ok"):
        raise InputError(f"{where}: {post_id} has in_scope {record['in_scope']} and scope_reason {reason!r}; mend one")
    return Label(
        post_id=post_id,
        scope_reason=reason,
        gold_answer=_strings(record, "gold_answer", where),
        gold_equations=_strings(record, "gold_equations", where),
        family=str(record.get("family") or ""),
        author=str(record.get("author") or ""),
    )


def _strings(record: Mapping[str, Any], field: str, where: str) -> tuple[str, ...] | None:
    value = record.get(field)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{where}: {field} of {record['post_id']} must be a list of strings or null")
    return tuple(value)


def read_labels(paths: Iterable[Path]) -> list[Label]:
    """The labels of JSON Lines files, by post id; InputError that names the file and line of anything unusable."""
    labels: list[Label] = []
    for path in paths:
        try:
            with path.open("rb") as source:
                lines = list(numbered_lines(source, str(path)))
        except OSError as error:
            raise InputError(f"cannot read labels {path}: {error.strerror}; check the path") from error
        labels += [label_from(parse_object(line, where), where) for where, line in lines]
    return sorted(unique_labels(labels).values(), key=lambda label: label.post_id)


def unique_labels(labels: Iterable[Label]) -> dict[str, Label]:
    """Labels by post id; InputError where two labels of one post contradict each other."""
    found: dict[str, Label] = {}
    for label in labels:
        if found.setdefault(label.post_id, label) != label:
            raise InputError(f"two labels of {label.post_id} contradict each other; keep one")
    return found


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
        raise InputError(f"{len(missing)} labels name posts that are not there, the first is {missing[0]}")
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


def label_lines(labels: Iterable[Label]) -> str:
    """The text of a labels file: one canonical JSON object a line, by post id."""
    return "".join(canonical_json(label.as_dict()) + "\n" for label in sorted(labels, key=lambda label: label.post_id))
