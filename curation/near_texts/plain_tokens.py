"""Texts as token sequences without case and punctuation, for finding equal and nearly equal ones.

The word lists of the normaliser profiles stand here too: they are part of a profile, and changing one changes every
figure made with it.
"""

import re

from extractors.text.wordlists import read_list, words

NUMBER_MASK = "#"

_TOKEN = re.compile(r"\d[\d.,/:]*+|[^\W\d_]++")
_APOSTROPHES = str.maketrans("", "", "'’‘`")

NormalTokens = tuple[str, ...]


def normal_tokens(text: str, *, mask_numbers: bool = False) -> NormalTokens:
    """Words and numbers of a text in lower case; numbers all alike if masked.

    >>> normal_tokens("Tom's 1,200 apples, sold!", mask_numbers=True)
    ('toms', '#', 'apples', 'sold')
    """
    found = [raw.rstrip(".,/:") for raw in _TOKEN.findall(text.translate(_APOSTROPHES).lower())]
    if mask_numbers:
        return tuple(NUMBER_MASK if token[0].isdigit() else token for token in found)
    return tuple(token.replace(",", "") if token[0].isdigit() else token for token in found)


STOP_WORDS = frozenset(words(read_list("curation/stop_words")))
"""The 179 English stop words in general use (Porter and others, as distributed with NLTK until 2024)."""

NUMBER_WORDS = frozenset(words(read_list("curation/masked_numbers")))
"""Cardinals that are masked like digits; ordinals, fractions and ``dozen`` carry meaning of their own and stay."""

GIVEN_NAMES = frozenset(words(read_list("curation/masked_names")))
"""Given names that are masked in any spelling; most are among the commonest of the United States census."""
AMBIGUOUS_NAMES = frozenset(words(read_list("curation/ambiguous_names")))
"""Names that are words as well: masked only where capitalised inside a sentence."""
