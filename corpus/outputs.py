"""Content-addressed stage outputs: kept and dropped rows of one part, written once, verified whenever reused.

A part lies in ``<stage>/<key>/`` as ``kept.parquet``, ``dropped.parquet`` and ``part.json``; the last names the
digests of the other two, and a folder without it does not count. ``key = hash(input contents, config, code, model)``.
Of a part that differs little from an earlier one the two tables are those of the earlier one, as they were; beside them
stand the rows that came (``kept-more.parquet``, ``dropped-more.parquet``) and the posts whose rows no longer count
(``went.json``). Whoever reads it sees the same rows as if it had been written whole.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from corpus.canonical import add_digests, canonical_json, digest_of
from corpus.errors import DamageError, StoreError
from corpus.folders.files import Folder
from corpus.folders.local_files import HeldBytes
from corpus.record_tables import POST_ID, as_digest, by_id, digest_sum, rows_of, rows_without
from corpus.records import Dropped, Record
from corpus.schema import RecordT, read_parquet, read_rows, read_table, record_table, schema_of, table_bytes, table_of
from corpus.strict_json import load_json
from corpus.versioning.manifest_record import StageCounts

KEPT, DROPPED, MARK = "kept.parquet", "dropped.parquet", "part.json"
MORE = {KEPT: "kept-more.parquet", DROPPED: "dropped-more.parquet"}
WENT = "went.json"
FILES = frozenset((KEPT, DROPPED, *MORE.values(), WENT))
MOST_MORE = 8
"""A part is written whole once more than one row in so many has come or gone since it was."""
ROW_GROUP = 1_000
"""Rows that have to be read for one of them."""


@dataclass(frozen=True)
class OutputPart:
    """One part of a stage output: where it is, what is in it, and the digest of its kept rows.

    ``mended`` says what was wrong with the part that lay there before and was made again; empty for any other.
    """

    stage: str
    key: str
    rows_in: int
    kept: int
    reasons: dict[str, int]
    content: str
    files: dict[str, str]
    reused: bool = False
    mended: str = ""

    def made(self) -> "OutputPart":
        """The part as it is kept: whether it was there before is no part of it."""
        return replace(self, reused=False, mended="")

    def as_dict(self) -> dict[str, Any]:
        """Plain data, small enough to pass between processes."""
        return asdict(self)


@dataclass(frozen=True)
class PartChange:
    """What makes a part of another one: posts whose rows go, the rows that come, and the digest of all that is kept."""

    gone: Collection[str]
    kept: pa.Table
    dropped: pa.Table
    content: str


def part_key(stage: str, inputs: Sequence[str], config: dict[str, Any], code: str, model: str) -> str:
    """The address of a part: digests of its inputs' contents, its configuration, its code and its model."""
    return digest_of({"stage": stage, "inputs": list(inputs), "config": config, "code": code, "model": model})[:32]


def check_account(stage: str, ids: Sequence[str], kept: Sequence[str], dropped: Sequence[str]) -> None:
    """Every id that came in is among those kept or dropped exactly once; StoreError names the first that is not."""
    if sorted([*kept, *dropped]) == sorted(ids):
        return
    out, expected = Counter((*kept, *dropped)), Counter(ids)
    wrong = min(post_id for post_id in out.keys() | expected.keys() if out[post_id] != expected[post_id])
    raise StoreError(
        f"stage {stage}: in {len(ids)}, kept {len(kept)}, dropped {len(dropped)} do not add up at {wrong}; "
        "this is a bug in the stage; nothing was written"
    )


class Outputs:
    """All stage outputs below one folder; ``once``: a file that was read and held against its digest is kept."""

    def __init__(self, folder: Folder, *, once: bool = False) -> None:
        self.folder = folder
        self._held: dict[tuple[str, str], bytes] | None = {} if once else None

    def reading_once(self) -> "Outputs":
        """The same outputs for who reads a few parts again and again, and is done with them soon."""
        return Outputs(self.folder, once=True)

    def find(self, stage: str, key: str, damaged: Callable[[str], object] | None = None) -> OutputPart | None:
        """The part at this address if it is complete and undamaged.

        A damaged one is removed and None returned; ``damaged`` is told which file it is and what is wrong with it.
        """
        place = self.folder / stage / key
        if not place.exists(MARK):
            return None
        part = self._sound_part(place)
        if isinstance(part, OutputPart) and (part.stage, part.key) != (stage, key):
            part = f"{MARK} is that of {part.stage}/{part.key}"
        if isinstance(part, OutputPart):
            return replace(part, reused=True)
        (self.folder / stage).remove(key)
        if damaged is not None:
            damaged(f"{place}/{part}")
        return None

    def look(self, stage: str, key: str) -> OutputPart | None:
        """The part at this address if it is complete and undamaged; a damaged one stays for who makes it again."""
        place = self.folder / stage / key
        part = self._sound_part(place) if place.exists(MARK) else None
        return part if isinstance(part, OutputPart) and (part.stage, part.key) == (stage, key) else None

    def is_sound(self, part: OutputPart) -> bool:
        """Whether a part lies where it says, with the bytes that were written; StoreError if it cannot be read."""
        return self.look(part.stage, part.key) == part.made()

    def _sound_part(self, place: Folder) -> OutputPart | str:
        """The part if its files are what its mark says, else the first file that is not, and what is wrong with it.

        A file that is there but cannot be read is a StoreError.
        """
        try:
            part = OutputPart(**load_json(place.read(MARK)))
            if not {KEPT, DROPPED} <= set(part.files) <= FILES:
                return f"{MARK} does not name its files"
            for name, digest in sorted(part.files.items()):
                if not place.exists(name):
                    return f"{name} is gone"
                if self._bytes(place, name, digest) is None:
                    return f"{name} is damaged (its bytes are not those that were written)"
        except (ValueError, TypeError, AttributeError) as error:
            return f"{MARK} is damaged ({' '.join(str(error).split()) if isinstance(error, ValueError) else 'no part'})"
        return part

    def save(
        self, address: tuple[str, str], kind: type[RecordT], kept: Sequence[RecordT], dropped: Sequence[Dropped]
    ) -> OutputPart:
        """Write one part at ``(stage, key)`` in one step; rows are stored in the order of their post ids."""
        kept = sorted(kept, key=_post_id)
        plain = [row.model_dump() for row in kept]
        gone = record_table(sorted(dropped, key=_post_id), Dropped)
        rows = (table_of(plain, kind), gone)
        return self.save_tables(address, kind, rows, as_digest(digest_sum(plain)))

    def save_tables(
        self, address: tuple[str, str], kind: type[Record], rows: tuple[pa.Table, pa.Table], content: str
    ) -> OutputPart:
        """Like ``save``, of kept and dropped rows in the order of their post ids; ``content`` is their set digest."""
        kept, dropped = rows
        reasons = Counter(dropped["reason"].to_pylist())
        files = {KEPT: _parquet(kept, kind), DROPPED: _parquet(dropped, Dropped)}
        return self._commit(address, (len(kept), reasons, content), files)

    def save_change(
        self, address: tuple[str, str], kind: type[Record], source: OutputPart, change: PartChange
    ) -> OutputPart | None:
        """Write a part by what makes it of another one, which holds all that goes; None if it is better made whole."""
        went, came = {*(self._gone(source) or ()), *change.gone}, {KEPT: change.kept, DROPPED: change.dropped}
        for name in (name for name in MORE if MORE[name] in source.files):
            before = self._read(source, MORE[name])
            came[name] = by_id([rows_without(before, change.gone), came[name].cast(before.schema)])
        if MOST_MORE * (len(went) + sum(map(len, came.values()))) > source.rows_in:
            return None
        lost = rows_of(self.table(source, DROPPED), change.gone)["reason"].to_pylist() if change.gone else []
        reasons = Counter(source.reasons) + Counter(change.dropped["reason"].to_pylist())
        reasons.subtract(lost)
        kept = source.kept + len(change.kept) - (len(change.gone) - len(lost))
        place = self.folder / source.stage / source.key
        files: dict[str, bytes | HeldBytes] = {
            name: HeldBytes(self._content(source, name), f"{place.path}/{name}", source.files[name])
            for name in (KEPT, DROPPED)
        }
        files |= {MORE[KEPT]: _parquet(came[KEPT], kind), MORE[DROPPED]: _parquet(came[DROPPED], Dropped)}
        files[WENT] = canonical_json(sorted(went)).encode()
        return self._commit(address, (kept, +reasons, change.content), files)

    def _commit(
        self, address: tuple[str, str], told: tuple[int, Counter[str], str], files: Mapping[str, bytes | HeldBytes]
    ) -> OutputPart:
        (stage, key), (kept, reasons, content) = address, told
        part = OutputPart(
            stage=stage,
            key=key,
            rows_in=kept + reasons.total(),
            kept=kept,
            reasons=dict(sorted(reasons.items())),
            content=content,
            files={name: one.sha256 if isinstance(one, HeldBytes) else _sha256(one) for name, one in files.items()},
        )
        (self.folder / stage).commit(key, {**files, MARK: canonical_json(part.as_dict()).encode()}, MARK)
        there = self.folder / stage / key  # where another build was first, the same rows may lie in other files
        return OutputPart(**load_json(there.read(MARK)))

    def schema(self, part: OutputPart) -> pa.Schema:
        """The columns of the kept rows of a part."""
        return schema_of(self._content(part, KEPT))

    def table(self, part: OutputPart, name: str = KEPT, columns: Sequence[str] | None = None) -> pa.Table:
        """The kept rows of a part (or its dropped ones) as a table, or some columns of it."""
        gone = self._gone(part)
        if gone is None:
            return self._read(part, name, columns)
        read = columns if columns is None or POST_ID in columns else [POST_ID, *columns]
        whole = by_id([rows_without(self._read(part, name, read), gone), self._read(part, MORE[name], read)])
        return whole if read == columns else whole.drop_columns([POST_ID])

    def rows(self, part: OutputPart, posts: Collection[str], name: str = KEPT) -> pa.Table:
        """The kept rows of some posts, or the dropped ones, by their ids; what came last is looked at first."""
        more = rows_of(self._read(part, MORE[name]), posts) if MORE[name] in part.files else None
        if more is not None and len(more) == len(posts):
            return more
        older = rows_without(self._read(part, name, posts=posts), self._gone(part) or ())
        return older if more is None else by_id([older, more])

    def _gone(self, part: OutputPart) -> list[str] | None:
        """The posts whose rows in the older files of a part no longer count; None for a part that was written whole."""
        return [str(one) for one in load_json(self._content(part, WENT))] if WENT in part.files else None

    def _read(
        self, part: OutputPart, name: str, columns: Sequence[str] | None = None, posts: Collection[str] | None = None
    ) -> pa.Table:
        content = self._content(part, name)
        try:
            return read_table(content, columns) if posts is None else read_rows(content, posts)
        except (pa.ArrowException, OSError, ValueError, KeyError) as error:
            where = f"{self.folder / part.stage / part.key}/{name}"
            raise DamageError(f"{where} is damaged ({str(error)[:80]}); run the build again") from error

    def kept(self, part: OutputPart, kind: type[RecordT]) -> list[RecordT]:
        """The kept rows of a part."""
        return self._records(part, KEPT, kind)

    def dropped(self, part: OutputPart) -> list[Dropped]:
        """The dropped rows of a part, each with its reason."""
        return self._records(part, DROPPED, Dropped)

    def check(self, part: OutputPart) -> None:
        """DamageError if a file of a part is not the one that was written; reads all."""
        for name in part.files:
            self._content(part, name)

    def _content(self, part: OutputPart, name: str) -> bytes:
        place = self.folder / part.stage / part.key
        if not place.exists(name):
            raise DamageError(f"{place}/{name} is gone (it was removed, or held a forgotten post); run the build again")
        content = self._bytes(place, name, part.files[name])
        if content is None:
            raise DamageError(
                f"{place}/{name} is damaged (its bytes are not those that were written); run the build again"
            )
        return content

    def _bytes(self, place: Folder, name: str, digest: str) -> bytes | None:
        """The bytes of a file, None if they have another digest."""
        known = (self._held or {}).get((f"{place}/{name}", digest))
        if known is not None:
            return known
        content = place.read(name)
        if _sha256(content) != digest:
            return None
        if self._held is not None:
            self._held[f"{place}/{name}", digest] = content
        return content

    def _records(self, part: OutputPart, name: str, kind: type[RecordT]) -> list[RecordT]:
        rows = read_parquet(self._content(part, name), kind, f"{self.folder / part.stage / part.key}/{name}")
        gone = self._gone(part) if name in MORE else None
        if gone is None:
            return rows
        left, others = set(gone), self._records(part, MORE[name], kind)
        return sorted([*(row for row in rows if _post_id(row) not in left), *others], key=_post_id)


def _parquet(table: pa.Table, kind: type[Record]) -> bytes:
    return table_bytes(table, kind, ROW_GROUP)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _post_id(row: Record) -> str:
    return str(getattr(row, "post_id"))  # noqa: B009 - every stage record has the field, the base class has not


def total(parts: Iterable[OutputPart]) -> StageCounts:
    """Over the parts of one stage: in, kept, dropped by reason, which must add up, and the digest of what was kept."""
    parts = list(parts)
    reasons: Counter[str] = Counter()
    for part in parts:
        reasons.update(part.reasons)
    came, kept = sum(part.rows_in for part in parts), sum(part.kept for part in parts)
    assert came == kept + sum(reasons.values())
    content = add_digests(part.content for part in parts)
    return {"in": came, "kept": kept, "dropped": dict(sorted(reasons.items())), "content": content}
