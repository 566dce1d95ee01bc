"""Wrong labels made on purpose, and how many of them a build contradicts: by that a corpus with bad labels is cleaned.

The rule of the flip is stated, so that anybody can make the same: ``flipped``. A label is suspected where the build's
own reading of the thread's answers, which never sees labels, says otherwise.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from corpus.canonical import sha256_text
from corpus.versions import Version
from corpus.workspace import Workspace
from evaluation.gold_threads.version_quality import (
    JudgedThread,
    gold_of_threads,
    judged_threads,
    last_number_any_vote,
    thread_numbers,
)
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import ReadingReport, Share
from evaluation.metrics.value_matching import contains, same_set
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import Value

PREVALENCE = Fraction(1, 20)
"""The part of the labels that is taken to be wrong."""
RULE = (
    "Each label is flipped once and left as it is once; five in a hundred are taken to be wrong. Flipped: by the first "
    "bit of SHA-256 of the post id to the number of the question that is nearest to the label without being it (a "
    "smaller one of two, and one more than the label where there is none), or to one more than the label. A label is "
    "suspected where the build's reading of the answers differs from it."
)


def flipped(post_id: str, question: str, label: Fraction) -> Fraction:
    """Another value in place of a label of one number, by the rule of this table.

    >>> flipped("a", "9 of 12 birds", Fraction(3)), flipped("b", "9 of 12 birds", Fraction(3))
    (Fraction(9, 1), Fraction(4, 1))
    """
    others = sorted(
        {number.value for number in find_numbers(question)} - {label}, key=lambda one: (abs(one - label), one)
    )
    by_question = int(sha256_text(post_id)[0], 16) >= 8
    return others[0] if by_question and others else label + 1


@dataclass(frozen=True)
class _Labelled:
    """A thread, its label, and the label flipped."""

    thread: JudgedThread
    label: tuple[Value, ...]
    wrong: tuple[Value, ...]


def _differs(values: Sequence[Value] | None, label: Sequence[Value]) -> bool:
    return values is not None and not same_set(values, label)


def _floor(thread: JudgedThread) -> tuple[Value, ...] | None:
    value = last_number_any_vote(thread_numbers(thread.answers))
    return None if value is None else (value,)


def _contradicted(thread: JudgedThread, label: Sequence[Value]) -> bool:
    return bool(thread.solutions) and not any(contains(values, label) for values in thread.solutions or ())


Suspects = Callable[[JudgedThread, Sequence[Value]], bool]
DETECTORS: Mapping[str, Suspects] = {
    "published answer": lambda thread, label: _differs(thread.published, label),
    "answer of the stage read": lambda thread, label: _differs(thread.ranked, label),
    "solutions of the voted system": _contradicted,
    "any of these": lambda thread, label: (
        _differs(thread.published, label) or _differs(thread.ranked, label) or _contradicted(thread, label)
    ),
    "floor: last-number vote": lambda thread, label: _differs(_floor(thread), label),
}


def flipped_labels(workspace: Workspace, version: Version, path: Path) -> ReadingReport:
    """How many flipped labels each way to suspect finds, how many right ones it suspects, and what that makes of it.

    ``path`` is the file of threads with ``gold_answer`` that the version was built from; labels of one number count.
    """
    labelled = []
    for thread in judged_threads(workspace, version, gold_of_threads(path)):
        for label in (thread.gold.answer or ())[:1]:
            if len(label) == 1 and isinstance(label[0], Fraction):
                wrong = flipped(thread.gold.post_id, thread.question, label[0])
                labelled.append(_Labelled(thread, label, (wrong,)))
    shares = []
    for name, suspects in DETECTORS.items():
        found = Proportion.of(suspects(one.thread, one.wrong) for one in labelled)
        alarms = Proportion.of(suspects(one.thread, one.label) for one in labelled)
        shares += [Share(f"flipped labels found: {name}", found), Share(f"right labels suspected: {name}", alarms)]
    return ReadingReport("Flipped labels of GSM8K", f"{RULE} {_of_hundred(shares)}", tuple(shares))


def _of_hundred(shares: Sequence[Share]) -> str:
    """What somebody has to look at for each wrong label found, by each way."""
    costs = []
    for found, alarms in zip(shares[::2], shares[1::2], strict=True):
        hits = PREVALENCE * Fraction(found.proportion.hits, max(found.proportion.n, 1))
        false = (1 - PREVALENCE) * Fraction(alarms.proportion.hits, max(alarms.proportion.n, 1))
        name = found.name.partition(": ")[2]
        costs.append(f"{name} {float((hits + false) / hits):.1f}" if hits else f"{name} none found")
    return f"Suspected labels to look at for each wrong one that is found: {'; '.join(costs)}."
