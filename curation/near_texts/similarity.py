"""The texts with the greatest symmetric sentence BLEU-4, exactly, by products of matrices.

``similarity(i, j) = (BLEU(i, j) + BLEU(j, i)) / 2`` with unsmoothed BLEU-4 is the fourth root of the product of four
clipped match counts times a factor that only depends on the two lengths. The counts of many pairs at once are products
of two matrices: dense ones of the features that many texts have, sparse ones of all others. Counts are whole numbers
below 2 ** 24, which single precision holds exactly. What is worked out of them in single precision only chooses the
pairs whose similarity is then worked out in double precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from curation.near_texts.ngrams import ORDERS, Booleans, Floats, Integers, Sets, TokenArrays, features

Singles = npt.NDArray[np.float32]

ROWS, COLUMNS = 512, 4_096
"""Texts that are compared with so many others at once: the counts of a block fit into the caches."""
COMMON, MOST_COMMON = 32, 256
"""A feature that more than one text in so many has is counted by dense matrices: so many of each order at most."""
FEW = 64
"""Where fewer than one pair in so many shares a 4-gram, these pairs are counted one by one."""
SLACK = np.float32(1 - 1e-5)
"""Single precision is off by less; a pair is only passed over with this much room."""
LEAST = np.float32(1e-30)


@dataclass(frozen=True)
class Best:
    """For each text the greatest similarity to one looked at so far, and the place of the first such: -1 for none."""

    value: Floats
    place: Integers

    @classmethod
    def of_none(cls, count: int) -> "Best":
        """Nothing was looked at."""
        return cls(np.zeros(count), np.full(count, -1, np.int64))

    def raise_to(self, texts: Integers, places: Integers, values: Floats) -> None:
        """Take pairs into account, in any order."""
        order = np.lexsort((places, -values, texts))
        texts, places, values = texts[order], places[order], values[order]
        first = np.ones(len(texts), bool)
        first[1:] = texts[1:] != texts[:-1]
        texts, places, values = texts[first], places[first], values[first]
        better = (values > self.value[texts]) | ((values == self.value[texts]) & (places < self.place[texts]))
        self.value[texts[better]], self.place[texts[better]] = values[better], places[better]

    def forget(self, texts: Integers) -> None:
        """Forget the nearest of some texts."""
        self.value[texts], self.place[texts] = 0.0, -1

    def floor(self, texts: Integers) -> Singles:
        """The fourth power of what a pair has to reach, with some room."""
        return np.asarray(np.maximum((self.value[texts] ** 4).astype(np.float32) * SLACK, LEAST))


class Similarity:
    """Token sequences; of ``groups`` only texts of the same group are compared."""

    def __init__(self, texts: TokenArrays, groups: Integers | None = None) -> None:
        self._groups = groups
        # 4-grams first: who shares none has similarity 0.
        self._features = [_Features(one) for one in reversed(features(texts))]
        lengths, self._length = np.unique(np.diff(texts[1]), return_inverse=True)
        self._factors = factors_of(lengths)
        self._powers = (self._factors**4).astype(np.float32)

    def nearest(self) -> Best:
        """For each text the nearest of all others."""
        count = len(self._length)
        best = Best.of_none(count)
        for start in range(0, count, ROWS):
            rows = np.arange(start, min(start + ROWS, count))
            self.search(rows, np.arange(start), best, both=True)
            later, earlier = np.nonzero(similar := self.within(rows))
            values = similar[later, earlier]
            best.raise_to(rows[later], rows[earlier], values)
            best.raise_to(rows[earlier], rows[later], values)
        return best

    def search(self, rows: Integers, columns: Integers, best: Best, *, both: bool = False) -> None:
        """Look for the nearest of some texts among others that stand before them; ``both`` the other way as well."""
        for start in range(0, len(rows), ROWS):
            some = rows[start : start + ROWS]
            before = columns[columns < some[-1]]
            for first in range(0, len(before), COLUMNS):
                self._block(some, before[first : first + COLUMNS], best, both)

    def _block(self, rows: Integers, columns: Integers, best: Best, both: bool) -> None:
        fours = self._features[0].shared(rows, columns)
        if columns[-1] >= rows[0]:
            fours[rows[:, np.newaxis] <= columns] = 0
        if self._groups is not None:
            fours[self._groups[rows][:, np.newaxis] != self._groups[columns]] = 0
        there = fours > 0
        if FEW * np.count_nonzero(there) < there.size:
            left, right = np.divmod(np.flatnonzero(there), len(columns))
            self._pairs(rows[left], columns[right], fours[left, right], best, both)
            return
        counts = [fours, *(found.shared(rows, columns) for found in self._features[1:])]
        power = np.take(self._powers[self._length[rows]], self._length[columns], axis=1)
        for one in counts:
            power *= one
        for axis, texts, others in ((1, rows, columns), (0, columns, rows))[: 1 + both]:
            floor = np.maximum(power.max(axis) * SLACK, best.floor(texts))
            chosen = np.nonzero(power >= (floor[:, np.newaxis] if axis else floor))
            factors = self._factors_of(rows[chosen[0]], columns[chosen[1]])
            similar = similarity_of([one[chosen] for one in counts], factors)
            best.raise_to(texts[chosen[1 - axis]], others[chosen[axis]], similar)

    def _pairs(self, left: Integers, right: Integers, fours: Singles, best: Best, both: bool) -> None:
        """The same where few pairs share a 4-gram: one by one."""
        counts = [fours, *(found.of_pairs(left, right) for found in self._features[1:])]
        similar = similarity_of(counts, self._factors_of(left, right))
        best.raise_to(left, right, similar)
        if both:
            best.raise_to(right, left, similar)

    def within(self, rows: Integers, fresh: Booleans | None = None) -> Floats:
        """The similarity of each of some texts (rows) to those that stand before it (columns), 0 to the others.

        Where ``fresh`` says which texts are new, only pairs with one of them are told.
        """
        fresh = np.ones(len(rows), bool) if fresh is None else fresh
        left, right = np.flatnonzero(fresh), np.arange(len(rows))
        counts = [found.shared(rows[left], rows) for found in self._features]
        there = (counts[0] > 0) & ((left[:, np.newaxis] > right) | ~fresh)
        if self._groups is not None:
            there &= self._groups[rows[left]][:, np.newaxis] == self._groups[rows]
        chosen = np.nonzero(there)
        one, other = left[chosen[0]], chosen[1]
        found = np.zeros((len(rows), len(rows)))
        similar = similarity_of([count[chosen] for count in counts], self._factors_of(rows[one], rows[other]))
        found[np.maximum(one, other), np.minimum(one, other)] = similar
        return found

    def _factors_of(self, left: Integers, right: Integers) -> Floats:
        return np.asarray(self._factors[self._length[left], self._length[right]])


class _Features:
    """The features of one order: those that many texts have as a table, and all others."""

    def __init__(self, found: Sets) -> None:
        times = np.bincount(found.indices, minlength=found.shape[1])
        often = np.argsort(-times, kind="stable")[:MOST_COMMON]
        often = often[times[often] > max(1, found.shape[0] // COMMON)]
        rare = np.ones(len(times), bool)
        rare[often] = False
        self._common = found[:, often].astype(np.uint8).toarray()
        self._rare = found[:, np.flatnonzero(rare)].astype(np.float32)

    def shared(self, rows: Integers, columns: Integers) -> Singles:
        """How many features each of some texts has in common with each of others."""
        counts = self._common[rows].astype(np.float32) @ self._common[columns].astype(np.float32).T
        rare = (self._rare[rows] @ self._rare[columns].T.tocsr()).tocoo()
        counts[rare.row, rare.col] += rare.data
        return np.asarray(counts)

    def of_pairs(self, left: Integers, right: Integers) -> Singles:
        """How many features each pair has in common."""
        common = np.einsum("ij,ij->i", self._common[left], self._common[right], dtype=np.float32)
        rare = self._rare[left].multiply(self._rare[right]).sum(axis=1)
        return np.asarray(common + np.asarray(rare).ravel())


def similarity_of(counts: Sequence[npt.NDArray[Any]], factors: Floats) -> Floats:
    """The similarity of pairs: of the numbers of n-grams that they share, 4-grams first, and their factors."""
    product = counts[0].astype(np.float64)
    for order in (3, 2, 1):
        product *= counts[order]
    return np.minimum(np.sqrt(np.sqrt(product)) * factors, 1.0)


def factors_of(lengths: Integers) -> Floats:
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
