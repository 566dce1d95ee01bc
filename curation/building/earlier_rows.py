"""What earlier parts of a stage hold of the posts of a shard that are as they were."""

import functools
from collections.abc import Collection
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from corpus.earlier import Shard
from corpus.outputs import DROPPED, KEPT, OutputPart, Outputs, PartChange
from corpus.record_tables import POST_ID, as_digest, by_id, digest_sum, ids_of, plain_rows, rows_of, rows_without
from corpus.records import Dropped, Record
from corpus.schema import arrow_schema
from curation.building.partitioning import EarlierPosts, best_of
from curation.building.running import Recipe
from curation.stages.registry import STAGES
from curation.stages.stage import Stage, StageTables


@dataclass(frozen=True)
class StageRows:
    """Rows of a stage: kept and dropped ones as tables, and the sum of the digests of those that are kept."""

    kept: pa.Table
    dropped: pa.Table
    digests: int


def no_rows(stage: Stage) -> StageRows:
    """Nothing kept and nothing dropped."""
    return StageRows(arrow_schema(stage.record).empty_table(), arrow_schema(Dropped).empty_table(), 0)


@dataclass
class EarlierRows:
    """Earlier parts of a stage, of one or two shards, and which posts are kept or dropped in them.

    ``held`` are all their posts, ``fates`` those alone whose content is what it was. Rows are read when asked for.
    """

    stage: Stage
    outputs: Outputs
    parts: tuple[OutputPart, ...] = ()
    held: set[str] = field(default_factory=set)
    fates: dict[str, bool] = field(default_factory=dict)

    @functools.cached_property
    def kept(self) -> list[pa.Table]:
        """The rows that were kept, part by part."""
        return [self.outputs.table(part).cast(arrow_schema(self.stage.record)) for part in self.parts]

    def kept_of(self, posts: Collection[str]) -> pa.Table:
        """The rows that were kept of some posts, one at least."""
        return by_id([rows_of(table, posts) for table in self.kept])

    def rows(self, posts: Collection[str]) -> StageRows:
        """The rows of posts that have a fate."""
        if not posts:
            return no_rows(self.stage)
        wanted = set(posts)
        kept = [rows_of(table, wanted) for table in self.kept]
        dropped = [rows_of(self.outputs.table(part, DROPPED), wanted) for part in self.parts]
        sums = zip(self.parts, self.kept, kept, strict=True)
        digests = sum(self._digests(int(part.content, 16), before, after) for part, before, after in sums)
        return StageRows(by_id(kept), by_id([table.cast(arrow_schema(Dropped)) for table in dropped]), digests)

    def change(self, new: StageRows, copied: Collection[str]) -> PartChange | None:
        """What makes the part of new rows and copied ones of the earlier part, where there is just one."""
        if len(self.parts) != 1:
            return None
        gone = self.held.difference(copied)
        lost = [rows_of(table, gone) for table in self.kept] if gone else []
        digests = sum(digest_sum(plain_rows(table, self.stage.record)) for table in lost)
        content = as_digest(int(self.parts[0].content, 16) + new.digests - digests)
        return PartChange(gone, new.kept, new.dropped, content)

    def saying(self, now: pa.Table) -> list[str]:
        """Of the posts of a table those that have a fate, and whose kept rows have its columns as they are there."""
        known = [post_id for post_id in ids_of(now) if self.fates.get(post_id)]
        if not known:
            return []
        now = rows_of(now, known)
        then = by_id([rows_of(self.outputs.table(part, columns=now.column_names), known) for part in self.parts])
        alike = functools.reduce(pc.and_, (_alike(*pair) for pair in zip(then.columns, now.columns, strict=True)))
        return ids_of(now.filter(alike))

    def handed(self, now: pa.Table, same: Collection[str]) -> pa.Table:
        """The kept rows of the other posts that have a fate, with the columns of a table as they are there."""
        gone = self.held.difference(same)
        others = [post_id for post_id in ids_of(now) if post_id in gone and self.fates.get(post_id)]
        found = by_id([no_rows(self.stage).kept, *(rows_of(table, others) for table in self.kept if others)])
        now = rows_of(now, others)
        for place, one in enumerate(found.schema):
            if one.name in now.column_names:
                found = found.set_column(place, one, now[one.name].cast(one.type))
        return found

    def _digests(self, content: int, table: pa.Table, chosen: pa.Table) -> int:
        """The sum of the digests of the chosen rows of a table: of all less the others where those are fewer."""
        if 2 * len(chosen) < len(table):
            return digest_sum(plain_rows(chosen, self.stage.record))
        wanted = set(ids_of(chosen))
        others = rows_of(table, [post_id for post_id in ids_of(table) if post_id not in wanted])
        return content - digest_sum(plain_rows(others, self.stage.record))


def change_to(outputs: Outputs, part: OutputPart, record: type[Record], now: StageTables) -> PartChange:
    """What makes of a part one that holds these kept and dropped rows: those that it has not in the same way."""
    (lost, kept), (left, dropped) = (
        _differing(outputs.table(part, name).cast(rows.schema), rows)
        for name, rows in zip((KEPT, DROPPED), now, strict=True)
    )
    digests = digest_sum(plain_rows(kept, record)) - digest_sum(plain_rows(lost, record))
    return PartChange({*ids_of(lost), *ids_of(left)}, kept, dropped, as_digest(int(part.content, 16) + digests))


def _differing(then: pa.Table, now: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The rows of either table that the other has not in the same way."""
    places = pc.index_in(now[POST_ID], value_set=then[POST_ID].combine_chunks())
    both = now.filter(pc.is_valid(places))
    pairs = zip(then.take(pc.drop_null(places)).columns, both.columns, strict=True)
    same = both.filter(functools.reduce(pc.and_, (_alike(*pair) for pair in pairs)))
    return rows_without(then, ids_of(same)), rows_without(now, ids_of(same))


def _alike(then: pa.ChunkedArray, now: pa.ChunkedArray) -> pa.ChunkedArray:
    """Whether values are the same, or lacking, in both columns."""
    if pa.types.is_nested(now.type):
        pairs = zip(then.to_pylist(), now.to_pylist(), strict=True)
        return pa.chunked_array([pa.array([one == other for one, other in pairs], pa.bool_())])
    return pc.or_(pc.fill_null(pc.equal(then, now), fill_value=False), pc.and_(pc.is_null(then), pc.is_null(now)))


def earlier_rows(posts: EarlierPosts, stage: Stage, base: str) -> EarlierRows:
    """What is known of the posts of a shard: from those earlier parts of the stage that know most."""
    outputs = posts.outputs
    same, parts = best_of(posts.seen(stage.name, base), len(posts.now))
    if not all(outputs.schema(part).equals(arrow_schema(stage.record)) for part in parts):
        return EarlierRows(stage, outputs)
    held, fates = set[str](), dict[str, bool]()
    for part in parts:
        for name, fate in ((KEPT, True), (DROPPED, False)):
            table = outputs.table(part, name, [POST_ID])
            held.update(ids_of(table))
            alike = table.filter(pc.is_in(table[POST_ID], value_set=same.combine_chunks()))
            fates |= dict.fromkeys(ids_of(alike), fate)
    return EarlierRows(stage, outputs, parts, held, fates)


def fresh_posts(recipe: Recipe, enough: int) -> int:
    """How many posts of a snapshot no earlier build took, as they are now, through the stages that see one at a time.

    Counting ends at ``enough``. It only says how much there is to do: a build looks for itself.
    """
    held = recipe.workspace.store(recipe.store).open_snapshot(recipe.snapshot_id)
    last = [stage for stage in STAGES if stage.decide is not None][-1]
    fresh = 0
    for number, posts in enumerate(held.by_bucket(recipe.shards)):
        outputs = recipe.workspace.outputs.reading_once()
        earlier = EarlierPosts(recipe.workspace, Shard(number, recipe.shards), posts.table, outputs)
        known, _ = best_of(earlier.seen(last.name, recipe.base(last)), len(posts))
        fresh += len(posts) - len(known)
        if fresh >= enough:
            break
    return fresh
