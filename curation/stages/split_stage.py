"""Stage split: posts that share a template or a near-duplicate group share a split, whatever comes later."""

from collections.abc import Iterable, Sequence

from corpus.config import SplitConfig
from corpus.records import CleanedPost, PostSplit, PostTemplate, Record
from curation.duplicates import duplicate_groups
from curation.splits import assign_splits
from curation.stages.stage import Context, Stage, Trail


def _decide(trails: Sequence[Trail], context: Context) -> Iterable[Record]:
    texts = [(trail.post.post_id, trail.get(CleanedPost).question) for trail in trails]
    groups = duplicate_groups(texts)
    rows = [(trail.post.post_id, trail.get(PostTemplate).template_id, groups[trail.post.post_id]) for trail in trails]
    return assign_splits(rows, context.config)


STAGE = Stage("split", PostSplit, ("posts", "clean", "templates"), _decide, SplitConfig, whole=True)
