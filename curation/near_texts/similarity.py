"""The texts with the greatest symmetric sentence BLEU-4, exactly, by bounds and sparse products.

``similarity(i, j) = (BLEU(i, j) + BLEU(j, i)) / 2`` with unsmoothed BLEU-4 is the fourth root of the product of four
clipped match counts times a factor that only depends on the two lengths. A text looks for some of its n-grams alone.
Whoever has none of these shares at most the others, so their numbers bound the product: once the bound is below the
best found, nobody else needs to be seen. A mean of four weighted counts is no less than the root of their product. So
one sparse product of weights gives a bound for each pair, and only pairs that it leaves are counted one by one.
Texts are parted by common 4-grams: a part has its own index, and what is common in it tells little there.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from curation.near_texts.ngrams import ORDERS, Booleans, Floats, Integers, Sets, TokenArrays, features

Singles = npt.NDArray[np.float32]

ROWS = 2_048
"""Texts that are searched for at once."""
ENTRIES, PAIRS = 1 << 24, 1 << 16
"""So many entries of an index are read, and so many pairs counted, at once: this bounds the memory."""
PARTS, SMALLEST = 24, 256
"""Parts at most, and texts of a part at least."""
FIRST = 1_000
"""Entries of the index that are read for a first guess."""
SHARE = 0.8
"""What is not looked for may reach this share of the bound at most, so that what is found tells pairs apart."""
SLACK, LEAST = 1 - 1e-6, 1e-8
"""Room for rounding in the similarity that a pair has to reach, and the smallest one."""
PROFILE = (8, 6, 5, 4)
"""Shared n-grams of the orders 1 to 4 in proportion, where no nearest text is known."""


@dataclass(frozen=True)
class Best:
    """For each text the greatest similarity to one looked at so far, and the place of the first such: -1 for none.

    ``shared`` are the numbers of n-grams that the two share, as a guess.
    """

    value: Floats
    place: Integers
    shared: Integers

    @classmethod
    def of(cls, value: Floats, place: Integers) -> "Best":
        """What is known of texts already."""
        return cls(value, place, np.tile(np.array(PROFILE), (len(value), 1)))

    @classmethod
    def of_none(cls, count: int) -> "Best":
        """Nothing was looked at."""
        return cls.of(np.zeros(count), np.full(count, -1, np.int64))

    def raise_to(self, texts: Integers, places: Integers, values: Floats) -> None:
        """Take pairs into account, in any order."""
        order = np.lexsort((places, -values, texts))
        texts, places, values = texts[order], places[order], values[order]
        first = np.ones(len(texts), bool)
        first[1:] = texts[1:] != texts[:-1]
        texts, places, values = texts[first], places[first], values[first]
        better = (values > self.value[texts]) | ((values == self.value[texts]) & (places < self.place[texts]))
        self.value[texts[better]], self.place[texts[better]] = values[better], places[better]

    def floor(self, texts: Integers) -> Floats:
        """What a pair has to reach, with some room."""
        return np.maximum(self.value[texts] * SLACK, LEAST)


class Similarity:
    """Token sequences; of ``groups`` only texts of the same group are compared."""

    def __init__(self, texts: TokenArrays, groups: Integers | None = None) -> None:
        self.groups = groups
        self.sets, self.orders = features(texts)
        self.sizes = np.diff(self.sets.indptr)
        self.parts = _parts(self.sets[:, np.flatnonzero(self.orders == ORDERS - 1)])
        lengths, self._length = np.unique(np.diff(texts[1]), return_inverse=True)
        self._factors = _factors(lengths)
        self._most = np.maximum(self._factors.max(axis=1, initial=0.0), LEAST)

    def nearest(self) -> Best:
        """For each text the nearest of all others."""
        places = np.arange(len(self._length))
        best = Best.of_none(len(places))
        Index(self, places).search(places, best)
        return best

    def room(self, left: Integers, right: Integers) -> Floats:
        """How much more a pair has to share than one of the best lengths for the first of the two."""
        return np.asarray(self._most[self._length[left]] / np.maximum(self.factors(left, right), LEAST))

    def most(self, texts: Integers) -> Floats:
        """The greatest factor of each text."""
        return np.asarray(self._most[self._length[texts]])

    def factors(self, left: Integers, right: Integers) -> Floats:
        """What the root of the counts of each pair is multiplied by."""
        return np.asarray(self._factors[self._length[left], self._length[right]])

    def compare(self, left: Integers, right: Integers, best: Best) -> None:
        """Take pairs into account, counted one by one."""
        for start in range(0, len(left), PAIRS):
            some, others = left[start : start + PAIRS], right[start : start + PAIRS]
            both = self.sets[some].multiply(self.sets[others]).tocsr()
            pairs = np.repeat(np.arange(len(some)), np.diff(both.indptr))
            counts = np.bincount(pairs * ORDERS + self.orders[both.indices], minlength=len(some) * ORDERS)
            counts = counts.reshape(-1, ORDERS)
            best.raise_to(some, others, self._exact(list(counts.T), some, others))
            found = best.place[some] == others
            best.shared[some[found]] = np.maximum(counts[found], 1)

    def within(self, rows: Integers) -> Floats:
        """The similarity of each of some texts (rows) to those that stand before it (columns), 0 to the others."""
        sets, counts = self.sets[rows].astype(np.float32), []
        for order in range(ORDERS):
            some = sets[:, np.flatnonzero(self.orders == order)]
            counts.append((some @ some.T).toarray())
        chosen = np.nonzero(np.tril(counts[-1], -1))
        found = np.zeros((len(rows), len(rows)))
        found[chosen] = self._exact([one[chosen] for one in counts], rows[chosen[0]], rows[chosen[1]])
        return found

    def _exact(self, counts: list[npt.NDArray[np.generic]], left: Integers, right: Integers) -> Floats:
        product = counts[3].astype(np.float64)
        for order in (0, 1, 2):
            product *= counts[order]
        return np.minimum(np.sqrt(np.sqrt(product)) * self.factors(left, right), 1.0)


class Index:
    """Texts among which others are searched for."""

    def __init__(self, whole: Similarity, columns: Integers) -> None:
        self.whole, self.columns = whole, columns
        parts = whole.parts[columns]
        self._parts = [_Part(whole, columns[parts == part]) for part in range(int(whole.parts.max(initial=0)) + 1)]

    def search(
        self, rows: Integers, best: Best, before: Integers | None = None, alive: Booleans | None = None
    ) -> None:
        """Look for the nearest of some texts, but never the text itself.

        ``before`` says for each of them before which place, and ``alive`` which places count: all without it.
        """
        before = np.full(len(rows), len(self.whole.parts)) if before is None else before
        parts = self.whole.parts[rows]
        order = np.argsort(parts, kind="stable")
        for start in range(0, len(rows), ROWS):
            some = order[start : start + ROWS]
            asked = _Asked.of(self.whole, rows[some], before[some], alive)
            for own in np.unique(parts[some]).tolist():
                mine = asked.of_some(parts[some] == own)
                self._parts[own].search(mine, best, FIRST)
                self._parts[own].search(mine, best)
            for number, part in enumerate(self._parts):
                part.search(asked.of_some(parts[some] != number), best)


@dataclass(frozen=True)
class _Asked:
    """Texts that are searched for: their places, and of each feature of theirs which text it is of."""

    rows: Integers
    before: Integers
    alive: Booleans | None
    owners: Integers
    members: npt.NDArray[np.int32]

    @classmethod
    def of(cls, whole: Similarity, rows: Integers, before: Integers, alive: Booleans | None) -> "_Asked":
        return cls(rows, before, alive, np.repeat(np.arange(len(rows)), whole.sizes[rows]), whole.sets[rows].indices)

    def of_some(self, chosen: Booleans) -> "_Asked":
        if chosen.all():
            return self
        kept, numbers = chosen[self.owners], np.cumsum(chosen) - 1
        owners = numbers[self.owners[kept]]
        return _Asked(self.rows[chosen], self.before[chosen], self.alive, owners, self.members[kept])


class _Part:
    """An index of like texts: for each feature the texts that have it."""

    def __init__(self, whole: Similarity, columns: Integers) -> None:
        self._whole, self._columns = whole, columns
        found = whole.sets[columns].T.tocsr()
        self._texts = csr_array((np.ones(found.nnz, np.float32), found.indices, found.indptr), shape=found.shape)
        self._times = np.diff(found.indptr)
        with np.errstate(divide="ignore"):
            self._logs = np.log2(self._times, dtype=np.float32)

    def search(self, asked: _Asked, best: Best, budget: int | None = None) -> None:
        """Look for nearer texts in this part; with a ``budget``, for one among the rarest features of each text."""
        if not len(self._columns) or not len(asked.rows):
            return
        whole, count = self._whole, len(asked.rows)
        there = self._times[asked.members] > 0
        owners, members = asked.owners[there], asked.members[there]
        orders = whole.orders[members]
        floor = best.floor(asked.rows)
        weights = np.ones((count, ORDERS))
        if budget is None:  # the number of n-grams of each order that are to be shared: their product is what is needed
            weights = best.shared[asked.rows].astype(float)
            weights *= (floor / whole.most(asked.rows) / np.sqrt(np.sqrt(weights.prod(axis=1))))[:, np.newaxis]
        # What costs much and tells little comes last.
        levels = (2 * (self._logs[members] + np.log2(weights, dtype=np.float32)[owners, orders])).astype(np.int64)
        levels -= levels.min(initial=0)
        width = int(levels.max(initial=0)) + 1
        shape = (count, ORDERS, width)
        numbers = np.bincount((owners * ORDERS + orders) * width + levels, minlength=count * ORDERS * width)
        unseen = numbers.reshape(shape)[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
        unseen = np.concatenate([unseen[:, :, 1:], np.zeros((count, ORDERS, 1), np.int64)], axis=2)
        rest = (unseen / weights[:, :, np.newaxis]).sum(axis=1)
        entries = np.bincount(owners * width + levels, self._times[members], count * width).reshape(count, width)
        entries = entries.cumsum(axis=1)
        last = ((rest < ORDERS * SHARE) | (unseen == 0).any(axis=1)).argmax(axis=1)
        if budget is not None:
            last = np.minimum(last, np.maximum((entries <= budget).sum(axis=1) - 1, 0))
        kept = levels <= last[owners]
        owners, members, orders = owners[kept], members[kept], orders[kept]
        values = (1 / weights[owners, orders]).astype(np.float32)
        bounds = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=count))])
        looked = csr_array((values, members, bounds), shape=(count, len(whole.orders)))
        rest = rest[np.arange(count), last] + 1e-4 + 1e-6 * whole.sizes[asked.rows]
        for start, end in _cut(entries[np.arange(count), last]):
            self._pairs(looked[start:end], asked, start, floor, rest, best, budget)

    def _pairs(self, looked, asked, start, floor, rest, best, budget):
        whole = self._whole
        found = looked @ self._texts
        needed = (ORDERS - rest[start : start + looked.shape[0]]).astype(np.float32) if budget is None else None
        if needed is None:
            chosen = np.arange(found.nnz)
        else:
            chosen = np.flatnonzero(found.data >= np.repeat(needed, np.diff(found.indptr)))
        owners = np.searchsorted(found.indptr, chosen, side="right") - 1 + start
        others, values = self._columns[found.indices[chosen]], found.data[chosen]
        good = others < asked.before[owners]
        good &= others != asked.rows[owners]
        if asked.alive is not None:
            good &= asked.alive[others]
        if whole.groups is not None:
            good &= whole.groups[others] == whole.groups[asked.rows[owners]]
        owners, others, values = owners[good], others[good], values[good]
        texts = asked.rows[owners]
        if budget is None:
            room = ORDERS * whole.room(texts, others)
            good = values >= room - rest[owners]
            owners, others, values, texts, room = owners[good], others[good], values[good], texts[good], room[good]
        if not len(owners):
            return
        begin = np.flatnonzero(np.diff(owners, prepend=-1))
        most = np.repeat(np.maximum.reduceat(values, begin), np.diff(begin, append=len(owners)))
        top = np.flatnonzero(values == most)
        top = top[np.diff(owners[top], prepend=-1) > 0]
        whole.compare(texts[top], others[top], best)
        if budget is None:
            good = values >= room * (best.floor(texts) / floor[owners]) - rest[owners]
            good[top] = False
            whole.compare(texts[good], others[good], best)


def _cut(costs: Floats) -> Iterator[tuple[int, int]]:
    """Neighbours that cost ENTRIES together, or a single one that costs more."""
    total, start = np.cumsum(costs), 0
    while start < len(costs):
        done = total[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(total, done + ENTRIES)))
        yield start, end
        start = end


def _parts(fours: Sets) -> Integers:
    """A part for each text: by the commonest 4-gram of all, then by the commonest of those without it, and so on."""
    count, texts = fours.shape[0], fours.T.tocsr()
    parts, left = np.full(count, -1), np.ones(count, bool)
    for part in range(PARTS):
        times = left.astype(np.float32) @ fours
        if max(times, default=0) < max(SMALLEST, count / 64):
            break
        chosen = texts.indices[slice(*texts.indptr[times.argmax() :][:2])]
        chosen = chosen[left[chosen]]
        parts[chosen], left[chosen] = part, False
    parts[left] = parts.max(initial=-1) + 1
    return parts


def _factors(lengths: Integers) -> Floats:
    """What the root of the counts of two lengths is multiplied by: brevity penalties and numbers of n-grams.

    0 for texts that are too short to hold a 4-gram.
    """
    table = np.zeros((len(lengths), len(lengths)))
    long = lengths[lengths >= ORDERS].astype(float)
    grams = np.sqrt(np.sqrt(long * (long - 1) * (long - 2) * (long - 3)))
    a, b = long[:, np.newaxis], long
    one_way = np.where(a > b, 1.0, np.exp(1 - b / a)) / grams[:, np.newaxis]
    first = len(lengths) - len(long)
    table[first:, first:] = (one_way + one_way.T) / 2
    return table
