"""A version without some posts: its tables without their rows, and the card, metadata and manifest that fit.

Every other row keeps its values, and every table that held nothing of the posts its bytes. Tables are told by their
columns: whatever has ``post_id``, ``problem_id`` or ``id`` loses the rows of the posts, and a field that names one of
them in another row is emptied.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from corpus.errors import VersionError
from corpus.post_store.tombstones import address_key
from corpus.record_tables import as_digest, digest_sum
from corpus.records import Problem
from corpus.schema import row_count
from corpus.strict_json import load_json
from corpus.versioning.gate_verdicts import CARD_DIGEST, GATE, audit_lines
from corpus.versioning.manifest import (
    CARD,
    MANIFEST,
    METADATA,
    SEAL,
    TABLE,
    TAKEDOWN,
    checked_files,
    pretty_json,
    sealed,
    with_card,
)
from corpus.versioning.manifest_record import FunnelRow, MakingFacts, Manifest
from corpus.versioning.release import ReleaseTally
from corpus.versioning.row_groups import TableFile, by_appearance
from corpus.versioning.version_tables import BESIDE, FULL, PROVENANCE
from corpus.versioning.versions import Version, described

FORGOTTEN: Final = "forgotten"
_OWN: Final = ("post_id", "problem_id", "id")
_NAMING: Final = ("nearest_id", "variant_of")
"""Columns that may name a post or problem of another row."""
_PART: Final = re.compile(r"(.+)-\d{5}-of-\d{5}\.parquet")
_TALLIED: Final = ("problem_id", "post_id", "posted_at", "split", "license", "question_type", "equations", "confidence")
_SOURCES: Final = ("license", "answer_id", "parser", "retrieved_at")
_FACTS: Final = frozenset(
    ("name", "version", "rows", "rows_sha256", "licenses", "metadata_sha256", "files", "provenance", "audits")
) | {GATE, CARD_DIGEST, SEAL}
"""What is said of a version anew; everything else in a manifest stays."""
_WRITTEN_IF_SAID: Final = {name for name, field in Problem.model_fields.items() if field.exclude_if}


class PostsMeant(NamedTuple):
    """Posts that are to go, by ids of them or of problems made of them, and by their addresses (``address_key``)."""

    ids: frozenset[str]
    urls: frozenset[str] = frozenset()


class Remade(NamedTuple):
    """A version without the posts: its id and files, or None where no problem is left.

    ``ids`` are those of the posts that were in it and of the problems made of them; ``problems`` and ``rows`` went.
    """

    made: tuple[str, Mapping[str, bytes]] | None
    ids: frozenset[str]
    problems: int
    rows: int


@dataclass
class _Change:
    """What rewriting takes out: rows, references in other rows, and the sum of digests of problems."""

    rows: int = 0
    references: int = 0
    digests: int = 0


def without_posts(version: Version, wanted: PostsMeant) -> Remade | None:
    """The version without these posts; None where it holds nothing of them.

    Every file is checked on the way. VersionError for one that is not as published, or of an earlier form.
    """
    files = dict(checked_files(version.folder, version.manifest))
    tables = {path: content for path, content in files.items() if path.endswith(TABLE)}
    posts, problems = _rows_meant(tables, wanted)
    if not posts and not any(_names(content, wanted.ids) for content in tables.values()):
        return None
    if not set(BESIDE) <= set(tables):
        raise VersionError(f"{version.label} is of an earlier form; remove {version.folder}, or build it again")
    gone, change = posts | problems | wanted.ids, _Change()
    kept = _numbered({path: _without(one, gone, change, path.startswith(f"{FULL}/")) for path, one in tables.items()})
    tally = _tally(kept)
    made = _described(version, files[METADATA], kept, tally, change) if tally.rows else None
    return Remade(made, frozenset(posts | problems), int(version.manifest["rows"]) - tally.rows, change.rows)


def _rows_meant(tables: Mapping[str, bytes], wanted: PostsMeant) -> tuple[set[str], set[str]]:
    """The posts of the version that are to go, and the problems that were made of them."""
    posts, problems = set[str](), set[str]()
    for content in tables.values():
        names = [name for name in ("post_id", "problem_id", "url") if name in _columns(content)]
        if names[:2] == ["post_id", "problem_id"]:
            found = _read(content, names)
            meant = pc.is_in(found["post_id"], value_set=pa.array(sorted(wanted.ids), pa.string()))
            if wanted.urls and "url" in names:
                keys = (url is not None and address_key(url) in wanted.urls for url in found["url"].to_pylist())
                meant = pc.or_(meant, pa.array(keys, pa.bool_()))
            found = found.filter(meant)
            posts.update(found["post_id"].to_pylist())
            problems.update(found["problem_id"].to_pylist())
    return posts, problems


def _columns(content: bytes) -> list[str]:
    return list(pq.read_schema(pa.BufferReader(content)).names)


def _read(content: bytes, names: Collection[str]) -> pa.Table:
    return pq.ParquetFile(pa.BufferReader(content)).read(columns=list(names), use_threads=False)


def _names(content: bytes, gone: Collection[str], names: Collection[str] = _NAMING) -> bool:
    """Whether some columns of a table hold one of these ids."""
    there = [name for name in names if name in _columns(content)]
    table = _read(content, there)
    return any(pc.any(_is_one(table[name], gone)).as_py() for name in there)


def _is_one(column: pa.ChunkedArray, gone: Collection[str]) -> pa.ChunkedArray:
    return pc.is_in(column, value_set=pa.array(sorted(gone), pa.string()))


def _without(content: bytes, gone: Collection[str], change: _Change, counted: bool) -> bytes:
    """The bytes of a table without the rows that are gone; of one that is ``counted``, the digests change as well."""
    if not _names(content, gone, (*_OWN, *_NAMING)):
        return content
    file = pq.ParquetFile(pa.BufferReader(content), pre_buffer=False)
    written = TableFile(file.schema_arrow)
    for number in range(file.num_row_groups):
        table = file.read_row_group(number, use_threads=False)
        own = [_is_one(table[name], gone) for name in _OWN if name in table.column_names]
        out = _any(own, len(table))
        naming = {name: _is_one(table[name], gone) for name in _NAMING if name in table.column_names}
        kept, touched = table, pc.or_(out, _any([*naming.values()], len(table)))
        for name, named in naming.items():
            emptied = pc.if_else(named, pa.scalar(None, table[name].type), table[name])
            kept = kept.set_column(kept.column_names.index(name), kept.field(name), emptied)
            change.references += pc.sum(pc.and_not(named, out)).as_py() or 0
        kept = kept.filter(pc.invert(out))
        change.rows += len(table) - len(kept)
        if counted:
            change.digests += _digests(kept.filter(touched.filter(pc.invert(out)))) - _digests(table.filter(touched))
        if len(kept):
            written.add(kept)
    return written.close()


def _any(masks: Sequence[pa.ChunkedArray], rows: int) -> Any:
    found = pa.array([False] * rows, pa.bool_())
    for mask in masks:
        found = pc.or_(found, mask)
    return found


def _digests(table: pa.Table) -> int:
    """The sum of the digests of problems, see ``set_digest``."""
    rows = table.to_pylist()
    return digest_sum(
        {name: value for name, value in row.items() if value is not None or name not in _WRITTEN_IF_SAID}
        for row in rows
    )


def _numbered(tables: Mapping[str, bytes]) -> dict[str, bytes]:
    """The tables that are left, those of one split numbered without gaps."""
    found = dict[str, bytes]()
    parts: dict[str, list[bytes]] = defaultdict(list)
    for path, content in sorted(tables.items()):
        part = _PART.fullmatch(path)
        if part is None:
            found[path] = content
        elif row_count(content):
            parts[part[1]].append(content)
    for split, contents in parts.items():
        for number, content in enumerate(contents):
            found[f"{split}-{number:05d}-of-{len(contents):05d}.parquet"] = content
    return found


def _tally(tables: Mapping[str, bytes]) -> ReleaseTally:
    """What a card says of the rows that are left."""
    tally = ReleaseTally()
    rows = [_read(content, _TALLIED) for path, content in tables.items() if path.startswith(f"{FULL}/")]
    if rows:
        tally.add_problems(by_appearance(pa.concat_tables(rows)))
    tally.add_sources(_read(tables[PROVENANCE], _SOURCES))
    return tally


def _described(
    version: Version, metadata: bytes, tables: Mapping[str, bytes], tally: ReleaseTally, change: _Change
) -> tuple[str, Mapping[str, bytes]]:
    """The id and files of the new version, with what people judged of the old one."""
    old = version.manifest
    digest = as_digest(int(old["rows_sha256"], 16) + change.digests)
    making = cast(MakingFacts, {name: value for name, value in old.items() if name not in _FACTS})
    before = next((row["in"] for row in making["funnel"] if row["stage"] == TAKEDOWN), old["rows"])
    dropped = {FORGOTTEN: before - tally.rows} if before > tally.rows else {}
    row: FunnelRow = {"stage": TAKEDOWN, "in": before, "kept": tally.rows, "dropped": dropped, "content": digest}
    making["funnel"] = [*(one for one in making["funnel"] if one["stage"] != TAKEDOWN), row]
    making[TAKEDOWN] = {
        "made_from": version.label,
        "problems": old["rows"] - tally.rows,
        "rows": change.rows,
        "references": change.references,
    }
    version_id, files = described((version.name, _title(version, metadata)), making, digest, tally, tables)
    told = cast(Manifest, {**load_json(files[MANIFEST]), "audits": old["audits"]})
    if GATE in old:
        told[GATE] = old[GATE]
    if audit_lines(told):
        told, files[CARD] = with_card(told, files[CARD])
    return version_id, {**files, MANIFEST: pretty_json(sealed(told))}


def _title(version: Version, metadata: bytes) -> str:
    """The title of a version, out of how it is to be cited."""
    return str(load_json(metadata)["citeAs"]).rpartition(f": {version.name}, version ")[0]
