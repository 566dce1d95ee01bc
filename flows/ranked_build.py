"""A build as one of several ranks, without a scheduler: the command ``build --rank I --of N``."""

import contextlib
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

from corpus.canonical import digest_of
from corpus.errors import CorpusError
from corpus.locks import building
from corpus.outputs import OutputPart
from corpus.workspace import Workspace
from curation.publishing import Build, publish_and_tell
from curation.ranks import (
    Announcement,
    NoticeBoard,
    Rank,
    RankAtWork,
    RunState,
    SupersededError,
    all_parts,
    refuse_other,
    silent,
)
from curation.running import code_here, recipe_of, shard_count
from curation.stages.registry import STAGES
from flows.build_steps import counts_of, stage_told
from flows.console import Reporter
from flows.requests import BuildRequest
from flows.taking import store_state, take_posts


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
        return all_parts(member.make_parts(lambda name, some: stage_told(name, some, reporter)))


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
    except CorpusError as error:
        board.announce(replace(said, state=RunState.FAILED, said=str(error)))
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
