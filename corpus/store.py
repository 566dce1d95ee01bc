"""The post store: batches that are only ever added, a current view by rule, and snapshots by content.

A batch is a parquet file named by the digest of its rows: posts, or sightings, which say that a content held already
was found again at a later time. The view of a set of batches holds, for each ``post_id``, the content that was
retrieved last; equal times are settled by the greater digest. The view therefore depends on which batches there are
and not on the order in which they came. Older content stays in its batch as history. Tombstones (corpus.tombstones)
take posts out of the view. Batches that the store lists (corpus.batch_list) and that are gone or damaged are named by
whatever reads it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from corpus.batch_list import BATCHES, RECOVER, SNAPSHOTS, Source
from corpus.batches import SEEN, Batches, Sighting
from corpus.canonical import RETRIEVAL, canonical_json, digest_of, rows_digest, with_digest
from corpus.contents import Dated, age_of, choose_newest, contents_of, newest, refuse_undatable
from corpus.errors import DamageError, StoreError
from corpus.files import Folder
from corpus.records import Post
from corpus.strict_json import load_json
from corpus.tombstones import GONE, Tombstone, Tombstones, address_key


@dataclass(frozen=True)
class Upsert:
    """What an upsert did: posts new, changed, unchanged, and the batch of posts that was added, if any.

    A post is changed if its current content is now another; older content only joins the history.
    """

    new: int
    changed: int
    unchanged: int
    batch: str | None


@dataclass(frozen=True)
class Snapshot:
    """The current content of a store: ``snapshot_id`` is a digest of the (post_id, content) pairs."""

    snapshot_id: str
    batches: tuple[str, ...]
    posts: int


class Holding(NamedTuple):
    """A content that a batch holds, and how it was last retrieved; small beside the post itself."""

    post_id: str
    content_sha256: str
    batch: str
    retrieved_at: str | None
    response_sha256: str | None
    parser: str | None


class PostStore(Batches):
    """Posts in one folder of the data directory.

    ``source`` is where posts that are added may be read again; ``incomplete`` reads on without broken batches.
    """

    def __init__(self, folder: Folder, *, source: Source | None = None, incomplete: bool = False) -> None:
        super().__init__(folder, source=source, incomplete=incomplete)
        self._buried: tuple[tuple[str, ...], Tombstones] | None = None

    def read_batch(self, batch: str) -> list[Post]:
        """The posts of one batch; StoreError if it is gone or damaged."""
        return self.read(batch, Post)

    def read_sightings(self, batch: str) -> list[Sighting]:
        """The sightings of one batch whose name begins with SEEN; StoreError if it is gone or damaged."""
        return self.read(batch, Sighting)

    def tombstones(self, batches: Sequence[str] | None = None) -> Tombstones:
        """What was forgotten or removed, by ``batches`` (default: all of them); read once while those are the same."""
        names = tuple(name for name in (self.batch_names() if batches is None else batches) if name.startswith(GONE))
        if any(name.startswith(GONE) for name in self.left_out):
            raise DamageError(f"{self.folder} lacks tombstones: forgotten posts could come back; {RECOVER}")
        if self._buried is None or self._buried[0] != names:
            stones = Tombstones(stone for name in names for stone in self.read(name, Tombstone))
            self._buried = (names, stones)
        return self._buried[1]

    def add_batch(self, posts: Sequence[Post], sightings: Sequence[Sighting] = ()) -> str | None:
        """Add contents and sightings that the store does not hold; returns the name of the batch of posts, if any."""
        self.adopt()
        batch = self.add(posts, Post) if posts else None
        if sightings:
            self.add(sightings, Sighting, SEEN)
        return batch

    def add_lawful(self, posts: Sequence[Post], sightings: Sequence[Sighting] = ()) -> str | None:
        """Like ``add_batch``, without what has been forgotten by the time it is written.

        Whoever forgets writes the tombstone first and then looks for the content; here the content is written first and
        then tombstones are looked for: whichever comes last finds the other, so that nobody has to wait.
        """
        batch = self.add_batch(posts, sightings)
        buried = self.tombstones()
        late = {post.post_id for post in posts if buried.forbid(post)}
        late |= {one.post_id for one in sightings if one.post_id in buried.forgotten}
        if not late:
            return batch
        kept = [post for post in posts if post.post_id not in late]
        seen = [one for one in sightings if one.post_id not in late]
        written = self.add_batch(kept, seen)
        for rows, left, prefix in ((posts, kept, ""), (sightings, seen, SEEN)):
            if len(left) < len(rows):
                self.remove_batch(f"{prefix}{rows_digest(rows)[:32]}")
        return written

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
            Tombstone(kind="removed", post_id=post.post_id, noted_at=moments[address_key(post.url)])
            for post in (self.load(self.current().values()) if moments else ())
            if post.url is not None and address_key(post.url) in moments
        ]
        self.add_tombstones(stones)
        return len(stones)

    def _held(self, batches: Sequence[str]) -> dict[tuple[str, str], Holding]:
        """Every content in ``batches``, by post id and digest; one batch at a time is in memory."""
        forgotten, lenient = self.tombstones(batches).forgotten, self._incomplete or self.has_lost()
        held = contents_of(
            Holding(post.post_id, post.content_sha256, name, *(getattr(post, field) for field in RETRIEVAL))
            for name in batches
            if not name.startswith((SEEN, GONE))
            for post in self.read_batch(name)
        )
        for name in batches:
            for sighting in self.read_sightings(name) if name.startswith(SEEN) else ():
                key = (sighting.post_id, sighting.content_sha256)
                if key not in held and (lenient or sighting.post_id in forgotten):
                    continue  # its content is lost, or was cleared away while it was seen again
                if key not in held:
                    raise DamageError(f"{self.folder}/{BATCHES} lacks the batch that holds {key[0]}; {RECOVER}")
                seen = held[key]._replace(**{name: getattr(sighting, name) for name in RETRIEVAL})
                held[key] = max(held[key], seen, key=age_of)
        return held

    def current(self, batches: Sequence[str] | None = None) -> dict[str, Holding]:
        """Where the newest content of every post in ``batches`` (default: all of them) is, sorted by ``post_id``.

        Posts that were forgotten, or removed by their site after they were last seen, are not among them.
        """
        batches = self.batch_names() if batches is None else batches
        buried = self.tombstones(batches)
        current = newest(self._held(batches).values())
        return {post_id: held for post_id, held in current.items() if not buried.cover(post_id, age_of(held)[0])}

    def load(self, holdings: Iterable[Holding]) -> Iterator[Post]:
        """The posts behind ``holdings``, batch by batch, each with the time it was last seen.

        Whoever found the holdings has checked their batches; here the checksums of the pages are.
        """
        by_batch: dict[str, dict[tuple[str, str], Holding]] = defaultdict(dict)
        for held in holdings:
            by_batch[held.batch][held.post_id, held.content_sha256] = held
        for batch, wanted in sorted(by_batch.items()):
            ids = {post_id for post_id, _ in wanted}
            for post in self.rows_of(batch, Post, ids.__contains__):
                found = wanted.get((post.post_id, post.content_sha256))
                if found is not None:
                    yield post.model_copy(update={field: getattr(found, field) for field in RETRIEVAL})

    def posts(self, batches: Sequence[str] | None = None) -> dict[str, Post]:
        """The posts of ``current``, all of them in memory."""
        return {post.post_id: post for post in sorted(self.load(self.current(batches).values()), key=_by_id)}

    def history(self, post_id: str) -> list[Post]:
        """Every content a post has had, each with the time it was last seen, newest first."""
        held = [one for one in self._held(self.batch_names()).values() if one.post_id == post_id]
        return sorted(self.load(held), key=age_of, reverse=True)

    def retrieved(self, post: Post) -> Post:
        """The post with the retrieval its content had last; as it is where the store does not hold that content."""
        found: list[Post] = []
        for name in (name for name in self.batch_names() if not name.startswith(GONE)):
            kind: type[Post] | type[Sighting] = Sighting if name.startswith(SEEN) else Post
            rows: Sequence[Post | Sighting] = self.rows_of_post(name, kind, post.post_id)
            same = [row for row in rows if row.content_sha256 == post.content_sha256]
            found += [post.model_copy(update={field: getattr(row, field) for field in RETRIEVAL}) for row in same]
        return max(found, key=age_of, default=post)

    def upsert(self, posts: Iterable[Post]) -> Upsert:
        """Add the contents the store does not hold yet, as one batch, and note what was seen again later.

        Raises InputError, and adds nothing, if a post comes with two contents, or contradicts a stored one, and
        nothing dates them.
        """
        buried = self.tombstones()
        posts = [post for post in posts if not buried.forbid(post)]
        incoming = choose_newest(posts)
        held = self._held(self.batch_names())
        given = contents_of(with_digest(post) for post in posts)
        fresh = [post for key, post in given.items() if key not in held]
        again = [post for key, post in given.items() if key in held and age_of(post) > age_of(held[key])]
        refuse_undatable([*fresh, *again], held.values())
        batch = self.add_lawful(fresh, [sighting_of(post) for post in again])
        return _summary(newest(held.values()), incoming, batch)

    def snapshot(self) -> Snapshot:
        """Record the current content; the same content gives the same id whatever the history."""
        self.adopt()
        batches = self.batch_names()
        current = self.current(batches)
        snapshot = Snapshot(_snapshot_id(current), batches, len(current))
        record = {"batches": list(snapshot.batches), "posts": snapshot.posts}
        record |= {"incomplete": True} if self.left_out else {}
        self.folder.write(f"{SNAPSHOTS}/{snapshot.snapshot_id}.json", canonical_json(record).encode())
        return snapshot

    def open_snapshot(self, snapshot_id: str) -> dict[str, Holding]:
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
            return PostStore(self.folder, incomplete=True).open_snapshot(snapshot_id)
        lost = {name for name, entry in self.list.entries().items() if entry.state == "lost"}.intersection(batches)
        if lost:
            raise StoreError(
                f"snapshot {snapshot_id} in {self.folder} held posts of {len(lost)} batches that have been lost since; "
                "build a new version"
            )
        if not self._incomplete:
            self.batch_names()
        current = self.current(batches)
        found = _snapshot_id(current)
        if found != snapshot_id:
            raise DamageError(f"the batches of snapshot {snapshot_id} in {self.folder} now give {found}; restore them")
        return current

    def counts_by_source(self) -> dict[str, int]:
        """How many posts each source has."""
        counts: dict[str, int] = defaultdict(int)
        for post in self.load(self.current().values()):
            counts[post.source] += 1
        return dict(sorted(counts.items()))


def _by_id(post: Post) -> str:
    return post.post_id


def _snapshot_id(current: Mapping[str, Dated]) -> str:
    return digest_of([[content.post_id, content.content_sha256] for content in current.values()])[:32]


def sighting_of(post: Post) -> Sighting:
    """That the content of a dated post was retrieved again."""
    assert post.retrieved_at is not None
    return Sighting.model_validate({name: getattr(post, name) for name in Sighting.model_fields})


def _summary(before: Mapping[str, Dated], incoming: Mapping[str, Dated], batch: str | None) -> Upsert:
    new = sum(post_id not in before for post_id in incoming)
    changed = 0
    for post_id, post in incoming.items():
        held = before.get(post_id)
        changed += held is not None and held.content_sha256 != post.content_sha256 and age_of(post) > age_of(held)
    return Upsert(new, changed, len(incoming) - new - changed, batch)
