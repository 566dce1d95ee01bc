"""How the parts of a build are made: shard by shard by stages that see one post at a time, at once by whole ones.

A row that an earlier part holds is copied where everything that decides it is the same: the content of the post, and
configuration, code and model of its stage and of those before it. Only the other posts are looked at, each by one
stage after the other while what was read of its texts is at hand. Whole stages read the columns they ask for.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpus.canonical import digest_of
from corpus.earlier import Shard
from corpus.outputs import OutputPart, check_account
from corpus.record_tables import POST_ID, as_digest, by_id, digest_sum, ids_of, plain_rows, rows_of
from corpus.records import Dropped, Post, Record
from corpus.schema import arrow_schema, record_table, table_of
from curation.building.earlier_rows import EarlierRows, StageRows, change_to, earlier_rows, no_rows
from curation.building.partitioning import EarlierPosts, contents_of_part, partition_posts
from curation.building.run_rows import POSTS
from curation.building.running import Recipe, at_work, days_of, stage_groups
from curation.stages.registry import BY_NAME
from curation.stages.stage import Context, Memory, PostColumns, Stage, StageTables, Trail

AT_HAND: Final = 500
"""Posts of which everything is in memory at once."""

GivenShards = Sequence[tuple[int, Mapping[str, OutputPart]]]
"""Shards by their numbers, each with the parts that are read."""


class ShardPass:
    """The stages over one shard; ``parts`` are those of this shard that are there already, by stage."""

    def __init__(self, recipe: Recipe, shard: Shard, parts: Mapping[str, OutputPart]) -> None:
        self._recipe, self._shard = recipe, shard
        self._outputs, self._earlier = recipe.workspace.outputs.reading_once(), recipe.workspace.earlier
        self.parts = dict(parts)
        self._kept: dict[str, list[str]] = {}
        self._wrong: dict[str, list[str]] = defaultdict(list)
        self._said: dict[str, dict[str, Any]] = defaultdict(dict)
        self._new: dict[str, list[StageRows]] = {}
        self._known: dict[str, EarlierRows] = {}
        self._copied: dict[str, list[str]] = {}

    def run(self, stages: Sequence[Stage]) -> dict[str, OutputPart]:
        """Make the part of each stage in turn, or find it made; every post is kept or dropped with a reason.

        A part that is found damaged is made again and says so.
        """
        there = next((place for place, stage in enumerate(stages) if self._found(stage) is None), len(stages))
        if there < len(stages) and stages[there].decide is not None:
            self._look(stages[there:])
        made = {
            stage.name: self.parts[stage.name] if stage.name in self.parts else self._part(stage) for stage in stages
        }
        stage_parts = ((BY_NAME[name], part) for name, part in self.parts.items() if name != POSTS)
        noted = {stage.name: (self._recipe.base(stage), part.key) for stage, part in stage_parts}  # whole ones as well
        self._earlier.note(self._shard, self.parts[POSTS].key, noted)
        return made

    def _key(self, stage: Stage) -> str:
        inputs = [*(self.parts[name].content for name in stage.reads), str(self._shard)]
        return self._recipe.address(stage, inputs)

    def _found(self, stage: Stage) -> OutputPart | None:
        """The part of a stage if it is there; it is then among the parts."""
        part = self._outputs.find(stage.name, self._key(stage), self._wrong[stage.name].append)
        if part is not None:
            self.parts[stage.name] = part
        return part

    def _look(self, stages: Sequence[Stage]) -> None:
        """Let every post that comes in through the stages, by what is known of it and then by looking at it."""
        fresh = self._unknown(stages)
        self._new = {stage.name: [no_rows(stage)] for stage in stages}
        if not fresh:
            return
        contexts = [(stage, self._recipe.context(stage)) for stage in stages]
        posts = list(fresh.items())
        for start in range(0, len(posts), AT_HAND):
            self._decide(contexts, dict(posts[start : start + AT_HAND]))

    def _decide(self, contexts: Sequence[tuple[Stage, Context[Any]]], fresh: Mapping[str, int]) -> None:
        """Let some posts through the stages, of which each has a place where it begins; keep what is said as tables."""
        stages = [stage for stage, _ in contexts]
        self._said.clear()
        self._fetch(stages, fresh)
        kept: dict[str, list[Record]] = {stage.name: [] for stage in stages}
        dropped: dict[str, list[Dropped]] = {stage.name: [] for stage in stages}
        for post_id, place in fresh.items():
            for stage, context in contexts[place:]:
                assert stage.decide is not None
                row = stage.decide(self._trail(stage, post_id), context)
                if isinstance(row, Dropped):
                    dropped[stage.name].append(row)
                    break
                assert isinstance(row, stage.record), f"stage {stage.name} returned a record of another kind"
                kept[stage.name].append(row)
                self._said[stage.name][post_id] = row
        for stage in stages:
            self._new[stage.name].append(_stage_rows(stage, kept[stage.name], dropped[stage.name]))

    def _posts(self) -> EarlierPosts:
        now = contents_of_part(self._outputs, self.parts[POSTS])
        return EarlierPosts(self._recipe.workspace, self._shard, now, self._outputs)

    def _unknown(self, stages: Sequence[Stage]) -> dict[str, int]:
        """The posts of which not all is known, in the order of their ids, and the place of the first such stage."""
        posts, coming = self._posts(), self._incoming(stages[0])
        fresh: dict[str, int] = {}
        for place, stage in enumerate(stages):
            known = self._known[stage.name] = earlier_rows(posts, stage, self._recipe.base(stage))
            fresh.update((post_id, place) for post_id in coming if post_id not in known.fates)
            self._copied[stage.name] = [post_id for post_id in coming if post_id in known.fates]
            coming = [post_id for post_id in coming if known.fates.get(post_id)]
        return dict(sorted(fresh.items()))

    def _fetch(self, stages: Sequence[Stage], fresh: Mapping[str, int]) -> None:
        """What the stages will read of the posts that they look at and do not say in this pass."""
        names = [stage.name for stage in stages]
        for name in {name for stage in stages for name in _reads(stage)}:
            own = names.index(name) if name in names else -1
            wanted = [post_id for post_id, place in fresh.items() if own < place]
            if wanted:
                kind: type[Record] = Post if name == POSTS else BY_NAME[name].record
                ready = self._outputs.rows(self.parts[name], wanted) if own < 0 else self._known[name].kept_of(wanted)
                for row in plain_rows(ready, kind):
                    self._said[name][row["post_id"]] = kind.model_validate(row)

    def _trail(self, stage: Stage, post_id: str) -> Trail:
        records = {BY_NAME[name].record: self._said[name][post_id] for name in _reads(stage) if name != POSTS}
        return Trail(self._said[POSTS][post_id], records)

    def _part(self, stage: Stage) -> OutputPart:
        """The part of a stage whose posts were walked through."""
        part = self._found(stage)
        if part is None:
            made = self._joined(stage) if stage.decide_tables else self._written(stage)
            part = replace(made, mended="".join(self._wrong[stage.name]))
        self.parts[stage.name] = part
        return part

    def _written(self, stage: Stage) -> OutputPart:
        some = self._new[stage.name]
        kept, dropped = by_id([one.kept for one in some]), by_id([one.dropped for one in some])
        new = StageRows(kept, dropped, sum(one.digests for one in some))
        return self._saved(stage, new, self._copied[stage.name])

    def _joined(self, stage: Stage) -> OutputPart:
        """The part of a stage that decides by tables: rows of which whole stages say the same are copied.

        Those of which they say something else are copied with that.
        """
        incoming = self._incoming(stage)
        now = pa.table({"post_id": pa.array(incoming, pa.string())})
        for name, column in stage.over:
            held = rows_of(self._outputs.table(self.parts[name], columns=["post_id", column]), incoming)
            now = now.append_column(column, held[column])
        known = self._known[stage.name] = earlier_rows(self._posts(), stage, self._recipe.base(stage))
        copied = known.saying(now)
        handed = known.handed(now, copied)
        there = {*copied, *ids_of(handed)}
        made = self._decided_by_tables(stage, [post_id for post_id in incoming if post_id not in there])
        digests = made.digests + digest_sum(plain_rows(handed, stage.record))
        return self._saved(stage, StageRows(by_id([made.kept, handed]), made.dropped, digests), copied)

    def _decided_by_tables(self, stage: Stage, posts: Sequence[str]) -> StageRows:
        """What a stage that decides by tables says of some posts, in the order of their ids."""
        if not posts:
            return no_rows(stage)
        tables = {name: self._outputs.rows(self.parts[name], posts) for name in stage.reads}
        assert all(ids_of(table) == posts for table in tables.values()), f"{stage.name} lacks what it reads"
        assert stage.decide_tables is not None
        kept, dropped = stage.decide_tables(tables, self._recipe.context(stage))
        return StageRows(by_id([kept]), record_table(dropped, Dropped), digest_sum(plain_rows(kept, stage.record)))

    def _saved(self, stage: Stage, new: StageRows, copied: Sequence[str]) -> OutputPart:
        """The part of new rows and of those that are copied, which stay in their files where nearly all are."""
        known, address = self._known[stage.name], (stage.name, self._key(stage))
        kept = ids_of(new.kept) + [post_id for post_id in copied if known.fates[post_id]]
        dropped = ids_of(new.dropped) + [post_id for post_id in copied if not known.fates[post_id]]
        check_account(stage.name, self._incoming(stage), kept, dropped)
        self._kept[stage.name] = sorted(kept)
        change = known.change(new, copied)
        part = self._outputs.save_change(address, stage.record, known.parts[0], change) if change else None
        if part is not None:
            return part
        old = known.rows(copied)
        tables = (by_id([new.kept, old.kept]), by_id([new.dropped, old.dropped]))
        return self._outputs.save_tables(address, stage.record, tables, as_digest(new.digests + old.digests))

    def _incoming(self, stage: Stage) -> list[str]:
        """The posts that come in, in the order of their ids."""
        name = stage.reads[-1]
        if name not in self._kept:
            self._kept[name] = ids_of(self._outputs.table(self.parts[name], columns=["post_id"]))
        return self._kept[name]


def _stage_rows(stage: Stage, kept: Sequence[Record], dropped: Sequence[Dropped]) -> StageRows:
    plain = [row.model_dump() for row in kept]
    return StageRows(table_of(plain, stage.record), record_table(dropped, Dropped), digest_sum(plain))


def _reads(stage: Stage) -> list[str]:
    """The stages whose records a stage may look at."""
    return [name for name in stage.reads if name == POSTS or not BY_NAME[name].whole]


@at_work()
def run_shards(recipe: Recipe, stages: Sequence[str], shards: GivenShards) -> list[dict[str, OutputPart]]:
    """The parts that stages make of some shards, by stage, in the order of the shards."""
    chosen = [BY_NAME[name] for name in stages]
    return [ShardPass(recipe, Shard(number, recipe.shards), parts).run(chosen) for number, parts in shards]


@at_work()
def run_whole(recipe: Recipe, name: str, parts: Mapping[str, Sequence[OutputPart]]) -> list[OutputPart]:
    """The parts of a whole stage, found or made, given the parts of every stage that it reads."""
    stage, outputs = BY_NAME[name], recipe.workspace.outputs
    inputs = [digest_of([[part.content for part in parts[read]] for read in stage.reads])]
    inputs += [recipe.days] if stage.days and recipe.days else []
    shards = [Shard(number, recipe.shards) for number in range(recipe.shards)]
    keys = [recipe.address(stage, [*inputs, str(shard)]) for shard in shards]
    wrong: list[list[str]] = [[] for _ in keys]
    found = [outputs.find(name, key, wrong[number].append) for number, key in enumerate(keys)]
    if None not in found:
        return [part for part in found if part is not None]
    columns, ends = _columns(stage, recipe, parts)
    kept, dropped = (_cut(table, columns[POST_ID], ends) for table in _decided(stage, recipe, columns))
    made = []
    for number, (shard, key) in enumerate(zip(shards, keys, strict=True)):
        part = found[number] or _saved(recipe, shard, (name, key), (kept[number], dropped[number]))
        made.append(replace(part, mended="".join(wrong[number])))
    return made


def _decided(stage: Stage, recipe: Recipe, columns: PostColumns) -> StageTables:
    """The rows that a stage keeps and drops; every post is in one of them."""
    workspace = recipe.workspace
    days = days_of(workspace, recipe.store, recipe.snapshot_id) if stage.days and recipe.days else {}
    made_by = recipe.address(stage, [])
    context = replace(recipe.context(stage, days), memory=Memory(workspace.earlier.memory(stage.name, made_by)))
    assert stage.decide_columns is not None
    kept, dropped = stage.decide_columns(columns, context)
    check_account(stage.name, columns[POST_ID], ids_of(kept), ids_of(dropped))
    if context.memory.left is not None:  # before the parts are there: a build that is killed leaves both or makes both
        workspace.earlier.remember(stage.name, made_by, context.memory.left)
    return kept, dropped


def _cut(table: pa.Table, ids: Sequence[str], ends: Sequence[int]) -> list[pa.Table]:
    """The rows of each shard, of rows that come in the order of ``ids``; ``ends`` is where those of each shard end."""
    places = pc.index_in(table[POST_ID].combine_chunks(), value_set=pa.array(ids, pa.string())).to_numpy()
    assert bool(np.all(np.diff(places) > 0)), "rows come in another order than their posts"
    return [table.slice(start, end - start) for start, end in pairwise([0, *np.searchsorted(places, ends).tolist()])]


def _saved(recipe: Recipe, shard: Shard, address: tuple[str, str], rows: StageTables) -> OutputPart:
    """The part of a shard; rows that the latest one has in the same way stay in its files where nearly all do."""
    stage, outputs = BY_NAME[address[0]], recipe.workspace.outputs.reading_once()
    pairs = next(recipe.workspace.earlier.parts(shard, stage.name, recipe.base(stage)), ())
    earlier = outputs.look(stage.name, pairs[0][1]) if len(pairs) == 1 else None
    if earlier is None or not outputs.schema(earlier).equals(arrow_schema(stage.record)):
        content = as_digest(digest_sum(plain_rows(rows[0], stage.record)))
        return outputs.save_tables(address, stage.record, rows, content)
    change = change_to(outputs, earlier, stage.record, rows)
    part = outputs.save_change(address, stage.record, earlier, change)
    return part or outputs.save_tables(address, stage.record, rows, change.content)


def _columns(
    stage: Stage, recipe: Recipe, parts: Mapping[str, Sequence[OutputPart]]
) -> tuple[dict[str, list[Any]], list[int]]:
    """What a stage decides over, post by post in the order of ids within the shards, and where each shard ends."""
    outputs = recipe.workspace.outputs
    columns: dict[str, list[Any]] = {POST_ID: [], **{column: [] for _, column in stage.over}}
    ends: list[int] = []
    for number in range(recipe.shards):
        incoming = ids_of(outputs.table(parts[stage.reads[-1]][number], columns=[POST_ID]))
        columns[POST_ID] += incoming
        ends.append(len(columns[POST_ID]))
        for read, some in groupby(stage.over, itemgetter(0)):
            names = [column for _, column in some]
            table = rows_of(outputs.table(parts[read][number], columns=[POST_ID, *names]), incoming)
            assert ids_of(table) == incoming
            for name in names:
                columns[name] += table[name].to_pylist()
    return columns, ends


Tell = Callable[[str, list[OutputPart]], list[OutputPart]]
"""What is told the parts of a stage as soon as all are there, and gives them as the next stages are to know them."""


def of_shard(
    parts: Mapping[str, Sequence[OutputPart] | Mapping[int, OutputPart]], stages: Sequence[Stage], shard: int
) -> dict[str, OutputPart]:
    """The parts of a shard that stages which follow each other read of those before them."""
    wanted = {POSTS, *(name for stage in stages for name in stage.reads)} - {stage.name for stage in stages}
    return {name: some[shard] for name, some in parts.items() if name in wanted}


def untold(_stage: str, parts: list[OutputPart]) -> list[OutputPart]:
    """Parts that nobody is told of."""
    return parts


@dataclass(frozen=True)
class Makers:
    """Who makes the parts of posts, of a whole stage, and of stages over all shards: this process, or tasks."""

    posts: Callable[[str, str, str, int], list[OutputPart]] = partition_posts
    whole: Callable[[Recipe, str, Mapping[str, Sequence[OutputPart]]], list[OutputPart]] = run_whole
    shards: Callable[[Recipe, list[str], GivenShards], list[dict[str, OutputPart]]] = run_shards


HERE: Final = Makers()


@at_work()
def make_parts(recipe: Recipe, tell: Tell = untold, makers: Makers = HERE) -> dict[str, list[OutputPart]]:
    """Every part of a build, by stage, posts first."""
    parts = {POSTS: tell(POSTS, makers.posts(recipe.data, recipe.store, recipe.snapshot_id, recipe.shards))}
    for stages in stage_groups():
        names = [stage.name for stage in stages]
        if stages[0].whole:
            found = {names[0]: makers.whole(recipe, names[0], parts)}
        else:
            given = [(shard, of_shard(parts, stages, shard)) for shard in range(recipe.shards)]
            made = makers.shards(recipe, names, given)
            found = {name: [one[name] for one in made] for name in names}
        parts |= {name: tell(name, some) for name, some in found.items()}
    return parts
