"""N-grams of many texts as dense numbers, in loops that numba compiles.

Every function here works on flat arrays and gives the same result interpreted and compiled.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
import numpy.typing as npt

from curation.dense import Floats
from curation.ngrams import Booleans, Integers

Numbers32 = npt.NDArray[np.int32]
LoopFunction = TypeVar("LoopFunction", bound=Callable[..., Any])
HashTable = tuple[Integers, Numbers32]
"""Keys and values of an open hash table; -1 is an empty place. Its length is a power of two."""

_ROOM = 1 << 12
SIGNATURE = 32
"""4-grams by which texts are sorted so that like ones are neighbours."""


def compiled(function: LoopFunction) -> LoopFunction:
    """The function, compiled when it is first called; the machine code is kept beside the module where that can be."""
    try:
        return numba.njit(function, cache=True, nogil=True)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder that numba may write to
        return numba.njit(function, nogil=True)  # type: ignore[no-any-return]


@compiled
def _place(keys: Integers, key: int) -> int:
    """Where a key stands in a table, or the empty place where it belongs."""
    mask = len(keys) - 1
    mixed = (key >> 32) * 1_000_003 + (key & 0xFFFFFFFF)  # two numbers below 2 ** 31: stays below 2 ** 52
    place = (mixed ^ (mixed >> 21)) & mask
    while keys[place] not in (-1, key):
        place = (place + 1) & mask
    return place


@compiled
def _with_room(keys: Integers, values: Numbers32, count: int) -> HashTable:
    """The same table, in at least twice as many places as there are keys."""
    if 2 * count <= len(keys):
        return keys, values
    size = len(keys)
    while size < 2 * count:
        size *= 2
    more, kept = np.full(size, -1, np.int64), np.empty(size, np.int32)
    for old in range(len(keys)):
        if keys[old] != -1:
            place = _place(more, keys[old])
            more[place], kept[place] = keys[old], values[old]
    return more, kept


@compiled
def _number(keys: Integers, values: Numbers32, key: int, count: int) -> int:
    """The number of a key: ``count`` if it is met first, -1 instead where that is negative and no key is taken."""
    place = _place(keys, key)
    if keys[place] == -1:
        if count < 0:
            return -1
        keys[place], values[place] = key, count
    return int(values[place])


@compiled
def longer_grams(
    grams: Numbers32, tokens: Numbers32, offsets: Integers, order: int, asked: Booleans
) -> tuple[Numbers32, int]:
    """Numbers of the n-grams of ``order`` that begin at each token, from those one shorter, and how many there are.

    -1 where none begins. Only n-grams that a text of ``asked`` holds have a number.
    """
    keys, values = np.full(_ROOM, -1, np.int64), np.empty(_ROOM, np.int32)
    count = 0
    found = np.full(len(grams), -1, np.int32)
    for new in (True, False):
        for text in range(len(offsets) - 1):
            if asked[text] != new:
                continue
            if new:
                keys, values = _with_room(keys, values, count + offsets[text + 1] - offsets[text])
            for place in range(offsets[text], offsets[text + 1] - order + 1):
                if grams[place] >= 0 and tokens[place + order - 1] >= 0:
                    key = (int(grams[place]) << 32) | int(tokens[place + order - 1])
                    found[place] = _number(keys, values, key, count if new else -1)
                    count += found[place] == count
    return found, count


@compiled
def occurrences(grams: Numbers32, offsets: Integers, count: int, asked: Booleans) -> tuple[Numbers32, int]:
    """Features: first occurrences keep the number of their n-gram, further ones in a text are features of their own."""
    seen_in, times = np.full(count, -1, np.int32), np.zeros(count, np.int32)
    keys, values = np.full(_ROOM, -1, np.int64), np.empty(_ROOM, np.int32)
    found, repeats = grams.copy(), 0
    for new in (True, False):
        for text in range(len(offsets) - 1):
            if asked[text] != new:
                continue
            if new:
                keys, values = _with_room(keys, values, repeats + offsets[text + 1] - offsets[text])
            for place in range(offsets[text], offsets[text + 1]):
                gram = grams[place]
                if gram < 0:
                    continue
                if seen_in[gram] != text:
                    seen_in[gram], times[gram] = text, 0
                    continue
                times[gram] += 1
                key = (int(gram) << 32) | int(times[gram])
                number = _number(keys, values, key, repeats if new else -1)
                repeats += number == repeats
                found[place] = count + number if number >= 0 else -1
    return found, count + repeats


@compiled
def rearranged(tokens: Numbers32, offsets: Integers, order: Numbers32) -> tuple[Numbers32, Integers]:
    """Some texts in another order: their tokens, and where each begins and the last one ends."""
    found, starts = np.empty(len(tokens), np.int32), np.zeros(len(order) + 1, np.int64)
    for place in range(len(order)):
        mine = tokens[offsets[order[place]] : offsets[order[place] + 1]]
        starts[place + 1] = starts[place] + len(mine)
        found[starts[place] : starts[place + 1]] = mine
    return found[: starts[-1]], starts


@compiled
def _mixed(mixed: int, token: int) -> int:
    """The hash of an n-gram and one more token."""
    mixed = ((mixed ^ token) * 0x9E3779B1) & 0x7FFFFFFF
    return mixed ^ (mixed >> 15)


@compiled
def shared_at_most(tokens: Numbers32, offsets: Integers, asked: Booleans, slots: int) -> Floats:
    """What the n-grams of orders 1 to 4 that each text shares with all of ``asked`` come to at most, multiplied.

    N-grams are told apart by a hash alone, of ``slots`` values.
    """
    held, found = np.zeros((4, slots), np.bool_), np.zeros(len(offsets) - 1)
    for new in (True, False):
        for text in range(len(offsets) - 1):
            if new and not asked[text]:
                continue
            times = np.zeros(4)
            for place in range(offsets[text], offsets[text + 1]):
                mixed = 0
                for order in range(min(4, offsets[text + 1] - place)):
                    mixed = _mixed(mixed, int(tokens[place + order]))
                    if new:
                        held[order, mixed % slots] = True
                    elif not held[order, mixed % slots]:
                        break
                    times[order] += 1
            found[text] = times.prod()
    return found


def alike(tokens: Numbers32, offsets: Integers, block: int, who: tuple[Booleans, Booleans]) -> Numbers32:
    """Texts in an order that puts those asked first, beside each other where they share their commonest 4-grams.

    ``who``: those asked and the others. Inside blocks of so many they are in their own order.
    """
    chosen, others = (np.flatnonzero(some) for some in who)
    size = int(np.diff(offsets)[chosen].sum())
    ranks = common_grams(tokens, offsets, chosen, 1 << max(10, size.bit_length()), SIGNATURE)
    keys = ranks.astype(">i4").view(f"S{4 * SIGNATURE}").ravel()
    order = np.concatenate((chosen[np.argsort(keys, kind="stable")], others)).astype(np.int32)
    for start in range(0, len(order), block):
        order[start : start + block].sort()
    return order


@compiled
def room_for(features: Numbers32, offsets: Integers, chosen: Booleans, count: int) -> Integers:
    """Where the texts of each feature begin if all chosen texts are put into an index."""
    starts = np.zeros(count + 1, np.int64)
    for text in range(len(offsets) - 1):
        if chosen[text]:
            for place in range(offsets[text], offsets[text + 1]):
                if features[place] >= 0:
                    starts[features[place] + 1] += 1
    for feature in range(count):
        starts[feature + 1] += starts[feature]
    return starts


@compiled
def place_features(features: Numbers32, count: int, starts: Integers, where: tuple[int, int], found: Numbers32) -> None:
    """Write the features of one order to their places among those of all orders; 0 for what no other text has.

    ``where``: the order, from 0, and the number of the first feature.
    """
    order, first = where
    times = np.zeros(count, np.int64)
    for feature in features:
        if feature >= 0:
            times[feature] += 1
    for text in range(len(starts) - 1):
        length = starts[text + 1] - starts[text]
        for place in range(length):
            feature = features[starts[text] + place]
            shared = feature >= 0 and times[feature] > 1
            found[4 * starts[text] + order * length + place] = feature + first if shared else 0


@compiled
def common_grams(tokens: Numbers32, offsets: Integers, chosen: Integers, slots: int, width: int) -> Numbers32:
    """Of each chosen text its 4-grams that are commonest among all chosen, as ranks in falling frequency.

    They are told apart by a hash alone.
    """
    bucket = np.full(len(tokens), -1, np.int32)
    times = np.zeros(slots, np.int64)
    for text in chosen:
        for place in range(offsets[text], offsets[text + 1] - 3):
            mixed = 0
            for token in tokens[place : place + 4]:
                mixed = _mixed(mixed, int(token))
            bucket[place] = mixed % slots
            times[bucket[place]] += 1
    rank = np.empty(slots, np.int32)
    rank[np.argsort(-times)] = np.arange(slots).astype(np.int32)
    found = np.full((len(chosen), width), 2**31 - 1, np.int32)
    for number, text in enumerate(chosen):
        mine = np.sort(rank[bucket[offsets[text] : max(offsets[text], offsets[text + 1] - 3)]])
        found[number, : min(width, len(mine))] = mine[:width]
    return found
