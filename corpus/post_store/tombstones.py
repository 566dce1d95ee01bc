"""Posts that are gone: forgotten on request, for good, or removed by their site, until they are seen again.

A tombstone holds no content. One of kind ``forgotten`` names a post, an address, or both; whatever has that id or
address is not taken in again. One of kind ``removed`` names a post and when its site said that it is no more.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal

from corpus.errors import InputError
from corpus.records import Record

GONE = "gone-"
_UNDATED = datetime.min.replace(tzinfo=UTC)


class Tombstone(Record):
    """One post or address that is gone; ``noted_at`` is UTC in ISO 8601, for posts removed by their site."""

    kind: Literal["forgotten", "removed"]
    post_id: str | None = None
    url: str | None = None
    noted_at: str | None = None


class Tombstones:
    """All tombstones of a set of batches; the same whatever their order."""

    def __init__(self, stones: Iterable[Tombstone]) -> None:
        self.stones = tuple(stones)
        forgotten = [stone for stone in self.stones if stone.kind == "forgotten"]
        self.forgotten = {stone.post_id for stone in forgotten if stone.post_id}
        self._urls = {address_key(stone.url) for stone in forgotten if stone.url}
        self._removed: dict[str, datetime] = {}
        for stone in self.stones:
            if stone.kind == "removed" and stone.post_id:
                moment = moment_of(stone.post_id, stone.noted_at)
                self._removed[stone.post_id] = max(moment, self._removed.get(stone.post_id, _UNDATED))

    @property
    def named(self) -> set[str]:
        """The posts that are gone, or were at some time."""
        return self.forgotten.union(self._removed)

    @property
    def removals(self) -> list[Tombstone]:
        """Those of posts that their site has removed."""
        return [stone for stone in self.stones if stone.kind == "removed" and stone.post_id]

    def forbid(self, post_id: str, url: str | None) -> bool:
        """Whether a post may not be taken in: it, or its address, was forgotten."""
        return post_id in self.forgotten or (bool(self._urls) and url is not None and address_key(url) in self._urls)

    def cover(self, post_id: str, seen: datetime) -> bool:
        """Whether a post last seen at ``seen`` is gone."""
        removed = self._removed.get(post_id)
        return post_id in self.forgotten or (removed is not None and removed > seen)


def address_key(url: str) -> str:
    """An address for comparison: without scheme, ``www.``, fragment and a slash at its end.

    >>> address_key("https://www.forum.example/q/7/#top") == address_key("http://forum.example/q/7")
    True
    """
    rest = url.partition("#")[0].partition("://")[2] or url
    host, slash, path = rest.partition("/")
    return (host.lower().removeprefix("www.") + slash + path).rstrip("/")


def moment_of(post_id: str, retrieved_at: str | None) -> datetime:
    """The instant of a ``retrieved_at``; None is before every other; a time without a zone is UTC."""
    if retrieved_at is None:
        return _UNDATED
    try:
        moment = datetime.fromisoformat(retrieved_at)
    except ValueError as error:
        raise InputError(f"post {post_id}: retrieved_at {retrieved_at[:40]!r} is not a time in ISO 8601") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
