"""Explicit arrow schemas, one per record, and parquet bytes that depend on the rows alone."""

import functools
import types
import typing
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from corpus.errors import DamageError, StoreError
from corpus.record_tables import rows_of
from corpus.records import Record

RecordT = TypeVar("RecordT", bound=Record)
ROW_GROUP = 100_000

_PLAIN: dict[object, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    datetime: pa.timestamp("us", "UTC"),
}


def arrow_type(annotation: Any) -> pa.DataType:
    """The arrow type of one record field; TypeError for an annotation that has none."""
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    origin = typing.get_origin(annotation)
    arguments = typing.get_args(annotation)
    if origin is typing.Literal or (isinstance(annotation, type) and issubclass(annotation, StrEnum)):
        return pa.string()
    if origin in (typing.Union, types.UnionType):
        return arrow_type(next(part for part in arguments if part is not type(None)))
    if origin is tuple:
        return pa.list_(arrow_type(arguments[0]))
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return pa.struct(list(arrow_schema(annotation)))
    raise TypeError(f"no arrow type for {annotation!r}")


@functools.cache
def arrow_schema(record: type[Record]) -> pa.Schema:
    """The arrow schema of a record: its fields in their order; a field is nullable if it may be None."""
    fields = []
    for name, field in record.model_fields.items():
        nullable = type(None) in typing.get_args(field.annotation)
        fields.append(pa.field(name, arrow_type(field.annotation), nullable=nullable))
    return pa.schema(fields)


def is_schema_of(schema: pa.Schema, record: type[Record]) -> bool:
    """Whether a schema is that of a record, as it is now or before fields were added, in it or in records it holds."""
    return _fits(tuple(schema), record)


def _fits(fields: Sequence[pa.Field], record: type[Record]) -> bool:
    there = {field.name: field for field in fields}
    wanted = {one.name: one for one in arrow_schema(record)}
    lacking = [name for name in wanted if name not in there]
    return (
        [field.name for field in fields] == [name for name in wanted if name in there]
        and all(record.model_fields[name].exclude_if for name in lacking)
        and all(
            field.nullable == wanted[name].nullable
            and (field.type == wanted[name].type or _held(field.type, record.model_fields[name].annotation))
            for name, field in there.items()
        )
    )


def _held(found: pa.DataType, annotation: Any) -> bool:
    """Whether a type is that of records, or of a list of them, before fields were added."""
    kinds = [annotation, *typing.get_args(annotation)]
    if pa.types.is_list(found):
        return any(_held(found.value_type, part) for kind in kinds for part in typing.get_args(kind))
    records = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Record)]
    return pa.types.is_struct(found) and any(_fits(tuple(found), kind) for kind in records)


def in_columns_of(table: pa.Table, record: type[Record]) -> pa.Table:
    """A table of records, as they were before fields were added or as they are now, with the columns of now."""
    schema = arrow_schema(record)
    if table.schema.equals(schema):
        return table.cast(schema)
    return pa.Table.from_pylist(table.to_pylist(), schema=schema)


_QUICK = {"compression": "lz4", "use_dictionary": False, "write_statistics": ["post_id"], "version": "2.6"}
"""Of tables that are read and written far oftener than they are kept: half the time for half as many bytes more."""


def table_bytes(table: pa.Table, record: type[Record], group: int = ROW_GROUP) -> bytes:
    """Parquet of a table that holds the rows of records: same rows and same pyarrow, same bytes.

    ``group`` rows share one row group, of which damage takes all or nothing; pages carry checksums. The schema is set
    anew, since a table that was read calls the members of its lists by another name.
    """
    sink, schema = pa.BufferOutputStream(), arrow_schema(record)
    with pq.ParquetWriter(sink, schema, write_page_checksum=True, **_QUICK) as writer:
        writer.write_table(table.cast(schema).combine_chunks(), group)
    return bytes(sink.getvalue())


def record_table(rows: Sequence[RecordT], record: type[RecordT]) -> pa.Table:
    """The table of ``rows``; StoreError naming one that parquet cannot hold."""
    return table_of([row.model_dump() for row in rows], record)


def table_of(rows: Sequence[Mapping[str, Any]], record: type[Record]) -> pa.Table:
    """Records given as plain data, as a table; StoreError naming the row if one holds what parquet cannot."""
    try:
        return _table(rows, record)
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise StoreError(f"cannot store {_culprit(rows, record)} as parquet: {first_line(error)}") from error


def _table(rows: Sequence[Mapping[str, Any]], record: type[Record]) -> pa.Table:
    schema = arrow_schema(record)
    return pa.Table.from_pylist(list(rows), schema=schema).cast(schema)  # the cast finds nulls where none may be


def _culprit(rows: Sequence[Mapping[str, Any]], record: type[Record]) -> str:
    """The first row that parquet refuses, by what identifies it."""
    for row in rows:
        try:
            _table([row], record)
        except (pa.ArrowException, ValueError, OverflowError):
            return f"{record.__name__} {str(row.get('post_id', '?'))!r}"
    return f"{len(rows)} rows of {record.__name__}"


def first_line(error: Exception) -> str:
    """An error of a library in one line."""
    return next(iter(str(error).splitlines()), type(error).__name__)


def read_table(content: bytes, columns: Sequence[str] | None = None) -> pa.Table:
    """A table out of parquet bytes, or some of its columns; Arrow's own errors where they are damaged.

    One thread: parts are small, and Arrow's pools now and then abort a process that is just about to exit.
    """
    file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True, pre_buffer=False)
    return file.read(columns=None if columns is None else list(columns), use_threads=False)


def read_rows(content: bytes, posts: Collection[str]) -> pa.Table:
    """The rows of some posts, as ``read_table`` reads them; row groups that cannot hold one are not read."""
    file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True, pre_buffer=False)
    wanted = sorted(posts)
    groups = [group for group in range(file.num_row_groups) if _may_hold(file.metadata.row_group(group), wanted)]
    return rows_of(file.read_row_groups(groups, use_threads=False), wanted)


def schema_of(content: bytes) -> pa.Schema:
    """The columns of parquet bytes; Arrow's own errors where they are damaged."""
    return pq.read_schema(pa.BufferReader(content))


def column_names(content: bytes, record: type[Record], where: str) -> tuple[str, ...]:
    """The columns of parquet bytes that hold such records; DamageError as of ``read_parquet``."""
    try:
        schema = pq.ParquetFile(pa.BufferReader(content)).schema_arrow
        _check_columns(schema, record)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamageError(f"{where} is damaged ({first_line(error)}); remove it and run the command again") from error
    return tuple(schema.names)


def row_count(content: bytes) -> int:
    """How many rows parquet bytes hold, by their footer; Arrow's own errors where it is damaged."""
    return int(pq.ParquetFile(pa.BufferReader(content)).metadata.num_rows)


def unreadable_column(content: bytes) -> str:
    """Which column of parquet bytes cannot be read, and why, in a few words; empty if all can be."""
    try:
        names = pq.ParquetFile(pa.BufferReader(content)).schema_arrow.names
    except (pa.ArrowException, OSError, ValueError) as error:
        return f"cannot be read as parquet: {first_line(error)}"
    for name in names:
        try:
            read_table(content, [name])
        except (pa.ArrowException, OSError, ValueError) as error:
            return f"column {name} cannot be read: {first_line(error)}"
    return ""


def read_parquet(content: bytes, record: type[RecordT], where: str) -> list[RecordT]:
    """The records of parquet bytes, also of those of earlier versions.

    Raises DamageError naming ``where`` if the bytes are damaged or of another schema.
    """
    try:
        table = read_table(content)
        _check_columns(table.schema, record)
        return [record.model_validate(row) for row in table.to_pylist()]
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamageError(f"{where} is damaged ({first_line(error)}); remove it and run the command again") from error


def _check_columns(schema: pa.Schema, record: type[Record]) -> None:
    if not is_schema_of(schema, record):
        raise ValueError(f"its columns are not those of {record.__name__}")


def _may_hold(group: pq.RowGroupMetaData, posts: Sequence[str]) -> bool:
    """Whether a row group may have rows of one of some posts, by the least and the greatest id that its footer names.

    ``posts`` are in the order of their ids.
    """
    for place in range(group.num_columns):
        column = group.column(place)
        if column.path_in_schema == "post_id":
            said = column.statistics
            if said is None or not said.has_min_max:
                return True
            first = bisect_left(posts, said.min)
            return first < len(posts) and bool(posts[first] <= said.max)
    return True


def salvage(content: bytes, record: type[RecordT]) -> list[RecordT]:
    """What can be read of damaged parquet bytes: the rows of row groups that are whole; nothing without a footer."""
    rows: list[RecordT] = []
    try:
        file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True, pre_buffer=False)
    except (pa.ArrowException, OSError, ValueError):
        return rows
    for group in range(file.num_row_groups):
        try:
            rows += [record.model_validate(row) for row in file.read_row_group(group, use_threads=False).to_pylist()]
        except (pa.ArrowException, OSError, ValueError):
            continue
    return rows
