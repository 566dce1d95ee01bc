"""Batches folded into larger ones, so that a store that grows daily is opened as fast as one that grew at once.

Where several batches of about one size lie in a store (how many: store.StoreSizes), they and the smaller ones
become one file that says which rows were whose: a snapshot that names a folded batch still finds its rows. Of sightings
those stay that are needed.

A fold is a file that is written, one line on the list that it counts and its parts no longer do, and the removal of
those. Killed before the line it has not happened; killed after it the next fold removes what is left.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import pyarrow as pa
import pyarrow.compute as pc

from corpus.errors import DamageError, StoreError
from corpus.folders.locks import BusyError, folding
from corpus.post_store.batch_files import BATCHES, Section, key_lines, name_of
from corpus.post_store.batches import SEEN, bare
from corpus.post_store.contents import HELD, Truths, in_posts, instants, last_of, numbered, paired, told
from corpus.post_store.store import PostStore
from corpus.post_store.tombstones import GONE, Tombstones

_BITS = 3
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class _FoldPart:
    """A batch to be folded: its rows, and whose they were."""

    name: str
    rows: pa.Table
    sections: tuple[Section, ...]


def fold(store: PostStore) -> int:
    """Fold the batches of a store as long as that is due; returns how many files were made of others.

    Nothing is folded while another command folds or forgets, nor where the store lacks batches: whoever reads it is
    told. A disk that is full leaves the store as it was.
    """
    try:
        with folding(store.folder, wait=False) as check:
            entries = store.entries()
            for name in store.leftovers():
                if name in entries:  # a killed fold left it; one that is not listed yet may be another writer's
                    store.clear_removed(name)
            return sum(_fold(store, prefix, check) for prefix in ("", SEEN, GONE))
    except (BusyError, DamageError):
        return 0
    except StoreError as error:
        _LOG.warning("%s; batches were not folded, which the next command tries again", error)
        return 0


def _fold(store: PostStore, prefix: str, check: Callable[[], None]) -> int:
    count = 0
    while names := _due(store, prefix):
        parts = list(_parts(store, names))
        folded = _last_seen(store, parts) if prefix == SEEN else parts
        rows = pa.concat_tables([part.rows for part in folded])
        sections = [section for part in folded for section in part.sections]
        check()
        batch = store.add_table(rows, prefix, sections, names)
        for name in names:
            store.clear_removed(name)
        if prefix != GONE:
            store.withdraw([batch], None)
        count += 1
    return count


def _due(store: PostStore, prefix: str) -> list[str]:
    """The batches to be folded next: those of the smallest size of which there are enough, and all smaller ones."""
    sizes: dict[str, int] = {}
    fan = store.sizes.fan
    entries = store.list.entries()
    for name in store.batch_names():
        rows = entries[name].rows if name in entries else None
        if name == prefix + bare(name) and rows and not (prefix == "" and _is_full(store, name, rows)):
            sizes[name] = (rows.bit_length() - 1) // _BITS
    for size in sorted(set(sizes.values())):
        if sum(other == size for other in sizes.values()) >= fan:
            return sorted(name for name, other in sizes.items() if other <= size)[: 4 * fan]
    return []


def _is_full(store: PostStore, name: str, rows: int) -> bool:
    full = store.sizes
    return rows >= full.full_posts or (store.folder / BATCHES).size(f"{name}.parquet") >= full.full_bytes


def _parts(store: PostStore, names: Sequence[str]) -> Iterator[_FoldPart]:
    """The rows of batches, each checked against its name."""
    for name in names:
        with store.open(name) as file:
            rows = pa.concat_tables(file.groups())
            sections = file.sections or (Section(name, file.count),)
            if name_of(key_lines(rows), file.sections) != bare(name):
                store.read(name, file.kind)
        yield _FoldPart(name, rows, sections)


def _last_seen(store: PostStore, parts: Sequence[_FoldPart]) -> list[_FoldPart]:
    """The parts without the sightings that others outdate."""
    names = (name for name in store.batch_names() if not name.startswith((SEEN, GONE)))
    contents = pa.concat_tables([HELD.empty_table(), *map(store.keys, names)])
    kept = needed(pa.concat_tables([part.rows for part in parts]), contents, store.tombstones())
    found, start = [], 0
    for part in parts:
        here = kept[start : start + part.rows.num_rows]
        ends = list(accumulate((one.rows for one in part.sections), initial=0))
        left = [int(here[low:high].sum()) for low, high in pairwise(ends)]
        sections = tuple(Section(one.batch, rows) for one, rows in zip(part.sections, left, strict=True))
        found.append(_FoldPart(part.name, part.rows.filter(pa.array(here)), sections))
        start += part.rows.num_rows
    return found


def needed(seen: pa.Table, contents: pa.Table, buried: Tombstones) -> Truths:
    """Whether each sighting is needed: the last of each content, and all of posts that changed or were removed.

    Those tell which content was current when, so that every older state of the store has the newest content it had.
    """
    pairs = contents.select(["post_id", "content_sha256"]).group_by(["post_id", "content_sha256"]).aggregate([])
    held = pc.value_counts(pairs["post_id"])
    changed = held.filter(pc.greater(held.field("counts"), 1)).field("values").to_pylist()
    restless = pa.array([*changed, *(stone.post_id for stone in buried.removals)], pa.string())
    kept = told(in_posts(seen, pa.chunked_array([restless]))).copy()
    kept[last_of(paired(numbered(seen["post_id"]), numbered(seen["content_sha256"])), instants(seen))] = True
    return kept
