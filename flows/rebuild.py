"""Rebuild a version from its inputs in a folder of its own, reusing nothing, and compare."""

import tempfile
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE

from audits.inspect.rebuilding import compare_rebuild
from corpus.deposit import upsert
from corpus.errors import CorpusError
from corpus.files import Folder
from corpus.workspace import MODELS, Workspace
from crawlers.dumps.loading import load_archives
from curation.benchmark_texts import copy_benchmarks
from curation.publishing import config_of
from curation.run_records import run_of
from flows.build import build
from flows.console import Reporter
from flows.requests import BuildRequest, RebuildRequest, as_parameters


def _prepare(asked: RebuildRequest, scratch: Path) -> None:
    """Put the version's models, benchmarks and posts into the scratch folder: posts of archives, or the stored ones.

    Posts files are read by the build itself.
    """
    workspace = Workspace(asked.data)
    own_models = workspace.folder / MODELS
    for name in own_models.names():
        Folder.at(scratch / MODELS).write(name, own_models.read(name))
    benchmarks = config_of(workspace.versions.open(asked.version, unchecked=True)).decontaminate.benchmarks
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
