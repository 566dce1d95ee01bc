"""Token sequences as sets of n-gram occurrences, in flat integer arrays.

The k-th occurrence of an n-gram in a text is a feature of its own. Clipped n-gram matches of two texts are then the
size of an intersection of sets, which is symmetric and needs no counters.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

ORDERS = 4


@dataclass(frozen=True)
class FeatureSet:
    """Features of one order: text ``i`` has ``ids[offsets[i]:offsets[i + 1]]``; ids run from 0 to ``count - 1``."""

    offsets: Integers
    ids: Integers
    count: int

    @property
    def sizes(self) -> Integers:
        """Number of features of each text."""
        return np.diff(self.offsets)


def lengths_of(texts: Sequence[Sequence[str]]) -> Integers:
    """Number of tokens of each text."""
    return np.fromiter((len(text) for text in texts), np.int64, len(texts))


def features(texts: Sequence[Sequence[str]]) -> tuple[FeatureSet, ...]:
    """The features of orders 1 to 4 of each text."""
    vocabulary: dict[str, int] = {}
    lengths = lengths_of(texts)
    tokens = (vocabulary.setdefault(token, len(vocabulary)) for text in texts for token in text)
    grams = np.fromiter(tokens, np.int64, int(lengths.sum()))
    owners = np.repeat(np.arange(len(texts)), lengths)
    found = []
    for order in range(ORDERS):
        if order:
            grams, owners = _longer(grams, owners)
        found.append(_feature_set(grams, owners, len(texts)))
    return tuple(found)


def _longer(grams: Integers, owners: Integers) -> tuple[Integers, Integers]:
    """N-grams one token longer: the id of a pair of neighbours is dense over the pairs that occur."""
    inside = owners[:-1] == owners[1:]
    width = int(grams.max(initial=0)) + 1
    keys = (grams[:-1] * width + grams[1:])[inside]
    return np.unique(keys, return_inverse=True)[1].astype(np.int64), owners[:-1][inside]


def _feature_set(grams: Integers, owners: Integers, count: int) -> FeatureSet:
    order = np.lexsort((grams, owners))
    gram, owner = grams[order], owners[order]
    first = np.ones(len(gram), bool)
    first[1:] = (gram[1:] != gram[:-1]) | (owner[1:] != owner[:-1])
    starts = np.flatnonzero(first)
    occurrence = np.arange(len(gram)) - np.repeat(starts, np.diff(np.append(starts, len(gram))))
    keys = gram * (int(occurrence.max(initial=0)) + 1) + occurrence
    known, ids = np.unique(keys, return_inverse=True)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=count))]).astype(np.int64)
    return FeatureSet(offsets, ids.astype(np.int64), len(known))


def expand(starts: Integers, sizes: Integers) -> Integers:
    """All positions of ranges given by start and size, one range after the other.

    >>> expand(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    total = int(sizes.sum())
    shifts = starts - np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    return np.arange(total) + np.repeat(shifts, sizes)


@dataclass(frozen=True)
class Postings:
    """The texts that have a feature, in ascending order."""

    offsets: Integers
    texts: Integers

    @classmethod
    def of(cls, found: FeatureSet) -> "Postings":
        """The inverted index of a feature set."""
        owners = np.repeat(np.arange(len(found.offsets) - 1), found.sizes)
        order = np.argsort(found.ids, kind="stable")
        counts = np.bincount(found.ids, minlength=found.count)
        return cls(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), owners[order])


def blocks(loads: Integers, limit: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges of texts whose loads add up to at most ``limit`` (or of one text)."""
    total = np.cumsum(loads)
    start = 0
    while start < len(loads):
        before = int(total[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(total, before + limit, side="right")))
        yield start, end
        start = end
