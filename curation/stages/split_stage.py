"""Stage split: posts that share a template or a near-duplicate group share a split, whatever comes later."""

from collections.abc import Iterable, Sequence
from typing import Any

from corpus.config import SplitConfig
from corpus.records import CleanedPost, Dropped, PostSplit, PostTemplate, Record
from curation.duplicates import growing_groups
from curation.splits import assign_splits
from curation.stages.stage import Context, PostColumns, Stage, StageTables, Trail, as_records, rows_table


def _decide_columns(columns: PostColumns, context: Context) -> StageTables:
    names = columns["post_id"]
    groups, context.memory.left = growing_groups(
        list(zip(names, columns["question"], strict=True)), context.memory.known
    )
    found = zip(names, columns["template_id"], strict=True)
    assigned = assign_splits([(name, template, groups[name]) for name, template in found], context.config)
    return rows_table(assigned, PostSplit), rows_table([], Dropped)


def _decide(trails: Sequence[Trail], context: Context) -> Iterable[Record]:
    columns: dict[str, Sequence[Any]] = {
        "post_id": [trail.post.post_id for trail in trails],
        "question": [trail.get(CleanedPost).question for trail in trails],
        "template_id": [trail.get(PostTemplate).template_id for trail in trails],
    }
    return as_records(_decide_columns(columns, context), PostSplit, columns["post_id"])


STAGE = Stage(
    "split",
    PostSplit,
    ("posts", "clean", "templates"),
    _decide,
    SplitConfig,
    whole=True,
    over=(("clean", "question"), ("templates", "template_id")),
    decide_columns=_decide_columns,
)
