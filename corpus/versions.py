"""Dataset versions: immutable folders in the layout that ``datasets.load_dataset`` reads, published in one step."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from corpus.canonical import canonical_json, digest_of, rows_digest, sha256_text
from corpus.card import dataset_card
from corpus.croissant import croissant
from corpus.errors import VersionError
from corpus.files import Folder
from corpus.records import Problem, Provenance
from corpus.schema import parquet_bytes, read_parquet

MANIFEST, LATEST = "manifest.json", "latest"
PROVENANCE = "provenance.parquet"
ROWS_A_FILE = 50_000
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
PATH = re.compile(r"[./~]|[a-z][a-z0-9+]*://|[^/]+/[^/]+/.")  # anything that is no NAME or NAME/ID


@dataclass(frozen=True)
class Version:
    """A published version: ``name/version_id``, its folder and its manifest."""

    name: str
    version_id: str
    folder: Folder
    manifest: Mapping[str, Any]

    @property
    def label(self) -> str:
        """The name by which commands take a version."""
        return f"{self.name}/{self.version_id}"

    def problems(self) -> list[Problem]:
        """All problems of the version, by split and then by problem id; VersionError if a file is not as published."""
        rows: list[Problem] = []
        for path in sorted(self.manifest["files"]):
            content = self.folder.read(path)
            if hashlib.sha256(content).hexdigest() != self.manifest["files"][path]:
                raise VersionError(f"{self.folder}/{path} is not the file that was published; rebuild {self.label}")
            rows += read_parquet(content, Problem, f"{self.folder}/{path}")
        return rows

    def provenance(self) -> list[Provenance]:
        """Where every problem comes from; VersionError if the file is gone or not as published."""
        said = self.manifest.get("provenance")
        content = self.folder.read(PROVENANCE) if self.folder.exists(PROVENANCE) else b""
        if not isinstance(said, dict) or hashlib.sha256(content).hexdigest() != said.get("sha256"):
            raise VersionError(f"{self.folder}/{PROVENANCE} is not the file that was published; rebuild {self.label}")
        return read_parquet(content, Provenance, f"{self.folder}/{PROVENANCE}")


@dataclass(frozen=True)
class Release:
    """What goes into a version: its name, title, problems, and the facts of its making for the manifest.

    ``provenance`` says where the problems come from; times and responses in it are no part of a version's identity.
    """

    name: str
    title: str
    problems: Sequence[Problem]
    making: Mapping[str, Any]
    provenance: Sequence[Provenance] = ()


def check_name(name: str) -> str:
    """The name, if it can be a folder on any filesystem; VersionError otherwise."""
    if not NAME.fullmatch(name):
        raise VersionError(f"{name!r} cannot name a dataset; use up to 64 small letters, digits, - and _")
    return name


def data_files(problems: Sequence[Problem]) -> dict[str, bytes]:
    """Parquet files by relative path; rows are sorted by problem id, so the bytes depend on the problems alone."""
    files: dict[str, bytes] = {}
    for split in sorted({problem.split for problem in problems}):
        rows = sorted((row for row in problems if row.split == split), key=lambda row: row.problem_id)
        count = -(-len(rows) // ROWS_A_FILE)
        for number in range(count):
            chunk = rows[number * ROWS_A_FILE : (number + 1) * ROWS_A_FILE]
            files[f"data/{split}-{number:05d}-of-{count:05d}.parquet"] = parquet_bytes(chunk, Problem)
    return files


def _contents(release: Release) -> tuple[str, dict[str, bytes]]:
    """The version id, a digest of everything in the version but the encoding of its rows, and all its files."""
    data = data_files(release.problems)
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in data.items()}
    rows = rows_digest(sorted(release.problems, key=attrgetter("problem_id")))
    stated = [row.license for row in release.problems] + [row.license for row in release.provenance]
    licenses = sorted({license_ for license_ in stated if license_})
    card = dataset_card(
        (release.name, release.title), release.problems, release.provenance, list(data), release.making["funnel"]
    )
    provenance = parquet_bytes(release.provenance, Provenance)
    undigested = croissant(release.name, release.title, "", licenses, dict.fromkeys(data, ""))
    texts = {"card": sha256_text(card), "metadata": digest_of(undigested)}
    version_id = digest_of({"name": release.name, "rows": rows, "making": release.making, **texts})[:12]
    manifest = {
        "name": release.name,
        "version": version_id,
        "rows": len(release.problems),
        "rows_sha256": rows,
        "files": digests,
        "licenses": licenses,
        "provenance": _provenance_facts(release.provenance, provenance),
        **release.making,
        "audits": [],
    }
    metadata = croissant(release.name, release.title, f"1.0.0+{version_id}", licenses, digests)
    texts_files = {"README.md": card.encode(), "croissant.json": _pretty(metadata), MANIFEST: _pretty(manifest)}
    return version_id, data | texts_files | {PROVENANCE: provenance}


def _provenance_facts(rows: Sequence[Provenance], content: bytes) -> dict[str, Any]:
    """What the manifest says of the provenance: its digest, rows by license, posts by parser, first and last time."""
    licenses = Counter(row.license or "not stated" for row in rows)
    parsers = Counter(row.parser or "not stated" for row in rows if row.answer_id is None)
    times = sorted(row.retrieved_at for row in rows if row.retrieved_at)
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "rows_by_license": dict(sorted(licenses.items())),
        "posts_by_parser": dict(sorted(parsers.items())),
        "retrieved": [times[0], times[-1]] if times else [],
    }


def _pretty(value: Mapping[str, Any]) -> bytes:
    """JSON for people; VersionError for a number that JSON cannot hold."""
    try:
        return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False).encode()
    except ValueError as error:
        raise VersionError(f"cannot write {MANIFEST}: {error}; every number in it must be finite") from error


class Versions:
    """All versions below one folder: ``<name>/<version id>/`` and ``<name>/latest``."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder

    def publish(self, release: Release) -> tuple[Version, bool]:
        """Publish a release and point ``latest`` at it; returns the version and whether it is new.

        Raises VersionError if there is nothing to publish, a problem id comes twice, or a version of the same id has
        other bytes.
        """
        place = self.folder / check_name(release.name)
        if not release.problems:
            raise VersionError(
                f"no problem left to publish as {release.name}; the funnel shows which stage dropped them"
            )
        identifier, count = Counter(problem.problem_id for problem in release.problems).most_common(1)[0]
        if count > 1:
            raise VersionError(f"problem {identifier} comes {count} times in {release.name}; nothing was published")
        version_id, files = _contents(release)
        new = not (place / version_id).exists(MANIFEST)
        if not new:
            self._check_same(place / version_id, files)
        place.commit(version_id, files, MANIFEST)
        if not place.exists(LATEST) or place.read(LATEST) != version_id.encode():
            place.write(LATEST, version_id.encode())
        return self.open(f"{release.name}/{version_id}"), new

    @staticmethod
    def _check_same(place: Folder, files: Mapping[str, bytes]) -> None:
        for path in sorted(set(files) - {MANIFEST, PROVENANCE}):
            if not place.exists(path) or place.read(path) != files[path]:
                raise VersionError(
                    f"version {place} exists already with another {path}; move that folder away and build again"
                )

    def names(self) -> list[str]:
        """Names of datasets with at least one version."""
        return [name for name in self.folder.names() if (self.folder / name).exists(LATEST)]

    def ids(self, name: str) -> list[str]:
        """Ids of the complete versions of a dataset, sorted."""
        place = self.folder / name
        return [version for version in place.names() if (place / version).exists(MANIFEST)]

    def open(self, label: str) -> Version:
        """The version ``NAME`` (its latest), ``NAME/ID``, or the path of a version's folder.

        VersionError lists what there is instead.
        """
        if PATH.match(label):
            return _open_folder(label)
        name, _, version_id = label.strip("/").partition("/")
        place = self.folder / check_name(name)
        if version_id in ("", LATEST):
            if not place.exists(LATEST):
                raise VersionError(
                    f"no dataset {name} in {self.folder}; there are: {', '.join(self.names()) or 'none'}"
                )
            version_id = place.read(LATEST).decode("utf-8", "replace")
            if not NAME.fullmatch(version_id):
                raise VersionError(f"{place}/{LATEST} is damaged; remove it and build {name} again")
        if not NAME.fullmatch(version_id) or not (place / version_id).exists(MANIFEST):
            raise VersionError(f"no version {version_id} of {name}; there are: {', '.join(self.ids(name)) or 'none'}")
        return Version(name, version_id, place / version_id, _manifest(place / version_id))

    def attach_audit(self, version: Version, audit: Mapping[str, Any]) -> None:
        """Add an audit result to the manifest, in place of an earlier one of the same sheet; no data file changes."""
        manifest = _manifest(version.folder)
        kept = [entry for entry in manifest["audits"] if entry.get("sheet_id") != audit["sheet_id"]]
        content = _pretty({**manifest, "audits": [*kept, dict(audit)]})
        audits = sorted(json.loads(content)["audits"], key=canonical_json)
        version.folder.write(MANIFEST, _pretty({**manifest, "audits": audits}))


_FIELDS: dict[str, type] = {
    "name": str,
    "version": str,
    "rows": int,
    "rows_sha256": str,
    "files": dict,
    "licenses": list,
    "funnel": list,
    "audits": list,
}


def _manifest(place: Folder) -> dict[str, Any]:
    try:
        manifest = json.loads(place.read(MANIFEST))
        sound = all(isinstance(manifest[name], kind) for name, kind in _FIELDS.items())
        sound = sound and all(isinstance(entry, dict) for entry in manifest["audits"])
    except (ValueError, KeyError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise VersionError(f"{place}/{MANIFEST} is damaged; move {place} away and rebuild the version")
    return dict(manifest)


def _open_folder(label: str) -> Version:
    place = Folder.at(label)
    if not place.exists(MANIFEST):
        raise VersionError(
            f"{label!r} cannot name a dataset, and there is no {MANIFEST} in {place}; "
            "give NAME, NAME/ID or a version's folder"
        )
    manifest = _manifest(place)
    return Version(manifest["name"], manifest["version"], place, manifest)
