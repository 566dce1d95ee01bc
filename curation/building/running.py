"""What the parts of a build are made by: configuration, code and model of each stage, and the keys that follow."""

import functools
import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, Final

import pyarrow as pa

from corpus.canonical import digest_of
from corpus.code import code_digest
from corpus.errors import CorpusError
from corpus.outputs import part_key
from corpus.workspace import Workspace
from curation.stages.agree_stage import PublishConfig
from curation.stages.diversity_stage import DiversityConfig
from curation.stages.registry import BY_NAME, STAGES, BuildConfig
from curation.stages.release_stage import ReleaseConfig, tag_model
from curation.stages.stage import Context, Stage
from models.storage import load_model

FEW_POSTS = 100
POSTS_A_SHARD = 8_000
MAX_SHARDS = 1_024
BETWEEN_COLLECTIONS: Final = 20_000
"""Objects made before Python looks among them for cycles; at 700, its own figure, that is a tenth of a small build."""


@dataclass(frozen=True)
class Recipe:
    """Plain data that says how every part of one build is made, so that it can travel to any worker.

    ``config``, ``code`` and ``model`` are by stage, as is ``stage_keys``, the addresses of whole outputs. ``days`` is
    the digest of the days on which the posts were retrieved, where a stage asks for them, and else empty. ``made_for``
    is the digest of the code that workers elsewhere must have (running), empty where nobody else works. ``workers`` are
    the processes that a stage over the whole corpus may use at once.
    """

    data: str
    store: str
    snapshot_id: str
    shards: int
    config: dict[str, dict[str, Any]]
    code: dict[str, str]
    model: dict[str, str]
    stage_keys: dict[str, str]
    days: str = ""
    made_for: str = ""
    workers: int = 1

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @property
    def workspace(self) -> Workspace:
        """The data folder."""
        return Workspace(self.data)

    def address(self, stage: Stage, inputs: list[str]) -> str:
        """The key of a part made of inputs with these contents."""
        name = stage.name
        return part_key(name, inputs, self.config[name], self.code[name], self.model[name])

    def base(self, stage: Stage) -> str:
        """The digest of all that decides what a stage of this recipe says of a post, beside the post.

        A stage that sees one post at a time does not depend on whole stages. One that decides by tables also depends on
        columns of theirs, which its rows hold; a whole stage depends on all posts, so that its earlier rows say nothing
        before they are compared.
        """
        chain = [one for one in STAGES[: STAGES.index(stage) + 1] if stage.decide is None or not one.whole]
        return digest_of([self.address(one, []) for one in chain])[:32]

    def context(self, stage: Stage, days: Mapping[str, str] | None = None) -> Context[Any]:
        """What a stage works with."""
        config = stage.config.model_validate(self.config[stage.name])
        return Context(config, stage_models(stage, self.workspace), days or {}, self.data, workers=self.workers)


def shard_count(posts: int) -> int:
    """Shards for so many posts: a power of two, each of about 8,000 posts, so that growth splits shards in two.

    Few posts are one part, since a task costs more than what is to be done.

    >>> [shard_count(posts) for posts in (0, 99, 100, 10_000, 1_000_000, 10_000_000)]
    [1, 1, 4, 4, 128, 1024]
    """
    if posts < FEW_POSTS:
        return 1
    wanted = max(4, min(MAX_SHARDS, -(-posts // POSTS_A_SHARD)))
    return int(1 << (wanted - 1).bit_length())


def recipe_of(data: str, posts: tuple[str, str], config: BuildConfig, shards: int) -> Recipe:
    """The recipe of a build of a snapshot, ``posts`` (its store and its id); ModelError for a damaged model."""
    workspace, (store, snapshot_id) = Workspace(data), posts
    days = digest_of(sorted(days_of(workspace, *posts).items())) if config.of(DiversityConfig).by_day else ""
    return Recipe(
        data=data,
        store=store,
        snapshot_id=snapshot_id,
        shards=shards,
        config={stage.name: stage_config(stage, config) for stage in STAGES},
        code={stage.name: code_digest(stage.module) for stage in STAGES},
        model={stage.name: stage_model_digest(stage, workspace) for stage in STAGES},
        stage_keys=stage_keys(workspace, snapshot_id, config, days),
        days=days,
    )


def days_of(workspace: Workspace, store: str, snapshot_id: str) -> dict[str, str]:
    """The day on which each post of a snapshot was last retrieved; posts that nothing dates are not in it."""
    held = workspace.store(store).open_snapshot(snapshot_id)
    return {one.post_id: one.retrieved_at[:10] for one in held.rows() if one.retrieved_at}


def stage_groups() -> Iterator[tuple[Stage, ...]]:
    """The stages in order: those that follow each other and see one post at a time together, whole ones alone."""
    for whole, group in groupby(STAGES, lambda stage: stage.whole):
        stages = tuple(group)
        yield from ((stage,) for stage in stages) if whole else (stages,)


def stage_config(stage: Stage, config: BuildConfig) -> dict[str, Any]:
    """The part of a build configuration that one stage sees."""
    settings: dict[str, Any] = config.of_stage(stage.name).model_dump(mode="json")
    return settings


def stage_model_digest(stage: Stage, workspace: Workspace) -> str:
    """The digest of the models a stage needs, empty where it needs none."""
    return "-".join(map(workspace.model_digest, stage.models))


def stage_keys(workspace: Workspace, snapshot_id: str, config: BuildConfig, days: str = "") -> dict[str, str]:
    """The content address of every stage's whole output; it does not depend on the number of shards.

    ``days`` is the digest of the days of retrieval where the configuration asks for them. A damaged model is a
    ModelError here, and a promise that no threshold keeps a ConfigError, before any stage runs.
    """
    check_models(workspace)
    tags = config.of(ReleaseConfig).tags
    if tags is not None:
        tag_model(workspace.data, tags)
    stage_models(BY_NAME["agree"], workspace)["publication"].promise(config.of(PublishConfig).precision)
    keys: dict[str, str] = {}
    before = snapshot_id
    for stage in STAGES:
        model = stage_model_digest(stage, workspace)
        inputs = [before, days] if stage.days and days else [before]
        before = part_key(stage.name, inputs, stage_config(stage, config), code_digest(stage.module), model)
        keys[stage.name] = before
    return keys


@functools.lru_cache(maxsize=8)
def _model(path: str, digest: str) -> Any:
    """A model by path and digest; the digest keeps a changed file from being served from memory."""
    return load_model(path, expected_digest=digest)


def stage_models(stage: Stage, workspace: Workspace) -> dict[str, Any]:
    """The models a stage needs, by name; ModelError for a damaged one."""
    return {name: _model(str(workspace.model_file(name)), workspace.model_digest(name)) for name in stage.models}


def check_models(workspace: Workspace) -> None:
    """Load the models of every stage; ModelError for one that is missing or damaged."""
    for stage in STAGES:
        stage_models(stage, workspace)


_USUAL: Final = gc.get_threshold()


@contextmanager
def at_work() -> Iterator[None]:
    """While a build is at work cycles are looked for less often; memory that it no longer needs is given back then."""
    gc.set_threshold(BETWEEN_COLLECTIONS, *_USUAL[1:])
    try:
        yield
    finally:
        gc.set_threshold(*_USUAL)
        pa.default_memory_pool().release_unused()


MADE_BY = "curation.building.ranks"
"""The module whose imports are all that makes parts."""


def code_here() -> str:
    """The digest of all code and libraries that make parts, as this process has them."""
    return code_digest(MADE_BY)


def for_this_code(recipe: Recipe, stages: Sequence[str]) -> Recipe:
    """The recipe, if it was made for this code; CorpusError for other code, or another model than this worker has."""
    if not recipe.made_for:
        return recipe
    if recipe.made_for != code_here():
        raise CorpusError(
            f"a worker runs other code ({code_here()[:12]}) than this command ({recipe.made_for[:12]}) and made "
            "nothing; install the same code and the same libraries on all workers and start them again"
        )
    for name in stages:
        found = stage_model_digest(BY_NAME[name], recipe.workspace)
        if found != recipe.model[name]:
            raise CorpusError(
                f"a worker has another model for stage {name} ({found[:12]}) than this command "
                f"({recipe.model[name][:12]}) and made nothing; give all workers the same data folder and code"
            )
    return recipe
