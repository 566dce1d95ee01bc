"""The tables of a version: where their files lie, and the record of a row of each.

Its problems lie twice in it, split by split, in files of the same rows: what a model is trained on, and everything.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, get_args

import pyarrow as pa
import pyarrow.compute as pc

from corpus.errors import InputError
from corpus.record_tables import whole_column
from corpus.records import Problem, Provenance, Record, SourceAnswer, SourcePost, SplitName, TrainingRow
from corpus.schema import arrow_schema
from corpus.tombstones import moment_of

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
