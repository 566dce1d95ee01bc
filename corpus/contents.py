"""Contents that posts have had, and which of two is newer: the one that was retrieved last, then the greater digest."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Protocol, TypeVar

from corpus.canonical import with_digest
from corpus.errors import InputError
from corpus.records import Post
from corpus.tombstones import moment_of


class Dated(Protocol):
    """A content of a post and when it was last seen: a post itself, or where it is held."""

    @property
    def post_id(self) -> str: ...
    @property
    def content_sha256(self) -> str: ...
    @property
    def retrieved_at(self) -> str | None: ...


DatedT = TypeVar("DatedT", bound=Dated)


def age_of(content: Dated) -> tuple[datetime, str]:
    """What settles which of two contents of a post is newer."""
    return (moment_of(content.post_id, content.retrieved_at), content.content_sha256)


def newest(contents: Iterable[DatedT]) -> dict[str, DatedT]:
    """The newest content of every post, by ``retrieved_at`` and then by digest, keyed and sorted by ``post_id``."""
    current: dict[str, DatedT] = {}
    for content in contents:
        held = current.get(content.post_id)
        if held is None or age_of(content) > age_of(held):
            current[content.post_id] = content
    return dict(sorted(current.items()))


def contents_of(contents: Iterable[DatedT]) -> dict[tuple[str, str], DatedT]:
    """Every content of every post, with the time it was last seen; keyed and sorted by post id and digest."""
    held: dict[tuple[str, str], DatedT] = {}
    for content in contents:
        key = (content.post_id, content.content_sha256)
        if key not in held or age_of(content) > age_of(held[key]):
            held[key] = content
    return dict(sorted(held.items()))


def choose_newest(posts: Iterable[Post]) -> dict[str, Post]:
    """Like ``newest``, over posts that get their digests here.

    Raises InputError where a post comes with two contents of the same age, or of none.
    """
    given = [with_digest(post) for post in posts]
    by_age: dict[tuple[str, datetime], str] = {}
    for post in given:
        if by_age.setdefault((post.post_id, age_of(post)[0]), post.content_sha256) != post.content_sha256:
            raise InputError(
                f"post {post.post_id} comes twice with different content and nothing says which is newer; "
                "remove one of the two, give retrieved_at (UTC, ISO 8601), or, if they are two threads, a source each"
            )
    return newest(given)


def refuse_undatable(news: Iterable[Post], held: Iterable[Dated]) -> None:
    """InputError if a post contradicts a stored content of the same age, or has no age to compare."""
    ages: dict[str, dict[str, datetime]] = defaultdict(dict)
    for content in held:
        ages[content.post_id][content.content_sha256] = age_of(content)[0]
    for post in news:
        others = [age for content, age in ages[post.post_id].items() if content != post.content_sha256]
        if others and (post.retrieved_at is None or age_of(post)[0] in others):
            raise InputError(
                f"post {post.post_id} is stored with different content and nothing says which is newer; "
                "give its retrieved_at (UTC, ISO 8601) in the file, or, if the files hold other threads under the same "
                "ids, each a --source of its own, or use another --data folder"
            )
