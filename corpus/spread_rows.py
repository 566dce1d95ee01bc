"""Rows of many tables sorted into files by a number: memory holds the table that comes and, later, one file's rows."""

import shutil
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa

from corpus.record_tables import RowPlaces


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
        self._close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _close(self) -> None:
        for writer in self._writers.values():
            writer.close()

    def add(self, table: pa.Table, numbers: RowPlaces) -> None:
        """Put each row to those of its number, behind those that are there."""
        for number, rows in by_number(table, numbers):
            if number not in self._writers:
                self._writers[number] = pa.ipc.new_stream(str(self._path(number)), table.schema)
            self._writers[number].write_table(rows)

    def rows(self, number: int) -> pa.Table | None:
        """The rows of a number, which may be asked for once; None where it has none. No more can be added."""
        self._close()
        path = self._path(number)
        if not path.exists():
            return None
        with pa.OSFile(str(path)) as file:
            table = pa.ipc.open_stream(file).read_all()
        path.unlink()
        return table

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:08d}"
