"""Bringing back what a broken store lacks: from the damaged file itself, then from every place where it may still be.

A batch whose every row is found has the name it had, so that snapshots are as they were. Of another, what is found is
added as a batch of its own, and the rest is gone: it stays missed until it is found, or the loss is accepted.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from corpus.canonical import RETRIEVAL, content_digest
from corpus.errors import DamageError
from corpus.folders.files import Folder
from corpus.folders.locks import folding
from corpus.post_store.batch_files import BATCHES, LIST, BatchEntry, BatchFile
from corpus.post_store.batches import SEEN, Batches, Sighting, kind_of
from corpus.post_store.deposit import upsert
from corpus.post_store.store import PostStore
from corpus.post_store.tombstones import GONE, Tombstone
from corpus.records import Post
from corpus.schema import salvage

UNKNOWN = "unknown"
"""In place of the name of a batch that nothing tells of."""
ITSELF, BESIDE = "the damaged file", "other batches"
StoredRow = Post | Sighting | Tombstone


class Place(NamedTuple):
    """Where posts may be read again, by a name for people; ``own``: all of its posts belong to the store."""

    name: str
    posts: Callable[[], Iterable[Post]]
    own: bool = True


@dataclass
class Recovery:
    """What became of a broken batch: rows by where they came from, the ids of those that are gone, and the rest.

    ``known`` says whether anything tells what the batch held: ``rows`` and ``gone`` are all only then. ``whole``:
    nothing of it is missed any more; ``accepted``: something is, and the list says so.
    """

    batch: str
    state: str
    rows: int | None = None
    known: bool = True
    found: Counter[str] = field(default_factory=Counter)
    gone: tuple[str, ...] = ()
    whole: bool = False
    accepted: bool = False


def recover(folder: Folder, places: Sequence[Place], *, accept: bool = False) -> list[Recovery]:
    """Bring back what a store lacks; with ``accept`` what cannot be found is noted as lost.

    Tombstones come first: as long as some are missing nothing else is touched, since it may have been forgotten.
    Killed at any moment it only has to be run again.
    """
    with folding(folder, wait=True):
        batches = Batches(folder)
        _mend_list(batches, accept)
        done = _recover_batches(PostStore(folder, incomplete=True), (), accept, stones=True)
        if all(one.whole or one.accepted for one in done):
            done += _recover_batches(PostStore(folder, incomplete=True), places, accept, stones=False)
        return done


def _mend_list(batches: Batches, accept: bool) -> None:
    """A list that is gone or damaged is made anew of its sound lines, files, snapshots, and what is noted of batches.

    DamageError where the list is gone and a batch that is there is not noted, as those of version 0.2 or before need
    not be: then others may be gone without a trace, which only ``accept`` takes for granted, and the list says so.
    """
    listed, there = batches.list, {name: _entry_of(batches, name) for name in batches.files()}
    was_lost = batches.lost_its_list()
    try:
        listed.entries()
    except DamageError:
        pass
    else:
        if not was_lost:
            return
    unnoted = {name for name, entry in there.items() if entry.footer} - listed.noted() if was_lost else set()
    if unnoted and not accept:
        raise DamageError(
            f"{listed.folder}/{LIST} is gone, and so is what was noted of {len(unnoted)} of {len(there)} batches that "
            f"are there: nobody can say which others there were; move {listed.folder} away and read its posts again, "
            "or go on with what is there: --accept-loss"
        )
    known = listed.entries(readable=True) | ({UNKNOWN: BatchEntry(UNKNOWN, "lost")} if unnoted else {})
    folded = {name for one in there.values() for name in (*one.instead, *(batch for batch, _ in one.of))} - set(there)
    named = (listed.noted() | listed.named_by_snapshots()) - folded
    made = {name: BatchEntry(name, "held") for name in sorted(named)} | there | known
    for name in folded.intersection(name for name, one in known.items() if one.state == "held"):
        made[name] = replace(known[name], state="folded")
    listed.mend(made)


def _entry_of(batches: Batches, batch: str) -> BatchEntry:
    """What the list would say of a batch by its file; no more than its name where that cannot be read."""
    try:
        with BatchFile(batches.folder, batch, kind_of(batch)) as file:
            return BatchEntry(batch, "held", file.count, None, file.sections, file.instead, file.footer)
    except DamageError:
        return BatchEntry(batch, "held")


def _recover_batches(store: PostStore, places: Sequence[Place], accept: bool, *, stones: bool) -> list[Recovery]:
    entries = store.list.entries()
    broken = {name: "lost" for name, entry in entries.items() if entry.state == "lost"} | store.left_out
    chosen = {name: state for name, state in sorted(broken.items()) if name.startswith(GONE) == stones}
    search = _Search(store)
    for name in chosen:
        search.want(name)
    search.look(places)
    done = [_settle(search, Recovery(name, state), accept) for name, state in chosen.items()]
    unknown = [one for one in done if not one.known and one.state != "lost" and kind_of(one.batch) is Post]
    if unknown:
        unknown[0].found.update(_take_in(store, [place for place in places if place.own]))
    return done


class _Search:
    """What is wanted, and what of it was found where."""

    def __init__(self, store: PostStore) -> None:
        self.store = store
        self.keys: dict[str, list[dict[str, Any]] | None] = {}
        self.salvaged: dict[str, list[StoredRow]] = {}
        self.found: dict[tuple[str, str], tuple[Post, str]] = {}
        self._wanted: set[tuple[str, str]] = set()

    def want(self, batch: str) -> None:
        """Look for what a batch held; what its own file still gives is found at once."""
        self.keys[batch] = keys = self.store.list.keys(batch)
        self.salvaged[batch] = self._salvage(batch)
        if kind_of(batch) is Post:
            self._wanted |= {_key(row) for row in keys or ()}
            self._offer(ITSELF, [row for row in self.salvaged[batch] if isinstance(row, Post)])

    def _salvage(self, batch: str) -> list[StoredRow]:
        folder, name = self.store.folder / BATCHES, f"{batch}.parquet"
        rows: Sequence[StoredRow] = salvage(folder.read(name), kind_of(batch)) if folder.exists(name) else ()
        return [row for row in rows if not isinstance(row, Post) or content_digest(row) == row.content_sha256]

    def look(self, places: Sequence[Place]) -> None:
        """Look through the store's other batches, and then through the places until nothing is wanted any more."""
        if self._missed():
            for batch in self.store.batch_names():
                if kind_of(batch) is Post:
                    self._offer(BESIDE, self.store.read_batch(batch))
        for place in places:
            if self._missed():
                self._offer(place.name, place.posts())

    def _missed(self) -> bool:
        return not self._wanted <= self.found.keys()

    def _offer(self, name: str, posts: Iterable[Post]) -> None:
        for post in posts:
            key = (post.post_id, post.content_sha256)
            if key in self._wanted and key not in self.found:
                self.found[key] = (post, name)

    def rows(self, batch: str) -> list[tuple[StoredRow | None, str, str]]:
        """What a batch held as far as that is known: each row if it was found, its post's id, and where it was."""
        keys = self.keys[batch]
        if keys is None:
            return [(row, row.post_id or "", ITSELF) for row in self.salvaged[batch]]
        if kind_of(batch) is not Post:
            noted: list[StoredRow] = [kind_of(batch).model_validate(key) for key in keys]
            return [(row, row.post_id or "", "what is noted about it") for row in noted]
        return [self._row(key) for key in keys]

    def _row(self, key: Mapping[str, Any]) -> tuple[StoredRow | None, str, str]:
        post, where = self.found.get(_key(key), (None, ""))
        if post is not None:
            post = post.model_copy(update={name: key.get(name) for name in RETRIEVAL})
        return post, key["post_id"], where


def _key(row: Mapping[str, Any]) -> tuple[str, str]:
    return str(row.get("post_id")), str(row.get("content_sha256"))


def _settle(search: _Search, done: Recovery, accept: bool) -> Recovery:
    """Write what was found of one batch, and note what became of it."""
    store, batch = search.store, done.batch
    rows = search.rows(batch)
    kind = kind_of(batch)
    forgotten = set() if kind is Tombstone else store.tombstones().forgotten
    there = [(row, where) for row, post_id, where in rows if row is not None and post_id not in forgotten]
    done.known, done.rows = search.keys[batch] is not None, len(rows) if search.keys[batch] is not None else None
    done.found = Counter(where for _, where in there)
    done.gone = tuple(post_id for row, post_id, _ in rows if row is None and post_id not in forgotten)
    complete = [row for row, _ in there]
    if complete and store.restore_batch(batch, complete):
        done.whole, done.gone = True, ()
        return done
    fresh = [row for row, where in there if where != BESIDE]
    if fresh:
        store.add(fresh, kind, SEEN if kind is Sighting else GONE if kind is Tombstone else "")
    if done.known and not done.gone:
        store.remove_batch(batch)
        done.whole = True
    elif accept or done.state == "lost":
        store.list.note([BatchEntry(batch, "lost", len(done.gone) if done.known else None)])
        (store.folder / BATCHES).remove(f"{batch}.parquet")
        done.accepted = True
    return done


def _take_in(store: PostStore, places: Sequence[Place]) -> dict[str, int]:
    """Where nothing tells what a batch held, everything the store's own sources give is taken in again.

    What contradicts something that is held is left out.
    """
    counts = {place.name: upsert(store, place.posts(), lenient=True).new for place in places}
    return {name: count for name, count in counts.items() if count}
