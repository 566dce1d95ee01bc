"""Whether a build would change nothing: the newest version came from the same, and everything it came through is whole.

It answers without a scheduler. In any doubt the answer is no, and the build itself says what is wrong.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.code import code_digest
from corpus.config import BuildConfig
from corpus.errors import DamageError, StoreError, VersionError
from corpus.outputs import OutputPart
from corpus.store import Snapshot
from corpus.versions import LATEST, Version
from corpus.workspace import Workspace
from curation.run_records import POSTS, run_of
from curation.running import shard_count, stage_keys


@dataclass(frozen=True)
class Standing:
    """A version that a build would make again, and the parts of every stage that it came through."""

    version: Version
    parts: Mapping[str, Sequence[OutputPart]]


def standing(
    workspace: Workspace,
    name: str,
    snapshot: Snapshot,
    config: BuildConfig,
    shards: int | None = None,
    lacks: Mapping[str, Any] | None = None,
) -> Standing | None:
    """The newest version of a name, if a build of this snapshot would give it and find every part and file whole.

    Looked at are: the snapshot, what the store lacks, the keys of all stages (their configuration, code and models),
    the code that publishes, the number of shards, each part and each file of the version against its digest. ModelError
    for a damaged model.
    """
    keys = stage_keys(workspace, snapshot.snapshot_id, config)
    if not (workspace.versions.folder / name).exists(LATEST):
        return None
    try:
        version = workspace.versions.open(name)
        made = version.manifest
        same = [(stage["stage"], stage["key"]) for stage in made["stages"]] == list(keys.items())
        if not same or made["snapshot"] != snapshot.snapshot_id or made.get("store", {}) != dict(lacks or {}):
            return None
        run = run_of(workspace, version)
        wanted = shards or shard_count(snapshot.posts)
        if run.code != code_digest("curation.publishing") or len(run.parts[POSTS]) != wanted:
            return None
        if any(not workspace.outputs.is_sound(part) for parts in run.parts.values() for part in parts):
            return None
        version.check()
    except (VersionError, DamageError, StoreError):
        return None
    return Standing(version, run.parts)
