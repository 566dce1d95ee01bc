"""Hashed word, word pair and character n-grams of a question."""

import functools
import zlib
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.exact import Matrix, log, on_grid
from models.post_features import PostView

BUCKETS: Final = 4096
MAX_WORD: Final = 24
Places = NDArray[np.intp]


def bucket(text: str) -> int:
    """The place of an n-gram in the hashed space: CRC-32, the same on every machine.

    >>> bucket("how many")
    2926
    """
    return zlib.crc32(text.encode()) % BUCKETS


@functools.lru_cache(maxsize=50_000)
def _word_buckets(word: str) -> Places:
    """The word itself and its character n-grams of three and four, word borders marked."""
    word = word[:MAX_WORD]
    marked = f"<{word}>"
    grams = [marked[at : at + size] for size in (3, 4) for at in range(len(marked) - size + 1)] if len(word) > 3 else []
    return np.array([bucket(word), *(bucket("c" + gram) for gram in grams)], dtype=np.intp)


@functools.lru_cache(maxsize=100_000)
def _pair_bucket(first: str, second: str) -> int:
    return bucket(f"{first[:MAX_WORD]} {second[:MAX_WORD]}")


def hashed(post: PostView) -> tuple[Places, Matrix]:
    """Words, word pairs and character n-grams of the question in the hashed space: logarithmic counts of length 1.

    Only the places that are not empty are given, ascending, with their values.
    """
    pairs = np.array([*map(_pair_bucket, post.tokens, post.tokens[1:])], dtype=np.intp)
    found = np.bincount(np.concatenate([pairs, *map(_word_buckets, post.tokens)]), minlength=BUCKETS)
    held = np.flatnonzero(found)
    values = on_grid(log(found[held] + 1.0))
    norm = float(np.sqrt(values @ values))
    return held, on_grid(values / norm) if norm else values
