"""Is a version, file by file as it lies there, what a rebuild gives; where not, and which stage made the difference."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import pyarrow as pa

from corpus.canonical import RETRIEVAL
from corpus.errors import CorpusError
from corpus.records import Provenance
from corpus.schema import read_parquet, read_table
from corpus.versioning.croissant import with_retrieval
from corpus.versioning.gate_verdicts import CARD_DIGEST, GATE, card_with_verdicts
from corpus.versioning.manifest import (
    CARD,
    MANIFEST,
    METADATA,
    SEAL,
    TABLE,
    UNKNOWN,
    damage_in,
    file_facts,
    pretty_json,
    seal_of,
    sha256_bytes,
    unknown_files,
    with_card,
)
from corpus.versioning.manifest_record import Manifest
from corpus.versioning.release import provenance_facts
from corpus.versioning.version_tables import PROVENANCE, in_problems
from corpus.versioning.versions import Version

LONGEST = 60
_FAILURES = (pa.ArrowException, OSError, ValueError)


def first_difference(path: str, found: bytes, wanted: bytes) -> str:
    """Where ``found`` first differs from ``wanted``, in words; rows and lines count from 1, bytes from 0.

    >>> first_difference("README.md", b"one\\ntwo\\n", b"one\\ntoo\\n")
    "line 2, byte 5: 'two' instead of 'too'"
    """
    if not found:
        return f"empty instead of {len(wanted)} bytes"
    if path.endswith(TABLE):
        return _table_difference(path, found, wanted)
    return _line_difference(found, wanted)


def first_byte(found: bytes, wanted: bytes) -> int:
    """The offset of the first byte that differs, or the length of the shorter one."""
    shorter = min(len(found), len(wanted))
    if found[:shorter] == wanted[:shorter]:
        return shorter
    low, high = 0, shorter
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if found[:middle] == wanted[:middle] else (low, middle)
    return low


def _line_difference(found: bytes, wanted: bytes) -> str:
    byte = first_byte(found, wanted)
    line = wanted.count(b"\n", 0, byte) + 1
    start = wanted.rfind(b"\n", 0, byte) + 1
    return f"line {line}, byte {byte}: {_line_at(found, start)} instead of {_line_at(wanted, start)}"


def _line_at(content: bytes, start: int) -> str:
    if start >= len(content):
        return "the end"
    return _short(content[start : start + 4 * LONGEST].partition(b"\n")[0].decode("utf-8", "replace").strip())


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}...")


def _table_difference(path: str, found: bytes, wanted: bytes) -> str:
    byte = f"byte {first_byte(found, wanted)}"
    try:
        old, new = read_table(found), read_table(wanted)
    except _FAILURES:
        return f"{damage_in(path, found) or 'cannot be read'}; the first different byte is {byte}"
    columns = [name for name in new.column_names if name not in old.column_names]
    columns += [name for name in old.column_names if name not in new.column_names]
    if columns or not old.schema.equals(new.schema):
        return f"its columns are others: {', '.join(columns) or 'of other types'}"
    place = _first_cell(old, new)
    if place is not None:
        row, name = place
        values = f"{_short(old[name][row].as_py())} instead of {_short(new[name][row].as_py())}"
        return f"row {row + 1}{_named(new, row)}, column {name}: {values}"
    if old.num_rows != new.num_rows:
        return f"row {min(old.num_rows, new.num_rows) + 1}: {old.num_rows} rows instead of {new.num_rows}"
    return f"the same rows in other bytes, from {byte} on"


def _first_cell(old: pa.Table, new: pa.Table) -> tuple[int, str] | None:
    """Row and column of the first cell that differs, among the rows that both tables have."""
    rows = min(old.num_rows, new.num_rows)
    found = []
    for place, name in enumerate(new.column_names):
        before, after = old[name].slice(0, rows), new[name].slice(0, rows)
        if not before.equals(after):
            pairs = enumerate(zip(before.to_pylist(), after.to_pylist(), strict=True))
            found += [(row, place) for row, (one, other) in pairs if one != other][:1]
    if not found:
        return None
    row, place = min(found)
    return row, new.column_names[place]


def _named(table: pa.Table, row: int) -> str:
    return f" ({table['problem_id'][row].as_py()})" if "problem_id" in table.column_names else ""


LISTED = 5


@dataclass(frozen=True)
class Difference:
    """A file of a version that is not what the rebuild gives: ``place`` says where it first differs."""

    path: str
    place: str


@dataclass(frozen=True)
class RebuildVerdict:
    """``differences``, the data files' first; ``stage``: the first whose kept rows differ; ``causes``: what changed.

    ``files`` were compared; ``retrieved`` provenance rows differ in nothing but when and from what they were read.
    Causes without a difference are other ways to the same bytes.
    """

    differences: tuple[Difference, ...]
    stage: str | None
    causes: tuple[str, ...]
    files: int
    retrieved: int = 0

    @property
    def identical(self) -> bool:
        """Whether every file is what the rebuild gives."""
        return not self.differences

    def sentence(self, version: Version) -> str:
        """The verdict in one line."""
        if self.identical:
            note = f"; {self.retrieved} rows of {PROVENANCE} name another retrieval" if self.retrieved else ""
            note += f"; made otherwise: {', '.join(self.causes)}" if self.causes else ""
            return f"{version.label}: identical, {self.files} files byte for byte{note}"
        first, *others = self.differences
        names = ", ".join(one.path for one in others[:LISTED]) + (" ..." if len(others) > LISTED else "")
        also = f"; different as well: {names}" if others else ""
        where = f"first different stage: {self.stage}" if self.stage else "every stage kept the same rows"
        causes = "; ".join(self.causes) or "no change of posts, configuration, code or model explains it"
        return f"{version.label} differs: {first.path}, {first.place}{also}; {where}; {causes}"


def compare_rebuild(old: Version, new: Version) -> RebuildVerdict:
    """Compare the published files of a version with those of its rebuild; the old manifest need not be sound."""
    files = sorted(new.manifest["files"], key=lambda path: (not in_problems(path), path != PROVENANCE, path))
    retrieved = _other_retrievals(old, new)
    compared = [path for path in files if not (path == PROVENANCE and retrieved)]
    found = [_difference(old, path, _wanted(old, new, path, retrieved > 0)) for path in compared]
    found.append(_manifest_difference(old, new, retrieved > 0))
    found += [Difference(path, UNKNOWN) for path in unknown_files(old.folder, new.manifest["files"])]
    differences = tuple(one for one in found if one is not None)
    try:
        stage, causes = _why(old.manifest, new.manifest)
    except (KeyError, TypeError, AttributeError):
        stage, causes = None, ("its manifest does not say how it was made",)
    return RebuildVerdict(differences, stage if differences else None, causes, len(files) + 1, retrieved)


def _why(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str | None, tuple[str, ...]]:
    """The first stage whose kept rows differ, and what went in differently, as two manifests have it."""
    again_by_stage = {row["stage"]: row["content"] for row in new["funnel"]}
    stage = next((row["stage"] for row in old["funnel"] if again_by_stage.get(row["stage"]) != row["content"]), None)
    causes = [] if old["snapshot"] == new["snapshot"] else ["the posts are not the same"]
    made = {row["stage"]: row for row in new["stages"]}
    for before in old["stages"]:
        after = made.get(before["stage"], {})
        kinds = [kind for kind in ("config", "code", "model") if before[kind] != after.get(kind)]
        causes += [f"{kind} of stage {before['stage']} changed" for kind in kinds]
    return stage, tuple(causes)


def _wanted(old: Version, new: Version, path: str, retrieved: bool) -> bytes:
    """What a file should be: that of the rebuild, with what people judged of the old version, and its retrieval."""
    content = new.folder.read(path)
    if path == METADATA and retrieved:
        return with_retrieval(content, old.manifest)
    return card_with_verdicts(content, old.manifest) if path == CARD else content


def _published(version: Version, path: str) -> bytes | None:
    return version.folder.read(path) if version.folder.exists(path) else None


def _difference(old: Version, path: str, wanted: bytes) -> Difference | None:
    found = _published(old, path)
    if found is None:
        return Difference(path, "is gone")
    if found == wanted:
        return None
    since = "" if _is_as_said(old, path, found) else ", changed since it was published"
    return Difference(path, first_difference(path, found, wanted) + since)


def _is_as_said(version: Version, path: str, content: bytes) -> bool:
    facts: Mapping[str, Any] | None = version.manifest["files"].get(path)
    return facts is not None and sha256_bytes(content) == facts.get("sha256")


def _other_retrievals(old: Version, new: Version) -> int:
    """How many provenance rows differ, if all that differs is the retrieval and the file is the one published; else 0.

    When and from which response a post was read is no part of a version's identity.
    """
    found, wanted = _published(old, PROVENANCE), new.folder.read(PROVENANCE)
    if found is None or found == wanted or not _is_as_said(old, PROVENANCE, found):
        return 0
    try:
        before, after = (read_parquet(content, Provenance, PROVENANCE) for content in (found, wanted))
    except CorpusError:
        return 0
    if list(map(_terms, before)) != list(map(_terms, after)):
        return 0
    return sum(one != other for one, other in zip(before, after, strict=True))


def _terms(row: Provenance) -> dict[str, Any]:
    return row.model_dump(exclude=set(RETRIEVAL))


def _configured(manifest: Manifest) -> list[tuple[str, Any]] | None:
    """The stages that a manifest names, each with its configuration; None where it does not say so."""
    try:
        return [(stage["stage"], stage["config"]) for stage in manifest["stages"]]
    except (KeyError, TypeError):
        return None


def _manifest_difference(old: Version, new: Version, retrieved: bool) -> Difference | None:
    """What the published manifest says otherwise than it should: that of the rebuild with the old audits and gate."""
    found = old.folder.read(MANIFEST)
    wanted = cast(Manifest, {**new.manifest, "audits": old.manifest["audits"], SEAL: old.manifest.get(SEAL)})
    if GATE in old.manifest:
        wanted[GATE] = old.manifest[GATE]
    if _configured(old.manifest) == _configured(new.manifest):
        wanted["stages"] = old.manifest["stages"]  # other code or models that gave the same are no difference
    if CARD_DIGEST in old.manifest:
        wanted = with_card(wanted, new.folder.read(CARD))[0]
    if retrieved:
        content = old.folder.read(PROVENANCE)
        rows = read_parquet(content, Provenance, PROVENANCE)
        metadata = with_retrieval(new.folder.read(METADATA), old.manifest)
        facts = {PROVENANCE: file_facts(content, len(rows)), METADATA: file_facts(metadata)}
        wanted["files"], wanted["provenance"] = {**wanted["files"], **facts}, provenance_facts(rows)
    if found != pretty_json(wanted):
        return Difference(MANIFEST, first_difference(MANIFEST, found, pretty_json(wanted)))
    if old.manifest.get(SEAL) != seal_of(old.manifest):
        return Difference(MANIFEST, f"{SEAL} is not the digest of its content: its audits were changed")
    return None
