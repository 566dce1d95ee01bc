"""A stage that sees the corpus at once: it reads the columns it asks for, decides, and writes one part per shard."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from corpus.canonical import bucket_of, digest_of
from corpus.earlier import Shard
from corpus.outputs import OutputPart, check_account
from corpus.record_tables import ids_of, rows_of
from corpus.records import Dropped
from corpus.workspace import Workspace
from curation.running import Recipe, days_of
from curation.stages.registry import BY_NAME
from curation.stages.stage import Memory, Stage


def run_whole(recipe: Recipe, name: str, parts: Mapping[str, Sequence[OutputPart]]) -> list[OutputPart]:
    """The parts of a whole stage, found or made, given the parts of every stage that it reads."""
    stage, outputs = BY_NAME[name], Workspace(recipe.data).outputs
    inputs = [digest_of([[part.content for part in parts[read]] for read in stage.reads])]
    inputs += [recipe.days] if stage.days and recipe.days else []
    keys = [recipe.address(stage, [*inputs, str(Shard(number, recipe.shards))]) for number in range(recipe.shards)]
    wrong: list[list[str]] = [[] for _ in keys]
    found = [outputs.find(name, key, wrong[number].append) for number, key in enumerate(keys)]
    if None not in found:
        return [part for part in found if part is not None]
    kept, dropped = _decided(stage, recipe, _columns(stage, recipe, parts))
    made = []
    for number, key in enumerate(keys):
        part = found[number] or outputs.save((name, key), stage.record, kept[number], dropped[number])
        made.append(replace(part, mended="".join(wrong[number])))
    return made


Shards = Mapping[int, Sequence[Any]]


def _decided(stage: Stage, recipe: Recipe, columns: Mapping[str, Sequence[Any]]) -> tuple[Shards, Shards]:
    """The rows that a stage keeps and drops, by shard; every post is in one of them."""
    workspace = Workspace(recipe.data)
    days = days_of(workspace, recipe.store, recipe.snapshot_id) if stage.days and recipe.days else {}
    made_by = recipe.address(stage, [])
    context = replace(recipe.context(stage, days), memory=Memory(workspace.earlier.memory(stage.name, made_by)))
    assert stage.decide_columns is not None
    kept: dict[int, list[Any]] = defaultdict(list)
    dropped: dict[int, list[Any]] = defaultdict(list)
    out: tuple[list[str], list[str]] = ([], [])
    for row in stage.decide_columns(columns, context):
        gone = isinstance(row, Dropped)
        assert gone or isinstance(row, stage.record), f"stage {stage.name} returned a record of another kind"
        post_id = str(getattr(row, "post_id"))  # noqa: B009 - every stage record has it
        out[gone].append(post_id)
        (dropped if gone else kept)[bucket_of(post_id, recipe.shards)].append(row)
    check_account(stage.name, columns["post_id"], *out)
    if context.memory.left is not None:  # before the parts are there: a build that is killed leaves both or makes both
        workspace.earlier.remember(stage.name, made_by, context.memory.left)
    return kept, dropped


def _columns(stage: Stage, recipe: Recipe, parts: Mapping[str, Sequence[OutputPart]]) -> dict[str, list[Any]]:
    """What a stage decides over, post by post in the order of their ids within the shards."""
    outputs = Workspace(recipe.data).outputs
    columns: dict[str, list[Any]] = {"post_id": [], **{column: [] for _, column in stage.over}}
    for number in range(recipe.shards):
        incoming = ids_of(outputs.table(parts[stage.reads[-1]][number], columns=["post_id"]))
        columns["post_id"] += incoming
        for read, column in stage.over:
            table = rows_of(outputs.table(parts[read][number], columns=["post_id", column]), incoming)
            assert ids_of(table) == incoming
            columns[column] += table[column].to_pylist()
    return columns
