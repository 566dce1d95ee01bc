"""From the last stage's rows to a published version, with everything a rebuild or an explanation needs to find."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from corpus.canonical import canonical_json
from corpus.code import code_digest
from corpus.config import BuildConfig
from corpus.errors import VersionError
from corpus.outputs import OutputPart, total
from corpus.records import Problem
from corpus.strict_json import load_json
from corpus.versions import Release, Version
from corpus.workspace import Workspace
from curation.provenance import provenance_of, removed_from
from curation.running import POSTS, stage_config, stage_model_digest
from curation.stages.registry import STAGES

RUNS = "runs"


@dataclass(frozen=True)
class Build:
    """A build that ran: where its posts are, what it was asked for, the parts of every stage, what its store lacks, and
    what its version has to reach."""

    data: str
    name: str
    store: str
    snapshot_id: str
    config: BuildConfig
    keys: Mapping[str, str]
    parts: Mapping[str, Sequence[OutputPart]]
    lacks: Mapping[str, Any] = field(default_factory=dict)
    gate: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BuildRecord:
    """The record of a build beside its version: which parts each stage made."""

    name: str
    version_id: str
    store: str
    snapshot_id: str
    parts: Mapping[str, Sequence[OutputPart]]


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


def publish(build: Build) -> tuple[Version, bool]:
    """Publish what a build released; returns the version and whether it is new."""
    workspace = Workspace(build.data)
    problems = [row for part in build.parts["release"] for row in workspace.outputs.kept(part, Problem)]
    store = workspace.store(build.store)
    held = store.open_snapshot(build.snapshot_id)
    posts = {post.post_id: post for post in store.load(held[problem.post_id] for problem in problems)}
    provenance = provenance_of(problems, posts)
    release = Release(build.name, build.config.release.title, problems, making(build), provenance, build.gate)
    version, new = workspace.versions.publish(release)
    record = {
        "store": build.store,
        "snapshot": build.snapshot_id,
        "removed": removed_from(text for part in build.parts[POSTS] for text in workspace.outputs.texts(part)),
        "parts": {name: [part.as_dict() for part in parts] for name, parts in build.parts.items()},
    }
    workspace.folder.write(f"{RUNS}/{version.label}.json", canonical_json(record).encode())
    return version, new


def run_of(workspace: Workspace, version: Version) -> BuildRecord:
    """The run that published a version; VersionError if its record is not in this data folder."""
    name = f"{RUNS}/{version.label}.json"
    if not workspace.folder.exists(name):
        raise VersionError(f"{workspace.folder} has no record of the run behind {version.label}; build it here again")
    try:
        record = load_json(workspace.folder.read(name))
        parts = {stage: [OutputPart(**part) for part in found] for stage, found in record["parts"].items()}
        return BuildRecord(version.name, version.version_id, record["store"], record["snapshot"], parts)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise VersionError(f"{workspace.folder}/{name} is damaged; remove it and build {version.name} again") from error


def config_of(version: Version) -> BuildConfig:
    """The build configuration in a version's manifest; VersionError if this code knows its stages no more."""
    try:
        return BuildConfig.model_validate({stage["stage"]: stage["config"] for stage in version.manifest["stages"]})
    except (KeyError, TypeError, ValidationError) as error:
        raise VersionError(
            f"{version.label} was made with other stages than these; check out the code that made it"
        ) from error
