"""Threads with gold answers as the equations stage reads them, and when the system of a thread is right.

Every thread of our own has the batch it was written in; between two batches the reader was mended on classes of
failure. What a fresh batch gave when it was first read is in ``docs/quality.md``; the table shows what the reader gives
now. A trap is a thread with a tempting wrong value, or without a gold answer (``no_gold`` says why: whatever is
returned for it is wrong); most of them show nothing right.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share, read_lines
from evaluation.metrics.value_matching import gold_alternatives, holds, same_set
from extractors.answers.parsing import Alternatives
from extractors.equations.thread_equations import ThreadEquations
from extractors.real_numbers.values import Value
from extractors.text.cleaning import clean_question
from models.shipped import read_thread


@dataclass(frozen=True)
class AnsweredThread:
    """A thread with a gold answer; the question is cleaned, as the stage sees it."""

    id: str
    question: str
    answers: tuple[str, ...]
    gold: Alternatives


def thread_of(record: Mapping[str, Any], gold: Alternatives) -> AnsweredThread:
    """A record of a threads file with its gold; a question that the page did not hold is empty."""
    answers = tuple(answer["text"] for answer in record["answers"])
    return AnsweredThread(record["id"], clean_question(record["question"] or "").text, answers, gold)


def threads_of_file(path: Path) -> list[AnsweredThread]:
    """The threads of a file that have a ``gold_answer``, a string or a list of values."""
    records = read_lines(path)
    return [thread_of(record, gold_alternatives(record["gold_answer"])) for record in records if record["gold_answer"]]


def is_right(found: ThreadEquations, gold: Alternatives) -> bool:
    """Whether the gold answer lies within one solution (Dolphin18K, section 3.3), or lists the roots of one unknown."""
    return holds(found.solutions, found.unknowns, gold)


def asks_for(found: ThreadEquations, gold: Alternatives) -> bool:
    """Whether the asked values of a system are the gold answer, no more and no less."""
    return any(same_set([value for _, value in found.asked], wanted) for wanted in gold)


def values_of(found: ThreadEquations) -> list[Value]:
    """Every value of every solution."""
    return [value for row in found.solutions for value in row]


PRECISION, RECALL = 96.0, 75.0
"""Asked of real posts at one vote, in percent; recall is of the posts whose answers show equations."""


@dataclass(frozen=True)
class Outcome:
    """What the reader made of a thread."""

    record: dict[str, Any]
    returned: bool
    right: bool
    note: str | None

    @property
    def shows(self) -> bool:
        """Whether an answer shows equations from which the gold answer follows."""
        return bool(self.record["shows_equations"])


def thread_outcome(record: dict[str, Any], min_votes: int = 1) -> Outcome:
    """Reads one thread; right by the rule of ``gold_posts``, and never where there is no gold answer."""
    texts = [answer["text"] for answer in record["answers"]]
    found = read_thread(record["question"], texts, min_votes)
    gold = record["gold_answer"]
    right = found.equations is not None and gold is not None and is_right(found, gold_alternatives(gold))
    note = "the likeliest system is not likely enough" if found.probability > 0 else found.note
    return Outcome(record, found.equations is not None, right, note)


def authored_reading(path: Path) -> ReadingReport:
    """The table over a file of threads: precision and recall by batch and by style at one vote, failures by class."""
    records = read_lines(path)
    outcomes = [thread_outcome(record) for record in records]
    shares = [*_pair("all", outcomes, asked=True)]
    for batch in sorted({record["batch"] for record in records}):
        shares += _pair(f"batch {batch}", [o for o in outcomes if o.record["batch"] == batch])
    for style in sorted({record["style"] for record in records}):
        shares += _pair(style, [o for o in outcomes if o.record["style"] == style])
    fair = [o for o in outcomes if not o.record["trap"]]
    shares += _pair("no traps", fair)
    empty = [o for o in outcomes if o.record["trap"] and not o.shows]
    shares.append(Share("nothing returned, traps", Proportion.of(not o.returned for o in empty)))
    several = [thread_outcome(o.record, 2) for o in outcomes if len(o.record["answers"]) > 1]
    shares += _pair("two votes, two answers or more", several)
    return ReadingReport(
        "Threads in the manner of real posts, one vote",
        "Right: the gold answer is within the solutions. Precision is over what was returned, recall over the threads "
        "whose answers show equations.",
        tuple(shares),
        tuple(_failures(outcomes)),
    )


def _pair(name: str, outcomes: Sequence[Outcome], *, asked: bool = False) -> list[Share]:
    returned, showing = [o for o in outcomes if o.returned], [o for o in outcomes if o.shows]
    return [
        Share(f"precision, {name}", Proportion.of(o.right for o in returned), PRECISION if asked else None),
        Share(f"recall, {name}", Proportion.of(o.right for o in showing), RECALL if asked else None),
    ]


def _failures(outcomes: Iterable[Outcome]) -> Iterable[Failure]:
    for outcome in outcomes:
        if outcome.returned and not outcome.right:
            reason = outcome.record.get("known_failure", "unknown")
            yield Failure(outcome.record["id"], f"wrong: {reason}", outcome.record["topic"])
        elif outcome.shows and not outcome.right:
            yield Failure(outcome.record["id"], f"nothing: {outcome.note}", outcome.record["topic"])
