"""The loops of ``curation.greedy_search``, compiled by numba: n-gram features and the exact nearest accepted text.

Every function here works on flat arrays and gives the same result interpreted (``function.py_func``) and compiled.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numba
import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

Function = TypeVar("Function", bound=Callable[..., Any])
FIELD = 20
"""Bits of each of the three counts of an accumulator: texts hold at most 200,000 tokens."""
FIRST_PROBE, PROBE_GROWTH, PROBED = 48, 4, 2
SLACK = 1 - 1e-9
"""Bounds and scores are rounded differently in the last digits; a text is only passed over with this much room."""
TOUCHED, VERIFIED = np.int64(1) << 60, np.int64(1) << 61


def compiled(function: Function) -> Function:
    """The function, compiled when it is first called; the machine code is kept beside the module where that can be."""
    try:
        return numba.njit(function, cache=True, nogil=True)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder that numba may write to
        return numba.njit(function, nogil=True)  # type: ignore[no-any-return]


@compiled
def _slot(keys: np.ndarray, key: int) -> int:
    """Where a key stands in an open table, or the empty slot where it belongs."""
    mask = len(keys) - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = np.int64(mixed >> np.uint64(20)) & mask
    while keys[place] != -1 and keys[place] != key:
        place = (place + 1) & mask
    return place


@compiled
def _grown(keys: np.ndarray, values: np.ndarray):
    """The same table with twice the room."""
    more_keys = np.full(2 * len(keys), -1, np.int64)
    more_values = np.empty(2 * len(keys), np.int32)
    for old in range(len(keys)):
        if keys[old] != -1:
            place = _slot(more_keys, keys[old])
            more_keys[place] = keys[old]
            more_values[place] = values[old]
    return more_keys, more_values


@compiled
def longer_grams(grams, tokens, offsets, order, asked):
    """Ids of the n-grams that begin at each token, from those one shorter; -1 where none does.

    Only n-grams of texts that are ``asked`` get an id. Returns the ids and their number.
    """
    keys, values = np.full(1 << 16, -1, np.int64), np.empty(1 << 16, np.int32)
    count = np.int64(0)
    found = np.full(len(grams), -1, np.int32)
    for turn in range(2):
        for text in range(len(offsets) - 1):
            if asked[text] != (turn == 0):
                continue
            for place in range(offsets[text], offsets[text + 1] - order + 1):
                if grams[place] < 0:
                    continue
                key = (np.int64(grams[place]) << 32) | np.int64(tokens[place + order - 1])
                slot = _slot(keys, key)
                if keys[slot] == -1:
                    if turn:
                        continue
                    keys[slot], values[slot] = key, count
                    count += 1
                    if 2 * count > len(keys):
                        keys, values = _grown(keys, values)
                        slot = _slot(keys, key)
                found[place] = values[slot]
    return found, count


@compiled
def occurrences(grams, offsets, count, asked):
    """Features: the k-th occurrence of an n-gram in a text is a feature of its own. Returns them and their number."""
    seen_in, times = np.full(count, -1, np.int32), np.zeros(count, np.int32)
    keys, values = np.full(1 << 12, -1, np.int64), np.empty(1 << 12, np.int32)
    found = grams.copy()
    repeats = np.int64(0)
    for turn in range(2):
        for text in range(len(offsets) - 1):
            if asked[text] != (turn == 0):
                continue
            for place in range(offsets[text], offsets[text + 1]):
                gram = grams[place]
                if gram < 0:
                    continue
                if seen_in[gram] != text:
                    seen_in[gram], times[gram] = text, 0
                    continue
                times[gram] += 1
                key = (np.int64(gram) << 32) | np.int64(times[gram])
                slot = _slot(keys, key)
                if keys[slot] == -1:
                    if turn:
                        found[place] = -1
                        continue
                    keys[slot], values[slot] = key, count + repeats
                    repeats += 1
                    if 2 * repeats > len(keys):
                        keys, values = _grown(keys, values)
                        slot = _slot(keys, key)
                found[place] = values[slot]
    return found, count + repeats


@compiled
def room_for(features, count):
    """Where the postings of each feature begin if every text that has it is put in; a single one gets no room."""
    starts = np.zeros(count + 1, np.int64)
    for feature in features:
        if feature >= 0:
            starts[feature + 1] += 1
    for place in range(len(features)):
        if features[place] >= 0 and starts[features[place] + 1] == 1:
            features[place] = -1
    for feature in range(count):
        size = starts[feature + 1]
        starts[feature + 1] = starts[feature] + (size if size > 1 else 0)
    return starts


@compiled
def _add(text, begin, end, features, starts, sizes, postings):
    """Put a text into an index."""
    for order in range(4):
        mine, first, size = features[order], starts[order], sizes[order]
        for place in range(begin, end):
            feature = mine[place]
            if feature >= 0:
                postings[order][first[feature] + size[feature]] = text
                size[feature] += 1


@compiled
def _shared(mark, mine, text, begin, end):
    """How many features of the marked text the one between two places has."""
    count = 0
    for place in range(begin, end):
        feature = mine[place]
        if feature >= 0 and mark[feature] == text:
            count += 1
    return count


class Texts(NamedTuple):
    """Features of all texts by order, with what depends on their lengths."""

    offsets: Integers
    features: tuple[Ids, Ids, Ids, Ids]
    length_class: Ids
    factors: Floats
    powers: Floats
    distinct: Integers


class Index(NamedTuple):
    """The texts that were put in, by feature: ``postings[order][starts[order][f]:][:sizes[order][f]]``."""

    starts: tuple[Integers, Integers, Integers, Integers]
    sizes: tuple[Ids, Ids, Ids, Ids]
    postings: tuple[Ids, Ids, Ids, Ids]


class Room(NamedTuple):
    """Working memory of a search; all accumulators are zero between two searches."""

    marks: tuple[Ids, Ids, Ids, Ids]
    counts: Integers
    touched: Ids
    work: Integers


@compiled
def _mark(text, texts, marks):
    for order in range(4):
        mine, mark = texts.features[order], marks[order]
        for place in range(texts.offsets[text], texts.offsets[text + 1]):
            if mine[place] >= 0:
                mark[mine[place]] = text


@compiled
def _similarity(text, other, texts, marks, bound, least):
    """Exact similarity of the marked text and another one, or 0 as soon as it cannot reach the fourth root of ``least``.

    ``bound``: the greatest counts of orders 2 to 4.
    """
    begin, end = texts.offsets[other], texts.offsets[other + 1]
    one = _shared(marks[0], texts.features[0], text, begin, end)
    factor = texts.factors[texts.length_class[text], texts.length_class[other]]
    scale = factor * factor * factor * factor * one
    if scale * min(bound[0], one) * min(bound[1], one) * min(bound[2], one) < least:
        return 0.0
    three = _shared(marks[2], texts.features[2], text, begin, end)
    if scale * three * min(bound[0], one) * min(bound[2], three) < least:
        return 0.0
    four = _shared(marks[3], texts.features[3], text, begin, end)
    if scale * four * three * min(bound[0], one) < least:
        return 0.0
    two = _shared(marks[1], texts.features[1], text, begin, end)
    product = np.float64(four) * np.float64(one) * np.float64(two) * np.float64(three)
    return min(math.sqrt(math.sqrt(product)) * factor, 1.0)


@compiled
def _listed(text, order, texts, sizes):
    """Features of a text that the index has, as size, first place and feature, those of the fewest texts first."""
    begin, end = texts.offsets[text], texts.offsets[text + 1]
    found = np.empty(end - begin, np.int64)
    count = 0
    mine = texts.features[order]
    size = sizes[order]
    for place in range(begin, end):
        feature = mine[place]
        if feature >= 0 and size[feature] > 0:
            found[count] = (np.int64(size[feature]) << 32) | (place - begin)
            count += 1
    found = found[:count]
    found.sort()
    return found


@compiled
def _cover(order, place, length, open_, left):
    """No text without this n-gram has a longer one that holds it: those need not be looked for any more."""
    for longer in range(order, 4):
        for at in range(max(0, place - (longer - order)), min(place, length - 1) + 1):
            if open_[longer, at]:
                open_[longer, at] = False
                left[longer] -= 1


@compiled
def _gain(order, place, length, open_, left):
    """By how much the bound of all other texts falls once this n-gram was looked for."""
    gain = 0.0
    for longer in range(order, 4):
        closed = 0
        for at in range(max(0, place - (longer - order)), min(place, length - 1) + 1):
            closed += open_[longer, at]
        if closed:
            gain -= math.log(max(1.0 - closed / left[longer], 0.01))
    return gain


@compiled
def _scan(order, feature, index, counts, touched, seen):
    first, size = index.starts[order][feature], index.sizes[order][feature]
    posting = index.postings[order]
    unit = np.int64(1) << (FIELD * (order - 1)) if order else np.int64(0)
    for place in range(first, first + size):
        other = posting[place]
        if counts[other] == 0:
            touched[seen] = other
            seen += 1
            counts[other] = TOUCHED
        counts[other] += unit
    return seen


@compiled
def nearest(text, best, partner, texts, index, room):
    """The most similar text of an index, of equal ones the first, if it is above ``best`` (or as near and earlier)."""
    begin = texts.offsets[text]
    length = texts.offsets[text + 1] - begin
    fours = _listed(text, 3, texts, index.sizes)
    if len(fours) == 0:
        return best, partner
    lists = (
        _listed(text, 0, texts, index.sizes),
        _listed(text, 1, texts, index.sizes),
        _listed(text, 2, texts, index.sizes),
        fours,
    )
    open_ = np.zeros((4, length), np.bool_)
    left, rest, head = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64)
    for order in range(4):
        left[order] = rest[order] = len(lists[order])
        for packed in lists[order]:
            open_[order, packed & 0xFFFFFFFF] = True
    _mark(text, texts, room.marks)
    mine = texts.length_class[text]
    powers = texts.powers[mine]
    most = powers.max()
    low = (1 << FIELD) - 1
    counts, touched = room.counts, room.touched
    seen, scanned, budget = 0, 0, FIRST_PROBE
    bound = np.zeros(3, np.int64)
    while left[3] > 0:
        least = best**4 * SLACK
        if np.float64(left[0]) * left[1] * left[2] * left[3] * most < least:
            break
        chosen, cost = -1, np.inf
        gain = 0.0
        for order in range(3, -1, -1):
            mine_list = lists[order]
            while head[order] < len(mine_list) and not open_[order, mine_list[head[order]] & 0xFFFFFFFF]:
                # Already looked for through a shorter one: counted, so that the bounds of what was found are narrow.
                packed = mine_list[head[order]]
                if order and (packed >> 32) <= scanned:
                    feature = texts.features[order][begin + (packed & 0xFFFFFFFF)]
                    scanned += packed >> 32
                    seen = _scan(order, feature, index, counts, touched, seen)
                    rest[order] -= 1
                head[order] += 1
            if head[order] < len(mine_list):
                packed = mine_list[head[order]]
                gain = _gain(order, packed & 0xFFFFFFFF, length, open_, left)
                value = (packed >> 32) / gain
                if value < cost:
                    chosen, cost = order, value
        packed = lists[chosen][head[chosen]]
        head[chosen] += 1
        position = packed & 0xFFFFFFFF
        feature = texts.features[chosen][begin + position]
        seen = _scan(chosen, feature, index, counts, touched, seen)
        scanned += packed >> 32
        rest[chosen] -= 1
        if feature < texts.distinct[chosen]:
            _cover(chosen, position, length, open_, left)
        else:
            open_[chosen, position] = False
            left[chosen] -= 1
        if scanned >= budget:
            budget = scanned * PROBE_GROWTH
            for _ in range(PROBED):
                high, at = 0.0, -1
                for turn in range(seen):
                    other = touched[turn]
                    c = counts[other]
                    if c < VERIFIED:
                        value = (
                            (np.float64(c & 0xFFFFF) + 0.5)
                            * (np.float64((c >> 20) & 0xFFFFF) + 0.5)
                            * (np.float64((c >> 40) & 0xFFFFF) + 0.5)
                        )
                        if value > high:
                            high, at = value, other
                if at < 0:
                    break
                c = counts[at] & (TOUCHED - 1)
                for order in range(3):
                    bound[order] = length
                counts[at] += VERIFIED
                room.work[1] += 1
                value = _similarity(text, at, texts, room.marks, bound, best**4 * SLACK)
                if value > best or (value == best and value > 0 and at < partner):
                    best, partner = value, at
    room.work[0] += scanned
    room.work[2] += seen
    least = best**4 * SLACK
    ceiling = most * length
    for turn in range(seen):
        other = touched[turn]
        c = counts[other]
        counts[other] = 0
        if c < VERIFIED:
            c -= TOUCHED
            bound[0] = (c & low) + rest[1]
            bound[1] = ((c >> FIELD) & low) + rest[2]
            bound[2] = (c >> (2 * FIELD)) + rest[3]
            product = np.float64(bound[0]) * bound[1] * bound[2]
            if product * ceiling < least:
                continue
            shorter = min(length, texts.offsets[other + 1] - texts.offsets[other])
            if product > 0 and product * shorter * powers[texts.length_class[other]] >= least:
                room.work[1] += 1
                value = _similarity(text, other, texts, room.marks, bound, least)
                if value > best or (value == best and value > 0 and other < partner):
                    best, partner = value, other
                    least = best**4 * SLACK
    return best, partner


@compiled
def decide(texts, known, order_rule, main, fresh, room):
    """Value and partner of each text, and whether it is accepted."""
    values, partners, accepted, was_accepted = known
    given, ld_min, use_fresh = order_rule
    lost = 0
    count = len(texts.offsets) - 1
    for text in range(count):
        if text < given:
            accepted[text] = True
        else:
            value, partner = 0.0, -1
            if partners[text] == -2:
                value, partner = nearest(text, value, partner, texts, main, room)
            else:
                value, partner = values[text], partners[text]
                if partner >= 0 and not accepted[partner]:
                    lost += 1
                    partners[text] = -3
                if use_fresh:
                    value, partner = nearest(text, value, partner, texts, fresh, room)
            values[text], partners[text] = value, partner
            accepted[text] = partner < 0 or not 1.0 - value < ld_min
        if accepted[text]:
            begin, end = texts.offsets[text], texts.offsets[text + 1]
            _add(text, begin, end, texts.features, main.starts, main.sizes, main.postings)
            if use_fresh and not was_accepted[text]:
                _add(text, begin, end, texts.features, fresh.starts, fresh.sizes, fresh.postings)
    return lost
