"""What earlier parts of a stage hold of the posts of a shard that are as they were."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

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

    def _digests(self, content: int, table: pa.Table, chosen: pa.Table, wanted: set[str]) -> int:
        """The sum of the digests of the chosen rows of a table: of all less the others where those are fewer."""
        if 2 * len(chosen) < len(table):
            return digest_sum(plain_rows(chosen, self.stage.record))
        others = rows_of(table, [post_id for post_id in ids_of(table) if post_id not in wanted])
        return content - digest_sum(plain_rows(others, self.stage.record))


def earlier_rows(recipe: Recipe, shard: Shard, stage: Stage, posts: OutputPart) -> EarlierRows:
    """What is known of the posts of a part: from those earlier parts of the stage that know most."""
    workspace = Workspace(recipe.data)
    outputs = workspace.outputs
    now = contents_of_part(outputs, posts)
    same, parts = best_of(_seen(workspace, recipe, (shard, stage), now), len(now))
    kept = tuple(outputs.table(part) for part in parts)
    if not all(table.schema.equals(arrow_schema(stage.record)) for table in kept):
        return EarlierRows(stage)
    dropped = tuple(outputs.table(part, DROPPED) for part in parts)
    fates = _fates(kept, same, fate=True) | _fates(dropped, same, fate=False)
    return EarlierRows(stage, tuple(int(part.content, 16) for part in parts), kept, dropped, fates)


def _seen(
    workspace: Workspace, recipe: Recipe, where: tuple[Shard, Stage], now: Mapping[str, str]
) -> Iterator[tuple[set[str], tuple[OutputPart, ...]]]:
    """Earlier parts of a stage that cover a shard, and which posts of ``now`` (content by id) they hold as they are."""
    (shard, stage), outputs = where, workspace.outputs
    for pairs in workspace.earlier.parts(shard, stage.name, recipe.base(stage)):
        names = [(POSTS, key) for key, _ in pairs] + [(stage.name, key) for _, key in pairs]
        there = [part for name, key in names if (part := outputs.look(name, key)) is not None]
        if len(there) == len(names):
            before = [pair for part in there[: len(pairs)] for pair in contents_of_part(outputs, part).items()]
            yield {name for name, content in before if now.get(name) == content}, tuple(there[len(pairs) :])


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
        known, _ = best_of(_seen(workspace, recipe, (Shard(number, recipe.shards), last), now), len(now))
        fresh += len(now) - len(known)
        if fresh >= enough:
            break
    return fresh
