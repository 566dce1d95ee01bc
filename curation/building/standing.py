"""Whether a build would change nothing: the newest version came from the same, and everything it came through is whole.

It answers without a scheduler. In any doubt the answer is no, and the build itself says what is wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from corpus.code import code_digest
from corpus.errors import DamageError, StoreError, VersionError
from corpus.outputs import OutputPart
from corpus.post_store.store import Snapshot
from corpus.versioning.gate_verdicts import GATE
from corpus.versioning.versions import LATEST, Version
from corpus.workspace import Workspace
from curation.building.run_rows import POSTS, run_of
from curation.building.running import recipe_of, shard_count
from curation.stages.registry import BuildConfig


@dataclass(frozen=True)
class Standing:
    """A version that a build would make again, and the parts of every stage that it came through."""

    version: Version
    parts: Mapping[str, Sequence[OutputPart]]


@dataclass(frozen=True)
class Wanted:
    """What a build is to make: a version's name, its posts (store and snapshot), configuration and shards.

    ``lacks`` is what the store lacks, ``gate`` what the version has to reach, by stage.
    """

    name: str
    store: str
    snapshot: Snapshot
    config: BuildConfig
    shards: int | None = None
    lacks: Mapping[str, Any] = field(default_factory=dict)
    gate: Mapping[str, Any] = field(default_factory=dict)


def standing(workspace: Workspace, wanted: Wanted) -> Standing | None:
    """The newest version of a name, if a build would give it and find every part and file whole.

    Looked at are: the snapshot, what the store lacks, the gate, the keys of all stages (their configuration, code and
    models), the code that publishes, the number of shards, each part and each file of the version against its digest.
    ModelError for a damaged model.
    """
    posts, shards = (wanted.store, wanted.snapshot.snapshot_id), wanted.shards or shard_count(wanted.snapshot.posts)
    keys = recipe_of(workspace.data, posts, wanted.config, shards).stage_keys
    if not (workspace.versions.folder / wanted.name).exists(LATEST):
        return None
    try:
        version = workspace.versions.open(wanted.name)
        made, run = version.manifest, run_of(workspace, version)
        same = (
            run.keys == keys
            and made["snapshot"] == wanted.snapshot.snapshot_id
            and made.get("store", {}) == dict(wanted.lacks)
            and made.get(GATE, {}) == dict(wanted.gate)
            and run.code == code_digest("curation.building.publishing")
            and run.nested
            and len(run.parts[POSTS]) == shards
        )
        if not same or not all(workspace.outputs.is_sound(part) for parts in run.parts.values() for part in parts):
            return None
        version.check()
    except (VersionError, DamageError, StoreError):
        return None
    return Standing(version, run.parts)
