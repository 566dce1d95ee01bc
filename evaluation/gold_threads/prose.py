"""Equation systems out of single answers: AQuA's rationales against the keyed option, real posts against their gold."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curation.equivalence.reconciliation import template_id
from evaluation.gold_threads.gold_posts import AnsweredThread, asks_for, is_right, thread_of, values_of
from evaluation.gold_threads.labelled_threads import READABLE, REAL_SETS
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share, read_lines
from evaluation.metrics.value_matching import RULE, contains, gold_alternatives
from extractors.answers.parsing import Alternatives, parse_answer
from extractors.equations.thread_equations import ThreadEquations, core_of
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import approximate, format_value
from extractors.templates.induction import induce_without_text
from models.shipped import read_thread

_MATCH = f"Values match if {RULE}."
ReadSystem = Callable[[AnsweredThread], ThreadEquations]


def _read(thread: AnsweredThread) -> ThreadEquations:
    """One vote is enough: there is one answer, or hardly ever a second."""
    return read_thread(thread.question, thread.answers, min_votes=1)


def aqua_threads(shared: Path) -> list[AnsweredThread]:
    """The AQuA records whose keyed option is one number, the rationale as the only answer."""
    found = []
    for record in read_lines(shared / "aqua" / "aqua_dev.jsonl"):
        option = next(text[2:] for text in record["options"] if text[0] == record["correct"])
        gold = tuple(values for values in parse_answer(option) if len(values) == 1)
        if gold:
            found.append(thread_of({**record, "answers": [{"text": record["rationale"]}]}, gold))
    return found


def aqua(shared: Path) -> ReadingReport:
    """AQuA's rationales: the keyed option within the solution set of the system that is read."""
    threads = aqua_threads(shared)
    read = [(thread, _read(thread)) for thread in threads]
    right = sum(is_right(found, thread.gold) for thread, found in read)
    failures = [_failure(thread, found) for thread, found in read if not is_right(found, thread.gold)]
    records = len(read_lines(shared / "aqua" / "aqua_dev.jsonl"))
    return ReadingReport(
        "AQuA rationales",
        f"The {len(threads)} of {records} development records count whose keyed option is read as one number, with or "
        "without a unit, a currency or a percent sign, a ratio by its quotient; options without a number, with letters "
        "or with several numbers do not. The rationale is the only answer and one vote is enough; the options are not "
        f"shown to the reader. {_MATCH}",
        (
            Share("keyed option within the solutions", Proportion(right, len(threads)), 50),
            Share(
                "precision of the systems returned", Proportion(right, sum(f.equations is not None for _, f in read))
            ),
        ),
        tuple(failures),
    )


def _failure(thread: AnsweredThread, found: ThreadEquations) -> Failure:
    if found.equations is None:
        return Failure(thread.id, _not_returned(thread, found))
    shown = f"{'; '.join(found.equations)} gives {', '.join(map(format_value, values_of(found)))}"
    return Failure(thread.id, _wrong_kind(thread, found), shown)


def _wrong_kind(thread: AnsweredThread, found: ThreadEquations) -> str:
    """How the values of a system that is returned differ from the gold answer."""
    golds = [approximate(value) for values in thread.gold for value in values]
    pairs = [(gold, approximate(value)) for gold in golds for value in values_of(found)]
    if any(contains(values_of(found), (value,)) for values in thread.gold for value in values):
        return "returned: a part of the gold answer"
    if any(gold.denominator == 1 and abs(gold - value) < 1 for gold, value in pairs):
        return "returned: the gold answer is a whole number near the solution"
    if any(abs(gold) in (abs(100 * value), abs(value)) for gold, value in pairs):
        return "returned: the gold answer is the solution in percent or with the other sign"
    return "returned: another quantity than the gold answer"


def _not_returned(thread: AnsweredThread, found: ThreadEquations) -> str:
    """Why nothing is returned."""
    if found.probability > 0:
        return "not returned: not likely enough"
    if found.candidates:
        return "not returned: the equations leave an unknown free"
    if not any("=" in answer for answer in thread.answers):
        return "not returned: no equals sign in the answers"
    return "not returned: no equation or true calculation between the equals signs"


@dataclass(frozen=True)
class _RealPost:
    """A real post with numeric gold beside what the reader made of it."""

    of: str
    record: Mapping[str, Any]
    thread: AnsweredThread
    found: ThreadEquations

    @property
    def returned(self) -> bool:
        return self.found.equations is not None

    @property
    def right(self) -> bool:
        return is_right(self.found, self.thread.gold)

    @property
    def shows(self) -> bool:
        """Whether an answerer wrote equations: the label has gold equations."""
        return bool(self.record["gold_equations"])


def real_posts(shared: Path, read: ReadSystem = _read) -> ReadingReport:
    """The real posts with numeric gold: precision of the systems, recall where answers show equations, form.

    ``read`` gives the system of a thread, by a model that has not learned from its site. Failures are those of the sets
    that may be read.
    """
    records = [(name, row) for name, file in REAL_SETS.items() for row in _rows(shared / "realposts" / file)]
    golds = [_gold(record) for _, record in records]
    others = [read(thread_of(record, ())) for (_, record), gold in zip(records, golds, strict=True) if not gold]
    posts = []
    for (name, record), gold in zip(records, golds, strict=True):
        if gold:
            thread = thread_of(record, gold)
            posts.append(_RealPost(name, record, thread, read(thread)))
    return ReadingReport(
        "Equation systems of the real posts",
        f"The {len(posts)} posts with numeric gold, one vote; right if the gold answer lies within one solution, or "
        "lists the roots of the only unknown. Recall is over the posts that have gold equations, which are those that "
        "an answerer wrote. The model that was set up: without definitions that nothing else uses, the template is "
        "that of the label. Asked values are those that the system model takes for asked. The posts without a gold "
        "answer are out of scope, symbolic or ambiguous; to keep them out "
        f"is not the task of reading them. {_MATCH}",
        (
            *_precision_and_recall("", posts),
            *_form_and_asked("", posts),
            *(share for name in REAL_SETS for share in _of_set(name, posts)),
            Share("right of all posts with numeric gold", Proportion.of(post.right for post in posts)),
            Share(
                "posts without a gold answer for which a system is returned",
                Proportion.of(found.equations is not None for found in others),
            ),
        ),
        tuple(_failure(post.thread, post.found) for post in posts if post.of in READABLE and not post.right),
    )


def _gold(record: Mapping[str, Any]) -> Alternatives:
    """The gold answer of a record; none where it has none, or one that is no number."""
    try:
        return gold_alternatives(record["gold_answer"]) if record["gold_answer"] else ()
    except ExtractionError:
        return ()


def _rows(path: Path) -> list[Any]:
    """The records of a set; none where it is not there."""
    return read_lines(path) if path.exists() else []


def _of_set(name: str, posts: Collection[_RealPost]) -> tuple[Share, ...]:
    held = [post for post in posts if post.of == name]
    said = f", set {name}"
    return (*_precision_and_recall(said, held), _form_and_asked(said, held)[0]) if held else ()


def _precision_and_recall(name: str, posts: Collection[_RealPost]) -> tuple[Share, Share]:
    precision = Proportion.of(post.right for post in posts if post.returned)
    recall = Proportion.of(post.right for post in posts if post.shows)
    return (
        Share(f"precision of the systems returned{name}", precision, 94),
        Share(f"recall where answers show equations{name}", recall, 70),
    )


def _form_and_asked(name: str, posts: Collection[_RealPost]) -> tuple[Share, Share]:
    right = [post for post in posts if post.right]
    formed = (has_form(post.found.core.equations or (), post.record["gold_equations"]) for post in right if post.shows)
    asked = (asks_for(post.found, post.thread.gold) for post in right)
    return (
        Share(f"the model that was set up, of those that are right{name}", Proportion.of(formed), 85),
        Share(f"the asked values are just the gold answer, of those that are right{name}", Proportion.of(asked)),
    )


def has_form(found: Sequence[str], gold: Sequence[str]) -> bool:
    """Whether the cores of two systems have one template, whatever the names; False for what has none."""
    try:
        return _template(found) == _template(gold)
    except ExtractionError:
        return False


def _template(equations: Sequence[str]) -> str:
    return template_id(induce_without_text(core_of(equations).equations))
