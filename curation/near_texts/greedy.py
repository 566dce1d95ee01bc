"""The greedy filter: each text is accepted unless it is too like one accepted before, and its nearest one is told.

A run leaves a plain table for the next one, its memory: it saves work and never decides. A row stands for an item: id,
priority (its place in the order), SHA-256 of its text, and the tokens of that. The first item of a distinct token
sequence also has whether it was accepted, its similarity to the nearest item accepted before it, and the id of that.
Such a row says something of a later run where the item is there with the same id, priority and text.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.near_texts.ngrams import (
    DIGEST,
    TEXT_COLUMNS,
    Booleans,
    DistinctTexts,
    Floats,
    Integers,
    ReadTexts,
    features,
)
from curation.near_texts.similarity import ROWS, Best, Similarity
from curation.near_texts.text_index import Index, ManyTexts, TooAlikeError

SCHEMA = pa.schema(
    [
        ("item_id", pa.string()),
        ("priority", pa.float64()),
        ("accepted", pa.bool_()),
        ("similarity", pa.float64()),
        ("nearest_id", pa.string()),
        *TEXT_COLUMNS,
    ]
)
BLOCK = ROWS
"""Texts that are searched for at once, before the first of them is decided."""
MANY, BATCHES = 20_000, 8
"""So many texts are searched for by an index, an eighth of them at once."""
PAIRS_EACH = 500
"""Where the index leaves more pairs for each text to be counted one by one, matrices are faster."""
UNKNOWN = -2
"""As the nearest of a text: it has to be searched for. -1 says that there is none."""


class GreedyResult(NamedTuple):
    """Of each text whether it is accepted, the greatest similarity to one accepted before, and the first such (-1)."""

    accepted: Booleans
    similarity: Floats
    nearest: Integers

    @classmethod
    def unknown(cls, count: int) -> "GreedyResult":
        """What is known of so many texts before they are looked at."""
        return cls(np.zeros(count, bool), np.zeros(count), np.full(count, UNKNOWN, np.int64))


def found_greedily(texts: DistinctTexts, ld_min: float, former: GreedyResult | None = None) -> GreedyResult:
    """The greedy rule over distinct token sequences in order of precedence.

    ``former`` is what is known of each text, with ``UNKNOWN`` as nearest of new ones; former texts stand in the order
    that they had. New texts are first compared with all that were accepted formerly. Then the nearest of these is known
    of every text, and each is compared further with what was not accepted formerly alone, unless its nearest one is not
    accepted any more.
    """
    known, found = former or GreedyResult.unknown(len(texts)), features(texts.arrays())
    search = Similarity(texts.arrays(), found=found)
    accepted, new = np.zeros(len(texts), bool), known.nearest == UNKNOWN
    best = Best(np.where(new, 0.0, known.similarity), np.where(new, -1, known.nearest))
    ahead = ManyTexts(texts.arrays(), found) if len(texts) >= MANY else None
    if known.accepted.any():
        fresh, there = np.flatnonzero(new), np.flatnonzero(known.accepted)
        if ahead is None or _searched(ahead, there, fresh, fresh, best) is None:
            search.search(fresh, there, best)
        ahead = None
    size = -(-len(texts) // (BATCHES * BLOCK)) * BLOCK
    index: Index | None = None
    for start in range(0, len(texts), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(texts)))
        before = np.flatnonzero(accepted[:start])
        if start % size == 0 and ahead is not None:
            batch = np.arange(start, min(start + size, len(texts)))
            places, bounds = np.concatenate([before, batch]), batch // BLOCK * BLOCK
            index = _searched(ahead, places, batch, bounds, best) if 2 * len(before) > start else None
        lost = _lost(rows, best, accepted, (0, start))
        partial = not lost.any()
        similar = search.within(rows, new[rows] if partial else None)
        if index is None:
            search.search(rows[~lost], before[~known.accepted[before]], best)
        while True:
            best.value[rows[lost]], best.place[rows[lost]] = 0.0, -1
            if index is None:
                search.search(rows[lost], before, best)
            else:
                index.search(rows[lost], best, np.full(lost.sum(), start), accepted)
            accepted[rows] = _accepted(similar, best.value[rows], best.place[rows], ld_min)
            lost = _lost(rows, best, accepted, (start, len(texts)))
            if not lost.any():
                break
            if partial:
                similar, partial = search.within(rows), False
        later, earlier = np.nonzero(similar * accepted[rows])
        best.raise_to(rows[later], rows[earlier], similar[later, earlier])
    return GreedyResult(accepted, best.value, best.place)


def _searched(texts: ManyTexts, places: Integers, rows: Integers, bounds: Integers, best: Best) -> Index | None:
    """An index of some places, in which the nearest of each text was found that stands before its bound.

    None, and nothing found, where the texts are too like each other for it.
    """
    index, texts.pairs_left = Index(texts, places), PAIRS_EACH * len(rows)
    try:
        index.search(rows, best, bounds)
    except TooAlikeError:
        best.value[rows], best.place[rows] = 0.0, -1
        return None
    texts.pairs_left = math.inf
    return index


def _lost(rows: Integers, best: Best, accepted: Booleans, where: tuple[int, int]) -> Booleans:
    """Which texts have a nearest one between two places that is not accepted."""
    places = best.place[rows]
    return np.asarray((places >= where[0]) & (places < where[1]) & ~accepted[places])


def _accepted(similar: Floats, values: Floats, places: Integers, ld_min: float) -> Booleans:
    """Which texts of a block are accepted: ``values`` are similarities to the nearest accepted before the block."""
    found = ~((places >= 0) & (1.0 - values < ld_min))
    for later, earlier in zip(*np.nonzero((similar > 0) & (1.0 - similar < ld_min)), strict=True):
        if found[earlier]:
            found[later] = False
    return np.asarray(found)


class ItemPlaces(NamedTuple):
    """Items in their order, column by column: what it depends on beside the lengths of texts. Ids decide last."""

    priorities: Sequence[float]
    digests: Sequence[str]
    ids: Sequence[str]


def fits(known: pa.Table, rule: str) -> bool:
    """Whether a table is the memory of a run with this rule, which names threshold and profile."""
    return bool(known.schema == SCHEMA and (known.schema.metadata or {}).get(b"rule") == rule.encode())


def remembered(
    places: ItemPlaces, leaders: Sequence[int], result: GreedyResult, read: ReadTexts, rule: str
) -> pa.Table:
    """The table of a run over items in their order; ``leaders`` are the first items of the distinct texts."""
    ids, leading = pa.array(places.ids, pa.string()), np.array(leaders, np.int64)
    row = np.full(len(ids), -1)
    row[leading] = np.arange(len(leading))
    rows = pa.array(row, mask=row < 0)  # a row of the result for each leader, none for the others
    nearest = pa.array(leading[result.nearest], mask=result.nearest < 0).take(rows)
    columns = [
        ids,
        pa.array(places.priorities, pa.float64()),
        pa.array(result.accepted).take(rows),
        pa.array(result.similarity).take(rows),
        ids.take(nearest),
        *read.table().columns,
    ]
    return pa.table(columns, schema=SCHEMA.with_metadata({"rule": rule}))


def former_result(places: ItemPlaces, leaders: Sequence[int], known: pa.Table | None) -> GreedyResult:
    """What a former run knew of the first items of distinct texts, in their order: all ``UNKNOWN`` without one."""
    count = len(leaders)
    former = GreedyResult.unknown(count)
    if known is None:
        return former
    told = known.filter(pc.is_valid(known["accepted"])).combine_chunks()
    ids, digests = (pa.array(column, pa.string()).take(pa.array(leaders)) for column in (places.ids, places.digests))
    rows = _where(ids, told["item_id"])
    index = np.flatnonzero(rows >= 0)
    rows = rows[index]
    stays = np.array(places.priorities)[np.array(leaders)[index]] == told["priority"].to_numpy()[rows]
    stays &= pc.equal(digests.take(pa.array(index)), told[DIGEST].take(pa.array(rows))).to_numpy()
    index, rows = index[stays], rows[stays]
    there = np.full(len(told) + 1, UNKNOWN, np.int64)  # the last one is for items that are not told of
    there[rows] = index
    nearest = there[_where(told["nearest_id"], told["item_id"])[rows]]
    nearest[pc.is_null(told["nearest_id"]).to_numpy()[rows]] = -1
    former.accepted[index] = told["accepted"].to_numpy()[rows]
    near = nearest != UNKNOWN
    former.similarity[index[near]] = told["similarity"].to_numpy()[rows[near]]
    former.nearest[index[near]] = nearest[near]
    return former


def _where(values: pa.Array, among: pa.ChunkedArray) -> Integers:
    """The place of each value in a column, -1 where it is not in it."""
    found = pc.index_in(values, value_set=among.combine_chunks())
    return np.asarray(found.fill_null(-1).to_numpy(), np.int64)
