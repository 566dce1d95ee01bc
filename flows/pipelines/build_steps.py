"""What every build does, whoever does the work: posts are taken, stages run, a version is published.

A build runs in this process, by Prefect's tasks (``flows.pipelines.prefect_flows``), or as one of several ranks
(``build --rank I --of N``), which need no server.
"""

import contextlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from corpus.canonical import digest_of
from corpus.errors import CorpusError, InputError
from corpus.folders.locks import building
from corpus.outputs import OutputPart
from corpus.post_store.store import Snapshot
from corpus.workspace import Workspace
from curation.building.earlier_rows import fresh_posts
from curation.building.making import make_parts
from curation.building.publishing import Build, funnel, publish_and_tell, told_of
from curation.building.ranks import (
    Announcement,
    NoticeBoard,
    Rank,
    RankAtWork,
    RunState,
    SupersededError,
    refuse_other,
    silent,
)
from curation.building.run_rows import POSTS, published
from curation.building.running import Recipe, code_here, recipe_of, shard_count
from curation.building.standing import Wanted, standing
from curation.stages.registry import STAGES
from flows.console import Reporter
from flows.pipelines.cluster import scheduler_of
from flows.pipelines.requests import BuildRequest
from flows.pipelines.taking import store_state, take_posts
from flows.processes.server import ADDRESS

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
        elsewhere = scheduler_of(request.runner) is not None
        recipe = replace(recipe, made_for=code_here() if elsewhere else "", workers=1 if elsewhere else request.workers)
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


def asked_of(request: BuildRequest) -> str:
    """A digest of what decides a build beside its posts and the code, and must be the same for all ranks."""
    return digest_of(
        [
            request.name,
            request.config.model_dump(mode="json"),
            request.shards,
            request.incomplete_store,
            request.gate.as_dict(),
        ]
    )


def build_as_rank(request: BuildRequest, rank: Rank) -> dict[str, Any]:
    """Build together with the other ranks. What rank 0 returns is what a build returns, others the version's name."""
    with building(Workspace(request.data).folder):
        return _lead(request, rank) if rank.number == 0 else _follow(request, rank)


def _make(member: RankAtWork) -> dict[str, list[OutputPart]]:
    with closing(Reporter()) as reporter:
        made = member.make_parts(lambda name, some: stage_told(name, some, reporter))
    return {name: list(some.values()) for name, some in made.items()}


def _lead(request: BuildRequest, rank: Rank) -> dict[str, Any]:
    workspace = Workspace(request.data)
    board = NoticeBoard(workspace, request.name)
    turn = workspace.versions.turn(request.name)
    store, snapshot = take_posts(request)
    shards = request.shards or shard_count(snapshot.posts)
    recipe = recipe_of(request.data, (store, snapshot.snapshot_id), request.config, shards)
    said = Announcement(turn or 0, rank.of, code_here(), asked_of(request), snapshot.snapshot_id, recipe.as_dict())
    before = board.announced()
    if before is not None and replace(before, run=said.run, state=said.state, said=said.said) == said:
        if before.state == RunState.DONE:
            rank = replace(rank, of=1)  # the others see that it is done; what is damaged since is made here
        said = replace(said, run=before.run)  # of a rank 0 that was ended and goes on
    if rank.of == said.of:
        board.announce(said)
    try:
        with RankAtWork(rank, board, said, request.data).at_work() as member:
            parts = _make(member)
            lacks = store_state(request, store)
            where = (request.data, request.name, store, snapshot.snapshot_id)
            gate = request.gate.as_dict()
            built = Build(*where, request.config, recipe.stage_keys, parts, lacks=lacks, gate=gate, turn=turn)
            published = publish_and_tell(built)
    except SupersededError as error:
        raise CorpusError(
            f"another rank 0 builds {request.name} in {workspace.folder}; wait for it; this one published nothing"
        ) from error
    except Exception as error:
        board.announce(replace(said, state=RunState.FAILED, said=str(error) or repr(error)))
        raise
    board.announce(replace(said, state=RunState.DONE, said=published["version"]))
    return {**published, **counts_of(parts)}


def _follow(request: BuildRequest, rank: Rank) -> dict[str, Any]:
    board = NoticeBoard(Workspace(request.data), request.name)
    counts: Mapping[str, int] = {"reused": 0, "parts": 0}
    over = time.monotonic() + rank.wait_seconds
    while time.monotonic() < over:
        said = board.announced()
        if said is not None and said.state == RunState.OPEN:
            refuse_other(said, rank, code_here(), asked_of(request))
            counts = _work(rank, board, said, request)
            now = board.announced()
            if now is not None and (now.run, now.state) == (said.run, RunState.DONE):
                return {"version": now.said, **counts}
            over = time.monotonic() + rank.wait_seconds
        elif said is not None and said.state == RunState.DONE and _is_this(said, rank, request):
            return {"version": said.said, **counts}
        else:
            time.sleep(1)
    raise silent(0, rank)


def _work(rank: Rank, board: NoticeBoard, said: Announcement, request: BuildRequest) -> Mapping[str, int]:
    """Take part in one build that was announced; how many parts of its own a rank made or found."""
    own: list[OutputPart] = []
    with contextlib.suppress(SupersededError), RankAtWork(rank, board, said, request.data).at_work() as member:
        parts = _make(member)
        own = [part for stage in STAGES if not stage.whole for part in parts[stage.name]]
        member.wait_for_end()
    return {"reused": sum(part.reused for part in own), "parts": len(own)}


def _is_this(said: Announcement, rank: Rank, request: BuildRequest) -> bool:
    """Whether a build that is done is the one this rank was started for."""
    if (said.of, said.code, said.asked) != (rank.of, code_here(), asked_of(request)):
        return False
    return take_posts(request)[1].snapshot_id == said.inputs


def unchanged(request: BuildRequest, store: str, snapshot: Snapshot) -> dict[str, Any] | None:
    """The result of a build of a snapshot if it would change nothing.

    InputError where there are no posts at all, ModelError for a damaged model.
    """
    workspace = Workspace(request.data)
    if not snapshot.posts:
        where = ", ".join(request.posts) or f"{workspace.folder}/{store}"
        raise InputError(f"no posts in {where}; crawl or ingest some, or give a file of them with --posts")
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
