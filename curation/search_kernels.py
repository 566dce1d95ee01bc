"""The exact nearest accepted text of each text, in loops that numba compiles.

``similarity ** 4`` is the product of the shared n-grams of orders 1 to 4 times a power that depends on two lengths.
N-grams are looked for from rare to common. What has none of those looked for shares at most the others, and the product
of their numbers is a bound: once it is below the best found, no further text needs to be seen. A text without an
n-gram has no longer one that holds it, so that a rare word closes all n-grams around it.
"""

import math
from typing import NamedTuple

import numpy as np

from curation.dense import Floats
from curation.gram_kernels import Booleans, Numbers32, compiled
from curation.greedy_memory import UNKNOWN
from curation.ngrams import Integers

FourIds = tuple[Numbers32, Numbers32, Numbers32, Numbers32]
FourLists = tuple[Integers, Integers, Integers, Integers]
NearestText = tuple[float, int]
"""Similarity and place of the nearest text; (0, -1) for none."""

FIELD = 20
"""Bits of each of the three counts of an accumulator: a text holds at most 200,000 tokens."""
LOW = (1 << FIELD) - 1
TOUCHED, VERIFIED = 1 << 60, 1 << 61
FIRST_PROBE, PROBE_GROWTH = 32, 1.5
"""N-grams looked at before the likeliest text is compared, which raises the best found, and their growth from then."""
SLACK = 1 - 1e-9
"""Bounds and scores are rounded differently in the last digits; a text is only passed over with this much room."""


class GramTexts(NamedTuple):
    """Features by order, how many of these are first occurrences, and factors by classes of equal length."""

    offsets: Integers
    features: FourIds
    distinct: Integers
    length_class: Numbers32
    factors: Floats
    powers: Floats


class GramIndex(NamedTuple):
    """The texts of feature ``f`` are ``postings[order][starts[order][f]:][:sizes[order][f]]``."""

    starts: FourLists
    sizes: FourIds
    postings: FourIds


class SearchRoom(NamedTuple):
    """Working memory of a search.

    ``counts`` are zero between two searches: shared features of orders 2 to 4 found so far, ``touched`` lists who has
    some. ``likeliest``: the greatest such count and its text. Of the n-grams of the text that is searched, ``open``
    are those that a text not yet touched may share, and there are ``left`` of them; ``rest`` were not counted yet.
    """

    marks: FourIds
    counts: Integers
    touched: Numbers32
    likeliest: Integers
    open: Booleans
    left: Integers
    rest: Integers
    heads: Integers


class GreedyState(NamedTuple):
    """Of each text similarity to its nearest and place of this, whether it is accepted, and was so formerly.

    ``searched``: its n-grams are in the index of new ones; ``lost``: its former nearest is not accepted any more.
    """

    similarity: Floats
    nearest: Integers
    accepted: Booleans
    formerly: Booleans
    searched: Booleans
    lost: Booleans


BothIndexes = tuple[GramIndex, GramIndex]
"""Of all accepted texts, and of those that were not accepted formerly."""
SearchProgress = tuple[SearchRoom, int, int]
"""The room, how many texts are touched, and how many entries of the index were looked at."""


@compiled
def add(text: int, texts: GramTexts, index: GramIndex) -> None:
    """Put a text into an index."""
    for order in range(4):
        mine, first, size = texts.features[order], index.starts[order], index.sizes[order]
        posting = index.postings[order]
        for place in range(texts.offsets[text], texts.offsets[text + 1]):
            feature = mine[place]
            if feature >= 0:
                posting[first[feature] + size[feature]] = text
                size[feature] += 1


@compiled
def _listed(text: int, order: int, texts: GramTexts, size: Numbers32) -> Integers:
    """Features that the index has, as number of its texts and place in this text, those of the fewest texts first."""
    begin, end = texts.offsets[text], texts.offsets[text + 1]
    found = np.empty(end - begin, np.int64)
    count, mine = 0, texts.features[order]
    for place in range(begin, end):
        feature = mine[place]
        if feature >= 0 and size[feature] > 0:
            found[count] = (int(size[feature]) << 32) | (place - begin)
            count += 1
    found = found[:count]
    found.sort()
    return found


@compiled
def _prepare(text: int, texts: GramTexts, lists: FourLists, room: SearchRoom) -> None:
    begin, end = texts.offsets[text], texts.offsets[text + 1]
    room.likeliest[0] = 0
    for order in range(4):
        mine, mark = texts.features[order], room.marks[order]
        for place in range(begin, end):
            if mine[place] >= 0:
                mark[mine[place]] = text
        room.open[order, : end - begin] = False
        for packed in lists[order]:
            room.open[order, packed & 0xFFFFFFFF] = True
        room.left[order] = room.rest[order] = len(lists[order])
        room.heads[order] = 0


@compiled
def _shared(mark: Numbers32, mine: Numbers32, text: int, places: tuple[int, int]) -> int:
    """How many features of the marked text stand between two places."""
    count = 0
    for place in range(places[0], places[1]):
        feature = mine[place]
        if feature >= 0 and mark[feature] == text:
            count += 1
    return count


@compiled
def _similarity(text: int, other: int, texts: GramTexts, marks: FourIds, limits: tuple[int, int, float]) -> float:
    """Exact similarity of the marked text and another one.

    0 as soon as it cannot reach ``limits``: the shared features of orders 2 and 4 at most, and the fourth power wanted.
    """
    most_two, most_four, least = limits
    places = (texts.offsets[other], texts.offsets[other + 1])
    factor = texts.factors[texts.length_class[text], texts.length_class[other]]
    one = _shared(marks[0], texts.features[0], text, places)
    most_two = min(most_two, one)
    scale = texts.powers[texts.length_class[text], texts.length_class[other]] * one * most_two
    if scale * most_two * min(most_two, most_four) < least:
        return 0.0
    three = _shared(marks[2], texts.features[2], text, places)
    if scale * three * min(three, most_four) < least:
        return 0.0
    four = _shared(marks[3], texts.features[3], text, places)
    if scale * three * four < least:
        return 0.0
    two = _shared(marks[1], texts.features[1], text, places)
    product = np.float64(four) * np.float64(one) * np.float64(two) * np.float64(three)
    return min(math.sqrt(math.sqrt(product)) * float(factor), 1.0)


@compiled
def _better(best: NearestText, value: float, other: int) -> NearestText:
    if value > best[0] or (value == best[0] and value > 0.0 and other < best[1]):
        return value, int(other)
    return best


@compiled
def _count(order: int, feature: int, index: GramIndex, room: SearchRoom, seen: int) -> int:
    """Count a feature for all texts that have it; returns how many are touched by now."""
    first, size = index.starts[order][feature], index.sizes[order][feature]
    posting, counts = index.postings[order], room.counts
    unit = 1 << (FIELD * (order - 1)) if order else 0
    most = room.likeliest[0]
    for place in range(first, first + size):
        other = posting[place]
        count = counts[other]
        if count == 0:
            room.touched[seen] = other
            seen += 1
            count = TOUCHED
        count += unit
        counts[other] = count
        if most < count < VERIFIED:
            most, room.likeliest[1] = count, other
    room.likeliest[0] = most
    room.rest[order] -= 1
    return seen


@compiled
def _gain(order: int, place: int, length: int, open_: Booleans, left: Integers) -> float:
    """By how much the logarithm of the bound falls once this n-gram was looked for."""
    gain = 0.0
    for longer in range(order, 4):
        closed = 0
        for at in range(max(0, place - (longer - order)), min(place, length - 1) + 1):
            closed += open_[longer, at]
        if closed:
            gain -= math.log(max(1.0 - closed / left[longer], 0.01))
    return gain


@compiled
def _close(order: int, place: int, length: int, open_: Booleans, left: Integers) -> None:
    """No text that is not touched has this n-gram, nor a longer one that holds it."""
    for longer in range(order, 4):
        for at in range(max(0, place - (longer - order)), min(place, length - 1) + 1):
            if open_[longer, at]:
                open_[longer, at] = False
                left[longer] -= 1


@compiled
def _cheapest(lists: FourLists, length: int, room: SearchRoom) -> int:
    """The order whose rarest open n-gram lowers the bound most for each text that has it."""
    chosen, cost = -1, np.inf
    for order in range(3, -1, -1):
        head = room.heads[order]
        if head < len(lists[order]):
            packed = lists[order][head]
            value = (packed >> 32) / _gain(order, packed & 0xFFFFFFFF, length, room.open, room.left)
            if value < cost:
                chosen, cost = order, value
    return chosen


@compiled
def _closed_ones(
    text: int, texts: GramTexts, index: GramIndex, lists: FourLists, state: tuple[SearchRoom, int, int]
) -> tuple[int, int]:
    """Go past n-grams that are closed: they touch nothing new, and are counted where that costs little."""
    room, seen, looked_at = state
    begin = texts.offsets[text]
    for order in range(4):
        head, mine = room.heads[order], lists[order]
        while head < len(mine) and not room.open[order, mine[head] & 0xFFFFFFFF]:
            size = mine[head] >> 32
            if order and size <= looked_at:
                looked_at += size
                seen = _count(order, texts.features[order][begin + (mine[head] & 0xFFFFFFFF)], index, room, seen)
            head += 1
        room.heads[order] = head
    return seen, looked_at


@compiled
def _settle(text: int, best: NearestText, texts: GramTexts, room: SearchRoom, seen: int) -> NearestText:
    """Compare all touched texts that may be nearer, and clear the counts."""
    length = texts.offsets[text + 1] - texts.offsets[text]
    powers, least = texts.powers[texts.length_class[text]], best[0] ** 4 * SLACK
    ceiling = powers.max() * length
    for turn in range(seen):
        other = room.touched[turn]
        count = room.counts[other]
        room.counts[other] = 0
        if count >= VERIFIED:
            continue
        two = (count & LOW) + room.rest[1]
        three = ((count >> FIELD) & LOW) + room.rest[2]
        four = ((count >> (2 * FIELD)) & LOW) + room.rest[3]
        product = np.float64(two) * three * four
        if product == 0.0 or product * ceiling < least:
            continue
        shorter = min(length, texts.offsets[other + 1] - texts.offsets[other])
        if product * shorter * powers[texts.length_class[other]] >= least:
            value = _similarity(text, other, texts, room.marks, (two, four, least))
            best = _better(best, value, other)
            least = best[0] ** 4 * SLACK
    return best


@compiled
def nearest(text: int, best: NearestText, texts: GramTexts, index: GramIndex, room: SearchRoom) -> NearestText:
    """The most similar text of an index, of equal ones the first; ``best`` if none is nearer or as near and earlier."""
    sizes = index.sizes
    fours = _listed(text, 3, texts, sizes[3])
    if len(fours) == 0:
        return best
    lists = (
        _listed(text, 0, texts, sizes[0]),
        _listed(text, 1, texts, sizes[1]),
        _listed(text, 2, texts, sizes[2]),
        fours,
    )
    begin, length = texts.offsets[text], texts.offsets[text + 1] - texts.offsets[text]
    _prepare(text, texts, lists, room)
    most = texts.powers[texts.length_class[text]].max()
    seen, looked_at, probe, left = 0, 0, FIRST_PROBE, room.left
    while left[3] > 0:
        least = best[0] ** 4 * SLACK
        if most * left[0] * left[1] * left[2] * left[3] < least:
            break
        order = _cheapest(lists, length, room)
        packed = lists[order][room.heads[order]]
        place = packed & 0xFFFFFFFF
        feature = texts.features[order][begin + place]
        room.heads[order] += 1
        seen = _count(order, feature, index, room, seen)
        looked_at += packed >> 32
        if feature < texts.distinct[order]:
            _close(order, place, length, room.open, room.left)
        else:  # a second occurrence: a longer n-gram may stand elsewhere
            room.open[order, place] = False
            left[order] -= 1
        seen, looked_at = _closed_ones(text, texts, index, lists, (room, seen, looked_at))
        if looked_at >= probe and room.likeliest[0] > 0:
            probe = int(looked_at * PROBE_GROWTH)
            other = room.likeliest[1]
            room.likeliest[0] = 0
            room.counts[other] += VERIFIED
            value = _similarity(text, other, texts, room.marks, (length, length, best[0] ** 4 * SLACK))
            best = _better(best, value, other)
    return _settle(text, best, texts, room, seen)


@compiled
def decide(
    texts: GramTexts,
    found: GreedyState,
    rule: tuple[int, float, bool],
    indexes: tuple[GramIndex, GramIndex],
    room: SearchRoom,
) -> None:
    """Apply the greedy rule to texts in order of precedence.

    ``rule``: how many are given, the least diversity, and whether anything is known from a former run.

    ``found`` is changed in place. A text whose nearest is ``UNKNOWN`` is searched for among all that were accepted
    before it, the others among those alone that were not accepted formerly. A text whose former nearest is not accepted
    any more is ``lost``: what follows it may be wrong.
    """
    given, ld_min, grown = rule
    everyone, fresh = indexes
    for text in range(len(found.accepted)):
        if text >= given:
            other = found.nearest[text]
            if other == UNKNOWN:
                value, other = nearest(text, (0.0, -1), texts, everyone, room)
            else:
                found.lost[text] = other >= 0 and not found.accepted[other]
                value, other = nearest(text, (found.similarity[text], other), texts, fresh, room)
            found.similarity[text], found.nearest[text] = value, other
            found.accepted[text] = other < 0 or not 1.0 - value < ld_min
        if found.accepted[text]:
            add(text, texts, everyone)
            if grown and found.searched[text] and not found.formerly[text]:
                add(text, texts, fresh)
