"""Published tables: row groups that are cut where rows say so, so that versions share bytes (docs/adr/0028).

A row ends its group if the digest of its id says so. A row that comes in or goes changes its own group and no other,
wherever it stands; groups of fixed size would all begin elsewhere after it.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from corpus.record_tables import whole_column
from corpus.records import Record
from corpus.schema import arrow_schema

_CHUNKS: Final = {"min_chunk_size": 16 * 1024, "max_chunk_size": 64 * 1024, "norm_level": 0}
"""Bytes of a page before compression, which ends where the values say so as well."""
_FEW: Final = {
    *("license", "split", "source", "parser", "retrieved_at", "question_type", "agreement", "template_id"),
    *("name", "kind", "unit", "slot", "stage", "key", "answer_id", "unknowns", "unknown", "votes", "template", "tags"),
}
"""Columns of few different values, which get a dictionary: in others one new value would change all pages after it."""


@dataclass(frozen=True)
class Cuts:
    """Rows of a published file at most; of its row groups at least, then one row in so many ends one, and at most."""

    file: int = 50_000
    least: int = 1_000
    often: int = 4_000
    most: int = 20_000


CUTS: Final = Cuts()


class RowGroups:
    """Tables as they come, cut into row groups by the ids of their rows."""

    def __init__(self, cuts: Cuts = CUTS) -> None:
        self._cuts = cuts
        self._held: list[pa.Table] = []
        self._rows = 0

    def add(self, table: pa.Table) -> Iterator[pa.Table]:
        """The groups that are complete now."""
        name = "problem_id" if "problem_id" in table.column_names else "post_id"
        ends = _ending(whole_column(table, name), self._cuts.often)
        first = 0
        while True:
            full = first + self._cuts.most - self._rows
            far = bisect_left(ends, max(first + 1, first + self._cuts.least - self._rows))
            place = min(ends[far], full) if far < len(ends) else full
            if place > len(table):
                break
            self._held.append(table.slice(first, place - first))
            self._rows += place - first
            yield from self.rest()
            first = place
        self._held.append(table.slice(first))
        self._rows += len(table) - first

    def rest(self) -> Iterator[pa.Table]:
        """What no row has ended yet, if anything."""
        if self._rows:
            yield pa.concat_tables(self._held)
        self._held, self._rows = [], 0


def _ending(ids: pa.StringArray, often: int) -> list[int]:
    """How many rows there are up to each that may end a group, itself among them."""
    rows = ids.dictionary_encode()
    ends = np.array([_ends(row_id, often) for row_id in rows.dictionary.to_pylist()], bool)
    return list((np.flatnonzero(ends[rows.indices.to_numpy()]) + 1).tolist())


def _ends(row_id: str, often: int) -> bool:
    return int.from_bytes(hashlib.sha256(row_id.encode("utf-8", "surrogatepass")).digest()[:6]) % often == 0


class TableFile:
    """A parquet file in memory that grows by row groups: the same rows and the same pyarrow give the same bytes.

    Pages carry checksums and an index. The schema is set anew, since a table that was read calls the members of its
    lists by another name.
    """

    def __init__(self, columns: type[Record] | pa.Schema) -> None:
        self.rows = 0
        self._schema = columns if isinstance(columns, pa.Schema) else arrow_schema(columns)
        self._sink = pa.BufferOutputStream()
        self._writer = pq.ParquetWriter(self._sink, self._schema, **_options(self._schema))

    def add(self, group: pa.Table) -> None:
        """Write a row group."""
        self._writer.write_table(group.cast(self._schema).combine_chunks(), len(group))
        self.rows += len(group)

    def close(self) -> bytes:
        """The bytes of the whole file."""
        self._writer.close()
        return bytes(self._sink.getvalue())


def _options(schema: pa.Schema) -> dict[str, Any]:
    return {
        "compression": "zstd",
        "compression_level": 3,
        "version": "2.6",
        "use_dictionary": [path for field in schema for path in _few(field.name, field.name, field.type)],
        "write_page_checksum": True,
        "write_page_index": True,
        "write_statistics": [field.name for field in schema if not pa.types.is_nested(field.type)],
        "use_content_defined_chunking": dict(_CHUNKS),
    }


def _few(path: str, name: str, kind: pa.DataType) -> Iterator[str]:
    """The columns of few values below a field, by the paths that parquet has for them."""
    if pa.types.is_list(kind):
        yield from _few(f"{path}.list.element", name, kind.value_type)
    elif pa.types.is_struct(kind):
        for inner in kind:
            yield from _few(f"{path}.{inner.name}", inner.name, inner.type)
    elif name in _FEW:
        yield path


def published_bytes(tables: Iterable[pa.Table], record: type[Record], cuts: Cuts = CUTS) -> bytes:
    """Parquet of tables as they come, whatever their sizes; ``cuts`` says where its row groups end."""
    groups, file = RowGroups(cuts), TableFile(record)
    for table in tables:
        for group in groups.add(table):
            file.add(group)
    for group in groups.rest():
        file.add(group)
    return file.close()
