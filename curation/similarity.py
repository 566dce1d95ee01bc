"""All pairs of texts with a positive symmetric sentence BLEU-4, exactly, over an inverted index of 4-grams.

``similarity(i, j) = (BLEU(i, j) + BLEU(j, i)) / 2`` with unsmoothed BLEU-4 is the fourth root of the product of four
clipped match counts times a factor that only depends on the two lengths. It is zero unless a 4-gram is shared, so the
index finds every pair, and bounds on the counts spare most of the verification without changing any result. Where
most texts share 4-grams, whole blocks are counted at once instead, with the same result.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from curation.dense import Floats, similarity_blocks
from curation.ngrams import FeatureSet, Integers, Postings, blocks, expand, features, lengths_of

Floor = Callable[[Integers, Integers], Floats]
"""What the similarity of pairs must reach to matter; asked of arrays of equal or of broadcast shapes."""

BLOCK_LOAD = 2_000_000
LOAD_OF_A_TEXT = 4_000  # besides its postings: keeps the membership tables of a block small
FIRST_CHUNK = 4_096
# Bounds and scores are rounded differently in the last digits; a pair is only passed over with this much room.
SLACK = 1 - 1e-9
DENSE = 0.25
"""Shared 4-grams for each pair of texts from which on whole blocks are counted at once."""


@dataclass(frozen=True)
class Pairs:
    """Pairs of texts ``left > right`` with their similarity; all pairs of the texts before ``start`` came earlier."""

    left: Integers
    right: Integers
    similarity: Floats
    start: int

    def __len__(self) -> int:
        return len(self.left)


def length_factor(left: Integers, right: Integers) -> Floats:
    """What the fourth root of the match counts is multiplied by: brevity penalties and numbers of n-grams."""

    def half(hypothesis: Integers, reference: Integers) -> Floats:
        a, b = hypothesis.astype(float), reference.astype(float)
        penalty = np.where(a > b, 1.0, np.exp(1 - b / a))
        return np.asarray(penalty / np.sqrt(np.sqrt(a * (a - 1) * (a - 2) * (a - 3))))

    return np.asarray((half(left, right) + half(right, left)) / 2)


@dataclass
class SimilarityIndex:
    """N-gram features and the 4-gram index of distinct token sequences; ``groups`` keeps comparison inside groups."""

    texts: Sequence[Sequence[Hashable]]
    groups: Integers | None = None
    lengths: Integers = field(init=False)
    orders: tuple[FeatureSet, ...] = field(init=False)
    postings: Postings = field(init=False)

    def __post_init__(self) -> None:
        self.lengths = lengths_of(self.texts)
        self.orders = features(self.texts)
        self.postings = Postings.of(self.orders[3])

    def pairs(self, floor: Floor) -> Iterator[Pairs]:
        """Every pair whose similarity may reach ``floor(left, right)``, each once, in chunks.

        ``floor`` is asked anew for each chunk, so it may rise with what was found; pairs below it are left out.
        """
        four = self.orders[3]
        frequency = np.diff(self.postings.offsets)
        loads = np.add.reduceat(np.append(frequency[four.ids], 0), np.minimum(four.offsets[:-1], len(four.ids)))
        loads[four.sizes == 0] = 0
        if loads.sum() > DENSE * len(self.texts) ** 2:
            yield from self._dense(floor)
            return
        for start, end in blocks(loads + LOAD_OF_A_TEXT, BLOCK_LOAD):
            yield from self._verified(self._candidates(start, end), (start, end), floor)

    def _dense(self, floor: Floor) -> Iterator[Pairs]:
        """The same from whole blocks: first each text's nearest, which raises the floor, then all others."""
        for block in similarity_blocks(self.orders, self.lengths, self.groups, length_factor):
            values, left, right = block.similarity, block.left, block.right
            nearest = values.argmax(axis=1, keepdims=True)
            rows = np.arange(len(values))[:, np.newaxis]
            first = np.zeros(values.shape, bool)
            first[rows, nearest] = True
            for chosen in (first, ~first):
                wanted = chosen & (values > 0) & (values >= floor(left, right))
                row, column = np.nonzero(wanted)
                if len(row):
                    yield Pairs(row + block.start, column, values[wanted], block.start)

    def _candidates(self, start: int, end: int) -> tuple[Integers, Integers, Integers]:
        """Pairs (left in the block, right before left) that share 4-grams, and how many."""
        four = self.orders[3]
        ids = four.ids[four.offsets[start] : four.offsets[end]]
        owners = np.repeat(np.arange(start, end), four.sizes[start:end])
        first = self.postings.offsets[ids]
        sizes = self.postings.offsets[ids + 1] - first
        right = self.postings.texts[expand(first, sizes)]
        left = np.repeat(owners, sizes)
        kept = right < left
        if self.groups is not None:
            kept &= self.groups[right] == self.groups[left]
        keys, shared = np.unique(left[kept] * len(self.texts) + right[kept], return_counts=True)
        return keys // len(self.texts), keys % len(self.texts), shared

    def _verified(
        self,
        candidates: tuple[Integers, Integers, Integers],
        block: tuple[int, int],
        floor: Floor,
    ) -> Iterator[Pairs]:
        left, right, shared = candidates
        factor = length_factor(self.lengths[left], self.lengths[right])
        bound = _bound(np.minimum(self.lengths[left], self.lengths[right]), shared, factor)
        order = np.argsort(-bound, kind="stable")
        members = [_Membership(found, *block) for found in self.orders[:3]]
        size, position = FIRST_CHUNK, 0
        while position < len(order):
            chunk = order[position : position + size]
            position, size = position + size, size * 2
            chunk = chunk[bound[chunk] >= floor(left[chunk], right[chunk]) * SLACK]
            if len(chunk):
                score = self._scores(left[chunk], right[chunk], shared[chunk], members) * factor[chunk]
                yield Pairs(left[chunk], right[chunk], np.minimum(score, 1.0), block[0])

    @staticmethod
    def _scores(left: Integers, right: Integers, shared: Integers, members: Sequence["_Membership"]) -> Floats:
        product = shared.astype(float)
        for member in members:
            product = product * member.shared(left, right)
        return np.asarray(np.sqrt(np.sqrt(product)))


def _bound(shorter: Integers, shared: Integers, factor: Floats) -> Floats:
    """The similarity if all n-grams up to order three of the shorter text matched."""
    matches = shorter * (shorter - 1) * (shorter - 2) * shared
    return np.asarray(np.sqrt(np.sqrt(matches.astype(float))) * factor)


class _Membership:
    """Which features the texts of one block have, as a dense table over the features that occur in the block."""

    def __init__(self, found: FeatureSet, start: int, end: int) -> None:
        self.found, self.start = found, start
        inside = found.ids[found.offsets[start] : found.offsets[end]]
        known = np.unique(inside)
        self.local = np.full(found.count, len(known), np.int64)
        self.local[known] = np.arange(len(known))
        self.table = np.zeros((end - start, len(known) + 1), bool)
        rows = np.repeat(np.arange(end - start), found.sizes[start:end])
        self.table[rows, self.local[inside]] = True

    def shared(self, left: Integers, right: Integers) -> Integers:
        """Number of features that each pair has in common; ``left`` lies in the block."""
        sizes = self.found.sizes[right]
        ids = self.found.ids[expand(self.found.offsets[right], sizes)]
        hits = self.table[np.repeat(left - self.start, sizes), self.local[ids]]
        total = np.concatenate([[0], np.cumsum(hits)])
        ends = np.cumsum(sizes)
        return np.asarray(total[ends] - total[ends - sizes])


class Best:
    """Running maximum of similarity for each text, ties to the smallest partner; independent of the order of
    updates."""

    def __init__(self, count: int, *, both_sides: bool) -> None:
        self.value: Floats = np.zeros(count)
        self.partner: Integers = np.full(count, -1, np.int64)
        self.both_sides = both_sides

    def floor(self, left: Integers, right: Integers) -> Floats:
        """The similarity a pair must reach to matter: of equal ones only that to a smaller partner does."""
        needed = self._needed(left, right)
        return np.minimum(needed, self._needed(right, left)) if self.both_sides else needed

    def _needed(self, targets: Integers, partners: Integers) -> Floats:
        value = self.value[targets]
        return np.where(partners < self.partner[targets], value, np.nextafter(value, 2.0))

    def update(self, pairs: Pairs) -> None:
        """Take a chunk of pairs into account."""
        self._raise(pairs.left, pairs.right, pairs.similarity)
        if self.both_sides:
            self._raise(pairs.right, pairs.left, pairs.similarity)

    def _raise(self, targets: Integers, partners: Integers, values: Floats) -> None:
        order = np.lexsort((partners, -values, targets))
        target = targets[order]
        first = np.ones(len(target), bool)
        first[1:] = target[1:] != target[:-1]
        target, partner, value = target[first], partners[order][first], values[order][first]
        known = self.partner[target]
        better = (value > self.value[target]) | ((value == self.value[target]) & (known > partner))
        self.value[target[better]], self.partner[target[better]] = value[better], partner[better]
