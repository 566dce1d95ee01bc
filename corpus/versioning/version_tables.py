"""The tables of a version: where their files lie, and the record of a row of each.

Its problems lie twice in it, split by split, in files of the same rows: what a model is trained on, and everything.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, get_args

import pyarrow as pa
import pyarrow.compute as pc

from corpus.errors import InputError
from corpus.post_store.tombstones import moment_of
from corpus.record_tables import whole_column
from corpus.records import Problem, Provenance, Record, SourceAnswer, SourcePost, SplitName, TrainingRow
from corpus.schema import arrow_schema

DATA, FULL = "data", "full"
PROBLEMS: Final[dict[str, type[Record]]] = {DATA: TrainingRow, FULL: Problem}
"""The folders of the default configuration and of the one that is called ``full``."""

PROVENANCE, POSTS, ANSWERS = "provenance.parquet", "posts.parquet", "answers.parquet"
BESIDE: Final[dict[str, type[Record]]] = {POSTS: SourcePost, ANSWERS: SourceAnswer, PROVENANCE: Provenance}
"""Questions as posted, the answers that problems rest on, and where both come from."""


def in_problems(path: str) -> bool:
    """Whether a file of a version is one of the tables of its problems."""
    return path.partition("/")[0] in PROBLEMS and "/" in path


def splits_of(files: Iterable[str]) -> list[str]:
    """The splits that data files hold, the one for training first.

    >>> splits_of(["data/test-00000-of-00001.parquet", "data/train-00000-of-00001.parquet", "posts.parquet"])
    ['train', 'test']
    """
    found = {path.partition("/")[2].partition("-")[0] for path in files if in_problems(path)}
    return sorted(found, key=get_args(SplitName).index)


def config_name(path: str) -> str:
    """The name by which a table is loaded: ``datasets.load_dataset(folder, "posts")``.

    >>> config_name("posts.parquet")
    'posts'
    """
    return path.partition(".")[0]


ANSWER: Final = "Answer: "
"""What the last line of an assistant's message begins with."""
_AS_THEY_ARE: Final = ("question", "answer", "answer_values", "solution", "topic", "url", "license", "confidence")


def training_table(problems: pa.Table) -> pa.Table:
    """The rows of TrainingRow of problems.

    The assistant's message closes with the answer, on a line of its own, where a grader finds it.
    """
    columns: dict[str, Any] = {name: whole_column(problems, name) for name in _AS_THEY_ARE}
    columns["id"] = whole_column(problems, "problem_id")
    columns["equations"] = [equations or [] for equations in problems["equations"].to_pylist()]
    columns["source"] = [post_id.partition(":")[0] for post_id in problems["post_id"].to_pylist()]
    columns["posted_at"] = [_moment(text) for text in problems["posted_at"].to_pylist()]
    told = (columns[name].to_pylist() for name in ("question", "solution", "answer"))
    columns["messages"] = [chat(*row) for row in zip(*told, strict=True)]
    schema = arrow_schema(TrainingRow)
    return pa.table([_as(columns[field.name], field.type) for field in schema], schema=schema)


def chat(question: str, solution: str | None, answer: str) -> list[dict[str, str]]:
    """A problem as a chat.

    >>> chat("What is 3 + 4?", "3 + 4 = 7", "7")[1]
    {'role': 'assistant', 'content': '3 + 4 = 7\\n\\nAnswer: 7'}
    """
    reply = f"{solution}\n\n{ANSWER}{answer}" if solution else f"{ANSWER}{answer}"
    return [{"role": "user", "content": question}, {"role": "assistant", "content": reply}]


def _moment(text: str | None) -> datetime | None:
    """When a question was posted; None for a text that is no time, as stores of earlier versions may hold."""
    try:
        return moment_of("", text) if text else None
    except InputError:
        return None


def _as(column: pa.Array | Sequence[Any], kind: pa.DataType) -> pa.Array:
    return pc.cast(column, kind) if isinstance(column, pa.Array) else pa.array(column, kind)


_TERMS: Final = {
    "problem_id": "the problem, the same in every version",
    "post_id": "the question thread, as source:id",
    "url": "where the thread stands",
    "license": "the terms of the text",
    "attribution": "whom to name",
}

_SHARED: Final = {
    "question": "the problem's text, cleaned",
    "answer": "the answer as one would write it, with the unit that is asked for where that is sure",
    "answer_values": "its values as doubles, in the order asked; null where one is too large for that",
    "solution": "the answer text it came from, cleaned: the accepted one, or the one with most votes",
    "topic": "the site's first tag, else the type that a tag model names, or null",
    "confidence": "probability that problem, answer and equation system are right, 0 to 1",
}

MEANINGS: Final[Mapping[type[Record], Mapping[str, str]]] = {
    TrainingRow: {
        "id": _TERMS["problem_id"],
        **_SHARED,
        "equations": "the equation system, an equation each; empty where there is none",
        "messages": "question and solution as a chat, which closes with a line Answer: and the answer",
        "source": "the site",
        "posted_at": "when the question was posted, or null where the source does not tell",
        **{name: _TERMS[name] for name in ("url", "license")},
    },
    Problem: {
        **_TERMS,
        **_SHARED,
        "title": "the headline of the thread by itself, or null",
        "posted_at": "when the question was posted, UTC, or null where the source does not tell",
        "question_type": "open, or multiple_choice, yes_or_no, proof, several_parts, needs_figure, answer_in_question",
        "cleaning_steps": "what was taken out of the posted question, as edits in order",
        "numbers": "textual numbers: exact value, characters in the question, kind, unit",
        "answer_exact": "the same values exactly, as rationals or decimals in strings",
        "answer_dim": "how many values the answer has",
        "answer_confidence": "calibrated probability that the answer alone is right, 0 to 1",
        "answer_spans": "where answers state the values",
        "equations": "the equation system, or null",
        "unknowns": "the unknowns of the system",
        "asked": "for each value of the answer an expression over the unknowns, or null",
        "solutions": "all solutions of the system, exactly, a value for each of unknowns",
        "solution_values": "the same as doubles; null where one is too large for that",
        "votes": "the answers whose systems have these solutions",
        "n_votes": "how many these are",
        "equation_spans": "where the voters wrote their equations",
        "agreement": "whether answer and solutions agree: confirmed, different or undecided",
        "template": "the system with slots in place of the question's numbers, or null",
        "template_id": "equal for equivalent templates",
        "alignment": "each slot and the number of the question it stands for",
        "equivalent_numbers": "numbers of the question that restate one quantity, as indexes into numbers",
        "ambiguous": "whether a person has to decide what a slot stands for",
        "linear": "whether every equation is linear",
        "lexicon_diversity": "how far the wording is from what was accepted before, 0 to 1",
        "nearest_id": "the accepted post with the nearest wording",
        "variant_of": "the benchmark problem with the same words and other numbers or names, or null",
        "problem_type": "the type as the corpus of the tag model names it, or null without such a model",
        "problem_type_probability": "probability of that type, 0 to 1",
        "grade": "the school grade, or null without a tag model",
        "grade_probability": "probability of that grade, 0 to 1",
        "difficulty_unknowns": "unknowns that the equations still have when earlier results are put in",
        "difficulty_steps": "operations of these equations; a sum or product of several numbers is one",
        "split": "train, validation or test; development or evaluation in the other scheme",
    },
    SourcePost: {**_TERMS, "question": "the question as it was posted"},
    SourceAnswer: {
        **_TERMS,
        "answer_id": "the answer within its thread, as votes and spans name it",
        "text": "the whole answer",
        "is_best": "whether the asker or the site accepted it",
        "score": "its votes at the site, or null",
    },
    Provenance: {
        **_TERMS,
        "answer_id": "the answer within its thread; null for the question",
        "retrieved_at": "when it was fetched, UTC",
        "response_sha256": "digest of the response or file it was read from",
        "parser": "what read it, as name@digest of its code",
    },
}
