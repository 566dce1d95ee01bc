"""Forgetting posts: their content leaves the data folder's stores and stage outputs, and a tombstone stays.

Published versions are made anew without them (takedown). What crawls have kept of them is cleared by whoever
knows its form (crawlers.crawl_forgetting), by the traces given here.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import chain

import pyarrow as pa

from corpus.canonical import canonical_json
from corpus.errors import DamageError, InputError
from corpus.folders.files import Folder
from corpus.folders.locks import folding
from corpus.outputs import FILES, WENT, Outputs
from corpus.post_store.batch_files import SNAPSHOTS, GoneError, leaves_of, read_snapshot, snapshot_ids
from corpus.post_store.batches import SEEN
from corpus.post_store.store import PostStore
from corpus.post_store.tombstones import GONE, Tombstone, Tombstones, address_key
from corpus.records import Post
from corpus.schema import read_table
from corpus.strict_json import load_json
from corpus.workspace import Workspace

MAX_NAME = 4_000
_NAMING = ("post_id", "nearest_id", "detail")
"""The columns of stages in which a post is named."""


@dataclass(frozen=True)
class Forgotten:
    """What forgetting did: the posts it found, the batches it wrote anew, and the stage outputs it removed.

    ``kept`` counts what was removed of what crawls had kept.
    """

    post_ids: tuple[str, ...]
    batches: int
    outputs: int
    kept: int = 0


@dataclass(frozen=True)
class Traces:
    """By what forgotten posts are known outside of the store: ids, addresses (``address_key``), response digests, and
    the texts of their questions and answers."""

    post_ids: frozenset[str]
    urls: frozenset[str]
    responses: frozenset[str]
    texts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, posts: Iterable[Post], stone: Tombstone | None = None, responses: Iterable[str] = ()) -> "Traces":
        """The traces of posts, and of a tombstone that is there before any post of its own."""
        given = list(posts)
        ids = {post.post_id for post in given} | ({stone.post_id} if stone and stone.post_id else set())
        urls = {post.url for post in given if post.url} | ({stone.url} if stone and stone.url else set())
        digests = {post.response_sha256 for post in given if post.response_sha256}
        texts = {text for post in given for text in (post.question, *(answer.text for answer in post.answers))}
        addresses = frozenset(map(address_key, urls))
        return cls(frozenset(ids), addresses, frozenset(digests.union(responses)), frozenset(texts))


def forget(workspace: Workspace, name: str, clear: Callable[[Traces], int] | None = None) -> Forgotten:
    """Forget a post by its id, or every post of an address; it need not be there, and then is kept out in future.

    The tombstones are written first, so that an interrupted run has forgotten already and only has to be run again to
    clear away what is left. ``clear`` removes what is known by the traces, before the store forgets them, and says how
    much that was. Raises InputError for what is neither an id nor an address, and DamageError where a store is not
    whole: the stage outputs that go hold other posts too, and may be the last that do.
    """
    stone = stone_of(name)
    workspace.check_stores()
    stores = list(workspace.stores().values())
    found = {post_id for store in stores for post_id, url in _names(store) if _meant(stone, post_id, url)}
    stones = [stone, *(Tombstone(kind="forgotten", post_id=post_id) for post_id in sorted(found))]
    for place, store in enumerate(stores):
        if place == 0 or any(post_id in found for post_id, _ in _names(store)):
            store.add_tombstones(list(dict.fromkeys(stones)))
    kept = clear(_traces(stone, stores, found)) if clear is not None else 0
    batches = 0
    for store in stores:
        with folding(store.folder, wait=True) as check:
            batches += _clear(store, found, check)
    outputs = _clear_outputs(workspace.outputs, workspace.posts.tombstones().forgotten)
    workspace.earlier.forget()
    return Forgotten(tuple(sorted(found)), batches, outputs, kept)


def _traces(stone: Tombstone, stores: Iterable[PostStore], found: Collection[str]) -> Traces:
    """The traces of every content that the posts have had."""
    posts: list[Post] = []
    responses: list[str] = []
    for store in stores:
        held = store.reading(None, partial(_rows_of, store, found))
        posts += [one for some, _ in held for one in some]
        responses += [one for _, some in held for one in some]
    return Traces.of(posts, stone, responses)


def _rows_of(
    store: PostStore, found: Collection[str], batches: Iterable[str], _: object
) -> list[tuple[list[Post], list[str]]]:
    """The contents of posts in each batch, and the digests of the responses that they were read from."""
    held = []
    for batch in batches:
        if not batch.startswith(GONE):
            with store.open(batch) as file:
                rows = [row for some in file.groups(found) for row in some.to_pylist()]
                posts = [] if batch.startswith(SEEN) else [file.record(row, Post) for row in rows]
            held.append((posts, [row["response_sha256"] for row in rows if row["response_sha256"]]))
    return held


def stone_of(name: str) -> Tombstone:
    """The tombstone of a post's id or an address; InputError for what is neither."""
    text = name.strip()
    if not text or len(text) > MAX_NAME or len(text.split()) > 1:
        raise InputError(f"{name[:80]!r} is neither a post id nor a URL; give one such as bundled:fix-001")
    if "://" in text:
        return Tombstone(kind="forgotten", url=text)
    source, colon, native = text.partition(":")
    if not (source and colon and native):
        raise InputError(f"{text[:80]!r} is neither a post id nor a URL; give one such as bundled:fix-001")
    return Tombstone(kind="forgotten", post_id=text)


def _meant(stone: Tombstone, post_id: str, url: str | None) -> bool:
    if stone.url is not None:
        return url is not None and address_key(url) == address_key(stone.url)
    return post_id == stone.post_id


def _names(store: PostStore) -> list[tuple[str, str | None]]:
    """Id and address of every content in a store."""
    return store.reading(None, partial(_names_in, store))


def _names_in(store: PostStore, batches: Iterable[str], _: object) -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    for batch in batches:
        if not batch.startswith((SEEN, GONE)):
            with store.open(batch) as file:
                rows = file.columns(["post_id", "url"])
            found += zip(rows["post_id"].to_pylist(), rows["url"].to_pylist(), strict=True)
    return found


def _clear(store: PostStore, found: Collection[str], check: Callable[[], None]) -> int:
    """Write every batch that holds one of the posts anew without it; returns how many those were."""
    touched: dict[str, set[str]] = {}
    for batch in store.batch_names():
        check()
        with contextlib.suppress(GoneError):  # who wrote it has written it anew
            if not batch.startswith(GONE) and (of := store.rewritten(batch, found)):
                touched[batch] = of
    _mark_snapshots(store, set().union(*touched.values()))
    for batch in touched:
        store.remove_batch(batch)
    buried = store.tombstones()
    for batch in store.leftovers():  # of killed commands, or what another has not listed yet
        if not batch.startswith(GONE) and _holds_forgotten(store, batch, buried):
            store.clear_removed(batch)
    return len(touched)


def _holds_forgotten(store: PostStore, batch: str, buried: Tombstones) -> bool:
    """Whether a file has posts that were forgotten, or may have them, since it cannot be read."""
    try:
        return bool(store.forbidden(batch, buried))
    except GoneError:
        return False
    except DamageError:
        return True


def _mark_snapshots(store: PostStore, touched: set[str]) -> None:
    """A snapshot that held a forgotten post says so, since it can no longer be read."""
    folder, entries = store.folder, store.list.entries()
    for name in snapshot_ids(folder):
        record = read_snapshot(folder, name)
        if touched & leaves_of(entries, record["batches"]):
            folder.write(f"{SNAPSHOTS}/{name}.json", canonical_json({**record, "forgotten": True}).encode())


def _clear_outputs(outputs: Outputs, found: Collection[str]) -> int:
    """Remove the parts of stages that hold one of the posts; the next build makes anew what it needs of them."""
    removed = 0
    for stage in outputs.folder.names():
        (outputs.folder / stage).tidy()
        for key in (outputs.folder / stage).names():
            part = outputs.folder / stage / key
            if any(part.exists(name) and _holds(part, name, found) for name in FILES):
                (outputs.folder / stage).remove(key)
                removed += 1
    return removed


def _holds(part: Folder, name: str, found: Collection[str]) -> bool:
    """Whether a file of a part names one of the posts; a damaged one is taken to, and is made anew.

    A row of another post may name it as the nearest one, or as the reason why it went, with its text as evidence.
    """
    try:
        content = part.read(name)
        if name == WENT:
            return not set(found).isdisjoint(load_json(content))
        table = read_table(content, _NAMING)
        ids = (table[column].to_pylist() for column in table.column_names if column != "detail")
        told = table["detail"].to_pylist() if "detail" in table.column_names else ()
        words = (word.strip(",;.") for text in told for word in text.split())
        return not set(found).isdisjoint(chain(*ids, words))
    except (pa.ArrowException, OSError, KeyError, ValueError, TypeError):
        return True
