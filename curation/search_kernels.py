"""The exact nearest accepted text of each text, in loops that numba compiles.

``similarity ** 4`` is the product of the shared n-grams of orders 1 to 4 times a power that depends on two lengths.
Texts that are alike stand beside each other in blocks, and the index tells which blocks hold an n-gram at all: what a
block shares with a text bounds what each of its texts shares. N-grams are looked for from rare to common. A block that
has none of those looked for shares at most the others, and the product of their numbers is a bound: once it is below
the best found, no further block needs to be seen. A text without an n-gram has no longer one that holds it, so that a
rare word closes all n-grams around it.
"""

import math
from typing import NamedTuple

import numpy as np

from curation.block_index import BLOCK, GramIndex, GramTexts, add
from curation.dense import Floats
from curation.gram_kernels import Numbers32, compiled
from curation.ngrams import Booleans, Integers
from curation.sketches import WORDS, common_bits

FourLists = tuple[Integers, Integers, Integers, Integers]
NearestText = tuple[float, int]
"""Similarity and place of the nearest text; (0, -1) for none."""

FIELD = 20
"""Bits of each of the three counts of an accumulator: a text holds at most 200,000 tokens."""
LOW = (1 << FIELD) - 1
TOUCHED, VERIFIED = 1 << 60, 1 << 61
RARE = 0.2
"""Share of all blocks up to which an n-gram is counted for those that are left."""
FIRST_PROBE, PROBE_GROWTH = 32, 1.5
"""N-grams looked at before the likeliest block is compared, which raises the best found, and their growth from then."""
SLACK = 1 - 1e-9
"""Bounds and scores are rounded differently in the last digits; a text is only passed over with this much room."""


class SearchRoom(NamedTuple):
    """Working memory of a search.

    ``counts`` are zero between two searches: shared features of orders 2 to 4 found so far, ``touched`` lists who has
    some. ``likeliest``: the greatest such count and its block. Of the n-grams of the text that is searched, ``open``
    are those that a block not yet touched may share, and there are ``left`` of them; ``rest`` were not counted yet.
    ``lost``: features by order that have no bit of their own in the sketch of the text.
    """

    marks: Numbers32
    lost: Integers
    counts: Integers
    touched: Numbers32
    likeliest: Integers
    open: Booleans
    left: Integers
    rest: Integers
    heads: Integers


class GreedyState(NamedTuple):
    """Of each text similarity to its nearest and place of this, whether it is accepted, and was so formerly.

    ``searched``: it is searched for among all, and may be in the index of new ones.
    """

    similarity: Floats
    nearest: Integers
    accepted: Booleans
    formerly: Booleans
    searched: Booleans


@compiled
def _listed(mine: Numbers32, size: Numbers32) -> Integers:
    """Features that the index has, as number of its blocks and place in this text."""
    found = np.empty(len(mine), np.int64)
    count = 0
    for place in range(len(mine)):
        if size[mine[place]] > 0:
            found[count] = (int(size[mine[place]]) << 32) | place
            count += 1
    return found[:count]


@compiled
def _prepare(length: int, lists: FourLists, room: SearchRoom) -> None:
    room.likeliest[0] = 0
    for order in range(4):
        room.open[order, :length] = False
        for packed in lists[order]:
            room.open[order, packed & 0xFFFFFFFF] = True
        room.left[order] = room.rest[order] = len(lists[order])
        room.heads[order] = 0


@compiled
def _shared(marks: Numbers32, features: Numbers32, slot: int, begin: int, end: int) -> int:
    """How many features of the marked text stand between two places."""
    count = 0
    for at in range(begin, end):
        count += marks[features[at]] == slot
    return count


@compiled
def _product(
    marks: Numbers32, features: Numbers32, slot: int, other: tuple[int, int], limits: tuple[int, int, float]
) -> float:
    """Shared features of the four orders of the marked text and another one, multiplied.

    ``other``: where its tokens begin and end. 0 as soon as the product cannot reach ``limits``: the shared features of
    orders 2 and 4 at most, and the product wanted.
    """
    most_two, most_four, least = limits
    length, at = other[1] - other[0], 4 * other[0]
    one = _shared(marks, features, slot, at, at + length)
    most_two = min(most_two, one)
    scale = np.float64(one) * most_two
    if scale * most_two * min(most_two, most_four) < least:
        return 0.0
    three = _shared(marks, features, slot, at + 2 * length, at + 3 * length)
    if scale * three * min(three, most_four) < least:
        return 0.0
    four = _shared(marks, features, slot, at + 3 * length, at + 4 * length)
    if scale * three * four < least:
        return 0.0
    two = _shared(marks, features, slot, at + length, at + 2 * length)
    return np.float64(four) * np.float64(one) * np.float64(two) * np.float64(three)


@compiled
def _compare(
    slot: int, best: NearestText, others: Numbers32, most: tuple[int, int, int], searched: tuple[GramTexts, SearchRoom]
) -> NearestText:
    """Compare those of some texts that may be nearer; ``most``: features of orders 2 to 4 that one of them shares."""
    texts, room = searched
    marks, lost, two, three, four = room.marks, room.lost, most[0], most[1], most[2]
    features, starts, length_class, sketches = texts.features, texts.starts, texts.length_class, texts.sketches
    length, mine = starts[slot + 1] - starts[slot], slot * 4 * WORDS
    powers, factors = texts.powers[length_class[slot]], texts.factors[length_class[slot]]
    least = best[0] ** 4 * SLACK
    ceiling = np.float64(length) * two * powers.max()
    value, nearest = best
    for other in others:
        yours = other * 4 * WORDS
        fourth = min(four, common_bits(sketches, mine + 3 * WORDS, yours + 3 * WORDS) + lost[3])
        third = min(three, common_bits(sketches, mine + 2 * WORDS, yours + 2 * WORDS) + lost[2])
        if ceiling * fourth * third < least:
            continue
        theirs = (starts[other], starts[other + 1])
        power = powers[length_class[other]]
        second = min(two, common_bits(sketches, mine + WORDS, yours + WORDS) + lost[1])
        first = min(min(length, theirs[1] - theirs[0]), common_bits(sketches, mine, yours) + lost[0])
        if power == 0.0 or np.float64(first) * second * third * fourth * power < least:
            continue
        product = _product(marks, features, slot, theirs, (second, fourth, least / power))
        if product > 0.0:
            similarity = min(math.sqrt(math.sqrt(product)) * factors[length_class[other]], 1.0)
            place = texts.places[other]
            if similarity > value or (similarity == value and place < nearest):
                value, nearest = similarity, place
                least = value**4 * SLACK
    return value, int(nearest)


@compiled
def _compare_block(
    slot: int,
    best: NearestText,
    block: int,
    most: tuple[int, int, int],
    searched: tuple[GramTexts, GramIndex, SearchRoom],
) -> NearestText:
    texts, index, room = searched
    others = index.members[block * BLOCK : block * BLOCK + index.filled[block]]
    return _compare(slot, best, others, most, (texts, room))


@compiled
def _count(posting: Numbers32, order: int, room: SearchRoom, seen: int) -> int:
    """Count a feature for all blocks that have it; returns how many are touched by now."""
    counts, touched = room.counts, room.touched
    unit = 1 << (FIELD * (order - 1)) if order else 0
    most, likeliest = room.likeliest
    for block in posting:
        count = counts[block]
        if count == 0:
            touched[seen] = block
            seen += 1
            count = TOUCHED
        count += unit
        counts[block] = count
        if most < count < VERIFIED:
            most, likeliest = count, int(block)
    room.likeliest[0], room.likeliest[1] = most, likeliest
    room.rest[order] -= 1
    return seen


@compiled
def _most(count: int, rest: Integers) -> tuple[int, int, int]:
    """How many features of orders 2 to 4 a block shares at most."""
    return (
        int((count & LOW) + rest[1]),
        int(((count >> FIELD) & LOW) + rest[2]),
        int(((count >> (2 * FIELD)) & LOW) + rest[3]),
    )


@compiled
def _count_rest(mine: Numbers32, index: GramIndex, lists: FourLists, room: SearchRoom, state: tuple[int, float]) -> int:
    """Count the n-grams that were not looked for, of orders 4 to 2, for those touched blocks that may still be nearer.

    ``state``: how many are touched, and the least that the shared features of orders 2 to 4 of a nearer text come to,
    multiplied. Other blocks are touched no more; returns how many are left.
    """
    counts, length, (seen, least) = room.counts, len(mine) // 4, state
    for order in range(3, 0, -1):
        left = 0
        for turn in range(seen):
            block = room.touched[turn]
            two, three, four = _most(counts[block], room.rest)
            if counts[block] < VERIFIED and np.float64(two) * three * four >= least:
                room.touched[left] = block
                left += 1
            else:
                counts[block] = 0
        seen = left
        if seen == 0:
            return 0
        unit = 1 << (FIELD * (order - 1))
        for packed in lists[order][room.heads[order] :]:
            if (packed >> 32) > RARE * len(counts):
                break
            start = index.starts[mine[order * length + (packed & 0xFFFFFFFF)]]
            for block in index.postings[start : start + (packed >> 32)]:
                if counts[block] > 0:
                    counts[block] += unit
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
    """No block that is not touched has this n-gram, nor a longer one that holds it."""
    for longer in range(order, 4):
        for at in range(max(0, place - (longer - order)), min(place, length - 1) + 1):
            if open_[longer, at]:
                open_[longer, at] = False
                left[longer] -= 1


@compiled
def _cheapest(lists: FourLists, length: int, room: SearchRoom) -> int:
    """The order whose rarest open n-gram lowers the bound most for each block that has it."""
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
    mine: Numbers32, index: GramIndex, lists: FourLists, state: tuple[SearchRoom, int, int]
) -> tuple[int, int]:
    """Go past n-grams that are closed: they touch nothing new, and are counted where that costs little."""
    room, seen, looked_at = state
    length = len(mine) // 4
    for order in range(4):
        head, ordered = room.heads[order], lists[order]
        while head < len(ordered) and not room.open[order, ordered[head] & 0xFFFFFFFF]:
            size = ordered[head] >> 32
            if order and size <= looked_at:
                looked_at += size
                start = index.starts[mine[order * length + (ordered[head] & 0xFFFFFFFF)]]
                seen = _count(index.postings[start : start + size], order, room, seen)
            head += 1
        room.heads[order] = head
    return seen, looked_at


@compiled
def _settle(slot: int, best: NearestText, searched: tuple[GramTexts, GramIndex, SearchRoom], seen: int) -> NearestText:
    """Compare all touched blocks that may hold a nearer text, and clear the counts."""
    texts, _, room = searched
    ceiling = texts.powers[texts.length_class[slot]].max() * (texts.starts[slot + 1] - texts.starts[slot])
    least = best[0] ** 4 * SLACK
    for turn in range(seen):
        block = room.touched[turn]
        most = _most(room.counts[block], room.rest)
        room.counts[block] = 0
        product = np.float64(most[0]) * most[1] * most[2]
        if product > 0.0 and product * ceiling >= least:
            best = _compare_block(slot, best, block, most, searched)
            least = best[0] ** 4 * SLACK
    return best


@compiled
def _mark(slot: int, texts: GramTexts, room: SearchRoom) -> None:
    """Make a text the one that is compared with others from now on."""
    mine = texts.features[4 * texts.starts[slot] : 4 * texts.starts[slot + 1]]
    length = len(mine) // 4
    for order in range(4):
        shared = 0
        for feature in mine[order * length : (order + 1) * length]:
            room.marks[feature] = slot
            shared += feature > 0
        sketch = (slot * 4 + order) * WORDS
        room.lost[order] = shared - common_bits(texts.sketches, sketch, sketch)
    room.marks[0] = -1


@compiled
def nearest(slot: int, best: NearestText, texts: GramTexts, index: GramIndex, room: SearchRoom) -> NearestText:
    """The most similar text of an index, of equal ones the first; ``best`` if none is nearer or as near and earlier."""
    mine, searched = texts.features[4 * texts.starts[slot] : 4 * texts.starts[slot + 1]], (texts, index, room)
    length = len(mine) // 4
    fours = _listed(mine[3 * length :], index.sizes)
    if len(fours) == 0:
        return best
    lists = (
        _listed(mine[:length], index.sizes),
        _listed(mine[length : 2 * length], index.sizes),
        _listed(mine[2 * length : 3 * length], index.sizes),
        fours,
    )
    most = texts.powers[texts.length_class[slot]].max()
    if most * len(lists[0]) * len(lists[1]) * len(lists[2]) * len(fours) < best[0] ** 4 * SLACK:
        return best
    for order in range(4):
        lists[order].sort()  # those of the fewest blocks first
    _mark(slot, texts, room)
    _prepare(length, lists, room)
    block, everything = slot // BLOCK, (length, length, length)
    best = _compare_block(slot, best, block, everything, searched)
    room.touched[0], room.counts[block] = block, TOUCHED + VERIFIED
    seen, looked_at, probe, left = 1, 0, FIRST_PROBE, room.left
    while left[3] > 0 and most * left[0] * left[1] * left[2] * left[3] >= best[0] ** 4 * SLACK:
        order = _cheapest(lists, length, room)
        packed = lists[order][room.heads[order]]
        room.heads[order] += 1
        place, size = packed & 0xFFFFFFFF, packed >> 32
        feature = mine[order * length + place]
        start = index.starts[feature]
        seen = _count(index.postings[start : start + size], order, room, seen)
        looked_at += size
        if feature < texts.repeats[order]:
            _close(order, place, length, room.open, left)
        else:  # a second occurrence: a longer n-gram may stand elsewhere
            room.open[order, place] = False
            left[order] -= 1
        seen, looked_at = _closed_ones(mine, index, lists, (room, seen, looked_at))
        if looked_at >= probe and room.likeliest[0] > 0:
            probe = int(looked_at * PROBE_GROWTH)
            block = room.likeliest[1]
            room.likeliest[0] = 0
            room.counts[block] += VERIFIED
            best = _compare_block(slot, best, block, everything, searched)
    seen = _count_rest(mine, index, lists, room, (seen, best[0] ** 4 * SLACK / (most * length)))
    return _settle(slot, best, searched, seen)


@compiled
def search(
    chosen: Numbers32,
    slots: Numbers32,
    texts: GramTexts,
    found: GreedyState,
    searched: tuple[GramIndex, GramIndex, SearchRoom],
) -> None:
    """Find the nearest text in the index for some texts.

    A text that is ``searched`` is looked for among all that can be found, the others among those alone that were not
    accepted formerly. What was found is written to ``found``; several threads may do so at once, with a room each.
    """
    everyone, fresh, room = searched
    for text in chosen:
        best = (found.similarity[text], int(found.nearest[text]))
        index = everyone if found.searched[text] else fresh
        found.similarity[text], found.nearest[text] = nearest(slots[text], best, texts, index, room)


@compiled
def accept(
    chosen: Numbers32,
    rule: tuple[int, float, bool],
    slots: Numbers32,
    found: GreedyState,
    searched: tuple[GramTexts, GramIndex, GramIndex, SearchRoom],
) -> None:
    """Apply the greedy rule to some texts in their order: what stands before is in the index.

    ``rule``: how many are given, the least diversity, and whether anything is known from a former run.
    """
    given, ld_min, grown = rule
    texts, everyone, fresh, room = searched
    accepted, new = np.empty(len(chosen), np.int32), np.empty(len(chosen), np.int32)
    many, few = 0, 0
    for text in chosen:
        slot = slots[text]
        if text >= given:
            others = accepted[:many] if found.searched[text] else new[:few]
            value, other = found.similarity[text], int(found.nearest[text])
            if len(others):
                _mark(slot, texts, room)
                length = texts.starts[slot + 1] - texts.starts[slot]
                value, other = _compare(slot, (value, other), others, (length, length, length), (texts, room))
            found.similarity[text], found.nearest[text] = value, other
            found.accepted[text] = other < 0 or not 1.0 - value < ld_min
        add(slot, found.accepted[text], texts, everyone)
        if found.accepted[text]:
            accepted[many] = slot
            many += 1
        if grown and found.searched[text] and not found.formerly[text]:
            add(slot, found.accepted[text], texts, fresh)
            if found.accepted[text]:
                new[few] = slot
                few += 1
