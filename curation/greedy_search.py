"""The greedy filter for many texts: each is compared with the accepted ones that may be its nearest, and no others.

What an earlier run found about texts that stay can be given, so that only new ones are searched for among all and all
others among new ones. Results are those of ``curation.greedy_pairs`` to the last bit.
"""

from collections.abc import Sequence

import numpy as np

from curation.dense import Floats
from curation.gram_kernels import (
    Booleans,
    Numbers32,
    longer_grams,
    occurrences,
    room_for,
    without_single_ones,
)
from curation.greedy_memory import UNKNOWN
from curation.greedy_pairs import GreedyResult
from curation.ngrams import ORDERS, Integers
from curation.search_kernels import FourIds, FourLists, GramIndex, GramTexts, GreedyState, SearchRoom, decide
from curation.similarity import length_factor


def found_by_search(
    texts: Sequence[Sequence[str]], given: int, ld_min: float, former: GreedyResult | None = None
) -> GreedyResult:
    """The greedy rule over distinct token sequences in order of precedence; the first ``given`` are accepted."""
    tokens, offsets = numbered(texts)
    nothing = GreedyResult(np.zeros(len(texts), bool), np.zeros(len(texts)), np.full(len(texts), UNKNOWN, np.int64))
    return decided(tokens, offsets, (given, ld_min), former or nothing)


def numbered(texts: Sequence[Sequence[str]]) -> tuple[Numbers32, Integers]:
    """Tokens as numbers, one text after the other, and where each text begins and the last one ends."""
    vocabulary: dict[str, int] = {}
    lengths = np.fromiter((len(text) for text in texts), np.int64, len(texts))
    numbers = (vocabulary.setdefault(token, len(vocabulary)) for text in texts for token in text)
    tokens = np.fromiter(numbers, np.int32, int(lengths.sum()))
    return tokens, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def decided(tokens: Numbers32, offsets: Integers, rule: tuple[int, float], former: GreedyResult) -> GreedyResult:
    """The same of token numbers; ``former`` is what is known of each text, with ``UNKNOWN`` as nearest of new ones.

    Former texts stand in the order that they had, and the nearest ones among them count as accepted before. The first
    of the rule are given: these are accepted. Where a former nearest is not accepted any more, the text counts as new.
    """
    count = len(offsets) - 1
    known = former.nearest.copy()
    while True:
        new = known == UNKNOWN
        found = GreedyState(
            former.similarity.copy(),
            known.copy(),
            np.arange(count) < rule[0],
            former.accepted,
            new,
            np.zeros(count, bool),
        )
        _decide(tokens, offsets, rule, found)
        if not found.lost.any():
            return GreedyResult(found.accepted, found.similarity, found.nearest)
        known[found.lost] = UNKNOWN


def _decide(tokens: Numbers32, offsets: Integers, rule: tuple[int, float], found: GreedyState) -> None:
    texts, counts = _texts(tokens, offsets, found.searched)
    everyone = _index(texts, counts, np.ones(len(found.searched), bool))
    # Where all are new, nobody looks for the nearest new one.
    grown = not found.searched.all()
    fresh = _index(texts, counts, found.searched) if grown else everyone
    decide(texts, found, (*rule, grown), (everyone, fresh), _room(texts, counts))


def _texts(tokens: Numbers32, offsets: Integers, asked: Booleans) -> tuple[GramTexts, list[int]]:
    """The features of all texts that one of ``asked`` has as well, and how many there are of each order."""
    grams, count = tokens, int(tokens.max(initial=-1)) + 1
    features, counts, distinct = [], [], []
    for order in range(1, ORDERS + 1):
        if order > 1:
            grams, count = longer_grams(grams, tokens, offsets, order, asked)
        found, total = occurrences(grams, offsets, count, asked)
        features.append(without_single_ones(found, total))
        counts.append(total)
        distinct.append(count)
    lengths, length_class = np.unique(np.diff(offsets), return_inverse=True)
    factors = _factors(lengths)
    of_orders: FourIds = (features[0], features[1], features[2], features[3])
    classes = length_class.astype(np.int32)
    return GramTexts(offsets, of_orders, np.array(distinct, np.int64), classes, factors, factors**4), counts


def _factors(lengths: Integers) -> Floats:
    """The factor of every two lengths; 0 for texts that are too short to hold a 4-gram."""
    table = np.zeros((len(lengths), len(lengths)))
    long = np.flatnonzero(lengths >= ORDERS)
    left, right = np.repeat(long, len(long)), np.tile(long, len(long))
    table[left, right] = length_factor(lengths[left], lengths[right])
    return table


def _index(texts: GramTexts, counts: Sequence[int], chosen: Booleans) -> GramIndex:
    """An empty index with room for the chosen texts."""
    first, second, third, fourth = (
        room_for(features, texts.offsets, chosen, count) for features, count in zip(texts.features, counts, strict=True)
    )
    starts: FourLists = (first, second, third, fourth)
    return GramIndex(starts, _zeros(counts), _zeros([int(start[-1]) for start in starts]))


def _zeros(sizes: Sequence[int]) -> FourIds:
    first, second, third, fourth = (np.zeros(size, np.int32) for size in sizes)
    return first, second, third, fourth


def _room(texts: GramTexts, counts: Sequence[int]) -> SearchRoom:
    first, second, third, fourth = (np.full(count, -1, np.int32) for count in counts)
    count = len(texts.offsets) - 1
    longest = int(np.diff(texts.offsets).max(initial=0))
    return SearchRoom(
        marks=(first, second, third, fourth),
        counts=np.zeros(count, np.int64),
        touched=np.zeros(count, np.int32),
        likeliest=np.zeros(2, np.int64),
        open=np.zeros((ORDERS, longest), bool),
        left=np.zeros(ORDERS, np.int64),
        rest=np.zeros(ORDERS, np.int64),
        heads=np.zeros(ORDERS, np.int64),
    )
