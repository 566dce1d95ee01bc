"""Training of the tag model from a corpus that says type or grade, with out-of-fold scores beside a majority floor."""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # no stubs are published

from corpus.benchmarks.asdiv_formulas import asdiv_equations
from corpus.benchmarks.gold_problems import Corpus, GoldProblem
from corpus.canonical import sha256_text
from corpus.errors import InputError
from extractors.extraction_errors import ExtractionError
from extractors.real_numbers.values import format_value
from extractors.solve.solving import solve_texts
from models.fits import fit_softmax
from models.label_split import Report, ValidationRow
from models.post_model import Vocabulary
from models.tag_model import EQUATIONS, READINGS, TAGS, Guess, TagFit, TagModel, TermLists, rows_of
from models.tag_terms import BLOCKS, TaggedText, terms_of

COST: Final = 10.0
MIN_LABELS: Final = 10
SPELLINGS: Final = {"Substraction": "Subtraction"}
"""A type of ASDiv that is misspelt in one problem."""
_DIVISIONS: Final = ("Surplus", "Floor-Division", "Ceil-Division", "")
"""What may be asked of a division with a remainder."""


@dataclass(frozen=True)
class TypedProblem:
    """A problem as the model reads it, and the labels that its corpus gives, by tag."""

    problem_id: str
    text: TaggedText
    terms: TermLists
    labels: Mapping[str, str]


@dataclass(frozen=True)
class HeldOutGuess:
    """What a model that has not seen a problem's fold says of it; ``told`` is the label of the corpus."""

    problem: TypedProblem
    told: str
    guess: Guess


def typed_problems(corpus: Corpus) -> list[TypedProblem]:
    """The problems of a corpus that have a type or a grade; a grade is a whole number in the field ``Grade``."""
    found = []
    for problem in corpus.problems:
        grade = problem.details.get("Grade")
        labels = {"problem_type": SPELLINGS.get(problem.kind, problem.kind), "grade": grade}
        told = {tag: label for tag, label in labels.items() if isinstance(label, str) and label}
        if told and problem.question.strip():
            text = TaggedText(problem.question, *_equations_of(problem))
            found.append(TypedProblem(problem.problem_id, text, terms_of(text), told))
    return found


def _equations_of(problem: GoldProblem) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The equations of a problem. A reader of ASDiv asks the type what is wanted of a division with a remainder; here,
    where the type is to be told, the answer says it.
    """
    if problem.origin != "asdiv" or not problem.equations:
        return problem.equations, problem.unknowns
    read = []
    for kind in _DIVISIONS:
        try:
            read.append(asdiv_equations(problem.formula, kind))
        except ExtractionError:
            continue
    return next((one for one in read if _values(*one) in problem.gold), read[-1] if read else ((), ()))


def _values(equations: Sequence[str], unknowns: Sequence[str]) -> tuple[str, ...]:
    try:
        return tuple(map(format_value, solve_texts(equations, unknowns).solutions[0]))
    except (ExtractionError, IndexError):
        return ()


def train_tags(problems: Sequence[TypedProblem], folds: Sequence[Set[str]], source: str) -> tuple[TagModel, Report]:
    """Fit the tag model; InputError where no tag has ten labels of two kinds.

    ``folds`` are the ids of the problems of each fold, for the scores alone. The result does not depend on the order
    of ``problems``.
    """
    problems = sorted(problems, key=lambda problem: problem.problem_id)
    tags = [tag for tag in TAGS if _is_labelled(problems, tag)]
    if not tags:
        raise InputError(
            f"{source} has {len(problems)} problems with a type or a grade, not {MIN_LABELS} of two kinds; "
            "give a corpus that says them, as asdiv does"
        )
    rows = [row for tag in tags for row in _score_rows(problems, folds, tag)]
    known = _vocabulary(problems)
    data = sha256_text("\n".join(f"{one.text}\n{sorted(one.labels.items())}" for one in problems))[:8]
    signature = f"tags:1|folds:{len(folds)}|c:{COST:g}|data:{data}"
    notes = {"signature": signature, "source": source, "labels": str(len(problems))}
    model = TagModel(known, {tag: _fit(_labelled(problems, tag), known, tag) for tag in tags}, notes)
    return model, Report("tags, out of fold", tuple(rows), signature)


def _labelled(problems: Sequence[TypedProblem], tag: str) -> list[TypedProblem]:
    return [problem for problem in problems if tag in problem.labels]


def _is_labelled(problems: Sequence[TypedProblem], tag: str) -> bool:
    told = _labelled(problems, tag)
    return len(told) >= MIN_LABELS and len({problem.labels[tag] for problem in told}) > 1


def _vocabulary(problems: Sequence[TypedProblem]) -> tuple[Vocabulary, ...]:
    return tuple(
        Vocabulary.of([problem.terms[place] for problem in problems], least)
        for place, least in enumerate(BLOCKS.values())
    )


def _fit(problems: Sequence[TypedProblem], known: Sequence[Vocabulary], tag: str) -> TagFit:
    """The regression of one tag by each reading; that of equations learns from problems with equations alone."""
    labels = sorted({problem.labels[tag] for problem in problems})
    fitted = {}
    for reading, blocks in READINGS.items():
        read = [problem for problem in problems if problem.terms[-1] or reading != EQUATIONS] or list(problems)
        outcomes = np.array([labels.index(problem.labels[tag]) for problem in read], dtype=np.intp)
        rows = rows_of([problem.terms for problem in read], known[:blocks])
        with threadpool_limits(1):
            fitted[reading] = fit_softmax(rows, outcomes, np.ones(len(read)), len(labels), COST)
    return TagFit(tuple(labels), fitted)


def held_out_tags(
    problems: Sequence[TypedProblem], folds: Sequence[Set[str]], tag: str
) -> dict[str, list[HeldOutGuess]]:
    """By each reading what a model fitted on the other folds says of every problem with the tag.

    A problem without equations that are understood is read by its text in either.
    """
    told = _labelled(problems, tag)
    found: dict[str, list[HeldOutGuess]] = {reading: [] for reading in READINGS}
    for fold in folds:
        rest = [problem for problem in told if problem.problem_id not in fold]
        held = [problem for problem in told if problem.problem_id in fold]
        if rest and held:
            known = _vocabulary(rest)
            model = TagModel(known, {tag: _fit(rest, known, tag)}, {})
            for reading, guesses in found.items():
                guesses += [HeldOutGuess(one, one.labels[tag], model.guess(tag, one.terms, reading)) for one in held]
    return found


def majority_hits(problems: Sequence[TypedProblem], folds: Sequence[Set[str]], tag: str) -> list[tuple[str, str]]:
    """The label of each problem with the tag, and the most frequent one of the other folds: the floor."""
    told, found = _labelled(problems, tag), []
    for fold in folds:
        counts = Counter(problem.labels[tag] for problem in told if problem.problem_id not in fold)
        most = min(counts, key=lambda label: (-counts[label], label), default="")
        found += [(problem.labels[tag], most) for problem in told if problem.problem_id in fold]
    return found


def _score_rows(problems: Sequence[TypedProblem], folds: Sequence[Set[str]], tag: str) -> list[ValidationRow]:
    floor = majority_hits(problems, folds, tag)
    rows = [ValidationRow(f"{tag}, floor: the most frequent", sum(a == b for a, b in floor), len(floor), len(floor))]
    for reading, guesses in held_out_tags(problems, folds, tag).items():
        hits = sum(one.told == one.guess.label for one in guesses)
        rows.append(ValidationRow(f"{tag}, from {reading}", hits, len(guesses), len(guesses)))
    return rows
