"""The batches of a post store as files: listed, read whole or named as broken, added and removed.

What the list (batch_files) says is held counts, and no other file does. A batch that it has and the folder lacks
is missing; one whose rows are not those it is named after is damaged. Both are named by whatever reads the store.
"""

import io
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpus.canonical import content_digest, rows_digest
from corpus.errors import DamageError, StoreError
from corpus.folders.files import Folder
from corpus.post_store.batch_files import (
    BATCHES,
    KEYS,
    LIST,
    RECOVER,
    BatchEntry,
    BatchFile,
    BatchList,
    GoneError,
    Section,
    Source,
    batch_bytes,
    footer_digest,
    key_lines,
    leaves_of,
    name_of,
)
from corpus.post_store.contents import holdings_of
from corpus.post_store.tombstones import GONE, Tombstone
from corpus.records import Post, Record, added_later
from corpus.schema import RecordT, table_of

SEEN = "seen-"
NAMED = 5


class Sighting(Record):
    """The content of a post, held already, was retrieved again at ``retrieved_at``."""

    post_id: str
    content_sha256: str
    retrieved_at: str
    response_sha256: str | None = added_later()
    parser: str | None = added_later()


class Batches:
    """The batches in one folder."""

    def __init__(self, folder: Folder, *, source: Source | None = None, incomplete: bool = False) -> None:
        self.folder, self.list = folder, BatchList(folder)
        self.source, self._incomplete = source, incomplete
        self.left_out: dict[str, str] = {}
        self._known: dict[str, BatchEntry] = {}
        if incomplete:
            self.left_out = self.broken()

    def files(self) -> tuple[str, ...]:
        """The batches whose files are there, sorted; other files in the folder are none of ours."""
        names = (self.folder / BATCHES).names()
        return tuple(name.removesuffix(".parquet") for name in names if name.endswith(".parquet"))

    def batch_names(self) -> tuple[str, ...]:
        """The names of all batches, sorted; DamageError naming those that are listed and gone."""
        entries, there = self.entries(), set(self.files())
        self._known = entries
        missing = self._missing(entries, there)
        if missing and not self._incomplete:
            told = [f"{name}.parquet ({_rows(entries[name])})" for name in missing]
            which = ", ".join(told[:NAMED]) + (f" and {len(told) - NAMED} more" if len(told) > NAMED else "")
            known = sum(entry.state == "held" for entry in entries.values())
            raise DamageError(f"{self.folder}/{BATCHES} lacks {len(missing)} of {known} batches: {which}; {RECOVER}")
        return tuple(name for name in sorted(there) if name not in self.left_out and _is_held(entries, name))

    def entries(self) -> dict[str, BatchEntry]:
        """What the list says of each batch; DamageError where the list is damaged or gone."""
        if self.lost_its_list():
            raise DamageError(
                f"{self.folder}/{LIST} is gone, which says what batches there are: some may be missing, and what was "
                f"forgotten could come back; {RECOVER}"
            )
        return self.list.entries()

    def lost_its_list(self) -> bool:
        """Whether there is no list though there are batches."""
        return not self.list.is_there() and bool(self.list.noted() or self.files())

    def files_of(self, batches: Iterable[str]) -> tuple[list[str], set[str]]:
        """The batches that hold now what was in ``batches``, folded or not, and whose of their rows that are."""
        entries, given = self.entries(), set(batches)
        of = leaves_of(entries, given)
        names = [name for name in sorted(entries) if name not in self.left_out and _is_held(entries, name)]
        return [name for name in names if name in given or leaves_of(entries, [name]) & of], of

    def _missing(self, entries: Mapping[str, BatchEntry], there: Collection[str]) -> list[str]:
        """The batches that are listed and not there, also when one looks again: another may write meanwhile."""
        gone = {name for name in entries if _is_held(entries, name)}.difference(there)
        gone = {name for name in gone if not self.folder.exists(f"{BATCHES}/{name}.parquet")}
        return sorted(name for name in gone if self.list.entries()[name].state == "held")

    def broken(self) -> dict[str, str]:
        """The batches that are gone or damaged, and which of the two; reads all of them."""
        entries, there = self.entries(), self.files()
        found = dict.fromkeys(self._missing(entries, there), "missing")
        found |= {name: "damaged" for name in there if _is_held(entries, name) and self.fault_of(name)}
        return dict(sorted(found.items()))

    def check(self) -> None:
        """DamageError naming the batches that are gone or damaged; reads all of them."""
        faults = {name: fault for name in self.batch_names() if (fault := self.fault_of(name)) is not None}
        if faults:
            first, *others = faults
            more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
            also = f"; also damaged: {', '.join(others[:NAMED])}{more}" if others else ""
            raise DamageError(f"{faults[first]}{also}") from faults[first]

    def fault_of(self, batch: str) -> DamageError | None:
        """Why a batch cannot be read, or does not hold the rows it is named after; not that it was folded meanwhile."""
        try:
            self.read(batch, kind_of(batch))
        except DamageError as error:
            gone = isinstance(error, GoneError) and not _is_held(self.list.entries(), batch)
            return None if gone else error
        return None

    def state(self) -> dict[str, list[dict[str, Any]]]:
        """What is not in the view though it was stored: batches given up as lost and, if read so, broken ones."""
        entries = self.list.entries()
        lost = [{"batch": name, "posts": one.rows} for name, one in sorted(entries.items()) if one.state == "lost"]
        broken = [
            {"batch": name, "posts": entries[name].rows if name in entries else None, "state": state}
            for name, state in self.left_out.items()
        ]
        return {name: found for name, found in (("broken", broken), ("lost", lost)) if found}

    def open(self, batch: str) -> BatchFile:
        """A batch to be read in parts; DamageError if it is gone or damaged."""
        if batch not in self._known:
            self._known = self.list.entries()
        entry = self._known.get(batch)
        expected = entry.footer if entry is not None and entry.state == "held" else None
        return BatchFile(self.folder, batch, kind_of(batch), expected)

    def read(self, batch: str, kind: type[RecordT]) -> list[RecordT]:
        """All rows of a batch, each checked, and all against the batch's name; DamageError where they differ."""
        with self.open(batch) as file:
            rows = [file.record(row, kind) for group in file.groups() for row in group.to_pylist()]
            if not _matches(file, rows, bare(batch)):
                raise DamageError(f"{file.where} is damaged (its rows do not match its name); {RECOVER}")
        return rows

    def read_part(self, batch: str, kind: type[RecordT], of: Collection[str] | None) -> list[RecordT]:
        """The rows of a batch that were of the batches named, or all of them; checked like ``read``."""
        rows = self.read(batch, kind)
        with self.open(batch) as file:
            return [rows[place] for place in file.places(of)]

    def keys(self, batch: str, of: Collection[str] | None = None) -> pa.Table:
        """What a batch of posts or sightings holds, or what it holds of the batches named, in the columns of HELD."""
        with self.open(batch) as file:
            return holdings_of(file.keys(of), batch)

    def add(self, rows: Sequence[Record], kind: type[Record], prefix: str = "") -> str:
        """Write a batch of records and list it."""
        return self.add_table(table_of([row.model_dump() for row in rows], kind), prefix)

    def add_table(
        self, rows: pa.Table, prefix: str = "", sections: Sequence[Section] = (), instead: Sequence[str] = ()
    ) -> str:
        """Write a batch and list it: one that was written and not listed does not count.

        ``sections`` says whose rows they were, ``instead`` which batches it takes the place of.
        """
        lines = key_lines(rows)
        batch = prefix + name_of(lines, sections)
        source = None if sections else self.source
        entry = BatchEntry(batch, "held", rows.num_rows, source, tuple(sections), tuple(instead))
        self.place_batch(batch, lines, batch_bytes(rows, batch, sections, instead), entry)
        return batch

    def place_batch(self, batch: str, lines: bytes, content: bytes, entry: BatchEntry) -> None:
        """Put the file of a batch where it belongs, and list it.

        It is written again where another command has taken it for what a killed one left, and not seen the line
        (``clear_removed``).
        """
        self.list.begin()
        self._write(batch, lines, content)
        self.list.note([replace(entry, footer=footer_digest(io.BytesIO(content)))])
        self._known = {}
        there = all(map(self.folder.exists, (f"{BATCHES}/{batch}.parquet", f"{KEYS}/{batch}.jsonl")))
        if not there and _is_held(self.list.entries(), batch):
            self._write(batch, lines, content)

    def _write(self, batch: str, lines: bytes, content: bytes) -> None:
        try:
            self.list.note_keys(batch, lines)
            self.folder.write(f"{BATCHES}/{batch}.parquet", content)
        except StoreError:
            self.list.forget_keys(batch)
            raise

    def restore_batch(self, batch: str, rows: Sequence[Record]) -> bool:
        """Write a batch that is listed anew, if these are all the rows that it is named after; whether they are.

        One of version 0.2 or before, which was named otherwise, becomes one of today that has its rows.
        """
        entry = self.list.entries().get(batch)
        sections = tuple(Section(*one) for one in entry.of) if entry is not None else ()
        instead = entry.instead if entry is not None else ()
        table = table_of([row.model_dump() for row in rows], kind_of(batch))
        lines = key_lines(table)
        if name_of(lines, sections) != bare(batch):
            if rows_digest(rows)[:32] != bare(batch):
                return False
            self.add_table(table, batch.removesuffix(bare(batch)), [Section(batch, len(rows))], [batch])
            self.clear_removed(batch)
            return True
        content = batch_bytes(table, batch, sections, instead)
        self._write(batch, lines, content)
        footer = footer_digest(io.BytesIO(content))
        self.list.note([BatchEntry(batch, "held", len(rows), instead=instead, footer=footer)])
        return True

    def rewritten(self, batch: str, ids: Collection[str]) -> set[str]:
        """Add what a batch of posts or sightings holds without those of some posts, where it holds any.

        Gives the batches whose rows those were; the batch itself stays until it is removed.
        """
        with self.open(batch) as file:
            found = pc.is_in(file.columns(["post_id"])["post_id"], value_set=pa.array(sorted(ids), pa.string()))
            gone = found.combine_chunks().to_numpy(zero_copy_only=False)
            if not gone.any():
                return set()
            kept = pa.concat_tables(file.groups()).filter(pa.array(~gone))
            ends = np.cumsum([0, *(one.rows for one in file.sections)])
            lost = [int(gone[start:end].sum()) for start, end in pairwise(ends)]
            left = [Section(one.batch, one.rows - less) for one, less in zip(file.sections, lost, strict=True)]
            touched = {one.batch for one, less in zip(file.sections, lost, strict=True) if less}
        if kept.num_rows:
            self.add_table(kept, SEEN if batch.startswith(SEEN) else "", left)
        return touched or {batch}

    def remove_batch(self, batch: str) -> None:
        """Take a batch off the list and remove its file; StoreError if that cannot be."""
        self.list.note([BatchEntry(batch, "removed")])
        self._known = {}
        self.clear_removed(batch)

    def clear_removed(self, batch: str) -> None:
        """Remove what is left of a batch that is not on the list, or off it.

        It is put back where another command has listed it meanwhile: that one lists first and looks for the files then,
        this one removes them first and looks at the list then, so that one of the two sees what the other did.
        """
        paths = f"{KEYS}/{batch}.jsonl", f"{BATCHES}/{batch}.parquet"
        held = [self.folder.read(path) if self.folder.exists(path) else None for path in paths]
        if _is_held(self.list.entries(readable=True), batch):
            return
        self.list.forget_keys(batch)
        (self.folder / BATCHES).remove(f"{batch}.parquet")
        if _is_held(self.list.entries(readable=True), batch):
            for path, content in zip(paths, held, strict=True):
                if content is not None:
                    self.folder.write(path, content)

    def leftovers(self) -> list[str]:
        """The batches of which killed commands have left something, and those that others have not listed yet."""
        entries = self.entries()
        counted = {name for name, entry in entries.items() if entry.state in ("held", "lost")}
        return sorted({*self.files(), *self.list.noted()} - counted)

    def has_lost(self) -> bool:
        """Whether a batch was given up as lost."""
        return any(entry.state == "lost" for entry in self.list.entries().values())


def _matches(file: BatchFile, rows: Sequence[Record], name: str) -> bool:
    """Whether the rows of a file are those its batch is named after, and each content is what its digest says."""
    contents = (content_digest(row) == row.content_sha256 for row in rows if isinstance(row, Post))
    return name_of(key_lines(file.columns(file.key_columns)), file.sections) == name and all(contents)


def kind_of(batch: str) -> type[Post] | type[Sighting] | type[Tombstone]:
    """What the rows of a batch are, by its name."""
    return Sighting if batch.startswith(SEEN) else Tombstone if batch.startswith(GONE) else Post


def bare(batch: str) -> str:
    """The digest in the name of a batch."""
    return batch.removeprefix(SEEN).removeprefix(GONE)


def _is_held(entries: Mapping[str, BatchEntry], batch: str) -> bool:
    """Whether a batch belongs to the view."""
    return batch in entries and entries[batch].state == "held"


def _rows(entry: BatchEntry) -> str:
    return "rows not known" if entry.rows is None else f"{entry.rows} rows"
