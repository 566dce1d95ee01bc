"""The post store: batches that are only ever added, a current view by rule, and snapshots by content.

A batch is a parquet file named by the digest of its rows. The view of a set of batches holds, for each
``post_id``, the newest content by ``retrieved_at``; equal times are settled by the greater digest. The view therefore
depends on which batches there are and not on the order in which they came. Older content stays in its batch as history.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpus.canonical import canonical_json, digest_of, rows_digest, with_digest
from corpus.errors import InputError, StoreError
from corpus.files import Folder
from corpus.records import Post
from corpus.schema import parquet_bytes, read_parquet

BATCHES = "batches"
SNAPSHOTS = "snapshots"


@dataclass(frozen=True)
class Upsert:
    """What an upsert did: posts new, changed, unchanged, and the batch that was added, if any."""

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


def _age(post: Post) -> tuple[str, str]:
    return (post.retrieved_at or "", post.content_sha256)


def newest(posts: Iterable[Post]) -> dict[str, Post]:
    """The newest content of every post, by ``retrieved_at`` and then by digest, keyed and sorted by ``post_id``."""
    current: dict[str, Post] = {}
    for post in posts:
        held = current.get(post.post_id)
        if held is None or _age(post) > _age(held):
            current[post.post_id] = post
    return dict(sorted(current.items()))


def _refuse_conflicts(given: Iterable[Post], chosen: dict[str, Post]) -> None:
    for post in given:
        held = chosen[post.post_id]
        if post.content_sha256 != held.content_sha256 and _age(post)[0] == _age(held)[0]:
            raise InputError(
                f"post {post.post_id} comes twice with different content and nothing says which is newer; "
                "remove one of the two, or give retrieved_at (UTC, ISO 8601)"
            )


class PostStore:
    """Posts in one folder of the data directory."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder

    def batch_names(self) -> tuple[str, ...]:
        """The digests of all batches, sorted."""
        return tuple(name.removesuffix(".parquet") for name in (self.folder / BATCHES).names())

    def read_batch(self, batch: str) -> list[Post]:
        """The posts of one batch; StoreError if it is gone or damaged."""
        name = f"{BATCHES}/{batch}.parquet"
        return read_parquet(self.folder.read(name), Post, f"{self.folder}/{name}")

    def posts(self, batches: Sequence[str] | None = None) -> dict[str, Post]:
        """The newest content of every post in ``batches`` (default: all of them), sorted by ``post_id``."""
        names = self.batch_names() if batches is None else batches
        return newest(post for name in names for post in self.read_batch(name))

    def history(self, post_id: str) -> list[Post]:
        """Every content a post has had, newest first."""
        held = [post for name in self.batch_names() for post in self.read_batch(name) if post.post_id == post_id]
        distinct = {post.content_sha256: post for post in sorted(held, key=_age)}
        return sorted(distinct.values(), key=_age, reverse=True)

    def upsert(self, posts: Iterable[Post]) -> Upsert:
        """Add posts whose content the store does not hold yet, as one batch.

        Raises InputError if a post comes with two contents, or contradicts a stored one, and nothing dates them.
        """
        current = self.posts()
        given = [with_digest(post) for post in posts]
        incoming = newest(given)
        _refuse_conflicts(given, incoming)
        fresh = [post for post in incoming.values() if not self._holds(current, post)]
        for post in fresh:
            self._refuse_undatable(current.get(post.post_id), post)
        changed = sum(post.post_id in current for post in fresh)
        batch = self._add(fresh) if fresh else None
        return Upsert(len(fresh) - changed, changed, len(incoming) - len(fresh), batch)

    @staticmethod
    def _holds(current: dict[str, Post], post: Post) -> bool:
        held = current.get(post.post_id)
        return held is not None and held.content_sha256 == post.content_sha256

    @staticmethod
    def _refuse_undatable(held: Post | None, post: Post) -> None:
        if held is None or (post.retrieved_at is not None and _age(post)[0] != _age(held)[0]):
            return
        raise InputError(
            f"post {post.post_id} is stored with other content and nothing says which is newer; "
            "give its retrieved_at (UTC, ISO 8601) in the file, or use another --data folder"
        )

    def _add(self, posts: Sequence[Post]) -> str:
        ordered = sorted(posts, key=lambda post: post.post_id)
        batch = rows_digest(ordered)[:32]
        self.folder.write(f"{BATCHES}/{batch}.parquet", parquet_bytes(ordered, Post))
        return batch

    def snapshot(self) -> Snapshot:
        """Record the current content; the same content gives the same id whatever the history."""
        posts = self.posts()
        pairs = [[post.post_id, post.content_sha256] for post in posts.values()]
        snapshot = Snapshot(digest_of(pairs)[:32], self.batch_names(), len(posts))
        record = {"batches": list(snapshot.batches), "posts": snapshot.posts}
        self.folder.write(f"{SNAPSHOTS}/{snapshot.snapshot_id}.json", canonical_json(record).encode())
        return snapshot

    def read_snapshot(self, snapshot_id: str) -> dict[str, Post]:
        """The posts of a recorded snapshot; StoreError if it is unknown or its batches no longer give it."""
        name = f"{SNAPSHOTS}/{snapshot_id}.json"
        if not self.folder.exists(name):
            raise StoreError(f"no snapshot {snapshot_id} in {self.folder}; ingest or crawl its posts again")
        posts = self.posts(json.loads(self.folder.read(name))["batches"])
        found = digest_of([[post.post_id, post.content_sha256] for post in posts.values()])[:32]
        if found != snapshot_id:
            raise StoreError(f"the batches of snapshot {snapshot_id} in {self.folder} now give {found}; restore them")
        return posts

    def counts_by_source(self) -> dict[str, int]:
        """How many posts each source has."""
        counts: dict[str, int] = defaultdict(int)
        for post in self.posts().values():
            counts[post.source] += 1
        return dict(sorted(counts.items()))
