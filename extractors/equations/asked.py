"""What a question asks for: at least how many values, and of which kind.

The patterns are for text in lower case, and each is tried only where a word stands that it needs.
"""

import re
from functools import cached_property
from typing import Final, NamedTuple

MAX_QUESTION: Final = 5_000
_HOW: Final = re.compile(
    r"\bhow\s+(?:many|much|old|long|far|fast|tall|wide|big|high|deep|heavy)\b|\bwhat(?:'s|\s+(?:is|was|are|were"
    r"|will))\s+(?:the|his|her|my)\b",
)
_SENTENCE: Final = re.compile(r"[^.?!\n]+[.?!\n]?")
_AND_HOW: Final = re.compile(r"[.?!]\s{1,3}and\s+(?=how\s+(?:many|much)\b)")
"""A second question that goes on where a full stop stands."""
_EACH: Final = re.compile(
    r"\bhow\s+(?:many|much)\b[^.?!\n]{0,40}\b(?:(?:of|at|from)\s+each\b(?!\s+of)|each\s+(?:kind|type|sort)\b)"
    r"|\bfind\s+(?:both|each)\b"
    r"|\b(?:find|what\s+are)\s+the\s+(?:two\s+|three\s+)?(?:numbers|integers|dimensions|ages|lengths|angles|sides"
    r"|legs|speeds|rates|prices|costs)\b"
    r"|\b(?:number|amount|cost|price|length|age|size|weight)s?\s+of\s+each\s*(?:\?|$)"
    r"|\bfind\s+(?:the|its|his|her)\s+(?:(?!sum|difference|product|ratio|between|average|mean|total"
    r"|and)[a-z]+\s+){1,6}and\s+(?:the|its|of\s+the)\s+[a-z]+"
    r"|\b(?:find|what(?:'?s|\s+is|\s+are))\s+(?:the|its)\s+(?:length|width|breadth|height|base)\s+and"
    r"\s+(?:length|width|breadth|height|base)\b"
    r"|\bwhat\s+do(?:es)?\s+(?:i|you|we|he|she|they)\s+[^.?!\n]{1,60}\band\s+how\s+(?:much|many)\b"
    r"|\b(?:what|how\s+old)\s+are\s+they\b|\bfind\s+(?:them|their\s+(?:\w+\s+)?ages)\b",
)
_SHARED_OUT: Final = re.compile(
    r"\b(?:among|between|to)\s+(?:(?:his|her|its|the|their)\s+)?(two|three|four|five|[2-5])\s+[a-z]"
    r"[^?]{0,250}\b(?:what|how\s+much|how\s+many)\s[^?.]{0,40}\beach\b"
)
_SIZE_OF_EACH: Final = re.compile(
    r"\bhow\s+(?:much|many|old|long)\b[^.?!\n]{0,25}\b(?:is|does|do|did|will|has)\s+each(?:\s+of\s+them)?"
    r"\s*(?:\?|(?:get|have|receive|own|earn|pay|spend|weigh|cost)\b)"
)
_COMPARED: Final = re.compile(
    r"\b(?:twice|ratio|(?:more|less|fewer|older|younger|longer|shorter)\s+than|times\s+as|as\s+(?:much|many|large)\s+as"
    r"|the\s+(?:second|third))\b|\d:\d"
)
"""The sizes of several are compared, so that they differ."""
_SHARED: Final = re.compile(
    r"\b(?:divide|split|share)\b[^.?!\n]{0,50}\bratio\s+(?:of\s+)?(\d{1,6}(?:\s?:\s?\d{1,6}){1,4})(?![^?!\n]{0,60}"
    r"\b(?:larg|small|great|bigg|least|difference|how (?:much|many) (?:\w+ )?(?:does|did|do|will|would) (?!each)))"
)
"""A whole that is divided in a ratio, each part of which is asked."""
_FIRST_TO_THIRD: Final = re.compile(
    r"\b(?:what\s+are\s+(?:they|the\s+(?:three\s+)?(?:angles|numbers|integers|sides|lengths))"
    r"|find\s+(?:them|all|each|the\s+(?:three\s+)?(?:angles|numbers|integers|sides|lengths))"
    r"|(?:measures?|size)\s+of\s+each)\b"
)
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
    def least(self) -> int:
        """At least how many values are asked."""
        return max(least_asked(self._text), self.series.length if self.series else 1)

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


def least_asked(question: str) -> int:
    """At least how many values are asked: two or more where one sentence asks twice or for each of several.

    >>> least_asked("48 seats on a bus. How many buses do they need, and how many empty seats will there be?")
    2
    >>> least_asked("How many more does he need? What is the best way to start?")
    1
    >>> least_asked("how many gallons for 585 miles at 26 a gallon. and how much will they cost at 2.80?")
    2
    """
    most = 1
    text = _AND_HOW.sub(" and ", question[:MAX_QUESTION].lower())
    for sentence in _SENTENCE.findall(text):
        if "?" not in sentence and not any(word in sentence for word in ("how", "find", "what")):
            continue
        count = len(_HOW.findall(sentence))
        several = any(word in sentence for word in ("each", "find", "what", "they")) and _EACH.search(sentence)
        most = max(most, min(count, 4), 2 if several or _unequal(sentence, text) else 1)
    return max(most, _ratio_parts(text), _parts_told(text))


def _unequal(sentence: str, question: str) -> bool:
    """Whether the size of each is asked, and the question compares them."""
    return " each" in sentence and bool(_SIZE_OF_EACH.search(sentence) and _COMPARED.search(question))


def _ratio_parts(question: str) -> int:
    """The parts of a ratio in which a whole is to be divided, where they differ."""
    found = _SHARED.search(question) if "ratio" in question else None
    return len(set(re.findall(r"\d+", found[1]))) if found else 1


def _parts_told(question: str) -> int:
    """The parts that are told by their places or shared out among so many, where each is asked and they differ."""
    if "second" in question and "third" in question and _FIRST_TO_THIRD.search(question):
        return 3
    found = _SHARED_OUT.search(question) if "each" in question else None
    return _COUNTS[found[1]] if found and _COMPARED.search(question) else 1
