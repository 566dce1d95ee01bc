"""From the last stage's rows to a published version, with everything a rebuild or an explanation needs to find."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from corpus.canonical import RETRIEVAL, canonical_json
from corpus.code import code_digest
from corpus.errors import VersionError
from corpus.folders.files import aside
from corpus.outputs import DROPPED, OutputPart, total
from corpus.record_tables import SpreadRows, ids_of, rows_of
from corpus.versioning.gate_verdicts import missing_stages
from corpus.versioning.manifest_record import FunnelRow, MakingFacts, StageFacts
from corpus.versioning.release import BesideStreams, Release
from corpus.versioning.row_groups import Appearance
from corpus.versioning.versions import Version
from corpus.workspace import Workspace
from curation.building.run_rows import NOTHING, POSTS, RUNS, NothingPublishedError, published
from curation.building.running import at_work, stage_config, stage_model_digest, stage_models
from curation.provenance import (
    POST_COLUMNS,
    PROBLEM_COLUMNS,
    provenance_of,
    removed_from,
    source_answers,
    source_posts,
    texts_of,
)
from curation.stages.agree_stage import PublishConfig
from curation.stages.registry import BY_NAME, STAGES, BuildConfig, meaning_of
from curation.stages.release_stage import ReleaseConfig
from extractors.text.edits import MARKS

BesideProblems = tuple[pa.Table, pa.Table, pa.Table]
"""The rows of provenance, questions and answers of some problems, see ``BesideStreams``."""


@dataclass(frozen=True)
class Build:
    """A build that ran: where its posts are, what it was asked for, the parts of every stage, what its store lacks, and
    what its version has to reach. ``turn`` is the one it took when it began (corpus.versioning.latest)."""

    data: str
    name: str
    store: str
    snapshot_id: str
    config: BuildConfig
    keys: Mapping[str, str]
    parts: Mapping[str, Sequence[OutputPart]]
    lacks: Mapping[str, Any] = field(default_factory=dict)
    gate: Mapping[str, Any] = field(default_factory=dict)
    turn: int | None = None


def funnel(parts: Mapping[str, Sequence[OutputPart]]) -> list[FunnelRow]:
    """Per stage: in, kept, dropped by reason, and the digest of what was kept."""
    return [{"stage": stage.name, **total(parts[stage.name])} for stage in STAGES]


def making(build: Build) -> MakingFacts:
    """What decides a version: its snapshot, each stage's configuration, code, model, key and counts, the promise."""
    workspace = Workspace(build.data)
    stages: list[StageFacts] = [
        {
            "stage": stage.name,
            "key": build.keys[stage.name],
            "config": stage_config(stage, build.config),
            "code": code_digest(stage.module),
            "model": stage_model_digest(stage, workspace) or None,
        }
        for stage in STAGES
    ]
    counts = funnel(build.parts)
    found: MakingFacts = {"snapshot": build.snapshot_id, "posts": counts[0]["in"], "stages": stages, "funnel": counts}
    if build.lacks:
        found["store"] = dict(build.lacks)
    promise = stage_models(BY_NAME["agree"], workspace)["publication"].told(build.config.of(PublishConfig).precision)
    if promise:
        found["promise"] = promise
    return found


def _beside(build: Build, removed: Counter[str]) -> Iterator[BesideProblems]:
    """What stands beside the problems, shard by shard; the marks in all posts are counted on the way."""
    workspace = Workspace(build.data)
    outputs, released = workspace.outputs, build.parts["release"]
    ids = [post_id for part in released for post_id in ids_of(outputs.table(part, columns=["post_id"]))]
    held = workspace.store(build.store).open_snapshot(build.snapshot_id).chosen(ids).table
    first = 0
    for part, posts_part in zip(released, build.parts[POSTS], strict=True):
        problems, posts = outputs.table(part, columns=PROBLEM_COLUMNS), outputs.table(posts_part, columns=POST_COLUMNS)
        removed.update(removed_from(texts_of(posts)))
        posts = rows_of(posts, ids_of(problems))
        assert ids_of(problems) == ids_of(posts)
        dated = held.slice(first, len(problems))
        first += len(problems)
        for name in RETRIEVAL:
            posts = posts.append_column(name, dated[name].cast(pa.string()))
        yield provenance_of(problems, posts), source_posts(problems, posts), source_answers(problems, posts)


@at_work()
def publish_and_tell(build: Build) -> dict[str, Any]:
    """Publish what a build released; returns what a command says of it, as plain data."""
    return told_of(Workspace(build.data), *publish(build))


def told_of(workspace: Workspace, version: Version, new: bool) -> dict[str, Any]:
    """What a command says of a version that was built, as plain data; ``new`` where it was not there before."""
    latest = workspace.versions.latest_id(version.name)
    return {
        "version": version.label,
        "path": str(version.folder),
        "new": new,
        "rows": version.manifest["rows"],
        "not_accepted": missing_stages(version.manifest),
        "latest": f"{version.name}/{latest}" if latest else None,
    }


def publish(build: Build) -> tuple[Version, bool]:
    """Publish what a build released; returns the version and whether it is new.

    Problems and what stands beside them are read shard by shard, and written in the order of ``row_groups``.
    """
    workspace, released = Workspace(build.data), build.parts["release"]
    if not total(released)["kept"]:
        raise _nothing_published(workspace, build)
    outputs, waiting, removed = workspace.outputs, partial(aside, workspace.folder), Counter[str]()
    order = Appearance(outputs.table(part, columns=["problem_id", "post_id", "posted_at"]) for part in released)
    with ExitStack() as stack:

        def beside() -> BesideStreams:
            kinds = [stack.enter_context(SpreadRows(waiting)) for _ in BesideStreams._fields]
            return BesideStreams(*order.apart(_beside(build, removed), kinds))

        release = Release(
            build.name,
            build.config.of(ReleaseConfig).title,
            making(build),
            str(total(released)["content"]),
            lambda: order.ordered((outputs.table(part) for part in released), waiting),
            beside,
        )
        version, new = workspace.versions.publish(release, build.gate, build.turn)
    record = {**_run_record(build), "removed": {kind: removed[kind] for kind in MARKS}}
    workspace.folder.write(f"{RUNS}/{version.label}.json", canonical_json(record).encode())
    published(workspace, version.name)
    return version, new


def _run_record(build: Build) -> dict[str, Any]:
    return {
        "store": build.store,
        "snapshot": build.snapshot_id,
        "code": code_digest(__name__),
        "keys": dict(build.keys),
        "nested": True,
        "parts": {name: [part.made().as_dict() for part in parts] for name, parts in build.parts.items()},
    }


def _nothing_published(workspace: Workspace, build: Build) -> NothingPublishedError:
    """Keep what a build did that dropped every post, and say of the most frequent reason what it means."""
    facts = making(build)
    record = {**_run_record(build), "stages": facts["stages"], "funnel": facts["funnel"]}
    workspace.folder.write(f"{RUNS}/{build.name}/{NOTHING}.json", canonical_json(record).encode())
    drops = [(count, row["stage"], reason) for row in facts["funnel"] for reason, count in row["dropped"].items()]
    if not drops:
        return NothingPublishedError(f"no problem left to publish as {build.name}: there were no posts; crawl some")
    count, stage, reason = max(drops, key=lambda drop: drop[0])
    tables = (workspace.outputs.table(part, DROPPED, ["post_id", "reason"]) for part in build.parts[stage])
    example = min(row["post_id"] for table in tables for row in table.to_pylist() if row["reason"] == reason)
    said = meaning_of(reason)
    means = f" ({said.meaning})" if said else ""
    means += f"; what may help: {said.may_help}" if said and said.may_help else ""
    return NothingPublishedError(
        f"no problem left to publish as {build.name}: of {facts['posts']} posts, stage {stage} dropped {count} as "
        f"{reason}{means}; wordquarry explain {example} --version {build.name} shows the first"
    )


def config_of(version: Version) -> BuildConfig:
    """The build configuration in a version's manifest; VersionError if this code knows its stages no more."""
    try:
        stages = version.manifest["stages"]
        return BuildConfig.model_validate({BY_NAME[stage["stage"]].table: stage["config"] for stage in stages})
    except (KeyError, TypeError, ValidationError) as error:
        raise VersionError(
            f"{version.label} was made with other stages than these; check out the code that made it"
        ) from error
