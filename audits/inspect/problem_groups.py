"""Problems of two versions held against each other by row groups, of which most have the same bytes in both.

Versions share bytes (docs/adr/0028): a column of a row group that no row changed is the same bytes in the file, and is
not read. What is left is read column by column, so that memory holds none but the one that is looked at.
"""

import functools
import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from audits.inspect.table_rows import UNCOMPARED, differing_places
from corpus.integrity import DATA, checked_files
from corpus.records import Problem
from corpus.schema import column_names
from corpus.versions import Version

FieldChanges = dict[str, tuple[Any, Any]]


@dataclass(frozen=True)
class RowGroup:
    """A row group of a data file, and the digest of the bytes of each of its columns."""

    file: pq.ParquetFile
    number: int
    digests: Mapping[str, str]

    @classmethod
    def all_of(cls, version: Version) -> list[Self]:
        """The row groups of a version; every file is checked on the way, VersionError if one is not as published."""
        groups = []
        for path, content in checked_files(version.folder, version.manifest):
            if path.startswith(f"{DATA}/"):
                column_names(content, Problem, f"{version.folder}/{path}")
                file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True, pre_buffer=False)
                groups += [cls(file, number, _digests(file, number, content)) for number in range(file.num_row_groups)]
        return groups

    def column(self, name: str) -> pa.Array:
        """A column of the group; nulls where the version is an earlier one and lacks it."""
        if name not in self.digests:
            return pa.nulls(self.file.metadata.row_group(self.number).num_rows)
        return self.file.read_row_group(self.number, columns=[name], use_threads=False)[name].combine_chunks()


def _digests(file: pq.ParquetFile, number: int, content: bytes) -> dict[str, str]:
    found: dict[str, Any] = defaultdict(hashlib.sha256)
    group, whole = file.metadata.row_group(number), memoryview(content)
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


def problem_changes(old: Version, new: Version) -> ProblemChanges:
    """What differs between the problems of two versions; which keys a problem came through is not compared."""
    before, after = RowGroup.all_of(old), RowGroup.all_of(new)
    there = {group.digests["problem_id"]: group for group in before}
    pairs = [(there[now.digests["problem_id"]], now) for now in after if now.digests["problem_id"] in there]
    alike = {then.digests["problem_id"] for then, _ in pairs}
    found = ProblemChanges()
    for pair in pairs:
        places = range(pair[1].file.metadata.row_group(pair[1].number).num_rows)
        _compare(found, (_GroupRows([pair[0]], places), _GroupRows([pair[1]], places)))
    rest = [[group for group in groups if group.digests["problem_id"] not in alike] for groups in (before, after)]
    _compare_others(found, *rest)
    return found


@dataclass(frozen=True)
class _GroupRows:
    """Rows of some groups: their places, one group's after the other's."""

    groups: Sequence[RowGroup]
    places: Sequence[int]

    def column(self, name: str) -> pa.Array:
        whole = pa.concat_arrays([group.column(name) for group in self.groups])
        return whole if isinstance(self.places, range) else whole.take(pa.array(self.places, pa.int64()))


def _compare_others(found: ProblemChanges, before: Sequence[RowGroup], after: Sequence[RowGroup]) -> None:
    """Compare groups that do not have the same problems in both versions."""
    then, now = _places(before), _places(after)
    common = sorted(then.keys() & now.keys())
    found.added |= _posts(after, {name: now[name] for name in sorted(now.keys() - then.keys())})
    found.removed |= _posts(before, {name: then[name] for name in sorted(then.keys() - now.keys())})
    if common:
        _compare(
            found,
            (_GroupRows(before, [then[name] for name in common]), _GroupRows(after, [now[name] for name in common])),
        )


def _places(groups: Sequence[RowGroup]) -> dict[str, int]:
    ids = (name for group in groups for name in group.column("problem_id").to_pylist())
    return {name: place for place, name in enumerate(ids)}


def _posts(groups: Sequence[RowGroup], places: Mapping[str, int]) -> dict[str, str]:
    """The posts of problems."""
    if not places:
        return {}
    return dict(zip(places, _GroupRows(groups, list(places.values())).column("post_id").to_pylist(), strict=True))


def _compare(found: ProblemChanges, rows: tuple[_GroupRows, _GroupRows]) -> None:
    """Compare the same problems of both versions, column by column."""
    before, after = rows
    changes: dict[int, FieldChanges] = defaultdict(dict)
    for name in Problem.model_fields:
        if name not in UNCOMPARED and not _same_bytes(name, *rows):
            for place, values in _changes(name, before.column(name), after.column(name)):
                changes[place][name] = values
    found.common += len(after.places)
    if changes:
        changed = _GroupRows(after.groups, [after.places[place] for place in changes])
        ids, posts = (changed.column(name).to_pylist() for name in ("problem_id", "post_id"))
        found.changed |= dict(zip(ids, changes.values(), strict=True))
        found.posts |= dict(zip(ids, posts, strict=True))


def _same_bytes(name: str, before: _GroupRows, after: _GroupRows) -> bool:
    """Whether rows are those of one group each, in which a column has the same bytes."""
    if not (isinstance(before.places, range) and isinstance(after.places, range)):
        return False
    return before.groups[0].digests.get(name) == after.groups[0].digests.get(name)


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
