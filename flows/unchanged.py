"""The answer to a build that has nothing to do, without a Prefect server: what the build itself would say."""

from contextlib import closing
from dataclasses import replace
from typing import Any

from corpus.errors import InputError
from corpus.locks import building
from corpus.store import Snapshot
from corpus.workspace import Workspace
from flows.console import Reporter
from flows.requests import BuildRequest
from flows.taking import store_state


def unchanged(request: BuildRequest, store: str, snapshot: Snapshot) -> dict[str, Any] | None:
    """The result of a build of a snapshot if it would change nothing.

    InputError where there are no posts at all, ModelError for a damaged model.
    """
    workspace = Workspace(request.data)
    if not snapshot.posts:
        where = ", ".join(request.posts) or f"{workspace.folder}/{store}"
        raise InputError(f"no posts in {where}; crawl or ingest some, or give a file of them with --posts")
    from curation.publishing import told_of
    from curation.run_rows import published
    from curation.stages.registry import STAGES
    from curation.standing import Wanted, standing
    from flows.build_steps import counts_of, stage_told

    with building(workspace.folder):
        lacks = store_state(request, store)
        gate = request.gate.as_dict()
        found = standing(workspace, Wanted(request.name, store, snapshot, request.config, request.shards, lacks, gate))
    if found is None:
        return None
    workspace.versions.stays(found.version)
    published(workspace, request.name)
    parts = {name: [replace(part, reused=True) for part in some] for name, some in found.parts.items()}
    with closing(Reporter()) as reporter:
        for stage in STAGES:
            stage_told(stage.name, parts[stage.name], reporter)
    return {**told_of(workspace, found.version, new=False), **counts_of(parts)}
