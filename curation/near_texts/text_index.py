"""The nearest of many texts, exactly, by bounds and sparse products: for corpora most of whose texts are unlike.

A text looks for some of its n-grams alone. Whoever has none of these shares at most the others, so their numbers bound
the similarity (``similarity``): once the bound is below the best found, nobody else needs to be seen. The mean of four
weighted counts is no less than the root of their product. So one sparse product of weights gives a bound for each pair,
and only pairs that it leaves are counted one by one. Texts are parted by common 4-grams: a part has its own index, and
what is common in it tells little there.
"""

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from curation.near_texts.copies import by_copies
from curation.near_texts.ngrams import (
    ORDERS,
    Booleans,
    Floats,
    Integers,
    Sets,
    SmallIntegers,
    TokenArrays,
    features,
    joined,
)
from curation.near_texts.similarity import Best, factors_of, similarity_of

ROWS = 8_192
"""Texts that are searched for at once."""
ENTRIES, PAIRS = 1 << 22, 1 << 16
"""So many entries of an index are read, and so many pairs counted, at once: this bounds the memory."""
PARTS, PART, SMALLEST, WHOLE = 32, 3_000, 700, 4_000
"""Parts at most, or one for so many texts; a part of fewer texts than twice the third number is not cut."""
FIRST = 300
"""Entries of the index that are read for a first guess."""
SHARE = 0.87
"""What is not looked for may reach this share of the bound at most, so that what is found tells pairs apart."""
SLACK, LEAST = 1 - 1e-6, 1e-8
"""Room for rounding in the similarity that a pair has to reach, and the smallest one."""
RANKS = (0, 1, 8, 1 << 31)
"""Pairs of a text are counted in the order of their bounds: the first, some, and all others."""
PROFILE = (8, 6, 5, 4)
"""Shared n-grams of the orders 1 to 4 in proportion, where no nearest text is known."""


class TooAlikeError(Exception):
    """More pairs than allowed may be the nearest."""


@dataclass(frozen=True)
class PairsAbove(Best):
    """In place of the nearest, all pairs whose diversity is below a bound."""

    ld_min: float
    found: set[tuple[int, int]]

    @classmethod
    def of(cls, count: int, ld_min: float) -> "PairsAbove":
        """None yet of so many texts."""
        return cls(np.full(count, 1.0 - ld_min), np.full(count, -1, np.int64), ld_min, set())

    def raise_to(self, texts: Integers, places: Integers, values: Floats) -> None:
        near = 1.0 - values < self.ld_min
        self.found.update(zip(texts[near].tolist(), places[near].tolist(), strict=True))


class ManyTexts:
    """Token sequences with what the index and its bounds need of them."""

    def __init__(self, texts: TokenArrays, workers: int = 1) -> None:
        """So many ``workers`` search for many of the texts."""
        self.workers = workers
        found = features(texts)
        self.sets, self.orders = joined(found)
        self.parts = _parts(found[-1])
        del found  # they are as large again
        self.pairs_left = sys.maxsize
        self.sizes = np.diff(self.sets.indptr)
        self._places = np.full(len(self.orders), -1, np.int32)
        # Numbers of n-grams that each text and its best share: a guess.
        self.shared = np.tile(np.array(PROFILE), (len(self.sizes), 1))
        # Sums of single precision are off by less.
        self.trust = SLACK - 1e-7 * self.sizes
        lengths, self._length = np.unique(np.diff(texts[1]), return_inverse=True)
        self._factors = factors_of(lengths)
        self._most = np.maximum(self._factors.max(axis=1, initial=0.0), LEAST)

    def distinct(self, members: SmallIntegers) -> SmallIntegers:
        """The features that are among others, in their order."""
        there = np.zeros(len(self.orders), bool)
        there[members] = True
        return np.flatnonzero(there).astype(np.int32)

    def placed(self, members: SmallIntegers, among: SmallIntegers) -> SmallIntegers:
        """The place of each feature among some, -1 where it is not there."""
        self._places[among] = np.arange(len(among), dtype=np.int32)
        found = self._places[members]
        self._places[among] = -1
        return found

    def room(self, left: Integers, right: Integers) -> Floats:
        """How much more a pair has to share than one of the best lengths for the first of the two."""
        return np.asarray(self._most[self._length[left]] / np.maximum(self.factors(left, right), LEAST))

    def wanted(self, texts: Integers, best: Best) -> Floats:
        """Numbers of n-grams of each order: whoever is nearer than the best so far shares as many in their product."""
        shared = self.shared[texts].astype(float)
        needed = _floor(best, texts) / self._most[self._length[texts]]
        return np.asarray(shared * (needed / np.sqrt(np.sqrt(shared.prod(axis=1))))[:, np.newaxis])

    def factors(self, left: Integers, right: Integers) -> Floats:
        """What the root of the counts of each pair is multiplied by."""
        return np.asarray(self._factors[self._length[left], self._length[right]])

    def compare(self, left: Integers, right: Integers, best: Best) -> None:
        """Take pairs into account, counted one by one; TooAlikeError where there are more than are left."""
        self.pairs_left -= len(left)
        if self.pairs_left < 0:
            raise TooAlikeError
        for start in range(0, len(left), PAIRS):
            some, others = left[start : start + PAIRS], right[start : start + PAIRS]
            both = self.sets[some].multiply(self.sets[others]).tocsr()
            pairs = np.repeat(np.arange(len(some)), np.diff(both.indptr))
            counts = np.bincount(pairs * ORDERS + self.orders[both.indices], minlength=len(some) * ORDERS)
            counts = counts.reshape(-1, ORDERS)
            best.raise_to(some, others, similarity_of(list(counts.T[::-1]), self.factors(some, others)))
            found = best.place[some] == others
            self.shared[some[found]] = np.maximum(counts[found], 1)


class Index:
    """Texts among which others are searched for."""

    def __init__(self, whole: ManyTexts, columns: Integers) -> None:
        self.whole, self.columns = whole, columns
        self._of_part = whole.parts if len(columns) >= WHOLE else np.zeros_like(whole.parts)
        parts = self._of_part[columns]
        ones = np.ones(int(np.bincount(parts, whole.sizes[columns]).max(initial=0)), np.float32)
        self._parts = [_Part(whole, columns[parts == part], ones) for part in range(int(parts.max(initial=0)) + 1)]
        self._there = np.zeros((len(whole.orders), -(-len(self._parts) // 8)), np.uint8)
        for number, part in enumerate(self._parts):
            self._there[part.features, number // 8] |= 128 >> number % 8

    def search(self, rows: Integers, best: Best, alive: Booleans | None = None) -> None:
        """Look for the nearest of some texts among those before them; ``alive`` says which of these count (all)."""
        whole = self.whole
        shares = 1 if isinstance(best, PairsAbove) else max(1, min(whole.workers, len(rows) // ROWS))

        def share(number: int) -> tuple[Floats, Integers, Integers, int]:
            mine, left = rows[number::shares], whole.pairs_left
            self._search(mine, best, alive)
            return best.value[mine], best.place[mine], whole.shared[mine], left - whole.pairs_left

        left = whole.pairs_left
        for number, (values, places, shared, spent) in enumerate(by_copies(share, shares)):
            mine = rows[number::shares]
            best.value[mine], best.place[mine], whole.shared[mine] = values, places, shared
            left -= spent
        whole.pairs_left = left
        if left < 0:
            raise TooAlikeError

    def _search(self, rows: Integers, best: Best, alive: Booleans | None) -> None:
        parts = np.minimum(self._of_part[rows], len(self._parts) - 1)
        order = np.argsort(parts, kind="stable")
        for start in range(0, len(rows), ROWS):
            some = order[start : start + ROWS]
            asked = _Sought.of(self.whole, rows[some], alive)
            for own in np.unique(parts[some]).tolist():
                mine = asked.of_some(parts[some] == own)
                self._parts[own].search(mine.of_some(best.value[mine.rows] == 0), best, FIRST)
                self._parts[own].search(mine, best)
            if len(self._parts) == 1:
                continue
            reach = self._reach(asked, best)
            for number, part in enumerate(self._parts):
                part.search(asked.of_some((parts[some] != number) & reach[:, number]), best)

    def _reach(self, asked: "_Sought", best: Best) -> Booleans:
        """Whether each text shares enough with all texts of each part together."""
        values = (1 / self.whole.wanted(asked.rows, best)).astype(np.float32)
        bounds = np.concatenate([[0], np.cumsum(self.whole.sizes[asked.rows])])
        distinct = self.whole.distinct(asked.members)
        places = self.whole.placed(asked.members, distinct)
        shares = (values[asked.owners, self.whole.orders[asked.members]], places, bounds)
        there = np.unpackbits(self._there[distinct], axis=1, count=len(self._parts)).astype(np.float32)
        reach = scipy.sparse.csr_array(shares, shape=(len(asked.rows), len(distinct))) @ there
        return np.asarray(reach >= ORDERS * self.whole.trust[asked.rows][:, np.newaxis])


@dataclass(frozen=True)
class _Sought:
    """Texts that are searched for: their places, and of each feature of theirs which text it is of."""

    rows: Integers
    alive: Booleans | None
    owners: Integers
    members: SmallIntegers

    @classmethod
    def of(cls, whole: ManyTexts, rows: Integers, alive: Booleans | None) -> "_Sought":
        return cls(rows, alive, np.repeat(np.arange(len(rows)), whole.sizes[rows]), whole.sets[rows].indices)

    def of_some(self, chosen: Booleans) -> "_Sought":
        if chosen.all():
            return self
        kept, numbers = chosen[self.owners], np.cumsum(chosen) - 1
        return _Sought(self.rows[chosen], self.alive, numbers[self.owners[kept]], self.members[kept])


class _Part:
    """An index of like texts: for each feature the texts that have it."""

    def __init__(self, whole: ManyTexts, columns: Integers, ones: npt.NDArray[np.float32]) -> None:
        """``ones`` are no fewer than the features of the texts; all parts share them."""
        self._whole, self._columns = whole, columns
        sets = whole.sets[columns]
        self.features = whole.distinct(sets.indices)
        there = (sets.data, whole.placed(sets.indices, self.features), sets.indptr)
        found = scipy.sparse.csr_array(there, shape=(len(columns), len(self.features))).T.tocsr()
        self._texts = scipy.sparse.csr_array((ones[: found.nnz], found.indices, found.indptr), shape=found.shape)
        self._times = np.diff(found.indptr)
        self._levels = (2 * np.log2(self._times)).astype(np.int16)

    def search(self, asked: _Sought, best: Best, budget: int | None = None) -> None:
        """Look for nearer texts in this part; with a ``budget``, for one among the rarest features of each text."""
        if not len(self._columns) or not len(asked.rows):
            return
        whole, count = self._whole, len(asked.rows)
        places = whole.placed(asked.members, self.features)
        there = places >= 0
        owners, orders, places = asked.owners[there], whole.orders[asked.members[there]], places[there]
        weights = whole.wanted(asked.rows, best)
        values = (1 / weights).astype(np.float32)[owners, orders]
        # What costs much and tells little comes last.
        levels = self._levels[places]
        if budget is None:
            levels = levels + (2 * np.log2(weights, dtype=np.float32)).astype(np.int16)[owners, orders]
            levels -= levels.min(initial=0)
        width = int(levels.max(initial=0)) + 1
        keys = owners * width + levels
        rest = _after(np.bincount(keys, values, count * width).reshape(count, width))
        fours = _after(np.bincount(keys[orders == ORDERS - 1], minlength=count * width).reshape(count, width))
        entries = np.bincount(keys, self._times[places], count * width).reshape(count, width).cumsum(axis=1)
        last = ((rest < ORDERS * SHARE) | (fours == 0)).argmax(axis=1)
        if budget is not None:
            last = np.minimum(last, np.maximum((entries <= budget).sum(axis=1) - 1, 0))
        kept = levels <= last[owners]
        owners, places, values = owners[kept], places[kept], values[kept]
        bounds = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=count))])
        looked = scipy.sparse.csr_array((values, places, bounds), shape=(count, len(self.features)))
        rest = rest[np.arange(count), last] + 1e-6
        for start, end in _cut(entries[np.arange(count), last]):
            some = replace(asked, rows=asked.rows[start:end])
            self._pairs(looked[start:end], some, rest[start:end], best, budget)

    def _pairs(self, looked: Sets, asked: _Sought, rest: Floats, best: Best, budget: int | None) -> None:
        """Count the pairs that may be nearer, the greatest bounds first; with a budget the greatest alone.

        ``looked`` are the features that texts look for, each with what it adds to the mean, and ``rest`` is what all
        others may add.
        """
        first = budget is not None
        whole, found, floor = self._whole, looked @ self._texts, _floor(best, asked.rows)
        needed = np.where(first, 0, (ORDERS - rest) * whole.trust[asked.rows]).astype(np.float32)
        chosen = np.flatnonzero(found.data >= np.repeat(needed, np.diff(found.indptr)))
        owners = np.searchsorted(found.indptr, chosen, side="right") - 1
        others, values = self._columns[found.indices[chosen]], found.data[chosen]
        good = others < asked.rows[owners]
        if asked.alive is not None:
            good &= asked.alive[others]
        owners, others, values = owners[good], others[good], values[good]
        texts = asked.rows[owners]
        values = values / whole.trust[texts] + rest[owners]
        room = ORDERS * whole.room(texts, others) / floor[owners]
        if not first:
            good = values >= room * floor[owners]
            owners, others, values, texts, room = (one[good] for one in (owners, others, values, texts, room))
            if len(owners) > whole.pairs_left:
                raise TooAlikeError
        order = np.lexsort((-values, owners))
        owners, others, values, texts, room = (one[order] for one in (owners, others, values, texts, room))
        begin = np.flatnonzero(np.diff(owners, prepend=-1))
        rank = np.arange(len(owners)) - np.repeat(begin, np.diff(begin, append=len(owners)))
        if first:
            whole.compare(texts[rank == 0], others[rank == 0], best)
            return
        for least, most in itertools.pairwise(RANKS):
            good = (rank >= least) & (rank < most)
            good[good] = values[good] >= room[good] * _floor(best, texts[good])
            whole.compare(texts[good], others[good], best)


def _after(counts: Any) -> Floats:
    """The sum of what stands behind each place of a row."""
    return np.asarray(counts.sum(axis=1, keepdims=True) - counts.cumsum(axis=1))


def _cut(costs: Floats) -> Iterator[tuple[int, int]]:
    """Neighbours that cost ENTRIES together, or a single one that costs more."""
    total, start = np.cumsum(costs), 0
    while start < len(costs):
        done = total[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(total, done + ENTRIES)))
        yield start, end
        start = end


def _parts(fours: Sets) -> Integers:
    """A part for each text: again and again the largest part is cut in two by the 4-gram that about half of it has."""
    count = fours.shape[0]
    parts, sizes = np.zeros(count, np.int64), [count]
    for part in range(1, max(PARTS, count // PART)):
        largest = int(np.argmax(sizes))
        chosen = np.flatnonzero(parts == largest)
        if len(chosen) < 2 * SMALLEST:
            break
        some = fours[chosen]
        times = np.bincount(some.indices, minlength=fours.shape[1])
        cut = int(np.argmin(np.abs(times - len(chosen) / 2)))
        if not 0 < times[cut] < len(chosen):
            break
        having = chosen[np.repeat(np.arange(len(chosen)), np.diff(some.indptr))[some.indices == cut]]
        parts[having] = part
        sizes[largest] -= len(having)
        sizes.append(len(having))
    return parts


def _floor(best: Best, texts: Integers) -> Floats:
    """What a pair has to reach to be nearer, with some room."""
    return np.maximum(best.value[texts] * SLACK, LEAST)
