"""The manifest of a version: the size, digest and rows of its every file, how it was made, and a digest of itself.

Whether the files of a version are those that its manifest names is said here too.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, cast, get_origin, get_type_hints

from corpus.canonical import digest_of
from corpus.errors import VersionError
from corpus.folders.files import Folder
from corpus.schema import row_count, unreadable_column
from corpus.strict_json import load_json
from corpus.versioning.gate_verdicts import CARD_DIGEST, GATE, card_as_built, card_with_verdicts
from corpus.versioning.manifest_record import FileFacts, Manifest
from corpus.versioning.version_tables import PROBLEMS

MANIFEST, CARD, METADATA = "manifest.json", "README.md", "croissant.json"
FORMAT = 4
SEAL: Final = "manifest_sha256"
TAKEDOWN: Final = "takedown"
"""What was taken out of the version that this one was made from (version_takedown), and the last row of its
funnel."""
_PATH = re.compile(rf"(({'|'.join(PROBLEMS)})/)?[a-z0-9][a-z0-9_.-]{{0,199}}", re.IGNORECASE | re.ASCII)
"""Files of a version lie at its top or in the folders of its problems, nowhere else."""
_NO_IDENTITY = {"version", "files", "provenance", "audits", "stages", GATE, CARD_DIGEST, SEAL}
"""Fields that are no part of a version's identity: encodings, when posts were retrieved, what was added later, and how
it was made, that is, configuration, code, model and key of each stage."""
_OF_EVERY_FORM = ("name", "version", "rows", "rows_sha256", "files", "licenses", "funnel", "audits")
"""What manifests of every form have."""
_FIELDS = {name: get_origin(kind) or kind for name, kind in get_type_hints(Manifest).items() if name in _OF_EVERY_FORM}


def sha256_bytes(content: bytes) -> str:
    """Hexadecimal SHA-256."""
    return hashlib.sha256(content).hexdigest()


def file_facts(content: bytes, rows: int | None = None) -> FileFacts:
    """What a manifest says of a file: ``bytes``, ``sha256``, and ``rows`` where it is a table."""
    facts: FileFacts = {"bytes": len(content), "sha256": sha256_bytes(content)}
    return facts if rows is None else {**facts, "rows": rows}


def version_id_of(manifest: Manifest) -> str:
    """The id of the version that a manifest describes: a digest of its rows, its posts, what the stages kept of them,
    and its card."""
    identity = {name: value for name, value in manifest.items() if name not in _NO_IDENTITY}
    return digest_of({**identity, "card": manifest.get(CARD_DIGEST, manifest["files"][CARD]["sha256"])})[:12]


def with_card(manifest: Manifest, card: bytes) -> tuple[Manifest, bytes]:
    """A manifest and its card, both with what gates and audits found; ``card`` may hold earlier verdicts."""
    built = card_as_built(card)
    told = card_with_verdicts(built, manifest)
    files = {**manifest["files"], CARD: file_facts(told)}
    return {**manifest, "files": files, CARD_DIGEST: sha256_bytes(built)}, told


def last_retrieval(manifest: Manifest) -> str | None:
    """When the last of a version's posts was retrieved, if any says so."""
    retrieved: list[str] = manifest["provenance"]["retrieved"]
    return retrieved[-1] if retrieved else None


def seal_of(manifest: Manifest) -> str:
    """The digest of everything in a manifest but this digest."""
    return digest_of({name: value for name, value in manifest.items() if name != SEAL})


def sealed(manifest: Manifest) -> Manifest:
    """The manifest with its digest."""
    return {**manifest, SEAL: seal_of(manifest)}


def pretty_json(value: Mapping[str, Any]) -> bytes:
    """JSON for people; VersionError for a number that JSON cannot hold."""
    try:
        return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False).encode()
    except ValueError as error:
        raise VersionError(f"cannot write {MANIFEST}: {error}; every number in it must be finite") from error


def read_manifest(place: Folder, label: str | None = None) -> Manifest:
    """The manifest of a version's folder, checked against its own digest, its version id and ``label`` (``NAME/ID``).

    Raises VersionError for one that is damaged, changed, of an earlier form, or of another version than the label says.
    """
    manifest, content = _parsed(place)
    check_form(place, manifest)
    wrong = _changed(manifest, content)
    if wrong is None and label not in (None, f"{manifest['name']}/{manifest['version']}"):
        wrong = f"it is that of {manifest['name']}/{manifest['version']}"
    if wrong is not None:
        raise VersionError(
            f"{place}/{MANIFEST} is not as published: {wrong}; restore the file, or move {place} away and build again "
            "(rebuild --verify says what differs)"
        )
    return manifest


def read_unchecked(place: Folder) -> Manifest:
    """The manifest of a folder as it is, which nothing may rest on; VersionError if it has not the fields of one."""
    return _parsed(place)[0]


def check_form(place: Folder, manifest: Manifest) -> None:
    """VersionError for a manifest of an earlier form, of whose rows this code knows nothing."""
    if manifest.get("format") != FORMAT:
        found = f"form {manifest['format']}" if "format" in manifest else "an earlier form"
        raise VersionError(
            f"{place}/{MANIFEST} is of {found}, built before rows had their columns of today (form {FORMAT}); build "
            f"{manifest['name']} again, or read it with the code that made it"
        )


def _parsed(place: Folder) -> tuple[Manifest, bytes]:
    content = place.read(MANIFEST)
    why = "a field is missing or of another kind"
    try:
        manifest = load_json(content)
        sound = all(isinstance(manifest[name], kind) for name, kind in _FIELDS.items())
        sound = sound and all(isinstance(entry, dict) for entry in manifest["audits"])
        if sound and manifest.get("format") == FORMAT:
            files = manifest["files"]
            sound = all(_PATH.fullmatch(path) and _is_fact(facts) for path, facts in files.items()) and CARD in files
    except (ValueError, KeyError, TypeError) as error:
        sound, why = False, str(error) if isinstance(error, ValueError) else why
    if not sound:
        reason = " ".join(why.split()) if content else "it is empty"
        raise VersionError(f"{place}/{MANIFEST} is damaged ({reason}); move {place} away and rebuild the version")
    return cast(Manifest, dict(manifest)), content


def _is_fact(facts: object) -> bool:
    return isinstance(facts, dict) and isinstance(facts.get("bytes"), int) and isinstance(facts.get("sha256"), str)


def _changed(manifest: Manifest, content: bytes) -> str | None:
    """What shows that a manifest was changed after it was written, or None."""
    written = pretty_json(manifest)
    if content != written:
        pairs = enumerate(zip(content.split(b"\n"), written.split(b"\n"), strict=False), start=1)
        line = next((number for number, (found, wanted) in pairs if found != wanted), len(written.split(b"\n")))
        return f"line {line} is not as it was written"
    if manifest.get(SEAL) != seal_of(manifest):
        return f"its content does not match the digest that it carries ({SEAL})"
    if version_id_of(manifest) != manifest["version"]:
        return f"its content is not that of version {manifest['version']}"
    return None


TABLE = ".parquet"
UNKNOWN = "is not among the files of its manifest"


def unknown_files(place: Folder, known: Collection[str], *, data_only: bool = False) -> list[str]:
    """What lies in a version's folder, or only in the folders of its problems, and is not among the ``known`` files;
    sorted.

    A folder that should not be there is named once, with a slash at its end.
    """
    found = [] if data_only else [name for name in place.names() if name not in (*PROBLEMS, MANIFEST)]
    found += [f"{folder}/{name}" for folder in PROBLEMS for name in (place / folder).names()]
    return [name if place.fs.isfile(f"{place}/{name}") else f"{name}/" for name in sorted(found) if name not in known]


def checked_files(place: Folder, manifest: Manifest) -> Iterator[tuple[str, bytes]]:
    """Path and content of each file of a version in order, read once; VersionError at the first that is not as said.

    A file among the problems that the manifest does not know is an error as well: loaders would read it.
    """
    files = manifest["files"]
    for path in sorted(files):
        content, fault = _read(place, path, files[path])
        if fault is not None:
            raise _refusal(place, f"{path} {fault}")
        yield path, content
    stray = unknown_files(place, files, data_only=True)
    if stray:
        raise _refusal(place, f"{stray[0]} {UNKNOWN}")


def _refusal(place: Folder, fault: str) -> VersionError:
    return VersionError(f"{place}/{fault}; restore the version's files, or move {place} away and build again")


def faults(place: Folder, manifest: Manifest) -> list[str]:
    """Everything that is wrong with the files of a version: path and what is wrong with it; empty if all is well.

    Reads every file once and compares its size, digest and row count with the manifest.
    """
    files, found, rows = manifest["files"], [], Counter[str]()
    for path in sorted(files):
        fault = _read(place, path, files[path])[1]
        found += [f"{path} {fault}"] if fault is not None else []
        rows[path.partition("/")[0]] += files[path].get("rows", 0)
    for folder in PROBLEMS:
        if rows[folder] != manifest["rows"]:
            found.append(f"{MANIFEST} says {manifest['rows']} rows, its files in {folder} have {rows[folder]}")
    return found + [f"{path} {UNKNOWN}" for path in unknown_files(place, files)]


def _read(place: Folder, path: str, facts: FileFacts) -> tuple[bytes, str | None]:
    """The content of a file, and what is wrong with it."""
    if not place.exists(path):
        return b"", "is gone"
    content = place.read(path)
    return content, _fault(path, content, facts)


def _fault(path: str, content: bytes, facts: FileFacts) -> str | None:
    if not content:
        return f"is empty; {facts['bytes']} bytes were published"
    if sha256_bytes(content) != facts["sha256"]:
        size = "" if len(content) == facts["bytes"] else f"{len(content)} bytes where {facts['bytes']} were published"
        where = "; ".join(part for part in (size, damage_in(path, content)) if part)
        return "is not the file that was published" + (f" ({where})" if where else "")
    if len(content) != facts["bytes"]:
        return f"has {len(content)} bytes, the manifest says {facts['bytes']}"
    rows = row_count(content) if path.endswith(TABLE) else None
    return None if rows == facts.get("rows") else f"has {rows} rows, the manifest says {facts.get('rows')}"


def damage_in(path: str, content: bytes) -> str:
    """Where a file cannot be read, without anything to compare it with; empty if it can be."""
    if path.endswith(TABLE):
        return unreadable_column(content)
    try:
        text = content.decode()
        if path.endswith(".json"):
            load_json(text)
    except UnicodeDecodeError as error:
        return f"byte {error.start} is not UTF-8"
    except ValueError as error:
        return " ".join(str(error).split())
    return ""
