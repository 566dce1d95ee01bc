"""What a run of the greedy filter leaves for the next one, as a plain table: it saves work and never decides.

A row stands for an item: id, priority (its place in the order), SHA-256 of its text, and the tokens of that. The first
item of a distinct token sequence also has whether it was accepted, its similarity to the nearest item accepted before
it, and the id of that. Such a row says something of a later run where the item is there with the same id, priority and
text, and so is the nearest one; others count as new.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation import read_texts
from curation.greedy_pairs import GreedyResult
from curation.ngrams import Integers
from curation.read_texts import ReadTexts

SCHEMA = pa.schema(
    [
        ("item_id", pa.string()),
        ("priority", pa.float64()),
        ("accepted", pa.bool_()),
        ("similarity", pa.float64()),
        ("nearest_id", pa.string()),
        *read_texts.SCHEMA,
    ]
)
UNKNOWN = -2
"""As the nearest of a text: it has to be searched for. -1 says that there is none."""


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
    former = GreedyResult(np.zeros(count, bool), np.zeros(count), np.full(count, UNKNOWN, np.int64))
    if known is None:
        return former
    told = known.filter(pc.is_valid(known["accepted"])).combine_chunks()
    ids, digests = (pa.array(column, pa.string()).take(pa.array(leaders)) for column in (places.ids, places.digests))
    rows = _where(ids, told["item_id"])
    index = np.flatnonzero(rows >= 0)
    rows = rows[index]
    stays = np.array(places.priorities)[np.array(leaders)[index]] == told["priority"].to_numpy()[rows]
    stays &= pc.equal(digests.take(pa.array(index)), told[read_texts.DIGEST].take(pa.array(rows))).to_numpy()
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
