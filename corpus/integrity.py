"""Whether the files of a version are those that its manifest names, and where they are not."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from corpus.errors import VersionError
from corpus.files import Folder
from corpus.manifest import MANIFEST, sha256_bytes
from corpus.schema import row_count, unreadable_column
from corpus.strict_json import load_json
from corpus.version_tables import PROBLEMS

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


def checked_files(place: Folder, manifest: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
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


def faults(place: Folder, manifest: Mapping[str, Any]) -> list[str]:
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


def _read(place: Folder, path: str, facts: Mapping[str, Any]) -> tuple[bytes, str | None]:
    """The content of a file, and what is wrong with it."""
    if not place.exists(path):
        return b"", "is gone"
    content = place.read(path)
    return content, _fault(path, content, facts)


def _fault(path: str, content: bytes, facts: Mapping[str, Any]) -> str | None:
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
