"""A question prepared once for all features: its numbers, what it asks for and how many numbers it wants."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from extractors.quantities.numbers import find_numbers
from extractors.quantities.units import UNIT_NAMES
from extractors.text.plain import plain_maths

MAX_QUESTION: Final = 8_000
_HUGE: Final = Fraction(10**300)
_WORD: Final = re.compile(r"[a-z]+")
_ASKED_THING: Final = re.compile(r"how (?:many|much)((?: [a-z]+){1,4})|(?:number|amount) of((?: [a-z]+){1,2})")
_STOP: Final = frozenset(
    [
        "of",
        "the",
        "a",
        "an",
        "more",
        "each",
        "and",
        "or",
        "to",
        "is",
        "are",
        "was",
        "were",
        "did",
        "do",
        "does",
        "should",
        "would",
        "will",
        "can",
        "could",
        "must",
        "i",
        "you",
        "he",
        "she",
        "they",
        "it",
        "we",
        "in",
        "at",
        "on",
        "for",
        "total",
        "all",
        "in",
        "left",
        "there",
        "have",
        "has",
        "had",
        "be",
        "been",
        "per",
        "if",
        "each",
        "two",
        "with",
        "from",
        "that",
        "this",
    ]
)
_KINDS: Final = (
    (
        re.compile(r"\bhow (?:long|soon)|\bwhat time|\bwhen (?:will|do|does)"),
        ("hour", "minute", "second", "day", "week", "month", "year"),
    ),
    (re.compile(r"\bhow old|\bage"), ("year", "yrs", "old")),
    (re.compile(r"\bhow far|\bdistance"), ("mile", "km", "m", "foot", "yard")),
    (re.compile(r"\bhow fast|\bspeed|\brate\b"), ("mile/hour", "km/hour", "mph", "kph")),
    (
        re.compile(r"\bhow (?:tall|high|wide|deep|long)|\blength|\bwidth|\bperimeter"),
        ("foot", "inch", "m", "cm", "yard"),
    ),
    (re.compile(r"\bpercent|%\s*(?:of|is)?\s*\?|what rate"), ("percent",)),
    (re.compile(r"\bangle|\bdegree"), ("degree",)),
)
_MONEY: Final = re.compile(
    r"how much (?:money|does|did|do|is|was|will|would|should|must|are|were|per|for|each|to pay|change|"
    r"interest|profit)|\bcosts?\b|\bprices?\b|"
    r"\bdollars?\b|\bpay\b|\bpaid\b|\bworth\b|\binterest\b|\bearn|\bprofit\b|\binvest|\bbill\b|\bmoney\b"
)


def singular(word: str) -> str:
    """A word without a plural s: close enough to compare what is asked with what is answered.

    >>> singular("buses"), singular("miles"), singular("glass")
    ('bus', 'mile', 'glass')
    """
    if word.endswith(("sses", "uses", "ches", "shes")):
        return word[:-2]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 2 else word


@lru_cache(maxsize=8_192)
def as_float(value: Fraction) -> float:
    """A value rounded to nine decimals, for quick comparison of sums and ratios; huge ones are cut to 1e300."""
    return round(float(max(min(value, _HUGE), -_HUGE)), 9)


@dataclass(frozen=True)
class QuestionView:
    """What the features ask of a question."""

    text: str
    values: frozenset[Fraction]
    rounded: frozenset[float]
    words: frozenset[str]
    asked_things: frozenset[str]
    asks_money: bool
    asked_size: int


def question_view(question: str) -> QuestionView:
    """Prepare a question; only the first 8,000 characters are looked at."""
    text = plain_maths(question[:MAX_QUESTION]).text
    low = text.lower()
    values = frozenset(number.value for number in find_numbers(text))
    return QuestionView(
        text=text,
        values=values,
        rounded=frozenset(as_float(value) for value in values),
        words=frozenset(word for word in _WORD.findall(low) if len(word) > 3),
        asked_things=_asked_things(low),
        asks_money=_MONEY.search(low) is not None,
        asked_size=asked_size(low),
    )


def _asked_things(low: str) -> frozenset[str]:
    found: set[str] = set()
    for match in _ASKED_THING.finditer(low):
        words = [singular(word) for word in (match[1] or match[2]).split() if word not in _STOP]
        found.update(words[:3])
    found.update(UNIT_NAMES[word] for word in sorted(found) if word in UNIT_NAMES)
    for pattern, units in _KINDS:
        if pattern.search(low):
            found.update(units)
    return frozenset(found)


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
    r"\b(?:of|from) (?:each|both)\b|(?:is|are|am|r) (?:each|both|they)\b(?! (?:of )?the)|each of (?:them|"
    r"the|their)|\b(?:find|need|want|give|are|is|of) both\b|\bboth (?:ages|numbers|prices|speeds)|"
    r"\b(?:at|has|have|is|are|does|do|did|will|was|were) each\b|\beach (?:has|have|gets?|does|contains?|"
    r"rate|kind|type|tank|side|cost)\b|the ages of|what ages|\w+s'? ages|smallest and (?:the )?(?:largest|"
    r"greatest|biggest)|counts\b|present ages|dimensions|their ages|\bages\b|the (?:two )?(?:numbers|"
    r"integers)\b|which years"
)
_ONLY: Final = re.compile(
    r"how many more|difference|altogether|in all|in total|combined|together do|how much more|\bsum of"
)
_ASK: Final = re.compile(
    r"\bhow (?:many|much|old|long|far|fast|tall|high|wide|big|deep|soon|large)\b|\bwhat'?s?\b|\bwhich\b|"
    r"\b(?:find|need|tell|list|want|calculate|determine|know)\b|\?"
)
_THING: Final = (
    r"(?:length|width|base|height|cost|price|speed|rate|weight|number|quantity|volume|smaller|larger|smallest|"
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
_HOW_MANY: Final = re.compile(r"\bhow (?:many|much|old)(?: (?:is|are))?((?: [a-z0-9'-]+){1,2})")
_AMOUNTS: Final = re.compile(
    r"\b(?:number|price|cost|weight)s? of(?: [a-z0-9'-]+){1,4},?(?: and| &)?(?: of)?(?: the)? (?:number|"
    r"price|cost|weight)s? of\b"
)
_THREE_COUNTS: Final = re.compile(
    r"\bhow many(?: [a-z'-]+){1,3}, (?:and )?(?:how many )?(?:[a-z'-]+ ){0,2}[a-z'-]+s,? and (?:how many )?"
    r"(?:[a-z'-]+ ){0,2}[a-z'-]+s\b"
)
_SHARED_OUT: Final = re.compile(
    r"\bhow (?:much|many)(?: [a-z]+){0,3} (?:did|does|do|will|would|can|should|could) each [a-z]+ (?:[a-z]+)\b"
)
_TWO_NAMED: Final = re.compile(
    r"\b[a-z]+'s? (?:speed|rate|age|price|cost|share|weight) (?:and|&) (?:(?:the|his|her|its) )?[a-z]+'s?\b|"
    r"(?:cost|price|weight)s? of (?:an?|the|each|1|one) [a-z]+ (?:and|&) (?:of )?(?:an?|the|each|1|one) [a-z]+\b|"
    r"\?[^?\n]{2,40}\b(?:and|&) \?|"
    r"\b(?:how (?:many|much)|price|cost)\b[^?\n]{1,40}\beach\s*(?:[?.(]|$)"
)
_REGULAR: Final = re.compile(r"\b(?:equilateral|regular|square|rhombus|equal)\b")
_SIDES: Final = re.compile(
    r"\beach side\b|\b(?:length|measure)s? of (?:each|the sides|its sides|all)\b|\bits sides\b|\bsides of the\b"
)
_REQUEST: Final = re.compile(r"\?|\bhow (?:many|much|old)\b|\b(?:find|need|tell|want|determine|calculate)\b")
_QUESTIONS: Final = re.compile(r"(?<=[.!])\s|\n")
_SENTENCES: Final = re.compile(r"(?<=[.!])\s|\n")


def asked_size(question: str) -> int:
    """How many numbers the question seems to ask for, 1 to 5, from its wording (lower case).

    >>> asked_size("two numbers add up to 9. find them"), asked_size("how many dimes and how many nickels?")
    (2, 2)
    >>> asked_size("how many buses?"), asked_size("what are the three consecutive odd integers that add to 9?")
    (1, 3)
    >>> asked_size("how much does each friend pay?"), asked_size("a triangle is 12 ft around. how long is each side?")
    (1, 3)
    """
    asking = " ".join(part for part in _SENTENCES.split(question) if _ASK.search(part))
    body = question.split("\n", 1)[-1]
    requests = " ".join(part for part in _QUESTIONS.split(body) if _REQUEST.search(part))
    if _THREE_COUNTS.search(requests):
        return 3
    several = len(set(_HOW_MANY.findall(requests)))
    if several > 1 or _AMOUNTS.search(requests):
        return max(2, min(several, 4))
    if _SHARED_OUT.search(asking):
        return 1
    if _TWO_NAMED.search(asking):
        return 2
    if _ONLY.search(asking) and not _EACH.search(asking):
        return 1
    if _SIDES.search(asking) and (_REGULAR.search(question) or "triangle" in question):
        return 1 if _REGULAR.search(question) else 3
    counted = _NUMBERS_ASKED.search(question)
    if counted and (_WANTS_SET.search(asking) or "consecutive" in question):
        return _COUNTED[counted[1]]
    return 2 if _EACH.search(asking) or _AND_ASK.search(asking) else 1
