"""Dataset versions: immutable folders in the layout that ``datasets.load_dataset`` reads, published in one step."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from corpus.canonical import canonical_json, digest_of, rows_digest
from corpus.card import dataset_card
from corpus.croissant import croissant
from corpus.errors import VersionError
from corpus.files import Folder
from corpus.records import Problem
from corpus.schema import parquet_bytes, read_parquet

MANIFEST, LATEST = "manifest.json", "latest"
ROWS_A_FILE = 50_000
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


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


@dataclass(frozen=True)
class Release:
    """What goes into a version: its name, title, problems, and the facts of its making for the manifest."""

    name: str
    title: str
    problems: Sequence[Problem]
    making: Mapping[str, Any]


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
    """The version id, a digest of everything in the version, and all its files."""
    data = data_files(release.problems)
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in data.items()}
    rows = rows_digest(sorted(release.problems, key=attrgetter("problem_id")))
    version_id = digest_of({"name": release.name, "title": release.title, "rows": rows, "making": release.making})[:12]
    licenses = sorted({problem.license for problem in release.problems if problem.license})
    manifest = {
        "name": release.name,
        "version": version_id,
        "rows": len(release.problems),
        "rows_sha256": rows,
        "files": digests,
        "licenses": licenses,
        **release.making,
        "audits": [],
    }
    card = dataset_card(release.name, release.title, release.problems, list(data), release.making["funnel"])
    metadata = croissant(release.name, release.title, f"1.0.0+{version_id}", licenses, digests)
    pretty = {"croissant.json": metadata, MANIFEST: manifest}
    texts = {name: json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) for name, value in pretty.items()}
    return version_id, data | {"README.md": card.encode()} | {name: text.encode() for name, text in texts.items()}


class Versions:
    """All versions below one folder: ``<name>/<version id>/`` and ``<name>/latest``."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder

    def publish(self, release: Release) -> tuple[Version, bool]:
        """Publish a release and point ``latest`` at it; returns the version and whether it is new.

        Raises VersionError if there is nothing to publish, or if a version of the same id has other bytes.
        """
        if not release.problems:
            raise VersionError(
                f"no problem left to publish as {release.name}; the funnel shows which stage dropped them"
            )
        version_id, files = _contents(release)
        place = self.folder / check_name(release.name)
        new = not (place / version_id).exists(MANIFEST)
        if not new:
            self._check_same(place / version_id, files)
        place.commit(version_id, files, MANIFEST)
        if not place.exists(LATEST) or place.read(LATEST).decode() != version_id:
            place.write(LATEST, version_id.encode())
        return self.open(f"{release.name}/{version_id}"), new

    @staticmethod
    def _check_same(place: Folder, files: Mapping[str, bytes]) -> None:
        for path in sorted(set(files) - {MANIFEST}):
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
        """The version ``NAME`` (its latest) or ``NAME/ID``; VersionError lists what there is instead."""
        name, _, version_id = label.strip("/").partition("/")
        place = self.folder / check_name(name)
        if version_id in ("", LATEST):
            if not place.exists(LATEST):
                raise VersionError(
                    f"no dataset {name} in {self.folder}; there are: {', '.join(self.names()) or 'none'}"
                )
            version_id = place.read(LATEST).decode()
        check_name(version_id)
        if not (place / version_id).exists(MANIFEST):
            raise VersionError(f"no version {version_id} of {name}; there are: {', '.join(self.ids(name)) or 'none'}")
        return Version(name, version_id, place / version_id, _manifest(place / version_id))

    def attach_audit(self, version: Version, audit: Mapping[str, Any]) -> None:
        """Add an audit result to the manifest, in place of an earlier one of the same sheet; no data file changes."""
        kept = [entry for entry in _manifest(version.folder)["audits"] if entry["sheet_id"] != audit["sheet_id"]]
        audits = sorted([*kept, dict(audit)], key=canonical_json)
        manifest = {**_manifest(version.folder), "audits": audits}
        text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False)
        version.folder.write(MANIFEST, text.encode())


def _manifest(place: Folder) -> dict[str, Any]:
    try:
        manifest = json.loads(place.read(MANIFEST))
        manifest["files"], manifest["audits"]
    except (ValueError, KeyError, TypeError) as error:
        raise VersionError(f"{place}/{MANIFEST} is damaged; move {place} away and rebuild the version") from error
    return dict(manifest)
