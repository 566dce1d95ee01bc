"""Threads in tables: parquet, and JSON Lines under other names, by a map from the fields of a post to columns.

A few bytes of parquet can say a text of megabytes a million times: texts stay dictionaries until the weight of every
row is known, and a row that is too heavy is never put together.
"""

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from corpus.errors import InputError
from corpus.folders.open_files import open_file
from corpus.lines.jsonl import fields_of, object_lines, parse_object
from corpus.reasons import Reason
from crawlers.archives.bounded_streams import FREE_BYTES, MAX_RATIO, RecordError
from crawlers.archives.containers import Lines, is_lines, opened
from crawlers.dumps.tally import Entry, Options, Tally, refused_for
from crawlers.posts import join_title
from crawlers.thread_records import DEFAULT_SOURCE, post_id_of, post_of

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
        return refused_for(tally, where, error, record_id)
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


MAX_ROW = 4 << 20
MAX_VALUES = 1 << 25
"""Of one column in one row group, nulls included."""
_ROWS = 500
_AT_ONCE = 16 << 20
_TEXT = ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")

_POINTER = 8
_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
_VIEWS = (pa.string_view(), pa.binary_view())

ColumnWeights = NDArray[np.int64]
ParquetRow = dict[str, Any]


def parquet_rows(path: Path) -> Iterator[tuple[str, ParquetRow | InputError]]:
    """Place and values of each row; RecordError in the place of one of more than MAX_ROW bytes.

    Raises InputError, after the rows before it, where the file is damaged, cut short, or unpacks without end.
    """
    number = 0
    try:
        for batch in _batches(path):
            for row in _rows(batch):
                number += 1
                yield f"{path}:{number}", row
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        what = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(f"{path}: damaged or cut short after row {number} ({what}); get the file again") from error


def _batches(path: Path) -> Iterator[pa.RecordBatch]:
    with open_file(path) as source, pq.ParquetFile(source, pre_buffer=False) as file:
        _check_sizes(file.metadata)
        columns = [file.schema.column(number) for number in range(len(file.schema))]
        texts = [column.path for column in columns if column.physical_type in _TEXT]
    how = {"page_checksum_verification": True, "pre_buffer": False, "read_dictionary": texts}
    with open_file(path) as source, pq.ParquetFile(source, **how) as file:
        yield from file.iter_batches(batch_size=_ROWS, use_threads=False)


def _check_sizes(metadata: pq.FileMetaData) -> None:
    """InputError for a file whose columns say that they are far larger than the file could hold."""
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            column = metadata.row_group(group).column(number)
            bomb = column.total_uncompressed_size > FREE_BYTES + MAX_RATIO * column.total_compressed_size
            if bomb or column.num_values > MAX_VALUES:
                raise InputError(
                    f"column {column.path_in_schema[:40]} of row group {group} holds {column.num_values} values in "
                    f"{column.total_uncompressed_size} bytes, unpacked from {column.total_compressed_size} (a bomb?)"
                )


def _rows(batch: pa.RecordBatch) -> Iterator[ParquetRow | InputError]:
    """The rows of a batch, so many of them put together at once as weigh no more than _AT_ONCE."""
    weights = sum((weights_of(column) for column in batch.columns), np.zeros(len(batch), np.int64))
    start = 0
    while start < len(batch):
        if weights[start] > MAX_ROW:
            yield RecordError(f"row of {weights[start]} bytes; at most {MAX_ROW} are read", Reason.TOO_LARGE)
            start += 1
            continue
        fits = np.cumsum(weights[start:]) <= _AT_ONCE
        light = weights[start:] <= MAX_ROW
        size = max(1, int(np.argmin(fits & light)) if not (fits & light).all() else len(batch) - start)
        for row in batch.slice(start, size).to_pylist():
            yield {name: plain(value) for name, value in row.items()}
        start += size


def weights_of(column: pa.Array) -> ColumnWeights:
    """About how many bytes each row of a column takes as plain data.

    >>> weights_of(pa.array([["ab", "c"], [], None])).tolist()
    [19, 0, 0]
    """
    if pa.types.is_dictionary(column.type):
        lengths = weights_of(column.dictionary)
        indices = pc.fill_null(column.indices, -1).to_numpy(zero_copy_only=False)
        return np.where(indices < 0, 0, np.append(lengths, 0)[indices])
    if pa.types.is_struct(column.type):
        return sum((weights_of(field) for field in column.flatten()), np.zeros(len(column), np.int64))
    if isinstance(column, pa.ExtensionArray):
        return weights_of(column.storage)
    if pa.types.is_fixed_size_list(column.type):
        size, inner = column.type.list_size, weights_of(column.values) + _POINTER
        rows = inner.reshape(-1, size).sum(axis=1) if size else np.zeros(len(column) + column.offset, np.int64)
        return np.asarray(rows[column.offset : column.offset + len(column)], np.int64)
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type) or pa.types.is_map(column.type):
        sums = np.append(0, np.cumsum(weights_of(column.values) + _POINTER))
        offsets = column.offsets.to_numpy()
        return np.asarray(sums[offsets[1:]] - sums[offsets[:-1]], np.int64)
    if any(is_text(column.type) for is_text in _TEXTS):
        lengths = pc.fill_null(pc.binary_length(column), 0)
        return np.asarray(lengths.to_numpy(zero_copy_only=False), np.int64)
    if pa.types.is_nested(column.type) or column.type in _VIEWS:
        raise InputError(f"columns of {str(column.type)[:80]} are not read; write them as texts or lists of texts")
    return np.full(len(column), _POINTER, np.int64)


def plain(value: Any) -> Any:
    """A value as JSON would have it: times in ISO 8601, bytes as the text they are, no number as null.

    pandas writes a missing number as NaN, others write texts without saying that they are texts.

    >>> plain([{"score": float("nan")}, {"score": 1.0}])
    [{'score': None}, {'score': 1.0}]
    """
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return _text_of(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return None if isinstance(value, float) and math.isnan(value) else value


def _text_of(value: bytes) -> str | bytes:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value
