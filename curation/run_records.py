"""The record of a build beside its version, ``runs/<name>/<id>.json``: which parts each stage made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from corpus.errors import VersionError
from corpus.outputs import OutputPart
from corpus.strict_json import load_json
from corpus.versions import Version
from corpus.workspace import Workspace

POSTS = "posts"
"""What stands before the first stage: the posts themselves, in parts like a stage's."""
RUNS = "runs"


@dataclass(frozen=True)
class BuildRecord:
    """The record of a build beside its version: which parts each stage made, and the digest of what published them.

    ``nested`` says that posts lie in shards by ``bucket_of``, as they do since version 0.3.
    """

    name: str
    version_id: str
    store: str
    snapshot_id: str
    parts: Mapping[str, Sequence[OutputPart]]
    code: str | None = None
    nested: bool = True


def run_of(workspace: Workspace, version: Version) -> BuildRecord:
    """The run that published a version; VersionError if its record is not in this data folder."""
    name = f"{RUNS}/{version.label}.json"
    if not workspace.folder.exists(name):
        raise VersionError(f"{workspace.folder} has no record of the run behind {version.label}; build it here again")
    try:
        record = load_json(workspace.folder.read(name))
        parts = {stage: [OutputPart(**part) for part in found] for stage, found in record["parts"].items()}
        code, nested = record.get("code"), record.get("nested") is True
        return BuildRecord(version.name, version.version_id, record["store"], record["snapshot"], parts, code, nested)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise VersionError(f"{workspace.folder}/{name} is damaged; remove it and build {version.name} again") from error
