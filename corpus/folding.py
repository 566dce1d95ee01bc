"""Batches folded into larger ones, so that a store that grows daily is opened as fast as one that grew at once.

Where several batches of about one size lie in a store (how many: corpus.view.StoreSizes), they and the smaller ones
become one file that says which rows were whose: a snapshot that names a folded batch still finds its rows. Of sightings
those stay that are needed (corpus.sightings).

A fold is a file that is written, one line on the list that it counts and its parts no longer do, and the removal of
those. Killed before the line it has not happened; killed after it the next fold removes what is left.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
import pyarrow as pa

from corpus.batch_files import Section, key_lines, name_of
from corpus.batch_list import BATCHES
from corpus.batches import SEEN, bare
from corpus.contents import HELD
from corpus.errors import DamageError, StoreError
from corpus.locks import folding
from corpus.sightings import needed
from corpus.tombstones import GONE
from corpus.view import View

_BITS = 3
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class _FoldPart:
    """A batch to be folded: its rows, and whose they were."""

    name: str
    rows: pa.Table
    sections: tuple[Section, ...]


def fold(store: View) -> int:
    """Fold the batches of a store as long as that is due; returns how many files were made of others.

    Nothing is folded while another command folds or forgets, nor where the store lacks batches: whoever reads it is
    told. A disk that is full leaves the store as it was.
    """
    with folding(store.folder, wait=False) as check:
        if check is None:
            return 0
        try:
            entries = store.entries()
            for name in store.leftovers():
                if name in entries:  # a killed fold left it; one that is not listed yet may be another writer's
                    store.clear_removed(name)
            count = sum(_fold(store, prefix, check) for prefix in ("", SEEN, GONE))
        except DamageError:
            return 0
        except StoreError as error:
            _LOG.warning("%s; batches were not folded, which the next command tries again", error)
            return 0
    return count


def _fold(store: View, prefix: str, check: Callable[[], None]) -> int:
    count = 0
    while names := _due(store, prefix):
        known = store.tombstones()
        parts = list(_parts(store, names))
        folded = _last_seen(store, parts) if prefix == SEEN else parts
        rows = pa.concat_tables([part.rows for part in folded])
        sections = [section for part in folded for section in part.sections]
        check()
        batch = store.add_table(rows, prefix, sections, names)
        for name in names:
            store.clear_removed(name)
        if prefix != GONE:
            store.withdraw([batch], known)
        count += 1
    return count


def _due(store: View, prefix: str) -> list[str]:
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


def _is_full(store: View, name: str, rows: int) -> bool:
    full = store.sizes
    return rows >= full.full_posts or (store.folder / BATCHES).size(f"{name}.parquet") >= full.full_bytes


def _parts(store: View, names: Sequence[str]) -> Iterator[_FoldPart]:
    """The rows of batches, each checked against its name."""
    for name in names:
        with store.open(name) as file:
            rows = pa.concat_tables(file.groups())
            sections = file.sections or (Section(name, file.count),)
            if name_of(key_lines(rows), file.sections) != bare(name):
                store.read(name, file.kind)
        yield _FoldPart(name, rows, sections)


def _last_seen(store: View, parts: Sequence[_FoldPart]) -> list[_FoldPart]:
    """The parts without the sightings that others outdate."""
    rows = pa.concat_tables([part.rows for part in parts])
    came = {name: number for number, name in enumerate(store.list.entries())}
    whose = [one for part in parts for one in part.sections]
    arrivals = np.repeat([came.get(one.batch, len(came)) for one in whose], [one.rows for one in whose])
    names = set(store.batch_names()).difference(part.name for part in parts)
    tables: dict[bool, list[pa.Table]] = {False: [HELD.empty_table()], True: [HELD.empty_table()]}
    for name in sorted(name for name in names if not name.startswith(GONE)):
        tables[name.startswith(SEEN)].append(store.keys(name))
    contents, others = (pa.concat_tables(tables[which]) for which in (False, True))
    kept = needed(rows, arrivals, contents, others, store.tombstones())
    found, start = [], 0
    for part in parts:
        here = kept[start : start + part.rows.num_rows]
        ends = list(accumulate((one.rows for one in part.sections), initial=0))
        left = [int(here[low:high].sum()) for low, high in pairwise(ends)]
        sections = tuple(Section(one.batch, rows) for one, rows in zip(part.sections, left, strict=True))
        found.append(_FoldPart(part.name, part.rows.filter(pa.array(here)), sections))
        start += part.rows.num_rows
    return found
