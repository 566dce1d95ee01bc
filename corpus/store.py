"""The post store: batches that are only ever added, a current view by rule, and snapshots by content.

A batch is a parquet file named by the digest of its rows: posts, or sightings, which say that a content held already
was found again at a later time. The view of a set of batches holds, for each ``post_id``, the content that was
retrieved last; equal times are settled by the greater digest. The view therefore depends on which batches there are
and not on the order in which they came. Older content stays in its batch as history. Tombstones (corpus.tombstones)
take posts out of the view. Batches that the store lists (corpus.batch_files) and that are gone or damaged are named by
whatever reads it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow.compute as pc

from corpus.batch_files import KEY, SNAPSHOTS, GoneError, leaves_of
from corpus.canonical import RETRIEVAL, canonical_json
from corpus.contents import Holding as Holding  # what others know it by
from corpus.contents import Holdings, age_of
from corpus.deposit import Upsert, upsert
from corpus.errors import DamageError, StoreError
from corpus.records import Post
from corpus.strict_json import load_json
from corpus.tombstones import GONE, Tombstone, address_key
from corpus.view import View


@dataclass(frozen=True)
class Snapshot:
    """The current content of a store: ``snapshot_id`` is a digest of the (post_id, content) pairs."""

    snapshot_id: str
    batches: tuple[str, ...]
    posts: int


class PostStore(View):
    """Posts in one folder of the data directory.

    ``source`` is where posts that are added may be read again; ``incomplete`` reads on without broken batches.
    """

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

    def posts(self, batches: Sequence[str] | None = None) -> dict[str, Post]:
        """The posts of ``current``, all of them in memory."""
        return dict(sorted((post.post_id, post) for post in self.load(self.current(batches))))

    def history(self, post_id: str) -> list[Post]:
        """Every content a post has had, each with the time it was last seen, newest first."""
        contents = self.contents()
        held = Holdings(contents.filter(pc.equal(contents["post_id"], post_id)))
        return sorted(self.load(held), key=age_of, reverse=True)

    def retrieved(self, post: Post) -> Post:
        """The post with the retrieval its content had last; as it is where the store does not hold that content."""
        return self._reading(None, lambda names, _: self._retrieved(names, post))

    def _retrieved(self, names: Sequence[str], post: Post) -> Post:
        found: list[Post] = []
        for name in (name for name in names if not name.startswith(GONE)):
            with self.open(name) as file:
                ids = file.columns(["post_id"])["post_id"].to_pylist()
                if post.post_id not in ids:
                    continue
                held = file.columns(KEY)
            places = (place for place, one in enumerate(ids) if one == post.post_id)
            rows = [row for place in places for row in held.slice(place, 1).to_pylist()]
            same = [row for row in rows if row["content_sha256"] == post.content_sha256]
            found += [post.model_copy(update={field: row.get(field) for field in RETRIEVAL}) for row in same]
        return max(found, key=age_of, default=post)

    def upsert(self, posts: Iterable[Post], *, lenient: bool = False) -> Upsert:
        """Add the contents the store does not hold yet, and note what was seen again later.

        Raises InputError, and adds nothing, if a post comes with two contents, or contradicts a stored one, and
        nothing dates them; ``lenient``ly such a content is left out.
        """
        return upsert(self, posts, lenient=lenient)

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
        name = f"{SNAPSHOTS}/{snapshot_id}.json"
        if not snapshot_id or self.left_out or not self.folder.exists(name):
            return None
        try:
            for batch in batches:
                with self.open(batch):
                    continue
            record = load_json(self.folder.read(name))
            posts = int(record["posts"])
        except (GoneError, ValueError, KeyError, TypeError):  # gone: batches are folded meanwhile
            return None
        whole = {"batches": list(batches), "posts": posts}
        return Snapshot(snapshot_id, batches, posts) if record == whole else None

    def open_snapshot(self, snapshot_id: str) -> Holdings:
        """Where the posts of a recorded snapshot are; StoreError if it is unknown or its batches no longer give it."""
        name = f"{SNAPSHOTS}/{snapshot_id}.json"
        if not self.folder.exists(name):
            raise StoreError(f"no snapshot {snapshot_id} in {self.folder}; ingest or crawl its posts again")
        try:
            record = load_json(self.folder.read(name))
            batches = [str(batch) for batch in record["batches"]]
        except (ValueError, KeyError, TypeError) as error:
            raise DamageError(f"{self.folder}/{name} is damaged; remove it and build from these posts again") from error
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
