"""What a question asks for beside its unknowns: a row of consecutive numbers, a sum, a quantity worked out, a time.

The patterns are for text in lower case, and each is tried only where a word stands that it needs.
"""

import re
from functools import cached_property
from typing import Final, NamedTuple

MAX_QUESTION: Final = 5_000
_COUNTS: Final = {"two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4, "five": 5, "5": 5}
_SERIES: Final = re.compile(
    r"\b(two|three|four|five|[2-5])\s+(?:[a-z-]+\s+){0,2}?(?:(consecutive|successive)\b[^.?!\n]{0,30}"
    r"|\w+\s+in\s+a\s+row\b)",
)
_CONSECUTIVE: Final = re.compile(r"\b(two|three|four|five|[2-5])\b[^.?!\n]{0,30}\bconsecutive\b")
_PARITY: Final = re.compile(r"\b(?:odd|even)\b")
_ALL: Final = re.compile(
    r"\bfind\s+(?:them|all|these|those|the\s+(?:\w+\s+){0,3}(?:numbers|integers|pages|years))\b"
    r"|\bfind\s+(?:two|three|four|five|[2-5])\b|\bwh?at\s+(?:are|r|were)\s+(?:they|the\s+(?:\w+\s+){0,3}(?:numbers"
    r"|integers))\b"
    r"|\b(?:what|which)\s+(?:are|were|numbers|integers)\b|\b(?:list|name)\s+(?:the|all|them)\b|\bwhich\?",
)
_ONE_OF: Final = re.compile(
    r"\b(?:find|what(?:'s|\s+(?:is|are|was))?|which\s+is)\s+the\s+(?:value\s+of\s+the\s+)?"
    r"(?:larg|small|great|least|low|high|middle|first|second|third|last|sum|product|mean|average)",
)
_DERIVED: Final = re.compile(
    r"\b(?:find|what\s*(?:is|was|'s)|whats|determine|calculate|compute)\s+(?:the\s+|its\s+|their\s+"
    r"|this\s+)?(?:\w+\s+)?"
    r"(area|volume|perimeter|circumference|fraction|product)\b(?!\s+(?:taken|used|needed|added|drawn|of\s+each))",
)
_DURATION: Final = re.compile(
    r"\bhow\s+(?:long|many\s+(?:hours?|hrs?|days?|minutes?|mins?|seconds?|weeks?))\b"
    r"|\b(?:find|what(?:'s|\s+(?:is|was|will\s+be))?|in\s+what)\s+(?:the\s+)?(?:\w+\s+)?time\b"
)
_SUMS: Final = re.compile(
    r"\b(?:find|what(?:'s|\s+(?:is|was|are|will\s+be))?|determine|calculate|compute)\s+(?:the\s+|its\s+|their\s+)?"
    r"(?:total|sum|perimeter|combined)\b|\bhow\s+(?:many|much|old|long)\b[^?.!\n]{0,60}\b(?:altogether|together"
    r"|in\s+all|in\s+total)\b"
)


class Series(NamedTuple):
    """Consecutive numbers that a question asks for: how many, and how far apart."""

    length: int
    gap: int


class Asked:
    """The wants of a question, each found when it is first needed; times and ages in words are not counted."""

    def __init__(self, question: str) -> None:
        self._text = question[:MAX_QUESTION].lower()

    def _mentions(self, *words: str) -> bool:
        return any(word in self._text for word in words)

    @cached_property
    def series(self) -> Series | None:
        """All of so many consecutive numbers.

        >>> Asked("Find three consecutive odd integers with sum 87").series
        Series(length=3, gap=2)
        >>> Asked("Of three consecutive integers with sum 87, what is the largest?").series is None
        True
        """
        if not self._mentions("consecutive", "successive", "row"):
            return None
        found = _SERIES.search(self._text) or _CONSECUTIVE.search(self._text)
        if found is None or not _ALL.search(self._text) or _ONE_OF.search(self._text):
            return None
        return Series(_COUNTS[found[1]], 2 if _PARITY.search(self._text) else 1)

    @cached_property
    def derived(self) -> str | None:
        """A quantity that is worked out of others and asked by name.

        >>> Asked("Its length is twice its width. Find the area.").derived
        'area'
        """
        if not self._mentions("area", "volume", "perimeter", "circumference", "fraction", "product"):
            return None
        found = _DERIVED.search(self._text)
        return found[1] if found else None

    @cached_property
    def duration(self) -> bool:
        """Whether a time is asked.

        >>> Asked("How long with both open?").duration, Asked("He works 5 hours. How much is it?").duration
        (True, False)
        """
        return self._mentions("how", "time") and bool(_DURATION.search(self._text))

    @cached_property
    def sums(self) -> bool:
        """Whether the sum of several is asked: a total, a perimeter.

        >>> Asked("What is the total of their present ages?").sums, Asked("They total 40. How old is Al?").sums
        (True, False)
        """
        words = ("total", "sum", "perimeter", "altogether", "together", "in all", "combined")
        return self._mentions(*words) and bool(_SUMS.search(self._text))
