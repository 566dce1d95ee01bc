"""The order of a version's rows: by first appearance, as the posts themselves tell it, so that new rows come last.

A row stands by its source, then by when it was posted where that is known, then by its number at the source: sites
number their posts as they come. Nothing else decides, so the order is the same for every store, machine and rebuild
(docs/adr/0028).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpus.spread_rows import SpreadRows

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
