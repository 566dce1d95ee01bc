"""What a run of the greedy filter leaves for the next one, as a plain table: it saves work and never decides.

A row stands for an item: id, priority (its place in the order), SHA-256 of its text, and the tokens of that. The first
item of a distinct token sequence also has whether it was accepted, its similarity to the nearest item accepted before
it, and the id of that. Such a row says something of a later run where the item is there with the same id, priority and
text, and so is the nearest one; others count as new.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation import read_texts
from curation.greedy_pairs import GreedyResult
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


class ItemPlace(NamedTuple):
    """What an item's place in the order depends on, beside the length of its text; the id stands last."""

    priority: float
    text_sha256: str
    item_id: str


def fits(known: pa.Table, rule: str) -> bool:
    """Whether a table is the memory of a run with this rule, which names threshold and profile."""
    return bool(known.schema == SCHEMA and (known.schema.metadata or {}).get(b"rule") == rule.encode())


def remembered(
    places: Sequence[ItemPlace], leaders: Sequence[int], result: GreedyResult, read: ReadTexts, rule: str
) -> pa.Table:
    """The table of a run over items in their order; ``leaders`` are the first items of the distinct texts."""
    found: dict[str, list[Any]] = {name: [None] * len(places) for name in ("accepted", "similarity", "nearest_id")}
    told = zip(leaders, result.accepted.tolist(), result.similarity.tolist(), result.nearest.tolist(), strict=True)
    for leader, accepted, similarity, nearest in told:
        found["accepted"][leader], found["similarity"][leader] = accepted, similarity
        found["nearest_id"][leader] = places[leaders[nearest]].item_id if nearest >= 0 else None
    columns = {
        "item_id": [place.item_id for place in places],
        "priority": [place.priority for place in places],
        **found,
    }
    arrays = [pa.array(values, SCHEMA.field(name).type) for name, values in columns.items()]
    return pa.table([*arrays, *read.table().columns], schema=SCHEMA.with_metadata({"rule": rule}))


def former_result(places: Sequence[ItemPlace], known: pa.Table | None) -> GreedyResult:
    """What a former run knew of the first items of distinct texts, in their order: all ``UNKNOWN`` without one."""
    count = len(places)
    former = GreedyResult(np.zeros(count, bool), np.zeros(count), np.full(count, UNKNOWN, np.int64))
    if known is None:
        return former
    leading = known.filter(pc.is_valid(known["accepted"])).select([*SCHEMA.names[:5], read_texts.DIGEST])
    rows = {row[0]: row[1:] for row in zip(*(column.to_pylist() for column in leading.columns), strict=True)}
    stays = {
        place.item_id: index
        for index, place in enumerate(places)
        if (row := rows.get(place.item_id)) and (row[0], row[-1]) == (place.priority, place.text_sha256)
    }
    for item_id, index in stays.items():
        _, accepted, similarity, nearest_id, _ = rows[item_id]
        former.accepted[index] = accepted
        nearest = -1 if nearest_id is None else stays.get(nearest_id, UNKNOWN)
        if nearest != UNKNOWN:
            former.similarity[index], former.nearest[index] = similarity, nearest
    return former
