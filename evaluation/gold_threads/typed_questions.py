"""What type a question is of, as ``extractors.questions.question_types`` reads it, against labels by hand."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from corpus.benchmarks.reading import read_corpus
from evaluation.gold_threads.stated_questions import CORPORA
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share, read_lines
from extractors.questions.question_types import QuestionType, types_of
from extractors.text.cleaning import clean_question

JUDGED: Final = Path(__file__).parent / "judged" / "question_types.jsonl"
"""Of the real posts the types of every question that is not open; of the corpora those of what was flagged."""
AQUA: Final = "aqua/aqua_dev"
RULE: Final = (
    "One person labelled the questions of the real posts with every type that holds, and looked at what is flagged in "
    "the corpora. The rules were written before the posts were read, and changed after that; by the rules as they "
    "were first, {first}. A flagged question of a corpus that was not judged to be of the type counts as wrong."
)
FIRST: Final = (
    "12 of 13 proofs, 14 of 21 questions of several parts, 4 of 4 multiple choices, none of 4 questions of yes or no, "
    "and 6 of 7 answers in the question were right"
)


class _Read(NamedTuple):
    """A question with the types that were read, each with the characters that show it, and those that hold."""

    id: str
    read: dict[QuestionType, str]
    held: frozenset[str]

    @property
    def wrong(self) -> dict[QuestionType, str]:
        """The types that were read and do not hold."""
        return {kind: shown for kind, shown in self.read.items() if kind not in self.held}


def question_types(shared: Path) -> ReadingReport:
    """For every type how many of those read are right and how many are found, and what is flagged in corpora."""
    judged = {str(row["id"]): frozenset(map(str, row["types"])) for row in read_lines(JUDGED)}
    real = [_read(row["id"], row["question"], judged) for row in _records(shared, "realposts/posts") if row["question"]]
    corpora = {name: [_read(*one, judged) for one in questions] for name, questions in _corpora(shared)}
    chosen = {row["id"]: frozenset((QuestionType.MULTIPLE_CHOICE,)) for row in _records(shared, AQUA)}
    offered = [
        _read(row["id"], "\n".join([row["question"], *row["options"]]), chosen) for row in _records(shared, AQUA)
    ]
    shares = [
        *_right("real posts", real),
        *_found("real posts", real),
        *_right("corpora", [one for read in corpora.values() for one in read]),
        *(Share(f"flagged in error, {name}", _flagged(read)) for name, read in corpora.items()),
        *_found("AQuA with its options", offered),
    ]
    failures = [
        Failure(one.id, f"read as {kind}", shown)
        for one in (*real, *(one for read in corpora.values() for one in read), *offered)
        for kind, shown in one.wrong.items()
    ]
    return ReadingReport("Types of questions", RULE.format(first=FIRST), tuple(shares), tuple(failures))


def _records(shared: Path, name: str) -> list[Any]:
    return read_lines(shared / f"{name}.jsonl")


def _corpora(shared: Path) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Published problems, nearly all of them open, as id and question."""
    for name, spec in CORPORA.items():
        kind, path = spec.split(":")
        problems = read_corpus(f"{name}={kind}:{shared / path}").problems
        yield name, [(problem.problem_id, problem.question) for problem in problems]
    for name, file in (("GSM8K", "gsm8k/threads"), ("AQuA", AQUA)):
        yield name, [(row["id"], row["question"]) for row in _records(shared, file)]


def _read(id_: str, question: str, held: Mapping[str, frozenset[str]]) -> _Read:
    read = dict[QuestionType, str]()
    for typed in types_of(clean_question(question).text):
        read.setdefault(typed.type, typed.evidence or "")
    return _Read(id_, read, held.get(id_, frozenset()))


def _right(where: str, questions: Sequence[_Read]) -> Iterator[Share]:
    for kind in QuestionType:
        if said := [one for one in questions if kind in one.read]:
            yield Share(f"right, {kind}, {where}", Proportion(sum(kind in one.held for one in said), len(said)))


def _found(where: str, questions: Sequence[_Read]) -> Iterator[Share]:
    for kind in QuestionType:
        if of := [one for one in questions if kind in one.held]:
            yield Share(f"found, {kind}, {where}", Proportion(sum(kind in one.read for one in of), len(of)))


def _flagged(questions: Sequence[_Read]) -> Proportion:
    return Proportion(sum(bool(one.wrong) for one in questions), len(questions))
