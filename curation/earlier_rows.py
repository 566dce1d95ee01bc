"""What earlier parts of a stage hold of the posts of a shard that are as they were."""

import functools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from corpus.canonical import bucket_of
from corpus.earlier import Shard
from corpus.outputs import DROPPED, OutputPart
from corpus.record_tables import by_id, digest_sum, ids_of, plain_rows, rows_of
from corpus.records import Dropped
from corpus.schema import arrow_schema
from corpus.workspace import Workspace
from curation.partitioning import best_of, contents_of_part
from curation.run_records import POSTS
from curation.running import Recipe
from curation.stages.registry import STAGES
from curation.stages.stage import Stage


@dataclass(frozen=True)
class StageRows:
    """Rows of a stage: kept and dropped ones as tables, and the sum of the digests of those that are kept."""

    kept: pa.Table
    dropped: pa.Table
    digests: int


def no_rows(stage: Stage) -> StageRows:
    """Nothing kept and nothing dropped."""
    return StageRows(arrow_schema(stage.record).empty_table(), arrow_schema(Dropped).empty_table(), 0)


@dataclass(frozen=True)
class EarlierRows:
    """The tables of earlier parts of a stage, of one or two shards, and which posts are kept or dropped in them.

    ``fates`` is of posts alone whose content is what it was.
    """

    stage: Stage
    contents: tuple[int, ...] = ()
    kept: tuple[pa.Table, ...] = ()
    dropped: tuple[pa.Table, ...] = ()
    fates: dict[str, bool] = field(default_factory=dict)

    def fate(self, post_id: str) -> bool | None:
        """Whether the stage kept a post; None if nothing is known of it as it is."""
        return self.fates.get(post_id)

    def rows(self, posts: Collection[str]) -> StageRows:
        """The rows of posts that have a fate."""
        wanted = set(posts)
        schema = arrow_schema(self.stage.record)
        kept = [rows_of(table, wanted).cast(schema) for table in self.kept]
        dropped = [rows_of(table, wanted).cast(arrow_schema(Dropped)) for table in self.dropped]
        sums = zip(self.contents, self.kept, kept, strict=True)
        digests = sum(self._digests(content, before, after, wanted) for content, before, after in sums)
        return StageRows(by_id(kept), by_id(dropped), digests)

    def saying(self, now: pa.Table) -> StageRows:
        """The kept rows of the posts of a table, in which its columns are as they are there."""
        known = [post_id for post_id in ids_of(now) if self.fates.get(post_id)]
        if not known:
            return no_rows(self.stage)
        rows = self.rows(known)
        now, before = rows_of(now, ids_of(rows.kept)), rows.kept
        after = before
        for name in now.column_names:
            after = after.set_column(after.column_names.index(name), after.schema.field(name), now[name])
        pairs = zip(before.select(now.column_names).columns, now.columns, strict=True)
        other = pc.invert(functools.reduce(pc.and_, (_alike(*pair) for pair in pairs)))
        came, went = (digest_sum(plain_rows(one.filter(other), self.stage.record)) for one in (after, before))
        return StageRows(after, rows.dropped, rows.digests + came - went)

    def _digests(self, content: int, table: pa.Table, chosen: pa.Table, wanted: set[str]) -> int:
        """The sum of the digests of the chosen rows of a table: of all less the others where those are fewer."""
        if 2 * len(chosen) < len(table):
            return digest_sum(plain_rows(chosen, self.stage.record))
        others = rows_of(table, [post_id for post_id in ids_of(table) if post_id not in wanted])
        return content - digest_sum(plain_rows(others, self.stage.record))


def _alike(then: pa.ChunkedArray, now: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whether values are the same, or lacking, in both columns."""
    return pc.or_(pc.fill_null(pc.equal(then, now), fill_value=False), pc.and_(pc.is_null(then), pc.is_null(now)))


class EarlierPosts:
    """Earlier parts of the posts of a shard, each looked up and read once for all stages."""

    def __init__(self, recipe: Recipe, shard: Shard, now: Mapping[str, str]) -> None:
        """``now`` is the content of each post of the shard."""
        self._recipe, self._shard, self.now = recipe, shard, now
        self.workspace = recipe.workspace
        self._same: dict[str, set[str] | None] = {}

    def seen(self, stage: Stage) -> Iterator[tuple[set[str], tuple[OutputPart, ...]]]:
        """Earlier parts of a stage that cover the shard, and which posts they hold as they are now."""
        outputs, base = self.workspace.outputs, self._recipe.base(stage)
        for pairs in self.workspace.earlier.parts(self._shard, stage.name, base):
            same = [one for key, _ in pairs if (one := self._same_posts(key)) is not None]
            parts = [part for _, key in pairs if (part := outputs.look(stage.name, key)) is not None]
            if len(same) == len(parts) == len(pairs):
                yield set().union(*same), tuple(parts)

    def _same_posts(self, key: str) -> set[str] | None:
        """The posts that a part of posts holds as they are now; None if it is no longer there."""
        if key not in self._same:
            outputs = self.workspace.outputs
            part = outputs.look(POSTS, key)
            held = contents_of_part(outputs, part).items() if part is not None else ()
            same = {name for name, content in held if self.now.get(name) == content}
            self._same[key] = same if part is not None else None
        return self._same[key]


def earlier_rows(posts: EarlierPosts, stage: Stage) -> EarlierRows:
    """What is known of the posts of a shard: from those earlier parts of the stage that know most."""
    outputs = posts.workspace.outputs
    same, parts = best_of(posts.seen(stage), len(posts.now))
    kept = tuple(outputs.table(part) for part in parts)
    if not all(table.schema.equals(arrow_schema(stage.record)) for table in kept):
        return EarlierRows(stage)
    dropped = tuple(outputs.table(part, DROPPED) for part in parts)
    fates = _fates(kept, same, fate=True) | _fates(dropped, same, fate=False)
    return EarlierRows(stage, tuple(int(part.content, 16) for part in parts), kept, dropped, fates)


def _fates(tables: Sequence[pa.Table], posts: set[str], *, fate: bool) -> dict[str, bool]:
    return {post_id: fate for table in tables for post_id in ids_of(table) if post_id in posts}


def fresh_posts(recipe: Recipe, enough: int) -> int:
    """How many posts of a snapshot no earlier build took, as they are now, through the stages that see one at a time.

    Counting ends at ``enough``. It only says how much there is to do: a build looks for itself.
    """
    workspace = Workspace(recipe.data)
    held: dict[int, dict[str, str]] = {shard: {} for shard in range(recipe.shards)}
    for post_id, one in workspace.store(recipe.store).open_snapshot(recipe.snapshot_id).items():
        held[bucket_of(post_id, recipe.shards)][post_id] = one.content_sha256
    last = [stage for stage in STAGES if not stage.whole and stage.decide_tables is None][-1]
    fresh = 0
    for number, now in held.items():
        known, _ = best_of(EarlierPosts(recipe, Shard(number, recipe.shards), now).seen(last), len(now))
        fresh += len(now) - len(known)
        if fresh >= enough:
            break
    return fresh
