"""Where a word of the lexicon is a quantity and where it is not: "one gallon" against "one of them"."""

import re
from typing import Final

from extractors.quantities.units import UNIT_NAMES

_BEFORE: Final = 48
_MEASURE = "|".join(sorted((name for name in UNIT_NAMES if name.isalpha() and len(name) > 2), key=len, reverse=True))
_COUNT: Final = (
    r"(?:[0-9]+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|several|both"
    r"|a[ ]dozen)"
)

_ONE_NEVER_AFTER: Final = re.compile(
    r"\b(?:the|other|another|each|every|which|no|any|some|this|that|first|second|third|last|next|older|younger|larger|"
    r"smaller|bigger|oldest|youngest|largest|smallest|new|old|same|good|wrong|right|only the|on)[ ]+\Z",
    re.I,
)
_ONE_NEVER_BEFORE: Final = re.compile(
    r"[ ]+(?:of(?![ ]+one)|another|number|integer|day|night|morning|evening|afternoon|time|way|kind|type|hand|side|by|"
    r"on|or|else|who|that|which|is|was|has|will|should|can|could|would|costs?|pays?|paying|earns?|earning|"
    r"containing|particular|fund|account|speed|price|with|flying|going|travell?ing|averaging|in|to|for)\b"
    r"|[ ]?-[ ]?(?:way|time|digit|to|on|sided?)\b|['’]s\b|self\b",
    re.I,
)
_ONE_AFTER: Final = re.compile(
    r"\b(?:plus|minus|by|equals?|least|most|exactly|only|just|than|total[ ]of|times|add|adding|subtract|subtracting|"
    r"and|yields?|gives?|make|another)[ ]+\Z",
    re.I,
)
_ONE_COMPARED: Final = re.compile(r"[ ]+(?:more|less|fewer|greater|larger|smaller|higher|lower|older|younger)\b", re.I)
_ONE_ENDS: Final = re.compile(r"[ ]*(?:[.,;?!)]|\Z|(?:yields?|gives?|equals?|from|to|is)\b)", re.I)
_ONE_MEASURED: Final = re.compile(rf"[ -]?(?:{_MEASURE})(?![A-Za-z])", re.I)
_DAY: Final = re.compile(r"[ ]?(?:day|night|week|year|hour|month|minute)s?\b", re.I)
_LISTED_AFTER: Final = re.compile(rf"(?:[ ][a-z]+){{1,3}}[ ](?:and|or)[ ]{_COUNT}[ ]", re.I)
_LISTED_BEFORE: Final = re.compile(
    rf"\b{_COUNT}(?:[ ][a-z]+){{1,4}}[ ]?(?:,|,?[ ]?(?:and|plus|\+|&|only|with|on))[ ]\Z", re.I
)
_ARTICLE_LISTED: Final = re.compile(rf"\b{_COUNT}(?:[ ][a-z]+){{1,2}}[ ]and[ ]\Z", re.I)
_ARTICLE_LISTED_NOUN: Final = re.compile(r"(?:[ ][a-z]+){1,3}?[ ]?(?:[,.;]|and|or|for)(?![a-z])", re.I)
_LISTED_NOUN: Final = re.compile(r"[ ](?:[a-z]+)(?:[ ][a-z]+)?", re.I)

_ARTICLE_TIME: Final = re.compile(
    r"[ ](?:year|month|week|day|hour|minute)[ ](?:ago|later|earlier|hence|older|younger|from[ ]now)\b", re.I
)
_ARTICLE_SPAN: Final = re.compile(r"[ ](?:year|month|week|hour)(?![A-Za-z])", re.I)
_DEICTIC_TIME: Final = re.compile(r"[ ](?:year|month|week|day|hour)\b", re.I)
_ARTICLE_MEASURE: Final = re.compile(
    r"[ ](?:liter|litre|gallon|quart|pint|pound|kilogram|ton|mile|kilometer)[ ]of[ ][a-z]+[ ]"
    r"(?:contains|weighs|costs)\b",
    re.I,
)

_FRACTION_FOLLOWS: Final = re.compile(
    r"[ ]*(?:[.,;?!)]|\Z)|[ ]+(?:of|as|the|its|his|her|their|more|less|mile|hour|cup|pound|gallon|inch|teaspoon|"
    r"tablespoon|liter|kilogram|acre|dollar|to|full|empty)\b",
    re.I,
)
_HALF_PART: Final = re.compile(
    r"\b(?:first|second|other|latter|last|next|top|bottom|upper|lower|remaining|left|right|better|each|either)[ ]\Z",
    re.I,
)
_HALF_NAME: Final = re.compile(r"[ -]?(?:life|time|brother|sister|moon|past|court|sister|circle|plane|back)\b", re.I)
_ORDINAL_FOLLOWS: Final = re.compile(r"[ ](?:term|multiple|power|root|row|percentile)s?\b", re.I)
_DOUBLE_NAME: Final = re.compile(
    r"[ -]?(?:rooms?|beds?|digits?|check|decker|figures?|bogey|dutch|cheese|occupancy|glazed|crust|sided|play"
    r"|rounds?)\b",
    re.I,
)
_PARITY_FOLLOWS: Final = re.compile(
    r"[ ]*-?[ ]*(?:(?:positive|negative|natural|whole|counting|consecutive)[ ,]+){0,2}"
    r"(?:integers?|numbers?|whole|naturals?)\b",
    re.I,
)
_PARITY_NEVER: Final = re.compile(r"\b(?:an|break|of|not|is|are)[ ]\Z", re.I)
_PLACE_FOLLOWS: Final = re.compile(
    r"'?(?:,?[ ](?:and[ ]|or[ ])?(?:the[ ])?(?:ones|units?|tens|hundreds|thousands)'?){0,3}"
    r"(?:[ ]|[ ]?-[ ]?)(?:digits?|places?|columns?|positions?)\b",
    re.I,
)
# "Penny" is a person, "quarters" may be parts, "nickel" a metal: other words have to speak of coins.
_COIN_CONTEXT: Final = re.compile(
    r"[Cc]oin|COIN|[Dd]ime|DIME|[Nn]ick(?:el|le)s|pennys?\b|[Pp]ennies|cents\b"
    r"|[Hh]alf[- ]dollar|[Pp]iggy|¢|quarters in \$|\bin quarters"
)
_PAIRED: Final = re.compile(
    r"[ ]of[ ](?:[a-z]+[ ])?(?:pants|jeans|trousers|shorts|shoes|boots|skates|socks|gloves|earrings|glasses|sunglasses|"
    r"scissors|pliers|sneakers|slacks|sandals|slippers|mittens|skis|headphones|dice|tights|pajamas)\b",
    re.I,
)
_FEW: Final = re.compile(r"\b(?:several|few|many|some)[ ]\Z", re.I)


def _before(text: str, start: int) -> str:
    return text[max(0, start - _BEFORE) : start]


def one_counts(text: str, start: int, end: int) -> bool:
    """Whether ``one`` counts something: "one more than", "plus one", "one gallon", "two pizzas and one drink".

    >>> one_counts("one gallon", 0, 3), one_counts("on one hand", 3, 6), one_counts("one number is 5", 0, 3)
    (True, False, False)
    """
    before = _before(text, start)
    if _ONE_COMPARED.match(text, end):
        return not _ONE_NEVER_AFTER.search(before)
    if _ONE_NEVER_AFTER.search(before):
        return False
    if _LISTED_AFTER.match(text, end) or (_LISTED_BEFORE.search(before) and _LISTED_NOUN.match(text, end)):
        return not _ONE_NEVER_BEFORE.match(text, end)
    if _ONE_AFTER.search(before) and _ONE_ENDS.match(text, end):
        return True
    if _ONE_MEASURED.match(text, end):
        # "one day he wants to" tells a story; "one hour later" and "in one year" measure.
        return not _DAY.match(text, end) or not _ONE_NEVER_BEFORE.match(text, end)
    return False


def article_counts(text: str, start: int, end: int) -> bool:
    """Whether ``a`` stands for one thing counted: "a year ago", "a liter of cream", "two discs and a cassette"."""
    if _ARTICLE_TIME.match(text, end) or _ARTICLE_MEASURE.match(text, end):
        return True
    before = _before(text, start)
    if before[-3:].lower() == "in " and _ARTICLE_SPAN.match(text, end):
        return True
    return bool(_ARTICLE_LISTED_NOUN.match(text, end) and _ARTICLE_LISTED.search(before))


def deictic_counts(text: str, end: int) -> bool:
    """Whether ``next`` or ``last`` stands before a unit of time: "last year" is one year back."""
    return _DEICTIC_TIME.match(text, end) is not None


def half_counts(text: str, start: int, end: int) -> bool:
    """Whether ``half`` is 1/2: not in "the first half of the year", "half-life" or "half past nine"."""
    return not (_HALF_NAME.match(text, end) or _HALF_PART.search(_before(text, start)))


def part_counts(text: str, end: int) -> bool:
    """Whether "a third" is 1/3 and not an ordinal: "a third of his age" against "a third number"."""
    return _FRACTION_FOLLOWS.match(text, end) is not None


def ordinal_counts(text: str, end: int) -> bool:
    """Whether an ordinal is a quantity: "the 5th term", "the third multiple"."""
    return _ORDINAL_FOLLOWS.match(text, end) is not None


def multiplier_counts(text: str, end: int) -> bool:
    """Whether ``double`` multiplies: not in "double rooms"."""
    return _DOUBLE_NAME.match(text, end) is None


def parity_counts(text: str, start: int, end: int) -> bool:
    """Whether ``odd`` or ``even`` sets a step of 2: "consecutive even integers", not "break even"."""
    return bool(_PARITY_FOLLOWS.match(text, end)) and not _PARITY_NEVER.search(_before(text, start))


def place_counts(text: str, end: int) -> bool:
    """Whether ``tens`` names the place of a digit: "the tens and units digits", not "tens of people".

    >>> place_counts("the tens digit", 8), place_counts("tens of digits", 4)
    (True, False)
    """
    return _PLACE_FOLLOWS.match(text, end) is not None


def has_coins(text: str) -> bool:
    """Whether the text is about coins, so that quarters and nickels are money."""
    return _COIN_CONTEXT.search(text) is not None


def pair_counts(text: str, start: int, end: int) -> bool:
    """Whether "a pair" or "a couple" is 2: not in "a pair of jeans", which is one thing."""
    return text[max(0, start - 2) : start].lower() == "a " and not _PAIRED.match(text, end)


def indefinite(text: str, start: int) -> bool:
    """Whether a scale word is vague: "several hundred"."""
    return _FEW.search(_before(text, start)) is not None
