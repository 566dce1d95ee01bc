"""Does every span of a version lead to the characters that it names, inside the version itself.

The posted question of a problem must become its question by its cleaning steps, numbers and alignment must stand in the
question, and votes and spans must name an answer of ``answers.parquet`` and the characters there.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from corpus.files import Folder
from corpus.schema import read_table
from corpus.training_rows import training_table
from corpus.version_tables import ANSWERS, DATA, FULL, POSTS
from extractors.extraction_errors import ExtractionError
from extractors.text.edits import Edit, apply_edits

_SPANS = ("answer_spans", "equation_spans")
_COLUMNS = ("problem_id", "question", "cleaning_steps", "numbers", "alignment", "votes", *_SPANS)

PlainProblem = Mapping[str, Any]


def lost_spans(place: Folder, files: Mapping[str, Any]) -> Iterator[str]:
    """What leads nowhere in a version, one line each; nothing if all is well.

    ``files`` are those of its manifest, which were checked against it before. Rows of the default configuration have to
    be what the whole rows say.
    """
    posts = dict(zip(*_columns(place, POSTS, "problem_id", "question"), strict=True))
    names = zip(*_columns(place, ANSWERS, "problem_id", "answer_id"), strict=True)
    answers = dict(zip(names, *_columns(place, ANSWERS, "text"), strict=True))
    for path in sorted(path for path in files if path.startswith(f"{FULL}/")):
        whole = read_table(place.read(path))
        for row in whole.select(_COLUMNS).to_pylist():
            for lost in _lost(row, posts, answers):
                yield f"problem {row['problem_id']}: {lost}"
        small = path.replace(FULL, DATA, 1)
        if small not in files or not read_table(place.read(small)).equals(training_table(whole)):
            yield f"{small} does not hold what {path} says"


def _columns(place: Folder, path: str, *names: str) -> list[list[Any]]:
    table = read_table(place.read(path), names)
    return [table[name].to_pylist() for name in names]


def _lost(row: PlainProblem, posts: Mapping[str, str], answers: Mapping[tuple[str, str], str]) -> Iterator[str]:
    problem = row["problem_id"]
    if problem not in posts:
        yield f"{POSTS} has no question of it"
    elif _replayed(posts[problem], row["cleaning_steps"]) != row["question"]:
        yield f"its cleaning steps do not make its question of the one in {POSTS}"
    yield from _lost_numbers(row)
    for answer_id in row["votes"]:
        if (problem, answer_id) not in answers:
            yield f"{ANSWERS} has no answer {answer_id}, which voted"
    for span in (span for name in _SPANS for span in row[name]):
        if not _stands(span, answers.get((problem, span["answer_id"]), "")):
            yield f"{span['raw']!r} does not stand at {_place(span)} of answer {span['answer_id']} in {ANSWERS}"


def _lost_numbers(row: PlainProblem) -> Iterator[str]:
    """Numbers and slots that do not stand in the question."""
    for number in row["numbers"]:
        if not _stands(number, row["question"]):
            yield f"number {number['raw']!r} does not stand at {_place(number)} of its question"
    numbers = {(number["start"], number["end"]) for number in row["numbers"]}
    for one in row["alignment"]:
        if (one["start"], one["end"]) not in numbers:
            yield f"slot {one['slot']} is aligned to {_place(one)} of its question, where no number stands"


def _replayed(text: str, steps: Sequence[PlainProblem]) -> str | None:
    """The text after its cleaning steps; None where one does not fit."""
    with contextlib.suppress(ExtractionError):
        for step in steps:
            text = apply_edits(text, [Edit(edit["start"], edit["end"], edit["replacement"]) for edit in step["edits"]])
        return text
    return None


def _stands(span: PlainProblem, text: str) -> bool:
    start, end, raw = span["start"], span["end"], str(span["raw"])
    return 0 <= start < end and text[start:end] == raw


def _place(span: PlainProblem) -> str:
    return f"{span['start']} to {span['end']}"
