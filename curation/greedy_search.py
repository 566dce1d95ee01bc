"""The greedy filter for many texts: each is compared with the accepted ones that may be its nearest, and no others.

What an earlier run found about texts that stay can be given, so that only new ones are searched for among all and all
others among new ones. Results are those of ``curation.greedy_pairs`` to the last bit.
"""

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

from curation.block_index import BLOCK, GramIndex, GramTexts, novel_features
from curation.dense import Floats
from curation.gram_kernels import (
    Numbers32,
    alike,
    longer_grams,
    occurrences,
    place_features,
    rearranged,
    shared_at_most,
)
from curation.greedy_memory import UNKNOWN
from curation.greedy_pairs import GreedyResult
from curation.ngrams import ORDERS, Booleans, DistinctTexts, Integers
from curation.search_kernels import SLACK, GreedyState, SearchRoom, accept, search
from curation.similarity import length_factor
from curation.sketches import sketched

BATCH = 256
"""Texts that are searched for at once, before the first of them is decided."""
HOPED = 0.85
"""A text that lost its nearest one is hoped to find another at least so near, as a share of what it knew."""
THREADS = 4
"""Threads at most; numba's own limit (``NUMBA_NUM_THREADS``, by default the processors of this process) holds too."""


def found_by_search(
    texts: DistinctTexts, given: int, ld_min: float, former: GreedyResult | None = None
) -> GreedyResult:
    """The greedy rule over distinct token sequences in order of precedence; the first ``given`` are accepted.

    ``former`` is what is known of each text, with ``UNKNOWN`` as nearest of new ones. Former texts stand in the order
    that they had, and the nearest ones among them count as accepted before. Where a former nearest is not accepted any
    more, and none as near has come, the text counts as new in another round, which knows what this one found. That
    round leaves out who shares too little to be the nearest it hopes for, or to get a nearer one itself. Who finds less
    than was hoped for is searched for once more, among all.
    """
    tokens, offsets = texts.arrays()
    count = len(texts)
    known = former or GreedyResult(np.zeros(count, bool), np.zeros(count), np.full(count, UNKNOWN, np.int64))
    while True:
        new = known.nearest == UNKNOWN
        hoped = HOPED * known.similarity[new].min(initial=1.0)
        chosen = _within_reach(tokens, offsets, known, hoped)
        found = GreedyState(
            np.where(new, 0.0, known.similarity),
            np.where(new, -1, known.nearest),
            np.where(chosen, np.arange(count) < given, known.accepted),
            known.accepted,
            new,
        )
        _decide((tokens, offsets, alike(tokens, offsets, BLOCK, (new, chosen & ~new))), (given, ld_min), found)
        missed = new & (found.similarity < hoped)
        lost = missed | ((found.nearest >= 0) & ~found.accepted[found.nearest])
        known = GreedyResult(
            found.accepted, np.where(missed, 0.0, found.similarity), np.where(lost, UNKNOWN, found.nearest)
        )
        if not lost.any():
            return known


def _within_reach(tokens: Numbers32, offsets: Integers, known: GreedyResult, hoped: float) -> Booleans:
    """Texts that are new, that may be ``hoped`` near to a new one, or to which one may be nearer than all others."""
    new = known.nearest == UNKNOWN
    if hoped == 0:
        return np.ones(len(new), bool)
    size = int(np.diff(offsets)[new].sum())
    shared = shared_at_most(tokens, offsets, new, 1 << max(10, (16 * size).bit_length()))
    lengths, length_class = np.unique(np.diff(offsets), return_inverse=True)
    bound = shared * _factors(lengths).max(axis=1, initial=0.0)[length_class] ** 4
    return np.asarray(new | (bound >= np.minimum(hoped, known.similarity) ** 4 * SLACK))


def _decide(placed: tuple[Numbers32, Integers, Numbers32], rule: tuple[int, float], found: GreedyState) -> None:
    """Apply the rule to some texts, ``placed`` by tokens, ends and slots; ``found`` is changed in place.

    A batch of texts is searched for by several threads in the index as it stands, and then decided in order: what is
    found does not depend on their number.
    """
    tokens, offsets, places = placed
    slots, chosen = np.full(len(found.searched), -1, np.int32), np.sort(places)
    slots[places] = np.arange(len(places), dtype=np.int32)
    searched = found.searched[places]
    texts, count = _texts(*rearranged(tokens, offsets, places), places, searched)
    everyone = _index(texts, count, np.ones(len(places), bool))
    # Where all are new, nobody looks for the nearest new one.
    grown = not searched.all()
    fresh = _index(texts, count, searched & ~found.formerly[places]) if grown else everyone
    threads = min(numba.config.NUMBA_NUM_THREADS, THREADS)  # type: ignore[attr-defined]  # made when it is imported
    rooms = [_room(texts, count) for _ in range(threads)]
    with ThreadPoolExecutor(len(rooms)) as pool:
        for start in range(0, len(chosen), BATCH):
            batch = chosen[start : start + BATCH]
            asked = batch[batch >= rule[0]]
            under_way = [
                pool.submit(search, asked[number :: len(rooms)], slots, texts, found, (everyone, fresh, room))
                for number, room in enumerate(rooms)
            ]
            for one in under_way:
                one.result()
            accept(batch, (*rule, grown), slots, found, (texts, everyone, fresh, rooms[0]))


def _texts(tokens: Numbers32, starts: Integers, places: Numbers32, asked: Booleans) -> tuple[GramTexts, int]:
    """The features of all texts that one of ``asked`` has as well, and how many there are."""
    grams, count = tokens, int(tokens.max(initial=-1)) + 1
    features, repeats, known = np.zeros(ORDERS * len(tokens), np.int32), np.zeros(ORDERS, np.int64), 1
    for order in range(1, ORDERS + 1):
        if order > 1:
            grams, count = longer_grams(grams, tokens, starts, order, asked)
        found, total = occurrences(grams, starts, count, asked)
        place_features(found, total, starts, (order - 1, known), features)
        repeats[order - 1] = known + count
        known += total
    lengths, length_class = np.unique(np.diff(starts), return_inverse=True)
    factors = _factors(lengths)
    sketches = sketched(features, starts)
    return GramTexts(
        starts, places, features, sketches, repeats, length_class.astype(np.int32), factors, factors**4
    ), known


def _factors(lengths: Integers) -> Floats:
    """The factor of every two lengths; 0 for texts that are too short to hold a 4-gram."""
    table = np.zeros((len(lengths), len(lengths)))
    long = np.flatnonzero(lengths >= ORDERS)
    left, right = np.repeat(long, len(long)), np.tile(long, len(long))
    table[left, right] = length_factor(lengths[left], lengths[right])
    return table


def _index(texts: GramTexts, count: int, chosen: Booleans) -> GramIndex:
    """An empty index with room for the chosen texts."""
    novel, starts = novel_features(texts, count, chosen)
    blocks = len(chosen) // BLOCK + 1
    return GramIndex(
        starts,
        np.zeros(count, np.int32),
        np.zeros(int(starts[-1]), np.int32),
        novel,
        np.zeros(blocks * BLOCK, np.int32),
        np.zeros(blocks, np.int32),
    )


def _room(texts: GramTexts, count: int) -> SearchRoom:
    blocks = len(texts.places) // BLOCK + 1
    longest = int(np.diff(texts.starts).max(initial=0))
    return SearchRoom(
        marks=np.full(count, -1, np.int32),
        lost=np.zeros(ORDERS, np.int64),
        counts=np.zeros(blocks, np.int64),
        touched=np.zeros(blocks, np.int32),
        likeliest=np.zeros(2, np.int64),
        open=np.zeros((ORDERS, longest), bool),
        left=np.zeros(ORDERS, np.int64),
        rest=np.zeros(ORDERS, np.int64),
        heads=np.zeros(ORDERS, np.int64),
    )
