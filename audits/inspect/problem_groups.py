"""Problems of two versions held against each other by row groups, of which most have the same bytes in both.

Versions share bytes (docs/adr/0028): a column of a row group that no row changed is the same bytes in the file, and is
not read. What is left is read column by column and group by group, so that memory holds none but those looked at."""

import functools
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from corpus.folders.files import Folder
from corpus.record_tables import RowPlaces, whole_column
from corpus.records import Problem, Record
from corpus.schema import column_names, read_table
from corpus.versioning.manifest import checked_files
from corpus.versioning.version_tables import FULL
from corpus.versioning.versions import Version


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

    def problems(self, identifiers: Sequence[str]) -> list[Problem]:
        """Problems as records."""
        if not identifiers:
            return []
        path, content = next(iter(self.files.items()))
        names = column_names(content, Problem, path)
        places = pa.array([self.places[identifier] for identifier in identifiers], pa.int64())
        columns = [_column(self.files, name).take(places).to_pylist() for name in names]
        return [Problem.model_validate(dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)]

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
        places.update(differing_places(whole_column(old, name), whole_column(new, name)))
    return sorted(places)


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


FieldChanges = dict[str, tuple[Any, Any]]

READERS: Final = 2
"""Pairs of groups that are compared at once."""


@dataclass(frozen=True)
class RowGroup:
    """A row group of a data file: what opens the file, its footer, the digests of its columns' bytes, and its rows."""

    opened: Callable[[], pa.NativeFile]
    footer: pq.FileMetaData
    number: int
    digests: Mapping[str, str]
    rows: int

    @classmethod
    def all_of(cls, version: Version) -> list[Self]:
        """The row groups of a version; every file is checked on the way, VersionError if one is not as published."""
        groups = []
        for path, content in checked_files(version.folder, version.manifest):
            if path.startswith(f"{FULL}/"):
                column_names(content, Problem, f"{version.folder}/{path}")
                opened = _opener(version.folder, path, content)
                metadata = pq.ParquetFile(pa.BufferReader(content)).metadata
                for number in range(metadata.num_row_groups):
                    group = metadata.row_group(number)
                    groups.append(cls(opened, metadata, number, _digests(group, content), group.num_rows))
        return groups

    def columns(self, rows: RowPlaces | None = None) -> Callable[[str], pa.Array]:
        """A function that reads a column by name, of all rows or of some; nulls where an earlier version lacks it."""
        file = pq.ParquetFile(self.opened(), metadata=self.footer, page_checksum_verification=True, pre_buffer=False)
        runs = [] if rows is None else np.split(rows, np.flatnonzero(np.diff(rows) != 1) + 1)

        def column(name: str) -> pa.Array:
            if name not in self.digests:
                return pa.nulls(self.rows if rows is None else len(rows))
            whole = file.read_row_group(self.number, columns=[name], use_threads=False)[name].combine_chunks()
            return pa.concat_arrays([whole.slice(run[0], len(run)) for run in runs]) if runs else whole

        return column


def _opener(folder: Folder, path: str, content: bytes) -> Callable[[], pa.NativeFile]:
    """What opens a file that was read; on an object store its content is kept, since each column would be asked for."""
    return partial(pa.OSFile, f"{folder.path}/{path}") if folder.local else partial(pa.BufferReader, content)


def _digests(group: pq.RowGroupMetaData, content: bytes) -> dict[str, str]:
    found: dict[str, Any] = defaultdict(hashlib.sha256)
    whole = memoryview(content)
    for place in range(group.num_columns):
        column = group.column(place)
        start = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
        found[column.path_in_schema.partition(".")[0]].update(whole[start : start + column.total_compressed_size])
    return {name: digest.hexdigest() for name, digest in found.items()}


@dataclass
class ProblemChanges:
    """Problems by id, with their posts: those that came, those that went, and those that differ, field by field."""

    added: dict[str, str] = field(default_factory=dict)
    removed: dict[str, str] = field(default_factory=dict)
    changed: dict[str, FieldChanges] = field(default_factory=dict)
    posts: dict[str, str] = field(default_factory=dict)
    common: int = 0


class _Pair(NamedTuple):
    """The same problems in a row group of either version; ``rows`` are their places in both, None for all."""

    before: RowGroup
    after: RowGroup
    rows: tuple[RowPlaces, RowPlaces] | None = None


def problem_changes(old: Version, new: Version) -> ProblemChanges:
    """What differs between the problems of two versions; how a problem was made is not compared."""
    before, after = RowGroup.all_of(old), RowGroup.all_of(new)
    there = {group.digests["problem_id"]: group for group in before}
    pairs = [_Pair(there[now.digests["problem_id"]], now) for now in after if now.digests["problem_id"] in there]
    alike = {pair.before.digests["problem_id"] for pair in pairs}
    then, now = ([group for group in groups if group.digests["problem_id"] not in alike] for groups in (before, after))
    ids = [_column_of(groups, "problem_id") for groups in (then, now)]
    found = ProblemChanges(_not_among(now, ids[1], ids[0]), _not_among(then, ids[0], ids[1]))
    pairs += _paired((then, now), pc.index_in(ids[1], value_set=ids[0]).fill_null(-1).to_numpy())
    with ThreadPoolExecutor(READERS) as pool:
        for one in pool.map(_compared, pairs):
            found.changed |= one.changed
            found.posts |= one.posts
            found.common += one.common
    return found


def _column_of(groups: Sequence[RowGroup], name: str) -> pa.Array:
    return pa.concat_arrays([pa.array([], pa.string()), *(group.columns()(name) for group in groups)])


def _not_among(groups: Sequence[RowGroup], ids: pa.Array, others: pa.Array) -> dict[str, str]:
    """The problems of groups whose ids are not among others, in the order of their ids, with their posts."""
    alone = pc.invert(pc.is_in(ids, value_set=others))
    if not pc.any(alone).as_py():
        return {}
    posts = _column_of(groups, "post_id").filter(alone)
    return dict(sorted(zip(ids.filter(alone).to_pylist(), posts.to_pylist(), strict=True)))


def _paired(groups: tuple[Sequence[RowGroup], Sequence[RowGroup]], places: RowPlaces) -> Iterator[_Pair]:
    """The groups that have problems in common; ``places``: where each problem of the new ones was, -1 for nowhere."""
    before, after = groups
    ends, start = np.cumsum([group.rows for group in before]), 0
    for group in after:
        here = places[start : start + group.rows]
        start += group.rows
        owners = np.where(here < 0, -1, np.searchsorted(ends, here, side="right"))
        for owner in np.unique(owners[owners >= 0]).tolist():
            rows = np.flatnonzero(owners == owner)
            yield _Pair(before[owner], group, (here[rows] - (ends[owner] - before[owner].rows), rows))


def _compared(pair: _Pair) -> ProblemChanges:
    """Compare the same problems of both versions, column by column."""
    rows = pair.rows or (None, None)
    before, after = pair.before.columns(rows[0]), pair.after.columns(rows[1])
    changes: dict[int, FieldChanges] = defaultdict(dict)
    for name in Problem.model_fields:
        same_bytes = pair.rows is None and pair.before.digests.get(name) == pair.after.digests.get(name)
        if not same_bytes:
            for place, values in _changes(name, before(name), after(name)):
                changes[place][name] = values
    found = ProblemChanges(common=pair.after.rows if rows[1] is None else len(rows[1]))
    if changes:
        ids, posts = (after(name).take(pa.array(list(changes))).to_pylist() for name in ("problem_id", "post_id"))
        found.changed = dict(zip(ids, changes.values(), strict=True))
        found.posts = dict(zip(ids, posts, strict=True))
    return found


def _changes(name: str, before: pa.Array, after: pa.Array) -> Iterator[tuple[int, tuple[Any, Any]]]:
    """Where two columns of a problem differ, and the plain values of both."""
    places = list(differing_places(before, after)) if before.type == after.type else list(range(len(after)))
    wanted = pa.array(places, pa.int64())
    for place, then, now in zip(places, before.take(wanted).to_pylist(), after.take(wanted).to_pylist(), strict=True):
        values = (_plain(name, then), _plain(name, now))
        if values[0] != values[1]:
            yield place, values


@functools.cache
def _adapter(name: str) -> TypeAdapter[Any]:
    kind: Any = Problem.model_fields[name].annotation
    return TypeAdapter(kind)


def _plain(name: str, value: Any) -> Any:
    """A value of a field as a problem's plain data has it."""
    return _adapter(name).dump_python(_adapter(name).validate_python(value), mode="json")
