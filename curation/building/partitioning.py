"""Spreading a snapshot over shards: one part of posts each, made of what is there already and of what is new."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpus.canonical import bucket_of, digest_of, sha256_text
from corpus.earlier import Shard
from corpus.folders.files import aside
from corpus.outputs import OutputPart, Outputs, PartChange, part_key
from corpus.post_store.contents import NONE, Holdings
from corpus.record_tables import (
    POST_ID,
    SpreadRows,
    as_digest,
    by_id,
    by_number,
    ids_of,
    rows_of,
    rows_without,
    whole_column,
)
from corpus.records import Dropped, Post
from corpus.schema import arrow_schema, in_columns_of, record_table
from corpus.workspace import Workspace
from curation.building.run_rows import POSTS
from curation.building.running import at_work

POSTS_AT_ONCE = 100_000
ROWS_AT_ONCE = 10_000
"""Rows that are sorted by their shards at once, at most."""
SCHEMA = digest_of(str(arrow_schema(Post)))
CONTENT = "content_sha256"


@dataclass
class _Missing:
    """A part that is to be made: its key, what it is to hold, and where rows of it are already."""

    shard: Shard
    key: str
    content: str
    held: Holdings
    wrong: list[str]
    sources: Sequence[OutputPart] = ()
    known: set[str] = field(default_factory=set)

    def new(self) -> pa.Table:
        """The holdings of what no earlier part holds."""
        return rows_without(self.held.table, self.known)


def contents_of_part(outputs: Outputs, part: OutputPart) -> pa.Table:
    """The id of each post in a part of posts, and the digest of its content."""
    return outputs.table(part, columns=[POST_ID, CONTENT])


def same_posts(now: pa.Table, then: pa.Table) -> pa.ChunkedArray:
    """The posts of one table of ids and digests that have the same content in another one."""
    places = pc.index_in(now[POST_ID], value_set=whole_column(then, POST_ID))
    both, before = now.filter(pc.is_valid(places)), whole_column(then, CONTENT).take(pc.drop_null(places))
    return both[POST_ID].filter(pc.equal(both[CONTENT], before))


@at_work()
def partition_posts(
    data: str, store: str, snapshot_id: str, shards: int, *, at_once: int = POSTS_AT_ONCE
) -> list[OutputPart]:
    """Spread a snapshot over ``shards`` parts by post id, contents alone: how they were retrieved changes nothing.

    Rows that an earlier part holds are copied. The others are read once. Parts are made of about so many of them
    ``at_once``, and the rest waits in files: memory does not grow with the snapshot's texts.
    """
    workspace = Workspace(data)
    parts: dict[int, OutputPart] = {}
    missing: list[_Missing] = []
    for number, posts in enumerate(workspace.store(store).open_snapshot(snapshot_id).by_bucket(shards)):
        shard = Shard(number, shards)
        content = as_digest(sum(int(sha256_text(f"{name}\n{one}"), 16) for name, one in posts.contents().items()))
        key = part_key(POSTS, [content, str(shard)], {}, SCHEMA, "")
        wrong: list[str] = []
        found = workspace.outputs.find(POSTS, key, wrong.append)
        if found is not None:
            parts[number] = found
        else:
            missing.append(_with_sources(workspace, _Missing(shard, key, content, posts, wrong)))
    for some, news in _with_news(workspace, store, list(_at_once(missing, at_once))):
        parts |= _make(workspace, some, news, min(at_once, ROWS_AT_ONCE))
    for number, part in parts.items():
        workspace.earlier.note(Shard(number, shards), part.key)
    return [parts[number] for number in range(shards)]


def _with_sources(workspace: Workspace, missing: _Missing) -> _Missing:
    """With the earlier parts that hold most of its rows."""
    earlier = EarlierPosts(workspace, missing.shard, missing.held.table, workspace.outputs.reading_once())
    known, sources = best_of(earlier.seen(POSTS), len(missing.held))
    return replace(missing, sources=sources, known=set(known.to_pylist()))


class EarlierPosts:
    """Earlier parts of the posts of a shard, each looked up and read once for all stages."""

    def __init__(self, workspace: Workspace, shard: Shard, now: pa.Table, outputs: Outputs) -> None:
        """``now`` are the ids of the shard's posts and the digests of their contents."""
        self._earlier, self._shard, self.now, self.outputs = workspace.earlier, shard, now, outputs
        self._same: dict[str, pa.ChunkedArray | None] = {}

    def seen(self, stage: str, base: str = "") -> Iterator[tuple[list[pa.ChunkedArray], tuple[OutputPart, ...]]]:
        """Earlier parts of a stage, or of posts, that cover the shard, and which posts they hold as they are now."""
        for pairs in self._earlier.parts(self._shard, stage, base):
            same = [one for key, _ in pairs if (one := self._same_posts(key)) is not None]
            parts = [part for _, key in pairs if (part := self.outputs.look(stage, key)) is not None]
            if len(same) == len(parts) == len(pairs):
                yield same, tuple(parts)

    def _same_posts(self, key: str) -> pa.ChunkedArray | None:
        """The posts that a part of posts holds as they are now; None if it is no longer there."""
        if key not in self._same:
            part = self.outputs.look(POSTS, key)
            self._same[key] = same_posts(self.now, contents_of_part(self.outputs, part)) if part is not None else None
        return self._same[key]


def best_of(
    found: Iterable[tuple[Sequence[pa.ChunkedArray], tuple[OutputPart, ...]]], enough: int
) -> tuple[pa.ChunkedArray, tuple[OutputPart, ...]]:
    """The parts that know most, and the posts they know; the first that know nearly ``enough`` are as good as any."""
    best: tuple[pa.ChunkedArray, tuple[OutputPart, ...]] = (pa.chunked_array([], pa.string()), ())
    for known, parts in found:
        posts = pa.chunked_array([chunk for one in known for chunk in one.chunks], pa.string())
        if len(posts) > len(best[0]):
            best = (posts, parts)
        if len(best[0]) >= 0.9 * enough:
            break
    return best


def _at_once(missing: Sequence[_Missing], posts: int) -> Iterator[list[_Missing]]:
    """Parts to be made together, which lack about so many posts."""
    some: list[_Missing] = []
    new = 0
    for one in missing:
        some.append(one)
        new += len(one.held) - len(one.known)
        if new >= posts:
            yield some
            some, new = [], 0
    if some:
        yield some


def _with_news(
    workspace: Workspace, store: str, groups: Sequence[Sequence[_Missing]]
) -> Iterator[tuple[Sequence[_Missing], pa.Table]]:
    """Parts to be made together, and the posts that they lack: the store is read once, whatever their number."""
    new = [NONE.table, *(one.new() for some in groups for one in some)]
    tables = workspace.store(store).tables(Holdings(pa.concat_tables(new)))
    nothing = arrow_schema(Post).empty_table()
    if len(groups) == 1:
        yield groups[0], pa.concat_tables([nothing, *tables])
    elif groups:
        numbers = {one.shard: number for number, some in enumerate(groups) for one in some}
        of = groups[0][0].shard.of
        with SpreadRows(partial(aside, workspace.folder)) as waiting:
            for table in tables:
                shards = (Shard(bucket_of(post_id, of), of) for post_id in ids_of(table))
                waiting.add(table, np.array([numbers[shard] for shard in shards]))
            for number, some in enumerate(groups):
                yield some, waiting.rows(number) or nothing


def _make(workspace: Workspace, missing: Sequence[_Missing], news: pa.Table, size: int) -> dict[int, OutputPart]:
    """The parts made of their earlier ones and of new posts, of which so many are sorted by their shards at once."""
    shards = missing[0].shard.of
    rows_of_shard: dict[int, list[pa.Table]] = {one.shard.number: [news.slice(0, 0)] for one in missing}
    for start in range(0, len(news), size):
        some = news.slice(start, size)
        for number, rows in by_number(some, np.array([bucket_of(post_id, shards) for post_id in ids_of(some)])):
            rows_of_shard[number].append(rows)
    made: dict[int, OutputPart] = {}
    for one in missing:
        here = by_id(rows_of_shard.pop(one.shard.number))
        made[one.shard.number] = replace(_saved(workspace.outputs, one, here), mended="".join(one.wrong))
    return made


def _saved(outputs: Outputs, one: _Missing, news: pa.Table) -> OutputPart:
    """The part of new posts and of those that are there, which stay in their files where nearly all are."""
    address, nothing = (POSTS, one.key), record_table(list[Dropped](), Dropped)
    if len(one.sources) == 1 and outputs.schema(one.sources[0]).equals(arrow_schema(Post)):
        gone = set(ids_of(outputs.table(one.sources[0], columns=[POST_ID]))) - one.known
        part = outputs.save_change(address, Post, one.sources[0], PartChange(gone, news, nothing, one.content))
        if part is not None:
            return part
    copied = (in_columns_of(rows_of(outputs.table(part), one.known), Post) for part in one.sources)
    return outputs.save_tables(address, Post, (by_id([*copied, news]), nothing), one.content)
