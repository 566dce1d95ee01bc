"""The batches of a post store as files: listed, read whole or named as broken, added and removed.

A batch that the list (corpus.batch_list) has and the folder lacks is missing; one whose rows are not those it is named
after is damaged. Both are named by whatever reads the store.
"""

import contextlib
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpus.batch_files import (
    BatchFile,
    GoneError,
    Section,
    batch_bytes,
    footer_digest,
    key_lines,
    name_of,
    unnamed_bytes,
)
from corpus.batch_list import BATCHES, KEYS, LIST, RECOVER, BatchEntry, BatchList, Source, leaves_of
from corpus.canonical import content_digest, rows_digest
from corpus.contents import holdings_of
from corpus.errors import DamageError, StoreError
from corpus.files import Folder
from corpus.records import Post, Record, added_later
from corpus.schema import RecordT, table_of
from corpus.tombstones import GONE, Tombstone

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
        entries, there = self._now()
        self._known = entries
        missing = self._missing(entries, there)
        if missing and not self._incomplete:
            told = [f"{name}.parquet ({_rows(entries[name])})" for name in missing]
            which = ", ".join(told[:NAMED]) + (f" and {len(told) - NAMED} more" if len(told) > NAMED else "")
            known = sum(entry.state == "held" for entry in entries.values())
            raise DamageError(f"{self.folder}/{BATCHES} lacks {len(missing)} of {known} batches: {which}; {RECOVER}")
        return tuple(name for name in there if name not in self.left_out and _counts(entries.get(name)))

    def _now(self) -> tuple[dict[str, BatchEntry], tuple[str, ...]]:
        """The list, and then the files: what takes the place of others is there before they go."""
        if self.lost_its_list():
            raise DamageError(
                f"{self.folder}/{LIST} is gone, which says what batches there are: some may be missing, and what was "
                f"forgotten could come back; {RECOVER}"
            )
        entries = self.list.opened(self.files(), self.entry_of)
        return entries, self.files()

    def lost_its_list(self) -> bool:
        """Whether there is no list, and what is there was written by a command that had one."""
        return not self.list.is_there() and (bool(self.list.noted()) or any(map(self._names_itself, self.files())))

    def _names_itself(self, batch: str) -> bool:
        try:
            with BatchFile(self.folder, batch, kind_of(batch)) as file:
                return file.named
        except DamageError:
            return False

    def entry_of(self, batch: str) -> BatchEntry:
        """What the list would say of a batch by its file; no more than its name where that cannot be read."""
        try:
            with BatchFile(self.folder, batch, kind_of(batch)) as file:
                return BatchEntry(batch, "held", file.count, None, file.sections, file.instead)
        except DamageError:
            return BatchEntry(batch, "held")

    def files_of(self, batches: Iterable[str]) -> tuple[list[str], set[str]]:
        """The batches that hold now what was in ``batches``, folded or not, and whose of their rows that are."""
        entries, there = self._now()
        given = set(batches)
        entries = {name: self.entry_of(name) for name in there if name not in entries} | entries
        of = leaves_of(entries, given)
        names = [name for name in there if name not in self.left_out and _counts(entries[name])]
        return [name for name in names if name in given or leaves_of(entries, [name]) & of], of

    def _missing(self, entries: Mapping[str, BatchEntry], there: Sequence[str]) -> list[str]:
        """The batches that are listed and not there, also when one looks again: another may write meanwhile."""
        gone = {name for name, entry in entries.items() if entry.state == "held"}.difference(there)
        gone = {name for name in gone if not self.folder.exists(f"{BATCHES}/{name}.parquet")}
        return sorted(name for name in gone if self.list.entries()[name].state == "held")

    def broken(self) -> dict[str, str]:
        """The batches that are gone or damaged, and which of the two; reads all of them."""
        entries, there = self._now()
        found = dict.fromkeys(self._missing(entries, there), "missing")
        for name in there:
            if _counts(entries.get(name)) and not self.is_sound(name):
                found[name] = "damaged"
        return dict(sorted(found.items()))

    def check(self) -> None:
        """DamageError naming every batch that is gone or damaged; reads all of them."""
        for name in self.batch_names():
            self.read(name, kind_of(name))

    def is_sound(self, batch: str) -> bool:
        """Whether a batch can be read and holds the rows it is named after."""
        try:
            self.read(batch, kind_of(batch), tell=False)
        except DamageError:
            return False
        return True

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

    def is_vouched_for(self, batch: str) -> bool:
        """Whether the list says what the end of the file is; else only all of its rows tell whether it is whole."""
        entry = self._known.get(batch)
        return entry is not None and entry.footer is not None

    def read(self, batch: str, kind: type[RecordT], *, tell: bool = True) -> list[RecordT]:
        """All rows of a batch, each checked, and all of them against the batch's name; DamageError where they differ.

        The error names the other damaged and missing batches too, if it may ``tell``.
        """
        with self.telling(batch) if tell else contextlib.nullcontext(), self.open(batch) as file:
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
        with self.telling(batch), self.open(batch) as file:
            if not self.is_vouched_for(batch):
                self.read(batch, kind_of(batch), tell=False)
            return holdings_of(file.keys(of), batch)

    @contextlib.contextmanager
    def telling(self, batch: str) -> Iterator[None]:
        """An error about a damaged batch names the other damaged and missing ones too."""
        try:
            yield
        except GoneError:
            raise
        except DamageError as error:
            others = [name for name in self.broken() if name != batch]
            more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
            also = f"; also damaged or missing: {', '.join(others[:NAMED])}{more}" if others else ""
            raise DamageError(f"{error}{also}") from error

    def add(self, rows: Sequence[Record], kind: type[Record], prefix: str = "") -> str:
        """Write a batch of records and list it."""
        return self.add_table(table_of([row.model_dump() for row in rows], kind), prefix)

    def add_table(
        self, rows: pa.Table, prefix: str = "", sections: Sequence[Section] = (), instead: Sequence[str] = ()
    ) -> str:
        """Write a batch and list it: one that was written and not listed is taken up by ``adopt``.

        ``sections`` says whose rows they were, ``instead`` which batches it takes the place of.
        """
        lines = key_lines(rows)
        batch = prefix + name_of(lines, sections)
        source = None if sections else self.source
        entry = BatchEntry(batch, "held", rows.num_rows, source, tuple(sections), tuple(instead))
        self.place_batch(batch, lines, batch_bytes(rows, batch, sections, instead), entry)
        return batch

    def place_batch(self, batch: str, lines: bytes, content: bytes, entry: BatchEntry) -> None:
        """Put the file of a batch where it belongs, and list it."""
        self.list.begin()
        try:
            self.list.note_keys(batch, lines)
            self.folder.write(f"{BATCHES}/{batch}.parquet", content)
        except StoreError:
            self.list.forget_keys(batch)
            raise
        self._note_held(replace(entry, footer=footer_digest(io.BytesIO(content))))

    def _note_held(self, entry: BatchEntry) -> None:
        """List a batch whose file is there, unless another command has removed it meanwhile."""
        self.list.note([entry])
        self._known = {}
        if not self.folder.exists(f"{BATCHES}/{entry.batch}.parquet"):
            self._note_gone(entry.batch)

    def _note_gone(self, batch: str) -> None:
        """Note that a batch was removed, unless it was folded, which the list says already."""
        if self.list.entries()[batch].state == "held":
            self.list.note([BatchEntry(batch, "removed")])

    def restore_batch(self, batch: str, rows: Sequence[Record]) -> bool:
        """Write a batch that is listed anew, if these are all the rows that it is named after; whether they are."""
        entry = self.list.entries().get(batch)
        sections = tuple(Section(*one) for one in entry.of) if entry is not None else ()
        instead = entry.instead if entry is not None else ()
        table = table_of([row.model_dump() for row in rows], kind_of(batch))
        lines = key_lines(table)
        if name_of(lines, sections) == bare(batch):
            content = batch_bytes(table, batch, sections, instead)
        elif rows_digest(rows)[:32] == bare(batch):
            content = unnamed_bytes(table)
        else:
            return False
        self.list.note_keys(batch, lines)
        self.folder.write(f"{BATCHES}/{batch}.parquet", content)
        footer = footer_digest(io.BytesIO(content))
        self.list.note([BatchEntry(batch, "held", len(rows), instead=instead, footer=footer)])
        return True

    def rewritten(self, batch: str, ids: Collection[str]) -> set[str]:
        """Add what a batch of posts or sightings holds without those of some posts, where it holds any.

        Gives the batches whose rows those were; the batch itself stays until it is removed.
        """
        with self.telling(batch), self.open(batch) as file:
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
        """Remove what is left of a batch that is off the list."""
        (self.folder / BATCHES).remove(f"{batch}.parquet")
        self.list.forget_keys(batch)

    def adopt(self) -> None:
        """List what a killed command wrote and did not list, and note what batches hold where that was not done."""
        entries, there = self._now()
        noted = set((self.folder / KEYS).names())
        for name in there:
            if name in self.left_out or not _counts(entries.get(name)):
                continue
            if name not in entries or f"{name}.jsonl" not in noted:
                with self.telling(name), self.open(name) as file:
                    if not self.is_vouched_for(name):
                        self.read(name, kind_of(name), tell=False)
                    self.list.note_keys(name, key_lines(file.columns(file.key_columns)))
                    source = None if name in entries or file.sections else self.source
                    self._note_held(
                        BatchEntry(name, "held", file.count, source, file.sections, file.instead, file.footer)
                    )
                entries = self.list.entries()

    def has_lost(self) -> bool:
        """Whether a batch was given up as lost."""
        return any(entry.state == "lost" for entry in self.list.entries().values())


def _matches(file: BatchFile, rows: Sequence[Record], name: str) -> bool:
    """Whether the rows of a file are those its batch is named after, and each content is what its digest says."""
    if not file.named:
        return rows_digest(rows)[:32] == name
    contents = (content_digest(row) == row.content_sha256 for row in rows if isinstance(row, Post))
    return name_of(key_lines(file.columns(file.key_columns)), file.sections) == name and all(contents)


def kind_of(batch: str) -> type[Post] | type[Sighting] | type[Tombstone]:
    """What the rows of a batch are, by its name."""
    return Sighting if batch.startswith(SEEN) else Tombstone if batch.startswith(GONE) else Post


def bare(batch: str) -> str:
    """The digest in the name of a batch."""
    return batch.removeprefix(SEEN).removeprefix(GONE)


def _counts(entry: BatchEntry | None) -> bool:
    """Whether a batch that is there belongs to the view: it is listed, or was written by a command that was killed."""
    return entry is None or entry.state == "held"


def _rows(entry: BatchEntry) -> str:
    return "rows not known" if entry.rows is None else f"{entry.rows} rows"
