"""Threads with gold answers as the equations stage reads them, and when the system of a thread is right."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.metrics.reading_report import read_lines
from evaluation.metrics.value_matching import gold_alternatives, holds, same_set
from extractors.answers.parsing import Alternatives
from extractors.equations.thread_equations import ThreadEquations
from extractors.real_numbers.values import Value
from extractors.text.cleaning import clean_question


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
