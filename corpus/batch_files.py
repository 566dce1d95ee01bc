"""The file of one batch: parquet that names its batch, read by column and by group of rows, never whole unless asked.

A batch that was folded of others (corpus.folding) says in its footer which rows were whose, in order.
"""

import contextlib
import hashlib
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from corpus.batch_list import BATCHES, RECOVER
from corpus.canonical import RETRIEVAL, canonical_json
from corpus.errors import DamageError, StoreError
from corpus.files import Folder
from corpus.open_files import open_file
from corpus.records import Record
from corpus.schema import RecordT, arrow_schema, first_line, in_columns_of, is_schema_of
from corpus.strict_json import load_json

KEY = ("post_id", "content_sha256", *RETRIEVAL)
"""The columns that say what a batch of posts or sightings holds; of tombstones all columns do."""
ROW_GROUP = 500
"""Rows of a batch that damage within it takes along."""
_FOOTER = b"wordquarry"
_NOT_WRITTEN = frozenset(("response_sha256", "parser"))
_DIGITS, _TAIL = 32, 8


class GoneError(DamageError):
    """The file of a batch is not there."""


class Section(NamedTuple):
    """So many rows of a folded batch, from where the section before ends, were those of ``batch``."""

    batch: str
    rows: int


def key_lines(rows: pa.Table) -> bytes:
    """What a batch holds in short, one line of JSON a row: of posts the ids, content digests and retrievals."""
    names = KEY if "content_sha256" in rows.column_names else rows.column_names
    lines = (
        canonical_json({name: value for name, value in row.items() if value is not None or name not in _NOT_WRITTEN})
        for row in rows.select([name for name in names if name in rows.column_names]).to_pylist()
    )
    return "".join(f"{line}\n" for line in lines).encode()


def name_of(lines: bytes, sections: Sequence[Section] = ()) -> str:
    """The name of a batch: a digest of what it holds in short, and of whose rows were folded into it."""
    folded = canonical_json([list(one) for one in sections]).encode() if sections else b""
    return hashlib.sha256(lines + folded).hexdigest()[:_DIGITS]


def batch_bytes(rows: pa.Table, batch: str, sections: Sequence[Section] = (), instead: Sequence[str] = ()) -> bytes:
    """The file of a batch; same rows, same bytes. ``instead`` names the files whose place it takes."""
    said: dict[str, Any] = {"batch": batch}
    if sections:
        said |= {"of": [list(one) for one in sections], "instead": list(instead)}
    rows = rows.replace_schema_metadata({_FOOTER: canonical_json(said).encode()})
    sink = pa.BufferOutputStream()
    options = {"compression": "zstd", "compression_level": 3, "version": "2.6", "write_page_checksum": True}
    pq.write_table(rows.combine_chunks(), sink, row_group_size=ROW_GROUP, **options)
    return bytes(sink.getvalue())


def footer_digest(file: IO[bytes]) -> str:
    """A digest of the end of a parquet file, which says where everything in it is; ValueError for no such file."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _TAIL))
    end = file.read()
    length = int.from_bytes(end[:4], "little") + _TAIL
    if len(end) < _TAIL or length > size:
        raise ValueError("cut short, or no parquet")
    file.seek(size - length)
    return hashlib.sha256(file.read()).hexdigest()[:_DIGITS]


class BatchFile:
    """A context: one batch, open to be read. DamageError names a file that is damaged, GoneError one that is gone.

    ``footer`` is the digest of the file's end; one that is not ``expected`` is damage. A file of version 0.2 or before
    names no batch; it is refused here and brought up to date by ``recover``. Pages are checked as they are read.
    """

    def __init__(self, folder: Folder, batch: str, kind: type[Record], expected: str | None = None) -> None:
        self.where, self.kind = f"{folder}/{BATCHES}/{batch}.parquet", kind
        with self._telling():
            try:
                content = None if folder.local else folder.read(f"{BATCHES}/{batch}.parquet")
                with open_file(self.where) if content is None else io.BytesIO(content) as file:
                    self.footer = footer_digest(file)
            except FileNotFoundError as error:
                raise GoneError(f"{self.where} is gone; {RECOVER}") from error
            if expected is not None and self.footer != expected:
                raise ValueError("its end is not the one that was written")
            source: Any = self.where if content is None else pa.BufferReader(content)
            self._file = pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=False)
            schema = self._file.schema_arrow
            if not is_schema_of(schema, kind):
                raise ValueError(f"its columns are not those of {kind.__name__}")
            said = load_json((schema.metadata or {}).get(_FOOTER, b"{}"))
            if not said:
                raise ValueError("it was written by version 0.2 or an earlier one")
            if said["batch"] != batch:
                raise ValueError(f"it is that of {said['batch'][:_DIGITS]}")
            self.sections = tuple(Section(*one) for one in said.get("of", ()))
            self.instead = tuple(said.get("instead", ()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._file.close()

    @property
    def count(self) -> int:
        """How many rows there are."""
        return int(self._file.metadata.num_rows)

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that say in short what a batch of this kind holds."""
        names = tuple(arrow_schema(self.kind).names)
        return KEY if "content_sha256" in names else names

    def record(self, row: Mapping[str, Any], kind: type[RecordT]) -> RecordT:
        """The record of a row, given as plain data."""
        with self._telling():
            return kind.model_validate(row)

    def columns(self, names: Sequence[str]) -> pa.Table:
        """Some columns of every row; one that a file of an earlier version lacks is null."""
        there = [name for name in names if name in self._file.schema_arrow.names]
        with self._telling():
            found = self._file.read(columns=there, use_threads=False)
        for name in names:
            if name not in there:
                found = found.append_column(name, pa.nulls(self.count, pa.string()))
        return found.select(names)

    def keys(self, of: Collection[str] | None = None) -> pa.Table:
        """The columns of KEY of every row, or of those that were of the batches named."""
        rows, whole = self.columns(KEY), of is None or all(one.batch in of for one in self.sections)
        return rows if whole else rows.take(pa.array(self.places(of), pa.int64()))

    def places(self, of: Collection[str] | None) -> list[int]:
        """The places of the rows that were of the batches named; of all rows of a batch that was not folded."""
        if of is None or not self.sections:
            return list(range(self.count))
        found, start = list[int](), 0
        for one in self.sections:
            found += range(start, start + one.rows) if one.batch in of else ()
            start += one.rows
        return found

    def groups(self, ids: Collection[str] | None = None) -> Iterator[pa.Table]:
        """The rows, or those of some posts, in order, a group at a time; groups without any are not read."""
        mask = None
        if ids is not None:
            found = pc.is_in(self.columns(["post_id"])["post_id"], value_set=pa.array(ids, pa.string()))
            mask = found.combine_chunks().to_numpy(zero_copy_only=False)
        start = 0
        for group in range(self._file.num_row_groups):
            count = self._file.metadata.row_group(group).num_rows
            here = slice(start, start + count)
            start += count
            if mask is None or np.any(mask[here]):
                with self._telling():
                    rows = in_columns_of(self._file.read_row_group(group, use_threads=False), self.kind)
                yield rows if mask is None or mask[here].all() else rows.filter(pa.array(mask[here]))

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
            raise DamageError(f"{self.where} is damaged ({first_line(error)}); {RECOVER}") from error
        except StoreError as error:
            raise error if isinstance(error, DamageError) else GoneError(str(error)) from error
