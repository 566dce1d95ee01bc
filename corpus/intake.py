"""Posts taken into a store one by one, in batches, with memory that grows neither with them nor with the store.

What the store holds is known by an index on disk (in TMPDIR) that lives as long as the intake.
"""

import sqlite3
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from corpus.batches import Sighting
from corpus.canonical import with_digest
from corpus.contents import age_of, instants, micros
from corpus.errors import InputError
from corpus.folding import fold
from corpus.records import Post
from corpus.store import PostStore, sighting_of

BATCH_CHARACTERS = 16 << 20
_AT_ONCE = 10_000
_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE held (
    post_id TEXT NOT NULL, content TEXT NOT NULL, moment INTEGER NOT NULL, PRIMARY KEY (post_id, content)
) WITHOUT ROWID;
"""


class IntakeOutcome(StrEnum):
    """What a post that was taken in is to the store."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    FORGOTTEN = "forgotten"


@dataclass
class Taken:
    """How many posts were taken in, by what they were to the store."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    forgotten: int = 0
    contradicting: int = 0


class Intake:
    """A context: posts are given to ``take`` and lie in the store when it is left, also after an error."""

    def __init__(self, store: PostStore) -> None:
        self.taken = Taken()
        self._store, self._buried = store, store.tombstones()
        self._posts: list[Post] = []
        self._sightings: dict[tuple[str, str], Sighting] = {}
        self._size = 0
        self._folder = tempfile.TemporaryDirectory(prefix="wordquarry-")
        self._index = sqlite3.connect(f"{self._folder.name}/held.sqlite", isolation_level=None)

    def __enter__(self) -> Self:
        self._index.executescript(_SCHEMA)
        held = self._store.contents()
        moments = instants(held)
        for start in range(0, held.num_rows, _AT_ONCE):
            some = held.slice(start, _AT_ONCE)
            columns = (some[name].to_pylist() for name in ("post_id", "content_sha256"))
            self._note(list(zip(*columns, moments[start : start + _AT_ONCE].tolist(), strict=True)))
        self._index.execute("BEGIN")
        return self

    def __exit__(self, kind: object, *_raised: object) -> None:
        try:
            self.flush()
            if kind is None:
                fold(self._store)
        finally:
            self._index.close()
            self._folder.cleanup()

    def take(self, post: Post) -> IntakeOutcome:
        """Take a post in; InputError, and nothing is taken, if it contradicts a content of the same or no age."""
        outcome = IntakeOutcome.FORGOTTEN if self._forbidden(post) else self._settle(with_digest(post))
        setattr(self.taken, outcome, getattr(self.taken, outcome) + 1)
        return outcome

    def _forbidden(self, post: Post) -> bool:
        return self._buried.forbid(post.post_id, post.url)

    def offer(self, post: Post) -> str | None:
        """Take a post in, or say why it is left out: it contradicts a content of the same age, and is counted."""
        try:
            self.take(post)
        except InputError as error:
            self.taken.contradicting += 1
            return str(error)
        return None

    def flush(self) -> None:
        """Write what was taken so far, but for what was forgotten meanwhile; that is not taken in any more."""
        if self._posts or self._sightings:
            self._store.add_lawful(self._posts, list(self._sightings.values()), self._buried)
        self._buried = self._store.tombstones()
        self._posts, self._sightings, self._size = [], {}, 0

    def _settle(self, post: Post) -> IntakeOutcome:
        held = dict(
            self._index.execute("SELECT content, moment FROM held WHERE post_id = ?", (post.post_id,)).fetchall()
        )
        content, moment = post.content_sha256, _instant(post)
        fresh = content not in held
        if fresh or moment > held[content]:
            others = [moment for other, moment in held.items() if other != content]
            if others and (post.retrieved_at is None or moment in others):
                raise InputError(
                    f"post {post.post_id} is stored with different content and nothing says which is newer; "
                    "give a time with --retrieved-at, or, if the files hold other threads under the same ids, each a "
                    "--source of its own, or use another --data folder"
                )
            self._note([(post.post_id, content, moment)])
            self._add(post, fresh)
        if not held:
            return IntakeOutcome.NEW
        newest, before = max((moment, other) for other, moment in held.items())[::-1]
        later = newest != content and (moment, content) > (before, newest)
        return IntakeOutcome.CHANGED if later else IntakeOutcome.UNCHANGED

    def _add(self, post: Post, fresh: bool) -> None:
        if not fresh:
            self._sightings[post.post_id, post.content_sha256] = sighting_of(post)
            return
        self._posts.append(post)
        self._size += len(post.question) * 2 + sum(len(answer.text) for answer in post.answers)
        if len(self._posts) >= self._store.sizes.intake_posts or self._size >= BATCH_CHARACTERS:
            self.flush()

    def _note(self, rows: list[tuple[str, str, int]]) -> None:
        self._index.executemany(
            "INSERT INTO held VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET moment = max(moment, excluded.moment)", rows
        )


def _instant(post: Post) -> int:
    return micros(age_of(post)[0])
