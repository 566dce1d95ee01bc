"""Wordings that settle how many numbers a question asks for: one total, one share, so many by name or by kind.

They are looked at before the general ones (``models/asked.py``); all patterns are for text in lower case.
"""

import re
from typing import Final

_COUNTS: Final = {"two": 2, "2": 2, "both": 2, "three": 3, "3": 3, "four": 4, "4": 4, "five": 5, "5": 5}
_COUNT: Final = r"(two|2|three|3|four|4|five|5)"
_MOST: Final = 5
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s|\n")
_REQUEST: Final = re.compile(
    r"\?|\bhow (?:many|much|old|long|far|fast)\b|\b(?:find|determine|calculate|compute|what|which|solve|divide"
    r"|share|split)\b"
    r"|\b(?:say|tell|give) (?:me )?the\b"
)
_CONDITION: Final = re.compile(r"\b(?:if|when|since|given that|suppose)\b[^?]{0,200}, (?=how|what|which|find|then)")
_SEVERAL_ASKED: Final = re.compile(r"\beach\b|\band (?:how|what)\b")
_TOTAL: Final = re.compile(
    r"\b(?:what (?:is|was|are|were|would|will)(?: be)?|what's|find|calculate|determine|compute) (?:the "
    r"|their )?(?:total|combined|sum|"
    r"difference|product|average|mean|ratio)\b(?! (?:cost|price|number|weight)s? and)"
)
_TOGETHER: Final = re.compile(
    r"\bhow (?:many|much|long|old)\b[^?]{0,120} (?:together|altogether|combined|in all|in total|apart)\b"
)
_EQUALLY: Final = re.compile(r"\b(?:equal(?:ly)?|evenly|(?:for|among|between|into) (?:\d+|two|three|four|five|six)\b)")
_EACH_SHARE: Final = re.compile(r"(?<!of )\beach\b(?! (?:kind|type|sort|of)\b)|\bapiece\b")
_UNEQUAL: Final = re.compile(
    r"\b(?:more|less|fewer|than|twice|thrice|double|half|times|ratio|difference|differ|cheaper|consecutive)\b"
    r"|\bat \$?\d"
)
_LETTERS: Final = re.compile(
    r"\b(?:find|solve for|determine|what (?:are|is)) \$?([a-z](?:, ?[a-z])*,? ?(?:and|&|,) ?[a-z])\b\$?(?! [a-z]+s\b)"
)
_COUNTED: Final = re.compile(
    rf"\b(?:find|name|list|determine|give|what (?:are|were)|which)(?: the| these| me)? {_COUNT}(?: [a-z-]+){{0,3}}? "
    r"(?:numbers|integers|multiples|odds|evens|angles|sides|pieces|ages|terms|dates|pages|years)\b"
)
_RATIO: Final = re.compile(
    r"\b(?:divide|share|split|distribute)\b[^?.]{0,80}?\bratios? (?:of )?(\d+(?: ?: ?\d+)+)(?![^?]{0,120}\b(?:how|what"
    r"|which|find)\b)"
)
_AGAIN: Final = re.compile(
    r"\?\s*(?:and |& )?(?:for |of )?(?:an?|one|1|the|her|his) (?:[a-z]+ ){0,2}[a-z]+ ?\?"
    r"|\b(?:lbs?|pounds|kg|grams|ounces|liters|litres|gallons) of [a-z]+(?:,| and|, and) (?:lbs?|pounds|kg|grams"
    r"|ounces|"
    r"liters|litres|gallons) of [a-z]+"
)
_BLEND: Final = re.compile(
    r"\bhow (?:many|much)(?: [a-z]+)? of an? [\d.]+ ?%[^?.]{0,60} (?:mixed|combined"
    r"|blended) with an? [\d.]+ ?%[^?.]{0,60}"
    r" (?:get|make|produce|obtain|form|have|yield) [\d.]+ (?!%)"
)
_NAMED: Final = r"(?:speed|rate|age|price|cost|weight|length|measure|size|value|wage)"
_PLURAL_OF: Final = re.compile(
    rf"\b(?:find|what (?:are|were)|determine|calculate)(?: out)? (?:the )?{_NAMED}s of (?:the|his|her|their|its"
    rf"|these|both)"
    rf"(?: [a-z]+)? [a-z]+s\b|\bthe {_NAMED} of (?:[a-z']+ ){{1,6}}and (?:of )?the {_NAMED} of\b"
    rf"|^(?:[a-z]+ ){{0,2}}{_NAMED}s\?"
)
_KINDS: Final = re.compile(r"\b(?:of|for|from|in) each\b|\beach (?:kind|type|sort|item|one)\b|\bof both\b")
_COINS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"\bpenn(?:y|ies)\b",
        r"\bnickels?\b",
        r"\bdimes?\b",
        r"\bquarters\b",
        r"\bhalf[- ]dollars?\b",
    )
)
_PRICED: Final = re.compile(r"\bat \$ ?[\d.]+")
_MIXED: Final = re.compile(r"\b(?:mix|blend|sells? (?:at|for)|make \d|to (?:get|make|obtain))")
_EVENLY: Final = re.compile(r"\b(?:equal(?:ly)?|evenly|same)\b")
_WEIGHED: Final = r"\d+(?: kg| lbs?| pounds)?(?: of)? [a-z]+"
_GOODS: Final = re.compile(rf"\b{_WEIGHED}, {_WEIGHED},? and {_WEIGHED}|\b[\d.]+ ?%, [\d.]+ ?%,? and [\d.]+ ?%")
_ROW: Final = re.compile(rf"\b{_COUNT} (?:(?:[a-z]+ ){{1,3}}(?:in a row|side by side)\b|(?:consecutive|successive)\b)")
_ROW_ASKED: Final = re.compile(
    r"\b(?:what|which) (?:are|were|r|years|numbers|pages|days|dates)\b|\bfind (?:the (?:numbers|integers)|them)\b"
)
_ORDINALS: Final = re.compile(r"\bfirst,? second,?(?: and)? third\b")
_THEM: Final = re.compile(r"\b(?:find|name|list|determine|give) (?:them|these|those)\b|\b(?:would|could|should) each\b")
_PEOPLE: Final = re.compile(
    rf"\b{_COUNT} (?:[a-z]+ )?(?:friends|children|kids|brothers|sisters|siblings|sons|daughters|partners|heirs"
    rf"|people|boys|girls)\b"
)
_ANGLES: Final = re.compile(
    r"\bfind (?:them all|all (?:the )?(?:three )?angles|(?:the |its |all )?(?:three )?(?:angles|sides))\b"
    r"|\beach (?:angle|side)\b"
)
_TRIANGLE: Final = re.compile(r"^angles of a triangle\b[^?]*\Z")
_ONE_ANGLE: Final = re.compile(r"\b(?:isosceles|equilateral|right|legs?)\b")
_SAID: Final = re.compile(
    r"\b(?:smallest|least|lowest) and (?:the )?(?:largest|greatest|biggest|highest)\b|\bwhich pages\b"
)


def settled_size(question: str) -> int | None:
    """How many numbers a question asks for where its wording says so beyond doubt, 1 to 5; None elsewhere.

    >>> settled_size("what is the sum of their ages?"), settled_size("45 sweets for 3 children. how many each?")
    (1, 1)
    >>> settled_size("find a, b and c."), settled_size("divide 40 in the ratio 2:3")
    (3, 2)
    >>> settled_size("nickels, dimes and quarters, 29 in all. how many of each kind?"), settled_size("how many buses?")
    (3, None)
    """
    if _TRIANGLE.search(question):
        return 3
    requests = [without_condition(part) for part in _SENTENCES.split(question) if _REQUEST.search(part)]
    asking = " ".join(requests)
    named = _by_name(asking)
    if named is not None:
        return named
    last = requests[-1] if requests else ""
    if _is_one_total(last) or _is_one_share(last, question):
        return 1
    return _by_kind(asking, question)


def without_condition(sentence: str) -> str:
    """A sentence without the clauses that only lead up to its question.

    >>> without_condition("if each has 5 pens, how many are there?")
    'how many are there?'
    """
    return _CONDITION.sub("", sentence)


def _by_name(asking: str) -> int | None:
    """``find a, b and c``, ``find three odd integers``."""
    letters = _LETTERS.search(asking)
    if letters:
        return min(len(re.findall(r"\b[a-z]\b(?!nd)", letters[1])), _MOST)
    counted = _COUNTED.search(asking)
    return _COUNTS[counted[1]] if counted else None


def _is_one_total(last: str) -> bool:
    """The last request is for a sum, a difference or what several do together."""
    return bool(_TOTAL.search(last) or (_TOGETHER.search(last) and not _SEVERAL_ASKED.search(last)))


def _is_one_share(last: str, question: str) -> bool:
    """The last request is for the share of each, and nothing says that the shares differ."""
    return bool(_EACH_SHARE.search(last) and _EQUALLY.search(question)) and not _UNEQUAL.search(question)


def _by_kind(asking: str, question: str) -> int | None:
    """Each of several kinds, persons or angles; two things that are asked for one after the other."""
    ratio = _RATIO.search(asking)
    if ratio:
        return min(1 + ratio[1].count(":"), _MOST)
    if "triangle" in question and _ANGLES.search(asking) and not _ONE_ANGLE.search(question):
        return 3
    if _KINDS.search(asking):
        priced = 0 if _MIXED.search(question) else len(_PRICED.findall(question))
        kinds = max(sum(bool(coin.search(question)) for coin in _COINS), priced)
        if kinds > 2 or _GOODS.search(question):
            return min(max(kinds, 3), _MOST)
    row = _ROW.search(question) if _ROW_ASKED.search(asking) else None
    if row:
        return _COUNTS[row[1]]
    people = _PEOPLE.search(question)
    if people and _EACH_SHARE.search(asking) and _UNEQUAL.search(question) and not _EVENLY.search(question):
        return _COUNTS[people[1]]
    if _ORDINALS.search(asking):
        return 3
    two = (_AGAIN, _BLEND, _PLURAL_OF, _SAID, _THEM)
    return 2 if any(pattern.search(asking) for pattern in two) else None
