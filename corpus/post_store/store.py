"""The post store: batches that are only ever added, a current view by rule, and snapshots by content.

A batch is a parquet file named by the digest of its rows: posts, or sightings, which say that a content held already
was found again at a later time. The view of a set of batches holds, for each ``post_id``, the content that was
retrieved last; equal times are settled by the greater digest. The view therefore depends on which batches there are
and not on the order in which they came. Older content stays in its batch as history. Tombstones (tombstones)
take posts out of the view. Batches that the store lists (batch_files) and that are gone or damaged are named by
whatever reads it.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpus.canonical import RETRIEVAL, canonical_json
from corpus.errors import DamageError, StoreError
from corpus.folders.files import Folder
from corpus.post_store.batch_files import (
    BATCHES,
    KEY,
    RECOVER,
    SNAPSHOTS,
    BatchFile,
    GoneError,
    Source,
    leaves_of,
    read_snapshot,
    snapshot_ids,
)
from corpus.post_store.batches import SEEN, Batches
from corpus.post_store.contents import HELD, Holdings, age_of, contents_of, in_order, newest, uncovered
from corpus.post_store.contents import Holding as Holding  # what others know it by
from corpus.post_store.tombstones import GONE, Tombstone, Tombstones, address_key
from corpus.record_tables import POST_ID, rows_of
from corpus.records import Post


@dataclass(frozen=True)
class Snapshot:
    """The current content of a store: ``snapshot_id`` is a digest of the (post_id, content) pairs."""

    snapshot_id: str
    batches: tuple[str, ...]
    posts: int


_TRIES = 3
_READ: ContextVar[dict[tuple[str, bool, tuple[str, ...]], Holdings] | None] = ContextVar("_READ", default=None)
ViewT = TypeVar("ViewT")


@contextlib.contextmanager
def read_once() -> Iterator[None]:
    """Within it what batches give together is kept and not read again: they are named by what is in them."""
    token = _READ.set({})
    try:
        yield
    finally:
        _READ.reset(token)


@dataclass(frozen=True)
class StoreSizes:
    """How large the batches of a store become.

    A batch has at most ``deposit_posts`` posts. So many batches of about one size (``fan``) are folded into one. A
    batch of ``full_posts`` posts, or of ``full_bytes``, is not folded any more: then a fold fits into memory.
    """

    deposit_posts: int = 10_000
    fan: int = 8
    full_posts: int = 8_192
    full_bytes: int = 4 << 20


SIZES = StoreSizes()


class PostStore(Batches):
    """Posts in one folder of the data directory.

    ``source`` is where posts that are added may be read again; ``incomplete`` reads on without broken batches.
    """

    def __init__(
        self, folder: Folder, *, source: Source | None = None, incomplete: bool = False, sizes: StoreSizes = SIZES
    ) -> None:
        super().__init__(folder, source=source, incomplete=incomplete)
        self.sizes = sizes
        self._buried: tuple[tuple[str, ...], Tombstones] | None = None

    def read_batch(self, batch: str) -> list[Post]:
        """The posts of one batch; StoreError if it is gone or damaged."""
        return self.read(batch, Post)

    def add_tombstones(self, stones: Sequence[Tombstone]) -> str | None:
        """Add tombstones the store does not hold; returns the name of their batch, if any."""
        held = set(self.tombstones().stones)
        fresh = [stone for stone in stones if stone not in held]
        return self.add(fresh, Tombstone, GONE) if fresh else None

    def bury(self, gone: Iterable[tuple[str, str]]) -> int:
        """Note that the threads at these addresses are no more, since the times given; returns how many posts go.

        A post that is seen again at a later time is back.
        """
        moments = {address_key(url): moment for url, moment in gone}
        stones = [
            Tombstone(kind="removed", post_id=held.post_id, noted_at=moments[address_key(row["url"])])
            for held, row in (self.columns(self.current(), ["url"]) if moments else ())
            if row["url"] is not None and address_key(row["url"]) in moments
        ]
        self.add_tombstones(stones)
        return len(stones)

    def posts(self) -> dict[str, Post]:
        """The posts of ``current``, all of them in memory."""
        return dict(sorted((post.post_id, post) for post in self.load(self.current())))

    def history(self, post_id: str) -> list[Post]:
        """Every content a post has had, each with the time it was last seen, newest first."""
        contents = self.contents()
        held = Holdings(contents.filter(pc.equal(contents["post_id"], post_id)))
        return sorted(self.load(held), key=age_of, reverse=True)

    def retrieved(self, post: Post) -> Post:
        """The post with the retrieval its content had last; as it is where the store does not hold that content."""
        return self.reading(None, lambda names, _: self._retrieved(names, post))

    def _retrieved(self, names: Sequence[str], post: Post) -> Post:
        found: list[Post] = []
        for name in (name for name in names if not name.startswith(GONE)):
            with self.open(name) as file:
                there = len(rows_of(file.columns([POST_ID]), [post.post_id])) > 0
                rows = rows_of(file.columns(KEY), [post.post_id]).to_pylist() if there else []
            same = [row for row in rows if row["content_sha256"] == post.content_sha256]
            found += [post.model_copy(update={field: row.get(field) for field in RETRIEVAL}) for row in same]
        return max(found, key=age_of, default=post)

    def snapshot(self, likely: str = "") -> Snapshot:
        """Record the current content; the same content gives the same id whatever the history.

        One that is ``likely``, by its id, is taken as it was recorded if it is of the same batches: these are named
        after what is in them, so that of each nothing is read but its end, which has to be as it was written.
        """
        batches = self.batch_names()
        recorded = self._recorded(likely, batches)
        if recorded is not None:
            return recorded
        current = self.current(batches)
        snapshot = Snapshot(current.digest, batches, len(current))
        record = {"batches": list(snapshot.batches), "posts": snapshot.posts}
        record |= {"incomplete": True} if self.left_out else {}
        self.folder.write(f"{SNAPSHOTS}/{snapshot.snapshot_id}.json", canonical_json(record).encode())
        return snapshot

    def _recorded(self, snapshot_id: str, batches: tuple[str, ...]) -> Snapshot | None:
        """A snapshot as it was recorded of these batches, if it was; DamageError if one of them is damaged."""
        if self.left_out or snapshot_id not in snapshot_ids(self.folder):
            return None
        try:
            for batch in batches:
                with self.open(batch):
                    continue
        except GoneError:  # folded meanwhile
            return None
        try:
            record = read_snapshot(self.folder, snapshot_id)
            posts = int(record["posts"])
        except (DamageError, ValueError, KeyError, TypeError):
            return None
        whole = {"batches": list(batches), "posts": posts}
        return Snapshot(snapshot_id, batches, posts) if record == whole else None

    def open_snapshot(self, snapshot_id: str) -> Holdings:
        """Where the posts of a recorded snapshot are; StoreError if it is unknown or its batches no longer give it."""
        if snapshot_id not in snapshot_ids(self.folder):
            raise StoreError(f"no snapshot {snapshot_id} in {self.folder}; ingest or crawl its posts again")
        record = read_snapshot(self.folder, snapshot_id)
        batches = record["batches"]
        if record.get("forgotten"):
            raise StoreError(
                f"snapshot {snapshot_id} in {self.folder} held posts that are forgotten by now; build a new version"
            )
        if record.get("incomplete") and not self._incomplete:
            return PostStore(self.folder, incomplete=True, sizes=self.sizes).open_snapshot(snapshot_id)
        entries = self.list.entries()
        whole = leaves_of(entries, batches)
        lost = [name for name, entry in entries.items() if entry.state == "lost" and leaves_of(entries, [name]) & whole]
        if lost:
            raise StoreError(
                f"snapshot {snapshot_id} in {self.folder} held posts of {len(lost)} batches that have been lost since; "
                "build a new version"
            )
        if not self._incomplete:
            self.batch_names()
        current = self.current(batches)
        if current.digest != snapshot_id:
            raise DamageError(
                f"the batches of snapshot {snapshot_id} in {self.folder} now give {current.digest}; restore them"
            )
        return current

    def tombstones(self, batches: Sequence[str] | None = None) -> Tombstones:
        """What was forgotten or removed, by ``batches`` (default: all of them); read once while those are the same."""
        if any(name.startswith(GONE) for name in self.left_out):
            raise DamageError(f"{self.folder} lacks tombstones: forgotten posts could come back; {RECOVER}")
        return self.reading(batches, self._tombstones)

    def _tombstones(self, names: Sequence[str], of: Collection[str] | None) -> Tombstones:
        names = tuple(name for name in names if name.startswith(GONE))
        if of is not None or self._buried is None or self._buried[0] != names:
            stones = Tombstones(stone for name in names for stone in self.read_part(name, Tombstone, of))
            if of is not None:
                return stones
            self._buried = (names, stones)
        return self._buried[1]

    def reading(
        self, batches: Sequence[str] | None, read: Callable[[Sequence[str], Collection[str] | None], ViewT]
    ) -> ViewT:
        """What ``read`` gives of files, and of whose rows of them; again if some of them were folded meanwhile."""
        for left in reversed(range(_TRIES)):
            names, of = (self.batch_names(), None) if batches is None else self.files_of(batches)
            try:
                return read(names, of)
            except GoneError:
                self.batch_names()  # a DamageError where it is missed
                if not left:
                    raise
        raise AssertionError("it returns or raises")

    def withdraw(self, batches: Iterable[str], known: Tombstones | None, buried: Tombstones | None = None) -> None:
        """Take out of batches what has been forgotten since ``known`` were all the tombstones, as ``buried`` are now.

        Whoever forgets writes the tombstone first and then looks for the content; here the content is written first and
        then tombstones are looked for: whichever comes last finds the other, so that nobody has to wait. Whoever has
        folded a batch meanwhile looks for all of them.
        """
        buried = buried or self.tombstones()
        if known is buried:
            return
        late, batches = set[str](), list(batches)
        for batch in batches:
            with contextlib.suppress(GoneError):
                late |= self.forbidden(batch, buried)
        for batch in batches:
            with contextlib.suppress(GoneError):
                if self.rewritten(batch, late):
                    self.remove_batch(batch)

    def forbidden(self, batch: str, buried: Tombstones) -> set[str]:
        """The posts of a batch that were forgotten."""
        with self.open(batch) as file:
            rows = file.columns(["post_id", *(() if batch.startswith(SEEN) else ("url",))]).to_pylist()
        return {row["post_id"] for row in rows if buried.forbid(row["post_id"], row.get("url"))}

    def contents(self, batches: Sequence[str] | None = None) -> pa.Table:
        """Every content in ``batches`` (default: all of them), once, in the columns of HELD."""
        return self.reading(batches, self._contents)

    def _contents(self, names: Sequence[str], of: Collection[str] | None) -> pa.Table:
        parts: dict[bool, list[pa.Table]] = {False: [HELD.empty_table()], True: [HELD.empty_table()]}
        for name in names:
            if not name.startswith(GONE):
                parts[name.startswith(SEEN)].append(self.keys(name, of))
        held, seen = (pa.concat_tables(parts[which]) for which in (False, True))
        found, lost = contents_of(held, seen)
        if lost and not (self._incomplete or self.has_lost()):  # of what is lost, or was cleared away while seen again
            forgotten = self.tombstones().forgotten
            for post_id in lost:
                if post_id not in forgotten:
                    raise DamageError(f"{self.folder}/{BATCHES} lacks the batch that holds {post_id}; {RECOVER}")
        return found

    def current(self, batches: Sequence[str] | None = None) -> Holdings:
        """Where the newest content of every post in ``batches`` (default: all of them) is, sorted by ``post_id``.

        Posts that were forgotten, or removed by their site after they were last seen, are not among them.
        """
        names = self.batch_names() if batches is None else tuple(sorted(batches))
        held, key = _READ.get(), (self.folder.path, self._incomplete, names)
        if held is None or key not in held:
            buried, contents = self.tombstones(batches), self.contents(batches)
            holdings = Holdings(in_order(uncovered(contents.take(pa.array(newest(contents))), buried)))
            if held is None:
                return holdings
            held[key] = holdings
        return held[key]

    def load(self, holdings: Holdings) -> Iterator[Post]:
        """The posts behind ``holdings``, batch by batch, each with the time it was last seen.

        Only the groups of rows that hold them are read; the checksums of their pages are checked.
        """
        for file, rows, found in self._matched(holdings, lambda file, ids: file.groups(ids)):
            for held, row in zip(found.rows(), rows.to_pylist(), strict=True):
                yield file.record({**row, **{name: getattr(held, name) for name in RETRIEVAL}}, Post)

    def tables(self, holdings: Holdings) -> Iterator[pa.Table]:
        """The posts behind ``holdings`` as rows, group by group; how they were retrieved is left out."""
        for _, rows, _ in self._matched(holdings, lambda file, ids: file.groups(ids)):
            for name in RETRIEVAL:
                place = rows.schema.get_field_index(name)
                rows = rows.set_column(
                    place, rows.schema.field(place), pa.nulls(rows.num_rows, rows.schema.types[place])
                )
            yield rows

    def columns(self, holdings: Holdings, names: Sequence[str]) -> Iterator[tuple[Holding, dict[str, Any]]]:
        """Some columns of the posts behind ``holdings``, batch by batch; no other is read."""
        wanted = ["post_id", "content_sha256", *names]
        for _, rows, found in self._matched(holdings, lambda file, _: [file.columns(wanted)]):
            yield from zip(found.rows(), rows.to_pylist(), strict=True)

    def _matched(
        self, holdings: Holdings, read: Callable[[BatchFile, Collection[str]], Iterable[pa.Table]]
    ) -> Iterator[tuple[BatchFile, pa.Table, Holdings]]:
        """The rows behind holdings, batch by batch, wherever a batch was folded to meanwhile."""
        for batch, wanted in holdings.by_batch():
            places = {key: place for place, key in enumerate(_keys(wanted.table))}
            ids = {post_id for post_id, _ in places}
            with self._opened(batch) as files:
                for file, rows in ((one, rows) for one in files for rows in read(one, ids)):
                    held = np.array([places.pop(key, -1) for key in _keys(rows)])
                    there = held >= 0
                    if there.any():
                        found = rows if there.all() else rows.filter(pa.array(there))
                        yield file, found, Holdings(wanted.table.take(pa.array(held[there])))

    @contextlib.contextmanager
    def _opened(self, batch: str) -> Iterator[list[BatchFile]]:
        """The file of a batch, or those that it was folded to."""
        there = self.folder.exists(f"{BATCHES}/{batch}.parquet")
        with contextlib.ExitStack() as stack:
            try:
                files = [stack.enter_context(self.open(batch))] if there else []
            except GoneError:
                files = []
            if not files:
                files = self.reading(
                    [batch], lambda names, _: [stack.enter_context(self.open(name)) for name in names or [batch]]
                )
            yield files


def _keys(rows: pa.Table) -> Iterator[tuple[str, str]]:
    """The post id and the content digest of each row."""
    return zip(rows["post_id"].to_pylist(), rows["content_sha256"].to_pylist(), strict=True)
