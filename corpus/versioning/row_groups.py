"""Published tables: the order of their rows, and row groups that are cut where rows say so (docs/adr/0028).

So versions share bytes. A row ends its group if the digest of its id says so. A row that comes in or goes changes its
own group and no other, wherever it stands; groups of fixed size would all begin elsewhere after it.

Rows stand in the order of their first appearance, as the posts themselves tell it, so that new ones come last: by
source, then by when a post was made where that is known, then by its number at the source, since sites number their
posts as they come. Nothing else decides, so the order is the same for every store, machine and rebuild.
"""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from corpus.record_tables import SpreadRows, whole_column
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
    digests = b"".join(hashlib.sha256(one).digest()[:8] for one in rows.dictionary.cast(pa.binary()).to_pylist())
    ends = (np.frombuffer(digests, ">u8") >> 16) % often == 0  # of the first six bytes
    return list((np.flatnonzero(ends[rows.indices.to_numpy()]) + 1).tolist())


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


ROWS_AT_ONCE = 50_000
"""Problems whose rows wait in one file, and are then put in order in memory."""
MOST_FILES = 64
"""Files in which the rows of one kind wait, open at once: of very many problems each file holds more."""
_RUN: Final = re.compile("[0-9]+")
_PLACE: Final = "place"


def appearance_key(post_id: str, posted_at: str | None = None) -> str:
    """What a post is sorted by: source, time of posting (ISO 8601, none comes first), and id with numbers by size.

    >>> ids = ["so:10", "so:9", "ask:p2a", "ask:p10a", "so:009"]
    >>> sorted(ids, key=appearance_key)
    ['ask:p2a', 'ask:p10a', 'so:009', 'so:9', 'so:10']
    >>> appearance_key("so:2", "2014-01-01T00:00:00Z") < appearance_key("so:1", "2015-01-01T00:00:00Z")
    True
    """
    source, _, native = post_id.partition(":")
    return "\0".join((source, posted_at or "", _RUN.sub(_by_size, native), post_id))


def _by_size(run: re.Match[str]) -> str:
    digits = run[0].lstrip("0")
    return f"{len(digits):06d}{digits}"


def appearance_keys(table: pa.Table) -> pa.Array:
    """The keys of rows with ``post_id``, ``problem_id`` and, where it is known, ``posted_at``."""
    posted = table["posted_at"].to_pylist() if "posted_at" in table.column_names else [None] * len(table)
    pairs = zip(table["post_id"].to_pylist(), posted, table["problem_id"].to_pylist(), strict=True)
    return pa.array([f"{appearance_key(post, when)}\0{problem}" for post, when, problem in pairs], pa.string())


def by_appearance(table: pa.Table) -> pa.Table:
    """The rows of one table in order."""
    return table.take(pc.sort_indices(appearance_keys(table)))


class Appearance:
    """Where each problem stands among all of a version: ids, and a place for each."""

    def __init__(
        self, tables: Iterable[pa.Table], *, rows_at_once: int = ROWS_AT_ONCE, most_files: int = MOST_FILES
    ) -> None:
        """``tables`` have the columns of ``appearance_keys``, of all problems.

        Rows wait ``rows_at_once`` in a file, or more where ``most_files`` would not do.
        """
        ids, keys = [pa.array([], pa.string())], [pa.array([], pa.string())]
        for table in tables:
            ids += table["problem_id"].chunks
            keys.append(appearance_keys(table))
        found = pa.concat_arrays(ids)
        places = np.empty(len(found), np.int64)
        places[pc.sort_indices(pa.concat_arrays(keys)).to_numpy()] = np.arange(len(found))
        order = pc.sort_indices(found)
        self._ids, self._places = found.take(order), places[order.to_numpy()]
        self._of_a_file = max(rows_at_once, -(-len(self) // most_files))

    def __len__(self) -> int:
        return len(self._ids)

    def places(self, ids: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The place of each problem, by its id; KeyError for one that is none of the version."""
        if not len(ids):
            return np.zeros(0, np.int64)
        least, most = pc.min_max(ids).values()
        first, last = self._first(least.as_py()), self._first(f"{most.as_py()}\0")
        found = pc.index_in(ids.combine_chunks(), value_set=self._ids[first:last])
        if found.null_count:
            raise KeyError(ids.filter(pc.is_null(found))[0].as_py())
        return np.asarray(self._places[first + found.to_numpy()], np.int64)

    def _first(self, problem_id: str) -> int:
        """How many ids are less."""
        low, high = 0, len(self._ids)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self._ids[middle].as_py() < problem_id else (low, middle)
        return low

    def ordered(self, tables: Iterable[pa.Table], beside: Callable[[], Path]) -> Iterator[pa.Table]:
        """Rows with a ``problem_id`` in the order of their problems; those of one problem stay as they came.

        They wait in files of a folder that ``beside`` makes.
        """
        with SpreadRows(beside) as waiting:
            (found,) = self.apart(((table,) for table in tables), [waiting])
            yield from found

    def apart(self, rows: Iterable[Sequence[pa.Table]], waiting: Sequence[SpreadRows]) -> list[Iterator[pa.Table]]:
        """Rows of several kinds that are read together: those of each kind in the order of their problems.

        ``waiting`` is where they wait, one for each kind.
        """
        for tables in rows:
            for table, place in zip(tables, waiting, strict=True):
                placed = self._placed(table)
                place.add(placed, placed[_PLACE].to_numpy() // self._of_a_file)
        return [self._blocks(place) for place in waiting]

    def _placed(self, table: pa.Table) -> pa.Table:
        return table.append_column(_PLACE, pa.array(self.places(table["problem_id"])))

    def _blocks(self, waiting: SpreadRows) -> Iterator[pa.Table]:
        for number in range(-(-len(self) // self._of_a_file)):
            rows = waiting.rows(number)
            if rows is not None:
                yield _sorted(rows)


def _sorted(table: pa.Table) -> pa.Table:
    order = np.argsort(table[_PLACE].to_numpy(), kind="stable")
    return table.drop_columns([_PLACE]).take(pa.array(order))
