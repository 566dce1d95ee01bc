"""Tables of records without the records: rows as plain data, chosen rows, and digests, column by column.

What is done here with Arrow gives the same rows, and the same parquet bytes, as the same records would.
"""

import functools
import shutil
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpus.canonical import canonical_json, sha256_text
from corpus.records import Record

POST_ID = "post_id"
RowPlaces = np.ndarray[tuple[int], np.dtype[np.int64]]


def plain_rows(table: pa.Table, record: type[Record]) -> list[dict[str, Any]]:
    """The rows of a table of records as ``model_dump`` gives them, but for lists where records hold tuples."""
    rows = table.select(list(record.model_fields)).to_pylist()
    for row in rows:
        _leave_unsaid(row, record)
    return list(rows)


def _leave_unsaid(row: dict[str, Any], record: type[Record]) -> None:
    """Take out of a row, and of the records it holds, the fields that are written only where they hold something."""
    own, within = _if_said(record)
    for name in own:
        if row[name] is None:
            del row[name]
    for name, kind in within:
        held = row[name]
        for one in held if isinstance(held, list) else [held] if held is not None else []:
            _leave_unsaid(one, kind)


@functools.cache
def _if_said(record: type[Record]) -> tuple[list[str], list[tuple[str, type[Record]]]]:
    """The fields of a record that are written only where they hold something, and those that hold such records."""
    own = [name for name, field in record.model_fields.items() if field.exclude_if is not None]
    held = [(name, kind) for name, field in record.model_fields.items() for kind in _records_in(field.annotation)]
    return own, [(name, kind) for name, kind in held if any(_if_said(kind))]


def _records_in(annotation: Any) -> list[type[Record]]:
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return [annotation]
    return [kind for part in typing.get_args(annotation) for kind in _records_in(part)]


def whole_column(table: pa.Table, name: str) -> pa.Array:
    """A column as one array."""
    found = table[name].combine_chunks()
    return pa.concat_arrays(found.chunks) if isinstance(found, pa.ChunkedArray) else found


def digest_sum(rows: Iterable[dict[str, Any]]) -> int:
    """The sum of the digests of rows of plain data, as ``set_digest`` takes it."""
    return sum(int(sha256_text(canonical_json(row)), 16) for row in rows)


def as_digest(number: int) -> str:
    """A sum of digests as ``set_digest`` writes it."""
    return f"{number % 2**256:064x}"


def ids_of(table: pa.Table) -> list[str]:
    """The post ids of a table, in its order."""
    return list(table[POST_ID].to_numpy().tolist()) if len(table) else []


def strings(values: Iterable[str]) -> pa.StringArray:
    """Texts as a column; ``pa.array`` would load pandas for it, which takes a fifth of a second."""
    texts = [value.encode("utf-8", "surrogatepass") for value in values]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(b"".join(texts)))


def rows_of(table: pa.Table, wanted: Collection[str]) -> pa.Table:
    """The rows of posts that are wanted."""
    if not len(table):
        return table
    return table.filter(pc.is_in(table[POST_ID], value_set=strings(wanted)))


def rows_without(table: pa.Table, gone: Collection[str]) -> pa.Table:
    """The rows of other posts than those."""
    return table.filter(pc.invert(pc.is_in(table[POST_ID], value_set=strings(gone)))) if gone else table


def by_id(tables: Sequence[pa.Table]) -> pa.Table:
    """The rows of several tables of one schema, in the order of their post ids."""
    whole = pa.concat_tables(tables).combine_chunks()
    ids = whole[POST_ID]
    in_order = pc.all(pc.less_equal(ids[:-1], ids[1:])).as_py()
    return whole if in_order else whole.take(pc.sort_indices(ids))


def by_number(table: pa.Table, numbers: RowPlaces) -> Iterator[tuple[int, pa.Table]]:
    """The rows of each number there is, as they came; the table should be small, since columns of chunks are joined."""
    order = np.argsort(numbers, kind="stable")
    found, starts = np.unique(numbers[order], return_index=True)
    table = table.take(pa.array(order))
    for number, (start, end) in zip(found.tolist(), pairwise([*starts.tolist(), len(table)]), strict=True):
        yield number, table.slice(start, end - start)


class SpreadRows:
    """A context: tables of one schema are given to ``add``, then the rows of each number are asked for."""

    def __init__(self, beside: Callable[[], Path]) -> None:
        """``beside`` makes the folder in which the rows wait."""
        self._folder = beside()
        self._writers: dict[int, pa.RecordBatchWriter] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._writers.clear()  # which closes their files
        shutil.rmtree(self._folder, ignore_errors=True)

    def add(self, table: pa.Table, numbers: RowPlaces) -> None:
        """Put each row to those of its number, behind those that are there."""
        for number, rows in by_number(table, numbers):
            if number not in self._writers:
                self._writers[number] = pa.ipc.new_stream(str(self._path(number)), table.schema)
            self._writers[number].write_table(rows)

    def rows(self, number: int) -> pa.Table | None:
        """The rows of a number, which may be asked for once; None where it has none. No more can be added."""
        while self._writers:
            self._writers.popitem()[1].close()
        path = self._path(number)
        if not path.exists():
            return None
        with pa.OSFile(str(path)) as file:
            table = pa.ipc.open_stream(file).read_all()
        path.unlink()
        return table

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:08d}"
