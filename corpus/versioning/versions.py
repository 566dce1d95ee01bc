"""Dataset versions: immutable folders in the layout that ``datasets.load_dataset`` reads, published in one step."""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa

from corpus.canonical import canonical_json, digest_of
from corpus.errors import VersionError
from corpus.folders.files import Folder
from corpus.records import Problem, Provenance, SourceAnswer, SourcePost, TrainingRow
from corpus.schema import RecordT, read_parquet, row_count
from corpus.strict_json import load_json
from corpus.versioning.card import dataset_card
from corpus.versioning.croissant import croissant, with_retrieval
from corpus.versioning.gate_verdicts import CARD_DIGEST, GATE, audit_lines, card_as_built
from corpus.versioning.latest import LATEST as LATEST  # what others know it by
from corpus.versioning.latest import Turns, no_latest, settle
from corpus.versioning.manifest import (
    CARD,
    FORMAT,
    MANIFEST,
    METADATA,
    check_form,
    checked_files,
    file_facts,
    last_retrieval,
    pretty_json,
    read_manifest,
    read_unchecked,
    sealed,
    sha256_bytes,
    version_id_of,
    with_card,
)
from corpus.versioning.manifest_record import MakingFacts, Manifest
from corpus.versioning.release import DoubledProblemError, Release, ReleaseTally, SplitFiles
from corpus.versioning.row_groups import CUTS, Cuts, published_bytes
from corpus.versioning.version_tables import ANSWERS, DATA, FULL, POSTS, PROVENANCE

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
PATH = re.compile(r"[./~]|[a-z][a-z0-9+]*://|[^/]+/[^/]+/.")  # anything that is no NAME or NAME/ID


@dataclass(frozen=True)
class Version:
    """A published version: ``name/version_id``, its folder and its manifest."""

    name: str
    version_id: str
    folder: Folder
    manifest: Manifest

    @property
    def label(self) -> str:
        """The name by which commands take a version."""
        return f"{self.name}/{self.version_id}"

    def problems(self) -> list[Problem]:
        """All problems of the version, by split and then in order of appearance (corpus.versioning.row_groups).

        Every file of the version is checked on the way; VersionError if one is not as published.
        """
        return self._rows(FULL, Problem)

    def training_rows(self) -> list[TrainingRow]:
        """The same problems as the default configuration has them."""
        return self._rows(DATA, TrainingRow)

    def _rows(self, folder: str, record: type[RecordT]) -> list[RecordT]:
        rows: list[RecordT] = []
        for path, content in checked_files(self.folder, self.manifest):
            if path.startswith(f"{folder}/"):
                rows += read_parquet(content, record, f"{self.folder}/{path}")
        return rows

    def provenance(self) -> list[Provenance]:
        """Where every problem comes from; every file is checked, VersionError if one is not as published."""
        contents = {path: content for path, content in checked_files(self.folder, self.manifest) if path == PROVENANCE}
        return read_parquet(contents[PROVENANCE], Provenance, f"{self.folder}/{PROVENANCE}")

    def check(self) -> None:
        """VersionError at the first file of the version that is not as published."""
        for _ in checked_files(self.folder, self.manifest):
            pass


def check_name(name: str) -> str:
    """The name, if it can be a folder on any filesystem; VersionError otherwise."""
    if not NAME.fullmatch(name):
        raise VersionError(f"{name!r} cannot name a dataset; use up to 64 lower-case letters, digits, - and _")
    return name


def data_files(tables: Iterable[pa.Table], cuts: Cuts = CUTS) -> dict[str, bytes]:
    """Parquet files by relative path; the bytes depend on the problems (and ``cuts``) alone, which come in order."""
    files = SplitFiles(cuts)
    for table in tables:
        files.add(table)
    return files.files()


def _counted(release: Release, tally: ReleaseTally) -> Iterator[pa.Table]:
    for table in release.problem_tables():
        tally.add_problems(table)
        yield table
    tally.end()


def _contents(release: Release, cuts: Cuts) -> tuple[str, dict[str, bytes]]:
    """The version id, a digest of everything in the version but the encoding of its rows, and all its files."""
    tally = ReleaseTally()
    data = data_files(_counted(release, tally), cuts)
    if not tally.rows:
        raise VersionError(f"no problem left to publish as {release.name}; the funnel shows which stage dropped them")
    streams = release.beside()
    beside = {
        PROVENANCE: published_bytes(_sources(streams.provenance, tally), Provenance),
        POSTS: published_bytes(streams.posts, SourcePost),
        ANSWERS: published_bytes(streams.answers, SourceAnswer),
    }
    return described((release.name, release.title), release.making, release.rows_sha256, tally, data | beside)


def described(
    names: tuple[str, str], making: MakingFacts, rows_sha256: str, tally: ReleaseTally, tables: Mapping[str, bytes]
) -> tuple[str, dict[str, bytes]]:
    """The id and all files of the version that holds these tables; ``tally`` has seen them, ``names`` has the title."""
    licenses = tally.stated_licenses()
    card = dataset_card(names[1], tally, list(tables), making).encode()
    facts = {path: file_facts(content, row_count(content)) for path, content in tables.items()}
    undigested = croissant(names, "", licenses, dict.fromkeys(facts, ""), None)
    told = {
        "format": FORMAT,
        "name": names[0],
        "rows": tally.rows,
        "rows_sha256": rows_sha256,
        "licenses": licenses,
        "metadata_sha256": digest_of(undigested),
        "files": {**facts, CARD: file_facts(card)},
        "provenance": tally.provenance_facts(),
        **making,
        "audits": [],
    }
    manifest = cast(Manifest, told)
    manifest["version"] = version_id = version_id_of(manifest)
    digests = {path: one["sha256"] for path, one in facts.items()}
    published = last_retrieval(manifest)
    metadata = pretty_json(croissant(names, f"1.0.0+{version_id}", licenses, digests, published))
    manifest["files"][METADATA] = file_facts(metadata)
    return version_id, {**tables, CARD: card, METADATA: metadata, MANIFEST: pretty_json(sealed(manifest))}


def _sources(tables: Iterator[pa.Table], tally: ReleaseTally) -> Iterator[pa.Table]:
    for table in tables:
        tally.add_sources(table)
        yield table


class Versions:
    """All versions below one folder: ``<name>/<version id>/`` and ``<name>/latest``.

    ``turns`` says which of several builds of a dataset is the newest; without it only one may publish at a time.
    ``cuts`` is how many rows the files of what is published have.
    """

    def __init__(self, folder: Folder, turns: Turns | None = None, *, cuts: Cuts = CUTS) -> None:
        self.folder, self._turns, self._cuts = folder, turns, cuts

    def turn(self, name: str) -> int | None:
        """The turn of a build of a dataset that begins now, see ``publish``."""
        return self._turns.take(check_name(name)) if self._turns else None

    def publish(
        self, release: Release, gate: Mapping[str, Any] | None = None, turn: int | None = None
    ) -> tuple[Version, bool]:
        """Publish a release and let ``latest`` name the newest accepted version; returns the version and whether it
        is new.

        ``gate`` is what the version has to reach, by stage ``min_precision``, ``error`` and ``expected``: it is a
        candidate until every stage that it names is accepted. ``turn`` is the one that its build took when it began;
        no turn is the last.
        Raises VersionError if there is nothing to publish, a problem id comes twice, or a version of the same id has
        other bytes.
        """
        place = self.folder / check_name(release.name)
        try:
            version_id, files = _contents(release, self._cuts)
        except DoubledProblemError as error:
            raise VersionError(f"{error} in {release.name}; nothing was published") from error
        with self._publishing(release.name) as check:
            new = not (place / version_id).exists(MANIFEST)
            if not new:
                held = self.open(f"{release.name}/{version_id}")
                self.mend_card(held)
                self._check_same(held, files)
                held.check()
            place.commit(version_id, files, MANIFEST, check)
            version = self.open(f"{release.name}/{version_id}")
            if gate:
                version = self._gated(version, gate)
            turns = self._claimed(version, turn)
            self._settle(version.name, turns)
        return version, new

    def supersede(self, old: Version, version_id: str, files: Mapping[str, bytes]) -> Version:
        """Publish files as the version that takes the place of another: its turn, and ``latest`` where it is that.

        The other one stays until ``withdraw``; every file of the new one is read once it is there.
        """
        place = self.folder / old.name
        with self._publishing(old.name) as check:
            place.commit(version_id, files, MANIFEST, check)
            new = self.open(f"{old.name}/{version_id}")
            new.check()
            turn = self._turns.of(old.name).get(old.version_id) if self._turns else None
            if self._turns and turn is not None:
                self._turns.claim(old.name, turn, version_id)
            latest = place.tagged(LATEST)
            if latest and latest.content == old.version_id.encode():
                place.put_if(LATEST, version_id.encode(), latest.tag)
        return new

    def withdraw(self, name: str, version_id: str) -> None:
        """Remove a version, and what is left of one; ``latest`` names the newest accepted one of the others."""
        with self._publishing(name):
            (self.folder / name).remove(version_id)
            self._settle(name, self._turns.of(name) if self._turns else {})

    def _claimed(self, version: Version, turn: int | None) -> Mapping[str, int]:
        """The turns of a dataset's versions, after this one published; without turns this one is the last."""
        if not self._turns:
            return {version.version_id: 1}
        mine = self._turns.take(version.name) if turn is None else turn
        self._turns.claim(version.name, mine, version.version_id)
        return self._turns.of(version.name)

    def _publishing(self, name: str) -> contextlib.AbstractContextManager[Callable[[], None]]:
        return self._turns.publishing(name) if self._turns else contextlib.nullcontext(_nobody_else)

    def _gated(self, version: Version, gate: Mapping[str, Any]) -> Version:
        """The version with this gate in its manifest; bounds that were accepted before still hold."""
        if version.manifest.get(GATE) == gate:
            return version
        _tell(version.folder, {**version.manifest, GATE: dict(gate)})
        return self.open(version.label)

    def mend_card(self, version: Version) -> None:
        """Write the card anew that a kill left without the verdicts of its manifest; any other damage stays."""
        if not version.folder.exists(CARD):
            return
        card, files = version.folder.read(CARD), version.manifest["files"]
        told = with_card(version.manifest, card)[1]
        if CARD_DIGEST in version.manifest and file_facts(told) == files[CARD] and told != card:
            version.folder.write(CARD, told)

    def stays(self, version: Version) -> None:
        """Note that a build that begins now would publish the latest version again: no earlier one replaces it."""
        with self._publishing(version.name):
            if self.latest_id(version.name) == version.version_id:
                self._claimed(version, None)

    def _settle(self, name: str, turns: Mapping[str, int]) -> str | None:
        return settle(self.folder / name, lambda: self.ids(name), turns)

    def latest_id(self, name: str) -> str | None:
        """The id that ``latest`` of a dataset holds; None where no version was accepted yet."""
        place = self.folder / check_name(name)
        return place.read(LATEST).decode("utf-8", "replace") if place.exists(LATEST) else None

    @staticmethod
    def _check_same(version: Version, files: Mapping[str, bytes]) -> None:
        place, wanted = version.folder, {**files, METADATA: with_retrieval(files[METADATA], version.manifest)}
        for path in sorted(set(wanted) - {MANIFEST, PROVENANCE}):
            held = place.read(path) if place.exists(path) else None
            if (card_as_built(held) if held and path == CARD else held) != wanted[path]:
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

    def held_files(self, name: str) -> set[tuple[str, str]]:
        """The path and SHA-256 of every file of every version of a dataset, by their manifests; these with them."""
        found: set[tuple[str, str]] = set()
        for folder in (self.folder / name / one for one in self.ids(name)):
            with contextlib.suppress(VersionError):  # damaged: it says nothing of its files
                manifest = read_unchecked(folder)
                check_form(folder, manifest)
                found |= {(path, facts["sha256"]) for path, facts in manifest["files"].items()}
                found.add((MANIFEST, sha256_bytes(folder.read(MANIFEST))))
        return found

    def open(self, label: str, *, unchecked: bool = False) -> Version:
        """The version ``NAME`` (its latest), ``NAME/ID``, or the path of a version's folder.

        VersionError lists what there is instead, or says that its manifest is not as published; ``unchecked`` takes the
        manifest as it is, for whoever looks for what is wrong with it or needs the version's name alone.
        """
        if PATH.match(label):
            return _open_folder(label, unchecked)
        name, _, version_id = label.strip("/").partition("/")
        place = self.folder / check_name(name)
        if version_id in ("", LATEST):
            if not place.exists(LATEST):
                if not self.ids(name):
                    known = ", ".join(self.names()) or "none"
                    raise VersionError(f"no dataset {name} in {self.folder}; there are: {known}")
                raise VersionError(no_latest(place, self.ids(name)))
            version_id = place.read(LATEST).decode("utf-8", "replace")
            if not NAME.fullmatch(version_id):
                raise VersionError(f"{place}/{LATEST} is damaged; remove it and build {name} again")
        folder = place / version_id
        if NAME.fullmatch(version_id) and folder.exists() and not folder.exists(MANIFEST):
            raise VersionError(f"{folder} has no {MANIFEST}; restore it, or move {folder} away and build again")
        if not NAME.fullmatch(version_id) or not folder.exists(MANIFEST):
            raise VersionError(f"no version {version_id} of {name}; there are: {', '.join(self.ids(name)) or 'none'}")
        manifest = read_unchecked(folder) if unchecked else read_manifest(folder, f"{name}/{version_id}")
        return Version(name, version_id, folder, manifest)

    def judge(self, version: Version, audits: Iterable[Mapping[str, Any]]) -> tuple[str | None, str | None]:
        """Add what gates found to the manifest of a version, each in place of what was said of its stage before.

        Then ``latest`` names the newest accepted version. Gives its id before and after.
        """
        with self._publishing(version.name):
            before = self.latest_id(version.name)
            for audit in audits:
                self._attach(version, audit)
            turns = self._turns.of(version.name) if self._turns else {}
            return before, self._settle(version.name, turns)

    def attach_audit(self, version: Version, audit: Mapping[str, Any]) -> None:
        """Add an audit result to the manifest, in place of an earlier one of the same sheet, or of a gate of the same
        stage; no data file changes.
        """
        with self._publishing(version.name):
            self._attach(version, audit)

    def _attach(self, version: Version, audit: Mapping[str, Any]) -> None:
        manifest = read_manifest(version.folder, version.label)
        replaced = _subject(audit)
        kept = [entry for entry in manifest["audits"] if _subject(entry) != replaced]
        content = pretty_json({**manifest, "audits": [*kept, dict(audit)]})
        audits = sorted(load_json(content)["audits"], key=canonical_json)
        _tell(version.folder, {**manifest, "audits": audits})


def _subject(audit: Mapping[str, Any]) -> tuple[object, object]:
    """What an audit result is of: a stage, if a gate found it, and a sheet otherwise."""
    return (GATE, audit.get("stage")) if audit.get("kind") == GATE else ("", audit.get("sheet_id"))


def _tell(place: Folder, manifest: Manifest) -> None:
    """Write a manifest whose audits or gate changed, and the card that says so, in this order."""
    if not audit_lines(manifest) and CARD_DIGEST not in manifest:
        place.write(MANIFEST, pretty_json(sealed(manifest)))
        return
    told, card = with_card(manifest, place.read(CARD))
    place.write(MANIFEST, pretty_json(sealed(told)))
    place.write(CARD, card)


def _nobody_else() -> None:
    """Nobody takes over where there are no turns."""


def _open_folder(label: str, unchecked: bool) -> Version:
    place = Folder.at(label)
    if not place.exists(MANIFEST):
        raise VersionError(
            f"{label!r} cannot name a dataset, and there is no {MANIFEST} in {place}; "
            "give NAME, NAME/ID or a version's folder"
        )
    manifest = read_unchecked(place) if unchecked else read_manifest(place)
    return Version(manifest["name"], manifest["version"], place, manifest)
