"""One pass of the stages that look at one post at a time over one shard: a part each, one reading of each post.

A row that an earlier part holds is copied where everything that decides it is the same: the content of the post, and
configuration, code and model of this stage and of those before it. Only the other posts are looked at, and what one
stage says of them is handed to the next in memory.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from corpus.earlier import Shard
from corpus.outputs import DROPPED, OutputPart, check_account
from corpus.records import Dropped, Post, Record
from corpus.schema import arrow_schema, record_table
from corpus.tables import as_digest, by_id, digest_sum, ids_of, plain_rows, rows_of
from corpus.workspace import Workspace
from curation.partitioning import CONTENT, best_of
from curation.running import POSTS, Recipe
from curation.stages.registry import BY_NAME
from curation.stages.stage import Stage, Trail


@dataclass(frozen=True)
class Rows:
    """Rows of a stage: kept and dropped ones as tables, and the sum of the digests of those that are kept."""

    kept: pa.Table
    dropped: pa.Table
    digests: int

    @property
    def ids(self) -> list[str]:
        """The posts that the rows are about."""
        return [*ids_of(self.kept), *ids_of(self.dropped)]


class ShardPass:
    """The stages over one shard; ``parts`` are those of this shard that are there already, by stage."""

    def __init__(self, recipe: Recipe, shard: Shard, parts: Mapping[str, OutputPart]) -> None:
        self._recipe, self._shard = recipe, shard
        workspace = Workspace(recipe.data)
        self._outputs, self._earlier = workspace.outputs, workspace.earlier
        self.parts = dict(parts)
        self._said: dict[str, dict[str, Record]] = {}
        self._tables: dict[str, pa.Table] = {}
        self._contents: dict[str, dict[str, str]] = {}

    def run(self, stages: Iterable[Stage]) -> dict[str, OutputPart]:
        """Make the part of each stage in turn, or find it made; every post is kept or dropped with a reason.

        A part that is found damaged is made again and says so.
        """
        made = {stage.name: self._part(stage) for stage in stages}
        bases = {name: self._recipe.base(BY_NAME[name]) for name in made if not BY_NAME[name].bound}
        noted = {name: (base, made[name].key) for name, base in bases.items()}
        self._earlier.note(self._shard, self.parts[POSTS].key, noted)
        return made

    def _part(self, stage: Stage) -> OutputPart:
        inputs = [*(self.parts[name].content for name in stage.reads), str(self._shard)]
        if stage.bound:
            inputs.append(self._recipe.stage_keys[stage.name])
        key = self._recipe.address(stage, inputs)
        wrong: list[str] = []
        part = self._outputs.find(stage.name, key, wrong.append)
        if part is None:
            part = replace(self._make(stage, key), mended="".join(wrong))
        self.parts[stage.name] = part
        return part

    def _make(self, stage: Stage, key: str) -> OutputPart:
        incoming = ids_of(self._table(stage.reads[-1], ["post_id"]))
        copied = None if stage.bound else self._copied(stage, incoming)
        known = set(copied.ids) if copied else set()
        decided = self._decided(stage, [post_id for post_id in incoming if post_id not in known])
        kept = by_id([copied.kept, decided.kept]) if copied else decided.kept
        dropped = by_id([copied.dropped, decided.dropped]) if copied else decided.dropped
        check_account(stage.name, incoming, ids_of(kept), ids_of(dropped))
        self._tables[stage.name] = kept
        content = as_digest(decided.digests + (copied.digests if copied else 0))
        return self._outputs.save_tables((stage.name, key), stage.record, (kept, dropped), content)

    def _decided(self, stage: Stage, posts: Sequence[str]) -> Rows:
        """What a stage says of posts."""
        results = list(stage.decide(self._trails(stage, posts), self._recipe.context(stage))) if posts else []
        kept = sorted((row for row in results if isinstance(row, stage.record)), key=_post_id)
        dropped = sorted((row for row in results if isinstance(row, Dropped)), key=_post_id)
        assert len(kept) + len(dropped) == len(results), f"stage {stage.name} returned a record of another kind"
        self._said[stage.name] = {_post_id(row): row for row in kept}
        plain = [row.model_dump() for row in kept]
        return Rows(record_table(kept, stage.record, plain), record_table(dropped, Dropped), digest_sum(plain))

    def _trails(self, stage: Stage, posts: Sequence[str]) -> list[Trail]:
        names = [name for name in stage.reads if name != POSTS and (stage.bound or not BY_NAME[name].whole)]
        tables = {name: self._records(name, BY_NAME[name].record, posts) for name in names}
        found = self._records(POSTS, Post, posts)
        return [
            Trail(found[post_id], {BY_NAME[name].record: table[post_id] for name, table in tables.items()})
            for post_id in posts
        ]

    def _records(self, name: str, kind: type[Record], posts: Sequence[str]) -> dict[str, Any]:
        """What a stage said of posts: as it was handed over, or out of its part."""
        said = self._said.setdefault(name, {})
        absent = [post_id for post_id in posts if post_id not in said]
        if absent:
            for row in plain_rows(rows_of(self._table(name), absent), kind):
                said[row["post_id"]] = kind.model_validate(row)
        return said

    def _table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """The kept rows of a stage, or some columns of them."""
        if name in self._tables:
            return self._tables[name]
        table = self._outputs.table(self.parts[name], columns=columns)
        if columns is None:
            self._tables[name] = table
        return table

    def _copied(self, stage: Stage, incoming: Sequence[str]) -> Rows | None:
        """The rows of these posts that an earlier part holds; None if none does."""
        candidates = []
        for pairs in self._earlier.parts(self._shard, stage.name, self._recipe.base(stage)):
            names = [(POSTS, key) for key, _ in pairs] + [(stage.name, key) for _, key in pairs]
            there = [part for name, key in names if (part := self._outputs.find(name, key)) is not None]
            if len(there) == len(names):
                candidates.append((self._unchanged(there[: len(pairs)], incoming), tuple(there[len(pairs) :])))
        same, parts = best_of(candidates, len(incoming))
        return self._chosen(stage, parts, same) if same else None

    def _unchanged(self, earlier: Sequence[OutputPart], incoming: Sequence[str]) -> set[str]:
        """The posts that have the content they had in earlier parts of posts."""
        now = self._content(self.parts[POSTS])
        before = {post_id: one for part in earlier for post_id, one in self._content(part).items()}
        return {post_id for post_id in incoming if before.get(post_id) == now[post_id]}

    def _content(self, part: OutputPart) -> dict[str, str]:
        if part.key not in self._contents:
            table = self._outputs.table(part, columns=["post_id", CONTENT])
            self._contents[part.key] = dict(zip(ids_of(table), table[CONTENT].to_pylist(), strict=True))
        return self._contents[part.key]

    def _chosen(self, stage: Stage, parts: Sequence[OutputPart], posts: set[str]) -> Rows | None:
        """The rows of posts in parts of a stage; None where these are of another form."""
        tables = [self._outputs.table(part) for part in parts]
        if not all(table.schema.equals(arrow_schema(stage.record)) for table in tables):
            return None
        kept, dropped = [], []
        digests = 0
        for part, table in zip(parts, tables, strict=True):
            chosen = rows_of(table, posts)
            kept.append(chosen.cast(arrow_schema(stage.record)))
            dropped.append(rows_of(self._outputs.table(part, DROPPED), posts).cast(arrow_schema(Dropped)))
            digests += _digests_of(stage, part, (table, chosen), posts)
        return Rows(by_id(kept), by_id(dropped), digests)


def _digests_of(stage: Stage, part: OutputPart, tables: tuple[pa.Table, pa.Table], posts: set[str]) -> int:
    """The sum of the digests of the chosen rows of a part: of all less the others where those are fewer."""
    table, chosen = tables
    if 2 * len(chosen) < len(table):
        return digest_sum(plain_rows(chosen, stage.record))
    others = rows_of(table, [post_id for post_id in ids_of(table) if post_id not in posts])
    return int(part.content, 16) - digest_sum(plain_rows(others, stage.record))


def _post_id(row: Any) -> str:
    return str(row.post_id)


def run_shards(
    recipe: Recipe, stages: Sequence[str], shards: Sequence[tuple[int, Mapping[str, OutputPart]]]
) -> list[dict[str, OutputPart]]:
    """The parts that stages make of some shards, by stage, in the order of the shards."""
    chosen = [BY_NAME[name] for name in stages]
    return [ShardPass(recipe, Shard(number, recipe.shards), parts).run(chosen) for number, parts in shards]
