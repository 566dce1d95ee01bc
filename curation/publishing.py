"""From the last stage's rows to a published version, with everything a rebuild or an explanation needs to find."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pyarrow as pa
from pydantic import ValidationError

from corpus.appearance import Appearance
from corpus.canonical import RETRIEVAL, canonical_json
from corpus.code import code_digest
from corpus.config import BuildConfig
from corpus.errors import VersionError
from corpus.files import aside
from corpus.gate_verdicts import missing_stages
from corpus.outputs import OutputPart, total
from corpus.record_tables import ids_of, rows_of
from corpus.records import Problem
from corpus.release import StreamedRelease
from corpus.versions import Version
from corpus.workspace import Workspace
from curation.provenance import (
    ANSWER_COLUMNS,
    POST_COLUMNS,
    PROBLEM_COLUMNS,
    QUESTION_COLUMNS,
    provenance_of,
    removed_from,
    source_answers,
    source_posts,
)
from curation.run_records import POSTS, RUNS
from curation.running import at_work, stage_config, stage_model_digest
from curation.stages.registry import STAGES

MakeTexts = Callable[[pa.Table, pa.Table], pa.Table]
"""From problems, and their posts in the same order, to the rows of a table beside them."""


@dataclass(frozen=True)
class Build:
    """A build that ran: where its posts are, what it was asked for, the parts of every stage, what its store lacks, and
    what its version has to reach. ``turn`` is the one it took when it began (corpus.turns)."""

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


def funnel(parts: Mapping[str, Sequence[OutputPart]]) -> list[dict[str, Any]]:
    """Per stage: in, kept, dropped by reason, and the digest of what was kept."""
    return [{"stage": stage.name, **total(parts[stage.name])} for stage in STAGES]


def making(build: Build) -> dict[str, Any]:
    """What decides a version: its snapshot, and each stage's configuration, code, model, key and counts."""
    workspace = Workspace(build.data)
    stages = [
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
    lacks = {"store": dict(build.lacks)} if build.lacks else {}
    return {"snapshot": build.snapshot_id, "posts": counts[0]["in"], "stages": stages, "funnel": counts, **lacks}


def _appearance(build: Build) -> Appearance:
    """Where each problem stands in the version: of the problems only what decides it is read."""
    outputs = Workspace(build.data).outputs
    columns = [name for name in ("problem_id", "post_id", "posted_at") if name in Problem.model_fields]
    return Appearance(outputs.table(part, columns=columns) for part in build.parts["release"])


def _problems(build: Build) -> Iterator[pa.Table]:
    """The problems, shard by shard."""
    outputs = Workspace(build.data).outputs
    return (outputs.table(part) for part in build.parts["release"])


def _sources(build: Build) -> Iterator[pa.Table]:
    """The provenance of the problems, shard by shard."""
    workspace = Workspace(build.data)
    outputs, released = workspace.outputs, build.parts["release"]
    ids = [post_id for part in released for post_id in ids_of(outputs.table(part, columns=["post_id"]))]
    held = workspace.store(build.store).open_snapshot(build.snapshot_id).chosen(ids).table
    first = 0
    for problems, posts in _with_posts(build, POST_COLUMNS):
        dated = held.slice(first, len(problems))
        first += len(problems)
        for name in RETRIEVAL:
            posts = posts.append_column(name, dated[name].cast(pa.string()))
        yield provenance_of(problems, posts)


def _texts(build: Build, made: MakeTexts, columns: Sequence[str]) -> Iterator[pa.Table]:
    """The texts that problems point into, shard by shard."""
    return (made(problems, posts) for problems, posts in _with_posts(build, columns))


def _with_posts(build: Build, columns: Sequence[str]) -> Iterator[tuple[pa.Table, pa.Table]]:
    """The problems and, in the same order, some columns of their posts, shard by shard."""
    outputs = Workspace(build.data).outputs
    for part, posts_part in zip(build.parts["release"], build.parts[POSTS], strict=True):
        problems = outputs.table(part, columns=PROBLEM_COLUMNS)
        posts = rows_of(outputs.table(posts_part, columns=columns), ids_of(problems))
        assert ids_of(problems) == ids_of(posts)
        yield problems, posts


@at_work
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

    Problems and their provenance are read shard by shard, and written in the order of ``corpus.appearance``.
    """
    workspace = Workspace(build.data)
    order = _appearance(build)

    def in_order(rows: Callable[..., Iterator[pa.Table]], *how: Any) -> Callable[[], Iterator[pa.Table]]:
        return lambda: order.ordered(rows(build, *how), partial(aside, workspace.folder))

    release = StreamedRelease(
        build.name,
        build.config.release.title,
        making(build),
        str(total(build.parts["release"])["content"]),
        in_order(_problems),
        in_order(_sources),
        in_order(_texts, source_posts, QUESTION_COLUMNS),
        in_order(_texts, source_answers, ANSWER_COLUMNS),
    )
    version, new = workspace.versions.publish(release, build.gate, build.turn)
    record = {
        "store": build.store,
        "snapshot": build.snapshot_id,
        "code": code_digest(__name__),
        "nested": True,
        "removed": removed_from("\n".join(workspace.outputs.texts(part)) for part in build.parts[POSTS]),
        "parts": {name: [part.made().as_dict() for part in parts] for name, parts in build.parts.items()},
    }
    workspace.folder.write(f"{RUNS}/{version.label}.json", canonical_json(record).encode())
    return version, new


def config_of(version: Version) -> BuildConfig:
    """The build configuration in a version's manifest; VersionError if this code knows its stages no more."""
    try:
        return BuildConfig.model_validate({stage["stage"]: stage["config"] for stage in version.manifest["stages"]})
    except (KeyError, TypeError, ValidationError) as error:
        raise VersionError(
            f"{version.label} was made with other stages than these; check out the code that made it"
        ) from error
