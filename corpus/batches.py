"""The batches of a post store as files: listed, read whole or named as broken, added and removed.

A batch that the list (corpus.batch_list) has and the folder lacks is missing; one whose rows are not those it is named
after is damaged. Both are named by whatever reads the store.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from corpus.batch_list import BATCHES, KEYS, RECOVER, BatchEntry, BatchList, Source
from corpus.canonical import rows_digest
from corpus.errors import DamageError, StoreError
from corpus.files import Folder
from corpus.records import Post, Record, added_later
from corpus.schema import RecordT, parquet_bytes, read_parquet, rows_of_post
from corpus.tombstones import GONE, Tombstone

SEEN = "seen-"
ROW_GROUP = 500
"""Posts of a batch that damage within it takes along."""
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
        if incomplete:
            self.left_out = self.broken()

    def files(self) -> tuple[str, ...]:
        """The batches whose files are there, sorted; other files in the folder are none of ours."""
        names = (self.folder / BATCHES).names()
        return tuple(name.removesuffix(".parquet") for name in names if name.endswith(".parquet"))

    def batch_names(self) -> tuple[str, ...]:
        """The names of all batches, sorted; DamageError naming those that are listed and gone."""
        there = self.files()
        entries = self.list.opened(there)
        missing = self._missing(entries, there)
        if missing and not self._incomplete:
            told = [f"{name}.parquet ({_rows(entries[name])})" for name in missing]
            which = ", ".join(told[:NAMED]) + (f" and {len(told) - NAMED} more" if len(told) > NAMED else "")
            known = sum(entry.state == "held" for entry in entries.values())
            raise DamageError(f"{self.folder}/{BATCHES} lacks {len(missing)} of {known} batches: {which}; {RECOVER}")
        return tuple(name for name in there if name not in self.left_out and _counts(entries.get(name)))

    def _missing(self, entries: Mapping[str, BatchEntry], there: Sequence[str]) -> list[str]:
        """The batches that are listed and not there, also when one looks again: another may write meanwhile."""
        gone = {name for name, entry in entries.items() if entry.state == "held"}.difference(there)
        gone = {name for name in gone if not self.folder.exists(f"{BATCHES}/{name}.parquet")}
        return sorted(name for name in gone if self.list.entries()[name].state == "held")

    def broken(self) -> dict[str, str]:
        """The batches that are gone or damaged, and which of the two; reads all of them."""
        there = self.files()
        entries = self.list.opened(there)
        found = dict.fromkeys(self._missing(entries, there), "missing")
        for name in there:
            if _counts(entries.get(name)) and not self.is_sound(name):
                found[name] = "damaged"
        return dict(sorted(found.items()))

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

    def read(self, batch: str, kind: type[RecordT], *, tell: bool = True) -> list[RecordT]:
        where = f"{self.folder}/{BATCHES}/{batch}.parquet"
        try:
            rows = self.rows_of(batch, kind)
            if rows_digest(rows)[:32] != bare(batch):
                raise DamageError(f"{where} is damaged (its rows do not match its name); {RECOVER}")
        except DamageError as error:
            others = [name for name, _ in self.broken().items() if name != batch] if tell else []
            more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
            also = f"; also damaged or missing: {', '.join(others[:NAMED])}{more}" if others else ""
            raise DamageError(f"{error}{also}") from error
        return rows

    def rows_of(self, batch: str, kind: type[RecordT], wanted: Callable[[str], bool] | None = None) -> list[RecordT]:
        name = f"{BATCHES}/{batch}.parquet"
        return read_parquet(self.folder.read(name), kind, f"{self.folder}/{name}", wanted, RECOVER)

    def rows_of_post(self, batch: str, kind: type[RecordT], post_id: str) -> list[RecordT]:
        """The rows of one post in a batch, without reading what cannot hold it; the pages read have checksums."""
        name = f"{BATCHES}/{batch}.parquet"
        with self.folder.opened(name) as file:
            return rows_of_post(file, kind, f"{self.folder}/{name}", post_id, RECOVER)

    def add(self, rows: Sequence[RecordT], kind: type[RecordT], prefix: str = "") -> str:
        """Write a batch and list it: one that was written and not listed is taken up by ``adopt``."""
        batch = prefix + rows_digest(rows)[:32]
        self.list.begin()
        try:
            self.write_batch(batch, rows, kind)
        except StoreError:
            self.list.forget_keys(batch)
            raise
        self._note_held(batch, len(rows), self.source)
        return batch

    def _note_held(self, batch: str, rows: int, source: Source | None) -> None:
        """List a batch whose file is there, unless another command has removed it meanwhile."""
        self.list.note([BatchEntry(batch, "held", rows, source)])
        if not self.folder.exists(f"{BATCHES}/{batch}.parquet"):
            self.list.note([BatchEntry(batch, "removed")])

    def write_batch(self, batch: str, rows: Sequence[RecordT], kind: type[RecordT]) -> None:
        """Write the file of a batch, and what it holds in short; it is listed by whoever asks for it."""
        self.list.note_keys(batch, rows)
        self.folder.write(f"{BATCHES}/{batch}.parquet", parquet_bytes(rows, kind, ROW_GROUP))

    def remove_batch(self, batch: str) -> None:
        """Take a batch off the list and remove its file; StoreError if that cannot be."""
        self.list.note([BatchEntry(batch, "removed")])
        self.clear_removed(batch)

    def clear_removed(self, batch: str) -> None:
        """Remove what is left of a batch that is off the list."""
        (self.folder / BATCHES).remove(f"{batch}.parquet")
        self.list.forget_keys(batch)

    def adopt(self) -> None:
        """List what a killed command wrote and did not list, and note what batches hold where that was not done."""
        there = self.files()
        entries = self.list.opened(there)
        noted = set((self.folder / KEYS).names())
        for name in there:
            if name in self.left_out or not _counts(entries.get(name)):
                continue
            if name not in entries or f"{name}.jsonl" not in noted:
                rows = self.read(name, kind_of(name))
                self.list.note_keys(name, rows)
                source = None if name in entries else self.source
                self._note_held(name, len(rows), source)

    def has_lost(self) -> bool:
        """Whether a batch was given up as lost."""
        return any(entry.state == "lost" for entry in self.list.entries().values())


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
