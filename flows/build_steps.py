"""What every build does, whoever does the work: its posts are taken, its stages run, its version is published."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from corpus.locks import building
from corpus.outputs import OutputPart
from corpus.store import Snapshot
from corpus.workspace import Workspace
from curation.earlier_rows import fresh_posts
from curation.making import make_parts
from curation.publishing import Build, funnel, publish_and_tell
from curation.run_rows import POSTS
from curation.running import Recipe, code_here, recipe_of, shard_count
from curation.stages.registry import STAGES
from flows.cluster import scheduler_of
from flows.console import Reporter
from flows.requests import BuildRequest
from flows.server import ADDRESS
from flows.taking import store_state, take_posts

FEW = 2_500
"""So many posts are read here in the time that Prefect's server and its workers take to start."""
FEW_OF = 64
"""Of so many posts one is few as well: more than reading it takes what is done for all of them, by one process."""

Parts = Mapping[str, Sequence[OutputPart]]
"""The parts of each stage, and of the posts, by name."""


def make_version(
    request: BuildRequest, run: Callable[[Recipe], Parts], publish: Callable[[Build], dict[str, Any]]
) -> dict[str, Any]:
    """Posts -> a new version; returns its label, path, row count, whether it is new, and the funnel."""
    workspace = Workspace(request.data)
    with building(workspace.folder):
        turn = workspace.versions.turn(request.name)
        store, snapshot = take_posts(request)
        shards = request.shards or shard_count(snapshot.posts)
        recipe = recipe_of(request.data, (store, snapshot.snapshot_id), request.config, shards)
        recipe = replace(recipe, made_for=code_here() if scheduler_of(request.runner) else "")
        parts = run(recipe)
        lacks, gate = store_state(request, store), request.gate.as_dict()
        where = (request.data, request.name, store, snapshot.snapshot_id)
        published = publish(Build(*where, request.config, recipe.stage_keys, parts, lacks, gate, turn))
    return {**published, **counts_of(parts)}


def counts_of(parts: Parts) -> dict[str, Any]:
    """What a build says of its parts: the funnel, how many there are, and how many were there before."""
    made = [part for stage in STAGES for part in parts[stage.name]]
    return {"funnel": funnel(parts), "reused": sum(part.reused for part in made), "parts": len(made)}


def named_repairs(parts: Sequence[OutputPart], reporter: Reporter) -> list[OutputPart]:
    """The parts; those that were found damaged and made again are named on standard error."""
    for part in parts:
        if part.mended:
            reporter.line(f"{part.mended}; this part of stage {part.stage} was made again")
    return [replace(part, mended="") for part in parts]


def stage_told(name: str, parts: Sequence[OutputPart], reporter: Reporter) -> list[OutputPart]:
    """The parts of a stage that is done; what it kept and reused is told."""
    whole = named_repairs(parts, reporter)
    if whole and name != POSTS:
        counts = f"kept {sum(part.kept for part in whole)}, reused {sum(part.reused for part in whole)}"
        reporter.step(name, len(whole), len(whole), counts)
    return whole


def build_here(request: BuildRequest) -> dict[str, Any]:
    """A build in this process, without a server."""

    def run(recipe: Recipe) -> Parts:
        with closing(Reporter()) as reporter:
            return make_parts(recipe, lambda name, parts: stage_told(name, parts, reporter))

    return make_version(request, run, publish_and_tell)


def little_to_do(
    request: BuildRequest, store: str, snapshot: Snapshot, *, few: int = FEW, few_of: int = FEW_OF
) -> bool:
    """Whether a build of a snapshot is done here before Prefect's server has started; never where the user has one.

    ``few`` posts are soon read, and so is one of ``few_of``.
    """
    if os.environ.get(ADDRESS):
        return False
    if snapshot.posts <= few:
        return True
    shards = request.shards or shard_count(snapshot.posts)
    recipe = recipe_of(request.data, (store, snapshot.snapshot_id), request.config, shards)
    few = max(few, snapshot.posts // few_of)
    return fresh_posts(recipe, few) < few
