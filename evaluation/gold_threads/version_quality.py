"""Quality of a version against gold labels, stage by stage, beside floor rows; and against labels flipped on purpose.

The rule of the flip is stated, so that anybody can make the same: ``flipped``. A label is suspected where the build's
own reading of the thread's answers, which never sees labels, says otherwise.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import get_args

from corpus.canonical import digest_of, sha256_text
from corpus.errors import InputError
from corpus.lines.jsonl import file_objects
from corpus.records import Label, PostReading, Problem, SplitName, SystemSolution
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from crawlers.thread_records import post_id_of
from curation.building.run_rows import RunRows
from evaluation.metrics.gold_scores import QualityReport, QualityRow, score_answers, score_equations, score_scope
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import ReadingReport, Share
from evaluation.metrics.value_matching import RULE, contains, gold_alternatives, read_values, same_set
from extractors.answers.parsing import Alternatives
from extractors.expressions.grammar import parse_equation
from extractors.extraction_errors import ExtractionError
from extractors.quantities.numbers import find_numbers
from extractors.real_numbers.values import Value, parse_value
from extractors.solve.tree_evaluation import UnknownValueError, evaluate_tree


@dataclass(frozen=True)
class GoldThread:
    """What a thread should give: ``in_scope`` None where nobody said, ``answer`` None where there is none to find."""

    post_id: str
    in_scope: bool | None
    answer: Alternatives | None


@dataclass(frozen=True)
class JudgedThread:
    """A gold thread and what a run made of it; values are None where a stage returned nothing."""

    gold: GoldThread
    question: str
    answers: tuple[str, ...]
    let_through: bool
    ranked: tuple[Value, ...] | None
    published: tuple[Value, ...] | None
    solutions: tuple[tuple[Value, ...], ...] | None
    published_solutions: tuple[tuple[Value, ...], ...] | None
    split: str | None = None


def _alternatives(where: str, gold: str | Sequence[str] | None) -> Alternatives | None:
    if not gold:
        return None
    try:
        return gold_alternatives(gold)
    except ExtractionError as error:
        raise InputError(f"{where}: gold_answer {str(gold)[:60]} cannot be read: {error}") from error


def gold_of_labels(labels: Iterable[Label]) -> list[GoldThread]:
    """Labels as gold threads; an answer counts only where the post is in scope."""
    return [
        GoldThread(
            label.post_id,
            label.in_scope,
            _alternatives(f"label of {label.post_id}", label.gold_answer) if label.in_scope else None,
        )
        for label in labels
    ]


def gold_of_threads(path: Path, source: str = "file") -> list[GoldThread]:
    """Gold threads from a file of threads with ``gold_answer`` (a string or a list) and perhaps ``in_scope``.

    ``source`` is the one the posts were ingested under. Raises InputError naming the line.
    """
    found = []
    for where, record in file_objects(path):
        gold, in_scope = record.get("gold_answer"), record.get("in_scope")
        texts = gold if isinstance(gold, list) else [gold]
        if not (in_scope is None or isinstance(in_scope, bool)) or not all(
            isinstance(text, str | None) for text in texts
        ):
            raise InputError(f"{where}: in_scope must be true or false, gold_answer a string or a list of strings")
        answer = None if in_scope is False else _alternatives(where, gold)
        found.append(GoldThread(post_id_of(record, source), in_scope, answer))
    return found


def quality_of_run(workspace: Workspace, version: Version, labels: Sequence[Label]) -> QualityReport:
    """Classification, answers and equations of the run behind a version, against labels."""
    return _report(workspace, version, gold_of_labels(labels), f"Quality of {version.label} against labels")


def quality_of_threads(workspace: Workspace, version: Version, paths: Sequence[Path]) -> QualityReport:
    """The same against the gold that stands in the threads files a version was built from.

    A thread without gold is one from which nothing should be published.
    """
    gold = [thread for path in paths for thread in gold_of_threads(path)]
    names = ", ".join(path.name for path in paths)
    return _report(workspace, version, gold, f"Quality of {version.label} against {names}")


def judged_threads(workspace: Workspace, version: Version, gold: Sequence[GoldThread]) -> list[JudgedThread]:
    """The gold threads among the posts of a version, and what its run made of them."""
    rows = RunRows.of(workspace, version)
    released = {problem.post_id: problem for problem in version.problems()}
    judged = []
    for thread in gold:
        post = rows.post(thread.post_id)
        if post is None:
            continue
        read = rows.record("read", thread.post_id)
        problem = released.get(thread.post_id)
        judged.append(
            JudgedThread(
                gold=thread,
                question=post.question,
                answers=tuple(reply.text for reply in post.answers),
                let_through=rows.record("classify", thread.post_id) is not None,
                ranked=read_values(read.values) if isinstance(read, PostReading) else None,
                published=read_values(problem.answer_exact) if problem else None,
                solutions=_solutions(read) if isinstance(read, PostReading) else None,
                published_solutions=asked_solutions(problem) if problem and problem.equations else None,
                split=problem.split if problem else None,
            )
        )
    return judged


def _report(workspace: Workspace, version: Version, gold: Sequence[GoldThread], title: str) -> QualityReport:
    judged = judged_threads(workspace, version, gold)
    missing = len(gold) - len(judged)
    notes = (f"{missing} of {len(gold)} labelled threads are not among the posts of this version.",) if missing else ()
    digest = digest_of(sorted([thread.post_id, thread.in_scope, repr(thread.answer)] for thread in gold))[:12]
    signature = f"gold:{digest}|version:{version.label}|match:{RULE}|interval:Wilson 95 %"
    return QualityReport(title, tuple(_rows(judged)), signature, notes)


def _solutions(found: PostReading) -> tuple[tuple[Value, ...], ...] | None:
    return None if found.equations is None else _values(found.solutions)


def asked_solutions(problem: Problem) -> tuple[tuple[Value, ...], ...]:
    """The values of each solution of a problem, with those of what is asked where they come out."""
    asked = [parse_equation(f"0={text}")[0].right for text in problem.asked or ()]
    found = []
    for solution in problem.solutions:
        values = dict(zip(problem.unknowns, map(parse_value, solution), strict=True))
        with suppress(ExtractionError, UnknownValueError, ArithmeticError):
            found.append((*values.values(), *[evaluate_tree(node, values) for node in asked]))
    return tuple(found)


def _values(solutions: Sequence[SystemSolution]) -> tuple[tuple[Value, ...], ...]:
    return tuple(read_values([one.value for one in solution.assignments]) for solution in solutions)


def _rows(judged: Sequence[JudgedThread]) -> list[QualityRow]:
    gold = [thread.gold.answer for thread in judged]
    numbers = [thread_numbers(thread.answers) for thread in judged]
    rows = _scope_rows([thread for thread in judged if thread.gold.in_scope is not None])
    rows.append(QualityRow("answers", "published", score_answers([thread.published for thread in judged], gold)))
    for split in [one for one in get_args(SplitName) if any(thread.split == one for thread in judged)]:
        given = [thread.published if thread.split == split else None for thread in judged]
        rows.append(QualityRow("answers", f"published, {split}", score_answers(given, gold)))
    rows.append(QualityRow("answers", "stage read", score_answers([thread.ranked for thread in judged], gold)))
    for name, baseline in BASELINES.items():
        guesses = [_guess(baseline(found)) for found in numbers]
        rows.append(QualityRow("answers", f"floor: {name}", score_answers(guesses, gold)))
    published = [thread.published_solutions for thread in judged]
    rows.append(QualityRow("equations", "published", score_equations(published, gold)))
    voted = [thread.solutions for thread in judged]
    rows.append(QualityRow("equations", "stage read", score_equations(voted, gold)))
    return rows


def _guess(value: Value | None) -> tuple[Value, ...] | None:
    return None if value is None else (value,)


def _scope_rows(judged: Sequence[JudgedThread]) -> list[QualityRow]:
    if not judged:
        return []
    gold = [bool(thread.gold.in_scope) for thread in judged]
    systems: dict[str, Callable[[JudgedThread], bool]] = {
        "stage classify": lambda thread: thread.let_through,
        "floor: everything is in scope": lambda thread: True,
        "floor: holds a number": lambda thread: any(thread_numbers(thread.answers)),
    }
    return [
        QualityRow("in scope", name, score_scope([decide(thread) for thread in judged], gold))
        for name, decide in systems.items()
    ]


ThreadBaseline = Callable[[Sequence[Sequence[Fraction]]], Fraction | None]
"""From the numbers of each answer, in order, to one value or None."""


def thread_numbers(answers: Sequence[str]) -> list[list[Fraction]]:
    """The numbers of each answer in order of appearance."""
    return [[number.value for number in find_numbers(text)] for text in answers]


def _winner(votes: Sequence[Fraction], at_least: int) -> Fraction | None:
    """The value with the most votes, if it has enough and no other has as many."""
    ranking = Counter(votes).most_common(2)
    if not ranking or ranking[0][1] < at_least or (len(ranking) > 1 and ranking[1][1] == ranking[0][1]):
        return None
    return ranking[0][0]


def last_number_majority(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """Each answer votes with its last number; a clear winner with at least two votes is returned."""
    return _winner([found[-1] for found in numbers if found], 2)


def last_number_any_vote(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """Each answer votes with its last number; one vote is enough where no other value has as many."""
    return _winner([found[-1] for found in numbers if found], 1)


def last_of_first_answer(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """The last number of the first answer."""
    return numbers[0][-1] if numbers and numbers[0] else None


def first_number(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """The first number of the thread's answers."""
    return next((found[0] for found in numbers if found), None)


def most_frequent_number(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """The number that stands most often in the answers; of equally frequent ones the first."""
    ranking = Counter(value for found in numbers for value in found).most_common(1)
    return ranking[0][0] if ranking else None


def random_candidate(numbers: Sequence[Sequence[Fraction]]) -> Fraction | None:
    """One of the distinct numbers, chosen by a hash of them all: the same on every machine."""
    distinct = list(dict.fromkeys(value for found in numbers for value in found))
    if not distinct:
        return None
    return distinct[int(sha256_text(" ".join(map(str, distinct)))[:12], 16) % len(distinct)]


BASELINES: Mapping[str, ThreadBaseline] = {
    "last-number majority (2 votes)": last_number_majority,
    "last-number vote (1 is enough)": last_number_any_vote,
    "last number of the first answer": last_of_first_answer,
    "first number": first_number,
    "most frequent number": most_frequent_number,
    "random candidate": random_candidate,
}


PREVALENCE = Fraction(1, 20)
"""The part of the labels that is taken to be wrong."""
FLIPPED_RULE = (
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
    return ReadingReport("Flipped labels of GSM8K", f"{FLIPPED_RULE} {_of_hundred(shares)}", tuple(shares))


def _of_hundred(shares: Sequence[Share]) -> str:
    """What somebody has to look at for each wrong label found, by each way."""
    costs = []
    for found, alarms in zip(shares[::2], shares[1::2], strict=True):
        hits = PREVALENCE * Fraction(found.proportion.hits, max(found.proportion.n, 1))
        false = (1 - PREVALENCE) * Fraction(alarms.proportion.hits, max(alarms.proportion.n, 1))
        name = found.name.partition(": ")[2]
        costs.append(f"{name} {float((hits + false) / hits):.1f}" if hits else f"{name} none found")
    return f"Suspected labels to look at for each wrong one that is found: {'; '.join(costs)}."
