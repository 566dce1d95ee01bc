"""Token sequences of many texts, each kept once, and their sets of n-grams in sparse matrices.

The k-th occurrence of an n-gram in a text is a feature of its own. Clipped n-gram matches of two texts are then the
size of an intersection of sets: a product of matrices gives it for many texts at once.
"""

import itertools
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import scipy

from corpus.canonical import sha256_text
from corpus.record_tables import whole_column

Integers = npt.NDArray[np.int64]
SmallIntegers = npt.NDArray[np.int32]
Booleans = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
TokenArrays = tuple[SmallIntegers, Integers]
"""Token numbers, one text after the other, and where each text begins and the last one ends."""
Sets = Any
"""A sparse matrix of ones: a row for each text, a column for each feature that it may have."""

ORDERS = 4
AT_ONCE = 1 << 22
"""N-grams that are numbered, or whose occurrences are told apart, at once: this bounds the memory."""


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

    def words(self, chosen: Iterable[int]) -> dict[int, list[str]]:
        """The tokens of some places."""
        wanted, words = frozenset(chosen), self.vocabulary()
        return {
            place: [words[number] for number in memoryview(key).cast("i")]
            for key, place in self._places.items()
            if place in wanted
        }

    def arrays(self, chosen: Sequence[int] | None = None) -> TokenArrays:
        """The tokens of all distinct texts, or of some places, in that order."""
        size = array("i").itemsize
        lengths = np.fromiter((len(key) // size for key in self._places), np.int64, len(self._places))
        tokens, offsets = np.frombuffer(b"".join(self._places), np.dtype("i")), _bounds(lengths)
        if chosen is None:
            return tokens, offsets
        places = np.array(chosen, np.int64)
        return tokens[_inside(offsets[places], lengths[places])], _bounds(lengths[places])


def _bounds(lengths: Integers) -> Integers:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _inside(starts: Integers, lengths: Integers) -> Integers:
    """The places of all members of runs that start somewhere and are so long."""
    return np.arange(int(lengths.sum())) + np.repeat(starts - _bounds(lengths)[:-1], lengths)


DIGEST, TOKENS = "text_sha256", "tokens"
TEXT_COLUMNS = pa.schema([(DIGEST, pa.string()), (TOKENS, pa.list_(pa.dictionary(pa.int32(), pa.string())))])


class ReadTexts:
    """Texts as they are added, with the SHA-256 of each: ``distinct`` are the token sequences, ``places`` says which
    one each text has."""

    def __init__(self, read: Callable[[str], Iterable[str]], known: pa.Table | None = None) -> None:
        """``read`` gives the tokens of a text; ``known`` has TEXT_COLUMNS of texts that were read so."""
        self.distinct, self.places, self.digests = DistinctTexts(), list[int](), list[str]()
        self._read, self._known = read, dict[str, bytes]()
        if known is not None:
            self._know(whole_column(known, DIGEST), whole_column(known, TOKENS))

    def _know(self, digests: pa.StringArray, tokens: pa.ListArray) -> None:
        self.distinct = DistinctTexts(tokens.values.dictionary.to_pylist())
        numbers, size = tokens.values.indices.to_numpy().tobytes(), array("i").itemsize
        bounds = (tokens.offsets.to_numpy().astype(np.int64) * size).tolist()
        for digest, start, end in zip(digests.to_pylist(), bounds[:-1], bounds[1:], strict=True):
            self._known[digest] = numbers[start:end]

    def add(self, text: str, digest: str = "") -> int:
        """The place of the tokens of a text among the distinct sequences; its digest, where it is known already."""
        digest = digest or sha256_text(text)
        numbers = self._known.get(digest)
        place = self.distinct.add(self._read(text)) if numbers is None else self.distinct.add_numbers(numbers)
        self.places.append(place)
        self.digests.append(digest)
        return place

    def table(self) -> pa.Table:
        """What a next run may know: the rows of TEXT_COLUMNS, one for each text that was added, in that order."""
        return pa.table([pa.array(self.digests, pa.string()), self._tokens(self.places)], schema=TEXT_COLUMNS)

    def _tokens(self, places: Sequence[int]) -> pa.ListArray:
        """Token sequences over the words that occur in them, in alphabetical order."""
        numbers, offsets = self.distinct.arrays(places)
        words = self.distinct.vocabulary()
        used = np.flatnonzero(np.bincount(numbers, minlength=len(words))).tolist()
        ranks = np.zeros(len(words), np.int32)
        used.sort(key=words.__getitem__)
        ranks[used] = np.arange(len(used), dtype=np.int32)
        values = pa.DictionaryArray.from_arrays(
            pa.array(ranks[numbers]), pa.array([words[number] for number in used], pa.string())
        )
        return pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), values)


class _Grams(NamedTuple):
    """N-grams in their order: the number of each, the token that it begins with, and which text each token is of."""

    found: SmallIntegers
    starts: SmallIntegers
    owners: SmallIntegers

    @classmethod
    def of(cls, texts: TokenArrays) -> "_Grams":
        """The single tokens."""
        tokens, offsets = texts
        owners = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
        return cls(tokens, np.arange(len(tokens), dtype=np.int32), owners)

    def texts(self) -> SmallIntegers:
        """The text that each n-gram stands in."""
        return self.owners[self.starts]

    def among(self, chosen: Booleans) -> "_Grams":
        """Those whose number is chosen."""
        kept = chosen[self.found]
        return self._replace(found=self.found[kept], starts=self.starts[kept])

    def longer(self) -> "_Grams":
        """Those of which both ends are here that are one token longer."""
        inside = self._goes_on()
        found = _numbered(self.found[:-1][inside], self.found[1:][inside])
        return self._replace(found=found, starts=self.starts[:-1][inside])

    def _goes_on(self) -> Booleans:
        """Whether the next one, for all but the last, begins with the next token of the same text."""
        owners = self.texts()
        return np.asarray((np.diff(self.starts) == 1) & (owners[:-1] == owners[1:]))


def features(texts: TokenArrays) -> list[Sets]:
    """For each order the features that more than one text has; longer n-grams are looked for among these alone."""
    some, found = _Grams.of(texts), list[Sets]()
    for order in range(ORDERS):
        some = some.longer() if order else some
        one, some = _shared(some, len(texts[1]) - 1)
        found.append(one)
    return found


def _shared(some: _Grams, count: int) -> tuple[Sets, _Grams]:
    """The features that more than one of so many texts has, and their n-grams."""
    owners = some.texts()
    numbers = _occurrences(some.found, owners)
    many = np.bincount(numbers) > 1
    return _sets(numbers, owners, many, count), some.among(many)


def joined(found: Sequence[Sets]) -> tuple[Sets, npt.NDArray[np.int8]]:
    """The features of all orders in one matrix of small numbers, and the order of each less 1."""
    sizes = [np.diff(one.indptr) for one in found]
    bounds = _bounds(sum(sizes))
    members = np.empty(bounds[-1], np.int32)
    start, width = bounds[:-1].copy(), 0
    for one, size in zip(found, sizes, strict=True):
        members[_inside(start, size)] = one.indices + width
        start, width = start + size, width + one.shape[1]
    orders = np.repeat(np.arange(ORDERS, dtype=np.int8), [one.shape[1] for one in found])
    return _ones(members, bounds, width), orders


def distinct_grams(texts: TokenArrays, order: int) -> tuple[Sets, Integers]:
    """The n-grams of one order above 1 that more than one text has, each once and the rarest of a text first, and how
    many different ones each text has."""
    some = _Grams.of(texts)
    for _ in range(1, order):
        some = some.longer()
    found, owners = some.found, some.texts()
    del some  # what it holds beside is as large again
    found, owners = _once(found, owners)
    count, times = len(texts[1]) - 1, np.bincount(found)
    sets = _sets(found, owners, times > 1, count)
    ranks = np.argsort(np.argsort(times[times > 1], kind="stable")).astype(np.int32)
    sets.indices = ranks[sets.indices]
    sets.has_sorted_indices = False
    sets.sort_indices()
    return sets, np.bincount(owners, minlength=count)


def _once(found: SmallIntegers, owners: SmallIntegers) -> tuple[SmallIntegers, SmallIntegers]:
    """The different n-grams of each text, and the text that each of them stands in; they take the place of the given
    ones."""
    width, end = int(found.max(initial=0)) + 1, 0
    for i, j in _pieces(owners):
        keys = _keys(owners[i:j], width, found[i:j])
        keys.sort()
        keys = keys[np.diff(keys, prepend=-1) != 0]
        start, end = end, end + len(keys)
        np.floor_divide(keys, width, out=owners[start:end], casting="unsafe")
        np.remainder(keys, width, out=found[start:end], casting="unsafe")
    return found[:end], owners[:end]


def prefixes(sets: Sets, lengths: Integers) -> Sets:
    """So many of the first members of each set, as a matrix whose products do not overflow."""
    members = sets.indices[_inside(sets.indptr[:-1], lengths)]
    return _ones(members, _bounds(lengths), sets.shape[1]).astype(np.float32)


def _keys(high: SmallIntegers, width: int, low: SmallIntegers | Integers) -> Integers:
    """A number for each pair of numbers, the second below ``width``."""
    keys = high.astype(np.int64)
    keys *= width
    keys += low
    return keys


def _numbered(high: SmallIntegers, low: SmallIntegers | Integers) -> SmallIntegers:
    """A number for each pair of numbers; equal pairs have the same."""
    width, count, numbers = int(low.max(initial=0)) + 1, 0, np.empty(len(high), np.int32)
    parts = len(high) // AT_ONCE + 1
    part_of = ((high ^ low) % parts).astype(np.int16)
    for part in range(parts):
        places = np.flatnonzero(part_of == part)
        encoded = pa.array(_keys(high[places], width, low[places])).dictionary_encode()
        numbers[places] = encoded.indices.to_numpy()
        numbers[places] += count
        count += len(encoded.dictionary)
    return numbers


def _occurrences(found: SmallIntegers, owners: SmallIntegers) -> SmallIntegers:
    """Numbers that tell the occurrences of an n-gram in one text apart; the first one keeps its number."""
    width = int(found.max(initial=0)) + 1
    some = [(i, *_again(_keys(owners[i:j], width, found[i:j]))) for i, j in _pieces(owners)]
    later = np.concatenate([np.zeros(0, np.int64), *(i + places for i, places, _ in some)])
    times = np.concatenate([np.zeros(0, np.int64), *(times for _, _, times in some)])
    numbers = found.copy()
    numbers[later] = width + _numbered(found[later], times)
    return numbers


def _pieces(owners: SmallIntegers) -> list[tuple[int, int]]:
    """Where pieces of whole texts begin and end, given the text of each n-gram in ascending order."""
    starts = np.searchsorted(owners, np.unique(owners[::AT_ONCE])).tolist()
    return list(itertools.pairwise([*starts, len(owners)]))


def _again(keys: Integers) -> tuple[Integers, Integers]:
    """Where keys stand that came before, in the order of the keys, and how many times each came before."""
    order = np.argsort(keys)
    same = np.diff(keys[order], prepend=-1, append=-1) == 0
    again = np.sort(order[same[:-1] | same[1:]])
    again = again[np.argsort(keys[again], kind="stable")]
    starts = np.flatnonzero(np.diff(keys[again], prepend=-1))
    times = np.arange(len(again)) - np.repeat(starts, np.diff(starts, append=len(again)))
    return again[times > 0], times[times > 0]


def _sets(found: SmallIntegers | Integers, owners: SmallIntegers | Integers, many: Booleans, count: int) -> Sets:
    """The features that are ``many``, renumbered; ``owners`` come in ascending order."""
    kept = many[found]
    members = (np.cumsum(many, dtype=np.int32) - 1)[found[kept]]
    return _ones(members, _bounds(np.bincount(owners[kept], minlength=count)), int(many.sum()))


def _ones(members: SmallIntegers, bounds: Integers, width: int) -> Sets:
    """The members of sets, one set after the other, as a matrix; its numbers are as small as they can be."""
    small = bounds.astype(np.int32) if bounds[-1] < np.iinfo(np.int32).max else bounds
    return scipy.sparse.csr_array((np.ones(len(members), np.int8), members, small), shape=(len(bounds) - 1, width))
