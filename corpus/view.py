"""What a store holds, by its batches: every content, the newest of each post, and the posts behind them.

Read by column, without a Python object for a post, and again where batches were folded meanwhile.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from corpus.batch_files import BATCHES, RECOVER, BatchFile, GoneError, Source
from corpus.batches import SEEN, Batches
from corpus.canonical import RETRIEVAL
from corpus.contents import HELD, RANGE_ROWS, Holdings, contents_of, in_order, newest, post_ranges, uncovered
from corpus.contents import Holding as Holding  # what others know it by
from corpus.errors import DamageError
from corpus.files import Folder
from corpus.records import Post
from corpus.tombstones import GONE, Tombstone, Tombstones

_AT_ONCE = 10_000
_TRIES = 3
_READ: ContextVar[dict[tuple[str, bool, tuple[str, ...]], Holdings] | None] = ContextVar("_READ", default=None)
ViewT = TypeVar("ViewT")


@contextlib.contextmanager
def read_once() -> Iterator[None]:
    """Within it what batches give together is kept and not read again: they are named by what is in them."""
    token = _READ.set({})
    try:
        yield
    finally:
        _READ.reset(token)


@dataclass(frozen=True)
class StoreSizes:
    """How large the batches of a store become, and how many rows are compared at once.

    A batch has at most ``deposit_posts`` posts. So many batches of about one size (``fan``) are folded into one. A
    batch of ``full_posts`` posts, or of ``full_bytes``, is not folded any more: then a fold fits into memory.
    """

    deposit_posts: int = 10_000
    fan: int = 8
    full_posts: int = 8_192
    full_bytes: int = 4 << 20
    range_rows: int = RANGE_ROWS


SIZES = StoreSizes()


class View(Batches):
    """The batches in one folder, and what they hold together.

    ``source`` is where posts that are added may be read again; ``incomplete`` reads on without broken batches.
    """

    def __init__(
        self, folder: Folder, *, source: Source | None = None, incomplete: bool = False, sizes: StoreSizes = SIZES
    ) -> None:
        super().__init__(folder, source=source, incomplete=incomplete)
        self.sizes = sizes
        self._buried: tuple[tuple[str, ...], Tombstones] | None = None

    def tombstones(self, batches: Sequence[str] | None = None) -> Tombstones:
        """What was forgotten or removed, by ``batches`` (default: all of them); read once while those are the same."""
        if any(name.startswith(GONE) for name in self.left_out):
            raise DamageError(f"{self.folder} lacks tombstones: forgotten posts could come back; {RECOVER}")
        return self._reading(batches, self._tombstones)

    def _tombstones(self, names: Sequence[str], of: Collection[str] | None) -> Tombstones:
        names = tuple(name for name in names if name.startswith(GONE))
        if of is not None or self._buried is None or self._buried[0] != names:
            stones = Tombstones(stone for name in names for stone in self.read_part(name, Tombstone, of))
            if of is not None:
                return stones
            self._buried = (names, stones)
        return self._buried[1]

    def _reading(
        self, batches: Sequence[str] | None, read: Callable[[Sequence[str], Collection[str] | None], ViewT]
    ) -> ViewT:
        """What ``read`` gives of files, and of whose rows of them; again if some of them were folded meanwhile."""
        for _ in range(_TRIES):
            names = self.batch_names() if batches is None else ()
            try:
                return read(names, None) if batches is None else read(*self.files_of(batches))
            except GoneError:
                self.batch_names()
        names = self.batch_names() if batches is None else ()
        return read(names, None) if batches is None else read(*self.files_of(batches))

    def withdraw(self, batches: Iterable[str], known: Tombstones, buried: Tombstones | None = None) -> None:
        """Take out of batches what has been forgotten since ``known`` were all the tombstones, as ``buried`` are now.

        Whoever forgets writes the tombstone first and then looks for the content; here the content is written first and
        then tombstones are looked for: whichever comes last finds the other, so that nobody has to wait.
        """
        buried = buried or self.tombstones()
        if known is buried:
            return
        late, batches = set[str](), list(batches)
        for batch in batches:
            with self.open(batch) as file:
                rows = file.columns(["post_id", *(() if batch.startswith(SEEN) else ("url",))]).to_pylist()
            late |= {row["post_id"] for row in rows if buried.forbid(row["post_id"], row.get("url"))}
        for batch in batches:
            if self.rewritten(batch, late):
                self.remove_batch(batch)

    def contents(self, batches: Sequence[str] | None = None) -> pa.Table:
        """Every content in ``batches`` (default: all of them), once, in the columns of HELD."""
        return self._reading(batches, self._contents)

    def _contents(self, names: Sequence[str], of: Collection[str] | None) -> pa.Table:
        parts: dict[bool, list[pa.Table]] = {False: [HELD.empty_table()], True: [HELD.empty_table()]}
        for name in names:
            if not name.startswith(GONE):
                parts[name.startswith(SEEN)].append(self.keys(name, of))
        held, seen = (pa.concat_tables(parts[which]) for which in (False, True))
        found, lost = contents_of(held, seen, at_once=self.sizes.range_rows)
        if lost and not (self._incomplete or self.has_lost()):  # of what is lost, or was cleared away while seen again
            forgotten = self.tombstones().forgotten
            for post_id, _ in lost:
                if post_id not in forgotten:
                    raise DamageError(f"{self.folder}/{BATCHES} lacks the batch that holds {post_id}; {RECOVER}")
        return found

    def current(self, batches: Sequence[str] | None = None) -> Holdings:
        """Where the newest content of every post in ``batches`` (default: all of them) is, sorted by ``post_id``.

        Posts that were forgotten, or removed by their site after they were last seen, are not among them.
        """
        names = self.batch_names() if batches is None else tuple(sorted(batches))
        held, key = _READ.get(), (self.folder.path, self._incomplete, names)
        if held is None or key not in held:
            buried, found = self.tombstones(batches), list[pa.Table]()
            for (contents,) in post_ranges(self.contents(batches), at_once=self.sizes.range_rows):
                current = contents.take(pa.array(np.sort(newest(contents))))
                found.append(in_order(uncovered(current, buried)))
            holdings = Holdings(pa.concat_tables(found))
            if held is None:
                return holdings
            held[key] = holdings
        return held[key]

    def load(self, holdings: Holdings) -> Iterator[Post]:
        """The posts behind ``holdings``, batch by batch, each with the time it was last seen.

        Only the groups of rows that hold them are read; the checksums of their pages are checked.
        """
        for file, rows, found in self._matched(holdings, lambda file, ids: file.groups(ids)):
            for held, row in zip(found.rows(), rows.to_pylist(), strict=True):
                yield file.record({**row, **{name: getattr(held, name) for name in RETRIEVAL}}, Post)

    def tables(self, holdings: Holdings) -> Iterator[pa.Table]:
        """The posts behind ``holdings`` as rows, group by group; how they were retrieved is left out."""
        for _, rows, _ in self._matched(holdings, lambda file, ids: file.groups(ids)):
            for name in RETRIEVAL:
                place = rows.schema.get_field_index(name)
                rows = rows.set_column(
                    place, rows.schema.field(place), pa.nulls(rows.num_rows, rows.schema.types[place])
                )
            yield rows

    def columns(self, holdings: Holdings, names: Sequence[str]) -> Iterator[tuple[Holding, dict[str, Any]]]:
        """Some columns of the posts behind ``holdings``, batch by batch; no other is read."""
        wanted = ["post_id", "content_sha256", *names]
        for _, rows, found in self._matched(holdings, lambda file, _: [file.columns(wanted)]):
            yield from zip(found.rows(), rows.to_pylist(), strict=True)

    def _matched(
        self, holdings: Holdings, read: Callable[[BatchFile, Collection[str]], Iterable[pa.Table]]
    ) -> Iterator[tuple[BatchFile, pa.Table, Holdings]]:
        """The rows behind holdings, batch by batch, wherever a batch was folded to meanwhile."""
        for batch, wanted in holdings.by_batch():
            places = {key: place for place, key in enumerate(_keys(wanted.table))}
            ids = {post_id for post_id, _ in places}
            files = [batch] if self.folder.exists(f"{BATCHES}/{batch}.parquet") else self.files_of([batch])[0]
            for name in files or [batch]:
                with self.open(name) as file:
                    for rows in read(file, ids):
                        held = np.array([places.pop(key, -1) for key in _keys(rows)])
                        there = held >= 0
                        if there.any():
                            found = rows if there.all() else rows.filter(pa.array(there))
                            yield file, found, Holdings(wanted.table.take(pa.array(held[there])))


def _keys(rows: pa.Table) -> Iterator[tuple[str, str]]:
    """The post id and the content digest of each row."""
    return zip(rows["post_id"].to_pylist(), rows["content_sha256"].to_pylist(), strict=True)
