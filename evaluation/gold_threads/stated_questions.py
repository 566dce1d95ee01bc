"""What questions state, as the witness reads it, against the gold answers of every corpus with question texts."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from corpus.benchmarks.reading import read_corpus
from evaluation.gold_threads.gold_posts import AnsweredThread, threads_of_file
from evaluation.gold_threads.prose import aqua_threads
from evaluation.metrics.proportions import Proportion
from evaluation.metrics.reading_report import Failure, ReadingReport, Share
from evaluation.metrics.value_matching import RULE, contains, read_values
from extractors.answers.parsing import Alternatives
from extractors.equations.given import Given
from extractors.extraction_errors import ExtractionError
from extractors.questions.stated import Stated

CORPORA: Final = {
    "DRAW": "draw:draw/draw.json",
    "Alg-514": "alg514:alg514/kushman.json",
    "ASDiv": "asdiv:asdiv/ASDiv.xml",
    "MathQA": "mathqa:mathqa/mathqa_dev_first2000.jsonl",
}
SUSPECTED: Final = {
    "draw:397688": "2,000 and 8,000 at 6 and 8 % give 760; the gold is negative",
    "draw:394552": "36 in two numbers 2 apart are 17 and 19, not 12 and 24",
    "draw:241901": "82 and 28: 28 is 13 less than 41; the gold are no digits",
    "draw:347492": "12 is 5 more than half of 14; the gold are no integers",
    "alg514:1532": "36 less twice the number is 36 - 2x; the gold is of 2x - 36",
    "asdiv:nluds-1333": "the numerator is the smaller: 2/5, not 5/2",
    "asdiv:nluds-1458": "40 less than 55 is 15; the gold adds 4 to 44",
    "mathqa:mathqa-dev-0201": "half of 140 less 60 is 10; the keyed 120 gives 0",
    "mathqa:mathqa-dev-0553": "200/7 pounds at $5 in 100 at $2.50; 45 cost more",
    "mathqa:mathqa-dev-0580": "25 * 27 = 675; keyed is the product",
    "mathqa:mathqa-dev-1350": "25 - k^2 = 17 has no whole solution: the text is damaged",
    "mathqa:mathqa-dev-1872": "245/3 liters; the keyed 136 gives 36 %",
}
"""Questions that were read by hand where reading and gold differ: why the gold, or the text, is in doubt."""


class _Asked(NamedTuple):
    """A question with the answers that would do."""

    id: str
    question: str
    gold: Alternatives


def questions(shared: Path, written: Path) -> ReadingReport:
    """For every source how many questions are read, and how many readings hold the gold answer."""
    shares, failures = list[Share](), list[Failure]()
    for name, asked in _sources(shared, written):
        read = [(one, stated) for one in asked if (stated := Given(one.question).stated) is not None]
        wrong = [(one, stated) for one, stated in read if not _holds(stated, one.gold)]
        shares.append(Share(f"read, {name}", Proportion(len(read), len(asked))))
        shares.append(Share(f"gold within the solutions, {name}", Proportion(len(read) - len(wrong), len(read))))
        failures += [Failure(one.id, stated.reader, "; ".join(stated.equations)) for one, stated in wrong]
    return ReadingReport(
        "What questions state",
        f"A question is read where every number and every word that says as much stands in a statement, and the "
        f"statements determine all unknowns; it is right if the gold answer lies within one solution. {RULE}",
        tuple(shares),
        tuple(failure for failure in failures if failure.id not in SUSPECTED),
        tuple(Failure(failure.id, SUSPECTED[failure.id]) for failure in failures if failure.id in SUSPECTED),
    )


def _sources(shared: Path, written: Path) -> Iterator[tuple[str, list[_Asked]]]:
    yield "own threads", _of_threads(threads_of_file(written))
    yield "real posts", _of_threads(threads_of_file(shared / "realposts" / "posts.jsonl"))
    for name, spec in CORPORA.items():
        kind, path = spec.split(":")
        problems = read_corpus(f"{name}={kind}:{shared / path}").problems
        yield name, list(_of_problems((p.problem_id, p.question, p.gold) for p in problems))
    yield "GSM8K", _of_threads(threads_of_file(shared / "gsm8k" / "threads.jsonl"))
    yield "AQuA", _of_threads(aqua_threads(shared))


def _of_threads(threads: Iterable[AnsweredThread]) -> list[_Asked]:
    return [_Asked(thread.id, thread.question, thread.gold) for thread in threads if thread.question]


def _of_problems(problems: Iterable[tuple[str, str, Sequence[Sequence[str]]]]) -> Iterator[_Asked]:
    """The problems whose gold answer is read as values."""
    for id_, question, gold in problems:
        try:
            values = tuple(read_values(row) for row in gold)
        except ExtractionError:
            continue
        if values:
            yield _Asked(id_, question, values)


def _holds(stated: Stated, gold: Alternatives) -> bool:
    """Whether a gold answer lies within one solution, or lists the roots of the only unknown."""
    rows = [*stated.rows]
    if len(stated.unknowns) == 1:
        rows.append(tuple(value for row in stated.rows for value in row))
    return any(contains(row, wanted) for row in rows for wanted in gold)
