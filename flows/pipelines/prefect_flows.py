"""The flows of Prefect: a build, a crawl, a version built again. Tasks are thin shells over plain functions."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from prefect import Flow, State, flow, task
from prefect.artifacts import create_link_artifact, create_markdown_artifact
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import TaskRun
from prefect.futures import as_completed
from prefect.runtime import flow_run
from prefect.task_runners import ProcessPoolTaskRunner, ThreadPoolTaskRunner
from prefect.tasks import Task

from audits.inspect.rebuilding import compare_rebuild
from corpus.errors import CorpusError, DamageError, StoreError
from corpus.folders.files import Folder
from corpus.outputs import OutputPart
from corpus.post_store.deposit import upsert
from corpus.shown_text import markdown_line
from corpus.versioning.card import funnel_lines
from corpus.workspace import MODELS, Workspace
from crawlers.dumps.loading import load_archives
from curation.building.making import GivenShards, Makers, make_parts, run_shards, run_whole
from curation.building.partitioning import partition_posts
from curation.building.publishing import Build, config_of, publish_and_tell
from curation.building.run_rows import run_of
from curation.building.running import Recipe, for_this_code
from curation.near_texts.benchmark_texts import copy_benchmarks
from curation.stages.decontaminate_stage import DecontaminateConfig
from curation.stages.registry import BY_NAME
from flows.console import Reporter
from flows.pipelines.build_steps import make_version, stage_told
from flows.pipelines.cluster import CONNECT_SECONDS, engine_failures, scheduler_of
from flows.pipelines.crawl_steps import fetch, store
from flows.pipelines.requests import BuildRequest, CrawlRequest, RebuildRequest, as_parameters
from flows.processes.loopback import bypass_proxies
from flows.processes.server import REPORTS, REPORTS_AT


def run_name(what: str, request: Any, field: str = "name") -> str:
    """The name of a run: what it does, and to which dataset or other field of its request.

    >>> run_name("build", {"name": "quarry"}), run_name("build", None)
    ('build quarry', 'build')
    """
    name = request.get(field) if isinstance(request, Mapping) else None
    return f"{what} {name}" if isinstance(name, str) else what


def crawl_page(counts: Mapping[str, Any]) -> str:
    """What a crawl did, as a Markdown table; counts within counts, as of what was stored, have a row each."""
    rows = []
    for name, value in counts.items():
        inner = value.items() if isinstance(value, Mapping) else [("", value)]
        rows += [f"| {f'{name} {part}'.strip()} | {markdown_line(str(one))} |" for part, one in inner]
    return "\n".join(["| count | value |", "|---|---|", *rows])


def outcome_line(built: Mapping[str, Any]) -> str:
    """What a build came to, in one line.

    >>> outcome_line({"version": "quarry/91bc", "rows": 12, "new": False, "parts": 10, "reused": 9})
    'quarry/91bc, 12 problems, there before; 9 of 10 parts reused'
    """
    state = "new" if built["new"] else "there before"
    reused = f"{built['reused']} of {built['parts']} parts reused"
    return f"{built['version']}, {built['rows']} problems, {state}; {reused}"


def version_page(built: Mapping[str, Any]) -> str:
    """A built version in Markdown: what it is, where it lies, and its funnel as a table."""
    waiting = ", ".join(built["not_accepted"])
    lines = [f"# {markdown_line(built['version'])}", "", outcome_line(built) + ".", ""]
    lines += [f"A candidate: {waiting} not accepted.", ""] if waiting else []
    return "\n".join([*lines, f"Folder: `{built['path']}`", "", *funnel_lines(built["funnel"])])


def write_report_of(data: str, version: str) -> str | None:
    """Write the report of a version where the server shows it; its address, or None where no pages are shown."""
    folder, address = os.environ.get(REPORTS), os.environ.get(REPORTS_AT)
    if not folder or not address:
        return None
    from audits.report.report_page import write_report

    workspace = Workspace(data)
    file = f"{version.replace('/', '-')}.html"
    write_report(workspace, workspace.versions.open(version), Path(folder) / file)
    return f"{address}/{file}"


bypass_proxies()
THREADS = 4
"""Parts under way at once in one process, whoever runs the flow; Prefect's own limit is none."""
_THREADS: Any = ThreadPoolTaskRunner(max_workers=THREADS)

MOST_TASKS = 64
"""Tasks of one group of stages: more of them would be a burden on the server, and each has shards enough."""


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
def shards_part(recipe: dict[str, Any], stages: list[str], shards: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Run stages that look at one post at a time over some shards; gives the parts of each by stage."""
    given = [(one["shard"], {name: OutputPart(**part) for name, part in one["parts"].items()}) for one in shards]
    made = run_shards(for_this_code(Recipe(**recipe), stages), stages, given)
    return [{name: part.as_dict() for name, part in parts.items()} for parts in made]


@io_task
def whole_part(recipe: dict[str, Any], stage: str, parts: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Run a stage that sees the corpus at once; gives its parts by shard."""
    given = {name: [OutputPart(**part) for part in some] for name, some in parts.items()}
    return [part.as_dict() for part in run_whole(for_this_code(Recipe(**recipe), [stage]), stage, given)]


@io_task
def publish_version(build: Build) -> dict[str, Any]:
    """Publish what the build released."""
    return publish_and_tell(build)


def outcome(work: Task[..., Any], given: tuple[Any, ...], future: Any) -> list[dict[str, Any]]:
    """What a task returned; it is run once more where the engine lost it, and not the work failed.

    What it had made until then is found in the store, so nothing is made twice.
    """
    what = "it has no result"
    for again in (True, False):
        try:
            made = future.result()
            if isinstance(made, list):
                return made
        except engine_failures() as error:
            what = str(error).partition("\n")[0] or type(error).__name__
        if again:
            future = work.submit(*given)
    raise CorpusError(
        f"the engine lost a part of stage {given[1]} twice ({what}); look at its workers and run the build again, what "
        "is done is kept"
    )


def run_stages(recipe: Recipe) -> dict[str, list[OutputPart]]:
    """All stages in order, by tasks; the parts of each by its name."""
    with closing(Reporter()) as reporter:
        makers = Makers(_posts, _whole, partial(_shards, reporter))
        return make_parts(recipe, lambda name, parts: stage_told(name, parts, reporter), makers)


def _posts(data: str, store: str, snapshot_id: str, shards: int) -> list[OutputPart]:
    return [OutputPart(**part) for part in partition(data, store, snapshot_id, shards)]


def _whole(recipe: Recipe, name: str, parts: Mapping[str, Sequence[OutputPart]]) -> list[OutputPart]:
    read = {one: [part.as_dict() for part in parts[one]] for one in BY_NAME[name].reads}
    task = (recipe.as_dict(), name, read)
    return [OutputPart(**part) for part in outcome(whole_part, task, whole_part.submit(*task))]


def _shards(reporter: Reporter, recipe: Recipe, names: list[str], shards: GivenShards) -> list[dict[str, OutputPart]]:
    """Submit the shards, some a task, and gather what each made of them in their order."""
    given = [
        {"shard": shard, "parts": {name: part.as_dict() for name, part in parts.items()}} for shard, parts in shards
    ]
    size = -(-recipe.shards // MOST_TASKS)
    tasks = [(recipe.as_dict(), names, given[start : start + size]) for start in range(0, len(given), size)]
    futures = [shards_part.submit(*task) for task in tasks]
    for done, _ in enumerate(as_completed(futures), start=1):
        if done < len(futures):
            reporter.step(f"{names[0]} to {names[-1]}" if len(names) > 1 else names[0], done, len(futures))
    outcomes = [outcome(shards_part, *one) for one in zip(tasks, futures, strict=True)]
    return [{name: OutputPart(**part) for name, part in made.items()} for some in outcomes for made in some]


def _build_name() -> str:
    """What a build is called in Prefect: by its dataset."""
    return run_name("build", flow_run.parameters.get("request"))


@flow(name="build", flow_run_name=_build_name, validate_parameters=False, task_runner=_THREADS)
def build(request: dict[str, Any]) -> dict[str, Any]:
    """Posts -> a new version; returns its label, path, row count, whether it is new, and the funnel."""
    built = make_version(BuildRequest.model_validate(request), run_stages, publish_version)
    create_markdown_artifact(key="version", markdown=version_page(built), description=built["version"])
    report = write_report_of(request["data"], built["version"])
    if report:
        create_link_artifact(key="report", link=report, link_text=f"report of {built['version']}")
    return built


class WorkerPool(ProcessPoolTaskRunner):
    """Worker processes that are all there before work is given to them.

    Python 3.11 never ends one that it starts while it sees to the death of another, and the build waits for ever.
    """

    def submit(self, *args: Any, **kwargs: Any) -> Any:
        """As Prefect's."""
        executor: Any = self._executor
        if not executor._processes:
            executor._launch_processes()
            executor._start_executor_manager_thread()
        return super().submit(*args, **kwargs)


def with_workers(request: BuildRequest) -> Flow[..., Any]:
    """The build flow on threads, processes or workers elsewhere, as a build asks for."""
    address = scheduler_of(request.runner)
    if address is not None:
        from prefect_dask.task_runners import DaskTaskRunner

        elsewhere: Any = DaskTaskRunner(address=address, client_kwargs={"timeout": CONNECT_SECONDS})
        return build.with_options(task_runner=elsewhere)
    processes: Any = WorkerPool(max_workers=request.workers)
    return build if request.workers == 1 else build.with_options(task_runner=processes)


_fetch = task(cache_policy=NO_CACHE)(fetch)
_store = task(cache_policy=NO_CACHE)(store)


def _crawl_name() -> str:
    """What a crawl is called in Prefect: by its source."""
    return run_name("crawl", flow_run.parameters.get("request"), "source")


@flow(name="crawl", flow_run_name=_crawl_name, validate_parameters=False)
def crawl(request: dict[str, Any]) -> dict[str, Any]:
    """Crawl a source into the post store; returns what the crawl did, and what that was to the store."""
    asked = CrawlRequest.model_validate(request)
    counts = _fetch(asked)
    counts["stored"] = _store(asked.data, counts["posts_path"], counts.pop("gone"))
    create_markdown_artifact(key="crawl", markdown=crawl_page(counts))
    return counts


def _prepare(asked: RebuildRequest, scratch: Path) -> None:
    """Put the version's models, benchmarks and posts into the scratch folder: posts of archives, or the stored ones.

    Posts files are read by the build itself.
    """
    workspace = Workspace(asked.data)
    own_models = workspace.folder / MODELS
    for name in own_models.names():
        Folder.at(scratch / MODELS).write(name, own_models.read(name))
    benchmarks = config_of(workspace.versions.open(asked.version, unchecked=True)).of(DecontaminateConfig).benchmarks
    copy_benchmarks(workspace.benchmarks, Workspace(str(scratch)).benchmarks, benchmarks)
    if asked.archives:
        store = Workspace(str(scratch)).posts
        store.add_tombstones(workspace.posts.tombstones().stones)
        load_archives(map(Path, asked.archives), store, Reporter().line)
    elif not asked.posts:
        run = run_of(workspace, workspace.versions.open(asked.version, unchecked=True))
        store = workspace.store(run.store)
        upsert(Workspace(str(scratch)).posts, store.load(store.open_snapshot(run.snapshot_id)))


@task(cache_policy=NO_CACHE)
def compare(data: str, version: str, scratch: str, label: str) -> dict[str, Any]:
    """Compare the version's files with what was built in the scratch folder."""
    old, new = Workspace(data).versions.open(version, unchecked=True), Workspace(scratch).versions.open(label)
    verdict = compare_rebuild(old, new)
    return {"identical": verdict.identical, "sentence": verdict.sentence(old), "version": new.label}


@flow(name="rebuild", validate_parameters=False)
def rebuild(request: dict[str, Any]) -> dict[str, Any]:
    """Build a version again and say whether every published file has the same bytes."""
    asked = RebuildRequest.model_validate(request)
    version = Workspace(asked.data).versions.open(asked.version, unchecked=True)
    with tempfile.TemporaryDirectory(prefix="wordquarry-rebuild-", ignore_cleanup_errors=True) as folder:
        scratch = Path(folder)
        _prepare(asked, scratch)
        again = BuildRequest(
            data=str(scratch),
            name=version.name,
            posts=asked.posts,
            config=config_of(version),
            shards=asked.shards,
            store_state=version.manifest.get("store", {}),
        )
        try:
            built = build(**as_parameters(again))
        except CorpusError as error:
            raise type(error)(f"rebuilding {version.label}: {error}") from error
        return dict(compare(asked.data, asked.version, str(scratch), built["version"]))
