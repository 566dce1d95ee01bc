"""Pairs of sets whose Jaccard index reaches a threshold, in loops that numba compiles."""

import numpy as np
import numpy.typing as npt

from curation.dense import Floats
from curation.gram_kernels import Numbers32, compiled, longer_grams, room_for
from curation.ngrams import Booleans, Integers

NearPairs = tuple[Integers, Integers, Floats]
WordNumbers = npt.NDArray[np.int32]

_ROUNDING = 1e-9


def near_pairs(tokens: Numbers32, offsets: Integers, order: int, threshold: float, asked: Booleans) -> NearPairs:
    """Pairs of texts whose sets of n-grams of ``order`` reach the threshold: left, right and similarity of each.

    ``order`` is 3 at most, so that the places of an n-gram's tokens fit into a number. One text of a pair is ``asked``
    at least: n-grams that none of these has are only counted.
    """
    grams, count = tokens, int(tokens.max(initial=-1)) + 1
    words = np.full((2, count), -1, np.int32)
    for longer in range(2, order + 1):
        grams, count = longer_grams(grams, tokens, offsets, longer, asked)
    sets, bounds, sizes = _sets(grams, tokens, offsets, order, words)
    frequency = np.bincount(sets, minlength=count)
    rank = np.empty(count, np.int32)
    rank[np.argsort(frequency, kind="stable")] = np.arange(count, dtype=np.int32)
    sets = rank[sets]
    _sort_each(sets, bounds)
    common = np.empty(count, bool)
    common[rank] = frequency > 1
    prefixes = _prefixes(sets, bounds, sizes, threshold, common)
    starts = room_for(prefixes, bounds, asked, count)
    return _joined((sets, bounds, sizes), threshold, starts, prefixes, asked)


@compiled
def _sort_each(sets: Numbers32, bounds: Integers) -> None:
    for text in range(len(bounds) - 1):
        sets[bounds[text] : bounds[text + 1]].sort()


@compiled
def _sets(
    grams: Numbers32, tokens: Numbers32, offsets: Integers, order: int, words: WordNumbers
) -> tuple[Numbers32, Integers, Integers]:
    """The numbered n-grams of each text without repetition, and how many it has with those that have no number.

    These are told apart by their tokens, which are numbered text by text in ``words``: text and number of each.
    """
    found = np.empty(len(grams), np.int32)
    bounds, sizes = np.zeros(len(offsets), np.int64), np.zeros(len(offsets) - 1, np.int64)
    size = 0
    for text in range(len(offsets) - 1):
        begin, end = offsets[text], max(offsets[text], offsets[text + 1] - order + 1)
        mine = np.sort(grams[begin:end])
        others = int(np.searchsorted(mine, 0))
        for place in range(others, len(mine)):
            if place == others or mine[place] != mine[place - 1]:
                found[size] = mine[place]
                size += 1
        bounds[text + 1] = size
        sizes[text] = size - bounds[text]
        if others:
            sizes[text] += _different(grams, tokens, (begin, end, order), (text, others), words)
    return found[:size].copy(), bounds, sizes


@compiled
def _different(
    grams: Numbers32, tokens: Numbers32, where: tuple[int, int, int], asked: tuple[int, int], words: WordNumbers
) -> int:
    """How many different n-grams without a number a text has, of so many occurrences."""
    begin, end, order = where
    text, others = asked
    known, keys, count = 0, np.empty(others, np.int64), 0
    for token in tokens[begin : end + order - 1]:
        if words[0, token] != text:
            words[0, token], words[1, token] = text, known
            known += 1
    for place in range(begin, end):
        if grams[place] < 0:
            key = 0
            for token in tokens[place : place + order]:
                key = key * known + words[1, token]
            keys[count] = key
            count += 1
    keys.sort()
    different = 1
    for at in range(1, others):
        different += keys[at] != keys[at - 1]
    return different


@compiled
def _prefixes(sets: Numbers32, bounds: Integers, sizes: Integers, threshold: float, common: Booleans) -> Numbers32:
    """The rarest members of each set, one of which it shares with any set as near; -1 at the places of others.

    Members without a number are the rarest.
    """
    found = np.full(len(sets), -1, np.int32)
    for text in range(len(bounds) - 1):
        listed = bounds[text + 1] - bounds[text]
        most = listed - int(np.ceil(threshold * sizes[text] - _ROUNDING)) + 1
        for place in range(bounds[text], bounds[text] + min(most, listed)):
            if common[sets[place]]:
                found[place] = sets[place]
    return found


@compiled
def _shared(sets: Numbers32, first: tuple[int, int], second: tuple[int, int], least: float) -> int:
    """How many members two sets share, or 0 as soon as it cannot be ``least``."""
    left, right = first[0], second[0]
    count = 0
    while left < first[1] and right < second[1]:
        if count + min(first[1] - left, second[1] - right) < least:
            return 0
        if sets[left] == sets[right]:
            count += 1
            left += 1
            right += 1
        elif sets[left] < sets[right]:
            left += 1
        else:
            right += 1
    return count


@compiled
def _joined(
    held: tuple[Numbers32, Integers, Integers],
    threshold: float,
    starts: Integers,
    prefixes: Numbers32,
    asked: Booleans,
) -> NearPairs:
    """The pairs that reach the threshold, of sets with their bounds and sizes; those asked alone are looked for.

    Sets are sorted alike, so that two whose first common member is their i-th and j-th share no more than what stands
    from there on in either: most that share a member of their prefixes are passed over without being compared.
    """
    sets, bounds, sizes = held
    posting, filled = np.empty((starts[-1], 3), np.int32), np.zeros(len(starts), np.int32)
    seen = np.full(len(bounds), -1, np.int32)
    pairs, similarity = np.empty((16, 2), np.int64), np.empty(16, np.float64)
    count, share = 0, threshold / (1 + threshold)
    for text in np.concatenate((np.flatnonzero(asked), np.flatnonzero(~asked))):
        end, size = bounds[text + 1], sizes[text]
        for place in range(bounds[text], end):
            member = prefixes[place]
            if member < 0:
                continue
            for at in range(starts[member], starts[member] + filled[member]):
                other, left, both = posting[at, 0], posting[at, 1], size + posting[at, 2]
                least = share * both - _ROUNDING
                if min(end - place, left) < least or seen[other] == text:
                    continue
                seen[other] = text
                theirs = (bounds[other + 1] - left, bounds[other + 1])
                shared = _shared(sets, (place, end), theirs, least)
                if shared and shared / (both - shared) >= threshold:
                    if count == len(pairs):
                        pairs = np.concatenate((pairs, np.empty_like(pairs)))
                        similarity = np.concatenate((similarity, np.empty_like(similarity)))
                    pairs[count, 0], pairs[count, 1] = min(other, text), max(other, text)
                    similarity[count] = shared / (both - shared)
                    count += 1
            if asked[text]:
                at = starts[member] + filled[member]
                posting[at, 0], posting[at, 1], posting[at, 2] = text, end - place, size
                filled[member] += 1
    return pairs[:count, 0].copy(), pairs[:count, 1].copy(), similarity[:count].copy()
