"""A published version is sent whole to another place: a folder, a bucket, or a dataset repository of a hub.

The place holds one version at a time, with its files at the top. What lies there is known by its bytes: a file is ours
if this data folder has sent it (SentFiles) or holds it in a version of the dataset. Ours is replaced and taken
away; anything else stays, and stands in the way where whoever loads the place would read it beside ours.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from corpus.canonical import canonical_json, digest_of
from corpus.errors import StoreError, VersionError
from corpus.folders.files import Folder
from corpus.folders.locks import alone
from corpus.strict_json import load_json
from corpus.versioning.gate_verdicts import missing_stages
from corpus.versioning.manifest import MANIFEST, checked_files, sha256_bytes
from corpus.versioning.version_tables import in_problems
from corpus.versioning.versions import Version, check_name
from corpus.workspace import Workspace

SentFile = tuple[str, str]
"""The path of a file at a place, and the SHA-256 of its bytes."""
UNDER_WAY = "push-under-way.txt"
"""Lies at a place from before a push changes anything there until it is done."""


class PushTarget(Protocol):
    """Where versions are sent to."""

    @property
    def address(self) -> str:
        """The place by one name, however it was written."""

    def names(self) -> list[str]:
        """The relative paths of the files there; of other folders than ``data`` the name alone."""

    def digest(self, path: str) -> str:
        """The SHA-256 of a file there, of its bytes as they are now."""

    def read(self, path: str) -> bytes:
        """The bytes of a file there."""

    def send(self, files: Mapping[str, bytes], gone: Iterable[str], label: str) -> str:
        """Write files and take others away, in one step or under the mark UNDER_WAY; returns where to see them."""


@dataclass(frozen=True)
class PushPlan:
    """What a push changes: paths that are ``new``, ``changed``, the ``same`` or ``gone``, and the ``files`` to send.

    ``before`` is the label of the version that lies there, ``unfinished`` whether a push there was cut short.
    ``whole`` is all that will lie there, ``ours`` what lies there now and is this data folder's.
    """

    label: str
    before: str | None
    unfinished: bool
    new: tuple[str, ...]
    changed: tuple[str, ...]
    same: tuple[str, ...]
    gone: tuple[str, ...]
    files: Mapping[str, bytes] = field(repr=False)
    whole: frozenset[SentFile] = field(repr=False)
    ours: frozenset[SentFile] = field(repr=False)

    def lines(self) -> list[str]:
        """The plan for a person, a line a file that changes."""
        there = f"{self.before} lies there" if self.before else "nothing lies there"
        if self.unfinished:
            there = "a push that was cut short lies there"
        marked = [("+", self.new), ("~", self.changed), ("-", self.gone)]
        files = [f"{mark} {path}" for mark, paths in marked for path in paths]
        size = sum(map(len, self.files.values()))
        return [f"{self.label}: {there}; {len(self.same)} files are the same", *files, f"{size} bytes to send"]


def under_way(label: str) -> bytes:
    """What the mark of a push says to whoever finds it."""
    return f"A push of {label} is under way here, or was cut short. The same push, made again, completes it.\n".encode()


def push_plan(workspace: Workspace, version: Version, place: PushTarget, *, candidate: bool = False) -> PushPlan:
    """What sending a version changes at a place.

    Every file of the version is checked before, and every file at the place that the version names or that was sent
    there before. Raises VersionError for a version that its gate has not accepted unless ``candidate``, for a place
    that holds another dataset, and for files of others that stand in the way there.
    """
    waiting = missing_stages(version.manifest)
    if waiting and not candidate:
        raise VersionError(
            f"{version.label} is a candidate ({', '.join(waiting)} not accepted); judge it with wordquarry gate check, "
            "or send it as it is with --candidate"
        )
    contents = {**dict(checked_files(version.folder, version.manifest)), MANIFEST: version.folder.read(MANIFEST)}
    digests = {path: sha256_bytes(content) for path, content in contents.items()}
    known = SentFiles(workspace.folder, version.name, place.address).files()
    known |= workspace.versions.held_files(version.name) | set(digests.items())
    found = _looked_at(place, {*contents, UNDER_WAY, *(path for path, _ in known)})
    before = _version_there(version, place, found, known)
    for path in sorted(found):
        if path in contents:
            if (path, found[path]) not in known and not contents[path].startswith(place.read(path)):
                raise _in_the_way(version, path)
        elif (in_problems(path) or path == UNDER_WAY) and (path, found[path]) not in known:
            raise _in_the_way(version, path)
    same = {path for path in contents if found.get(path) == digests[path]}
    return PushPlan(
        version.label,
        before,
        UNDER_WAY in found,
        tuple(sorted(set(contents) - set(found))),
        tuple(sorted((set(contents) & set(found)) - same)),
        tuple(sorted(same)),
        tuple(sorted(path for path in set(found) - set(contents) if (path, found[path]) in known)),
        {path: content for path, content in contents.items() if path not in same},
        frozenset(digests.items()),
        frozenset(known.intersection(found.items())),
    )


def push(
    workspace: Workspace, version: Version, place: PushTarget, *, candidate: bool = False, send: bool = True
) -> tuple[PushPlan, str | None]:
    """Send a version unless the place has it already; returns what that changes, and where it can be seen if it did.

    Raises what ``push_plan`` does. Killed at any moment it only has to be run again.
    """
    if not send:
        return push_plan(workspace, version, place, candidate=candidate), None
    sent = SentFiles(workspace.folder, version.name, place.address)
    with alone(sent.folder, sent.key):
        plan = push_plan(workspace, version, place, candidate=candidate)
        if not (plan.files or plan.gone) and sent.files() == plan.whole:
            return plan, None
        sent.note(plan.ours | plan.whole | {(UNDER_WAY, sha256_bytes(under_way(plan.label)))})
        where = place.send(plan.files, plan.gone, plan.label)  # nothing, where only the end of a push was cut short
        sent.note(plan.whole)
    return plan, where if plan.files or plan.gone else None


def _looked_at(place: PushTarget, ours: Collection[str]) -> dict[str, str]:
    """The digest of each file there that may be ours, or would be read beside ours."""
    there = place.names()
    return {path: place.digest(path) for path in there if path in ours or in_problems(path) or path == UNDER_WAY}


def _in_the_way(version: Version, path: str) -> VersionError:
    named = path if path.isprintable() else ascii(path)
    return VersionError(
        f"{named} lies there and is no file that was sent there from a version of {version.name}; move it away, or "
        "give another place"
    )


def _version_there(
    version: Version, place: PushTarget, found: Mapping[str, str], known: Collection[SentFile]
) -> str | None:
    """The label of the version that lies there; VersionError if that is not one of this dataset."""
    if MANIFEST not in found:
        return None
    content = place.read(MANIFEST)
    try:
        manifest: dict[str, Any] = dict(load_json(content))
        name, label = check_name(manifest["name"]), f"{manifest['name']}/{check_name(manifest['version'])}"
    except (ValueError, KeyError, TypeError, RecursionError, VersionError) as error:
        if not content:
            return None  # emptied: nothing is lost
        raise VersionError(
            f"the {MANIFEST} that lies there is not one of a version; move it away, or give another place"
        ) from error
    if name != version.name:
        raise VersionError(f"{label} lies there, another dataset than {version.name}; give another place")
    if (MANIFEST, found[MANIFEST]) not in known:
        raise VersionError(
            f"{label} lies there, which this data folder has neither built nor sent: another dataset of that name, or "
            "a changed one; give another place, or move what lies there away"
        )
    return label


PUSHES = "pushes"


class SentFiles:
    """The files of one dataset that this data folder has sent to one place, which ``address`` names.

    Others write to a place too. So nothing that lies there says whose it is, neither a name nor a manifest; what was
    sent is noted in ``pushes/<digest of place and dataset>.json``, before the first byte of it goes.
    """

    def __init__(self, data: Folder, dataset: str, address: str) -> None:
        self.folder, self.key = data / PUSHES, digest_of([address, dataset])[:32]
        self._told = {"dataset": dataset, "place": address}

    def files(self) -> set[SentFile]:
        """All that was noted; StoreError where the note is damaged."""
        name = f"{self.key}.json"
        if not self.folder.exists(name):
            return set()
        try:
            return {(str(path), str(digest)) for path, digest in load_json(self.folder.read(name))["files"]}
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise StoreError(
                f"{self.folder}/{name} is damaged; remove it, and what it noted that lies at {self._told['place']} has "
                "to be moved away by hand"
            ) from error

    def note(self, files: Iterable[SentFile]) -> None:
        """Write down what was sent, or is about to be, in place of what stood there."""
        record = {**self._told, "files": sorted(map(list, files))}
        self.folder.write(f"{self.key}.json", canonical_json(record).encode())


def sent_places(data: Folder) -> Iterator[tuple[str, str, set[SentFile]]]:
    """Every dataset and place that something was sent to, and the files; StoreError where a note is damaged."""
    for name in (data / PUSHES).names():
        if name.endswith(".json"):
            try:
                told = load_json((data / PUSHES).read(name))
                dataset, place = str(told["dataset"]), str(told["place"])
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise StoreError(
                    f"{data}/{PUSHES}/{name} is damaged; remove it, and look by hand at the places that versions were "
                    "pushed to"
                ) from error
            yield dataset, place, SentFiles(data, dataset, place).files()
