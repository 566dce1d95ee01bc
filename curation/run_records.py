"""The record of a build beside its version, ``runs/<name>/<id>.json``: which parts each stage made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.errors import VersionError
from corpus.outputs import OutputPart
from corpus.strict_json import load_json
from corpus.versions import Version
from corpus.workspace import Workspace

POSTS = "posts"
"""What stands before the first stage: the posts themselves, in parts like a stage's."""
RUNS = "runs"
NOTHING = "nothing"
"""What stands in the place of a version's id where the last build of a name dropped every post."""


class NothingPublishedError(VersionError):
    """A build dropped every post, so that there is no version; what it did is kept all the same."""


@dataclass(frozen=True)
class Unpublished:
    """The last build of a name, where it published nothing: of its manifest there are the stages and the funnel."""

    name: str
    manifest: Mapping[str, Any]

    version_id = NOTHING

    @property
    def label(self) -> str:
        """What stands for ``NAME/ID``."""
        return f"{self.name}/{NOTHING}"


BuildOutcome = Version | Unpublished
"""What posts came to: a version, or a build without one."""


@dataclass(frozen=True)
class BuildRecord:
    """The record of a build beside its version: which parts each stage made, and the digest of what published them.

    ``keys`` are the addresses of the outputs of whole stages: those of the last build that gave the version, which may
    have been made by other code than the one in the manifest, of the same rows.
    ``nested`` says that posts lie in shards by ``bucket_of``, as they do since version 0.3.
    """

    name: str
    version_id: str
    store: str
    snapshot_id: str
    parts: Mapping[str, Sequence[OutputPart]]
    keys: Mapping[str, str]
    code: str | None = None
    nested: bool = True


def run_of(workspace: Workspace, version: BuildOutcome) -> BuildRecord:
    """The run that published a version; VersionError if its record is not in this data folder."""
    name = f"{RUNS}/{version.label}.json"
    if not workspace.folder.exists(name):
        raise VersionError(f"{workspace.folder} has no record of the run behind {version.label}; build it here again")
    try:
        record = load_json(workspace.folder.read(name))
        parts = {stage: [OutputPart(**part) for part in found] for stage, found in record["parts"].items()}
        keys = record.get("keys") or {one["stage"]: one["key"] for one in version.manifest.get("stages", ())}
        return BuildRecord(
            version.name,
            version.version_id,
            record["store"],
            record["snapshot"],
            parts,
            keys,
            record.get("code"),
            record.get("nested") is True,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise VersionError(f"{workspace.folder}/{name} is damaged; remove it and build {version.name} again") from error


def unpublished(workspace: Workspace, name: str) -> Unpublished | None:
    """The last build of a name if it published nothing; VersionError where what is kept of it is damaged."""
    place = f"{RUNS}/{name}/{NOTHING}.json"
    if not workspace.folder.exists(place):
        return None
    try:
        record = load_json(workspace.folder.read(place))
        return Unpublished(name, {"stages": record["stages"], "funnel": record["funnel"]})
    except (ValueError, KeyError, TypeError) as error:
        raise VersionError(f"{workspace.folder}/{place} is damaged; remove it and build {name} again") from error


def unpublished_names(workspace: Workspace) -> list[str]:
    """The names of which the last build published nothing."""
    runs = workspace.folder / RUNS
    return [name for name in runs.names() if (runs / name).exists(f"{NOTHING}.json")]


def published(workspace: Workspace, name: str) -> None:
    """Note that the last build of a name has a version."""
    runs = workspace.folder / RUNS / name
    if runs.exists(f"{NOTHING}.json"):
        runs.remove(f"{NOTHING}.json")
