"""Similarity of whole blocks of texts at once, for corpora in which most texts share 4-grams.

Where nearly every pair of texts is a candidate, looking pairs up one by one costs more than counting for all of them:
what many texts have in common is counted by products of matrices, the rest over an inverted index. Counts are whole
numbers below 2 ** 24, so that both ways give the same similarity to the last bit.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from curation.ngrams import FeatureSet, Integers, Postings, blocks, expand

Floats = npt.NDArray[np.float64]
LengthFactor = Callable[[Integers, Integers], Floats]

BLOCK_LOAD = 1_000_000
COMMON = 16
"""A feature that more than one text in so many has is counted by products of matrices."""
MOST_CELLS = 20_000_000
"""Cells of a matrix of common features; what does not fit is counted over the index."""


class _Counts:
    """How many features of one order the texts of a block have in common with those before the block's end."""

    def __init__(self, found: FeatureSet) -> None:
        count = len(found.offsets) - 1
        self.postings = Postings.of(found)
        frequency = np.diff(self.postings.offsets)
        common = np.argsort(-frequency, kind="stable")[: MOST_CELLS // max(count, 1)]
        common = common[frequency[common] > max(1, count // COMMON)]
        column = np.full(found.count, -1, np.int64)
        column[common] = np.arange(len(common))
        owners = np.repeat(np.arange(count), found.sizes)
        columns = column[found.ids]
        self.table = np.zeros((count, len(common)), np.float32)
        self.table[owners[columns >= 0], columns[columns >= 0]] = 1
        rare = (columns < 0) & (frequency[found.ids] > 1)
        self.owners, self.ids = owners[rare], found.ids[rare]
        self.loads = np.bincount(self.owners, frequency[self.ids], count).astype(np.int64)

    def shared(self, start: int, end: int) -> Floats:
        """A row for each text of the block, a column for each text before its end."""
        counts = (self.table[start:end] @ self.table[:end].T).astype(np.float64)
        first, last = np.searchsorted(self.owners, (start, end))
        if first == last:
            return counts
        ids = self.ids[first:last]
        begins = self.postings.offsets[ids]
        sizes = self.postings.offsets[ids + 1] - begins
        right = self.postings.texts[expand(begins, sizes)]
        cells = np.repeat(self.owners[first:last] - start, sizes) * end + right
        counts += np.bincount(cells[right < end], minlength=counts.size).reshape(counts.shape)
        return counts


@dataclass(frozen=True)
class Block:
    """Similarities of the texts ``start`` to ``end - 1`` (rows) to all before ``end``; 0 unless ``right < left``."""

    start: int
    similarity: Floats

    @property
    def left(self) -> Integers:
        """The texts of the rows, as a column."""
        return np.arange(self.start, self.start + len(self.similarity))[:, np.newaxis]

    @property
    def right(self) -> Integers:
        """The texts of the columns, as a row."""
        return np.arange(self.similarity.shape[1])[np.newaxis, :]


def similarity_blocks(
    orders: Sequence[FeatureSet], lengths: Integers, groups: Integers | None, factor: LengthFactor
) -> Iterator[Block]:
    """All texts block by block; ``factor`` of two lengths is what the root of the match counts is multiplied by."""
    counts = [_Counts(found) for found in (orders[3], *orders[:3])]
    known, place = np.unique(lengths, return_inverse=True)
    factors = _table(known, factor)
    for start, end in blocks(np.max([one.loads for one in counts], axis=0) + len(lengths), BLOCK_LOAD):
        product = counts[0].shared(start, end)
        for one in counts[1:]:
            product *= one.shared(start, end)
        similarity = np.sqrt(np.sqrt(product, out=product), out=product)
        similarity *= factors[place[start:end, np.newaxis], place[np.newaxis, :end]]
        similarity[np.arange(end) >= np.arange(start, end)[:, np.newaxis]] = 0
        if groups is not None:
            similarity[groups[start:end, np.newaxis] != groups[:end]] = 0
        yield Block(start, np.minimum(similarity, 1.0, out=similarity))


def _table(lengths: Integers, factor: LengthFactor) -> Floats:
    """The factor of every two lengths; 0 for texts that are too short to hold a 4-gram."""
    table = np.zeros((len(lengths), len(lengths)))
    long = np.flatnonzero(lengths > 3)
    left, right = np.repeat(long, len(long)), np.tile(long, len(long))
    table[left, right] = factor(lengths[left], lengths[right])
    return table
