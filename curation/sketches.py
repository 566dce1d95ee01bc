"""Sketches of texts, in loops that numba compiles: bits in common bound how many features two texts share."""

import numpy as np
import numpy.typing as npt

from curation.gram_kernels import Numbers32, compiled
from curation.ngrams import Integers

Words = npt.NDArray[np.uint64]

WORDS = 4
"""Words of 64 bits in the sketch of the features of one order."""
_BITS, _PAIRS, _QUADS, _BYTES = (
    np.uint64(word) for word in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F, 0x0101010101010101)
)
_ONE, _TWO, _FOUR, _TOP = (np.uint64(number) for number in (1, 2, 4, 56))


@compiled
def _ones(word: np.uint64) -> np.uint64:
    """How many bits of a word are set."""
    word = word - ((word >> _ONE) & _BITS)
    word = (word & _PAIRS) + ((word >> _TWO) & _PAIRS)
    return (((word + (word >> _FOUR)) & _QUADS) * _BYTES) >> _TOP


@compiled
def sketched(features: Numbers32, starts: Integers) -> Words:
    """For each text and order a set of bits, one for each feature that others have as well."""
    found = np.zeros((len(starts) - 1) * 4 * WORDS, np.uint64)
    for slot in range(len(starts) - 1):
        length = starts[slot + 1] - starts[slot]
        for order in range(4):
            first = 4 * starts[slot] + order * length
            for feature in features[first : first + length]:
                if feature:
                    bit = ((int(feature) * 0x9E3779B1) & 0xFFFFFFFF) >> (32 - 6 - 2)
                    found[(slot * 4 + order) * WORDS + (bit >> 6)] |= _ONE << np.uint64(bit & 63)
    return found


@compiled
def common_bits(sketches: Words, first: int, second: int) -> int:
    """How many bits two sketches of one order have in common, given by place."""
    count = np.uint64(0)
    for word in range(WORDS):
        count += _ones(sketches[first + word] & sketches[second + word])
    return int(count)
