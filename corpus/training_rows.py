"""The default configuration of a version: of each whole row what a model is trained on, in the same order."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from corpus.errors import InputError
from corpus.record_tables import whole_column
from corpus.records import TrainingRow
from corpus.schema import arrow_schema
from corpus.tombstones import moment_of

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
