"""The greedy filter over pairs of texts: for some thousand of them, and to hold ``curation.greedy_search`` to."""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curation.dense import Floats
from curation.ngrams import Integers
from curation.similarity import Best, SimilarityIndex


class GreedyResult(NamedTuple):
    """Of each text whether it is accepted, the greatest similarity to one accepted before, and the first such (-1)."""

    accepted: npt.NDArray[np.bool_]
    similarity: Floats
    nearest: Integers


def found_by_pairs(texts: Sequence[Sequence[Hashable]], given: int, ld_min: float) -> GreedyResult:
    """The greedy rule over distinct token sequences in order of precedence; the first ``given`` are accepted.

    Of a given text the nearest is not told. Memory and time grow with the number of pairs that share a 4-gram.
    """
    found = GreedyResult(np.ones(len(texts), bool), np.zeros(len(texts)), np.full(len(texts), -1, np.int64))
    _reject(texts, given, ld_min, found)
    kept = np.flatnonzero(found.accepted)
    best = Best(len(kept), both_sides=False)
    for pairs in SimilarityIndex([texts[place] for place in kept.tolist()]).pairs(best.floor):
        best.update(pairs)
    told = kept >= given
    found.similarity[kept[told]] = best.value[told]
    found.nearest[kept[told]] = np.where(best.partner >= 0, kept[best.partner], -1)[told]
    return found


def _reject(texts: Sequence[Sequence[Hashable]], given: int, ld_min: float, found: GreedyResult) -> None:
    """Find the rejected texts, with similarity and place of their nearest accepted predecessor.

    What is rejected takes no part in later comparisons, so that only the pairs of one block are held at a time.
    """
    conflicts: dict[int, list[tuple[float, int]]] = {}

    def floor(_left: Integers, right: Integers) -> Floats:
        return np.where(found.accepted[right], 1.0 - ld_min, np.inf)

    def settle() -> None:
        for left in sorted(conflicts):
            against = [(-similarity, right) for similarity, right in conflicts[left] if found.accepted[right]]
            if against and left >= given:
                similarity, witness = min(against)
                found.accepted[left], found.similarity[left], found.nearest[left] = False, -similarity, witness
        conflicts.clear()

    start = 0
    for pairs in SimilarityIndex(texts).pairs(floor):
        if pairs.start > start:
            settle()
            start = pairs.start
        close = 1.0 - pairs.similarity < ld_min
        chosen = zip(pairs.left[close], pairs.right[close], pairs.similarity[close], strict=True)
        for left, right, similarity in chosen:
            conflicts.setdefault(int(left), []).append((float(similarity), int(right)))
    settle()
