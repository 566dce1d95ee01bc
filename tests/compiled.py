"""Compiles the loops of the diversity filter once, so that no test process has to: ``python -m tests.compiled``.

numba keeps the machine code beside the modules, and compiles anew only what has changed.
"""

import numpy as np

from curation.greedy_memory import UNKNOWN
from curation.greedy_pairs import GreedyResult
from curation.greedy_search import found_by_search
from curation.near_kernels import near_pairs
from curation.ngrams import DistinctTexts


def compile_loops() -> None:
    """Filter a few texts, then a few more of them beside what is known of the first; look for near ones."""
    texts = DistinctTexts()
    for number in range(40):
        texts.add(f"a club of {number % 7} sells {number} cakes at the fair in the town".split())
    found = found_by_search(texts, 0, 0.3)
    nearest = np.where(np.arange(len(texts)) < 4, UNKNOWN, found.nearest)
    found_by_search(texts, 0, 0.3, GreedyResult(found.accepted, found.similarity, nearest))
    near_pairs(*texts.arrays(), 3, 0.5, np.ones(len(texts), bool))


if __name__ == "__main__":
    compile_loops()
