"""A stage that sees the corpus at once: it reads the columns it asks for, decides, and writes one part per shard."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpus.canonical import digest_of
from corpus.earlier import Shard
from corpus.outputs import OutputPart, check_account
from corpus.record_tables import POST_ID, as_digest, digest_sum, ids_of, plain_rows, rows_of
from corpus.schema import arrow_schema
from curation.earlier_rows import change_to
from curation.running import Recipe, at_work, days_of
from curation.stages.registry import BY_NAME
from curation.stages.stage import Memory, PostColumns, Stage, StageTables


@at_work
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
        for read, column in stage.over:
            table = rows_of(outputs.table(parts[read][number], columns=[POST_ID, column]), incoming)
            assert ids_of(table) == incoming
            columns[column] += table[column].to_pylist()
    return columns, ends
