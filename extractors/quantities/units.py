"""What a number counts, and whether a word is one ("one gallon", "one of them"), from the characters around it."""

import re
from typing import Final

from extractors.text.wordlists import read_list, spellings

UNIT_NAMES: Final = spellings(read_list("extractors/unit_spellings"))
"""The canonical name of each spelling of a unit."""
MONEY_UNITS: Final = frozenset({"dollar", "cent", "euro", "rupee", "peso", "pence"})

_CURRENCY: Final = spellings(read_list("extractors/currencies"))
_CODES: Final = "|".join(code for code in _CURRENCY if code.isalpha() and code.isascii() and len(code) > 1)
_SIGNS: Final = frozenset(sign for sign in _CURRENCY if not sign.isalpha())
"""The leads that are a currency on their own."""
_CURRENCY_BEFORE: Final = re.compile(
    rf"(?:([{''.join(sorted(_SIGNS))}])|(?<![^\W_])(?:((?i:rs))\.?|((?i:usd|inr|eur|php)|{_CODES.upper()})|(P)))"
    r"[ ]?\Z",
    re.A,
)
# The characters a currency can end with; nearly every number is decided by this look alone.
CURRENCY_LEADS: Final = _SIGNS | frozenset(" .") | {lead for code in _CURRENCY for lead in (code[-1], code[-1].upper())}
_AFTER: Final = re.compile(r"[ \-]?(?:(%)|(per[ ]?cent)\b|(half[- ]dollar)|([A-Za-z]+)|([¢°€]))", re.A)
_UNIT_SIGNS: Final = frozenset("%¢°€")
# Units of one letter are variables as often as units, so they count only where they touch the number.
_ONE_LETTER: Final = frozenset({"h", "m", "g", "l"})


def unit_after(text: str, end: int) -> str | None:
    """The canonical unit that follows position ``end`` ("percent", "dollar", "mile"), or None.

    >>> unit_after("a 70lb bag", 4), unit_after("25 % off", 2), unit_after("3x", 1)
    ('pound', 'percent', None)
    """
    following = text[end : end + 1]
    if following == " " or following == "-":
        following = text[end + 1 : end + 2]
    match = _AFTER.match(text, end) if following.isalpha() or following in _UNIT_SIGNS else None
    if match is None:
        return None
    if match[1] or match[2]:
        return "percent"
    if match[5]:
        return UNIT_NAMES[match[5]]
    word = (match[4] or "").lower()
    if word in _ONE_LETTER and match.start(4) != end:
        return None
    return UNIT_NAMES.get(word)


def currency_before(text: str, start: int) -> tuple[str, int] | None:
    """The currency written before ``start`` and where its sign begins: "$ 5" -> ("dollar", 0), or None.

    A glued ``P`` is the peso sign of Philippine posts ("P25,000"), but only before two digits: P1 is a name.

    >>> currency_before("Rs.50", 3), currency_before("P25", 1), currency_before("x5", 1)
    (('rupee', 0), ('peso', 0), None)
    """
    lead = text[start - 1]
    if lead not in CURRENCY_LEADS:
        return None
    if lead in _SIGNS:
        return _CURRENCY[lead], start - 1
    low = max(0, start - 5)
    if lead == " " and (start < 2 or text[start - 2] not in CURRENCY_LEADS):
        return None
    match = _CURRENCY_BEFORE.search(text[low:start])
    if match is None:
        return None
    name = next(group for group in match.groups() if group)
    if match[4] and not (match.end(4) == start - low and text[start : start + 2].isdecimal()):
        return None
    return _CURRENCY[name.lower()], low + match.start()


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
_ONE_AFTER: Final = re.compile(
    r"\b(?:plus|minus|by|equals?|least|most|exactly|only|just|than|total[ ]of|times|add|adding|subtract|subtracting|"
    r"and|yields?|gives?|make|another)[ ]+\Z",
    re.I,
)
_ONE_COMPARED: Final = re.compile(r"[ ]+(?:more|less|fewer|greater|larger|smaller|higher|lower|older|younger)\b", re.I)
_ONE_ENDS: Final = re.compile(r"[ ]*(?:[.,;?!)]|\Z|(?:yields?|gives?|equals?|from|to|is)\b)", re.I)
_ONE_MEASURED: Final = re.compile(rf"[ -]?(?:{_MEASURE})(?![A-Za-z])", re.I)
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
DEICTIC_TIME: Final = re.compile(r"[ ](?:year|month|week|day|hour)\b", re.I)
"""Behind ``next`` or ``last``: a unit of time; "last year" is one year back."""
FRACTION_FOLLOWS: Final = re.compile(
    r"[ ]*(?:[.,;?!)]|\Z)|[ ]+(?:of|as|the|its|his|her|their|more|less|mile|hour|cup|pound|gallon|inch|teaspoon|"
    r"tablespoon|liter|kilogram|acre|dollar|to|full|empty)\b",
    re.I,
)
"""What makes "a third" 1/3 and no ordinal: "a third of his age" against "a third number"."""
ORDINAL_FOLLOWS: Final = re.compile(r"[ ](?:term|multiple|power|root|row|percentile)s?\b", re.I)
"""What makes an ordinal a quantity: "the 5th term", "the third multiple"."""
PARITY_FOLLOWS: Final = re.compile(
    r"[ ]*-?[ ]*(?:(?:positive|negative|natural|whole|counting|consecutive)[ ,]+){0,2}"
    r"(?:integers?|numbers?|whole|naturals?)\b",
    re.I,
)
"""What makes ``odd`` or ``even`` a step of 2: "consecutive even integers", not "break even"."""
_PLACE_FOLLOWS: Final = re.compile(
    r"'?(?:,?[ ](?:and[ ]|or[ ])?(?:the[ ])?(?:ones|units?|tens|hundreds|thousands)'?){0,3}"
    r"(?:[ ]|[ ]?-[ ]?)(?:digits?|places?|columns?|positions?)\b",
    re.I,
)
COIN_CONTEXT: Final = re.compile(
    r"[Cc]oin|COIN|[Dd]ime|DIME|[Nn]ick(?:el|le)s|pennys?\b|[Pp]ennies|cents\b"
    r"|[Hh]alf[- ]dollar|[Pp]iggy|¢|quarters in \$|\bin quarters"
)
"""What speaks of coins: "Penny" is a person, "quarters" may be parts, "nickel" a metal."""
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
        return True
    return bool(_ONE_AFTER.search(before) and _ONE_ENDS.match(text, end)) or _ONE_MEASURED.match(text, end) is not None


def article_counts(text: str, start: int, end: int) -> bool:
    """Whether ``a`` stands for one thing counted: "a year ago", ""two discs and a cassette"."""
    if _ARTICLE_TIME.match(text, end):
        return True
    before = _before(text, start)
    if before[-3:].lower() == "in " and _ARTICLE_SPAN.match(text, end):
        return True
    return bool(_ARTICLE_LISTED_NOUN.match(text, end) and _ARTICLE_LISTED.search(before))


def place_counts(text: str, end: int) -> bool:
    """Whether ``tens`` names the place of a digit: "the tens and units digits", not "tens of people".

    >>> place_counts("the tens digit", 8), place_counts("tens of digits", 4)
    (True, False)
    """
    return _PLACE_FOLLOWS.match(text, end) is not None


def indefinite(text: str, start: int) -> bool:
    """Whether a scale word is vague: "several hundred"."""
    return _FEW.search(_before(text, start)) is not None
