"""What a run of the greedy filter leaves for the next one, as a plain table: it saves work and never decides.

A row stands for a distinct token sequence by its first item: id, SHA-256 of the text and priority (its place in the
order), whether it was accepted, its similarity to the nearest item accepted before it, and the id of that. A row says
something of a later run where the item is there with the same three, and so is the nearest one; others count as new.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from curation.greedy_pairs import GreedyResult

SCHEMA = pa.schema(
    [
        ("item_id", pa.string()),
        ("text_sha256", pa.string()),
        ("priority", pa.float64()),
        ("accepted", pa.bool_()),
        ("similarity", pa.float64()),
        ("nearest_id", pa.string()),
    ]
)
UNKNOWN = -2
"""As the nearest of a text: it has to be searched for. -1 says that there is none."""


class ItemPlace(NamedTuple):
    """What an item's place in the order depends on, beside the length of its text; the id stands last."""

    priority: float
    text_sha256: str
    item_id: str


def remembered(places: Sequence[ItemPlace], result: GreedyResult, rule: str) -> pa.Table:
    """The table of a run; ``places`` of the first item of each distinct text, ``rule`` names threshold and profile."""
    names = [place.item_id for place in places]
    columns = [
        names,
        [place.text_sha256 for place in places],
        [place.priority for place in places],
        result.accepted,
        result.similarity,
        [names[nearest] if nearest >= 0 else None for nearest in result.nearest.tolist()],
    ]
    arrays = [pa.array(values, field.type) for values, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA.with_metadata({"rule": rule}))


def former_result(places: Sequence[ItemPlace], known: pa.Table | None, rule: str) -> GreedyResult:
    """What a former run knew of these items in their order: all ``UNKNOWN`` without one, or if its rule was another."""
    count = len(places)
    former = GreedyResult(np.zeros(count, bool), np.zeros(count), np.full(count, UNKNOWN, np.int64))
    if known is None or known.schema != SCHEMA or (known.schema.metadata or {}).get(b"rule") != rule.encode():
        return former
    columns = [column.to_pylist() for column in known.columns]
    rows = {row[0]: row[1:] for row in zip(*columns, strict=True)}
    stays = {
        place.item_id: index
        for index, place in enumerate(places)
        if rows.get(place.item_id, ())[:2] == (place.text_sha256, place.priority)
    }
    for item_id, index in stays.items():
        _, _, accepted, similarity, nearest_id = rows[item_id]
        former.accepted[index] = accepted
        nearest = -1 if nearest_id is None else stays.get(nearest_id, UNKNOWN)
        if nearest != UNKNOWN:
            former.similarity[index], former.nearest[index] = similarity, nearest
    return former
