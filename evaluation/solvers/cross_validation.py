"""Solvers over a corpus by folds: each problem is solved by a solver that has not seen its fold.

Problems may be shown as SVAMP shows them (Patel et al., NAACL 2021, section 4): without question, without order.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeVar

from corpus.benchmarks.gold_problems import Corpus, GoldNumber, GoldProblem
from corpus.benchmarks.reading import read_corpus, read_text
from corpus.errors import InputError
from corpus.records import SlotAlignment
from curation.near_texts.benchmark_texts import items_of
from curation.near_texts.contamination import LeakKind, find_leaks
from evaluation.solvers.predictions import Prediction
from evaluation.solvers.sim import Span
from evaluation.solvers.solver import MakeSolver
from extractors.quantities.numbers import find_numbers
from extractors.text.sentences import spans_of_sentences

FOLDS = 5
Divided = tuple[list[set[str]], str]
"""The problem ids of each fold, and how they were divided."""
_SHARED = {
    "Alg-514": ("alg514", "alg514/kushman.json", "alg514"),
    "DRAW": ("draw", "draw/draw.json", ""),
    "ASDiv": ("asdiv", "asdiv/ASDiv.xml", ""),
    "ASDiv-A": ("asdiv", "asdiv/ASDiv.xml", "asdiv/nfolds/asdiv-a"),
}
"""Format, file and folder of released folds of the shared corpora."""


def shared_corpus(shared: Path, name: str) -> tuple[Corpus, Path | None]:
    """A corpus of the shared data by its name, and the folder of its released folds; ASDiv-A is what they list."""
    form, file, folds = _SHARED[name]
    part = f"@{shared / folds}" if name == "ASDiv-A" else ""
    return read_corpus(f"{name}={form}:{shared / file}{part}"), shared / folds if folds else None


def folds_of(corpus: Corpus, folder: Path | None) -> Divided:
    """Problem ids of each fold: from a folder of id lists, or by the digest of the id into five.

    InputError where the lists do not divide the corpus.
    """
    if folder is None:
        folds: list[set[str]] = [set() for _ in range(FOLDS)]
        for problem in corpus.problems:
            folds[int(hashlib.sha256(problem.problem_id.encode()).hexdigest(), 16) % FOLDS].add(problem.problem_id)
        return folds, f"{FOLDS} folds by digest of the id"
    files = sorted(folder.glob("*.txt"))
    lists = [{line.strip() for line in read_text(file).splitlines() if line.strip()} for file in files]
    listed = sum(len(one) for one in lists)
    natives = {problem.native_id for problem in corpus.problems}
    if len(lists) < 2 or listed != len(set().union(*lists)) or not natives <= set().union(*lists):
        raise InputError(f"the lists in {folder} do not divide {corpus.name}: each id once, in two or more files")
    by_native = [{p.problem_id for p in corpus.problems if p.native_id in one} for one in lists]
    return by_native, f"{len(lists)} released folds"


_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_BETWEEN = " ; "
NumberAt = TypeVar("NumberAt", GoldNumber, SlotAlignment)


def question_start(question: str) -> int:
    """Where the question itself begins: at the first sentence that asks, or else at the last sentence.

    >>> text = "Tom has 3 pens. How many are left?"
    >>> text[: question_start(text)]
    'Tom has 3 pens.'
    """
    spans = [(0, 0), *spans_of_sentences(question, capitals=False)]
    before = [end for (_, end), span in pairwise(spans) if question[span[1] - 1] == "?"]
    return (before or [spans[-2][1] if len(spans) > 1 else 0])[0]


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


class How(NamedTuple):
    """What a solver sees: problems without question, or without order; the answers of another corpus besides."""

    question_removed: bool = False
    answers_of: Corpus | None = None
    bag_of_words: bool = False

    def shown(self, problem: GoldProblem) -> GoldProblem:
        """A problem as the solver sees it."""
        seen = without_question(problem) if self.question_removed else problem
        return bag_of_words(seen) if self.bag_of_words else seen


AS_IT_IS = How()


def tried(
    problems: Sequence[GoldProblem], folds: Sequence[set[str]], make: MakeSolver, how: How = AS_IT_IS
) -> tuple[Sequence[GoldProblem], dict[str, Prediction]]:
    """The problems by which a solver is judged, and its predictions by their ids, each fitted on the other folds.

    Of the answers of another corpus those are left out whose problem stands in the fold as well, also reworded. In a
    bag of words numbers are where the bag has them; a problem without its question is judged as a whole.
    """
    seen = list(map(how.shown, problems))
    others = how.answers_of.problems if how.answers_of else ()
    found: dict[str, Prediction] = {}
    for fold in folds:
        solver = make()
        held = {"fold": items_of([one for one in problems if one.problem_id in fold])}
        leaks = find_leaks(items_of(others), held).leaks if others else ()
        leaked = {leak.problem_id for leak in leaks if leak.kind is not LeakKind.STORY}
        extra = (how.shown(_answer_alone(one)) for one in others if one.problem_id not in leaked)
        solver.fit([*(one for one in seen if one.problem_id not in fold), *extra])
        answers = ((one.problem_id, solver.solve(one.question)) for one in seen if one.problem_id in fold)
        found |= {name: answer for name, answer in answers if answer is not None}
    return seen if how.bag_of_words else problems, found


def _answer_alone(problem: GoldProblem) -> GoldProblem:
    """A problem of which only question and answer are known (implicit supervision)."""
    return problem.model_copy(update={"template": (), "alignment": (), "equations": (), "equivalent_numbers": ()})
