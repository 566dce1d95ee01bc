"""Texts as token sequences without case and punctuation, for finding equal and nearly equal ones."""

import re

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
