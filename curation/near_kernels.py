"""Pairs of sets whose Jaccard index reaches a threshold, in loops that numba compiles."""

import numpy as np

from curation.dense import Floats
from curation.gram_kernels import Booleans, Numbers32, compiled, longer_grams, room_for
from curation.ngrams import Integers

NearPairs = tuple[Integers, Integers, Floats]

_ROUNDING = 1e-9


def near_pairs(tokens: Numbers32, offsets: Integers, order: int, threshold: float) -> NearPairs:
    """Pairs of texts whose sets of n-grams of ``order`` reach the threshold: left, right and similarity of each."""
    everyone = np.ones(len(offsets) - 1, bool)
    grams, count = tokens, int(tokens.max(initial=-1)) + 1
    for longer in range(2, order + 1):
        grams, count = longer_grams(grams, tokens, offsets, longer, everyone)
    sets, bounds = _sets(grams, offsets)
    frequency = np.bincount(sets, minlength=count)
    rank = np.empty(count, np.int32)
    rank[np.argsort(frequency, kind="stable")] = np.arange(count, dtype=np.int32)
    sets = rank[sets]
    _sort_each(sets, bounds)
    common = np.empty(count, bool)
    common[rank] = frequency > 1
    prefixes = _prefixes(sets, bounds, threshold, common)
    return _joined(sets, bounds, threshold, room_for(prefixes, bounds, everyone, count), prefixes)


@compiled
def _sort_each(sets: Numbers32, bounds: Integers) -> None:
    for text in range(len(bounds) - 1):
        sets[bounds[text] : bounds[text + 1]].sort()


@compiled
def _sets(grams: Numbers32, offsets: Integers) -> tuple[Numbers32, Integers]:
    """The n-grams of each text without repetition."""
    found = np.empty(len(grams), np.int32)
    bounds = np.zeros(len(offsets), np.int64)
    size = 0
    for text in range(len(offsets) - 1):
        mine = np.sort(grams[offsets[text] : offsets[text + 1]])
        for place in range(len(mine)):
            if mine[place] >= 0 and (place == 0 or mine[place] != mine[place - 1]):
                found[size] = mine[place]
                size += 1
        bounds[text + 1] = size
    return found[:size].copy(), bounds


@compiled
def _prefixes(sets: Numbers32, bounds: Integers, threshold: float, common: Booleans) -> Numbers32:
    """The rarest members of each set, one of which it shares with any set as near; -1 at the places of others."""
    found = np.full(len(sets), -1, np.int32)
    for text in range(len(bounds) - 1):
        size = bounds[text + 1] - bounds[text]
        most = size - int(np.ceil(threshold * size - _ROUNDING)) + 1
        for place in range(bounds[text], bounds[text] + min(most, size)):
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
def _joined(sets: Numbers32, bounds: Integers, threshold: float, starts: Integers, prefixes: Numbers32) -> NearPairs:
    """The pairs that reach the threshold.

    Sets are sorted alike, so that two whose first common member is their i-th and j-th share no more than what stands
    from there on in either: most that share a member of their prefixes are passed over without being compared.
    """
    posting, sizes = np.empty((starts[-1], 3), np.int32), np.zeros(len(starts), np.int32)
    seen = np.full(len(bounds), -1, np.int32)
    pairs, similarity = np.empty((16, 2), np.int64), np.empty(16, np.float64)
    count, share = 0, threshold / (1 + threshold)
    for text in range(len(bounds) - 1):
        end = bounds[text + 1]
        size = end - bounds[text]
        for place in range(bounds[text], end):
            member = prefixes[place]
            if member < 0:
                continue
            for at in range(starts[member], starts[member] + sizes[member]):
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
                    pairs[count, 0], pairs[count, 1] = other, text
                    similarity[count] = shared / (both - shared)
                    count += 1
            at = starts[member] + sizes[member]
            posting[at, 0], posting[at, 1], posting[at, 2] = text, end - place, size
            sizes[member] += 1
    return pairs[:count, 0].copy(), pairs[:count, 1].copy(), similarity[:count].copy()
