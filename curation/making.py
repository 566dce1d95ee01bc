"""All parts of a build in one process, in the order in which a scheduler has to make them."""

from collections.abc import Callable, Mapping, Sequence

from corpus.outputs import OutputPart
from curation.partitioning import partition_posts
from curation.run_records import POSTS
from curation.running import Recipe, at_work, stage_groups
from curation.shard_pass import run_shards
from curation.stages.stage import Stage
from curation.whole_pass import run_whole

Tell = Callable[[str, list[OutputPart]], list[OutputPart]]
"""What is told the parts of a stage as soon as all are there, and gives them as the next stages are to know them."""


def read_by(stages: Sequence[Stage]) -> list[str]:
    """The stages before some that follow each other, whose parts those read."""
    own = {stage.name for stage in stages}
    return [
        name for name in dict.fromkeys((POSTS, *(name for stage in stages for name in stage.reads))) if name not in own
    ]


def of_shard(parts: Mapping[str, Sequence[OutputPart]], stages: Sequence[Stage], shard: int) -> dict[str, OutputPart]:
    """The parts of a shard that stages read."""
    return {name: parts[name][shard] for name in read_by(stages)}


def untold(_stage: str, parts: list[OutputPart]) -> list[OutputPart]:
    """Parts that nobody is told of."""
    return parts


@at_work
def make_parts(recipe: Recipe, tell: Tell = untold) -> dict[str, list[OutputPart]]:
    """Every part of a build, by stage, posts first."""
    parts = {POSTS: tell(POSTS, partition_posts(recipe.data, recipe.store, recipe.snapshot_id, recipe.shards))}
    for stages in stage_groups():
        names = [stage.name for stage in stages]
        if stages[0].whole:
            found = {names[0]: run_whole(recipe, names[0], parts)}
        else:
            given = [(shard, of_shard(parts, stages, shard)) for shard in range(recipe.shards)]
            made = run_shards(recipe, names, given)
            found = {name: [one[name] for one in made] for name in names}
        parts |= {name: tell(name, some) for name, some in found.items()}
    return parts
