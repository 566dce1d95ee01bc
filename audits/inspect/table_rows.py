"""Rows of two tables held against each other column by column, without making records of those that are alike."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from corpus.manifest import checked_files
from corpus.records import Problem, Record
from corpus.schema import column_names, read_table
from corpus.version_tables import FULL
from corpus.versions import Version


@dataclass(frozen=True)
class ProblemTable:
    """The problems of a version: its data files, by path, and where in all their rows each problem is.

    Columns are read one at a time, so that memory holds none but the one that is looked at.
    """

    files: Mapping[str, bytes]
    places: Mapping[str, int]

    @classmethod
    def of(cls, version: Version) -> "ProblemTable":
        """The problems of a version; every file is checked on the way, VersionError if one is not as published."""
        read = checked_files(version.folder, version.manifest)
        files = {f"{version.folder}/{path}": content for path, content in read if path.startswith(f"{FULL}/")}
        ids = _column(files, "problem_id").to_pylist()
        return cls(files, {identifier: place for place, identifier in enumerate(ids)})

    def _rows(self, identifiers: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, pa.Array]]:
        """Columns of some problems, in the order given."""
        places = pa.array([self.places[identifier] for identifier in identifiers], pa.int64())
        return ((name, _column(self.files, name).take(places)) for name in names)

    def _names(self) -> tuple[str, ...]:
        return column_names(next(iter(self.files.values())), Problem, next(iter(self.files)))

    def problems(self, identifiers: Sequence[str]) -> list[Problem]:
        """Problems as records."""
        if not identifiers:
            return []
        columns = {name: array.to_pylist() for name, array in self._rows(identifiers, self._names())}
        return [
            Problem.model_validate(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)
        ]

    def columns(self, *names: str) -> list[tuple[Any, ...]]:
        """Columns of all problems, as plain rows."""
        return list(zip(*(_column(self.files, name).to_pylist() for name in names), strict=True))


def _column(files: Mapping[str, bytes], name: str) -> pa.Array:
    """A column of all files, in their order."""
    chunks = [chunk for content in files.values() for chunk in read_table(content, [name])[name].chunks]
    return pa.concat_arrays(chunks)


def differing_posts(old: pa.Table, new: pa.Table, kind: type[Record]) -> set[str]:
    """The posts whose row differs between two tables with one row a post, or is in one of them only."""
    before, after = old.sort_by("post_id"), new.sort_by("post_id")
    old_ids, new_ids = before["post_id"].to_pylist(), after["post_id"].to_pylist()
    common = sorted(set(old_ids) & set(new_ids))
    held = set(common)
    mine, theirs = (
        table.take(pa.array([place for place, one in enumerate(ids) if one in held], pa.int64()))
        for table, ids in ((before, old_ids), (after, new_ids))
    )
    return set(old_ids) ^ set(new_ids) | {common[place] for place in differing_rows(mine, theirs, kind)}


def differing_rows(old: pa.Table, new: pa.Table, kind: type[Record]) -> list[int]:
    """The places at which two tables of equal length, with rows of one kind, differ.

    Where one of them is of an earlier version and lacks columns, records are compared.
    """
    if not old.schema.equals(new.schema):
        rows = ([kind.model_validate(row) for row in table.to_pylist()] for table in (old, new))
        return [place for place, (then, now) in enumerate(zip(*rows, strict=True)) if then != now]
    places: set[int] = set()
    for name in old.schema.names:
        places.update(differing_places(_whole(old[name]), _whole(new[name])))
    return sorted(places)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    found = column.combine_chunks()
    return pa.concat_arrays(found.chunks) if isinstance(found, pa.ChunkedArray) else found


def differing_places(old: pa.Array, new: pa.Array) -> Iterator[int]:
    """The places at which two arrays differ: halves that are equal are not looked into."""
    waiting = [(0, len(old))]
    while waiting:
        start, size = waiting.pop()
        if size == 0 or old.slice(start, size).equals(new.slice(start, size)):
            continue
        if size == 1:
            yield start
        else:
            half = size // 2
            waiting += [(start, half), (start + half, size - half)]
