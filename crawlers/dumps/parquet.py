"""Rows of a parquet file as plain data, within bounds: a few bytes can say a text of megabytes a million times.

Texts stay dictionaries until the weight of every row is known; a row that is too heavy is never put together.
"""

import math
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from corpus.errors import InputError
from corpus.open_files import open_file
from corpus.reasons import Reason
from crawlers.bounded_streams import FREE_BYTES, MAX_RATIO
from crawlers.thread_records import RecordError

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
