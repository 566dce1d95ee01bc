"""The greedy filter: each text is accepted unless it is too like one accepted before, and its nearest one is told.

A run leaves a plain table for the next one, its memory: it saves work and never decides. A row stands for an item: id,
priority (its place in the order), SHA-256 of its text, and the tokens of that. The first item of a distinct token
sequence also has whether it was accepted, its similarity to the nearest item accepted before it, and the id of that.
Such a row says something of a later run where the item is there with the same id, priority and text.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.near_texts.ngrams import DIGEST, TEXT_COLUMNS, Booleans, DistinctTexts, Floats, Integers, ReadTexts
from curation.near_texts.similarity import ROWS, Best, Similarity
from curation.near_texts.text_index import Index, ManyTexts, PairsAbove, TooAlikeError

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
MANY, BATCH, BATCHES = 4_000, 8_192, 8
"""So many texts are searched for by an index, an eighth of them at once, or more where they are few."""
PAIRS_SHARE, TRIAL = 100, 32
"""Matrices are faster where the index leaves more than one pair in so many to be counted one by one, or where more than
half of the texts are refused: one text in so many is searched for first to find that out."""
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


def found_greedily(
    texts: DistinctTexts, ld_min: float, former: GreedyResult | None = None, workers: int = 1
) -> GreedyResult:
    """The greedy rule over distinct token sequences in order of precedence.

    ``former`` is what is known of each text, with ``UNKNOWN`` as nearest of new ones; former texts stand in the order
    that they had. What is found does not depend on ``workers``.
    """
    run = _GreedyRun(texts, ld_min, former or GreedyResult.unknown(len(texts)), workers)
    if run.known.accepted.any():
        if not run.grow():
            run.search_known()
            run.by_matrices(0, len(texts))
    else:
        size = max(BATCH, len(texts) // BATCHES)
        for start in range(0, len(texts), size):
            end = min(start + size, len(texts))
            if not run.by_index(start, end):
                run.by_matrices(start, end)
    return GreedyResult(run.accepted, run.best.value, run.best.place)


class _GreedyRun:
    """Texts of which some are decided, and the nearest of each among those that may be accepted before it."""

    def __init__(self, texts: DistinctTexts, ld_min: float, known: GreedyResult, workers: int) -> None:
        self._texts, self._ld_min, self.known = texts.arrays(), ld_min, known
        self.accepted, self._new = np.zeros(len(texts), bool), known.nearest == UNKNOWN
        self.best = Best(np.where(self._new, 0.0, known.similarity), np.where(self._new, -1, known.nearest))
        self._many = ManyTexts(self._texts, workers) if len(texts) >= MANY else None

    @cached_property
    def _similarity(self) -> Similarity:
        return Similarity(self._texts)

    def by_index(self, start: int, end: int) -> bool:
        """Decide some texts, all before which are decided. False, and nothing done, where matrices are faster.

        They are first searched for as if all of them were accepted, some of them on trial.
        """
        if self._many is None:
            return False
        rows = np.arange(start, end)
        try:
            index = Index(self._many, np.concatenate([np.flatnonzero(self.accepted[:start]), rows]))
            for some in (rows[::TRIAL], rows):
                self._many.pairs_left = len(some) * end // PAIRS_SHARE
                index.search(some, self.best)
                if 2 * self._near(some).sum() > len(some):
                    raise TooAlikeError
            self._decide(index, rows)
            self._search_lost(index, rows)
        except TooAlikeError:
            self.best.forget(rows)
            self.accepted[rows] = False
            return False
        return True

    def grow(self) -> bool:
        """Decide all by what is known; False, and nothing done, where matrices are faster.

        Each text is compared with what was not accepted formerly as if that were accepted now. Whatever comes to be
        accepted beyond that joins it.
        """
        if self._many is None:
            return False
        many, value, place = self._many, self.best.value.copy(), self.best.place.copy()
        rows, new, maybe = np.arange(len(value)), np.flatnonzero(self._new), self.known.accepted | self._new
        many.pairs_left = (2 * len(new) + 1) * len(rows) // PAIRS_SHARE
        fresh, others = np.flatnonzero(maybe & ~self.known.accepted), np.flatnonzero(~self._new)
        try:
            index = Index(many, np.flatnonzero(maybe))
            index.search(new, self.best)
            Index(many, fresh).search(others, self.best)
            self._decide(index, rows)
            while len(fresh := np.flatnonzero(self.accepted & ~maybe)):
                maybe |= self.accepted
                index = Index(many, np.flatnonzero(maybe))
                Index(many, fresh).search(rows, self.best)
                self._decide(index, rows)
            self._search_lost(index, rows)
        except TooAlikeError:
            self.best, self.accepted[:] = Best(value, place), False
            return False
        return True

    def _decide(self, index: Index, rows: Integers) -> None:
        """Decide texts whose nearest one is known among all that may be accepted before them."""
        accepted, near = self.accepted, self._near(rows)
        accepted[rows] = ~near
        unsure = rows[near][~accepted[self.best.place[rows[near]]]]
        accepted[unsure] = True
        pairs = PairsAbove.of(len(accepted), self._ld_min)
        index.search(unsure, pairs, accepted)
        for later, earlier in sorted(pairs.found):
            if accepted[earlier]:
                accepted[later] = False

    def _near(self, rows: Integers) -> Booleans:
        """Which texts have a nearest one that would refuse them."""
        return np.asarray((self.best.place[rows] >= 0) & (1.0 - self.best.value[rows] < self._ld_min))

    def _search_lost(self, index: Index, rows: Integers) -> None:
        """Search anew for texts whose nearest one is not accepted."""
        lost = rows[_lost(rows, self.best, self.accepted, (0, len(self.accepted)))]
        self.best.forget(lost)
        index.search(lost, self.best, self.accepted)

    def search_known(self) -> None:
        """Compare new texts with all that were accepted formerly, by matrices."""
        self._similarity.search(np.flatnonzero(self._new), np.flatnonzero(self.known.accepted), self.best)

    def by_matrices(self, first: int, end: int) -> None:
        """Decide some texts, all before which are decided.

        A text is compared with what was not accepted formerly alone, unless its nearest one is not accepted any more.
        """
        search, best, accepted = self._similarity, self.best, self.accepted
        for start in range(first, end, BLOCK):
            rows = np.arange(start, min(start + BLOCK, end))
            before = np.flatnonzero(accepted[:start])
            lost = _lost(rows, best, accepted, (0, start))
            partial = not lost.any()
            similar = search.within(rows, self._new[rows] if partial else None)
            search.search(rows[~lost], before[~self.known.accepted[before]], best)
            while True:
                best.forget(rows[lost])
                search.search(rows[lost], before, best)
                accepted[rows] = _accepted(similar, ~self._near(rows), self._ld_min)
                lost = _lost(rows, best, accepted, (start, len(accepted)))
                if not lost.any():
                    break
                if partial:
                    similar, partial = search.within(rows), False
            later, earlier = np.nonzero(similar * accepted[rows])
            best.raise_to(rows[later], rows[earlier], similar[later, earlier])


def _lost(rows: Integers, best: Best, accepted: Booleans, where: tuple[int, int]) -> Booleans:
    """Which texts have a nearest one between two places that is not accepted."""
    places = best.place[rows]
    return np.asarray((places >= where[0]) & (places < where[1]) & ~accepted[places])


def _accepted(similar: Floats, free: Booleans, ld_min: float) -> Booleans:
    """Which texts of a block are accepted; ``free`` are those that nothing accepted before the block refuses."""
    for later, earlier in zip(*np.nonzero((similar > 0) & (1.0 - similar < ld_min)), strict=True):
        if free[earlier]:
            free[later] = False
    return free


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
    told, leading = known.filter(pc.is_valid(known["accepted"])).combine_chunks(), np.array(leaders, np.int64)
    ids, digests = (pa.array(column, pa.string()).take(pa.array(leading)) for column in (places.ids, places.digests))
    rows = _where(ids, told["item_id"])
    index = np.flatnonzero(rows >= 0)
    rows = rows[index]
    stays = np.array(places.priorities, float)[leading[index]] == told["priority"].to_numpy()[rows]
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
