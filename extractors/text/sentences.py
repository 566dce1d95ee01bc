"""Where sentences end: the one rule for questions and answers, before and after a text is brought into plain maths.

A text is read once while it is at hand: what pure readers found in the last texts is kept for who asks again.
"""

import re
from collections.abc import Callable
from functools import lru_cache, wraps
from itertools import pairwise
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


_ABBREVIATED: Final = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|St|lbs|lb|oz|ft|in|No|vs|[A-Z])\.|[^.?!\s])\s*\Z")
_END: Final = re.compile(r"\n|[.!?]++(?=\s|\Z)|[.!?](?<=[a-z]{3}.)(?=[A-Z])")


def sentence_ends(text: str) -> list[int]:
    """The places behind each sentence: behind its last mark or line break, and the end of the text.

    A mark ends a sentence before a blank or at the end of the text, or between a word and a capital that a lost
    line break ran together. Blanks after it belong to the next sentence.

    >>> sentence_ends("He has $3.50... Why?\\n5 left.How many"), sentence_ends("")
    ([15, 20, 21, 28, 36], [])
    """
    ends = [match.end() for match in _END.finditer(text)]
    if text and (not ends or ends[-1] < len(text)):
        ends.append(len(text))
    return ends


@remembered
def sentences(text: str) -> tuple[str, ...]:
    """The sentences and lines of a text that hold more than blanks, with their marks.

    >>> sentences("It is 3 m long. How wide?\\n\\nHelp")
    ('It is 3 m long.', 'How wide?', 'Help')
    """
    parts = (text[start:end].strip() for start, end in pairwise([0, *sentence_ends(text)]))
    return tuple(part for part in parts if part)


def spans_of_sentences(text: str, *, capitals: bool = True) -> tuple[tuple[int, int], ...]:
    """The first and last places of each sentence of a written problem, without blanks around it; "Mrs." ends none.

    Where sentences begin with ``capitals``, a mark before a small letter ends none.

    >>> text = "Mrs. Hilt has 3 pens. Why?"
    >>> [text[start:end] for start, end in spans_of_sentences(text)]
    ['Mrs. Hilt has 3 pens.', 'Why?']
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for end in sentence_ends(text):
        piece = text[start:end]
        if end < len(text) and (_ABBREVIATED.search(piece[-16:]) or (capitals and text[end:].lstrip()[:1].islower())):
            continue
        if piece.strip():
            spans.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
        start = end
    return tuple(spans)
