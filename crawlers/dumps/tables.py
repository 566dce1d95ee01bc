"""Threads in tables: parquet, and JSON Lines under other names, by a map from the fields of a post to columns."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from corpus.errors import InputError
from corpus.jsonl import fields_of, object_lines, parse_object
from corpus.open_files import open_file
from crawlers.containers import Lines, is_lines, opened
from crawlers.dumps.parquet import parquet_rows
from crawlers.dumps.tally import Entry, Options, Tally, refused
from crawlers.line_rows import RejectedLine
from crawlers.posts import join_title
from crawlers.thread_records import DEFAULT_SOURCE, RecordError, post_id_of, post_of

FIELDS = ("id", "post_id", "question", "question_html", "answers", "url", "source", "license", "attribution",
          "retrieved_at", "tags", "response_sha256", "parser")  # fmt: skip
ANSWER_FIELDS = ("text", "answer_id", "is_best", "score", "license", "attribution")
_PARQUET = b"PAR1"

Columns = tuple[tuple[str, str], ...]


def parse_columns(text: str) -> Columns:
    """The map in ``question=title+body,answers=replies,answers.text=body``; InputError says what is wrong with it.

    >>> parse_columns("question=title+body, answers.text=reply")
    (('question', 'title+body'), ('answers.text', 'reply'))
    """
    pairs = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, column = (piece.strip() for piece in part.partition("="))
        known = name in FIELDS or (name.startswith("answers.") and name.removeprefix("answers.") in ANSWER_FIELDS)
        if not known or not column:
            raise InputError(
                f"--columns: {part[:60]!r} is not field=column; fields are {', '.join(FIELDS)} and "
                f"{', '.join('answers.' + field for field in ANSWER_FIELDS)}"
            )
        pairs.append((name, column))
    return tuple(pairs)


def mapped(record: Mapping[str, Any], columns: Columns) -> dict[str, Any]:
    """A record under the names of a post; fields that the map does not name keep their own.

    ``question=title+body`` joins two columns. Answers may be objects, texts, one text, or an object of lists.

    >>> row = {"title": "How old is Ann?", "body": "She is 9.", "replies": ["9", "nine"]}
    >>> mapped(row, parse_columns("question=title+body,answers=replies"))["answers"]
    [{'text': '9'}, {'text': 'nine'}]
    """
    renamed = dict(columns)
    values = dict(record)
    for name in FIELDS:
        if name in renamed:
            values[name] = _value(record, renamed[name])
    if "answers" in values:
        values["answers"] = _answers(
            values["answers"], {name: renamed.get(f"answers.{name}", name) for name in ANSWER_FIELDS}
        )
    return values


def _value(record: Mapping[str, Any], column: str) -> Any:
    names = column.split("+")
    for name in names:
        if name not in record:
            raise RecordError(f"no column {name[:40]!r}; {fields_of(record)}")
    if len(names) == 1:
        return record[names[0]]
    texts = [record[name] for name in names]
    if not all(text is None or isinstance(text, str) for text in texts):
        raise RecordError(f"columns {column[:80]} cannot be joined: they are not texts")
    joined = texts[0] or ""
    for text in texts[1:]:
        joined = join_title(joined, text or "")
    return joined


def _answers(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return [{"text": value}]
    if isinstance(value, dict):  # an object of lists, as tables of nested data often have it
        lists = {name: value[column] for name, column in names.items() if isinstance(value.get(column), list)}
        if len({len(items) for items in lists.values()}) != 1:
            raise RecordError("the lists of its answers differ in length")
        return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    if not isinstance(value, list):
        return value
    return [_answer(row, names) for row in value]


def _answer(row: Any, names: Mapping[str, str]) -> Any:
    if isinstance(row, str):
        return {"text": row}
    return {name: row[column] for name, column in names.items() if column in row} if isinstance(row, dict) else row


def read_table(path: Path, options: Options, tally: Tally) -> Iterator[Entry]:
    """The posts of a parquet file, or of JSON Lines, plain or packed, in file order; a record is a row or a line.

    Raises InputError, after everything before it, where the file is damaged or cut short.
    """
    is_parquet = _is_parquet(path)
    for where, row in parquet_rows(path) if is_parquet else _lines(path):
        if is_parquet and not tally.read and isinstance(row, dict):
            _check_columns(path, row, dict(options.columns))
        tally.read += 1
        yield _entry(where, row, options, tally)
    tally.check(str(path))


def _check_columns(path: Path, row: Mapping[str, Any], renamed: Mapping[str, str]) -> None:
    """InputError where a table has not the columns that are named, or none for what every post needs.

    Every row of a table has the same columns: what the first lacks, all lack.
    """
    named = [column for name in FIELDS if name in renamed for column in renamed[name].split("+")]
    if lacking := [column for column in named if column not in row]:
        raise InputError(f"{path}: no column {lacking[0][:40]!r}; {fields_of(row)}; correct --columns")
    for field in (("id", "post_id"), ("question",), ("answers",)):
        if not any(name in renamed or name in row for name in field):
            raise InputError(
                f"{path}: no column {field[0]!r}; {fields_of(row)}; map one with --columns {field[0]}=COLUMN"
            )
    answers = row.get(renamed.get("answers", "answers"))
    first = answers[0] if isinstance(answers, list) and answers else answers
    inner = [renamed.get("answers.text", "text")] + [renamed[name] for name in renamed if name.startswith("answers.")]
    lacking = [column for column in inner if isinstance(first, dict) and column not in first]
    if lacking and isinstance(first, dict):
        raise InputError(
            f"{path}: no column {lacking[0][:40]!r} in the answers; {fields_of(first)}; map them with "
            "--columns answers.text=COLUMN"
        )


def _entry(where: str, row: dict[str, Any] | InputError, options: Options, tally: Tally) -> Entry:
    record_id = None
    try:
        if isinstance(row, InputError):
            raise row
        record = mapped(row, options.columns)
        record_id = post_id_of(record, options.source or DEFAULT_SOURCE)
        post, removed = post_of(record, record_id)
    except InputError as error:
        message = str(error) if str(error).startswith(where) else f"{where}: {error}"
        reason = error.reason if isinstance(error, RecordError) else RecordError("").reason
        return refused(tally, RejectedLine(where, reason, message, record_id))
    tally.used += 1
    tally.removed += removed
    return post if post.retrieved_at else post.model_copy(update={"retrieved_at": options.retrieved_at})


def _is_parquet(path: Path) -> bool:
    try:
        with open_file(path) as file:
            return file.read(4) == _PARQUET
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; check the path") from error


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any] | InputError]]:
    with opened(path, is_lines) as streams:
        for name, stream in streams:
            for where, line in object_lines(Lines(stream), name):  # type: ignore[arg-type]
                if line.startswith(_PARQUET):
                    raise InputError(f"{name}: a parquet file that is packed once more; unpack it first")
                try:
                    yield where, parse_object(line, where)
                except InputError as error:
                    yield where, error
