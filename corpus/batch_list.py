"""The list of a store's batches: a batch counts once it stands there, so that one that is gone is missed.

``batches.jsonl`` is only appended to, a line for every batch that was added, removed, or given up as lost; the last
line of a batch holds. Every line carries a digest of itself. Beside it ``keys/<batch>.jsonl`` says in short what the
batch holds: of posts the ids, content digests and retrievals; sightings and tombstones whole.
"""

import functools
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from corpus.canonical import canonical_json, digest_of
from corpus.errors import DamageError
from corpus.files import Folder
from corpus.strict_json import load_json

LIST, KEYS, BATCHES, SNAPSHOTS = "batches.jsonl", "keys", "batches", "snapshots"
RECOVER = "run wordquarry store recover, which loses nothing"
_LOG = logging.getLogger(__name__)
_DIGEST = "line_sha256"
_DIGITS = 16

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

    def entries(self) -> dict[str, BatchEntry]:
        """Every batch that was ever listed; DamageError for a list with a line that is not as it was written."""
        entries: dict[str, BatchEntry] = {}
        for number, line in enumerate(self._lines(), start=1):
            entry = _parsed(line)
            if entry is None:
                raise DamageError(f"{self.folder}/{LIST}:{number} is damaged; {RECOVER}")
            _enter(entry, entries)
        return entries

    def _lines(self) -> list[bytes]:
        """Whole lines; what a killed writer left of one is none."""
        if not self.is_there():
            return []
        return self.folder.read(LIST).split(b"\n")[:-1]

    def is_there(self) -> bool:
        """Whether there is a list."""
        return self.folder.exists(LIST)

    def noted(self) -> set[str]:
        """The batches of which it is written down what they hold."""
        return {name.removesuffix(".jsonl") for name in (self.folder / KEYS).names()}

    def opened(self, files: Sequence[str], entry_of: Callable[[str], BatchEntry]) -> dict[str, BatchEntry]:
        """The entries; a store from before there were lists gets one, of its files and of what its snapshots name.

        ``entry_of`` says what stands in a file.
        """
        if not self.is_there() and (batches := self.named_by_snapshots().union(files)):
            self.note(self.made_of(batches, files, entry_of))
            _LOG.warning("%s had no list of its batches; one was made from its files and snapshots", self.folder)
        return self.entries()

    @staticmethod
    def made_of(
        batches: Iterable[str], files: Sequence[str], entry_of: Callable[[str], BatchEntry]
    ) -> list[BatchEntry]:
        """Entries of batches that nothing else is known of; those that were folded into a file are not missed."""
        there = [entry_of(batch) for batch in sorted(files)]
        folded = {name for one in there for name in (*one.instead, *(batch for batch, _ in one.of))}
        return [*(BatchEntry(batch, "held") for batch in sorted(set(batches) - folded.union(files))), *there]

    def named_by_snapshots(self) -> set[str]:
        """The batches of every snapshot that can still be read."""
        named: set[str] = set()
        for name in (self.folder / SNAPSHOTS).names():
            try:
                record = load_json(self.folder.read(f"{SNAPSHOTS}/{name}"))
                named.update(() if record.get("forgotten") else map(str, record["batches"]))
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # whoever opens that snapshot is told
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

    def readable(self) -> dict[str, BatchEntry]:
        """The entries of the lines that are as they were written."""
        entries: dict[str, BatchEntry] = {}
        for line in self._lines():
            if (entry := _parsed(line)) is not None:
                _enter(entry, entries)
        return entries

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


def leaves_of(entries: Mapping[str, BatchEntry], batches: Iterable[str]) -> set[str]:
    """The batches that were written, not folded, whose rows are or were in ``batches``."""
    found: set[str] = set()
    for name in batches:
        entry = entries.get(name)
        found.update([batch for batch, _ in entry.of] if entry is not None and entry.of else [name])
    return found


def _line(entry: BatchEntry) -> str:
    facts: dict[str, Any] = {"batch": entry.batch, "state": entry.state, "rows": entry.rows, "source": entry.source}
    facts |= {"of": entry.of or None, "instead": entry.instead or None, "footer": entry.footer}
    value = {name: fact for name, fact in facts.items() if fact is not None}
    return canonical_json({**value, _DIGEST: digest_of(value)[:_DIGITS]}) + "\n"


@functools.lru_cache(maxsize=1 << 16)
def _parsed(line: bytes) -> BatchEntry | None:
    """The entry of a line; None for a damaged one."""
    try:
        value = load_json(line)
        digest = value.pop(_DIGEST)
        if digest != digest_of(value)[:_DIGITS]:
            return None
        of = tuple((str(batch), int(rows)) for batch, rows in value.get("of", ()))
        instead = tuple(map(str, value.get("instead", ())))
        return BatchEntry(
            str(value["batch"]),
            value["state"],
            value.get("rows"),
            value.get("source"),
            of,
            instead,
            value.get("footer"),
        )
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
