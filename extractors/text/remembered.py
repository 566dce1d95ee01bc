"""A text is read once while it is at hand: what pure readers found in the last texts is kept for who asks again."""

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

TEXTS: Final = 64
"""Texts kept for each reader: those of one thread, as a rule."""
LONGEST: Final = 8_000
"""Characters of a text that is kept; a longer one is read anew, so that memory stays bounded."""

FoundT = TypeVar("FoundT")


def remembered(read: Callable[[str], FoundT]) -> Callable[[str], FoundT]:
    """A reader of one text that remembers the last ones; it must be pure, and what it returns is never changed.

    >>> read = remembered(str.split)
    >>> read("2 pears") is read("2 pears"), read("2 " * 5_000) is read("2 " * 5_000)
    (True, False)
    """
    kept = lru_cache(maxsize=TEXTS)(read)

    @wraps(read)
    def at_hand(text: str) -> FoundT:
        return kept(text) if len(text) <= LONGEST else read(text)

    return at_hand
