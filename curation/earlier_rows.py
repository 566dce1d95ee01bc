"""What earlier parts of a stage hold of the posts of a shard that are as they were."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from corpus.earlier import Shard
from corpus.outputs import DROPPED, OutputPart
from corpus.record_tables import by_id, digest_sum, ids_of, plain_rows, rows_of
from corpus.records import Dropped
from corpus.schema import arrow_schema
from corpus.workspace import Workspace
from curation.partitioning import best_of, contents_of_part
from curation.run_records import POSTS
from curation.running import Recipe
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

    def candidates() -> Iterator[tuple[set[str], tuple[OutputPart, ...]]]:
        for pairs in workspace.earlier.parts(shard, stage.name, recipe.base(stage)):
            names = [(POSTS, key) for key, _ in pairs] + [(stage.name, key) for _, key in pairs]
            there = [part for name, key in names if (part := outputs.look(name, key)) is not None]
            if len(there) == len(names):
                before = [pair for part in there[: len(pairs)] for pair in contents_of_part(outputs, part).items()]
                same = {name for name, content in before if now.get(name) == content}
                yield same, tuple(there[len(pairs) :])

    same, parts = best_of(candidates(), len(now))
    kept = tuple(outputs.table(part) for part in parts)
    if not all(table.schema.equals(arrow_schema(stage.record)) for table in kept):
        return EarlierRows(stage)
    dropped = tuple(outputs.table(part, DROPPED) for part in parts)
    fates = _fates(kept, same, fate=True) | _fates(dropped, same, fate=False)
    return EarlierRows(stage, tuple(int(part.content, 16) for part in parts), kept, dropped, fates)


def _fates(tables: Sequence[pa.Table], posts: set[str], *, fate: bool) -> dict[str, bool]:
    return {post_id: fate for table in tables for post_id in ids_of(table) if post_id in posts}
