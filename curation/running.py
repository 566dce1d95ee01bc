"""Runs one part of a stage: reads what came before, decides, checks the account, writes. No scheduler in here."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any

from corpus.canonical import bucket_of, digest_of, without_retrieval
from corpus.code import code_digest
from corpus.config import BuildConfig
from corpus.outputs import OutputPart, check_account, part_key
from corpus.records import Dropped, Post, Record
from corpus.store import Holding
from corpus.workspace import Workspace
from curation.run_records import POSTS
from curation.stages.registry import BY_NAME, STAGES
from curation.stages.stage import Context, Stage, Trail
from models.storage import load_model

POSTS_AT_ONCE = 50_000
FEW_POSTS = 100


@dataclass(frozen=True)
class PartJob:
    """One part of one stage to run: plain data, so that it can travel to any worker.

    ``inputs`` holds, for each stage read, its parts; ``shard`` of ``shards`` is the part to make.
    """

    data: str
    stage: str
    shard: int
    shards: int
    inputs: dict[str, list[dict[str, Any]]]
    config: dict[str, Any]
    stage_keys: dict[str, str]

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def shard_count(posts: int) -> int:
    """Shards for so many posts: tens at the most, whatever the size of the corpus.

    Few posts are one part, since a task costs more than what is to be done.

    >>> [shard_count(posts) for posts in (0, 99, 100, 10_000, 1_000_000)]
    [1, 1, 4, 5, 64]
    """
    return 1 if posts < FEW_POSTS else max(4, min(64, -(-posts // 2_000)))


def partition_posts(data: str, store: str, snapshot_id: str, shards: int) -> list[OutputPart]:
    """Spread a snapshot over ``shards`` parts by post id, contents alone: how they were retrieved changes nothing.

    So many shards are read at once as hold about POSTS_AT_ONCE posts: memory does not grow with the snapshot's texts.
    """
    workspace = Workspace(data)
    held: dict[int, list[Holding]] = {shard: [] for shard in range(shards)}
    for post_id, one in workspace.store(store).open_snapshot(snapshot_id).items():
        held[bucket_of(post_id, shards)].append(one)
    keys = [part_key(POSTS, [snapshot_id, f"{shard}/{shards}"], {}, "", "") for shard in range(shards)]
    wrong: dict[int, list[str]] = {shard: [] for shard in range(shards)}
    found = {shard: workspace.outputs.find(POSTS, keys[shard], wrong[shard].append) for shard in range(shards)}
    parts = {shard: part for shard, part in found.items() if part is not None}
    missing = [shard for shard in range(shards) if shard not in parts]
    at_once = max(1, POSTS_AT_ONCE * shards // max(1, sum(map(len, held.values()))))
    for start in range(0, len(missing), at_once):
        buckets: dict[int, list[Post]] = {shard: [] for shard in missing[start : start + at_once]}
        for post in workspace.store(store).load(chain.from_iterable(held[shard] for shard in buckets)):
            buckets[bucket_of(post.post_id, shards)].append(without_retrieval(post))
        for shard, rows in buckets.items():
            saved = workspace.outputs.save((POSTS, keys[shard]), Post, rows, [])
            parts[shard] = replace(saved, mended="".join(wrong[shard]))
    return [parts[shard] for shard in range(shards)]


def stage_config(stage: Stage, config: BuildConfig) -> dict[str, Any]:
    """The part of a build configuration that one stage sees."""
    settings: dict[str, Any] = getattr(config, stage.name).model_dump(mode="json")
    return settings


def stage_model_digest(stage: Stage, workspace: Workspace) -> str:
    """The digest of the model a stage needs, empty where it needs none."""
    return workspace.model_digest(stage.model) if stage.model else ""


def stage_keys(workspace: Workspace, snapshot_id: str, config: BuildConfig) -> dict[str, str]:
    """The content address of every stage's whole output; it does not depend on the number of shards.

    A damaged model is a ModelError here, before any stage runs.
    """
    check_models(workspace)
    keys: dict[str, str] = {}
    before = snapshot_id
    for stage in STAGES:
        model = stage_model_digest(stage, workspace)
        before = part_key(stage.name, [before], stage_config(stage, config), code_digest(stage.module), model)
        keys[stage.name] = before
    return keys


def _input_parts(job: PartJob, stage: str) -> list[OutputPart]:
    parts = [OutputPart(**part) for part in job.inputs[stage]]
    return [parts[job.shard]] if len(parts) == job.shards and job.shards > 1 else parts


def _address(job: PartJob, stage: Stage, workspace: Workspace) -> str:
    contents = [part.content for name in stage.reads for part in _input_parts(job, name)]
    inputs = [*contents, f"{job.shard}/{job.shards}"]
    if stage.name == STAGES[-1].name:
        inputs.append(digest_of(job.stage_keys))
    return part_key(stage.name, inputs, job.config, code_digest(stage.module), stage_model_digest(stage, workspace))


def _rows(
    job: PartJob, workspace: Workspace, source: tuple[str, type[Record]], wanted: Callable[[str], bool]
) -> dict[str, Any]:
    """The rows of one stage that are wanted, by post id, sorted; rows of no interest are not even made records."""
    stage, kind = source
    rows = [row for part in _input_parts(job, stage) for row in workspace.outputs.kept(part, kind, wanted)]
    by_id = {getattr(row, "post_id"): row for row in rows}  # noqa: B009 - every stage record has it
    return dict(sorted(by_id.items()))


def _trails(job: PartJob, stage: Stage, workspace: Workspace) -> list[Trail]:
    *earlier, last = stage.reads
    kinds: dict[str, type[Record]] = {POSTS: Post, **{other.name: other.record for other in STAGES}}
    incoming = _rows(job, workspace, (last, kinds[last]), lambda post_id: bucket_of(post_id, job.shards) == job.shard)
    tables = {name: _rows(job, workspace, (name, kinds[name]), incoming.__contains__) for name in earlier}
    tables[last] = incoming
    return [
        Trail(
            post=tables[POSTS][post_id],
            records={kinds[name]: tables[name][post_id] for name in stage.reads if name != POSTS},
        )
        for post_id in incoming
    ]


@functools.lru_cache(maxsize=8)
def _model(path: str, digest: str) -> Any:
    """A model by path and digest; the digest keeps a changed file from being served from memory."""
    return load_model(path, expected_digest=digest)


def stage_model(stage: Stage, workspace: Workspace) -> Any:
    """The model a stage needs, None where it needs none; ModelError for a damaged one."""
    if not stage.model:
        return None
    return _model(str(workspace.model_file(stage.model)), workspace.model_digest(stage.model))


def check_models(workspace: Workspace) -> None:
    """Load the model of every stage; ModelError for one that is missing or damaged."""
    for stage in STAGES:
        stage_model(stage, workspace)


def _context(job: PartJob, stage: Stage, workspace: Workspace) -> Context:
    return Context(stage.config.model_validate(job.config), stage_model(stage, workspace), job.stage_keys)


def run_part(job: PartJob) -> OutputPart:
    """Make one part of a stage, or find it made; every post that comes in is kept or dropped with a reason.

    One that is found damaged is made again and says so.
    """
    stage, workspace = BY_NAME[job.stage], Workspace(job.data)
    key = _address(job, stage, workspace)
    wrong: list[str] = []
    found = workspace.outputs.find(stage.name, key, wrong.append)
    if found is not None:
        return found
    trails = _trails(job, stage, workspace)
    results = list(stage.decide(trails, _context(job, stage, workspace)))
    kept = [row for row in results if isinstance(row, stage.record)]
    dropped = [row for row in results if isinstance(row, Dropped)]
    assert len(kept) + len(dropped) == len(results), f"stage {stage.name} returned a record of another kind"
    check_account(stage.name, [trail.post.post_id for trail in trails], kept, dropped)  # type: ignore[arg-type]
    saved = workspace.outputs.save((stage.name, key), stage.record, kept, dropped)
    return replace(saved, mended="".join(wrong))


def stage_jobs(
    stage: Stage, data: str, parts: Mapping[str, Sequence[OutputPart]], config: BuildConfig, keys: Mapping[str, str]
) -> list[PartJob]:
    """The jobs of one stage, given the parts of the stages before it."""
    shards = 1 if stage.whole else len(parts[POSTS])
    base = PartJob(
        data=data,
        stage=stage.name,
        shard=0,
        shards=shards,
        inputs={name: [part.as_dict() for part in parts[name]] for name in stage.reads},
        config=stage_config(stage, config),
        stage_keys={name: keys[name] for name in keys},
    )
    return [replace(base, shard=shard) for shard in range(shards)]
