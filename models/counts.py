"""How many values a question asks for, learned: words, word pairs and triples of its requests and of the whole.

What patterns read in its wording (``worded_size``) is one feature.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from math import fsum
from typing import Any, Final
from zlib import crc32

import numpy as np
import scipy

from extractors.equations.given import posed_size
from extractors.text.plain import plain_maths
from extractors.text.sentences import sentences
from models.linear import Matrix, on_grid, softmax

BUCKETS: Final = 4096
_CONDITION: Final = re.compile(r"\b(?:if|when|since|given that|suppose)\b[^?]{0,200}, (?=how|what|which|find|then)")
"""A clause that only leads up to a question."""
_COUNTED: Final = {"two": 2, "2": 2, "both": 2, "three": 3, "3": 3, "four": 4, "4": 4, "five": 5, "5": 5}
_NUMBERS_ASKED: Final = re.compile(
    r"\b(two|2|three|3|four|4|five|5)(?: [a-z]+){0,3} (?:numbers|integers|multiples|odds|evens|angles|"
    r"sides|pieces|ages)\b"
)
_WANTS_SET: Final = re.compile(
    r"what (?:are|r|were) |which |(?:find|list|want|need) (?:them|both|the (?:two|three|four|numbers|"
    r"integers|dimensions|angles|ages))|"
    r"the (?:numbers|integers)|name (?:them|the)|what'?s? the (?:two|three|four|\d)|find (?:two|three|four|"
    r"\d) |each (?:number|integer|angle|one|of them|side)"
)
_EACH: Final = re.compile(
    r"\b(?:(?:of|from) (?:each|both)\b|(?:is|are|am|r) (?:each|both)\b(?! (?:of )?the)|(?:are|r) they(?: (?:now"
    r"|today|each))?(?=\s*(?:[?.,(]|$))|(?:find|need|want|give|are|is|of) both\b|both (?:ages|numbers|prices|speeds)|"
    r"(?:at|has|have|is|are|does|do|did|will|was|were) each\b|for each (?:by|alone|on)\b|each (?:has|have|gets?|does"
    r"|contains?|rate|kind|type|tank|side|cost)\b|ages\b)|each of (?:them|the|their)|the ages of|what ages|\ws'? ages|"
    r"smallest and (?:the )?(?:largest|greatest|biggest)|counts\b|present ages|dimensions|their ages|"
    r"the (?:two )?(?:numbers|integers)\b|which years"
)
_ASK: Final = re.compile(
    r"\bhow (?:many|much|old|long|far|fast|tall|high|wide|big|deep|soon|large)\b|\bwhat'?s?\b|\bwhich\b|"
    r"\b(?:find|need|tell|list|want|calculate|determine|know)\b|\?"
)
_THING: Final = (
    r"(?:length|width|breadth|base|height|cost|price|speed|rate|weight|number|quantity|volume|smaller|larger|smallest|"
    r"one|what|first)s?"
)
_AND_ASK: Final = re.compile(
    rf"how (?:many|much|old|fast|big|far|long)(?: (?!(?:between|apart|after)\b)[a-z'-]+){{1,7}},?(?: and| &|"
    rf" \+)(?: how (?:many|much|old|fast|big|far|long))?(?: [a-z'-]+){{1,6}}|"
    rf"\bthe (?:smallest|least|lowest|smaller|shorter|cheaper) and (?:the )?(?:largest|greatest|highest|biggest|"
    rf"larger|longer|dearer)\b|(?:price|cost|weight)s? of(?: [a-z'-]+){{1,4}} and of (?:the|an?|one|each)\b|"
    rf"\bwhat (?:do|does|did|will)(?: [a-z'-]+){{1,4}} and how (?:many|much)\b|"
    rf"\bthe (?:price|cost|rate|fee|charge)(?: [a-z'-]+){{1,3}} and the(?: [a-z-]+)? (?:price|cost|rate|fee|charge)\b|"
    rf"\b{_THING}(?: [a-z'-]+){{0,4}},?(?: and| or| &)(?: of)?(?: the| his| her| its| an?)?(?: [a-z-]+)? {_THING}\b|"
    r"how (?:many|much)(?: [a-z'-]+){1,6}, (?:and )?how (?:many|much)"
)
_JOINS: Final = (" and", " or", " &", " +", ", ")
"""One of them stands in whatever ``_AND_ASK`` finds."""
_HOW_MANY: Final = re.compile(r"\bhow (?:many|much|old)(?: (?:is|are))?((?: [a-z0-9'-]+){1,2})")
_SHARED_OUT: Final = re.compile(
    r"\bhow (?:much|many)(?: [a-z]+){0,3} (?:did|does|do|will|would|can|should|could) each [a-z]+ (?:[a-z]+)\b"
)
_TWO_NAMED: Final = re.compile(
    r"\b[a-z]+'s? (?:speed|rate|age|price|cost|share|weight) (?:and|&) (?:(?:the|his|her|its) )?[a-z]+'s?\b|"
    r"(?:cost|price|weight)s? of (?:an?|the|each|1|one) [a-z]+ (?:and|&) (?:of )?(?:an?|the|each|1|one) [a-z]+\b|"
    r"\?[^?\n]{2,40}\b(?:and|&) \?|"
    r"\b(?:how (?:many|much)|price|cost)\b[^?\n]{1,40}\beach\s*(?:[?.(]|$)"
)
_PLURAL: Final = re.compile(
    r"\b(?:wh?at (?:are|r|were) (?:our|their|your|these|those|my)(?: [a-z]+)? (?:#s|numbers|ages)"
    r"|(?:find|what (?:are|were)|how (?:long|old|fast|big|large) are|give|determine)"
    r" (?:(?:the|its|these|those|their|all|both) )?(?:[a-z]+ )?"
    r"(?:angles|legs|pieces|speeds|ages|lengths|parts|shares|dimensions)\b(?! (?:of|from|between) )"
    r"|how many (?:coins |tickets |bills )?(?:of|in) each\b|(?:in|at) each (?:fund|account|one|rate|investment)\b"
    r"|in still (?:water|air),? and (?:of )?(?:the )?(?:current|wind|stream|jet ?stream)\b"
    r"|how (?:many|much)(?: [a-z]+)? of (?:the )?[\d.]+ ?%(?: [a-z]+)? (?:and|&) (?:the )?[\d.]+ ?%"
    r"|how many [a-z]+s, [a-z]+s\?|find \$?[a-z], ?[a-z]\b|solve for [a-z] and [a-z]\b)"
    r"|[?.!] ?(?:speeds|ages|angles|dimensions|numbers|shares)\?"
)
_STATED_SET: Final = re.compile(
    r"\b(two|2|three|3|four|4) (?:[a-z-]+ ){0,2}(?:numbers|integers|angles|pieces|parts)\b|"
    r"\b(?:complementary|supplementary) angles\b"
)
_TOGETHER: Final = re.compile(
    r"\b(?:sum|total|together|altogether|in all|add(?: up)? to|brought in|makes?|cut into two)\b"
)
_COMPARED: Final = re.compile(
    r"\b(?:difference|older|younger|longer|shorter|more|fewer|times|twice|double|minus)\b|\bsome\b.{0,60} some\b"
    r"|[a-z]s and [a-z]+s\b|\beach [a-z]+\s*$"
)
_LONE: Final = re.compile(r"\b(?:a|the|some|what|one|certain|my|same) number\b|\bwhat\b|\bitself\b")
_REGULAR: Final = re.compile(r"\b(?:equilateral|regular|square|rhombus|equal)\b")
_SIDES: Final = re.compile(
    r"\beach side\b|\b(?:length|measure)s? of (?:each|the sides|its sides|all)\b|\bits sides\b|\bsides of the\b"
)
_MAY_NAME_SIDES: Final = re.compile("side|length|measure")
_ASKED_FOR: Final = re.compile(r"\?|\bhow (?:many|much|old)\b|\b(?:find|need|tell|want|determine|calculate)\b")


def worded_size(question: str) -> int:
    """How many numbers the question seems to ask for, 1 to 5, from its wording (lower case).

    >>> worded_size("two numbers add up to 9. find them"), worded_size("how many dimes and how many nickels?")
    (2, 2)
    >>> worded_size("how many buses?"), worded_size("what are the three consecutive odd integers that add to 9?")
    (1, 3)
    >>> worded_size("how much does each friend pay?"), worded_size("a triangle is 12 ft around. how long is each side?")
    (1, 3)
    """
    asking = " ".join(_CONDITION.sub("", part) for part in sentences(question) if _ASK.search(part))
    body = question.split("\n", 1)[-1]
    requests = " ".join(part for part in sentences(body) if _ASKED_FOR.search(part))
    several = len(set(_HOW_MANY.findall(requests)))
    if several > 1:
        return min(several, 4)
    return _limited(question, asking) or _set_size(question, asking)


def _limited(question: str, asking: str) -> int | None:
    """Wordings that settle it: one equal share, two named things, the sides of a figure."""
    each = "each" in asking
    if each and _SHARED_OUT.search(asking):
        return 1
    if (each or "and" in asking or "&" in asking) and _TWO_NAMED.search(asking):
        return 2
    if not (_MAY_NAME_SIDES.search(asking) and _SIDES.search(asking)):
        return None
    if _REGULAR.search(question):
        return 1
    return 3 if "triangle" in question else None


def _relates_two(question: str) -> bool:
    """Nothing is asked in words, and two quantities are added up and compared: "sum 11, difference 3"."""
    return bool(_TOGETHER.search(question) and _COMPARED.search(question)) and not _LONE.search(question)


def _set_size(question: str, asking: str) -> int:
    """As many as the question speaks of, where it asks for all of them or asks for nothing in words."""
    counted = _NUMBERS_ASKED.search(question)
    if counted and (_WANTS_SET.search(asking) or "consecutive" in question):
        return _COUNTED[counted[1]]
    if not asking:
        stated = _STATED_SET.search(question)
        return _COUNTED.get(stated[1], 2) if stated else 1 + _relates_two(question)
    if _PLURAL.search(asking):
        return 3 if "triangle" in question and "angles" in asking else 2
    joined = any(map(asking.__contains__, _JOINS))
    return 2 if _EACH.search(asking) or (joined and _AND_ASK.search(asking)) else 1


MOST: Final = 4
"""The last outcome stands for this many values and more."""
UNKNOWN: Final = (1 / MOST,) * MOST
MAX_QUESTION: Final = 5_000
_TOKEN: Final = re.compile(r"[a-z]+|\d+(?:\.\d+)?|[?.,%$=]|\n")
_REQUEST: Final = re.compile(
    r"\?|\b(?:how|what|whats|which|find|determine|calculate|solve|tell|need|list|give|who|when)\b"
)
_WHOLE: Final = 0.5
"""What a word or a pair of the whole question weighs against one of a request."""
_WORDED: Final = 1.5


def bucket(text: str) -> int:
    """The place of an n-gram in the hashed space: CRC-32, the same on every machine.

    >>> bucket("how many")
    2926
    """
    return crc32(text.encode()) % BUCKETS


def features(question: str) -> dict[int, float]:
    """The places that a question fills in the hashed space, with their values.

    Words, pairs and triples of each sentence that asks; those of the last such sentence once more; words and pairs of
    all; how often it asks; and what its wording (``models/counts.py``) or the equations that it sets say of the count.
    Numerals are one word.
    """
    text = plain_maths(question[:MAX_QUESTION]).text.lower()
    requests = [part for part in sentences(text) if _REQUEST.search(part)]
    found: dict[int, float] = {}
    _add(found, "whole ", _words(text), 2, _WHOLE)
    asking = [_words(part) for part in requests]
    for words in asking:
        _add(found, "asks ", words, 3, 1.0)
    _add(found, "last ", asking[-1] if asking else [b"nothing asked"], 3, 1.0)
    found[bucket(f"worded {worded_size(text)}")] = _WORDED
    found[bucket(f"posed {posed_size(text)}")] = _WORDED
    found[bucket(f"{min(len(requests), MOST)} requests")] = 1.0
    found[bucket(f"{min(text.count('='), MOST)} equations")] = 1.0
    return found


def _words(text: str) -> list[bytes]:
    words = ["0" if token[0].isdigit() else token for token in _TOKEN.findall(text)]
    return [word.encode() for word in ("<", *words, ">")]


def _add(found: dict[int, float], prefix: str, words: Sequence[bytes], longest: int, value: float) -> None:
    """Puts in the places of all runs of up to ``longest`` words: those of ``bucket``, each run from the one before.

    ``value`` is at least that of the places put in before.
    """
    runs = list(map(crc32, words, repeat(crc32(prefix.encode()))))
    following = [b" " + word for word in words]
    for length in range(1, longest + 1):
        found.update(dict.fromkeys([run % BUCKETS for run in runs], value))
        runs = list(map(crc32, following[length:], runs))


def count_rows(questions: Sequence[str]) -> "scipy.sparse.csr_matrix":
    """A sparse row for each question, a column for each place of the hashed space."""
    places: list[int] = []
    values: list[float] = []
    ends = [0]
    for question in questions:
        found = features(question)
        held = sorted(found)
        places += held
        values += [found[place] for place in held]
        ends.append(len(places))
    return scipy.sparse.csr_matrix(
        (on_grid(values), np.array(places, dtype=np.intp), ends), shape=(len(questions), BUCKETS)
    )


@dataclass(frozen=True)
class CountModel:
    """A row of weights over the hashed space and an intercept for each of 1, 2, 3 values, and MOST or more."""

    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]

    def chances(self, question: str) -> tuple[float, ...]:
        """How likely the question asks for 1, 2, 3, and MOST or more values; UNKNOWN for an empty one."""
        if not question.strip():
            return UNKNOWN
        found = features(question)
        places = np.fromiter(found, np.intp, len(found))
        # the values are halves, and sums on the grid are exact in any order
        scores = np.fromiter(found.values(), np.float64, len(found)) @ self._weights[places] + self._intercepts
        shares: list[float] = softmax(scores).tolist()
        return tuple(shares)

    @cached_property
    def _weights(self) -> Matrix:
        return np.ascontiguousarray(np.array(self.weights).T)

    @cached_property
    def _intercepts(self) -> Matrix:
        return np.array(self.intercepts)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "CountModel":
        """A model from plain data; ValueError for data of another shape."""
        weights = tuple(tuple(map(float, row)) for row in data["weights"])
        intercepts = tuple(map(float, data["intercepts"]))
        if len(weights) != MOST or len(intercepts) != MOST or any(len(row) != BUCKETS for row in weights):
            raise ValueError(f"not {MOST} rows of {BUCKETS} weights")
        return cls(weights, intercepts)


def likeliest(chances: Sequence[float]) -> int:
    """The likeliest number of values, the smallest of equals."""
    return 1 + max(range(len(chances)), key=lambda place: (chances[place], -place))


def chance_of(chances: Sequence[float], size: int) -> float:
    """How likely so many values are asked."""
    return chances[min(size, len(chances)) - 1] if size else 0.0


def chance_of_more(chances: Sequence[float], size: int) -> float:
    """How likely more values are asked."""
    return fsum(chances[size:])
