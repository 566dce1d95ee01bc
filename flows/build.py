"""The build: posts through every stage to a published version. Tasks are thin shells over plain functions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from prefect import Flow, State, flow, task
from prefect.artifacts import create_link_artifact, create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import TaskRun
from prefect.futures import as_completed
from prefect.task_runners import ProcessPoolTaskRunner, ThreadPoolTaskRunner
from prefect.tasks import Task

from corpus.errors import DamageError, StoreError
from corpus.locks import building
from corpus.outputs import OutputPart
from corpus.store import PostStore, Snapshot
from corpus.workspace import Workspace
from crawlers.ingest import LineReading, deposit_posts
from crawlers.origin import file_source
from curation.publishing import Build, funnel, publish
from curation.running import POSTS, PartJob, partition_posts, run_part, shard_count, stage_jobs, stage_keys
from curation.stages.registry import STAGES
from curation.stages.stage import Stage
from flows.console import Reporter
from flows.requests import BuildRequest


def retriable(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Whether a failure may pass by itself: network and disk may; damage and faults in input or code will not."""
    failure = state.result(raise_on_failure=False)
    return isinstance(failure, OSError | StoreError) and not isinstance(failure, DamageError)


io_task = task(retries=2, retry_delay_seconds=[1, 5], retry_condition_fn=retriable, cache_policy=NO_CACHE)


@io_task
def partition(data: str, store: str, snapshot_id: str, shards: int) -> list[dict[str, Any]]:
    """Spread a snapshot over shards."""
    return [part.as_dict() for part in partition_posts(data, store, snapshot_id, shards)]


@io_task
def stage_part(job: dict[str, Any]) -> dict[str, Any]:
    """Run one part of one stage."""
    return run_part(PartJob(**job)).as_dict()


@io_task
def publish_version(build: Build) -> dict[str, Any]:
    """Publish what the build released."""
    version, new = publish(build)
    return {"version": version.label, "path": str(version.folder), "new": new, "rows": version.manifest["rows"]}


def take_posts(request: BuildRequest) -> tuple[str, Snapshot]:
    """The store a build reads, and its snapshot: the posts files given, or the post store."""
    workspace = Workspace(request.data)
    if not request.posts:
        return "posts", PostStore(workspace.posts.folder, incomplete=request.incomplete_store).snapshot()
    paths = [Path(path) for path in request.posts]
    with workspace.input_deposit(incomplete=request.incomplete_store) as deposit:
        for number, path in enumerate(paths):
            deposit_posts(path, deposit, number, LineReading(request.skip_bad))
        return workspace.keep_input(deposit, file_source(paths), incomplete=request.incomplete_store)


def store_state(request: BuildRequest, store: str) -> Mapping[str, Any]:
    """What the store behind a build lacks, for the manifest; of a rebuild what the version says of its own."""
    if request.store_state is not None:
        return request.store_state
    return PostStore(Workspace(request.data).folder / store, incomplete=request.incomplete_store).state()


def named_repairs(parts: Sequence[OutputPart], reporter: Reporter) -> list[OutputPart]:
    """The parts; those that were found damaged and made again are named on standard error."""
    for part in parts:
        if part.mended:
            reporter.line(f"{part.mended}; this part of stage {part.stage} was made again")
    return [replace(part, mended="") for part in parts]


def run_stage(stage: Stage, jobs: Sequence[PartJob], reporter: Reporter) -> list[OutputPart]:
    """Submit the parts of a stage and gather them in the order of their shards."""
    futures = [stage_part.submit(job.as_dict()) for job in jobs]
    for done, _ in enumerate(as_completed(futures), start=1):
        if done < len(futures):
            reporter.step(stage.name, done, len(futures))
    parts = named_repairs([OutputPart(**future.result()) for future in futures], reporter)
    reused = sum(part.reused for part in parts)
    reporter.step(stage.name, len(parts), len(parts), f"kept {sum(part.kept for part in parts)}, reused {reused}")
    return parts


def run_stages(
    request: BuildRequest, store: str, snapshot: Snapshot, keys: Mapping[str, str]
) -> dict[str, list[OutputPart]]:
    """All stages in order; the parts of each by its name."""
    reporter = Reporter()
    shards = request.shards or shard_count(snapshot.posts)
    spread = [OutputPart(**part) for part in partition(request.data, store, snapshot.snapshot_id, shards)]
    parts = {POSTS: named_repairs(spread, reporter)}
    try:
        for stage in STAGES:
            jobs = stage_jobs(stage, request.data, parts, request.config, keys)
            parts[stage.name] = run_stage(stage, jobs, reporter)
    finally:
        reporter.close()
    return parts


@flow(name="build", validate_parameters=False)
def build(request: dict[str, Any]) -> dict[str, Any]:
    """Posts -> a new version; returns its label, path, row count, whether it is new, and the funnel."""
    asked = BuildRequest.model_validate(request)
    with building(Workspace(asked.data).folder):
        store, snapshot = take_posts(asked)
        keys = stage_keys(Workspace(asked.data), snapshot.snapshot_id, asked.config)
        parts = run_stages(asked, store, snapshot, keys)
        counts = funnel(parts)
        create_table_artifact(key="funnel", table=[{**row, "dropped": str(row["dropped"])} for row in counts])
        lacks = store_state(asked, store)
        published = publish_version(
            Build(asked.data, asked.name, store, snapshot.snapshot_id, asked.config, keys, parts, lacks)
        )
    create_link_artifact(key="version", link=f"file://{published['path']}", link_text=published["version"])
    reused = sum(part.reused for stage in STAGES for part in parts[stage.name])
    return {**published, "funnel": counts, "reused": reused, "parts": sum(len(parts[stage.name]) for stage in STAGES)}


def with_workers(workers: int) -> Flow[..., Any]:
    """The build flow on threads, or on so many processes."""
    runner: Any = ThreadPoolTaskRunner(max_workers=4)
    if workers > 1:
        runner = ProcessPoolTaskRunner(max_workers=workers)
    return build.with_options(task_runner=runner)
