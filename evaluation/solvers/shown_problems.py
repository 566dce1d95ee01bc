"""Problems as SVAMP shows them to solvers (Patel et al., NAACL 2021, section 4): without question, without order."""

import re
from collections.abc import Mapping
from typing import TypeVar

from corpus.benchmarks.gold_problems import GoldNumber, GoldProblem
from corpus.records import SlotAlignment
from evaluation.solvers.sim import Span
from extractors.quantities.numbers import find_numbers

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SENTENCE = re.compile(r"[^.?!]+[.?!]*")
_BETWEEN = " ; "
NumberAt = TypeVar("NumberAt", GoldNumber, SlotAlignment)


def question_start(question: str) -> int:
    """Where the question itself begins: at the first sentence that asks, or else at the last sentence.

    >>> text = "Tom has 3 pens. How many are left?"
    >>> text[: question_start(text)]
    'Tom has 3 pens.'
    """
    sentences = [match for match in _SENTENCE.finditer(question) if match.group().strip(" .")]
    asking = [match.start() for match in sentences if match.group().rstrip().endswith("?")]
    return (asking or [sentences[-1].start() if sentences else 0])[0]


def without_question(problem: GoldProblem) -> GoldProblem:
    """A problem up to its question; slots in the question are gone with it."""
    end = question_start(problem.question)
    kept = tuple(slot for slot in problem.alignment if slot.end <= end)
    return problem.model_copy(update={"question": problem.question[:end], "alignment": kept})


def bag_of_words(problem: GoldProblem) -> GoldProblem:
    """A problem with its words in the order of the alphabet and its numbers behind them, in the order of the text.

    Alignment and equivalent numbers go with their numbers; signs are gone.
    """
    text = problem.question
    told = [(one.start, one.end) for one in problem.alignment]
    told += [(one.start, one.end) for group in problem.equivalent_numbers for one in group]
    spans = _apart(told + [(one.start, one.end) for one in find_numbers(text)])
    bounds = [0, *(place for span in spans for place in span), len(text)]
    between = [text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True)]
    bag = " ".join(sorted(word.lower() for piece in between for word in _WORD.findall(piece)))
    moved: dict[Span, Span] = {}
    for span in spans:
        bag += _BETWEEN
        moved[span] = (len(bag), len(bag) + span[1] - span[0])
        bag += text[slice(*span)]
    alignment = tuple(_moved(slot, moved) for slot in problem.alignment)
    groups = tuple(tuple(_moved(one, moved) for one in group) for group in problem.equivalent_numbers)
    changed = {"question": f"{bag} .", "alignment": alignment, "equivalent_numbers": groups}
    return problem.model_copy(update=changed)


def _apart(spans: list[Span]) -> list[Span]:
    """The spans in order; of those that overlap the first given."""
    chosen: list[Span] = []
    for span in spans:
        if all(span[1] <= start or end <= span[0] for start, end in chosen):
            chosen.append(span)
    return sorted(chosen)


def _moved(one: NumberAt, moved: Mapping[Span, Span]) -> NumberAt:
    """A number at its new place."""
    start, end = next(new for (first, last), new in moved.items() if first < one.end and one.start < last)
    return one.model_copy(update={"start": start, "end": end})
