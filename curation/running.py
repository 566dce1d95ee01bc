"""What the parts of a build are made by: configuration, code and model of each stage, and the keys that follow."""

import ctypes
import functools
import gc
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import ContextDecorator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any, ClassVar, Final

from corpus.canonical import digest_of
from corpus.code import code_digest
from corpus.config import BuildConfig
from corpus.outputs import part_key
from corpus.workspace import Workspace
from curation.stages.registry import BY_NAME, STAGES
from curation.stages.release_stage import tag_model
from curation.stages.stage import Context, Stage
from models.storage import load_model

FEW_POSTS = 100
POSTS_A_SHARD = 8_000
MAX_SHARDS = 1_024
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # as glibc's malloc.h has them
KEPT_MEMORY: Final = {M_TRIM_THRESHOLD: 512 << 20, M_MMAP_THRESHOLD: 256 << 20}
"""Bytes of free memory that stay, and the size of what is given back at once."""
BETWEEN_COLLECTIONS: Final = 20_000
"""Objects made before Python looks among them for cycles; at 700, its own figure, that is a tenth of a small build."""


@dataclass(frozen=True)
class Recipe:
    """Plain data that says how every part of one build is made, so that it can travel to any worker.

    ``config``, ``code`` and ``model`` are by stage, as is ``stage_keys``, the addresses of whole outputs. ``days`` is
    the digest of the days on which the posts were retrieved, where a stage asks for them, and else empty. ``made_for``
    is the digest of the code that workers elsewhere must have (curation.same_code), empty where nobody else works.
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

    @property
    def made_by(self) -> dict[str, str]:
        """A key for each stage of its configuration, code and model, and those of the stages before; of no posts."""
        keys: dict[str, str] = {}
        before = ""
        for stage in STAGES:
            keys[stage.name] = before = self.address(stage, [before])
        return keys

    def base(self, stage: Stage) -> str:
        """The digest of all that decides what a stage of this recipe says of a post, beside the post.

        A stage that decides by tables also depends on columns of whole stages, which its rows hold; a whole stage
        depends on all posts, so that its earlier rows say nothing before they are compared.
        """
        if stage.decide_tables or stage.whole:
            return self.made_by[stage.name]
        chain = [one.name for one in STAGES[: STAGES.index(stage) + 1] if not one.whole]
        return digest_of([[name, self.config[name], self.code[name], self.model[name]] for name in chain])[:32]

    def context(self, stage: Stage, days: Mapping[str, str] | None = None) -> Context:
        """What a stage works with."""
        config = stage.config.model_validate(self.config[stage.name])
        return Context(config, stage_models(stage, self.workspace), days or {}, self.data)


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
    days = digest_of(sorted(days_of(workspace, *posts).items())) if config.diversity.by_day else ""
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
    if config.release.tags is not None:
        tag_model(workspace.data, config.release.tags)
    stage_models(BY_NAME["agree"], workspace)["publication"].promise(config.publish.precision)
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


@functools.cache
def keep_memory() -> bool:
    """Let this process keep memory that is free, since a build soon asks for it again; False where that has no knob.

    Pages that the system takes back and gives anew are a twentieth of a build with few new posts.
    """
    tell = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    return tell is not None and all(tell(knob, size) for knob, size in KEPT_MEMORY.items())


class AtWork(ContextDecorator):
    """While a build is at work cycles are looked for less often, and memory that is free is kept (``keep_memory``).

    The last to leave sets the usual collections again; the memory stays.
    """

    _usual: ClassVar = gc.get_threshold()
    _lock: ClassVar = threading.Lock()
    _inside: ClassVar[int] = 0

    def __enter__(self) -> None:
        keep_memory()
        with self._lock:
            AtWork._inside += 1
            gc.set_threshold(BETWEEN_COLLECTIONS, *self._usual[1:])

    def __exit__(self, *_: object) -> None:
        with self._lock:
            AtWork._inside -= 1
            if not AtWork._inside:
                gc.set_threshold(*self._usual)


at_work = AtWork()
