"""Where sentences end: the one rule for questions and answers, before and after a text is brought into plain maths."""

import re
from itertools import pairwise
from typing import Final

from extractors.text.remembered import remembered

_END: Final = re.compile(r"\n|[.!?]++(?=\s|\Z)|(?<=[a-z]{3})[.!?](?=[A-Z])")


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
