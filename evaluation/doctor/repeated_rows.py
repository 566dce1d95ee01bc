"""Rows that repeat an earlier row of their corpus, or a problem of a named benchmark."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from curation.contamination import SHARE, Item, Leak, LeakKind, find_leaks
from evaluation.corpus_figures.leaks import items_of
from evaluation.doctor.signs import MAX_EVIDENCE, FaultKind, Sign
from evaluation.doctor.solution_check import golds_of
from evaluation.metrics.value_matching import same_set
from extractors.quantities.numbers import find_numbers

SAME: Final = "row: the same words and numbers"
_TOLD: Final = 10
"""Smaller numbers may be written in letters, or left out, in a row that repeats another one."""
_FEW: Final = 0.15
"""Up to this share of words differs in the nearer of the near rows."""
Problems = Mapping[str, GoldProblem]


def repeated_in(corpus: Corpus) -> dict[str, Sign]:
    """The rows that repeat an earlier one, by problem id; of several the nearest is shown.

    Rows are compared by the rule for leaks (``curation.contamination``), but only those that have the same numbers from
    10 on, and of rows with one text only the first, so that one wording with many numbers, or a thousand copies, take
    no longer than other texts.
    """
    problems = {one.problem_id: one for one in corpus.problems}
    order = {problem_id: place for place, problem_id in enumerate(problems)}
    firsts: dict[str, Item] = {}
    blocks: dict[tuple[Fraction, ...], list[Item]] = {}
    leaks = []
    for item in items_of(corpus):
        text = " ".join(item.text.casefold().split())
        first = firsts.setdefault(text, item)
        if first is item:
            numbers = sorted(one.value for one in find_numbers(item.text) if one.value >= _TOLD)
            blocks.setdefault(tuple(numbers), []).append(item)
        elif text:
            leaks.append(Leak(item.item_id, corpus.name, first.item_id, LeakKind.EXACT, 0, item.text, first.text))
    for block in blocks.values():
        found = find_leaks(block, {corpus.name: block}, SHARE).leaks if len(block) > 1 else ()
        leaks += [leak for leak in found if order[leak.benchmark_id] < order[leak.problem_id]]
    return _nearest(leaks, FaultKind.DUPLICATE, problems, {corpus.name: problems})


def of_benchmarks(corpus: Corpus, benchmarks: Sequence[Corpus]) -> dict[str, Sign]:
    """The rows that a benchmark holds, by problem id; of several matches the nearest is shown."""
    leaks = find_leaks(items_of(corpus), {one.name: items_of(one) for one in benchmarks}, SHARE).leaks
    theirs = {one.name: {problem.problem_id: problem for problem in one.problems} for one in benchmarks}
    return _nearest(leaks, FaultKind.IN_BENCHMARK, {one.problem_id: one for one in corpus.problems}, theirs)


def _nearest(
    leaks: Sequence[Leak], kind: FaultKind, problems: Problems, theirs: Mapping[str, Problems]
) -> dict[str, Sign]:
    """The sign of each row with a match that is no other question about the same story."""
    found = {}
    for leak in sorted(leaks, key=lambda leak: -leak.edits):
        if leak.kind is not LeakKind.STORY:
            other = theirs[leak.benchmark][leak.benchmark_id]
            name = f"{_how(leak)}, {_same_answer(problems[leak.problem_id], other)}"
            shown = f"{leak.benchmark} {leak.benchmark_id}: {' '.join(leak.benchmark_text.split())}"
            found[leak.problem_id] = Sign(kind, name, "question", shown[:MAX_EVIDENCE])
    return found


def _how(leak: Leak) -> str:
    if not leak.edits:
        return SAME
    few = leak.edits <= _FEW * len(leak.benchmark_text.split())
    return f"row: the same numbers, {'few' if few else 'some'} words differ"


def _same_answer(one: GoldProblem, other: GoldProblem) -> str:
    golds = golds_of(one), golds_of(other)
    if not all(golds):
        return "an answer unknown"
    return "the same answer" if any(same_set(a, b) for a in golds[0] for b in golds[1]) else "another answer"
