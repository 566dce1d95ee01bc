"""The list of a store's batches, and the file of each: parquet that names its batch, read by column and by rows.

A batch counts if it stands on the list, so that one that is gone is missed. ``batches.jsonl`` is only appended to, a
line for every batch that was added, removed, or given up as lost; the last line of a batch holds. Every line carries a
digest of itself. Beside it ``keys/<batch>.jsonl`` says in short what the batch holds: of posts the ids, content digests
and retrievals; sightings and tombstones whole. A batch that was folded of others (folding) says in its footer
which rows were whose, in order.
"""

import contextlib
import functools
import hashlib
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import IO, Any, Literal, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from corpus.canonical import RETRIEVAL, canonical_json, digest_of
from corpus.errors import DamageError, StoreError
from corpus.folders.files import Folder
from corpus.folders.open_files import open_file
from corpus.records import Record
from corpus.schema import RecordT, arrow_schema, first_line, in_columns_of, is_schema_of
from corpus.strict_json import load_json

LIST, KEYS, BATCHES, SNAPSHOTS = "batches.jsonl", "keys", "batches", "snapshots"
RECOVER = "run wordquarry store recover, which loses nothing"
_LINE_DIGEST = "line_sha256"
_LINE_DIGITS = 16

State = Literal["held", "removed", "lost", "folded"]
Source = Mapping[str, Any]
"""Where posts may be read again: ``kind`` (file or crawl), ``path``, and of a file its format, digest and options."""


@dataclass(frozen=True)
class BatchEntry:
    """What the list says of a batch: its state, how many rows it has, or of a lost one
    had that are gone (None: not known), and where they came from.

    ``of`` names the batches whose rows are in it, where it was folded of others, and how many of each; ``instead``
    those whose place it took, which are ``folded`` from then on. ``footer`` is a digest of the end of its file.
    """

    batch: str
    state: State
    rows: int | None = None
    source: Source | None = None
    of: tuple[tuple[str, int], ...] = ()
    instead: tuple[str, ...] = ()
    footer: str | None = None


class BatchList:
    """The list of one store."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder

    def entries(self, *, readable: bool = False) -> dict[str, BatchEntry]:
        """Every batch that was ever listed; what a killed writer left of a line is none.

        DamageError for a list with a line that is not as it was written, unless what is ``readable`` will do.
        """
        entries: dict[str, BatchEntry] = {}
        lines = self.folder.read(LIST).split(b"\n")[:-1] if self.is_there() else []
        for number, line in enumerate(lines, start=1):
            entry = _parsed(line)
            if entry is not None:
                _enter(entry, entries)
            elif not readable:
                raise DamageError(f"{self.folder}/{LIST}:{number} is damaged; {RECOVER}")
        return entries

    def is_there(self) -> bool:
        """Whether there is a list."""
        return self.folder.exists(LIST)

    def noted(self) -> set[str]:
        """The batches of which it is written down what they hold."""
        return {name.removesuffix(".jsonl") for name in (self.folder / KEYS).names()}

    def named_by_snapshots(self) -> set[str]:
        """The batches of every snapshot that can still be read."""
        named: set[str] = set()
        for name in snapshot_ids(self.folder):
            with contextlib.suppress(DamageError):  # whoever opens that snapshot is told
                record = read_snapshot(self.folder, name)
                named.update(() if record.get("forgotten") else record["batches"])
        return named

    def begin(self) -> None:
        """Make sure that there is a list, before the first batch is written."""
        if not self.is_there():
            self.note([])

    def note(self, entries: Iterable[BatchEntry]) -> None:
        """Append entries, synced."""
        self.folder.append(LIST, "".join(map(_line, entries)).encode())

    def mend(self, entries: Mapping[str, BatchEntry]) -> None:
        """Write the list anew, in one step."""
        self.folder.write(LIST, "".join(map(_line, entries.values())).encode())

    def note_keys(self, batch: str, lines: bytes) -> None:
        """Write down what a batch holds, as ``batch_files.key_lines`` gives it."""
        self.folder.write(f"{KEYS}/{batch}.jsonl", lines)

    def keys(self, batch: str) -> list[dict[str, Any]] | None:
        """What a batch holds; None if that is not known."""
        name = f"{KEYS}/{batch}.jsonl"
        if not self.folder.exists(name):
            return None
        try:
            rows = [load_json(line) for line in self.folder.read(name).splitlines()]
        except ValueError:
            return None
        return rows if rows and all(isinstance(row, dict) for row in rows) else None

    def forget_keys(self, batch: str) -> None:
        """Remove what was written down of a batch."""
        (self.folder / KEYS).remove(f"{batch}.jsonl")


def snapshot_ids(folder: Folder) -> list[str]:
    """The snapshots that are recorded of a store."""
    return [name.removesuffix(".json") for name in (folder / SNAPSHOTS).names()]


def read_snapshot(folder: Folder, snapshot_id: str) -> dict[str, Any]:
    """What is recorded of a snapshot: ``batches``, ``posts``, and what became of it; DamageError for a damaged one."""
    name = f"{SNAPSHOTS}/{snapshot_id}.json"
    try:
        record = dict(load_json(folder.read(name)))
        return {**record, "batches": [str(batch) for batch in record["batches"]]}
    except (ValueError, KeyError, TypeError) as error:
        raise DamageError(f"{folder}/{name} is damaged; remove it and build from these posts again") from error


def leaves_of(entries: Mapping[str, BatchEntry], batches: Iterable[str]) -> set[str]:
    """The batches that were written, not folded, whose rows are or were in ``batches``."""
    found: set[str] = set()
    for name in batches:
        entry = entries.get(name)
        found.update([batch for batch, _ in entry.of] if entry is not None and entry.of else [name])
    return found


def _line(entry: BatchEntry) -> str:
    value = {name: fact for name, fact in asdict(entry).items() if fact not in (None, ())}
    return canonical_json({**value, _LINE_DIGEST: digest_of(value)[:_LINE_DIGITS]}) + "\n"


@functools.lru_cache(maxsize=1 << 16)
def _parsed(line: bytes) -> BatchEntry | None:
    """The entry of a line; None for a damaged one."""
    try:
        value = load_json(line)
        digest = value.pop(_LINE_DIGEST)
        if digest != digest_of(value)[:_LINE_DIGITS]:
            return None
        value["of"] = tuple((str(batch), int(rows)) for batch, rows in value.get("of", ()))
        value["instead"] = tuple(map(str, value.get("instead", ())))
        return BatchEntry(**value)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _enter(entry: BatchEntry, entries: dict[str, BatchEntry]) -> None:
    """Take an entry in: it stands for what was said before, but for a source or a count that it does not name."""
    before = entries.get(entry.batch)
    if before is not None:
        rows = before.rows if entry.rows is None and entry.state == "held" else entry.rows
        first, last = (before, entry) if before.state == "held" else (entry, before)
        entry = replace(entry, rows=rows, source=first.source or last.source, of=entry.of or before.of)
    entries[entry.batch] = entry
    for batch in entry.instead:
        earlier = entries.get(batch) or BatchEntry(batch, "held")
        if earlier.state == "held":
            entries[batch] = replace(earlier, state="folded")


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
            content = None if folder.local else folder.read(f"{BATCHES}/{batch}.parquet")
            with open_file(self.where) if content is None else io.BytesIO(content) as file:
                self.footer = footer_digest(file)
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
        except FileNotFoundError as error:
            raise GoneError(f"{self.where} is gone; {RECOVER}") from error
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
            raise DamageError(f"{self.where} is damaged ({first_line(error)}); {RECOVER}") from error
        except StoreError as error:
            raise error if isinstance(error, DamageError) else GoneError(str(error)) from error
