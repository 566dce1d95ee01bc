"""Texts in blocks of like ones, and an index that tells which blocks hold an n-gram, in loops that numba compiles."""

from typing import NamedTuple

import numpy as np

from curation.dense import Floats
from curation.gram_kernels import Numbers32, compiled
from curation.ngrams import Booleans, Integers
from curation.sketches import Words

BLOCK = 32
"""Texts of a block."""


class GramTexts(NamedTuple):
    """Texts by slot, where like ones are neighbours; ``places`` are those in the order of precedence.

    ``features``: of the text that begins at ``start`` and has ``length`` tokens those of an order, 0 to 3, are
    ``features[4 * start + order * length :][:length]``; 0 stands for one that no other text has. ``repeats``: the first
    number of further occurrences by order. Factors are those of two classes of equal length.
    """

    starts: Integers
    places: Numbers32
    features: Numbers32
    sketches: Words
    repeats: Integers
    length_class: Numbers32
    factors: Floats
    powers: Floats


class GramIndex(NamedTuple):
    """The blocks of feature ``f`` are ``postings[starts[f]:][:sizes[f]]``.

    ``novel``: where a feature stands that no text has that came into the block before. Texts of block ``b`` that can be
    found are ``members[b * BLOCK:][:filled[b]]``.
    """

    starts: Integers
    sizes: Numbers32
    postings: Numbers32
    novel: Booleans
    members: Numbers32
    filled: Numbers32


@compiled
def novel_features(texts: GramTexts, count: int, chosen: Booleans) -> tuple[Booleans, Integers]:
    """Where a feature comes new into its block as the chosen texts come in order, and room for the blocks of each."""
    last, starts = np.full(count, -1, np.int32), np.zeros(count + 1, np.int64)
    found = np.zeros(len(texts.features), np.bool_)
    for slot in range(len(chosen)):  # the slots of a block are in order
        if chosen[slot]:
            for at in range(4 * texts.starts[slot], 4 * texts.starts[slot + 1]):
                feature = texts.features[at]
                if feature and last[feature] != slot // BLOCK:
                    last[feature] = slot // BLOCK
                    found[at] = True
                    starts[feature + 1] += 1
    for feature in range(count):
        starts[feature + 1] += starts[feature]
    return found, starts


@compiled
def add(slot: int, accepted: bool, texts: GramTexts, index: GramIndex) -> None:
    """Put the features of a text into the index, and the text itself if it is accepted."""
    block = slot // BLOCK
    for at in range(4 * texts.starts[slot], 4 * texts.starts[slot + 1]):
        if index.novel[at]:
            feature = texts.features[at]
            index.postings[index.starts[feature] + index.sizes[feature]] = block
            index.sizes[feature] += 1
    if accepted:
        index.members[block * BLOCK + index.filled[block]] = slot
        index.filled[block] += 1
