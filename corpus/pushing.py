"""A published version is sent whole to another place: a folder, a bucket, or a dataset repository of a hub.

The place holds one version at a time, with its files at the top. What goes there is compared first, by the manifest
that lies there, and files of the version before that the new one does not have are taken away. Files of anybody else
are never written over, and none may lie among the data: whoever loads the place would read them beside ours.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from corpus.errors import VersionError
from corpus.files import Folder
from corpus.gate_verdicts import missing_stages
from corpus.integrity import DATA, checked_files
from corpus.manifest import MANIFEST, sha256_bytes
from corpus.strict_json import load_json
from corpus.versions import Version


class PushTarget(Protocol):
    """Where versions are sent to."""

    def names(self) -> list[str]:
        """The relative paths of all files there."""

    def read(self, path: str) -> bytes:
        """The bytes of a file there."""

    def send(self, files: Mapping[str, bytes], gone: Iterable[str], message: str) -> str:
        """Write files, take others away, the manifest last; returns where the version can be seen."""


@dataclass(frozen=True)
class PushPlan:
    """What a push changes: paths that are ``new``, ``changed``, the ``same`` or ``gone``, and the ``size`` in bytes of
    what is sent. ``before`` is the label of the version that lies there."""

    label: str
    before: str | None
    new: tuple[str, ...]
    changed: tuple[str, ...]
    same: tuple[str, ...]
    gone: tuple[str, ...]
    size: int

    def lines(self) -> list[str]:
        """The plan for a person, a line a file that changes."""
        there = f"{self.before} lies there" if self.before else "nothing lies there"
        marked = [("+", self.new), ("~", self.changed), ("-", self.gone)]
        files = [f"{mark} {path}" for mark, paths in marked for path in paths]
        return [f"{self.label}: {there}; {len(self.same)} files are the same", *files, f"{self.size} bytes to send"]


def push_plan(version: Version, place: PushTarget, *, candidate: bool = False) -> tuple[PushPlan, dict[str, bytes]]:
    """What sending a version changes at a place, and the contents to send.

    Every file of the version is checked before. Raises VersionError for a version that its gate has not accepted unless
    ``candidate``, for a place that holds another dataset, and for files of others that stand in the way there.
    """
    waiting = missing_stages(version.manifest)
    if waiting and not candidate:
        raise VersionError(
            f"{version.label} is a candidate ({', '.join(waiting)} not accepted); judge it with wordquarry audit gate, "
            "or send it as it is with --candidate"
        )
    contents = {**dict(checked_files(version.folder, version.manifest)), MANIFEST: version.folder.read(MANIFEST)}
    there = set(place.names())
    digests = {path: sha256_bytes(content) for path, content in contents.items()}
    held = _held(version, place) if MANIFEST in there else {}
    for path in sorted(there - set(held)):
        if path in contents and place.read(path) == contents[path]:
            held[path] = digests[path]  # sent before, by a push that was cut short
        elif path in contents or path.startswith(f"{DATA}/"):
            raise VersionError(
                f"{path} lies there and is no file of a version of {version.name}; move it away, or give another place"
            )
    same = {path for path in contents if path in there and held.get(path) == digests[path]}
    plan = PushPlan(
        version.label,
        held.get(""),
        tuple(sorted(set(contents) - there)),
        tuple(sorted((set(contents) & there) - same)),
        tuple(sorted(same)),
        tuple(sorted((set(held) & there) - set(contents))),
        sum(len(content) for path, content in contents.items() if path not in same),
    )
    return plan, {path: content for path, content in contents.items() if path not in same}


def _held(version: Version, place: PushTarget) -> dict[str, str]:
    """The digest of each file of the version that lies at a place, by path; its label under the empty path."""
    content = place.read(MANIFEST)
    try:
        found: dict[str, Any] = dict(load_json(content))
        name, digests = found["name"], {path: facts["sha256"] for path, facts in found["files"].items()}
        label = f"{name}/{found['version']}"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise VersionError(
            f"the {MANIFEST} that lies there is not one of a version; move it away, or give another place"
        ) from error
    if name != version.name:
        raise VersionError(f"{label} lies there, another dataset than {version.name}; give another place")
    return {**digests, MANIFEST: sha256_bytes(content), "": label}


@dataclass(frozen=True)
class FolderTarget:
    """A folder on any filesystem that fsspec knows. Files go there one by one, the manifest last."""

    folder: Folder

    def names(self) -> list[str]:
        """The relative paths of the files at the top and in ``data``."""
        names = [name for name in self.folder.names() if name != DATA]
        return names + [f"{DATA}/{name}" for name in (self.folder / DATA).names()]

    def read(self, path: str) -> bytes:
        """The bytes of a file there."""
        return self.folder.read(path)

    def send(self, files: Mapping[str, bytes], gone: Iterable[str], message: str) -> str:
        """Write the files; a push that was cut short is completed by the next one, since the manifest goes last."""
        del message  # folders keep no history
        for path in sorted(set(files) - {MANIFEST}):
            self.folder.write(path, files[path])
        for path in gone:
            self.folder.remove(path)
        if MANIFEST in files:
            self.folder.write(MANIFEST, files[MANIFEST])
        return str(self.folder)
