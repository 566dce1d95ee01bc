"""Token sequences as sets of n-gram occurrences, in flat integer arrays.

The k-th occurrence of an n-gram in a text is a feature of its own. Clipped n-gram matches of two texts are then the
size of an intersection of sets, which is symmetric and needs no counters.
"""

from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

ORDERS = 4


class DistinctTexts:
    """Token sequences as numbers, each kept once: far smaller than the words."""

    def __init__(self, vocabulary: Iterable[str] = ()) -> None:
        """``vocabulary`` are the first tokens that have a number, from 0 on."""
        self._numbers = {token: number for number, token in enumerate(vocabulary)}
        self._places: dict[bytes, int] = {}

    def add(self, text: Iterable[str]) -> int:
        """The place of a text among the distinct ones, in the order in which they came first."""
        numbers = self._numbers
        return self.add_numbers(array("i", [numbers.setdefault(token, len(numbers)) for token in text]).tobytes())

    def add_numbers(self, numbers: bytes) -> int:
        """The same of a text whose tokens are given by their numbers, as an array of C integers."""
        return self._places.setdefault(numbers, len(self._places))

    def vocabulary(self) -> list[str]:
        """The tokens in the order of their numbers."""
        return list(self._numbers)

    def __len__(self) -> int:
        return len(self._places)

    def each(self) -> Iterator[tuple[int, ...]]:
        """The distinct texts, as numbers of their tokens."""
        return (tuple(memoryview(key).cast("i")) for key in self._places)

    def words(self, chosen: Iterable[int]) -> dict[int, list[str]]:
        """The tokens of some places."""
        wanted, words = frozenset(chosen), self.vocabulary()
        return {
            place: [words[number] for number in memoryview(key).cast("i")]
            for key, place in self._places.items()
            if place in wanted
        }

    def arrays(self) -> tuple[npt.NDArray[np.int32], Integers]:
        """Token numbers, one text after the other, and where each text begins and the last one ends."""
        size = array("i").itemsize
        lengths = np.fromiter((len(key) // size for key in self._places), np.int64, len(self._places))
        tokens = np.frombuffer(b"".join(self._places), np.dtype("i"))
        return tokens, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


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


def lengths_of(texts: Sequence[Sequence[Hashable]]) -> Integers:
    """Number of tokens of each text."""
    return np.fromiter((len(text) for text in texts), np.int64, len(texts))


def features(texts: Sequence[Sequence[Hashable]]) -> tuple[FeatureSet, ...]:
    """The features of orders 1 to 4 of each text."""
    vocabulary: dict[Hashable, int] = {}
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
