"""Posts of any number taken into a store together: all of them, or none where one contradicts another, or the others.

They are written to batches beside the store as they come, and only their keys stay in memory. Once the last one is
there the keys say what is new, what was seen again and what contradicts what; then the batches go into the store. A
deposit that is killed leaves the store as it was, or with some of its batches: the same deposit again adds the rest.
"""

import contextlib
import hashlib
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from corpus.canonical import RETRIEVAL, row_digest
from corpus.errors import InputError, store_errors
from corpus.folders.files import Folder, aside
from corpus.folders.open_files import read_file
from corpus.post_store.batch_files import BatchEntry, batch_bytes, key_lines, name_of
from corpus.post_store.batches import SEEN, Sighting
from corpus.post_store.contents import (
    HELD,
    Codes,
    Truths,
    chained,
    holdings_of,
    in_order,
    in_posts,
    instants,
    last_of,
    newest,
    numbered,
    paired,
    told,
)
from corpus.post_store.folding import fold
from corpus.post_store.store import PostStore
from corpus.records import Post
from corpus.schema import arrow_schema, read_table, table_of

DEPOSIT_CHARACTERS = 16 << 20
"""A batch has at most so many characters of text but for the last post."""


POSTS, SIGHTINGS = arrow_schema(Post), arrow_schema(Sighting)


@dataclass(frozen=True)
class Upsert:
    """What an upsert did: posts new, changed, unchanged, and forgotten before; the first batch of posts added, if any.

    A post is changed if its current content is now another; older content only joins the history. ``refused`` says why
    each content was left out that contradicts one of the same age.
    """

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    batch: str | None = None
    forgotten: int = 0
    refused: tuple[str, ...] = ()

    @property
    def posts(self) -> int:
        """How many posts came and are in the store."""
        return self.new + self.changed + self.unchanged

    def counts(self) -> dict[str, int]:
        """The counts by name."""
        known = {"new": self.new, "changed": self.changed, "unchanged": self.unchanged, "forgotten": self.forgotten}
        return {**known, "contradicting": len(self.refused)}


class Repeat(NamedTuple):
    """A post that came again from the same file: where first, where again, and whether with another content."""

    post_id: str
    first: int
    again: int
    differs: bool


class _Waiting(NamedTuple):
    """A batch that waits beside the store, the keys of its rows, and the file and line that each row came from."""

    batch: str
    keys: pa.Table
    files: Codes
    lines: Codes


class Deposit:
    """A context: rows are given to ``add``, and ``commit`` puts them into the store.

    A content that contradicts one of the same age is an error, or is ``lenient``ly left out: what came first stays.
    """

    def __init__(self, store: PostStore, beside: Folder | None = None, *, lenient: bool = False) -> None:
        self._store, self._buried, self._lenient, self._came = store, store.tombstones(), lenient, 0
        self._beside = beside or store.folder
        self._rows: list[tuple[dict[str, Any], int, int]] = []
        self._characters = 0
        self._forgotten: set[str] = set()
        self._waiting: list[_Waiting] = []
        self._left_out: Codes = np.zeros(0, np.int64)
        self._place: Path | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        if self._place is not None:
            shutil.rmtree(self._place, ignore_errors=True)
            with contextlib.suppress(OSError):
                self._place.parent.rmdir()  # nothing came into the store: its folder is not left behind empty

    def add(self, row: dict[str, Any], file: int = 0, line: int = 0) -> None:
        """Take a post as plain data, as ``Post.model_dump`` gives it; it gets its digest unless it has one.

        ``file`` and ``line`` are numbers for ``repeats``.
        """
        if self._buried.forbid(row["post_id"], row["url"]):
            self._forgotten.add(row["post_id"])
            return
        row["content_sha256"] = row["content_sha256"] or row_digest(row)
        self._came += 1
        self._rows.append((row, file, line or self._came))
        self._characters += len(row["question"]) + len(row["question_html"] or "")
        self._characters += sum(len(answer["text"]) for answer in row["answers"])
        if len(self._rows) >= self._store.sizes.deposit_posts or self._characters >= DEPOSIT_CHARACTERS:
            self._spill()

    def repeats(self, file: int = 0) -> list[Repeat]:
        """Posts that came more than once from a file, in the order of the lines; the later ones are left out.

        Of a post that came with two contents all are.
        """
        keys = self._keys().select(["post_id", "content_sha256", "row", "line"])
        files = np.concatenate([np.zeros(0, np.int64), *(one.files for one in self._waiting)])
        repeats, later = _repeated(_rows(keys, files == file))
        self._left_out = np.union1d(self._left_out, later)
        return sorted(repeats, key=lambda one: one.again)

    def newest_digest(self) -> str:
        """A digest of the newest contents of all posts, whatever their order.

        InputError where a post comes with two contents and nothing says which is newer.
        """
        given = self._told(_given(self._lawful_keys()), [])
        chosen = in_order(given.take(pa.array(newest(given))))
        pairs = zip(chosen["post_id"].to_pylist(), chosen["content_sha256"].to_pylist(), strict=True)
        return hashlib.sha256("\n".join(f"{post_id}\n{digest}" for post_id, digest in pairs).encode()).hexdigest()

    def commit(self, store: PostStore | None = None, *, newest_only: bool = False) -> Upsert:
        """Add what the store does not hold yet, and note what was seen again later.

        The store is the one whose tombstones hold, or another.

        With ``newest_only`` one content of each post at most, and of posts the store does not hold at all. Raises
        InputError, and adds nothing, if a post comes with two contents, or contradicts a stored one, and nothing
        dates them.
        """
        store = store or self._store
        refused, held = list[str](), store.contents()
        given = self._told(_given(self._lawful_keys()), refused)
        if not newest_only:
            given = self._told(_datable(given, held), refused)
        incoming, before = (one.take(pa.array(newest(one))) for one in (given, held))
        if newest_only:
            given = incoming.filter(pc.invert(in_posts(incoming, before["post_id"])))
        fresh, again = _compared(given, held)
        batches = self._place_batches(store, given["row"].to_numpy()[fresh])
        batches += _see_again(store, given.take(pa.array(again)).sort_by("row"))
        store.withdraw(batches, self._buried, self._store.tombstones())
        fold(store)
        new, changed = _counted(incoming, before)
        first = next((name for name in batches if not name.startswith(SEEN)), None)
        unchanged = incoming.num_rows - new - changed
        return Upsert(new, changed, unchanged, first, len(self._forgotten), tuple(refused))

    def _told(self, found: tuple[pa.Table, list[str]], refused: list[str]) -> pa.Table:
        """The keys of what is taken; what is not is noted, or an InputError."""
        keys, why = found
        if why and not self._lenient:
            raise InputError(why[0])
        refused += why
        return keys

    def _spill(self) -> None:
        """Write what came so far as a batch beside the store, in the order of post ids, and keep its keys."""
        if not self._rows:
            return
        if self._place is None:
            self._place = aside(self._beside)
        rows = sorted(self._rows, key=lambda one: (one[0]["post_id"], one[0]["content_sha256"]))
        table = table_of([row for row, _, _ in rows], Post)
        lines = key_lines(table)
        name, number = name_of(lines), len(self._waiting)
        with store_errors("write", str(self._place)):
            (self._place / f"{number}.parquet").write_bytes(batch_bytes(table, name))
            (self._place / f"{number}.jsonl").write_bytes(lines)
        places = (np.array([row[place] for row in rows], np.int64) for place in (1, 2))
        self._waiting.append(_Waiting(name, holdings_of(table, None), *places))
        self._rows, self._characters = [], 0

    def _keys(self) -> pa.Table:
        """The keys of all that came, each with the number of its ``row`` and its ``line``."""
        self._spill()
        keys = pa.concat_tables([HELD.empty_table(), *(one.keys for one in self._waiting)]).unify_dictionaries()
        lines = np.concatenate([np.zeros(0, np.int64), *(one.lines for one in self._waiting)])
        return keys.append_column("row", pa.array(np.arange(keys.num_rows))).append_column("line", pa.array(lines))

    def _lawful_keys(self) -> pa.Table:
        """The same without what is left out."""
        keys = self._keys()
        kept = np.ones(keys.num_rows, bool)
        kept[self._left_out] = False
        return _rows(keys, kept)

    def _place_batches(self, store: PostStore, chosen: Codes) -> list[str]:
        """Put the chosen rows into the store, a batch that waits for each batch there."""
        batches, start = [], 0
        chosen = np.sort(chosen)
        for number, (name, keys, _, _) in enumerate(self._waiting):
            low, high = np.searchsorted(chosen, [start, start + keys.num_rows])
            here, start = chosen[low:high] - start, start + keys.num_rows
            if not len(here):
                continue
            assert self._place is not None
            with store_errors("read", str(self._place)):
                content = read_file(self._place / f"{number}.parquet")
                lines = read_file(self._place / f"{number}.jsonl")
            if len(here) == keys.num_rows:
                entry = BatchEntry(name, "held", keys.num_rows, store.source)
                store.place_batch(name, lines, content, entry)
                batches.append(name)
            else:
                rows = read_table(content).take(pa.array(here))
                batches.append(store.add_table(pa.Table.from_arrays(rows.columns, schema=POSTS)))
        return batches


def _rows(table: pa.Table, chosen: Truths) -> pa.Table:
    return table if chosen.all() else table.filter(pa.array(chosen))


def upsert(store: PostStore, posts: Iterable[Post], *, lenient: bool = False) -> Upsert:
    """Add the contents the store does not hold yet, and note what was seen again later; see ``Deposit``."""
    with Deposit(store, lenient=lenient) as deposit:
        for post in posts:
            deposit.add({**post.model_dump(), "content_sha256": ""})
        return deposit.commit()


def _given(keys: pa.Table) -> tuple[pa.Table, list[str]]:
    """The keys of what came, each content once; and why a second content of a post of one age is left out."""
    posts, contents, moments = numbered(keys["post_id"]), numbered(keys["content_sha256"]), instants(keys)
    order = np.lexsort((keys["line"].to_numpy(), moments, posts))
    begins = np.append([True], (np.diff(posts[order]) != 0) | (np.diff(moments[order]) != 0))[: len(order)]
    first = order[np.flatnonzero(begins)][np.cumsum(begins) - 1]
    twice = np.sort(order[contents[first] != contents[order]])
    why = [
        f"post {post_id} comes twice with different content and nothing says which is newer; remove one of the two, "
        "give retrieved_at (UTC, ISO 8601), or, if they are two threads, a source each"
        for post_id in keys["post_id"].take(pa.array(twice)).to_pylist()
    ]
    kept = np.setdiff1d(np.arange(len(keys)), twice)
    return keys.take(pa.array(np.sort(kept[last_of(paired(posts, contents)[kept], moments[kept])]))), why


def _repeated(keys: pa.Table) -> tuple[list[Repeat], Codes]:
    """Posts that came more than once, and the rows that are left out for it."""
    posts, contents = numbered(keys["post_id"]), numbered(keys["content_sha256"])
    lines, rows = keys["line"].to_numpy(), keys["row"].to_numpy()
    order = np.lexsort((lines, posts))
    begins = np.append([True], posts[order][1:] != posts[order][:-1])[: len(order)]
    first = order[np.flatnonzero(begins)][np.cumsum(begins) - 1][~begins]
    later = order[~begins]
    differs = contents[first] != contents[later]
    names = keys["post_id"].take(pa.array(later)).to_pylist()
    told = zip(names, lines[first].tolist(), lines[later].tolist(), differs.tolist(), strict=True)
    return [Repeat(*one) for one in told], rows[np.concatenate([later, first[differs]])]


def _see_again(store: PostStore, rows: pa.Table) -> list[str]:
    """Note that contents were seen again."""
    names = ["post_id", "content_sha256", *RETRIEVAL]
    plain = pa.table([rows[name].cast(pa.string()) for name in names], names).cast(SIGHTINGS)
    size = store.sizes.deposit_posts
    parts = (plain.slice(start, size) for start in range(0, plain.num_rows, size))
    return [store.add_table(part, SEEN) for part in parts]


def _compared(given: pa.Table, held: pa.Table) -> tuple[Codes, Codes]:
    """The places of given contents that nothing holds, and of those that are held and were seen again later."""
    count = given.num_rows
    posts, digests = (numbered(chained(given[name], held[name])) for name in ("post_id", "content_sha256"))
    keys = paired(posts, digests)
    order = np.argsort(keys[count:])
    places = np.searchsorted(keys[count:], keys[:count], sorter=order)
    places = np.append(order, 0)[places]
    known = np.append(keys[count:], -1)[places] == keys[:count]
    later = instants(given) > np.append(instants(held), 0)[places]
    return np.flatnonzero(~known), np.flatnonzero(known & later)


def _datable(given: pa.Table, held: pa.Table) -> tuple[pa.Table, list[str]]:
    """The keys of what came without what contradicts a stored content of the same age, or has no age; and why."""
    news = given.take(pa.array(np.concatenate(_compared(given, held))))
    stored = held.filter(in_posts(held, news["post_id"]))
    others: dict[str, dict[str, int]] = {}
    for post_id, digest, moment in zip(
        stored["post_id"].to_pylist(), stored["content_sha256"].to_pylist(), instants(stored), strict=True
    ):
        others.setdefault(post_id, {})[digest] = int(moment)
    left_out, why = list[int](), list[str]()
    doubtful = news.filter(in_posts(news, stored["post_id"])).sort_by("line")
    for row, moment in zip(doubtful.to_pylist(), instants(doubtful), strict=True):
        ages = [age for digest, age in others[row["post_id"]].items() if digest != row["content_sha256"]]
        if ages and (row["retrieved_at"] is None or int(moment) in ages):
            left_out.append(row["row"])
            why.append(
                f"post {row['post_id']} is stored with different content and nothing says which is newer; give its "
                "retrieved_at (UTC, ISO 8601) in the file, or a time with --retrieved-at, or, if the files hold other "
                "threads under the same ids, each a --source of its own, or use another --data folder"
            )
    return given.filter(pc.invert(pc.is_in(given["row"], value_set=pa.array(left_out, pa.int64())))), why


def _counted(incoming: pa.Table, before: pa.Table) -> tuple[int, int]:
    """How many of the incoming posts are new, and how many have another content now; one row a post in both."""
    known = incoming.filter(in_posts(incoming, before["post_id"])).sort_by("post_id")
    held = before.filter(in_posts(before, incoming["post_id"])).sort_by("post_id")
    later, same = instants(known) > instants(held), instants(known) == instants(held)
    digests, others = known["content_sha256"], held["content_sha256"]
    greater = told(pc.greater(digests, others))
    differs = told(pc.not_equal(digests, others))
    return incoming.num_rows - known.num_rows, int((differs & (later | (same & greater))).sum())
