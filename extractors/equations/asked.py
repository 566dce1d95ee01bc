"""How many values a question asks for, at least."""

import re
from typing import Final

MAX_QUESTION: Final = 5_000
_HOW: Final = re.compile(
    r"\bhow\s+(?:many|much|old|long|far|fast|tall|wide|big|high|deep|heavy)\b|\bwhat(?:'s|\s+(?:is|was|are|were|will))\s+(?:the|his|her|my)\b",
    re.I,
)
_SENTENCE: Final = re.compile(r"[^.?!\n]+[.?!\n]?")
_EACH: Final = re.compile(
    r"\bhow\s+(?:many|much)\b[^.?!\n]{0,40}\b(?:(?:of|at|from)\s+each\b(?!\s+of)|each\s+(?:kind|type|sort)\b)|\bfind\s+(?:both|each)\b"
    r"|\b(?:find|what\s+are)\s+the\s+(?:two\s+|three\s+)?(?:numbers|integers|dimensions|ages)\b",
    re.I,
)


def least_asked(question: str) -> int:
    """At least how many values are asked: two or more where one sentence asks twice or for each of several.

    >>> least_asked("48 seats on a bus. How many buses do they need, and how many empty seats will there be?")
    2
    >>> least_asked("How many more does he need? What is the best way to start?")
    1
    """
    most = 1
    for sentence in _SENTENCE.findall(question[:MAX_QUESTION]):
        if "?" not in sentence and "how" not in sentence.lower() and "find" not in sentence.lower():
            continue
        count = len(_HOW.findall(sentence))
        most = max(most, min(count, 4), 2 if _EACH.search(sentence) else 1)
    return most
